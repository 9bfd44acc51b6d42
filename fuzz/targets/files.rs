//! A folder of its own for the file that is read, in memory where the machine has such a place.

use drystone::scene::{Folders, Scene};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the bytes into a file of this name, and reads scenes that name it: each gives a scene or a report.
pub fn read_scenes(name: &str, bytes: &[u8], scenes: &[&str]) {
    let folder = folder();
    fs::write(folder.join(name), bytes).expect("a place for files");
    for scene in scenes {
        let folders = Folders { scene: Some(&folder), ..Folders::default() };
        match Scene::parse_in("fuzz.toml", scene, folders) {
            Ok(scene) => assert_eq!(scene.warnings.errors(), 0),
            Err(report) => assert!(report.errors() > 0 && !report.to_string().is_empty()),
        }
    }
}

fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("drystone-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a place for files");
    folder
}
