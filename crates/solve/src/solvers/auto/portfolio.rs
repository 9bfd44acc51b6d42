//! Several methods side by side, where sweeps are slow: Newton, which is dear and converges at once when the
//! states of contacts are right; paths through the interior, which need no states; the accelerated gradient, which
//! needs no factors; alternating directions, where factors are affordable; and the sweeps themselves.
//!
//! No method wins everywhere, and none can be told to win beforehand. So they take turns, each goes on from where it
//! was, and turns are paid in multiplications. The next turn belongs to the method that will have worked least after it,
//! in units of its share. Sweeps have a whole share, and go their way as they would alone: what the others cost is then
//! bounded by what sweeps would have; they get less only where others are ahead and promise more. Interior points are tried when the sweeps have worked as much as such a path costs:
//! a path that arrives at most doubles what it costs by itself, and one that does not at most doubles what the sweeps
//! will. It is not interrupted while it gets on; one that ends before the problem is solved leaves the method a smaller share.
//! The same holds for Newton, whose trials are shorter. The gradient and alternating directions have a small share until
//! their pace promises more. Methods that are far behind take up the best impulses; Newton that is stuck, near the end
//! and yet in wrong states, begins again from the start.

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
/// Shares of the gradient and of alternating directions before their pace is known, and at least.
const UNPROVEN: f64 = 0.2;
const LEAST: f64 = 0.06;
/// Least share of sweeps whose error is so many times the best one.
const LEAST_OF_SWEEPS: f64 = 1.0 / 3.0;
const BEHIND: f64 = 3.0;
/// Share of Newton, which arrives less often than interior points.
const NEWTON: f64 = 0.7;
/// What a dead end leaves of a method's share, and at least.
const AFTER_DEAD_END: f64 = 0.4;
const LEAST_AFTER_ALL: f64 = 0.03;
/// How much of the past counts in a method's pace.
const MEMORY: f64 = 0.7;
/// A method whose error is this many times the best one takes that one up.
const FAR_BEHIND: f64 = 10.0;
/// Sweeps after steps of Newton that did not pay.
const RELIEF: usize = 10;
/// Steps of Newton in a trial; more follow, up to twice as many while they pay, and while so few of them halve the error.
const STEPS: usize = 8;
const QUICK: usize = 2;
/// Steps along a path through the interior at first, and then as long as each bundle brings it nearer by this factor.
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
        self.gained = MEMORY * self.gained + math::ln(self.error / error);
        self.worked = MEMORY * self.worked + turn.work;
        self.error = error;
        self.least = self.least.min(error);
        self.failures = if turn.success { 0 } else { self.failures + 1 };
        if self.own_way && self.method.follows_paths() && !turn.success {
            self.dead_ends += 1;
        }
    }

    /// Whether Newton has come to a dead end near the best impulses and should go a way of its own.
    fn is_stuck(&self) -> bool {
        self.method == Method::Newton && !self.own_way && self.failures > 0
    }

    /// Whether it had better go on from impulses with this error.
    fn is_behind(&self, best: f64) -> bool {
        let far = self.least > FAR_BEHIND * best;
        match self.method {
            // From the start it goes its way as long as that leads on.
            Method::Newton if self.own_way => far && self.failures > 0,
            Method::Sweeps | Method::Newton | Method::Gradient | Method::Splitting => far,
            // Paths through the interior begin by themselves.
            Method::Interior => false,
        }
    }

    /// The work that is left at its pace.
    fn forecast(&self) -> f64 {
        math::ln(self.error) * self.worked / self.gained
    }

    /// Its share of the work, where the best of those that go step by step would need so much more to the end.
    fn share(&self, soonest: f64, best: f64) -> f64 {
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
            Method::Gradient | Method::Splitting => ratio.clamp(LEAST, 1.0),
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
            if self.accounts[next].is_behind(best) {
                self.take_up(method);
                let account = &mut self.accounts[next];
                (account.error, account.least) = (best, best);
            }
            let count = self.run.iterations;
            let turn = self.turn(method);
            self.accounts[next].book(&turn);
            let made = self.run.iterations - count;
            self.run.story.tell(method.told(), made, self.run.sweeper.best);
            if self.accounts[next].is_stuck() && !self.run.over() {
                let error = self.start_newton_over();
                let account = &mut self.accounts[next];
                (account.own_way, account.error, account.failures) = (true, error, 0);
            }
        }
    }

    /// Whose turn it is.
    fn next(&self) -> usize {
        let step_by_step = self.accounts.iter().filter(|account| !account.method.follows_paths());
        let best = self.run.best();
        let soonest = step_by_step.map(Account::forecast).fold(f64::INFINITY, f64::min);
        let due = |account: &Account| {
            (account.work + self.price(account.method)) / account.share(soonest, best)
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
            (Method::Interior, Some(costs)) => {
                let steps = if self.interior.is_on_its_way() { BUNDLE } else { PATH };
                steps as f64 * costs.interior
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

    /// Newton begins again, from the first impulses of the solve. Returns the error from which its gains count.
    fn start_newton_over(&mut self) -> f64 {
        let run = &mut *self.run;
        self.newton.restart();
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
        while last.paid
            && (made < 2 * STEPS || last.steps <= QUICK)
            && !sweeper.best.solves(tolerance)
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
