//! Orientation of a body, advanced by the exponential map.

use crate::{Plane, Space, Volume, math};
use glam::{DQuat, DVec2, DVec3};
use std::fmt::Debug;

/// An element of the rotation group.
pub trait Rotation<S: Space>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// No rotation.
    const IDENTITY: Self;
    /// Exponential map of a rotation vector (axis times angle).
    fn exponential(vector: S::Spin) -> Self;
    /// Rotation vector of smallest angle in space; the whole angle, turns included, in the plane.
    fn logarithm(self) -> S::Spin;
    /// `self ∘ other`: other first.
    fn compose(self, other: Self) -> Self;
    /// The inverse rotation.
    fn inverse(self) -> Self;
    /// Body axes to world axes.
    fn apply(self, vector: S::Vector) -> S::Vector;
    /// World axes to body axes.
    fn apply_inverse(self, vector: S::Vector) -> S::Vector;
    /// Spin in body axes to spin in world axes.
    fn apply_spin(self, spin: S::Spin) -> S::Spin;
    /// Spin in world axes to spin in body axes.
    fn apply_spin_inverse(self, spin: S::Spin) -> S::Spin;
}

/// A rotation of the plane; the angle is not reduced, so turns are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneRotation {
    angle: f64,
    cos: f64,
    sin: f64,
}

impl PlaneRotation {
    /// Counter-clockwise rotation by `angle` radians.
    pub fn from_angle(angle: f64) -> Self {
        let (sin, cos) = math::sin_cos(angle);
        Self { angle, cos, sin }
    }
    /// The angle in radians, whole turns included.
    pub fn angle(self) -> f64 {
        self.angle
    }
}

impl Rotation<Plane> for PlaneRotation {
    const IDENTITY: Self = Self { angle: 0.0, cos: 1.0, sin: 0.0 };
    fn exponential(angle: f64) -> Self {
        Self::from_angle(angle)
    }
    fn logarithm(self) -> f64 {
        self.angle
    }
    #[inline]
    fn compose(self, other: Self) -> Self {
        // Most bodies of most offsets are not turned against each other: keep their bits.
        if other.angle == 0.0 {
            return self;
        }
        Self::from_angle(self.angle + other.angle)
    }
    fn inverse(self) -> Self {
        Self { angle: -self.angle, cos: self.cos, sin: -self.sin }
    }
    #[inline(always)]
    fn apply(self, v: DVec2) -> DVec2 {
        DVec2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }
    #[inline(always)]
    fn apply_inverse(self, v: DVec2) -> DVec2 {
        DVec2::new(self.cos * v.x + self.sin * v.y, self.cos * v.y - self.sin * v.x)
    }
    #[inline(always)]
    fn apply_spin(self, spin: f64) -> f64 {
        spin
    }
    #[inline(always)]
    fn apply_spin_inverse(self, spin: f64) -> f64 {
        spin
    }
}

impl Rotation<Volume> for DQuat {
    const IDENTITY: Self = DQuat::IDENTITY;
    #[inline]
    fn exponential(vector: DVec3) -> Self {
        let angle = vector.length();
        // sin(a/2)/a by its series where the quotient would lose digits.
        let scale =
            if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { math::sin(0.5 * angle) / angle };
        DQuat::from_vec4((vector * scale).extend(math::cos(0.5 * angle)))
    }
    fn logarithm(self) -> DVec3 {
        let (turned, half) = (self.xyz(), self.xyz().length());
        // Of the two quaternions of a rotation the one with the smaller angle.
        let sign = if self.w < 0.0 { -1.0 } else { 1.0 };
        // a/sin(a/2), which is 2 where the angle vanishes.
        let scale = if half < 1e-8 { 2.0 } else { 2.0 * math::atan2(half, sign * self.w) / half };
        turned * (sign * scale)
    }
    #[inline]
    fn compose(self, other: Self) -> Self {
        (self * other).normalize()
    }
    #[inline]
    fn inverse(self) -> Self {
        self.conjugate()
    }
    #[inline(always)]
    fn apply(self, v: DVec3) -> DVec3 {
        self * v
    }
    #[inline(always)]
    fn apply_inverse(self, v: DVec3) -> DVec3 {
        self.conjugate() * v
    }
    #[inline(always)]
    fn apply_spin(self, spin: DVec3) -> DVec3 {
        self * spin
    }
    #[inline(always)]
    fn apply_spin_inverse(self, spin: DVec3) -> DVec3 {
        self.conjugate() * spin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exponential_and_logarithm_are_inverse(x in -1.7..1.7, y in -1.7..1.7, z in -1.7..1.7) {
            let v = DVec3::new(x, y, z);
            let r = <DQuat as Rotation<Volume>>::exponential(v);
            prop_assert!((r.length() - 1.0).abs() < 1e-14);
            prop_assert!((Rotation::<Volume>::logarithm(r) - v).length() < 1e-12);
        }
    }

    #[test]
    fn a_quarter_turn() {
        let r = PlaneRotation::from_angle(std::f64::consts::FRAC_PI_2);
        assert!((r.apply(DVec2::X) - DVec2::Y).length() < 1e-15);
        assert!((r.apply_inverse(DVec2::Y) - DVec2::X).length() < 1e-15);
        let r = <DQuat as Rotation<Volume>>::exponential(DVec3::Z * std::f64::consts::FRAC_PI_2);
        assert!((r.apply(DVec3::X) - DVec3::Y).length() < 1e-15);
    }
}
