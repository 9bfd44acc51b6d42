//! `drystone new`: a small scene to start from.

use crate::{Failure, report};
use clap::Args;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The scene that is written.
const SCENE: &str = include_str!("new.toml");

/// Arguments of `new`.
#[derive(Args)]
pub struct Arguments {
    /// Name of the scene; `.toml` is added if it is missing.
    name: PathBuf,
}

/// Writes the scene, unless there is a file of that name.
pub fn write(arguments: &Arguments) -> Result<(), Failure> {
    let path = with_ending(&arguments.name);
    let failed = |error: std::io::Error| format!("error: cannot write {}: {error}", path.display());
    let mut file = File::create_new(&path).map_err(failed)?;
    file.write_all(SCENE.as_bytes()).map_err(failed)?;
    let shown = path.display();
    report::print(&format!("{shown} written; run it with: drystone run {shown}\n"))
}

fn with_ending(name: &Path) -> PathBuf {
    if name.extension().is_some_and(|e| e == "toml") {
        return name.to_owned();
    }
    let mut name = name.as_os_str().to_owned();
    name.push(".toml");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_added_once() {
        assert_eq!(with_ending(Path::new("a/b")), Path::new("a/b.toml"));
        assert_eq!(with_ending(Path::new("b.v2")), Path::new("b.v2.toml"));
        assert_eq!(with_ending(Path::new("b.toml")), Path::new("b.toml"));
    }

    #[test]
    fn the_starting_scene_is_right() {
        let scene = drystone::scene::Scene::parse("new.toml", SCENE, None);
        let scene = scene.unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(scene.warnings.warnings(), 0, "{}", scene.warnings);
    }
}
