//! A scene in motion: [`Simulation`].
//!
//! Step by step, or until a time, watched all the way:
//!
//! ```
//! use drystone::prelude::*;
//! # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
//! #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
//! #     body = [{ name = \"ball\", shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" }]\n\
//! #     boundary = [{ name = \"floor\", shape = { half_plane = {} }, material = \"stone\" }]\n";
//! let mut simulation = Simulation::parse(scene)?;
//! let mut observers = Observers::default();
//! observers.every(10, |simulation| {
//!     let landed = simulation.contacts().any(|contact| contact.impulse != [0.0; 3]);
//!     if landed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//! });
//! let outcome = simulation.run(1.0, &mut observers)?;
//! assert_eq!(outcome, Outcome::Stopped);
//! assert!((simulation.time() - (2.0_f64 * 0.9 / 9.81).sqrt()).abs() < 0.02);
//! # Ok::<(), Error>(())
//! ```

mod draw;
mod fields;
mod joint;
mod observe;
mod problem;
mod read;
mod record;
mod set;

pub use fields::Field;
pub use joint::JointView;
pub use observe::{Observers, Outcome, Progress};
pub use problem::Step as StepProblem;
pub use read::{BoundaryView, Contact, ContactColumns, Which};
pub use record::RecordOptions;
pub(crate) use record::picture_settings;

pub use drystone_engine::{Ledger, Owner, SteerError, StepReport};
pub use drystone_record::archive::ContactStatus;
pub use drystone_record::picture::Subject;
pub use drystone_record::run::{Status, Summary, Verdict};

use crate::Error;
use crate::ranks::Helpers;
use drystone_engine::{AnyWorld, StepError, World, with_world};
use drystone_record::run::{Journal, Seen};
use drystone_scene::{AnySetup, Output, Override, Scene, with_setup};
use drystone_space::{Limit, Plane, Volume};
use record::AnyRecorder;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A scene in motion.
///
/// It is made from a scene ([`read`](Self::read), [`parse`](Self::parse), [`from_scene`](Self::from_scene)), from bodies
/// made by hand ([`new`](Self::new)), or from a checkpoint ([`load`](Self::load), [`Run::simulation`](crate::Run)). The same
/// scene gives the same bits as with the program, for any number of threads, watched or not.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) world: AnyWorld,
    origin: Origin,
    /// When the run is meant to end.
    end: f64,
    pub(crate) threads: usize,
    last: Option<StepReport>,
    /// Why it cannot go on.
    failed: Option<StepError>,
    /// Whether it was ended before its time.
    interrupted: bool,
    /// How it goes, where it is not recorded.
    journal: Journal,
    recorder: Option<AnyRecorder>,
    /// Other processes that compute it too.
    pub(crate) helpers: Option<Helpers>,
    /// Whether bodies and contacts are brought from them only where somebody asks.
    pub(crate) seldom: bool,
}

/// Where a simulation comes from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub title: String,
    pub description: String,
    /// The text of the scene; empty where there is none.
    pub text: String,
    /// Folder of the scene's other files.
    pub folder: PathBuf,
    /// Copies of these files: the place of each, and what it says.
    pub files: Vec<(PathBuf, String)>,
    pub seed: u64,
    pub materials: Vec<String>,
    pub output: Output,
}

impl Origin {
    /// That of a scene whose files are in this folder.
    pub fn of_scene(scene: &Scene, folder: PathBuf) -> Self {
        Self {
            title: scene.title.clone(),
            description: scene.description.clone(),
            text: scene.source.to_string(),
            folder,
            files: scene.files.iter().map(|f| (f.place.clone(), f.text.clone())).collect(),
            seed: scene.seed,
            materials: scene.materials.clone(),
            output: scene.output.clone(),
        }
    }

    /// That of bodies made by hand.
    pub fn of_hand(setup: &AnySetup) -> Self {
        let (time_step, materials) =
            with_setup!(setup, setup => (setup.time_step, setup.laws.materials()));
        Self {
            title: "made by hand".to_owned(),
            description: String::new(),
            text: String::new(),
            folder: PathBuf::new(),
            files: Vec::new(),
            seed: 0,
            materials: (0..materials).map(|index| format!("material {index}")).collect(),
            output: Output::every(100.0 * time_step, 10.0 * time_step),
        }
    }
}

/// Made by hand, a run has no end of its own; the record of one is meant to end after so many steps.
const STEPS_BY_HAND: f64 = 1000.0;

impl Simulation {
    /// Of bodies and boundaries made by hand, in the plane or in space.
    ///
    /// ```
    /// use drystone::prelude::*;
    /// let ball = Part::new(VolumeShape::Sphere { radius: 0.1 }, MaterialId(0));
    /// let properties = MassProperties::of_parts([(&ball, 7800.0)].into_iter()).unwrap();
    /// let setup = Setup::<Volume> {
    ///     gravity: DVec3::new(0.0, 0.0, -9.81),
    ///     laws: LawTable::uniform(1, MoreauLaw { friction: 0.3.into(), ..MoreauLaw::default() }),
    ///     bodies: vec![Body::new(properties, vec![ball], Pose::IDENTITY)],
    ///     ..Setup::default()
    /// };
    /// let mut simulation = Simulation::new(setup)?;
    /// simulation.step()?;
    /// assert_eq!((simulation.bodies(), simulation.steps()), (1, 1));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(setup: impl Into<AnySetup>) -> Result<Self, Error> {
        let setup = setup.into();
        let origin = Origin::of_hand(&setup);
        let end = with_setup!(&setup, setup => STEPS_BY_HAND * setup.time_step);
        Ok(Self::of_world(setup.world()?, origin, end))
    }

    /// Of a scene file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_with(path, &[])
    }

    /// Of a scene file with other values for some of its keys.
    pub fn read_with(path: impl AsRef<Path>, changes: &[Override]) -> Result<Self, Error> {
        let path = path.as_ref();
        let folder = folder_of(path);
        Self::from_scene_in(Scene::read_with(path, changes)?, folder)
    }

    /// Of the text of a scene. Files that it names are found in the present folder.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let folder = Path::new(".");
        Self::from_scene_in(
            Scene::parse("the scene", text, Some(folder))?,
            folder_of(Path::new("")),
        )
    }

    /// Of a scene.
    pub fn from_scene(scene: Scene) -> Result<Self, Error> {
        Self::from_scene_in(scene, folder_of(Path::new("")))
    }

    /// Of a scene that was read from this file.
    pub fn from_scene_of(scene: Scene, file: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_scene_in(scene, folder_of(file.as_ref()))
    }

    /// Of a scene whose other files are in this folder.
    pub fn from_scene_in(mut scene: Scene, folder: PathBuf) -> Result<Self, Error> {
        let origin = Origin::of_scene(&scene, folder);
        let (end, world) = (scene.end_time, scene.take_world()?);
        Ok(Self::of_world(world, origin, end))
    }

    pub(crate) fn of_world(world: AnyWorld, origin: Origin, end: f64) -> Self {
        let journal = with_world!(&world, world => Journal::begin(world));
        Self {
            world,
            origin,
            end,
            threads: 1,
            last: None,
            failed: None,
            interrupted: false,
            journal,
            recorder: None,
            helpers: None,
            seldom: false,
        }
    }

    /// Computes with this many threads from now on, 0 being one for each core, at most [`most_threads`]. Results do not
    /// depend on it. A new simulation has one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = if threads == 0 { cores() } else { threads }.min(most_threads());
        match &mut self.helpers {
            Some(helpers) => helpers.set_threads(&mut self.world, self.threads),
            None => with_world!(&mut self.world, world => world.set_threads(self.threads)),
        }
    }

    /// When the run is meant to end: what [`finish`](Self::finish) and the record go by.
    pub fn set_end(&mut self, end: f64) {
        self.end = end;
    }

    /// What is recorded and drawn, as the scene asks for it. Changes count from the next
    /// [`record_to`](Self::record_to) on.
    pub fn output_mut(&mut self) -> &mut Output {
        &mut self.origin.output
    }

    /// Advances by one time step.
    ///
    /// After a step that has failed, all others fail in the same way; what was recorded can still be
    /// [finished](Self::finish).
    pub fn step(&mut self) -> Result<StepReport, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone().into());
        }
        let stepped = match &mut self.helpers {
            Some(helpers) => helpers.step(&mut self.world),
            None => with_world!(&mut self.world, world => world.step()),
        };
        let report = match &stepped {
            Ok(report) => Some(*report),
            // A step that was made and not solved counts like any other.
            Err(StepError::NotConverged { report, .. }) => Some(**report),
            Err(_) => None,
        };
        if let Err(error) = &stepped {
            self.failed = Some(error.clone());
        }
        if let Some(report) = report {
            self.last = Some(report);
            let seen = self.gather_after(&report);
            self.note(&report, seen)?;
        }
        Ok(stepped?)
    }

    fn note(&mut self, report: &StepReport, seen: Seen) -> Result<(), Error> {
        match (&self.world, &mut self.recorder) {
            (AnyWorld::Plane(world), Some(AnyRecorder::Plane(recorder))) => {
                recorder.step(world, report, seen)?;
            }
            (AnyWorld::Volume(world), Some(AnyRecorder::Volume(recorder))) => {
                recorder.step(world, report, seen)?;
            }
            (world, _) => with_world!(world, world => self.journal.step(world, report, seen)),
        }
        if let Some(helpers) = self.helpers.as_mut().filter(|_| self.seldom) {
            helpers.forget(&mut self.world);
        }
        Ok(())
    }

    /// Whether a run until this time has steps to make: phases that are over end it too.
    pub fn goes_on(&self, until: f64) -> bool {
        with_world!(&self.world, world => {
            world.time() + 0.5 * world.setup().time_step < until && !world.is_over()
        })
    }

    /// Makes all steps until this time.
    pub fn run_until(&mut self, time: f64) -> Result<Outcome, Error> {
        self.run_watched(time, |_, _| ControlFlow::Continue(()))
    }

    /// The same; observers see some of the steps, may set what they like, and may end the run.
    pub fn run(&mut self, until: f64, observers: &mut Observers<'_>) -> Result<Outcome, Error> {
        observers.begin(self, until);
        self.run_watched(until, |simulation, report| observers.step(simulation, report))
    }

    /// The same; `watch` sees every step.
    pub fn run_watched(
        &mut self,
        until: f64,
        mut watch: impl FnMut(&mut Self, &StepReport) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        self.interrupted = false;
        while self.goes_on(until) {
            let report = self.step()?;
            if watch(self, &report).is_break() {
                self.interrupted = true;
                return Ok(Outcome::Stopped);
            }
        }
        let over = with_world!(&self.world, world => world.is_over());
        Ok(if over { Outcome::PhasesOver } else { Outcome::Reached })
    }

    /// The world inside, for all that this type does not tell:
    /// [`with_world!`](drystone_engine::with_world) opens it.
    pub fn world(&self) -> &AnyWorld {
        &self.world
    }

    /// The world in the plane, if it is one.
    pub fn plane(&self) -> Option<&World<Plane>> {
        match &self.world {
            AnyWorld::Plane(world) => Some(world),
            AnyWorld::Volume(_) => None,
        }
    }

    /// The world in space, if it is one.
    pub fn volume(&self) -> Option<&World<Volume>> {
        match &self.world {
            AnyWorld::Plane(_) => None,
            AnyWorld::Volume(world) => Some(world),
        }
    }
}

/// The folder that a scene file lies in, from the root.
pub(crate) fn folder_of(scene: &Path) -> PathBuf {
    let folder = scene.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// More threads than this are of no use on this machine, and thousands would take it down.
pub fn most_threads() -> usize {
    Limit::Threads.count()
}
