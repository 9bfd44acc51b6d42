//! Frusta of cones about the z axis: cylinders and cones among them.
//!
//! All is told in the half-plane of the axis: with ρ the distance from it, a frustum is the trapezoid 0 ≤ ρ ≤ r(z), |z| ≤ h. Its
//! parts are two caps, the side with the normal (u, v) of the half-plane, and the rims between them.

use super::solid;
use crate::Solid;
use drystone_space::{DVec2, DVec3, Volume};
use std::sync::Arc;

/// A frustum of a cone; with equal radii a cylinder, with one of them zero a cone. Copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Frustum {
    /// Elsewhere, since bodies are kept small.
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    half_length: f64,
    radii: [f64; 2],
    /// The normal of the side, out along ρ and along z.
    side: DVec2,
}

/// The part of a frustum on which a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The flat end at −h or h.
    Cap(usize),
    /// Where an end meets the side; the tip of a cone too.
    Rim(usize),
    Side,
}

/// How far a point is from the surface of a frustum, negative inside, and the direction in which that grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub distance: f64,
    pub normal: DVec3,
    pub part: Part,
}

impl Frustum {
    /// The frustum with these radii at z = −`half_length` and z = `half_length`, of which one may be zero.
    pub fn new(half_length: f64, radii: [f64; 2]) -> Self {
        let side = DVec2::new(2.0 * half_length, radii[0] - radii[1]).normalize();
        Self { data: Arc::new(Data { half_length, radii, side }) }
    }
    /// Half the distance between its ends.
    pub fn half_length(&self) -> f64 {
        self.data.half_length
    }
    /// The radii of the lower and the upper end.
    pub fn radii(&self) -> [f64; 2] {
        self.data.radii
    }
    /// The same, larger by a factor.
    pub fn scaled(&self, by: f64) -> Self {
        Self::new(self.data.half_length * by, self.data.radii.map(|r| r * by))
    }
    pub(super) fn solid(&self) -> Solid<Volume> {
        solid::of_frustum(self.data.half_length, self.data.radii)
    }
    /// The least distance between parallel planes that hold it: upright on the axis, along it, or along the side.
    pub(super) fn width(&self) -> f64 {
        let far = self.data.radii[0].max(self.data.radii[1]);
        let back = |end| (self.data.side * DVec2::new(1.0, -1.0)).dot(self.rim(end));
        let aslant = self.data.side.dot(self.rim(0)) + f64::max(back(0), back(1));
        (2.0 * self.data.half_length).min(2.0 * far).min(aslant)
    }
    /// How far its farthest point is from the origin.
    pub(super) fn reach(&self) -> f64 {
        self.rim(0).length().max(self.rim(1).length())
    }
    /// A length to which tolerances are relative.
    pub(super) fn size(&self) -> f64 {
        self.reach()
    }
    /// The point of a rim in the half-plane.
    pub(super) fn rim(&self, end: usize) -> DVec2 {
        DVec2::new(
            self.data.radii[end],
            if end == 0 { -self.data.half_length } else { self.data.half_length },
        )
    }
    /// The height of an end.
    pub(super) fn end(&self, end: usize) -> f64 {
        self.rim(end).y
    }
    pub(super) fn side(&self) -> DVec2 {
        self.data.side
    }
    /// The height of the highest point along a direction.
    #[inline]
    pub(super) fn highest(&self, direction: DVec3) -> f64 {
        let flat = DVec2::new(radial(direction), direction.z);
        flat.dot(self.rim(0)).max(flat.dot(self.rim(1)))
    }
    /// The normal of the side at the direction of a point.
    pub(super) fn side_normal(&self, point: DVec3) -> DVec3 {
        let out = outward(point);
        DVec3::new(self.data.side.x * out.x, self.data.side.x * out.y, self.data.side.y)
    }
    /// How far a point is from the surface.
    #[inline]
    pub(super) fn near(&self, point: DVec3) -> Near {
        let out = outward(point);
        let flat = DVec2::new(radial(point), point.z);
        let lift = |n: DVec2| DVec3::new(n.x * out.x, n.x * out.y, n.y);
        let [below, above] = [-self.data.half_length - flat.y, flat.y - self.data.half_length];
        let beside = self.data.side.dot(flat - self.rim(0));
        let (end, beyond) = if below > above { (0, below) } else { (1, above) };
        let cap = Near {
            distance: beyond,
            normal: if end == 0 { DVec3::NEG_Z } else { DVec3::Z },
            part: Part::Cap(end),
        };
        let side = Near { distance: beside, normal: lift(self.data.side), part: Part::Side };
        if beyond <= 0.0 && beside <= 0.0 {
            return if beside > beyond { side } else { cap };
        }
        if beyond > 0.0 && flat.x <= self.data.radii[end] {
            return cap;
        }
        // Along the side, from the lower rim to the upper.
        let along = DVec2::new(-self.data.side.y, self.data.side.x);
        let at = along.dot(flat - self.rim(0));
        let length = along.dot(self.rim(1) - self.rim(0));
        if at > 0.0 && at < length {
            return side;
        }
        let end = usize::from(at > 0.5 * length);
        let arm = flat - self.rim(end);
        let distance = arm.length();
        if distance == 0.0 {
            return Near { distance, part: Part::Rim(end), ..side };
        }
        Near { distance, normal: lift(arm / distance), part: Part::Rim(end) }
    }
    /// A point of a rim at a unit direction across the axis.
    pub(super) fn on_rim(&self, end: usize, out: DVec2) -> DVec3 {
        (out * self.data.radii[end]).extend(self.end(end))
    }
}

/// The distance of a point from the axis.
#[inline]
pub(super) fn radial(point: DVec3) -> f64 {
    point.truncate().length()
}

/// The unit vector from the axis to a point; on the axis, x.
#[inline]
pub(super) fn outward(point: DVec3) -> DVec2 {
    let flat = point.truncate();
    let length = flat.length();
    if length > 0.0 { flat / length } else { DVec2::X }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_around_a_cylinder() {
        let drum = Frustum::new(2.0, [1.0, 1.0]);
        let at = |x: f64, z: f64| drum.near(DVec3::new(0.6 * x, 0.8 * x, z));
        assert_eq!((at(0.5, 3.0).distance, at(0.5, 3.0).part), (1.0, Part::Cap(1)));
        assert!((at(3.0, -1.0).distance - 2.0).abs() < 1e-15);
        assert!((at(4.0, -6.0).distance - 5.0).abs() < 1e-15);
        assert_eq!(at(4.0, -6.0).part, Part::Rim(0));
        assert!((at(0.75, 0.0).distance + 0.25).abs() < 1e-15);
        assert_eq!(at(0.75, 1.875).normal, DVec3::Z);
        assert!((drum.width() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn a_cone_has_a_tip() {
        let cone = Frustum::new(2.0, [3.0, 0.0]);
        // The side leans by 4 along the axis for 3 across it.
        assert!((cone.side() - DVec2::new(0.8, 0.6)).length() < 1e-15);
        let tip = cone.near(DVec3::new(0.0, 1.0, 5.0));
        assert_eq!((tip.part, tip.distance), (Part::Rim(1), 10.0_f64.sqrt()));
        let side = cone.near(DVec3::new(3.1, 0.0, 1.2));
        assert_eq!(side.part, Part::Side);
        assert!((side.distance - (0.8 * 0.1 + 0.6 * 3.2)).abs() < 1e-15);
        assert_eq!(cone.width(), 4.0);
        // A higher one is held by planes along its side: the height of a triangle over it.
        let width = Frustum::new(4.0, [3.0, 0.0]).width();
        assert!((width - 48.0 / 73.0_f64.sqrt()).abs() < 1e-14);
    }
}
