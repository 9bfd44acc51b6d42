//! Where two segments are nearest: the axes of capsules and the edges of polyhedra.

use arrayvec::ArrayVec;
use drystone_space::DVec3;

/// Sine of the angle below which two segments count as side by side.
const SIDE_BY_SIDE: f64 = 1e-2;
/// Lengths below this share of a segment are none.
const NOTHING: f64 = 1e-9;

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
    pub place: u32,
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
    /// Cosine of the angle between the two directions.
    pub fn cosine(&self, other: &Self) -> f64 {
        let (u, v) = (self.end - self.start, other.end - other.start);
        u.dot(v) / (u.length() * v.length())
    }
    /// Which end a point of the segment is at, if any.
    pub fn end_at(&self, point: DVec3) -> Option<usize> {
        let reach = NOTHING * self.start.distance(self.end);
        [self.start, self.end].iter().position(|e| e.distance(point) <= reach)
    }
    /// The pair of nearest points.
    pub fn meeting(&self, other: &Self) -> Meeting {
        let (u, v) = (self.end - self.start, other.end - other.start);
        let (across, between) = (u.cross(v), other.start - self.start);
        let square = across.length_squared();
        // Inner points of both are nearest where the lines cross in the view along `u × v`.
        let (s, t) = (between.cross(v).dot(across) / square, between.cross(u).dot(across) / square);
        if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
            return Meeting { first: self.start + u * s, second: other.start + v * t, place: 2 };
        }
        let from_other = [other.start, other.end].map(|p| (self.nearest(p), p));
        let from_self = [self.start, self.end].map(|p| (p, other.nearest(p)));
        let [mut best, rest @ ..] = [from_other[0], from_other[1], from_self[0], from_self[1]];
        for pair in rest {
            if pair.0.distance_squared(pair.1) < best.0.distance_squared(best.1) {
                best = pair;
            }
        }
        Meeting { first: best.0, second: best.1, place: 2 }
    }
    /// The nearest points; for segments side by side, the two ends of their overlap too.
    ///
    /// The ends replace the nearest points unless these are nearer than both.
    pub fn meetings(&self, other: &Self) -> ArrayVec<Meeting, 3> {
        let nearest = self.meeting(other);
        let mut meetings = ArrayVec::new();
        if let Some(ends) = self.overlap(other) {
            meetings.extend(ends);
        }
        let slack = NOTHING * self.start.distance(self.end);
        if meetings.iter().all(|m: &Meeting| m.distance() > nearest.distance() + slack) {
            meetings.push(nearest);
        }
        meetings
    }
    fn overlap(&self, other: &Self) -> Option<[Meeting; 2]> {
        let (u, v) = (self.end - self.start, other.end - other.start);
        let (length, other_length) = (u.length(), v.length());
        let apart = u.cross(v).length() > SIDE_BY_SIDE * length * other_length;
        if apart || length == 0.0 || other_length == 0.0 {
            return None;
        }
        let along = |p: DVec3| (u.dot(p - self.start) / (length * length)).clamp(0.0, 1.0);
        let (a, b) = (along(other.start), along(other.end));
        let (low, high) = (a.min(b), a.max(b));
        if high - low <= NOTHING {
            return None;
        }
        let at = |t: f64, place: u32| {
            let first = if t == 1.0 { self.end } else { self.start + u * t };
            Meeting { first, second: other.nearest(first), place }
        };
        Some([at(low, 0), at(high, 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(a: [f64; 3], b: [f64; 3]) -> Segment {
        Segment::new([DVec3::from_array(a), DVec3::from_array(b)])
    }

    #[test]
    fn crossing_segments_meet_inside() {
        let a = segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let b = segment([0.5, -2.0, 3.0], [0.5, 2.0, 3.0]);
        let meeting = a.meeting(&b);
        assert_eq!(meeting.first, DVec3::new(0.5, 0.0, 0.0));
        assert_eq!(meeting.second, DVec3::new(0.5, 0.0, 3.0));
        assert_eq!(a.meetings(&b).len(), 1);
    }

    #[test]
    fn segments_in_line_meet_at_their_ends() {
        let a = segment([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let b = segment([3.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
        let meetings = a.meetings(&b);
        assert_eq!(meetings.len(), 1);
        assert_eq!((meetings[0].first, meetings[0].second), (a.end, b.end));
        assert_eq!(a.end_at(meetings[0].first), Some(1));
    }

    #[test]
    fn parallel_segments_meet_at_both_ends_of_their_overlap() {
        let a = segment([0.0, 0.0, 0.0], [4.0, 0.0, 0.0]);
        let b = segment([6.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
        let meetings = a.meetings(&b);
        assert_eq!(meetings.len(), 2);
        assert_eq!(meetings[0].second, DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(meetings[1].second, DVec3::new(4.0, 1.0, 0.0));
    }

    #[test]
    fn a_slight_skew_keeps_the_nearest_point_between_the_ends() {
        let a = segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let b = segment([-1.0, -0.005, 1.0], [1.0, 0.005, 1.0]);
        let places: Vec<_> = a.meetings(&b).iter().map(|m| m.place).collect();
        assert_eq!(places, [0, 1, 2]);
        assert_eq!(a.meeting(&b).distance(), 1.0);
    }

    #[test]
    fn a_point_is_a_segment_without_length() {
        let point = segment([0.0, 2.0, 0.0], [0.0, 2.0, 0.0]);
        let a = segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(a.meeting(&point).distance(), 2.0);
        assert_eq!(point.meetings(&a).len(), 1);
    }
}
