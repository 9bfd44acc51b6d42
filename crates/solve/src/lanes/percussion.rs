//! Four linear laws of A-CD² at a time, in the plane, with Coulomb's bound or without. Letters as in `law/percussion.rs`.

use super::{Lanes, PlaneKernel, Register};
use crate::{Block, Contact, Percussion};
use drystone_space::Plane;

/// What the laws of four contacts add to their kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanePercussions {
    /// U⁻.
    before: [Lanes; 2],
    /// c_N.
    slope: Lanes,
    /// 1/c_T.
    yields: Lanes,
    /// μ; below zero where there is no bound.
    friction: Lanes,
    /// x_min.
    least: Lanes,
    /// Smallest P_n without reaction: 0, or anything where f_N pulls.
    floor: Lanes,
    /// h.
    direct: Lanes,
    /// S.
    schur: Lanes,
    /// 1/(1 + ½c_N h).
    share: Lanes,
    /// 1/(S + 2/c_T + η k²) with the reaction (η = 0), with f_N only, and free (η = h).
    answers: [Lanes; 3],
}

impl PlanePercussions {
    /// Writes a law into a lane; false if it is not linear.
    pub fn put(&mut self, lane: usize, contact: &Contact<Plane>, law: &Percussion<Plane>) -> bool {
        let Some([c_n, c_t]) = law.slopes() else { return false };
        let set = |lanes: &mut Lanes, value: f64| lanes.as_mut_array()[lane] = value;
        let (h, k) = (contact.block.normal(), contact.block.coupling());
        let schur = contact.block.schur(1.0);
        let share = 1.0 / (1.0 + 0.5 * c_n * h);
        set(&mut self.before[0], law.before.n);
        set(&mut self.before[1], law.before.t);
        set(&mut self.slope, c_n);
        set(&mut self.yields, 1.0 / c_t);
        set(&mut self.friction, if law.friction == f64::INFINITY { -1.0 } else { law.friction });
        set(&mut self.least, law.least());
        set(&mut self.floor, if law.pulls { f64::MIN } else { 0.0 });
        set(&mut self.direct, h);
        set(&mut self.schur, schur);
        set(&mut self.share, share);
        for (answer, eta) in self.answers.iter_mut().zip([0.0, h * share, h]) {
            // Zero where c_T is.
            set(answer, 1.0 / (2.0 / c_t + schur + eta * k * k));
        }
        true
    }

    /// The closed form of `Percussion::solve_linear`.
    #[inline(always)]
    pub fn solve<R: Register>(&self, kernel: &PlaneKernel, u: &[R; 2], p: &[R; 2]) -> [R; 2] {
        let (h, k) = (R::load(&self.direct), R::load(&kernel.coupling));
        let (slope, share) = (R::load(&self.slope), R::load(&self.share));
        let (inverse_direct, least) = (R::load(&kernel.inverse_direct), R::load(&self.least));
        let half = R::splat(0.5) * slope;
        let m = p[0] + k * p[1] - inverse_direct * u[0];
        let b = u[1] - k * u[0] - R::load(&self.schur) * p[1] + R::load(&self.before[1]);
        let before = R::load(&self.before[0]);
        let end = least + least - before;
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let friction = R::load(&self.friction);
        let bounded = zero.at_most(friction);
        // P_t that keeps to the bound along the line P_n = a − c P_t; where that never meets it there is none.
        let bind = |stick: R, a: R, c: R| {
            let (most, aside) = (friction * a.larger(zero), friction * c);
            let (up, down) = (one + aside, one - aside);
            let far = R::splat(f64::MAX);
            let high = zero.below(up).select(most / up, far);
            let low = zero.below(down).select(-(most / down), -far);
            let kept = zero.below(a).select(stick.smaller(high).larger(low), zero);
            bounded.select(kept, stick)
        };
        let reaction = end * inverse_direct + m;
        let reacting_t = bind(-(b + k * end) * R::load(&self.answers[0]), reaction, k);
        let reacting = reaction - k * reacting_t;
        let brake = half * share * (h * m - before);
        let braked_t = (k * h * share * (m + half * before) - b) * R::load(&self.answers[1]);
        let less = k * (one - share);
        let braked_t = bind(braked_t, brake, less);
        let braked = brake - less * braked_t;
        let free_t = bounded.select(zero, (k * h * m - b) * R::load(&self.answers[2]));
        let reacts = zero.at_most(reacting + slope * least);
        let brakes = R::load(&self.floor).at_most(braked);
        [
            reacts.select(reacting, brakes.select(braked, zero)),
            reacts.select(reacting_t, brakes.select(braked_t, free_t)),
        ]
    }

    /// Square of the error of [`Percussion::natural_map`].
    #[inline(always)]
    pub fn error_square<R: Register>(&self, u: &[R], p: &[R], scale: R) -> R {
        let half = R::splat(0.5);
        let w = half / scale;
        let free = half * (u[0] + R::load(&self.before[0])) - w * p[0];
        let free_t = half * (u[1] + R::load(&self.before[1])) - w * p[1];
        let slope = R::load(&self.slope);
        let braked = -free * (slope / (R::splat(1.0) + w * slope));
        let pushed = braked.larger((R::load(&self.least) - free) / w).larger(R::load(&self.floor));
        let n = p[0] - pushed;
        let (zero, friction) = (R::splat(0.0), R::load(&self.friction));
        let bound = friction * pushed.larger(zero);
        let wanted = -free_t / (R::load(&self.yields) + w);
        let kept = wanted.smaller(bound).larger(-bound);
        let t = p[1] - zero.at_most(friction).select(kept, wanted);
        n * n + t * t
    }
}
