//! The directory of a run: new, empty, or an earlier run, which is replaced.

use super::Summary;
use crate::RecordError;
use std::fs;
use std::io;
use std::path::Path;

/// Files that a run writes, besides its pictures.
const FILES: [&str; 10] = [
    "scene.toml",
    "summary.json",
    "ledger.csv",
    "steps.csv",
    "boundaries.csv",
    "bodies.csv",
    "energy.png",
    "energy.svg",
    "solver.png",
    "forces.png",
];

/// Makes the directory ready for a run.
///
/// An earlier run is removed from it, file by file: what else lies there is kept. A directory that
/// holds something else is refused, unless `force` is given.
pub fn prepare(directory: &Path, force: bool) -> Result<(), RecordError> {
    let failed = |source| RecordError::write(directory, source);
    match fs::read_dir(directory) {
        Ok(mut entries) => {
            let ours = Summary::read(directory).is_ok();
            if entries.next().is_some() && !ours && !force {
                return Err(RecordError::Occupied { path: directory.to_owned() });
            }
            clear(directory)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let frames = directory.join("frames");
    fs::create_dir_all(&frames).map_err(|source| RecordError::write(&frames, source))
}

fn clear(directory: &Path) -> Result<(), RecordError> {
    let frames = directory.join("frames");
    let pictures = fs::read_dir(&frames).into_iter().flatten().flatten().map(|e| e.path());
    let pictures = pictures.filter(|path| is_frame(path));
    for path in FILES.iter().map(|name| directory.join(name)).chain(pictures) {
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
        prepare(&directory, false).unwrap();
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
        assert!(prepare(&directory, false).is_err() && prepare(&directory, true).is_ok());
        assert!(prepare(&directory.join("mine.txt"), true).is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}
