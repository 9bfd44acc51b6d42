//! The engine: bodies, boundaries, Moreau's midpoint step and the energy ledger.
//!
//! [`Setup`] → [`World::new`] → [`World::step`], with read-only views of the result.

mod account;
mod body;
mod boundary;
mod contact;
mod diagnosis;
mod error;
mod law;
mod ledger;
mod report;
mod setup;
mod signal;
mod solve;
mod special;
mod stage;
mod state;
mod step;
mod workspace;
mod world;

pub use body::{Body, MassProperties, Part};
pub use boundary::{Boundary, Drive, Slider};
pub use contact::Contact;
pub use diagnosis::StepDiagnosis;
pub use error::{SetupError, StepError};
pub use law::{
    Cohesion, Friction, FrictionPolygon, LawTable, MaterialId, PairLaw, PolygonError, Principal,
    Resistance, Sections,
};
pub use ledger::Ledger;
pub use report::StepReport;
pub use setup::{
    Arrival, ContactForm, InitialForce, Load, Method, OnFailure, Owner, Setup, SolverSettings,
};
pub use signal::{Course, Moment, Motion, Signal, Table};
pub use stage::{Stage, StageTimers};
pub use state::{BodyState, State};
pub use world::{AnyWorld, BoundaryState, World};

use drystone_detect::Geometry;
use drystone_solve::Gather;
use drystone_space::{Plane, Volume};

/// A space that a world can be made in: it has shapes to detect, laws, and problems to solve.
pub trait Dimension: Geometry + Gather + Sections {}

impl Dimension for Plane {}
impl Dimension for Volume {}
