//! What time alone does: boundaries move and vanish, bodies enter.

use crate::{Command, Dimension, Drive, Edge, Moment, Progress, Slider, World};
use drystone_solve::Twist;
use drystone_space::{Pose, Rotation, Vector};

impl<S: Dimension> World<S> {
    /// Time moves boundaries to the midpoint and brings the bodies that are due.
    pub(crate) fn drive(&mut self) {
        let middle = self.time() + 0.5 * self.setup.time_step;
        self.release_presses(middle);
        self.admit_arrivals();
        self.make_room_for_sleep();
        self.remove_boundaries(middle);
        self.move_boundaries(middle);
        self.note_start_of_boundaries();
        self.share_out();
    }

    fn admit_arrivals(&mut self) {
        let start = self.time();
        // A time that is meant to be on the grid of steps must not miss it by rounding.
        let due = start + 1e-6 * self.setup.time_step;
        let there = self.state.bodies.len();
        while let Some(arrival) = self.setup.arrivals.get(self.arrived()).filter(|a| a.time <= due)
        {
            let mut body = arrival.body.clone();
            body.born = start;
            let places = arrival.places.clone();
            self.lay_on_all(&mut body, &places);
            self.state.ledger.inserted += body.kinetic_energy() + self.potential_energy(&body);
            self.work.rigid.add_body(self.state.bodies.len(), &body);
            if let Some(ranks) = &mut self.work.ranks {
                ranks.enter(&body, 0);
            }
            self.state.bodies.push(body);
        }
        self.form_bonds_of(there);
    }

    fn remove_boundaries(&mut self, middle: f64) {
        let mut any = false;
        for index in 0..self.setup.boundaries.len() {
            let state = &mut self.state.boundaries[index];
            if state.removed || middle < self.state.progress.removal(&self.setup, index) {
                continue;
            }
            (state.removed, any) = (true, true);
            let speed = state.speed;
            if let (Drive::Slider(slider), _) = self.state.progress.drive(&self.setup, index) {
                self.state.ledger.inserted -= 0.5 * slider.mass * speed * speed;
            }
        }
        if any {
            self.release_bonds();
            self.work.rigid.broad.forget();
            self.wake_all();
        }
    }

    /// As a phase begins: boundaries go over to what moves them in it. One that goes over to a load keeps its speed in the way
    /// in which it is free; the kinetic energy that this brings, or that one takes with it, is booked as inserted.
    pub(crate) fn switch_drives(&mut self) {
        let phase = self.phase_index();
        if !self.setup.switches.iter().any(|switch| switch.phase == phase) {
            return;
        }
        let (setup, state) = (&self.setup, &mut self.state);
        let last = Progress { ends: state.progress.ends[..phase - 1].to_vec(), calm_since: None };
        for switch in setup.switches.iter().filter(|switch| switch.phase == phase) {
            let (old, _) = last.drive(setup, switch.boundary);
            let boundary = &mut state.boundaries[switch.boundary];
            if boundary.removed {
                continue;
            }
            let energy = |drive: &Drive<S>, speed: f64| match drive {
                Drive::Slider(slider) => 0.5 * slider.mass * speed * speed,
                _ => 0.0,
            };
            let before = energy(old, boundary.speed);
            let (mut velocity, mut spin) = (boundary.velocity, boundary.spin);
            if let Drive::Slider(slider) = old {
                velocity += slider.direction() * boundary.speed;
                spin += slider.axis() * boundary.speed;
            }
            boundary.speed = match &switch.drive {
                Drive::Slider(slider) => slider.direction().dot(velocity) + slider.axis().dot(spin),
                _ => 0.0,
            };
            (boundary.velocity, boundary.spin) = (S::Vector::ZERO, S::Spin::ZERO);
            boundary.command = None;
            let change = energy(&switch.drive, boundary.speed) - before;
            state.ledger.kinetic += change;
            state.ledger.inserted += change;
        }
        self.work.rigid.broad.forget();
        self.wake_all();
    }

    fn move_boundaries(&mut self, middle: f64) {
        let h = self.setup.time_step;
        for index in 0..self.setup.boundaries.len() {
            let state = &self.state.boundaries[index];
            if let (Some(Command::Motion { velocity, spin }), Some(pose)) =
                (state.command, state.steered(0.5 * h))
            {
                let state = &mut self.state.boundaries[index];
                (state.midpoint, state.velocity, state.spin) = (pose, velocity, spin);
                continue;
            }
            let way = 0.5 * h * state.speed;
            if let Some((pose, twist)) = self.place(index, middle, state.travel + way, way) {
                let state = &mut self.state.boundaries[index];
                (state.midpoint, state.velocity, state.spin) = (pose, twist.velocity, twist.spin);
            }
        }
    }

    /// Where a boundary is at a time of this step, and how its given motion goes then; `None` if nothing moves it. A
    /// slider has come to this travel by then, this way of it in this step.
    pub(crate) fn place(
        &self,
        index: usize,
        time: f64,
        travel: f64,
        way: f64,
    ) -> Option<(Pose<S>, Twist<S>)> {
        let (state, boundary) = (&self.state.boundaries[index], &self.setup.boundaries[index]);
        let (drive, switched) = self.state.progress.drive(&self.setup, index);
        let (motion, slider) = match drive {
            Drive::Fixed => return None,
            Drive::Motion(motion) => (Some(motion), None),
            Drive::Slider(slider) => (slider.motion.as_ref(), Some(slider)),
        };
        let mut moment = Moment::<S>::default();
        if let Some(motion) = motion {
            let progress = &self.state.progress;
            let at = |time: f64| motion.since(progress, &self.setup, index, switched, time);
            moment = at(time);
            if switched.is_some() {
                // From where it is: what it has come in this step.
                let begun = at(self.time());
                moment.displacement -= begun.displacement;
                moment.rotation -= begun.rotation;
            }
        }
        let base = if switched.is_some() { &state.pose } else { &boundary.pose };
        if let Some(slider) = slider {
            let travel = if switched.is_some() { way } else { travel };
            moment.displacement += slider.direction() * travel;
            moment.rotation += slider.axis() * travel;
        }
        let twist = Twist { velocity: moment.velocity, spin: moment.spin };
        let mut pose = displaced(base, moment.displacement, moment.rotation);
        if slider.is_some() && moment.rotation == S::Spin::ZERO {
            // Not turned, to the last bit.
            pose.rotation = base.rotation;
        }
        Some((pose, twist))
    }

    /// End velocity and end configuration of boundaries.
    pub(crate) fn advance_boundaries(&mut self) {
        let h = self.setup.time_step;
        let end = self.time() + h;
        for index in 0..self.setup.boundaries.len() {
            let state = &self.state.boundaries[index];
            if let Some(pose) = state.steered(h) {
                self.state.boundaries[index].pose = pose;
                continue;
            }
            let (drive, _) = self.state.progress.drive(&self.setup, index);
            let (mut speed, mut travel) = (state.speed, state.travel);
            if let Drive::Slider(slider) = drive {
                let work = &self.work.rigid;
                let mover = work.sliders[index].mover as usize;
                let twist = &work.solution.twists[mover];
                let axis = slider.mover_axis();
                speed = axis.dot(twist.spin);
                travel += 0.5 * h * (state.speed + speed);
                if let Some(shift) = work.recovery.shift(mover, twist) {
                    travel += h * axis.dot(shift.spin);
                }
            }
            if let Some((pose, _)) = self.place(index, end, travel, travel - state.travel) {
                let state = &mut self.state.boundaries[index];
                (state.speed, state.travel, state.pose) = (speed, travel, pose);
            }
        }
    }

    /// The force or torque on a loaded boundary at a time: by its area at the midpoint of the step, where it is one of a
    /// pressure.
    pub(crate) fn load_of(&self, index: usize, slider: &Slider<S>, time: f64) -> f64 {
        let state = &self.state.boundaries[index];
        if let Some(Command::Load(force)) = state.command {
            return force;
        }
        let (_, switched) = self.state.progress.drive(&self.setup, index);
        let clock = time - switched.unwrap_or(0.0);
        let moved = |boundary: usize| {
            self.state.boundaries[boundary].midpoint.position
                - self.setup.boundaries[boundary].pose.position
        };
        let length = |edge: &Edge<S>| {
            let [from, to] = edge.between;
            (edge.length + edge.along.dot(moved(to) - moved(from))).max(0.0)
        };
        slider.edges.iter().fold(slider.force.sample(clock).0, |load, edge| load * length(edge))
    }
}

/// A boundary's place after a displacement and a turn about its origin, both in world axes.
fn displaced<S: Dimension>(pose: &Pose<S>, by: S::Vector, turn: S::Spin) -> Pose<S> {
    Pose {
        position: pose.position + by,
        rotation: S::Rotation::exponential(turn).compose(pose.rotation),
    }
}
