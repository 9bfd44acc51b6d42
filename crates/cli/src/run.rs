//! `drystone run`: from a scene file to a run on disk.

use crate::dump::{self, Dump};
use crate::progress::{Moment, Progress};
use crate::{Failure, report, view};
use clap::Args;
use drystone_engine::{OnFailure, World, with_world};
use drystone_record::RecordError;
use drystone_record::picture::PictureSettings;
use drystone_record::run::{self, Recorded, Recorder, Settings, Summary};
use drystone_scene::{RecordLevel, Scene};
use drystone_solve::Gather;
use drystone_space::{Vector, give_back_at_once};
use drystone_viewer::Control;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Arguments of `run`.
#[derive(Args)]
pub struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// Directory of the run; an earlier run in it is replaced [default: `runs/` and the scene's name].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// End at this time instead of the scene's, in seconds.
    #[arg(short, long, value_name = "T", value_parser = positive)]
    until: Option<f64>,
    /// Seed of the scene's random numbers instead of its own; `runs/NAME-N` is then the default directory.
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// Use the directory even if it holds something else.
    #[arg(short, long)]
    force: bool,
    /// Show the run in the browser while it goes on; it can be paused there.
    #[arg(long)]
    view: bool,
    #[command(flatten)]
    serve: view::ServeOptions,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    dump: dump::Arguments,
}

/// How a scene is run, whether from its start or from a checkpoint.
#[derive(Args)]
pub struct How {
    /// Threads to compute with; results do not depend on it [default: one per core].
    #[arg(short, long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
    /// Write neither pictures nor plots.
    #[arg(long)]
    no_pictures: bool,
    /// Show no progress and no warnings.
    #[arg(short, long)]
    pub quiet: bool,
    /// Fail, after everything was written, if the run's verdict is that it is doubtful.
    #[arg(long)]
    pub strict: bool,
}

impl How {
    /// With all cores and without a word.
    pub fn quiet() -> Self {
        Self { threads: None, no_pictures: false, quiet: true, strict: false }
    }
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
    let scene = match arguments.seed {
        None => Scene::read(&arguments.scene),
        Some(seed) => Scene::read_with_seed(&arguments.scene, seed),
    };
    let mut scene = scene.map_err(|report| report.to_string())?;
    if scene.warnings.warnings() > 0 && !arguments.how.quiet {
        eprintln!("{}", scene.warnings);
    }
    let world = scene.take_world().map_err(|error| plain(&error))?;
    let directory = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_directory(&arguments.scene, arguments.seed));
    run::prepare(&directory, arguments.force).map_err(|error| plain(&error))?;
    let task = Task {
        end: arguments.until.unwrap_or(scene.end_time),
        folder: folder_of(&arguments.scene),
        scene: &scene,
        directory: &directory,
        how: &arguments.how,
        dump: Dump::new(&arguments.dump, &scene.title)?,
        interrupt: catch_interrupt().map_err(|error| plain(&error))?,
        deadline: None,
        serve: arguments.view.then_some(&arguments.serve),
    };
    let summary = with_world!(world, world => {
        let recorder = |settings, world: &_| Recorder::start(&directory, settings, world);
        task.record(world, recorder)
    })?;
    let told = tell(&summary, &directory, arguments.how.strict);
    // The page stays until the user ends the program; an interrupted run has ended it.
    while arguments.view && !task.interrupt.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    told
}

/// Prints the summary; a run that has failed is a failure and, if `strict`, one that is doubtful.
pub fn tell(summary: &Summary, directory: &Path, strict: bool) -> Result<(), Failure> {
    report::print(&report::summary(summary, directory))?;
    if let Some(failure) = report::failure(&summary.status) {
        return Err(failure);
    }
    match summary.verdict.reasons().len() {
        doubts if strict && doubts > 0 => {
            Err("error: the run is doubtful, which --strict does not allow".to_owned())
        }
        _ => Ok(()),
    }
}

/// An error as the user reads it.
pub fn plain(error: &dyn std::fmt::Display) -> Failure {
    format!("error: {error}")
}

/// A scene to run or to go on with.
pub struct Task<'a> {
    pub scene: &'a Scene,
    /// Folder of the scene's other files.
    pub folder: PathBuf,
    pub directory: &'a Path,
    pub end: f64,
    pub how: &'a How,
    pub dump: Dump<'a>,
    pub interrupt: Arc<AtomicBool>,
    /// When the run is to end, done or not.
    pub deadline: Option<Instant>,
    /// Where the run is shown while it goes on.
    pub serve: Option<&'a view::ServeOptions>,
}

impl Task<'_> {
    /// Runs the world to its end with the recorder that `open` makes.
    pub fn record<S: Recorded + Gather>(
        &self,
        mut world: World<S>,
        open: impl FnOnce(Settings<S>, &World<S>) -> Result<Recorder<S>, RecordError>,
    ) -> Result<Summary, Failure> {
        give_back_at_once();
        let plain = |error: RecordError| plain(&error);
        let how = self.how;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = how.threads.map_or(cores, usize::from);
        world.set_threads(threads);
        self.dump.prepare(&mut world);
        let recorder = open(self.settings(threads), &world).map_err(plain)?;
        let control = Arc::new(Control::default());
        let ended = self.serve.map(|serve| self.show(serve, &control)).transpose()?;
        let steps = (self.end / self.scene.time_step).round() as u64;
        let warn = world.setup().solver.on_failure == OnFailure::Warn;
        let mut progress = Progress::new(steps, world.steps(), how.quiet, warn);
        let mut dumped = Ok(());
        let mut seen = world.steps();
        let summary = run::run(&mut world, recorder, self.end, |world, report| {
            let bodies = world.bodies().len();
            let moment =
                Moment { step: world.steps(), time: world.time(), bodies, report: *report };
            progress.step(&moment, || world.diagnosis().to_string());
            dumped = self.dump.step(world, report.converged);
            seen = world.steps();
            let interrupted = || self.interrupt.load(Ordering::Relaxed);
            control.wait(interrupted);
            let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            match dumped.is_err() || interrupted() || late {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if let Some(ended) = ended {
            ended();
        }
        progress.finish();
        dumped?;
        // A step that stops the run is not watched.
        if world.steps() > seen {
            self.dump.step(&world, false)?;
        }
        summary.map_err(plain)
    }

    /// Serves the run on a thread of its own; what comes back tells pages that it has ended.
    fn show(
        &self,
        serve: &view::ServeOptions,
        control: &Arc<Control>,
    ) -> Result<impl Fn() + use<>, Failure> {
        let server = view::open(self.directory, serve, Some(Arc::clone(control)))?;
        let ended = server.ended();
        std::thread::spawn(move || server.serve());
        Ok(ended)
    }

    fn settings<S: Recorded>(&self, threads: usize) -> Settings<S> {
        let scene = self.scene;
        let output = &scene.output;
        Settings {
            title: scene.title.clone(),
            scene: scene.source.to_string(),
            folder: self.folder.display().to_string(),
            files: scene.files.iter().map(|f| (f.place.clone(), f.text.clone())).collect(),
            seed: scene.seed,
            materials: scene.materials.clone(),
            end: self.end,
            threads,
            sample_interval: output.sample_interval,
            frame_interval: output.frame_interval,
            frames_per_picture: output.frames_per_picture,
            record: output.record != RecordLevel::Nothing,
            contacts: output.record == RecordLevel::All,
            track: output.track.clone(),
            pictures: (!self.how.no_pictures).then(|| picture_settings(scene)),
        }
    }
}

/// How a scene wants its pictures.
pub fn picture_settings<S: Recorded>(scene: &Scene) -> PictureSettings<S> {
    let output = &scene.output;
    let corner = |c: [f64; 3]| S::Vector::from_fn(|i| c[i]);
    PictureSettings {
        width: output.picture.0,
        height: output.picture.1,
        region: output.view.map(|view| (corner(view.low), corner(view.high))),
        speed_limit: output.speed_limit,
        force_limit: output.force_limit,
        stress: output.stress,
        stress_limit: output.stress_limit,
        ..PictureSettings::default()
    }
}

/// The folder that a scene file lies in, from the root.
pub fn folder_of(scene: &Path) -> PathBuf {
    let folder = scene.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// `runs/` and the name of the scene file without its ending.
fn default_directory(scene: &Path, seed: Option<u32>) -> PathBuf {
    let mut name = scene.file_stem().unwrap_or(scene.as_os_str()).to_owned();
    if let Some(seed) = seed {
        name.push(format!("-{seed}"));
    }
    Path::new("runs").join(name)
}

/// A flag that is raised by Ctrl-C; the second time the program ends at once.
pub fn catch_interrupt() -> Result<Arc<AtomicBool>, ctrlc::Error> {
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
        let directory = |seed| default_directory(Path::new("scenes/wall.toml"), seed);
        assert_eq!(directory(None), Path::new("runs/wall"));
        assert_eq!(directory(Some(7)), Path::new("runs/wall-7"));
    }

    #[test]
    fn ends_must_be_positive() {
        assert_eq!(positive("2.5"), Ok(2.5));
        assert!(positive("0").is_err() && positive("inf").is_err() && positive("x").is_err());
    }
}
