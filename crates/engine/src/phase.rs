//! Phases: a run that goes on from settling to release by what the bodies do.
//!
//! Phases follow each other. Each lasts until its condition holds at the end of a step, and then
//! removes boundaries and starts motions. After the last one the run is over. Each asks for its own accuracy of its
//! steps: what falls needs less than what is to be at rest.

use crate::{Dimension, Setup, SolverSettings, World};
use drystone_detect::Geometry;

/// When a phase is over: when one of its conditions holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Until {
    /// So long after its start; may be infinite.
    pub time: f64,
    /// When the kinetic energy has stayed below the first number for the time of the second.
    pub calm: Option<(f64, f64)>,
}

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// When it is over.
    pub until: Until,
    /// Boundaries that vanish then, by index.
    pub remove: Vec<usize>,
    /// Boundaries whose motions start then, by index: until then they rest.
    pub start: Vec<usize>,
    /// Largest coefficient of friction of pairs under Coulomb's law; `None` leaves them theirs.
    pub friction: Option<f64>,
    /// Relative error that is asked of its steps.
    pub tolerance: f64,
}

/// How far a run has come through its phases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// When each phase that is over ended.
    pub ends: Vec<f64>,
    /// Since when the kinetic energy has been low, if it is.
    pub calm_since: Option<f64>,
}

impl Progress {
    /// When a boundary vanishes, as far as that is known.
    pub(crate) fn removal<S: Geometry>(&self, setup: &Setup<S>, boundary: usize) -> f64 {
        let over = setup.phases.iter().zip(&self.ends);
        let asked = over.filter(|(phase, _)| phase.remove.contains(&boundary));
        asked.fold(setup.boundaries[boundary].removal, |time, (_, &end)| time.min(end))
    }

    /// When a boundary's motion starts. One that a phase starts rests until then.
    pub(crate) fn start<S: Geometry>(&self, setup: &Setup<S>, boundary: usize, own: f64) -> f64 {
        let asks = |phase: &Phase| phase.start.contains(&boundary);
        if !setup.phases.iter().any(asks) {
            return own;
        }
        let mut over = setup.phases.iter().zip(&self.ends).filter(|(phase, _)| asks(phase));
        over.next_back().map_or(f64::INFINITY, |(_, &end)| end)
    }
}

impl<S: Dimension> World<S> {
    /// The phase under way; `None` without phases, and after the last.
    pub fn phase(&self) -> Option<&Phase> {
        self.setup.phases.get(self.phase_index())
    }
    /// Index of the phase under way; how many there are when all are over.
    pub fn phase_index(&self) -> usize {
        self.state.progress.ends.len()
    }
    /// Name of the phase under way, or of the last when all are over.
    pub fn phase_name(&self) -> Option<&str> {
        self.phase_at(self.time()).0
    }
    /// Time since the start of the phase under way, or of the last when all are over; the time
    /// itself without phases.
    pub fn phase_time(&self) -> f64 {
        self.phase_at(self.time()).1
    }
    /// Name of the phase that was under way at a time that is over, and the time since its start; a phase begins when
    /// the one before it ends.
    pub fn phase_at(&self, time: f64) -> (Option<&str>, f64) {
        let Some(last) = self.setup.phases.len().checked_sub(1) else { return (None, time) };
        let ends = &self.state.progress.ends;
        let over = ends.iter().filter(|&&end| end <= time).count().min(last);
        let start = over.checked_sub(1).map_or(0.0, |phase| ends[phase]);
        (Some(&self.setup.phases[over].name), time - start)
    }
    /// Relative error that was asked of the last step, which may have ended a phase.
    pub fn last_tolerance(&self) -> f64 {
        let start = self.time() - 0.5 * self.setup.time_step;
        let over = self.state.progress.ends.iter().filter(|&&end| end < start).count();
        self.setup.phases.get(over).map_or(self.setup.solver.tolerance, |phase| phase.tolerance)
    }
    /// How contacts are solved in the phase under way, or in the last when all are over.
    pub(crate) fn solver_settings(&self) -> SolverSettings {
        let settings = self.setup.solver;
        let last = self.setup.phases.len().saturating_sub(1);
        let phase = self.setup.phases.get(self.phase_index().min(last));
        let tolerance = phase.map_or(settings.tolerance, |phase| phase.tolerance);
        SolverSettings { tolerance, ..settings }
    }
    /// Whether the last phase is over.
    pub fn is_over(&self) -> bool {
        !self.setup.phases.is_empty() && self.phase().is_none()
    }

    /// At the end of a step: goes on to the next phase if the present one is over.
    pub(crate) fn turn_phase(&mut self) {
        let now = self.time();
        let Some(until) = self.phase().map(|phase| phase.until) else { return };
        // A time that is meant to be on the grid of steps must not miss it by rounding.
        let slack = 1e-6 * self.setup.time_step;
        let mut over = self.phase_time() >= until.time - slack;
        if let Some((energy, lasting)) = until.calm {
            if self.state.ledger.kinetic < energy {
                let since = *self.state.progress.calm_since.get_or_insert(now);
                over |= now - since >= lasting - slack;
            } else {
                self.state.progress.calm_since = None;
            }
        }
        if over {
            let energy = self.cell_energy();
            self.state.progress.ends.push(now);
            self.state.progress.calm_since = None;
            // A component that becomes free brings the energy of its motion with it, one that is held takes it away.
            let brought = self.cell_energy() - energy;
            self.state.ledger.kinetic += brought;
            self.state.ledger.inserted += brought;
            self.switch_drives();
            self.take_friction();
        }
    }

    /// Gives contacts the friction of the phase under way.
    pub(crate) fn take_friction(&mut self) {
        let most = self.phase().and_then(|phase| phase.friction);
        self.setup.laws.cap_friction(most);
    }
}

impl<S: Geometry> Setup<S> {
    /// The largest relative error that any step may have.
    pub fn loosest_tolerance(&self) -> f64 {
        let phases = self.phases.iter().map(|phase| phase.tolerance);
        phases.reduce(f64::max).unwrap_or(self.solver.tolerance)
    }
}
