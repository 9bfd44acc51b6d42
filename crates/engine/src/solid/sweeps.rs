//! Gauss–Seidel over the contacts of a step with solids (Jean & Moreau 1992, (7.4)–(7.5)), for every law
//! that has no couple, in buffers that are kept.
//!
//! Between sweeps impulses are carried on along their last change, with Nesterov's growing weight; a sweep that
//! turns against the way made so far starts the weight anew (O'Donoghue & Candès 2015), and a residual that
//! has grown bounds it. `drystone_solve`'s solvers of assembled problems have a momentum of their own: they sweep
//! cones in parallel over many sweeps, keep the best impulses and allocate; here any law is swept, a few
//! times from a warm start, in every iteration of Newton, and nothing may be allocated. What both could share is a
//! recurrence of three lines.
//!
//! The judge is that of rigid contacts ([`Residual`]): with e(a) = P − proj_C(P − a Û) over all contacts,
//! ‖e(a)‖ / max(‖a q‖, ‖P‖, ‖a U‖) with the one a that makes the mean of trace(W_cc)/D one, and
//! ‖e(a)‖ / ‖P‖ with a = D / trace(W_cc) for each contact by itself.

use crate::Dimension;
use drystone_solve::local::sound;
use drystone_solve::solvers::Limits;
use drystone_solve::{
    Assembled, Block, BlockMatrix, Law, Residual, ResidualSums, Section, SolveReport, Special,
    Status,
};
use drystone_space::Local;

/// Most sweeps between two looks at the residual.
const LOOK_EVERY: usize = 20;

/// A residual that has grown by this factor is a setback.
const SETBACK: f64 = 1.5;
/// What the momentum lacks to 1 at least after the first setback; twice that after each other.
const FIRST_SLACK: f64 = 0.1;

/// What sweeps know of the contacts of a problem.
#[derive(Debug)]
pub(crate) struct Sweeps<S: Dimension, const D: usize> {
    blocks: Vec<S::Block>,
    /// D / trace(W_cc) of each contact.
    own: Vec<f64>,
    common: f64,
    momentum: Momentum<D>,
}

/// How impulses are carried on.
#[derive(Debug)]
struct Momentum<const D: usize> {
    /// Impulses before the last carrying on.
    previous: Vec<[f64; D]>,
    /// Nesterov's weight.
    weight: f64,
    /// What the momentum lacks to 1 at least.
    slack: f64,
}

impl<S: Dimension, const D: usize> Default for Sweeps<S, D> {
    fn default() -> Self {
        let momentum = Momentum { previous: Vec::new(), weight: 1.0, slack: 0.0 };
        Self { blocks: Vec::new(), own: Vec::new(), common: 1.0, momentum }
    }
}

impl<const D: usize> Momentum<D> {
    fn begin(&mut self, impulses: &[[f64; D]]) {
        self.previous.clear();
        self.previous.extend_from_slice(impulses);
        (self.weight, self.slack) = (1.0, 0.0);
    }

    fn carry_on(&mut self, impulses: &mut [[f64; D]]) {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.weight * self.weight).sqrt());
        let beta = ((self.weight - 1.0) / next).min(1.0 - self.slack);
        self.weight = next;
        for (now, old) in impulses.iter_mut().zip(&mut self.previous) {
            for (now, old) in now.iter_mut().zip(old) {
                let further = *now + beta * (*now - *old);
                *old = std::mem::replace(now, further);
            }
        }
    }

    fn set_back(&mut self) {
        self.weight = 1.0;
        self.slack = (2.0 * self.slack).clamp(FIRST_SLACK, 1.0);
    }
}

impl<S: Dimension, const D: usize> Sweeps<S, D> {
    /// Makes the blocks of the diagonal ready.
    pub fn begin(&mut self, delassus: &BlockMatrix<D>, laws: &[Law], specials: &[Special<S>]) {
        self.blocks.clear();
        self.own.clear();
        let mut traces = 0.0;
        for (contact, law) in laws.iter().enumerate() {
            let block = sound(delassus.diagonal(contact));
            let friction = match law.special(specials) {
                Some(special) => {
                    special.section.as_ref().and_then(|s| s.isotropic()).unwrap_or(0.0)
                }
                None => law.friction(),
            };
            let column =
                |j: usize| S::Local::from_array::<D>(&std::array::from_fn(|i| block[i][j]));
            self.blocks.push(S::Block::new(column, friction));
            let trace: f64 = (0..D).map(|i| block[i][i]).sum();
            self.own.push(D as f64 / trace);
            traces += trace;
        }
        self.common = if traces > 0.0 { (D * laws.len()) as f64 / traces } else { 1.0 };
    }

    /// Solves from the impulses given.
    pub fn solve(
        &mut self,
        problem: &Assembled<D>,
        laws: &[Law],
        specials: &[Special<S>],
        impulses: &mut [[f64; D]],
        limits: &Limits,
    ) -> SolveReport {
        let mut iterations = 0;
        let mut pause = 1;
        let mut last = f64::INFINITY;
        self.momentum.begin(impulses);
        loop {
            let residual = self.judge(problem, laws, specials, impulses);
            let solved = residual.solves(limits.tolerance);
            if solved || iterations >= limits.max_iterations {
                let status = if solved { Status::Solved } else { Status::NotSolved };
                return SolveReport { status, iterations, residual };
            }
            if residual.excess(limits.tolerance) > SETBACK * last {
                self.momentum.set_back();
            }
            last = residual.excess(limits.tolerance);
            for _ in 0..pause.min(limits.max_iterations - iterations) {
                self.sweep(problem, laws, specials, impulses);
                iterations += 1;
            }
            pause = (2 * pause).min(LOOK_EVERY);
        }
    }

    fn sweep(
        &mut self,
        problem: &Assembled<D>,
        laws: &[Law],
        specials: &[Special<S>],
        impulses: &mut [[f64; D]],
    ) {
        self.momentum.carry_on(impulses);
        let mut against = 0.0;
        for (contact, law) in laws.iter().enumerate() {
            let free = problem.free[contact];
            let velocity = problem.delassus.row_multiply_add(contact, impulses, free);
            let old = impulses[contact];
            let [u, p] = [&velocity, &old].map(S::Local::from_array);
            let next = law.solve(specials, &self.blocks[contact], u, p).to_array::<D>();
            let way = next.iter().zip(&self.momentum.previous[contact]);
            let step = next.iter().zip(&old);
            against -= way.zip(step).map(|((x, a), (_, b))| (x - a) * (x - b)).sum::<f64>();
            impulses[contact] = next;
        }
        if against > 0.0 {
            self.momentum.weight = 1.0;
        }
    }

    fn judge(
        &self,
        problem: &Assembled<D>,
        laws: &[Law],
        specials: &[Special<S>],
        impulses: &[[f64; D]],
    ) -> Residual {
        let square = |x: S::Local| x.dot(x);
        let mut sums = ResidualSums::default();
        for (contact, law) in laws.iter().enumerate() {
            let q = problem.free[contact];
            let u = problem.delassus.row_multiply_add(contact, impulses, q);
            let [u, p, q] = [&u, &impulses[contact], &q].map(S::Local::from_array);
            let error = |scale: f64| match law.special(specials) {
                Some(special) => {
                    special.natural_map((u, S::Local::ZERO), (p, S::Local::ZERO), scale).0
                }
                None => law.natural_map::<S>(u, p, scale),
            };
            sums.relative += square(error(self.common));
            sums.scale_free += square(error(self.own[contact]));
            sums.free += square(q);
            sums.impulse += square(p);
            sums.velocity += square(u);
        }
        sums.residual(self.common)
    }
}
