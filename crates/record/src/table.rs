//! Tables as CSV files that grow by whole rows.

use crate::RecordError;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Rows are kept back until there are this many bytes, or until [`Table::flush`].
const PENDING: usize = 1 << 16;

/// A CSV file that is being written.
pub struct Table {
    path: PathBuf,
    file: File,
    pending: String,
}

impl Table {
    /// A new table with its header.
    pub fn create(path: PathBuf, columns: &[String]) -> Result<Self, RecordError> {
        let file = File::create(&path).map_err(|source| RecordError::write(&path, source))?;
        let header: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let mut table = Self { path, file, pending: header.join(",") + "\n" };
        table.flush()?;
        Ok(table)
    }
    /// A table that was left at this length in bytes: what was added later is cut off.
    pub fn reopen(path: PathBuf, length: u64) -> Result<Self, RecordError> {
        let failed = |source| RecordError::write(&path, source);
        let mut file = File::options().write(true).open(&path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() < length {
            return Err(RecordError::damaged(&path, format!("it is shorter than {length} bytes")));
        }
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self { path, file, pending: String::new() })
    }
    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Brings what was written to the disk.
    pub fn sync(&self) -> Result<(), RecordError> {
        self.file.sync_data().map_err(|source| RecordError::write(&self.path, source))
    }
    /// Length of the file in bytes.
    pub fn length(&self) -> Result<u64, RecordError> {
        let read = self.file.metadata().map_err(|source| RecordError::read(&self.path, source))?;
        Ok(read.len())
    }
    /// Adds a row; `None` is an empty cell. Numbers are written so that they read back exactly.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Option<f64>>) -> Result<(), RecordError> {
        for (index, cell) in cells.into_iter().enumerate() {
            if index > 0 {
                self.pending.push(',');
            }
            if let Some(value) = cell {
                write!(self.pending, "{value:?}").expect("writing to a string does not fail");
            }
        }
        self.pending.push('\n');
        if self.pending.len() > PENDING { self.flush() } else { Ok(()) }
    }
    /// Writes all rows to the file.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.file
            .write_all(self.pending.as_bytes())
            .map_err(|source| RecordError::write(&self.path, source))?;
        self.pending.clear();
        Ok(())
    }
}

/// The columns of a table and its rows, one after the other; a cell that is empty is no number.
///
/// Names of columns with commas in them are not taken apart: the tables of a run that are read back
/// have none. A last row that was cut off is left out.
pub fn read(path: &Path) -> Result<(Vec<String>, Vec<Vec<f64>>), RecordError> {
    let text = std::fs::read_to_string(path).map_err(|source| RecordError::read(path, source))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines();
    let columns: Vec<String> =
        lines.next().unwrap_or_default().split(',').map(str::to_owned).collect();
    let row = |line: &str| -> Vec<f64> {
        line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
    };
    let rows: Vec<Vec<f64>> = lines.map(row).filter(|row| row.len() == columns.len()).collect();
    Ok((columns, rows))
}

/// A name as CSV needs it.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_exactly() {
        let path = std::env::temp_dir().join(format!("drystone-table-{}.csv", std::process::id()));
        let columns = ["time", "a,b", "say \"x\""].map(str::to_owned);
        let mut table = Table::create(path.clone(), &columns).unwrap();
        let numbers = [0.1 + 0.2, 1e-300, -7.0];
        table.row(numbers.map(Some)).unwrap();
        table.row([Some(1.0), None, Some(2.5)]).unwrap();
        table.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "time,\"a,b\",\"say \"\"x\"\"\"");
        let read: Vec<f64> = lines[1].split(',').map(|c| c.parse().unwrap()).collect();
        assert_eq!(read, numbers);
        assert_eq!(lines[2], "1.0,,2.5");
        std::fs::remove_file(&path).unwrap();
    }
}
