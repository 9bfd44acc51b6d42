//! Nonlinear Gauss–Seidel on an assembled problem (Jean & Moreau 1992, (7.4)–(7.5)), with momentum.
//!
//! One sweep is described in [`super::sweeper`].
//!
//! Between sweeps impulses are carried on along their last change, with Nesterov's growing weight;
//! a sweep that turns against the way made so far starts the weight anew (O'Donoghue & Candès
//! 2015). Friction has no energy that must fall, so that a strong momentum can keep errors alive:
//! where the residual has grown at a look, the best impulses are taken up again and the momentum
//! is bounded more tightly.

use super::contact::{Chosen, Components, Size, Visit};
use super::sweeper::{Sweeper, Sweeping};
use super::{Limits, Solver};
use crate::assembled::local::{add_scaled, subtract};
use crate::assembled::{Assembled, Cone, Local, Square};
use crate::local::{LocalSolver, OneContact};
use crate::{Residual, SolveReport};

/// Most sweeps between two looks at the residual.
const LOOK_EVERY: usize = 60;
/// A residual that has grown by this factor over the best is a setback.
const SETBACK: f64 = 1.5;
/// A residual that falls by less than this factor between two looks falls slowly.
const SLOW: f64 = 0.7;
/// After so many looks without a new best the momentum is too strong.
const STALE: usize = 4;
/// Bound on the momentum after the first setback.
const FIRST_SLACK: f64 = 0.1;

/// Gauss–Seidel with its settings.
#[derive(Clone, Debug)]
pub struct GaussSeidel {
    /// Whether impulses are carried on between sweeps.
    pub momentum: bool,
    /// How one contact is solved; the usual block of its dimension if none is named.
    pub local: Option<LocalSolver>,
    /// Order, relaxation and threads of its sweeps.
    pub sweeping: Sweeping,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self { momentum: true, local: None, sweeping: Sweeping::default() }
    }
}

impl<const D: usize> Solver<D> for GaussSeidel
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
        let settings = &self.sweeping;
        let Some(solver) = self.local else {
            let sweeper = Sweeper::new(problem, settings, start, impulses);
            return self.run(sweeper, impulses, limits);
        };
        let chosen = |block: &Square<D>, cone: &Cone| {
            let contact = OneContact::new(block, cone);
            Chosen { contact, solver }
        };
        let sweeper = Sweeper::with_blocks(problem, settings, chosen, start, impulses);
        self.run(sweeper, impulses, limits)
    }
}

impl GaussSeidel {
    fn run<const D: usize, B: Visit<D>>(
        &self,
        mut sweeper: Sweeper<D, B>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport
    where
        Size<D>: Components<D>,
    {
        let mut sweeps = Sweeps::new(impulses);
        if !self.momentum {
            (sweeps.slack, sweeps.floor) = (1.0, 1.0);
        }
        self.sweeping.threads.run(|| {
            while sweeps.count < limits.max_iterations && !sweeper.best.solves(limits.tolerance) {
                sweeps.advance(&mut sweeper, impulses, limits);
            }
            sweeper.finish(impulses, sweeps.count, limits.tolerance)
        })
    }
}

/// Momentum on sweeps under way.
#[derive(Clone, Debug)]
pub(crate) struct Sweeps<const D: usize> {
    /// Impulses before the last carrying on.
    previous: Vec<Local<D>>,
    /// Nesterov's weight.
    weight: f64,
    /// What the momentum lacks to 1 at least.
    slack: f64,
    /// Least slack that has not failed.
    floor: f64,
    /// Looks without a new best.
    stale: usize,
    /// Excess at the last look, and the least of all.
    last: f64,
    pub least: f64,
    /// Change per sweep at which a look is worth its price.
    worth_a_look: f64,
    /// Sweeps made.
    pub count: usize,
}

impl<const D: usize> Sweeps<D>
where
    Size<D>: Components<D>,
{
    /// From these impulses.
    pub fn new(impulses: &[Local<D>]) -> Self {
        Self {
            previous: impulses.to_vec(),
            weight: 1.0,
            slack: 0.0,
            floor: 0.0,
            stale: 0,
            last: f64::INFINITY,
            least: f64::INFINITY,
            worth_a_look: f64::INFINITY,
            count: 0,
        }
    }

    /// From these impulses, with no momentum at first: it grows where sweeps are slow. Strong momentum from
    /// the start can lead to an orbit that weaker momentum does not leave any more.
    pub fn gradual(impulses: &[Local<D>]) -> Self {
        Self { slack: 1.0, ..Self::new(impulses) }
    }

    /// Sweeps up to the next look, and the look.
    pub fn advance<B: Visit<D>>(
        &mut self,
        sweeper: &mut Sweeper<D, B>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) {
        let most = LOOK_EVERY.min(limits.max_iterations.saturating_sub(self.count)).max(1);
        let mut change = 0.0;
        for _ in 0..most {
            change = self.sweep(sweeper, impulses);
            self.count += 1;
            if change <= self.worth_a_look {
                break;
            }
        }
        let left = sweeper.look(impulses, limits.tolerance);
        // Change and residual fall together: the next look is due when the change has fallen as
        // far as the residual still has to.
        self.worth_a_look = change * (0.7 / left).clamp(0.01, 0.9);
        let last = std::mem::replace(&mut self.last, left);
        if left.is_nan() {
            impulses.copy_from_slice(sweeper.best_impulses());
            self.restart(impulses);
        }
        self.stale = if left < self.least { 0 } else { self.stale + 1 };
        self.least = self.least.min(left);
        if left.is_nan() || left > SETBACK * last || self.stale >= STALE {
            // This much momentum was too much, now and later.
            self.floor = self.floor.max(self.slack);
            self.slack = (2.0 * self.slack).clamp(FIRST_SLACK, 1.0);
            self.weight = 1.0;
            self.stale = 0;
        } else if left > SLOW * last {
            self.slack = (0.5 * self.slack).max(self.floor);
        }
    }

    /// Begins a new momentum from these impulses.
    pub fn restart(&mut self, impulses: &[Local<D>]) {
        self.previous.copy_from_slice(impulses);
        self.weight = 1.0;
        self.worth_a_look = f64::INFINITY;
    }

    /// Carries impulses on and sweeps once; returns the size of the change.
    fn sweep<B: Visit<D>>(
        &mut self,
        sweeper: &mut Sweeper<D, B>,
        impulses: &mut [Local<D>],
    ) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.weight * self.weight).sqrt());
        let beta = ((self.weight - 1.0) / next).min(1.0 - self.slack);
        self.weight = next;
        for (r, old) in impulses.iter_mut().zip(&mut self.previous) {
            let now = *r;
            *r = add_scaled(r, beta, &subtract(r, old));
            *old = now;
        }
        let change = sweeper.sweep(impulses, &self.previous);
        if change.against > 0.0 {
            self.weight = 1.0;
        }
        change.square.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembled::BlockMatrix;
    use crate::assembled::local::norm;
    use crate::{Status, SweepOrder, Threads};

    /// Three unit cubes in a row under a push, each coupled to the next: W has full rank, and the
    /// friction is moderate, so that there is one solution.
    fn row_of_cubes() -> Assembled<3> {
        let mut entries = Vec::new();
        for c in 0..3 {
            for i in 0..3 {
                entries.push((3 * c + i, 3 * c + i, 2.0 + i as f64));
            }
            entries.extend([(3 * c, 3 * c + 1, 0.4), (3 * c + 1, 3 * c, 0.4)]);
            entries.extend([(3 * c + 1, 3 * c + 2, -0.3), (3 * c + 2, 3 * c + 1, -0.3)]);
        }
        for c in 0..2 {
            for i in 0..3 {
                entries
                    .extend([(3 * c + i, 3 * c + 3 + i, -0.8), (3 * c + 3 + i, 3 * c + i, -0.8)]);
            }
        }
        Assembled {
            delassus: BlockMatrix::from_entries(3, entries.into_iter()),
            free: vec![[-1.0, 2.0, 0.5], [-1.0, 0.1, 0.0], [0.5, 1.0, -2.0]],
            cones: vec![Cone::coulomb(0.3); 3],
        }
    }

    #[test]
    fn all_local_solvers_lead_to_one_answer() {
        let problem = row_of_cubes();
        let limits = Limits { tolerance: 1e-11, max_iterations: 1000 };
        let answer = |mut solver: GaussSeidel| {
            let mut impulses = vec![[0.0; 3]; 3];
            let report = solver.solve(&problem, &mut impulses, &limits);
            assert_eq!(report.status, Status::Solved, "{:?}", solver.local);
            impulses
        };
        let usual = answer(GaussSeidel::default());
        assert!(norm(&usual[0][1..]) > 0.0, "nothing slides");
        for local in LocalSolver::ALL {
            let other = answer(GaussSeidel { local: Some(local), ..GaussSeidel::default() });
            for (a, b) in usual.iter().zip(&other) {
                assert!(norm(&subtract(a, b)) < 1e-9, "{local:?}: {a:?} {b:?}");
            }
        }
    }

    /// Cubes side by side on a grid, each coupled to the four around it: W has full rank.
    fn grid(side: usize) -> Assembled<3> {
        let at = |x: usize, y: usize| y * side + x;
        let mut entries = Vec::new();
        let mut couple = |a: usize, b: usize| {
            for i in 0..3 {
                entries.extend([(3 * a + i, 3 * b + i, -0.3), (3 * b + i, 3 * a + i, -0.3)]);
            }
        };
        for y in 0..side {
            for x in 1..side {
                couple(at(x - 1, y), at(x, y));
                couple(at(y, x - 1), at(y, x));
            }
        }
        entries.extend((0..3 * side * side).map(|i| (i, i, 2.0)));
        let push = |c: usize| [-1.0, (c as f64).sin(), (2.0 * c as f64).cos()];
        Assembled {
            delassus: BlockMatrix::from_entries(side * side, entries.into_iter()),
            free: (0..side * side).map(push).collect(),
            cones: vec![Cone::coulomb(0.3); side * side],
        }
    }

    fn sweep(problem: &Assembled<3>, sweeping: Sweeping, sweeps: usize) -> Vec<Local<3>> {
        let mut impulses = vec![[0.0; 3]; problem.contacts()];
        let limits = Limits { tolerance: 1e-10, max_iterations: sweeps };
        GaussSeidel { sweeping, ..Default::default() }.solve(problem, &mut impulses, &limits);
        impulses
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        // Large enough for colours to be shared.
        let problem = grid(60);
        let with = |count| Sweeping { threads: Threads::new(count), ..Sweeping::default() };
        let one = sweep(&problem, with(1), 7);
        assert!(one.iter().any(|r| r[0] > 0.0));
        for count in [2, 3] {
            assert!(sweep(&problem, with(count), 7) == one, "{count} threads");
        }
    }

    /// Contacts in a row, each coupled to the next so strongly that sweeps are slow: momentum that is not
    /// wanted must not come back with the looks.
    #[test]
    fn without_momentum_sweeps_stay_plain() {
        let count = 200;
        let mut entries: Vec<_> = (0..2 * count).map(|i| (i, i, 2.0)).collect();
        for i in 0..2 * (count - 1) {
            entries.extend([(i, i + 2, -1.0), (i + 2, i, -1.0)]);
        }
        let problem = Assembled {
            delassus: BlockMatrix::<2>::from_entries(count, entries.into_iter()),
            free: vec![[-1.0, 0.1]; count],
            cones: vec![Cone::coulomb(0.3); count],
        };
        let limits = Limits { tolerance: 1e-12, max_iterations: 600 };
        let mut impulses = vec![[0.0; 2]; count];
        let mut solver = GaussSeidel { momentum: false, ..GaussSeidel::default() };
        solver.solve(&problem, &mut impulses, &limits);
        let mut plain = vec![[0.0; 2]; count];
        let settings = Sweeping::default();
        let mut sweeper = Sweeper::new(&problem, &settings, Default::default(), &plain);
        let since = plain.clone();
        for _ in 0..limits.max_iterations {
            sweeper.sweep(&mut plain, &since);
        }
        assert!(impulses == plain);
    }

    /// Order and relaxation change the way to the solution, but not a solution that is the only one.
    #[test]
    fn every_order_and_relaxation_leads_to_the_only_solution() {
        let problem = grid(9);
        let usual = sweep(&problem, Sweeping::default(), 1000);
        let orders = [SweepOrder::Coloured, SweepOrder::Ordered, SweepOrder::Shuffled(7)];
        let mut ways = Vec::new();
        for (order, relaxation) in orders.map(|order| (order, 1.0)).into_iter().chain([
            (SweepOrder::Ordered, 0.7),
            (SweepOrder::Ordered, 1.3),
            (SweepOrder::Shuffled(8), 1.3),
        ]) {
            let sweeping = Sweeping { order: Some(order), relaxation, threads: Threads::one() };
            let answer = sweep(&problem, sweeping.clone(), 1000);
            for (a, b) in usual.iter().zip(&answer) {
                assert!(norm(&subtract(a, b)) < 1e-8, "{order:?} {relaxation}: {a:?} {b:?}");
            }
            let way = sweep(&problem, sweeping, 2);
            assert!(!ways.contains(&way), "{order:?} {relaxation}");
            ways.push(way);
        }
    }
}
