//! Contact problems in their global form: M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0.
//!
//! v are the velocities of all degrees of freedom, r and u impulses and velocities at the contacts,
//! λ the multipliers of equality constraints (joints), where there are any. Eliminating v gives the
//! assembled form u = W r + q with W = Hᵀ M⁻¹ H, q = w + Hᵀ M⁻¹ f. With constraints the same holds
//! for M extended by G (the matrix [M G; Gᵀ 0] of v and −λ), H extended by rows of zeros and f by −b.
//!
//! Contacts may also answer by themselves, u = Hᵀ v + W₀ r + w: then W₀ is added to W. This is how a local
//! problem with constraints is put, u = W₀ r + V λ + q and Vᵀ r + R λ + s = 0, with v = λ and M = −R.
//!
//! Only what the contacts touch is factorised for the reduction; [`Reduced::recover`] does the rest.

mod factor;
mod sparse;

pub use factor::Singular;
pub use sparse::SparseMatrix;

use crate::Residual;
use crate::assembled::{Assembled, BlockMatrix, Cone, Local, Square};
use crate::solvers::{Components, Size};
use factor::{Factor, Parts};

/// Contacts whose columns of M⁻¹ H are computed together: a factor that does not fit the cache is read once
/// for all of them.
const BATCH: usize = 32;

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
    /// W₀, where contacts answer by themselves.
    pub own: Option<BlockMatrix<D>>,
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

/// An entry of H, by the part of M that it touches.
#[derive(Clone, Copy)]
struct Touch {
    contact: u32,
    /// Component of the contact.
    axis: u32,
    /// Row in the part.
    row: u32,
    value: f64,
}

/// A part of M and the entries of H that touch it, contacts rising.
struct Touched {
    part: usize,
    entries: std::ops::Range<usize>,
}

impl<const D: usize> Global<D>
where
    Size<D>: Components<D>,
{
    /// W = Hᵀ M⁻¹ H and q = w + Hᵀ M⁻¹ f.
    ///
    /// # Errors
    /// Where M has no inverse.
    ///
    /// # Panics
    /// If sizes do not fit each other.
    pub fn reduce(&self) -> Result<Reduced<'_, D>, Singular> {
        Size::<D>::reduce(self)
    }

    pub(crate) fn reduce_here(&self) -> Result<Reduced<'_, D>, Singular> {
        assert_eq!(self.mass.rows(), self.mass.columns());
        assert_eq!(self.mass.rows(), self.map.rows());
        assert_eq!(self.mass.rows(), self.force.len());
        assert_eq!(self.map.columns(), D * self.cones.len());
        assert_eq!(self.offset.len(), self.cones.len());
        let parts =
            Parts::of(&self.mass, |row| self.contacts_of(row).eq(self.contacts_of(row - 1)));
        let (touched, touches) = self.touches(&parts);
        let mut delassus = BlockMatrix::from_pattern(&self.pattern(&touched, &touches));
        for (row, column, block) in self.own.iter().flat_map(blocks) {
            let k = delassus.find(row, column);
            delassus.blocks[k.expect("the pattern has all blocks")] = *block;
        }
        let mut free = self.offset.clone();
        let mut factors: Vec<Option<Factor>> = (0..parts.len()).map(|_| None).collect();
        let mut answer = Vec::new();
        for Touched { part, entries } in touched {
            let factor = Factor::new(&self.mass, &parts, part)?;
            let (rows, touches) = (parts.rows(part), &touches[entries]);
            answer.clear();
            answer.extend(rows.iter().map(|&row| self.force[row as usize]));
            factor.solve(&mut answer, 1);
            for touch in touches {
                free[touch.contact as usize][touch.axis as usize] +=
                    touch.value * answer[touch.row as usize];
            }
            for batch in by_contact(touches).collect::<Vec<_>>().chunks(BATCH) {
                // Columns of M⁻¹ H, then what every contact of the part sees of them.
                answer.clear();
                answer.resize(rows.len() * D * batch.len(), 0.0);
                for (own, answer) in batch.iter().zip(answer.chunks_exact_mut(rows.len() * D)) {
                    for touch in *own {
                        answer[touch.axis as usize * rows.len() + touch.row as usize] +=
                            touch.value;
                    }
                }
                factor.solve(&mut answer, D * batch.len());
                for (own, answer) in batch.iter().zip(answer.chunks_exact(rows.len() * D)) {
                    for other in by_contact(touches) {
                        let k = delassus.find(other[0].contact as usize, own[0].contact as usize);
                        let block = &mut delassus.blocks[k.expect("the pattern has all blocks")];
                        for touch in other {
                            let line = &mut block[touch.axis as usize];
                            for (j, entry) in line.iter_mut().enumerate() {
                                *entry += touch.value * answer[j * rows.len() + touch.row as usize];
                            }
                        }
                    }
                }
            }
            factors[part] = Some(factor);
        }
        let assembled = Assembled { delassus, free, cones: self.cones.clone() };
        Ok(Reduced { assembled, global: self, parts, factors })
    }

    /// The parts that contacts touch, and all their touches.
    fn touches(&self, parts: &Parts) -> (Vec<Touched>, Vec<Touch>) {
        let mut touched = Vec::new();
        let mut touches: Vec<Touch> = Vec::with_capacity(self.map.len());
        for part in 0..parts.len() {
            let start = touches.len();
            for (row, &global) in parts.rows(part).iter().enumerate() {
                let entries = self.map.row(global as usize).filter(|&(_, value)| value != 0.0);
                touches.extend(entries.map(|(column, value)| {
                    let (contact, axis) = ((column / D) as u32, (column % D) as u32);
                    Touch { contact, axis, row: row as u32, value }
                }));
            }
            if touches.len() > start {
                touches[start..].sort_by_key(|touch| touch.contact);
                touched.push(Touched { part, entries: start..touches.len() });
            }
        }
        (touched, touches)
    }

    /// The block columns of each row of W: contacts that touch the same part, and those of W₀.
    fn pattern(&self, touched: &[Touched], touches: &[Touch]) -> Vec<Vec<u32>> {
        let contacts = self.cones.len() as u32;
        let mut pattern: Vec<Vec<u32>> = (0..contacts).map(|contact| vec![contact]).collect();
        for (row, column, _) in self.own.iter().flat_map(blocks) {
            pattern[row].push(column as u32);
        }
        let mut together = Vec::new();
        for Touched { entries, .. } in touched {
            together.clear();
            together.extend(by_contact(&touches[entries.clone()]).map(|own| own[0].contact));
            for &contact in &together {
                pattern[contact as usize].extend_from_slice(&together);
            }
        }
        for known in &mut pattern {
            known.sort_unstable();
            known.dedup();
        }
        pattern
    }

    /// The contacts that touch a row of M, rising, each once.
    fn contacts_of(&self, row: usize) -> impl Iterator<Item = usize> {
        let touching = self.map.row(row).filter(|&(_, value)| value != 0.0);
        let mut last = usize::MAX;
        touching.map(|(column, _)| column / D).filter(move |&contact| {
            let new = contact != last;
            last = contact;
            new
        })
    }
}

/// The touches of each contact.
fn by_contact(touches: &[Touch]) -> impl Iterator<Item = &[Touch]> {
    touches.chunk_by(|a, b| a.contact == b.contact)
}

/// Row, column and numbers of every block.
fn blocks<const D: usize>(
    matrix: &BlockMatrix<D>,
) -> impl Iterator<Item = (usize, usize, &Square<D>)> {
    (0..matrix.rows())
        .flat_map(|row| matrix.row(row).map(move |(column, block)| (row, column, block)))
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
        for part in 0..self.parts.len() {
            let rows = self.parts.rows(part);
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

    /// u = Hᵀ v + W₀ r + w, v being what these impulses give.
    pub fn contact_velocities(&self, v: &[f64], impulses: &[Local<D>]) -> Vec<Local<D>> {
        let mut u = self.global.offset.clone();
        self.global.map.transposed_multiply_add(v, u.as_flattened_mut());
        if let Some(own) = &self.global.own {
            own.multiply_add(impulses, &mut u);
        }
        u
    }

    /// Judges impulses by the velocities that M v = H r + f gives, not by W.
    ///
    /// # Errors
    /// As [`Reduced::recover`].
    pub fn judge(&self, impulses: &[Local<D>]) -> Result<Residual, Singular> {
        let velocities = self.contact_velocities(&self.recover(impulses)?, impulses);
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
            own: None,
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
    fn contacts_that_answer_by_themselves_add_to_what_bodies_answer() {
        let mut global = column(false);
        let entries = [(0, 0, 8.0), (0, 3, 1.0), (3, 0, 1.0)];
        global.own = Some(BlockMatrix::from_entries(2, entries.into_iter()));
        let reduced = global.reduce().unwrap();
        let w = &reduced.assembled.delassus;
        assert_eq!(w.diagonal(0), &[[8.5, 0.0], [0.0, 0.5]]);
        assert_eq!(w.blocks[w.find(0, 1).unwrap()], [[-0.5, 1.0], [0.0, -0.5]]);
        let impulses = [[1.0, 0.0], [0.0, 2.0]];
        let mut by_w = vec![[0.0; 2]; 2];
        reduced.assembled.velocities(&impulses, &mut by_w);
        let v = reduced.recover(&impulses).unwrap();
        assert_eq!(reduced.contact_velocities(&v, &impulses), by_w);
    }

    /// More contacts than are solved for at once, on one body whose M⁻¹ is known: M = 1 + e eᵀ.
    #[test]
    fn contacts_beyond_one_batch_are_reduced() {
        let size = 2 * (BATCH + 3);
        let all = (0..size).flat_map(|i| (0..size).map(move |j| (i, j)));
        let mass: Vec<_> = all.map(|(i, j)| (i, j, if i == j { 2.0 } else { 1.0 })).collect();
        let map: Vec<_> = (0..size).map(|i| (i, i, 1.0)).collect();
        let global = Global::<2> {
            mass: SparseMatrix::from_entries(size, size, &mass),
            map: SparseMatrix::from_entries(size, size, &map),
            force: vec![0.0; size],
            offset: vec![[0.0; 2]; size / 2],
            cones: vec![Cone::coulomb(0.5); size / 2],
            own: None,
        };
        let reduced = global.reduce().unwrap();
        let beside = -1.0 / (size as f64 + 1.0);
        for (row, column, block) in blocks(&reduced.assembled.delassus) {
            for (k, value) in block.as_flattened().iter().enumerate() {
                let own = row == column && k % 3 == 0;
                let expected = if own { 1.0 + beside } else { beside };
                assert!((value - expected).abs() < 1e-14, "{row} {column}: {value}");
            }
        }
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
