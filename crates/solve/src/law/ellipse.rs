//! The elliptic section: one coefficient along a principal direction, another across it.
//!
//! With E = [μ₁e₁, μ₂e₂] the section is the image E z of the unit disc. So the law of a contact is
//! Coulomb's isotropic law of coefficient 1 for z, with EᵀSE, Eᵀb and Eᵀk in place of S, b and k:
//! −Eᵀ U_t is normal to the disc where −U_t is normal to the ellipse.

use super::section::LoneContact;
use crate::{Block, VolumeBlock};
use drystone_space::{DVec2, Local, Local3, Volume, math};

/// An ellipse about 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// Unit vector of the principal direction, in the tangent axes of the contact.
    pub axis: DVec2,
    /// Coefficients along and across it.
    pub coefficients: [f64; 2],
}

impl Ellipse {
    /// E.
    fn axes(&self) -> [DVec2; 2] {
        [self.axis * self.coefficients[0], self.axis.perp() * self.coefficients[1]]
    }

    /// φ(v) = |Eᵀ v|.
    pub fn support(&self, direction: DVec2) -> f64 {
        let [along, across] = self.axes();
        math::hypot(along.dot(direction), across.dot(direction))
    }

    /// In principal axes with half axes s = size·μ the nearest point is a_i s_i²/(s_i² + λ), where
    /// λ ≥ 0 is the root of f(λ) = Σ (s_i a_i/(s_i² + λ))² − 1. f is convex and falls, so that
    /// Newton's steps from the left never leave the left: no bracket is needed.
    pub fn nearest(&self, point: DVec2, size: f64) -> DVec2 {
        let axes = [self.axis, self.axis.perp()];
        let a = axes.map(|axis| axis.dot(point));
        let s = self.coefficients.map(|coefficient| coefficient * size);
        if s[0] == 0.0 || s[1] == 0.0 {
            return DVec2::ZERO;
        }
        if math::hypot(a[0] / s[0], a[1] / s[1]) <= 1.0 {
            return point;
        }
        // Each term alone is below 1 from here on.
        let mut lambda = (0..2).fold(0.0f64, |l, i| l.max(s[i] * (a[i].abs() - s[i])));
        for _ in 0..50 {
            let (mut f, mut rate) = (-1.0, 0.0);
            for i in 0..2 {
                let weight = 1.0 / (s[i] * s[i] + lambda);
                let term = math::square(s[i] * a[i] * weight);
                f += term;
                rate -= 2.0 * term * weight;
            }
            let step = -f / rate;
            lambda += step;
            if step <= 1e-16 * lambda {
                break;
            }
        }
        let part = |i: usize| axes[i] * (a[i] * s[i] * s[i] / (s[i] * s[i] + lambda));
        part(0) + part(1)
    }

    /// The tangential impulse that satisfies the law.
    pub fn solve(&self, contact: &LoneContact<Volume>) -> DVec2 {
        let axes = self.axes();
        let scaled = contact.in_axes(axes);
        let [x, y] = scaled.schur;
        // Any H_nn gives the same S and k: this one keeps the block's numbers of one size.
        let normal = 0.5 * (x.x + y.y);
        let mixed = scaled.k * normal;
        let columns = [
            Local3::new(normal, mixed),
            Local3::new(mixed.x, x + scaled.k * mixed.x),
            Local3::new(mixed.y, y + scaled.k * mixed.y),
        ];
        let z = VolumeBlock::new(|i| columns[i], 1.0).coulomb(scaled.m, scaled.b).t;
        axes[0] * z.x + axes[1] * z.y
    }
}
