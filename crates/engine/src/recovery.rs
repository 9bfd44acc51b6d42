//! Overlaps of the gap form are made good by positions, and leave no velocity behind.
//!
//! A gap that stands in the law of velocities, U_n + gap/h ≥ 0, moves bodies out of each other by giving them a velocity,
//! which they keep: without gravity they drift apart for ever. Where there is such an overlap, the step is therefore
//! solved at two levels, as in Brüls, Acary & Cardona (2014):
//!
//! - *positions*: with gap/h in the law of every contact; ũ are the velocities found;
//! - *velocities*: from these impulses on, with nothing of the overlaps in the law; u_f are the velocities found, and
//!   those of the bodies at the end of the step.
//!
//! Bodies move by q_f = q_m + (h/2) u_f + h (ũ − u_f), so that the next midpoint is q_m + h ũ: where gaps would be
//! with the first solution alone. Friction holds at both levels: what sticks stays where it is while overlaps are made good. What
//! the shift h (ũ − u_f) lifts against gravity is booked as work of recovery; no kinetic energy comes of it.
//!
//! Bodies that contacts join to a deformable solid are solved with it, at the level of velocities only.
//!
//! Overlaps of the solver's own errors are so small that the velocity by which they are made good is lost in these errors
//! again, or in a twentieth of what gravity takes back in the next step: they stay in the law of velocities, and cost nothing.

use crate::ranks;
use crate::{Dimension, StepError, StepReport, World};
use drystone_solve::Twist;
use drystone_space::Vector;

/// A velocity below this share of what gravity gives in a step is not worth a solve of its own: the hop that it gives, its square by
/// 2 g, is a four-hundredth of g h²/2, what falls freely in a step, and a scheme of first order knows no place better than that.
const NEGLIGIBLE_FALL: f64 = 0.05;

/// What is done about overlaps in the step under way.
#[derive(Debug)]
pub(crate) struct Recovery<S: Dimension> {
    /// Whether the law of velocities leaves overlaps as they are, since positions make them good.
    pub by_positions: bool,
    /// ũ of every mover, where overlaps are made good by positions; empty otherwise.
    pub velocities: Vec<Twist<S>>,
}

impl<S: Dimension> Default for Recovery<S> {
    fn default() -> Self {
        Self { by_positions: false, velocities: Vec::new() }
    }
}

impl<S: Dimension> Recovery<S> {
    /// Begins a step: nothing is known of its overlaps yet.
    pub fn begin(&mut self) {
        self.by_positions = false;
        self.velocities.clear();
    }

    /// ũ − u_f of a mover that ends the step with the twist u_f.
    pub fn shift(&self, mover: usize, end: &Twist<S>) -> Option<Twist<S>> {
        let wanted = self.velocities.get(mover)?;
        Some(Twist { velocity: wanted.velocity - end.velocity, spin: wanted.spin - end.spin })
    }
}

impl<S: Dimension> World<S> {
    /// Solves the step: its velocities, and before them its positions where there are overlaps to make good.
    pub(crate) fn solve(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        if !self.has_overlaps(report.penetration) {
            self.solve_problem(report)?;
            self.take_cell();
            return Ok(());
        }
        self.solve_problem(report)?;
        self.take_cell();
        self.note_placed_cell();
        let placed = report.converged;
        self.recall_solution();
        let work = &mut self.work.rigid;
        work.recovery.velocities.clone_from(&work.solution.twists);
        work.recovery.by_positions = true;
        self.work.joints.note_placed();
        self.assemble();
        self.solve_problem(report)?;
        self.take_cell();
        report.converged &= placed;
        let (work, part) = (&mut self.work.rigid, &self.work.solid.part);
        let beside_solids = part.movers.iter().filter(|_| !self.state.solids.is_empty());
        for &mover in beside_solids {
            work.recovery.velocities[mover as usize] = work.solution.twists[mover as usize];
        }
        Ok(())
    }

    /// Whether an overlap asks for a velocity that bodies must not keep; `deepest` is the deepest of all.
    fn has_overlaps(&self, deepest: f64) -> bool {
        let (setup, work) = (&self.setup, &self.work.rigid);
        let h = setup.time_step;
        let unsolved = self.solver_settings().tolerance * self.fastest();
        let rounding = 32.0 * f64::EPSILON * work.reach / h;
        let fall = NEGLIGIBLE_FALL * setup.gravity.norm() * h;
        let negligible = unsolved.max(rounding).max(fall);
        if -setup.form.closing(-deepest, h) <= negligible {
            return false;
        }
        let part = self.state.solids.is_empty().then_some(&self.work.solid.part.contacts);
        let any = work.contacts.iter().chain(part.into_iter().flatten()).any(|contact| {
            let closing = setup.form.closing(contact.gap, h);
            -closing > negligible && work.makes_good(setup, &self.state.boundaries, contact)
        });
        ranks::any(&self.work.ranks, any)
    }

    /// Books what the shift of positions lifts.
    pub(crate) fn book_recovery(&mut self) {
        let h = self.setup.time_step;
        let work = &self.work.rigid;
        if work.recovery.velocities.is_empty() {
            return;
        }
        let lifted = self.own_bodies().map(|(index, body)| {
            let shift = work.recovery.shift(index, &work.solution.twists[index]);
            shift.map_or(0.0, |s| -body.mass * h * self.setup.gravity.dot(s.velocity))
        });
        let [lifted] = self.sum_over_ranks([lifted.collect()]);
        self.state.ledger.recovery_work += lifted;
    }
}
