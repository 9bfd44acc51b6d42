//! The library's sparse factorisations, as Newton's linear systems need them.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Mat, MatMut, Side};

/// A square system given row after row.
pub(crate) struct SparseSystem {
    size: usize,
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

/// Systems up to this size are solved densely.
const DENSE: usize = 90;

impl SparseSystem {
    pub fn new(size: usize) -> Self {
        Self { size, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Adds a row by its entries, in rising order of columns.
    pub fn row(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        for (column, value) in entries {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    /// Solves a symmetric positive definite system in place, of which only entries up to the
    /// diagonal were given; false where it is not definite.
    pub fn solve_symmetric(&self, right: &mut [f64]) -> bool {
        if self.size == 0 {
            return true;
        }
        let symbolic = SymbolicSparseColMatRef::new_checked(
            self.size,
            self.size,
            &self.starts,
            None,
            &self.columns,
        );
        let matrix = SparseColMatRef::new(symbolic, &self.values);
        // The rows up to the diagonal are the columns of the upper half.
        let Ok(symbolic) = SymbolicLlt::try_new(symbolic, Side::Upper) else { return false };
        let Ok(llt) = Llt::try_new_with_symbolic(symbolic, matrix, Side::Upper) else {
            return false;
        };
        llt.solve_in_place(MatMut::from_column_major_slice_mut(right, self.size, 1));
        right.iter().all(|x| x.is_finite())
    }

    /// Solves in place; false where the matrix is singular or the answer is no number.
    pub fn solve(&self, right: &mut [f64]) -> bool {
        if self.size == 0 {
            return true;
        }
        if self.size <= DENSE {
            self.solve_dense(right);
        } else {
            // Rows of the matrix are columns of its transpose.
            let symbolic = SymbolicSparseColMatRef::new_checked(
                self.size,
                self.size,
                &self.starts,
                None,
                &self.columns,
            );
            let matrix = SparseColMatRef::new(symbolic, &self.values);
            let Ok(symbolic) = SymbolicLu::try_new(symbolic) else { return false };
            let Ok(lu) = Lu::try_new_with_symbolic(symbolic, matrix) else { return false };
            lu.solve_transpose_in_place(MatMut::from_column_major_slice_mut(right, self.size, 1));
        }
        right.iter().all(|x| x.is_finite())
    }

    fn solve_dense(&self, right: &mut [f64]) {
        let mut matrix = Mat::<f64>::zeros(self.size, self.size);
        for row in 0..self.size {
            for place in self.starts[row]..self.starts[row + 1] {
                matrix[(row, self.columns[place])] += self.values[place];
            }
        }
        let size = self.size;
        matrix.partial_piv_lu().solve_in_place(MatMut::from_column_major_slice_mut(right, size, 1));
    }
}
