//! Accelerated projected gradient (APGD) with restart, inside a fixed point on the lift.
//!
//! With the lift s frozen, the problem is convex: minimise ½ r·Wr + (q + s)·r over r ∈ K. Nesterov's
//! method solves it, with a step found by backtracking and momentum dropped where it points uphill
//! (Mazhar et al. 2015, O'Donoghue & Candès 2015):
//!
//! ```text
//! r⁺ = proj_K (y − t (W y + q + s)),   y = r⁺ + β (r⁺ − r)
//! ```
//!
//! Mazhar et al. keep s = 0, the convex relaxation, under which sliding contacts dilate. Here s is
//! set anew from the velocities when the convex problem is solved to a share of its first error, so
//! that the exact law is reached. Unknowns are scaled ([`Scaled`]).

use super::Limits;
use super::scaled::{OnScaled, Scaled};
use crate::assembled::local::{add_scaled, dot, subtract};
use crate::assembled::{Assembled, Local};

/// Share of the first error of a convex problem at which the lift is set anew.
const SHARE: f64 = 0.3;
/// Growth of the step after every iteration: it may have been too short.
const GROWTH: f64 = 1.05;

/// The solver.
#[derive(Debug, Default)]
pub struct Apgd<const D: usize> {
    scaled: Scaled<D>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// y and its velocities without the lift.
    ahead: Vec<Local<D>>,
    ahead_velocities: Vec<Local<D>>,
    next: Vec<Local<D>>,
    next_velocities: Vec<Local<D>>,
    /// The normal part of s, and the error of its convex problem at which it is set anew.
    lift: Vec<f64>,
    wanted: f64,
    /// t, and Nesterov's weight.
    step: f64,
    theta: f64,
}

impl<const D: usize> OnScaled<D> for Apgd<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        self.scaled.best(&mut self.impulses);
        self.step = 1.0;
        self.restart();
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        self.advance(given, limits, limits.max_iterations)
    }
}

impl<const D: usize> Apgd<D> {
    /// Goes on from other impulses.
    pub(crate) fn take_up(&mut self, impulses: &[Local<D>]) {
        self.scaled.scale(impulses, &mut self.impulses);
        self.restart();
    }

    /// The least error so far, as a multiple of what is asked, and its impulses.
    pub(crate) fn best(&self) -> (f64, &[Local<D>]) {
        self.scaled.best_seen()
    }

    fn restart(&mut self) {
        self.velocities.clone_from(&self.impulses);
        self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
        self.next.clone_from(&self.impulses);
        self.next_velocities.clone_from(&self.velocities);
        self.ahead.clone_from(&self.impulses);
        self.ahead_velocities.clone_from(&self.velocities);
        self.theta = 1.0;
        self.set_lift();
    }

    /// At most `count` more iterations, fewer where the problem is solved before; how many were made.
    pub(crate) fn advance(&mut self, given: &Assembled<D>, limits: &Limits, count: usize) -> usize {
        for iteration in 1..=count {
            self.project();
            if self.scaled.judge(given, &self.next, &self.next_velocities, limits) {
                return iteration;
            }
            self.carry_on();
            if self.convex_error() <= self.wanted {
                self.set_lift();
            }
            self.step *= GROWTH;
        }
        count
    }

    /// Takes the step over, and y a momentum beyond it.
    fn carry_on(&mut self) {
        let uphill = self.points_uphill();
        let theta = 0.5 * (1.0 + (1.0 + 4.0 * self.theta * self.theta).sqrt());
        let momentum = if uphill { 0.0 } else { (self.theta - 1.0) / theta };
        self.theta = if uphill { 1.0 } else { theta };
        for contact in 0..self.next.len() {
            let (r, last) = (&self.next[contact], &self.impulses[contact]);
            self.ahead[contact] = add_scaled(r, momentum, &subtract(r, last));
            let (u, last) = (&self.next_velocities[contact], &self.velocities[contact]);
            self.ahead_velocities[contact] = add_scaled(u, momentum, &subtract(u, last));
        }
        std::mem::swap(&mut self.impulses, &mut self.next);
        std::mem::swap(&mut self.velocities, &mut self.next_velocities);
    }

    /// Sets the lift from the present velocities, and the error to solve for.
    fn set_lift(&mut self) {
        let cones = &self.scaled.problem.cones;
        self.lift.clear();
        let lifts = cones.iter().zip(&self.velocities).map(|(cone, u)| cone.lift(u)[0] - u[0]);
        self.lift.extend(lifts);
        self.wanted = SHARE * self.convex_error();
    }

    /// |r − proj_K (r − u − s)| over all contacts.
    fn convex_error(&self) -> f64 {
        let mut error = 0.0;
        for (contact, cone) in self.scaled.problem.cones.iter().enumerate() {
            let (r, mut gradient) = (&self.impulses[contact], self.velocities[contact]);
            gradient[0] += self.lift[contact];
            let rest = subtract(r, &cone.project(&subtract(r, &gradient)));
            error += dot(&rest, &rest);
        }
        error.sqrt()
    }

    /// One projected step from y, short enough for the quadratic model to be above the function.
    fn project(&mut self) {
        let (problem, step) = (&self.scaled.problem, &mut self.step);
        loop {
            for (contact, cone) in problem.cones.iter().enumerate() {
                let mut gradient = self.ahead_velocities[contact];
                gradient[0] += self.lift[contact];
                self.next[contact] =
                    cone.project(&add_scaled(&self.ahead[contact], -*step, &gradient));
            }
            problem.velocities(&self.next, &mut self.next_velocities);
            let (mut energy, mut moved) = (0.0, 0.0);
            for contact in 0..self.next.len() {
                let change = subtract(&self.next[contact], &self.ahead[contact]);
                let answer =
                    subtract(&self.next_velocities[contact], &self.ahead_velocities[contact]);
                energy += dot(&change, &answer);
                moved += dot(&change, &change);
            }
            if energy.is_nan() || *step * energy <= moved || *step < f64::MIN_POSITIVE {
                return;
            }
            *step *= (moved / (*step * energy)).clamp(0.1, 0.9);
        }
    }

    /// Whether the last move has a positive product with the gradient map of the step.
    fn points_uphill(&self) -> bool {
        let mut product = 0.0;
        for contact in 0..self.next.len() {
            let pull = subtract(&self.ahead[contact], &self.next[contact]);
            product += dot(&pull, &subtract(&self.next[contact], &self.impulses[contact]));
        }
        product > 0.0
    }
}
