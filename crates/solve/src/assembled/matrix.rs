//! A sparse matrix of small blocks, row after row.

use super::local::{Local, Square, add};
use super::product::row_product;

/// Square blocks in compressed rows. Every row has its diagonal block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockMatrix<const D: usize> {
    /// Where each row starts in `columns` and `blocks`; one entry more than there are rows.
    pub starts: Vec<u32>,
    /// Block column of each block, rising within a row.
    pub columns: Vec<u32>,
    /// The blocks.
    pub blocks: Vec<Square<D>>,
    /// Place of each row's diagonal block in `blocks`.
    diagonals: Vec<u32>,
}

impl<const D: usize> BlockMatrix<D> {
    /// From scalar entries (row, column, value) of a matrix with `rows` block rows; entries at one
    /// place add up.
    ///
    /// # Panics
    /// If an entry is outside of the matrix.
    pub fn from_entries(
        rows: usize,
        entries: impl Iterator<Item = (usize, usize, f64)> + Clone,
    ) -> Self {
        // The pattern first: which blocks are there.
        let mut pattern: Vec<Vec<u32>> = (0..rows as u32).map(|row| vec![row]).collect();
        for (row, column, _) in entries.clone() {
            assert!(column / D < rows, "an entry is outside of the matrix");
            let known = &mut pattern[row / D];
            let column = (column / D) as u32;
            // Entries come mostly in runs of one block.
            if known.last() != Some(&column) {
                known.push(column);
            }
        }
        for known in &mut pattern {
            known.sort_unstable();
            known.dedup();
        }
        let mut matrix = Self::from_pattern(&pattern);
        for (row, column, value) in entries {
            let k = matrix.find(row / D, column / D).expect("the pattern has all entries");
            matrix.blocks[k][row % D][column % D] += value;
        }
        matrix
    }

    /// A matrix of zeros with these block columns in each row: rising, the diagonal among them.
    pub fn from_pattern(pattern: &[Vec<u32>]) -> Self {
        let mut starts = vec![0];
        let mut columns = Vec::new();
        let mut diagonals = Vec::new();
        for (row, known) in pattern.iter().enumerate() {
            let diagonal = known.binary_search(&(row as u32)).expect("a row has its diagonal");
            diagonals.push((columns.len() + diagonal) as u32);
            columns.extend_from_slice(known);
            starts.push(columns.len() as u32);
        }
        let blocks = vec![[[0.0; D]; D]; columns.len()];
        Self { starts, columns, blocks, diagonals }
    }

    /// Takes on another pattern, rows one after the other, in the buffers that it has. All blocks are zero.
    ///
    /// # Panics
    /// If a row does not have its diagonal, or columns do not rise.
    pub fn reshape(&mut self, starts: &[u32], columns: &[u32]) {
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        self.columns.clear();
        self.columns.extend_from_slice(columns);
        self.blocks.clear();
        self.blocks.resize(columns.len(), [[0.0; D]; D]);
        self.diagonals.clear();
        for (row, ends) in starts.windows(2).enumerate() {
            let known = &columns[ends[0] as usize..ends[1] as usize];
            let diagonal = known.binary_search(&(row as u32)).expect("a row has its diagonal");
            self.diagonals.push(ends[0] + diagonal as u32);
        }
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.diagonals.len()
    }

    /// Column and block of each block of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Square<D>)> {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.columns[range.clone()].iter().map(|&c| c as usize).zip(&self.blocks[range])
    }

    /// The diagonal block of a row.
    #[inline(always)]
    pub fn diagonal(&self, row: usize) -> &Square<D> {
        &self.blocks[self.diagonals[row] as usize]
    }

    /// Place of a block, where it is stored.
    pub fn find(&self, row: usize, column: usize) -> Option<usize> {
        let start = self.starts[row] as usize;
        let known = &self.columns[start..self.starts[row + 1] as usize];
        known.binary_search(&(column as u32)).ok().map(|k| start + k)
    }

    /// y_row += Σ blocks x.
    #[inline(always)]
    pub fn row_multiply_add(&self, row: usize, x: &[Local<D>], y: Local<D>) -> Local<D> {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        add(&y, &row_product(&self.blocks[range.clone()], &self.columns[range], x))
    }

    /// y += W x.
    pub fn multiply_add(&self, x: &[Local<D>], y: &mut [Local<D>]) {
        for (row, y) in y.iter_mut().enumerate() {
            *y = self.row_multiply_add(row, x, *y);
        }
    }

    /// Largest |W_ij − W_ji| relative to the largest entry.
    pub fn asymmetry(&self) -> f64 {
        let mut largest = 0.0f64;
        let mut difference = 0.0f64;
        for row in 0..self.rows() {
            for (column, block) in self.row(row) {
                let other = self.find(column, row).map(|k| &self.blocks[k]);
                for i in 0..D {
                    for j in 0..D {
                        largest = largest.max(block[i][j].abs());
                        let mirrored = other.map_or(0.0, |other| other[j][i]);
                        difference = difference.max((block[i][j] - mirrored).abs());
                    }
                }
            }
        }
        if largest > 0.0 { difference / largest } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_at_one_place_add_up_and_products_are_right() {
        let entries = [(0, 0, 1.0), (0, 0, 1.0), (1, 3, 2.0), (3, 1, 2.5), (2, 2, 4.0)];
        let matrix = BlockMatrix::<2>::from_entries(2, entries.into_iter());
        assert_eq!(matrix.diagonal(0), &[[2.0, 0.0], [0.0, 0.0]]);
        let mut y = [[0.0; 2]; 2];
        matrix.multiply_add(&[[1.0, 10.0], [100.0, 1000.0]], &mut y);
        assert_eq!(y, [[2.0, 2000.0], [400.0, 25.0]]);
        assert_eq!(matrix.asymmetry(), 0.5 / 4.0);
    }

    #[test]
    fn a_matrix_takes_on_another_pattern() {
        let mut matrix = BlockMatrix::<2>::from_entries(2, [(0, 0, 1.0), (2, 1, 3.0)].into_iter());
        matrix.reshape(&[0, 1, 3, 4], &[0, 0, 1, 2]);
        assert_eq!(matrix, BlockMatrix::from_pattern(&[vec![0], vec![0, 1], vec![2]]));
    }

    #[test]
    fn a_row_without_entries_has_a_zero_diagonal() {
        let matrix = BlockMatrix::<3>::from_entries(2, [(0, 0, 1.0)].into_iter());
        assert_eq!(matrix.diagonal(1), &[[0.0; 3]; 3]);
    }
}
