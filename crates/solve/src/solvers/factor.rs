//! (W + ρI)⁻¹ for one W and any ρ > 0, factored anew as often as ρ changes.
//!
//! Small matrices are factored densely in place as LU without pivoting, which is stable since the
//! symmetric part of W + ρI is positive definite; larger ones by sparse Cholesky, or by sparse LU
//! where W is not symmetric. The pattern is analysed once.

use crate::assembled::{BlockMatrix, Local};
use drystone_linear::{Cholesky, Lu};

/// Most unknowns of a dense factorisation.
const DENSE: usize = 150;
/// A relative asymmetry of W that is rounding only.
const ROUNDING: f64 = 1e-12;

/// W, and W + ρI factored.
#[derive(Debug)]
pub enum Factor {
    /// Of a small matrix.
    Dense(Dense),
    /// Of a large one.
    Sparse(Box<Sparse>),
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

    /// x ← (W + ρI)⁻¹ x.
    ///
    /// # Panics
    /// If the last [`Factor::shift`] failed.
    pub fn solve<const D: usize>(&self, x: &mut [Local<D>]) {
        let x = x.as_flattened_mut();
        match self {
            Self::Dense(dense) => dense.solve(x),
            Self::Sparse(sparse) => sparse.solve(x),
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

/// Rows of W, and the factors of W + ρI.
#[derive(Debug)]
pub struct Sparse {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    shifted: Vec<f64>,
    diagonals: Vec<usize>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Symmetric(Cholesky),
    Unsymmetric(Lu),
}

impl Sparse {
    fn new<const D: usize>(matrix: &BlockMatrix<D>) -> Option<Self> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut diagonals = Vec::new();
        for line in 0..matrix.rows() * D {
            for (column, block) in matrix.row(line / D) {
                for (j, &value) in block[line % D].iter().enumerate() {
                    if column * D + j == line {
                        diagonals.push(values.len());
                    }
                    columns.push((column * D + j) as u32);
                    values.push(value);
                }
            }
            starts.push(columns.len() as u32);
        }
        let kind = if matrix.asymmetry() <= ROUNDING {
            Kind::Symmetric(Cholesky::new(&starts, &columns)?)
        } else {
            Kind::Unsymmetric(Lu::new(&starts, &columns)?)
        };
        Some(Self { starts, columns, shifted: values.clone(), values, diagonals, kind })
    }

    fn shift(&mut self, shift: f64) -> bool {
        self.shifted.copy_from_slice(&self.values);
        for &place in &self.diagonals {
            self.shifted[place] += shift;
        }
        match &mut self.kind {
            Kind::Symmetric(llt) => llt.factor(&self.starts, &self.columns, &self.shifted),
            Kind::Unsymmetric(lu) => lu.factor(&self.starts, &self.columns, &self.shifted),
        }
    }

    fn solve(&self, x: &mut [f64]) {
        match &self.kind {
            Kind::Symmetric(llt) => llt.solve(x, 1),
            Kind::Unsymmetric(lu) => lu.solve(x, 1),
        }
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
            let matrix = chain(rows, skew);
            let mut factor = Factor::new(&matrix).expect("memory");
            assert_eq!(matches!(factor, Factor::Dense(_)), rows == 4);
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
