//! Two balls.

use super::between;
use crate::Manifold;
use drystone_space::{DVec3, Pose, Volume};

#[inline]
pub fn sphere_sphere(
    (r, a): (f64, &Pose<Volume>),
    (s, b): (f64, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    // Most candidates are apart: find out without a root.
    let reach = r + s + margin;
    if (a.position - b.position).length_squared() > reach * reach {
        return;
    }
    let touch = between((a.position, r), (b.position, s), DVec3::Z, 0);
    if touch.gap <= margin {
        manifold.push(touch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(distance: f64, margin: f64) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let (a, b) = (Pose::at(DVec3::X * distance), Pose::IDENTITY);
        sphere_sphere((1.0, &a), (2.0, &b), margin, &mut manifold);
        manifold
    }

    #[test]
    fn apart_and_in_overlap() {
        let apart = collide(3.5, 0.5).touches()[0];
        assert_eq!((apart.gap, apart.point, apart.normal), (0.5, DVec3::X * 2.25, DVec3::X));
        let overlap = collide(2.0, 0.0).touches()[0];
        assert_eq!((overlap.gap, overlap.point), (-1.0, DVec3::X * 1.5));
        assert!(collide(3.5, 0.4).touches().is_empty());
    }

    #[test]
    fn one_centre_gives_a_unit_normal() {
        let touch = collide(0.0, 0.0).touches()[0];
        assert_eq!((touch.gap, touch.normal.length()), (-3.0, 1.0));
    }
}
