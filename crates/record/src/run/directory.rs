//! The directory of a run: new, empty, or an earlier run, which is replaced.

use super::recorder::FRAMES;
use super::{RunLock, Status, Summary};
use crate::RecordError;
use crate::archive::{self, frame_files};
use std::fs;
use std::io;
use std::path::Path;

/// Files that a run writes, besides its pictures.
const FILES: [&str; 18] = [
    "scene.toml",
    "summary.json",
    "ledger.csv",
    "steps.csv",
    "boundaries.csv",
    "bodies.csv",
    "joints.csv",
    "cell.csv",
    "membranes.csv",
    "energy.png",
    "energy.svg",
    "solver.png",
    "solver.svg",
    "forces.png",
    "record/about.json",
    "record/things.npz",
    "record/checkpoint.npz",
    "record/frames.csv",
];

/// Makes the directory ready for a run.
///
/// An earlier run is removed from it, file by file: what else lies there is kept. A run that could go
/// on and a directory that holds something else are refused, unless `force` is given. A run that is being written is
/// refused in any case.
pub fn prepare(directory: &Path, force: bool) -> Result<RunLock, RecordError> {
    let failed = |source| RecordError::write(directory, source);
    let mut lock = RunLock::take_known(directory)?;
    match fs::read_dir(directory) {
        Ok(mut entries) => {
            let path = directory.to_owned();
            match Summary::read(directory) {
                Ok(summary) if !force && can_go_on(directory, &summary.status) => {
                    return Err(RecordError::Unfinished { path, time: summary.time });
                }
                Err(_) if !force && entries.next().is_some() => {
                    return Err(RecordError::Occupied { path });
                }
                _ => {}
            }
            if lock.is_none() {
                lock = Some(RunLock::take(directory)?);
            }
            clear(directory)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    for folder in [directory.join(FRAMES), archive::folder(directory)] {
        fs::create_dir_all(&folder).map_err(|source| RecordError::write(&folder, source))?;
    }
    lock.map_or_else(|| RunLock::take(directory), Ok)
}

/// Whether a run was interrupted or killed, and left something to go on from.
fn can_go_on(directory: &Path, status: &Status) -> bool {
    let unfinished = matches!(status, Status::Running | Status::Interrupted);
    unfinished && archive::folder(directory).join("checkpoint.npz").exists()
}

fn clear(directory: &Path) -> Result<(), RecordError> {
    archive::remove_files(directory)?;
    let frames = directory.join(FRAMES);
    for folder in [directory, &archive::folder(directory), &frames] {
        archive::remove_unfinished(folder)?;
    }
    let pictures = fs::read_dir(&frames).into_iter().flatten().flatten().map(|e| e.path());
    let pictures = pictures.filter(|path| is_frame(path));
    let recorded = frame_files(&archive::folder(directory)).into_iter().map(|(_, path)| path);
    for path in FILES.iter().map(|name| directory.join(name)).chain(pictures).chain(recorded) {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(RecordError::write(&path, source));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a file is called like a picture of ours: six digits or more, and `.png`.
fn is_frame(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
    let digits = stem.len() >= 6 && stem.bytes().all(|b| b.is_ascii_digit());
    digits && path.extension().is_some_and(|e| e == "png")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_files_are_removed() {
        let directory = std::env::temp_dir().join(format!("drystone-dir-{}", std::process::id()));
        let lock = prepare(&directory, false).unwrap();
        // Nobody else may write while it is held, and nothing is removed.
        Summary::default().write(&directory).unwrap();
        assert!(matches!(prepare(&directory, true), Err(RecordError::Held { .. })));
        fs::remove_file(directory.join("summary.json")).unwrap();
        drop(lock);
        // Made, but empty apart from `frames`: not yet a run, so it is refused.
        assert!(matches!(prepare(&directory, false), Err(RecordError::Occupied { .. })));
        Summary::default().write(&directory).unwrap();
        for name in ["mine.txt", "ledger.csv", "frames/000001.png", "frames/best.png"] {
            fs::write(directory.join(name), "x").unwrap();
        }
        prepare(&directory, false).unwrap();
        let left = |name: &str| directory.join(name).exists();
        assert!(left("mine.txt") && left("frames/best.png"));
        assert!(!left("ledger.csv") && !left("frames/000001.png") && !left("summary.json"));
        Summary::default().write(&directory).unwrap();
        fs::write(directory.join("record/checkpoint.npz"), "x").unwrap();
        assert!(matches!(prepare(&directory, false), Err(RecordError::Unfinished { .. })));
        assert!(prepare(&directory, true).is_ok() && !left("record/checkpoint.npz"));
        assert!(prepare(&directory, false).is_err() && prepare(&directory, true).is_ok());
        assert!(prepare(&directory.join("mine.txt"), true).is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}
