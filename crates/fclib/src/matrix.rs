//! Sparse matrices in a file: triplets, compressed columns or compressed rows.
//!
//! `nz` decides: the number of triplets (`i` row, `p` column, duplicates add up), −1 for compressed
//! columns (`p` column pointers, `i` rows), −2 for compressed rows (`p` row pointers, `i` columns).
//! Arrays may be longer than what is used of them, so their lengths tell nothing.

use crate::Error;
use crate::store::{NewStore, Store};
use drystone_solve::SparseMatrix;

const TRIPLETS: &str = "the number of triplets, -1 (compressed columns) or -2 (compressed rows)";
const DAMAGED: &str = "the matrix is damaged, or written by a program that means another layout";

/// Where a matrix is in a file.
pub struct Stored<'a> {
    store: &'a Store,
    group: String,
    rows: usize,
    columns: usize,
}

impl<'a> Stored<'a> {
    /// The matrix in a group, its sizes read.
    pub fn new(store: &'a Store, group: String) -> Result<Self, Error> {
        let mut stored = Self { store, group, rows: 0, columns: 0 };
        stored.rows = stored.size("m")?;
        stored.columns = stored.size("n")?;
        Ok(stored)
    }

    /// The number of columns, of which nothing else need know.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Reads the entries of a matrix that must have this size; `why` says what the size comes from.
    pub fn read(&self, rows: usize, columns: usize, why: &str) -> Result<SparseMatrix, Error> {
        if (self.rows, self.columns) != (rows, columns) {
            let found = format!("a matrix of {} by {}", self.rows, self.columns);
            let expected = format!("{rows} by {columns}, {why}");
            return Err(self.error(
                "m",
                found,
                expected,
                "vectors and matrices must fit each other",
            ));
        }
        let count = self.scalar("nz")?;
        let entries = match count {
            0.. => self.triplets(count as usize)?,
            -1 => self.compressed(columns, rows, |column, row, value| (row, column, value))?,
            -2 => self.compressed(rows, columns, |row, column, value| (row, column, value))?,
            _ => return Err(self.error("nz", count.to_string(), TRIPLETS, DAMAGED)),
        };
        Ok(SparseMatrix::from_entries(rows, columns, &entries))
    }

    fn triplets(&self, count: usize) -> Result<Vec<(usize, usize, f64)>, Error> {
        let rows = self.indices("i", count, self.rows)?;
        let columns = self.indices("p", count, self.columns)?;
        let values = self.values(count)?;
        Ok(rows.into_iter().zip(columns).zip(values).map(|((i, j), x)| (i, j, x)).collect())
    }

    fn compressed(
        &self,
        lines: usize,
        across: usize,
        entry: impl Fn(usize, usize, f64) -> (usize, usize, f64),
    ) -> Result<Vec<(usize, usize, f64)>, Error> {
        let pointers = self.used("p", lines + 1)?;
        let rising = pointers.windows(2).all(|pair| pair[0] <= pair[1]) && pointers[0] == 0;
        if !rising {
            let expected = "pointers that rise from 0";
            return Err(self.error("p", "pointers out of order", expected, DAMAGED));
        }
        let count = pointers[lines] as usize;
        let indices = self.indices("i", count, across)?;
        let values = self.values(count)?;
        let mut entries = Vec::with_capacity(count);
        for line in 0..lines {
            for k in pointers[line] as usize..pointers[line + 1] as usize {
                entries.push(entry(line, indices[k], values[k]));
            }
        }
        Ok(entries)
    }

    /// The first `count` integers of an array.
    fn used(&self, name: &str, count: usize) -> Result<Vec<i64>, Error> {
        let mut numbers = self.store.integers(&self.key(name))?;
        self.long_enough(name, numbers.len(), count)?;
        numbers.truncate(count);
        Ok(numbers)
    }

    fn indices(&self, name: &str, count: usize, bound: usize) -> Result<Vec<usize>, Error> {
        let index = |(position, number): (usize, i64)| {
            let inside = usize::try_from(number).ok().filter(|&index| index < bound);
            inside.ok_or_else(|| {
                let found = format!("{number} at position {position}");
                let expected = format!("indices from 0 to {}", bound as i64 - 1);
                self.error(name, found, expected, "indices count from zero")
            })
        };
        self.used(name, count)?.into_iter().enumerate().map(index).collect()
    }

    fn values(&self, count: usize) -> Result<Vec<f64>, Error> {
        let mut values = self.store.reals(&self.key("x"))?;
        self.long_enough("x", values.len(), count)?;
        values.truncate(count);
        finite(self.store, &self.key("x"), &values)?;
        Ok(values)
    }

    fn long_enough(&self, name: &str, length: usize, count: usize) -> Result<(), Error> {
        if length >= count {
            return Ok(());
        }
        let expected = format!("at least {count}, as sizes and pointers say");
        Err(self.error(name, format!("{length} numbers"), expected, DAMAGED))
    }

    fn size(&self, name: &str) -> Result<usize, Error> {
        let size = self.scalar(name)?;
        usize::try_from(size)
            .map_err(|_| self.error(name, size.to_string(), "a size of zero or more", DAMAGED))
    }

    fn scalar(&self, name: &str) -> Result<i64, Error> {
        scalar(self.store, &self.key(name))
    }

    fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.group)
    }

    fn error(
        &self,
        name: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
        help: &str,
    ) -> Error {
        Error::new(self.store.path(), &self.key(name), found, expected, help)
    }
}

/// Writes a matrix: the square W as compressed rows, others as triplets, as recorded problems do.
pub fn write(
    store: &mut NewStore,
    group: &str,
    matrix: &SparseMatrix,
    storage: Storage,
) -> Result<(), Error> {
    let key = |name: &str| format!("{group}/{name}");
    let count = matrix.len() as i64;
    store.integers(&key("m"), [matrix.rows() as i64])?;
    store.integers(&key("n"), [matrix.columns() as i64])?;
    store.integers(&key("nzmax"), [count])?;
    let columns = matrix.entries().map(|(_, column, _)| column as i64);
    match storage {
        Storage::Rows => {
            let ends = (0..matrix.rows()).scan(0, |end, row| {
                *end += matrix.row(row).count() as i64;
                Some(*end)
            });
            store.integers(&key("nz"), [-2])?;
            store.integers(&key("p"), std::iter::once(0).chain(ends))?;
            store.integers(&key("i"), columns)?;
        }
        Storage::Triplets => {
            store.integers(&key("nz"), [count])?;
            store.integers(&key("p"), columns)?;
            store.integers(&key("i"), matrix.entries().map(|(row, ..)| row as i64))?;
        }
    }
    let values: Vec<f64> = matrix.entries().map(|(.., value)| value).collect();
    store.reals(&key("x"), &values)
}

/// How a matrix is written.
#[derive(Clone, Copy)]
pub enum Storage {
    /// Compressed rows.
    Rows,
    /// Triplets.
    Triplets,
}

/// The one integer of a dataset.
pub fn scalar(store: &Store, key: &str) -> Result<i64, Error> {
    store
        .integers(key)?
        .first()
        .copied()
        .ok_or_else(|| Error::new(store.path(), key, "an empty dataset", "one integer", DAMAGED))
}

/// Refuses numbers that are none.
pub fn finite(store: &Store, key: &str, values: &[f64]) -> Result<(), Error> {
    let Some(at) = values.iter().position(|value| !value.is_finite()) else { return Ok(()) };
    let found = format!("{} at position {at}", values[at]);
    let help = "the program that wrote the file had failed before: record the step before it";
    Err(Error::new(store.path(), key, found, "finite numbers", help))
}
