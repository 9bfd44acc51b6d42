//! A polyhedron or a capsule and a triangle of a surface.
//!
//! What touches is the core, a polyhedron or the axis of a capsule, grown by a radius.
//!
//! 1. The directions that can separate: the normal of the triangle, those of faces of the core, those across two edges.
//! 2. Cores apart are nearest at a vertex and a face, or at two edges. The contact is the triangle's if the direction belongs to
//!    its part there ([`Triangle::say`]); otherwise a neighbour is nearer, and tells.
//! 3. Cores in each other part along the direction that separates most of those that belong to the triangle: never along one
//!    that leads through a neighbour.
//! 4. Where the core is over the triangle, each corner of what both have in common, seen along the normal, is a place to
//!    touch; so is what a face has over an edge.

mod near;
mod places;

use super::super::reduce::reduce;
use super::super::segment::Segment;
use super::super::surface::{Element, Say};
use super::super::{Polyhedron, Triangle};
use super::nearest::Hulls;
use super::separation::{PARALLEL, Relative};
use super::{Lengths, along};
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{DVec3, Pose, Volume};

/// Most places of one pair: `reduce` chooses among so many.
const MOST: usize = 2 * Polyhedron::MOST_VERTICES;
/// The part of its width by which a core may be behind a triangle that is touched from the front.
const BEHIND: f64 = 0.5;
/// Sine of the angle below which what two edges separate is checked at all points.
const CROSSED_WELL: f64 = 1e-2;
/// Times the distance at which points coincide, a distance whose direction may be wrong.
const SHORT: f64 = 1e3;
/// A direction that belongs to the triangle and separates less than its normal by this share of the size is another place.
const FAR: f64 = 1e-6;
/// Cosine of the angle up to which a face of the core lies along an edge.
const FLAT: f64 = 1.0 - 5e-5;

/// Features: vertices of the core, then these and what is added to them.
const CLIPPED: u32 = 1 << 10;
const CORNER: u32 = 1 << 13;
const CROSSED: u32 = 1 << 14;
const ALONG: u32 = 1 << 15;

type Places = ArrayVec<Touch<Volume>, MOST>;

pub fn polyhedron_triangle(
    (polyhedron, a): (&Polyhedron, &Pose<Volume>),
    (triangle, b): (&Triangle, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let relative = Relative::new(b, a);
    // Seen from the triangle, so that one that is too low costs a scalar product for each vertex.
    let inward = relative.inverse * triangle.normal();
    let height = triangle.normal().dot(relative.point(DVec3::ZERO) - triangle.corners()[0]);
    if height - polyhedron.highest(-inward) > margin {
        return;
    }
    let mut vertices = ArrayVec::<DVec3, { Polyhedron::MOST_VERTICES }>::new();
    vertices.extend(polyhedron.vertices().iter().map(|&v| relative.point(v)));
    let core = Core {
        vertices: &vertices,
        solid: Some((polyhedron, &relative)),
        radius: 0.0,
        depth: polyhedron.width(),
        size: polyhedron.radius(),
    };
    Pair::new(core, triangle, margin).collide(b, manifold);
}

pub fn capsule_triangle(
    (axis, radius): (Segment, f64),
    (triangle, b): (&Triangle, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let ends = [b.inverse_point(axis.start), b.inverse_point(axis.end)];
    let vertices = if axis.start == axis.end { &ends[..1] } else { &ends };
    let size = axis.half_length() + radius;
    let core = Core { vertices, solid: None, radius, depth: radius, size };
    Pair::new(core, triangle, margin).collide(b, manifold);
}

/// What touches, in the axes of the surface.
struct Core<'a> {
    vertices: &'a [DVec3],
    /// The polyhedron, and how it lies in the axes of the surface; none of a capsule.
    solid: Option<(&'a Polyhedron, &'a Relative)>,
    radius: f64,
    /// How deep it may be behind a triangle, twice.
    depth: f64,
    size: f64,
}

/// An edge of the core; the normals of its faces, if there are any.
struct CoreEdge {
    number: u32,
    ends: [DVec3; 2],
    normals: Option<[DVec3; 2]>,
}

impl Core<'_> {
    fn edge_count(&self) -> usize {
        match self.solid {
            Some((polyhedron, _)) => polyhedron.edge_list().len(),
            None => self.vertices.len() - 1,
        }
    }
    fn edge(&self, number: usize) -> CoreEdge {
        let (ends, normals) = match self.solid {
            Some((polyhedron, relative)) => {
                let edge = &polyhedron.edge_list()[number];
                let normals = edge.faces.map(|f| relative.rotation * polyhedron.normal(f as usize));
                (edge.ends.map(|v| v as usize), Some(normals))
            }
            None => ([0, 1], None),
        };
        CoreEdge { number: number as u32, ends: ends.map(|v| self.vertices[v]), normals }
    }
}

impl CoreEdge {
    /// Whether a direction at right angles to the edge is one in which the core has nothing lower than it.
    fn lowest_along(&self, direction: DVec3) -> bool {
        let Some([m, n]) = self.normals else { return true };
        let across = m.cross(n);
        let out = -direction;
        m.cross(out).dot(across) >= 0.0 && out.cross(n).dot(across) >= 0.0
    }
}

/// A direction that separates, and what belongs to it.
#[derive(Clone, Copy)]
struct Axis {
    separation: f64,
    normal: DVec3,
    part: Element,
    /// The face of the core, or its edge with the side of the triangle.
    of: Of,
    /// Whether this triangle tells of it.
    mine: bool,
}

#[derive(Clone, Copy)]
enum Of {
    Face(usize),
    Edges(usize, usize),
}

/// Nearest points of a core and a triangle apart.
struct Nearest {
    distance: f64,
    normal: DVec3,
    second: DVec3,
    part: Element,
    feature: u32,
    edges: Option<(usize, usize)>,
}

struct Pair<'a> {
    core: Core<'a>,
    triangle: &'a Triangle,
    corners: [DVec3; 3],
    /// Of the side on which the core is, where both are touched.
    normal: DVec3,
    heights: ArrayVec<f64, { Polyhedron::MOST_VERTICES }>,
    lengths: Lengths,
    margin: f64,
    /// Distance of cores up to which they matter.
    reach: f64,
}

impl<'a> Pair<'a> {
    fn new(core: Core<'a>, triangle: &'a Triangle, margin: f64) -> Self {
        let corners = triangle.corners();
        let normal = triangle.normal();
        let heights: ArrayVec<f64, { Polyhedron::MOST_VERTICES }> =
            core.vertices.iter().map(|&v| normal.dot(v - corners[0])).collect();
        let ends =
            |h: &[f64]| h.iter().fold((f64::MAX, f64::MIN), |(l, u), &x| (x.min(l), x.max(u)));
        let (low, high) = ends(&heights);
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.iter().map(|c| c.distance(centre)).fold(0.0, f64::max);
        let lengths = Lengths::new([core.size, radius], margin);
        let reach = margin + core.radius;
        let mut pair = Self { core, triangle, corners, normal, heights, lengths, margin, reach };
        if triangle.is_two_sided() && -low > high {
            pair.turn();
        }
        pair
    }

    /// Looks at the triangle from its other side.
    fn turn(&mut self) {
        self.normal = -self.normal;
        self.heights.iter_mut().for_each(|h| *h = -*h);
    }

    fn collide(mut self, pose: &Pose<Volume>, manifold: &mut Manifold<Volume>) {
        let diagonal = Segment::diagonal(self.core.vertices);
        if !diagonal.boxes_within(&Segment::diagonal(&self.corners), self.reach) {
            return;
        }
        let mut touches = Places::new();
        self.touches(&mut touches);
        touches.retain(|t| t.gap <= self.margin);
        let before = manifold.touches().len();
        reduce(&touches, self.lengths.size, manifold);
        for touch in &mut manifold.touches_mut()[before..] {
            (touch.point, touch.normal) = (pose.point(touch.point), pose.rotation * touch.normal);
        }
    }

    /// Whether the arm between nearest points is long enough to tell a direction: a short one may seem to belong to nobody.
    fn directs(&self, nearest: &Nearest) -> bool {
        let coincident = self.lengths.coincident;
        let belongs = self.triangle.say(nearest.part, nearest.normal) != Say::None;
        nearest.distance > if belongs { coincident } else { SHORT * coincident }
    }

    /// The touches in the axes of the surface; some may have gaps beyond the margin.
    fn touches(&mut self, touches: &mut Places) {
        let mut lowest = self.heights.iter().copied().fold(f64::INFINITY, f64::min);
        if lowest > self.reach {
            return;
        }
        let (most, axes) = self.axes(lowest);
        if most > self.reach {
            return;
        }
        let mut place = None;
        if most > -self.lengths.rounding {
            place = self.nearest(lowest);
            match &place {
                Some(nearest) if self.directs(nearest) => {
                    let other =
                        nearest.part == Element::Face && nearest.normal.dot(self.normal) < 0.0;
                    if other && self.triangle.is_two_sided() {
                        lowest = -self.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                        self.turn();
                    }
                    return self.apart(nearest, lowest, touches);
                }
                None if most > self.lengths.coincident => return,
                _ => {}
            }
        }
        self.inside((most, axes), lowest, place.map(|nearest| nearest.second), touches);
    }

    fn corner(&self, i: usize) -> DVec3 {
        self.corners[i % 3]
    }

    /// How far core and triangle are apart along a direction, by all their points.
    fn separation(&self, normal: DVec3) -> f64 {
        let height = |p: &DVec3| normal.dot(*p - self.corners[0]);
        let low = self.core.vertices.iter().map(height).fold(f64::INFINITY, f64::min);
        low - self.corners.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The part of the triangle that is highest along a direction, if the direction belongs to it, a side or a corner, and whether this triangle
    /// tells of it.
    fn top(&self, direction: DVec3) -> Option<(Element, bool)> {
        let heights = self.corners.map(|c| direction.dot(c - self.corners[0]));
        let top = heights.iter().copied().fold(f64::MIN, f64::max);
        let level = heights.map(|h| h >= top - self.lengths.slack);
        let told = |part: Element| match self.triangle.say(part, direction) {
            Say::Mine => Some((part, true)),
            Say::Theirs => Some((part, false)),
            Say::Behind | Say::None => None,
        };
        let sides = (0..3).filter(|&i| level[i] && level[(i + 1) % 3]).map(Element::Side);
        let corners = (0..3).filter(|&i| level[i]).map(Element::Corner);
        sides.chain(corners).find_map(told)
    }

    /// The most that any direction separates, and the best face and the best edges of those that belong to the triangle.
    fn axes(&self, lowest: f64) -> (f64, [Option<Axis>; 2]) {
        let highest = self.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut most = lowest.max(-highest);
        let (mut face, mut edges) = (None::<Axis>, None::<Axis>);
        if let Some((polyhedron, relative)) = self.core.solid {
            let corners = self.corners.map(|c| relative.back(c));
            for (f, facet) in polyhedron.facets().iter().enumerate() {
                let separation =
                    corners.iter().map(|&c| facet.plane.distance(c)).fold(f64::INFINITY, f64::min);
                most = most.max(separation);
                if face.is_some_and(|best| separation <= best.separation) {
                    continue;
                }
                let normal = -(relative.rotation * facet.plane.normal);
                if let Some((part, mine)) = self.top(normal) {
                    face = Some(Axis { separation, normal, part, of: Of::Face(f), mine });
                }
            }
        }
        // What leaves by the face of a neighbour sooner than by any part of this triangle is told there.
        for i in 0..3 {
            let Some(normal) = self.triangle.normal_beyond(i, self.normal) else { continue };
            let heights = self.core.vertices.iter().map(|&v| normal.dot(v - self.corners[i]));
            let separation = heights.fold(f64::INFINITY, f64::min);
            if face.is_none_or(|best| separation > best.separation) {
                let (part, of, mine) = (Element::Side(i), Of::Face(0), false);
                face = Some(Axis { separation, normal, part, of, mine });
            }
        }
        for k in 0..self.core.edge_count() {
            let edge = self.core.edge(k);
            let along = edge.ends[1] - edge.ends[0];
            for i in 0..3 {
                let side = self.corner(i + 1) - self.corners[i];
                let across = along.cross(side);
                let sine = across.length() / (along.length() * side.length());
                // What is not a number is parallel too.
                let leans = sine > PARALLEL;
                if !leans {
                    continue;
                }
                let outward = across.dot(self.triangle.outward(i));
                let across = across.normalize() * if outward < 0.0 { -1.0 } else { 1.0 };
                // Exactly at right angles to the longer one: see `Arc::separation`.
                let unit = along.normalize();
                let normal = (across - unit * across.dot(unit)).normalize();
                if !edge.lowest_along(normal) {
                    continue;
                }
                let separation = match sine < CROSSED_WELL {
                    true => self.separation(normal),
                    false => normal.dot(edge.ends[0] - self.corners[i]),
                };
                most = most.max(separation);
                if edges.is_some_and(|best| separation <= best.separation) {
                    continue;
                }
                let say = self.triangle.say(Element::Side(i), normal);
                if matches!(say, Say::Mine | Say::Theirs) {
                    let (part, of, mine) = (Element::Side(i), Of::Edges(k, i), say == Say::Mine);
                    edges = Some(Axis { separation, normal, part, of, mine });
                }
            }
        }
        (most, [face, edges])
    }

    /// The touches of cores in each other.
    fn inside(
        &self,
        (most, [face, edges]): (f64, [Option<Axis>; 2]),
        lowest: f64,
        place: Option<DVec3>,
        touches: &mut Places,
    ) {
        let mut over = Places::new();
        self.over(&mut over);
        let least =
            |touches: &Places| touches.iter().map(|t| t.gap + self.core.radius).reduce(f64::min);
        let depth = |axis: Option<Axis>| axis.map_or(f64::NEG_INFINITY, |a| a.separation);
        let other = depth(face).max(depth(edges));
        let deep = BEHIND * self.core.depth;
        let may = |h: &f64| self.triangle.is_two_sided() || *h >= -deep || *h >= other;
        let slack = self.lengths.slack;
        // Where the core is lower beyond the triangle, its normal does not separate: that is left to the parts that do, and to
        // neighbours, unless the former are far.
        let stands = |h: f64| {
            let separates = lowest >= other - slack && h <= lowest + slack;
            // Nothing over the triangle is higher than cores are apart: if it seems so, something at the rim was missed.
            separates || h > other + FAR * self.lengths.size && h <= most + slack
        };
        if least(&over).filter(may).is_some_and(stands) {
            *touches = over;
            return;
        }
        let first = if depth(edges) > depth(face) + slack { edges } else { face };
        let Some(mut axis) = first.or(edges).filter(|axis| axis.mine) else { return };
        if let Of::Face(f) = axis.of {
            let limit = axis.separation + slack;
            if self.under(f, axis.part, axis.normal, limit, touches) {
                return;
            }
            // Nothing of the triangle is over the face: then edges touch that separate as much.
            let other = edges.filter(|e| e.mine && e.separation >= axis.separation - slack);
            axis = other.unwrap_or(axis);
        }
        let feature = match axis.of {
            Of::Face(f) => ALONG + f as u32,
            Of::Edges(k, i) => CROSSED + 4 * k as u32 + i as u32,
        };
        let at = match (axis.of, axis.part) {
            (Of::Edges(k, i), _) => {
                let side = Segment::new([self.corners[i], self.corner(i + 1)]);
                let meeting = side.meeting(&Segment::new(self.core.edge(k).ends));
                // Lines that touch all but cross beyond their ends: then they only have the direction of the touch.
                let crosses = meeting.distance() <= axis.separation.abs() + slack;
                place.filter(|_| !crosses).unwrap_or(meeting.first)
            }
            _ if place.is_some() => place.unwrap_or(self.corners[0]),
            (_, Element::Corner(i)) => self.corners[i],
            (_, Element::Side(i)) => (self.corners[i] + self.corner(i + 1)) * 0.5,
            (_, Element::Face) => self.corners[0],
        };
        touches.push(along(at, [self.core.radius, 0.0], axis.normal, axis.separation, feature));
    }

    /// The touches of cores apart.
    fn apart(&self, nearest: &Nearest, lowest: f64, touches: &mut Places) {
        let Nearest { distance, normal, second, part, feature, edges } = *nearest;
        let near = distance + self.lengths.slack;
        let say = match part {
            Element::Face if normal.dot(self.normal) < 0.0 => Say::Behind,
            _ => self.triangle.say(part, normal),
        };
        if say != Say::Mine {
            // The axis of a capsule may be through, and has to come back.
            let through = part == Element::Face && distance <= BEHIND * self.core.radius;
            if say == Say::Behind && through && !self.triangle.is_two_sided() {
                self.over(touches);
            } else if say == Say::None && normal.dot(self.normal) > FLAT {
                // A neighbour is nearer, by little: what stands on this triangle does so in the next step too.
                self.over(touches);
                touches.retain(|t| t.feature < CLIPPED);
            }
            return;
        }
        if normal.dot(self.normal) > FLAT && lowest >= distance - self.lengths.slack {
            self.over(touches);
            if touches.iter().any(|t| t.gap + self.core.radius <= near) {
                return;
            }
            touches.clear();
        }
        if let Some((polyhedron, relative)) = self.core.solid {
            let against = |f: &usize| -normal.dot(relative.rotation * polyhedron.normal(*f));
            let faces = 0..polyhedron.facets().len();
            let flat = faces.max_by(|f, g| against(f).total_cmp(&against(g)));
            if let Some(f) = flat.filter(|f| part != Element::Face && against(f) > FLAT) {
                let toward = -(relative.rotation * polyhedron.normal(f));
                let plane = &polyhedron.facets()[f].plane;
                let over =
                    |&c: &DVec3| plane.distance(relative.back(c)) >= distance - self.lengths.slack;
                if self.corners.iter().all(over) && self.under(f, part, toward, near, touches) {
                    return;
                }
            }
        }
        let radii = [self.core.radius, 0.0];
        let hulls =
            Hulls { first: self.core.vertices, second: &self.corners, lengths: self.lengths };
        if let Some((k, i)) = edges {
            let one = Segment::new(self.core.edge(k).ends);
            let side = Segment::new([self.corners[i], self.corner(i + 1)]);
            for meeting in one.meetings(&side, one.meeting(&side)) {
                let distance = meeting.distance();
                let feature = feature + (meeting.slot << 20);
                // A touch beside the nearest has its own direction, which must be the triangle's too.
                let part = self.part_at(i, &side, meeting.second);
                let mut direction = (meeting.first - meeting.second) / distance;
                if distance <= nearest.distance + self.lengths.rounding {
                    direction = hulls.supporting(&meeting, direction);
                }
                if self.triangle.say(part, direction) == Say::Mine {
                    touches.push(along(meeting.second, radii, direction, distance, feature));
                }
            }
        }
        if !touches.iter().any(|t| t.gap + self.core.radius <= near) {
            touches.push(along(second, radii, normal, distance, feature));
        }
    }

    fn part_at(&self, side: usize, segment: &Segment, point: DVec3) -> Element {
        match segment.end_at(point) {
            Some(end) => Element::Corner((side + end) % 3),
            None => Element::Side(side),
        }
    }
}
