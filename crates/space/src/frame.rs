//! Orthonormal frames at contacts. The normal points toward the first body.

use crate::{Local, Local2, Local3, Plane, Space, Volume};
use glam::{DVec2, DVec3};
use std::fmt::Debug;

/// Maps between world vectors and [`Local`] ones.
pub trait Frame<S: Space>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// A frame with this unit normal. In space the tangents are a fixed function of the normal.
    fn from_normal(normal: S::Vector) -> Self;
    /// The unit normal.
    fn normal(&self) -> S::Vector;
    /// World vector to contact components.
    fn to_local(&self, world: S::Vector) -> S::Local;
    /// Contact components to world vector.
    fn to_world(&self, local: S::Local) -> S::Vector;
    /// A spin as contact components: spinning about the normal, then rolling. In the plane all
    /// spin is rolling.
    fn spin_to_local(&self, spin: S::Spin) -> S::Local;
    /// The inverse of `spin_to_local`; in the plane a spinning part is lost.
    fn spin_to_world(&self, local: S::Local) -> S::Spin;
}

/// [`Frame`] in the plane: the tangent is the normal turned by a right angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneFrame {
    normal: DVec2,
}

/// [`Frame`] in space. The two tangents are computed from the normal when they are needed: that is no slower than
/// to read them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeFrame {
    normal: DVec3,
}

impl Frame<Plane> for PlaneFrame {
    #[inline(always)]
    fn from_normal(normal: DVec2) -> Self {
        Self { normal }
    }
    #[inline(always)]
    fn normal(&self) -> DVec2 {
        self.normal
    }
    #[inline(always)]
    fn to_local(&self, v: DVec2) -> Local2 {
        Local2 { n: self.normal.dot(v), t: self.normal.perp().dot(v) }
    }
    #[inline(always)]
    fn to_world(&self, l: Local2) -> DVec2 {
        self.normal * l.n + self.normal.perp() * l.t
    }
    #[inline(always)]
    fn spin_to_local(&self, spin: f64) -> Local2 {
        Local2 { n: 0.0, t: spin }
    }
    #[inline(always)]
    fn spin_to_world(&self, local: Local2) -> f64 {
        local.t
    }
}

impl VolumeFrame {
    /// The two tangents.
    #[inline(always)]
    pub fn tangents(&self) -> (DVec3, DVec3) {
        self.normal.any_orthonormal_pair()
    }
}

impl Frame<Volume> for VolumeFrame {
    #[inline(always)]
    fn from_normal(normal: DVec3) -> Self {
        Self { normal }
    }
    #[inline(always)]
    fn normal(&self) -> DVec3 {
        self.normal
    }
    #[inline(always)]
    fn to_local(&self, v: DVec3) -> Local3 {
        let (first, second) = self.tangents();
        Local3::new(self.normal.dot(v), DVec2::new(first.dot(v), second.dot(v)))
    }
    #[inline(always)]
    fn to_world(&self, l: Local3) -> DVec3 {
        let (first, second) = self.tangents();
        self.normal * l.n + first * l.t.x + second * l.t.y
    }
    #[inline(always)]
    fn spin_to_local(&self, spin: DVec3) -> Local3 {
        self.to_local(spin)
    }
    #[inline(always)]
    fn spin_to_world(&self, local: Local3) -> DVec3 {
        self.to_world(local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn world_and_local_are_inverse() {
        let frame = VolumeFrame::from_normal(DVec3::new(2.0, -1.0, 2.0) / 3.0);
        let v = DVec3::new(0.3, 4.0, -1.5);
        assert!((frame.to_world(frame.to_local(v)) - v).length() < 1e-15);
        let frame = PlaneFrame::from_normal(DVec2::new(0.6, -0.8));
        let v = DVec2::new(0.3, 4.0);
        assert!((frame.to_world(frame.to_local(v)) - v).length() < 1e-15);
        // The tangent of an upward normal points to the left.
        let up = PlaneFrame::from_normal(DVec2::Y);
        assert_eq!(up.to_local(DVec2::new(-1.0, 0.0)), Local2 { n: 0.0, t: 1.0 });
    }
}
