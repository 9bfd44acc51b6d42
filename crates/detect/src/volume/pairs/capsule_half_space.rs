//! A capsule over a half-space: each end may touch.

use super::super::segment::Segment;
use super::above;
use crate::Manifold;
use drystone_space::{DVec3, Pose, Volume};

pub fn capsule_half_space(
    (axis, radius): (Segment, f64),
    half: &Pose<Volume>,
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let normal = half.rotation * DVec3::Z;
    for (end, feature) in [(axis.start, 0), (axis.end, 1)] {
        let touch = above(end, radius, normal.dot(end - half.position), normal, feature);
        if touch.gap <= margin {
            manifold.push(touch);
        }
        // A capsule without a tube is a ball.
        if axis.start == axis.end {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(start: DVec3, end: DVec3) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let axis = Segment { start, end };
        capsule_half_space((axis, 0.5), &Pose::IDENTITY, 0.1, &mut manifold);
        manifold
    }

    #[test]
    fn lying_touches_twice_and_standing_once() {
        let lying = collide(DVec3::new(-1.0, 0.0, 0.5), DVec3::new(1.0, 0.0, 0.5));
        assert_eq!(lying.touches().len(), 2);
        assert!(lying.touches().iter().all(|t| t.gap == 0.0 && t.point.z == 0.0));
        let standing = collide(DVec3::Z * 0.25, DVec3::Z * 2.0);
        assert_eq!(standing.touches().len(), 1);
        assert_eq!(standing.touches()[0].gap, -0.25);
        assert_eq!(collide(DVec3::Z * 0.5, DVec3::Z * 0.5).touches().len(), 1);
    }
}
