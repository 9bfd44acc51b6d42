//! Several methods side by side, where sweeps are slow: Newton, which is dear and converges at once when the
//! states of contacts are right; the accelerated gradient, which needs no factors; alternating directions,
//! where factors are affordable; and the sweeps themselves.
//!
//! No method wins everywhere, and none can be told to win beforehand. So they take turns, and each goes on
//! from where it was. Turns are paid in multiplications: the next one belongs to the method that has worked
//! least, and one that would take longer to the end than the best, by its own pace, gets down to a third of
//! the best one's share. A path of Newton's or through the interior that ends before the problem is solved makes what
//! the method promises less credible, and halves its share. A method that is far behind takes up the best impulses of all. Sweeps or Newton that
//! are stuck, near the end and yet in wrong states, begin again from the start.

use super::super::contact::{Components, Size};
use super::super::gauss_seidel::Way;
use super::super::newton::NewtonSteps;
use super::super::scaled::OnScaled;
use super::super::sparse::BlockSystem;
use super::super::{Admm, Apgd, AssembledMethod, Interior};
use super::Run;
use super::cost_model::{Costs, FactorCosts};
use crate::assembled::Local;
use crate::momentum::Strength;

/// Work of a turn, in sweeps.
const TURN: f64 = 60.0;
/// Least share of a method, relative to the best one's.
const LEAST_SHARE: f64 = 1.0 / 3.0;
/// What a dead end leaves of a method's share, at least so much of it, and how much longer than promised the next
/// way is taken to be.
const AFTER_DEAD_END: f64 = 0.5;
const LEAST_AFTER_ALL: f64 = 0.03;
const DOUBT: f64 = 4.0;
/// How much of the past counts in a method's pace.
const MEMORY: f64 = 0.7;
/// A method whose error is this many times the best one takes that one up.
const FAR_BEHIND: f64 = 10.0;
/// Sweeps after steps of Newton that did not pay.
const RELIEF: usize = 10;
/// Steps of Newton in a turn, about.
const STEPS: usize = 8;
/// Price of an iteration with factors above which nothing is factored: they would not fit into memory.
const MOST: f64 = 2e8;

/// The methods that take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Sweeps,
    Gradient,
    Newton,
    Splitting,
    Interior,
}

impl Method {
    const ALL: [Self; 5] =
        [Self::Sweeps, Self::Gradient, Self::Newton, Self::Splitting, Self::Interior];

    fn needs_factors(self) -> bool {
        matches!(self, Self::Newton | Self::Splitting | Self::Interior)
    }

    /// Whether it goes step by step along a way that can end.
    fn follows_paths(self) -> bool {
        matches!(self, Self::Newton | Self::Interior)
    }

    fn told(self) -> AssembledMethod {
        match self {
            Self::Sweeps => AssembledMethod::GaussSeidel(None),
            Self::Gradient => AssembledMethod::Apgd,
            Self::Newton => AssembledMethod::Newton,
            Self::Splitting => AssembledMethod::Admm,
            Self::Interior => AssembledMethod::Interior,
        }
    }
}

/// What a method has done.
#[derive(Clone, Copy, Debug)]
struct Account {
    method: Method,
    work: f64,
    /// Where it has been on its present way, and on all: its error as a multiple of what is asked.
    error: f64,
    least: f64,
    /// What it has lately gained in ln(error), and the work that it took.
    gained: f64,
    worked: f64,
    /// Turns without success, one after the other.
    failures: usize,
    /// Whether it goes a way of its own from the start.
    own_way: bool,
    /// Ways of its own that led nowhere.
    dead_ends: i32,
}

/// A turn of a method.
struct Turn {
    work: f64,
    /// The method's error after it.
    error: f64,
    success: bool,
}

impl Account {
    fn book(&mut self, turn: &Turn) {
        let error = self.error.min(turn.error);
        self.work += turn.work;
        self.gained = MEMORY * self.gained + (self.error / error).ln();
        self.worked = MEMORY * self.worked + turn.work;
        self.error = error;
        self.least = self.least.min(error);
        self.failures = if turn.success { 0 } else { self.failures + 1 };
        if self.own_way && self.method.follows_paths() && !turn.success {
            self.dead_ends += 1;
        }
    }

    /// Whether it has come to a dead end and should begin again. Impulses that were given often come from
    /// sweeps that are stuck already: only from nothing do sweeps begin again.
    fn is_stuck(&self, from_nothing: bool) -> bool {
        let patience = match self.method {
            Method::Sweeps if from_nothing => 3,
            Method::Newton => 1,
            _ => return false,
        };
        !self.own_way && self.failures >= patience
    }

    /// Whether it had better go on from impulses with this error.
    fn is_behind(&self, best: f64) -> bool {
        let gets_on = self.own_way && self.failures == 0;
        // Paths through the interior begin by themselves.
        self.method != Method::Interior && self.least > FAR_BEHIND * best && !gets_on
    }

    /// The work that is left at its pace.
    fn forecast(&self) -> f64 {
        self.error.ln() * self.worked / self.gained * DOUBT.powi(self.dead_ends)
    }

    /// Its share of the work, where the best method would need so much more to the end.
    fn share(&self, soonest: f64) -> f64 {
        let share = match soonest / self.forecast() {
            // Nobody gets on, or this one has had no turn yet.
            ratio if ratio.is_nan() || self.worked == 0.0 => 1.0,
            ratio => ratio.clamp(LEAST_SHARE, 1.0),
        };
        share * AFTER_DEAD_END.powi(self.dead_ends).max(LEAST_AFTER_ALL)
    }
}

/// See the module's head.
pub(super) struct Portfolio<'r, 'a, const D: usize>
where
    Size<D>: Components<D>,
{
    /// The solve, with the sweeps.
    run: &'r mut Run<'a, D>,
    accounts: Vec<Account>,
    costs: Costs,
    /// None before W is analysed.
    factor_costs: Option<FactorCosts>,
    /// The first impulses of the solve.
    start: Vec<Local<D>>,
    newton: NewtonSteps<'a, D>,
    newton_impulses: Vec<Local<D>>,
    gradient: Apgd<D>,
    splitting: Admm<D>,
    interior: Interior<D>,
}

impl<'r, 'a, const D: usize> Portfolio<'r, 'a, D>
where
    Size<D>: Components<D>,
{
    /// All methods, from the best impulses of the sweeps.
    pub fn new(run: &'r mut Run<'a, D>, start: Vec<Local<D>>) -> Self {
        let problem = run.sweeper.problem;
        let costs = Costs::new(problem);
        let account = |&method| Account {
            method,
            work: if method == Method::Sweeps { run.iterations as f64 * costs.sweep } else { 0.0 },
            error: run.best(),
            least: run.best(),
            gained: 0.0,
            worked: 0.0,
            failures: 0,
            own_way: method == Method::Interior,
            dead_ends: 0,
        };
        let accounts = Method::ALL.iter().map(account).collect();
        let impulses = run.sweeper.best_impulses();
        let mut gradient = Apgd::default();
        gradient.begin(problem, impulses, run.sweeper.best, run.limits);
        Self {
            newton: NewtonSteps::new(problem),
            newton_impulses: impulses.to_vec(),
            gradient,
            splitting: Admm::default(),
            interior: Interior::default(),
            run,
            accounts,
            costs,
            factor_costs: None,
            start,
        }
    }

    /// Turns until the problem is solved or iterations are used up.
    pub fn take(mut self) {
        let from_nothing = self.start.iter().all(|r| *r == [0.0; D]);
        while !self.run.over() {
            let next = self.next();
            let method = self.accounts[next].method;
            if method.needs_factors() && self.factor_costs.is_none() {
                self.accounts[next].work += self.costs.analysis;
                self.analyse();
                continue;
            }
            let best = self.run.best();
            if self.accounts[next].is_behind(best) {
                self.take_up(method);
                let account = &mut self.accounts[next];
                (account.error, account.least) = (best, best);
            }
            let count = self.run.iterations;
            let turn = self.turn(method, self.accounts[next].error);
            self.accounts[next].book(&turn);
            let made = self.run.iterations - count;
            self.run.story.tell(method.told(), made, self.run.sweeper.best);
            if self.accounts[next].is_stuck(from_nothing) && !self.run.over() {
                let error = self.start_over(method);
                let account = &mut self.accounts[next];
                (account.own_way, account.error, account.failures) = (true, error, 0);
            }
        }
    }

    /// Whose turn it is.
    fn next(&self) -> usize {
        let soonest = self.accounts.iter().map(Account::forecast).fold(f64::INFINITY, f64::min);
        let due = |account: &Account| {
            (account.work + self.price(account.method)) / account.share(soonest)
        };
        let dues: Vec<f64> = self.accounts.iter().map(due).collect();
        (0..dues.len()).min_by(|&a, &b| dues[a].total_cmp(&dues[b])).expect("sweeps go on")
    }

    /// The work of a method's next turn.
    fn price(&self, method: Method) -> f64 {
        let turn = TURN * self.costs.sweep;
        match (method, self.factor_costs) {
            (Method::Sweeps | Method::Gradient, _) => turn,
            (_, None) => self.costs.analysis,
            (Method::Newton, Some(costs)) => STEPS as f64 * costs.newton,
            (Method::Interior, Some(costs)) => STEPS as f64 * costs.interior,
            (Method::Splitting, Some(costs)) => turn.max(costs.factor + costs.splitting),
        }
    }

    /// Analyses W, for the sake of costs and of the methods that need factors. Where these would be too large, only
    /// methods without them go on.
    fn analyse(&mut self) {
        let run = &self.run;
        let (problem, best) = (run.sweeper.problem, run.sweeper.best_impulses());
        self.splitting.begin(problem, best, run.sweeper.best, run.limits);
        let symmetric = self.splitting.analyse();
        // Where L alone is too large, the lists of its pattern need not be made.
        let fits = symmetric.solve <= MOST;
        let system = fits.then(|| BlockSystem::new(&problem.delassus)).flatten();
        let costs = system
            .as_ref()
            .map(|system| self.costs.with_factors(problem, symmetric, system.price()))
            .filter(|costs| costs.splitting <= MOST);
        self.factor_costs = costs;
        if let (Some(_), Some(system)) = (costs, system) {
            self.interior.begin(problem, best, run.sweeper.best, run.limits);
            self.interior.use_analysis(system.clone());
            self.newton.use_analysis(system);
        } else {
            self.accounts.retain(|account| !account.method.needs_factors());
        }
    }

    fn take_up(&mut self, method: Method) {
        let run = &mut *self.run;
        let impulses = run.sweeper.best_impulses();
        match method {
            Method::Sweeps => {
                run.impulses.copy_from_slice(impulses);
                run.sweeps.restart(impulses);
            }
            Method::Newton => self.newton_impulses.copy_from_slice(impulses),
            Method::Gradient => self.gradient.take_up(impulses),
            Method::Splitting => self.splitting.take_up(impulses),
            Method::Interior => {}
        }
    }

    /// Begins again from the first impulses of the solve, for sweeps with weaker momentum. Returns the error
    /// from which its gains count: what sweeps gain at first says nothing of their later pace.
    fn start_over(&mut self, method: Method) -> f64 {
        let run = &mut *self.run;
        if method == Method::Newton {
            self.newton.restart();
            self.newton_impulses.copy_from_slice(&self.start);
            self.newton.relax(&mut run.sweeper, &mut self.newton_impulses, RELIEF);
            run.sweeper.look(&self.newton_impulses, run.limits.tolerance)
        } else {
            run.sweeps = Way::new(&self.start, Strength::gradual());
            run.impulses.copy_from_slice(&self.start);
            run.sweeper.look(run.impulses, run.limits.tolerance).min(FAR_BEHIND * run.best())
        }
    }

    /// A turn, from this error.
    fn turn(&mut self, method: Method, error: f64) -> Turn {
        match (method, self.factor_costs) {
            (Method::Newton, Some(costs)) => self.newton_turn(&costs),
            (Method::Splitting, Some(costs)) => self.splitting_turn(&costs),
            (Method::Interior, Some(costs)) => self.interior_turn(&costs),
            (Method::Gradient, _) => self.gradient_turn(),
            _ => {
                let work = self.run.sweep(TURN as usize) as f64 * self.costs.sweep;
                let least = self.run.sweeps.least();
                Turn { work, error: least, success: least < error }
            }
        }
    }

    /// Iterations of a turn at this price.
    fn count(&self, price: f64) -> usize {
        let left = self.run.limits.max_iterations - self.run.iterations;
        ((TURN * self.costs.sweep / price) as usize).clamp(1, left)
    }

    fn gradient_turn(&mut self) -> Turn {
        let count = self.count(self.costs.gradient);
        let run = &mut *self.run;
        let made = self.gradient.advance(run.sweeper.problem, run.limits, count);
        let error = run.book(made, self.gradient.best());
        Turn { work: made as f64 * self.costs.gradient, error, success: true }
    }

    fn newton_turn(&mut self, costs: &FactorCosts) -> Turn {
        let run = &mut *self.run;
        let (sweeper, limits) = (&mut run.sweeper, run.limits);
        let tolerance = limits.tolerance;
        let (mut made, mut paid) = (0, true);
        while paid && made < STEPS && !sweeper.best.solves(tolerance) {
            let trial = self.newton.try_steps(sweeper, &mut self.newton_impulses, limits);
            made += trial.steps;
            paid = trial.paid;
        }
        if !paid {
            self.newton.relax(sweeper, &mut self.newton_impulses, RELIEF);
        }
        run.iterations += made;
        let error = sweeper.look(&self.newton_impulses, tolerance);
        Turn { work: made as f64 * costs.newton, error, success: paid }
    }

    fn splitting_turn(&mut self, costs: &FactorCosts) -> Turn {
        let mut work = 0.0;
        if !self.splitting.is_factored() {
            work += costs.factor;
            if !self.splitting.factor() {
                return Turn { work: f64::INFINITY, error: f64::INFINITY, success: false };
            }
        }
        let count = self.count(costs.splitting);
        let run = &mut *self.run;
        let made = self.splitting.advance(run.sweeper.problem, run.limits, count);
        let error = run.book(made, self.splitting.best());
        Turn { work: work + made as f64 * costs.splitting, error, success: true }
    }

    /// Steps along a path; where one has ended, the next begins, and its gains count from there.
    fn interior_turn(&mut self, costs: &FactorCosts) -> Turn {
        let run = &mut *self.run;
        let (problem, limits) = (run.sweeper.problem, run.limits);
        if !self.interior.is_on_its_way() {
            self.interior.start(problem, run.sweeper.best_impulses(), limits);
            let own = self.accounts.iter_mut().find(|a| a.method == Method::Interior);
            own.expect("it has this turn").error = self.interior.error();
        }
        let left = limits.max_iterations - run.iterations;
        let made = self.interior.advance(problem, limits, STEPS.min(left));
        run.book(made, self.interior.best());
        let error = self.interior.error();
        Turn { work: made as f64 * costs.interior, error, success: self.interior.is_on_its_way() }
    }
}
