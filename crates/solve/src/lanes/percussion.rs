//! Four linear laws of A-CD² at a time, in the plane. Letters as in `law/percussion.rs`.

use super::{Lanes, PlaneKernel, larger};
use crate::{Block, Contact, Percussion};
use drystone_space::Plane;

/// What the laws of four contacts add to their kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanePercussions {
    /// U⁻.
    before: [Lanes; 2],
    /// c_N and c_T.
    slopes: [Lanes; 2],
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
        set(&mut self.slopes[0], c_n);
        set(&mut self.slopes[1], c_t);
        set(&mut self.least, law.least());
        set(&mut self.floor, if law.pulls { f64::MIN } else { 0.0 });
        set(&mut self.direct, h);
        set(&mut self.schur, schur);
        set(&mut self.share, share);
        for (answer, eta) in self.answers.iter_mut().zip([0.0, h * share, h]) {
            // c_T/(2 + c_T (S + η k²)), which is zero where c_T is.
            set(answer, c_t / (2.0 + c_t * (schur + eta * k * k)));
        }
        true
    }

    /// The closed form of `Percussion::solve_linear`.
    #[inline(always)]
    pub fn solve(&self, kernel: &PlaneKernel, u: &[Lanes; 2], p: &[Lanes; 2]) -> [Lanes; 2] {
        let (h, k, half) = (self.direct, kernel.coupling, Lanes::splat(0.5) * self.slopes[0]);
        let m = p[0] + k * p[1] - kernel.inverse_direct * u[0];
        let b = u[1] - k * u[0] - self.schur * p[1] + self.before[1];
        let before = self.before[0];
        let end = self.least + self.least - before;
        let reacting_t = -(b + k * end) * self.answers[0];
        let reacting = end * kernel.inverse_direct + m - k * reacting_t;
        let braked_t = (k * h * self.share * (m + half * before) - b) * self.answers[1];
        let braked = -half * self.share * (h * (k * braked_t - m) + before);
        let free_t = (k * h * m - b) * self.answers[2];
        let reacts = (reacting + self.slopes[0] * self.least).simd_ge(Lanes::ZERO);
        let brakes = braked.simd_ge(self.floor);
        [
            reacts.select(reacting, brakes.select(braked, Lanes::ZERO)),
            reacts.select(reacting_t, brakes.select(braked_t, free_t)),
        ]
    }

    /// Square of the error of [`Percussion::natural_map`].
    #[inline(always)]
    pub fn error_square(&self, u: &[Lanes], p: &[Lanes], scale: Lanes) -> Lanes {
        let half = Lanes::splat(0.5);
        let w = half / scale;
        let free = half * (u[0] + self.before[0]) - w * p[0];
        let free_t = half * (u[1] + self.before[1]) - w * p[1];
        let part = |c: Lanes| c / (Lanes::ONE + w * c);
        let pushed = larger(-free * part(self.slopes[0]), (self.least - free) / w);
        let n = p[0] - larger(pushed, self.floor);
        let t = p[1] + free_t * part(self.slopes[1]);
        n * n + t * t
    }
}
