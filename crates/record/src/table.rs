//! Tables as CSV files that grow by whole rows.

use crate::RecordError;
use crate::run::check_place;
use drystone_space::read_limited;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

/// Rows are kept back until there are this many bytes, or until [`Table::flush`].
const PENDING: usize = 1 << 16;

/// A CSV file that is being written.
pub struct Table {
    path: PathBuf,
    file: File,
    pending: String,
    sum: crc32fast::Hasher,
    length: u64,
}

/// How long a table is, and the checksum of so many bytes: what comes after them has been added since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    /// Bytes.
    pub bytes: u64,
    /// Their CRC-32, hexadecimal.
    pub crc32: String,
}

impl TableSum {
    /// Of so many bytes with this checksum.
    pub(crate) fn new(bytes: u64, sum: u32) -> Self {
        Self { bytes, crc32: format!("{sum:08x}") }
    }

    /// Whether a text begins with these bytes.
    fn check(&self, path: &Path, text: &[u8]) -> Result<(), RecordError> {
        let whole = usize::try_from(self.bytes).ok().and_then(|length| text.get(..length));
        let whole = whole.ok_or_else(|| {
            let why = format!("it has {} of {} bytes", text.len(), self.bytes);
            RecordError::damaged(path, why)
        })?;
        match Self::new(self.bytes, crc32fast::hash(whole)) == *self {
            true => Ok(()),
            false => {
                Err(RecordError::damaged(path, "its checksum does not fit: bytes were changed"))
            }
        }
    }
}

impl Table {
    /// A new table with its header.
    pub fn create(path: PathBuf, columns: &[String]) -> Result<Self, RecordError> {
        let file = File::create(&path).map_err(|source| RecordError::write(&path, source))?;
        let header: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let pending = header.join(",") + "\n";
        let mut table = Self { path, file, pending, sum: crc32fast::Hasher::new(), length: 0 };
        table.flush()?;
        Ok(table)
    }
    /// A table that was left at this length in bytes, and with this checksum if it is known: what was added later is
    /// cut off.
    pub fn reopen(path: PathBuf, length: u64, sum: Option<u32>) -> Result<Self, RecordError> {
        let failed = |source| RecordError::write(&path, source);
        let mut file = File::options().read(true).write(true).open(&path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() < length {
            return Err(RecordError::damaged(&path, format!("it is shorter than {length} bytes")));
        }
        let mut known = crc32fast::Hasher::new();
        let mut block = vec![0; PENDING];
        let mut left = length;
        while left > 0 {
            let size = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            file.read_exact(&mut block[..size]).map_err(failed)?;
            known.update(&block[..size]);
            left -= size as u64;
        }
        if sum.is_some_and(|sum| sum != known.clone().finalize()) {
            let why = "its checksum does not fit: bytes were changed";
            return Err(RecordError::damaged(&path, why));
        }
        file.set_len(length).map_err(failed)?;
        Ok(Self { path, file, pending: String::new(), sum: known, length })
    }
    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Brings what was written to the disk.
    pub fn sync(&self) -> Result<(), RecordError> {
        self.file.sync_data().map_err(|source| RecordError::write(&self.path, source))
    }
    /// Whether the file is still in its place.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        check_place(&self.path, &self.file)
    }
    /// Length of the file in bytes, and their CRC-32.
    pub fn sum(&self) -> (u64, u32) {
        (self.length, self.sum.clone().finalize())
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
        self.sum.update(self.pending.as_bytes());
        self.length += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}

/// The columns of a table and its rows, one after the other; a cell that is empty is no number.
///
/// Names of columns with commas in them are not taken apart: the tables of a run that are read back
/// have none. A last row that was cut off is left out.
pub fn read(path: &Path) -> Result<(Vec<String>, Vec<Vec<f64>>), RecordError> {
    read_whole(path, None)
}

/// The same of a table whose checksum is known, if it is.
pub(crate) fn read_whole(
    path: &Path,
    sum: Option<&TableSum>,
) -> Result<(Vec<String>, Vec<Vec<f64>>), RecordError> {
    let bytes = read_limited(path).map_err(|source| RecordError::read(path, source))?;
    sum.map_or(Ok(()), |sum| sum.check(path, &bytes))?;
    let text = String::from_utf8(bytes).map_err(|_| RecordError::damaged(path, "it is no text"))?;
    Ok(parse(&text))
}

/// The same of a text.
pub fn parse(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines();
    let columns: Vec<String> =
        lines.next().unwrap_or_default().split(',').map(str::to_owned).collect();
    let row = |line: &str| -> Vec<f64> {
        line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
    };
    let rows: Vec<Vec<f64>> = lines.map(row).filter(|row| row.len() == columns.len()).collect();
    (columns, rows)
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

    #[test]
    fn a_byte_that_was_changed_is_noticed() {
        let path = std::env::temp_dir().join(format!("drystone-sum-{}.csv", std::process::id()));
        let mut table = Table::create(path.clone(), &["time".to_owned()]).unwrap();
        (0..20_000).for_each(|i| table.row([Some(f64::from(i))]).unwrap());
        table.flush().unwrap();
        let (length, crc) = table.sum();
        let sum = TableSum::new(length, crc);
        assert_eq!(sum.bytes, std::fs::metadata(&path).unwrap().len());
        // What is added later does not matter.
        table.row([Some(-1.0)]).unwrap();
        table.flush().unwrap();
        assert_eq!(read_whole(&path, Some(&sum)).unwrap().1.len(), 20_001);
        let again = Table::reopen(path.clone(), length, Some(crc)).unwrap();
        assert_eq!(again.sum(), (length, crc));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[70_000] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        for error in [
            read_whole(&path, Some(&sum)).unwrap_err(),
            Table::reopen(path.clone(), length, Some(crc)).err().unwrap(),
        ] {
            assert!(error.to_string().contains("checksum"), "{error}");
        }
        std::fs::write(&path, &bytes[..100]).unwrap();
        let cut = read_whole(&path, Some(&sum)).unwrap_err().to_string();
        assert!(cut.contains("it has 100 of"), "{cut}");
        std::fs::remove_file(&path).unwrap();
    }
}
