//! Newton on a map of (u, p) at one contact, u = U + H (p' − p).

use super::maps::{Augmentation, Linearised, alart_curnier, natural_map};
use super::{LocalSolution, OneContact};
use crate::assembled::local::{add_scaled, dot, norm, scaled};
use crate::assembled::{Cone, Local, Square};

/// Settled when |Φ| is below this, relative to the impulse and to ρ times the velocity.
const ENOUGH: f64 = 1e-12;
/// Newton steps with a line search.
const MOST: u32 = 50;
/// Full Newton steps before a fail-safe takes over.
const MOST_FULL: u32 = 10;
/// Halvings of one step.
const HALVINGS: u32 = 12;

type Map<const D: usize> = fn(&Cone, &Local<D>, &Local<D>, &Augmentation) -> Linearised<D>;

impl<const D: usize> OneContact<D> {
    pub(super) fn alart_curnier(
        &self,
        velocity: &Local<D>,
        impulse: &Local<D>,
    ) -> LocalSolution<D> {
        self.newton(alart_curnier, velocity, impulse, MOST, HALVINGS)
    }

    pub(super) fn natural_map(&self, velocity: &Local<D>, impulse: &Local<D>) -> LocalSolution<D> {
        self.newton(natural_map, velocity, impulse, MOST, HALVINGS)
    }

    /// Alart–Curnier without a line search: it settles in a few steps or does not.
    pub(super) fn full_newton(&self, velocity: &Local<D>, impulse: &Local<D>) -> LocalSolution<D> {
        self.newton(alart_curnier, velocity, impulse, MOST_FULL, 0)
    }

    /// Steps along −J⁻¹ Φ, J = ∂Φ/∂u H + ∂Φ/∂p, halved until |Φ| falls.
    #[inline(always)]
    fn newton(
        &self,
        map: Map<D>,
        velocity: &Local<D>,
        impulse: &Local<D>,
        max_iterations: u32,
        halvings: u32,
    ) -> LocalSolution<D> {
        let mut p = *impulse;
        let at = |p: &Local<D>| {
            let u = self.velocity(velocity, impulse, p);
            map(&self.cone, &u, p, &self.augmentation)
        };
        let floor = self.augmentation.common * norm(velocity);
        let mut now = at(&p);
        let mut error = norm(&now.value);
        let mut iterations = 0;
        let settled = loop {
            if error <= ENOUGH * (norm(&p) + floor) {
                break true;
            }
            if iterations == max_iterations {
                break false;
            }
            iterations += 1;
            let Some(step) = solve_linear(self.jacobian(&now), &scaled(&now.value, -1.0)) else {
                break false;
            };
            let mut part = 1.0;
            let mut halved = 0;
            loop {
                let next = add_scaled(&p, part, &step);
                let there = at(&next);
                let size = norm(&there.value);
                if size <= (1.0 - 1e-4 * part) * error || halved >= halvings {
                    (p, now, error) = (next, there, size);
                    break;
                }
                part *= 0.5;
                halved += 1;
            }
        };
        LocalSolution { impulse: self.cone.clip(&p), settled, iterations }
    }

    #[inline(always)]
    fn jacobian(&self, map: &Linearised<D>) -> Square<D> {
        let mut jacobian = map.by_impulse;
        for (row, by_velocity) in jacobian.iter_mut().zip(&map.by_velocity) {
            for (rate, block) in by_velocity.iter().zip(&self.block) {
                *row = add_scaled(row, *rate, block);
            }
        }
        jacobian
    }
}

/// A⁻¹ b by elimination with row pivots; none if A is singular.
#[inline(always)]
fn solve_linear<const D: usize>(mut a: Square<D>, b: &Local<D>) -> Option<Local<D>> {
    let mut x = *b;
    for k in 0..D {
        let mut pivot = k;
        for i in k + 1..D {
            if a[i][k].abs() > a[pivot][k].abs() {
                pivot = i;
            }
        }
        a.swap(k, pivot);
        x.swap(k, pivot);
        let inverse = 1.0 / a[k][k];
        if !inverse.is_finite() {
            return None;
        }
        for i in k + 1..D {
            let factor = a[i][k] * inverse;
            let row = a[k];
            for (entry, above) in a[i].iter_mut().zip(&row).skip(k + 1) {
                *entry -= factor * above;
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..D).rev() {
        let mut known = x;
        known[..=k].fill(0.0);
        x[k] = (x[k] - dot(&a[k], &known)) / a[k][k];
    }
    Some(x)
}
