//! Alternating directions (ADMM) on de Saxcé's form, with an automatic penalty.
//!
//! The quadratic ½ r·Wr + (q + s)·r and the cone r ∈ K are split, s being the lift μ|u_t| n of the
//! velocities. With the penalty ρ the iteration is a fixed point of one vector v:
//!
//! ```text
//! z = proj_K v,   Û = ρ(z − v),   s = lift of Û
//! r − z = (W + ρI)⁻¹ (Û − s − u),   u = W z + q
//! v ← v + α (r − z)
//! ```
//!
//! In this form u alone decides where the iteration ends, and the factors may be those of W's symmetric
//! part: recorded W are often unsymmetric by a thousandth, and sparse factors of symmetric matrices are
//! smaller and need no pivots.
//!
//! Where it stands still, r = z and W r + q + s = Û ∈ K* ⟂ z: the exact law of Coulomb, not its
//! convex relaxation. The lift follows the velocities in every iteration at first. Where that has
//! not settled after [`LIVELY`] iterations it is held until the convex problem that it leaves is
//! solved to a share, as in [`super::apgd`]: slower on easy problems, but it does not cycle.
//!
//! Unknowns are scaled ([`Scaled`]), so that ρ has no unit and is near 1. It balances the relative
//! sizes of the two residuals |r − z| and ρ|z − z_last| (Boyd et al. 2011, §3.4.1). Anderson's
//! acceleration works on v.

use super::Limits;
use super::anderson::Anderson;
use super::factor::{Factor, FactorPrice};
use super::scaled::{OnScaled, Scaled};
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
    /// Û − s, then r − z.
    split: Vec<Local<D>>,
    /// The normal part of s.
    lift: Vec<f64>,
    course: Option<Course>,
}

/// Where the iteration stands.
#[derive(Debug)]
struct Course {
    factor: Factor,
    factored: bool,
    /// ρ.
    penalty: f64,
    iteration: usize,
    next_balance: usize,
    /// Whether the lift is set anew, and |r − z|² at which it is the next time.
    set_lift: bool,
    settled: Option<f64>,
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

impl<const D: usize> OnScaled<D> for Admm<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        self.course = None;
        self.scaled.best(&mut self.impulses);
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        if !limits.has_time_for_analysis(&given.delassus) {
            return 0;
        }
        let price = self.analyse();
        if limits.has_time_for_factors(price) && self.factor() {
            self.advance(given, limits, limits.max_iterations)
        } else {
            0
        }
    }
}

impl<const D: usize> Admm<D> {
    /// Analyses W's pattern; what factors would take, more than anything if there is not enough memory.
    pub(crate) fn analyse(&mut self) -> FactorPrice {
        self.course = Factor::new(&self.scaled.problem.delassus).map(|factor| Course {
            factor,
            factored: false,
            penalty: 1.0,
            iteration: 0,
            next_balance: FIRST_BALANCE,
            set_lift: true,
            settled: None,
        });
        let endless = f64::INFINITY;
        let none = FactorPrice { factor: endless, solve: endless };
        self.course.as_ref().map_or(none, |course| course.factor.price())
    }

    /// Whether there are factors.
    pub(crate) fn is_factored(&self) -> bool {
        self.course.as_ref().is_some_and(|course| course.factored)
    }

    /// Factors, and starts from the impulses taken up; false where there are no factors.
    pub(crate) fn factor(&mut self) -> bool {
        let Some(course) = &mut self.course else { return false };
        let penalty = course.penalty;
        if !course.factor.shift(penalty) {
            self.course = None;
            return false;
        }
        course.factored = true;
        self.start(penalty);
        true
    }

    /// Goes on from other impulses.
    pub(crate) fn take_up(&mut self, impulses: &[Local<D>]) {
        self.scaled.scale(impulses, &mut self.impulses);
        if let Some(course) = &mut self.course {
            (course.set_lift, course.settled) = (true, None);
            let penalty = course.penalty;
            self.start(penalty);
        }
    }

    /// The least error so far, as a multiple of what is asked, and its impulses.
    pub(crate) fn best(&self) -> (f64, &[Local<D>]) {
        self.scaled.best_seen()
    }

    /// At most `count` more iterations, fewer where the problem is solved before; how many were made.
    pub(crate) fn advance(&mut self, given: &Assembled<D>, limits: &Limits, count: usize) -> usize {
        let Some(mut course) = self.course.take() else { return 0 };
        let mut made = count;
        for iteration in 1..=count {
            if self.iterate(given, &mut course, limits) {
                made = iteration;
                break;
            }
        }
        self.course = Some(course);
        made
    }

    fn iterate(&mut self, given: &Assembled<D>, course: &mut Course, limits: &Limits) -> bool {
        course.iteration += 1;
        let mut sizes = Sizes::default();
        self.split(course.penalty, course.set_lift, &mut sizes);
        self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
        if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
            return true;
        }
        for (split, u) in self.split.iter_mut().zip(&self.velocities) {
            *split = subtract(split, u);
        }
        course.factor.solve(&mut self.split);
        self.step(&mut sizes);
        let wanted = *course.settled.get_or_insert(SHARE * SHARE * sizes.split);
        let lively = course.iteration < LIVELY;
        course.set_lift = lively || sizes.split <= wanted;
        let mut balanced = false;
        if course.iteration == course.next_balance {
            course.next_balance = (course.next_balance as f64 * BALANCE_GROWTH) as usize;
            balanced = limits.has_time_for_factors(course.factor.price())
                && self.balance(&mut course.factor, &mut course.penalty, &sizes);
            course.set_lift |= balanced;
        }
        if course.set_lift {
            course.settled = None;
        }
        // From a new penalty or a new held lift on, the iteration is another one.
        if balanced || (course.set_lift && !lively) {
            self.anderson.reset();
        } else {
            self.anderson.next(self.point.as_flattened(), self.image.as_flattened_mut());
        }
        std::mem::swap(&mut self.point, &mut self.image);
        false
    }

    /// v from the impulses and their velocities.
    fn start(&mut self, penalty: f64) {
        let problem = &self.scaled.problem;
        self.velocities.clone_from(&problem.free);
        problem.velocities(&self.impulses, &mut self.velocities);
        let lifted = problem.cones.iter().zip(&self.velocities).map(|(cone, u)| cone.lift(u));
        let points = self.impulses.iter().zip(lifted);
        self.point.clear();
        self.point.extend(points.map(|(z, lifted)| add_scaled(z, -1.0 / penalty, &lifted)));
        self.image.clone_from(&self.point);
        self.split.clone_from(&self.point);
        self.last_impulses.clone_from(&self.impulses);
        self.lift.clear();
        self.lift.resize(problem.contacts(), 0.0);
        self.anderson.reset();
    }

    /// z and Û − s.
    fn split(&mut self, penalty: f64, set_lift: bool, sizes: &mut Sizes) {
        let problem = &self.scaled.problem;
        for (contact, cone) in problem.cones.iter().enumerate() {
            let z = cone.project(&self.point[contact]);
            let lifted = scaled(&subtract(&z, &self.point[contact]), penalty);
            if set_lift {
                self.lift[contact] = cone.lift(&lifted)[0] - lifted[0];
            }
            self.split[contact] = lifted;
            self.split[contact][0] -= self.lift[contact];
            self.impulses[contact] = z;
            sizes.impulses += dot(&z, &z);
            sizes.lifted += dot(&lifted, &lifted);
        }
    }

    /// The image of v.
    fn step(&mut self, sizes: &mut Sizes) {
        for (contact, z) in self.impulses.iter().enumerate() {
            let split = &self.split[contact];
            let change = subtract(z, &self.last_impulses[contact]);
            self.image[contact] = add_scaled(&self.point[contact], RELAXATION, split);
            sizes.split += dot(split, split);
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
