//! The engine: bodies, boundaries, Moreau's midpoint step and the energy ledger.
//!
//! [`Setup`] → [`World::new`] → [`World::step`], with read-only views of the result.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod account;
mod assemble;
mod assembled;
mod body;
mod bond;
mod boundary;
mod cell;
mod contact;
mod contact_form;
mod contact_spring;
mod deferred;
mod diagnosis;
mod drive;
mod drop_arrival;
mod error;
mod findings;
mod force;
mod grid;
mod hash;
mod joint;
mod lagrangian;
mod lasting;
mod law;
mod ledger;
mod method;
mod narrow_phase;
mod params;
mod phase;
mod predict;
mod pushed;
mod ranks;
mod recovery;
mod report;
mod scheme;
mod setup;
mod setup_check;
mod shape_poses;
mod signal;
mod sleep;
mod solid;
mod solve;
mod special;
mod speculative;
mod stage;
mod state;
mod steer;
mod step;
mod story;
mod strike;
mod thread_trial;
mod workspace;
mod world;

pub use assembled::AssembledStep;
pub use body::{Body, MassProperties, Part, Parts};
pub use bond::{
    Adhesion, Bond, BondForms, BondKind, BondLaw, BondPlace, BondStrength, CohesiveZone,
    unfit_for_bonds,
};
pub use boundary::{Boundary, Drive, Edge, Guide, Slider, Switch};
pub use cell::{Cell, CellDrive, CellState, CellSwitch, least_cell_width, unfit_for_cells};
pub use contact::{Contact, ContactCouple};
pub use contact_form::ContactForm;
pub use contact_spring::ContactSpring;
pub use diagnosis::StepDiagnosis;
pub use error::{SetupError, StepError};
pub use findings::{Cause, ContactLoss, Overlap, Party, Passage};
pub use force::{Anchor, Drag, Spring};
pub use joint::{
    DriveLaw, Freedom, Joint, JointCoordinates, JointDrive, JointFriction, JointKind, JointLimit,
    JointReaction, JointSide, JointState, JointStrength, Jointed, Meshed, Ratchet, Target, gear,
    rack, unfit_for_joints,
};
pub use lagrangian::{
    Lagrangian, LagrangianLedger, LagrangianReport, LagrangianRun, SystemContact,
};
pub use law::{
    Cohesion, ContactLaw, Curve, CurveError, CurvePoints, Friction, FrictionPolygon, LawTable,
    MaterialId, MoreauLaw, PairLaw, PercussionLaw, PolygonError, Principal, Resistance, Sections,
};
pub use ledger::Ledger;
pub use method::{LawKind, takes};
pub use params::{
    DeferralParams, MethodParams, ParallelParams, RankParams, SleepParams, StepParams, TrialParams,
};
pub use phase::{Phase, Progress, Until};
pub use ranks::{BodySample, Sample, Share, unfit_for_ranks};
pub use report::StepReport;
pub use scheme::{Scheme, unfit_for_second_order};
pub use setup::{
    Arrival, InitialForce, Judge, Load, Method, OnFailure, Owner, Setup, SolverSettings,
};
pub use signal::{Course, Moment, Motion, Signal, Smooth};
pub use sleep::{ImpulseSum, Push, Sleep, SleepSettings, unfit_for_sleep};
pub use solid::{
    Deformable, Imposed, Pairing, Partner, SolidContact, SolidSettings, SolidSetup, Traction,
    Unfit, unfit_for_quasi_static, unfit_law,
};
pub use stage::{Stage, StageTimers};
pub use state::{BodyState, BoundaryState, SavedState, State};
pub use steer::{Command, SteerError, Wrench};
pub use story::{Attempt, MethodReason, MethodTaken, Story};
pub use strike::{unfit_beside_impact, unfit_for_impacts};
pub use world::{AnyWorld, World};

pub use drystone_solve::{
    Characteristic, ErrorEstimate, EstimateWay, Hypothesis, ImpactLaw, Kept, Uniqueness,
};
pub use drystone_space::Table;

use drystone_detect::Geometry;
use drystone_solve::Gather;
use drystone_space::{Plane, Volume};

/// A space that a world can be made in: it has shapes to detect, laws, solids, and problems to solve.
pub trait Dimension: Geometry + Gather + Sections + Deformable + Jointed {
    /// [`World::step`], compiled with this crate: who steps a world does not compile the whole step again.
    #[doc(hidden)]
    fn step(world: &mut World<Self>) -> Result<StepReport, StepError>;
}

impl Dimension for Plane {
    fn step(world: &mut World<Self>) -> Result<StepReport, StepError> {
        world.run_stages()
    }
}

impl Dimension for Volume {
    fn step(world: &mut World<Self>) -> Result<StepReport, StepError> {
        world.run_stages()
    }
}
