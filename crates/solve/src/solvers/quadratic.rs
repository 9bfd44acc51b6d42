//! Quadratic programming for problems without friction.
//!
//! Without friction the velocity after the step is the point of the admissible velocities nearest
//! to the free one in the kinetic metric (Moreau 1998, (20)). Its dual is
//!
//! ```text
//! minimise ½ x·A x + b·x over x ≥ 0,   x = r_n,   A = W_nn,   b = q_n
//! ```
//!
//! Solved by conjugate gradients on the face of the present active set, which is left by a step of
//! the chopped gradient and met by a projected gradient step (MPRGP, Dostál & Schöberl 2005). It
//! ends on the exact active set, and A need not have full rank. On a problem with friction the
//! answer is that of the same problem without, and the judge says so.

use super::Limits;
use super::scaled::{OnScaled, Scaled};
use crate::Cone;
use crate::assembled::{Assembled, Local};

/// Iterations between two looks of the judge.
const LOOK_EVERY: usize = 5;

/// The solver.
#[derive(Debug, Default)]
pub struct Quadratic<const D: usize> {
    scaled: Scaled<D>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// x, and the gradient A x + b.
    normal: Vec<f64>,
    gradient: Vec<f64>,
    /// p and A p.
    direction: Vec<f64>,
    answer: Vec<f64>,
    /// Safe length of a projected gradient step.
    step: f64,
}

impl<const D: usize> OnScaled<D> for Quadratic<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn applies(&self, cones: &[Cone]) -> bool {
        cones.iter().all(|cone| cone.friction == 0.0 && cone.rolling == 0.0)
    }

    fn set_out(&mut self) {
        self.scaled.best(&mut self.impulses);
        self.velocities.clone_from(&self.impulses);
        self.normal.clear();
        self.normal.extend(self.impulses.iter().map(|r| r[0].max(0.0)));
        self.gradient.clone_from(&self.normal);
        self.direction.clone_from(&self.normal);
        self.answer.clone_from(&self.normal);
        let matrix = &self.scaled.problem.delassus;
        let row = |c| matrix.row(c).map(|(_, block)| block[0][0].abs()).sum::<f64>();
        let largest = (0..matrix.rows()).map(row).fold(f64::MIN_POSITIVE, f64::max);
        self.step = 1.0 / largest;
        self.refresh();
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        for iteration in 1..=limits.max_iterations {
            // The chopped gradient pulls contacts back that the face holds at zero.
            let (mut chopped, mut free) = (0.0, 0.0);
            for (x, g) in self.normal.iter().zip(&self.gradient) {
                if *x > 0.0 {
                    free += g * g.min(x / self.step);
                } else {
                    chopped += g.min(0.0) * g.min(0.0);
                }
            }
            if chopped <= free {
                self.move_on_face();
            } else {
                self.leave_face();
            }
            if (iteration % LOOK_EVERY == 0 || chopped + free == 0.0) && self.look(given, limits) {
                return iteration;
            }
        }
        limits.max_iterations
    }
}

impl<const D: usize> Quadratic<D> {
    /// The gradient at x, and the direction of the free gradient.
    fn refresh(&mut self) {
        multiply(&self.scaled.problem, &self.normal, &mut self.gradient);
        for (g, q) in self.gradient.iter_mut().zip(&self.scaled.problem.free) {
            *g += q[0];
        }
        self.face_direction(0.0);
    }

    /// p = φ − β p, φ being the gradient on the face.
    fn face_direction(&mut self, beta: f64) {
        for (p, (x, g)) in self.direction.iter_mut().zip(self.normal.iter().zip(&self.gradient)) {
            *p = if *x > 0.0 { g - beta * *p } else { 0.0 };
        }
    }

    /// A step of conjugate gradients; where it would leave x ≥ 0, up to there, and then a
    /// projected gradient step.
    fn move_on_face(&mut self) {
        multiply(&self.scaled.problem, &self.direction, &mut self.answer);
        let along = product(&self.direction, &self.answer);
        let best = product(&self.gradient, &self.direction) / along;
        let mut allowed = f64::INFINITY;
        for (x, p) in self.normal.iter().zip(&self.direction) {
            if *p > 0.0 {
                allowed = allowed.min(x / p);
            }
        }
        if best <= allowed {
            self.advance(best);
            let mut across = 0.0;
            for ((x, g), a) in self.normal.iter().zip(&self.gradient).zip(&self.answer) {
                across += if *x > 0.0 { g * a } else { 0.0 };
            }
            self.face_direction(across / along);
            return;
        }
        // `best` may be infinite or no number where A does not see p.
        if allowed.is_finite() {
            self.advance(allowed);
        }
        for (x, g) in self.normal.iter_mut().zip(&self.gradient) {
            if *x > 0.0 {
                *x = (*x - self.step * g).max(0.0);
            }
        }
        self.refresh();
    }

    /// x ← x − α p with the best α, p being the chopped gradient.
    fn leave_face(&mut self) {
        for (p, (x, g)) in self.direction.iter_mut().zip(self.normal.iter().zip(&self.gradient)) {
            *p = if *x > 0.0 { 0.0 } else { g.min(0.0) };
        }
        multiply(&self.scaled.problem, &self.direction, &mut self.answer);
        let along = product(&self.direction, &self.answer);
        let best = product(&self.gradient, &self.direction) / along;
        self.advance(if best.is_finite() && best > 0.0 { best } else { self.step });
        self.face_direction(0.0);
    }

    fn advance(&mut self, length: f64) {
        for (x, p) in self.normal.iter_mut().zip(&self.direction) {
            *x = (*x - length * p).max(0.0);
        }
        for (g, a) in self.gradient.iter_mut().zip(&self.answer) {
            *g -= length * a;
        }
    }

    fn look(&mut self, given: &Assembled<D>, limits: &Limits) -> bool {
        for (r, &x) in self.impulses.iter_mut().zip(&self.normal) {
            *r = [0.0; D];
            r[0] = x;
        }
        self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
        self.scaled.judge(given, &self.impulses, &self.velocities, limits)
    }
}

/// y = A x.
fn multiply<const D: usize>(problem: &Assembled<D>, x: &[f64], y: &mut [f64]) {
    for (row, y) in y.iter_mut().enumerate() {
        *y = problem.delassus.row(row).map(|(column, block)| block[0][0] * x[column]).sum();
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
