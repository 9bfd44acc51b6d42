//! A capsule and a polyhedron: two touches where the capsule lies on a face or along an edge.
//!
//! The axis of the capsule is tested as a polyhedron without inside, by the same steps as
//! two polyhedra. Features are places along the axis:
//! 0 and 1 at the lower and upper end of what touches, 2 for a single point.

use super::super::Polyhedron;
use super::super::segment::{Meeting, Segment};
use super::nearest::{EdgePair, Hulls, NearestEdges};
use super::separation::{CHECKED, PARALLEL};
use super::{Lengths, above, along};
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{DVec3, Pose, Volume};

/// Sine of the angle above which an axis and an edge clearly cross.
const CROSSED: f64 = 1e-2;

pub fn capsule_polyhedron(
    (axis, radius): (Segment, f64),
    (polyhedron, b): (&Polyhedron, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let axis = Segment { start: b.inverse_point(axis.start), end: b.inverse_point(axis.end) };
    for touch in touches(polyhedron, axis, radius, margin) {
        if touch.gap <= margin {
            let (point, normal) = (b.point(touch.point), b.rotation * touch.normal);
            manifold.push(Touch { point, normal, ..touch });
        }
    }
}

/// The touches in the polyhedron's axes.
fn touches(p: &Polyhedron, axis: Segment, radius: f64, margin: f64) -> ArrayVec<Touch<Volume>, 3> {
    let (face, height) = best_face(p, &axis);
    if height > radius + margin {
        return ArrayVec::new();
    }
    let lengths = Lengths::new([axis.half_length() + radius, p.radius()], margin);
    let slack = lengths.slack;
    let best = best_edge(p, &axis, height + slack, lengths.rounding);
    let plane = p.facets()[face].plane;
    let (separation, normal) = best.map_or((height, plane.normal), |(_, s, n)| (s, n));
    if best.is_none() {
        let over = over_face(p, face, &axis, slack);
        let near = |point: &DVec3| plane.distance(*point) <= height + slack;
        if over.iter().any(near) {
            let slot = |i: usize| if over.len() == 2 { i as u32 } else { 2 };
            let on_face = |(i, &point): (usize, &DVec3)| {
                above(point, radius, plane.distance(point), plane.normal, slot(i))
            };
            return over.iter().enumerate().map(on_face).collect();
        }
    }
    if separation > 0.0 {
        return along_nearest_edge(p, &axis, radius, (separation, normal), lengths);
    }
    if let Some((edge, ..)) = best {
        let edge = Segment::new(p.ends(&p.edge_list()[edge]));
        let meeting = axis.meeting(&edge);
        let hulls = Hulls { first: &[axis.start, axis.end], second: p.vertices(), lengths };
        let normal = hulls.across([&axis, &edge], &meeting, normal);
        return [above(meeting.first, radius, separation, normal, 2)].into_iter().collect();
    }
    let lower = plane.distance(axis.start) <= plane.distance(axis.end);
    let end = if lower { axis.start } else { axis.end };
    [above(end, radius, height, plane.normal, 2)].into_iter().collect()
}

/// The face that separates most, and by how much.
fn best_face(p: &Polyhedron, axis: &Segment) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (face, facet) in p.facets().iter().enumerate() {
        let height = facet.plane.distance(axis.start).min(facet.plane.distance(axis.end));
        if height > best.1 {
            best = (face, height);
        }
    }
    best
}

/// The edge whose common normal with the axis separates most above `floor`: edge, separation and
/// normal out of the polyhedron. The normal must lie between those of the edge's faces.
fn best_edge(
    p: &Polyhedron,
    axis: &Segment,
    mut floor: f64,
    rounding: f64,
) -> Option<(usize, f64, DVec3)> {
    let along = (axis.end - axis.start).try_normalize()?;
    let mut best = None;
    for (i, edge) in p.edge_list().iter().enumerate() {
        let [n, m] = edge.faces.map(|f| p.facets()[f as usize].plane.normal);
        if n.dot(along) * m.dot(along) >= 0.0 {
            continue;
        }
        let across = along.cross(edge.direction);
        let sine = across.length();
        if sine < PARALLEL {
            continue;
        }
        let arm = axis.start - p.vertices()[edge.ends[0] as usize];
        // Clearly crossed lines are as far apart as the cross product says: most edges need no closer look.
        let height = across.dot(arm) * across.dot(n + m).signum();
        if sine > CROSSED && height <= (floor - rounding) * sine {
            continue;
        }
        let across = across / sine;
        // Of nearly parallel lines the cross product is right to ε/sine only: see `Arc::separation`.
        let Some(across) = (across - along * across.dot(along)).try_normalize() else { continue };
        let normal = across * across.dot(n + m).signum();
        let mut separation = normal.dot(arm);
        if separation > floor && sine < CHECKED {
            separation = normal.dot(axis.start).min(normal.dot(axis.end)) - p.highest(normal);
        }
        if separation > floor {
            floor = separation;
            best = Some((i, separation, normal));
        }
    }
    best
}

/// Both ends of the part of the axis over a face; one point if the axis has no length there.
fn over_face(p: &Polyhedron, face: usize, axis: &Segment, slack: f64) -> ArrayVec<DVec3, 2> {
    let (mut low, mut high) = (0.0, 1.0);
    for side in &p.facets()[face].sides {
        let (d, e) = (side.plane.distance(axis.start), side.plane.distance(axis.end));
        match (d <= slack, e <= slack) {
            (true, true) => {}
            (true, false) => high = f64::min(high, (d / (d - e)).max(0.0)),
            (false, true) => low = f64::max(low, (d / (d - e)).min(1.0)),
            (false, false) => return ArrayVec::new(),
        }
    }
    let at = |t: f64| if t == 1.0 { axis.end } else { axis.start + (axis.end - axis.start) * t };
    let length = (high - low) * axis.start.distance(axis.end);
    let mut over = ArrayVec::new();
    if length >= -slack {
        over.push(at(low));
    }
    if length > slack {
        over.push(at(high));
    }
    over
}

/// Touches at the edge nearest to the axis, ends included. `normal` separates by `separation`.
fn along_nearest_edge(
    p: &Polyhedron,
    axis: &Segment,
    radius: f64,
    (separation, normal): (f64, DVec3),
    lengths: Lengths,
) -> ArrayVec<Touch<Volume>, 3> {
    let mut nearest = NearestEdges::default();
    for (i, edge) in p.edge_list().iter().enumerate() {
        let pair = EdgePair { first: *axis, second: Segment::new(p.ends(edge)), edges: [0, i] };
        nearest.consider(pair, lengths.rounding, f64::INFINITY);
    }
    let hulls = Hulls { first: &[axis.start, axis.end], second: p.vertices(), lengths };
    let meetings = nearest.touching(&hulls).map(|(_, meetings)| meetings).unwrap_or_default();
    let touch = |(m, direction): (Meeting, Option<DVec3>)| match direction {
        Some(direction) => along(m.second, [radius, 0.0], direction, m.distance(), m.slot),
        None => along(m.second, [radius, 0.0], normal, separation, m.slot),
    };
    meetings.into_iter().map(touch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(start: [f64; 3], end: [f64; 3]) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let cube = Polyhedron::cuboid(DVec3::splat(2.0)).unwrap();
        let axis = Segment::new([start, end].map(DVec3::from_array));
        capsule_polyhedron((axis, 0.5), (&cube, &Pose::IDENTITY), 0.1, &mut manifold);
        manifold
    }

    #[test]
    fn lying_on_a_face_it_touches_where_it_is_over_it() {
        let manifold = collide([-3.0, 0.0, 1.45], [0.5, 0.0, 1.45]);
        let [low, high] = manifold.touches() else { panic!("two touches") };
        assert_eq!((low.point.x, high.point.x), (-1.0, 0.5));
        for touch in [low, high] {
            assert!((touch.gap + 0.05).abs() < 1e-15);
            assert_eq!(touch.normal, DVec3::Z);
            assert!((touch.point.z - 0.975).abs() < 1e-15);
        }
    }

    #[test]
    fn standing_on_a_face_it_touches_once() {
        let manifold = collide([0.25, 0.0, 1.5], [0.25, 0.0, 4.0]);
        let [touch] = manifold.touches() else { panic!("one touch") };
        assert_eq!((touch.gap, touch.point), (0.0, DVec3::new(0.25, 0.0, 1.0)));
    }

    #[test]
    fn across_an_edge_it_touches_once() {
        // The axis runs through (1.3, y, 1.4) at right angles to the edge x = z = 1 and to (3, 4).
        let manifold = collide([1.3 + 0.8, 0.0, 1.4 - 0.6], [1.3 - 0.8, 0.0, 1.4 + 0.6]);
        let [touch] = manifold.touches() else { panic!("one touch") };
        assert!(touch.gap.abs() < 1e-15);
        assert!((touch.normal - DVec3::new(0.6, 0.0, 0.8)).length() < 1e-15);
    }

    #[test]
    fn along_an_edge_it_touches_twice() {
        let manifold = collide([1.3, -2.0, 1.4], [1.3, 0.5, 1.4]);
        let [low, high] = manifold.touches() else { panic!("two touches") };
        assert!(low.gap.abs() < 1e-15 && high.gap.abs() < 1e-15);
        assert_eq!((low.point.y, high.point.y), (-1.0, 0.5));
        assert_ne!(low.feature, high.feature);
    }

    #[test]
    fn near_a_corner_its_end_touches() {
        let manifold = collide([1.2, 1.2, 1.2], [3.0, 3.0, 3.0]);
        let [touch] = manifold.touches() else { panic!("one touch") };
        assert!((touch.gap - (0.12_f64.sqrt() - 0.5)).abs() < 1e-14);
    }

    #[test]
    fn an_axis_through_the_cube_leaves_by_the_nearest_face() {
        let manifold = collide([-0.5, 0.0, 0.75], [0.5, 0.0, 0.75]);
        let [low, high] = manifold.touches() else { panic!("two touches") };
        assert_eq!((low.gap, high.gap, low.normal), (-0.75, -0.75, DVec3::Z));
    }
}
