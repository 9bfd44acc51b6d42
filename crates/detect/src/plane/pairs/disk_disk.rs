//! Disk against disk.

use super::push_disk;
use crate::Manifold;
use drystone_space::{DVec2, Plane, Pose};

/// The normal is along the line of centres; upward when the centres coincide.
#[inline]
pub(in super::super) fn collide(
    (radius, pose): (f64, &Pose<Plane>),
    (other_radius, other_pose): (f64, &Pose<Plane>),
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let arm = pose.position - other_pose.position;
    let reach = radius + other_radius + margin;
    // Far pairs leave before the root; the excess keeps rounding from losing a near one.
    if arm.length_squared() > reach * reach * (1.0 + 1e-14) {
        return;
    }
    let distance = arm.length();
    let normal = if distance > 0.0 { arm / distance } else { DVec2::Y };
    push_disk(pose.position, radius, normal, distance - other_radius, margin, manifold);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Pose<Plane> {
        Pose::at(DVec2::new(x, y))
    }

    #[test]
    fn apart_touching_and_overlapping() {
        let mut manifold = Manifold::default();
        collide((1.0, &at(3.0, 4.0)), (3.0, &at(0.0, 0.0)), 1.0, &mut manifold);
        let touch = manifold.touches()[0];
        assert_eq!(touch.gap, 1.0);
        assert!((touch.normal - DVec2::new(0.6, 0.8)).length() < 1e-15);
        // Surfaces at 3 and 4 along the line of centres.
        assert!((touch.point - DVec2::new(2.1, 2.8)).length() < 1e-15);

        manifold.clear();
        collide((1.0, &at(0.0, 0.0)), (1.0, &at(1.5, 0.0)), 0.0, &mut manifold);
        assert_eq!(manifold.touches()[0].gap, -0.5);
        assert_eq!(manifold.touches()[0].normal, DVec2::NEG_X);
        assert_eq!(manifold.touches()[0].point, DVec2::new(0.75, 0.0));

        manifold.clear();
        collide((1.0, &at(0.0, 0.0)), (1.0, &at(2.0, 0.0)), 0.0, &mut manifold);
        assert_eq!(manifold.touches()[0].gap, 0.0);

        manifold.clear();
        collide((1.0, &at(0.0, 0.0)), (1.0, &at(2.25, 0.0)), 0.125, &mut manifold);
        assert!(manifold.touches().is_empty());
    }

    #[test]
    fn one_centre_gives_an_upward_normal() {
        let mut manifold = Manifold::default();
        collide((1.0, &at(2.0, 2.0)), (0.5, &at(2.0, 2.0)), 0.0, &mut manifold);
        assert_eq!(manifold.touches()[0].normal, DVec2::Y);
        assert_eq!(manifold.touches()[0].gap, -1.5);
    }
}
