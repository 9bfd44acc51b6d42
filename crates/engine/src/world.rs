//! The state of a scene and how it is read.

use crate::{Body, Boundary, Ledger, Owner, Setup, StageTimers};
use drystone_detect::Geometry;
use drystone_space::{Plane, Pose, Space, Volume};
use thiserror::Error;

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<S: Space> {
    /// The body that the normal points toward.
    pub first: Owner,
    /// The other body or boundary.
    pub second: Owner,
    /// Where, in world axes.
    pub point: S::Vector,
    /// Unit normal toward the first.
    pub normal: S::Vector,
    /// Gap at the midpoint: negative in overlap.
    pub gap: f64,
    /// Impulse that the first feels over the step, in world axes.
    pub impulse: S::Vector,
    /// Velocity of the first relative to the second at the end of the step, in world axes.
    pub velocity: S::Vector,
    /// Which features meet.
    pub feature: u32,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// How one step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of contacts in the problem.
    pub contacts: usize,
    /// Sweeps of the solver.
    pub iterations: usize,
    /// Relative residual (FCLib's normalised natural map).
    pub residual: f64,
    /// Scale-free residual.
    pub residual_scale_free: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Deepest overlap, as a positive length.
    pub penetration: f64,
    /// The same, relative to the smaller of the two bodies' widths.
    pub penetration_relative: f64,
}

/// Why a setup is refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A number that must be positive and finite is not.
    #[error("{what} is {value}, must be positive and finite")]
    NotPositive {
        /// Which number.
        what: String,
        /// What it is.
        value: f64,
    },
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The contact problem was not solved and the scene says `stop`.
    #[error(
        "step {step} at t = {time} s: {contacts} contacts not solved after {iterations} sweeps: residual {residual:.3e}, tolerance {tolerance:.1e}"
    )]
    NotConverged {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// Number of contacts.
        contacts: usize,
        /// Sweeps made.
        iterations: usize,
        /// Residual reached.
        residual: f64,
        /// Residual asked for.
        tolerance: f64,
    },
    /// A velocity or position is infinite or not a number.
    #[error(
        "step {step} at t = {time} s: body {body} has left the numbers (velocity or position is not finite)"
    )]
    NotFinite {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// Index of the body.
        body: usize,
    },
}

/// Bodies, boundaries, time, and the impulses that are part of the state.
#[derive(Debug)]
pub struct World<S: Geometry> {
    setup: Setup<S>,
}

impl<S: Geometry> World<S> {
    /// A world at time 0.
    pub fn new(setup: Setup<S>) -> Result<Self, SetupError> {
        Ok(Self { setup })
    }
    /// Computes with this many threads; the results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        let _ = threads;
        todo!()
    }
    /// Advances by one time step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        todo!()
    }
    /// The time reached.
    pub fn time(&self) -> f64 {
        todo!()
    }
    /// Number of steps made.
    pub fn steps(&self) -> u64 {
        todo!()
    }
    /// What the world was made from.
    pub fn setup(&self) -> &Setup<S> {
        &self.setup
    }
    /// The bodies as they are now.
    pub fn bodies(&self) -> &[Body<S>] {
        todo!()
    }
    /// The boundaries as they were placed.
    pub fn boundaries(&self) -> &[Boundary<S>] {
        &self.setup.boundaries
    }
    /// Where a boundary is now; `None` once it is removed.
    pub fn boundary_pose(&self, index: usize) -> Option<Pose<S>> {
        let _ = index;
        todo!()
    }
    /// Velocity of a boundary now, in world axes, at its origin.
    pub fn boundary_velocity(&self, index: usize) -> S::Vector {
        let _ = index;
        todo!()
    }
    /// Force that the bodies exerted on a boundary over the last step (impulse / time step).
    pub fn boundary_force(&self, index: usize) -> S::Vector {
        let _ = index;
        todo!()
    }
    /// The contacts of the last step, in the order of their keys.
    pub fn contacts(&self) -> &[Contact<S>] {
        todo!()
    }
    /// The energy ledger.
    pub fn ledger(&self) -> &Ledger {
        todo!()
    }
    /// Time spent in each stage.
    pub fn timers(&self) -> &StageTimers {
        todo!()
    }
    /// A hash of the whole state: positions, velocities, impulses. Equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        todo!()
    }
}

/// A world of either dimension: the only place where the dimension is chosen at run time.
#[derive(Debug)]
pub enum AnyWorld {
    /// In the plane.
    Plane(World<Plane>),
    /// In space.
    Volume(World<Volume>),
}
