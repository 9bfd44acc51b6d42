//! Where bodies are at the midpoint of a step and at its end, and how they would move without contacts.

use crate::boundary::Sliding;
use crate::grid::Grid;
use crate::{Dimension, Drive, Scheme, World, ranks};
use drystone_solve::{Mover, Twist};
use drystone_space::{InverseInertia, Pose, Rotation, Vector, clear_for};
use rayon::prelude::*;

impl<S: Dimension> World<S> {
    /// Midpoint configuration, free velocities, and how each mover answers to impulses.
    pub(crate) fn predict(&mut self) {
        let h = self.setup.time_step;
        let middle = self.time() + 0.5 * h;
        let cell = self.place_cell();
        let (work, gravity) = (&mut self.work.rigid, self.setup.gravity);
        work.make_room(self.state.bodies.len());
        let problem = &mut work.problem;
        let motions = (&mut work.before, &mut problem.free, &mut problem.movers);
        let all =
            work.midpoints.par_iter_mut().zip(motions.into_par_iter()).zip(&self.state.bodies);
        let share = self.work.threads.least_share(self.setup.params.parallel.bodies);
        let sleep = &self.state.sleep;
        all.with_min_len(share).enumerate().for_each(|(index, ((midpoint, motions), body))| {
            let (before, free, mover) = motions;
            let turn = S::Rotation::exponential(body.spin * (0.5 * h));
            *midpoint = Pose {
                position: body.pose.position + body.velocity * (0.5 * h),
                rotation: body.pose.rotation.compose(turn),
            };
            if let Some((map, _)) = &cell {
                midpoint.position = map.apply(body.pose.position) + body.velocity * (0.5 * h);
            }
            let rotation = midpoint.rotation;
            *before = Twist { velocity: body.velocity, spin: rotation.apply_spin(body.spin) };
            *free = Twist { velocity: body.velocity + gravity * h, spin: before.spin };
            if let Some((_, gradient)) = &cell {
                // Velocities are those beside the flow.
                free.velocity -= gradient.apply(body.velocity) * h;
            }
            *mover = Mover {
                inverse_mass: 1.0 / body.mass,
                inverse_inertia: S::InverseInertia::from_principal(body.moments, rotation),
            };
            if sleep.is_asleep(index) {
                (*free, *mover) = (Twist::ZERO, Mover::default());
            }
        });
        // What contacts and loads find is the spin that a body has coasted to: its energy is that of the start, so that
        // a collision with restitution 1 keeps it.
        let apart = self.setup.scheme == Scheme::Moreau;
        let tumbling = (&mut work.tumbling, &mut work.before, &mut problem.free, &work.midpoints);
        let tumbling = tumbling.into_par_iter().zip(&self.state.bodies).with_min_len(share);
        tumbling.for_each(|((coasted, before, free, midpoint), body)| {
            *coasted = S::torque_free_spin(body.moments, body.spin, h);
            free.spin = midpoint.rotation.apply_spin(*coasted);
            if apart {
                before.spin = free.spin;
            }
        });
        self.predict_mechanisms();
        let (work, setup) = (&mut self.work.rigid, &self.setup);
        let problem = &mut work.problem;
        for load in &setup.loads {
            let Some(index) = ranks::here(&self.work.ranks, load.body) else { continue };
            let factor = load.factor_at(middle);
            let mover = &problem.movers[index];
            let free = &mut problem.free[index];
            free.velocity += load.force * (factor * h * mover.inverse_mass);
            free.spin += mover.inverse_inertia.apply(load.torque * (factor * h));
        }
        self.push_from_outside();
        self.pull_springs();
        self.predict_sliders(middle);
        self.divide();
    }

    /// Sliders follow the bodies in the list of movers, as spins about an axis of their own.
    fn predict_sliders(&mut self, middle: f64) {
        let h = self.setup.time_step;
        self.work.rigid.sliders.clear();
        for index in 0..self.setup.boundaries.len() {
            let (drive, _) = self.state.progress.drive(&self.setup, index);
            let Drive::Slider(slider) = drive else {
                self.work.rigid.sliders.push(Sliding::GIVEN);
                continue;
            };
            let state = &self.state.boundaries[index];
            let force = if state.removed { 0.0 } else { self.load_of(index, slider, middle) };
            let axis = slider.mover_axis();
            let work = &mut self.work.rigid;
            let mover = work.problem.movers.len() as u32;
            work.sliders.push(Sliding::new(mover, &slider.guide, state.midpoint.position));
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
    pub(crate) fn divide(&mut self) {
        let count = self.count_bodies();
        let work = &mut self.work.rigid;
        let regions = &mut work.problem.regions;
        clear_for(regions, work.problem.movers.len());
        if count < self.setup.params.methods.regions_from {
            return;
        }
        let corners = work.midpoints.iter().map(|pose| [pose.position; 2]);
        let both = |one: [S::Vector; 2], other: [S::Vector; 2]| {
            [one[0].lowest(other[0]), one[1].highest(other[1])]
        };
        let corners = match &self.work.ranks {
            Some(ranks) => Some(ranks.corners),
            None => corners.reduce(both),
        };
        let Some([low, high]) = corners else { return };
        let grid = Grid::for_sweeps(low, high, work.radius);
        regions.extend(work.midpoints.iter().map(|pose| grid.cell(pose.position) as u16));
        // Sliders are large, and nowhere in particular.
        regions.resize(work.problem.movers.len(), 0);
    }

    /// End velocity and end configuration of bodies.
    pub(crate) fn advance_bodies(&mut self) {
        let h = self.setup.time_step;
        let cell = self.advance_cell();
        let work = &self.work.rigid;
        let bodies = self
            .state
            .bodies
            .par_iter_mut()
            .with_min_len(self.work.threads.least_share(self.setup.params.parallel.bodies));
        bodies.enumerate().for_each(|(index, body)| {
            let (middle, twist) = (&work.midpoints[index], &work.solution.twists[index]);
            // Loads and contacts add to the free spin: where there are none, its bits are kept.
            let coasted = work.tumbling.get(index).copied().unwrap_or(body.spin);
            let added = twist.spin - middle.rotation.apply_spin(coasted);
            let spin = coasted + middle.rotation.apply_spin_inverse(added);
            let mut turn = (body.spin + spin) * (0.5 * h);
            body.pose.position = middle.position + twist.velocity * (0.5 * h);
            if let Some(map) = &cell {
                body.pose.position = map.apply(middle.position) + twist.velocity * (0.5 * h);
            }
            if let Some(shift) = work.recovery.shift(index, twist) {
                body.pose.position += shift.velocity * h;
                turn += middle.rotation.apply_spin_inverse(shift.spin) * h;
            }
            body.pose.rotation = body.pose.rotation.compose(S::Rotation::exponential(turn));
            body.velocity = twist.velocity;
            body.spin = spin;
        });
        // What falls out of the cell below enters it above.
        self.state.ledger.external_work += self.wrap_bodies();
    }
}
