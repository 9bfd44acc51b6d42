//! Copies of the files that a scene has read, in `record/files`: with them a run can be read and
//! resumed wherever the scene's own files have gone.

use super::reader::folder;
use crate::RecordError;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of copies in the directory of a run.
pub fn kept_files(directory: &Path) -> PathBuf {
    folder(directory).join("files")
}

/// Writes copies: the place of each, relative to their folder, and what it says.
pub(crate) fn keep_files(directory: &Path, files: &[(PathBuf, String)]) -> Result<(), RecordError> {
    for (place, text) in files {
        let path = kept_files(directory).join(place);
        let parent = path.parent().unwrap_or(directory);
        fs::create_dir_all(parent).map_err(|error| RecordError::write(parent, error))?;
        fs::write(&path, text).map_err(|error| RecordError::write(&path, error))?;
    }
    Ok(())
}

/// Removes the copies of an earlier run.
pub(crate) fn remove_files(directory: &Path) -> Result<(), RecordError> {
    let folder = kept_files(directory);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(RecordError::write(&folder, error))
        }
        _ => Ok(()),
    }
}
