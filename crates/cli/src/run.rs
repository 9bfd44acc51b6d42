//! `drystone run`: from a scene file to a run on disk.

use crate::dump::{self, Dump};
use crate::progress::{Moment, Progress};
use crate::{Failure, report};
use clap::Args;
use drystone_engine::{AnyWorld, OnFailure, World};
use drystone_record::picture::PictureSettings;
use drystone_record::run::{self, Recorded, Recorder, Settings, Summary};
use drystone_scene::Scene;
use drystone_solve::Gather;
use drystone_space::Vector;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `run`.
#[derive(Args)]
pub struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// Directory of the run; an earlier run in it is replaced [default: `runs/` and the scene's name].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Threads to compute with; results do not depend on it [default: one per core].
    #[arg(short, long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
    /// End at this time instead of the scene's, in seconds.
    #[arg(short, long, value_name = "T", value_parser = positive)]
    until: Option<f64>,
    /// Write neither pictures nor plots.
    #[arg(long)]
    no_pictures: bool,
    /// Use the directory even if it holds something else.
    #[arg(short, long)]
    force: bool,
    /// Show no progress and no warnings.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    dump: dump::Arguments,
}

/// A positive number of the command line.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        Ok(_) => Err("must be positive and finite".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Runs a scene.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plain = |error: &dyn std::fmt::Display| format!("error: {error}");
    let scene = Scene::read(&arguments.scene).map_err(|report| report.to_string())?;
    if scene.warnings.warnings() > 0 && !arguments.quiet {
        eprintln!("{}", scene.warnings);
    }
    let world = scene.world().map_err(|error| plain(&error))?;
    let directory = arguments.output.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    run::prepare(&directory, arguments.force).map_err(|error| plain(&error))?;
    let interrupt = catch_interrupt().map_err(|error| plain(&error))?;
    let summary = match world {
        AnyWorld::Plane(world) => record(world, &scene, arguments, &directory, &interrupt),
        AnyWorld::Volume(world) => record(world, &scene, arguments, &directory, &interrupt),
    }?;
    report::print(&report::summary(&summary, &directory))?;
    report::failure(&summary.status).map_or(Ok(()), Err)
}

fn record<S: Recorded + Gather>(
    mut world: World<S>,
    scene: &Scene,
    arguments: &Arguments,
    directory: &Path,
    interrupt: &AtomicBool,
) -> Result<Summary, Failure> {
    let plain = |error: drystone_record::RecordError| format!("error: {error}");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.map_or(cores, usize::from);
    world.set_threads(threads);
    let settings = settings(scene, threads, !arguments.no_pictures);
    let recorder = Recorder::start(directory, settings, &world).map_err(plain)?;
    let end = arguments.until.unwrap_or(scene.end_time);
    let steps = (end / scene.time_step).round() as u64;
    let warn = world.setup().solver.on_failure == OnFailure::Warn;
    let mut progress = Progress::new(steps, arguments.quiet, warn);
    let dump = Dump::new(&arguments.dump, &scene.title)?;
    let mut dumped = Ok(());
    let mut seen = world.steps();
    let summary = run::run(&mut world, recorder, end, |world, report| {
        let bodies = world.bodies().len();
        let moment = Moment { step: world.steps(), time: world.time(), bodies, report: *report };
        progress.step(&moment, || world.diagnosis().to_string());
        dumped = dump.step(world, report.converged);
        seen = world.steps();
        if dumped.is_err() || interrupt.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    progress.finish();
    dumped?;
    // A step that stops the run is not watched.
    if world.steps() > seen {
        dump.step(&world, false)?;
    }
    summary.map_err(plain)
}

fn settings<S: Recorded>(scene: &Scene, threads: usize, pictures: bool) -> Settings<S> {
    let output = &scene.output;
    let corner = |c: [f64; 3]| S::Vector::from_fn(|i| c[i]);
    let pictures = pictures.then(|| PictureSettings {
        width: output.picture.0,
        height: output.picture.1,
        region: output.view.map(|view| (corner(view.low), corner(view.high))),
        speed_limit: output.speed_limit,
        force_limit: output.force_limit,
        ..PictureSettings::default()
    });
    Settings {
        title: scene.title.clone(),
        scene: scene.source.to_string(),
        threads,
        sample_interval: output.sample_interval,
        frame_interval: output.frame_interval,
        track: output.track.clone(),
        pictures,
    }
}

/// `runs/` and the name of the scene file without its ending.
fn default_directory(scene: &Path) -> PathBuf {
    Path::new("runs").join(scene.file_stem().unwrap_or(scene.as_os_str()))
}

/// A flag that is raised by Ctrl-C; the second time the program ends at once.
fn catch_interrupt() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let raised = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&raised);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(raised)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_after_its_scene() {
        assert_eq!(default_directory(Path::new("scenes/wall.toml")), Path::new("runs/wall"));
    }

    #[test]
    fn ends_must_be_positive() {
        assert_eq!(positive("2.5"), Ok(2.5));
        assert!(positive("0").is_err() && positive("inf").is_err() && positive("x").is_err());
    }
}
