//! Several methods side by side, where sweeps are slow: Newton, which is dear and converges at once when the
//! states of contacts are right; paths through the interior, which need no states; the accelerated gradient, which
//! needs no factors; alternating directions, where factors are affordable; and the sweeps themselves.
//!
//! No method wins everywhere, and none can be told to win beforehand. So they take turns, each goes on from where it
//! was, and turns are paid in multiplications. The next turn belongs to the method that will have worked least after it,
//! in units of its share.
//!
//! Sweeps have a whole share, unless others are ahead and promise more, and take up the impulses of others where these are
//! far better. The analysis of W's pattern is made when the sweeps have worked several times as much, since it is of use
//! only with what follows. Newton, from the start of the solve, and a path through the interior are tried when the sweeps
//! have worked about as much as the shorter ones of their successes cost. A trial is not interrupted while it gets on, and
//! may cost more than that; each that ends before the problem is solved leaves its method a smaller share. The gradient
//! and alternating directions have a small share until a trial of both others has failed, and then what their pace
//! promises.
//!
//! This is a bet and no bound: with several methods of unknown cost nothing pays less than their number times the best in
//! the worst case. What was paid is in docs/solvers.md.

use super::super::contact::{Components, Size};
use super::super::newton::{NewtonSteps, Trial};
use super::super::scaled::OnScaled;
use super::super::sparse::BlockSystem;
use super::super::{Admm, Apgd, AssembledMethod, Interior};
use super::Run;
use super::cost_model::{Costs, FactorCosts};
use crate::assembled::Local;
use drystone_space::math;

/// Work of a turn, in sweeps.
const TURN: f64 = 60.0;
/// Share of the gradient and of alternating directions until trials of Newton and of interior points have failed, and at
/// least.
const UNPROVEN: f64 = 0.15;
const LEAST: f64 = 0.06;
/// Least share of sweeps whose error is so many times the best one.
const LEAST_OF_SWEEPS: f64 = 1.0 / 3.0;
const BEHIND: f64 = 3.0;
/// Share of Newton, which arrives less often than interior points.
const NEWTON: f64 = 0.9;
/// What a dead end leaves of a method's share, and at least.
const AFTER_DEAD_END: f64 = 0.3;
const LEAST_AFTER_ALL: f64 = 0.03;
/// How much of the past counts in a method's pace.
const MEMORY: f64 = 0.7;
/// A method whose error is this many times the best one takes that one up.
const FAR_BEHIND: f64 = 10.0;
/// Sweeps after steps of Newton that did not pay.
const RELIEF: usize = 10;
/// The work after which an analysis pays, in units of its own.
const WITH_ANALYSIS: f64 = 5.0;
/// Steps of Newton for which sweeps are to have worked before a trial, most of a trial, and how few that halve the error
/// let it go on beyond that.
const SHORT_TRIAL: f64 = 5.0;
const STEPS: usize = 8;
const QUICK: usize = 2;
/// Steps along a path through the interior for which sweeps are to have worked, those at first, and then bundles as long
/// as each brings it nearer by this factor.
const SHORT_PATH: f64 = 9.0;
const PATH: usize = 12;
const BUNDLE: usize = 4;
const NEARER: f64 = 4.0;
/// Price of an iteration with factors above which nothing is factored: they would not fit into memory.
const TOO_DEAR: f64 = 2e8;

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
    /// Ways that led nowhere, and whether the last one did.
    dead_ends: i32,
    failed: bool,
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
        self.gained = MEMORY * self.gained + math::ln(self.error / error);
        self.worked = MEMORY * self.worked + turn.work;
        self.error = error;
        self.least = self.least.min(error);
        self.failed = !turn.success;
        self.dead_ends += i32::from(self.failed);
    }

    /// Whether it had better go on from impulses with this error.
    fn is_behind(&self, best: f64) -> bool {
        let far = self.least > FAR_BEHIND * best;
        match self.method {
            // From the start it goes its way as long as that leads on.
            Method::Newton => far && self.failed,
            Method::Sweeps | Method::Gradient | Method::Splitting => far,
            // Paths through the interior begin by themselves.
            Method::Interior => false,
        }
    }

    /// The work that is left at its pace.
    fn forecast(&self) -> f64 {
        math::ln(self.error) * self.worked / self.gained
    }

    /// Its share of the work, where the best of those that go step by step would need so much more to the end; that of the
    /// gradient and of alternating directions is at most `most`.
    fn share(&self, soonest: f64, best: f64, most: f64) -> f64 {
        let after_all = math::powi(AFTER_DEAD_END, self.dead_ends).max(LEAST_AFTER_ALL);
        let ratio = soonest / self.forecast();
        match self.method {
            Method::Interior => after_all,
            Method::Newton => NEWTON * after_all,
            Method::Sweeps if ratio.is_nan() || self.least <= BEHIND * best => 1.0,
            Method::Sweeps => ratio.clamp(LEAST_OF_SWEEPS, 1.0),
            // It has had no turn yet, or nobody gets on.
            Method::Gradient | Method::Splitting if ratio.is_nan() || self.worked == 0.0 => {
                UNPROVEN
            }
            Method::Gradient | Method::Splitting => ratio.clamp(LEAST, most),
        }
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
    /// All methods, from the best impulses of the sweeps, which have lately gained so much in ln(error) by so many.
    pub fn new(
        run: &'r mut Run<'a, D>,
        start: Vec<Local<D>>,
        (gained, made): (f64, usize),
    ) -> Self {
        let problem = run.sweeper.problem;
        let costs = Costs::new(problem);
        let account = |&method| {
            let swept = if method == Method::Sweeps { costs.sweep } else { 0.0 };
            Account {
                method,
                work: run.iterations as f64 * swept,
                error: run.best(),
                least: run.best(),
                gained: if method == Method::Sweeps { gained } else { 0.0 },
                worked: made as f64 * swept,
                dead_ends: 0,
                failed: false,
            }
        };
        let accounts = Method::ALL.iter().map(account).collect();
        let impulses = run.sweeper.best_impulses();
        Self {
            newton: NewtonSteps::new(problem),
            newton_impulses: impulses.to_vec(),
            gradient: Apgd::default(),
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
        while !self.run.over() {
            let next = self.next();
            let method = self.accounts[next].method;
            if !self.run.limits.has_time_for(self.least_price(method)) {
                self.accounts.remove(next);
                continue;
            }
            if method.needs_factors() && self.factor_costs.is_none() {
                // Whoever uses factors pays for it.
                let users = self.accounts.iter_mut().filter(|a| a.method.needs_factors());
                users.for_each(|account| account.work += self.costs.analysis);
                self.analyse();
                continue;
            }
            let best = self.run.best();
            if self.accounts[next].worked == 0.0 {
                let error = self.begin(method);
                let account = &mut self.accounts[next];
                (account.error, account.least) = (error, account.least.min(error));
            } else if self.accounts[next].is_behind(best) {
                self.take_up(method);
                let account = &mut self.accounts[next];
                (account.error, account.least) = (best, best);
            }
            let count = self.run.iterations;
            let turn = self.turn(method);
            self.accounts[next].book(&turn);
            let made = self.run.iterations - count;
            self.run.story.tell(method.told(), made, self.run.sweeper.best);
        }
    }

    /// Whose turn it is.
    fn next(&self) -> usize {
        let step_by_step = self.accounts.iter().filter(|account| !account.method.follows_paths());
        let best = self.run.best();
        let soonest = step_by_step.map(Account::forecast).fold(f64::INFINITY, f64::min);
        let mut paths = self.accounts.iter().filter(|account| account.method.follows_paths());
        let most = if paths.all(|account| account.dead_ends > 0) { 1.0 } else { UNPROVEN };
        let due = |account: &Account| {
            (account.work + self.price(account.method)) / account.share(soonest, best, most)
        };
        let dues: Vec<f64> = self.accounts.iter().map(due).collect();
        (0..dues.len()).min_by(|&a, &b| dues[a].total_cmp(&dues[b])).expect("sweeps go on")
    }

    /// The work of a method's next turn, as far as it decides whose turn it is.
    fn price(&self, method: Method) -> f64 {
        let turn = TURN * self.costs.sweep;
        match (method, self.factor_costs) {
            (Method::Sweeps | Method::Gradient, _) => turn,
            (_, None) => WITH_ANALYSIS * self.costs.analysis,
            (Method::Newton, Some(costs)) => SHORT_TRIAL * costs.newton,
            (Method::Interior, Some(costs)) => {
                let on_its_way = self.interior.is_on_its_way();
                let steps = if on_its_way { BUNDLE as f64 } else { SHORT_PATH };
                steps * costs.interior
            }
            (Method::Splitting, Some(costs)) => turn.max(costs.factor + costs.splitting),
        }
    }

    /// The work of the least that a method can do, which must end in time; sweeps and the gradient stop at any moment.
    fn least_price(&self, method: Method) -> f64 {
        match (method, self.factor_costs) {
            (Method::Sweeps | Method::Gradient, _) => 0.0,
            (_, None) => self.costs.analysis,
            (Method::Newton, Some(costs)) => costs.newton,
            (Method::Interior, Some(costs)) => costs.interior,
            (Method::Splitting, Some(_)) if self.splitting.is_factored() => 0.0,
            (Method::Splitting, Some(costs)) => costs.factor + costs.splitting,
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
        let fits = symmetric.solve <= TOO_DEAR;
        let system = fits.then(|| BlockSystem::new(&problem.delassus)).flatten();
        let costs = system
            .as_ref()
            .map(|system| self.costs.with_factors(problem, symmetric, system.price()))
            .filter(|costs| costs.splitting <= TOO_DEAR);
        self.factor_costs = costs;
        if let (Some(_), Some(system)) = (costs, system) {
            self.interior.begin(problem, best, run.sweeper.best, run.limits);
            self.interior.use_analysis(system.clone());
            self.newton.use_analysis(system);
        } else {
            self.accounts.retain(|account| !account.method.needs_factors());
        }
    }

    /// Makes a method ready for its first turn. Returns the error from which its gains count.
    fn begin(&mut self, method: Method) -> f64 {
        let run = &*self.run;
        let best = run.best();
        match method {
            Method::Newton => return self.start_newton(),
            Method::Gradient => {
                let (problem, impulses) = (run.sweeper.problem, run.sweeper.best_impulses());
                self.gradient.begin(problem, impulses, run.sweeper.best, run.limits);
            }
            Method::Sweeps | Method::Splitting | Method::Interior => self.take_up(method),
        }
        best
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

    /// Newton begins, from the first impulses of the solve: near those of sweeps it is often stuck in wrong states. Returns
    /// the error from which its gains count.
    fn start_newton(&mut self) -> f64 {
        let run = &mut *self.run;
        self.newton_impulses.copy_from_slice(&self.start);
        self.newton.relax(&mut run.sweeper, &mut self.newton_impulses, RELIEF);
        run.sweeper.look(&self.newton_impulses, run.limits.tolerance)
    }

    fn turn(&mut self, method: Method) -> Turn {
        match (method, self.factor_costs) {
            (Method::Newton, Some(costs)) => self.newton_turn(&costs),
            (Method::Splitting, Some(costs)) => self.splitting_turn(&costs),
            (Method::Interior, Some(costs)) => self.interior_turn(&costs),
            (Method::Gradient, _) => self.gradient_turn(),
            _ => {
                let work = self.run.sweep(TURN as usize) as f64 * self.costs.sweep;
                let least = self.run.sweeps.least();
                Turn { work, error: least, success: true }
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
        let (mut made, mut last) = (0, Trial { steps: 0, paid: true });
        while last.paid && (made < STEPS || last.steps <= QUICK) && !sweeper.best.solves(tolerance)
        {
            last = self.newton.try_steps(sweeper, &mut self.newton_impulses, limits);
            made += last.steps;
        }
        let paid = last.paid;
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
        let (mut made, mut count, mut before) = (0, PATH, f64::INFINITY);
        loop {
            let left = limits.max_iterations - run.iterations;
            let steps = self.interior.advance(problem, limits, count.min(left));
            run.book(steps, self.interior.best());
            made += steps;
            let error = self.interior.error();
            if run.over() || steps < count || error * NEARER > before {
                break;
            }
            (count, before) = (BUNDLE, error);
        }
        let error = self.interior.error();
        Turn { work: made as f64 * costs.interior, error, success: self.interior.is_on_its_way() }
    }
}
