//! Files that are there as a whole or not at all, and come to the disk together.
//!
//! A file is written beside its place, and takes its name only when all of it is on the disk. To bring one file
//! there is to wait for the disk, whatever its size; file systems take what several threads ask for at once in
//! one go, so that many small files wait little longer than one.

use crate::RecordError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// Threads that wait for the disk at once.
const AT_ONCE: usize = 16;

/// Files of one folder that have yet to take their names; dropped, they are gone.
#[derive(Debug)]
pub(crate) struct Batch {
    folder: PathBuf,
    files: Vec<(String, File)>,
}

impl Batch {
    /// None so far.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), files: Vec::new() }
    }
    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }
    /// Writes a file beside its place.
    pub fn add<T>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, RecordError> {
        let failed = |error| RecordError::write(&self.folder.join(name), error);
        let file = File::create(self.beside(name)).map_err(failed)?;
        // Its own from now on: should writing fail, the rest of it would be in the way on a full disk.
        let mut one = Self { folder: self.folder.clone(), files: vec![(name.to_owned(), file)] };
        let written = write(&mut one.files[0].1).map_err(failed)?;
        self.files.append(&mut one.files);
        Ok(written)
    }
    /// Brings all files to the disk, and then gives them their names.
    pub fn commit(&mut self) -> Result<(), RecordError> {
        if self.files.is_empty() {
            return Ok(());
        }
        let failed = |name: &str, error| RecordError::write(&self.folder.join(name), error);
        let sync = |(name, file): &(String, File)| file.sync_data().map_err(|e| failed(name, e));
        at_once(&self.files, sync)?;
        for (name, _) in &self.files {
            fs::rename(self.beside(name), self.folder.join(name)).map_err(|e| failed(name, e))?;
        }
        self.files.clear();
        // Windows has no handles of folders; there the renames themselves are all that can be done.
        if cfg!(unix) {
            let here = self.folder.as_os_str().is_empty();
            let folder = if here { Path::new(".") } else { &self.folder };
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(|error| RecordError::write(folder, error))?;
        }
        Ok(())
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(beside_name(name))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        for (name, _) in &self.files {
            let _ = fs::remove_file(self.beside(name));
        }
    }
}

/// How files end that have yet to take their names.
const UNFINISHED: &str = ".new";

/// Where a file is before it has its name.
fn beside(path: &Path) -> PathBuf {
    path.with_file_name(beside_name(&path.file_name().unwrap_or_default().to_string_lossy()))
}

fn beside_name(name: &str) -> String {
    format!(".{name}{UNFINISHED}")
}

/// Writes a file that is there as a whole or not at all, without waiting for the disk: pictures and plots can be made
/// again.
pub(crate) fn put_whole<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> Result<T, RecordError> {
    let beside = beside(path);
    let written = File::create(&beside).and_then(|mut file| write(&mut file));
    let named = written.and_then(|written| fs::rename(&beside, path).map(|()| written));
    named.map_err(|error| {
        // What is left of it would be in the way on a full disk.
        let _ = fs::remove_file(&beside);
        RecordError::write(path, error)
    })
}

/// Removes the files that a killed run has left without a name.
pub(crate) fn remove_unfinished(folder: &Path) -> Result<(), RecordError> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        name.starts_with('.') && name.ends_with(UNFINISHED)
    };
    let mut left = entries.filter(unfinished);
    left.try_for_each(|path| fs::remove_file(&path).map_err(|e| RecordError::write(&path, e)))
}

/// Does something that waits for the disk with all items, many at a time.
pub(crate) fn at_once<T: Sync>(
    items: &[T],
    wait: impl Fn(&T) -> Result<(), RecordError> + Sync,
) -> Result<(), RecordError> {
    let (share, wait) = (items.len().div_ceil(AT_ONCE).max(1), &wait);
    thread::scope(|scope| {
        let start = |some| scope.spawn(move || <[T]>::iter(some).try_for_each(wait));
        let waiting: Vec<_> = items.chunks(share).map(start).collect();
        let end = |thread: thread::ScopedJoinHandle<_>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        waiting.into_iter().try_for_each(end)
    })
}

/// Puts bytes in the place of a file.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    replace_by(path, |file| file.write_all(bytes))
}

/// Puts what is written in the place of a file.
pub(super) fn replace_by<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> Result<T, RecordError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut batch = Batch::new(path.parent().unwrap_or(Path::new("")));
    let written = batch.add(&name, write)?;
    batch.commit()?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_take_their_names_together_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("drystone-batch-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut batch = Batch::new(&folder);
        for i in 0..40 {
            batch.add(&format!("{i:02}"), |file| file.write_all(&[i; 1000])).unwrap();
        }
        assert!(names(&folder).iter().all(|name| name.starts_with('.')));
        // One that cannot be written is gone, and takes nothing with it.
        let full = |_: &mut File| Err::<(), _>(io::ErrorKind::StorageFull.into());
        assert!(batch.add("full", full).unwrap_err().to_string().contains("full"));
        batch.commit().unwrap();
        assert_eq!(names(&folder), (0..40).map(|i| format!("{i:02}")).collect::<Vec<_>>());
        assert!((0..40).all(|i| fs::read(folder.join(format!("{i:02}"))).unwrap() == [i; 1000]));
        // A file is replaced only at the end; what is dropped before leaves nothing.
        batch.add("00", |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(folder.join("00")).unwrap(), [0; 1000]);
        drop(batch);
        assert_eq!(names(&folder).len(), 40);
        // A kill drops nothing.
        fs::write(folder.join(".40.new"), "x").unwrap();
        remove_unfinished(&folder).unwrap();
        assert_eq!(names(&folder).len(), 40);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_put_is_whole_or_not_there() {
        let folder = std::env::temp_dir().join(format!("drystone-put-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.png");
        put_whole(&path, |file| file.write_all(b"old")).unwrap();
        let full = |file: &mut File| {
            file.write_all(b"ne")?;
            Err::<(), _>(io::ErrorKind::StorageFull.into())
        };
        let error = put_whole(&path, full).unwrap_err().to_string();
        assert!(error.contains("a.png"), "{error}");
        assert_eq!((names(&folder).len(), fs::read(&path).unwrap()), (1, b"old".to_vec()));
        // One that was killed on the way has left it, and it is found.
        fs::write(beside(&path), "x").unwrap();
        remove_unfinished(&folder).unwrap();
        assert_eq!(names(&folder), ["a.png"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn one_failure_of_many_is_told() {
        let items: Vec<usize> = (0..100).collect();
        let failure = |&i: &usize| match i {
            37 => Err(RecordError::damaged(Path::new("37"), "x")),
            _ => Ok(()),
        };
        assert!(at_once(&items, failure).unwrap_err().to_string().contains("37"));
        at_once(&items[50..], failure).unwrap();
    }
}
