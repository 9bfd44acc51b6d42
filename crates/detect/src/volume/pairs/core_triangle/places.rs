//! Where a core and a triangle touch that lie along each other: corners of what both have in common.

use super::super::super::surface::{Element, Say};
use super::super::{above, along};
use super::{ALONG, CLIPPED, CORNER, Pair, Places};
use crate::Touch;
use drystone_space::{DVec3, Volume};

impl Pair<'_> {
    /// Adds the places of the core over the triangle, as seen along the normal: its vertices, where its edges cross sides,
    /// and the corners of the triangle under it.
    pub(super) fn over(&self, touches: &mut Places) {
        let radius = self.core.radius;
        let mut add = |point: DVec3, height: f64, feature: u32| {
            if height <= self.reach && !touches.is_full() {
                touches.push(above(point, radius, height, self.normal, feature));
            }
        };
        let beyond = |i: usize, p: DVec3| self.triangle.outward(i).dot(p - self.corners[i]);
        let slack = self.lengths.slack;
        for (v, (&point, &height)) in self.core.vertices.iter().zip(&self.heights).enumerate() {
            if height <= self.reach && (0..3).all(|i| beyond(i, point) <= slack) {
                add(point, height, v as u32);
            }
        }
        for k in 0..self.core.edge_count() {
            let edge = self.core.edge(k);
            let upper = |normals: [DVec3; 2]| normals.iter().all(|m| m.dot(self.normal) > slack);
            if edge.normals.is_some_and(upper) {
                continue;
            }
            let heights = edge.ends.map(|p| self.normal.dot(p - self.corners[0]));
            if heights[0].min(heights[1]) > self.reach {
                continue;
            }
            for (share, side) in self.clipped(edge.ends).into_iter().flatten() {
                let point = edge.ends[0] + (edge.ends[1] - edge.ends[0]) * share;
                let height = heights[0] + (heights[1] - heights[0]) * share;
                add(point, height, CLIPPED + 4 * edge.number + side as u32);
            }
        }
        let Some((polyhedron, relative)) = self.core.solid else { return };
        let up = relative.inverse * self.normal;
        for i in 0..3 {
            let corner = relative.back(self.corners[i]);
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            for facet in polyhedron.facets() {
                let (slope, distance) = (facet.plane.normal.dot(up), facet.plane.distance(corner));
                // Where a line along the normal enters and leaves; one that runs along a face is in or out.
                if slope.abs() <= 1e-12 {
                    low = if distance > slack { f64::INFINITY } else { low };
                } else if slope < 0.0 {
                    low = low.max(-distance / slope);
                } else {
                    high = high.min(-distance / slope);
                }
            }
            if low <= high {
                add(self.corners[i] + self.normal * low, low, CORNER + i as u32);
            }
        }
    }

    /// Where a segment enters the prism over the triangle, and where it leaves, as shares of its length, with the side.
    fn clipped(&self, ends: [DVec3; 2]) -> [Option<(f64, usize)>; 2] {
        let (mut enter, mut leave) = ((0.0, 3), (1.0, 3));
        for i in 0..3 {
            let [d, e] = ends.map(|p| self.triangle.outward(i).dot(p - self.corners[i]));
            match (d <= self.lengths.slack, e <= self.lengths.slack) {
                (true, true) => {}
                (false, false) => return [None; 2],
                (false, true) => {
                    let share = d / (d - e);
                    enter = if share > enter.0 { (share, i) } else { enter };
                }
                (true, false) => {
                    let share = (d / (d - e)).max(0.0);
                    leave = if share < leave.0 { (share, i) } else { leave };
                }
            }
        }
        if enter.0 > leave.0 {
            return [None; 2];
        }
        [enter, leave].map(|end| Some(end).filter(|(_, side)| *side < 3))
    }

    /// Adds what a face of the core has over the sides of the triangle at a part of it; false, and nothing, if none of that is
    /// as low as `limit`. `toward` is the normal of the face, reversed.
    pub(super) fn under(
        &self,
        face: usize,
        part: Element,
        toward: DVec3,
        limit: f64,
        touches: &mut Places,
    ) -> bool {
        let Some((polyhedron, relative)) = self.core.solid else { return false };
        let facet = &polyhedron.facets()[face];
        let slack = self.lengths.slack;
        let at = |i: usize| match part {
            Element::Face => true,
            Element::Side(side) => i == side,
            Element::Corner(corner) => i == corner || (i + 1) % 3 == corner,
        };
        let before = touches.len();
        let mut least = f64::INFINITY;
        let mut add = |end: usize, point: DVec3, number: usize| {
            let height = facet.plane.distance(point);
            let named = |other: &Touch<Volume>| other.feature == ALONG + 4 * number as u32 + 3;
            let known = number < 3 && touches[before..].iter().any(named);
            if height <= self.reach && !touches.is_full() && !known {
                least = least.min(height);
                let feature = ALONG + 4 * number as u32 + end as u32;
                touches.push(along(relative.point(point), [0.0; 2], toward, height, feature));
            }
        };
        for i in
            (0..3).filter(|&i| at(i) && self.triangle.say(Element::Side(i), toward) == Say::Mine)
        {
            let ends = [i, i + 1].map(|k| relative.back(self.corner(k)));
            let (mut enter, mut leave) = ((0.0, None), (1.0, None));
            for (number, side) in facet.sides.iter().enumerate() {
                let [d, e] = ends.map(|p| side.plane.distance(p));
                let share = d / (d - e);
                match (d <= slack, e <= slack) {
                    (true, true) => {}
                    (false, false) => enter.0 = 2.0,
                    (false, true) if share > enter.0 => enter = (share, Some(number)),
                    (true, false) if share.max(0.0) < leave.0 => {
                        leave = (share.max(0.0), Some(number));
                    }
                    _ => {}
                }
            }
            if enter.0 > leave.0 {
                continue;
            }
            for (end, (share, number)) in [enter, leave].into_iter().enumerate() {
                let point = ends[0] + (ends[1] - ends[0]) * share;
                // A corner of the triangle has one name, whichever side it ends.
                match number {
                    Some(number) => add(end, point, 3 + 3 * number + i),
                    None => add(3, point, (i + end) % 3),
                }
            }
        }
        if let Element::Corner(i) = part {
            let corner = relative.back(self.corners[i]);
            if facet.sides.iter().all(|s| s.plane.distance(corner) <= slack) {
                add(3, corner, i);
            }
        }
        if least <= limit {
            return true;
        }
        touches.truncate(before);
        false
    }
}
