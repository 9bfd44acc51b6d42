//! The nearest edges of two hulls that are apart, and the direction between them.
//!
//! Edges around one vertex are equally near, and so are edges side by side: among those the pair nearest to parallel is
//! taken, as it touches twice. But distances are flat where they are least: a pair may be as near but for rounding, and the
//! direction between its points another one, along which the hulls seem to be in each other. Then the nearest pair itself is
//! taken.

use super::super::segment::{Meeting, Segment};
use super::Lengths;
use arrayvec::ArrayVec;
use drystone_space::DVec3;

/// Times that the direction between nearest points is turned at most; twice is enough unless many edges meet there.
const MOST_TURNS: usize = 8;

/// An edge of each hull.
#[derive(Clone, Copy)]
pub struct EdgePair {
    pub first: Segment,
    pub second: Segment,
    /// Their numbers.
    pub edges: [usize; 2],
}

impl EdgePair {
    fn meetings(&self) -> ArrayVec<Meeting, 3> {
        self.first.meetings(&self.second, self.first.meeting(&self.second))
    }
}

/// The nearest edges found so far: the pair nearest to parallel of those that are as near, and the nearest.
#[derive(Default)]
pub struct NearestEdges {
    beside: Option<(EdgePair, f64, f64)>,
    nearest: Option<(EdgePair, f64)>,
}

impl NearestEdges {
    #[inline]
    pub fn consider(&mut self, pair: EdgePair, rounding: f64, margin: f64) {
        let distance = pair.first.meeting(&pair.second).distance();
        if distance > margin {
            return;
        }
        let cosine = pair.first.cosine(&pair.second).abs();
        let beside = self.beside.is_none_or(|(_, least, most)| {
            distance < least - rounding || distance <= least + rounding && cosine > most
        });
        if beside {
            self.beside = Some((pair, distance, cosine));
        }
        if self.nearest.is_none_or(|(_, least)| distance < least) {
            self.nearest = Some((pair, distance));
        }
    }
    /// The pair that touches, and each place where it does with the direction toward the first hull; that is `None` where the
    /// points coincide.
    pub fn touching(&self, hulls: &Hulls) -> Option<(EdgePair, Directed)> {
        let (beside, _, _) = self.beside?;
        let (nearest, least) = self.nearest?;
        let least = least + hulls.lengths.rounding;
        let meetings = beside.meetings();
        let stands = |m: &Meeting| {
            m.distance() <= least
                && (m.distance() <= hulls.lengths.coincident
                    || hulls.beyond(m, (m.first - m.second) / m.distance()).is_none())
        };
        let (pair, meetings) = if meetings.iter().any(stands) {
            (beside, meetings)
        } else {
            (nearest, nearest.meetings())
        };
        let directed = |m: Meeting| {
            let distance = m.distance();
            if distance <= hulls.lengths.coincident {
                return (m, None);
            }
            let arm = (m.first - m.second) / distance;
            (m, Some(if distance <= least { hulls.supporting(&m, arm) } else { arm }))
        };
        Some((pair, meetings.into_iter().map(directed).collect()))
    }
}

/// Meetings with their directions.
pub type Directed = ArrayVec<(Meeting, Option<DVec3>), 3>;

/// The points of both hulls.
pub struct Hulls<'a> {
    pub first: &'a [DVec3],
    pub second: &'a [DVec3],
    pub lengths: Lengths,
}

impl Hulls<'_> {
    /// Turns the direction between two nearest points by what rounding did to it.
    ///
    /// `normal` points from the nearest point of the second hull to that of the first; no other point of the first may be
    /// lower along it, none of the second higher. The shorter the distance, the less of its direction is left by rounding,
    /// and long shapes would seem to be in each other along it.
    pub fn supporting(&self, meeting: &Meeting, mut normal: DVec3) -> DVec3 {
        let mut held = DVec3::ZERO;
        for _ in 0..MOST_TURNS {
            let Some(arm) = self.beyond(meeting, normal) else { break };
            let across = |n: DVec3| n - arm * (n.dot(arm) / arm.length_squared());
            let mut turned = across(normal);
            if turned.dot(held) > self.lengths.coincident {
                // At right angles to the one, the other is beyond it: only one direction is at right angles to both.
                let both = held.cross(arm);
                turned = across(both * both.dot(normal).signum() / both.length());
            }
            normal = turned.normalize();
            held = arm;
        }
        normal
    }
    /// From the point of a hull that is farthest on the wrong side of its nearest point to that, if it is too far.
    fn beyond(&self, meeting: &Meeting, normal: DVec3) -> Option<DVec3> {
        let (mut worst, mut found) = (self.lengths.coincident, None);
        let firsts = self.first.iter().map(|&p| meeting.first - p);
        for arm in firsts.chain(self.second.iter().map(|&q| q - meeting.second)) {
            let height = normal.dot(arm);
            if height > worst {
                (worst, found) = (height, Some(arm));
            }
        }
        found
    }
}
