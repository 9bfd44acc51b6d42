//! Two polyhedra.
//!
//! 1. The face of each that separates most; beyond the margin nothing touches.
//! 2. The other's face over the better one is clipped against all its sides.
//! 3. An edge pair takes over if it separates clearly more.
//! 4. If nothing over the face is as near as it separates, faces that separate as much are tried, then edge pairs.
//! 5. Polyhedra apart may be nearest at a vertex and a vertex or an edge, where no axis of 1 and 3
//!    gives their distance. This shows in that no points found are as near as the separation says;
//!    the edges within the margin are then measured pair by pair.
//!
//! The least gap is the signed distance to 1e-9 of the smaller polyhedron (`tests/oracle`): a face or an edge pair is preferred to
//! one that separates more by less than the slack, so that rounding does not change the choice from step to step.
//!
//! Features join the two parts that meet (see [`Polyhedron::feature`]): a vertex and a face, or two
//! edges, and when apart also a vertex and a vertex or an edge.

use super::super::Polyhedron;
use super::super::clip::Patch;
use super::super::polyhedron::highest;
use super::super::reduce::{reduce, reduce_to};
use super::super::segment::{Meeting, Segment};
use super::nearest::{EdgePair, Hulls, NearestEdges};
use super::separation::{EdgeAxis, FaceAxis, MOST_EDGES, Relative, edge_axis, face_axis};
use super::{Lengths, along};
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{DMat3, DVec3, Pose, Volume};
use std::iter;

/// Angle below which a face and an edge pair have one normal.
const PARALLEL: f64 = 1e-2;

type Vertices = ArrayVec<DVec3, { Polyhedron::MOST_VERTICES }>;
type Touches<const MOST: usize> = ArrayVec<Touch<Volume>, MOST>;

/// Polyhedra with so few vertices together are resolved with as little of the stack: to touch a page of it for each of hundreds
/// of corners that may be there takes a fifth of the time of two boxes.
const FEW: usize = 32;

pub fn polyhedron_polyhedron(
    (p, a): (&Polyhedron, &Pose<Volume>),
    (q, b): (&Polyhedron, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let relative = Relative::new(a, b);
    let lengths = Lengths::new([p.radius(), q.radius()], margin);
    let centres = [relative.point(q.centre()), relative.back(p.centre())];

    let mut q_vertices = Vertices::new();
    q_vertices.extend(q.vertices().iter().map(|&v| relative.point(v)));
    let axis = face_axis(p, centres[0], &q_vertices, lengths.slack);
    if axis.separation > margin {
        return;
    }
    let mut p_vertices = Vertices::new();
    p_vertices.extend(p.vertices().iter().map(|&v| relative.back(v)));
    let other_axis = face_axis(q, centres[1], &p_vertices, lengths.slack);
    if other_axis.separation > margin {
        return;
    }
    let first = View {
        reference: p,
        incident: q,
        vertices: &q_vertices,
        turn: relative.inverse,
        axis,
        pose: a,
        toward: -1.0,
    };
    let second = View {
        reference: q,
        incident: p,
        vertices: &p_vertices,
        turn: relative.rotation,
        axis: other_axis,
        pose: b,
        toward: 1.0,
    };
    let pair = Pair { p, q, q_vertices: &q_vertices, pose: a, lengths };
    let views = [&first, &second];
    if p.vertices().len() + q.vertices().len() <= FEW {
        resolve::<FEW>(&pair, views, &relative, centres, manifold);
    } else {
        resolve::<{ 2 * Polyhedron::MOST_VERTICES }>(&pair, views, &relative, centres, manifold);
    }
}

/// Steps 2 to 5. `centres` are those of the second polyhedron in the axes of the first, and back.
#[inline(never)]
fn resolve<const MOST: usize>(
    pair: &Pair,
    [first, second]: [&View; 2],
    relative: &Relative,
    centres: [DVec3; 2],
    manifold: &mut Manifold<Volume>,
) {
    let Lengths { size, rounding, slack, margin, .. } = pair.lengths;
    let ahead = second.axis.separation > first.axis.separation + slack;
    let views = if ahead { [second, first] } else { [first, second] };
    let separation = first.axis.separation.max(second.axis.separation);
    let (mut patch, mut touches) = (Patch::<MOST>::new(), Touches::<MOST>::new());
    views[0].clip(slack, &mut patch);

    let [over, under] = views[0].inner_points(&patch, slack);
    let inner = if ahead { [relative.point(under), over] } else { [over, relative.back(under)] };
    let inner = [[inner[0], centres[0]], [inner[1], centres[1]]];
    let near = |patch: &Patch<MOST>| patch.deepest() <= separation + slack;
    let touched = near(&patch);
    let clearly = separation + slack;
    // Where the face is not touched, an edge pair may be that does not separate more than it.
    let floor = if touched { clearly } else { separation - slack };
    let edges = edge_axis([pair.p, pair.q], relative, pair.q_vertices, inner, floor);
    let better = edges.as_ref().filter(|axis| axis.separation > clearly);
    if let Some(axis) = better {
        if axis.separation > margin {
            return;
        }
        for view in views {
            if view.clip_along(axis, pair.lengths, &mut patch) {
                view.touches(&patch, margin, &mut touches);
                let Some(crossing) = pair.crossing(axis) else { break };
                let Some(index) = touches.iter().position(|t| t.feature == crossing.feature) else {
                    continue;
                };
                // Nothing is nearer than the crossing: a corner that seems so owes it to the face's
                // normal, and says no more than the crossing does.
                touches[index] = crossing;
                touches.retain(|t| t.feature == crossing.feature || t.gap > crossing.gap);
                reduce_to(0.0, &touches, size, manifold);
                return;
            }
        }
        pair.edge_touch(axis, manifold);
        return;
    }
    if touched {
        views[0].touches(&patch, margin, &mut touches);
        reduce(&touches, size, manifold);
        return;
    }
    // Other faces have their say only where they separate as much: along a face that separates less, corners
    // seem deeper than the polyhedra are in each other, and may seem deep where these are apart.
    for view in views {
        for tied in view.tied(separation, slack) {
            // The face of the first view was clipped above.
            let known = tied.toward == views[0].toward && tied.axis.face == views[0].axis.face;
            let clipped = !known && {
                tied.clip(slack, &mut patch);
                near(&patch)
            };
            // An edge that lies along the face may belong to another face than the one that looks most against it.
            if clipped || tied.clip_any(pair.lengths, near, &mut patch) {
                tied.touches(&patch, margin, &mut touches);
                reduce(&touches, size, manifold);
                return;
            }
        }
    }
    if let Some(axis) = edges {
        pair.edge_touch(&axis, manifold);
    } else if separation > -rounding {
        pair.nearest_touches(views[0].between(), separation, manifold);
    } else {
        manifold.push(views[0].vertex_touch());
    }
}

/// One polyhedron as reference: its best face, and the other in its axes.
#[derive(Clone, Copy)]
struct View<'a> {
    reference: &'a Polyhedron,
    incident: &'a Polyhedron,
    /// Those of the incident polyhedron.
    vertices: &'a [DVec3],
    /// Axes of the reference to those of the incident polyhedron.
    turn: DMat3,
    axis: FaceAxis,
    pose: &'a Pose<Volume>,
    /// 1 if the outward normal of the reference points toward the first shape, else −1.
    toward: f64,
}

impl<'a> View<'a> {
    fn normal(&self) -> DVec3 {
        self.reference.normal(self.axis.face)
    }
    /// That normal from the first polyhedron to the second, in the axes of the first.
    fn between(&self) -> DVec3 {
        if self.toward < 0.0 { self.normal() } else { -(self.turn * self.normal()) }
    }
    /// Clips the face of the incident polyhedron that holds its lowest vertex and looks most
    /// against the reference face.
    fn clip<const MOST: usize>(&self, slack: f64, patch: &mut Patch<MOST>) {
        self.clip_among(self.incident.faces_around(self.axis.vertex), slack, patch);
    }
    /// The same with every face that separates as much as `separation`, but for `slack`; the best one first.
    fn tied(&self, separation: f64, slack: f64) -> impl Iterator<Item = View<'a>> {
        let view = *self;
        // No face separates more than one vertex is over it.
        let vertex = self.vertices[self.axis.vertex];
        let may =
            move |f: usize| view.reference.facets()[f].plane.distance(vertex) >= separation - slack;
        let others =
            (0..self.reference.facets().len()).filter(move |&f| f != view.axis.face && may(f));
        let axes = iter::once(self.axis)
            .chain(others.map(move |face| FaceAxis::new(view.reference, face, view.vertices)));
        axes.filter(move |a| a.separation >= separation - slack)
            .map(move |axis| View { axis, ..view })
    }
    /// Clips one after the other the faces of the incident polyhedron that have one of its lowest vertices until the patch
    /// is `near`.
    fn clip_any<const MOST: usize>(
        &self,
        lengths: Lengths,
        near: impl Fn(&Patch<MOST>) -> bool,
        patch: &mut Patch<MOST>,
    ) -> bool {
        let plane = &self.reference.facets()[self.axis.face].plane;
        let low = self.axis.separation + lengths.slack;
        let lowest = |v: &u32| plane.distance(self.vertices[*v as usize]) <= low;
        (0..self.incident.faces().len()).any(|face| {
            self.incident.faces()[face].iter().any(lowest) && {
                self.clip_among(&[face as u32], lengths.slack, patch);
                near(patch)
            }
        })
    }
    /// Clips a face at the incident edge, if the edge lies nearly along the reference face.
    ///
    /// Edges that cross at the rim of a face are nearest at the deeper end of the one that lies
    /// across it. Held there only, it sinks at its other end, which is the deeper one a step later:
    /// step by step it would walk into the face. The patch has both ends; their gaps are right to
    /// second order in the angle, that of the crossing is exact and stays the least.
    fn clip_along<const MOST: usize>(
        &self,
        axis: &EdgeAxis,
        lengths: Lengths,
        patch: &mut Patch<MOST>,
    ) -> bool {
        let angle_squared = self.between().distance_squared(axis.normal);
        if angle_squared > PARALLEL * PARALLEL {
            return false;
        }
        let edge = axis.edges[usize::from(self.toward < 0.0)];
        self.clip_among(&self.incident.edge_list()[edge].faces, lengths.slack, patch);
        let error = (patch.deepest() - axis.separation).abs();
        error <= lengths.slack + lengths.size * angle_squared
    }
    /// Clips that of some incident faces which looks most against the reference face.
    fn clip_among<const MOST: usize>(&self, faces: &[u32], slack: f64, patch: &mut Patch<MOST>) {
        let normal = self.turn * self.normal();
        let (mut opposite, mut lowest) = (0, f64::INFINITY);
        for &face in faces {
            let cosine = normal.dot(self.incident.normal(face as usize));
            if cosine < lowest {
                (opposite, lowest) = (face as usize, cosine);
            }
        }
        let incident = (self.incident, opposite);
        patch.clip((self.reference, self.axis.face), incident, self.vertices, slack);
    }
    /// A point of the incident polyhedron and one of the reference, as near as the patch shows: as low as its deepest corner but
    /// for half the slack, and within it as far as that allows.
    fn inner_points<const MOST: usize>(&self, patch: &Patch<MOST>, slack: f64) -> [DVec3; 2] {
        let corners = patch.corners();
        let Some(mut deepest) = corners.first() else {
            return self.facing_vertices();
        };
        let mut middle = DVec3::ZERO;
        for corner in corners {
            middle += corner.point;
            deepest = if corner.gap < deepest.gap { corner } else { deepest };
        }
        middle /= corners.len() as f64;
        let plane = &self.reference.facets()[self.axis.face].plane;
        let rise = plane.distance(middle) - deepest.gap;
        let share = if rise > 0.5 * slack { 0.5 * slack / rise } else { 1.0 };
        let over = deepest.point + (middle - deepest.point) * share;
        [over, over - plane.normal * plane.distance(over)]
    }
    /// The vertices of both that are farthest toward the other's centre.
    fn facing_vertices(&self) -> [DVec3; 2] {
        let centre = self.reference.centre();
        let toward = centre - self.vertices.iter().sum::<DVec3>() / self.vertices.len() as f64;
        let farthest = |points: &[DVec3], direction: DVec3| {
            let (mut best, mut height) = (points[0], f64::NEG_INFINITY);
            for &point in points {
                let next = direction.dot(point);
                (best, height) = if next > height { (point, next) } else { (best, height) };
            }
            best
        };
        [farthest(self.vertices, toward), farthest(self.reference.vertices(), -toward)]
    }
    fn touch(&self, point: DVec3, gap: f64, reference: u32, incident: u32) -> Touch<Volume> {
        let toward = self.pose.rotation * (self.normal() * self.toward);
        self.touch_along(toward, point, gap, [reference, incident])
    }
    /// `toward` is the normal toward the first shape in world axes.
    #[inline]
    fn touch_along(
        &self,
        toward: DVec3,
        point: DVec3,
        gap: f64,
        [reference, incident]: [u32; 2],
    ) -> Touch<Volume> {
        let (first, second) =
            if self.toward < 0.0 { (reference, incident) } else { (incident, reference) };
        Touch {
            point: self.pose.point(point - self.normal() * (0.5 * gap)),
            normal: toward,
            gap,
            feature: Polyhedron::feature(first, second),
        }
    }
    /// Those of a patch; a list of them is large, so it is made once and filled in place.
    fn touches<const MOST: usize>(
        &self,
        patch: &Patch<MOST>,
        margin: f64,
        touches: &mut Touches<MOST>,
    ) {
        let toward = self.pose.rotation * (self.normal() * self.toward);
        touches.clear();
        for c in patch.corners().iter().filter(|c| c.gap <= margin) {
            touches.push(self.touch_along(toward, c.point, c.gap, [c.reference, c.incident]));
        }
    }
    /// The lowest vertex over the face.
    fn vertex_touch(&self) -> Touch<Volume> {
        let FaceAxis { face, separation, vertex } = self.axis;
        let (reference, incident) =
            (self.reference.face_part(face), self.incident.vertex_part(vertex));
        self.touch(self.vertices[vertex], separation, reference, incident)
    }
}

/// Both polyhedra in the axes of the first.
struct Pair<'a> {
    p: &'a Polyhedron,
    q: &'a Polyhedron,
    q_vertices: &'a [DVec3],
    pose: &'a Pose<Volume>,
    lengths: Lengths,
}

impl Pair<'_> {
    fn first_edge(&self, edge: usize) -> Segment {
        Segment::new(self.p.ends(&self.p.edge_list()[edge]))
    }
    fn second_edge(&self, edge: usize) -> Segment {
        let ends = self.q.edge_list()[edge].ends;
        Segment::new(ends.map(|v| self.q_vertices[v as usize]))
    }
    fn placed(&self, touch: Touch<Volume>) -> Touch<Volume> {
        let (point, normal) = (self.pose.point(touch.point), self.pose.rotation * touch.normal);
        Touch { point, normal, ..touch }
    }
    /// The touch of two edges that cross; none if they are nearer to each other at an end of one.
    fn crossing(&self, axis: &EdgeAxis) -> Option<Touch<Volume>> {
        let [i, j] = axis.edges;
        let (first, second) = (self.first_edge(i), self.second_edge(j));
        let meeting = first.meeting(&second);
        let Lengths { rounding, coincident, .. } = self.lengths;
        if axis.separation > 0.0 && meeting.distance() > axis.separation + rounding {
            return None;
        }
        let mut normal = self.hulls().across([&first, &second], &meeting, -axis.normal);
        let arm = meeting.first - meeting.second;
        // Where the edges end, they may be as near but for rounding and the arm between them another one.
        if axis.separation > coincident && arm.distance(normal * axis.separation) > coincident {
            normal = self.hulls().supporting(&meeting, arm / meeting.distance());
        }
        Some(self.placed(Touch {
            point: (meeting.first + meeting.second) * 0.5,
            normal,
            gap: axis.separation,
            feature: Polyhedron::feature(self.p.edge_part(i), self.q.edge_part(j)),
        }))
    }
    /// Two edges that cross, or come nearest at an end.
    fn edge_touch(&self, axis: &EdgeAxis, manifold: &mut Manifold<Volume>) {
        match self.crossing(axis) {
            Some(touch) if touch.gap <= self.lengths.margin => manifold.push(touch),
            Some(_) => {}
            None => self.nearest_touches(axis.normal, axis.separation, manifold),
        }
    }
    /// Touches of the nearest edges, ends included. `normal` points from the first polyhedron to
    /// the second and separates them: points within the margin are within `margin − separation`
    /// of the two planes that it bounds them with.
    fn nearest_touches(&self, normal: DVec3, separation: f64, manifold: &mut Manifold<Volume>) {
        let Lengths { rounding, coincident, margin, .. } = self.lengths;
        let (reach, window) = (margin + coincident, margin - separation + coincident);
        let top = self.p.highest(normal);
        let bottom = -highest(self.q_vertices, -normal);
        let height = |s: &Segment| [normal.dot(s.start), normal.dot(s.end)];
        let low = |s: &Segment| height(s).into_iter().fold(f64::MAX, f64::min) <= bottom + window;
        let high = |s: &Segment| height(s).into_iter().fold(f64::MIN, f64::max) >= top - window;
        let boxes = [Segment::diagonal(self.p.vertices()), Segment::diagonal(self.q_vertices)];
        let beside = |s: &Segment, other: &Segment| s.boxes_within(other, reach + rounding);

        let mut open = ArrayVec::<u16, MOST_EDGES>::new();
        for j in 0..self.q.edge_list().len() {
            let edge = self.second_edge(j);
            if beside(&edge, &boxes[0]) && low(&edge) {
                open.push(j as u16);
            }
        }
        let mut nearest = NearestEdges::default();
        for i in 0..self.p.edge_list().len() {
            let first = self.first_edge(i);
            if beside(&first, &boxes[1]) && high(&first) {
                for j in open.iter().map(|&j| usize::from(j)) {
                    let pair = EdgePair { first, second: self.second_edge(j), edges: [i, j] };
                    nearest.consider(pair, rounding, reach);
                }
            }
        }
        let Some((pair, meetings)) = nearest.touching(&self.hulls()) else { return };
        for (meeting, direction) in meetings {
            let (direction, distance) = match direction {
                Some(direction) => (direction, meeting.distance()),
                None => (-normal, separation),
            };
            let feature = self.feature(&pair, &meeting);
            let touch = along(meeting.second, [0.0; 2], direction, distance, feature);
            if touch.gap <= margin {
                manifold.push(self.placed(touch));
            }
        }
    }
    fn hulls(&self) -> Hulls<'_> {
        Hulls { first: self.p.vertices(), second: self.q_vertices, lengths: self.lengths }
    }
    /// The parts at which two edges meet: themselves, or vertices at their ends.
    fn feature(&self, pair: &EdgePair, meeting: &Meeting) -> u32 {
        let part = |p: &Polyhedron, edge: usize, end: Option<usize>| match end {
            Some(end) => p.vertex_part(p.edge_list()[edge].ends[end] as usize),
            None => p.edge_part(edge),
        };
        let [i, j] = pair.edges;
        let on_first = part(self.p, i, pair.first.end_at(meeting.first));
        let on_second = part(self.q, j, pair.second.end_at(meeting.second));
        Polyhedron::feature(on_first, on_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::DQuat;
    use std::f64::consts::FRAC_PI_4;

    fn collide(a: Pose<Volume>, b: Pose<Volume>) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let cube = Polyhedron::cuboid(DVec3::splat(2.0)).unwrap();
        polyhedron_polyhedron((&cube, &a), (&cube, &b), 0.1, &mut manifold);
        manifold
    }

    #[test]
    fn crossed_edges_touch_once() {
        // Both cubes stand on an edge; the ridge of the lower one runs along y, at height √2.
        let ridge = 2.0_f64.sqrt();
        let lower = Pose::new(DVec3::ZERO, DQuat::from_rotation_y(FRAC_PI_4));
        for gap in [-0.05, 0.05] {
            let at = DVec3::new(0.0, 0.25, 2.0 * ridge + gap);
            let upper = Pose::new(at, DQuat::from_rotation_x(FRAC_PI_4));
            let manifold = collide(upper, lower);
            let [touch] = manifold.touches() else { panic!("one touch") };
            assert!((touch.gap - gap).abs() < 1e-14);
            assert!((touch.normal - DVec3::Z).length() < 1e-14);
            assert!((touch.point - DVec3::new(0.0, 0.25, ridge + 0.5 * gap)).length() < 1e-14);
        }
    }

    #[test]
    fn an_edge_across_a_face_is_held_at_both_ends() {
        // The upper cube stands on an edge along x, which is tilted a little and lies deep across
        // the top of the lower one: at which end it is deeper must not matter.
        let top = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(0.3));
        for tilt in [-5e-3, -1e-4, 0.0, 1e-4, 5e-3] {
            let turn = DQuat::from_rotation_y(tilt) * DQuat::from_rotation_x(FRAC_PI_4);
            let at = DVec3::new(0.0, 0.0, 1.0 + 2.0_f64.sqrt() - 0.05);
            let manifold = collide(Pose::new(at, turn), top);
            for side in [-1.0, 1.0] {
                let held = |t: &&Touch<Volume>| t.point.x * side > 0.9 && t.point.y.abs() < 0.1;
                assert!(manifold.touches().iter().any(|t| held(&t)), "{tilt}: {manifold:?}");
            }
        }
    }

    #[test]
    fn turned_on_its_face_a_cube_touches_along_an_octagon() {
        let upper = Pose::new(DVec3::Z * 1.9375, DQuat::from_rotation_z(FRAC_PI_4));
        let manifold = collide(upper, Pose::IDENTITY);
        assert_eq!(manifold.touches().len(), 4);
        for touch in manifold.touches() {
            assert!((touch.gap + 0.0625).abs() < 1e-15);
            // Every corner of the octagon is where two edges cross: 1 and √2 − 1 from the middle.
            let (x, y) = (touch.point.x.abs(), touch.point.y.abs());
            assert!((x.max(y) - 1.0).abs() < 1e-14);
            assert!((x.min(y) - (2.0_f64.sqrt() - 1.0)).abs() < 1e-14);
        }
    }

    #[test]
    fn a_corner_on_a_face_touches_once() {
        // The diagonal of the upper cube is upright: its lowest corner is √3 below its centre.
        let turn = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Z);
        let upper = Pose::new(DVec3::new(0.5, 0.0, 1.0 + 3.0_f64.sqrt() - 0.01), turn);
        let manifold = collide(upper, Pose::IDENTITY);
        let touch = manifold.touches()[0];
        assert!((touch.gap + 0.01).abs() < 1e-14);
        assert!((touch.point - DVec3::new(0.5, 0.0, 0.995)).length() < 1e-14);
    }
}
