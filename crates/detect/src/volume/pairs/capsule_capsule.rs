//! Two capsules: one touch where their axes are nearest, two where they lie side by side.

use super::super::segment::Segment;
use super::nearest::Hulls;
use super::{Lengths, along};
use crate::Manifold;
use drystone_space::{DVec3, Volume};

pub fn capsule_capsule(
    [(first, r), (second, s)]: [(Segment, f64); 2],
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let nearest = first.meeting(&second);
    let least = nearest.distance();
    if least - r - s > margin {
        return;
    }
    let radii = [(first, r), (second, s)].map(|(axis, radius)| axis.half_length() + radius);
    let lengths = Lengths::new(radii, margin);
    let ends = [first, second].map(|axis| [axis.start, axis.end]);
    let hulls = Hulls { first: &ends[0], second: &ends[1], lengths };
    for meeting in first.meetings(&second, nearest) {
        let distance = meeting.distance();
        let mut normal = (meeting.first - meeting.second) / distance;
        if distance <= least + lengths.rounding {
            // Where axes cross, the direction between their nearest points is lost in rounding.
            let arm = if distance > lengths.coincident { normal } else { facing(&first, &second) };
            normal = hulls.supporting(&meeting, arm);
        }
        let touch = along(meeting.second, [r, s], normal, distance, meeting.slot);
        if touch.gap <= margin {
            manifold.push(touch);
        }
    }
}

/// The direction across two axes, toward the first.
fn facing(first: &Segment, second: &Segment) -> DVec3 {
    let (u, v) = (first.end - first.start, second.end - second.start);
    let sideways = || u.try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector();
    let across = u.cross(v).try_normalize().unwrap_or_else(sideways);
    across * across.dot(first.start - second.start).signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(first: [DVec3; 2], second: [DVec3; 2]) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let capsules = [(Segment::new(first), 0.5), (Segment::new(second), 0.5)];
        capsule_capsule(capsules, 0.1, &mut manifold);
        manifold
    }

    #[test]
    fn crossed_capsules_touch_once() {
        let manifold =
            collide([-DVec3::X, DVec3::X], [DVec3::new(0.0, -1.0, 1.0), DVec3::new(0.0, 1.0, 1.0)]);
        let [touch] = manifold.touches() else { panic!("one touch") };
        assert_eq!((touch.gap, touch.normal, touch.point), (0.0, -DVec3::Z, DVec3::Z * 0.5));
    }

    #[test]
    fn parallel_capsules_touch_at_both_ends_of_their_overlap() {
        let up = DVec3::new(0.0, 0.0, 0.95);
        let manifold = collide([-DVec3::X, DVec3::X], [up, up + 3.0 * DVec3::X]);
        let [low, high] = manifold.touches() else { panic!("two touches") };
        assert!((low.gap + 0.05).abs() < 1e-15 && (high.gap + 0.05).abs() < 1e-15);
        assert_eq!((low.point.x, high.point.x), (0.0, 1.0));
        assert_ne!(low.feature, high.feature);
    }

    #[test]
    fn crossing_axes_part_along_the_common_normal() {
        let manifold = collide([-DVec3::X, DVec3::X], [-DVec3::Y, DVec3::Y]);
        let [touch] = manifold.touches() else { panic!("one touch") };
        assert_eq!((touch.gap, touch.normal.z.abs()), (-1.0, 1.0));
    }
}
