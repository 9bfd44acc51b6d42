//! Contact problems in their global form: M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0.
//!
//! v are the velocities of all degrees of freedom, r and u impulses and velocities at the contacts,
//! λ the multipliers of equality constraints (joints), where there are any. Eliminating v gives the
//! assembled form u = W r + q with W = Hᵀ M⁻¹ H, q = w + Hᵀ M⁻¹ f. With constraints the same holds
//! for M extended by G (the matrix [M G; Gᵀ 0] of v and −λ), H extended by rows of zeros and f by −b.
//!
//! Only what the contacts touch is factorised for the reduction; [`Reduced::recover`] does the rest.

mod factor;
mod sparse;

pub use factor::Singular;
pub use sparse::SparseMatrix;

use crate::Residual;
use crate::assembled::{Assembled, BlockMatrix, Cone, Local};
use factor::{Factor, Parts};

/// A contact problem with its degrees of freedom. Contacts have D components, normal first.
#[derive(Clone, Debug)]
pub struct Global<const D: usize> {
    /// M, square; with constraints [M G; Gᵀ 0].
    pub mass: SparseMatrix,
    /// H: its columns are the components of the contacts, its rows those of M.
    pub map: SparseMatrix,
    /// f; with constraints f and −b.
    pub force: Vec<f64>,
    /// w, for each contact.
    pub offset: Vec<Local<D>>,
    /// The cone of each contact.
    pub cones: Vec<Cone>,
}

/// A problem without its degrees of freedom, and the way back to them.
pub struct Reduced<'a, const D: usize> {
    /// W, q and the cones.
    pub assembled: Assembled<D>,
    global: &'a Global<D>,
    parts: Parts,
    /// The factors of the parts that contacts touch.
    factors: Vec<Option<Factor>>,
}

/// Entries of Hᵀ of one contact in one part: (row in the part, component, value).
struct Touch {
    contact: u32,
    entries: Vec<(u32, u32, f64)>,
}

impl<const D: usize> Global<D> {
    /// W = Hᵀ M⁻¹ H and q = w + Hᵀ M⁻¹ f.
    ///
    /// # Errors
    /// Where M has no inverse.
    ///
    /// # Panics
    /// If sizes do not fit each other.
    pub fn reduce(&self) -> Result<Reduced<'_, D>, Singular> {
        assert_eq!(self.mass.rows(), self.mass.columns());
        assert_eq!(self.mass.rows(), self.map.rows());
        assert_eq!(self.mass.rows(), self.force.len());
        assert_eq!(self.map.columns(), D * self.cones.len());
        assert_eq!(self.offset.len(), self.cones.len());
        let parts = Parts::of(&self.mass);
        let touches = self.touches(&parts);
        let mut delassus = BlockMatrix::from_pattern(&pattern(self.cones.len(), &touches));
        let mut free = self.offset.clone();
        let mut factors = Vec::with_capacity(touches.len());
        let mut answer = Vec::new();
        for (part, touches) in touches.iter().enumerate() {
            if touches.is_empty() {
                factors.push(None);
                continue;
            }
            let factor = Factor::new(&self.mass, &parts, part)?;
            let rows = &parts.rows[part];
            answer.clear();
            answer.extend(rows.iter().map(|&row| self.force[row as usize]));
            factor.solve(&mut answer, 1);
            for touch in touches {
                for &(row, axis, value) in &touch.entries {
                    free[touch.contact as usize][axis as usize] += value * answer[row as usize];
                }
            }
            for touch in touches {
                // Columns of M⁻¹ H, then what every contact of the part sees of them.
                answer.clear();
                answer.resize(rows.len() * D, 0.0);
                for &(row, axis, value) in &touch.entries {
                    answer[axis as usize * rows.len() + row as usize] += value;
                }
                factor.solve(&mut answer, D);
                for other in touches {
                    let place = delassus.find(other.contact as usize, touch.contact as usize);
                    let block = &mut delassus.blocks[place.expect("the pattern has all blocks")];
                    for &(row, i, value) in &other.entries {
                        for j in 0..D {
                            block[i as usize][j] += value * answer[j * rows.len() + row as usize];
                        }
                    }
                }
            }
            factors.push(Some(factor));
        }
        let assembled = Assembled { delassus, free, cones: self.cones.clone() };
        Ok(Reduced { assembled, global: self, parts, factors })
    }

    /// What the contacts touch, part by part; contacts rising.
    fn touches(&self, parts: &Parts) -> Vec<Vec<Touch>> {
        let mut touches: Vec<Vec<Touch>> = parts.rows.iter().map(|_| Vec::new()).collect();
        for (column, row, value) in self.map.transposed().entries() {
            if value == 0.0 {
                continue;
            }
            let (part, place) = parts.place[row];
            let (contact, axis) = ((column / D) as u32, (column % D) as u32);
            let known = &mut touches[part as usize];
            if known.last().is_none_or(|touch| touch.contact != contact) {
                known.push(Touch { contact, entries: Vec::new() });
            }
            known.last_mut().expect("it was pushed").entries.push((place, axis, value));
        }
        touches
    }
}

/// The block columns of each row of W: contacts that touch the same part.
fn pattern(contacts: usize, touches: &[Vec<Touch>]) -> Vec<Vec<u32>> {
    let mut pattern: Vec<Vec<u32>> = (0..contacts as u32).map(|contact| vec![contact]).collect();
    for touches in touches {
        for touch in touches {
            let known = &mut pattern[touch.contact as usize];
            known.extend(touches.iter().map(|other| other.contact));
        }
    }
    for known in &mut pattern {
        known.sort_unstable();
        known.dedup();
    }
    pattern
}

impl<const D: usize> Reduced<'_, D> {
    /// v (with constraints followed by −λ) of these impulses.
    ///
    /// # Errors
    /// Where M has no inverse in a part that no contact touches.
    pub fn recover(&self, impulses: &[Local<D>]) -> Result<Vec<f64>, Singular> {
        let mut v = self.global.force.clone();
        self.global.map.multiply_add(impulses.as_flattened(), &mut v);
        let mut part_of_v = Vec::new();
        for (part, rows) in self.parts.rows.iter().enumerate() {
            part_of_v.clear();
            part_of_v.extend(rows.iter().map(|&row| v[row as usize]));
            match &self.factors[part] {
                Some(factor) => factor.solve(&mut part_of_v, 1),
                None => Factor::new(&self.global.mass, &self.parts, part)?.solve(&mut part_of_v, 1),
            }
            for (&row, x) in rows.iter().zip(&part_of_v) {
                v[row as usize] = *x;
            }
        }
        Ok(v)
    }

    /// u = Hᵀ v + w.
    pub fn contact_velocities(&self, v: &[f64]) -> Vec<Local<D>> {
        let mut u = self.global.offset.clone();
        self.global.map.transposed_multiply_add(v, u.as_flattened_mut());
        u
    }

    /// Judges impulses by the velocities that M v = H r + f gives, not by W.
    ///
    /// # Errors
    /// As [`Reduced::recover`].
    pub fn judge(&self, impulses: &[Local<D>]) -> Result<Residual, Singular> {
        let velocities = self.contact_velocities(&self.recover(impulses)?);
        Ok(Residual::of_assembled(&self.assembled, impulses, &velocities))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit masses in the plane, one above the other: the ground below the first, a contact
    /// between them. Both fall at 1.
    fn column(joint: bool) -> Global<2> {
        let size = if joint { 5 } else { 4 };
        let mut mass: Vec<_> = (0..4).map(|i| (i, i, 2.0)).collect();
        let mut force = vec![0.0, -2.0, 0.0, -2.0];
        if joint {
            // The masses may not move sideways against each other: v_x1 − v_x2 = 0.
            mass.extend([(0, 4, 1.0), (2, 4, -1.0), (4, 0, 1.0), (4, 2, -1.0)]);
            force.push(0.0);
        }
        let map = [(1, 0, 1.0), (0, 1, 1.0), (3, 2, 1.0), (1, 2, -1.0), (2, 3, 1.0), (0, 3, -1.0)];
        Global {
            mass: SparseMatrix::from_entries(size, size, &mass),
            map: SparseMatrix::from_entries(size, 4, &map),
            force,
            offset: vec![[0.0; 2]; 2],
            cones: vec![Cone::coulomb(0.5); 2],
        }
    }

    #[test]
    fn the_reduction_by_hand() {
        let global = column(false);
        let reduced = global.reduce().unwrap();
        let w = &reduced.assembled.delassus;
        assert_eq!(w.diagonal(0), &[[0.5, 0.0], [0.0, 0.5]]);
        assert_eq!(w.diagonal(1), &[[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(w.blocks[w.find(0, 1).unwrap()], [[-0.5, 0.0], [0.0, -0.5]]);
        assert_eq!(reduced.assembled.free, [[-1.0, 0.0], [0.0, 0.0]]);
        // The lower contact carries both masses, the upper one carries one.
        let impulses = [[4.0, 0.0], [2.0, 0.0]];
        assert_eq!(reduced.recover(&impulses).unwrap(), [0.0; 4]);
        assert_eq!(reduced.judge(&impulses).unwrap(), Residual::default());
        assert!(reduced.judge(&[[4.0, 0.0], [1.0, 0.0]]).unwrap().relative > 0.1);
    }

    #[test]
    fn a_joint_couples_the_masses() {
        let global = column(true);
        let reduced = global.reduce().unwrap();
        let w = &reduced.assembled.delassus;
        // Sideways the two are one mass of 4, and the upper contact cannot slip.
        assert_eq!(w.diagonal(0), &[[0.5, 0.0], [0.0, 0.25]]);
        assert!(w.diagonal(1)[1][1].abs() < 1e-15);
        let v = reduced.recover(&[[4.0, 1.0], [2.0, 0.0]]).unwrap();
        assert!((v[0] - 0.25).abs() < 1e-15 && (v[2] - 0.25).abs() < 1e-15, "{v:?}");
        // −λ: half of the impulse at the ground goes on to the upper mass.
        assert!((v[4] - 0.5).abs() < 1e-15, "{v:?}");
    }

    #[test]
    fn the_reduced_judge_agrees_with_the_assembled_one() {
        let global = column(true);
        let reduced = global.reduce().unwrap();
        let impulses = [[3.0, 0.7], [1.0, -0.2]];
        let mut velocities = vec![[0.0; 2]; 2];
        reduced.assembled.velocities(&impulses, &mut velocities);
        let by_w = Residual::of_assembled(&reduced.assembled, &impulses, &velocities);
        let by_v = reduced.judge(&impulses).unwrap();
        assert!((by_w.relative - by_v.relative).abs() < 1e-15);
        assert!((by_w.scale_free - by_v.scale_free).abs() < 1e-15);
    }
}
