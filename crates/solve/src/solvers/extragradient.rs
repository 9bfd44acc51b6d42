//! Extragradient on de Saxcé's form, with a step that adapts itself.
//!
//! Two projections, the step by the rule of Khobotov 1987:
//!
//! ```text
//! r̄ = proj_K (r − τ Û(r)),   r ← proj_K (r − τ Û(r̄))
//! ```
//!
//! with τ |Û(r) − Û(r̄)| ≤ L |r − r̄|, L < 1. It needs products with W only, no symmetry and no
//! rank. Unknowns are scaled ([`Scaled`]); Anderson's acceleration works on the pair of projections.

use super::Limits;
use super::anderson::Anderson;
use super::scaled::{OnScaled, Scaled};
use crate::assembled::local::{add_scaled, dot, subtract};
use crate::assembled::{Assembled, Local};

/// Most that τ |Û(r) − Û(r̄)| may be of |r − r̄|.
const MOST: f64 = 0.9;
/// Below this share the step grows.
const LITTLE: f64 = 0.3;
/// Factor of one change of the step.
const CHANGE: f64 = 2.0 / 3.0;

/// The solver.
#[derive(Debug, Default)]
pub struct Extragradient<const D: usize> {
    scaled: Scaled<D>,
    anderson: Anderson,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    trial: Vec<Local<D>>,
    trial_velocities: Vec<Local<D>>,
}

impl<const D: usize> OnScaled<D> for Extragradient<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        self.scaled.best(&mut self.impulses);
        self.velocities.clone_from(&self.impulses);
        self.trial.clone_from(&self.impulses);
        self.trial_velocities.clone_from(&self.impulses);
        self.anderson.reset();
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        let mut step = 1.0;
        for iteration in 1..=limits.max_iterations {
            self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
            if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
                return iteration;
            }
            let share = self.predict(&mut step);
            self.correct(step);
            if share < LITTLE {
                step /= CHANGE;
            }
            self.anderson.next(self.impulses.as_flattened(), self.trial.as_flattened_mut());
            std::mem::swap(&mut self.impulses, &mut self.trial);
        }
        limits.max_iterations
    }
}

impl<const D: usize> Extragradient<D> {
    /// r̄ with its velocities, by the largest step that is allowed. Returns the share of it.
    fn predict(&mut self, step: &mut f64) -> f64 {
        let problem = &self.scaled.problem;
        loop {
            let mut moved = 0.0;
            for (contact, cone) in problem.cones.iter().enumerate() {
                let (r, u) = (&self.impulses[contact], &self.velocities[contact]);
                let trial = cone.project(&add_scaled(r, -*step, &cone.lift(u)));
                let change = subtract(&trial, r);
                moved += dot(&change, &change);
                self.trial[contact] = trial;
            }
            problem.velocities(&self.trial, &mut self.trial_velocities);
            let mut turned = 0.0;
            for (contact, cone) in problem.cones.iter().enumerate() {
                let (u, trial) = (&self.velocities[contact], &self.trial_velocities[contact]);
                let change = subtract(&cone.lift(trial), &cone.lift(u));
                turned += dot(&change, &change);
            }
            let share = if moved > 0.0 { *step * (turned / moved).sqrt() } else { 0.0 };
            if share <= MOST || *step < f64::MIN_POSITIVE {
                return share;
            }
            *step *= CHANGE * (MOST / share).min(1.0);
        }
    }

    /// r from the velocities of r̄, into `trial`.
    fn correct(&mut self, step: f64) {
        for (contact, cone) in self.scaled.problem.cones.iter().enumerate() {
            let lifted = cone.lift(&self.trial_velocities[contact]);
            self.trial[contact] =
                cone.project(&add_scaled(&self.impulses[contact], -step, &lifted));
        }
    }
}
