//! Sparse LU with pivots of matrices that have a pattern of their own.

use faer::MatMut;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu as Factors, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

/// A pattern that was analysed, and the factors of the last matrix that had it.
#[derive(Debug)]
pub struct Lu {
    symbolic: SymbolicLu<u32>,
    factors: Option<Box<Factors<u32, f64>>>,
}

impl Lu {
    /// Analyses a pattern. `None` if there is not enough memory.
    ///
    /// # Panics
    /// If `starts` and `columns` are no pattern.
    pub fn new(starts: &[u32], columns: &[u32]) -> Option<Self> {
        let size = starts.len() - 1;
        // Rows of the matrix are columns of its transpose, which is what is factored.
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, columns);
        Some(Self { symbolic: SymbolicLu::try_new(pattern).ok()?, factors: None })
    }

    /// Factors a matrix of the pattern; false where it is found to be singular. A singular matrix
    /// may also be factored, and then gives answers that are no numbers.
    ///
    /// # Panics
    /// If the pattern is another one.
    pub fn factor(&mut self, starts: &[u32], columns: &[u32], values: &[f64]) -> bool {
        let size = starts.len() - 1;
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, columns);
        let matrix = SparseColMatRef::new(pattern, values);
        let factors = Factors::try_new_with_symbolic(self.symbolic.clone(), matrix);
        self.factors = factors.ok().map(Box::new);
        self.factors.is_some()
    }

    /// x ← A⁻¹ x for `count` columns, one after the other in `x`.
    ///
    /// # Panics
    /// If no matrix is factored.
    pub fn solve(&self, x: &mut [f64], count: usize) {
        let factors = self.factors.as_ref().expect("the matrix is factored before");
        let size = x.len() / count;
        factors.solve_transpose_in_place(MatMut::from_column_major_slice_mut(x, size, count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsymmetric_chain_is_solved() {
        let size = 120u32;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..size {
            let entries = [(row.wrapping_sub(1), -1.0), (row, 2.0), (row + 1, 0.5)];
            for (column, value) in entries.into_iter().filter(|&(column, _)| column < size) {
                columns.push(column);
                values.push(value);
            }
            starts.push(columns.len() as u32);
        }
        let expected: Vec<f64> = (0..size).map(|i| f64::from(i).cos()).collect();
        let product = |row: usize| -> f64 {
            let places = starts[row] as usize..starts[row + 1] as usize;
            places.map(|place| values[place] * expected[columns[place] as usize]).sum()
        };
        let mut x: Vec<f64> = (0..size as usize).map(product).collect();
        let mut lu = Lu::new(&starts, &columns).unwrap();
        assert!(lu.factor(&starts, &columns, &values));
        lu.solve(&mut x, 1);
        assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-12));
    }
}
