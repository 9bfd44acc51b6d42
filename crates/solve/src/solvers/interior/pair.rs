//! Points of the second-order cone x₀ ≥ |x_t|, and pairs of them under way to x ∘ y = 0.
//!
//! In the plane the last component is zero. Products are those of the cone's Jordan algebra,
//! x ∘ y = (x·y, x₀y_t + y₀x_t), and the scaling of a pair is Nesterov and Todd's (1997): the symmetric T with
//! T x = T⁻¹ y = λ.

use crate::assembled::local::{add_scaled, dot};
use drystone_space::math;

/// Normal part, then tangential.
pub type Point = [f64; 3];

/// The unit of the product.
pub const UNIT: Point = [1.0, 0.0, 0.0];

#[inline(always)]
fn mirror(x: &Point) -> Point {
    [x[0], -x[1], -x[2]]
}

/// x₀² − |x_t|²: positive inside the cone.
#[inline(always)]
pub fn determinant(x: &Point) -> f64 {
    let t = math::hypot(x[1], x[2]);
    (x[0] - t) * (x[0] + t)
}

/// x ∘ y.
pub fn product(x: &Point, y: &Point) -> Point {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// z with x ∘ z = y.
pub fn quotient(y: &Point, x: &Point) -> Point {
    let first = dot(y, &mirror(x)) / determinant(x);
    [first, (y[1] - first * x[1]) / x[0], (y[2] - first * x[2]) / x[0]]
}

/// How far x can go along d inside the cone; infinite where it never leaves.
pub fn reach(x: &Point, d: &Point) -> f64 {
    // The least eigenvalue of d where x is the unit.
    let size = determinant(x).sqrt();
    let unit = x.map(|x| x / size);
    let first = dot(&unit, &mirror(d));
    let along = (first + d[0]) / (unit[0] + 1.0);
    let across = math::hypot(d[1] - along * unit[1], d[2] - along * unit[2]);
    let outward = (across - first) / size;
    if outward > 0.0 { 1.0 / outward } else { f64::INFINITY }
}

/// The pair with x − y = v and x ∘ y = `gap` times the unit.
pub fn centred(v: &Point, gap: f64) -> (Point, Point) {
    let t = math::hypot(v[1], v[2]);
    // Of each eigenvalue of v the larger part is computed and the other follows.
    let split = |e: f64| {
        let large = 0.5 * (e.abs() + (e * e + 4.0 * gap).sqrt());
        if e > 0.0 { (large, gap / large) } else { (gap / large, large) }
    };
    let ((x1, y1), (x2, y2)) = (split(v[0] + t), split(v[0] - t));
    let join = |a: f64, b: f64| {
        let along = if t > 0.0 { 0.5 * (a - b) / t } else { 0.0 };
        [0.5 * (a + b), along * v[1], along * v[2]]
    };
    (join(x1, x2), join(y1, y2))
}

/// The scaling of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// T = η (2 v vᵀ − J), J being the mirror.
    size: f64,
    vector: Point,
    /// T² = η² (2 w wᵀ − J).
    middle: Point,
    /// λ.
    pub balance: Point,
}

impl Scaling {
    /// Of a pair inside the cone.
    pub fn new(x: &Point, y: &Point) -> Self {
        let (x_size, y_size) = (determinant(x).sqrt(), determinant(y).sqrt());
        let (x_unit, y_unit) = (x.map(|x| x / x_size), y.map(|y| y / y_size));
        let twice = (2.0 * (1.0 + dot(&x_unit, &y_unit))).sqrt();
        let middle = add_scaled(&y_unit, 1.0, &mirror(&x_unit)).map(|w| w / twice);
        let root = (2.0 * (middle[0] + 1.0)).sqrt();
        let vector = add_scaled(&middle, 1.0, &UNIT).map(|v| v / root);
        let size = (y_size / x_size).sqrt();
        let mut scaling = Self { size, vector, middle, balance: UNIT };
        scaling.balance = scaling.apply(x);
        scaling
    }

    /// T x.
    pub fn apply(&self, x: &Point) -> Point {
        let along = 2.0 * dot(&self.vector, x);
        add_scaled(&mirror(x).map(|x| -x), along, &self.vector).map(|x| x * self.size)
    }

    /// T⁻¹ x.
    pub fn undo(&self, x: &Point) -> Point {
        let vector = mirror(&self.vector);
        let along = 2.0 * dot(&vector, x);
        add_scaled(&mirror(x).map(|x| -x), along, &vector).map(|x| x / self.size)
    }

    /// T², row after row.
    pub fn square(&self) -> [Point; 3] {
        let (w, s) = (&self.middle, self.size * self.size);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mirror = match (i, j) {
                    (0, 0) => 1.0,
                    _ if i == j => -1.0,
                    _ => 0.0,
                };
                s * (2.0 * w[i] * w[j] - mirror)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside() -> impl Strategy<Value = Point> {
        (0.01f64..3.0, -3.0f64..3.0, -3.0f64..3.0).prop_map(|(a, b, c)| [a + b.hypot(c), b, c])
    }

    fn near(a: &Point, b: &Point, size: f64) -> bool {
        (0..3).all(|i| (a[i] - b[i]).abs() <= 1e-9 * size)
    }

    proptest! {
        #[test]
        fn a_scaling_balances_its_pair(x in inside(), y in inside()) {
            let scaling = Scaling::new(&x, &y);
            let size = 1.0 + dot(&x, &x) + dot(&y, &y);
            prop_assert!(near(&scaling.undo(&y), &scaling.balance, size));
            prop_assert!(near(&scaling.undo(&scaling.apply(&x)), &x, size));
            let (square, twice) = (scaling.square(), scaling.apply(&scaling.apply(&x)));
            prop_assert!(near(&square.map(|row| dot(&row, &x)), &twice, size));
            prop_assert!(near(&product(&x, &quotient(&y, &x)), &y, 1e3 * size));
        }

        #[test]
        fn the_reach_ends_on_the_edge(x in inside(), d in prop::array::uniform3(-3.0f64..3.0)) {
            let far = reach(&x, &d);
            if far < 1e6 {
                prop_assert!(determinant(&add_scaled(&x, 0.999 * far, &d)) > 0.0);
                let edge = add_scaled(&x, 1.001 * far, &d);
                prop_assert!(determinant(&edge) < 0.0 || edge[0] < 0.0);
            } else {
                let edge = add_scaled(&x, 1e5, &d);
                prop_assert!(edge[0] > 0.0 && determinant(&edge) > -1e-3);
            }
        }

        #[test]
        fn centred_pairs_are_centred(v in prop::array::uniform3(-3.0f64..3.0), gap in 1e-6f64..1.0) {
            let (x, y) = centred(&v, gap);
            prop_assert!(near(&add_scaled(&x, -1.0, &y), &v, 1.0));
            prop_assert!(near(&product(&x, &y), &UNIT.map(|x| gap * x), 10.0));
        }
    }

    /// Without tangential part both edges are met at once.
    #[test]
    fn the_reach_of_a_normal_point() {
        assert_eq!(reach(&[2.0, 0.0, 0.0], &[-1.0, 0.0, 0.0]), 2.0);
        assert_eq!(reach(&[2.0, 0.0, 0.0], &[1.0, 0.5, 0.0]), f64::INFINITY);
        assert_eq!(reach(&[1.0, 0.0, 0.0], &[0.0, 0.0, 4.0]), 0.25);
    }
}
