//! The solver that needs no choice: sweeps with momentum, and several methods side by side where those
//! are slow.
//!
//! Sweeps are cheap and solve most problems, so they go first. Where their pace says that many more are
//! needed, others join in, see [`turns`].
//!
//! All decisions depend on counts and residuals only, never on a clock: the same problem gives the same
//! bits.

mod cost_model;
mod portfolio;

use super::contact::{Components, Size};
use super::gauss_seidel::Way;
use super::sweeper::{Sweeper, Sweeping};
use super::{AssembledMethod, Attempt, Limits, Solver};
use crate::assembled::{Assembled, Local};
use crate::momentum::Strength;
use crate::{Residual, SolveReport};
use cost_model::Costs;
use drystone_space::math;
use portfolio::Portfolio;

/// Others join in where the pace of the sweeps promises at least so many more, and so many times the price of the
/// analysis that the others begin with.
const MANY_SWEEPS: f64 = 100.0;
const MANY_ANALYSES: f64 = 6.0;
/// Sweeps before others may join in; twice as many from no impulses, whose error is without bound and tells no pace.
const PATIENCE: usize = 70;
/// Turns that lower the error by less than this factor are told together.
const LITTLE: f64 = 4.0;

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    /// Settings of its sweeps.
    pub sweeping: Sweeping,
    story: Vec<Attempt>,
}

impl Auto {
    /// With these settings of its sweeps.
    pub fn new(sweeping: Sweeping) -> Self {
        Self { sweeping, ..Self::default() }
    }
}

impl<const D: usize> Solver<D> for Auto
where
    Size<D>: Components<D>,
{
    fn solve_from(
        &mut self,
        problem: &Assembled<D>,
        impulses: &mut [Local<D>],
        start: Residual,
        limits: &Limits,
    ) -> SolveReport {
        let sweeper = Sweeper::new(problem, &self.sweeping, start, impulses);
        let story = Story { told: &mut self.story, chapter: 0, tolerance: limits.tolerance };
        let sweeps = Way::new(impulses, Strength::watched(true));
        let mut run = Run { limits, sweeper, sweeps, impulses, iterations: 0, story };
        self.sweeping.threads.run(|| run.solve())
    }

    fn story(&self) -> &[Attempt] {
        &self.story
    }

    fn forget(&mut self) {
        self.story.clear();
    }
}

/// A solve under way.
struct Run<'a, const D: usize>
where
    Size<D>: Components<D>,
{
    limits: &'a Limits,
    sweeper: Sweeper<'a, D>,
    sweeps: Way<D>,
    /// Those of the sweeps.
    impulses: &'a mut [Local<D>],
    /// Of all methods.
    iterations: usize,
    story: Story<'a>,
}

impl<const D: usize> Run<'_, D>
where
    Size<D>: Components<D>,
{
    fn best(&self) -> f64 {
        self.sweeper.best.excess(self.limits.tolerance)
    }

    fn over(&self) -> bool {
        self.sweeper.best.solves(self.limits.tolerance)
            || self.iterations >= self.limits.max_iterations
            || self.limits.is_late()
    }

    fn solve(&mut self) -> SolveReport {
        let start = self.impulses.to_vec();
        let costs = Costs::new(self.sweeper.problem);
        let many = MANY_SWEEPS.max(MANY_ANALYSES * costs.analysis / costs.sweep);
        loop {
            let before = self.best();
            let made = self.sweep(PATIENCE);
            self.story.tell(AssembledMethod::GaussSeidel(None), made, self.sweeper.best);
            let gained = math::ln(before / self.best());
            if self.over() {
                break;
            }
            if math::ln(self.best()) * made as f64 > gained * many {
                Portfolio::new(self, start, (gained, made)).take();
                break;
            }
        }
        self.sweeper.finish(self.impulses, self.iterations, self.limits.tolerance)
    }

    /// Books iterations of a method, and takes over its best impulses where they are the best of all. Returns their
    /// error.
    fn book(&mut self, made: usize, (error, impulses): (f64, &[Local<D>])) -> f64 {
        self.iterations += made;
        if error < self.best() {
            self.sweeper.look(impulses, self.limits.tolerance);
        }
        error
    }

    /// At least `count` sweeps, up to a look, fewer where the problem is solved before; how many were made.
    fn sweep(&mut self, count: usize) -> usize {
        let (start, tolerance) = (self.sweeps.count(), self.limits.tolerance);
        let left = self.limits.max_iterations - self.iterations;
        let mut made = 0;
        while made < count.min(left)
            && !self.sweeper.best.solves(tolerance)
            && !self.limits.is_late()
        {
            let most = left - made;
            self.sweeps.advance(&mut self.sweeper, self.impulses, most, self.limits);
            made = self.sweeps.count() - start;
        }
        self.iterations += made;
        made
    }
}

/// What was done, for the user.
struct Story<'a> {
    told: &'a mut Vec<Attempt>,
    /// Where the part begins that is still told together.
    chapter: usize,
    tolerance: f64,
}

impl Story<'_> {
    /// Tells of a turn. Turns in which the error fell little are told together, one line for each method.
    fn tell(&mut self, method: AssembledMethod, iterations: usize, best: Residual) {
        match self.told[self.chapter..].iter_mut().find(|told| told.method == method) {
            Some(told) => {
                told.iterations += iterations;
                told.residual = best;
            }
            None => self.told.push(Attempt { method, iterations, residual: best }),
        }
        let before = self.told[..self.chapter].last();
        let before = before.map_or(f64::INFINITY, |told| told.residual.excess(self.tolerance));
        if best.excess(self.tolerance) * LITTLE < before {
            self.chapter = self.told.len();
        }
    }
}
