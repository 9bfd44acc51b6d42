//! The rank of W, by Cholesky's factorisation with the largest diagonal entry first.

use crate::Assembled;

/// Most unknowns for which the rank is computed: the factorisation is dense.
const LARGEST: usize = 1800;
/// Diagonal entries that have fallen to this part of their own start are zero.
const NONE: f64 = 1e-10;

/// How many of the unknown impulses the velocities depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Components of all impulses.
    pub unknowns: usize,
    /// Rank of W, or a bound from above.
    pub rank: usize,
    /// Whether `rank` is only a bound: the problem is too large to compute it.
    pub bound: bool,
}

impl Rank {
    /// The rank of W; for large problems the bound by the movers' degrees of freedom, where they are
    /// known, or by the number of unknowns.
    pub fn of<const D: usize>(problem: &Assembled<D>, freedoms: Option<usize>) -> Self {
        let unknowns = D * problem.contacts();
        if unknowns > LARGEST {
            let rank = freedoms.unwrap_or(unknowns).min(unknowns);
            return Self { unknowns, rank, bound: true };
        }
        Self { unknowns, rank: rank(dense(problem), unknowns), bound: false }
    }
    /// How many independent changes of the impulses change no velocity, at least.
    pub fn excess(&self) -> usize {
        self.unknowns - self.rank
    }
}

/// W row by row.
fn dense<const D: usize>(problem: &Assembled<D>) -> Vec<f64> {
    let size = D * problem.contacts();
    let mut matrix = vec![0.0; size * size];
    for row in 0..problem.contacts() {
        for (column, block) in problem.delassus.row(row) {
            for (i, values) in block.iter().enumerate() {
                let start = (D * row + i) * size + D * column;
                matrix[start..start + D].copy_from_slice(values);
            }
        }
    }
    matrix
}

/// Rank of a symmetric positive semidefinite matrix, which is scaled to a unit diagonal first, so
/// that light and heavy bodies, lengths and angles count alike.
fn rank(mut matrix: Vec<f64>, size: usize) -> usize {
    let scale: Vec<f64> = (0..size).map(|i| matrix[i * size + i]).collect();
    let scale: Vec<f64> =
        scale.iter().map(|&d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
    for i in 0..size {
        for j in 0..size {
            matrix[i * size + j] *= scale[i] * scale[j];
        }
    }
    let mut left: Vec<usize> = (0..size).collect();
    for rank in 0..size {
        let diagonal = |&i: &usize| matrix[i * size + i];
        let largest =
            (0..left.len()).max_by(|&a, &b| diagonal(&left[a]).total_cmp(&diagonal(&left[b])));
        let Some(index) = largest.filter(|&index| diagonal(&left[index]) > NONE) else {
            return rank;
        };
        let pivot = left.swap_remove(index);
        let row: Vec<f64> = matrix[pivot * size..(pivot + 1) * size].to_vec();
        for &i in &left {
            let factor = row[i] / row[pivot];
            if factor != 0.0 {
                let target = &mut matrix[i * size..(i + 1) * size];
                for (t, r) in target.iter_mut().zip(&row) {
                    *t -= factor * r;
                }
            }
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_gram_matrices() {
        // Rows of a 5 × 3 matrix of rank 2, of very different sizes; its Gram matrix has that rank.
        let rows = [[1.0, 0.0, 1.0], [0.0, 1e-4, 0.0], [1.0, 1.0, 1.0], [2e3, -1e3, 2e3], [0.0; 3]];
        let gram = |i: usize, j: usize| (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
        let matrix = (0..25).map(|at| gram(at / 5, at % 5)).collect();
        assert_eq!(rank(matrix, 5), 2);
        assert_eq!(rank(vec![2.0, 1.0, 1.0, 2.0], 2), 2);
        assert_eq!(rank(Vec::new(), 0), 0);
    }
}
