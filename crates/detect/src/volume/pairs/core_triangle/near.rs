//! The nearest points of a core and a triangle.

use super::super::super::segment::Segment;
use super::super::super::surface::{Element, Say};
use super::super::nearest::Hulls;
use super::{CORNER, CROSSED, Nearest, Pair};
use drystone_space::DVec3;

impl Pair<'_> {
    /// The nearest points of core and triangle, if their hulls are apart.
    pub(super) fn nearest(&self, lowest: f64) -> Option<Nearest> {
        let highest = self.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut best: Option<Nearest> = None;
        let rounding = self.lengths.rounding;
        let clearly = |best: &Option<Nearest>, distance: f64| {
            best.as_ref().is_none_or(|b| distance < b.distance - rounding)
        };
        for (v, (&point, &height)) in self.core.vertices.iter().zip(&self.heights).enumerate() {
            let inside = |i| self.triangle.outward(i).dot(point - self.corners[i]) <= 0.0;
            // Where it is not the last toward the triangle, something beside it is nearer.
            let last =
                if height > -self.lengths.coincident { height - lowest } else { highest - height };
            if last > self.lengths.slack {
                continue;
            }
            if clearly(&best, height.abs()) && (0..3).all(inside) {
                best = Some(Nearest {
                    distance: height.abs(),
                    normal: self.normal * height.signum(),
                    second: point - self.normal * height,
                    part: Element::Face,
                    feature: v as u32,
                    edges: None,
                });
            }
        }
        if let Some((polyhedron, relative)) = self.core.solid {
            for i in 0..3 {
                let corner = relative.back(self.corners[i]);
                for facet in polyhedron.facets() {
                    let distance = facet.plane.distance(corner);
                    let first = |c: &DVec3| {
                        facet.plane.distance(relative.back(*c)) >= distance - self.lengths.slack
                    };
                    let over = || {
                        self.corners.iter().all(first)
                            && facet.sides.iter().all(|s| s.plane.distance(corner) <= 0.0)
                    };
                    if distance > -self.lengths.coincident && clearly(&best, distance) && over() {
                        best = Some(Nearest {
                            distance,
                            normal: -(relative.rotation * facet.plane.normal),
                            second: self.corners[i],
                            part: Element::Corner(i),
                            feature: CORNER + i as u32,
                            edges: None,
                        });
                    }
                }
            }
        }
        let mut found = None;
        for k in 0..self.core.edge_count().max(1) {
            let ends = match self.core.vertices {
                &[only] => [only, only],
                _ => self.core.edge(k).ends,
            };
            let edge = Segment::new(ends);
            for i in 0..3 {
                let side = Segment::new([self.corners[i], self.corner(i + 1)]);
                let within = best.as_ref().map_or(self.reach, |b| b.distance);
                if !edge.boxes_within(&side, within + rounding) {
                    continue;
                }
                let meeting = edge.meeting(&side);
                let distance = meeting.distance();
                if distance > self.reach + rounding {
                    continue;
                }
                let part = self.part_at(i, &side, meeting.second);
                let normal = (meeting.first - meeting.second) / distance;
                // Of places as near as each other but for rounding, one that the direction belongs to.
                let belongs = |part, normal| self.triangle.say(part, normal) != Say::None;
                let instead = best.as_ref().is_some_and(|b| {
                    distance <= b.distance + rounding
                        && !belongs(b.part, b.normal)
                        && belongs(part, normal)
                });
                if instead || clearly(&best, distance) {
                    best = Some(Nearest {
                        distance,
                        normal,
                        second: meeting.second,
                        part,
                        feature: CROSSED + 4 * k as u32 + i as u32,
                        edges: (self.core.vertices.len() > 1).then_some((k, i)),
                    });
                    found = Some(meeting);
                }
            }
        }
        // What rounding did to a short arm between edges is taken back.
        if let (Some(nearest), Some(meeting)) = (&mut best, found) {
            let arm = nearest.feature >= CROSSED && nearest.distance > self.lengths.coincident;
            if arm {
                let lengths = self.lengths;
                let hulls = Hulls { first: self.core.vertices, second: &self.corners, lengths };
                nearest.normal = hulls.supporting(&meeting, nearest.normal);
            }
        }
        best
    }
}
