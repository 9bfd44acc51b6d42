//! The linear systems of Newton's steps: dense where they are small, else sparse.

use crate::assembled::{BlockMatrix, Local, Square};
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

/// A matrix of blocks with other diagonal blocks from time to time; its pattern is analysed once.
#[derive(Debug)]
pub(crate) struct BlockSystem<const D: usize> {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// What each row is multiplied by.
    scales: Vec<f64>,
    /// None where the system is small.
    sparse: Option<Lu>,
    dense: DenseLu,
}

impl<const D: usize> BlockSystem<D> {
    /// For matrices of this pattern. `None` if there is not enough memory.
    pub fn new(matrix: &BlockMatrix<D>) -> Option<Self> {
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for line in 0..matrix.rows() * D {
            let blocks = matrix.row(line / D);
            columns.extend(blocks.flat_map(|(d, _)| (0..D).map(move |j| (d * D + j) as u32)));
            starts.push(columns.len() as u32);
        }
        let small = matrix.rows() * D <= DENSE;
        let sparse = if small { None } else { Some(Lu::new(&starts, &columns)?) };
        let dense = DenseLu::default();
        Some(Self { starts, columns, values: Vec::new(), scales: Vec::new(), sparse, dense })
    }

    /// Takes on the values of a matrix.
    pub fn reset(&mut self, matrix: &BlockMatrix<D>) {
        self.values.clear();
        for line in 0..matrix.rows() * D {
            self.values.extend(matrix.row(line / D).flat_map(|(_, block)| block[line % D]));
        }
    }

    /// Adds to a diagonal block.
    pub fn add_diagonal(&mut self, row: usize, block: &Square<D>) {
        for (i, line) in block.iter().enumerate() {
            let range = self.starts[row * D + i] as usize..self.starts[row * D + i + 1] as usize;
            let place = self.columns[range.clone()].partition_point(|&c| (c as usize) < row * D);
            (0..D).for_each(|j| self.values[range.start + place + j] += line[j]);
        }
    }

    /// Factors; false where the matrix is found to be singular. Rows of contacts that are apart are larger
    /// than others by many orders: all are brought to one size.
    pub fn factor(&mut self) -> bool {
        self.scales.clear();
        for ends in self.starts.windows(2) {
            let row = &mut self.values[ends[0] as usize..ends[1] as usize];
            let scale = 1.0 / row.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
            row.iter_mut().for_each(|x| *x *= scale);
            self.scales.push(scale);
        }
        if let Some(lu) = &mut self.sparse {
            return lu.factor(&self.starts, &self.columns, &self.values);
        }
        let size = self.starts.len() - 1;
        self.dense.clear(size);
        for row in 0..size {
            for place in self.starts[row] as usize..self.starts[row + 1] as usize {
                *self.dense.entry(row, self.columns[place] as usize) = self.values[place];
            }
        }
        self.dense.factor()
    }

    /// x ← A⁻¹ x.
    ///
    /// # Panics
    /// If the last [`BlockSystem::factor`] failed.
    pub fn solve(&self, x: &mut [Local<D>]) {
        let x = x.as_flattened_mut();
        x.iter_mut().zip(&self.scales).for_each(|(x, scale)| *x *= scale);
        match &self.sparse {
            Some(lu) => lu.solve(x, 1),
            None => self.dense.solve(x),
        }
    }
}
