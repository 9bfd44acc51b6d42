//! One scale per contact: the same problem in unknowns of one size.
//!
//! r = s r̃ and ũ = s u with s_c = √(D / trace W_cc) give W̃ = s W s whose diagonal blocks have the
//! mean eigenvalue one, whatever the masses. One scale for all components of a contact keeps its
//! cone, the lift and the complementarity as they are: r̃ solves the scaled problem exactly where r
//! solves the given one. Both r̃ and ũ are then measured in the kinetic metric.

use crate::assembled::local::{norm, scaled};
use crate::assembled::{Assembled, Local};
use crate::solvers::{Limits, Solver};
use crate::{Cone, Residual, SolveReport};

/// A method that works on the scaled problem.
pub trait OnScaled<const D: usize>: Send {
    /// Its problem.
    fn scaled(&mut self) -> &mut Scaled<D>;

    /// Makes ready to iterate from the best impulses so far.
    fn set_out(&mut self);

    /// Iterates from there; returns how often.
    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize;

    /// Takes in a problem and a start with its residual.
    fn begin(
        &mut self,
        given: &Assembled<D>,
        start: &[Local<D>],
        residual: Residual,
        limits: &Limits,
    ) {
        self.scaled().start(given, start, residual, limits);
        self.set_out();
    }

    /// [`Solver::applies`].
    fn applies(&self, _cones: &[Cone]) -> bool {
        true
    }
}

impl<const D: usize, M: OnScaled<D>> Solver<D> for M {
    fn solve_from(
        &mut self,
        given: &Assembled<D>,
        impulses: &mut [Local<D>],
        start: Residual,
        limits: &Limits,
    ) -> SolveReport {
        self.begin(given, impulses, start, limits);
        let iterations = if self.scaled().is_solved() { 0 } else { self.iterate(given, limits) };
        self.scaled().finish(impulses, iterations)
    }

    fn applies(&self, cones: &[Cone]) -> bool {
        OnScaled::applies(self, cones)
    }
}

/// The scaled problem, and the best impulses that the judge has seen so far.
#[derive(Debug, Default)]
pub struct Scaled<const D: usize> {
    /// W̃, s q and the cones.
    pub problem: Assembled<D>,
    scales: Vec<f64>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    best: Vec<Local<D>>,
    best_excess: f64,
    last_excess: f64,
    residual: Residual,
}

impl<const D: usize> Scaled<D> {
    /// Takes in a problem and a start with its residual. Where the start is no good, zero may be: a start worse
    /// than no impulses is dropped.
    pub fn start(
        &mut self,
        given: &Assembled<D>,
        start: &[Local<D>],
        residual: Residual,
        limits: &Limits,
    ) {
        let matrix = &given.delassus;
        self.scales.clear();
        self.scales.extend((0..given.contacts()).map(|contact| given.scale(contact).sqrt()));
        self.problem = given.clone();
        for row in 0..matrix.rows() {
            let range = matrix.starts[row] as usize..matrix.starts[row + 1] as usize;
            for k in range {
                let s = self.scales[row] * self.scales[matrix.columns[k] as usize];
                let block = &mut self.problem.delassus.blocks[k];
                *block = block.map(|line| scaled(&line, s));
            }
            self.problem.free[row] = scaled(&given.free[row], self.scales[row]);
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(start);
        self.best.clone_from(&self.impulses);
        self.best_excess = f64::INFINITY;
        self.keep(residual, limits);
        self.impulses.fill([0.0; D]);
        self.velocities.clone_from(&given.free);
        self.judge_impulses(given, limits);
    }

    /// For each contact a step τ_c such that diag(1/τ_c) − W̃ is positive: no projected gradient
    /// step with these overshoots. By the inequality of the means, 1/τ_c = Σ_j |W̃_cj| is enough.
    pub fn safe_steps(&self, steps: &mut Vec<f64>) {
        let matrix = &self.problem.delassus;
        let row = |c| matrix.row(c).map(|(_, block)| norm(block.as_flattened())).sum::<f64>();
        steps.clear();
        let sums = (0..matrix.rows()).map(row);
        steps.extend(sums.map(|sum| if sum > 0.0 { 1.0 / sum } else { 1.0 }));
    }

    /// The best impulses so far, scaled.
    pub fn best(&self, impulses: &mut Vec<Local<D>>) {
        self.scale(&self.best, impulses);
    }

    /// Impulses of the given problem, scaled.
    pub fn scale(&self, given: &[Local<D>], impulses: &mut Vec<Local<D>>) {
        impulses.clear();
        impulses.extend(given.iter().zip(&self.scales).map(|(r, s)| scaled(r, 1.0 / s)));
    }

    /// Whether the best impulses so far solve the given problem.
    pub fn is_solved(&self) -> bool {
        self.best_excess <= 1.0
    }

    /// The least error so far, as a multiple of what is asked, and its impulses as given.
    pub fn best_seen(&self) -> (f64, &[Local<D>]) {
        (self.best_excess, &self.best)
    }

    /// The error that was judged last, as a multiple of what is asked.
    pub fn last_seen(&self) -> f64 {
        self.last_excess
    }

    /// Judges scaled impulses with their velocities, keeps them if they are the best so far, and
    /// returns whether that is the end: they solve the given problem, or the time is up.
    pub fn judge(
        &mut self,
        given: &Assembled<D>,
        impulses: &[Local<D>],
        velocities: &[Local<D>],
        limits: &Limits,
    ) -> bool {
        for (contact, &s) in self.scales.iter().enumerate() {
            self.impulses[contact] = scaled(&impulses[contact], s);
            self.velocities[contact] = scaled(&velocities[contact], 1.0 / s);
        }
        let residual = Residual::of_assembled(given, &self.impulses, &self.velocities);
        if residual.excess(limits.tolerance) <= 1.0 {
            // The last word is on velocities that the given matrix makes itself.
            return self.judge_impulses(given, limits) || limits.is_late();
        }
        self.keep(residual, limits) || limits.is_late()
    }

    fn judge_impulses(&mut self, given: &Assembled<D>, limits: &Limits) -> bool {
        given.velocities(&self.impulses, &mut self.velocities);
        let residual = Residual::of_assembled(given, &self.impulses, &self.velocities);
        self.keep(residual, limits)
    }

    fn keep(&mut self, residual: Residual, limits: &Limits) -> bool {
        let excess = residual.excess(limits.tolerance);
        self.last_excess = excess;
        // False for NaN.
        if excess <= self.best_excess {
            self.best_excess = excess;
            self.best.copy_from_slice(&self.impulses);
            self.residual = residual;
        }
        excess <= 1.0
    }

    /// Gives the best impulses back, with the report on them.
    pub fn finish(&self, impulses: &mut [Local<D>], iterations: usize) -> SolveReport {
        impulses.copy_from_slice(&self.best);
        SolveReport::new(self.is_solved(), iterations, self.residual)
    }
}
