//! Choosing at most four touches out of many in one plane.

use super::Polyhedron;
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{Volume, math};

/// Most touches to choose from: the corners of two faces.
const MOST: usize = 2 * Polyhedron::MOST_VERTICES;

/// Scores nearer than this share of the best are equal; the lower feature then wins, so that
/// rounding does not change the choice from step to step.
const TIE: f64 = 1e-6;

/// Touches at most this share of the size less deep than the deepest stand for it.
const AS_DEEP: f64 = 2.5e-10;

/// Adds the deepest touch and up to three more that span the largest area with it.
///
/// All touches share one normal. `size` is a length of the shapes, by which depths are compared.
/// Touches that would add no area (doubled, or in line) are left out.
pub(super) fn reduce(touches: &[Touch<Volume>], size: f64, manifold: &mut Manifold<Volume>) {
    reduce_to(AS_DEEP * size, touches, size, manifold);
}

/// The same, where no touch that is less deep by more than `as_deep` stands for the deepest.
pub(super) fn reduce_to(
    as_deep: f64,
    touches: &[Touch<Volume>],
    size: f64,
    manifold: &mut Manifold<Volume>,
) {
    let mut chosen = spanning(touches, size);
    // The start was chosen among those nearly as deep: the deepest takes its neighbour's place.
    let least = |touches: &[Touch<Volume>]| touches.iter().map(|t| t.gap).fold(f64::MAX, f64::min);
    if least(touches) < least(&chosen) - as_deep {
        let deepest = pick(touches, 0.0, |t| -t.gap);
        let far = |t: &Touch<Volume>| deepest.map_or(0.0, |d| t.point.distance_squared(d.point));
        let neighbour = chosen.iter_mut().min_by(|s, t| far(s).total_cmp(&far(t)));
        if let (Some(neighbour), Some(deepest)) = (neighbour, deepest) {
            *neighbour = deepest;
        }
    }
    chosen.into_iter().for_each(|touch| manifold.push(touch));
}

/// A touch nearly as deep as the deepest, and up to three that span the largest area with it.
fn spanning(touches: &[Touch<Volume>], size: f64) -> ArrayVec<Touch<Volume>, 4> {
    let mut chosen = ArrayVec::new();
    let Some(a) = pick(touches, TIE * size, |t| -t.gap) else { return chosen };
    chosen.push(a);
    let Some(b) = pick(touches, TIE * size, |t| t.point.distance(a.point)) else { return chosen };
    let square = a.point.distance_squared(b.point);
    if square <= math::square(TIE * size) {
        return chosen;
    }
    chosen.push(b);
    let doubled = |p: &Touch<Volume>, q: &Touch<Volume>, r: &Touch<Volume>| {
        a.normal.dot((q.point - p.point).cross(r.point - p.point))
    };
    let Some(c) = pick(touches, TIE * square, |t| doubled(&a, &b, t).abs()) else { return chosen };
    let area = doubled(&a, &b, &c);
    if area.abs() <= TIE * square {
        return chosen;
    }
    chosen.push(c);
    // Area gained beyond the side of the triangle that the point sees.
    let gain = |t: &Touch<Volume>| {
        let parts = [doubled(&a, &b, t), doubled(&b, &c, t), doubled(&c, &a, t)];
        parts.map(|part| -part * area.signum()).into_iter().fold(f64::NEG_INFINITY, f64::max)
    };
    if let Some(d) = pick(touches, TIE * square, gain).filter(|d| gain(d) > TIE * square) {
        chosen.push(d);
    }
    chosen
}

/// The touch with the highest score; among equals the one with the lowest feature.
fn pick(
    touches: &[Touch<Volume>],
    slack: f64,
    score: impl Fn(&Touch<Volume>) -> f64,
) -> Option<Touch<Volume>> {
    let mut scores = ArrayVec::<f64, MOST>::new();
    let mut best = f64::NEG_INFINITY;
    for touch in touches {
        let score = score(touch);
        scores.push(score);
        best = if score > best { score } else { best };
    }
    // Which touch is as good is a toss-up: each is looked at, without a branch.
    let (mut found, mut lowest) = (None, u64::MAX);
    for (i, &score) in scores.iter().enumerate() {
        let feature = if score >= best - slack { u64::from(touches[i].feature) } else { u64::MAX };
        (found, lowest) = if feature < lowest { (Some(i), feature) } else { (found, lowest) };
    }
    found.map(|i| touches[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::DVec3;
    use std::f64::consts::TAU;

    fn ring(count: u32, gap: impl Fn(u32) -> f64) -> Vec<Touch<Volume>> {
        let touch = |i: u32| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
            Touch { point: DVec3::new(cos, sin, 0.0), normal: DVec3::Z, gap: gap(i), feature: i }
        };
        (0..count).map(touch).collect()
    }

    fn features(touches: &[Touch<Volume>]) -> Vec<u32> {
        let mut manifold = Manifold::default();
        reduce(touches, 1.0, &mut manifold);
        manifold.touches().iter().map(|t| t.feature).collect()
    }

    #[test]
    fn an_octagon_keeps_a_square() {
        assert_eq!(features(&ring(8, |_| 0.0)), [0, 4, 2, 6]);
    }

    #[test]
    fn the_deepest_is_kept() {
        assert_eq!(features(&ring(8, |i| if i == 3 { -0.1 } else { 0.0 }))[0], 3);
    }

    #[test]
    fn a_slightly_deeper_neighbour_takes_the_place() {
        let mut touches = ring(4, |_| 0.0);
        let beside = DVec3::new(1.0, -1e-7, 0.0);
        touches.push(Touch { point: beside, normal: DVec3::Z, gap: -1e-7, feature: 9 });
        assert_eq!(features(&touches), [9, 2, 1, 3]);
    }

    #[test]
    fn noise_does_not_change_the_choice() {
        let noisy = ring(7, |i| 1e-12 * f64::from(i * 5 % 7));
        assert_eq!(features(&noisy), features(&ring(7, |_| 0.0)));
    }

    #[test]
    fn doubled_and_collinear_touches_are_left_out() {
        let mut touches = ring(4, |_| 0.0);
        touches.extend(ring(4, |_| 0.0).into_iter().map(|t| Touch { feature: t.feature + 4, ..t }));
        assert_eq!(features(&touches).len(), 4);
        touches.truncate(4);
        touches.iter_mut().for_each(|t| t.point.y = 0.0);
        assert_eq!(features(&touches), [0, 2]);
    }
}
