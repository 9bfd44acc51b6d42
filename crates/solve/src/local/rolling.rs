//! A contact with rolling resistance, by its cases.
//!
//! Force and moment in turns: Coulomb's law with the moment held, then the moment, |r_m| ≤ μ_r r_n
//! with r_n known, with the force held. Each turn is exact, and an impulse that neither of them moves
//! satisfies the law. Turns may go in circles, from apart to pressed and back. What is safe then is to
//! bracket r_n: with r_n held, friction and moment minimise a convex quadratic over two discs, where
//! turns do converge, and the u_n that results is below zero at r_n = 0 and above it for large r_n.

use super::bracketed::Disc;
use super::cases::{Cases, Force};
use super::{LocalSolution, OneContact};
use crate::assembled::Local;
use crate::assembled::local::{norm, subtract};
use crate::solvers::Size;

/// Turns of force and moment before r_n is bracketed.
const TURNS: u32 = 50;
/// Turns of friction and moment at one r_n.
const INNER_TURNS: u32 = 200;
/// Values of r_n that are tried.
const BRACKETS: u32 = 200;
/// A part is still when it moves by no more than this, relative to its size.
const ENOUGH: f64 = 1e-13;

impl Cases<5> for Size<5> {
    fn by_cases(
        contact: &OneContact<5>,
        velocity: &Local<5>,
        impulse: &Local<5>,
        force: Force,
    ) -> LocalSolution<5> {
        let mut p = *impulse;
        for iterations in 1..=TURNS {
            let before = p;
            let u = contact.velocity(velocity, impulse, &p);
            let turn = force(&contact.coulomb, &[u[0], u[1], u[2]], &[p[0], p[1], p[2]]);
            p[..3].copy_from_slice(&turn.impulse);
            let u = contact.velocity(velocity, impulse, &p);
            contact.turn(&contact.moments, 3, contact.cone.rolling, &u, &mut p);
            if turn.settled && contact.still(&before, &p) {
                return LocalSolution { impulse: contact.cone.clip(&p), settled: true, iterations };
            }
        }
        contact.by_normal(velocity, impulse)
    }
}

impl OneContact<5> {
    /// Solves the two components from `at` on with the normal impulse held.
    #[inline(always)]
    fn turn(&self, disc: &Disc, at: usize, friction: f64, u: &Local<5>, p: &mut Local<5>) {
        let held = [p[at], p[at + 1]];
        let b = subtract(&[u[at], u[at + 1]], &disc.apply(&held));
        let ([_, x, y], _) = disc.solve(friction * p[0], &b, &held);
        [p[at], p[at + 1]] = [x, y];
    }

    #[inline(always)]
    fn still(&self, before: &Local<5>, p: &Local<5>) -> bool {
        let moved = subtract(p, before);
        norm(&moved[..3]) <= ENOUGH * norm(&p[..3])
            && norm(&moved[3..]) <= ENOUGH * self.cone.rolling * p[0]
    }

    /// Friction and moment for a given r_n, and the velocity that results.
    fn held(&self, velocity: &Local<5>, impulse: &Local<5>, p: &mut Local<5>) -> Local<5> {
        let friction = Disc::from_block(&self.block, 1);
        for _ in 0..INNER_TURNS {
            let before = *p;
            let u = self.velocity(velocity, impulse, p);
            self.turn(&friction, 1, self.cone.friction, &u, p);
            let u = self.velocity(velocity, impulse, p);
            self.turn(&self.moments, 3, self.cone.rolling, &u, p);
            if self.still(&before, p) {
                break;
            }
        }
        self.velocity(velocity, impulse, p)
    }

    /// r_n between an r_n that is too small and one that is too large, by regula falsi (Illinois).
    fn by_normal(&self, velocity: &Local<5>, impulse: &Local<5>) -> LocalSolution<5> {
        let apart = [0.0; 5];
        let free = self.velocity(velocity, impulse, &apart)[0];
        if free >= 0.0 {
            return LocalSolution { impulse: apart, settled: true, iterations: TURNS };
        }
        let mut p = apart;
        let (mut low, mut high) = ((0.0, free), (f64::INFINITY, f64::INFINITY));
        p[0] = -free / self.block[0][0];
        for tried in 1..=BRACKETS {
            let u = self.held(velocity, impulse, &mut p);
            let closed = high.0 - low.0 <= 1e-15 * p[0];
            if closed || (u[0] * self.augmentation.normal).abs() <= ENOUGH * p[0] {
                let iterations = TURNS + tried;
                return LocalSolution { impulse: self.cone.clip(&p), settled: true, iterations };
            }
            if u[0] < 0.0 {
                low = (p[0], u[0]);
                high.1 *= 0.5;
            } else {
                high = (p[0], u[0]);
                low.1 *= 0.5;
            }
            p[0] = if high.0.is_finite() {
                (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1)
            } else {
                2.0 * p[0]
            };
        }
        LocalSolution { impulse: self.cone.clip(&p), settled: false, iterations: TURNS + BRACKETS }
    }
}
