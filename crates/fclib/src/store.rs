//! HDF5 files, and nothing about what is in them: the only module that knows the HDF5 library.

use crate::Error;
use rust_hdf5::{DatatypeMessage, H5Dataset, H5File, H5Group, H5Type, Hdf5Error, LibverBound};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most bytes that one byte of a file can hold: the limit of deflate.
const LARGEST_EXPANSION: u64 = 1032;

/// An HDF5 file that is open for reading.
pub struct Store {
    path: PathBuf,
    file: H5File,
    datasets: BTreeSet<String>,
    /// Bytes in the file.
    length: u64,
}

impl Store {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let cannot = |error: &std::io::Error| {
            let help = "check the path and the permissions";
            Error::new(path, "", error.to_string(), "a file that can be read", help)
        };
        let length = std::fs::metadata(path).map_err(|error| cannot(&error))?.len();
        if let Some(whole) = stated_length(path).filter(|&whole| whole > length) {
            let found = format!("{length} bytes");
            let help = "the file is truncated: get it again from its source";
            return Err(Error::new(path, "", found, format!("{whole} bytes, as it says"), help));
        }
        // Recorded problems often lie on read-only file systems, which know no locks.
        let options = H5File::options().best_effort_locking();
        let file = options.open(path).map_err(|error| match &error {
            Hdf5Error::Io(error) => cannot(error),
            _ => {
                let help =
                    "the file is damaged, incomplete or no HDF5: get it again from its source";
                Error::new(path, "", reason(&error), "a whole HDF5 file", help)
            }
        })?;
        let datasets = file.dataset_names().into_iter().collect();
        Ok(Self { path: path.to_owned(), file, datasets, length })
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is such a dataset.
    pub fn has(&self, key: &str) -> bool {
        self.datasets.contains(key)
    }

    /// Whether there is a dataset in such a group.
    pub fn has_group(&self, key: &str) -> bool {
        let prefix = format!("{key}/");
        let next = self.datasets.range(prefix.clone()..).next();
        next.is_some_and(|dataset| dataset.starts_with(&prefix))
    }

    /// Names of the top groups.
    pub fn top_groups(&self) -> Vec<&str> {
        let mut tops: Vec<&str> =
            self.datasets.iter().filter_map(|key| Some(key.split_once('/')?.0)).collect();
        tops.dedup();
        tops
    }

    /// The numbers of a dataset. Integers are numbers too.
    pub fn reals(&self, key: &str) -> Result<Vec<f64>, Error> {
        let dataset = self.dataset(key)?;
        let numbers = dataset.read_numeric_as::<f64>().or_else(|error| {
            let integers = dataset.read_numeric_as::<i64>().map_err(|_| error)?;
            Ok(integers.into_iter().map(|number| number as f64).collect())
        });
        numbers.map_err(|error| self.unreadable(key, "numbers", &error))
    }

    /// The integers of a dataset.
    pub fn integers(&self, key: &str) -> Result<Vec<i64>, Error> {
        let numbers = self.dataset(key)?.read_numeric_as::<i64>();
        numbers.map_err(|error| self.unreadable(key, "integers", &error))
    }

    /// The text of a dataset; what cannot be decoded is replaced, and a text that cannot be read at
    /// all is empty: texts are for people only.
    pub fn text(&self, key: &str) -> String {
        let texts = self.dataset(key).ok().and_then(|set| set.read_strings_lossy().ok());
        texts.and_then(|texts| texts.into_iter().next()).unwrap_or_default()
    }

    fn dataset(&self, key: &str) -> Result<H5Dataset, Error> {
        if !self.has(key) {
            let help = "the file is incomplete or of another layout; docs/fclib.md tells ours";
            return Err(Error::new(&self.path, key, "nothing", "a dataset", help));
        }
        let dataset =
            self.file.dataset(key).map_err(|error| self.unreadable(key, "a dataset", &error))?;
        // A damaged size must not ask for more memory than there is.
        let sizes = dataset.shape().into_iter().map(|size| size as u64);
        let bytes = sizes.fold(dataset.element_size() as u64, u64::saturating_mul);
        if bytes > self.length.saturating_mul(LARGEST_EXPANSION) {
            let found = format!("a size of {bytes} bytes in a file of {}", self.length);
            let help = "the file is damaged: get it again from its source";
            return Err(Error::new(&self.path, key, found, "a size that fits the file", help));
        }
        Ok(dataset)
    }

    fn unreadable(&self, key: &str, expected: &str, error: &Hdf5Error) -> Error {
        let help = "the file is damaged or of another layout; docs/fclib.md tells ours";
        Error::new(&self.path, key, reason(error), expected, help)
    }
}

/// The length that the head of a file states: one that was cut off is shorter, even where all that we would
/// read is still there. `None` where there is no such head; then the library will say what is wrong.
fn stated_length(path: &Path) -> Option<u64> {
    use std::io::Read;
    let mut head = [0; 64];
    std::fs::File::open(path).ok()?.read_exact(&mut head).ok()?;
    let start = head.strip_prefix(b"\x89HDF\r\n\x1a\n")?;
    // Sizes of addresses, and where the third of them is: after the base and one other.
    let (size, addresses) = match start[0] {
        0 => (start[5], 16),
        1 => (start[5], 20),
        2 | 3 => (start[1], 4),
        _ => return None,
    };
    let size = usize::from(size);
    let address = |number: usize| {
        let bytes = start.get(addresses + number * size..)?.get(..size.min(8))?;
        Some(bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    };
    address(0)?.checked_add(address(2)?)
}

/// An HDF5 file that is being written.
pub struct NewStore {
    path: PathBuf,
    file: H5File,
    groups: BTreeMap<String, H5Group>,
}

impl NewStore {
    /// Writes a file. It appears under its name only when it is whole.
    pub fn write(
        path: &Path,
        fill: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".part");
        let unfinished = PathBuf::from(unfinished);
        // The oldest form of HDF5, which every program reads.
        let options = H5File::options().best_effort_locking().libver(LibverBound::Earliest);
        let file = options.create(&unfinished).map_err(|error| unwritable(path, &error))?;
        let mut store = Self { path: path.to_owned(), file, groups: BTreeMap::new() };
        let outcome = fill(&mut store).and_then(|()| {
            store.file.close().map_err(|error| unwritable(path, &error))?;
            let renamed = std::fs::rename(&unfinished, path);
            renamed.map_err(|error| unwritable(path, &error.into()))
        });
        if outcome.is_err() {
            // The first error is what counts.
            let _ = std::fs::remove_file(&unfinished);
        }
        outcome
    }

    /// Writes floating-point numbers.
    pub fn reals(&mut self, key: &str, values: &[f64]) -> Result<(), Error> {
        self.numbers(key, values)
    }

    /// Writes integers.
    ///
    /// # Errors
    /// Where one is too large for the layout's 32 bits, or the disk refuses.
    pub fn integers(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = i64>,
    ) -> Result<(), Error> {
        let narrow = |value: i64| {
            i32::try_from(value).map_err(|_| {
                let help = "the layout has 32-bit integers: the problem is too large for it";
                Error::new(&self.path, key, value.to_string(), "at most 2147483647", help)
            })
        };
        let values = values.into_iter().map(narrow).collect::<Result<Vec<i32>, Error>>()?;
        self.numbers(key, &values)
    }

    /// Writes a text, as C programs expect it: of fixed length, with a zero at its end.
    pub fn text(&mut self, key: &str, text: &str) -> Result<(), Error> {
        let mut bytes = text.replace('\0', " ").into_bytes();
        bytes.push(0);
        let datatype = match text.is_ascii() {
            true => DatatypeMessage::fixed_string(bytes.len() as u32),
            false => DatatypeMessage::fixed_string_utf8(bytes.len() as u32),
        };
        self.dataset(key, |group, name| {
            let builder = group.new_dataset::<u8>().datatype(datatype).scalar();
            builder.create(name)?.write_raw_bytes(&bytes)
        })
    }

    fn numbers<T: H5Type>(&mut self, key: &str, values: &[T]) -> Result<(), Error> {
        self.dataset(key, |group, name| {
            let dataset = group.new_dataset::<T>().shape([values.len()]).create(name)?;
            // The library takes nothing for an empty dataset, not even nothing.
            if values.is_empty() { Ok(()) } else { dataset.write_raw(values) }
        })
    }

    fn dataset(
        &mut self,
        key: &str,
        write: impl FnOnce(&H5Group, &str) -> rust_hdf5::Result<()>,
    ) -> Result<(), Error> {
        let (group, name) = key.rsplit_once('/').unwrap_or(("", key));
        let outcome = self.group(group).and_then(|group| write(group, name));
        outcome.map_err(|error| unwritable(&self.path, &error))
    }

    /// The group of that name, made where it is missing.
    fn group(&mut self, key: &str) -> rust_hdf5::Result<&H5Group> {
        if !self.groups.contains_key(key) {
            let group = match key.rsplit_once('/') {
                _ if key.is_empty() => self.file.root_group(),
                None => self.file.create_group(key)?,
                Some((parent, name)) => self.group(parent)?.create_group(name)?,
            };
            self.groups.insert(key.to_owned(), group);
        }
        Ok(&self.groups[key])
    }
}

fn unwritable(path: &Path, error: &Hdf5Error) -> Error {
    let help = "check the directory, its permissions and the space left";
    Error::new(path, "", reason(error), "a file that can be written", help)
}

/// The library's words on one line.
fn reason(error: &Hdf5Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
