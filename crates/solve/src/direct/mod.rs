//! Direct methods: contact problems solved in the unknowns of their movers, by factors of A + G*BG.
//!
//! A sweep hands an impulse on from contact to contact, so that the number of sweeps grows with the height of what they
//! carry. A factor knows the whole structure at once. Its price follows from the graph of movers, whatever the number
//! of points in which two of them touch.
//!
//! The same factors tell the error of a step: how far velocities are from those of the exact solution,
//! ε = ‖u − u*‖ / ‖u_free − u‖ in the kinetic metric. The residual cannot: it is a local measure, and small violations
//! add up along chains of contacts.

mod interior;
mod kept;
mod splitting;
mod system;
#[cfg(test)]
mod tests;
mod tie;

pub use interior::{BodySpace, Interior};
pub use kept::Kept;

use crate::{Blocks, ContactProblem, Residual, Solution, Status};
use tie::Found;

/// Errors below this are lost in the rounding of factors.
const FINEST_ERROR: f64 = 1e-8;

/// What is asked of a direct solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectParams {
    /// Residual and error must both come below this.
    pub tolerance: f64,
    /// Most factorisations.
    pub max_factorisations: usize,
}

impl Default for DirectParams {
    fn default() -> Self {
        Self { tolerance: 1e-4, max_factorisations: 120 }
    }
}

impl DirectParams {
    /// The largest error that is within the tolerance. Errors are told no finer than rounding lets factors tell them, and
    /// smaller ones are not asked for.
    fn finest_error(&self) -> f64 {
        self.tolerance.max(FINEST_ERROR)
    }
}

/// How a direct solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectReport {
    /// Whether residual and error are within the tolerance.
    pub status: Status,
    /// Factorisations made.
    pub factorisations: usize,
    /// Iterations of splitting.
    pub iterations: usize,
    /// The residual at the end, with velocities made anew from the impulses.
    pub residual: Residual,
    /// Estimate of ε.
    pub error: f64,
}

impl DirectReport {
    /// Before anything is made, with the residual of the start. Where every law is met there is nothing to be far from.
    fn of(residual: Residual) -> Self {
        let (status, error) = match residual.worst() == 0.0 {
            true => (Status::Solved, 0.0),
            false => (Status::NotSolved, f64::INFINITY),
        };
        Self { status, factorisations: 0, iterations: 0, residual, error }
    }

    /// Whether residual and error are within the tolerance.
    fn is_within(&self, params: &DirectParams) -> bool {
        self.residual.within(params.tolerance) && self.error <= params.finest_error()
    }

    /// The larger of residual and error.
    pub fn worst(&self) -> f64 {
        // Unlike `f64::max` this keeps what is not a number.
        let residual = self.residual.worst();
        if self.error <= residual { residual } else { self.error }
    }
}

/// Direct methods with their scratch. An analysis is kept as long as the graph of movers stays the same.
#[derive(Debug, Default)]
pub struct Direct<S: Blocks> {
    interior: S::Interior,
    trial: Solution<S>,
}

impl<S: Blocks> Direct<S> {
    /// Whether there are methods for such a problem: its contacts are all Coulomb's, frictionless or ties, between rigid
    /// movers, and in its list.
    pub fn fits(problem: &ContactProblem<S>) -> bool {
        let fits = |contact| !matches!(Found::at(problem, contact), Found::Unfit);
        let plain = problem.is_coulomb() || problem.contacts.iter().all(fits);
        plain && problem.compliant.is_empty() && !problem.contacts.is_empty()
    }

    /// Takes a problem in, and returns the multiplications of one factorisation; none where the problem does not
    /// [fit](Self::fits), or there is not enough memory.
    pub fn prepare(&mut self, problem: &ContactProblem<S>) -> Option<f64> {
        if Self::fits(problem) { self.interior.prepare(problem) } else { None }
    }

    /// Goes on from the impulses of `solution`, those of the step before, by splitting on a factor that is kept. Where that
    /// comes within the tolerance, the impulses and their velocities are in `solution`; else it is left as it was.
    ///
    /// The problem must be the one that was [prepared](Self::prepare) last, and what is kept must be changed by nobody
    /// else.
    pub fn refine(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &DirectParams,
        kept: &mut Kept,
    ) -> DirectReport {
        self.interior.refine(problem, [solution, &mut self.trial], params, kept)
    }

    /// Judges the impulses of `solution`, by one factorisation. Its velocities are made anew.
    ///
    /// The problem must be the one that was [prepared](Self::prepare) last.
    pub fn judge(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &DirectParams,
    ) -> DirectReport {
        self.interior.judge(problem, solution, params)
    }

    /// Judges the impulses of `solution` by residual and error, and leaves them as they are if both are within the
    /// tolerance; else goes on from there by interior points, and from their own start where that leads nowhere. The
    /// best that was found is in `solution`, its velocities fresh.
    ///
    /// The problem must be the one that was [prepared](Self::prepare) last.
    pub fn solve(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &DirectParams,
    ) -> DirectReport {
        self.interior.solve(problem, solution, &mut self.trial, params)
    }
}
