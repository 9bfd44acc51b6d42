//! The judge of recorded problems: FCLib's normalised natural map, and the scale-free one.
//!
//! - relative: ‖r − proj_K(r − Û)‖ / max(‖q‖, ‖r‖, ‖u‖), all contacts together, in SI units. This
//!   is what published tolerances mean; it depends on the unit of mass.
//! - scale-free: the same with ρ = D / trace(W_cc) in front of Û, contact by contact, divided by ‖r‖. Where a
//!   contact does not answer to impulses at all, this is infinite if it closes: no impulse can help, yet the
//!   larger it is, the smaller the relative error seems.
//!
//! A problem counts as solved when the first is within the tolerance and the second within
//! [`SCALE_FREE_SLACK`] times it.

use super::Assembled;
use super::local::{Local, dot};
use crate::{Residual, ResidualSums};

/// By how much the scale-free error may exceed the tolerance of the relative one.
pub const SCALE_FREE_SLACK: f64 = 100.0;

/// A velocity that is this part of the whole is rounding only.
const ROUNDING: f64 = 1e-12;

impl Residual {
    /// Judges impulses whose velocities are u = W r + q.
    pub fn of_assembled<const D: usize>(
        problem: &Assembled<D>,
        impulses: &[Local<D>],
        velocities: &[Local<D>],
    ) -> Self {
        let mut sums = ResidualSums::default();
        for (contact, (r, u)) in impulses.iter().zip(velocities).enumerate() {
            sums.add_contact(problem, contact, r, u);
        }
        sums.residual(1.0)
    }

    /// Judges impulses; their velocities are computed on the way.
    pub fn of_impulses<const D: usize>(problem: &Assembled<D>, impulses: &[Local<D>]) -> Self {
        let mut sums = ResidualSums::default();
        let pushed = impulses.iter().any(|r| *r != [0.0; D]);
        for (contact, r) in impulses.iter().enumerate() {
            let free = problem.free[contact];
            let u = if pushed { problem.velocity(contact, impulses) } else { free };
            sums.add_contact(problem, contact, r, &u);
        }
        sums.residual(1.0)
    }

    /// The larger of the two errors over what is allowed: at most 1 where the problem is solved.
    pub fn excess(&self, tolerance: f64) -> f64 {
        let (relative, scale_free) =
            (self.relative / tolerance, self.scale_free / (SCALE_FREE_SLACK * tolerance));
        // Unlike `f64::max`, NaN wins.
        if relative > scale_free || relative.is_nan() { relative } else { scale_free }
    }

    /// Whether a recorded problem counts as solved.
    pub fn solves(&self, tolerance: f64) -> bool {
        self.relative <= tolerance && self.scale_free <= SCALE_FREE_SLACK * tolerance
    }
}

impl ResidualSums {
    /// Adds a contact with its impulse and velocity.
    #[inline(always)]
    fn add_contact<const D: usize>(
        &mut self,
        problem: &Assembled<D>,
        contact: usize,
        r: &Local<D>,
        u: &Local<D>,
    ) {
        let q = &problem.free[contact];
        self.free += dot(q, q);
        self.velocity += dot(u, u);
        // Apart: Û is in K*, and the law holds at every scale.
        if u[0] >= 0.0 && *r == [0.0; D] {
            return;
        }
        let own = problem.scale(contact);
        let answers = (0..D).any(|i| problem.delassus.diagonal(contact)[i][i] != 0.0);
        if !answers && u[0] < -ROUNDING * dot(u, u).sqrt() {
            self.scale_free = f64::INFINITY;
        }
        let cone = &problem.cones[contact];
        let square = |scale: f64| {
            let rest = cone.natural_map(u, r, scale);
            dot(&rest, &rest)
        };
        self.relative += square(1.0);
        self.scale_free += square(own);
        self.impulse += dot(r, r);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BlockMatrix, Cone};
    use super::*;

    /// A unit mass that falls at 1 on the ground: r = 1 is right, 0.99 leaves 0.01.
    #[test]
    fn an_error_by_hand() {
        let entries = [(0, 0, 1.0), (1, 1, 3.0)];
        let problem = Assembled {
            delassus: BlockMatrix::<2>::from_entries(1, entries.into_iter()),
            free: vec![[-1.0, 0.0]],
            cones: vec![Cone::coulomb(0.3)],
        };
        let judge = |r: f64| Residual::of_assembled(&problem, &[[r, 0.0]], &[[r - 1.0, 0.0]]);
        assert_eq!(judge(1.0), Residual::default());
        assert!((judge(0.99).relative - 0.01).abs() < 1e-15);
        // ρ = 2/(1 + 3).
        assert!((judge(0.99).scale_free - 0.005 / 0.99).abs() < 1e-15);
        assert!(judge(0.99).solves(0.011) && !judge(0.99).solves(0.009));
        assert!(!judge(f64::NAN).solves(1.0));
    }

    /// Between two sides that answer to nothing a contact that closes has no solution, and a large impulse is
    /// none; one that opens or rests is no trouble.
    #[test]
    fn what_answers_to_nothing_is_not_solved_by_large_impulses() {
        let judge = |normal: f64, impulse: f64| {
            let problem = Assembled {
                delassus: BlockMatrix::<2>::from_entries(1, std::iter::empty()),
                free: vec![[normal, 0.0]],
                cones: vec![Cone::coulomb(0.3)],
            };
            Residual::of_impulses(&problem, &[[impulse, 0.0]])
        };
        assert!(judge(-1.0, 1e12).relative < 1e-8 && !judge(-1.0, 1e12).solves(1e-8));
        assert!(judge(1.0, 0.0).solves(1e-8) && judge(0.0, 1.0).solves(1e-8));
    }
}
