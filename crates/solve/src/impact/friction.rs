//! Friction of a step of an impact: Coulomb's law between what slides after it and the tangential impulses of the step.

use super::{Impact, Touching};
use crate::{ContactMap, Mover, Twist};
use drystone_space::{Local, Space, Vector};

/// Most sweeps over the contacts of a step.
const SWEEPS: usize = 200;
/// Change of an impulse, as a share of the bound of friction, below which it stays.
const SAME: f64 = 1e-12;

/// A number no less than the answer to a tangential impulse of 1 in any direction.
pub(super) fn largest<S: Space>(map: &ContactMap<S>, movers: &[Mover<S>]) -> f64 {
    let rows: [S::Tangent; 2] = std::array::from_fn(|i| {
        let index = 1 + i.min(S::Tangent::LENGTH - 1);
        map.response(index, movers).tangent()
    });
    let (a, d) = (rows[0].get(0), rows[1].get(S::Tangent::LENGTH - 1));
    let b = if S::Tangent::LENGTH > 1 { rows[0].get(1) } else { 0.0 };
    let half = 0.5 * (a - d);
    0.5 * (a + d) + (half * half + b * b).sqrt()
}

impl<S: Space> Impact<S> {
    /// Brings tangential impulses to where Coulomb's law holds with the velocities after the step.
    pub(super) fn rub(
        &mut self,
        contacts: &[Touching<S>],
        movers: &[Mover<S>],
        twists: &mut [Twist<S>],
    ) {
        for _ in 0..SWEEPS {
            let mut same = true;
            for (contact, course) in contacts.iter().zip(&mut self.courses) {
                let bound = contact.friction * course.push;
                if bound == 0.0 {
                    continue;
                }
                let slip = contact.velocity(twists).tangent();
                let wanted = course.rub - slip / course.tangent;
                let size = wanted.norm();
                let next = if size > bound { wanted * (bound / size) } else { wanted };
                let change = next - course.rub;
                same &= change.norm() <= SAME * bound;
                contact.map.to_bodies(S::Local::new(0.0, change), movers, twists);
                course.rub = next;
            }
            if same {
                break;
            }
        }
    }
}
