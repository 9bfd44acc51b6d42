//! What time alone does: boundaries move and vanish, bodies enter.

use crate::{Command, Dimension, Drive, World};
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
        self.share_out();
    }

    fn admit_arrivals(&mut self) {
        let start = self.time();
        // A time that is meant to be on the grid of steps must not miss it by rounding.
        let due = start + 1e-6 * self.setup.time_step;
        while let Some(arrival) = self.setup.arrivals.get(self.arrived()).filter(|a| a.time <= due)
        {
            let mut body = arrival.body.clone();
            body.born = start;
            let places = arrival.places.clone();
            self.lay_on_all(&mut body, &places);
            self.state.ledger.inserted += body.kinetic_energy() + self.potential_energy(&body);
            self.work.rigid.add_body(self.state.bodies.len(), &body);
            if let Some(ranks) = &mut self.work.ranks {
                ranks.enter(&body);
            }
            self.state.bodies.push(body);
        }
    }

    fn remove_boundaries(&mut self, middle: f64) {
        let mut any = false;
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            let state = &mut self.state.boundaries[index];
            if state.removed || middle < self.state.progress.removal(&self.setup, index) {
                continue;
            }
            (state.removed, any) = (true, true);
            if let Drive::Slider(slider) = &boundary.drive {
                self.state.ledger.inserted -= 0.5 * slider.mass * state.speed * state.speed;
            }
        }
        if any {
            self.work.rigid.broad.forget();
            self.wake_all();
        }
    }

    fn move_boundaries(&mut self, middle: f64) {
        let h = self.setup.time_step;
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            let state = &mut self.state.boundaries[index];
            if let (Some(Command::Motion { velocity, spin }), Some(pose)) =
                (state.command, state.steered(0.5 * h))
            {
                (state.midpoint, state.velocity, state.spin) = (pose, velocity, spin);
                continue;
            }
            match &boundary.drive {
                Drive::Fixed => {}
                Drive::Motion(motion) => {
                    let start = self.state.progress.start(&self.setup, index, motion.start);
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
    }

    /// End velocity and end configuration of boundaries.
    pub(crate) fn advance_boundaries(&mut self) {
        let h = self.setup.time_step;
        let end = self.time() + h;
        let work = &self.work.rigid;
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            let state = &mut self.state.boundaries[index];
            if let Some(pose) = state.steered(h) {
                state.pose = pose;
                continue;
            }
            match &boundary.drive {
                Drive::Fixed => {}
                Drive::Motion(motion) => {
                    let start = self.state.progress.start(&self.setup, index, motion.start);
                    let moment = motion.sample_from(start, end);
                    state.pose = displaced(&boundary.pose, moment.displacement, moment.rotation);
                }
                Drive::Slider(slider) => {
                    let mover = work.sliders[index].0 as usize;
                    let twist = &work.solution.twists[mover];
                    let (axis, _) = S::slider(slider.direction);
                    let speed = axis.dot(twist.spin);
                    state.travel += 0.5 * h * (state.speed + speed);
                    if let Some(shift) = work.recovery.shift(mover, twist) {
                        state.travel += h * axis.dot(shift.spin);
                    }
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
