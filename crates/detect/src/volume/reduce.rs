//! Choosing at most four touches out of many in one plane.

use crate::{Manifold, Touch};
use drystone_space::Volume;

/// Scores nearer than this share of the best are equal; the lower feature then wins, so that
/// rounding does not change the choice from step to step.
const TIE: f64 = 1e-6;

/// Adds the deepest touch and up to three more that span the largest area with it.
///
/// All touches share one normal. `size` is a length of the shapes, by which ties of depth are
/// judged. Touches that would add no area (doubled, or in line) are left out.
pub(super) fn reduce(touches: &[Touch<Volume>], size: f64, manifold: &mut Manifold<Volume>) {
    let Some(a) = pick(touches, TIE * size, |t| -t.gap) else { return };
    manifold.push(a);
    let Some(b) = pick(touches, TIE * size, |t| t.point.distance(a.point)) else { return };
    let base = b.point - a.point;
    let square = base.length_squared();
    if square <= (TIE * size).powi(2) {
        return;
    }
    manifold.push(b);
    let doubled = |p: &Touch<Volume>, q: &Touch<Volume>, r: &Touch<Volume>| {
        a.normal.dot((q.point - p.point).cross(r.point - p.point))
    };
    let Some(c) = pick(touches, TIE * square, |t| doubled(&a, &b, t).abs()) else { return };
    let area = doubled(&a, &b, &c);
    if area.abs() <= TIE * square {
        return;
    }
    manifold.push(c);
    // Area gained beyond the side of the triangle that the point sees.
    let gain = |t: &Touch<Volume>| {
        let parts = [doubled(&a, &b, t), doubled(&b, &c, t), doubled(&c, &a, t)];
        parts.map(|part| -part * area.signum()).into_iter().fold(f64::NEG_INFINITY, f64::max)
    };
    if let Some(d) = pick(touches, TIE * square, gain).filter(|d| gain(d) > TIE * square) {
        manifold.push(d);
    }
}

/// The touch with the highest score; among equals the one with the lowest feature.
fn pick(
    touches: &[Touch<Volume>],
    slack: f64,
    score: impl Fn(&Touch<Volume>) -> f64,
) -> Option<Touch<Volume>> {
    let best = touches.iter().map(&score).fold(f64::NEG_INFINITY, f64::max);
    touches.iter().filter(|t| score(t) >= best - slack).min_by_key(|t| t.feature).copied()
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
