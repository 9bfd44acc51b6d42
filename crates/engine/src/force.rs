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

use crate::Dimension;
use crate::workspace::RigidWork;
use crate::{Body, World, ranks};
use drystone_solve::Twist;
use drystone_space::{InverseInertia, Pose, Space, Vector};

/// Where a spring is fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor<S: Space> {
    /// The body, by index among the setup's bodies; `None` is the ground.
    pub body: Option<usize>,
    /// The point: in the axes of the body, from its centre of mass; in the world's for the ground.
    pub point: S::Vector,
}

/// A straight spring between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<S: Space> {
    /// Its ends.
    pub ends: [Anchor<S>; 2],
    /// Force by elongation.
    pub stiffness: f64,
    /// Length at which it is free of force.
    pub length: f64,
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
    /// Arms of the ends from their centres of mass, and the force on the first end.
    fn force(&self, poses: impl Fn(usize) -> Pose<S>) -> ([S::Vector; 2], S::Vector) {
        let place = |anchor: &Anchor<S>| match anchor.body {
            None => (anchor.point, S::Vector::ZERO),
            Some(index) => {
                let pose = poses(index);
                let point = pose.point(anchor.point);
                (point, point - pose.position)
            }
        };
        let ((a, arm_a), (b, arm_b)) = (place(&self.ends[0]), place(&self.ends[1]));
        let length = (a - b).norm();
        // A spring of no length pulls in no direction.
        let along = if length > 0.0 { (a - b) / length } else { S::Vector::ZERO };
        ([arm_a, arm_b], along * (-self.stiffness * (length - self.length)))
    }

    /// Its energy.
    fn energy(&self, bodies: &[Body<S>]) -> f64 {
        let point = |anchor: &Anchor<S>| match anchor.body {
            None => anchor.point,
            Some(index) => bodies[index].pose.point(anchor.point),
        };
        let length = (point(&self.ends[0]) - point(&self.ends[1])).norm();
        0.5 * self.stiffness * (length - self.length) * (length - self.length)
    }
}

impl<S: Dimension> RigidWork<S> {
    /// The percussion of a spring, as free velocities.
    pub fn pull(&mut self, spring: &Spring<S>, h: f64) {
        let (arms, force) = spring.force(|index| self.midpoints[index]);
        for (end, (arm, force)) in spring.ends.iter().zip(arms.into_iter().zip([force, -force])) {
            let Some(index) = end.body else { continue };
            let change = self.problem.movers[index].respond(arm, force * h);
            let free = &mut self.problem.free[index];
            free.velocity += change.velocity;
            free.spin += change.spin;
        }
    }

    /// What a spring has done to its bodies, from the velocities before and after.
    fn spring_work(&self, spring: &Spring<S>, h: f64) -> f64 {
        let (arms, force) = spring.force(|index| self.midpoints[index]);
        let speed = |end: usize| match spring.ends[end].body {
            None => S::Vector::ZERO,
            Some(index) => {
                let at = |t: &Twist<S>| t.velocity + S::velocity_at(t.spin, arms[end]);
                (at(&self.before[index]) + at(&self.solution.twists[index])) * 0.5
            }
        };
        h * force.dot(speed(0) - speed(1))
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
        let free = all.fold(0.0, |sum, spring| sum + spring.energy(&self.state.bodies));
        free + self.joint_spring_energy()
    }

    /// Adds springs to the free motion.
    pub(crate) fn pull_springs(&mut self) {
        for spring in &self.setup.springs {
            self.work.rigid.pull(spring, self.setup.time_step);
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
            self.state.ledger.atomisation_work += self.work.rigid.spring_work(spring, h);
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
