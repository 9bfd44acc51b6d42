//! A ball over a half-space.

use super::above;
use crate::Manifold;
use drystone_space::{DVec3, Pose, Volume};

#[inline]
pub fn sphere_half_space(
    (radius, a): (f64, &Pose<Volume>),
    half: &Pose<Volume>,
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let normal = half.rotation * DVec3::Z;
    let height = normal.dot(a.position - half.position);
    let touch = above(a.position, radius, height, normal, 0);
    if touch.gap <= margin {
        manifold.push(touch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_on_a_floor() {
        let mut manifold = Manifold::default();
        let floor = Pose::at(DVec3::Z);
        let ball = Pose::at(DVec3::new(3.0, 4.0, 2.25));
        sphere_half_space((1.0, &ball), &floor, 0.2, &mut manifold);
        assert!(manifold.touches().is_empty());
        sphere_half_space((1.0, &ball), &floor, 0.25, &mut manifold);
        let touch = manifold.touches()[0];
        assert_eq!((touch.gap, touch.normal), (0.25, DVec3::Z));
        assert_eq!(touch.point, DVec3::new(3.0, 4.0, 1.125));
    }
}
