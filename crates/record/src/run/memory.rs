//! What a recorder remembers of the steps so far; it goes into checkpoints.

use super::curves::STEPS;
use super::summary::Tally;
use super::verdict::Watch;
use super::{JudgedSteps, MethodUse, Penetration, PhaseEnd, UniqueCollisions};
use crate::RecordError;
use crate::archive::Recorded;
use drystone_engine::{StepReport, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Says when the next of a series of equal intervals is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Clock {
    interval: f64,
    passed: f64,
}

impl Clock {
    pub fn new(interval: f64) -> Self {
        Self { interval, passed: 0.0 }
    }
    /// Whether the nearest step to the end of an interval has been made.
    pub fn rings(&mut self, time: f64, time_step: f64) -> bool {
        let rings = self.is_due(time, time_step);
        self.passed = self.intervals(time, time_step);
        rings
    }
    /// Whether it is about to ring.
    pub fn is_due(&self, time: f64, time_step: f64) -> bool {
        self.intervals(time, time_step) > self.passed
    }
    fn intervals(&self, time: f64, time_step: f64) -> f64 {
        ((time + 0.5 * time_step) / self.interval).floor()
    }
}

/// The largest values of some steps.
pub(super) type Peaks = [f64; STEPS.len()];

/// What a recorder remembers of the steps so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RecorderMemory {
    /// Largest values since the last row of the tables.
    pub since_row: Peaks,
    /// Largest values since the last frame.
    pub since_frame: Peaks,
    pub contacts: Tally,
    pub iterations: Tally,
    pub residual: Tally,
    pub residual_scale_free: Tally,
    /// Over those steps in which it was told and bounded.
    #[serde(default)]
    pub error: Tally,
    /// How steps were judged by their error.
    #[serde(default)]
    pub judged: JudgedSteps,
    pub penetration: Penetration,
    #[serde(default)]
    pub uniqueness: Option<UniqueCollisions>,
    #[serde(default)]
    pub watch: Watch,
    pub unconverged: u64,
    /// The phase that the run is in.
    pub phase: usize,
    /// Phases that are over.
    pub phases: Vec<PhaseEnd>,
    #[serde(default)]
    pub methods: Vec<MethodUse>,
    pub row_clock: Clock,
    pub frame_clock: Clock,
    pub last_row: f64,
    pub last_frame: f64,
    pub last_picture: f64,
    pub frames: u64,
    pub pictures: u64,
    /// Bytes of the frames.
    pub bytes: u64,
    /// Time that the run has taken, in seconds.
    pub wall_seconds: f64,
    /// Time spent in each stage, and in recording, in seconds.
    pub stages: BTreeMap<String, f64>,
    /// Length of each table in bytes.
    pub tables: BTreeMap<String, u64>,
    /// Checksum of each table up to that length.
    #[serde(default)]
    pub table_sums: BTreeMap<String, u32>,
}

impl RecorderMemory {
    pub fn step(&mut self, report: &StepReport, tolerance: f64) {
        for (index, (_, value)) in STEPS.iter().enumerate() {
            // JSON has no infinity; see `Tally::add`.
            let value = value(report).min(f64::MAX);
            self.since_row[index] = self.since_row[index].max(value);
            self.since_frame[index] = self.since_frame[index].max(value);
        }
        self.contacts.add(report.contacts as f64);
        self.iterations.add(report.iterations as f64);
        self.residual.add(report.residual);
        self.residual_scale_free.add(report.residual_scale_free);
        self.judged.add(report.error, tolerance);
        if let Some(error) = report.error.filter(|error| error.value.is_finite()) {
            self.error.add(error.value);
        }
        self.penetration.max = self.penetration.max.max(report.penetration);
        self.penetration.relative_max =
            self.penetration.relative_max.max(report.penetration_relative);
        self.unconverged += u64::from(!report.converged);
        MethodUse::count(&mut self.methods, &report.story);
    }
    /// Notes the end of a phase.
    pub fn note_phase<S: Recorded>(&mut self, world: &World<S>) {
        let name = world.setup().phases[self.phase].name.clone();
        self.phases.push(PhaseEnd { name, time: world.time() });
        self.phase = world.phase_index();
    }
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names can be written")
    }
    pub fn from_json(text: &str, path: &Path) -> Result<Self, RecordError> {
        serde_json::from_str(text).map_err(|error| RecordError::damaged(path, error.to_string()))
    }
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

    #[test]
    fn memory_survives_in_its_bits() {
        let mut memory =
            RecorderMemory { row_clock: Clock::new(0.1 + 0.2), ..RecorderMemory::default() };
        for i in 1..100 {
            let residual = if i == 50 { f64::INFINITY } else { 1.0 / f64::from(i) };
            let error = drystone_engine::ErrorEstimate { value: residual, ..Default::default() };
            let error = (i > 10).then_some(error);
            let report = StepReport { residual, error, iterations: 3, ..StepReport::default() };
            memory.step(&report, 0.02);
        }
        let read = RecorderMemory::from_json(&memory.to_json(), Path::new("x")).unwrap();
        assert_eq!(read, memory);
        let judged = JudgedSteps { laws: 89, above: 40, unbounded: 1, ..JudgedSteps::default() };
        assert_eq!(memory.judged, judged);
        assert!(RecorderMemory::from_json("{}", Path::new("x")).is_err());
    }
}
