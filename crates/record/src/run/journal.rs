//! How a run goes that is not recorded: the same figures and the same verdict, without a file.

use super::memory::RecorderMemory;
use super::{Recorded, Seen, Status, Summary};
use drystone_engine::{StepReport, World};
use drystone_space::clock::Instant;
use std::path::Path;
use std::time::Duration;

/// Contacts up to which the uniqueness of collisions costs next to nothing.
pub(super) const FEW_CONTACTS: usize = 8;

/// What is remembered of the steps of a run that is not recorded.
#[derive(Clone, Debug)]
pub struct Journal {
    memory: RecorderMemory,
    started: Instant,
}

impl Journal {
    /// From now on.
    pub fn begin<S: Recorded>(world: &World<S>) -> Self {
        let memory = RecorderMemory { phase: world.phase_index(), ..RecorderMemory::default() };
        Self { memory, started: Instant::now() }
    }

    /// Goes on from what was remembered; anew if that cannot be read.
    pub fn resume<S: Recorded>(world: &World<S>, memory: &str) -> Self {
        match RecorderMemory::from_json(memory, Path::new("")) {
            Ok(memory) => Self { memory, started: Instant::now() },
            Err(_) => Self::begin(world),
        }
    }

    /// What it needs to take in a step that was made.
    pub fn asks<S: Recorded>(&self, world: &World<S>, report: &StepReport) -> Seen {
        self.memory.watch.asks(world, report)
    }

    /// Takes in a step that was made, and of which so much can be seen.
    pub fn step<S: Recorded>(&mut self, world: &World<S>, report: &StepReport, seen: Seen) {
        self.memory.step(report, world.last_tolerance());
        self.memory.watch.step(world, report, seen);
        if self.memory.phase != world.phase_index() {
            self.memory.note_phase(world);
        }
        if report.contacts <= FEW_CONTACTS
            && let Some(found) = world.uniqueness()
        {
            self.memory.uniqueness.get_or_insert_default().add(found);
        }
    }

    /// How the run has gone so far.
    pub fn summary<S: Recorded>(&self, world: &World<S>, status: Status) -> Summary {
        self.memory.summary(world, Duration::ZERO, self.started, status)
    }

    /// What is remembered, as [`Checkpoint::memory`](crate::archive::Checkpoint) has it.
    pub fn memory<S: Recorded>(&self, world: &World<S>) -> String {
        let summary = self.summary(world, Status::Running);
        let (wall_seconds, stages) = (summary.wall_seconds, summary.stages);
        RecorderMemory { wall_seconds, stages, ..self.memory.clone() }.to_json()
    }
}
