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
    /// A file of a record is not what was written.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A directory holds no record that can be read.
    #[error("{} holds no run of drystone that can be read: {why}", path.display())]
    NoRecord {
        /// Which.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// The directory holds a run that has not reached its end.
    #[error(
        "{} holds a run that has not reached its end (t = {time} s): `drystone resume` goes on \
         with it, --force replaces it",
        path.display()
    )]
    Unfinished {
        /// Which.
        path: PathBuf,
        /// The time that it has reached.
        time: f64,
    },
    /// A run is being written in the directory.
    #[error(
        "{} is being written by {holder}: wait for its end, or choose another directory",
        path.display()
    )]
    Held {
        /// Which.
        path: PathBuf,
        /// Who writes.
        holder: String,
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
    /// A file that is not what was written.
    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }
    /// A file that cannot be read.
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}
