//! Alternating directions (ADMM) on de Saxcé's form, with an automatic penalty.
//!
//! The quadratic ½ r·Wr + (q + s)·r and the cone r ∈ K are split, s being the lift μ|u_t| n of the
//! velocities. With the penalty ρ the iteration is a fixed point of one vector v:
//!
//! ```text
//! z = proj_K v,   Û = ρ(z − v),   s = lift of Û
//! r = (W + ρI)⁻¹ (ρz + Û − q − s)
//! v ← v + α (r − z)
//! ```
//!
//! Where it stands still, r = z and W r + q + s = Û ∈ K* ⟂ z: the exact law of Coulomb, not its
//! convex relaxation. The lift follows the velocities in every iteration at first. Where that has
//! not settled after [`LIVELY`] iterations it is held until the convex problem that it leaves is
//! solved to a share, as in [`super::apgd`]: slower on easy problems, but it does not cycle.
//!
//! Unknowns are scaled ([`Scaled`]), so that ρ has no unit and is near 1. It balances the relative
//! sizes of the two residuals |r − z| and ρ|z − z_last| (Boyd et al. 2011, §3.4.1). Anderson's
//! acceleration works on v.

use super::anderson::Anderson;
use super::factor::Factor;
use super::scaled::Scaled;
use super::{Limits, Solver};
use crate::SolveReport;
use crate::assembled::local::{add_scaled, dot, scaled, subtract};
use crate::assembled::{Assembled, Local};

/// Over-relaxation α.
const RELAXATION: f64 = 1.6;
/// Iterations in which the lift follows the velocities.
const LIVELY: usize = 150;
/// Share of the first |r − z| at which a held lift is set anew.
const SHARE: f64 = 0.5;
/// The iteration after which the penalty is balanced first, and the factor from time to time.
const FIRST_BALANCE: usize = 10;
const BALANCE_GROWTH: f64 = 1.5;
/// Smaller changes of the penalty than this factor are not worth a factorisation, and larger
/// ones than the second are not trusted.
const WORTHWHILE: f64 = 2.0;
const TRUSTED: f64 = 10.0;

/// The solver.
#[derive(Debug, Default)]
pub struct Admm<const D: usize> {
    scaled: Scaled<D>,
    anderson: Anderson,
    /// v and its image under the iteration.
    point: Vec<Local<D>>,
    image: Vec<Local<D>>,
    /// z, its velocities and its value one iteration before.
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    last_impulses: Vec<Local<D>>,
    /// r.
    free_impulses: Vec<Local<D>>,
    /// The normal part of s.
    lift: Vec<f64>,
}

/// Squares of what the penalty balances.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    /// z and Û.
    impulses: f64,
    lifted: f64,
    /// r − z and z − z_last.
    split: f64,
    change: f64,
}

impl<const D: usize> Solver<D> for Admm<D> {
    fn name(&self) -> &'static str {
        "admm"
    }

    fn solve(
        &mut self,
        given: &Assembled<D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport {
        if self.scaled.start(given, impulses, limits) {
            return self.scaled.finish(impulses, 0);
        }
        let iterations = match Factor::new(&self.scaled.problem.delassus) {
            Some(factor) => self.iterate(given, factor, limits),
            None => 0,
        };
        self.scaled.finish(impulses, iterations)
    }
}

impl<const D: usize> Admm<D> {
    fn iterate(&mut self, given: &Assembled<D>, mut factor: Factor, limits: &Limits) -> usize {
        let mut penalty = 1.0;
        if !factor.shift(penalty) {
            return 0;
        }
        self.start(penalty);
        let mut next_balance = FIRST_BALANCE;
        let (mut set_lift, mut settled) = (true, None);
        for iteration in 1..=limits.max_iterations {
            let mut sizes = Sizes::default();
            self.split(penalty, set_lift, &mut sizes);
            self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
            if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
                return iteration;
            }
            factor.solve(&mut self.free_impulses);
            self.step(&mut sizes);
            let wanted = *settled.get_or_insert(SHARE * SHARE * sizes.split);
            set_lift = iteration < LIVELY || sizes.split <= wanted;
            let mut balanced = false;
            if iteration == next_balance {
                next_balance = (next_balance as f64 * BALANCE_GROWTH) as usize;
                balanced = self.balance(&mut factor, &mut penalty, &sizes);
                set_lift |= balanced;
            }
            if set_lift {
                settled = None;
            }
            // From a new penalty or a new held lift on, the iteration is another one.
            if balanced || (set_lift && iteration >= LIVELY) {
                self.anderson.reset();
            } else {
                self.anderson.next(self.point.as_flattened(), self.image.as_flattened_mut());
            }
            std::mem::swap(&mut self.point, &mut self.image);
        }
        limits.max_iterations
    }

    /// v from the best impulses so far and their velocities.
    fn start(&mut self, penalty: f64) {
        let problem = &self.scaled.problem;
        self.scaled.best(&mut self.impulses);
        self.velocities.clone_from(&problem.free);
        problem.velocities(&self.impulses, &mut self.velocities);
        let lifted = problem.cones.iter().zip(&self.velocities).map(|(cone, u)| cone.lift(u));
        let points = self.impulses.iter().zip(lifted);
        self.point.clear();
        self.point.extend(points.map(|(z, lifted)| add_scaled(z, -1.0 / penalty, &lifted)));
        self.image.clone_from(&self.point);
        self.free_impulses.clone_from(&self.point);
        self.last_impulses.clone_from(&self.impulses);
        self.lift.clear();
        self.lift.resize(problem.contacts(), 0.0);
        self.anderson.reset();
    }

    /// z, and the right-hand side of r.
    fn split(&mut self, penalty: f64, set_lift: bool, sizes: &mut Sizes) {
        let problem = &self.scaled.problem;
        for (contact, cone) in problem.cones.iter().enumerate() {
            let z = cone.project(&self.point[contact]);
            let lifted = scaled(&subtract(&z, &self.point[contact]), penalty);
            if set_lift {
                self.lift[contact] = cone.lift(&lifted)[0] - lifted[0];
            }
            let mut right = subtract(&add_scaled(&lifted, penalty, &z), &problem.free[contact]);
            right[0] -= self.lift[contact];
            self.free_impulses[contact] = right;
            self.impulses[contact] = z;
            sizes.impulses += dot(&z, &z);
            sizes.lifted += dot(&lifted, &lifted);
        }
    }

    /// The image of v.
    fn step(&mut self, sizes: &mut Sizes) {
        for (contact, z) in self.impulses.iter().enumerate() {
            let split = subtract(&self.free_impulses[contact], z);
            let change = subtract(z, &self.last_impulses[contact]);
            self.image[contact] = add_scaled(&self.point[contact], RELAXATION, &split);
            sizes.split += dot(&split, &split);
            sizes.change += dot(&change, &change);
        }
        self.last_impulses.copy_from_slice(&self.impulses);
    }

    /// Balances the penalty and carries z and Û over. Returns whether it has changed.
    fn balance(&mut self, factor: &mut Factor, penalty: &mut f64, sizes: &Sizes) -> bool {
        let split = (sizes.split / sizes.impulses).sqrt();
        let change = *penalty * (sizes.change / sizes.lifted).sqrt();
        let ratio = (split / change).sqrt();
        if ratio.is_nan() || (1.0 / WORTHWHILE..WORTHWHILE).contains(&ratio) {
            return false;
        }
        let ratio = ratio.clamp(1.0 / TRUSTED, TRUSTED);
        if !factor.shift(*penalty * ratio) {
            factor.shift(*penalty);
            return false;
        }
        *penalty *= ratio;
        for (v, cone) in self.image.iter_mut().zip(&self.scaled.problem.cones) {
            let z = cone.project(v);
            *v = add_scaled(&z, 1.0 / ratio, &subtract(v, &z));
        }
        true
    }
}
