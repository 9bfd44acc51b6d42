//! Moreau's midpoint step (Jean & Moreau 1992, §7; Moreau 2003, §7).
//!
//! Over [t_i, t_f] of length h: t_m = t_i + h/2, q_m = q_i + (h/2) u_i; contacts are those with
//! gap ≤ 0 at (t_m, q_m); u_f solves (39)–(40) of Moreau 2003; q_f = q_m + (h/2) u_f. Rotations in
//! space advance by the exponential of the mean spin, which is the same formula where rotations
//! commute, and makes free flight keep energy and momentum (see `drystone_space::Space::torque_free_spin`).

use crate::thread_trial::Way;
use crate::workspace::Tumble;
use crate::{ContactForm, Dimension, Drive, OnFailure, Stage, StepError, StepReport, World};
use drystone_solve::{GROUND, Mover, REGIONS, Twist};
use drystone_space::{InverseInertia, Pose, Rotation, Vector, clear_for};
use rayon::prelude::*;
use std::time::Instant;

/// Bodies or contacts from which on more than one thread may be worth while.
const CROWD: usize = 500;
/// Bodies that one thread takes at least.
const BODIES: usize = 256;

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
        let few = self.state.bodies.len().max(self.state.contacts.len()) < CROWD;
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
            let (bodies, time) = (self.state.bodies.len(), clock.elapsed());
            self.work.trial.learn(time, bodies, report.contacts, report.iterations);
        }
        report
    }

    fn step_alone(&mut self) -> Result<StepReport, StepError> {
        let threads = std::mem::take(&mut self.work.threads);
        let report = S::step(self);
        self.work.threads = threads;
        report
    }

    /// Goes through the stages. Where one wakes bodies that were left at rest, they get their free velocities, and the
    /// step is made again from the narrow phase on.
    pub(crate) fn go(&mut self) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let mut next = 0;
        while let Some(&stage) = Stage::ALL.get(next) {
            let clock = Instant::now();
            let follows = self.run(stage, &mut report)?;
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
    fn run(&mut self, stage: Stage, report: &mut StepReport) -> Result<Next, StepError> {
        match stage {
            Stage::Drive => {
                self.remember();
                self.drive();
            }
            Stage::Predict => {
                self.predict();
                self.predict_solids()?;
            }
            Stage::BroadPhase => self.broad_phase(),
            Stage::NarrowPhase => {
                let iterations = report.iterations;
                *report = self.narrow_phase();
                report.iterations = iterations;
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
                self.split_contacts();
                self.close_forces();
                self.assemble();
            }
            Stage::Solve => {
                self.solve()?.tell(report);
                report.contacts = self.work.rigid.contacts.len() + self.work.solid.contacts();
                if self.wake() {
                    return Ok(Next::NarrowPhase);
                }
            }
            Stage::Apply => self.apply()?,
            Stage::Advance => self.advance(),
            Stage::Account => {
                self.account()?;
                self.state.steps += 1;
                self.watch();
                self.turn_phase();
            }
        }
        Ok(Next::Stage)
    }

    /// The report of a step that was made; an error where it was not solved and the run is to stop.
    fn close(&self, mut report: StepReport) -> Result<StepReport, StepError> {
        let [deep, relative] = self.work.rest.penetration;
        report.penetration = report.penetration.max(deep);
        report.penetration_relative = report.penetration_relative.max(relative);
        report.resting = self.resting();
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

    /// Time moves boundaries to the midpoint and brings the bodies that are due.
    fn drive(&mut self) {
        let (start, h) = (self.time(), self.setup.time_step);
        let middle = start + 0.5 * h;
        self.release_presses(middle);
        while let Some(arrival) = self.setup.arrivals.get(self.arrived()) {
            // A time that is meant to be on the grid of steps must not miss it by rounding.
            if arrival.time > start + 1e-6 * h {
                break;
            }
            let mut body = arrival.body.clone();
            body.born = start;
            self.lay(&mut body, &arrival.places);
            self.state.ledger.inserted += body.kinetic_energy() + self.potential_energy(&body);
            self.work.rigid.add_body(self.state.bodies.len(), &body);
            self.state.bodies.push(body);
        }
        self.make_room_for_rest();
        let mut removed = false;
        let (setup, progress) = (&self.setup, &self.state.progress);
        for (index, boundary) in setup.boundaries.iter().enumerate() {
            let state = &mut self.state.boundaries[index];
            if !state.removed && middle >= progress.removal(setup, index) {
                state.removed = true;
                removed = true;
                if let Drive::Slider(slider) = &boundary.drive {
                    self.state.ledger.inserted -= 0.5 * slider.mass * state.speed * state.speed;
                }
            }
            match &boundary.drive {
                Drive::Fixed => {}
                Drive::Motion(motion) => {
                    let start = progress.start(setup, index, motion.start);
                    let moment = motion.sample_from(start, middle);
                    state.midpoint =
                        displaced(&boundary.pose, moment.displacement, moment.rotation);
                    state.velocity = moment.velocity;
                    state.spin = moment.spin;
                }
                Drive::Slider(slider) => {
                    let travel = state.travel + 0.5 * h * state.speed;
                    state.midpoint = Pose {
                        position: boundary.pose.position + slider.direction * travel,
                        ..boundary.pose
                    };
                }
            }
        }
        if removed {
            self.work.rigid.broad.forget();
            self.rouse_all();
        }
    }

    /// Midpoint configuration, free velocities, and how each mover answers to impulses.
    fn predict(&mut self) {
        let h = self.setup.time_step;
        let middle = self.time() + 0.5 * h;
        let (work, gravity) = (&mut self.work.rigid, self.setup.gravity);
        work.make_room(self.state.bodies.len());
        let problem = &mut work.problem;
        let motions = (&mut work.before, &mut problem.free, &mut problem.movers);
        let all =
            work.midpoints.par_iter_mut().zip(motions.into_par_iter()).zip(&self.state.bodies);
        let share = self.work.threads.least_share(BODIES);
        let rest = &self.state.rest;
        all.with_min_len(share).enumerate().for_each(|(index, ((midpoint, motions), body))| {
            let (before, free, mover) = motions;
            let turn = S::Rotation::exponential(body.spin * (0.5 * h));
            *midpoint = Pose {
                position: body.pose.position + body.velocity * (0.5 * h),
                rotation: body.pose.rotation.compose(turn),
            };
            let rotation = midpoint.rotation;
            *before = Twist { velocity: body.velocity, spin: rotation.apply_spin(body.spin) };
            *free = Twist { velocity: body.velocity + gravity * h, spin: before.spin };
            *mover = Mover {
                inverse_mass: 1.0 / body.mass,
                inverse_inertia: S::InverseInertia::from_principal(body.moments, rotation),
            };
            if rest.holds(index) {
                (*free, *mover) = (Twist::ZERO, Mover::default());
            }
        });
        let tumbling = (&mut work.tumbling, &mut problem.free, &work.midpoints);
        let tumbling = tumbling.into_par_iter().zip(&self.state.bodies).with_min_len(share);
        tumbling.for_each(|((tumble, free, midpoint), body)| {
            let coasted = S::torque_free_spin(body.moments, body.spin, h);
            *tumble = Tumble { spin: body.spin, coasted };
            free.spin = midpoint.rotation.apply_spin(coasted);
        });
        for load in &self.setup.loads {
            let factor = load.factor_at(middle);
            let mover = &problem.movers[load.body];
            let free = &mut problem.free[load.body];
            free.velocity += load.force * (factor * h * mover.inverse_mass);
            free.spin += mover.inverse_inertia.apply(load.torque * (factor * h));
        }
        self.pull_springs();
        self.predict_sliders(middle);
        self.divide();
    }

    /// Sliders follow the bodies in the list of movers, as spins about an axis of their own.
    fn predict_sliders(&mut self, middle: f64) {
        let h = self.setup.time_step;
        let work = &mut self.work.rigid;
        work.sliders.clear();
        for (boundary, state) in self.setup.boundaries.iter().zip(&self.state.boundaries) {
            let Drive::Slider(slider) = &boundary.drive else {
                work.sliders.push((GROUND, S::Vector::ZERO));
                continue;
            };
            let (axis, arm) = S::slider(slider.direction);
            work.sliders.push((work.problem.movers.len() as u32, arm));
            let force = if state.removed { 0.0 } else { slider.force.sample(middle).0 };
            let twist = |speed: f64| Twist { velocity: S::Vector::ZERO, spin: axis * speed };
            work.before.push(twist(state.speed));
            work.problem.free.push(twist(state.speed + h * force / slider.mass));
            work.problem.movers.push(Mover {
                inverse_mass: 0.0,
                inverse_inertia: S::InverseInertia::about(axis, 1.0 / slider.mass),
            });
        }
    }

    /// Divides space for the order of sweeps, where there are bodies enough.
    fn divide(&mut self) {
        let work = &mut self.work.rigid;
        let regions = &mut work.problem.regions;
        clear_for(regions, work.problem.movers.len());
        if work.midpoints.len() < CROWD {
            return;
        }
        let first = work.midpoints[0].position;
        let positions = work.midpoints.iter().map(|pose| pose.position);
        let (low, high) =
            positions.fold((first, first), |(low, high), at| (low.lowest(at), high.highest(at)));
        let bits = REGIONS.ilog2() as usize / S::DIMENSION;
        let cells = f64::from(1u32 << bits);
        regions.extend(work.midpoints.iter().map(|pose| {
            // Bits of the coordinates by turns (Morton's order): near cells have near numbers.
            let mut region = 0;
            for axis in 0..S::DIMENSION {
                let (low, high) = (low.get(axis), high.get(axis));
                let share = (pose.position.get(axis) - low) / (high - low);
                // A cast takes what is not a number for 0, and what is too large for the largest.
                let cell = ((cells * share) as u16).min((1 << bits) - 1);
                for bit in 0..bits {
                    region |= (cell >> bit & 1) << (bit * S::DIMENSION + axis);
                }
            }
            region
        }));
        // Sliders are large, and nowhere in particular.
        regions.resize(work.problem.movers.len(), 0);
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
        self.work.rigid.recall_couples();
        self.work.rigid.break_bonds(&self.setup.laws);
        self.apply_part();
        let work = &self.work.rigid;
        let finite = |twist: &Twist<S>| twist.velocity.finite() && twist.spin.finite();
        match work.solution.twists.iter().position(|twist| !finite(twist)) {
            None => Ok(()),
            Some(body) => {
                Err(StepError::NotFinite { step: self.state.steps, time: self.time(), body })
            }
        }
    }

    /// End velocity and end configuration of bodies and boundaries.
    fn advance(&mut self) {
        let h = self.setup.time_step;
        let end = self.time() + h;
        let work = &self.work.rigid;
        let bodies =
            self.state.bodies.par_iter_mut().with_min_len(self.work.threads.least_share(BODIES));
        bodies.enumerate().for_each(|(index, body)| {
            let (middle, twist) = (&work.midpoints[index], &work.solution.twists[index]);
            // Loads and contacts add to the free spin: where there are none, its bits are kept.
            let coasted = work.tumbling.get(index).map_or(body.spin, |tumble| tumble.coasted);
            let added = twist.spin - middle.rotation.apply_spin(coasted);
            let spin = coasted + middle.rotation.apply_spin_inverse(added);
            let turn = (body.spin + spin) * (0.5 * h);
            body.pose.position = middle.position + twist.velocity * (0.5 * h);
            body.pose.rotation = body.pose.rotation.compose(S::Rotation::exponential(turn));
            body.velocity = twist.velocity;
            body.spin = spin;
        });
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            let state = &mut self.state.boundaries[index];
            match &boundary.drive {
                Drive::Fixed => {}
                Drive::Motion(motion) => {
                    let start = self.state.progress.start(&self.setup, index, motion.start);
                    let moment = motion.sample_from(start, end);
                    state.pose = displaced(&boundary.pose, moment.displacement, moment.rotation);
                }
                Drive::Slider(slider) => {
                    let twist = &work.solution.twists[work.sliders[index].0 as usize];
                    let (axis, _) = S::slider(slider.direction);
                    let speed = axis.dot(twist.spin);
                    state.travel += 0.5 * h * (state.speed + speed);
                    state.speed = speed;
                    state.pose.position = boundary.pose.position + slider.direction * state.travel;
                }
            }
        }
    }
}

/// A boundary's place after a displacement and a turn about its origin, both in world axes.
fn displaced<S: Dimension>(pose: &Pose<S>, by: S::Vector, turn: S::Spin) -> Pose<S> {
    Pose {
        position: pose.position + by,
        rotation: S::Rotation::exponential(turn).compose(pose.rotation),
    }
}
