//! One writer for the directory of a run, and whether that directory is still there.
//!
//! A directory that was removed, or whose disk was taken away, is still written without a word where files are open: so
//! each file that is held open is looked for in its place, again and again. The system holds the lock for as long as the process lives, so that one that was killed leaves none behind: the file
//! `.lock` stays where it is and says who had it last.

use crate::RecordError;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// The file in a run's directory that is locked while the run is written.
pub(super) const LOCK: &str = ".lock";

/// Held while a run is written.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    /// Locked, where the file system knows locks.
    file: File,
}

/// Whether a file that is open is still the one in its place.
pub(crate) fn check_place(path: &Path, file: &File) -> Result<(), RecordError> {
    let gone = || {
        let why = "it is not there any more: removed, replaced, or on a disk that was taken away";
        RecordError::write(path, io::Error::new(io::ErrorKind::NotFound, why))
    };
    let there = fs::metadata(path).map_err(|_| gone())?;
    let held = file.metadata().map_err(|source| RecordError::write(path, source))?;
    #[cfg(unix)]
    let same = {
        use std::os::unix::fs::MetadataExt;
        (there.dev(), there.ino()) == (held.dev(), held.ino())
    };
    #[cfg(not(unix))]
    let same = there.len() == held.len();
    if same { Ok(()) } else { Err(gone()) }
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
                return Ok(Self { path, file });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let text = format!("process {}\n", std::process::id());
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(failed)?;
        Ok(Self { path, file })
    }

    /// Whether the directory is still the one that was locked: another run may have taken its place.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        check_place(&self.path, &self.file)
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
        let second = RunLock::take_known(&directory).unwrap().unwrap();
        second.check().unwrap();
        // Gone, and gone too where another has come in its place.
        fs::remove_dir_all(&directory).unwrap();
        let gone = second.check().unwrap_err().to_string();
        assert!(gone.contains("not there any more"), "{gone}");
        fs::create_dir_all(&directory).unwrap();
        let third = RunLock::take(&directory).unwrap();
        assert!(second.check().is_err() && third.check().is_ok());
        fs::remove_dir_all(&directory).unwrap();
    }
}
