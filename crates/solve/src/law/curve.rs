//! Percussion against mean velocity along one direction: the derivative of a pseudopotential.
//!
//! A pseudopotential of dissipation is convex, not negative, and zero at rest (Dal Pont & Dimnet
//! 2006, §2.2.1). Along one direction it is Φ(|x|), and its derivative f = Φ′ rises from f(0) ≥ 0:
//! x is the mean velocity ½(U⁺+U⁻), f the size of the percussion that opposes it. Where f(0) > 0
//! the percussion at rest may be anything up to f(0), as in dry friction.

use drystone_space::math;
use std::sync::Arc;

/// f on x ≥ 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// f = c x: the quadratic pseudopotential. (60) of Dal Pont & Dimnet 2006 is c = 4K, viscous
    /// friction over a step h (39)–(40) is c = hν.
    Linear(f64),
    /// f = c xᵖ, p ≥ 0; p = 0 is a percussion of given size.
    Power {
        /// c.
        factor: f64,
        /// p.
        exponent: f64,
    },
    /// Straight between points, level after the last.
    Points(Arc<CurvePoints>),
    /// No motion at all.
    Rigid,
}

/// Points [x, f] that rise.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoints(Vec<[f64; 2]>);

/// Why points make no curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CurveError {
    /// None at all.
    #[error("there are no points")]
    Empty,
    /// Not a number, infinite, or negative.
    #[error("a number is negative or not finite")]
    NotFinite,
    /// x does not rise.
    #[error("the velocities do not rise from point to point")]
    NotSorted,
    /// f falls.
    #[error("the percussion falls where the velocity rises")]
    NotMonotone,
}

impl CurvePoints {
    /// Checks points [x, f]; where the first has x > 0 the curve starts at the origin.
    pub fn new(points: &[[f64; 2]]) -> Result<Self, CurveError> {
        let first = points.first().ok_or(CurveError::Empty)?;
        if points.iter().flatten().any(|x| !x.is_finite() || *x < 0.0) {
            return Err(CurveError::NotFinite);
        }
        if points.windows(2).any(|pair| pair[0][0] >= pair[1][0]) {
            return Err(CurveError::NotSorted);
        }
        if points.windows(2).any(|pair| pair[0][1] > pair[1][1]) {
            return Err(CurveError::NotMonotone);
        }
        let mut all = Vec::with_capacity(points.len() + 1);
        if first[0] > 0.0 {
            all.push([0.0; 2]);
        }
        all.extend_from_slice(points);
        Ok(Self(all))
    }

    /// The ends of the piece that ends in the first point for which `beyond` is true; only its start
    /// where there is none.
    fn piece(&self, beyond: impl Fn(&[f64; 2]) -> bool) -> ([f64; 2], Option<[f64; 2]>) {
        let next = self.0.iter().position(beyond);
        match next {
            None => (self.0[self.0.len() - 1], None),
            Some(next) => (self.0[next.saturating_sub(1)], Some(self.0[next])),
        }
    }

    /// f where the curve meets x + w f = x0.
    fn meet(&self, x0: f64, w: f64) -> f64 {
        // The first point is at x = 0, where f may be anything up to its value.
        if x0 <= w * self.0[0][1] {
            return x0 / w;
        }
        match self.piece(|[x, f]| x + w * f >= x0) {
            ([_, f], None) => f,
            ([x, f], Some([end, top])) => {
                let slope = (top - f) / (end - x);
                f + slope * (x0 - x - w * f) / (1.0 + w * slope)
            }
        }
    }
}

impl Curve {
    /// f(x); the largest of its values at x = 0.
    pub fn value(&self, x: f64) -> f64 {
        match self {
            Curve::Linear(factor) => factor * x,
            Curve::Power { factor, exponent } => factor * math::powf(x, *exponent),
            Curve::Points(points) => match points.piece(|point| point[0] > x) {
                ([_, f], None) => f,
                ([start, f], Some([end, top])) => f + (top - f) * (x - start) / (end - start),
            },
            Curve::Rigid => f64::INFINITY,
        }
    }

    /// Φ(x), the integral of f.
    pub fn potential(&self, x: f64) -> f64 {
        match self {
            Curve::Linear(factor) => 0.5 * factor * x * x,
            Curve::Power { factor, exponent } => {
                factor * math::powf(x, exponent + 1.0) / (exponent + 1.0)
            }
            Curve::Points(points) => {
                let ends = points.0.iter().map(|point| point[0]).filter(|&end| end < x);
                let (mut sum, mut last) = (0.0, 0.0);
                for end in ends.chain([x]) {
                    // The mean of a piece is its value in the middle: it is straight.
                    sum += (end - last) * self.value(0.5 * (last + end));
                    last = end;
                }
                sum
            }
            Curve::Rigid if x == 0.0 => 0.0,
            Curve::Rigid => f64::INFINITY,
        }
    }

    /// Whether f has a derivative at rest, where it is 0.
    pub fn is_smooth(&self) -> bool {
        self.slope(0.0).is_finite() && self.value(0.0) == 0.0
    }

    /// f′(x), to the right of x.
    pub fn slope(&self, x: f64) -> f64 {
        match self {
            Curve::Linear(factor) => *factor,
            Curve::Power { exponent: 0.0, .. } => 0.0,
            Curve::Power { factor, exponent } => factor * exponent * math::powf(x, exponent - 1.0),
            Curve::Points(points) => match points.piece(|point| point[0] > x) {
                (_, None) => 0.0,
                ([start, f], Some([end, top])) => (top - f) / (end - start),
            },
            Curve::Rigid => f64::INFINITY,
        }
    }

    /// The percussion p of a body that would have the mean velocity x0 ≥ 0 without it and answers
    /// by w per percussion: p ∈ f(x), x = x0 − w p ≥ 0.
    pub fn answer(&self, x0: f64, w: f64) -> f64 {
        match self {
            Curve::Linear(factor) => factor * x0 / (1.0 + w * factor),
            Curve::Power { exponent: 0.0, factor } => factor.min(x0 / w),
            Curve::Power { .. } => {
                let x = falling_root(0.0, x0, |x| x0 - x - w * self.value(x));
                self.value(x).min(x0 / w)
            }
            Curve::Points(points) => points.meet(x0, w),
            Curve::Rigid => x0 / w,
        }
    }
}

/// The root between `low` and `high` of a function that falls from a positive to a negative value.
/// Regula falsi with Illinois' remedy, and bisection as the last resort.
pub(super) fn falling_root(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let (mut at_low, mut at_high) = (value(low), value(high));
    if at_low <= 0.0 {
        return low;
    }
    if at_high >= 0.0 {
        return high;
    }
    for turn in 0..200 {
        if high - low <= 4.0 * f64::EPSILON * high {
            break;
        }
        let between = (high * at_low - low * at_high) / (at_low - at_high);
        let trusted = turn < 40 && between > low && between < high;
        let x = if trusted { between } else { 0.5 * (low + high) };
        let at = value(x);
        if at == 0.0 {
            return x;
        }
        if at > 0.0 {
            (low, at_low, at_high) = (x, at, 0.5 * at_high);
        } else {
            (high, at_high, at_low) = (x, at, 0.5 * at_low);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> Vec<Curve> {
        let points = |list: &[[f64; 2]]| Curve::Points(Arc::new(CurvePoints::new(list).unwrap()));
        vec![
            Curve::Linear(3.0),
            Curve::Power { factor: 2.0, exponent: 0.0 },
            Curve::Power { factor: 2.0, exponent: 0.5 },
            Curve::Power { factor: 2.0, exponent: 2.0 },
            points(&[[0.0, 0.3], [0.5, 1.0], [2.0, 1.0], [3.0, 4.0]]),
            points(&[[0.5, 1.0], [1.0, 3.0]]),
        ]
    }

    /// x = x0 − w p is where the curve has the value p, or at rest with p below f(0).
    #[test]
    fn an_answer_is_on_the_curve() {
        for curve in curves() {
            for x0 in [0.0, 0.01, 0.3, 1.0, 2.2, 10.0] {
                for w in [0.01, 0.5, 4.0] {
                    let p = curve.answer(x0, w);
                    let x = x0 - w * p;
                    let still = x.abs() < 1e-14 && p <= curve.value(0.0) + 1e-14;
                    let moving = x >= 0.0 && (curve.value(x) - p).abs() < 1e-12 * (1.0 + p);
                    assert!(still || moving, "{curve:?} {x0} {w}: {x} {p}");
                }
            }
        }
    }

    #[test]
    fn the_potential_is_the_integral_and_the_slope_the_derivative() {
        for curve in curves() {
            for x in [0.2f64, 0.7, 1.5, 2.5, 3.5] {
                let step = 1e-5;
                let rate = (curve.potential(x + step) - curve.potential(x - step)) / (2.0 * step);
                assert!((rate - curve.value(x)).abs() < 1e-8, "{curve:?} {x}");
                let rate = (curve.value(x + step) - curve.value(x - step)) / (2.0 * step);
                assert!((rate - curve.slope(x)).abs() < 1e-6, "{curve:?} {x}");
            }
            assert_eq!(curve.potential(0.0), 0.0);
        }
    }

    #[test]
    fn points_that_are_no_curve_are_refused() {
        let error = |list: &[[f64; 2]]| CurvePoints::new(list).unwrap_err();
        assert_eq!(error(&[]), CurveError::Empty);
        assert_eq!(error(&[[1.0, -1.0]]), CurveError::NotFinite);
        assert_eq!(error(&[[1.0, 1.0], [1.0, 2.0]]), CurveError::NotSorted);
        assert_eq!(error(&[[1.0, 2.0], [2.0, 1.0]]), CurveError::NotMonotone);
    }
}
