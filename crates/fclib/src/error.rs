//! What is wrong with a file, and where.

use std::path::{Path, PathBuf};

/// A file that is no contact problem, or cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: found {found}; expected {expected}\n  help: {help}", file.display(), colon(key))]
pub struct Error {
    /// The file.
    pub file: PathBuf,
    /// The group or dataset in it; empty for the file itself.
    pub key: String,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
    /// What to do about it.
    pub help: String,
}

fn colon(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!(": {key}") }
}

impl Error {
    pub(crate) fn new(
        file: &Path,
        key: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            key: key.to_owned(),
            found: found.into(),
            expected: expected.into(),
            help: help.into(),
        }
    }
}
