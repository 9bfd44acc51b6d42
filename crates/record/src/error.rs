//! What can go wrong with a run on disk.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What can go wrong with a run on disk.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file or directory cannot be made or written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The directory holds something else.
    #[error(
        "{} is not empty and not a run of drystone: choose another directory, or use --force",
        path.display()
    )]
    Occupied {
        /// Which.
        path: PathBuf,
    },
}

impl RecordError {
    /// A file or directory that cannot be written.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }
    /// A file that cannot be read.
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}
