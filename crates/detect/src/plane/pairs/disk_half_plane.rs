//! Disk against half-plane.

use super::push_disk;
use crate::Manifold;
use drystone_space::{DVec2, Plane, Pose, Rotation};

/// The normal is that of the half-plane.
#[inline]
pub(in super::super) fn collide(
    (radius, pose): (f64, &Pose<Plane>),
    half_plane: &Pose<Plane>,
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let normal = half_plane.rotation.apply(DVec2::Y);
    let distance = normal.dot(pose.position - half_plane.position);
    push_disk(pose.position, radius, normal, distance, margin, manifold);
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::PlaneRotation;

    #[test]
    fn above_a_slope_and_below_its_surface() {
        // A slope of 3 to 4 through (0, 1); its normal is (−0.6, 0.8).
        let slope = Pose::new(DVec2::Y, PlaneRotation::from_angle(0.75f64.atan()));
        let normal = DVec2::new(-0.6, 0.8);
        let mut manifold = Manifold::default();
        for (height, radius) in [(2.0, 1.5), (1.0, 1.5), (-3.0, 1.0)] {
            manifold.clear();
            let pose = Pose::at(DVec2::new(4.0, 4.0) + normal * height);
            collide((radius, &pose), &slope, 1.0, &mut manifold);
            let touch = manifold.touches()[0];
            assert!((touch.gap - (height - radius)).abs() < 1e-14);
            assert!((touch.normal - normal).length() < 1e-15);
            let middle = DVec2::new(4.0, 4.0) + normal * (0.5 * (height - radius));
            assert!((touch.point - middle).length() < 1e-14);
        }
    }
}
