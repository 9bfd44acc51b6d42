//! Estimates of the error of a step, held against the truth.
//!
//! The truth is the distance, in the kinetic metric, to the nearest of the exact solutions that are known: those that the
//! methods for assembled problems and very many sweeps find, from the start and from where sweeps have come to.

use drystone_engine::{Dimension, World};
use drystone_solve::{
    AssembledMethod, ContactProblem, Direct, DirectParams, Limits, Nlgs, NlgsParams, Residual,
    Solution, Threads, solve_assembled,
};

/// Residual up to which solutions are exact, where there are any such; else those up to `EXACT` have to do.
pub const FINE: f64 = 1e-12;
pub const EXACT: f64 = 1e-8;
/// By which factor the residual of what is compared with them must be larger.
pub const BESIDE: f64 = 100.0;
/// Contact visits of the sweeps that look for an exact solution.
const VISITS: usize = 20_000_000;
/// Largest problem that is solved through its assembled form here.
const ASSEMBLED: usize = 2500;

/// An estimate, and the truth.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the table of the example tells more than the test asks for")]
pub struct Point {
    /// Tolerance of the solve, and its sweeps.
    pub tolerance: f64,
    pub sweeps: usize,
    /// Whether it was made by factors; else by the rate of sweeps.
    pub factors: bool,
    /// Whether residual and estimate are both within the tolerance.
    pub accepted: bool,
    pub residual: f64,
    pub estimate: f64,
    pub truth: f64,
}

/// What is known of exact solutions.
#[derive(Clone, Copy, Debug, Default)]
#[allow(dead_code, reason = "the table of the example tells more than the test asks for")]
pub struct Truth {
    /// How many are known, found in different ways.
    pub known: usize,
    /// Largest residual of these.
    pub rest: f64,
    /// How far two of them are apart at most, as an error.
    pub apart: f64,
}

/// The problem of a world's last step.
pub struct Case<S: Dimension> {
    problem: ContactProblem<S>,
    start: Solution<S>,
    exact: Vec<(f64, Solution<S>)>,
}

impl<S: Dimension> Case<S> {
    /// The last step, from what its solver began with or from nothing; none without contacts.
    pub fn new(world: &World<S>, warm: bool) -> Option<Self> {
        let problem = world.problem().into_owned();
        let count = problem.contacts.len();
        let couples = vec![S::Local::default(); problem.specials.len()];
        let impulses = match warm {
            true if world.start().len() == count && problem.is_coulomb() => world.start().to_vec(),
            true => return None,
            false => vec![S::Local::default(); count],
        };
        let start = Solution { impulses, couples, twists: Vec::new() };
        (count > 0).then_some(Self { problem, start, exact: Vec::new() })
    }

    pub fn contacts(&self) -> usize {
        self.problem.contacts.len()
    }

    /// Adds the solutions that are found from here.
    fn find_exact(&mut self, from: &Solution<S>) {
        let mut found = Vec::new();
        if self.contacts() <= ASSEMBLED {
            let limits = Limits::new(0.5 * FINE, 3000);
            let mut solution = from.clone();
            solve_assembled(&self.problem, &mut solution, AssembledMethod::Auto, &limits);
            found.push(solution);
        }
        let most = VISITS / self.contacts().max(200);
        let mut solution = from.clone();
        self.sweep(&mut solution, 0.5 * FINE, None, most);
        found.push(solution);
        for mut solution in found {
            solution.refresh(&self.problem);
            self.exact.push((Residual::of(&self.problem, &solution).worst(), solution));
        }
        let fine = self.exact.iter().any(|(residual, _)| *residual <= FINE);
        self.exact.retain(|(residual, _)| *residual <= if fine { FINE } else { EXACT });
    }

    /// What is known of exact solutions, once [points](Self::points) were made.
    #[allow(dead_code, reason = "the table of the example tells more than the test asks for")]
    pub fn known(&self) -> Truth {
        let mut truth = Truth { known: self.exact.len(), ..Truth::default() };
        for (at, (residual, one)) in self.exact.iter().enumerate() {
            truth.rest = truth.rest.max(*residual);
            for (_, other) in &self.exact[..at] {
                let apart = self.problem.distance(one, other) / self.problem.done(one);
                truth.apart = truth.apart.max(apart);
            }
        }
        truth
    }

    fn sweep(
        &self,
        solution: &mut Solution<S>,
        tolerance: f64,
        error_tolerance: Option<f64>,
        max_iterations: usize,
    ) -> drystone_solve::SolveReport {
        let params =
            NlgsParams { tolerance, error_tolerance, max_iterations, ..NlgsParams::default() };
        Nlgs::default().solve(&self.problem, solution, &params, &Threads::one())
    }

    fn truth(&self, solution: &Solution<S>) -> f64 {
        let mut solution = solution.clone();
        solution.refresh(&self.problem);
        let all = self.exact.iter().map(|(_, exact)| self.problem.distance(&solution, exact));
        all.fold(f64::INFINITY, f64::min) / self.problem.done(&solution)
    }

    /// Estimates along the way to each of these tolerances, with the truth; empty where no exact solution is known.
    pub fn points(&mut self, tolerances: &[f64]) -> Vec<Point> {
        let mut direct = Direct::default();
        let factors = direct.prepare(&self.problem).is_some_and(|price| price < 1e9);
        let mut last = self.start.clone();
        self.sweep(&mut last, tolerances[tolerances.len() - 1], None, 3000);
        let start = self.start.clone();
        self.find_exact(&start);
        self.find_exact(&last);
        if self.exact.is_empty() {
            return Vec::new();
        }
        let rest = self.exact.iter().fold(0.0, |most, (residual, _)| f64::max(most, *residual));
        let mut points = Vec::new();
        for &tolerance in tolerances {
            for sought in [None, Some(tolerance)] {
                let mut solution = self.start.clone();
                let report = self.sweep(&mut solution, tolerance, sought, 3000);
                let point = Point {
                    tolerance,
                    sweeps: report.iterations,
                    factors: false,
                    accepted: false,
                    residual: report.residual.worst(),
                    estimate: f64::NAN,
                    truth: self.truth(&solution),
                };
                if point.residual <= BESIDE * rest {
                    continue;
                }
                let mut add = |estimate: f64, factors: bool| {
                    let accepted = point.residual <= tolerance && estimate <= tolerance;
                    points.push(Point { estimate, factors, accepted, ..point });
                };
                if let Some(error) = report.error.filter(|_| report.iterations > 0) {
                    add(error.value, false);
                }
                if factors && sought.is_none() && point.residual > 0.0 {
                    // Any error will do: it is only told.
                    let told = DirectParams { tolerance: f64::INFINITY, max_factorisations: 2 };
                    add(direct.solve(&self.problem, &mut solution, &told).error, true);
                }
            }
        }
        points
    }
}
