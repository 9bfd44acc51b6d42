//! A run on disk: [`Run`].
//!
//! ```
//! use drystone::prelude::*;
//! # let directory = std::env::temp_dir().join(format!("drystone-run-doc-{}", std::process::id()));
//! # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 0.1 }\n\
//! #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
//! #     body = [{ name = \"ball\", shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" }]\n";
//! # let mut simulation = Simulation::parse(scene)?;
//! # simulation.record_to(&directory, RecordOptions { pictures: false, ..Default::default() })?;
//! # simulation.run_until(0.1)?;
//! # simulation.finish()?;
//! let run = Run::open(&directory)?;
//! let last = run.frame_arrays(run.frames() - 1)?;
//! assert_eq!(last.get("position").unwrap().shape, [1, 2]);
//! let ledger = run.ledger()?;
//! let kinetic = ledger.column("kinetic").unwrap();
//! assert!(kinetic.last() > kinetic.first());
//! assert!(matches!(run.summary()?.verdict, drystone::run::Verdict::Trusted));
//! # std::fs::remove_dir_all(&directory).unwrap();
//! # Ok::<(), Error>(())
//! ```

use crate::Error;
use crate::simulation::{Origin, RecordOptions, Simulation};
use drystone_record::archive::{
    About, Archive, Catalogue, ContactFrame, Frame, Npz, Recorded, kept_files,
};
use drystone_scene::{AnySetup, Folders, Scene};
use drystone_viewer::{Control, Server, Show};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use drystone_record::archive::{Array, Data};
use drystone_record::run::RunLock;
pub use drystone_record::run::{Reason, Status, Summary, Verdict};

/// The port on which pages are served if it is free.
const PORT: u16 = 8642;

/// A run on disk, which may still go on.
#[derive(Clone, Debug)]
pub struct Run {
    directory: PathBuf,
    archive: Archive,
}

/// A table of numbers with named columns; an empty cell is no number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// All values of a column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let place = self.columns.iter().position(|column| column == name)?;
        Some(self.rows.iter().map(|row| row[place]).collect())
    }
}

impl Run {
    /// Opens the directory of a run.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, Error> {
        let directory = directory.as_ref().to_owned();
        let archive = Archive::open(&directory)?;
        Ok(Self { directory, archive })
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
    /// What a reader must know first: title, dimension, time step, end, what arrays are.
    pub fn about(&self) -> &About {
        self.archive.about()
    }
    /// The record, for typed frames.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }
    /// How it went, with its verdict.
    pub fn summary(&self) -> Result<Summary, Error> {
        Ok(Summary::read(&self.directory)?)
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.archive.len()
    }
    /// Time of each frame, in s.
    pub fn times(&self) -> Result<Vec<f64>, Error> {
        Ok(self.archive.times()?)
    }
    /// Steps made until each frame.
    pub fn frame_steps(&self) -> Result<Vec<u64>, Error> {
        Ok(self.archive.steps()?)
    }
    /// A frame, in the dimension of the run ([`About::dimension`]).
    pub fn frame<S: Recorded>(&self, index: usize) -> Result<Frame<S>, Error> {
        self.check_dimension::<S>()?;
        Ok(self.archive.frame(self.check_frame(index)?)?)
    }
    /// What bodies and boundaries are, in the dimension of the run.
    pub fn catalogue<S: Recorded>(&self) -> Result<Catalogue<S>, Error> {
        self.check_dimension::<S>()?;
        Ok(self.archive.catalogue()?)
    }
    /// The contacts of a frame, in the dimension of the run.
    pub fn contacts<S: Recorded>(&self, index: usize) -> Result<Vec<ContactFrame<S>>, Error> {
        Ok(self.frame::<S>(index)?.contacts)
    }
    /// A frame as named arrays; [`About::arrays`] says what each is.
    pub fn frame_arrays(&self, index: usize) -> Result<Npz, Error> {
        let index = self.check_frame(index)?;
        Ok(Npz::read(&self.directory.join(format!("record/{index:06}.npz")))?)
    }
    /// What bodies, boundaries and solids are, as named arrays.
    pub fn things(&self) -> Result<Npz, Error> {
        Ok(Npz::read(&self.directory.join("record/things.npz"))?)
    }

    /// Energies and works over time.
    pub fn ledger(&self) -> Result<Table, Error> {
        self.table("ledger.csv")
    }
    /// How steps went over time: contacts, iterations, residual, overlap.
    pub fn steps(&self) -> Result<Table, Error> {
        self.table("steps.csv")
    }
    /// Position, velocity and force of each boundary over time.
    pub fn boundaries(&self) -> Result<Table, Error> {
        self.table("boundaries.csv")
    }
    /// Position, rotation, velocity and spin of the bodies that the scene tracks over time.
    pub fn tracked(&self) -> Result<Table, Error> {
        self.table("bodies.csv")
    }
    fn table(&self, name: &str) -> Result<Table, Error> {
        let (columns, rows) = Summary::read_table(&self.directory, name)?;
        Ok(Table { columns, rows })
    }

    /// A server of the page on which the run plays, which follows one that still goes on; on a port of this machine: this
    /// one, or 8642 or any that is free. By `control` the page can pause a run of this program.
    ///
    /// ```no_run
    /// # use drystone::prelude::*;
    /// let server = Run::open("runs/wall")?.serve(None, None)?;
    /// println!("{}", server.url());
    /// server.serve();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn serve(&self, port: Option<u16>, control: Option<Arc<Control>>) -> Result<Server, Error> {
        let show = Show::open(&self.directory)?;
        at_a_port(port, |port| Server::bind(show.clone(), port, control.clone()))
    }
    /// The same with another run beside it, at one time.
    pub fn serve_beside(&self, other: &Run, port: Option<u16>) -> Result<Server, Error> {
        let shows = [Show::open(&self.directory)?, Show::open(&other.directory)?];
        at_a_port(port, |port| Server::bind_beside(shows.clone(), port))
    }

    /// The scene of the run as it was recorded.
    pub fn scene(&self) -> Result<Scene, Error> {
        let text = self.archive.scene()?;
        if text.is_empty() {
            return Err(Error::NoScene { place: self.directory.display().to_string() });
        }
        self.archive.check_kept()?;
        let folder = PathBuf::from(&self.about().folder);
        let name = self.directory.join("scene.toml").display().to_string();
        let kept = kept_files(&self.directory);
        let folders = Folders { scene: Some(&folder), kept: Some(&kept), given: &[] };
        let scene = Scene::parse_in(&name, &text, folders)?;
        Ok(Scene { title: self.about().title.clone(), ..scene })
    }

    /// A simulation that goes on from the last checkpoint, unrecorded.
    pub fn simulation(&self) -> Result<Simulation, Error> {
        Ok(self.checkpoint()?.0)
    }

    /// The same for a run of bodies made by hand, from the setup that it was made from.
    pub fn simulation_with(&self, setup: impl Into<AnySetup>) -> Result<Simulation, Error> {
        let setup = setup.into();
        let title = self.about().title.clone();
        let origin = Origin { title, ..Origin::of_hand(&setup) };
        Ok(Simulation::of_record(&self.archive, setup, origin)?.0)
    }

    /// A simulation that goes on from the last checkpoint, recorded in the same directory: what was recorded after the
    /// checkpoint is recorded again, in the same bits. `until` is its new end, if given.
    pub fn resume(
        &self,
        until: Option<f64>,
        threads: usize,
        options: RecordOptions,
    ) -> Result<Simulation, Error> {
        let lock = RunLock::take(&self.directory)?;
        let end = until.unwrap_or(self.about().end);
        let place = self.directory.display();
        if let Ok(summary) = self.summary()
            && summary.status == Status::Finished
            && summary.time + 0.5 * summary.time_step >= end
        {
            let reached = summary.time;
            return Err(Error::Unfit(match until {
                None => {
                    format!("{place} has reached its end, t = {end} s: use --until to go further")
                }
                Some(_) => format!(
                    "{place} has reached t = {reached} s: --until must be later, found {end} s"
                ),
            }));
        }
        let (mut simulation, memory) = self.checkpoint()?;
        // A run that was killed after its last step is finished; one that is asked to end in its past is refused.
        if until.is_some() && simulation.time() > end + 0.5 * simulation.time_step() {
            let reached = simulation.time();
            return Err(Error::Unfit(format!(
                "{place} has a checkpoint at t = {reached} s: --until must be later, found {end} s"
            )));
        }
        simulation.set_end(end);
        simulation.set_threads(threads);
        simulation.go_on_recording(&self.directory, lock, &memory, options)?;
        Ok(simulation)
    }

    fn checkpoint(&self) -> Result<(Simulation, String), Error> {
        let mut scene = self.scene()?;
        let origin = Origin::of_scene(&scene, PathBuf::from(&self.about().folder));
        Simulation::of_record(&self.archive, scene.take_setup(), origin)
    }

    fn check_frame(&self, index: usize) -> Result<usize, Error> {
        let count = self.frames();
        match index < count {
            true => Ok(index),
            false => Err(Error::Value {
                what: "the frame".to_owned(),
                found: index.to_string(),
                expected: format!("a number below {count}, of as many frames"),
            }),
        }
    }

    fn check_dimension<S: Recorded>(&self) -> Result<(), Error> {
        let found = self.about().dimension;
        match found == S::DIMENSION {
            true => Ok(()),
            false => Err(Error::Unfit(format!(
                "{} is a run of dimension {found}, and was asked for in {}",
                self.directory.display(),
                S::DIMENSION
            ))),
        }
    }
}

/// A server at this port, or at the usual one or any that is free.
fn at_a_port(
    port: Option<u16>,
    bind: impl Fn(u16) -> std::io::Result<Server>,
) -> Result<Server, Error> {
    let server = match port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    server.map_err(|error| Error::Unfit(format!("cannot serve the page: {error}")))
}
