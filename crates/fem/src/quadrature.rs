//! Integration rules on reference elements.
//!
//! Cubes have products of Gauss–Legendre rules. Simplices have the centre (exact to degree 1), the
//! symmetric rule of degree 2, and for higher degrees the image of a cube's rule, collapsed at one
//! corner: its weights are positive and its degree is whatever is asked for.

use drystone_space::math;

/// Points and weights on a reference element.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Reference coordinates and weight of each point.
    pub points: Vec<([f64; 3], f64)>,
}

/// Points and weights on [−1, 1] of the Gauss–Legendre rule with 1 to 5 points.
fn legendre(count: usize) -> Vec<(f64, f64)> {
    // Newton's iteration on Legendre's polynomial; the start is within its basin for all counts.
    (0..count)
        .map(|i| {
            let n = count as f64;
            let mut x = -math::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
            let mut slope = 0.0;
            for _ in 0..100 {
                let (mut p, mut before) = (1.0, 0.0);
                for k in 0..count {
                    let k = k as f64;
                    (p, before) = (((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0), p);
                }
                slope = n * (x * p - before) / (x * x - 1.0);
                let change = p / slope;
                x -= change;
                if change.abs() < 1e-16 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

impl Rule {
    /// Product rule of `count` points per axis: exact to degree 2 count − 1 in each.
    pub fn cube(dimension: usize, count: usize) -> Self {
        let line = legendre(count);
        let total = count.pow(dimension as u32);
        let point = |index: usize| {
            let mut point = [0.0; 3];
            let (mut weight, mut rest) = (1.0, index);
            for x in &mut point[..dimension] {
                let (place, share) = line[rest % count];
                *x = place;
                weight *= share;
                rest /= count;
            }
            (point, weight)
        };
        Self { points: (0..total).map(point).collect() }
    }

    /// The centre of a simplex: degree 1.
    pub fn simplex_centre(dimension: usize) -> Self {
        let mut centre = [0.0; 3];
        centre[..dimension].fill(1.0 / (dimension as f64 + 1.0));
        Self { points: vec![(centre, measure(dimension))] }
    }

    /// As many points as corners: degree 2.
    pub fn simplex_quadratic(dimension: usize) -> Self {
        let d = dimension as f64;
        // Barycentric a at the near corner and b at the others, with a² + d b² = 2/(d + 2).
        let b = (1.0 - 1.0 / (d + 2.0).sqrt()) / (d + 1.0);
        let a = 1.0 - d * b;
        let weight = measure(dimension) / (d + 1.0);
        let point = |corner: usize| {
            let mut point = [0.0; 3];
            point[..dimension].fill(b);
            if corner > 0 {
                point[corner - 1] = a;
            }
            (point, weight)
        };
        Self { points: (0..=dimension).map(point).collect() }
    }

    /// A collapsed product rule, exact to `degree`.
    pub fn simplex(dimension: usize, degree: usize) -> Self {
        // The collapse multiplies by a polynomial of degree dimension − 1.
        let cube = Self::cube(dimension, (degree + dimension).div_ceil(2));
        let collapse = |&(point, weight): &([f64; 3], f64)| {
            let t = point.map(|x| 0.5 * (1.0 + x));
            let (mut at, mut left, mut factor) = ([0.0; 3], 1.0, 1.0);
            for axis in 0..dimension {
                at[axis] = t[axis] * left;
                factor *= 0.5 * left;
                left *= 1.0 - t[axis];
            }
            (at, weight * factor)
        };
        Self { points: cube.points.iter().map(collapse).collect() }
    }
}

/// Measure of the reference simplex.
fn measure(dimension: usize) -> f64 {
    [1.0, 1.0, 0.5, 1.0 / 6.0][dimension]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ x^a y^b z^c over the reference simplex is a! b! c! / (a + b + c + d)!.
    #[test]
    fn simplices_integrate_monomials() {
        let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
        for d in 1..=3usize {
            for (rule, degree) in [
                (Rule::simplex_centre(d), 1),
                (Rule::simplex_quadratic(d), 2),
                (Rule::simplex(d, 4), 4),
                (Rule::simplex(d, 5), 5),
            ] {
                for (a, b, c) in (0..216).map(|i| (i % 6, i / 6 % 6, i / 36)) {
                    if a + b + c > degree || (d < 3 && c > 0) || (d < 2 && b > 0) {
                        continue;
                    }
                    let sum: f64 = rule
                        .points
                        .iter()
                        .map(|(p, w)| w * p[0].powi(a) * p[1].powi(b) * p[2].powi(c))
                        .sum();
                    let exact = factorial(a) * factorial(b) * factorial(c)
                        / factorial(a + b + c + d as i32);
                    assert!((sum - exact).abs() < 1e-15, "{d} {degree}: {a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn cubes_integrate_even_powers() {
        for count in 1..=5 {
            let rule = Rule::cube(2, count);
            let power = 2 * count as i32 - 2;
            let sum: f64 = rule.points.iter().map(|(p, w)| w * p[0].powi(power)).sum();
            assert!((sum - 4.0 / f64::from(power + 1)).abs() < 1e-14, "{count}");
        }
    }
}
