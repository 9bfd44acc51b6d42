//! Forces that depend on where bodies are and on how they move, atomised over a step (Dal Pont &
//! Dimnet 2006, §3.1).
//!
//! A force over [t_k, t_k+h] becomes a percussion at θ_k = t_k + h/2. One that depends on positions
//! is taken at the positions of θ_k, which are continuous; one that depends on velocities is taken
//! at the mean of those before and after, ½(u⁺+u⁻), and so depends on what is sought.
//!
//! - Springs: h·f at the midpoint. Their energy is a state; what the atomisation gives or takes
//!   beside it is booked by itself.
//! - Drag −κv̄: with the mean velocity v̄ it is implicit. The body answers to impulses with
//!   m + hκ/2 in place of m, and its free velocity is (m u_r − (hκ/2) u⁻)/(m + hκ/2). Drag that
//!   grows with the square of the velocity has κ = c|v̄|, where m v̄ + (h/2)κv̄ is what all other
//!   forces ask for: the root of a quadratic equation. The percussions of contacts are among those
//!   forces, so that with contacts the problem is solved again until κ stays.

use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Body, Dimension, Owner, State, World, ranks};
use drystone_solve::Twist;
use drystone_space::{InverseInertia, Pose, Space, Table, Vector};

/// Where a spring is fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor<S: Space> {
    /// The body or boundary; `None` is the ground.
    pub owner: Option<Owner>,
    /// The point: in the axes of the body from its centre of mass, in a boundary's own axes, or in the world's.
    pub point: S::Vector,
}

/// A straight spring between two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring<S: Space> {
    /// Its ends.
    pub ends: [Anchor<S>; 2],
    /// Force by elongation.
    pub stiffness: f64,
    /// Length at which it is free of force.
    pub length: f64,
    /// Further forces by length, positive where it pulls.
    pub forces: Option<Table>,
}

/// The resistance of a medium to the motion of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// The body, by index among the setup's bodies.
    pub body: usize,
    /// Force by velocity.
    pub linear: f64,
    /// Force by square of the velocity.
    pub quadratic: f64,
    /// Couple by spin.
    pub spin: f64,
}

impl<S: Dimension> Spring<S> {
    /// Arms of the ends from where their owners are, and the force on the first end.
    fn force(&self, poses: impl Fn(Owner) -> Pose<S>) -> ([S::Vector; 2], S::Vector) {
        let place = |anchor: &Anchor<S>| match anchor.owner {
            None => (anchor.point, S::Vector::ZERO),
            Some(owner) => {
                let pose = poses(owner);
                let point = pose.point(anchor.point);
                (point, point - pose.position)
            }
        };
        let ((a, arm_a), (b, arm_b)) = (place(&self.ends[0]), place(&self.ends[1]));
        let length = (a - b).norm();
        // A spring of no length pulls in no direction.
        let along = if length > 0.0 { (a - b) / length } else { S::Vector::ZERO };
        let mut pull = self.stiffness * (length - self.length);
        if let Some(table) = &self.forces {
            pull += table.sample(length).0;
        }
        ([arm_a, arm_b], along * -pull)
    }

    /// Its energy; zero where its stiffness, and its table by itself, have no force.
    fn energy(&self, poses: impl Fn(Owner) -> Pose<S>) -> f64 {
        let point = |anchor: &Anchor<S>| match anchor.owner {
            None => anchor.point,
            Some(owner) => poses(owner).point(anchor.point),
        };
        let length = (point(&self.ends[0]) - point(&self.ends[1])).norm();
        let held = self.forces.as_ref().map_or(0.0, |table| table.integral(length));
        0.5 * self.stiffness * (length - self.length) * (length - self.length) + held
    }
}

impl<S: Dimension> RigidWork<S> {
    /// Where an end's owner is at the midpoint of the step.
    fn midpoint(&self, owner: Owner, boundaries: &[BoundaryState<S>]) -> Pose<S> {
        match owner {
            Owner::Body(index) => self.midpoints[index as usize],
            Owner::Boundary(index) => boundaries[index as usize].midpoint,
        }
    }

    /// The percussion of a spring, as free velocities.
    pub fn pull(&mut self, spring: &Spring<S>, boundaries: &[BoundaryState<S>], h: f64) {
        let (arms, force) = spring.force(|owner| self.midpoint(owner, boundaries));
        for (end, (arm, force)) in spring.ends.iter().zip(arms.into_iter().zip([force, -force])) {
            let Some(Owner::Body(index)) = end.owner else { continue };
            let change = self.problem.movers[index as usize].respond(arm, force * h);
            let free = &mut self.problem.free[index as usize];
            free.velocity += change.velocity;
            free.spin += change.spin;
        }
    }

    /// What a spring has done to what its ends are on, from the velocities before and after. What boundaries gave is booked,
    /// and what they felt.
    fn spring_work(
        &self,
        spring: &Spring<S>,
        boundaries: &mut [BoundaryState<S>],
        given: &mut f64,
        h: f64,
    ) -> f64 {
        let (arms, force) = spring.force(|owner| self.midpoint(owner, boundaries));
        let mut speed = |end: usize, push: S::Vector| match spring.ends[end].owner {
            None => S::Vector::ZERO,
            Some(Owner::Body(index)) => {
                let index = index as usize;
                let at = |t: &Twist<S>| t.velocity + S::velocity_at(t.spin, arms[end]);
                (at(&self.before[index]) + at(&self.solution.twists[index])) * 0.5
            }
            Some(Owner::Boundary(index)) => {
                let state = &mut boundaries[index as usize];
                let speed = state.velocity + S::velocity_at(state.spin, arms[end]);
                state.impulse += push * h;
                *given -= h * push.dot(speed);
                speed
            }
        };
        let (first, second) = (speed(0, force), speed(1, -force));
        h * force.dot(first - second)
    }

    /// Lets a medium act with this κ on a body whose velocity without it is `unbraked`.
    pub(crate) fn brake(
        &mut self,
        drag: &Drag,
        (index, body): (usize, &Body<S>),
        unbraked: Twist<S>,
        factor: f64,
        h: f64,
    ) {
        let before = self.before[index];
        let free = &mut self.problem.free[index];
        let mover = &mut self.problem.movers[index];
        *free = unbraked;
        let half = 0.5 * h * factor;
        let mass = body.mass + half;
        free.velocity = (free.velocity * body.mass - before.velocity * half) / mass;
        mover.inverse_mass = 1.0 / mass;
        if drag.spin > 0.0 {
            let half = 0.5 * h * drag.spin;
            let rotation = self.midpoints[index].rotation;
            let moments = body.moments + S::Spin::splat(half);
            mover.inverse_inertia = S::InverseInertia::from_principal(moments, rotation);
            // (I + hκ/2)⁻¹ (I ω_r − (hκ/2) ω⁻) = ω_r − (I + hκ/2)⁻¹ (hκ/2)(ω_r + ω⁻).
            free.spin -= mover.inverse_inertia.apply((free.spin + before.spin) * half);
        }
    }
}

impl Drag {
    /// κ, from the mean velocity that the body would have without this drag.
    fn factor<V: Vector>(&self, mass: f64, mean: V, h: f64) -> f64 {
        if self.quadratic == 0.0 {
            return self.linear;
        }
        // (hc/2) v² + (m + hκ₁/2) v = m v₀, in the form that keeps its digits for small c.
        let (a, b) = (0.5 * h * self.quadratic, mass + 0.5 * h * self.linear);
        let c = mass * mean.norm();
        let speed = 2.0 * c / (b + (b * b + 4.0 * a * c).sqrt());
        self.linear + self.quadratic * speed
    }
}

impl<S: Dimension> World<S> {
    /// Energy stored in springs now.
    pub(crate) fn spring_energy(&self) -> f64 {
        // Not `sum`, whose zero is negative.
        let all = self.setup.springs.iter();
        let free = all.fold(0.0, |sum, spring| sum + spring.energy(|owner| *self.pose_of(owner)));
        free + self.joint_spring_energy()
    }

    /// Adds springs to the free motion.
    pub(crate) fn pull_springs(&mut self) {
        for spring in &self.setup.springs {
            self.work.rigid.pull(spring, &self.state.boundaries, self.setup.time_step);
        }
    }

    /// Adds contact springs to the free motion, and then drag, which depends on all other forces.
    pub(crate) fn close_forces(&mut self) {
        let h = self.setup.time_step;
        let work = &mut self.work.rigid;
        work.press(h);
        work.braking.clear();
        work.unbraked.clear();
        for drag in &self.setup.drags {
            let Some(index) = ranks::here(&self.work.ranks, drag.body) else {
                work.braking.push(0.0);
                work.unbraked.push(Twist::ZERO);
                continue;
            };
            let body = &self.state.bodies[index];
            let unbraked = work.problem.free[index];
            let mean = (unbraked.velocity + work.before[index].velocity) * 0.5;
            let factor = drag.factor(body.mass, mean, h);
            work.brake(drag, (index, body), unbraked, factor, h);
            work.braking.push(factor);
            work.unbraked.push(unbraked);
        }
    }

    /// Takes quadratic drag anew with the percussions of contacts that were found. Says whether that
    /// has changed the momentum of any body by more than the solver's tolerance: then the contacts
    /// are assembled anew, to be solved from those percussions.
    pub(crate) fn brake_again(&mut self) -> bool {
        let (h, tolerance) = (self.setup.time_step, self.solver_settings().tolerance);
        let work = &mut self.work.rigid;
        let (mut changed, mut any) = (false, false);
        for (number, drag) in self.setup.drags.iter().enumerate() {
            if drag.quadratic == 0.0 {
                continue;
            }
            any = true;
            let Some(index) = ranks::here(&self.work.ranks, drag.body) else { continue };
            let (body, old) = (&self.state.bodies[index], work.braking[number]);
            let end = work.solution.twists[index].velocity;
            let mean = (end + work.before[index].velocity) * 0.5;
            let answer = body.mass + 0.5 * h * old;
            let factor = drag.factor(body.mass, mean * (answer / body.mass), h);
            if 0.5 * h * (factor - old).abs() > tolerance * answer {
                work.brake(drag, (index, body), work.unbraked[number], factor, h);
                work.braking[number] = factor;
                changed = true;
            }
        }
        // What drags there are all ranks know.
        let changed = any && ranks::any(&self.work.ranks, changed);
        if changed {
            self.recall_solution();
            self.assemble();
        }
        changed
    }

    /// Books springs and drag.
    pub(crate) fn book_forces(&mut self) {
        let h = self.setup.time_step;
        for spring in &self.setup.springs {
            let State { ledger, boundaries, .. } = &mut self.state;
            let given = &mut ledger.boundary_work;
            ledger.atomisation_work += self.work.rigid.spring_work(spring, boundaries, given, h);
        }
        let (work, drags) = (&self.work.rigid, &self.setup.drags);
        let loss_of = |number: usize, index: usize| {
            let (before, after) = (&work.before[index], &work.solution.twists[index]);
            let mean = (before.velocity + after.velocity) * 0.5;
            let spin = (before.spin + after.spin) * 0.5;
            h * (work.braking[number] * mean.norm_squared()
                + drags[number].spin * spin.norm_squared())
        };
        let done = self.state.ledger.drag_loss;
        self.state.ledger.drag_loss =
            ranks::add_each(&self.work.ranks, done, drags.iter().map(|drag| drag.body), loss_of);
    }
}
