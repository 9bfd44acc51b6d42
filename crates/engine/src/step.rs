//! Moreau's midpoint step (Jean & Moreau 1992, §7; Moreau 2003, §7).
//!
//! Over [t_i, t_f] of length h: t_m = t_i + h/2, q_m = q_i + (h/2) u_i; contacts are those with
//! gap ≤ 0 at (t_m, q_m); u_f solves (39)–(40) of Moreau 2003; q_f = q_m + (h/2) u_f. Rotations in
//! space advance by the exponential of the mean spin, which is the same formula where rotations
//! commute, and makes free flight keep energy and momentum (see `drystone_space::Space::torque_free_spin`).

use crate::thread_trial::{Way, work};
use crate::{ContactForm, Dimension, OnFailure, Stage, StepError, StepReport, World};
use drystone_solve::Twist;
use drystone_space::Vector;
use drystone_space::clock::Instant;

/// What follows a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The next one of the list.
    Stage,
    /// The narrow phase again: bodies were woken.
    NarrowPhase,
}

impl<S: Dimension> World<S> {
    /// Advances by one time step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let few = self.state.bodies.len().max(self.state.contacts.len())
            < self.setup.params.parallel.crowd;
        if few || self.work.threads.count() == 1 {
            return self.step_alone();
        }
        let clock = Instant::now();
        let report = match self.work.trial.way() {
            Way::Together => {
                let threads = self.work.threads.clone();
                threads.run_awake(|| S::step(self))
            }
            Way::Alone => self.step_alone(),
        };
        if let Ok(report) = &report {
            let (params, bodies) = (&self.setup.params.trial, self.state.bodies.len());
            let cost = work(params, bodies, report.contacts, report.iterations);
            self.work.trial.learn(params, clock.elapsed(), cost);
        }
        report
    }

    fn step_alone(&mut self) -> Result<StepReport, StepError> {
        let threads = std::mem::take(&mut self.work.threads);
        let report = S::step(self);
        self.work.threads = threads;
        report
    }

    /// Goes through the stages. Where one wakes bodies that were asleep, they get their free velocities, and the
    /// step is made again from the narrow phase on.
    pub(crate) fn run_stages(&mut self) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let mut next = 0;
        while let Some(&stage) = Stage::ALL.get(next) {
            let clock = Instant::now();
            let follows = self.run_stage(stage, &mut report)?;
            if follows == Next::NarrowPhase {
                self.predict();
            }
            self.work.timers.add(stage, clock);
            next = match follows {
                Next::Stage => next + 1,
                Next::NarrowPhase => Stage::NarrowPhase as usize,
            };
        }
        self.close(report)
    }

    /// One stage.
    fn run_stage(&mut self, stage: Stage, report: &mut StepReport) -> Result<Next, StepError> {
        match stage {
            Stage::Drive => {
                self.remember();
                self.drive();
            }
            Stage::Predict => {
                self.predict();
                self.predict_solids()?;
            }
            Stage::BroadPhase => self.broad_phase()?,
            Stage::NarrowPhase => {
                self.begin_bonds();
                self.narrow_phase(report)?;
                self.touch_solids(report);
            }
            Stage::Match => {
                self.recall_initial_forces();
                self.recall_solids();
                if self.wake_by_boundaries() {
                    return Ok(Next::NarrowPhase);
                }
            }
            Stage::Assemble => {
                self.strike();
                self.split_contacts();
                self.close_forces();
                self.work.rigid.recovery.begin();
                self.assemble();
            }
            Stage::Solve => {
                self.solve(report)?;
                report.converged &= self.work.strikes.ended;
                report.contacts = self.count_contacts() + self.work.solid.contacts();
                if self.wake_unbalanced() {
                    return Ok(Next::NarrowPhase);
                }
            }
            Stage::Apply => self.apply()?,
            Stage::Advance => {
                self.advance_bodies();
                self.advance_boundaries();
                report.converged &= self.hold_joints();
            }
            Stage::Account => {
                self.account()?;
                self.break_joints();
                self.state.steps += 1;
                self.watch_sleep();
                self.turn_phase();
            }
        }
        Ok(Next::Stage)
    }

    /// The report of a step that was made; an error where it was not solved and the run is to stop.
    fn close(&self, mut report: StepReport) -> Result<StepReport, StepError> {
        let [deep, relative] = self.work.sleep.penetration;
        report.penetration = report.penetration.max(deep);
        report.penetration_relative = report.penetration_relative.max(relative);
        report.asleep = self.asleep();
        if !report.converged && self.setup.solver.on_failure == OnFailure::Stop {
            return Err(StepError::NotConverged {
                step: self.state.steps - 1,
                time: self.time() - self.setup.time_step,
                residual: report.worst_residual(),
                report: Box::new(report),
                tolerance: self.last_tolerance(),
                diagnosis: Box::new(self.diagnosis()),
            });
        }
        Ok(report)
    }

    /// Contacts are watched up to this gap: zero in the velocity form, but for the rounding of
    /// coordinates, so that blocks laid on each other touch from the first step.
    pub(crate) fn margin(&self) -> f64 {
        self.margin_within(self.work.rigid.reach)
    }

    /// The same where no coordinate is larger than `reach`.
    pub(crate) fn margin_within(&self, reach: f64) -> f64 {
        match self.setup.form {
            ContactForm::Velocity => 32.0 * f64::EPSILON * reach,
            ContactForm::Gap { margin, .. } => margin,
        }
    }

    /// Gives contacts the forces that they are to begin with.
    fn recall_initial_forces(&mut self) {
        if self.state.steps > 0 {
            return;
        }
        for initial in &self.setup.initial_forces {
            let pair = (initial.on, initial.by);
            let turned = (initial.by, initial.on);
            let count = self
                .work
                .rigid
                .contacts
                .iter()
                .filter(|c| (c.first, c.second) == pair || (c.first, c.second) == turned);
            let share = initial.force * (self.setup.time_step / count.count().max(1) as f64);
            for contact in &mut self.work.rigid.contacts {
                if (contact.first, contact.second) == pair {
                    contact.impulse = share;
                } else if (contact.first, contact.second) == turned {
                    contact.impulse = -share;
                }
            }
        }
    }

    /// Contacts get their impulses, and what they give and take is summed up; the end velocities must be numbers.
    fn apply(&mut self) -> Result<(), StepError> {
        self.settle_contacts();
        self.add_strikes();
        self.work.rigid.recall_couples();
        self.work.rigid.break_bonds(&self.setup.laws);
        self.apply_part();
        let work = &self.work.rigid;
        let finite = |twist: &Twist<S>| twist.velocity.finite() && twist.spin.finite();
        let body = work.solution.twists.iter().position(|twist| !finite(twist));
        match self.first_of_all(body) {
            None => Ok(()),
            Some(body) => {
                Err(StepError::NotFinite { step: self.state.steps, time: self.time(), body })
            }
        }
    }
}
