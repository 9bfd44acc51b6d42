//! Nonlinear Gauss–Seidel on an assembled problem (Jean & Moreau 1992, (7.4)–(7.5)), with momentum.
//!
//! A contact's velocity is gathered from the present impulses of its neighbours, its law is solved
//! with all others frozen, and the next contact sees the answer at once.
//!
//! Between sweeps impulses are carried on along their last change, with Nesterov's growing weight;
//! a sweep that turns against the way made so far starts the weight anew (O'Donoghue & Candès
//! 2015). Friction has no energy that must fall, so that a strong momentum can keep errors alive:
//! where the residual has grown at a look, the best impulses are taken up again and the momentum
//! is bounded more tightly.

use super::contact::{Chosen, Components, ContactBlock, Size, Visit};
use super::packed::Packed;
use super::{Limits, Solver, report};
use crate::SolveReport;
use crate::assembled::local::{add_scaled, dot, subtract};
use crate::assembled::{Assembled, Cone, Local, Square};
use crate::local::{LocalSolver, OneContact};
use crate::{Residual, Status};

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
#[derive(Clone, Copy, Debug)]
pub struct GaussSeidel {
    /// Whether impulses are carried on between sweeps.
    pub momentum: bool,
    /// How one contact is solved; the usual block of its dimension if none is named.
    pub local: Option<LocalSolver>,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self { momentum: true, local: None }
    }
}

impl<const D: usize> Solver<D> for GaussSeidel
where
    Size<D>: Components<D>,
{
    fn name(&self) -> &'static str {
        self.local.map_or("gauss-seidel", Self::name_with)
    }

    fn solve(
        &mut self,
        problem: &Assembled<D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport {
        let start = report(problem, impulses, 0, limits);
        if start.status == Status::Solved || problem.contacts() == 0 {
            return start;
        }
        let Some(solver) = self.local else {
            return self.run(Sweeps::new(problem, start.residual, impulses), impulses, limits);
        };
        let chosen = |block: &Square<D>, cone: &Cone| {
            let contact = OneContact::new(block, cone);
            Chosen { contact, solver }
        };
        let sweeps = Sweeps::with_blocks(problem, chosen, start.residual, impulses);
        self.run(sweeps, impulses, limits)
    }
}

impl GaussSeidel {
    /// The name of Gauss–Seidel with this local solver.
    pub fn name_with(local: LocalSolver) -> &'static str {
        match local {
            LocalSolver::Bracketed => "gauss-seidel-bracketed",
            LocalSolver::Enumerative => "gauss-seidel-enumerative",
            LocalSolver::AlartCurnier => "gauss-seidel-alart-curnier",
            LocalSolver::NaturalMap => "gauss-seidel-natural-map",
            LocalSolver::Bipotential => "gauss-seidel-bipotential",
            LocalSolver::Hybrid => "gauss-seidel-hybrid",
        }
    }

    /// `gauss-seidel`, or `gauss-seidel-` and the name of a local solver.
    pub fn by_name(name: &str) -> Option<Self> {
        let local = match name.strip_prefix("gauss-seidel")? {
            "" => None,
            rest => Some(LocalSolver::by_name(rest.strip_prefix('-')?)?),
        };
        Some(Self { local, ..Self::default() })
    }

    fn run<const D: usize, B: Visit<D>>(
        &self,
        mut sweeps: Sweeps<D, B>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport
    where
        Size<D>: Components<D>,
    {
        if !self.momentum {
            sweeps.slack = 1.0;
        }
        while sweeps.count < limits.max_iterations && !sweeps.best.solves(limits.tolerance) {
            sweeps.advance(impulses, limits);
        }
        sweeps.finish(impulses, limits)
    }
}

/// Sweeps under way.
pub(crate) struct Sweeps<'a, const D: usize, B = <Size<D> as Components<D>>::Block>
where
    Size<D>: Components<D>,
{
    problem: &'a Assembled<D>,
    packed: Packed<'a, D>,
    blocks: Vec<B>,
    /// Impulses before the last carrying on.
    previous: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// Nesterov's weight.
    weight: f64,
    /// What the momentum lacks to 1 at least.
    slack: f64,
    /// Least slack that has not failed.
    floor: f64,
    /// Looks without a new best.
    stale: usize,
    /// Excess at the last look.
    last: f64,
    /// Change per sweep at which a look is worth its price.
    worth_a_look: f64,
    /// Best residual seen, and its impulses.
    pub best: Residual,
    best_impulses: Vec<Local<D>>,
    /// Sweeps made.
    pub count: usize,
}

impl<'a, const D: usize> Sweeps<'a, D>
where
    Size<D>: Components<D>,
{
    /// Sweeps with the usual blocks.
    pub fn new(problem: &'a Assembled<D>, residual: Residual, impulses: &[Local<D>]) -> Self {
        Self::with_blocks(problem, ContactBlock::new, residual, impulses)
    }
}

impl<'a, const D: usize, B: Visit<D>> Sweeps<'a, D, B>
where
    Size<D>: Components<D>,
{
    /// Sweeps with blocks made from the diagonal ones.
    pub fn with_blocks(
        problem: &'a Assembled<D>,
        block: impl Fn(&Square<D>, &Cone) -> B,
        residual: Residual,
        impulses: &[Local<D>],
    ) -> Self {
        let block = |(c, cone)| block(problem.delassus.diagonal(c), cone);
        Self {
            problem,
            packed: Packed::new(&problem.delassus),
            blocks: problem.cones.iter().enumerate().map(block).collect(),
            previous: impulses.to_vec(),
            velocities: problem.free.clone(),
            weight: 1.0,
            slack: 0.0,
            floor: 0.0,
            stale: 0,
            last: f64::INFINITY,
            worth_a_look: f64::INFINITY,
            best: residual,
            best_impulses: impulses.to_vec(),
            count: 0,
        }
    }

    /// Sweeps up to the next look, and the look.
    pub fn advance(&mut self, impulses: &mut [Local<D>], limits: &Limits) {
        let most = LOOK_EVERY.min(limits.max_iterations - self.count);
        let mut change = 0.0;
        for _ in 0..most {
            change = self.sweep(impulses);
            self.count += 1;
            if change <= self.worth_a_look {
                break;
            }
        }
        let best = self.best;
        let left = self.look(impulses, limits.tolerance);
        // Change and residual fall together: the next look is due when the change has fallen as
        // far as the residual still has to.
        self.worth_a_look = change * (0.7 / left).clamp(0.01, 0.9);
        let last = std::mem::replace(&mut self.last, left);
        if left.is_nan() {
            impulses.copy_from_slice(&self.best_impulses);
            self.restart(impulses);
        }
        self.stale = if self.best.worst() < best.worst() { 0 } else { self.stale + 1 };
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

    /// Plain sweeps, without momentum.
    pub fn relax(&mut self, impulses: &mut [Local<D>], count: usize) {
        for _ in 0..count {
            for (c, block) in self.blocks.iter().enumerate() {
                let u = self.packed.row(c, impulses, &self.problem.free[c]);
                impulses[c] = block.solve(&u, &impulses[c]);
            }
        }
        self.count += count;
    }

    /// Judges impulses and remembers them if they are the best; returns by what factor they are
    /// above what is asked.
    pub fn look(&mut self, impulses: &[Local<D>], tolerance: f64) -> f64 {
        for (c, u) in self.velocities.iter_mut().enumerate() {
            *u = self.packed.row(c, impulses, &self.problem.free[c]);
        }
        let residual = Residual::of_assembled(self.problem, impulses, &self.velocities);
        let left = excess(&residual, tolerance);
        if left < excess(&self.best, tolerance) {
            self.best = residual;
            self.best_impulses.copy_from_slice(impulses);
        }
        left
    }

    /// The impulses with the best residual.
    pub fn best_impulses(&self) -> &[Local<D>] {
        &self.best_impulses
    }

    /// Begins a new momentum from these impulses.
    pub fn restart(&mut self, impulses: &[Local<D>]) {
        self.previous.copy_from_slice(impulses);
        self.weight = 1.0;
        self.worth_a_look = f64::INFINITY;
    }

    /// Takes up the best impulses, and reports on them.
    pub fn finish(&self, impulses: &mut [Local<D>], limits: &Limits) -> SolveReport {
        impulses.copy_from_slice(&self.best_impulses);
        let solved = self.best.solves(limits.tolerance);
        let status = if solved { Status::Solved } else { Status::NotSolved };
        SolveReport { status, iterations: self.count, residual: self.best }
    }

    /// Carries impulses on and sweeps once; returns the size of the change.
    fn sweep(&mut self, impulses: &mut [Local<D>]) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.weight * self.weight).sqrt());
        let beta = ((self.weight - 1.0) / next).min(1.0 - self.slack);
        self.weight = next;
        for (r, old) in impulses.iter_mut().zip(&mut self.previous) {
            let now = *r;
            *r = add_scaled(r, beta, &subtract(r, old));
            *old = now;
        }
        let mut change = 0.0;
        let mut against = 0.0;
        for (c, block) in self.blocks.iter().enumerate() {
            let u = self.packed.row(c, impulses, &self.problem.free[c]);
            let r = impulses[c];
            let next = block.solve(&u, &r);
            let step = subtract(&next, &r);
            impulses[c] = next;
            change += dot(&step, &step);
            against -= dot(&step, &subtract(&next, &self.previous[c]));
        }
        if against > 0.0 {
            self.weight = 1.0;
        }
        change.sqrt()
    }
}

/// By what factor the residual is above what is asked.
pub(crate) fn excess(residual: &Residual, tolerance: f64) -> f64 {
    let scale_free = residual.scale_free / super::SCALE_FREE_SLACK;
    residual.relative.max(scale_free) / tolerance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembled::BlockMatrix;
    use crate::assembled::local::norm;

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

    #[test]
    fn names_lead_back() {
        let name = |solver: &GaussSeidel| Solver::<3>::name(solver);
        assert_eq!(GaussSeidel::by_name("gauss-seidel").map(|s| s.local), Some(None));
        for local in LocalSolver::ALL {
            let solver = GaussSeidel { local: Some(local), ..GaussSeidel::default() };
            let again = GaussSeidel::by_name(name(&solver)).expect("its own name");
            assert_eq!(again.local, Some(local));
        }
        assert!(GaussSeidel::by_name("gauss-seidel-").is_none());
        assert!(GaussSeidel::by_name("gauss-seidelhybrid").is_none());
    }
}
