//! The linear systems of Newton's steps: dense where they are small, else sparse.

use drystone_linear::{Cholesky, DenseLu, Lu};

/// A square system given row after row.
#[derive(Debug, Default)]
pub(crate) struct SparseSystem {
    size: usize,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    dense: DenseLu,
}

/// Systems up to this size are solved densely.
const DENSE: usize = 150;

impl SparseSystem {
    /// Begins a system of this size.
    pub fn clear(&mut self, size: usize) {
        self.size = size;
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.values.clear();
    }

    /// Adds a row by its entries, in rising order of columns.
    pub fn row(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        for (column, value) in entries {
            self.columns.push(column as u32);
            self.values.push(value);
        }
        self.starts.push(self.columns.len() as u32);
    }

    /// Solves a symmetric positive definite system in place, of which only entries up to the
    /// diagonal were given; false where it is not definite.
    pub fn solve_symmetric(&self, right: &mut [f64]) -> bool {
        if self.size == 0 {
            return true;
        }
        let Some(mut llt) = Cholesky::new(&self.starts, &self.columns) else { return false };
        if !llt.factor(&self.starts, &self.columns, &self.values) {
            return false;
        }
        llt.solve(right, 1);
        right.iter().all(|x| x.is_finite())
    }

    /// Solves in place; false where the matrix is singular or the answer is no number.
    pub fn solve(&mut self, right: &mut [f64]) -> bool {
        let solved =
            if self.size <= DENSE { self.solve_dense(right) } else { self.solve_sparse(right) };
        solved && right.iter().all(|x| x.is_finite())
    }

    fn solve_sparse(&self, right: &mut [f64]) -> bool {
        let Some(mut lu) = Lu::new(&self.starts, &self.columns) else { return false };
        let factored = lu.factor(&self.starts, &self.columns, &self.values);
        if factored {
            lu.solve(right, 1);
        }
        factored
    }

    fn solve_dense(&mut self, right: &mut [f64]) -> bool {
        self.dense.clear(self.size);
        for row in 0..self.size {
            for place in self.starts[row] as usize..self.starts[row + 1] as usize {
                *self.dense.entry(row, self.columns[place] as usize) += self.values[place];
            }
        }
        let factored = self.dense.factor();
        if factored {
            self.dense.solve(right);
        }
        factored
    }
}
