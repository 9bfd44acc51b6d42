//! The solver that needs no choice: sweeps with momentum, and Newton where they are slow.
//!
//! Sweeps are cheap and find the state of most contacts (apart, stick, slip) soon; Newton is dear
//! and converges at once when the states are right. So sweeps go first. Where their pace says that
//! many more are needed, Newton tries; as long as its steps pay it goes on, and where they do not,
//! sweeps go on, twice as long before each next trial. All decisions depend on counts and residuals
//! only, never on a clock: the same problem gives the same bits.

use super::contact::{Components, Size};
use super::gauss_seidel::{Sweeps, excess};
use super::newton::NewtonSteps;
use super::{Attempt, Limits, Solver, report};
use crate::assembled::{Assembled, Local};
use crate::{SolveReport, Status};

/// Newton is worth a trial where the pace of the sweeps promises at least so many more.
const MANY_SWEEPS: f64 = 600.0;
/// Unknowns above which a factorisation costs too much.
const LARGEST: usize = 12_000;
/// Sweeps before the first trial, and most before any.
const PATIENCE: [usize; 2] = [120, 2000];

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    story: Vec<Attempt>,
}

impl<const D: usize> Solver<D> for Auto
where
    Size<D>: Components<D>,
{
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(
        &mut self,
        problem: &Assembled<D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport {
        self.story.clear();
        let start = report(problem, impulses, 0, limits);
        if start.status == Status::Solved || problem.contacts() == 0 {
            return start;
        }
        let mut sweeps = Sweeps::new(problem, start.residual, impulses);
        let mut newton: Option<NewtonSteps<D>> = None;
        let mut steps = 0;
        let mut patience = PATIENCE[0];
        let tolerance = limits.tolerance;
        loop {
            let left = limits.max_iterations.saturating_sub(sweeps.count + steps);
            let (count, before) = (sweeps.count, excess(&sweeps.best, tolerance));
            while sweeps.count < count + patience.min(left) && !sweeps.best.solves(tolerance) {
                sweeps.advance(impulses, limits);
            }
            let made = sweeps.count - count;
            self.tell("gauss-seidel", made, &sweeps);
            if sweeps.best.solves(tolerance) || sweeps.count + steps >= limits.max_iterations {
                break;
            }
            let after = excess(&sweeps.best, tolerance);
            let pace = (before / after).ln() / made as f64;
            if after.ln() < pace * MANY_SWEEPS || problem.contacts() * D > LARGEST {
                continue;
            }
            let newton = newton.get_or_insert_with(|| NewtonSteps::new(problem));
            let count = steps;
            let mut paid = true;
            while paid && !sweeps.best.solves(tolerance) {
                let trial = newton.try_steps(&mut sweeps, impulses, tolerance);
                steps += trial.steps;
                paid = trial.paid;
            }
            self.tell("newton", steps - count, &sweeps);
            if steps - count <= super::newton::PATIENCE {
                patience = (2 * patience).min(PATIENCE[1]);
            }
            sweeps.restart(impulses);
        }
        SolveReport { iterations: sweeps.count + steps, ..sweeps.finish(impulses, limits) }
    }

    fn story(&self) -> &[Attempt] {
        &self.story
    }
}

impl Auto {
    fn tell<const D: usize>(&mut self, method: &'static str, iterations: usize, now: &Sweeps<D>)
    where
        Size<D>: Components<D>,
    {
        self.story.push(Attempt { method, iterations, residual: now.best });
    }
}
