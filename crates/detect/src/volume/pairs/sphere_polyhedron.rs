//! A ball and a polyhedron.
//!
//! The face from which the centre is farthest decides. If the centre is below it, or over its
//! inside, that face is nearest; otherwise an edge or a vertex of the faces that see the centre is.

use super::super::Polyhedron;
use super::super::segment::{Meeting, Segment};
use super::nearest::Hulls;
use super::{Lengths, above, along};
use crate::{Manifold, Touch};
use drystone_space::{DVec3, Pose, Volume};

pub fn sphere_polyhedron(
    (radius, a): (f64, &Pose<Volume>),
    (polyhedron, b): (&Polyhedron, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let centre = b.inverse_point(a.position);
    let touch = touch(polyhedron, centre, radius, margin);
    if let Some(touch) = touch.filter(|t| t.gap <= margin) {
        let (point, normal) = (b.point(touch.point), b.rotation * touch.normal);
        manifold.push(Touch { point, normal, ..touch });
    }
}

/// The touch in the polyhedron's axes, or none if a face has the ball beyond the margin.
fn touch(p: &Polyhedron, centre: DVec3, radius: f64, margin: f64) -> Option<Touch<Volume>> {
    let (mut face, mut height) = (0, f64::NEG_INFINITY);
    for (i, facet) in p.facets().iter().enumerate() {
        let distance = facet.plane.distance(centre);
        if distance > radius + margin {
            return None;
        }
        if distance > height {
            (face, height) = (i, distance);
        }
    }
    let facet = &p.facets()[face];
    let over = || facet.sides.iter().all(|s| s.plane.distance(centre) <= 0.0);
    if height <= 0.0 || over() {
        return Some(above(centre, radius, height, facet.plane.normal, 0));
    }
    let sees = |face: u32| p.facets()[face as usize].plane.distance(centre) > 0.0;
    let edges = p.edge_list().iter().filter(|e| e.faces.into_iter().any(sees));
    let nearest = edges
        .map(|e| Segment::new(p.ends(e)).nearest(centre))
        .min_by(|x, y| x.distance_squared(centre).total_cmp(&y.distance_squared(centre)))?;
    let lengths = Lengths::new([radius, p.radius()], margin);
    let (arm, distance) = (centre - nearest, nearest.distance(centre));
    if distance <= lengths.coincident {
        return Some(above(centre, radius, height, facet.plane.normal, 0));
    }
    let meeting = Meeting { first: centre, second: nearest, slot: 0 };
    let hulls = Hulls { first: &[], second: p.vertices(), lengths };
    let normal = hulls.supporting(&meeting, arm / distance);
    Some(along(nearest, [radius, 0.0], normal, distance, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(at: [f64; 3]) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let cube = Polyhedron::cuboid(DVec3::splat(2.0)).unwrap();
        let ball = Pose::at(DVec3::from_array(at));
        sphere_polyhedron((1.0, &ball), (&cube, &Pose::IDENTITY), 0.5, &mut manifold);
        manifold
    }

    #[test]
    fn over_a_face_and_an_edge() {
        let face = collide([0.5, 0.25, 2.25]).touches()[0];
        assert_eq!((face.gap, face.normal), (0.25, DVec3::Z));
        assert_eq!(face.point, DVec3::new(0.5, 0.25, 1.125));
        let edge = collide([1.6, 0.5, 1.8]).touches()[0];
        assert!(edge.gap.abs() < 1e-15);
        assert!((edge.normal - DVec3::new(0.6, 0.0, 0.8)).length() < 1e-15);
        assert!((edge.point - DVec3::new(1.0, 0.5, 1.0)).length() < 1e-15);
    }

    #[test]
    fn the_margin_is_measured_to_the_nearest_point() {
        // Within the margin of every face, beyond it from the corner: √3 − 1 > 0.5.
        assert!(collide([2.0, 2.0, 2.0]).touches().is_empty());
        let corner = collide([1.5, 1.5, 1.5]).touches()[0];
        assert!((corner.gap - (0.75_f64.sqrt() - 1.0)).abs() < 1e-15);
    }

    #[test]
    fn a_centre_inside_leaves_by_the_nearest_face() {
        let touch = collide([0.25, 0.75, -0.5]).touches()[0];
        assert_eq!((touch.gap, touch.normal), (-1.25, DVec3::Y));
        assert_eq!(touch.point, DVec3::new(0.25, 0.375, -0.5));
    }
}
