//! Sparse matrices of numbers, row after row: M, H and G of a problem in its global form.

/// A sparse matrix in compressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// Where each row starts in `indices` and `values`; one entry more than there are rows.
    starts: Vec<usize>,
    /// Column of each entry, rising within a row.
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// From entries (row, column, value) in any order; entries at one place add up.
    ///
    /// # Panics
    /// If an entry is outside of the matrix.
    pub fn from_entries(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> Self {
        let mut next = vec![0; rows + 1];
        for &(row, column, _) in entries {
            assert!(column < columns, "an entry is outside of the matrix");
            next[row + 1] += 1;
        }
        for row in 0..rows {
            next[row + 1] += next[row];
        }
        let ends = next.clone();
        let mut sorted = vec![(0, 0.0); entries.len()];
        for &(row, column, value) in entries {
            sorted[next[row]] = (column as u32, value);
            next[row] += 1;
        }
        let mut matrix = Self { rows, columns, starts: vec![0], ..Self::default() };
        for row in 0..rows {
            let entries = &mut sorted[ends[row]..ends[row + 1]];
            // Stable: what adds up does so in the order given.
            entries.sort_by_key(|&(column, _)| column);
            let start = matrix.indices.len();
            for &(column, value) in entries.iter() {
                match matrix.indices.last() {
                    Some(&last) if last == column && matrix.indices.len() > start => {
                        *matrix.values.last_mut().expect("there is a last index") += value;
                    }
                    _ => {
                        matrix.indices.push(column);
                        matrix.values.push(value);
                    }
                }
            }
            matrix.starts.push(matrix.indices.len());
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no entry is stored.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Column and value of each entry of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let range = self.starts[row]..self.starts[row + 1];
        self.indices[range.clone()]
            .iter()
            .map(|&column| column as usize)
            .zip(self.values[range].iter().copied())
    }

    /// All entries (row, column, value), row after row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + Clone {
        (0..self.rows)
            .flat_map(|row| self.row(row).map(move |(column, value)| (row, column, value)))
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        let flipped: Vec<_> =
            self.entries().map(|(row, column, value)| (column, row, value)).collect();
        Self::from_entries(self.columns, self.rows, &flipped)
    }

    /// y += A x.
    pub fn multiply_add(&self, x: &[f64], y: &mut [f64]) {
        for (row, y) in y.iter_mut().enumerate() {
            *y += self.row(row).map(|(column, value)| value * x[column]).sum::<f64>();
        }
    }

    /// y += Aᵀ x.
    pub fn transposed_multiply_add(&self, x: &[f64], y: &mut [f64]) {
        for (row, &x) in x.iter().enumerate() {
            for (column, value) in self.row(row) {
                y[column] += value * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_add_up_and_products_are_right() {
        let entries = [(1, 2, 3.0), (0, 1, 1.0), (1, 0, 5.0), (0, 1, 1.5)];
        let matrix = SparseMatrix::from_entries(2, 3, &entries);
        let stored: Vec<_> = matrix.entries().collect();
        assert_eq!(stored, [(0, 1, 2.5), (1, 0, 5.0), (1, 2, 3.0)]);
        let mut y = [1.0, 0.0];
        matrix.multiply_add(&[1.0, 10.0, 100.0], &mut y);
        assert_eq!(y, [26.0, 305.0]);
        let (mut x, mut same) = ([0.0; 3], [0.0; 3]);
        matrix.transposed_multiply_add(&[1.0, 2.0], &mut x);
        matrix.transposed().multiply_add(&[1.0, 2.0], &mut same);
        assert_eq!(x, [10.0, 2.5, 6.0]);
        assert_eq!(x, same);
    }
}
