//! `drystone check`: says whether scenes are right, without running them.

use crate::{Failure, report};
use clap::Args;
use drystone::Simulation;
use drystone::engine::with_world;
use drystone::scene::Scene;
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
    let (dimension, end) = (scene.dimension, scene.end_time);
    let steps = (end / scene.time_step).round();
    let simulation = Simulation::from_scene_of(scene, path)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let counts = describe(&simulation);
    Ok(format!("ok: {dimension}D, {counts}, {steps} steps to t = {end} s"))
}

fn describe(simulation: &Simulation) -> String {
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut parts = vec![
        count(simulation.bodies(), "body", "bodies"),
        count(simulation.boundaries(), "boundary", "boundaries"),
    ];
    let arrivals = with_world!(simulation.world(), world => world.setup().arrivals.len());
    if arrivals > 0 {
        parts.push(count(arrivals, "arrival", "arrivals"));
    }
    parts.push(count(simulation.materials().len(), "material", "materials"));
    parts.join(", ")
}
