//! A folder of its own for the file that is read, in memory where the machine has such a place.

use drystone::scene::{Folders, Scene};
use std::fs;
use std::path::{Path, PathBuf};

/// What all scenes begin with.
const HEAD: &str = r#"
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
"#;

/// Writes the bytes into a file of this name, and reads scenes of this dimension that name it: each gives a scene or a report.
pub fn read_scenes(dimension: usize, name: &str, bytes: &[u8], scenes: &[&str]) {
    let folder = folder();
    fs::write(folder.join(name), bytes).expect("a place for files");
    let gravity = ["", "", "[0, -9.81]", "[0, 0, -9.81]"][dimension];
    for scene in scenes {
        let text = format!("dimension = {dimension}\ngravity = {gravity}\n{HEAD}{scene}\n");
        let folders = Folders { scene: Some(&folder), ..Folders::default() };
        match Scene::parse_in("fuzz.toml", &text, folders) {
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
