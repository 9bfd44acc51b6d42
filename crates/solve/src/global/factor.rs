//! Factorisation of a matrix that falls into independent parts.
//!
//! The mass matrix of rigid bodies is diagonal but for small blocks, that of a deformable body is
//! one large sparse block. So the matrix is split into its connected parts (rows and columns that
//! share an entry), small parts are factorised densely, large ones sparsely: by Cholesky where they are
//! symmetric and positive definite, else by LU.

use super::SparseMatrix;
use crate::union_find::UnionFind;
use drystone_linear::{Cholesky, DenseLu, Lu, Room};

/// Up to this size a part is factorised as a dense matrix: that of a deformable body with few nodes takes a
/// tenth of the time of a sparse factorisation.
const DENSE: usize = 128;
/// A relative difference across the diagonal that is rounding only.
const ROUNDING: f64 = 1e-12;

/// The matrix cannot be inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the matrix is singular: row {row}, counted from 0, and those coupled to it have no inverse"
)]
pub struct Singular {
    /// A row of the part that has no inverse.
    pub row: usize,
}

/// Which rows belong together.
pub struct Parts {
    /// Where the rows of each part start in `rows`; one entry more than there are parts.
    starts: Vec<u32>,
    /// The rows of each part, rising.
    rows: Vec<u32>,
    /// Part of each row, and its index there.
    index_in_part: Vec<(u32, u32)>,
}

impl Parts {
    /// The connected parts of a square matrix. Stored zeros connect nothing. Rows that stand alone
    /// join the row above when that does so too and `alike` says of the lower one that they are of
    /// one kind: fewer parts, which stay diagonal.
    pub fn of(matrix: &SparseMatrix, mut alike: impl FnMut(usize) -> bool) -> Self {
        let mut groups = UnionFind::new(matrix.rows());
        let mut alone = vec![true; matrix.rows()];
        for row in 0..matrix.rows() {
            for (column, value) in matrix.row(row) {
                if row != column && value != 0.0 {
                    groups.union(row as u32, column as u32);
                    (alone[row], alone[column]) = (false, false);
                }
            }
        }
        for row in 1..matrix.rows() {
            if alone[row - 1] && alone[row] && alike(row) {
                groups.union(row as u32 - 1, row as u32);
            }
        }
        let mut sizes: Vec<u32> = Vec::new();
        let mut index_in_part: Vec<(u32, u32)> = Vec::with_capacity(matrix.rows());
        for row in 0..matrix.rows() as u32 {
            // The first row leads, so that parts come in the order of their first rows.
            let leader = groups.find(row);
            let part =
                if leader == row { sizes.len() as u32 } else { index_in_part[leader as usize].0 };
            if leader == row {
                sizes.push(0);
            }
            index_in_part.push((part, sizes[part as usize]));
            sizes[part as usize] += 1;
        }
        let mut starts = vec![0];
        starts.extend(sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        let mut rows = vec![0; matrix.rows()];
        for (row, &(part, local)) in index_in_part.iter().enumerate() {
            rows[(starts[part as usize] + local) as usize] = row as u32;
        }
        Self { starts, rows, index_in_part }
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a part, rising.
    pub fn rows(&self, part: usize) -> &[u32] {
        &self.rows[self.starts[part] as usize..self.starts[part + 1] as usize]
    }
}

/// One part, factorised.
pub enum Factor {
    /// The numbers of a diagonal.
    Diagonal(Vec<f64>),
    /// Of a small part.
    Dense(DenseLu),
    /// Of a symmetric positive definite part.
    Cholesky(Cholesky),
    /// Of any other part.
    Lu(Lu),
}

impl Factor {
    /// Factorises the part `part` of `matrix`.
    pub fn new(matrix: &SparseMatrix, parts: &Parts, part: usize) -> Result<Self, Singular> {
        let rows = parts.rows(part);
        let size = rows.len();
        let singular = Singular { row: rows[0] as usize };
        let entries = rows.iter().enumerate().flat_map(|(local, &row)| {
            let inside = move |(column, value): (usize, f64)| {
                let (other, index) = parts.index_in_part[column];
                // A stored zero may lead out of the part.
                (other as usize == part).then_some((local, index as usize, value))
            };
            matrix.row(row as usize).filter_map(inside)
        });
        let numbers = entries.clone().filter(|&(row, column, value)| row != column && value != 0.0);
        if numbers.count() == 0 {
            let mut diagonal = vec![0.0; size];
            let own = entries.filter(|&(row, column, _)| row == column);
            own.for_each(|(row, _, value)| diagonal[row] = value);
            let singular = diagonal.iter().position(|&value| value == 0.0);
            return match singular {
                Some(row) => Err(Singular { row: rows[row] as usize }),
                None => Ok(Factor::Diagonal(diagonal)),
            };
        }
        if size <= DENSE {
            let mut dense = DenseLu::default();
            dense.clear(size);
            entries.for_each(|(row, column, value)| *dense.entry(row, column) = value);
            return if dense.factor() { Ok(Factor::Dense(dense)) } else { Err(singular) };
        }
        Self::sparse(size, entries).ok_or(singular)
    }

    /// A sparse factorisation, from the entries row after row, columns rising.
    fn sparse(
        size: usize,
        entries: impl Iterator<Item = (usize, usize, f64)> + Clone,
    ) -> Option<Self> {
        let (mut starts, mut columns, mut values) = (vec![0; size + 1], Vec::new(), Vec::new());
        for (row, column, value) in entries.clone() {
            columns.push(column as u32);
            values.push(value);
            starts[row + 1] = columns.len() as u32;
        }
        if is_symmetric(&starts, &columns, &values) {
            let mut cholesky = Cholesky::new(&starts, &columns)?;
            if cholesky.factor(&values).is_ok() {
                return Some(Factor::Cholesky(cholesky));
            }
        }
        Lu::new(&starts, &columns, &values).map(Factor::Lu)
    }

    /// x ← A⁻¹ x for `count` columns, one after the other in `x`.
    pub fn solve(&self, x: &mut [f64], count: usize) {
        let size = x.len() / count;
        match self {
            Factor::Diagonal(diagonal) => {
                for x in x.chunks_exact_mut(size) {
                    x.iter_mut().zip(diagonal).for_each(|(x, number)| *x /= number);
                }
            }
            Factor::Dense(dense) => x.chunks_exact_mut(size).for_each(|x| dense.solve(x)),
            Factor::Cholesky(cholesky) => cholesky.solve_in(&mut Room::default(), x),
            Factor::Lu(lu) => lu.solve(x),
        }
    }
}

/// Whether every entry has its like across the diagonal, but for rounding. Entries are measured by the
/// diagonals of their row and column: one that is the rest of what cancelled is itself all rounding.
fn is_symmetric(starts: &[u32], columns: &[u32], values: &[f64]) -> bool {
    let row = |row: usize| starts[row] as usize..starts[row + 1] as usize;
    let entry = |i: usize, j: usize| {
        let k = columns[row(i)].binary_search(&(j as u32));
        k.map_or(0.0, |k| values[row(i).start + k])
    };
    let scale: Vec<f64> = (0..starts.len() - 1).map(|i| entry(i, i).abs().sqrt()).collect();
    (0..starts.len() - 1).all(|i| {
        row(i).all(|k| {
            let j = columns[k] as usize;
            (values[k] - entry(j, i)).abs() <= ROUNDING * scale[i] * scale[j]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tridiagonal, unsymmetric matrix of `size` rows from `first` on.
    fn chain(first: usize, size: usize) -> Vec<(usize, usize, f64)> {
        let row = |i: usize| {
            let (low, high) =
                ((i > 0).then(|| (i, i - 1, -1.0)), (i + 1 < size).then(|| (i, i + 1, 0.5)));
            // The diagonal vanishes on every third row, so that rows must be swapped.
            [low, Some((i, i, if i.is_multiple_of(3) { 0.0 } else { 2.0 })), high]
                .into_iter()
                .flatten()
        };
        (0..size).flat_map(row).map(|(i, j, x)| (first + i, first + j, x)).collect()
    }

    #[test]
    fn parts_are_found_and_solved() {
        // One number, a small part, a large one, and a stored zero between them.
        let mut entries = vec![(0, 0, 4.0), (0, 5, 0.0)];
        entries.extend(chain(1, 6));
        entries.extend(chain(7, 150));
        let matrix = SparseMatrix::from_entries(157, 157, &entries);
        let parts = Parts::of(&matrix, |_| true);
        let sizes = (0..parts.len()).map(|part| parts.rows(part).len());
        assert_eq!(sizes.collect::<Vec<_>>(), [1, 6, 150]);
        assert_eq!(parts.index_in_part[8], (2, 1));
        for part in 0..parts.len() {
            let rows = parts.rows(part);
            let factor = Factor::new(&matrix, &parts, part).unwrap();
            let expected: Vec<f64> = (0..rows.len()).map(|i| (i as f64).sin()).collect();
            let mut whole = vec![0.0; 157];
            for (&row, x) in rows.iter().zip(&expected) {
                whole[row as usize] = *x;
            }
            let mut product = vec![0.0; 157];
            matrix.multiply_add(&whole, &mut product);
            let mut x: Vec<f64> = rows.iter().map(|&row| product[row as usize]).collect();
            factor.solve(&mut x, 1);
            let error = x.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-12, "part {part}: {error}");
        }
    }

    #[test]
    fn rows_that_stand_alone_join_those_of_their_kind() {
        let entries =
            [(0, 0, 1.0), (1, 1, 2.0), (2, 2, 4.0), (3, 4, 1.0), (4, 3, 1.0), (5, 5, 8.0)];
        let matrix = SparseMatrix::from_entries(6, 6, &entries);
        let parts = Parts::of(&matrix, |row| row != 1);
        let rows: Vec<&[u32]> = (0..parts.len()).map(|part| parts.rows(part)).collect();
        assert_eq!(rows, [&[0][..], &[1, 2], &[3, 4], &[5]]);
        let mut x = [1.0, 1.0, 3.0, 3.0];
        Factor::new(&matrix, &parts, 1).unwrap().solve(&mut x, 2);
        assert_eq!(x, [0.5, 0.25, 1.5, 0.75]);
    }

    /// What is left where sums of elements cancel differs across the diagonal, as a whole and not by a
    /// rounding error: Cholesky's factorisation, far cheaper than LU, must be tried all the same.
    #[test]
    fn what_cancelled_does_not_make_a_matrix_unsymmetric() {
        let size = DENSE + 10;
        let matrix = |rest: f64| {
            let mut entries: Vec<_> = (0..size).map(|i| (i, i, 3.0)).collect();
            entries.extend((1..size).flat_map(|i| [(i, i - 1, 1.0), (i - 1, i, 1.0)]));
            entries.extend([(0, 9, rest), (9, 0, -2.0 * rest)]);
            SparseMatrix::from_entries(size, size, &entries)
        };
        let factor = |rest: f64| {
            let matrix = matrix(rest);
            Factor::new(&matrix, &Parts::of(&matrix, |_| true), 0).unwrap()
        };
        assert!(matches!(factor(1e-16), Factor::Cholesky(_)));
        assert!(matches!(factor(1e-6), Factor::Lu(_)));
    }

    #[test]
    fn singular_parts_are_told() {
        for size in [2, 140] {
            // The last row repeats the first one.
            let mut entries: Vec<_> = (0..size).map(|i| (i, i, 1.0)).collect();
            entries.extend((1..size).map(|i| (i - 1, i, 0.5)));
            entries.retain(|&(row, ..)| row != size - 1);
            entries.extend([(size - 1, 0, 1.0), (size - 1, 1, 0.5)]);
            let matrix = SparseMatrix::from_entries(size, size, &entries);
            let parts = Parts::of(&matrix, |_| true);
            let outcome = Factor::new(&matrix, &parts, 0).err();
            assert_eq!(outcome, Some(Singular { row: 0 }), "size {size}");
        }
        let empty = SparseMatrix::from_entries(1, 1, &[]);
        assert!(Factor::new(&empty, &Parts::of(&empty, |_| true), 0).is_err());
    }
}
