//! Springs of contacts: forces by the gap of bodies that are near or touch, atomised over a step as
//! all forces that depend on positions (Dal Pont & Dimnet 2006, §3.1.3).
//!
//! Where the gap g is below the reach r, the two bodies are pushed apart along the normal, at the
//! contact point, by f = k (r − g). The percussion of a step is h·f at the gap of its middle, θ_k.
//!
//! The energy is ½k(r − g)². At either end of a step the gap is that of the middle and what the
//! velocity there makes of it in half a step, g ∓ (h/2) U_n.

use crate::assemble::boundary_velocity_at;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Dimension, Owner, World};
use drystone_detect::{Manifold, Touch};
use drystone_space::{Frame, Local, Vector};

/// A force by the gap between two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactSpring {
    /// Force of one contact point by approach.
    pub stiffness: f64,
    /// Gap at which it begins to act; 0 is no spring.
    pub reach: f64,
}

impl ContactSpring {
    /// Push at a gap.
    fn force(&self, gap: f64) -> f64 {
        self.stiffness * (self.reach - gap).max(0.0)
    }
    /// Energy at a gap.
    pub(crate) fn energy(&self, gap: f64) -> f64 {
        0.5 * self.force(gap) * (self.reach - gap)
    }
}

/// A contact spring that acts in the step under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press<S: Dimension> {
    pub first: Owner,
    pub second: Owner,
    pub touch: Touch<S>,
    pub spring: ContactSpring,
}

impl<S: Dimension> Press<S> {
    /// Normal velocities before and after the step, and the boundary's.
    fn speeds(&self, work: &RigidWork<S>, boundaries: &[BoundaryState<S>]) -> [f64; 3] {
        let map = work.map(self.first, self.second, self.touch.point, self.touch.normal);
        let given = boundary_velocity_at(boundaries, self.second, self.touch.point);
        let given = map.frame.to_local(given).normal();
        let (before, after) = (map.to_contact(&work.before), map.to_contact(&work.solution.twists));
        [before.normal() - given, after.normal() - given, given]
    }
}

impl<S: Dimension> RigidWork<S> {
    /// The percussions of all contact springs, as free velocities.
    pub fn press(&mut self, h: f64) {
        for index in 0..self.presses.len() {
            let Press { first, second, touch, spring } = self.presses[index];
            let map = self.map(first, second, touch.point, touch.normal);
            let impulse = S::Local::new(h * spring.force(touch.gap), S::Tangent::ZERO);
            map.to_bodies(impulse, &self.problem.movers, &mut self.problem.free);
        }
    }
}

impl<S: Dimension> World<S> {
    /// Energy of contact springs at the end of the step that was made.
    pub(crate) fn press_energy(&self) -> f64 {
        let half = 0.5 * self.setup.time_step;
        self.work.rigid.presses.iter().fold(0.0, |sum, press| {
            let [_, after, _] = press.speeds(&self.work.rigid, &self.state.boundaries);
            sum + press.spring.energy(press.touch.gap + half * after)
        })
    }

    /// Books the energy with which contact springs of new bodies begin.
    pub(crate) fn book_new_presses(&mut self) {
        let (start, half) = (self.time(), 0.5 * self.setup.time_step);
        let is_new = |owner: Owner| match owner {
            Owner::Body(index) => self.state.bodies[index as usize].born == start,
            Owner::Boundary(_) => false,
        };
        let mut energy = 0.0;
        for press in &self.work.rigid.presses {
            if is_new(press.first) || is_new(press.second) {
                let [before, ..] = press.speeds(&self.work.rigid, &self.state.boundaries);
                energy += press.spring.energy(press.touch.gap - half * before);
            }
        }
        let ledger = &mut self.state.ledger;
        let source = if self.state.steps == 0 { &mut ledger.initial } else { &mut ledger.inserted };
        *source += energy;
        ledger.springs += energy;
    }

    /// Books what contact springs have done to bodies, and what boundaries feel of it.
    pub(crate) fn book_presses(&mut self) {
        let h = self.setup.time_step;
        for press in &self.work.rigid.presses {
            let push = h * press.spring.force(press.touch.gap);
            let [before, after, given] = press.speeds(&self.work.rigid, &self.state.boundaries);
            self.state.ledger.atomisation_work += 0.5 * (before + after) * push;
            self.state.ledger.boundary_work += given * push;
            if let Owner::Boundary(index) = press.second {
                self.state.boundaries[index as usize].impulse -= press.touch.normal * push;
            }
        }
    }

    /// Takes off the books the energy of contact springs whose boundaries vanish before `middle`.
    pub(crate) fn release_presses(&mut self, middle: f64) {
        if self.state.steps == 0 || !self.setup.laws.has_springs() {
            return;
        }
        for index in 0..self.state.boundaries.len() {
            if !self.state.boundaries[index].removed
                && middle >= self.state.progress.removal(&self.setup, index)
            {
                let energy = self.boundary_press_energy(index);
                self.state.ledger.springs -= energy;
                self.state.ledger.inserted -= energy;
            }
        }
    }

    /// Energy of the contact springs of one boundary now.
    fn boundary_press_energy(&self, index: usize) -> f64 {
        let (walls, place) =
            (&self.setup.boundaries[index].parts, &self.state.boundaries[index].pose);
        let mut manifold = Manifold::default();
        let mut energy = 0.0;
        for (body, part) in
            self.state.bodies.iter().flat_map(|b| b.parts.iter().map(move |p| (b, p)))
        {
            let pose = body.pose.compose(&part.pose());
            for wall in walls {
                let spring = self.setup.laws.get(part.material, wall.material).spring;
                let (one, two) =
                    ((&part.shape, &pose), (&wall.shape, &place.compose(&wall.pose())));
                manifold.clear();
                S::collide(one, two, spring.reach, &mut manifold);
                energy += manifold.touches().iter().map(|t| spring.energy(t.gap)).sum::<f64>();
            }
        }
        energy
    }
}
