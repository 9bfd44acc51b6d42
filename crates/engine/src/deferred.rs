//! Contacts of the gap form that a step can do without, because their gap will not close in it.
//!
//! A gap closes in a step only if its sides approach at gap/h. Where neither their velocities at the start nor the mean
//! speed of all, doubled, nor what gravity gives in some steps comes near that, a contact that did not press before
//! is set aside, and the step is solved without it.
//! Then all that were set aside are asked: those whose gap the new velocities would close are called, and
//! the step is solved again with them, from what was found. So the result obeys the law of every contact, and of
//! the many gaps between grains at rest few are ever solved.

use crate::assemble::boundary_velocity_at;
use crate::contact::sort_by_name;
use crate::ranks;
use crate::state::BoundaryState;
use crate::workspace::{RigidWork, law_of};
use crate::{Contact, ContactForm, Dimension, Owner, PairLaw, Setup, World};
use drystone_detect::Touch;
use drystone_solve::{GROUND, Twist};
use drystone_space::{ExactSum, Pose, Vector};
use rayon::prelude::*;

/// Normal velocity of a contact's first side relative to the second.
#[inline(always)]
pub(crate) fn normal_speed<S: Dimension>(
    (first, second): (Owner, Owner),
    (point, normal): (S::Vector, S::Vector),
    twists: &[Twist<S>],
    midpoints: &[Pose<S>],
    boundaries: &[BoundaryState<S>],
) -> f64 {
    let velocity = |owner: Owner| match owner {
        Owner::Body(index) => {
            let (twist, centre) = (&twists[index as usize], midpoints[index as usize].position);
            twist.velocity + S::velocity_at(twist.spin, point - centre)
        }
        Owner::Boundary(_) => boundary_velocity_at(boundaries, owner, point),
    };
    normal.dot(velocity(first) - velocity(second))
}

/// What is known before a step of how fast all moves.
pub(crate) struct Waiting<'a, S: Dimension> {
    setup: &'a Setup<S>,
    work: &'a RigidWork<S>,
    boundaries: &'a [BoundaryState<S>],
    /// A speed that nothing reaches in the step, as a rule, that does not have it already.
    reserve: f64,
}

impl<S: Dimension> Waiting<'_, S> {
    /// Whether a contact between these sides did not press in the last step, and its gap is wide for how fast all
    /// moves.
    #[inline]
    pub fn holds(
        &self,
        sides: (Owner, Owner),
        touch: &Touch<S>,
        impulse: S::Vector,
        law: &PairLaw,
    ) -> bool {
        let (work, h) = (self.work, self.setup.time_step);
        let faster = self.setup.params.deferral.faster;
        if touch.gap <= self.reserve * h || impulse != S::Vector::ZERO {
            return false;
        }
        let at = (touch.point, touch.normal);
        let speed = normal_speed(sides, at, &work.before, &work.midpoints, self.boundaries);
        let approach = (faster + law.restitution()[0]) * (-speed).max(0.0);
        let slides = matches!(sides.1, Owner::Boundary(index) if work.sliders[index as usize].mover != GROUND);
        touch.gap > (approach + self.reserve) * h && law.plain_friction().is_some() && !slides
    }
}

impl<S: Dimension> World<S> {
    /// Which contacts can be set aside in this step, if any: none where forces to begin with are yet to be given.
    pub(crate) fn waiting(&self) -> Option<Waiting<'_, S>> {
        let (setup, work) = (&self.setup, &self.work.rigid);
        let given = self.state.steps == 0 && !setup.initial_forces.is_empty();
        if setup.form == ContactForm::Velocity || given || work.cell.is_some() {
            return None;
        }
        // Sliders, which follow the bodies, have no velocity of their own: they are spins.
        let mut speeds = ExactSum::new();
        self.own_bodies().for_each(|(index, _)| speeds.add(work.before[index].velocity.norm()));
        let [speeds] = self.sum_over_ranks([speeds]);
        let sliders = work.before.len() - self.state.bodies.len();
        let mean = speeds / (self.count_bodies() + sliders).max(1) as f64;
        let params = &setup.params.deferral;
        let fall = params.fall_steps * setup.time_step * setup.gravity.norm();
        let reserve = fall + params.faster * mean;
        Some(Waiting { setup, work, boundaries: &self.state.boundaries, reserve })
    }

    /// Calls the contacts set aside whose gap the velocities found would close, and makes the problem ready to be
    /// solved with them. Says whether there are any.
    pub(crate) fn call_deferred(&mut self) -> bool {
        let (work, boundaries) = (&mut self.work.rigid, &self.state.boundaries);
        let (twists, before) = (&work.solution.twists, &work.before);
        let setup = &self.setup;
        let (shapes, midpoints) = (&work.shapes.list, &work.midpoints);
        let closes = |contact: &Contact<S>| {
            let (sides, at) = ((contact.first, contact.second), (contact.point, contact.normal));
            let speed = |twists| normal_speed(sides, at, twists, midpoints, boundaries);
            let law = law_of(&setup.laws, shapes, contact);
            let terms = setup.formal_terms(law, contact.gap, speed(before));
            terms.restitution[0] * speed(before) + speed(twists) + terms.closing < 0.0
        };
        let deferred = work
            .deferred
            .par_iter()
            .with_min_len(self.work.threads.least_share(setup.params.parallel.deferred));
        let any = deferred.any(closes);
        if !ranks::any(&self.work.ranks, any) {
            return false;
        }
        work.called.clear();
        work.called.extend(work.deferred.extract_if(.., |contact| closes(contact)));
        self.recall_solution();
        self.work.rigid.contacts.append(&mut self.work.rigid.called);
        sort_by_name(&mut self.work.rigid.contacts);
        self.assemble();
        true
    }
}
