//! Disk against segment.

use super::push_disk;
use crate::Manifold;
use drystone_space::{DVec2, Plane, Pose};

/// Share of the radius by which a segment may rise along the normal at its nearest point.
const LEANING: f64 = 1e-10;

/// The normal points from the nearest point of the segment to the centre, so that either side
/// and both ends can be touched; a centre on the segment takes its left side, seen from the
/// start.
#[inline]
pub(in super::super) fn collide(
    (radius, pose): (f64, &Pose<Plane>),
    (ends, segment): ([DVec2; 2], &Pose<Plane>),
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let [start, end] = ends.map(|p| segment.point(p));
    let along = end - start;
    let from_start = pose.position - start;
    let length_squared = along.length_squared();
    let part = if length_squared > 0.0 { along.dot(from_start) / length_squared } else { 0.0 };
    let arm = from_start - along * part.clamp(0.0, 1.0);
    let distance = arm.length();
    let upright = along.perp().normalize_or(DVec2::Y);
    let mut side = if distance > 0.0 { arm / distance } else { upright };
    // Of a short arm rounding leaves little direction: beside a long segment it would seem to lean over what is left of it.
    let (lean, limit) = (along.dot(side), LEANING * radius);
    if part > 0.0 && lean < -limit || part < 1.0 && lean > limit {
        side = upright * upright.dot(side).signum();
    }
    push_disk(pose.position, radius, side, distance, margin, manifold);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(centre: DVec2) -> crate::Touch<Plane> {
        let ends = [DVec2::ZERO, DVec2::new(4.0, 0.0)];
        let mut manifold = Manifold::default();
        collide((1.0, &Pose::at(centre)), (ends, &Pose::IDENTITY), 10.0, &mut manifold);
        manifold.touches()[0]
    }

    #[test]
    fn both_sides_and_both_ends() {
        let above = touch(DVec2::new(1.0, 3.0));
        assert_eq!((above.normal, above.gap), (DVec2::Y, 2.0));
        assert_eq!(above.point, DVec2::new(1.0, 1.0));
        let below = touch(DVec2::new(1.0, -0.5));
        assert_eq!((below.normal, below.gap), (DVec2::NEG_Y, -0.5));
        let end = touch(DVec2::new(7.0, 4.0));
        assert_eq!(end.gap, 4.0);
        assert!((end.normal - DVec2::new(0.6, 0.8)).length() < 1e-15);
        // Beyond the start, on the line itself.
        let start = touch(DVec2::new(-3.0, 0.0));
        assert_eq!((start.normal, start.gap), (DVec2::NEG_X, 2.0));
    }

    #[test]
    fn a_centre_on_the_segment_takes_the_left_side() {
        let on = touch(DVec2::new(2.0, 0.0));
        assert_eq!((on.normal, on.gap), (DVec2::Y, -1.0));
    }
}
