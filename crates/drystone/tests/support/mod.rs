//! What the tests of the library share.

#![allow(dead_code, reason = "each test program uses its own part")]

use drystone::prelude::RecordOptions;
use std::path::PathBuf;

/// An empty directory of a test, removed at its end.
pub struct Workplace(pub PathBuf);

impl Workplace {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("drystone-lib-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Path of an example scene.
pub fn scene(name: &str) -> PathBuf {
    PathBuf::from(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR")))
}

/// Without pictures.
pub fn quietly() -> RecordOptions {
    RecordOptions { pictures: false, ..RecordOptions::default() }
}
