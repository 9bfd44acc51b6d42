//! Second-order tensors of the plane or of space; those of the plane leave the third row and column
//! zero.

use drystone_space::{Vector, math};
use std::ops::{Add, AddAssign, Mul};

/// A second-order tensor: row i, column j in `entries[i][j]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tensor {
    /// Rows.
    pub entries: [[f64; 3]; 3],
}

impl Tensor {
    /// a bᵀ.
    pub fn outer<V: Vector>(a: V, b: V) -> Self {
        let entry = |v: V, i: usize| if i < V::LENGTH { v.get(i) } else { 0.0 };
        let row = |i: usize| std::array::from_fn(|j| entry(a, i) * entry(b, j));
        Self { entries: std::array::from_fn(row) }
    }
    /// Sum of the diagonal.
    pub fn trace(&self) -> f64 {
        (0..3).map(|i| self.entries[i][i]).sum()
    }
    /// The tensor times a vector.
    pub fn apply<V: Vector>(&self, vector: V) -> V {
        V::from_fn(|i| (0..V::LENGTH).map(|j| self.entries[i][j] * vector.get(j)).sum())
    }
    /// Half the sum with its transpose.
    pub fn symmetric(&self) -> Self {
        let entry = |i: usize, j: usize| 0.5 * (self.entries[i][j] + self.entries[j][i]);
        Self { entries: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))) }
    }
    /// How far from symmetric: the norm of the skew part by that of the whole.
    pub fn asymmetry(&self) -> f64 {
        let norm = |t: &Self| t.entries.iter().flatten().map(|e| e * e).sum::<f64>().sqrt();
        let symmetric = self.symmetric();
        let skew = *self + symmetric * -1.0;
        let size = norm(self);
        if size > 0.0 { norm(&skew) / size } else { 0.0 }
    }
    /// Principal values of the symmetric part, the largest first, each with its direction; as many as
    /// the space has dimensions.
    pub fn principal<V: Vector>(&self) -> Vec<(f64, V)> {
        let mut a = self.symmetric().entries;
        let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let size: f64 = a.iter().flatten().map(|e| e * e).sum::<f64>().sqrt();
        // Jacobi's rotations converge quadratically: a handful of sweeps is plenty.
        for _ in 0..32 {
            let off: f64 = pairs.iter().map(|&(i, j)| a[i][j].abs()).sum();
            if off <= 1e-16 * size {
                break;
            }
            pairs.iter().for_each(|&(i, j)| rotate(&mut a, &mut axes, i, j));
        }
        let value = |i: usize| (a[i][i], V::from_fn(|row| axes[row][i]));
        let mut values: Vec<(f64, V)> = (0..V::LENGTH).map(value).collect();
        values.sort_by(|x, y| y.0.total_cmp(&x.0));
        values
    }
}

/// One of Jacobi's rotations: brings the entry (i, j) to zero.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], i: usize, j: usize) {
    if a[i][j] == 0.0 {
        return;
    }
    let theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    let t = theta.signum() / (theta.abs() + math::hypot(theta, 1.0));
    let (cos, sin) = (1.0 / math::hypot(t, 1.0), t / math::hypot(t, 1.0));
    for k in 0..3 {
        let (x, y) = (a[k][i], a[k][j]);
        (a[k][i], a[k][j]) = (cos * x - sin * y, sin * x + cos * y);
    }
    for k in 0..3 {
        let (x, y) = (a[i][k], a[j][k]);
        (a[i][k], a[j][k]) = (cos * x - sin * y, sin * x + cos * y);
        let (x, y) = (axes[k][i], axes[k][j]);
        (axes[k][i], axes[k][j]) = (cos * x - sin * y, sin * x + cos * y);
    }
}

impl Add for Tensor {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let entry = |i: usize, j: usize| self.entries[i][j] + other.entries[i][j];
        Self { entries: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))) }
    }
}

impl AddAssign for Tensor {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Tensor {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { entries: self.entries.map(|row| row.map(|entry| entry * factor)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3};

    #[test]
    fn principal_values_of_a_turned_tensor() {
        // 5 a aᵀ + 2 b bᵀ − 1 c cᵀ for three orthonormal directions.
        let [a, b, c] = [
            DVec3::new(2.0, 1.0, 2.0) / 3.0,
            DVec3::new(-2.0, 2.0, 1.0) / 3.0,
            DVec3::new(1.0, 2.0, -2.0) / 3.0,
        ];
        let tensor = Tensor::outer(a, a) * 5.0 + Tensor::outer(b, b) * 2.0 + Tensor::outer(c, -c);
        let found = tensor.principal::<DVec3>();
        for ((value, axis), (expected, direction)) in
            found.into_iter().zip([(5.0, a), (2.0, b), (-1.0, c)])
        {
            assert!((value - expected).abs() < 1e-14);
            assert!((axis.dot(direction).abs() - 1.0).abs() < 1e-14);
        }
        assert!((tensor.trace() - 6.0).abs() < 1e-14);
        assert!((tensor.apply(b) - 2.0 * b).length() < 1e-14);
    }

    #[test]
    fn the_plane_has_two_principal_values() {
        let tensor = Tensor { entries: [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0; 3]] };
        let found = tensor.principal::<DVec2>();
        assert_eq!(found.len(), 2);
        assert!((found[0].0 - 3.0).abs() < 1e-14 && (found[1].0 - 1.0).abs() < 1e-14);
    }

    #[test]
    fn asymmetry_is_the_share_of_the_skew_part() {
        let skew = Tensor { entries: [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0; 3]] };
        assert_eq!(skew.asymmetry(), 1.0);
        assert_eq!(Tensor::outer(DVec3::X, DVec3::X).asymmetry(), 0.0);
        assert_eq!(Tensor::default().asymmetry(), 0.0);
    }
}
