//! Proximal point around a semismooth Newton method that cannot fail to descend.
//!
//! With the lift s = μ|u_t| + μ_r|u_m| held, the law is that of a convex problem, and
//! r' = argmin ½ rᵀWr + (q + s n)ᵀr + ½ α |r − r_k|²_S over r ∈ K, S = trace(W_cc)/D, is always
//! unique, whatever rank W has. It is the zero of F(r) = r − proj_K(x), x = r_k − (αS)⁻¹(W r + q + s n),
//! and W F is the gradient of the convex function
//!
//! φ(r) = ½ rᵀWr + ½ Σ αS |proj_K(x)|²,
//!
//! so that Newton's steps on F, which solve (I + P'(αS)⁻¹W) d = −F, descend on φ and converge from
//! anywhere with a line search. With Q = √P' the system is symmetric: (αS + Q W Q) y = −Q W F,
//! d = −F − Q y. Between the inner solves the centre r_k and the lift follow, which is the fixed
//! point of de Saxcé's form; α falls as long as that works.

use super::contact::{Components, Size};
use super::sparse::BlockSystem;
use super::{Limits, Solver};
use crate::assembled::local::{add, add_scaled, dot, scaled, subtract};
use crate::assembled::{Assembled, Local, Square};
use crate::{Residual, SolveReport};

/// Most Newton steps for one centre.
const INNER: usize = 20;

/// Proximal point with its settings.
#[derive(Clone, Copy, Debug)]
pub struct Proximal {
    /// α to begin with.
    pub start: f64,
    /// Least α.
    pub least: f64,
}

impl Default for Proximal {
    fn default() -> Self {
        Self { start: 0.1, least: 1e-7 }
    }
}

impl<const D: usize> Solver<D> for Proximal
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
        let mut best = (start, impulses.to_vec());
        let mut centre = Centre::new(problem, self.start);
        let mut iterations = 0;
        while iterations < limits.max_iterations
            && !best.0.solves(limits.tolerance)
            && centre.has_time(limits)
        {
            let steps = centre.advance(impulses, limits);
            iterations += steps;
            let residual = centre.judge(impulses);
            let (now, was) = (residual.excess(limits.tolerance), best.0.excess(limits.tolerance));
            if now < was {
                best = (residual, impulses.to_vec());
            }
            if steps < INNER {
                centre.alpha = (centre.alpha * 0.3).max(self.least);
            } else {
                centre.alpha = (centre.alpha * 3.0).min(1.0);
            }
        }
        impulses.copy_from_slice(&best.1);
        SolveReport::new(best.0.solves(limits.tolerance), iterations, best.0)
    }
}

/// One centre after another.
pub(crate) struct Centre<'a, const D: usize> {
    problem: &'a Assembled<D>,
    /// trace(W_cc)/D.
    scales: Vec<f64>,
    pub alpha: f64,
    /// None before the first step.
    system: Option<BlockSystem<D>>,
    /// W r, and the velocities of the centre.
    product: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// F and W F.
    rest: Vec<Local<D>>,
    rest_product: Vec<Local<D>>,
    change: Vec<Local<D>>,
    change_product: Vec<Local<D>>,
}

impl<'a, const D: usize> Centre<'a, D> {
    pub fn new(problem: &'a Assembled<D>, alpha: f64) -> Self {
        let scale = |contact| 1.0 / problem.scale(contact);
        let zeros = vec![[0.0; D]; problem.contacts()];
        Self {
            problem,
            scales: (0..problem.contacts()).map(scale).collect(),
            alpha,
            system: None,
            product: zeros.clone(),
            velocities: zeros.clone(),
            rest: zeros.clone(),
            rest_product: zeros.clone(),
            change: zeros.clone(),
            change_product: zeros,
        }
    }

    /// The judge's word on impulses.
    pub fn judge(&mut self, impulses: &[Local<D>]) -> Residual {
        self.problem.velocities(impulses, &mut self.velocities);
        Residual::of_assembled(self.problem, impulses, &self.velocities)
    }

    /// Solves the proximal problem around the impulses, to some accuracy; returns Newton's steps.
    pub fn advance(&mut self, impulses: &mut [Local<D>], limits: &Limits) -> usize {
        let problem = self.problem;
        problem.velocities(impulses, &mut self.velocities);
        // x without −(αS)⁻¹ W r.
        let base: Vec<Local<D>> = (0..impulses.len())
            .map(|c| {
                let lifted = problem.cones[c].lift(&self.velocities[c]);
                let shift = lifted[0] - self.velocities[c][0];
                let mut free = problem.free[c];
                free[0] += shift;
                add_scaled(&impulses[c], -1.0 / (self.alpha * self.scales[c]), &free)
            })
            .collect();
        let origin = impulses.to_vec();
        multiply(problem, impulses, &mut self.product);
        for step in 1..=INNER {
            let points = self.points(&base, 0.0);
            let mut size = 0.0;
            let mut error = 0.0;
            for c in 0..impulses.len() {
                self.rest[c] = subtract(&impulses[c], &problem.cones[c].project(&points[c]));
                error += self.scales[c] * dot(&self.rest[c], &self.rest[c]);
                let way = subtract(&impulses[c], &origin[c]);
                size +=
                    self.scales[c] * (dot(&way, &way) + 1e-24 * dot(&impulses[c], &impulses[c]));
            }
            // Good enough to move the centre.
            if step > 1 && error <= 1e-4 * size {
                self.settle(impulses, &points);
                return step;
            }
            multiply(problem, &self.rest, &mut self.rest_product);
            if !self.analyse() || !self.has_time(limits) || !self.direction(&points) {
                self.settle(impulses, &points);
                return INNER;
            }
            multiply(problem, &self.change, &mut self.change_product);
            let length = self.search(impulses, &base);
            for c in 0..impulses.len() {
                impulses[c] = add_scaled(&impulses[c], length, &self.change[c]);
                self.product[c] = add_scaled(&self.product[c], length, &self.change_product[c]);
            }
        }
        let points = self.points(&base, 0.0);
        self.settle(impulses, &points);
        INNER
    }

    /// Ends inside the cones.
    fn settle(&self, impulses: &mut [Local<D>], points: &[Local<D>]) {
        for (c, r) in impulses.iter_mut().enumerate() {
            *r = self.problem.cones[c].project(&points[c]);
        }
    }

    /// x at r + length d.
    fn points(&self, base: &[Local<D>], length: f64) -> Vec<Local<D>> {
        (0..base.len())
            .map(|c| {
                let product = add_scaled(&self.product[c], length, &self.change_product[c]);
                add_scaled(&base[c], -1.0 / (self.alpha * self.scales[c]), &product)
            })
            .collect()
    }

    /// Armijo's line search on φ.
    fn search(&self, impulses: &[Local<D>], base: &[Local<D>]) -> f64 {
        let envelope = |length: f64| -> f64 {
            let points = self.points(base, length);
            (0..base.len())
                .map(|c| {
                    let p = self.problem.cones[c].project(&points[c]);
                    0.5 * self.alpha * self.scales[c] * dot(&p, &p)
                })
                .sum()
        };
        let (mut linear, mut square, mut slope) = (0.0, 0.0, 0.0);
        for c in 0..impulses.len() {
            linear += dot(&impulses[c], &self.change_product[c]);
            square += dot(&self.change[c], &self.change_product[c]);
            slope += dot(&self.rest[c], &self.change_product[c]);
        }
        let now = envelope(0.0);
        let mut length = 1.0;
        for _ in 0..12 {
            let rise = length * linear + 0.5 * length * length * square + envelope(length) - now;
            if rise <= 1e-4 * length * slope || rise <= 1e-14 * now {
                break;
            }
            length *= 0.5;
        }
        length
    }

    /// Analyses W's pattern before the first step; false if there is not enough memory.
    fn analyse(&mut self) -> bool {
        if self.system.is_none() {
            self.system = BlockSystem::new(&self.problem.delassus);
        }
        self.system.is_some()
    }

    /// Whether another step can end in time.
    fn has_time(&self, limits: &Limits) -> bool {
        match &self.system {
            Some(system) => limits.has_time_for_factors(system.price()),
            None => limits.has_time_for_analysis(&self.problem.delassus),
        }
    }

    /// Newton's direction; false where the matrix cannot be factorised.
    fn direction(&mut self, points: &[Local<D>]) -> bool {
        let problem = self.problem;
        let roots: Vec<Square<D>> =
            points.iter().zip(&problem.cones).map(|(x, cone)| cone.derivative_root(x)).collect();
        let Some(system) = &mut self.system else { return false };
        let (alpha, scales) = (self.alpha, &self.scales);
        let factored = system.factor(&problem.delassus, |row, column, block| {
            let mut entry = product(&product(&roots[row], block), &roots[column]);
            if row == column {
                (0..D).for_each(|i| entry[i][i] += alpha * scales[row]);
            }
            entry
        });
        let times = |root: &Square<D>, x: &Local<D>| root.map(|line| dot(&line, x));
        for (c, root) in roots.iter().enumerate() {
            self.change[c] = scaled(&times(root, &self.rest_product[c]), -1.0);
        }
        if !factored || !system.solve(&mut self.change) {
            return false;
        }
        for (c, root) in roots.iter().enumerate() {
            self.change[c] = scaled(&add(&self.rest[c], &times(root, &self.change[c])), -1.0);
        }
        true
    }
}

fn multiply<const D: usize>(problem: &Assembled<D>, x: &[Local<D>], y: &mut [Local<D>]) {
    y.fill([0.0; D]);
    problem.delassus.multiply_add(x, y);
}

fn product<const D: usize>(a: &Square<D>, b: &Square<D>) -> Square<D> {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..D).map(|k| a[i][k] * b[k][j]).sum::<f64>()))
}
