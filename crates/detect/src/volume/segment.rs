//! Where two segments are nearest: the axes of capsules and the edges of polyhedra.

use arrayvec::ArrayVec;
use drystone_space::DVec3;

/// Sine of the angle below which two segments count as side by side.
const SIDE_BY_SIDE: f64 = 1e-2;
/// Squared sine of the angle below which the point where two lines cross is not exact enough.
const NEARLY_PARALLEL: f64 = 1e-8;
/// Lengths below this share of a segment are none.
const NOTHING: f64 = 1e-9;

/// Heights below this share of the shorter segment are none.
const LEVEL: f64 = 1e-10;
/// Places nearer than this share of the shorter segment are one.
const BESIDE: f64 = 1e-4;

/// All points between two ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub start: DVec3,
    pub end: DVec3,
}

/// A point of a first segment and the point of a second that is near it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub first: DVec3,
    pub second: DVec3,
    /// 0 and 1 at the lower and upper end of the overlap of segments side by side, else 2.
    pub slot: u32,
}

impl Meeting {
    pub fn distance(&self) -> f64 {
        self.first.distance(self.second)
    }
}

impl Segment {
    pub fn new([start, end]: [DVec3; 2]) -> Self {
        Self { start, end }
    }
    pub fn half_length(&self) -> f64 {
        0.5 * self.start.distance(self.end)
    }
    /// The point nearest to `point`.
    #[inline]
    pub fn nearest(&self, point: DVec3) -> DVec3 {
        let along = self.end - self.start;
        let t = (point - self.start).dot(along) / along.length_squared();
        if t > 0.0 {
            if t < 1.0 { self.start + along * t } else { self.end }
        } else {
            // Also for a segment without length, where t is no number.
            self.start
        }
    }
    /// From the lowest to the highest corner of the box around points.
    pub fn diagonal(points: &[DVec3]) -> Self {
        let mut diagonal = Self { start: points[0], end: points[0] };
        for &point in points {
            diagonal =
                Self { start: minimum(diagonal.start, point), end: maximum(diagonal.end, point) };
        }
        diagonal
    }
    /// Whether the boxes around two segments are at most this far apart; farther, the segments are too.
    #[inline]
    pub fn boxes_within(&self, other: &Self, reach: f64) -> bool {
        let (low, high) = (minimum(self.start, self.end), maximum(self.start, self.end));
        let other_low = minimum(other.start, other.end);
        let other_high = maximum(other.start, other.end);
        let gap = maximum(maximum(other_low - high, low - other_high), DVec3::ZERO);
        gap.length_squared() <= reach * reach
    }
    /// Cosine of the angle between the two directions.
    pub fn cosine(&self, other: &Self) -> f64 {
        let (u, v) = (self.end - self.start, other.end - other.start);
        u.dot(v) / (u.length() * v.length())
    }
    /// The direction across two segments that cross at `meeting`, `across` as far as it is known from their cross product.
    ///
    /// Of nearly parallel segments that is right to ε/sine only, in the direction across both: there the arm between the
    /// nearest points is exact unless it is short, and then it does not matter.
    pub fn across(&self, other: &Self, meeting: &Meeting, across: DVec3, short: f64) -> DVec3 {
        let (u, v) = (self.end - self.start, other.end - other.start);
        let (arm, distance) = (meeting.first - meeting.second, meeting.distance());
        let parallel = u.cross(v).length_squared()
            <= NEARLY_PARALLEL * u.length_squared() * v.length_squared();
        let agree = (arm.dot(across).abs() - distance).abs() <= short;
        if !parallel || !agree || distance <= short {
            return across;
        }
        let arm = arm * arm.dot(across).signum();
        (arm - u * (arm.dot(u) / u.length_squared())).normalize()
    }
    /// Which end a point of the segment is at, if any.
    pub fn end_at(&self, point: DVec3) -> Option<usize> {
        let reach = NOTHING * self.start.distance(self.end);
        [self.start, self.end].iter().position(|e| e.distance(point) <= reach)
    }
    /// The pair of nearest points.
    #[inline]
    pub fn meeting(&self, other: &Self) -> Meeting {
        let (u, v) = (self.end - self.start, other.end - other.start);
        let (across, between) = (u.cross(v), other.start - self.start);
        let square = across.length_squared();
        // Inner points of both are nearest where the lines cross in the view along `u × v`.
        let (s, t) = (between.cross(v).dot(across) / square, between.cross(u).dot(across) / square);
        let flat = square <= NEARLY_PARALLEL * u.length_squared() * v.length_squared();
        if !flat && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
            return Meeting { first: self.start + u * s, second: other.start + v * t, slot: 2 };
        }
        if let Some(crossing) = flat.then(|| self.flat_crossing(other)).flatten() {
            return crossing;
        }
        let from_other = [other.start, other.end].map(|p| (self.nearest(p), p));
        let from_self = [self.start, self.end].map(|p| (p, other.nearest(p)));
        let [mut best, rest @ ..] = [from_other[0], from_other[1], from_self[0], from_self[1]];
        for pair in rest {
            if pair.0.distance_squared(pair.1) < best.0.distance_squared(best.1) {
                best = pair;
            }
        }
        Meeting { first: best.0, second: best.1, slot: 2 }
    }
    /// Where segments that are nearly parallel cross.
    ///
    /// The part of the one at right angles to the other is right to ε/sine, once nothing along the other is left in it; so is
    /// then the direction of the arm. By the cross product it would be lost at a sine of √ε.
    fn flat_crossing(&self, other: &Self) -> Option<Meeting> {
        let (u, v) = (self.end - self.start, other.end - other.start);
        let apart = |w: DVec3| w - u * (w.dot(u) / u.length_squared());
        let (aside, between) = (apart(apart(v)), apart(self.start - other.start));
        let t = between.dot(aside) / aside.length_squared();
        if !(t > 0.0 && t < 1.0) {
            return None;
        }
        let second = other.start + v * t;
        let s = (second - self.start).dot(u) / u.length_squared();
        (s > 0.0 && s < 1.0).then(|| Meeting { first: self.start + u * s, second, slot: 2 })
    }
    /// The nearest points; for segments side by side, the two ends of their overlap too.
    ///
    /// An end stands for the nearest points if it is as near, and if all else is behind it as seen along its arm; or it
    /// gives its place to them, if they are beside it.
    ///
    /// `nearest` is the pair of nearest points.
    pub fn meetings(&self, other: &Self, nearest: Meeting) -> ArrayVec<Meeting, 3> {
        let mut meetings = ArrayVec::<Meeting, 3>::new();
        let Some(ends) = self.overlap(other) else {
            meetings.push(nearest);
            return meetings;
        };
        meetings.extend(ends);
        let length = 2.0 * self.half_length().min(other.half_length());
        let (near, level) = (nearest.distance() + NOTHING * length, LEVEL * length);
        if meetings.iter().any(|m| m.distance() <= near && self.beyond(other, m) <= level) {
            return meetings;
        }
        let beside = |m: &&mut Meeting| m.first.distance(nearest.first) <= BESIDE * length;
        match meetings.iter_mut().find(beside) {
            Some(end) => *end = Meeting { slot: end.slot, ..nearest },
            None => meetings.push(nearest),
        }
        meetings
    }
    /// How far an end of either segment reaches toward the other, seen along the arm of a meeting.
    fn beyond(&self, other: &Self, meeting: &Meeting) -> f64 {
        let Some(toward) = (meeting.second - meeting.first).try_normalize() else { return 0.0 };
        let of_self = [self.start, self.end].map(|p| toward.dot(p - meeting.first));
        let of_other = [other.start, other.end].map(|p| toward.dot(meeting.second - p));
        of_self.into_iter().chain(of_other).fold(0.0, f64::max)
    }
    fn overlap(&self, other: &Self) -> Option<[Meeting; 2]> {
        let (u, v) = (self.end - self.start, other.end - other.start);
        let squares = u.length_squared() * v.length_squared();
        let apart = u.cross(v).length_squared() > SIDE_BY_SIDE * SIDE_BY_SIDE * squares;
        if apart || squares == 0.0 {
            return None;
        }
        let length = u.length();
        let along = |p: DVec3| (u.dot(p - self.start) / (length * length)).clamp(0.0, 1.0);
        let (a, b) = (along(other.start), along(other.end));
        let (low, high) = (a.min(b), a.max(b));
        if high - low <= NOTHING {
            return None;
        }
        let at = |t: f64, slot: u32| {
            let first = if t == 1.0 { self.end } else { self.start + u * t };
            Meeting { first, second: other.nearest(first), slot }
        };
        Some([at(low, 0), at(high, 1)])
    }
}

/// The lesser of each coordinate; a comparison, where `min` also takes care of what is no number.
#[inline]
fn minimum(a: DVec3, b: DVec3) -> DVec3 {
    let lesser = |x: f64, y: f64| if x < y { x } else { y };
    DVec3::new(lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z))
}

/// The greater of each coordinate.
#[inline]
fn maximum(a: DVec3, b: DVec3) -> DVec3 {
    let greater = |x: f64, y: f64| if x > y { x } else { y };
    DVec3::new(greater(a.x, b.x), greater(a.y, b.y), greater(a.z, b.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(a: [f64; 3], b: [f64; 3]) -> Segment {
        Segment::new([DVec3::from_array(a), DVec3::from_array(b)])
    }

    fn meetings(a: &Segment, b: &Segment) -> ArrayVec<Meeting, 3> {
        a.meetings(b, a.meeting(b))
    }

    #[test]
    fn crossing_segments_meet_inside() {
        let a = segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let b = segment([0.5, -2.0, 3.0], [0.5, 2.0, 3.0]);
        let meeting = a.meeting(&b);
        assert_eq!(meeting.first, DVec3::new(0.5, 0.0, 0.0));
        assert_eq!(meeting.second, DVec3::new(0.5, 0.0, 3.0));
        assert_eq!(meetings(&a, &b).len(), 1);
    }

    #[test]
    fn segments_in_line_meet_at_their_ends() {
        let a = segment([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let b = segment([3.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
        let meetings = meetings(&a, &b);
        assert_eq!(meetings.len(), 1);
        assert_eq!((meetings[0].first, meetings[0].second), (a.end, b.end));
        assert_eq!(a.end_at(meetings[0].first), Some(1));
    }

    #[test]
    fn parallel_segments_meet_at_both_ends_of_their_overlap() {
        let a = segment([0.0, 0.0, 0.0], [4.0, 0.0, 0.0]);
        let b = segment([6.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
        let meetings = meetings(&a, &b);
        assert_eq!(meetings.len(), 2);
        assert_eq!(meetings[0].second, DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(meetings[1].second, DVec3::new(4.0, 1.0, 0.0));
    }

    #[test]
    fn a_slight_skew_keeps_the_nearest_point_between_the_ends() {
        let a = segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let b = segment([-1.0, -0.005, 1.0], [1.0, 0.005, 1.0]);
        let slots: Vec<_> = meetings(&a, &b).iter().map(|m| m.slot).collect();
        assert_eq!(slots, [0, 1, 2]);
        assert_eq!(a.meeting(&b).distance(), 1.0);
    }

    #[test]
    fn a_point_is_a_segment_without_length() {
        let point = segment([0.0, 2.0, 0.0], [0.0, 2.0, 0.0]);
        let a = segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(a.meeting(&point).distance(), 2.0);
        assert_eq!(meetings(&point, &a).len(), 1);
    }
}
