//! All real roots of a polynomial of at most degree four in an interval.

use drystone_space::math;

/// Roots, rising.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roots {
    roots: [f64; 4],
    count: usize,
}

impl Roots {
    pub fn as_slice(&self) -> &[f64] {
        &self.roots[..self.count]
    }

    fn push(&mut self, root: f64) {
        self.roots[self.count] = root;
        self.count += 1;
    }
}

/// The value of Σ c_i x^i.
fn value(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, &c| sum * x + c)
}

/// The roots x > 0 at which Σ c_i x^i changes its sign.
///
/// Between two neighbouring roots of its derivative a polynomial is monotone and has at most one
/// root; so the roots of the derivatives, from the straight line upwards, separate those of the
/// next. Safe for coefficients of any size, unlike the closed forms.
pub(super) fn positive_roots(coefficients: &[f64; 5]) -> Roots {
    let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
    let lead = coefficients[degree];
    // Fujiwara's bound on the size of roots.
    let mut bound = 0.0f64;
    for (i, c) in coefficients[..degree].iter().enumerate() {
        let power = 1.0 / (degree - i) as f64;
        bound = bound.max(2.0 * math::powf((c / lead).abs(), power));
    }
    if !bound.is_finite() {
        return Roots::default();
    }
    let mut separating = Roots::default();
    for order in (0..degree).rev() {
        separating = roots_between(derivative(coefficients, order, degree), &separating, bound);
    }
    separating
}

/// The derivative of this order, and how many coefficients it has.
fn derivative(coefficients: &[f64; 5], order: usize, degree: usize) -> ([f64; 5], usize) {
    let mut c = *coefficients;
    for done in 0..order {
        for i in 0..degree - done {
            c[i] = c[i + 1] * (i + 1) as f64;
        }
    }
    (c, degree - order + 1)
}

fn roots_between((c, count): ([f64; 5], usize), separating: &Roots, bound: f64) -> Roots {
    let c = &c[..count];
    let mut roots = Roots::default();
    let mut low = (0.0, value(c, 0.0));
    for &end in separating.as_slice().iter().chain(&[bound * 1.5]) {
        let high = (end, value(c, end));
        if low.1 != 0.0 && (low.1 < 0.0) != (high.1 < 0.0) {
            roots.push(bracketed_root(c, low, high.0));
        }
        low = high;
    }
    roots
}

/// The root between two ends of different signs, by Newton kept inside by bisection.
fn bracketed_root(c: &[f64], low: (f64, f64), high: f64) -> f64 {
    let negative_below = low.1 < 0.0;
    let (mut low, mut high) = (low.0, high);
    let mut x = 0.5 * (low + high);
    for _ in 0..200 {
        let (mut y, mut slope) = (0.0, 0.0);
        for &c in c.iter().rev() {
            slope = slope * x + y;
            y = y * x + c;
        }
        let newton = x - y / slope;
        if y == 0.0 || (newton - x).abs() <= 1e-15 * x || high - low <= 1e-15 * high {
            return x;
        }
        if (y < 0.0) == negative_below {
            low = x;
        } else {
            high = x;
        }
        x = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A product of linear factors has its roots back.
        #[test]
        fn the_roots_of_a_product(roots in prop::array::uniform4(-5.0f64..5.0)) {
            let mut c = [1.0, 0.0, 0.0, 0.0, 0.0];
            for (degree, root) in roots.iter().enumerate() {
                for i in (0..=degree + 1).rev() {
                    c[i] = if i > 0 { c[i - 1] } else { 0.0 } - root * c[i];
                }
            }
            let mut sorted = roots;
            sorted.sort_by(f64::total_cmp);
            let apart = sorted.windows(2).all(|pair| pair[1] - pair[0] > 0.05);
            prop_assume!(apart && sorted.iter().all(|root| root.abs() > 0.01));
            let expected: Vec<f64> = sorted.into_iter().filter(|&root| root > 0.0).collect();
            let found = positive_roots(&c);
            prop_assert_eq!(found.as_slice().len(), expected.len());
            for (found, expected) in found.as_slice().iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-9, "{} {}", found, expected);
            }
        }
    }

    #[test]
    fn lower_degrees_and_none() {
        assert_eq!(positive_roots(&[-6.0, 2.0, 0.0, 0.0, 0.0]).as_slice(), [3.0]);
        assert!(positive_roots(&[1.0, 0.0, 1.0, 0.0, 0.0]).as_slice().is_empty());
        assert!(positive_roots(&[0.0; 5]).as_slice().is_empty());
        assert!(positive_roots(&[f64::NAN, 1.0, 1.0, 1.0, 1.0]).as_slice().is_empty());
        let far = positive_roots(&[-1e30, 0.0, 1e-30, 0.0, 0.0]);
        assert!((far.as_slice()[0] / 1e30 - 1.0).abs() < 1e-14);
    }
}
