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
use crate::{Body, World};
use drystone_solve::Twist;
use drystone_space::{InverseInertia, Lattice, Matrix, Pose, Space, Vector};

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

/// A spring as it pulls.
struct Pull<S: Space> {
    /// Arms of the ends from their centres of mass.
    arms: [S::Vector; 2],
    /// Force on the first end.
    force: S::Vector,
    /// From the centre of the second side, or of its image, to that of the first.
    branch: S::Vector,
}

/// The difference of two places; in a periodic cell that of their nearest images.
fn apart<S: Dimension>(lattice: Option<&Lattice<S>>, a: S::Vector, b: S::Vector) -> S::Vector {
    lattice.map_or(a - b, |lattice| lattice.nearest(a - b))
}

impl<S: Dimension> Spring<S> {
    /// How it pulls.
    fn pull(&self, poses: impl Fn(usize) -> Pose<S>, lattice: Option<&Lattice<S>>) -> Pull<S> {
        let place = |anchor: &Anchor<S>| match anchor.body {
            None => (anchor.point, S::Vector::ZERO),
            Some(index) => {
                let pose = poses(index);
                let point = pose.point(anchor.point);
                (point, point - pose.position)
            }
        };
        let ((a, arm_a), (b, arm_b)) = (place(&self.ends[0]), place(&self.ends[1]));
        let between = apart(lattice, a, b);
        let length = between.norm();
        // A spring of no length pulls in no direction.
        let along = if length > 0.0 { between / length } else { S::Vector::ZERO };
        let force = along * (-self.stiffness * (length - self.length));
        Pull { arms: [arm_a, arm_b], force, branch: between - arm_a + arm_b }
    }

    /// From its second end to its first.
    pub(crate) fn ends_apart(&self, bodies: &[Body<S>], lattice: Option<&Lattice<S>>) -> S::Vector {
        let point = |anchor: &Anchor<S>| match anchor.body {
            None => anchor.point,
            Some(index) => bodies[index].pose.point(anchor.point),
        };
        apart(lattice, point(&self.ends[0]), point(&self.ends[1]))
    }

    /// Its energy.
    fn energy(&self, bodies: &[Body<S>], lattice: Option<&Lattice<S>>) -> f64 {
        let length = self.ends_apart(bodies, lattice).norm();
        0.5 * self.stiffness * (length - self.length) * (length - self.length)
    }
}

impl<S: Dimension> RigidWork<S> {
    /// How a spring pulls at the midpoint.
    fn pull_of(&self, spring: &Spring<S>) -> Pull<S> {
        let lattice = self.cell.as_ref().map(|cell| &cell.lattice);
        spring.pull(|index| self.midpoints[index], lattice)
    }

    /// The percussion of a spring, as free velocities.
    pub fn pull(&mut self, spring: &Spring<S>, h: f64) {
        let Pull { arms, force, branch } = self.pull_of(spring);
        if let Some(cell) = &mut self.cell {
            cell.pulled = cell.pulled.plus(&Matrix::outer(force * h, branch));
        }
        for (end, (arm, force)) in spring.ends.iter().zip(arms.into_iter().zip([force, -force])) {
            let Some(index) = end.body else { continue };
            let change = self.problem.movers[index].respond(arm, force * h);
            let free = &mut self.problem.free[index];
            free.velocity += change.velocity;
            free.spin += change.spin;
        }
    }

    /// What a spring has done to its bodies, from the velocities before and after, and to the flow of a cell.
    fn spring_work(&self, spring: &Spring<S>, h: f64) -> [f64; 2] {
        let Pull { arms, force, branch } = self.pull_of(spring);
        let speed = |end: usize| match spring.ends[end].body {
            None => S::Vector::ZERO,
            Some(index) => {
                let at = |t: &Twist<S>| t.velocity + S::velocity_at(t.spin, arms[end]);
                (at(&self.before[index]) + at(&self.solution.twists[index])) * 0.5
            }
        };
        let flow = self.cell.as_ref().map_or(S::Vector::ZERO, |cell| {
            cell.before.plus(&cell.after).scaled(0.5).apply(branch)
        });
        [force.dot(speed(0) - speed(1)) * h, h * force.dot(flow)]
    }

    /// How the medium spins: it goes with the flow of a cell, ½ curl L x.
    fn medium_spin(&self) -> S::Spin {
        let Some(cell) = &self.cell else { return S::Spin::ZERO };
        (0..S::DIMENSION).fold(S::Spin::ZERO, |sum, i| {
            sum + S::moment(S::Vector::axis(i), cell.before.column(i)) * 0.5
        })
    }

    /// Lets a medium act with this κ on a body whose velocity without it is `unbraked`.
    pub(crate) fn brake(
        &mut self,
        drag: &Drag,
        body: &Body<S>,
        unbraked: Twist<S>,
        factor: f64,
        h: f64,
    ) {
        let index = drag.body;
        let before = self.before[index];
        let medium = self.medium_spin();
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
            // (I + hκ/2)⁻¹ (I ω_r − (hκ/2) ω⁻) = ω_r − (I + hκ/2)⁻¹ (hκ/2)(ω_r + ω⁻), all as seen from the medium.
            let both = free.spin + before.spin - medium * 2.0;
            free.spin -= mover.inverse_inertia.apply(both * half);
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
        let lattice = self.state.cell.as_ref().map(|cell| &cell.lattice);
        let free = all.fold(0.0, |sum, spring| sum + spring.energy(&self.state.bodies, lattice));
        free + self.joint_spring_energy()
    }

    /// Adds springs to the free motion.
    pub(crate) fn pull_springs(&mut self) {
        for spring in &self.setup.springs {
            self.work.rigid.pull(spring, self.setup.time_step);
        }
        self.work.rigid.pull_cell();
    }

    /// Adds contact springs to the free motion, and then drag, which depends on all other forces.
    pub(crate) fn close_forces(&mut self) {
        let h = self.setup.time_step;
        let work = &mut self.work.rigid;
        work.press(h);
        work.braking.clear();
        work.unbraked.clear();
        for drag in &self.setup.drags {
            let body = &self.state.bodies[drag.body];
            let unbraked = work.problem.free[drag.body];
            let mean = (unbraked.velocity + work.before[drag.body].velocity) * 0.5;
            let factor = drag.factor(body.mass, mean, h);
            work.brake(drag, body, unbraked, factor, h);
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
        let mut changed = false;
        for (index, drag) in self.setup.drags.iter().enumerate() {
            if drag.quadratic == 0.0 {
                continue;
            }
            let (body, old) = (&self.state.bodies[drag.body], work.braking[index]);
            let end = work.solution.twists[drag.body].velocity;
            let mean = (end + work.before[drag.body].velocity) * 0.5;
            let answer = body.mass + 0.5 * h * old;
            let factor = drag.factor(body.mass, mean * (answer / body.mass), h);
            if 0.5 * h * (factor - old).abs() > tolerance * answer {
                work.brake(drag, body, work.unbraked[index], factor, h);
                work.braking[index] = factor;
                changed = true;
            }
        }
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
            let [done, on_flow] = self.work.rigid.spring_work(spring, h);
            self.state.ledger.atomisation_work += done + on_flow;
            self.state.ledger.boundary_work -= on_flow;
        }
        for (drag, factor) in self.setup.drags.iter().zip(&self.work.rigid.braking) {
            let (before, after) =
                (&self.work.rigid.before[drag.body], &self.work.rigid.solution.twists[drag.body]);
            let mean = (before.velocity + after.velocity) * 0.5;
            let medium = self.work.rigid.medium_spin();
            let spin = (before.spin + after.spin) * 0.5 - medium;
            self.state.ledger.drag_loss +=
                h * (factor * mean.norm_squared() + drag.spin * spin.norm_squared());
            self.state.ledger.boundary_work -= h * drag.spin * spin.dot(medium);
        }
    }
}
