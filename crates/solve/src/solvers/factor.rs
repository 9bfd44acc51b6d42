//! (W + ρI)⁻¹ for one W and any ρ > 0, factored anew as often as ρ changes.
//!
//! Small matrices are factored densely in place as LU without pivoting, which is stable since the
//! symmetric part of W + ρI is positive definite. Of larger ones the symmetric part is factored, by sparse
//! Cholesky. The pattern is analysed once.

use crate::assembled::{BlockMatrix, Local};
use drystone_linear::Cholesky;

/// Most unknowns of a dense factorisation.
const DENSE: usize = 150;

/// W, and W + ρI factored.
#[derive(Debug)]
pub enum Factor {
    /// Of a small matrix.
    Dense(Dense),
    /// Of the symmetric part of a large one.
    Sparse(Box<Sparse>),
}

/// Multiplications, about.
#[derive(Clone, Copy, Debug)]
pub struct FactorPrice {
    /// Of a factorisation.
    pub factor: f64,
    /// Of a solve.
    pub solve: f64,
}

impl Factor {
    /// Takes in W. `None` if there is not enough memory.
    pub fn new<const D: usize>(matrix: &BlockMatrix<D>) -> Option<Self> {
        if matrix.rows() * D <= DENSE {
            Some(Self::Dense(Dense::new(matrix)))
        } else {
            Sparse::new(matrix).map(|sparse| Self::Sparse(Box::new(sparse)))
        }
    }

    /// Factors W + ρI. False if W + ρI has no factors: then ρ is too small.
    pub fn shift(&mut self, shift: f64) -> bool {
        match self {
            Self::Dense(dense) => dense.shift(shift),
            Self::Sparse(sparse) => sparse.shift(shift),
        }
    }

    /// What it takes, as known from the pattern.
    pub fn price(&self) -> FactorPrice {
        match self {
            Self::Dense(Dense { size, .. }) => {
                let size = *size as f64;
                FactorPrice { factor: size * size * size / 3.0, solve: size * size }
            }
            Self::Sparse(sparse) => {
                let stored = sparse.cholesky.stored() as f64;
                // As if all columns of L were of one length.
                let factor = stored * stored / sparse.cholesky.size() as f64;
                FactorPrice { factor, solve: 2.0 * stored }
            }
        }
    }

    /// x ← (W + ρI)⁻¹ x.
    ///
    /// # Panics
    /// If the last [`Factor::shift`] failed.
    pub fn solve<const D: usize>(&mut self, x: &mut [Local<D>]) {
        let x = x.as_flattened_mut();
        match self {
            Self::Dense(dense) => dense.solve(x),
            Self::Sparse(sparse) => sparse.cholesky.solve(x),
        }
    }
}

/// Columns of W, and of the factors L (with ones on its diagonal) and U in one square.
#[derive(Debug)]
pub struct Dense {
    matrix: Vec<f64>,
    factors: Vec<f64>,
    size: usize,
}

impl Dense {
    fn new<const D: usize>(matrix: &BlockMatrix<D>) -> Self {
        let size = matrix.rows() * D;
        let mut columns = vec![0.0; size * size];
        for row in 0..matrix.rows() {
            for (column, block) in matrix.row(row) {
                for (i, line) in block.iter().enumerate() {
                    for (j, &value) in line.iter().enumerate() {
                        columns[(column * D + j) * size + row * D + i] = value;
                    }
                }
            }
        }
        Self { factors: columns.clone(), matrix: columns, size }
    }

    fn shift(&mut self, shift: f64) -> bool {
        let n = self.size;
        self.factors.copy_from_slice(&self.matrix);
        for pivot in 0..n {
            self.factors[pivot * n + pivot] += shift;
        }
        for pivot in 0..n {
            let (left, right) = self.factors.split_at_mut((pivot + 1) * n);
            let column = &mut left[pivot * n + pivot..];
            let (diagonal, below) = column.split_first_mut().expect("a column has its diagonal");
            if diagonal.is_nan() || *diagonal <= 0.0 {
                return false;
            }
            let inverse = 1.0 / *diagonal;
            below.iter_mut().for_each(|l| *l *= inverse);
            for target in right.chunks_exact_mut(n) {
                let (head, rest) = target.split_at_mut(pivot + 1);
                subtract_scaled(rest, head[pivot], below);
            }
        }
        true
    }

    fn solve(&self, x: &mut [f64]) {
        let n = self.size;
        for (j, column) in self.factors.chunks_exact(n).enumerate() {
            let (head, rest) = x.split_at_mut(j + 1);
            subtract_scaled(rest, head[j], &column[j + 1..]);
        }
        for (j, column) in self.factors.chunks_exact(n).enumerate().rev() {
            let (head, rest) = x.split_at_mut(j);
            rest[0] /= column[j];
            subtract_scaled(head, rest[0], &column[..j]);
        }
    }
}

/// y −= s x.
#[inline(always)]
fn subtract_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    if s != 0.0 {
        y.iter_mut().zip(x).for_each(|(y, x)| *y -= s * x);
    }
}

/// Rows of W's symmetric part up to the diagonal, and the factors of it with ρI.
#[derive(Debug)]
pub struct Sparse {
    starts: Vec<u32>,
    values: Vec<f64>,
    shifted: Vec<f64>,
    cholesky: Cholesky,
}

impl Sparse {
    fn new<const D: usize>(matrix: &BlockMatrix<D>) -> Option<Self> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for line in 0..matrix.rows() * D {
            let (row, i) = (line / D, line % D);
            for (column, block) in matrix.row(row).take_while(|&(column, _)| column <= row) {
                let across = matrix.find(column, row).map(|k| &matrix.blocks[k]);
                let end = if column == row { i + 1 } else { D };
                for j in 0..end {
                    columns.push((column * D + j) as u32);
                    values.push(0.5 * (block[i][j] + across.map_or(0.0, |across| across[j][i])));
                }
            }
            starts.push(columns.len() as u32);
        }
        let cholesky = Cholesky::new(&starts, &columns)?;
        Some(Self { starts, shifted: values.clone(), values, cholesky })
    }

    fn shift(&mut self, shift: f64) -> bool {
        self.shifted.copy_from_slice(&self.values);
        // A row ends with its diagonal.
        for &end in &self.starts[1..] {
            self.shifted[end as usize - 1] += shift;
        }
        self.cholesky.factor(&self.shifted).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of contacts, each coupled to the next; `skew` makes it unsymmetric.
    fn chain(rows: usize, skew: f64) -> BlockMatrix<3> {
        let size = 3 * rows;
        let far = (0..size - 3).flat_map(|i| [(i, i + 3, 0.5 + skew), (i + 3, i, 0.5 - skew)]);
        let diagonal = (0..size).map(|i| (i, i, 1.0 + 0.1 * (i % 7) as f64));
        BlockMatrix::from_entries(rows, diagonal.chain(far))
    }

    #[test]
    fn solutions_satisfy_the_equations_dense_and_sparse() {
        for (rows, skew) in [(4, 0.0), (4, 0.2), (80, 0.0), (80, 0.2)] {
            let mut matrix = chain(rows, skew);
            let mut factor = Factor::new(&matrix).expect("memory");
            assert_eq!(matches!(factor, Factor::Dense(_)), rows == 4);
            if rows > 4 {
                // The symmetric part.
                matrix = chain(rows, 0.0);
            }
            for shift in [0.1, 3.0] {
                assert!(factor.shift(shift));
                let b: Vec<_> = (0..rows).map(|i| [i as f64, 1.0, -2.0]).collect();
                let mut x = b.clone();
                factor.solve(&mut x);
                let mut back = x.clone();
                back.as_flattened_mut().iter_mut().for_each(|x| *x *= shift);
                matrix.multiply_add(&x, &mut back);
                for (back, b) in back.as_flattened().iter().zip(b.as_flattened()) {
                    assert!((back - b).abs() < 1e-11 * rows as f64, "{back} {b}");
                }
            }
        }
    }

    #[test]
    fn what_has_no_factors_is_refused() {
        let matrix = BlockMatrix::<2>::from_entries(1, [(0, 0, -1.0), (1, 1, 1.0)].into_iter());
        let mut factor = Factor::new(&matrix).expect("memory");
        assert!(!factor.shift(0.5));
        assert!(factor.shift(2.0));
    }
}
