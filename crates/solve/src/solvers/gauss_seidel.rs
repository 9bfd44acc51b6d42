//! Nonlinear Gauss–Seidel on an assembled problem (Jean & Moreau 1992, (7.4)–(7.5)).
//!
//! The course of it is that of all Gauss–Seidel (`gauss_seidel.rs`), one sweep is described in [`super::sweeper`].
//! Velocities are gathered from rows of W, so that a sweep can also tell whether it turns against the way made so far;
//! momentum then grows anew (O'Donoghue & Candès 2015). The best impulses of all looks are given back.

use super::contact::{Chosen, Components, Size, Visit};
use super::sweeper::{Sweeper, Sweeping};
use super::{Limits, Solver};
use crate::assembled::{Assembled, Cone, Local, Square};
use crate::gauss_seidel::{Course, Sweeps};
use crate::local::{LocalSolver, OneContact};
use crate::momentum::{Strength, carry_on};
use crate::{Residual, SolveReport};

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
        let mut way = Way::new(impulses, Strength::watched(self.momentum));
        self.sweeping.threads.run(|| {
            while way.count() < limits.max_iterations
                && !sweeper.best.solves(limits.tolerance)
                && !limits.is_late()
            {
                let max_sweeps = limits.max_iterations - way.count();
                way.advance(&mut sweeper, impulses, max_sweeps, limits);
            }
            sweeper.finish(impulses, way.count(), limits.tolerance)
        })
    }
}

/// Sweeps under way.
#[derive(Clone, Debug)]
pub(crate) struct Way<const D: usize> {
    /// The impulses that the last sweep began with, before they were carried on, and those that all began with.
    last: Vec<Local<D>>,
    start: Vec<Local<D>>,
    course: Course,
}

impl<const D: usize> Way<D>
where
    Size<D>: Components<D>,
{
    /// From these impulses. Errors are multiples of what is asked.
    pub fn new(impulses: &[Local<D>], strength: Strength) -> Self {
        let course = Course::new(strength, 1.0, f64::INFINITY);
        Self { last: impulses.to_vec(), start: impulses.to_vec(), course }
    }

    /// Sweeps made.
    pub fn count(&self) -> usize {
        self.course.iterations
    }

    /// The least error at all looks.
    pub fn least(&self) -> f64 {
        self.course.least
    }

    /// At most so many sweeps, up to the next look or the deadline, and the look.
    pub fn advance<B: Visit<D>>(
        &mut self,
        sweeper: &mut Sweeper<D, B>,
        impulses: &mut [Local<D>],
        max_sweeps: usize,
        limits: &Limits,
    ) {
        let Self { last, start, course } = self;
        let error = f64::INFINITY;
        course.advance(&mut OnRows { sweeper, impulses, last, start, limits, error }, max_sweeps);
    }

    /// Goes on from other impulses.
    pub fn restart(&mut self, impulses: &[Local<D>]) {
        self.last.copy_from_slice(impulses);
        self.start.copy_from_slice(impulses);
        self.course.restart();
    }
}

/// Sweeps over the rows of W.
struct OnRows<'s, 'a, const D: usize, B>
where
    Size<D>: Components<D>,
{
    sweeper: &'s mut Sweeper<'a, D, B>,
    impulses: &'s mut [Local<D>],
    last: &'s mut [Local<D>],
    start: &'s [Local<D>],
    limits: &'s Limits,
    /// At the last look.
    error: f64,
}

impl<const D: usize, B: Visit<D>> Sweeps for OnRows<'_, '_, D, B>
where
    Size<D>: Components<D>,
{
    const LOOK_EVERY: usize = 70;

    fn sweep(
        &mut self,
        strength: &mut Strength,
        max_sweeps: usize,
        worth_a_look: f64,
    ) -> (usize, f64) {
        let (mut made, mut size) = (0, f64::INFINITY);
        while made < max_sweeps && size > worth_a_look || made == 0 {
            let beta = strength.next();
            for (last, now) in self.last.iter_mut().zip(&mut *self.impulses) {
                carry_on(last, now, beta);
            }
            let change = self.sweeper.sweep(self.impulses, self.last);
            if change.against > 0.0 {
                strength.restart();
            }
            (made, size) = (made + 1, change.square.sqrt());
            if self.limits.is_late() {
                break;
            }
        }
        (made, size)
    }

    fn look(&mut self) -> f64 {
        self.error = self.sweeper.look(self.impulses, self.limits.tolerance);
        self.error
    }

    /// Velocities are made from impulses at every look.
    fn look_afresh(&mut self) -> f64 {
        self.error
    }

    fn begin_again(&mut self) -> f64 {
        self.impulses.copy_from_slice(self.start);
        self.last.copy_from_slice(self.start);
        self.look()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembled::BlockMatrix;
    use crate::assembled::local::{norm, subtract};
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
        let limits = Limits::new(1e-11, 1000);
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
        let limits = Limits::new(1e-10, sweeps);
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
        let limits = Limits::new(1e-12, 600);
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
