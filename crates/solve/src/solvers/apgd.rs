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

use super::scaled::Scaled;
use super::{Limits, Solver};
use crate::SolveReport;
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
    /// The normal part of s.
    lift: Vec<f64>,
}

impl<const D: usize> Solver<D> for Apgd<D> {
    fn name(&self) -> &'static str {
        "apgd"
    }

    fn solve(
        &mut self,
        given: &Assembled<D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport {
        if self.scaled.start(given, impulses, limits) {
            return self.scaled.finish(impulses, 0);
        }
        let iterations = self.iterate(given, limits);
        self.scaled.finish(impulses, iterations)
    }
}

impl<const D: usize> Apgd<D> {
    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        self.scaled.best(&mut self.impulses);
        self.velocities.clone_from(&self.impulses);
        self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
        self.next.clone_from(&self.impulses);
        self.next_velocities.clone_from(&self.velocities);
        self.ahead.clone_from(&self.impulses);
        self.ahead_velocities.clone_from(&self.velocities);
        let mut wanted = self.set_lift();
        let (mut step, mut theta) = (1.0, 1.0f64);
        for iteration in 1..=limits.max_iterations {
            self.advance(&mut step);
            if self.scaled.judge(given, &self.next, &self.next_velocities, limits) {
                return iteration;
            }
            let uphill = self.points_uphill();
            let last_theta = theta;
            theta = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
            let momentum = if uphill { 0.0 } else { (last_theta - 1.0) / theta };
            for contact in 0..self.next.len() {
                let (r, last) = (&self.next[contact], &self.impulses[contact]);
                self.ahead[contact] = add_scaled(r, momentum, &subtract(r, last));
                let (u, last) = (&self.next_velocities[contact], &self.velocities[contact]);
                self.ahead_velocities[contact] = add_scaled(u, momentum, &subtract(u, last));
            }
            std::mem::swap(&mut self.impulses, &mut self.next);
            std::mem::swap(&mut self.velocities, &mut self.next_velocities);
            if uphill {
                theta = 1.0;
            }
            if self.convex_error() <= wanted {
                wanted = self.set_lift();
            }
            step *= GROWTH;
        }
        limits.max_iterations
    }

    /// Sets the lift from the present velocities, and returns the error to solve for.
    fn set_lift(&mut self) -> f64 {
        let cones = &self.scaled.problem.cones;
        self.lift.clear();
        let lifts = cones.iter().zip(&self.velocities).map(|(cone, u)| cone.lift(u)[0] - u[0]);
        self.lift.extend(lifts);
        SHARE * self.convex_error()
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
    fn advance(&mut self, step: &mut f64) {
        let problem = &self.scaled.problem;
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
