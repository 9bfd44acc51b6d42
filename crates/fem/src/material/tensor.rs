//! Symmetric tensors of space in six components, with the plain shear (not its double).

use super::{Tangent, Voigt};

/// Row and column of each component.
pub const INDEX: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]];
/// Component of each row and column.
const PLACE: [[usize; 3]; 3] = [[0, 3, 5], [3, 1, 4], [5, 4, 2]];

/// Component (i, j).
#[inline(always)]
fn at(a: &Voigt, i: usize, j: usize) -> f64 {
    a[PLACE[i][j]]
}

/// Inverse and determinant.
pub fn inverse(a: &Voigt) -> (Voigt, f64) {
    let cofactor = |i: usize, j: usize| {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        let (p, q) = ((j + 1) % 3, (j + 2) % 3);
        at(a, r, p) * at(a, s, q) - at(a, r, q) * at(a, s, p)
    };
    let determinant: f64 = (0..3).map(|j| at(a, 0, j) * cofactor(0, j)).sum();
    let inverse = std::array::from_fn(|k| cofactor(INDEX[k][0], INDEX[k][1]) / determinant);
    (inverse, determinant)
}

/// The product of two tensors that commute.
pub fn product(a: &Voigt, b: &Voigt) -> Voigt {
    std::array::from_fn(|k| (0..3).map(|m| at(a, INDEX[k][0], m) * at(b, m, INDEX[k][1])).sum())
}

/// a_ij b_kl.
pub fn outer(a: &Voigt, b: &Voigt) -> Tangent {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i] * b[j]))
}

/// ¼(a_ik b_jl + a_il b_jk + b_ik a_jl + b_il a_jk).
pub fn symmetric_product(a: &Voigt, b: &Voigt) -> Tangent {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let ([i, j], [k, l]) = (INDEX[row], INDEX[column]);
            let half = |a: &Voigt, b: &Voigt| at(a, i, k) * at(b, j, l) + at(a, i, l) * at(b, j, k);
            0.25 * (half(a, b) + half(b, a))
        })
    })
}

/// Principal values and axes (by columns), by Jacobi's rotations.
pub fn principal(a: &Voigt) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut m: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| at(a, i, j)));
    let mut axes: [[f64; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let scale: f64 = m.as_flattened().iter().map(|x| x * x).sum();
    for _ in 0..30 {
        let off = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
        if off <= 1e-32 * scale {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let angle = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
            let t = angle.signum() / (angle.abs() + (1.0 + angle * angle).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            for k in 0..3 {
                (m[k][p], m[k][q]) = (c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
            }
            for axis in &mut axes {
                (axis[p], axis[q]) = (c * axis[p] - s * axis[q], s * axis[p] + c * axis[q]);
            }
        }
    }
    ([m[0][0], m[1][1], m[2][2]], axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_give_the_tensor_back() {
        for a in [[2.0, 1.0, 3.0, 0.5, -0.4, 0.7], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]] {
            let (values, axes) = principal(&a);
            for (k, [i, j]) in INDEX.into_iter().enumerate() {
                let sum: f64 = (0..3).map(|m| values[m] * axes[i][m] * axes[j][m]).sum();
                assert!((sum - a[k]).abs() < 1e-14);
            }
            let (b, determinant) = inverse(&a);
            assert!((determinant - values.iter().product::<f64>()).abs() < 1e-13);
            let unit = product(&a, &b);
            assert!((unit[0] - 1.0).abs() < 1e-14 && unit[3].abs() < 1e-14);
        }
    }
}
