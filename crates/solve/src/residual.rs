//! The one judge of a solution: how far each contact is from its law.
//!
//! With e(a) = P − proj_C(P − a Û), Û = U + μ|U_t| n, over all contacts:
//! - relative: ‖e(a)‖ / max(‖a q‖, ‖P‖, ‖a U‖) with one a for all, q being the velocity without
//!   impulses. For a = 1 this is FCLib's normalised natural map, which depends on the units; here a
//!   is chosen so that it does not: FCLib's figure in units in which the mean of trace(H)/d is 1.
//! - scale-free: ‖e(a)‖ / ‖P‖ with a = d / trace(H) for each contact by itself.
//!
//! An error below the rounding of velocities counts as none, so that bodies that fly together
//! without pressing on each other are not judged on noise.

use crate::{Block, Blocks, Contact, ContactProblem, Solution, Twist};
use drystone_space::Local;

/// How far a solution is from satisfying all laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// FCLib's normalised natural map, in the problem's own units.
    pub relative: f64,
    /// The same with a local scale for each contact, relative to the impulses.
    pub scale_free: f64,
}

impl Residual {
    /// Judges `solution`; its velocities must be fresh ([`Solution::refresh`]).
    pub fn of<S: Blocks>(problem: &ContactProblem<S>, solution: &Solution<S>) -> Self {
        Self::of_parts(problem, &problem.contacts, &solution.impulses, &solution.twists)
    }

    /// The same for contacts and impulses that stand in another order than the problem's.
    pub(crate) fn of_parts<S: Blocks>(
        problem: &ContactProblem<S>,
        contacts: &[Contact<S>],
        impulses: &[S::Local],
        twists: &[Twist<S>],
    ) -> Self {
        let dimension = S::DIMENSION as f64;
        let traces: f64 = contacts.iter().map(|contact| contact.block.trace()).sum();
        let common = dimension * contacts.len() as f64 / traces;
        let noise = problem.velocity_noise;
        let mut sums = Sums::default();
        for (contact, &impulse) in contacts.iter().zip(impulses) {
            let velocity = contact.offset + contact.map.to_contact(twists);
            let free = contact.offset + contact.map.to_contact(&problem.free);
            let own = dimension / contact.block.trace();
            let relative = contact.law.natural_map::<S>(velocity, impulse, common);
            let scale_free = contact.law.natural_map::<S>(velocity, impulse, own);
            sums.relative += above(relative.dot(relative), (noise * common).powi(2));
            sums.scale_free += above(scale_free.dot(scale_free), (noise * own).powi(2));
            sums.free += free.dot(free);
            sums.impulse += impulse.dot(impulse);
            sums.velocity += velocity.dot(velocity);
        }
        let size = (sums.free.max(sums.velocity) * common * common).max(sums.impulse);
        Residual {
            relative: ratio(sums.relative, size),
            scale_free: ratio(sums.scale_free, sums.impulse),
        }
    }
    /// Whether both figures are within the tolerance.
    pub fn within(&self, tolerance: f64) -> bool {
        self.relative <= tolerance && self.scale_free <= tolerance
    }
    /// The larger of the two.
    pub fn worst(&self) -> f64 {
        self.relative.max(self.scale_free)
    }
}

/// Squares, summed over contacts.
#[derive(Default)]
struct Sums {
    relative: f64,
    scale_free: f64,
    free: f64,
    impulse: f64,
    velocity: f64,
}

fn above(square: f64, noise_square: f64) -> f64 {
    if square > noise_square { square } else { 0.0 }
}

fn ratio(error: f64, size: f64) -> f64 {
    if error > 0.0 { (error / size).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactMap, GROUND, Law, Mover};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// A mass m on the ground that would fall at 1: P = m is right. With P = (1 − ε) m the mass
    /// still approaches at ε, and both figures are of the size of ε, whatever m is.
    #[test]
    fn the_residual_does_not_depend_on_the_unit_of_mass() {
        for mass in [1e-6, 1.0, 1e6] {
            let movers = vec![Mover::<Plane> { inverse_mass: 1.0 / mass, inverse_inertia: 0.0 }];
            let map = ContactMap {
                first: 0,
                second: GROUND,
                frame: PlaneFrame::from_normal(DVec2::Y),
                arm_first: DVec2::ZERO,
                arm_second: DVec2::ZERO,
            };
            let contact = Contact::new(map, Local2::default(), Law::Coulomb(0.3), &movers, 1.0);
            let free = vec![Twist { velocity: DVec2::new(0.0, -1.0), spin: 0.0 }];
            let problem =
                ContactProblem { movers, free, contacts: vec![contact], velocity_noise: 0.0 };
            let judge = |part: f64| {
                let impulses = vec![Local2 { n: part * mass, t: 0.0 }];
                let mut solution = Solution { impulses, twists: Vec::new() };
                solution.refresh(&problem);
                Residual::of(&problem, &solution)
            };
            assert_eq!(judge(1.0), Residual::default());
            let short = judge(0.99);
            assert!((short.relative - 0.01).abs() < 1e-10, "{short:?}");
            assert!((short.scale_free - 0.01 / 0.99).abs() < 1e-10, "{short:?}");
        }
    }
}
