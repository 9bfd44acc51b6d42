//! A ball and a triangle of a surface: the nearest point, if the direction from it is its own ([`Triangle::say`]).
//!
//! A ball whose centre is behind a triangle that is touched from the front leaves by the front, unless it is as deep as half its
//! radius: then it is on the other side of a thin body.

use super::super::Triangle;
use super::super::surface::{Element, Say};
use super::above;
use crate::Manifold;
use drystone_space::{DVec3, Pose, Volume};

/// The part of its radius by which the centre of a ball may be behind.
const BEHIND: f64 = 0.5;

pub fn sphere_triangle(
    (radius, a): (f64, &Pose<Volume>),
    (triangle, b): (&Triangle, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let centre = b.inverse_point(a.position);
    let height = triangle.normal().dot(centre - triangle.corners()[0]);
    if height.abs() > radius + margin {
        return;
    }
    let (nearest, part) = nearest(triangle, centre);
    let (arm, distance) = (centre - nearest, nearest.distance(centre));
    if distance > radius + margin {
        return;
    }
    let front = triangle.normal();
    // Of a short arm rounding leaves little; over the face the normal is known anyway.
    let direction = match part {
        Element::Face => front * height.signum(),
        _ if distance > 1e-10 * radius => arm / distance,
        _ => front,
    };
    let say = match part {
        Element::Face if height < 0.0 && !triangle.is_two_sided() => Say::Behind,
        _ => triangle.say(part, direction),
    };
    let (normal, height) = match say {
        Say::Mine => (direction, distance),
        Say::Behind if distance <= (BEHIND * radius).max(margin) => (-direction, -distance),
        _ => return,
    };
    if height - radius <= margin {
        manifold.push(above(a.position, radius, height, b.rotation * normal, 0));
    }
}

/// The nearest point, and the part of the triangle on which it is.
fn nearest(triangle: &Triangle, point: DVec3) -> (DVec3, Element) {
    let corners = triangle.corners();
    let normal = triangle.normal();
    let mut best: Option<(DVec3, Element)> = None;
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if triangle.outward(i).dot(point - a) <= 0.0 {
            continue;
        }
        let along = b - a;
        let t = along.dot(point - a) / along.length_squared();
        let found = match t {
            t if t <= 0.0 => (a, Element::Corner(i)),
            t if t >= 1.0 => (b, Element::Corner((i + 1) % 3)),
            t => (a + along * t, Element::Side(i)),
        };
        if best.is_none_or(|(p, _)| found.0.distance_squared(point) < p.distance_squared(point)) {
            best = Some(found);
        }
    }
    best.unwrap_or((point - normal * normal.dot(point - corners[0]), Element::Face))
}

#[cfg(test)]
mod tests {
    use super::super::super::Surface;
    use super::*;

    fn collide(triangle: &Triangle, at: [f64; 3]) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let ball = Pose::at(DVec3::from_array(at));
        sphere_triangle((1.0, &ball), (triangle, &Pose::IDENTITY), 0.25, &mut manifold);
        manifold
    }

    fn corners(list: &[[f64; 3]]) -> Vec<DVec3> {
        list.iter().map(|&c| DVec3::from_array(c)).collect()
    }

    #[test]
    fn face_edge_and_corner_of_one_alone() {
        let [a, b, c] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let alone = Triangle::alone([a, b, c].map(DVec3::from_array)).unwrap();
        let face = collide(&alone, [1.0, 1.0, 1.125]).touches()[0];
        assert_eq!((face.gap, face.normal), (0.125, DVec3::Z));
        let below = collide(&alone, [1.0, 1.0, -0.875]).touches()[0];
        assert_eq!((below.gap, below.normal), (-0.125, DVec3::NEG_Z));
        let edge = collide(&alone, [1.0, -0.6, 0.8]).touches()[0];
        assert!(
            edge.gap.abs() < 1e-15 && (edge.normal - DVec3::new(0.0, -0.6, 0.8)).length() < 1e-15
        );
        let corner = collide(&alone, [-0.6, -0.8, 0.5]).touches()[0];
        assert!((corner.gap - (1.25_f64.sqrt() - 1.0)).abs() < 1e-15);
    }

    #[test]
    fn an_inner_edge_of_a_plane_is_not_felt() {
        let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
        let surface = Surface::new(corners(&points), &[[0, 1, 2], [0, 2, 3]], false);
        // Beside the diagonal only the triangle below tells; over it both do, by their faces.
        for (x, y) in [(2.0, 1.9), (2.0, 1.999_999_999), (1.0, 3.0), (2.0, 2.0)] {
            let touches: Vec<_> = surface
                .triangles()
                .flat_map(|t| collide(&t, [x, y, 0.9]).touches().to_vec())
                .collect();
            assert!(!touches.is_empty());
            assert!(touches.iter().all(|t| t.normal == DVec3::Z && (t.gap + 0.1).abs() < 1e-15));
            assert!(x == y || touches.len() == 1);
        }
        // From below nothing is there, once the ball is through.
        let below =
            surface.triangles().flat_map(|t| collide(&t, [2.0, 1.0, -0.9]).touches().to_vec());
        assert_eq!(below.count(), 0);
    }

    #[test]
    fn a_ridge_is_felt_once_and_a_valley_by_its_faces() {
        let points = [[0.0, -2.0, 0.0], [0.0, 2.0, 0.0], [3.0, 0.0, -3.0], [-3.0, 0.0, -3.0]];
        let touched = |z: f64, at: [f64; 3]| {
            let points = points.map(|[x, y, w]| [x, y, w * z]);
            let surface = Surface::new(corners(&points), &[[0, 2, 1], [0, 1, 3]], false);
            let all = surface.triangles().flat_map(|t| collide(&t, at).touches().to_vec());
            all.collect::<Vec<_>>()
        };
        let ridge = touched(1.0, [0.1, 0.25, 0.9]);
        assert_eq!(ridge.len(), 1);
        assert!((ridge[0].gap - (0.82_f64.sqrt() - 1.0)).abs() < 1e-15);
        let valley = touched(-1.0, [0.0, 0.25, 1.375]);
        assert_eq!(valley.len(), 2);
        assert!(valley.iter().all(|t| (t.gap - (1.375 / 2.0_f64.sqrt() - 1.0)).abs() < 1e-15));
        // Pressed through the valley's edge, the ball still leaves upward.
        let deep = touched(-1.0, [0.0, 0.25, -0.125]);
        assert!(
            deep.iter().any(|t| (t.normal - DVec3::Z).length() < 1e-15 && t.gap == -1.125),
            "{deep:?}"
        );
    }
}
