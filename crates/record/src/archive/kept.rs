//! Copies of the files that a scene has read, in `record/files`: with them a run can be read and
//! resumed wherever the scene's own files have gone.

use super::reader::folder;
use crate::RecordError;
use drystone_space::read_limited;
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

/// The checksum of each copy and its place.
pub(crate) fn kept_sums(files: &[(PathBuf, String)]) -> Vec<String> {
    files.iter().map(|(place, text)| sum_of(place, text.as_bytes())).collect()
}

fn sum_of(place: &Path, bytes: &[u8]) -> String {
    format!("{:08x} {}", crc32fast::hash(bytes), place.display())
}

/// Whether the copies are what was written. One that is missing is told where it is read.
pub(super) fn check_kept(folder: &Path, sums: &[String]) -> Result<(), RecordError> {
    for sum in sums {
        let Some((_, place)) = sum.split_once(' ') else { continue };
        let path = folder.join("files").join(place);
        let Ok(bytes) = read_limited(&path) else { continue };
        if sum_of(Path::new(place), &bytes) != *sum {
            let why = "its checksum does not fit: bytes were changed";
            return Err(RecordError::damaged(&path, why));
        }
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
