//! A scene that is being run: what the page asks for.

use crate::Grasp;
use drystone_engine::{AnyWorld, StepError, StepReport, World, with_world};
use drystone_record::archive::{Catalogue, Frame, Recorded};
use drystone_record::run::{Journal, Seen, Status, ledger_values, report_values};
use drystone_scene::{Folders, Override, Report, Scene, SceneFile, Severity};
use drystone_space::{DVec3, Vector};
use drystone_viewer::{Card, block, catalogue};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A scene as the page sends it: its name, its text, the files that it names, and other values for its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// What messages call it.
    pub name: String,
    /// The scene.
    pub text: String,
    /// Files that it names.
    pub files: Vec<SceneFile>,
    /// Other values for keys, as `key=value`.
    pub changes: Vec<String>,
}

impl Source {
    /// From JSON: `{"name": …, "text": …, "files": {place: text}, "changes": ["key=value"]}`.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let files = value["files"].as_object().into_iter().flatten();
        let files = files.filter_map(|(place, text)| {
            Some(SceneFile { place: place.into(), text: text.as_str()?.to_owned() })
        });
        let changes = value["changes"].as_array().into_iter().flatten();
        Ok(Self {
            name: word("name"),
            text: word("text"),
            files: files.collect(),
            changes: changes.filter_map(|change| change.as_str().map(str::to_owned)).collect(),
        })
    }

    /// The scene, or what is wrong with it.
    pub fn scene(&self) -> Result<Scene, Report> {
        let changes: Result<Vec<Override>, Report> =
            self.changes.iter().map(|change| change.parse()).collect();
        let folders = Folders { given: &self.files, ..Folders::default() };
        Scene::parse_with_in(&self.name, &self.text, folders, &changes?)
    }
}

/// A report as the page reads it: each problem with its place and as the program prints it.
pub fn problems(report: &Report) -> Value {
    let each = report.problems().iter().map(|problem| {
        json!({
            "severity": match problem.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            "message": problem.message(),
            "found": problem.found(),
            "expected": problem.expected(),
            "suggestion": problem.suggestion(),
            "file": problem.file(),
            "line": problem.line(),
            "column": problem.column(),
            "length": problem.length(),
            "text": problem.to_string(),
        })
    });
    json!({
        "errors": report.errors(),
        "warnings": report.warnings(),
        "summary": report.summary(),
        "problems": each.collect::<Vec<_>>(),
    })
}

/// A scene in motion, with what the page wants to know of it.
#[derive(Debug)]
pub struct Session {
    world: AnyWorld,
    journal: Journal,
    run: Value,
    end: f64,
    size: f64,
    grasp: Option<Grasp>,
    /// The largest figures of steps since the last row, by name.
    peaks: BTreeMap<&'static str, f64>,
    /// Why it cannot go on.
    failed: Option<String>,
}

impl Session {
    /// At time 0. `Err` says what the world was not made from.
    pub fn new(mut scene: Scene) -> Result<Self, String> {
        let world = scene.take_world().map_err(|error| error.to_string())?;
        let view = scene.output.view;
        let card = Card {
            title: &scene.title,
            dimension: scene.dimension,
            end: scene.end_time,
            view: view.map_or(Value::Null, |view| json!([view.low, view.high])),
            materials: &scene.materials,
        };
        let mut run = with_world!(&world, world => card.run(catalogue(&Catalogue::of(world))));
        run["description"] = scene.description.clone().into();
        run["frame_interval"] = scene.output.frame_interval.into();
        run["time_step"] = scene.time_step.into();
        let size = match view {
            Some(view) => (DVec3::from(view.high) - DVec3::from(view.low)).norm(),
            None => with_world!(&world, world => size(world)),
        };
        let journal = with_world!(&world, world => Journal::begin(world));
        Ok(Self {
            world,
            journal,
            run,
            end: scene.end_time,
            size,
            grasp: None,
            peaks: BTreeMap::new(),
            failed: None,
        })
    }

    /// What the page knows of the run before it has seen a frame.
    pub fn run(&self) -> &Value {
        &self.run
    }
    /// The time reached.
    pub fn time(&self) -> f64 {
        with_world!(&self.world, world => world.time())
    }
    /// Hash of the state, as the program's summary has it.
    pub fn state_hash(&self) -> u64 {
        with_world!(&self.world, world => world.state_hash())
    }
    /// Whether steps are left to make before the end that the scene gives.
    pub fn goes_on(&self) -> bool {
        self.failed.is_none()
            && with_world!(&self.world, world => {
                world.time() + 0.5 * world.setup().time_step < self.end && !world.is_over()
            })
    }
    /// Has it end later or earlier than the scene says.
    pub fn set_end(&mut self, end: f64) {
        self.end = end;
        self.run["end"] = end.into();
    }

    /// Makes steps until a time, at most so many, and no further than the end; how many were made.
    pub fn advance(&mut self, until: f64, most: u64) -> u64 {
        let mut made = 0;
        while made < most && self.goes_on() && self.before(until) {
            self.step();
            made += 1;
        }
        made
    }

    fn before(&self, until: f64) -> bool {
        with_world!(&self.world, world => world.time() + 0.5 * world.setup().time_step < until)
    }

    fn step(&mut self) {
        let Self { world, grasp, journal, .. } = self;
        let stepped = with_world!(world, world => {
            // The body may have been taken away by a resumed state: then there is nothing to hold.
            if grasp.is_some_and(|grasp| grasp.apply(world).is_err()) {
                *grasp = None;
            }
            let stepped = world.step();
            let report = match &stepped {
                Ok(report) => Some(*report),
                // A step that was made and not solved counts like any other.
                Err(StepError::NotConverged { report, .. }) => Some(**report),
                Err(_) => None,
            };
            if let Some(report) = &report {
                journal.step(world, report, Seen::All);
            }
            (report, stepped.err().map(|error| error.to_string()))
        });
        let (report, failed) = stepped;
        if let Some(report) = report {
            self.note(&report);
        }
        self.failed = failed;
    }

    fn note(&mut self, report: &StepReport) {
        for (name, value) in report_values(report) {
            let peak = self.peaks.entry(name).or_insert(value);
            *peak = peak.max(value);
        }
    }

    /// The frame now, as the page reads it.
    pub fn frame(&self) -> Vec<u8> {
        with_world!(&self.world, world => {
            block(&Frame::of(world, Vec::new(), Vec::new()), world.setup().time_step)
        })
    }

    /// A row of the curves: the ledger now, and the largest figures of steps since the last row.
    pub fn row(&mut self) -> Value {
        let time = self.time();
        let ledger = with_world!(&self.world, world => {
            ledger_values(world.ledger()).map(|(name, value)| (name.to_owned(), json!(value)))
                .collect::<Map<_, _>>()
        });
        let steps = std::mem::take(&mut self.peaks);
        let steps: Map<_, _> =
            steps.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        json!({ "time": time, "ledger": ledger, "steps": steps })
    }

    /// How the run has gone so far: the summary that the program would write, with the hash of the state.
    pub fn summary(&self) -> Value {
        let status = match &self.failed {
            Some(error) => Status::Stopped(error.clone()),
            None if self.goes_on() => Status::Running,
            None => Status::Finished,
        };
        let summary = with_world!(&self.world, world => self.journal.summary(world, status));
        let reasons: Vec<String> =
            summary.verdict.reasons().iter().map(|reason| reason.to_string()).collect();
        let mut value = json!(summary);
        value["status"] = summary.status.to_string().into();
        value["reasons"] = reasons.into();
        value["goes_on"] = self.goes_on().into();
        value
    }

    /// Takes hold of a body at a point of the world; whether there is such a body.
    pub fn grasp(&mut self, body: usize, point: [f64; 3]) -> bool {
        self.release();
        let size = self.size;
        self.grasp = with_world!(&self.world, world => Grasp::of(world, body, point, size));
        self.grasp.is_some()
    }
    /// Draws what is held to a point of the world.
    pub fn pull(&mut self, target: [f64; 3]) {
        if let Some(grasp) = &mut self.grasp {
            grasp.pull(target);
        }
    }
    /// Where the point that is held is now.
    pub fn held(&self) -> Option<[f64; 3]> {
        let grasp = self.grasp?;
        with_world!(&self.world, world => grasp.place(world))
    }
    /// Lets go of what is held.
    pub fn release(&mut self) {
        if let Some(grasp) = self.grasp.take() {
            // A body that is gone cannot be let go of, and needs not.
            let _ = with_world!(&mut self.world, world => grasp.release(world));
        }
    }
}

/// The size of what is there at the start: the diagonal of the box of all centres, or a metre.
fn size<S: Recorded>(world: &World<S>) -> f64 {
    let places = || world.bodies().iter().map(|body| body.pose.position);
    let Some(first) = places().next() else { return 1.0 };
    let (low, high) = places()
        .fold((first, first), |(low, high), place| (low.lowest(place), high.highest(place)));
    let size = (high - low).norm();
    if size > 0.0 { size } else { 1.0 }
}
