//! Writes a run while it goes on, and the loop that runs it.

use super::columns::{Recorded, body_cells, body_columns, boundary_cells, boundary_columns};
use super::curves::{Curves, LEDGER, STEPS};
use super::gallery::Gallery;
use super::summary::Tally;
use super::{Energy, Penetration, PhaseEnd, Status, Summary};
use crate::RecordError;
use crate::picture::{Frame, Paint, Painter, PictureSettings, Subject};
use crate::table::Table;
use drystone_detect::Extent;
use drystone_engine::{Stage, StepReport, World};
use drystone_space::Vector;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings<S: Paint> {
    /// Title of the scene.
    pub title: String,
    /// The text of the scene file.
    pub scene: String,
    /// Threads that compute.
    pub threads: usize,
    /// Time between rows of tables.
    pub sample_interval: f64,
    /// Time between pictures.
    pub frame_interval: f64,
    /// Names of bodies that are followed.
    pub track: Vec<String>,
    /// How pictures are made; `None` for no pictures.
    pub pictures: Option<PictureSettings<S>>,
}

/// How often the files are brought up to date.
const CHECKPOINT: Duration = Duration::from_secs(1);

/// Writes a run while it goes on.
pub struct Recorder<S: Recorded> {
    directory: PathBuf,
    settings: Settings<S>,
    gallery: Option<Gallery<S>>,
    ledger: Table,
    steps: Table,
    boundaries: Option<Table>,
    bodies: Option<Table>,
    curves: Curves,
    /// Largest values since the last row.
    recent: [f64; STEPS.len()],
    contacts: Tally,
    iterations: Tally,
    residual: Tally,
    residual_scale_free: Tally,
    penetration: Penetration,
    unconverged: u64,
    phase: usize,
    phases: Vec<PhaseEnd>,
    samples: Clock,
    pictures: Clock,
    frames: u64,
    last_frame: f64,
    started: Instant,
    checkpoint: Instant,
    recording: Duration,
}

/// Says when the next of a series of equal intervals is over.
struct Clock {
    interval: f64,
    passed: f64,
}

impl Clock {
    fn new(interval: f64) -> Self {
        Self { interval, passed: 0.0 }
    }
    /// Whether the nearest step to the end of an interval has been made.
    fn rings(&mut self, time: f64, time_step: f64) -> bool {
        let passed = ((time + 0.5 * time_step) / self.interval).floor();
        let rings = passed > self.passed;
        self.passed = passed;
        rings
    }
}

impl<S: Recorded> Recorder<S> {
    /// Starts a run in a directory made ready by [`super::prepare`].
    pub fn start(
        directory: &Path,
        settings: Settings<S>,
        world: &World<S>,
    ) -> Result<Self, RecordError> {
        let started = Instant::now();
        let table = |name: &str, columns: Vec<String>| {
            let mut all = vec!["time".to_owned()];
            all.extend(columns);
            Table::create(directory.join(name), &all)
        };
        let optional = |name: &str, columns: Vec<String>| {
            if columns.is_empty() { Ok(None) } else { table(name, columns).map(Some) }
        };
        let scene = directory.join("scene.toml");
        std::fs::write(&scene, &settings.scene).map_err(|e| RecordError::write(&scene, e))?;
        let pictures = settings.pictures.clone();
        let gallery = pictures.map(|pictures| Gallery::open(painter(pictures, world)));
        let mut recorder = Self {
            directory: directory.to_owned(),
            gallery,
            ledger: table("ledger.csv", LEDGER.iter().map(|(n, _)| (*n).to_owned()).collect())?,
            steps: table("steps.csv", STEPS.iter().map(|(n, _)| (*n).to_owned()).collect())?,
            boundaries: optional("boundaries.csv", boundary_columns(world))?,
            bodies: optional("bodies.csv", body_columns::<S>(&settings.track))?,
            curves: Curves::default(),
            recent: [0.0; STEPS.len()],
            contacts: Tally::default(),
            iterations: Tally::default(),
            residual: Tally::default(),
            residual_scale_free: Tally::default(),
            penetration: Penetration::default(),
            unconverged: 0,
            phase: world.phase_index(),
            phases: Vec::new(),
            samples: Clock::new(settings.sample_interval),
            pictures: Clock::new(settings.frame_interval),
            frames: 0,
            last_frame: world.time(),
            started,
            checkpoint: started,
            recording: Duration::ZERO,
            settings,
        };
        recorder.sample(world)?;
        recorder.picture(world)?;
        recorder.save(world, Status::Running)?;
        recorder.recording = started.elapsed();
        Ok(recorder)
    }

    /// Takes in a step that was made.
    pub fn step(&mut self, world: &World<S>, report: &StepReport) -> Result<(), RecordError> {
        let since = Instant::now();
        for (recent, (_, value)) in self.recent.iter_mut().zip(STEPS) {
            *recent = recent.max(value(report));
        }
        self.contacts.add(report.contacts as f64);
        self.iterations.add(report.iterations as f64);
        self.residual.add(report.residual);
        self.residual_scale_free.add(report.residual_scale_free);
        self.penetration.max = self.penetration.max.max(report.penetration);
        self.penetration.relative_max =
            self.penetration.relative_max.max(report.penetration_relative);
        self.unconverged += u64::from(!report.converged);
        if self.phase != world.phase_index() {
            self.turn_phase(world)?;
        }
        let (time, time_step) = (world.phase_time(), world.setup().time_step);
        if self.samples.rings(time, time_step) {
            self.sample(world)?;
        }
        if self.pictures.rings(time, time_step) {
            self.picture(world)?;
        }
        if self.checkpoint.elapsed() > CHECKPOINT {
            self.save(world, Status::Running)?;
        }
        self.recording += since.elapsed();
        Ok(())
    }

    /// Notes the end of a phase. The next one has its own clocks, and a picture of its start.
    fn turn_phase(&mut self, world: &World<S>) -> Result<(), RecordError> {
        let name = world.setup().phases[self.phase].name.clone();
        self.phases.push(PhaseEnd { name, time: world.time() });
        self.phase = world.phase_index();
        if world.is_over() {
            return Ok(());
        }
        self.samples = Clock::new(self.settings.sample_interval);
        self.pictures = Clock::new(self.settings.frame_interval);
        self.sample(world)?;
        self.picture(world)
    }

    /// Steps that did not meet the tolerance so far.
    pub fn unconverged(&self) -> u64 {
        self.unconverged
    }

    /// Ends the run: last rows, last picture, plots and summary.
    pub fn finish(mut self, world: &World<S>, status: Status) -> Result<Summary, RecordError> {
        let since = Instant::now();
        if self.curves.last() != Some(world.time()) {
            self.sample(world)?;
        }
        // The tables and the summary first: should a picture fail, the numbers are safe.
        self.save(world, status.clone())?;
        if self.last_frame != world.time() {
            self.picture(world)?;
        }
        if let Some(gallery) = self.gallery.take() {
            let frame = Frame::of(world, &self.settings.title);
            gallery.order(frame, Subject::Forces, self.directory.join("forces.png"));
            let tolerance = world.setup().solver.tolerance;
            self.curves.write(&self.directory, &self.settings.title, tolerance)?;
            gallery.close()?;
        }
        self.recording += since.elapsed();
        self.save(world, status)
    }

    fn sample(&mut self, world: &World<S>) -> Result<(), RecordError> {
        let time = world.time();
        let recent = std::mem::replace(&mut self.recent, [0.0; STEPS.len()]);
        let ledger = world.ledger();
        self.curves.push(time, ledger, recent);
        let first = std::iter::once(Some(time));
        self.ledger.row(first.clone().chain(LEDGER.map(|(_, value)| Some(value(ledger)))))?;
        self.steps.row(first.clone().chain(recent.map(Some)))?;
        if let Some(table) = &mut self.boundaries {
            table.row(first.clone().chain(boundary_cells(world)))?;
        }
        if let Some(table) = &mut self.bodies {
            table.row(first.chain(body_cells(world, &self.settings.track)))?;
        }
        Ok(())
    }

    fn picture(&mut self, world: &World<S>) -> Result<(), RecordError> {
        let Some(gallery) = self.gallery.take() else { return Ok(()) };
        let frame = Frame::of(world, &self.settings.title);
        let path = self.directory.join(format!("frames/{:06}.png", self.frames));
        if !gallery.order(frame, Subject::Bodies, path) {
            return gallery.close();
        }
        self.gallery = Some(gallery);
        self.frames += 1;
        self.last_frame = world.time();
        Ok(())
    }

    /// Brings all files up to date.
    fn save(&mut self, world: &World<S>, status: Status) -> Result<Summary, RecordError> {
        self.ledger.flush()?;
        self.steps.flush()?;
        for table in [&mut self.boundaries, &mut self.bodies].into_iter().flatten() {
            table.flush()?;
        }
        let summary = self.summary(world, status);
        summary.write(&self.directory)?;
        self.checkpoint = Instant::now();
        Ok(summary)
    }

    fn summary(&self, world: &World<S>, status: Status) -> Summary {
        let seconds = |stage: Stage| world.timers().spent(stage).as_secs_f64();
        let stages = Stage::ALL.into_iter().map(|s| (s.name().to_owned(), seconds(s)));
        let record = ("record".to_owned(), self.recording.as_secs_f64());
        Summary {
            scene: self.settings.title.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dimension: S::DIMENSION,
            status,
            bodies: world.bodies().len(),
            steps: world.steps(),
            time: world.time(),
            time_step: world.setup().time_step,
            threads: self.settings.threads,
            tolerance: world.setup().solver.tolerance,
            wall_seconds: self.started.elapsed().as_secs_f64(),
            stages: stages.chain([record]).collect(),
            contacts: self.contacts.spread(),
            iterations: self.iterations.spread(),
            residual: self.residual.spread(),
            residual_scale_free: self.residual_scale_free.spread(),
            unconverged_steps: self.unconverged,
            penetration: self.penetration,
            phases: self.phases.clone(),
            energy: Energy::from(world.ledger()),
            frames: self.frames,
            state_hash: format!("{:016x}", world.state_hash()),
        }
    }
}

/// Steps the world to `end`, or to the end of its last phase, recording all the way. `watch` sees every step and may end the run.
///
/// A step that fails ends the run with [`Status::Stopped`]; only what concerns the files is an
/// error.
pub fn run<S: Recorded>(
    world: &mut World<S>,
    mut recorder: Recorder<S>,
    end: f64,
    mut watch: impl FnMut(&World<S>, &StepReport) -> ControlFlow<()>,
) -> Result<Summary, RecordError> {
    let mut status = Status::Finished;
    while world.time() + 0.5 * world.setup().time_step < end && !world.is_over() {
        match world.step() {
            Ok(report) => {
                recorder.step(world, &report)?;
                if watch(world, &report).is_break() {
                    status = Status::Interrupted;
                    break;
                }
            }
            Err(error) => {
                status = Status::Stopped(error.to_string());
                break;
            }
        }
    }
    recorder.finish(world, status)
}

/// The colour scale never ends below this speed, in m/s.
const LEAST_SPEED: f64 = 1e-6;

/// A painter whose view also holds the bodies that will enter.
fn painter<S: Recorded>(settings: PictureSettings<S>, world: &World<S>) -> Painter<S> {
    let setup = world.setup();
    let widths = world.bodies().iter().flat_map(|b| &b.parts).map(|p| S::width(&p.shape));
    let width = widths.fold(f64::INFINITY, f64::min);
    // A thousandth of the speed after a fall of a body's own width counts as rest.
    let fall = (width * setup.gravity.norm()).sqrt();
    let rest = if fall.is_finite() { (1e-3 * fall).max(LEAST_SPEED) } else { LEAST_SPEED };
    let mut painter = Painter::new(settings, &Frame::of(world, ""), rest);
    for arrival in &setup.arrivals {
        for part in &arrival.body.parts {
            let pose = arrival.body.pose.compose(&part.pose);
            if let Extent::Box(bounds) = S::extent(&part.shape, &pose) {
                painter.expect(bounds.low, bounds.high);
            }
        }
    }
    painter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_rings_once_per_interval_at_the_nearest_step() {
        let mut clock = Clock::new(0.01);
        let step = 1e-3;
        let rings: Vec<i32> =
            (1..=30).filter(|&i| clock.rings(f64::from(i) * step, step)).collect();
        assert_eq!(rings, [10, 20, 30]);
        // Intervals shorter than a step: every step, no more.
        let mut clock = Clock::new(1e-4);
        assert!((1..=30).all(|i| clock.rings(f64::from(i) * step, step)));
    }
}
