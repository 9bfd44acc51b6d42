//! An elastic tie between the two sides of a contact, as bonds have: in each direction the velocity that is left over is
//! taken up by a compliance,
//!
//! - along the normal V_n = U_n + e P_n = 0, with one compliance where the tie pulls (P_n < 0) and another where it pushes.
//!   A tie that only pulls has P_n ≤ 0, and V_n ≤ 0 where P_n = 0;
//! - across it U_t + e_t P_t = 0.
//!
//! U has the stretch that there is already in it, as a velocity. With compliances of 0 the tie is rigid.

use super::bounded::{dense, from_dense, solve_3};
use crate::{Block, Blocks};
use drystone_space::Local;
use std::marker::PhantomData;

/// The law of one contact that is an elastic tie; compliances are velocities by impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic<S: Blocks> {
    /// Along the normal, where it pulls.
    pub pull: f64,
    /// The same where it pushes; `None` if it never does.
    pub push: Option<f64>,
    /// Across the normal.
    pub shear: f64,
    space: PhantomData<S>,
}

impl<S: Blocks> Elastic<S> {
    /// The law with these compliances.
    pub fn new(pull: f64, push: Option<f64>, shear: f64) -> Self {
        Self { pull, push, shear, space: PhantomData }
    }

    /// Whether all compliances are numbers from zero on.
    pub fn is_sound(&self) -> bool {
        let sound = |compliance: f64| compliance >= 0.0 && compliance.is_finite();
        sound(self.pull) && self.push.is_none_or(sound) && sound(self.shear)
    }

    /// The nearest impulse that the tie can have.
    pub fn project(&self, impulse: S::Local) -> S::Local {
        match self.push {
            Some(_) => impulse,
            None => S::Local::new(impulse.normal().min(0.0), impulse.tangent()),
        }
    }

    /// E P: the velocity that the tie takes up under an impulse.
    pub(crate) fn taken_up(&self, impulse: S::Local) -> S::Local {
        let n = impulse.normal();
        let along = if n > 0.0 { self.push.unwrap_or(0.0) } else { self.pull };
        S::Local::new(along * n, impulse.tangent() * self.shear)
    }

    /// P − proj(P − a V), each part with the step of an impulse that answers to compliance too: zero exactly where the law
    /// holds.
    pub fn natural_map(&self, velocity: S::Local, impulse: S::Local, a: f64) -> S::Local {
        let step = |velocity: f64, impulse: f64, compliance: f64| {
            (velocity + impulse * compliance) * (a / (1.0 + a * compliance))
        };
        let p = impulse.normal();
        let along = match self.push {
            Some(push) => step(velocity.normal(), p, if p > 0.0 { push } else { self.pull }),
            None => p - (p - step(velocity.normal(), p, self.pull)).min(0.0),
        };
        let slip = velocity.tangent() + impulse.tangent() * self.shear;
        S::Local::new(along, slip * (a / (1.0 + a * self.shear)))
    }

    /// The impulse that satisfies the law while all others are frozen: (H + E) P = H P − U. The normal part of the pull's
    /// solution has the sign of the truth, since H + E is positive definite whatever E is.
    pub fn solve(&self, block: &S::Block, velocity: S::Local, impulse: S::Local) -> S::Local {
        let wanted = block.apply(impulse) - velocity;
        let wanted: [f64; 3] = std::array::from_fn(|axis| match axis < S::DIMENSION {
            true => wanted.get(axis),
            false => 0.0,
        });
        let block = dense::<S>(block);
        let with = |along: f64| {
            let mut matrix = block;
            matrix[0][0] += along;
            (1..S::DIMENSION).for_each(|axis| matrix[axis][axis] += self.shear);
            solve_3(&matrix, 0.0, &wanted)
        };
        let pulled = with(self.pull);
        if pulled[0] <= 0.0 {
            return from_dense::<S>(&pulled);
        }
        match self.push {
            Some(push) => from_dense::<S>(&with(push)),
            None => {
                // Without the normal row and column.
                let mut matrix = block;
                matrix[0] = [1.0, 0.0, 0.0];
                (matrix[1][0], matrix[2][0]) = (0.0, 0.0);
                (1..S::DIMENSION).for_each(|axis| matrix[axis][axis] += self.shear);
                from_dense::<S>(&solve_3(&matrix, 0.0, &[0.0, wanted[1], wanted[2]]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, Local3, Volume};

    /// For any velocity the local solve gives an impulse under which the law holds: by its own words, and by the judge's map.
    #[test]
    fn ties_pull_push_and_shear() {
        let rows = [[2.0, 0.3, -0.2], [0.3, 1.0, 0.1], [-0.2, 0.1, 1.5]];
        let column =
            |axis: usize| Local3 { n: rows[0][axis], t: DVec2::new(rows[1][axis], rows[2][axis]) };
        let block: <Volume as Blocks>::Block = Block::<Volume>::new(column, 0.0);
        for push in [None, Some(0.0), Some(0.7)] {
            for n in [-3.0, -0.01, 0.4, 2.0] {
                let law = Elastic::<Volume>::new(0.5, push, 0.25);
                let start = Local3 { n: -0.2, t: DVec2::new(0.4, 0.1) };
                let velocity = Local3 { n, t: DVec2::new(1.0, -2.0) };
                let found = law.solve(&block, velocity, start);
                let after = velocity + Block::<Volume>::apply(&block, found - start);
                assert!((after.t + found.t * 0.25).length() < 1e-14);
                let along = if found.n > 0.0 { push.unwrap() } else { 0.5 };
                let left = after.n + along * found.n;
                match push {
                    None if found.n == 0.0 => assert!(left <= 0.0),
                    _ => assert!(left.abs() < 1e-14, "{push:?} {n}: {left}"),
                }
                let map = law.natural_map(after, found, 0.3);
                assert!(map.dot(map).sqrt() < 1e-14, "{map:?}");
                // It parts faster than the law has it: a tie that only pulls and is slack may close at any speed.
                let slack = push.is_none() && found.n == 0.0;
                let off = Local3 { n: if slack { 0.1 } else { after.n + 0.1 }, t: after.t };
                assert!(law.natural_map(off, found, 0.3).n.abs() > 1e-3);
            }
        }
    }
}
