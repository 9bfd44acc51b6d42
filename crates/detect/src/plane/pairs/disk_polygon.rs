//! Disk against convex polygon.

use super::super::Polygon;
use super::push_disk;
use crate::Manifold;
use drystone_space::{Plane, Pose, Rotation};

/// The edge that the centre is farthest beyond decides: with the centre inside, the way out is
/// through it; beside it, the edge is touched; past one of its ends, the vertex there.
#[inline]
pub(in super::super) fn collide(
    (radius, pose): (f64, &Pose<Plane>),
    (polygon, polygon_pose): (&Polygon, &Pose<Plane>),
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let (vertices, normals) = (polygon.vertices(), polygon.normals());
    let centre = polygon_pose.inverse_point(pose.position);
    let (mut edge, mut height) = (0, f64::NEG_INFINITY);
    for (i, (vertex, normal)) in vertices.iter().zip(normals).enumerate() {
        let above = normal.dot(centre - *vertex);
        if above > height {
            (edge, height) = (i, above);
        }
    }
    if height - radius > margin {
        return;
    }
    let (start, end) = (vertices[edge], vertices[(edge + 1) % vertices.len()]);
    let along = end - start;
    let corner = if along.dot(centre - start) < 0.0 {
        Some(start)
    } else if along.dot(centre - end) > 0.0 {
        Some(end)
    } else {
        None
    };
    let (normal, distance) = match corner {
        Some(corner) if height > 0.0 => {
            let arm = centre - corner;
            let distance = arm.length();
            (arm / distance, distance)
        }
        _ => (normals[edge], height),
    };
    let normal = polygon_pose.rotation.apply(normal);
    push_disk(pose.position, radius, normal, distance, margin, manifold);
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, PlaneRotation};

    /// A square of side 4 about (10, 0), turned by a quarter.
    fn touches(centre: DVec2, margin: f64) -> Manifold<Plane> {
        let square = Polygon::rectangle(4.0, 4.0).unwrap();
        let quarter = PlaneRotation::from_angle(std::f64::consts::FRAC_PI_2);
        let placed = Pose::new(DVec2::new(10.0, 0.0), quarter);
        let mut manifold = Manifold::default();
        collide((1.0, &Pose::at(centre)), (&square, &placed), margin, &mut manifold);
        manifold
    }

    #[track_caller]
    fn assert_touch(centre: DVec2, normal: DVec2, gap: f64, point: DVec2) {
        let manifold = touches(centre, 5.0);
        assert_eq!(manifold.touches().len(), 1);
        let touch = manifold.touches()[0];
        assert!((touch.normal - normal).length() < 1e-14, "{touch:?}");
        assert!((touch.gap - gap).abs() < 1e-14, "{touch:?}");
        assert!((touch.point - point).length() < 1e-14, "{touch:?}");
    }

    #[test]
    fn beside_an_edge_past_a_vertex_and_inside() {
        assert_touch(DVec2::new(11.0, 4.0), DVec2::Y, 1.0, DVec2::new(11.0, 2.5));
        assert_touch(DVec2::new(11.0, 2.5), DVec2::Y, -0.5, DVec2::new(11.0, 1.75));
        let slanted = DVec2::new(0.6, 0.8);
        assert_touch(DVec2::new(15.0, 6.0), slanted, 4.0, DVec2::new(12.0, 2.0) + 2.0 * slanted);
        // The centre inside, nearest to the left side.
        assert_touch(DVec2::new(8.5, 0.25), DVec2::NEG_X, -1.5, DVec2::new(8.75, 0.25));
    }

    #[test]
    fn the_margin_is_kept_at_edges_and_vertices() {
        assert!(touches(DVec2::new(10.0, 3.75), 0.5).touches().is_empty());
        assert_eq!(touches(DVec2::new(10.0, 3.25), 0.5).touches().len(), 1);
        // 1 beyond both sides of the vertex: √2 − 1 apart.
        assert!(touches(DVec2::new(13.0, 3.0), 0.41).touches().is_empty());
        assert_eq!(touches(DVec2::new(13.0, 3.0), 0.42).touches().len(), 1);
    }
}
