//! The exact projection onto an intersection of half-spaces: the dual active-set method.
//!
//! min ½|x − p|² subject to nᵢ·x ≤ bᵢ. Throughout, x = p − Σ wᵢ nᵢ over the active half-spaces with
//! weights wᵢ ≥ 0, and the active ones hold as equalities: x is the projection onto those alone. One
//! violated half-space is taken in at a time; a weight that would become negative leaves the active
//! set. The distance |x − p| grows with every one taken in, so no active set comes back, and the end is
//! exact after finitely many steps. A violated half-space that cannot be taken in proves the
//! intersection empty (Goldfarb & Idnani 1983, with the identity as the matrix of the objective).

use crate::{HalfSpace, SweepError};
use drystone_space::{Space, Vector};

/// Normals whose angle is less are the same direction.
const PARALLEL: f64 = 1e-10;
/// Distances below this, relative to the numbers that they come from, are rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A projection, with the weights of the half-spaces that hold it.
#[derive(Clone, Debug)]
pub(crate) struct Nearest<S: Space> {
    pub point: S::Vector,
    /// Index and weight: `given = point + Σ weight · normal`.
    pub active: Vec<(usize, f64)>,
}

/// Why there is no projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NoNearest {
    /// The intersection is empty.
    Empty,
    /// Rounding kept the method from its end; what is left of the violation.
    Unfinished(f64),
}

impl NoNearest {
    /// The same for a user.
    pub fn at(self, time: f64) -> SweepError {
        match self {
            Self::Empty => SweepError::Empty { time },
            Self::Unfinished(residual) => SweepError::Unfinished { time, residual },
        }
    }
}

/// The nearest point of the intersection.
pub(crate) fn nearest<S: Space>(
    given: S::Vector,
    sets: &[HalfSpace<S>],
) -> Result<Nearest<S>, NoNearest> {
    let mut state = Nearest::<S> { point: given, active: Vec::with_capacity(S::DIMENSION) };
    let mut left = f64::INFINITY;
    // Far above what is ever needed; rounding could make the method turn in circles.
    for _ in 0..100 * (sets.len() + 1) {
        // Each by its own size: one that is far away must not hide what is wrong nearby.
        let size = state.point.norm();
        let violations = sets.iter().enumerate().filter_map(|(index, set)| {
            let violation = set.distance(state.point);
            (violation > ROUNDING * (size + set.offset.abs())).then_some((index, violation))
        });
        let Some((index, violation)) = violations.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Ok(state);
        };
        left = violation;
        if !state.take_in(index, sets) {
            return Err(NoNearest::Empty);
        }
    }
    Err(NoNearest::Unfinished(left))
}

impl<S: Space> Nearest<S> {
    /// Moves to the projection that also obeys half-space `index`; false if there is none.
    fn take_in(&mut self, index: usize, sets: &[HalfSpace<S>]) -> bool {
        let set = &sets[index];
        let mut weight = 0.0;
        loop {
            let (shares, rest) = self.split(set.normal, sets);
            let dependent = self.active.len() == S::DIMENSION || rest.norm() <= PARALLEL;
            let full = match dependent {
                true => f64::INFINITY,
                false => set.distance(self.point) / rest.norm_squared(),
            };
            let leaving = (0..self.active.len())
                .filter(|&k| shares[k] > 0.0)
                .map(|k| (k, self.active[k].1 / shares[k]))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let step = leaving.map_or(full, |(_, most)| most.min(full));
            if step.is_infinite() {
                return false;
            }
            weight += step;
            for (k, active) in self.active.iter_mut().enumerate() {
                active.1 -= step * shares[k];
            }
            if !dependent {
                self.point -= rest * step;
            }
            match leaving {
                Some((k, most)) if most < full => {
                    self.active.remove(k);
                }
                _ => {
                    self.active.push((index, weight));
                    self.polish(sets);
                    return true;
                }
            }
        }
    }
    /// A direction as a combination of the active normals and a rest orthogonal to them.
    fn split(&self, direction: S::Vector, sets: &[HalfSpace<S>]) -> ([f64; 3], S::Vector) {
        let Factors { basis, triangle } = self.factors(sets);
        let count = self.active.len();
        let (mut shares, rest) = orthogonal(direction, &basis[..count]);
        for k in (0..count).rev() {
            shares[k] /= triangle[k][k];
            for j in 0..k {
                shares[j] -= shares[k] * triangle[k][j];
            }
        }
        (shares, rest)
    }
    /// Brings the point onto the active boundaries to rounding. A step divides by the sine of the
    /// angle between normals, and so does its error.
    fn polish(&mut self, sets: &[HalfSpace<S>]) {
        let Factors { basis, triangle } = self.factors(sets);
        let mut shifts = [0.0; 3];
        for k in 0..self.active.len() {
            let known: f64 = (0..k).map(|j| triangle[k][j] * shifts[j]).sum();
            shifts[k] = (sets[self.active[k].0].distance(self.point) - known) / triangle[k][k];
        }
        for (unit, shift) in basis.into_iter().zip(shifts) {
            self.point -= unit * shift;
        }
    }
    /// Active normal k = Σ triangle[k][j] · basis[j].
    fn factors(&self, sets: &[HalfSpace<S>]) -> Factors<S> {
        let mut basis = [S::Vector::ZERO; 3];
        let mut triangle = [[0.0; 3]; 3];
        for (k, &(index, _)) in self.active.iter().enumerate() {
            let (along, rest) = orthogonal(sets[index].normal, &basis[..k]);
            triangle[k] = along;
            triangle[k][k] = rest.norm();
            basis[k] = rest / rest.norm();
        }
        Factors { basis, triangle }
    }
}

/// The active normals by an orthonormal basis.
struct Factors<S: Space> {
    basis: [S::Vector; 3],
    triangle: [[f64; 3]; 3],
}

/// Components along an orthonormal basis and what is left; twice, so that it is orthogonal to
/// rounding.
fn orthogonal<V: Vector>(vector: V, basis: &[V]) -> ([f64; 3], V) {
    let (mut along, mut rest) = ([0.0; 3], vector);
    for _ in 0..2 {
        for (k, &unit) in basis.iter().enumerate() {
            let component = rest.dot(unit);
            along[k] += component;
            rest -= unit * component;
        }
    }
    (along, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    fn half(x: f64, y: f64, offset: f64) -> HalfSpace<Plane> {
        let length = x.hypot(y);
        HalfSpace { normal: DVec2::new(x, y) / length, offset: offset / length }
    }

    #[test]
    fn a_corner_holds_with_both_weights() {
        let sets = [half(1.0, 0.0, 0.0), half(0.0, 1.0, 0.0)];
        let found = nearest(DVec2::new(3.0, 4.0), &sets).unwrap();
        assert_eq!(found.point, DVec2::ZERO);
        let mut weights = found.active;
        weights.sort_by_key(|w| w.0);
        assert_eq!(weights, [(0, 3.0), (1, 4.0)]);
    }

    #[test]
    fn a_half_plane_taken_in_first_may_leave() {
        // From (0, 10), x + y ≤ 1 is violated most; the answer (0.5, 0) lies on y ≤ 0 and x ≤ 0.5.
        let sets = [half(1.0, 1.0, 1.0), half(0.0, 1.0, 0.0), half(-1.0, 0.2, -0.5)];
        let found = nearest(DVec2::new(0.0, 10.0), &sets).unwrap();
        assert!((found.point - DVec2::new(0.5, 0.0)).length() < 1e-14, "{:?}", found.point);
    }

    #[test]
    fn no_common_point() {
        let sets = [half(1.0, 0.0, 0.0), half(-1.0, 0.0, -1.0)];
        assert_eq!(nearest(DVec2::new(3.0, 0.0), &sets).err(), Some(NoNearest::Empty));
        // Three that meet in pairs only.
        let sets = [half(0.0, -1.0, 0.0), half(1.0, 1.0, -1.0), half(-1.0, 1.0, -1.0)];
        assert_eq!(nearest(DVec2::new(3.0, 0.0), &sets).err(), Some(NoNearest::Empty));
        // Twice the same is no contradiction, and a line is a set.
        let sets = [half(1.0, 0.0, 1.0), half(1.0, 0.0, 1.0), half(-1.0, 0.0, -1.0)];
        assert_eq!(nearest(DVec2::new(3.0, 2.0), &sets).unwrap().point, DVec2::new(1.0, 2.0));
    }

    #[test]
    fn the_corner_of_a_box_in_space() {
        let sets: Vec<HalfSpace<Volume>> =
            [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z]
                .map(|normal| HalfSpace { normal, offset: 1.0 })
                .to_vec();
        let found = nearest(DVec3::new(2.0, -3.0, 4.0), &sets).unwrap();
        assert_eq!(found.point, DVec3::new(1.0, -1.0, 1.0));
        assert_eq!(found.active.len(), 3);
        let found = nearest(DVec3::new(0.5, -3.0, 0.25), &sets).unwrap();
        assert_eq!(found.point, DVec3::new(0.5, -1.0, 0.25));
    }
}
