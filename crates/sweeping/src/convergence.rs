//! Errors of both schemes as the step falls, and the order at which they do.
//!
//! For convex sets whose boundary moves by at most L per time, the catching-up algorithm is within
//! L √(c h T) of the solution, whatever the motion; where set and motion are smooth but for finitely
//! many times both schemes are of first order. The order here is measured, by a straight line through
//! the logarithms of step and error.

use crate::{Exact, Path, Problem, Scheme, SetInTime, SweepError};
use drystone_space::{Space, Vector, math};

/// Errors below this, relative to the coordinates, are rounding and tell nothing of an order.
const ROUNDING: f64 = 1e-12;
/// The computed reference has this many times as many steps as the finest level.
const FINER: usize = 64;

/// What errors are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The exact solution.
    Exact,
    /// The catching-up algorithm with so many steps.
    Steps(usize),
}

/// One step length and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Number of steps.
    pub steps: usize,
    /// Their length.
    pub step: f64,
    /// Largest distance from the reference, over all points and times, for each of
    /// [`Scheme::ALL`].
    pub errors: [f64; 2],
}

/// Errors over steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// What errors are measured against.
    pub reference: Reference,
    /// From the largest step to the smallest.
    pub levels: Vec<Level>,
    /// Largest coordinate, by which rounding is judged.
    size: f64,
}

impl Convergence {
    /// Halves the step `levels` − 1 times, from `coarsest` steps on.
    ///
    /// # Errors
    /// Those of the set; a set without a lazy selector cannot be studied.
    pub fn study<S: Space, M: SetInTime<S>>(
        problem: &Problem<S, M>,
        exact: Option<Exact<S>>,
        coarsest: usize,
        levels: usize,
    ) -> Result<Self, SweepError> {
        let finest = coarsest << levels.saturating_sub(1);
        let reference = match exact {
            Some(_) => Reference::Exact,
            None => Reference::Steps(FINER * finest),
        };
        let mut study = Self { reference, levels: Vec::new(), size: 0.0 };
        let mut fine = Vec::new();
        for &start in problem.starts.iter().filter(|_| exact.is_none()) {
            fine.push(problem.path(start, FINER * finest, Scheme::Implicit)?);
        }
        for steps in (0..levels).map(|level| coarsest << level) {
            let mut errors = [0.0f64; 2];
            for (index, &start) in problem.starts.iter().enumerate() {
                for (scheme, error) in Scheme::ALL.into_iter().zip(&mut errors) {
                    let path = problem.path(start, steps, scheme)?;
                    let stride = FINER * finest / steps;
                    let expected = |k: usize| match exact {
                        Some(exact) => exact(start, path.times[k]),
                        None => fine[index].points[k * stride],
                    };
                    *error = error.max(distance(&path, expected));
                    study.size = path.points.iter().map(|p| p.norm()).fold(study.size, f64::max);
                }
            }
            study.levels.push(Level { steps, step: problem.end / steps as f64, errors });
        }
        Ok(study)
    }
    /// The order of a scheme: the slope of log error over log step; `None` if the errors are
    /// rounding.
    pub fn order(&self, scheme: Scheme) -> Option<f64> {
        let index = Scheme::ALL.iter().position(|&s| s == scheme)?;
        let points = self.levels.iter().map(|level| (level.step, level.errors[index]));
        let points = points.filter(|&(_, error)| error > ROUNDING * self.size.max(1.0));
        let points: Vec<(f64, f64)> = points.map(|(h, e)| (math::ln(h), math::ln(e))).collect();
        let count = points.len() as f64;
        if points.len() < 3 {
            return None;
        }
        let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count;
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        let square: f64 = points.iter().map(|p| math::square(p.0 - x)).sum();
        Some(points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / square)
    }
}

/// Largest distance of a path from where it should be.
fn distance<S: Space>(path: &Path<S>, expected: impl Fn(usize) -> S::Vector) -> f64 {
    let each = path.points.iter().enumerate().map(|(k, &point)| (point - expected(k)).norm());
    each.fold(0.0, f64::max)
}
