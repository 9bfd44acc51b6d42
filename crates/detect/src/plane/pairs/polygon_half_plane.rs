//! Polygon or segment against half-plane.

use super::super::outline::Outline;
use crate::{Manifold, Touch};
use drystone_space::{DVec2, Plane, Pose, Rotation};

/// The deepest vertex and the other end of the edge that lies flattest on the surface; the
/// feature is the index of the vertex.
#[inline]
pub(in super::super) fn collide(
    (outline, pose): (Outline, &Pose<Plane>),
    half_plane: &Pose<Plane>,
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let normal = half_plane.rotation.apply(DVec2::Y);
    let up = pose.rotation.apply_inverse(normal);
    let deepest = outline.farthest(-up, 0);
    let edge = outline.facing(deepest, up);
    let centre = pose.position - half_plane.position;
    for vertex in [edge, outline.next(edge)] {
        let arm = pose.rotation.apply(outline.vertices[vertex]);
        let gap = normal.dot(centre + arm);
        if gap <= margin {
            let point = pose.position + arm - normal * (0.5 * gap);
            manifold.push(Touch { point, normal, gap, feature: vertex as u32 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Polygon;
    use super::*;
    use drystone_space::PlaneRotation;

    #[test]
    fn a_box_flat_on_the_floor_touches_twice() {
        let block = Polygon::rectangle(2.0, 1.0).unwrap();
        let mut manifold = Manifold::default();
        let pose = Pose::at(DVec2::new(5.0, 0.25));
        collide((Outline::from(&block), &pose), &Pose::IDENTITY, 0.0, &mut manifold);
        let [left, right] = manifold.touches() else { panic!("two touches") };
        assert_eq!((left.gap, right.gap), (-0.25, -0.25));
        assert_eq!((left.normal, right.normal), (DVec2::Y, DVec2::Y));
        assert_eq!(left.point, DVec2::new(4.0, -0.125));
        assert_eq!(right.point, DVec2::new(6.0, -0.125));
        assert_ne!(left.feature, right.feature);
    }

    #[test]
    fn a_box_on_its_corner_touches_once_and_keeps_the_vertex_in_its_feature() {
        let block = Polygon::rectangle(2.0, 2.0).unwrap();
        let mut manifold = Manifold::default();
        for (angle, reach) in [(0.25, 1e-3), (0.785, 1e-3), (0.786, 1e-3), (1.3, 1e-3)] {
            manifold.clear();
            let turn = PlaneRotation::from_angle(angle);
            let low = turn.apply(block.vertices()[0]);
            let pose = Pose::new(DVec2::new(0.0, -low.y + 1e-4), turn);
            collide((Outline::from(&block), &pose), &Pose::IDENTITY, reach, &mut manifold);
            assert_eq!(manifold.touches().len(), 1);
            let touch = manifold.touches()[0];
            assert_eq!(touch.feature, 0);
            assert!((touch.gap - 1e-4).abs() < 1e-15);
            assert!((touch.point - DVec2::new(low.x, 5e-5)).length() < 1e-14);
        }
    }
}
