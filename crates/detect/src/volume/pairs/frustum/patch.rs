//! Where a part of a frustum and a part of another shape lie along each other: further touches beside the nearest.
//!
//! A place is taken if the points at its two ends belong to the two parts, one behind the other along the normal: its gap is the
//! way between them. So every touch is one of the real shapes; there is just a choice of few.

use super::super::super::frustum::{Frustum, outward};
use super::hull::{Face, Hull};
use super::{Lengths, Separating};
use crate::Touch;
use arrayvec::ArrayVec;
use drystone_space::{DMat3, DVec2, DVec3, Volume, math};

/// Most places of one pair.
pub(super) type Touches = ArrayVec<Touch<Volume>, 512>;

/// Cosine and sine of the angle up to which a part lies along another.
pub(super) const FLAT: f64 = 0.968;
pub(super) const ASLANT: f64 = 0.25;
/// Sine of the angle below which an end stands upright: it then touches at places that are fixed to it.
const UPRIGHT: f64 = 1e-9;
/// Sine of the angle below which a side and an edge are side by side.
const SIDE_BY_SIDE: f64 = 1e-2;
/// Angle below which two normals are one.
const PARALLEL: f64 = 1e-11;
/// Sine of the angle below which two lines do not cross.
const ALONG: f64 = 1e-6;

/// Features: four places of each rim, then these with what is added to them.
pub(super) const SIDE: u32 = 8;
pub(super) const ALONE: u32 = 15;
const CORNER: u32 = 1 << 12;
const CROSSED: u32 = 1 << 13;
const ENDED: u32 = 1 << 16;
const MIDDLE: u32 = 1 << 17;

/// What of the other shape lies along a direction.
pub(super) enum Feature<'a> {
    Face(&'a Hull<'a>, Face),
    /// An end of a frustum.
    End(Disk<'a>),
    /// An edge with its number.
    Edge([DVec3; 2], u32),
    Corner,
}

/// An end of another frustum, in the axes of the first.
pub(super) struct Disk<'a> {
    pub frustum: &'a Frustum,
    pub end: usize,
    pub rotation: DMat3,
    pub centre: DVec3,
    /// Outward.
    pub normal: DVec3,
}

/// A rim as seen along a direction in which the other shape is.
pub(super) struct Rim<'a> {
    frustum: &'a Frustum,
    end: usize,
    /// Toward the lowest point, and whether it is clear which that is.
    out: DVec2,
    leans: bool,
}

impl<'a> Rim<'a> {
    /// `toward` is a unit vector out of the frustum.
    pub fn new(frustum: &'a Frustum, end: usize, toward: DVec3) -> Self {
        let leans = toward.truncate().length() > UPRIGHT;
        Self { frustum, end, out: if leans { outward(toward) } else { DVec2::X }, leans }
    }
    /// The point that is farthest along the direction.
    pub fn lowest(&self) -> DVec3 {
        self.frustum.on_rim(self.end, self.out)
    }
    /// It and three more, a quarter of a turn apart, each with the name of the quarter of the rim that it is in.
    pub fn places(&self) -> ArrayVec<(DVec3, u32), 4> {
        let turn = |k: u32| match k {
            0 => self.out,
            1 => self.out.perp(),
            2 => -self.out,
            _ => -self.out.perp(),
        };
        // Which of ±x, ±y the lowest is nearest to: a rim that comes to stand keeps its names.
        let first = match (self.leans, self.out.x.abs() >= self.out.y.abs()) {
            (false, _) => 0,
            (true, true) => {
                if self.out.x > 0.0 {
                    0
                } else {
                    2
                }
            }
            (true, false) => {
                if self.out.y > 0.0 {
                    1
                } else {
                    3
                }
            }
        };
        let name = |k: u32| 4 * self.end as u32 + (first + k) % 4;
        // A tip is one place.
        let count = if self.frustum.radii()[self.end] > 0.0 { 4 } else { 1 };
        (0..count).map(|k| (self.frustum.on_rim(self.end, turn(k)), name(k))).collect()
    }
}

/// Whether a direction out of a frustum is nearer to the normal of its side than to that of an end.
pub(super) fn along_side(frustum: &Frustum, toward: DVec3) -> bool {
    let flat = DVec2::new(toward.truncate().length(), toward.z);
    frustum.side().dot(flat) >= toward.z.abs()
}

/// Adds the places where the part of a frustum that lies most across a direction and a part of the other shape touch.
pub(super) fn lay(
    frustum: &Frustum,
    feature: Feature,
    best: &Separating,
    lengths: &Lengths,
    touches: &mut Touches,
) {
    let normal = best.normal;
    let laid =
        Laid { frustum, normal, slack: lengths.slack, least: best.separation - lengths.slack };
    if along_side(frustum, normal) {
        let flat = DVec2::new(normal.truncate().length(), normal.z);
        if frustum.side().dot(flat) < FLAT {
            return;
        }
        let line = [0, 1].map(|end| frustum.on_rim(end, outward(normal)));
        match feature {
            Feature::Face(hull, face) => laid.line_on_face(line, hull, &face, touches),
            // Seen from the other, it is an edge on an end.
            Feature::End(_) => {}
            Feature::Edge(ends, number) => laid.side_by_side(line, ends, number, touches),
            Feature::Corner => {}
        }
    } else if normal.z.abs() > FLAT {
        let end = usize::from(normal.z > 0.0);
        match feature {
            Feature::Face(hull, face) => laid.end_on_face(end, hull, &face, touches),
            Feature::End(disk) => laid.end_on_end(end, &disk, touches),
            Feature::Edge(ends, number) => laid.end_on_edge(end, ends, number, touches),
            Feature::Corner => {}
        }
    }
}

struct Laid<'a> {
    frustum: &'a Frustum,
    normal: DVec3,
    slack: f64,
    /// No gap along the normal is less, or one of the points is of no shape.
    least: f64,
}

impl Laid<'_> {
    /// A point of the frustum and one of the other shape behind it.
    fn add(&self, own: DVec3, gap: f64, feature: u32, touches: &mut Touches) {
        if gap >= self.least && !touches.is_full() {
            let point = own + self.normal * (0.5 * gap);
            touches.push(Touch { point, normal: self.normal, gap, feature });
        }
    }
    /// How far behind a point of the frustum the plane of a face is.
    fn to_face(&self, own: DVec3, face: &Face) -> f64 {
        (face.offset - face.normal.dot(own)) / face.normal.dot(self.normal)
    }
    /// How far before a point of the other shape the plane of an end is.
    fn to_end(&self, other: DVec3, end: usize) -> f64 {
        (other.z - self.frustum.end(end)) / self.normal.z
    }
    fn end_on_face(&self, end: usize, hull: &Hull, face: &Face, touches: &mut Touches) {
        for (own, name) in Rim::new(self.frustum, end, self.toward(end, face.normal)).places() {
            let gap = self.to_face(own, face);
            if hull.over(face, own + self.normal * gap, self.slack) {
                self.add(own, gap, name, touches);
            }
        }
        for (i, (edge, ends, _)) in hull.sides(face).enumerate() {
            let corner = CORNER + hull.corner(face, i) as u32;
            self.in_end(ends[0], end, corner, touches);
            self.over_rim(ends, end, edge as u32, touches);
        }
    }
    fn end_on_end(&self, end: usize, disk: &Disk, touches: &mut Touches) {
        let across = |normal: DVec3, centre: DVec3, p: DVec3| {
            normal.dot(centre - p) / normal.dot(self.normal)
        };
        let radius = disk.frustum.radii()[disk.end];
        // A point of the own rim, if it is before the other end.
        let behind = |own: DVec3, name: u32, touches: &mut Touches| {
            let gap = across(disk.normal, disk.centre, own);
            if (own + self.normal * gap).distance(disk.centre) <= radius + self.slack {
                self.add(own, gap, name, touches);
            }
        };
        for (own, name) in Rim::new(self.frustum, end, self.toward(end, disk.normal)).places() {
            behind(own, name, touches);
        }
        let axis = if end == 0 { DVec3::NEG_Z } else { DVec3::Z };
        let lean = disk.rotation.transpose() * (-axis - disk.normal * -axis.dot(disk.normal));
        let toward = lean.truncate().extend(if disk.end == 0 { -1.0 } else { 1.0 });
        for (place, name) in Rim::new(disk.frustum, disk.end, toward).places() {
            let other = disk.rotation * place + disk.centre
                - disk.rotation * (DVec3::Z * disk.frustum.end(disk.end));
            self.in_end(other, end, ENDED + name, touches);
        }
        // Where the rims cross, seen along the normal: exact for ends that are parallel.
        let own_centre = DVec3::Z * self.frustum.end(end);
        let gap = self.to_end(disk.centre, end);
        let arm = (disk.centre - self.normal * gap - own_centre).truncate();
        let (distance, own_radius) = (arm.length(), self.frustum.radii()[end]);
        let along = (distance * distance + own_radius * own_radius - radius * radius)
            / (2.0 * distance * own_radius);
        if distance > 0.0 && along.abs() < 1.0 {
            let u = arm / distance;
            let sine = (1.0 - along * along).sqrt();
            for (i, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let out = u * along + u.perp() * (sine * sign);
                behind(self.frustum.on_rim(end, out), CROSSED + i as u32, touches);
            }
            // The lens between them reaches farthest along the line of the centres too.
            behind(self.frustum.on_rim(end, u), CROSSED + 2, touches);
            let aside = u.extend(0.0) - disk.normal * disk.normal.dot(u.extend(0.0));
            let far = disk.centre - aside.normalize_or(DVec3::X) * radius;
            self.in_end(far, end, CROSSED + 3, touches);
        }
    }
    /// Out of an end toward a face that is below it there: the face's own normal, turned around, seen from the axis.
    fn toward(&self, end: usize, face: DVec3) -> DVec3 {
        // Of an end and a face that lean together, the lowest place is by how they lean against each other.
        let axis = if end == 0 { DVec3::NEG_Z } else { DVec3::Z };
        let lean = (-face - axis * -face.dot(axis)).truncate();
        lean.extend(axis.z)
    }
    fn end_on_edge(&self, end: usize, ends: [DVec3; 2], number: u32, touches: &mut Touches) {
        for (i, point) in ends.into_iter().enumerate() {
            self.in_end(point, end, ENDED + 2 * number + i as u32, touches);
        }
        self.over_rim(ends, end, number, touches);
    }
    /// A point of the other shape, if an end is before it.
    fn in_end(&self, other: DVec3, end: usize, feature: u32, touches: &mut Touches) {
        let gap = self.to_end(other, end);
        let own = other - self.normal * gap;
        if own.truncate().length() <= self.frustum.radii()[end] + self.slack {
            self.add(own, gap, feature, touches);
        }
    }
    /// The places where an edge, seen along the normal, crosses a rim.
    fn over_rim(&self, ends: [DVec3; 2], end: usize, number: u32, touches: &mut Touches) {
        let gaps = ends.map(|p| self.to_end(p, end));
        let [p, q] = [0, 1].map(|i| (ends[i] - self.normal * gaps[i]).truncate());
        let (along, radius) = (q - p, self.frustum.radii()[end]);
        let square = along.length_squared();
        let half = p.dot(along) / square;
        let root = half * half - (p.length_squared() - radius * radius) / square;
        let upright = square <= math::square(ALONG) * ends[0].distance_squared(ends[1]);
        if upright || radius <= 0.0 || root.is_nan() || root < 0.0 {
            return;
        }
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let t = -half + sign * root.sqrt();
            if t > 0.0 && t < 1.0 {
                let own = (p + along * t).extend(self.frustum.end(end));
                let gap = gaps[0] + (gaps[1] - gaps[0]) * t;
                self.add(own, gap, CROSSED + 2 * number + side as u32, touches);
            }
        }
    }
    /// The ends of a line of the side, and where it crosses the sides of a face, seen along the normal.
    fn line_on_face(&self, line: [DVec3; 2], hull: &Hull, face: &Face, touches: &mut Touches) {
        for (end, own) in line.into_iter().enumerate() {
            let gap = self.to_face(own, face);
            if hull.over(face, own + self.normal * gap, self.slack) {
                self.add(own, gap, SIDE + end as u32, touches);
            }
        }
        let along = line[1] - line[0];
        let across = along.cross(self.normal);
        for (edge, [p, q], _) in hull.sides(face) {
            let [d, e] = [p, q].map(|x| across.dot(x - line[0]));
            let crosses = (d > 0.0) != (e > 0.0);
            if !crosses || (d - e).abs() <= ALONG * across.length() * p.distance(q) {
                continue;
            }
            let other = p + (q - p) * (d / (d - e));
            let arm = other - line[0];
            // Along the line and along the normal, which are not quite at right angles.
            let lean = along.dot(self.normal);
            let (x, y, square) = (along.dot(arm), self.normal.dot(arm), along.length_squared());
            let part = square - lean * lean;
            let (t, gap) = ((x - lean * y) / part, (square * y - lean * x) / part);
            if t > 0.0 && t < 1.0 {
                self.add(line[0] + along * t, gap, CROSSED + 2 * edge as u32, touches);
            }
        }
    }
    /// An edge beside the side of a frustum: the ends of what they have in common along the axis, each with the normal of the side
    /// that is there.
    pub fn side_by_side(
        &self,
        line: [DVec3; 2],
        ends: [DVec3; 2],
        number: u32,
        touches: &mut Touches,
    ) {
        let (u, v) = (line[1] - line[0], ends[1] - ends[0]);
        let squares = u.length_squared() * v.length_squared();
        let limit = math::square(SIDE_BY_SIDE) * squares;
        if u.cross(v).length_squared() > limit || squares == 0.0 {
            return;
        }
        // Shares of the line at which the ends of the edge are, and of the edge at which the ends of the line are.
        let share =
            |from: DVec3, along: DVec3, p: DVec3| along.dot(p - from) / along.length_squared();
        let mut add = |other: DVec3, feature: u32| {
            let normal = self.frustum.side_normal(other);
            let out = outward(other);
            let flat = DVec2::new(other.truncate().length(), other.z);
            let gap = self.frustum.side().dot(flat - self.frustum.rim(0));
            let own = flat - self.frustum.side() * gap;
            // The foot is on the side.
            let within = own.y.abs() <= self.frustum.half_length() + self.slack;
            // What is as near as the nearest has its direction.
            let nearest = gap <= self.least + 2.0 * self.slack;
            let turned = nearest && normal.distance(self.normal) > PARALLEL;
            if gap >= self.least && within && !turned && !touches.is_full() {
                let point = (out * own.x).extend(own.y) + normal * (0.5 * gap);
                touches.push(Touch { point, normal, gap, feature });
            }
        };
        for (i, end) in ends.into_iter().enumerate() {
            let at = share(line[0], u, end);
            if (0.0..=1.0).contains(&at) {
                add(end, ENDED + 2 * number + i as u32);
            }
        }
        for end in line {
            let at = share(ends[0], v, end);
            if at > 0.0 && at < 1.0 {
                let feature = MIDDLE + 2 * number + u32::from(end == line[1]);
                add(ends[0] + v * at, feature);
            }
        }
    }
}
