//! `drystone run`: from a scene file to a run on disk.

use crate::dump::{self, Dump};
use crate::progress::{Moment, Progress};
use crate::ranks::Launched;
use crate::{Failure, report, view};
use clap::Args;
use drystone::scene::{Override, Scene};
use drystone::simulation::{RecordOptions, Simulation, Summary, most_threads};
use drystone::space::Limit;
use drystone::viewer::Control;
use drystone::{Error, engine, space};
use std::num::NonZeroUsize;
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
    /// Another value for a key of the scene, such as `default_law.friction=0.5`, `body.0.mass=2` or
    /// `material.stone.density=2500`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = change)]
    set: Vec<Override>,
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
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
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
    /// Threads to compute with; 0 is one for each core.
    pub fn threads(&self) -> usize {
        self.threads.map_or(0, usize::from)
    }
    /// How it is recorded.
    pub fn record(&self) -> RecordOptions {
        RecordOptions { force: false, pictures: !self.no_pictures }
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

/// A number of threads that this machine can bear.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let most = most_threads();
    match text.parse::<NonZeroUsize>() {
        Ok(threads) if threads.get() <= most => Ok(threads),
        Ok(_) => {
            let advice = Limit::Threads.advice();
            Err(format!(
                "at most {most} on this machine: more threads than cores gain nothing; {advice}"
            ))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// A number of solutions or runs that is not beyond all patience.
pub fn samples(text: &str) -> Result<NonZeroUsize, String> {
    let most = Limit::Samples.count();
    match text.parse::<NonZeroUsize>() {
        Ok(samples) if samples.get() <= most => Ok(samples),
        Ok(_) => Err(format!("at most {most}; {}", Limit::Samples.advice())),
        Err(error) => Err(error.to_string()),
    }
}

/// Another value for a key, from the command line.
pub fn change(text: &str) -> Result<Override, String> {
    text.parse().map_err(|report: drystone::scene::Report| format!("\n{report}"))
}

/// Runs a scene, with all processes that were started together.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let ranks = Launched::find()?;
    let mut changes = arguments.set.clone();
    if let Some(seed) = arguments.seed {
        let seed = Override::new("seed", &seed.to_string());
        changes.push(seed.map_err(|report| report.to_string())?);
    }
    let quiet = arguments.how.quiet || ranks.is_helper();
    let opened = open(&arguments.scene, &changes, quiet);
    let Some(mut simulation) = ranks.share(opened, &arguments.how)? else { return Ok(()) };
    if let Some(end) = arguments.until {
        let step = simulation.time_step();
        if end < 0.5 * step {
            return Err(format!(
                "error: the run has no step: found --until {end}, expected at least {step}, the time step"
            ));
        }
        simulation.set_end(end);
    }
    let directory = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_directory(&arguments.scene, arguments.seed));
    let task = Task {
        directory: &directory,
        how: &arguments.how,
        dump: Dump::new(&arguments.dump)?,
        interrupt: catch_interrupt().map_err(|error| plain(&error))?,
        deadline: None,
        serve: arguments.view.then_some(&arguments.serve),
    };
    task.start(&mut simulation, arguments.force)?;
    let summary = task.run(&mut simulation)?;
    let told = tell(&summary, &directory, arguments.how.strict);
    // The page stays until the user ends the program; an interrupted run has ended it.
    while arguments.view && !task.interrupt.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    told
}

/// The simulation of a scene file; its warnings are shown.
pub fn open(scene: &Path, changes: &[Override], quiet: bool) -> Result<Simulation, Failure> {
    let read = Scene::read_with(scene, changes).map_err(|report| report.to_string())?;
    if read.warnings.warnings() > 0 && !quiet {
        eprintln!("{}", read.warnings);
    }
    Simulation::from_scene_of(read, scene).map_err(told)
}

/// An error as the user reads it.
pub fn told(error: Error) -> Failure {
    error.message()
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

/// A simulation to run or to go on with.
pub struct Task<'a> {
    pub directory: &'a Path,
    pub how: &'a How,
    pub dump: Dump<'a>,
    pub interrupt: Arc<AtomicBool>,
    /// When the run is to end, done or not.
    pub deadline: Option<Instant>,
    /// Where the run is shown while it goes on.
    pub serve: Option<&'a view::ServeOptions>,
}

impl Task<'_> {
    /// Begins to record.
    pub fn start(&self, simulation: &mut Simulation, force: bool) -> Result<(), Failure> {
        if simulation.ranks() == 1 {
            simulation.set_threads(self.how.threads());
        }
        let options = RecordOptions { force, ..self.how.record() };
        simulation.record_to(self.directory, options).map_err(told)
    }

    /// Runs to the end.
    pub fn run(&self, simulation: &mut Simulation) -> Result<Summary, Failure> {
        space::give_back_at_once();
        self.dump.prepare(simulation);
        if self.serve.is_none() && !self.dump.is_wanted() {
            simulation.gather_seldom();
        }
        let control = Arc::new(Control::default());
        let ended = self.serve.map(|serve| self.show(serve, &control)).transpose()?;
        let steps = (simulation.end() / simulation.time_step()).round() as u64;
        let warn = simulation.on_failure() == engine::OnFailure::Warn;
        let mut progress = Progress::new(steps, simulation.steps(), self.how.quiet, warn);
        let mut dumped = Ok(());
        let mut seen = simulation.steps();
        let ran = simulation.run_watched(simulation.end(), |simulation, report| {
            let (step, time) = (simulation.steps(), simulation.time());
            let moment = Moment { step, time, bodies: simulation.bodies(), report: *report };
            progress.step(&moment, || simulation.diagnosis());
            dumped = self.dump.step(simulation, report.converged);
            seen = step;
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
        match ran {
            // A step that stops the run is told by the summary; it was not watched.
            Err(Error::Step(_)) if simulation.steps() > seen => {
                self.dump.step(simulation, false)?
            }
            Ok(_) | Err(Error::Step(_)) => {}
            Err(error) => return Err(told(error)),
        }
        simulation.finish().map_err(told)
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

    #[test]
    fn threads_are_bounded() {
        assert!(threads("1").is_ok() && threads("64").is_ok());
        assert!(threads("0").is_err() && threads("100000").is_err());
        assert!(samples("100000").is_ok() && samples("0").is_err());
        assert!(samples("1000000000").unwrap_err().contains("DRYSTONE_MAX_SAMPLES"));
    }
}
