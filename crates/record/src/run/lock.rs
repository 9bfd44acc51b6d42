//! One writer for the directory of a run.
//!
//! The system holds the lock for as long as the process lives, so that one that was killed leaves none behind: the file
//! `.lock` stays where it is and says who had it last.

use crate::RecordError;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;

/// The file in a run's directory that is locked while the run is written.
pub(super) const LOCK: &str = ".lock";

/// Held while a run is written.
#[derive(Debug)]
pub struct RunLock {
    /// `None` where the file system knows no locks.
    _file: Option<File>,
}

impl RunLock {
    /// Takes the lock of a directory that exists; refused, with who has it, if somebody writes a run there.
    pub fn take(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join(LOCK);
        let failed = |source| RecordError::write(&path, source);
        let mut file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = directory.to_owned();
                return Err(RecordError::Held { path, holder: holder(directory) });
            }
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Self { _file: None });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let text = format!("process {}\n", std::process::id());
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(failed)?;
        Ok(Self { _file: Some(file) })
    }

    /// The same for a directory that may hold nothing yet: `None` if nobody has ever locked it.
    pub(super) fn take_known(directory: &Path) -> Result<Option<Self>, RecordError> {
        directory.join(LOCK).exists().then(|| Self::take(directory)).transpose()
    }
}

/// Who says to have the lock.
fn holder(directory: &Path) -> String {
    let text = fs::read_to_string(directory.join(LOCK)).unwrap_or_default();
    match text.trim() {
        "" => "another process".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_it() {
        let directory = std::env::temp_dir().join(format!("drystone-lock-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        assert!(RunLock::take_known(&directory).unwrap().is_none());
        let first = RunLock::take(&directory).unwrap();
        let refused = RunLock::take(&directory).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        assert!(RunLock::take_known(&directory).unwrap().is_some());
        fs::remove_dir_all(&directory).unwrap();
    }
}
