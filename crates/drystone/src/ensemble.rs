//! Many runs of one scene with other values, side by side.
//!
//! ```
//! use drystone::prelude::*;
//! # let runs = std::env::temp_dir().join(format!("drystone-ensemble-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&runs).unwrap();
//! let scene = runs.join("slide.toml");
//! std::fs::write(&scene, r#"
//!     dimension = 2
//!     gravity = [0, -10]
//!     time = { step = 1e-3, end = 0.5 }
//!     material = [{ name = "stone", density = 2000 }]
//!     default_law = { friction = 0.3 }
//!     body = [{ name = "block", shape = { box = [1, 1] }, position = [0, 0.5], velocity = [1, 0], material = "stone" }]
//!     boundary = [{ name = "floor", shape = { half_plane = {} }, material = "stone" }]
//! "#).unwrap();
//! let table = Ensemble::grid(&scene, &["default_law.friction=0.3,0.5".parse()?])?
//!     .measure("way", |run| {
//!         let last = run.frame::<Plane>(run.frames() - 1)?;
//!         Ok(last.bodies[0].pose.position.x)
//!     })
//!     .run(&runs.join("study"))?;
//! let way = table.column("way").unwrap();
//! // v² / (2 μ g)
//! assert!((way[0] - 1.0 / 6.0).abs() < 1e-3 && (way[1] - 0.1).abs() < 1e-3);
//! # std::fs::remove_dir_all(&runs).unwrap();
//! # Ok::<(), Error>(())
//! ```
//!
//! Each run is recorded in a folder of its own, on one thread, as many at a time as there are cores. An ensemble that was
//! interrupted goes on where it was when it is run again in the same folder: what is finished is left, what has a
//! checkpoint is resumed. Its table is `ensemble.csv` there.

use crate::run::Table;
use crate::simulation::RecordOptions;
use crate::{Error, Run, Simulation};
use drystone_record::run::{Status, Summary};
use drystone_scene::{Override, Report};
use drystone_space::Limit;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The values that a key takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    key: String,
    values: Vec<Override>,
}

impl Vary {
    /// A key with its values, each as it would stand in a scene.
    pub fn new<V: AsRef<str>>(
        key: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, Error> {
        let make = |value: V| Override::new(key, value.as_ref());
        let values: Vec<Override> = values.into_iter().map(make).collect::<Result<_, Report>>()?;
        if values.is_empty() {
            return Err(Error::Value {
                what: format!("the list of values of `{key}`"),
                found: "empty".to_owned(),
                expected: "at least one value".to_owned(),
            });
        }
        Ok(Self { key: values[0].key().to_owned(), values })
    }
    /// The key.
    pub fn key(&self) -> &str {
        &self.key
    }
    /// The values.
    pub fn values(&self) -> &[Override] {
        &self.values
    }
}

impl FromStr for Vary {
    type Err = Error;

    /// `key=a,b,c`, or `key=low:high:count` for numbers at even distances. Commas in brackets, braces and quotes do not
    /// separate.
    fn from_str(text: &str) -> Result<Self, Error> {
        let Some((key, values)) = text.split_once('=') else {
            // The report of a single value says what is wrong.
            return Err(text.parse::<Override>().map(|_| ()).unwrap_err().into());
        };
        match range(values)? {
            Some(numbers) => Vary::new(key, numbers.iter().map(|number| format!("{number:?}"))),
            None => Vary::new(key, split(values)),
        }
    }
}

/// `low:high:count`; none if it is something else.
fn range(text: &str) -> Result<Option<Vec<f64>>, Error> {
    let parts: Vec<&str> = text.split(':').collect();
    let [low, high, count] = parts[..] else { return Ok(None) };
    let numbers = (low.trim().parse::<f64>(), high.trim().parse::<f64>());
    let (Ok(low), Ok(high)) = numbers else { return Ok(None) };
    match count.trim().parse::<usize>() {
        Ok(count)
            if (2..=Limit::Samples.count()).contains(&count)
                && low.is_finite()
                && high.is_finite() =>
        {
            let at = |i: usize| low + (high - low) * i as f64 / (count - 1) as f64;
            Ok(Some((0..count).map(at).collect()))
        }
        _ => Err(Error::Value {
            what: "a range of values".to_owned(),
            found: format!("`{text}`"),
            expected: format!(
                "`low:high:count` with a count of 2 or more, such as 0.1:0.5:5, and at most {}: {}",
                Limit::Samples.count(),
                Limit::Samples.advice()
            ),
        }),
    }
}

/// Parts between commas that are not in brackets, braces or quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (place, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// What is written to say which ensemble a folder holds.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Definition {
    scene: String,
    until: Option<f64>,
    runs: Vec<Vec<String>>,
}

/// How far an ensemble has come.
#[derive(Clone, Debug)]
pub struct Advance {
    /// Runs that are done, and how many there are.
    pub done: [usize; 2],
    /// The run that was done last, and its values.
    pub run: usize,
    /// Its values.
    pub values: Vec<Override>,
    /// How it went, or why it could not be made.
    pub outcome: Result<Summary, String>,
}

type Measure<'a> = Box<dyn Fn(&Run) -> Result<f64, Error> + Sync + 'a>;
type Teller<'a> = Box<dyn Fn(&Advance) + Sync + 'a>;

/// Many runs of one scene with other values. See the [module](self)'s head.
pub struct Ensemble<'a> {
    scene: PathBuf,
    keys: Vec<String>,
    runs: Vec<Vec<Override>>,
    until: Option<f64>,
    jobs: usize,
    measures: Vec<(String, Measure<'a>)>,
    teller: Option<Teller<'a>>,
    interrupt: Option<&'a AtomicBool>,
}

impl fmt::Debug for Ensemble<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scene, keys) = (&self.scene, &self.keys);
        write!(f, "Ensemble of {} runs of {} over {keys:?}", self.runs.len(), scene.display())
    }
}

impl<'a> Ensemble<'a> {
    /// A run for every combination of values, the last key varying fastest.
    pub fn grid(scene: impl AsRef<Path>, keys: &[Vary]) -> Result<Self, Error> {
        let count = keys.iter().map(|vary| vary.values.len()).try_fold(1, usize::checked_mul);
        let most = Limit::Samples.count();
        let many = || Error::Value {
            what: "the number of runs".to_owned(),
            found: "too large".to_owned(),
            expected: format!("at most {most}: {}", Limit::Samples.advice()),
        };
        let count = count.filter(|&count| count <= most).ok_or_else(many)?;
        let run = |mut number: usize| {
            let mut values = Vec::new();
            for vary in keys.iter().rev() {
                values.push(vary.values[number % vary.values.len()].clone());
                number /= vary.values.len();
            }
            values.reverse();
            values
        };
        Self::list(scene, (0..count).map(run).collect())
    }

    /// Runs with these values. All must set the same keys.
    pub fn list(scene: impl AsRef<Path>, runs: Vec<Vec<Override>>) -> Result<Self, Error> {
        let keys = |run: &Vec<Override>| -> Vec<String> {
            run.iter().map(|change| change.key().to_owned()).collect()
        };
        let first = runs.first().map(keys).unwrap_or_default();
        if let Some(other) = runs.iter().position(|run| keys(run) != first) {
            return Err(Error::Value {
                what: format!("the list of keys of run {other}"),
                found: format!("`{}`", keys(&runs[other]).join("`, `")),
                expected: format!("`{}`, as in run 0", first.join("`, `")),
            });
        }
        Ok(Self {
            scene: scene.as_ref().to_owned(),
            keys: first,
            runs,
            until: None,
            jobs: 0,
            measures: Vec::new(),
            teller: None,
            interrupt: None,
        })
    }

    /// Ends each run at this time instead of the scene's.
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }
    /// How many runs go on at a time; 0 is one for each core.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }
    /// Adds a column to the table: a number that is read from each run.
    pub fn measure(
        mut self,
        name: &str,
        measure: impl Fn(&Run) -> Result<f64, Error> + Sync + 'a,
    ) -> Self {
        self.measures.push((name.to_owned(), Box::new(measure)));
        self
    }
    /// Is told of each run that is done.
    pub fn progress(mut self, teller: impl Fn(&Advance) + Sync + 'a) -> Self {
        self.teller = Some(Box::new(teller));
        self
    }
    /// Ends all runs when this flag is raised; they can go on later.
    pub fn interrupted_by(mut self, flag: &'a AtomicBool) -> Self {
        self.interrupt = Some(flag);
        self
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Makes all runs in a folder, or goes on with them; gives the table, which is also `ensemble.csv` there.
    ///
    /// Columns: `run`, the keys, `status` (0 finished, 1 interrupted, 2 stopped, 3 not made), `doubts` (reasons to doubt the
    /// run), what summaries hold, and what is measured. A value that is no number is an empty cell.
    pub fn run(&self, folder: &Path) -> Result<Table, Error> {
        self.prepare(folder)?;
        let rows: Mutex<Vec<Option<Row>>> = Mutex::new(self.runs.iter().map(|_| None).collect());
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if self.jobs == 0 { cores } else { self.jobs };
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(self.runs.len()) {
                scope.spawn(|| {
                    while let Some(run) = self.take(&next) {
                        let row = self.make(run, &place(folder, run));
                        self.tell(run, &row, &done);
                        rows.lock().unwrap_or_else(|broken| broken.into_inner())[run] = Some(row);
                    }
                });
            }
        });
        let rows = rows.into_inner().unwrap_or_else(|broken| broken.into_inner());
        let table = self.table(&rows);
        write_csv(&folder.join("ensemble.csv"), &table, &self.texts(&rows))?;
        if let Some(Row { outcome: Err(why), .. }) = rows.iter().flatten().find(|r| r.failed()) {
            return Err(Error::Unfit(format!("a run could not be made: {why}")));
        }
        Ok(table)
    }

    fn take(&self, next: &AtomicUsize) -> Option<usize> {
        let stopped = self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let run = next.fetch_add(1, Ordering::Relaxed);
        (run < self.runs.len() && !stopped).then_some(run)
    }

    fn tell(&self, run: usize, row: &Row, done: &AtomicUsize) {
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(teller) = &self.teller {
            let (values, outcome) = (self.runs[run].clone(), row.outcome.clone());
            teller(&Advance { done: [count, self.runs.len()], run, values, outcome });
        }
    }

    /// Makes the folder ready, and refuses one of another ensemble.
    fn prepare(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        let scene = std::fs::read_to_string(&self.scene)
            .map_err(|source| Error::file(&self.scene, source))?;
        let texts = |run: &Vec<Override>| run.iter().map(Override::to_string).collect();
        let runs = self.runs.iter().map(texts).collect();
        let definition = Definition { scene, until: self.until, runs };
        let path = folder.join("ensemble.json");
        match std::fs::read_to_string(&path) {
            Ok(text) => match serde_json::from_str::<Definition>(&text) {
                Ok(found) if found == definition => Ok(()),
                _ => Err(Error::Unfit(format!(
                    "{} holds another ensemble, of other values or another scene: choose another folder",
                    folder.display()
                ))),
            },
            Err(_) => {
                let text = serde_json::to_string_pretty(&definition).unwrap_or_default();
                std::fs::write(&path, text + "\n").map_err(|source| Error::file(&path, source))
            }
        }
    }

    fn make(&self, run: usize, directory: &Path) -> Row {
        let outcome = self.compute(run, directory).map_err(|error| error.to_string());
        let opened = || Run::open(directory).ok();
        let measured = match (&outcome, self.measures.is_empty()) {
            (Ok(_), false) => opened().map(|run| {
                let value = |(_, measure): &(String, Measure)| measure(&run).unwrap_or(f64::NAN);
                self.measures.iter().map(value).collect()
            }),
            _ => None,
        };
        let measured = measured.unwrap_or_else(|| vec![f64::NAN; self.measures.len()]);
        Row { outcome, measured }
    }

    /// Makes a run, or what is left of it.
    fn compute(&self, run: usize, directory: &Path) -> Result<Summary, Error> {
        let options = RecordOptions { force: true, pictures: false };
        if let Ok(summary) = Summary::read(directory) {
            match summary.status {
                Status::Finished | Status::Stopped(_) => return Ok(summary),
                Status::Running | Status::Interrupted => {
                    // Where there is nothing to go on from, it begins anew.
                    if let Ok(simulation) =
                        Run::open(directory).and_then(|run| run.resume(self.until, 1, options))
                    {
                        return self.go(simulation);
                    }
                }
            }
        }
        let mut simulation = Simulation::read_with(&self.scene, &self.runs[run])?;
        if let Some(until) = self.until {
            simulation.set_end(until);
        }
        simulation.record_to(directory, options)?;
        self.go(simulation)
    }

    fn go(&self, mut simulation: Simulation) -> Result<Summary, Error> {
        let until = simulation.end();
        let ran = simulation.run_watched(until, |_, _| {
            let stop = self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
            if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match ran {
            // A step that failed is told by the summary.
            Ok(_) | Err(Error::Step(_)) => simulation.finish(),
            Err(error) => Err(error),
        }
    }

    fn table(&self, rows: &[Option<Row>]) -> Table {
        let names = FIGURES.map(|(name, _)| name.to_owned());
        let measures = self.measures.iter().map(|(name, _)| name.clone());
        let columns = ["run".to_owned()].into_iter().chain(self.keys.iter().cloned());
        let columns: Vec<String> =
            columns.chain(["status".to_owned()]).chain(names).chain(measures).collect();
        let row = |(index, row): (usize, &Option<Row>)| {
            let number = |change: &Override| change.value().parse().unwrap_or(f64::NAN);
            let values = self.runs[index].iter().map(number);
            let (status, figures, measured) = match row {
                Some(Row { outcome: Ok(summary), measured }) => (
                    code(&summary.status),
                    FIGURES.map(|(_, figure)| figure(summary)),
                    measured.clone(),
                ),
                _ => (3.0, [f64::NAN; FIGURES.len()], vec![f64::NAN; self.measures.len()]),
            };
            let head = [index as f64].into_iter().chain(values).chain([status]);
            head.chain(figures).chain(measured).collect()
        };
        Table { columns, rows: rows.iter().enumerate().map(row).collect() }
    }

    /// Values that are no numbers, as they stand in the file: by row and column.
    fn texts(&self, rows: &[Option<Row>]) -> Vec<Vec<Option<String>>> {
        let text = |change: &Override| match change.value().parse::<f64>() {
            Ok(_) => None,
            Err(_) => Some(change.value().trim_matches('"').to_owned()),
        };
        let row =
            |index: usize| [None].into_iter().chain(self.runs[index].iter().map(text)).collect();
        (0..rows.len()).map(row).collect()
    }
}

/// What became of a run.
struct Row {
    outcome: Result<Summary, String>,
    measured: Vec<f64>,
}

impl Row {
    fn failed(&self) -> bool {
        self.outcome.is_err()
    }
}

fn code(status: &Status) -> f64 {
    match status {
        Status::Finished => 0.0,
        Status::Running | Status::Interrupted => 1.0,
        Status::Stopped(_) => 2.0,
    }
}

/// A column of the table: its name and where it comes from.
type Figure = (&'static str, fn(&Summary) -> f64);

/// What the table has of each summary.
const FIGURES: [Figure; 18] = [
    ("doubts", |s| s.verdict.reasons().len() as f64),
    ("time", |s| s.time),
    ("steps", |s| s.steps as f64),
    ("bodies", |s| s.bodies as f64),
    ("contacts_mean", |s| s.contacts.mean),
    ("iterations_mean", |s| s.iterations.mean),
    ("residual_max", |s| s.residual.max),
    ("unconverged_steps", |s| s.unconverged_steps as f64),
    ("penetration_max", |s| s.penetration.max),
    ("kinetic", |s| s.energy.kinetic),
    ("potential", |s| s.energy.potential),
    ("elastic", |s| s.energy.elastic),
    ("external_work", |s| s.energy.external_work),
    ("boundary_work", |s| s.energy.boundary_work),
    ("friction_loss", |s| s.energy.friction_loss),
    ("impact_loss", |s| s.energy.impact_loss),
    ("closure_max", |s| s.energy.closure_max),
    ("wall_seconds", |s| s.wall_seconds),
];

/// The folder of a run.
fn place(folder: &Path, run: usize) -> PathBuf {
    folder.join(format!("{run:04}"))
}

fn write_csv(path: &Path, table: &Table, texts: &[Vec<Option<String>>]) -> Result<(), Error> {
    let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let names: Vec<String> = table.columns.iter().map(|name| quoted(name)).collect();
    let mut lines = vec![names.join(",")];
    for (row, texts) in table.rows.iter().zip(texts) {
        let cell = |(place, value): (usize, &f64)| match texts.get(place) {
            Some(Some(text)) => quoted(text),
            _ if value.is_nan() => String::new(),
            _ => format!("{value:?}"),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        lines.push(cells.join(","));
    }
    std::fs::write(path, lines.join("\n") + "\n").map_err(|source| Error::file(path, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let vary: Vary = text.parse().unwrap();
        vary.values().iter().map(|change| change.value().to_owned()).collect()
    }

    #[test]
    fn values_are_lists_and_ranges() {
        assert_eq!(values("a.b=1, 2,3"), ["1", "2", "3"]);
        assert_eq!(values("a=0:1:3"), ["0.0", "0.5", "1.0"]);
        assert_eq!(values("gravity=[0, -1],[0, -2]"), ["[0, -1]", "[0, -2]"]);
        assert_eq!(values("solver.method=newton,admm"), ["\"newton\"", "\"admm\""]);
        for wrong in ["a", "a=", "a=0:1:1", "a=0:1:x", "=1"] {
            assert!(wrong.parse::<Vary>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_grid_varies_its_last_key_fastest() {
        let keys: Vec<Vary> = ["a=1,2", "b=3,4,5"].map(|text| text.parse().unwrap()).to_vec();
        let grid = Ensemble::grid("x.toml", &keys).unwrap();
        let runs: Vec<String> =
            grid.runs.iter().map(|run| format!("{}{}", run[0].value(), run[1].value())).collect();
        assert_eq!(runs, ["13", "14", "15", "23", "24", "25"]);
        let uneven = vec![vec!["a=1".parse().unwrap()], vec!["b=1".parse().unwrap()]];
        assert!(Ensemble::list("x.toml", uneven).is_err());
    }
}
