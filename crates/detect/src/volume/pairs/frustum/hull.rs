//! A frustum and what has corners: a polyhedron, the axis of a capsule, a triangle of a surface.

use super::super::super::frustum::{Frustum, Part, outward, radial};
use super::super::super::polyhedron::Edge;
use super::super::super::segment::Segment;
use super::super::super::surface::{Element, Say};
use super::super::super::{Polyhedron, Triangle};
use super::super::separation::Relative;
use super::nearest::{Place, on_segment};
use super::overlap::{self, Ring};
use super::patch::{Feature, Rim, Touches, lay};
use super::{Lengths, Separating, finish};
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{DMat3, DVec3, Pose, Volume};

/// Share of the size above which the direction between two nearest points is exact.
const CLEAR: f64 = 1e-6;
/// The part of its width by which a frustum may be behind a triangle that is touched from the front.
const BEHIND: f64 = 0.5;

pub fn polyhedron_frustum(
    (polyhedron, a): (&Polyhedron, &Pose<Volume>),
    (frustum, b): (&Frustum, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let relative = Relative::new(b, a);
    let centre = relative.point(polyhedron.centre());
    if frustum.near(centre).distance - polyhedron.radius() > margin {
        return;
    }
    let mut points = ArrayVec::<DVec3, { Polyhedron::MOST_VERTICES }>::new();
    points.extend(polyhedron.vertices().iter().map(|&v| relative.point(v)));
    let hull = Hull { points: &points, solid: Some((polyhedron, relative.rotation)) };
    let lengths = Lengths::new([frustum.size(), polyhedron.radius()], margin);
    let mut touches = Touches::new();
    Pair { frustum, hull: &hull, lengths }.touches(&mut touches);
    finish(&touches, &lengths, b, manifold);
}

pub fn capsule_frustum(
    (axis, radius): (Segment, f64),
    (frustum, b): (&Frustum, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let points = [axis.start, axis.end].map(|p| b.inverse_point(p));
    let hull = Hull { points: &points, solid: None };
    let lengths = Lengths::new([frustum.size(), axis.half_length() + radius], margin + radius);
    let mut touches = Touches::new();
    Pair { frustum, hull: &hull, lengths }.touches(&mut touches);
    let mut cores = Manifold::default();
    finish(&touches, &lengths, b, &mut cores);
    manifold.push_grown(&cores, [radius, 0.0], margin);
}

/// The normal of the touches is toward the triangle, as the frustum is the second.
pub fn frustum_triangle(
    (frustum, a): (&Frustum, &Pose<Volume>),
    (triangle, b): (&Triangle, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let points = triangle.corners().map(|c| a.inverse_point(b.point(c)));
    let centre = (points[0] + points[1] + points[2]) / 3.0;
    let reach = points.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
    if frustum.near(centre).distance - reach > margin {
        return;
    }
    let hull = Hull { points: &points, solid: None };
    let lengths = Lengths::new([frustum.size(), reach], margin);
    let turn = DMat3::from_quat(b.rotation.conjugate() * a.rotation);
    let told = Told { triangle, turn, points: &points, slack: lengths.slack };
    let mut touches = Touches::new();
    let pair = Pair { frustum, hull: &hull, lengths };
    pair.touches_of_triangle(&told, &mut touches);
    touches.iter_mut().for_each(|t| t.normal = -t.normal);
    finish(&touches, &lengths, a, manifold);
}

/// What a triangle says of directions in the axes of a frustum.
struct Told<'a> {
    triangle: &'a Triangle,
    /// Axes of the frustum to those of the triangle.
    turn: DMat3,
    points: &'a [DVec3; 3],
    slack: f64,
}

impl Told<'_> {
    /// Whether a direction from the frustum to it is one in which it is touched, by this triangle or a neighbour.
    fn say(&self, normal: DVec3) -> Say {
        let toward = self.turn * -normal;
        let heights = self.points.map(|p| -normal.dot(p));
        let top = heights.into_iter().fold(f64::MIN, f64::max);
        let level = heights.map(|h| h >= top - self.slack);
        match level.into_iter().filter(|&l| l).count() {
            3 => {
                let front =
                    self.triangle.is_two_sided() || toward.dot(self.triangle.normal()) > 0.0;
                if front { Say::Mine } else { Say::Behind }
            }
            2 => {
                let side = (0..3).find(|&i| level[i] && level[(i + 1) % 3]).unwrap_or(0);
                self.triangle.say(Element::Side(side), toward)
            }
            _ => {
                let corner = level.into_iter().position(|l| l).unwrap_or(0);
                self.triangle.say(Element::Corner(corner), toward)
            }
        }
    }
}

/// Corners, edges and faces in the axes of the frustum.
pub(super) struct Hull<'a> {
    pub points: &'a [DVec3],
    /// The polyhedron and its turn; without one, two points are a segment and three a triangle.
    pub solid: Option<(&'a Polyhedron, DMat3)>,
}

/// A face: its normal, how high it is along it, and the planes through its sides.
pub(super) struct Face {
    pub number: usize,
    pub normal: DVec3,
    pub offset: f64,
}

impl Hull<'_> {
    pub fn edges(&self) -> usize {
        match self.solid {
            Some((polyhedron, _)) => polyhedron.edge_list().len(),
            None if self.points.len() == 2 => 1,
            None => self.points.len(),
        }
    }
    pub fn edge(&self, number: usize) -> [DVec3; 2] {
        match self.solid {
            Some((polyhedron, _)) => {
                polyhedron.edge_list()[number].ends.map(|v| self.points[v as usize])
            }
            None => [self.points[number], self.points[(number + 1) % self.points.len()]],
        }
    }
    /// How high a point is over the two faces of an edge, as a bound on what directions across it separate from the point.
    pub fn bound(&self, number: usize, heights: &[f64]) -> f64 {
        let Some((polyhedron, _)) = self.solid else { return f64::INFINITY };
        let edge: &Edge = &polyhedron.edge_list()[number];
        let [one, other] = edge.faces.map(|face| heights[face as usize]);
        edge.bound(one, other)
    }
    pub fn faces(&self) -> usize {
        match self.solid {
            Some((polyhedron, _)) => polyhedron.faces().len(),
            None if self.points.len() == 3 => 2,
            None => 0,
        }
    }
    pub fn face(&self, number: usize) -> Face {
        let (normal, corner) = match self.solid {
            Some((polyhedron, turn)) => {
                let first = polyhedron.faces()[number][0];
                (turn * polyhedron.normal(number), self.points[first as usize])
            }
            None => {
                let [a, b, c] = [0, 1, 2].map(|i| self.points[i]);
                let normal = (b - a).cross(c - a).normalize_or(DVec3::Z);
                (if number == 0 { normal } else { -normal }, a)
            }
        };
        Face { number, normal, offset: normal.dot(corner) }
    }
    /// The sides of a face: where each begins, the unit normal out of the face, and the number of the edge.
    pub fn sides(&self, face: &Face) -> impl Iterator<Item = (usize, [DVec3; 2], DVec3)> + '_ {
        let count = match self.solid {
            Some((polyhedron, _)) => polyhedron.faces()[face.number].len(),
            None => 3,
        };
        let (number, normal) = (face.number, face.normal);
        (0..count).map(move |i| match self.solid {
            Some((polyhedron, turn)) => {
                let corners = &polyhedron.faces()[number];
                let side = &polyhedron.facets()[number].sides[i];
                let ends = [corners[i], corners[(i + 1) % count]].map(|v| self.points[v as usize]);
                (side.edge as usize, ends, turn * side.plane.normal)
            }
            None => {
                let ends = [self.points[i], self.points[(i + 1) % 3]];
                let front = if number == 0 { normal } else { -normal };
                (i, ends, (ends[1] - ends[0]).cross(front).normalize_or_zero())
            }
        })
    }
    /// The number of the corner where a side of a face begins.
    pub fn corner(&self, face: &Face, side: usize) -> usize {
        match self.solid {
            Some((polyhedron, _)) => polyhedron.faces()[face.number][side] as usize,
            None => side,
        }
    }
    pub fn over(&self, face: &Face, point: DVec3, slack: f64) -> bool {
        self.sides(face).all(|(_, [from, _], out)| out.dot(point - from) <= slack)
    }
    /// The lowest point along a direction.
    pub fn lowest(&self, direction: DVec3) -> (usize, f64) {
        let (mut lowest, mut height) = (0, f64::INFINITY);
        for (i, point) in self.points.iter().enumerate() {
            let here = direction.dot(*point);
            if here < height {
                (lowest, height) = (i, here);
            }
        }
        (lowest, height)
    }
}

pub(super) struct Pair<'a> {
    pub frustum: &'a Frustum,
    pub hull: &'a Hull<'a>,
    pub lengths: Lengths,
}

impl Pair<'_> {
    pub fn separation(&self, normal: DVec3) -> f64 {
        self.hull.lowest(normal).1 - self.frustum.highest(normal)
    }

    /// All touches within the margin, with the normal toward the hull, in the axes of the frustum.
    fn touches(&self, touches: &mut Touches) {
        let margin = self.lengths.margin;
        let Some((best, place)) = self.planes() else { return };
        let Some((best, place)) = self.edges(best, place, &|_| true) else { return };
        if best.separation > margin {
            return;
        }
        self.lay(&best, place, touches);
        touches.retain(|t| t.gap <= margin);
    }

    /// The same with a triangle of a surface, of which some directions are told by others, and some by nobody.
    fn touches_of_triangle(&self, told: &Told, touches: &mut Touches) {
        let margin = self.lengths.margin;
        let Some((mut best, foot)) = self.planes() else { return };
        let may = |n: DVec3| matches!(told.say(n), Say::Mine | Say::Theirs);
        if best.separation <= 0.0 && !may(best.normal) {
            // Of the planes its own is left; what is deep behind it is on the other side of a thin body.
            let normal = told.turn.transpose() * -told.triangle.normal();
            best = Separating { separation: self.separation(normal), normal };
        }
        let Some((best, place)) = self.edges(best, foot, &may) else { return };
        let behind = -BEHIND * self.frustum.width();
        let through = !told.triangle.is_two_sided() && best.separation < behind;
        if best.separation > margin || told.say(best.normal) != Say::Mine || through {
            return;
        }
        self.lay(&best, place, touches);
        touches.retain(|t| t.gap <= margin);
    }

    /// The best of the normals of faces and caps, with the lowest point of the frustum over the face if it is over its inside;
    /// none if one of them separates more than the margin.
    fn planes(&self) -> Option<(Separating, Option<DVec3>)> {
        let (mut best, mut foot) = (Separating::NONE, None);
        // Of directions that separate as much, one with a place to touch.
        let mut consider = |separation: f64, normal: DVec3, point: Option<DVec3>| {
            let slack = self.lengths.slack;
            let better = separation > best.separation;
            let as_good = better || foot.is_none() && separation >= best.separation - slack;
            if separation > best.separation + slack || as_good && point.is_some() {
                best = Separating { separation, normal };
                foot = point;
            }
        };
        for end in [0, 1] {
            let normal = if end == 0 { DVec3::NEG_Z } else { DVec3::Z };
            let (lowest, height) = self.hull.lowest(normal);
            let point = self.hull.points[lowest];
            let over = radial(point) <= self.frustum.radii()[end];
            consider(height - self.frustum.half_length(), normal, over.then_some(point));
        }
        for number in 0..self.hull.faces() {
            let face = self.hull.face(number);
            let separation = -face.offset - self.frustum.highest(-face.normal);
            let point = lowest_of(self.frustum, face.normal) - face.normal * separation;
            let over = self.hull.over(&face, point, 0.0);
            consider(separation, -face.normal, over.then_some(point));
        }
        (best.separation <= self.lengths.margin).then_some((best, foot))
    }

    /// The best of all directions, and a point of the hull that is nearest, if the two are apart.
    fn edges(
        &self,
        best: Separating,
        foot: Option<DVec3>,
        may: &dyn Fn(DVec3) -> bool,
    ) -> Option<(Separating, Option<DVec3>)> {
        if let Some(foot) = foot.filter(|_| best.separation > 0.0) {
            return Some((best, Some(foot)));
        }
        let (slack, clear) = (self.lengths.slack, CLEAR * self.lengths.size);
        // Beyond the margin all edges are looked at only where something may go through a face between them.
        let within = self.nearest(self.lengths.margin + slack, -clear);
        let nearest = within.or_else(|| self.nearest(f64::INFINITY, -clear));
        if let Some(place) = nearest.filter(|p| p.near.distance > clear) {
            let normal = place.near.normal;
            if self.separation(normal) >= place.near.distance - slack {
                let separation = place.near.distance;
                return Some((Separating { separation, normal }, Some(place.point)));
            }
        }
        let apart = |p: Place| p.near.distance > 0.0 && self.separation(p.near.normal) > -slack;
        if within.is_none() && nearest.is_some_and(apart) {
            return None;
        }
        let nearest = within;
        let at_most = nearest.map_or(0.0, |p| p.near.distance.max(0.0));
        let place = nearest.filter(|p| p.near.distance > -clear);
        let found = self.overlap(best, place, at_most - self.lengths.rounding, may);
        Some((found, place.map(|p| p.point)))
    }

    /// The point of an edge that is nearest to the frustum, or any that is nearer than `enough`; none if all are farther than `least`.
    fn nearest(&self, mut least: f64, enough: f64) -> Option<Place> {
        let mut nearest = None::<Place>;
        for number in 0..self.hull.edges() {
            let place = on_segment(self.frustum, self.hull.edge(number), least);
            if let Some(place) = place.filter(|place| place.near.distance < least) {
                least = place.near.distance;
                nearest = Some(place);
            }
            if least < enough {
                break;
            }
        }
        nearest
    }

    /// The direction that separates most, of all that can; the search ends at one that separates `enough`.
    fn overlap(
        &self,
        mut best: Separating,
        place: Option<Place>,
        enough: f64,
        may: &dyn Fn(DVec3) -> bool,
    ) -> Separating {
        let mut attempt = |normal: DVec3| {
            let separation = self.separation(normal);
            if separation > best.separation && may(normal) {
                best = Separating { separation, normal };
            }
            best.separation >= enough
        };
        if let Some(place) = place {
            attempt(place.near.normal);
            if attempt(self.frustum.side_normal(place.point)) || self.around(place, &mut attempt) {
                return best;
            }
        }
        for &point in self.hull.points {
            if attempt(self.frustum.side_normal(point)) {
                return best;
            }
        }
        let inner = [
            DVec3::ZERO,
            0.5 * lowest_of(self.frustum, -best.normal),
            lowest_of(self.frustum, -best.normal),
        ];
        let mut heights =
            [const { ArrayVec::<f64, { 2 * Polyhedron::MOST_VERTICES }>::new_const() }; 3];
        if self.hull.solid.is_some() {
            for number in 0..self.hull.faces() {
                let face = self.hull.face(number);
                for (heights, point) in heights.iter_mut().zip(inner) {
                    heights.push(face.normal.dot(point) - face.offset);
                }
            }
        }
        for number in 0..self.hull.edges() {
            if heights.iter().any(|h| self.hull.bound(number, h) <= best.separation) {
                continue;
            }
            let [p, q] = self.hull.edge(number);
            let Some(along) = (q - p).try_normalize() else { continue };
            let mut attempt = |normal: DVec3| {
                let separation = self.separation(normal);
                if separation > best.separation && may(normal) {
                    best = Separating { separation, normal };
                }
            };
            overlap::side_across(self.frustum.side(), along)
                .into_iter()
                .flatten()
                .for_each(&mut attempt);
            for end in [0, 1] {
                let ring = Ring::of(self.frustum, end);
                overlap::rim_across(&ring, p, along, &mut attempt);
            }
            if best.separation >= enough {
                break;
            }
        }
        best
    }

    /// Directions in the half-plane of the axis at a point near a rim that are at right angles to an edge there: between them and
    /// those of cap and side are all along which the two part if they touch.
    fn around(&self, place: Place, attempt: &mut impl FnMut(DVec3) -> bool) -> bool {
        let Part::Rim(_) = place.near.part else { return false };
        let (out, reach) = (outward(place.point).extend(0.0), CLEAR * self.lengths.size);
        (0..self.hull.edges()).any(|number| {
            let [p, q] = self.hull.edge(number);
            let (near, along) = (Segment::new([p, q]).nearest(place.point), q - p);
            if near.distance(place.point) > reach {
                return false;
            }
            let tangent = DVec3::Z.cross(out);
            let across = [DVec3::Z * along.dot(out) - out * along.z, along.cross(tangent)];
            across.into_iter().filter_map(DVec3::try_normalize).any(|n| attempt(n) || attempt(-n))
        })
    }

    /// What touches along a direction, at more places than one where parts lie along each other.
    fn lay(&self, best: &Separating, place: Option<DVec3>, touches: &mut Touches) {
        lay(self.frustum, self.feature(best.normal), best, &self.lengths, touches);
        let near = best.separation + self.lengths.slack;
        if touches.iter().any(|t| t.gap <= near) {
            return;
        }
        let half = best.normal * (0.5 * best.separation);
        let back = best.normal * best.separation;
        let beside = |p: &DVec3| self.frustum.near(*p - back).distance <= self.lengths.slack;
        let point = match place.filter(beside) {
            Some(point) => point - half,
            None => self.meeting(best) + half,
        };
        let (gap, normal) = (best.separation, best.normal);
        touches.push(Touch { point, normal, gap, feature: super::patch::ALONE });
    }

    /// The point of the frustum at which the hull touches it once it is moved out of it.
    fn meeting(&self, best: &Separating) -> DVec3 {
        let (back, slack) = (best.normal * best.separation, self.lengths.slack);
        let top = lowest_of(self.frustum, -best.normal);
        for number in 0..self.hull.faces() {
            let face = self.hull.face(number);
            let level = (face.normal.dot(top + back) - face.offset).abs() <= slack;
            if level && self.hull.over(&face, top + back, slack) {
                return top;
            }
        }
        let (mut point, mut least) = (top, f64::INFINITY);
        for number in 0..self.hull.edges() {
            let ends = self.hull.edge(number).map(|p| p - back);
            if let Some(place) = on_segment(self.frustum, ends, least)
                && place.near.distance < least
            {
                (point, least) = (place.point, place.near.distance);
            }
        }
        point
    }

    /// The face, edge or corner of the hull that lies most across a direction toward it.
    fn feature(&self, normal: DVec3) -> Feature<'_> {
        let mut flattest = None::<Face>;
        for number in 0..self.hull.faces() {
            let face = self.hull.face(number);
            if flattest
                .as_ref()
                .is_none_or(|best| face.normal.dot(normal) < best.normal.dot(normal))
            {
                flattest = Some(face);
            }
        }
        if let Some(face) = flattest.filter(|f| f.normal.dot(normal) < -super::patch::FLAT) {
            return Feature::Face(self.hull, face);
        }
        let (lowest, _) = self.hull.lowest(normal);
        let mut best = None::<(usize, f64)>;
        for number in 0..self.hull.edges() {
            let [p, q] = self.hull.edge(number);
            let corner = self.hull.points[lowest];
            if p != corner && q != corner {
                continue;
            }
            let rise = (q - p).normalize_or_zero().dot(normal).abs();
            if rise < super::patch::ASLANT && best.is_none_or(|(_, least)| rise < least) {
                best = Some((number, rise));
            }
        }
        match best {
            Some((number, _)) => Feature::Edge(self.hull.edge(number), number as u32),
            None => Feature::Corner,
        }
    }
}

/// The point of a frustum that is lowest along a direction.
pub(super) fn lowest_of(frustum: &Frustum, direction: DVec3) -> DVec3 {
    let [low, high] = [0, 1].map(|end| Rim::new(frustum, end, -direction).lowest());
    if direction.dot(high) < direction.dot(low) { high } else { low }
}
