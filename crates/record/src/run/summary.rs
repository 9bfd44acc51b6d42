//! How a run went, as a file that other programs read.

use super::verdict::Verdict;
use crate::RecordError;
use crate::archive::replace;
use crate::table::{self, TableSum};
use drystone_engine::{ErrorEstimate, EstimateWay, Ledger, Story, Uniqueness};
use drystone_space::read_limited;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// How a run ended, or that it has not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Status {
    /// Under way, or killed.
    #[default]
    Running,
    /// Reached its end.
    Finished,
    /// Ended by the user.
    Interrupted,
    /// Ended by an error.
    Stopped(String),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => f.write_str("running"),
            Self::Finished => f.write_str("finished"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Stopped(why) => write!(f, "stopped: {why}"),
        }
    }
}

impl From<Status> for String {
    fn from(status: Status) -> Self {
        status.to_string()
    }
}

impl From<String> for Status {
    fn from(text: String) -> Self {
        match text.as_str() {
            "running" => Self::Running,
            "finished" => Self::Finished,
            "interrupted" => Self::Interrupted,
            other => Self::Stopped(other.strip_prefix("stopped: ").unwrap_or(other).to_owned()),
        }
    }
}

/// Mean and largest value over all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

/// How deep bodies overlapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Penetration {
    /// Deepest overlap of all steps, in metres.
    pub max: f64,
    /// The same, relative to the smaller of the two bodies' widths.
    pub relative_max: f64,
}

/// What is known of the uniqueness of collisions in A-CD², over the steps that were recorded as frames
/// and all steps of few contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UniqueCollisions {
    /// Collisions: groups of contacts that bodies connect.
    pub collisions: u64,
    /// Those that are known to have one solution.
    pub unique: u64,
    /// Those of which nothing is known.
    pub unknown: u64,
    /// The greatest number of all others: one below 1 leaves one solution.
    pub number: f64,
}

impl UniqueCollisions {
    /// Counts the collisions of one step.
    pub(super) fn add(&mut self, found: Uniqueness) {
        self.collisions += found.collisions as u64;
        self.unique += found.unique as u64;
        self.unknown += found.unknown as u64;
        self.number = self.number.max(found.number);
    }
}

/// When a phase was over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseEnd {
    /// Name of the phase.
    pub name: String,
    /// When it was over, in seconds since the start of the run.
    pub time: f64,
}

/// The energy ledger at the end, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each field is the one of the same name in `Ledger`")]
pub struct Energy {
    pub kinetic: f64,
    pub potential: f64,
    pub elastic: f64,
    pub external_work: f64,
    pub boundary_work: f64,
    pub friction_loss: f64,
    pub impact_loss: f64,
    pub damping_loss: f64,
    #[serde(default)]
    pub rest_loss: f64,
    pub recovery_work: f64,
    pub cohesion_work: f64,
    pub springs: f64,
    pub atomisation_work: f64,
    #[serde(default)]
    pub joint_work: f64,
    #[serde(default)]
    pub bonds: f64,
    #[serde(default)]
    pub rupture_loss: f64,
    pub drag_loss: f64,
    pub dissipation_min: f64,
    pub scheme_work: f64,
    pub inserted: f64,
    #[serde(default)]
    pub intervention: f64,
    pub initial: f64,
    pub closure_max: f64,
}

impl From<&Ledger> for Energy {
    fn from(ledger: &Ledger) -> Self {
        Self {
            kinetic: ledger.kinetic,
            potential: ledger.potential,
            elastic: ledger.elastic,
            external_work: ledger.external_work,
            boundary_work: ledger.boundary_work,
            friction_loss: ledger.friction_loss,
            impact_loss: ledger.impact_loss,
            damping_loss: ledger.damping_loss,
            rest_loss: ledger.sleep_loss,
            recovery_work: ledger.recovery_work,
            cohesion_work: ledger.cohesion_work,
            springs: ledger.springs,
            atomisation_work: ledger.atomisation_work,
            joint_work: ledger.joint_work,
            bonds: ledger.bonds,
            rupture_loss: ledger.rupture_loss,
            drag_loss: ledger.drag_loss,
            // Infinite before the first step, which JSON cannot say.
            dissipation_min: if ledger.dissipation_min.is_finite() {
                ledger.dissipation_min
            } else {
                0.0
            },
            scheme_work: ledger.scheme_work,
            inserted: ledger.inserted,
            intervention: ledger.intervention,
            initial: ledger.initial,
            closure_max: ledger.closure_max,
        }
    }
}

/// A method that steps were solved by, for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodUse {
    /// The method.
    pub method: String,
    /// Why it was taken.
    pub reason: String,
    /// Steps in which it was.
    pub steps: u64,
    /// Those of them that it solved.
    pub solved: u64,
    /// Its iterations in all of them.
    pub iterations: u64,
}

impl MethodUse {
    /// Counts what was tried in a step.
    pub(super) fn count(uses: &mut Vec<Self>, story: &Story) {
        for attempt in story.attempts() {
            let (method, reason) = (attempt.method.name(), attempt.reason.name());
            let known = uses.iter().position(|one| one.method == method && one.reason == reason);
            let place = known.unwrap_or_else(|| {
                let (method, reason) = (method.to_owned(), reason.to_owned());
                uses.push(Self { method, reason, ..Self::default() });
                uses.len() - 1
            });
            let one = &mut uses[place];
            one.steps += 1;
            one.solved += u64::from(attempt.solved());
            one.iterations += attempt.iterations as u64;
        }
    }
}

/// How many steps were judged by their error in the kinetic metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedSteps {
    /// Steps without error: every law was met to rounding, or there was no contact.
    pub laws: u64,
    /// Steps whose error was told by factors.
    pub factors: u64,
    /// Steps whose error was told by the rate of sweeps.
    pub sweeps: u64,
    /// Steps of these in which it was above the tolerance.
    pub above: u64,
    /// Steps of these in which sweeps approached nothing, so that there is no bound.
    pub unbounded: u64,
}

impl JudgedSteps {
    /// Counts a step that was made to this tolerance.
    pub(super) fn add(&mut self, error: Option<ErrorEstimate>, tolerance: f64) {
        let Some(error) = error else { return };
        match error.way {
            EstimateWay::Laws => self.laws += 1,
            EstimateWay::Factors => self.factors += 1,
            EstimateWay::Sweeps => self.sweeps += 1,
        }
        // What is not a number is above, and not bounded.
        self.above += u64::from(error.value.is_nan() || error.value > tolerance);
        self.unbounded += u64::from(!error.value.is_finite());
    }

    /// Steps whose error was told.
    pub fn told(&self) -> u64 {
        self.laws + self.factors + self.sweeps
    }
}

/// What the record holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Frames.
    pub frames: u64,
    /// Bytes of the frames, as of the last time that the disk was waited for.
    pub bytes: u64,
}

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Title of the scene.
    pub scene: String,
    /// Version of the program.
    pub version: String,
    /// 2 or 3.
    pub dimension: usize,
    /// How it ended.
    pub status: Status,
    /// Number of bodies at the end.
    pub bodies: usize,
    /// Steps made.
    pub steps: u64,
    /// Time reached, in seconds.
    pub time: f64,
    /// Length of a step, in seconds.
    pub time_step: f64,
    /// Threads that computed.
    pub threads: usize,
    /// Residual that was asked for.
    pub tolerance: f64,
    /// Time that the run took, in seconds.
    pub wall_seconds: f64,
    /// Time spent in each stage of the step, and in `record`, in seconds.
    pub stages: BTreeMap<String, f64>,
    /// Contacts in a step.
    pub contacts: Spread,
    /// Sweeps of the solver in a step.
    pub iterations: Spread,
    /// Relative residual of a step.
    pub residual: Spread,
    /// Scale-free residual of a step.
    pub residual_scale_free: Spread,
    /// Error of steps in the kinetic metric, over those in which it was told and bounded.
    #[serde(default)]
    pub error: Spread,
    /// In how many steps it was told, and by which way.
    #[serde(default)]
    pub judged: JudgedSteps,
    /// Steps that did not meet the tolerance.
    pub unconverged_steps: u64,
    /// Whether the run can be trusted.
    #[serde(default)]
    pub verdict: Verdict,
    /// Which methods solved the steps, and why.
    #[serde(default)]
    pub methods: Vec<MethodUse>,
    /// How deep bodies overlapped.
    pub penetration: Penetration,
    /// What is known of the uniqueness of collisions; none without laws of A-CD².
    #[serde(default)]
    pub uniqueness: Option<UniqueCollisions>,
    /// Phases that are over.
    pub phases: Vec<PhaseEnd>,
    /// Energy ledger.
    pub energy: Energy,
    /// Pictures in `frames`.
    pub frames: u64,
    /// What the record holds.
    #[serde(default)]
    pub record: Recording,
    /// Length and checksum of each table of numbers over time.
    #[serde(default)]
    pub tables: BTreeMap<String, TableSum>,
    /// What each of several processes has had to do; nothing of a run of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankSummary>,
    /// Hash of the state at the end, hexadecimal.
    pub state_hash: String,
}

/// What one of several processes has had to do, since the run began or was taken up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankSummary {
    /// Steps made.
    pub steps: u64,
    /// Bodies that it owns at the end.
    pub bodies: u64,
    /// Bodies of others that it follows then.
    pub ghosts: u64,
    /// Contacts that it computes then, with those that another process counts.
    pub contacts: u64,
    /// How often it waited for what others say, but for velocities within sweeps.
    pub meetings: u64,
    /// Messages to others besides these.
    pub messages: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// How often velocities were passed on within sweeps.
    pub passes: u64,
    /// Messages to others in these.
    pub pass_messages: u64,
    /// Bytes of these.
    pub pass_bytes: u64,
    /// Time that its processors have worked, in seconds; 0 where the system does not tell.
    pub processor_seconds: f64,
    /// The most memory that it has held, in bytes; 0 where the system does not tell.
    pub peak_memory: u64,
}

/// What stands before the checksum of a summary, which is the last of its keys.
const CHECKSUM: &str = ",\n  \"crc32\": \"";

/// What stands after it: the checksum of all before it, and the end of the file.
fn checksum_end(before: &str) -> String {
    format!("{:08x}\"\n}}\n", crc32fast::hash(before.as_bytes()))
}

impl Summary {
    /// Reads the summary of a run.
    pub fn read(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join("summary.json");
        let damaged = |why: String| RecordError::damaged(&path, why);
        let text = String::from_utf8(
            read_limited(&path).map_err(|source| RecordError::read(&path, source))?,
        );
        let text = text.map_err(|_| damaged("it is no text".to_owned()))?;
        let stated = text.rfind(CHECKSUM).map(|at| (&text[..at], &text[at + CHECKSUM.len()..]));
        if let Some((before, after)) = stated
            && after != checksum_end(before)
        {
            return Err(damaged("its checksum does not fit: bytes were changed".to_owned()));
        }
        let read: Self = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        // Those of earlier versions have neither.
        match stated.is_none() && !read.tables.is_empty() {
            true => Err(damaged("its checksum is missing".to_owned())),
            false => Ok(read),
        }
    }
    /// A table of the run with its columns and rows: one that is not what was written is an error.
    ///
    /// While a run goes on, or where it was killed, rows may have come since the summary.
    pub fn read_table(
        directory: &Path,
        name: &str,
    ) -> Result<(Vec<String>, Vec<Vec<f64>>), RecordError> {
        // A summary that cannot be read is told where it is asked for.
        let summary = Self::read(directory).ok();
        let path = Path::new(name);
        let key = path.file_name().and_then(|name| name.to_str()).unwrap_or(name);
        let sum = summary.as_ref().and_then(|summary| summary.tables.get(key));
        table::read_whole(&directory.join(path), sum)
    }
    /// Writes the summary beside the old one, then puts it in its place: a reader sees one of the
    /// two, whole.
    pub fn write(&self, directory: &Path) -> Result<(), RecordError> {
        let path = directory.join("summary.json");
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| RecordError::write(&path, error.into()))?;
        // What stands before it is what it is of.
        text.truncate(text.trim_end_matches(['\n', '}']).len());
        let end = checksum_end(&text);
        text.push_str(CHECKSUM);
        text.push_str(&end);
        replace(&path, text.as_bytes())
    }
}

/// Sums up one quantity over the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    sum: f64,
    max: f64,
    count: u64,
}

impl Tally {
    /// Counts a value; one that is not finite cannot be written to JSON and counts as the largest
    /// number.
    pub fn add(&mut self, value: f64) {
        let value = if value.is_finite() { value } else { f64::MAX };
        self.sum += value;
        self.max = self.max.max(value);
        self.count += 1;
    }
    pub fn spread(&self) -> Spread {
        let mean = if self.count > 0 { self.sum / self.count as f64 } else { 0.0 };
        Spread { mean: mean.min(f64::MAX), max: self.max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_status_reads_back() {
        let all = [
            Status::Running,
            Status::Finished,
            Status::Interrupted,
            Status::Stopped("step 3: no".to_owned()),
        ];
        for status in all {
            assert_eq!(Status::from(String::from(status.clone())), status);
        }
    }

    #[test]
    fn any_byte_of_a_summary_that_was_changed_is_noticed() {
        let directory = std::env::temp_dir().join(format!("drystone-sum-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let tables = BTreeMap::from([("ledger.csv".to_owned(), TableSum::new(7, 1))]);
        let written = Summary { tables, steps: 12, ..Summary::default() };
        written.write(&directory).unwrap();
        assert_eq!(Summary::read(&directory).unwrap(), written);
        let path = directory.join("summary.json");
        let whole = fs::read(&path).unwrap();
        let _: serde_json::Value = serde_json::from_slice(&whole).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            fs::write(&path, bytes).unwrap();
            assert!(Summary::read(&directory).is_err(), "byte {place}");
        }
        // Those of earlier versions have no checksum.
        let old = Summary { tables: BTreeMap::new(), ..written };
        fs::write(&path, serde_json::to_string_pretty(&old).unwrap()).unwrap();
        assert_eq!(Summary::read(&directory).unwrap(), old);
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn a_tally_stays_finite() {
        let mut tally = Tally::default();
        assert_eq!(tally.spread(), Spread::default());
        tally.add(1.0);
        tally.add(3.0);
        assert_eq!(tally.spread(), Spread { mean: 2.0, max: 3.0 });
        tally.add(f64::INFINITY);
        tally.add(f64::NAN);
        assert!(tally.spread().mean.is_finite() && tally.spread().max == f64::MAX);
    }
}
