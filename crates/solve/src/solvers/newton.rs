//! Nonsmooth Newton on Alart & Curnier's map (1991), with sweeps of Gauss–Seidel as smoother.
//!
//! With y = r_n − ρu_n and z = r_t − ρu_t, a contact is apart (y ≤ 0: r = 0), sticks (|z| ≤ μy:
//! u = 0) or slips (u_n = 0, r_t = μy z/|z|). In each state the law is an equation F(r, u) = 0 with
//! derivatives A = ∂F/∂r, B = ∂F/∂u; with u = W r + q a Newton step solves (A + B W) Δr = −F over
//! the contacts that are not apart. Moments are treated as slip is, with μ_r.
//!
//! Where W lacks rank the step is made in W + αS with S = trace(W_cc)/D: a proximal step around
//! the present impulses (Rockafellar 1976), which moves no solution. α follows the success of the
//! steps. A step that does not improve the residual is shortened, and given up after a few trials;
//! sweeps then change the state until Newton finds its way.

use super::contact::{Components, Size};
use super::sparse::BlockSystem;
use super::sweeper::{Sweeper, Sweeping};
use super::{Limits, Solver};
use crate::assembled::local::{add_scaled, scaled};
use crate::assembled::{Assembled, Cone, Local, Square};
use crate::local::{Augmentation, Linearised, alart_curnier};
use crate::{Residual, SolveReport};

/// Most steps that may go without an improvement, and by how many times as many at last: where
/// steps have failed before, states change one by one.
const PATIENCE: usize = 8;
const MORE_PATIENCE: usize = 4;
/// Dampings tried one after the other.
const DAMPINGS: [f64; 3] = [1e-3, 1e-1, 1e-5];
/// Shares of a step that are tried.
const LENGTHS: [f64; 3] = [1.0, 0.4, 0.1];

/// Newton with its settings.
#[derive(Clone, Copy, Debug)]
pub struct Newton {
    /// Sweeps before the first step.
    pub opening: usize,
    /// Sweeps after a step that was given up.
    pub relief: usize,
}

impl Default for Newton {
    fn default() -> Self {
        Self { opening: 10, relief: 10 }
    }
}

impl<const D: usize> Solver<D> for Newton
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
        let settings = Sweeping::default();
        let mut sweeper = Sweeper::new(problem, &settings, start, impulses);
        let mut steps = NewtonSteps::new(problem);
        let mut iterations = 0;
        steps.relax(&mut sweeper, impulses, self.opening);
        while iterations < limits.max_iterations
            && !sweeper.best.solves(limits.tolerance)
            && steps.have_time(limits)
        {
            let trial = steps.try_steps(&mut sweeper, impulses, limits);
            iterations += trial.steps;
            if !trial.paid {
                steps.relax(&mut sweeper, impulses, self.relief);
            }
        }
        sweeper.finish(impulses, iterations, limits.tolerance)
    }
}

/// How a few steps went.
pub(crate) struct Trial {
    pub steps: usize,
    pub paid: bool,
}

/// Newton steps under way.
pub(crate) struct NewtonSteps<'a, const D: usize> {
    problem: &'a Assembled<D>,
    /// ρ of each contact, D / trace(W_cc).
    scales: Vec<f64>,
    /// α.
    damping: f64,
    failures: usize,
    /// None before the first step.
    system: Option<BlockSystem<D>>,
    /// The laws of contacts that are not apart, at the present impulses.
    lines: Vec<Option<Linearised<D>>>,
    velocities: Vec<Local<D>>,
    change: Vec<Local<D>>,
    start: Vec<Local<D>>,
    trial: Vec<Local<D>>,
    chosen: Vec<Local<D>>,
}

impl<'a, const D: usize> NewtonSteps<'a, D>
where
    Size<D>: Components<D>,
{
    pub fn new(problem: &'a Assembled<D>) -> Self {
        let count = problem.contacts();
        Self {
            problem,
            scales: (0..count).map(|contact| problem.scale(contact)).collect(),
            damping: DAMPINGS[0],
            failures: 0,
            system: None,
            lines: Vec::new(),
            velocities: problem.free.clone(),
            change: vec![[0.0; D]; count],
            start: vec![[0.0; D]; count],
            trial: vec![[0.0; D]; count],
            chosen: vec![[0.0; D]; count],
        }
    }

    /// Takes an analysis of W's pattern over.
    pub fn use_analysis(&mut self, system: BlockSystem<D>) {
        self.system = Some(system);
    }

    /// Plain sweeps.
    pub fn relax(&mut self, sweeper: &mut Sweeper<'a, D>, impulses: &mut [Local<D>], count: usize) {
        for _ in 0..count {
            sweeper.sweep(impulses, &self.start);
        }
    }

    /// Whether another step can end in time.
    pub fn have_time(&self, limits: &Limits) -> bool {
        match &self.system {
            Some(system) => limits.has_time_for_factors(system.price()),
            None => limits.has_time_for_analysis(&self.problem.delassus),
        }
    }

    /// A few steps from `impulses`; whether they have improved the residual. Where they have not,
    /// the impulses are as before.
    ///
    /// The states of contacts change on the way, and the residual may rise before it falls: steps
    /// are judged together, not each by itself.
    pub fn try_steps(
        &mut self,
        sweeper: &mut Sweeper<'a, D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> Trial {
        let tolerance = limits.tolerance;
        self.start.copy_from_slice(impulses);
        self.problem.velocities(impulses, &mut self.velocities);
        let now = Residual::of_assembled(self.problem, impulses, &self.velocities);
        let before = now.excess(tolerance);
        let mut last = before;
        let mut steps = 0;
        let patience = PATIENCE * (1 + self.failures).min(MORE_PATIENCE);
        while steps < patience {
            steps += 1;
            if !self.analyse() || !self.have_time(limits) || !self.solve_linear(impulses) {
                break;
            }
            let mut after = f64::INFINITY;
            for length in LENGTHS {
                for c in 0..impulses.len() {
                    let moved = add_scaled(&impulses[c], length, &self.change[c]);
                    self.trial[c] = self.problem.cones[c].project(&moved);
                }
                sweeper.sweep(&mut self.trial, &self.start);
                let excess = sweeper.look(&self.trial, tolerance);
                if excess < after {
                    after = excess;
                    self.chosen.copy_from_slice(&self.trial);
                }
                if excess < 0.5 * last {
                    break;
                }
            }
            if !after.is_finite() {
                break;
            }
            impulses.copy_from_slice(&self.chosen);
            if after < 0.5 * before || after <= 1.0 {
                self.damping = (self.damping * 0.1).max(1e-12);
                return Trial { steps, paid: true };
            }
            // Slow but steady: the damping holds the steps back.
            if after < before && after < last && after > 0.8 * last {
                self.damping = (self.damping * 0.03).max(1e-12);
            }
            last = after;
            if after > 1e4 * before {
                break;
            }
            self.problem.velocities(impulses, &mut self.velocities);
        }
        if last > before {
            impulses.copy_from_slice(&self.start);
        }
        self.failures += 1;
        self.damping = DAMPINGS[self.failures % DAMPINGS.len()];
        Trial { steps, paid: false }
    }

    /// Analyses W's pattern before the first step; false if there is not enough memory.
    fn analyse(&mut self) -> bool {
        if self.system.is_none() {
            self.system = BlockSystem::new(&self.problem.delassus);
        }
        self.system.is_some()
    }

    /// Δr of the linear system; false where it has no solution. A contact that is apart loses its impulse.
    fn solve_linear(&mut self, impulses: &[Local<D>]) -> bool {
        let problem = self.problem;
        self.lines.clear();
        for (c, cone) in problem.cones.iter().enumerate() {
            let line = linearise(cone, &impulses[c], &self.velocities[c], self.scales[c]);
            self.change[c] = scaled(line.as_ref().map_or(&impulses[c], |line| &line.value), -1.0);
            self.lines.push(line);
        }
        let Some(system) = &mut self.system else { return false };
        let (lines, damping, scales) = (&self.lines, self.damping, &self.scales);
        let factored = system.factor(&problem.delassus, |row, column, block| {
            let own = row == column;
            let Some(line) = &lines[row] else {
                return if own { identity() } else { [[0.0; D]; D] };
            };
            let (mut w, mut sum) = (*block, [[0.0; D]; D]);
            if own {
                (0..D).for_each(|i| w[i][i] += damping / scales[row]);
                sum = line.by_impulse;
            }
            for i in 0..D {
                for k in 0..D {
                    sum[i] = add_scaled(&sum[i], line.by_velocity[i][k], &w[k]);
                }
            }
            sum
        });
        factored && system.solve(&mut self.change)
    }
}

fn identity<const D: usize>() -> Square<D> {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))
}

/// The law as an equation in the state that the contact is in; none where it is apart.
fn linearise<const D: usize>(
    cone: &Cone,
    r: &Local<D>,
    u: &Local<D>,
    scale: f64,
) -> Option<Linearised<D>> {
    let apart = r[0] - scale * u[0] <= 0.0;
    (!apart).then(|| alart_curnier(cone, u, r, &Augmentation::uniform(scale)))
}
