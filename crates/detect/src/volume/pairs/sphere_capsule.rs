//! A ball and a capsule.

use super::super::segment::{Meeting, Segment};
use super::nearest::Hulls;
use super::{Lengths, along, between};
use crate::Manifold;
use drystone_space::{DVec3, Pose, Volume};

/// Below this share of half the axis a distance is short.
const SHORT: f64 = 1e-3;

pub fn sphere_capsule(
    (r, a): (f64, &Pose<Volume>),
    (axis, radius): (Segment, f64),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let nearest = axis.nearest(a.position);
    let sideways = (axis.end - axis.start).try_normalize().unwrap_or(DVec3::X);
    let any = sideways.any_orthonormal_vector();
    let mut touch = between((a.position, r), (nearest, radius), any, 0);
    let distance = a.position.distance(nearest);
    // Of a short arm rounding leaves little direction: a long axis would seem to lean over.
    if distance > 0.0 && distance < SHORT * axis.half_length() {
        let lengths = Lengths::new([r, axis.half_length() + radius], margin);
        let meeting = Meeting { first: a.position, second: nearest, slot: 0 };
        let hulls = Hulls { first: &[], second: &[axis.start, axis.end], lengths };
        let arm = if distance > lengths.coincident { touch.normal } else { any };
        touch = along(nearest, [r, radius], hulls.supporting(&meeting, arm), distance, 0);
    }
    if touch.gap <= margin {
        manifold.push(touch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(at: [f64; 3]) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let axis = Segment { start: -DVec3::Z, end: DVec3::Z };
        let ball = Pose::at(DVec3::from_array(at));
        sphere_capsule((0.5, &ball), (axis, 1.0), 0.5, &mut manifold);
        manifold
    }

    #[test]
    fn beside_the_tube_and_over_a_cap() {
        let beside = collide([0.0, 2.0, 0.5]).touches()[0];
        assert_eq!((beside.gap, beside.normal), (0.5, DVec3::Y));
        assert_eq!(beside.point, DVec3::new(0.0, 1.25, 0.5));
        let over = collide([0.0, 0.0, 2.25]).touches()[0];
        assert_eq!((over.gap, over.normal), (-0.25, DVec3::Z));
        assert!(collide([2.5, 0.0, 0.0]).touches().is_empty());
    }

    #[test]
    fn a_centre_on_the_axis_is_pushed_sideways() {
        let touch = collide([0.0, 0.0, 0.25]).touches()[0];
        assert_eq!((touch.gap, touch.normal.z), (-1.5, 0.0));
    }
}
