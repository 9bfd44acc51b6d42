//! Sparse LLᵀ of symmetric positive definite matrices.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{MatMut, Side};

/// A pattern that was analysed, and the factors of the last matrix that had it.
#[derive(Debug)]
pub struct Cholesky {
    symbolic: SymbolicLlt<u32>,
    factors: Option<Llt<u32, f64>>,
}

impl Cholesky {
    /// Analyses a pattern. Entries beyond the diagonal are not looked at, and may be left out.
    /// `None` if there is not enough memory.
    ///
    /// # Panics
    /// If `starts` and `columns` are no pattern.
    pub fn new(starts: &[u32], columns: &[u32]) -> Option<Self> {
        let size = starts.len() - 1;
        // Rows up to the diagonal are the columns of the upper half.
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, columns);
        Some(Self { symbolic: SymbolicLlt::try_new(pattern, Side::Upper).ok()?, factors: None })
    }

    /// Factors a matrix of the pattern; false if it is not positive definite.
    ///
    /// # Panics
    /// If the pattern is another one.
    pub fn factor(&mut self, starts: &[u32], columns: &[u32], values: &[f64]) -> bool {
        let size = starts.len() - 1;
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, columns);
        let matrix = SparseColMatRef::new(pattern, values);
        let factors = Llt::try_new_with_symbolic(self.symbolic.clone(), matrix, Side::Upper);
        self.factors = factors.ok();
        self.factors.is_some()
    }

    /// x ← A⁻¹ x for `count` columns, one after the other in `x`.
    ///
    /// # Panics
    /// If no matrix is factored.
    pub fn solve(&self, x: &mut [f64], count: usize) {
        let factors = self.factors.as_ref().expect("the matrix is factored before");
        let size = x.len() / count;
        factors.solve_in_place(MatMut::from_column_major_slice_mut(x, size, count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows up to the diagonal of a chain.
    fn chain(size: u32, diagonal: f64) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..size {
            if row > 0 {
                columns.push(row - 1);
                values.push(-1.0);
            }
            columns.push(row);
            values.push(diagonal);
            starts.push(columns.len() as u32);
        }
        (starts, columns, values)
    }

    #[test]
    fn factors_are_renewed_and_what_is_not_definite_is_refused() {
        let size = 200;
        let (starts, columns, _) = chain(size, 0.0);
        let mut cholesky = Cholesky::new(&starts, &columns).unwrap();
        for diagonal in [2.5, 4.0] {
            let (starts, columns, values) = chain(size, diagonal);
            assert!(cholesky.factor(&starts, &columns, &values));
            let expected: Vec<f64> = (0..size).map(|i| f64::from(i).sin()).collect();
            let near = |i: usize| {
                [i.wrapping_sub(1), i + 1].iter().filter_map(|&j| expected.get(j)).sum::<f64>()
            };
            let mut x: Vec<f64> =
                (0..size as usize).map(|i| diagonal * expected[i] - near(i)).collect();
            cholesky.solve(&mut x, 1);
            assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-13));
        }
        let (starts, columns, values) = chain(size, 1.0);
        assert!(!cholesky.factor(&starts, &columns, &values));
    }
}
