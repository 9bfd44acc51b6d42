//! The solver that needs no choice: sweeps with momentum, and others where they are slow.
//!
//! Sweeps are cheap and find the state of most contacts (apart, stick, slip) soon; Newton is dear
//! and converges at once when the states are right. So sweeps go first. Where their pace says that
//! many more are needed, Newton tries; as long as its steps pay it goes on, and where they do not,
//! sweeps go on, twice as long before each next trial. Where a round of both has brought little,
//! alternating directions and the accelerated gradient are tried in turns, from the best impulses so
//! far and with as much work as the sweeps have done: what holds sweeps up need not hold up these.
//! All decisions depend on counts and residuals only, never on a clock: the same problem gives the
//! same bits.

use super::contact::{Components, Size};
use super::gauss_seidel::{Sweeps, excess};
use super::newton::NewtonSteps;
use super::{Admm, Apgd, Attempt, Limits, Solver, report};
use crate::assembled::{Assembled, Local};
use crate::{SolveReport, Status};

/// Newton is worth a trial where the pace of the sweeps promises at least so many more.
const MANY_SWEEPS: f64 = 600.0;
/// Unknowns above which a factorisation costs too much.
const LARGEST: usize = 12_000;
/// Unknowns up to which alternating directions, which need factors of all of W, are tried first.
const SMALL: usize = 200;
/// Sweeps before the first trial, and most before any.
const PATIENCE: [usize; 2] = [120, 2000];
/// A round that lowers the error by less than this factor has brought little.
const LITTLE: f64 = 4.0;
/// Sweeps that cost as much as one iteration of alternating directions.
const SWEEPS_PER_SPLIT: usize = 4;

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
        let sweeps = Sweeps::new(problem, start.residual, impulses);
        let mut run = Run { problem, limits, sweeps, newton: None, others: None, spent: 0 };
        run.solve(impulses, &mut self.story);
        SolveReport { iterations: run.iterations(), ..run.sweeps.finish(impulses, limits) }
    }

    fn story(&self) -> &[Attempt] {
        &self.story
    }
}

/// A solve under way.
struct Run<'a, const D: usize>
where
    Size<D>: Components<D>,
{
    problem: &'a Assembled<D>,
    limits: &'a Limits,
    sweeps: Sweeps<'a, D>,
    newton: Option<NewtonSteps<'a, D>>,
    others: Option<Others<D>>,
    /// Iterations that were no sweeps.
    spent: usize,
}

/// What is tried in turns where neither sweeps nor Newton get on.
struct Others<const D: usize> {
    splitting: Admm<D>,
    gradient: Apgd<D>,
    trial: Vec<Local<D>>,
    /// Whether alternating directions are next.
    splitting_next: bool,
}

impl<const D: usize> Run<'_, D>
where
    Size<D>: Components<D>,
{
    fn iterations(&self) -> usize {
        self.sweeps.count + self.spent
    }

    fn solved(&self) -> bool {
        self.sweeps.best.solves(self.limits.tolerance)
    }

    fn excess(&self) -> f64 {
        excess(&self.sweeps.best, self.limits.tolerance)
    }

    fn over(&self) -> bool {
        self.solved() || self.iterations() >= self.limits.max_iterations
    }

    fn solve(&mut self, impulses: &mut [Local<D>], story: &mut Vec<Attempt>) {
        let small_enough = self.problem.contacts() * D <= LARGEST;
        let mut patience = PATIENCE[0];
        let mut round = self.excess();
        loop {
            let pace = self.sweep(impulses, patience, story);
            if self.over() {
                return;
            }
            if !small_enough || self.excess().ln() < pace * MANY_SWEEPS {
                continue;
            }
            if !self.try_newton(impulses, story) {
                patience = (2 * patience).min(PATIENCE[1]);
            }
            if !self.over() && self.excess() * LITTLE > round {
                self.try_others(impulses, story);
            }
            if self.over() {
                return;
            }
            round = self.excess();
            self.sweeps.restart(impulses);
        }
    }

    /// Sweeps, and their pace: by how much the logarithm of the error falls in one.
    fn sweep(&mut self, r: &mut [Local<D>], patience: usize, story: &mut Vec<Attempt>) -> f64 {
        let left = self.limits.max_iterations.saturating_sub(self.iterations());
        let (count, before) = (self.sweeps.count, self.excess());
        while self.sweeps.count < count + patience.min(left) && !self.solved() {
            self.sweeps.advance(r, self.limits);
        }
        let made = self.sweeps.count - count;
        self.tell("gauss-seidel", made, story);
        (before / self.excess()).ln() / made as f64
    }

    /// Newton, as long as its steps pay; whether any did.
    fn try_newton(&mut self, impulses: &mut [Local<D>], story: &mut Vec<Attempt>) -> bool {
        let newton = self.newton.get_or_insert_with(|| NewtonSteps::new(self.problem));
        let (mut steps, mut any_paid) = (0, false);
        while !self.sweeps.best.solves(self.limits.tolerance) {
            let trial = newton.try_steps(&mut self.sweeps, impulses, self.limits.tolerance);
            steps += trial.steps;
            if !trial.paid {
                break;
            }
            any_paid = true;
        }
        self.spent += steps;
        self.tell("newton", steps, story);
        any_paid
    }

    /// The next of the others, with as much work as the sweeps have done.
    fn try_others(&mut self, impulses: &mut [Local<D>], story: &mut Vec<Attempt>) {
        let others = self.others.get_or_insert_with(|| Others {
            splitting: Admm::default(),
            gradient: Apgd::default(),
            trial: Vec::new(),
            splitting_next: self.problem.contacts() * D <= SMALL,
        });
        others.trial.clear();
        others.trial.extend_from_slice(self.sweeps.best_impulses());
        let left = self.limits.max_iterations.saturating_sub(self.sweeps.count + self.spent);
        let share = if others.splitting_next { SWEEPS_PER_SPLIT } else { 1 };
        let limits =
            Limits { max_iterations: (self.sweeps.count / share).min(left), ..*self.limits };
        let solver: &mut dyn Solver<D> = match others.splitting_next {
            true => &mut others.splitting,
            false => &mut others.gradient,
        };
        let report = solver.solve(self.problem, &mut others.trial, &limits);
        let name = solver.name();
        others.splitting_next = !others.splitting_next;
        self.spent += report.iterations;
        let before = self.excess();
        let others = self.others.as_ref().expect("made above");
        if self.sweeps.look(&others.trial, self.limits.tolerance) < before {
            impulses.copy_from_slice(&others.trial);
        }
        self.tell(name, report.iterations, story);
    }

    fn tell(&self, method: &'static str, iterations: usize, story: &mut Vec<Attempt>) {
        story.push(Attempt { method, iterations, residual: self.sweeps.best });
    }
}
