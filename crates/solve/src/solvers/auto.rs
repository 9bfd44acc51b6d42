//! The solver that needs no choice: sweeps with momentum, and several methods side by side where those
//! are slow.
//!
//! Sweeps are cheap and solve most problems, so they go first. Where their pace says that many more are
//! needed, others join in: Newton, which is dear and converges at once when the states of contacts are
//! right; the accelerated gradient, which needs no factors; alternating directions, where factors are
//! affordable. No method wins everywhere, and none can be told to win beforehand. So they take turns, and
//! each goes on from where it was. Turns are paid in multiplications: the next one belongs to the method
//! that has worked least, and one that would take longer to the end than the best, by its own pace, gets
//! down to a third of the best one's share. A method that is far behind takes up the best impulses of all.
//!
//! All decisions depend on counts and residuals only, never on a clock: the same problem gives the same
//! bits.

use super::contact::{Components, Size};
use super::factor::FactorPrice;
use super::gauss_seidel::Sweeps;
use super::newton::NewtonSteps;
use super::sweeper::{Sweeper, Sweeping};
use super::{Admm, Apgd, Attempt, Limits, Solver, report};
use crate::assembled::{Assembled, Local};
use crate::{SolveReport, Status};

/// Others join in where the pace of the sweeps promises at least so many more.
const MANY_SWEEPS: f64 = 600.0;
/// Sweeps before others may join in.
const PATIENCE: usize = 120;
/// Work of a turn, in sweeps.
const TURN: f64 = 60.0;
/// Least share of a method, relative to the best one's.
const LEAST_SHARE: f64 = 1.0 / 3.0;
/// How much of the past counts in a method's pace.
const MEMORY: f64 = 0.7;
/// A method whose error is this many times the best one takes that one up.
const FAR_BEHIND: f64 = 10.0;
/// Turns that lower the error by less than this factor are told together.
const LITTLE: f64 = 4.0;
/// Sweeps after steps of Newton that did not pay.
const RELIEF: usize = 10;
/// Price of an iteration with factors above which nothing is factored: they would not fit into memory.
const MOST: f64 = 2e8;

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
        let sweeper = Sweeper::new(problem, &self.sweeping, start.residual, impulses);
        let (story, threads) = (&mut self.story, &self.sweeping.threads);
        threads.run(|| {
            let mut run = Run::new(sweeper, impulses, limits, story);
            run.solve();
            let iterations = run.iterations;
            run.sweeper.finish(impulses, iterations, limits.tolerance)
        })
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
    limits: &'a Limits,
    sweeper: Sweeper<'a, D>,
    iterations: usize,
    story: &'a mut Vec<Attempt>,
    /// Where the part of the story begins that is still told together.
    chapter: usize,
    prices: Prices,
    sweeps: (Sweeps<D>, Vec<Local<D>>),
    /// The first impulses, until Newton goes back to them.
    start: Option<Vec<Local<D>>>,
    /// `None` until it joins in: most problems never need it.
    newton: Option<(NewtonSteps<'a, D>, Vec<Local<D>>)>,
    gradient: Apgd<D>,
    splitting: Admm<D>,
}

/// What methods cost, in multiplications of a sweep: fitted to times on recorded problems, to a factor of
/// two.
#[derive(Clone, Copy, Debug)]
struct Prices {
    sweep: f64,
    /// An iteration of the gradient.
    gradient: f64,
    /// The analysis of W's pattern, and what it told.
    analysis: f64,
    analysed: Option<Analysed>,
}

/// Prices that are known after the analysis.
#[derive(Clone, Copy, Debug)]
struct Analysed {
    /// A factorisation of W, and an iteration of alternating directions.
    factor: f64,
    splitting: f64,
    /// A step of Newton: factors without symmetry, of a pattern that is new in every step.
    newton: f64,
}

impl Prices {
    fn new<const D: usize>(problem: &Assembled<D>) -> Self {
        let numbers = (problem.delassus.blocks.len() * D * D) as f64;
        let contacts = problem.contacts() as f64;
        Self {
            sweep: numbers + 5.0 * (D * D * D) as f64 * contacts,
            gradient: 2.0 * numbers + 40.0 * D as f64 * contacts,
            analysis: 30.0 * numbers,
            analysed: None,
        }
    }

    fn analysed<const D: usize>(&self, problem: &Assembled<D>, price: FactorPrice) -> Analysed {
        let components = (problem.contacts() * D) as f64;
        let assembly = 20.0 / 3.0 * self.analysis;
        Analysed {
            factor: price.factor,
            splitting: self.gradient + 2.0 * price.solve + 40.0 * components,
            newton: if price.dense { price.factor / 3.0 } else { 10.0 * price.factor + assembly },
        }
    }
}

/// The methods that take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Sweeps,
    Gradient,
    Newton,
    Splitting,
}

impl Method {
    const ALL: [Self; 4] = [Self::Sweeps, Self::Gradient, Self::Newton, Self::Splitting];

    fn name(self) -> &'static str {
        match self {
            Self::Sweeps => "gauss-seidel",
            Self::Gradient => "apgd",
            Self::Newton => "newton",
            Self::Splitting => "admm",
        }
    }
}

/// What a method has done.
#[derive(Clone, Copy, Debug)]
struct Account {
    method: Method,
    work: f64,
    /// Least error, as a multiple of what is asked.
    error: f64,
    /// What it has lately gained in ln(error), and the work that it took.
    gained: f64,
    worked: f64,
}

impl Account {
    fn book(&mut self, work: f64, error: f64) {
        self.work += work;
        self.gained = MEMORY * self.gained + (self.error / error).ln().max(0.0);
        self.worked = MEMORY * self.worked + work;
        self.error = self.error.min(error);
    }

    /// The work that is left at its pace.
    fn forecast(&self) -> f64 {
        self.error.ln() * self.worked / self.gained
    }
}

impl<'a, const D: usize> Run<'a, D>
where
    Size<D>: Components<D>,
{
    fn new(
        sweeper: Sweeper<'a, D>,
        impulses: &[Local<D>],
        limits: &'a Limits,
        story: &'a mut Vec<Attempt>,
    ) -> Self {
        let problem = sweeper.problem;
        Self {
            limits,
            sweeper,
            iterations: 0,
            story,
            chapter: 0,
            prices: Prices::new(problem),
            sweeps: (Sweeps::new(impulses), impulses.to_vec()),
            start: Some(impulses.to_vec()),
            newton: None,
            gradient: Apgd::default(),
            splitting: Admm::default(),
        }
    }

    fn best(&self) -> f64 {
        self.sweeper.best.excess(self.limits.tolerance)
    }

    fn over(&self) -> bool {
        self.sweeper.best.solves(self.limits.tolerance)
            || self.iterations >= self.limits.max_iterations
    }

    fn solve(&mut self) {
        loop {
            let before = self.best();
            let made = self.sweep(PATIENCE);
            self.tell(Method::Sweeps, made);
            let pace = (before / self.best()).ln() / made as f64;
            if self.over() {
                return;
            }
            if self.best().ln() > pace * MANY_SWEEPS {
                break;
            }
        }
        self.take_turns();
    }

    fn take_turns(&mut self) {
        let (error, work) = (self.best(), self.iterations as f64 * self.prices.sweep);
        let mut accounts: Vec<Account> = Method::ALL
            .iter()
            .map(|&method| Account { method, work: 0.0, error, gained: 0.0, worked: 0.0 })
            .collect();
        accounts[0].work = work;
        let impulses = self.sweeper.best_impulses();
        self.newton = Some((NewtonSteps::new(self.sweeper.problem), impulses.to_vec()));
        self.gradient.begin(self.sweeper.problem, impulses, self.limits);
        while !self.over() {
            let next = self.next(&accounts);
            let account = &mut accounts[next];
            if account.error > FAR_BEHIND * self.best() {
                self.take_up(account.method);
                account.error = self.best();
            }
            let count = self.iterations;
            let (work, error) = self.turn(account.method);
            account.book(work, error);
            self.tell(account.method, self.iterations - count);
            if self.prices.analysed.is_some_and(|prices| prices.splitting > MOST) {
                accounts.truncate(2);
            }
        }
    }

    /// Whose turn it is.
    fn next(&self, accounts: &[Account]) -> usize {
        let soonest = accounts.iter().map(Account::forecast).fold(f64::INFINITY, f64::min);
        let due = |account: &Account| {
            let share = match soonest / account.forecast() {
                // Nobody gets on, or this one has had no turn yet.
                ratio if ratio.is_nan() || account.worked == 0.0 => 1.0,
                ratio => ratio.clamp(LEAST_SHARE, 1.0),
            };
            (account.work + self.price(account.method)) / share
        };
        let dues: Vec<f64> = accounts.iter().map(due).collect();
        (0..dues.len()).min_by(|&a, &b| dues[a].total_cmp(&dues[b])).expect("sweeps go on")
    }

    /// The work of a method's next turn.
    fn price(&self, method: Method) -> f64 {
        let turn = TURN * self.prices.sweep;
        match (method, self.prices.analysed) {
            (Method::Sweeps | Method::Gradient, _) => turn,
            (Method::Newton | Method::Splitting, None) => self.prices.analysis,
            (Method::Newton, Some(prices)) => 8.0 * prices.newton,
            (Method::Splitting, Some(prices)) => turn.max(prices.factor + prices.splitting),
        }
    }

    fn take_up(&mut self, method: Method) {
        let impulses = self.sweeper.best_impulses();
        match method {
            Method::Sweeps => {
                self.sweeps.1.copy_from_slice(impulses);
                self.sweeps.0.restart(impulses);
            }
            Method::Newton => {
                if let Some((_, own)) = &mut self.newton {
                    own.copy_from_slice(impulses);
                }
            }
            Method::Gradient => self.gradient.take_up(impulses),
            Method::Splitting => self.splitting.take_up(impulses),
        }
    }

    /// A turn: the work that it took, and the method's least error in it.
    fn turn(&mut self, method: Method) -> (f64, f64) {
        let (problem, limits) = (self.sweeper.problem, self.limits);
        let left = limits.max_iterations - self.iterations;
        let count = |price: f64| ((TURN * self.prices.sweep / price) as usize).clamp(1, left);
        match method {
            Method::Sweeps => {
                let made = self.sweep(TURN as usize);
                (made as f64 * self.prices.sweep, self.sweeps.0.least)
            }
            Method::Gradient => {
                let made = self.gradient.advance(problem, limits, count(self.prices.gradient));
                self.iterations += made;
                let (error, impulses) = self.gradient.best();
                if error < self.best() {
                    self.sweeper.look(impulses, limits.tolerance);
                }
                (made as f64 * self.prices.gradient, error)
            }
            Method::Newton => self.newton_turn(),
            Method::Splitting => self.splitting_turn(),
        }
    }

    fn sweep(&mut self, count: usize) -> usize {
        let (sweeps, impulses) = &mut self.sweeps;
        let start = sweeps.count;
        let left = self.limits.max_iterations - self.iterations;
        while sweeps.count < start + count.min(left)
            && !self.sweeper.best.solves(self.limits.tolerance)
        {
            sweeps.advance(&mut self.sweeper, impulses, self.limits);
        }
        self.iterations += sweeps.count - start;
        sweeps.count - start
    }

    /// The analysis first, then steps from the best impulses. Where these do not pay, near the end and yet
    /// in wrong states, Newton goes a way of its own from the start.
    fn newton_turn(&mut self) -> (f64, f64) {
        let Some(prices) = self.prices.analysed else { return self.analyse() };
        let Some((steps, impulses)) = &mut self.newton else { return (0.0, self.best()) };
        let trial = steps.try_steps(&mut self.sweeper, impulses, self.limits.tolerance);
        if !trial.paid {
            if let Some(start) = self.start.take() {
                *impulses = start;
                *steps = NewtonSteps::new(self.sweeper.problem);
            }
            steps.relax(&mut self.sweeper, impulses, RELIEF);
        }
        self.iterations += trial.steps;
        let error = self.sweeper.look(impulses, self.limits.tolerance);
        (trial.steps as f64 * prices.newton, error)
    }

    fn splitting_turn(&mut self) -> (f64, f64) {
        let (problem, limits) = (self.sweeper.problem, self.limits);
        let Some(prices) = self.prices.analysed else { return self.analyse() };
        let mut work = 0.0;
        if !self.splitting.is_factored() {
            work += prices.factor;
            if !self.splitting.factor() {
                return (f64::INFINITY, f64::INFINITY);
            }
        }
        let price = prices.splitting;
        let left = limits.max_iterations - self.iterations;
        let count = ((TURN * self.prices.sweep / price) as usize).clamp(1, left);
        let made = self.splitting.advance(problem, limits, count);
        self.iterations += made;
        let (error, impulses) = self.splitting.best();
        if error < self.best() {
            self.sweeper.look(impulses, limits.tolerance);
        }
        (work + made as f64 * price, error)
    }

    /// Analyses W, for the sake of prices and of alternating directions.
    fn analyse(&mut self) -> (f64, f64) {
        let impulses = self.sweeper.best_impulses();
        self.splitting.begin(self.sweeper.problem, impulses, self.limits);
        let price = self.splitting.analyse();
        self.prices.analysed = Some(self.prices.analysed(self.sweeper.problem, price));
        (self.prices.analysis, self.best())
    }

    /// Tells of a turn. Turns in which the error fell little are told together, one line for each method.
    fn tell(&mut self, method: Method, iterations: usize) {
        let (name, residual) = (method.name(), self.sweeper.best);
        let (tolerance, start) = (self.limits.tolerance, self.chapter);
        match self.story[start..].iter_mut().find(|told| told.method == name) {
            Some(told) => {
                told.iterations += iterations;
                told.residual = residual;
            }
            None => self.story.push(Attempt { method: name, iterations, residual }),
        }
        let before = self.story[..start]
            .last()
            .map_or(f64::INFINITY, |told| told.residual.excess(tolerance));
        if residual.excess(tolerance) * LITTLE < before {
            self.chapter = self.story.len();
        }
    }
}
