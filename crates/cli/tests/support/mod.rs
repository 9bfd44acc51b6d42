//! What the tests of the program share: a directory of their own, and the program itself.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty directory of a test, removed at its end.
pub struct Workplace(pub PathBuf);

impl Workplace {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("drystone-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    /// With a short run of a scene in `run`.
    pub fn with_run(name: &str, scene_name: &str, until: &str) -> Self {
        let place = Self::new(name);
        let (scene, run) = (scene(scene_name), place.path("run"));
        drystone(&["run", &scene, "-q", "--no-pictures", "--until", until, "-o", &run]);
        place
    }
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Path of an example scene.
pub fn scene(name: &str) -> String {
    format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Runs the program, which must succeed; what it prints.
pub fn drystone(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_drystone")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Runs the program in a directory, whatever comes of it.
pub fn drystone_in(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("the program starts")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A small disk in memory, taken away at the end of the test.
pub struct SmallDisk(pub PathBuf);

impl SmallDisk {
    pub fn mount(path: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir_all(&path).unwrap();
        let option = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &option, "tmpfs", path.to_str().unwrap()])
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then_some(Self(path))
    }
    /// Takes it away although files on it are open.
    pub fn take_away(&self) {
        assert!(Command::new("umount").arg("-l").arg(&self.0).status().unwrap().success());
    }
    pub fn resize(&self, size: &str) {
        let option = format!("remount,size={size}");
        let arguments = ["-o", &option, self.0.to_str().unwrap()];
        assert!(Command::new("mount").args(arguments).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).stderr(Stdio::null()).status();
    }
}
