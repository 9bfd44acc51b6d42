//! The stages of a step, and how long each has taken.

use drystone_space::clock::Instant;
use std::time::Duration;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Time moves boundaries and brings bodies.
    Drive,
    /// Midpoint configuration and free velocity.
    Predict,
    /// Candidate pairs.
    BroadPhase,
    /// Contacts.
    NarrowPhase,
    /// Impulses of the last step.
    Match,
    /// The contact problem.
    Assemble,
    /// Its solution.
    Solve,
    /// End velocity.
    Apply,
    /// End configuration.
    Advance,
    /// Energy ledger.
    Account,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 10] = [
        Stage::Drive,
        Stage::Predict,
        Stage::BroadPhase,
        Stage::NarrowPhase,
        Stage::Match,
        Stage::Assemble,
        Stage::Solve,
        Stage::Apply,
        Stage::Advance,
        Stage::Account,
    ];
    /// Lower-case name, as in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Drive => "drive",
            Stage::Predict => "predict",
            Stage::BroadPhase => "broad_phase",
            Stage::NarrowPhase => "narrow_phase",
            Stage::Match => "match",
            Stage::Assemble => "assemble",
            Stage::Solve => "solve",
            Stage::Apply => "apply",
            Stage::Advance => "advance",
            Stage::Account => "account",
        }
    }
}

/// Time spent in each stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTimers {
    spent: [Duration; Stage::ALL.len()],
}

impl StageTimers {
    /// Time spent in a stage since the start.
    pub fn spent(&self, stage: Stage) -> Duration {
        self.spent[stage as usize]
    }
    /// Books the time since `since` on `stage`.
    pub(crate) fn add(&mut self, stage: Stage, since: Instant) {
        self.spent[stage as usize] += since.elapsed();
    }
}
