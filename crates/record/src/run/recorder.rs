//! Writes a run while it goes on, and the loop that runs it.

use super::curves::{Curves, LEDGER, STEPS};
use super::gallery::Gallery;
use super::journal::FEW_CONTACTS;
use super::memory::{Clock, RecorderMemory};
use super::painter::painter;
use super::tables::Tables;
use super::{Energy, RankSummary, Recording, RunLock, Seen, Status, Summary};
use crate::RecordError;
use crate::archive::{
    self, ARRAYS, About, Archive, Batch, Catalogue, FORMAT, Packer, Recorded, Scribe, frame_files,
};
use crate::picture::{Paint, PictureFrame, PictureSettings, Subject};
use crate::table::TableSum;
use drystone_engine::{Stage, StepReport, World};
use drystone_space::clock::Instant;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings<S: Paint> {
    /// Title of the scene.
    pub title: String,
    /// The text of the scene file.
    pub scene: String,
    /// Folder in which the scene's other files are found.
    pub folder: String,
    /// Those files: the place of each copy in the record, and what it says.
    pub files: Vec<(PathBuf, String)>,
    /// Seed of the scene's random numbers.
    pub seed: u64,
    /// Names of the materials, by index.
    pub materials: Vec<String>,
    /// The time that the run is asked to reach.
    pub end: f64,
    /// Threads that compute.
    pub threads: usize,
    /// The region that pictures show, if the scene names one: its least corner and its largest.
    pub view: Option<[[f64; 3]; 2]>,
    /// Time between rows of tables.
    pub sample_interval: f64,
    /// Time between pictures.
    pub frame_interval: f64,
    /// Frames of the record for each picture.
    pub frames_per_picture: u64,
    /// Whether there are frames and checkpoints.
    pub record: bool,
    /// Whether frames tell of contacts.
    pub contacts: bool,
    /// Names of bodies that are followed.
    pub track: Vec<String>,
    /// How pictures are made; `None` for no pictures.
    pub pictures: Option<PictureSettings<S>>,
}

/// The folder of pictures, in the directory of a run.
pub(super) const FRAMES: &str = "frames";

/// How often the files are brought up to date, at most.
const CHECKPOINT: Duration = Duration::from_secs(1);
/// Checkpoints take no more than this part of the time.
const CHECKPOINT_SHARE: u32 = 20;

/// Writes a run while it goes on.
pub struct Recorder<S: Recorded> {
    directory: PathBuf,
    /// Keeps other writers away.
    lock: Arc<RunLock>,
    settings: Settings<S>,
    gallery: Option<Gallery<S>>,
    scribe: Scribe<S>,
    packer: Packer,
    tables: Tables,
    curves: Curves,
    memory: RecorderMemory,
    started: Instant,
    /// When the next checkpoint is due.
    due: Instant,
    recording: Duration,
    /// What each of several processes has had to do.
    ranks: Vec<RankSummary>,
}

impl<S: Recorded> Recorder<S> {
    /// Starts a run in a directory made ready, and locked, by [`super::prepare`].
    pub fn start(
        directory: &Path,
        lock: RunLock,
        settings: Settings<S>,
        world: &World<S>,
    ) -> Result<Self, RecordError> {
        let started = Instant::now();
        let scene = directory.join("scene.toml");
        std::fs::write(&scene, &settings.scene).map_err(|e| RecordError::write(&scene, e))?;
        if settings.record {
            archive::keep_files(directory, &settings.files)?;
        }
        let (row_clock, frame_clock) = clocks(&settings);
        let phase = world.phase_index();
        let memory = RecorderMemory { row_clock, frame_clock, phase, ..RecorderMemory::default() };
        let lock = Arc::new(lock);
        let mut recorder = Self {
            directory: directory.to_owned(),
            gallery: None,
            scribe: scribe(directory, &lock, 0),
            lock,
            packer: Packer::default(),
            tables: Tables::create(directory, world, &settings)?,
            curves: Curves::default(),
            memory,
            started,
            due: started,
            recording: Duration::ZERO,
            ranks: Vec::new(),
            settings,
        };
        let catalogue = Catalogue::of(world);
        recorder.introduce(&catalogue, world)?;
        let first = recorder.moment(world);
        if let Some(pictures) = recorder.settings.pictures.clone() {
            let picture = recorder.picture(&catalogue, &first, world);
            recorder.gallery = Some(Gallery::open(painter(pictures, &picture, world), catalogue));
        }
        recorder.sample(world)?;
        recorder.frame(world, first)?;
        recorder.keep(world)?;
        recorder.save(world, Status::Running)?;
        recorder.recording = started.elapsed();
        Ok(recorder)
    }

    /// Goes on with a run whose world was made from the checkpoint with this memory.
    ///
    /// What was recorded after the checkpoint is removed: it will be recorded again.
    pub fn resume(
        directory: &Path,
        lock: RunLock,
        settings: Settings<S>,
        world: &World<S>,
        memory: &str,
    ) -> Result<Self, RecordError> {
        let started = Instant::now();
        let folder = archive::folder(directory);
        let memory = RecorderMemory::from_json(memory, &folder.join("checkpoint.npz"))?;
        let archive = Archive::open(directory)?;
        let catalogue = Catalogue::of(world);
        if !archive.is_made_of(&catalogue)? {
            let why = "its scene makes other bodies than those recorded".to_owned();
            return Err(RecordError::NoRecord { path: directory.to_owned(), why });
        }
        for folder in [directory, &folder, &directory.join(FRAMES)] {
            archive::remove_unfinished(folder)?;
        }
        for (index, path) in frame_files(&folder) {
            if index as u64 >= memory.frames {
                std::fs::remove_file(&path).map_err(|e| RecordError::write(&path, e))?;
            }
        }
        let tables = Tables::reopen(directory, &memory.tables, &memory.table_sums)?;
        let lock = Arc::new(lock);
        let mut recorder = Self {
            directory: directory.to_owned(),
            gallery: None,
            scribe: scribe(directory, &lock, memory.bytes),
            lock,
            packer: Packer::default(),
            tables,
            curves: Curves::read(directory)?,
            memory,
            started,
            due: started + CHECKPOINT,
            recording: Duration::ZERO,
            ranks: Vec::new(),
            settings,
        };
        recorder.introduce(&catalogue, world)?;
        recorder.reopen_gallery(&archive, catalogue, world)?;
        recorder.save(world, Status::Running)?;
        recorder.recording = started.elapsed();
        Ok(recorder)
    }

    /// Writes what a reader must know first.
    fn introduce(&mut self, catalogue: &Catalogue<S>, world: &World<S>) -> Result<(), RecordError> {
        let settings = &self.settings;
        if !settings.record {
            return Ok(());
        }
        let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let about = About {
            format: FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            title: settings.title.clone(),
            dimension: S::DIMENSION,
            time_step: world.setup().time_step,
            end: settings.end,
            view: settings.view,
            seed: settings.seed,
            folder: settings.folder.clone(),
            materials: settings.materials.clone(),
            contacts: settings.contacts,
            ledger: names(LEDGER.iter().map(|(name, _)| *name).collect()),
            report: names(STEPS.iter().map(|(name, _)| *name).collect()),
            arrays: ARRAYS.iter().map(|(n, w)| ((*n).to_owned(), (*w).to_owned())).collect(),
        };
        let folder = archive::folder(&self.directory);
        let mut text = serde_json::to_string_pretty(&about)
            .map_err(|error| RecordError::write(&folder, error.into()))?;
        text.push('\n');
        let mut batch = Batch::new(&folder);
        batch.add("about.json", |file| file.write_all(text.as_bytes()))?;
        let put = |arrays: &mut dyn archive::Arrays| {
            catalogue.put(arrays);
            arrays.push("about", archive::Array::text(vec![text]));
            arrays.push("scene", archive::Array::text(vec![settings.scene.clone()]));
            if !settings.files.is_empty() {
                arrays.push("kept", archive::Array::text(archive::kept_sums(&settings.files)));
            }
        };
        self.packer.add(&mut batch, "things.npz", put)?;
        batch.commit()
    }

    /// Makes a painter that has seen all pictures so far, and paints those that are missing.
    fn reopen_gallery(
        &mut self,
        archive: &Archive,
        catalogue: Catalogue<S>,
        world: &World<S>,
    ) -> Result<(), RecordError> {
        let Some(pictures) = self.settings.pictures.clone() else { return Ok(()) };
        // A run that has made none so far makes up for it.
        self.memory.pictures = self.memory.frames.div_ceil(self.settings.frames_per_picture);
        let mut seen = None;
        for index in 0..self.memory.pictures {
            let frame = index * self.settings.frames_per_picture;
            // Of a frame that is damaged there is no picture more than there was.
            let Ok(frame) = archive.frame(frame as usize) else { continue };
            let picture = self.picture(&catalogue, &frame, world);
            let painter = seen.get_or_insert_with(|| painter(pictures.clone(), &picture, world));
            let path = self.picture_path(index);
            if path.exists() {
                painter.watch(&picture);
            } else {
                painter.paint(&picture, Subject::Bodies).write_png(&path)?;
            }
        }
        self.gallery = seen.map(|painter| Gallery::open(painter, catalogue));
        // A picture of the end at which the run was interrupted may be left.
        let _ = std::fs::remove_file(self.picture_path(self.memory.pictures));
        Ok(())
    }

    /// What it needs to take in a step that was made.
    pub fn asks(&self, world: &World<S>, report: &StepReport) -> Seen {
        let (time, time_step) = (world.phase_time(), world.setup().time_step);
        let memory = &self.memory;
        let tracks = !self.settings.track.is_empty() && memory.row_clock.is_due(time, time_step);
        let all = tracks
            || memory.phase != world.phase_index()
            || memory.frame_clock.is_due(time, time_step)
            || Instant::now() >= self.due;
        if all { Seen::All } else { memory.watch.asks(world, report) }
    }

    /// Takes in a step that was made, and of which at least that can be seen for which it [asks](Self::asks).
    pub fn step(
        &mut self,
        world: &World<S>,
        report: &StepReport,
        seen: Seen,
    ) -> Result<(), RecordError> {
        let since = Instant::now();
        self.memory.step(report, world.last_tolerance());
        self.memory.watch.step(world, report, seen);
        if self.memory.phase != world.phase_index() {
            self.turn_phase(world)?;
        }
        let (time, time_step) = (world.phase_time(), world.setup().time_step);
        if self.memory.row_clock.rings(time, time_step) {
            self.sample(world)?;
        }
        let framed = self.memory.frame_clock.rings(time, time_step);
        if (framed || report.contacts <= FEW_CONTACTS)
            && let Some(found) = world.uniqueness()
        {
            self.memory.uniqueness.get_or_insert_default().add(found);
        }
        if framed {
            let moment = self.moment(world);
            self.frame(world, moment)?;
        }
        if seen == Seen::All && Instant::now() >= self.due {
            self.keep(world)?;
            self.save(world, Status::Running)?;
        }
        self.recording += since.elapsed();
        Ok(())
    }

    /// Notes the end of a phase. The next one has its own clocks, and a picture of its start.
    fn turn_phase(&mut self, world: &World<S>) -> Result<(), RecordError> {
        self.memory.note_phase(world);
        if world.is_over() {
            return Ok(());
        }
        (self.memory.row_clock, self.memory.frame_clock) = clocks(&self.settings);
        self.sample(world)?;
        let moment = self.moment(world);
        self.order(world, &moment)?;
        self.frame(world, moment)
    }

    /// What each of several processes has had to do so far, for the summary.
    pub fn tell_ranks(&mut self, ranks: Vec<RankSummary>) {
        self.ranks = ranks;
    }

    /// Ends the run: last rows, last frame, plots and summary.
    pub fn finish(mut self, world: &World<S>, status: Status) -> Result<Summary, RecordError> {
        let since = Instant::now();
        // Before anything is added that a longer run would not have; and a step that has failed is
        // nothing to go on from.
        if !matches!(status, Status::Stopped(_)) {
            self.keep(world)?;
        }
        if self.memory.last_row != world.time() {
            self.sample(world)?;
        }
        if self.memory.last_frame != world.time() {
            let moment = self.moment(world);
            self.frame(world, moment)?;
        }
        if self.memory.last_picture != world.time() {
            let moment = self.moment(world);
            self.order(world, &moment)?;
        }
        self.memory.bytes = self.scribe.wait()?;
        if let Some(gallery) = self.gallery.take() {
            // The numbers first: should a picture fail, they are safe. The run has not ended before its pictures are
            // there: one that is killed until then is resumed, and makes them.
            let so_far = if status == Status::Finished { &Status::Running } else { &status };
            self.save(world, so_far.clone())?;
            let picture = self.picture(&gallery.catalogue, &self.moment(world), world);
            gallery.order(picture, Subject::Forces, self.directory.join("forces.png"));
            let tolerance = world.setup().loosest_tolerance();
            self.curves.write(&self.directory, &self.settings.title, tolerance)?;
            gallery.close()?;
        }
        self.recording += since.elapsed();
        self.save(world, status)
    }

    fn sample(&mut self, world: &World<S>) -> Result<(), RecordError> {
        let peaks = std::mem::take(&mut self.memory.since_row);
        let ledger = LEDGER.map(|(_, value)| value(world.ledger()));
        self.curves.push(world.time(), ledger, peaks);
        self.memory.last_row = world.time();
        self.tables.row(world, &ledger, peaks, &self.settings.track)
    }

    /// The world as it is now.
    fn moment(&self, world: &World<S>) -> archive::Frame<S> {
        let ledger = LEDGER.map(|(_, value)| value(world.ledger())).to_vec();
        archive::Frame::of(world, ledger, self.memory.since_frame.to_vec())
    }
    fn picture(
        &self,
        catalogue: &Catalogue<S>,
        moment: &archive::Frame<S>,
        world: &World<S>,
    ) -> PictureFrame<S> {
        let time_step = world.setup().time_step;
        let (phase, time) = world.phase_at(moment.time);
        let title = match phase {
            Some(phase) => format!("{}: {phase}", self.settings.title),
            None => self.settings.title.clone(),
        };
        let stress = self.settings.pictures.as_ref().map(|pictures| pictures.stress);
        let stress = stress.unwrap_or_default();
        let frame = PictureFrame::recorded(moment, catalogue, &title, time_step, stress);
        PictureFrame { time, ..frame }
    }
    fn picture_path(&self, index: u64) -> PathBuf {
        self.directory.join(FRAMES).join(format!("{index:06}.png"))
    }

    /// Orders a picture, if pictures are made.
    fn order(&mut self, world: &World<S>, moment: &archive::Frame<S>) -> Result<(), RecordError> {
        let Some(gallery) = self.gallery.take() else { return Ok(()) };
        let picture = self.picture(&gallery.catalogue, moment, world);
        if !gallery.order(picture, Subject::Bodies, self.picture_path(self.memory.pictures)) {
            return gallery.close();
        }
        self.gallery = Some(gallery);
        self.memory.pictures += 1;
        self.memory.last_picture = world.time();
        Ok(())
    }

    /// Records a frame, and a picture of it if it is its turn.
    fn frame(
        &mut self,
        world: &World<S>,
        mut moment: archive::Frame<S>,
    ) -> Result<(), RecordError> {
        let index = self.memory.frames;
        let drawn = self.memory.pictures > 0 && self.memory.last_picture == world.time();
        if index.is_multiple_of(self.settings.frames_per_picture) && !drawn {
            self.order(world, &moment)?;
        }
        self.tables.frame(&moment)?;
        if self.settings.record {
            if !self.settings.contacts {
                moment.contacts = Vec::new();
                moment.solid_contacts = Vec::new();
            }
            self.scribe.write(index as usize, moment)?;
        }
        self.memory.frames += 1;
        self.memory.last_frame = world.time();
        self.memory.since_frame = Default::default();
        Ok(())
    }

    /// Writes a checkpoint; all frames and rows before it are on the disk then.
    fn keep(&mut self, world: &World<S>) -> Result<(), RecordError> {
        let since = Instant::now();
        self.lock.check()?;
        self.memory.bytes = self.scribe.wait()?;
        self.tables.sync()?;
        let sums = self.tables.sums();
        self.memory.tables = sums.iter().map(|(name, sum)| (name.clone(), sum.0)).collect();
        self.memory.table_sums = sums.into_iter().map(|(name, sum)| (name, sum.1)).collect();
        let mut memory = self.memory.clone();
        memory.wall_seconds += self.started.elapsed().as_secs_f64();
        memory.stages = self.memory.stages(world, self.recording);
        let folder = archive::folder(&self.directory);
        if self.settings.record {
            archive::write_checkpoint(world, &memory.to_json(), &folder, &mut self.packer)?;
        }
        self.due = Instant::now() + CHECKPOINT.max(CHECKPOINT_SHARE * since.elapsed());
        Ok(())
    }

    /// Brings tables and summary up to date.
    fn save(&mut self, world: &World<S>, status: Status) -> Result<Summary, RecordError> {
        self.lock.check()?;
        self.tables.flush()?;
        let mut summary = self.summary(world, status);
        let sum = |(name, (bytes, sum))| (name, TableSum::new(bytes, sum));
        summary.tables = self.tables.sums().into_iter().map(sum).collect();
        summary.write(&self.directory)?;
        Ok(summary)
    }

    /// What it remembers of the steps so far, as [`Checkpoint::memory`](archive::Checkpoint) has it.
    pub fn memory(&self, world: &World<S>) -> String {
        let mut memory = self.memory.clone();
        memory.wall_seconds += self.started.elapsed().as_secs_f64();
        memory.stages = self.memory.stages(world, self.recording);
        memory.to_json()
    }

    /// How the run has gone so far.
    pub fn summary(&self, world: &World<S>, status: Status) -> Summary {
        let frames = if self.settings.record { self.memory.frames } else { 0 };
        let title = self.settings.title.clone();
        let summary = self.memory.summary(world, self.recording, self.started, status);
        let record = Recording { frames, bytes: self.memory.bytes };
        let (threads, ranks) = (self.settings.threads, self.ranks.clone());
        Summary { scene: title, threads, record, ranks, ..summary }
    }
}

impl RecorderMemory {
    /// Time spent in each stage and in recording, earlier parts of the run counted.
    fn stages<S: Recorded>(&self, world: &World<S>, recording: Duration) -> BTreeMap<String, f64> {
        let earlier = |name: &str| self.stages.get(name).copied().unwrap_or(0.0);
        let seconds = |stage: Stage| {
            let spent = world.timers().spent(stage).as_secs_f64();
            (stage.name().to_owned(), earlier(stage.name()) + spent)
        };
        let record = earlier("record") + recording.as_secs_f64();
        Stage::ALL.into_iter().map(seconds).chain([("record".to_owned(), record)]).collect()
    }

    /// How the run has gone so far, but for its title, its threads and what is on the disk.
    pub fn summary<S: Recorded>(
        &self,
        world: &World<S>,
        recording: Duration,
        started: Instant,
        status: Status,
    ) -> Summary {
        let memory = self;
        Summary {
            scene: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dimension: S::DIMENSION,
            status,
            bodies: world.count_bodies(),
            steps: world.steps(),
            time: world.time(),
            time_step: world.setup().time_step,
            threads: 1,
            tolerance: world.setup().loosest_tolerance(),
            wall_seconds: memory.wall_seconds + started.elapsed().as_secs_f64(),
            stages: self.stages(world, recording),
            contacts: memory.contacts.spread(),
            iterations: memory.iterations.spread(),
            residual: memory.residual.spread(),
            residual_scale_free: memory.residual_scale_free.spread(),
            error: memory.error.spread(),
            judged: memory.judged,
            unconverged_steps: memory.unconverged,
            verdict: memory.watch.verdict(world),
            methods: memory.methods.clone(),
            penetration: memory.penetration,
            uniqueness: memory.uniqueness,
            phases: memory.phases.clone(),
            energy: Energy::from(world.ledger()),
            frames: memory.pictures,
            record: Recording::default(),
            tables: BTreeMap::new(),
            ranks: Vec::new(),
            state_hash: format!("{:016x}", world.state_hash()),
        }
    }
}

/// A writer of frames that stops when the directory is not ours any more.
fn scribe<S: Recorded>(directory: &Path, lock: &Arc<RunLock>, bytes: u64) -> Scribe<S> {
    let lock = Arc::clone(lock);
    Scribe::open(archive::folder(directory), bytes, move || lock.check())
}

/// The clocks of rows and of frames, at the start of a phase.
fn clocks<S: Recorded>(settings: &Settings<S>) -> (Clock, Clock) {
    let frame = settings.frame_interval / settings.frames_per_picture as f64;
    (Clock::new(settings.sample_interval), Clock::new(frame))
}
