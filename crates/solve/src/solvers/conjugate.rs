//! Conjugate projected gradient, after Renouf & Alart 2005.
//!
//! With the lift of the present velocities frozen, Û is the gradient of a convex function. The
//! direction is the projected gradient step w = proj_K (r − τ Û) − r, made W-conjugate to the last
//! direction; the step along it is the best one for the function, and what leaves the cone is
//! projected back. Where the projection has taken a large part of a step away, or the direction
//! does not descend, conjugacy starts anew; a step that made w larger is taken back and replaced
//! by the plain projected one. W must be symmetric, or nearly so. Unknowns are scaled ([`Scaled`]).

use super::Limits;
use super::scaled::{OnScaled, Scaled};
use crate::assembled::local::{add, add_scaled, dot, scaled, subtract};
use crate::assembled::{Assembled, Local};

/// Largest share of a step that the projection may take away before conjugacy starts anew.
const LOST: f64 = 0.3;
/// Growth of |w| from which on a step is taken back.
const WORSE: f64 = 1.0;

/// The solver.
#[derive(Debug, Default)]
pub struct ConjugateGradient<const D: usize> {
    scaled: Scaled<D>,
    steps: Vec<f64>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// w.
    moves: Vec<Local<D>>,
    /// p and W p.
    direction: Vec<Local<D>>,
    answer: Vec<Local<D>>,
    /// r + w before the last step.
    fallback: Vec<Local<D>>,
}

impl<const D: usize> OnScaled<D> for ConjugateGradient<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        self.scaled.best(&mut self.impulses);
        self.scaled.safe_steps(&mut self.steps);
        for vector in [
            &mut self.velocities,
            &mut self.moves,
            &mut self.direction,
            &mut self.answer,
            &mut self.fallback,
        ] {
            vector.clone_from(&self.impulses);
        }
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        // |w|² at the last accepted point, and whether the last direction still counts.
        let (mut last_size, mut conjugate) = (f64::INFINITY, false);
        for iteration in 1..=limits.max_iterations {
            self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
            if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
                return iteration;
            }
            let size = self.project_gradient();
            if size.is_nan() || size > WORSE * WORSE * last_size {
                self.impulses.copy_from_slice(&self.fallback);
                (last_size, conjugate) = (f64::INFINITY, false);
                continue;
            }
            last_size = size;
            self.set_direction(conjugate);
            conjugate = self.step();
        }
        limits.max_iterations
    }
}

impl<const D: usize> ConjugateGradient<D> {
    /// w and |w|² in the metric of the steps.
    fn project_gradient(&mut self) -> f64 {
        let mut size = 0.0;
        for (contact, cone) in self.scaled.problem.cones.iter().enumerate() {
            let (r, step) = (&self.impulses[contact], self.steps[contact]);
            let gradient = cone.lift(&self.velocities[contact]);
            let w = subtract(&cone.project(&add_scaled(r, -step, &gradient)), r);
            size += dot(&w, &w) / step;
            self.moves[contact] = w;
        }
        size
    }

    /// p = w + β p_last with p·W p_last = 0, where that descends; else w. Then W p.
    fn set_direction(&mut self, conjugate: bool) {
        let mut beta = 0.0;
        if conjugate {
            let along = product(&self.direction, &self.answer);
            beta = (-product(&self.moves, &self.answer) / along).max(0.0);
        }
        for (p, w) in self.direction.iter_mut().zip(&self.moves) {
            *p = add_scaled(w, beta, p);
        }
        let descent = self.descent();
        if descent.is_nan() || descent <= 0.0 {
            self.direction.copy_from_slice(&self.moves);
        }
        self.answer.fill([0.0; D]);
        self.scaled.problem.delassus.multiply_add(&self.direction, &mut self.answer);
    }

    /// −Û·p.
    fn descent(&self) -> f64 {
        let cones = self.scaled.problem.cones.iter();
        let lifted = cones.zip(&self.velocities).map(|(cone, u)| cone.lift(u));
        -lifted.zip(&self.direction).map(|(g, p)| dot(&g, p)).sum::<f64>()
    }

    /// r ← proj_K (r + α p). Returns whether the projection has left most of the step.
    fn step(&mut self) -> bool {
        let along = product(&self.direction, &self.answer);
        let best = self.descent() / along;
        // Along directions that W does not see there is no best length: take the safe one.
        let length = if best.is_finite() && best > 0.0 { best } else { 1.0 };
        let (mut wanted, mut lost) = (0.0, 0.0);
        for (contact, cone) in self.scaled.problem.cones.iter().enumerate() {
            let r = self.impulses[contact];
            self.fallback[contact] = add(&r, &self.moves[contact]);
            let change = scaled(&self.direction[contact], length);
            let free = add(&r, &change);
            let kept = cone.project(&free);
            wanted += dot(&change, &change);
            let rest = subtract(&free, &kept);
            lost += dot(&rest, &rest);
            self.impulses[contact] = kept;
        }
        lost <= LOST * LOST * wanted
    }
}

fn product<const D: usize>(a: &[Local<D>], b: &[Local<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(a, b)).sum()
}
