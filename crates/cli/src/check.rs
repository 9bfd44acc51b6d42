//! `drystone check`: says whether scenes are right, without running them.

use crate::{Failure, report};
use clap::Args;
use drystone_engine::{Dimension, World, with_world};
use drystone_scene::Scene;
use std::path::{Path, PathBuf};

/// Arguments of `check`.
#[derive(Args)]
pub struct Arguments {
    /// The scene files.
    #[arg(required = true)]
    scenes: Vec<PathBuf>,
}

/// Checks all scenes and fails if one of them is wrong.
pub fn check(arguments: &Arguments) -> Result<(), Failure> {
    let mut wrong = 0;
    for path in &arguments.scenes {
        match check_one(path) {
            Ok(line) => report::print(&format!("{}: {line}\n", path.display()))?,
            Err(message) => {
                eprintln!("{}\n", message.trim_end());
                wrong += 1;
            }
        }
    }
    match (wrong, arguments.scenes.len()) {
        (0, _) => Ok(()),
        (_, 1) => Err(String::new()),
        (wrong, all) => Err(format!("{wrong} of {all} scenes cannot be run")),
    }
}

fn check_one(path: &Path) -> Result<String, Failure> {
    let scene = Scene::read(path).map_err(|report| report.to_string())?;
    if scene.warnings.warnings() > 0 {
        eprintln!("{}", scene.warnings);
    }
    let world = scene.world().map_err(|error| format!("{}: {error}", path.display()))?;
    let counts = with_world!(world, world => describe(&world));
    let steps = (scene.end_time / scene.time_step).round();
    Ok(format!("ok: {}D, {counts}, {steps} steps to t = {} s", scene.dimension, scene.end_time))
}

fn describe<S: Dimension>(world: &World<S>) -> String {
    let setup = world.setup();
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut parts = vec![
        count(world.bodies().len(), "body", "bodies"),
        count(world.boundaries().len(), "boundary", "boundaries"),
    ];
    if !setup.arrivals.is_empty() {
        parts.push(count(setup.arrivals.len(), "arrival", "arrivals"));
    }
    parts.push(count(setup.laws.materials(), "material", "materials"));
    parts.join(", ")
}
