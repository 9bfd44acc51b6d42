//! Recording a simulation, and checkpoints of it.

use super::{Origin, Simulation, Status, Summary};
use crate::Error;
use drystone_engine::{AnyWorld, StepReport, World, with_world};
use drystone_record::archive::{Archive, Array, Checkpoint, Data, Npz, put_checkpoint};
use drystone_record::picture::PictureSettings;
use drystone_record::run::{self, Journal, Recorded, Recorder, RunLock, Seen, Settings};
use drystone_scene::{AnySetup, Folders, Output, RecordLevel, Scene, SceneFile};
use drystone_space::{Plane, Vector, Volume};
use std::fmt;
use std::path::Path;

/// A recorder of either dimension.
pub(super) enum AnyRecorder {
    Plane(Box<Recorder<Plane>>),
    Volume(Box<Recorder<Volume>>),
}

impl fmt::Debug for AnyRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("recorder")
    }
}

/// How a simulation is recorded; what is recorded is said by its [output](Simulation::output_mut).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordOptions {
    /// Whether a directory that holds something else, or a run that could go on, is used all the same.
    pub force: bool,
    /// Whether pictures and plots are made.
    pub pictures: bool,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self { force: false, pictures: true }
    }
}

impl Simulation {
    /// Records all from now on in a directory, as the program does; an earlier run in it is replaced.
    ///
    /// ```
    /// use drystone::prelude::*;
    /// # let directory = std::env::temp_dir().join(format!("drystone-doc-{}", std::process::id()));
    /// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 0.1 }\n\
    /// #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
    /// #     body = [{ name = \"ball\", shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" }]\n";
    /// let mut simulation = Simulation::parse(scene)?;
    /// simulation.record_to(&directory, RecordOptions { pictures: false, ..Default::default() })?;
    /// simulation.run_until(0.1)?;
    /// let summary = simulation.finish()?;
    /// assert_eq!(Run::open(&directory)?.summary()?.state_hash, summary.state_hash);
    /// # std::fs::remove_dir_all(&directory).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn record_to(
        &mut self,
        directory: impl AsRef<Path>,
        options: RecordOptions,
    ) -> Result<(), Error> {
        let directory = directory.as_ref();
        self.close_record()?;
        let lock = run::prepare(directory, options.force)?;
        self.recorder = Some(match &self.world {
            AnyWorld::Plane(world) => {
                let settings = self.settings(options.pictures);
                AnyRecorder::Plane(Box::new(Recorder::start(directory, lock, settings, world)?))
            }
            AnyWorld::Volume(world) => {
                let settings = self.settings(options.pictures);
                AnyRecorder::Volume(Box::new(Recorder::start(directory, lock, settings, world)?))
            }
        });
        Ok(())
    }

    /// Goes on with the record from which this simulation was made.
    pub(crate) fn go_on_recording(
        &mut self,
        directory: &Path,
        lock: RunLock,
        memory: &str,
        options: RecordOptions,
    ) -> Result<(), Error> {
        self.recorder = Some(match &self.world {
            AnyWorld::Plane(world) => {
                let settings = self.settings(options.pictures);
                let recorder = Recorder::resume(directory, lock, settings, world, memory)?;
                AnyRecorder::Plane(Box::new(recorder))
            }
            AnyWorld::Volume(world) => {
                let settings = self.settings(options.pictures);
                let recorder = Recorder::resume(directory, lock, settings, world, memory)?;
                AnyRecorder::Volume(Box::new(recorder))
            }
        });
        Ok(())
    }

    /// Whether it is recorded.
    pub fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// Ends the record, if there is one: last rows, last frame, plots and summary. The simulation can go on after
    /// that, unrecorded.
    pub fn finish(&mut self) -> Result<Summary, Error> {
        let summary = self.close_record()?;
        Ok(summary.unwrap_or_else(|| self.summary()))
    }

    /// What the record, or the journal where there is none, needs to take in a step.
    pub(crate) fn recording_asks(&self, report: &StepReport) -> Seen {
        match (&self.world, &self.recorder) {
            (AnyWorld::Plane(world), Some(AnyRecorder::Plane(recorder))) => {
                recorder.asks(world, report)
            }
            (AnyWorld::Volume(world), Some(AnyRecorder::Volume(recorder))) => {
                recorder.asks(world, report)
            }
            (world, _) => with_world!(world, world => self.journal.asks(world, report)),
        }
    }

    fn close_record(&mut self) -> Result<Option<Summary>, Error> {
        self.gather();
        if let (Some(helpers), Some(recorder)) = (&self.helpers, &mut self.recorder) {
            let ranks = helpers.report();
            match recorder {
                AnyRecorder::Plane(recorder) => recorder.tell_ranks(ranks),
                AnyRecorder::Volume(recorder) => recorder.tell_ranks(ranks),
            }
        }
        let status = match self.status() {
            Status::Running => Status::Interrupted,
            status => status,
        };
        let summary = match (&self.world, self.recorder.take()) {
            (AnyWorld::Plane(world), Some(AnyRecorder::Plane(recorder))) => {
                self.journal = Journal::resume(world, &recorder.memory(world));
                Some(recorder.finish(world, status)?)
            }
            (AnyWorld::Volume(world), Some(AnyRecorder::Volume(recorder))) => {
                self.journal = Journal::resume(world, &recorder.memory(world));
                Some(recorder.finish(world, status)?)
            }
            _ => None,
        };
        Ok(summary)
    }

    pub(super) fn summary_as(&self, status: Status) -> Summary {
        match (&self.world, &self.recorder) {
            (AnyWorld::Plane(world), Some(AnyRecorder::Plane(recorder))) => {
                recorder.summary(world, status)
            }
            (AnyWorld::Volume(world), Some(AnyRecorder::Volume(recorder))) => {
                recorder.summary(world, status)
            }
            (world, _) => with_world!(world, world => Summary {
                scene: self.origin.title.clone(),
                threads: self.threads,
                ..self.journal.summary(world, status)
            }),
        }
    }

    fn settings<S: Recorded>(&self, pictures: bool) -> Settings<S> {
        let Origin { title, text, folder, files, seed, materials, output, .. } = &self.origin;
        Settings {
            title: title.clone(),
            scene: text.clone(),
            folder: folder.display().to_string(),
            files: files.clone(),
            seed: *seed,
            materials: materials.clone(),
            end: self.end,
            threads: self.threads,
            view: output.view.map(|view| [view.low, view.high]),
            sample_interval: output.sample_interval,
            frame_interval: output.frame_interval,
            frames_per_picture: output.frames_per_picture,
            record: output.record != RecordLevel::Nothing,
            contacts: output.record == RecordLevel::All,
            track: output.track.clone(),
            pictures: pictures.then(|| picture_settings(output)),
        }
    }

    /// All that is needed to go on from here in the same bits, with the scene: [`load`](Self::load) takes it.
    ///
    /// ```
    /// use drystone::prelude::*;
    /// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
    /// #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
    /// #     body = [{ name = \"ball\", shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" }]\n";
    /// let mut simulation = Simulation::parse(scene)?;
    /// simulation.run_until(0.1)?;
    /// let mut other = Simulation::load(&simulation.checkpoint()?)?;
    /// simulation.run_until(0.2)?;
    /// other.run_until(0.2)?;
    /// assert_eq!(simulation.state_hash(), other.state_hash());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn checkpoint(&self) -> Result<Vec<u8>, Error> {
        let memory = match (&self.world, &self.recorder) {
            (AnyWorld::Plane(world), Some(AnyRecorder::Plane(recorder))) => recorder.memory(world),
            (AnyWorld::Volume(world), Some(AnyRecorder::Volume(recorder))) => {
                recorder.memory(world)
            }
            (world, _) => with_world!(world, world => self.journal.memory(world)),
        };
        let Origin { title, text, folder, files, .. } = &self.origin;
        let about = [title.clone(), text.clone(), folder.display().to_string()].to_vec();
        let npz = Npz::of(|arrays| {
            let dimension = self.dimension() as i64;
            arrays.push("dimension", Array::i64(vec![], vec![dimension]));
            arrays.push("origin", Array::text(about));
            for (place, text) in files {
                let (name, bytes) = (format!("{FILE}{}", place.display()), text.as_bytes());
                arrays.push(&name, Array::u8(vec![bytes.len()], bytes.to_vec()));
            }
            arrays.push("end", Array::f64(vec![], vec![self.end]));
            with_world!(&self.world, world => put_checkpoint(world, &memory, arrays));
        });
        npz.encode().map_err(|source| Error::file("checkpoint", source))
    }

    /// A simulation that goes on from a checkpoint of one that was made from a scene.
    pub fn load(checkpoint: &[u8]) -> Result<Self, Error> {
        let npz = Npz::decode(checkpoint).map_err(damaged)?;
        let ([title, text, folder], files) = (origin(&npz)?, files(&npz)?);
        if text.is_empty() {
            return Err(Error::NoScene { place: "the checkpoint".to_owned() });
        }
        let folder = Path::new(&folder).to_owned();
        let folders = Folders { scene: Some(&folder), kept: None, given: &files };
        let mut scene = Scene::parse_in("the checkpoint's scene", &text, folders)?;
        scene.title = title;
        let origin = Origin::of_scene(&scene, folder);
        Self::resume_from(scene.take_setup(), origin, &npz)
    }

    /// The same for one that was made from this setup.
    pub fn load_with(setup: impl Into<AnySetup>, checkpoint: &[u8]) -> Result<Self, Error> {
        let npz = Npz::decode(checkpoint).map_err(damaged)?;
        let setup = setup.into();
        let [title, ..] = origin(&npz)?;
        let origin = Origin { title, ..Origin::of_hand(&setup) };
        Self::resume_from(setup, origin, &npz)
    }

    fn resume_from(setup: AnySetup, origin: Origin, npz: &Npz) -> Result<Self, Error> {
        let (world, memory) = match setup {
            AnySetup::Plane(setup) => {
                let Checkpoint { state, memory } = Checkpoint::decode(npz).map_err(damaged)?;
                (AnyWorld::Plane(World::resume(setup, state)?), memory)
            }
            AnySetup::Volume(setup) => {
                let Checkpoint { state, memory } = Checkpoint::decode(npz).map_err(damaged)?;
                (AnyWorld::Volume(World::resume(setup, state)?), memory)
            }
        };
        let end = match npz.get("end").map(|array| &array.data) {
            Some(Data::F64(values)) if values.len() == 1 => values[0],
            _ => return Err(damaged("array `end` is not one number".to_owned())),
        };
        let journal = with_world!(&world, world => Journal::resume(world, &memory));
        let mut simulation = Self::of_world(world, origin, end);
        simulation.journal = journal;
        Ok(simulation)
    }

    /// A simulation that goes on from the checkpoint of a record, and what its recorder remembers.
    pub(crate) fn of_record(
        archive: &Archive,
        setup: AnySetup,
        origin: Origin,
    ) -> Result<(Self, String), Error> {
        let (world, memory) = match setup {
            AnySetup::Plane(setup) => {
                let checkpoint = archive.checkpoint::<Plane>()?;
                (AnyWorld::Plane(World::resume(setup, checkpoint.state)?), checkpoint.memory)
            }
            AnySetup::Volume(setup) => {
                let checkpoint = archive.checkpoint::<Volume>()?;
                (AnyWorld::Volume(World::resume(setup, checkpoint.state)?), checkpoint.memory)
            }
        };
        let journal = with_world!(&world, world => Journal::resume(world, &memory));
        let mut simulation = Self::of_world(world, origin, archive.about().end);
        simulation.journal = journal;
        Ok((simulation, memory))
    }
}

impl Drop for Simulation {
    /// A record that was not finished is, so that it can be looked at and resumed.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.close_record();
        }
    }
}

/// Names of arrays that hold a file of the scene begin with this.
const FILE: &str = "file ";

/// Title, text and folder of a checkpoint.
fn origin(npz: &Npz) -> Result<[String; 3], Error> {
    match npz.get("origin").map(|array| &array.data) {
        Some(Data::Text(texts)) => texts.clone().try_into().ok(),
        _ => None,
    }
    .ok_or_else(|| damaged("it does not say what it is of".to_owned()))
}

/// The other files of its scene.
fn files(npz: &Npz) -> Result<Vec<SceneFile>, Error> {
    let file = |name: &str| {
        let place = name.strip_prefix(FILE)?;
        let text = match npz.get(name).map(|array| &array.data) {
            Some(Data::U8(bytes)) => String::from_utf8(bytes.clone()).ok(),
            _ => None,
        };
        let unread = || damaged(format!("the file {place} in it is not text"));
        Some(text.ok_or_else(unread).map(|text| SceneFile { place: place.into(), text }))
    };
    npz.names().filter_map(file).collect()
}

fn damaged(why: String) -> Error {
    Error::Unfit(format!("the checkpoint is damaged: {why}"))
}

/// How a scene wants its pictures.
pub(crate) fn picture_settings<S: Recorded>(output: &Output) -> PictureSettings<S> {
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
