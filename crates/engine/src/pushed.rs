//! How torques and the rotation of a body act on each other within a step of second order.
//!
//! Moreau's step lets a body turn freely, and adds impulses to the spin that it has coasted to. One after the other, that is of
//! first order in h where a torque acts on a body that spins, as a top's weight does. Here the end spin is that of
//!
//! > I Ω_f = exp(−h Ω̄) I Ω_i + exp(−h Ω̄/2) T,   Ω̄ = (Ω_i + Ω_f)/2,
//!
//! with the impulse T of all torques in the axes of the midpoint: it gives T to the momentum in the world, and does the work Ω̄·T.
//! The solver wants a linear answer, Ω_f = c + I⁻¹T. So c is taken from the impulses of one solve for the next, until that
//! changes nothing any more, at most a few times: each round shrinks the error by h|Ω|/2 or so, and one makes the order two.
//! What is left does the work Ω̄·I(c − Ω_i), which is booked as work of the scheme.

use crate::{Dimension, Scheme, World, ranks};
use drystone_space::{Rotation, Vector};

/// Most times that a solve is made again for the sake of spins.
const ROUNDS: usize = 4;

impl<S: Dimension> World<S> {
    /// Whether spins and torques are taken together.
    pub(crate) fn pushes_spins(&self) -> bool {
        self.setup.scheme == Scheme::SecondOrder && self.work.rigid.tumbles
    }

    /// Takes what spins coast to anew, with the torques that were found. Says whether that changed any by more than the
    /// solver's tolerance: then the contacts are assembled anew, to be solved from what was found.
    pub(crate) fn push_spins(&mut self, round: usize) -> bool {
        if !self.pushes_spins() || round > ROUNDS {
            return false;
        }
        let (h, tolerance) = (self.setup.time_step, self.solver_settings().tolerance);
        let (work, joints) = (&mut self.work.rigid, &self.work.joints);
        let (mut changed, mut all) = (0.0, 0.0);
        for (index, body) in self.state.bodies.iter().enumerate() {
            if !S::tumbles(body.moments)
                || self.state.sleep.is_asleep(index)
                || joints.is_reduced(index)
            {
                continue;
            }
            let rotation = work.midpoints[index].rotation;
            let (coasted, twist) = (work.tumbling[index], &work.solution.twists[index]);
            let push = rotation.apply_spin_inverse(twist.spin - rotation.apply_spin(coasted));
            let next = S::pushed_spin(body.moments, body.spin, h, push) - push;
            let change = next - coasted;
            changed += change.dot(body.moments.scale(change));
            all += push.dot(body.moments.scale(push));
        }
        let again = changed > tolerance * tolerance * all;
        if again {
            self.coast_anew();
            self.recall_solution();
            self.assemble();
        }
        again
    }

    /// Gives spins what they coast to with the torques that were found.
    fn coast_anew(&mut self) {
        let h = self.setup.time_step;
        let (work, joints) = (&mut self.work.rigid, &self.work.joints);
        for (index, body) in self.state.bodies.iter().enumerate() {
            if !S::tumbles(body.moments)
                || self.state.sleep.is_asleep(index)
                || joints.is_reduced(index)
            {
                continue;
            }
            let rotation = work.midpoints[index].rotation;
            let (coasted, twist) = (work.tumbling[index], work.solution.twists[index]);
            let push = rotation.apply_spin_inverse(twist.spin - rotation.apply_spin(coasted));
            let next = S::pushed_spin(body.moments, body.spin, h, push) - push;
            work.tumbling[index] = next;
            let shift = rotation.apply_spin(next - coasted);
            let name = ranks::name(&self.work.ranks, index);
            match self.setup.drags.iter().position(|drag| drag.body == name) {
                Some(place) => work.unbraked[place].spin += shift,
                None => work.problem.free[index].spin += shift,
            }
        }
        for (place, drag) in self.setup.drags.iter().enumerate() {
            let Some(index) = ranks::here(&self.work.ranks, drag.body) else { continue };
            let (unbraked, factor) = (work.unbraked[place], work.braking[place]);
            work.brake(drag, (index, &self.state.bodies[index]), unbraked, factor, h);
        }
    }

    /// Books what spins and torques gave beside their work.
    pub(crate) fn book_spins(&mut self) {
        if !self.pushes_spins() {
            return;
        }
        let work = &self.work.rigid;
        let all = self.state.bodies.iter().enumerate().map(|(index, body)| {
            if !S::tumbles(body.moments) {
                return 0.0;
            }
            let rotation = work.midpoints[index].rotation;
            let [before, after] = [&work.before, &work.solution.twists]
                .map(|twists| rotation.apply_spin_inverse(twists[index].spin));
            let drift = work.tumbling[index] - before;
            0.5 * (before + after).dot(body.moments.scale(drift))
        });
        self.state.ledger.scheme_work += all.sum::<f64>();
    }
}
