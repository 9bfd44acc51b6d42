//! The one judge of a solution: how far each contact is from its law.
//!
//! With e_a = P − proj_C(P − a Û), Û = U + μ|U_t| n, over all contacts:
//! - relative: ‖e₁‖ / max(‖q‖, ‖P‖, ‖U‖), FCLib's normalised natural map (a = 1); it compares with
//!   published figures, but depends on the units;
//! - scale-free: ‖e_a‖ / ‖P‖ with a = d / trace(H) for each contact.
//!
//! An error below the rounding of velocities counts as none, so that bodies that fly together
//! without pressing on each other are not judged on noise.

use crate::{Block, Blocks, Contact, ContactProblem, Solution, Twist};
use drystone_space::Local;

/// How far a solution is from satisfying all laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// FCLib's normalised natural map.
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
        let noise = problem.velocity_noise;
        let mut sums = Sums::default();
        for (contact, &impulse) in contacts.iter().zip(impulses) {
            let velocity = contact.offset + contact.map.to_contact(twists);
            let free = contact.offset + contact.map.to_contact(&problem.free);
            let augmentation = S::DIMENSION as f64 / contact.block.trace();
            let plain = contact.law.natural_map::<S>(velocity, impulse, 1.0);
            let scaled = contact.law.natural_map::<S>(velocity, impulse, augmentation);
            sums.plain += above(plain.dot(plain), noise * noise);
            sums.scaled += above(scaled.dot(scaled), (noise * augmentation).powi(2));
            sums.free += free.dot(free);
            sums.impulse += impulse.dot(impulse);
            sums.velocity += velocity.dot(velocity);
        }
        sums.residual()
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

#[derive(Default)]
struct Sums {
    plain: f64,
    scaled: f64,
    free: f64,
    impulse: f64,
    velocity: f64,
}

impl Sums {
    fn residual(&self) -> Residual {
        let size = self.free.max(self.impulse).max(self.velocity);
        Residual { relative: ratio(self.plain, size), scale_free: ratio(self.scaled, self.impulse) }
    }
}

fn above(square: f64, noise_square: f64) -> f64 {
    if square > noise_square { square } else { 0.0 }
}

fn ratio(error: f64, size: f64) -> f64 {
    if error > 0.0 { (error / size).sqrt() } else { 0.0 }
}
