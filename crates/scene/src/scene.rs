//! A scene that has passed all checks.

use crate::build;
use crate::decode::{Decode, Item, Reader};
use crate::files::{Files, Folders, SceneFile};
use crate::format::SceneTable;
use crate::overrides::Override;
use crate::plain::DimensionKey;
use crate::quantity::{Units, UnitsTable};
use crate::report::{Draft, Problems, Report, Span};
use crate::syntax::mend;
use drystone_engine::{AnyWorld, Setup, SetupError, World};
use drystone_fem::StressField;
use drystone_space::{Plane, Volume, read_limited};
use miette::NamedSource;
use std::path::Path;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A setup of either dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum AnySetup {
    /// In the plane.
    Plane(Setup<Plane>),
    /// In space.
    Volume(Setup<Volume>),
}

/// The part of a scene that is drawn; the third component is zero in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Lowest corner.
    pub low: [f64; 3],
    /// Highest corner.
    pub high: [f64; 3],
}

/// What is recorded of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordLevel {
    /// Frames with all contacts.
    #[default]
    All,
    /// Frames without contacts.
    Bodies,
    /// Neither frames nor checkpoints.
    Nothing,
}

/// What is recorded and drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Time between pictures.
    pub frame_interval: f64,
    /// Frames that are recorded for each picture.
    pub frames_per_picture: u64,
    /// What is recorded.
    pub record: RecordLevel,
    /// Time between samples of curves.
    pub sample_interval: f64,
    /// The part of the scene that is drawn, if given.
    pub view: Option<View>,
    /// Width and height of pictures in pixels.
    pub picture: (u32, u32),
    /// Speed at which the colour scale ends, if given.
    pub speed_limit: Option<f64>,
    /// Contact force at which the line width ends, if given.
    pub force_limit: Option<f64>,
    /// Stress that colours deformable solids.
    pub stress: StressField,
    /// Stress at which the colour scale of solids ends, if given.
    pub stress_limit: Option<f64>,
    /// Names of bodies whose position and velocity are sampled.
    pub track: Vec<String>,
}

impl Output {
    /// All that happens, with a frame and a sample after every so much time.
    pub fn every(frame_interval: f64, sample_interval: f64) -> Self {
        Self {
            frame_interval,
            frames_per_picture: 1,
            record: RecordLevel::All,
            sample_interval,
            view: None,
            picture: (1280, 960),
            speed_limit: None,
            force_limit: None,
            stress: StressField::default(),
            stress_limit: None,
            track: Vec::new(),
        }
    }
}

/// A scene that has passed all checks.
#[derive(Clone, Debug)]
pub struct Scene {
    /// One line that names it; the file's name if it has none.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// 2 or 3.
    pub dimension: usize,
    /// The text of the file.
    pub source: Arc<str>,
    /// Seed of all random numbers that have no seed of their own.
    pub seed: u64,
    /// Length of a step.
    pub time_step: f64,
    /// When the run ends.
    pub end_time: f64,
    /// What is recorded and drawn.
    pub output: Output,
    /// Names of the materials, by index.
    pub materials: Vec<String>,
    /// What the world is made from.
    pub setup: AnySetup,
    /// Other files that were read.
    pub files: Vec<SceneFile>,
    /// Warnings.
    pub warnings: Report,
}

impl Scene {
    /// Reads a scene file; files that it names are found relative to it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Report> {
        let path = path.as_ref();
        let (name, text) = text_of(path)?;
        Self::parse(&name, &text, path.parent())
    }

    /// The same with other values for some of its keys, which then stand in the text of the scene too.
    pub fn read_with(path: impl AsRef<Path>, changes: &[Override]) -> Result<Self, Report> {
        let path = path.as_ref();
        let (name, text) = text_of(path)?;
        Self::parse_with(&name, &text, path.parent(), changes)
    }

    /// Reads a scene from text, with other values for some of its keys.
    pub fn parse_with(
        name: &str,
        text: &str,
        base: Option<&Path>,
        changes: &[Override],
    ) -> Result<Self, Report> {
        Self::parse_with_in(name, text, Folders { scene: base, ..Folders::default() }, changes)
    }

    /// The same with the files that it names found in these folders.
    pub fn parse_with_in(
        name: &str,
        text: &str,
        folders: Folders<'_>,
        changes: &[Override],
    ) -> Result<Self, Report> {
        if changes.is_empty() {
            return Self::parse_in(name, text, folders);
        }
        let mut changed = text.to_owned();
        for change in changes {
            changed = change.apply(name, &changed)?;
        }
        let words: Vec<String> = changes.iter().map(Override::to_string).collect();
        let shown = format!("{name} with {}", words.join(", "));
        Self::parse_shown(name, &shown, &changed, folders)
    }

    /// Reads a scene from text. `name` is what messages call it; files that it names are found
    /// relative to `base`, and refused if there is none.
    pub fn parse(name: &str, text: &str, base: Option<&Path>) -> Result<Self, Report> {
        Self::parse_in(name, text, Folders { scene: base, ..Folders::default() })
    }

    /// The same with the files that it names found in these folders.
    pub fn parse_in(name: &str, text: &str, folders: Folders<'_>) -> Result<Self, Report> {
        Self::parse_shown(name, name, text, folders)
    }

    /// The same with another name in messages.
    fn parse_shown(
        name: &str,
        shown: &str,
        text: &str,
        folders: Folders<'_>,
    ) -> Result<Self, Report> {
        let source: Arc<str> = Arc::from(text);
        let mut problems = Problems::new(NamedSource::new(shown, source.clone()));
        let mended = mend(text, &mut problems);
        let broken = problems.has_errors();
        let root = tables(&mended);
        let (dimension, units) = frame(&root, &source);
        let mut reader = Reader::new(problems, units, dimension);
        reader.broken = broken;
        let table = SceneTable::decode(&root, &mut reader);
        let Reader { mut problems, .. } = reader;
        let (Some(table), Some(dimension)) = (table, dimension) else {
            return Err(problems.into_report());
        };
        // What is missing may stand where the text could not be read.
        if broken {
            return Err(problems.into_report());
        }
        let around = build::Surroundings { files: Files::new(folders), units };
        let built = build::scene(&table, dimension, &around, &mut problems);
        if problems.has_errors() {
            return Err(problems.into_report());
        }
        let Some((setup, output, materials)) = built else {
            return Err(problems.into_report());
        };
        let (time_step, end_time) =
            table.time.value.as_ref().map_or((0.0, 0.0), |time| (time.step.value, time.end.value));
        Ok(Self {
            title: table.title.value.map_or_else(|| name.to_owned(), |title| title.value),
            description: table.description.value.map_or_else(String::new, |text| text.value),
            dimension,
            source,
            seed: table.seed.value.as_ref().map_or(0, |seed| seed.value as u64),
            time_step,
            end_time,
            output,
            materials,
            setup,
            files: around.files.into_read(),
            warnings: problems.into_report(),
        })
    }

    /// The world at time 0.
    pub fn world(&self) -> Result<AnyWorld, SetupError> {
        self.setup.clone().world()
    }

    /// The same with the bodies of the scene itself, of which there may be very many.
    pub fn take_world(&mut self) -> Result<AnyWorld, SetupError> {
        self.take_setup().world()
    }

    /// What the world is made of; the scene has an empty setup after that.
    pub fn take_setup(&mut self) -> AnySetup {
        match &mut self.setup {
            AnySetup::Plane(setup) => AnySetup::Plane(std::mem::take(setup)),
            AnySetup::Volume(setup) => AnySetup::Volume(std::mem::take(setup)),
        }
    }
}

/// Evaluates an expression with `$setup` bound to the [`Setup`](drystone_engine::Setup) inside an [`AnySetup`].
#[macro_export]
macro_rules! with_setup {
    ($any:expr, $setup:ident => $body:expr) => {
        match $any {
            $crate::AnySetup::Plane($setup) => $body,
            $crate::AnySetup::Volume($setup) => $body,
        }
    };
}

impl From<Setup<Plane>> for AnySetup {
    fn from(setup: Setup<Plane>) -> Self {
        Self::Plane(setup)
    }
}

impl From<Setup<Volume>> for AnySetup {
    fn from(setup: Setup<Volume>) -> Self {
        Self::Volume(setup)
    }
}

impl AnySetup {
    /// The world at time 0.
    pub fn world(self) -> Result<AnyWorld, SetupError> {
        match self {
            Self::Plane(setup) => World::new(setup).map(AnyWorld::Plane),
            Self::Volume(setup) => World::new(setup).map(AnyWorld::Volume),
        }
    }
}

/// Name and text of a file.
pub(crate) fn text_of(path: &Path) -> Result<(String, String), Report> {
    let name = path.display().to_string();
    let refuse = |text: &str, draft: Draft| {
        let mut problems = Problems::new(NamedSource::new(&name, Arc::from(text)));
        problems.push(draft);
        problems.into_report()
    };
    let unread = |error| Draft::error(Span::default(), format!("cannot be read: {error}"));
    let bytes = read_limited(path).map_err(|error| refuse("", unread(error)))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            let draft = Draft::error((valid..valid + 3).into(), "file is not text");
            Err(refuse(&text, draft.found("a byte that is not UTF-8").expected("UTF-8 text")))
        }
    }
}

/// The tables of a text, and where problems in it are collected.
pub(crate) fn document<'t>(name: &str, text: &'t str) -> Result<(Item<'t>, Problems), Report> {
    let mut problems = Problems::new(NamedSource::new(name, Arc::from(text)));
    mend(text, &mut problems);
    match problems.has_errors() {
        true => Err(problems.into_report()),
        false => Ok((tables(text), problems)),
    }
}

/// The tables of a text that is TOML.
fn tables(text: &str) -> Item<'_> {
    Item::new(0..0, DeValue::Table(DeTable::parse_recoverable(text).0.into_inner()))
}

/// The dimension, if it is stated rightly. Its problems are reported later.
pub(crate) fn dimension_of(root: &Item) -> Option<usize> {
    let problems = Problems::new(NamedSource::new("", Arc::from("")));
    let mut reader = Reader::new(problems, Units::default(), None);
    let dimension = root.get_ref().get("dimension");
    dimension.and_then(|item| DimensionKey::decode(item, &mut reader)).map(|key| key.value)
}

/// Dimension and units: what all other values are read by. Their problems are reported later.
fn frame(root: &Item, source: &Arc<str>) -> (Option<usize>, Units) {
    let problems = Problems::new(NamedSource::new("", source.clone()));
    let mut reader = Reader::new(problems, Units::default(), None);
    let units = root.get_ref().get("units");
    let units = units.and_then(|item| UnitsTable::decode(item, &mut reader));
    // Where it is not stated rightly, gravity tells what was meant: other mistakes are then told too.
    let components = || root.get_ref().get("gravity")?.get_ref().as_array().map(|list| list.len());
    let dimension = dimension_of(root).or_else(|| components().filter(|n| [2, 3].contains(n)));
    (dimension, units.map_or_else(Units::default, |t| Units::new(&t)))
}
