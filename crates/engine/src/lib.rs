//! The engine: bodies, boundaries, Moreau's midpoint step and the energy ledger.
//!
//! [`Setup`] → [`World::new`] → [`World::step`], with read-only views of the result.

mod body;
mod boundary;
mod law;
mod ledger;
mod setup;
mod signal;
mod stage;
mod world;

pub use body::{Body, MassProperties, Part};
pub use boundary::{Boundary, Drive, Slider};
pub use law::{LawTable, MaterialId, PairLaw};
pub use ledger::Ledger;
pub use setup::{
    Arrival, ContactForm, InitialForce, Load, OnFailure, Owner, Setup, SolverSettings,
};
pub use signal::{Course, Moment, Motion, Signal, Table};
pub use stage::{Stage, StageTimers};
pub use world::{AnyWorld, Contact, SetupError, StepError, StepReport, World};
