//! Where a segment or a circle is nearest to a frustum.

use super::super::super::frustum::{Frustum, Near};
use drystone_space::{DVec2, DVec3};

/// Steps of the search for a root; each third one halves what is left.
const MOST_STEPS: usize = 120;
/// Looks at a circle, between which its nearest places are sought.
const LOOKS: usize = 16;

/// Where, and how near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub point: DVec3,
    pub near: Near,
}

/// The point of a segment that is nearest to a frustum, or none if it is farther away than `least`.
///
/// Along the segment the distance is convex, and its slope monotone.
pub(super) fn on_segment(frustum: &Frustum, [p, q]: [DVec3; 2], least: f64) -> Option<Place> {
    let along = q - p;
    let at = |t: f64| {
        let point = if t == 1.0 { q } else { p + along * t };
        Place { point, near: frustum.near(point) }
    };
    let middle = at(0.5);
    // No point of it is nearer than this: the distance changes by no more than the way.
    if middle.near.distance - 0.5 * along.length() > least {
        return None;
    }
    let slope = |place: &Place| place.near.normal.dot(along);
    let (start, end) = (at(0.0), at(1.0));
    if slope(&start) >= 0.0 {
        return Some(start);
    }
    if slope(&end) <= 0.0 {
        return Some(end);
    }
    Some(root([(0.0, start), (1.0, end)], at, slope))
}

/// The place between two at which a slope that is negative at the first and positive at the second is zero.
fn root<T: Copy>(
    [mut low, mut high]: [(f64, T); 2],
    at: impl Fn(f64) -> T,
    slope: impl Fn(&T) -> f64,
) -> T {
    let (mut below, mut over) = (slope(&low.1), slope(&high.1));
    for step in 0..MOST_STEPS {
        let width = high.0 - low.0;
        let secant = low.0 - below * width / (over - below);
        let t = match step % 3 {
            // What is left shrinks from both sides.
            0 => secant,
            1 => secant + width * 1e-3 * if -below < over { 1.0 } else { -1.0 },
            _ => 0.5 * (low.0 + high.0),
        };
        let t = if t > low.0 && t < high.0 { t } else { 0.5 * (low.0 + high.0) };
        if t <= low.0 || t >= high.0 {
            break;
        }
        let place = at(t);
        let here = slope(&place);
        if here == 0.0 {
            return place;
        }
        if here < 0.0 {
            (low, below) = ((t, place), here);
        } else {
            (high, over) = ((t, place), here);
        }
    }
    if -below < over { low.1 } else { high.1 }
}

/// A circle about `centre` with two radii at right angles.
#[derive(Clone, Copy)]
pub(super) struct Circle {
    pub centre: DVec3,
    pub arms: [DVec3; 2],
}

impl Circle {
    pub fn at(&self, direction: DVec2) -> DVec3 {
        self.centre + self.arms[0] * direction.x + self.arms[1] * direction.y
    }
    pub fn tangent(&self, direction: DVec2) -> DVec3 {
        self.arms[1] * direction.x - self.arms[0] * direction.y
    }
}

/// All places of a circle that are nearer to a frustum than those around them: as many as are told apart by [`LOOKS`].
pub(super) fn on_circle(frustum: &Frustum, circle: &Circle, mut found: impl FnMut(Place)) {
    let at = |u: DVec2| {
        let point = circle.at(u);
        (u, Place { point, near: frustum.near(point) })
    };
    let slope = |(u, place): &(DVec2, Place)| place.near.normal.dot(circle.tangent(*u));
    falls(
        |u| slope(&at(u)),
        |from, to| {
            let place = root([(0.0, at(from)), (1.0, at(to))], |t| at(turn(from, to, t)), slope);
            found(place.1);
        },
    );
}

/// Calls `found` with each of the [`LOOKS`] parts of a circle over which a slope changes from below zero to above it.
pub(super) fn falls(slope: impl Fn(DVec2) -> f64, mut found: impl FnMut(DVec2, DVec2)) {
    // Cosine and sine of a sixteenth of a turn.
    let step = DVec2::new(0.923_879_532_511_286_7, 0.382_683_432_365_089_8);
    let first = DVec2::X;
    let (mut from, mut below) = (first, slope(first));
    let start = below;
    for i in 1..=LOOKS {
        let (to, over) = match i {
            LOOKS => (first, start),
            _ => {
                let to = step.rotate(from).normalize();
                (to, slope(to))
            }
        };
        if below < 0.0 && over >= 0.0 {
            found(from, to);
        }
        (from, below) = (to, over);
    }
}

/// A unit vector between two that are not opposite.
pub(super) fn turn(from: DVec2, to: DVec2, share: f64) -> DVec2 {
    (from * (1.0 - share) + to * share).normalize()
}

/// The direction between two at which a slope that is below zero at the first is zero.
pub(super) fn root_between(from: DVec2, to: DVec2, slope: impl Fn(DVec2) -> f64) -> DVec2 {
    let at = |t: f64| turn(from, to, t);
    root([(0.0, from), (1.0, to)], at, |u| slope(*u))
}
