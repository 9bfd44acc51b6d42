//! Why a world cannot be made, or a step not be done.

use crate::{StepDiagnosis, StepReport, Unfit};
use drystone_fem::FemError;
use thiserror::Error;

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
    /// A load, or an initial force, names a body or boundary that is not there.
    #[error("{what} names {index}, but there are {count}")]
    NoSuch {
        /// What names it.
        what: String,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A state belongs to another setup.
    #[error("the state has {found} {what}, the setup {wanted}: they do not belong together")]
    OtherState {
        /// What there is another number of.
        what: String,
        /// How many the state has.
        found: usize,
        /// How many the setup has.
        wanted: usize,
    },
    /// A deformable solid cannot be made.
    #[error("solid `{name}`: {error}")]
    Solid {
        /// Its name.
        name: String,
        /// Why.
        error: Box<FemError>,
    },
    /// Bodies cannot be left alone beside something that is not watched.
    #[error("bodies at rest cannot be left alone beside {beside}")]
    NoSleep {
        /// What it is.
        beside: &'static str,
    },
    /// The step of second order cannot be had beside something.
    #[error("the step of second order cannot be had with {beside}")]
    NoSecondOrder {
        /// What it is.
        beside: &'static str,
    },
    /// Inertia of solids cannot be left out beside something.
    #[error("solids cannot be computed without inertia beside {beside}")]
    NoQuasiStatic {
        /// What it is.
        beside: &'static str,
    },
    /// A periodic cell that cannot be had.
    #[error("the periodic cell: {why}")]
    Cell {
        /// Why.
        why: String,
    },
    /// Several ranks cannot compute something yet.
    #[error("{beside} cannot be computed by several ranks: run this scene as one process")]
    NoRanks {
        /// What it is.
        beside: &'static str,
    },
    /// Bonds cannot be had beside something.
    #[error("bonds cannot be had beside {beside}")]
    NoBonds {
        /// What it is.
        beside: &'static str,
    },
    /// Laws of impact cannot be had beside something.
    #[error("laws of impact cannot be had beside {beside}")]
    NoImpact {
        /// What it is.
        beside: &'static str,
    },
    /// A spring that cannot be had.
    #[error("spring {number}: {why}")]
    Spring {
        /// Its number, from 1 on.
        number: usize,
        /// Why.
        why: String,
    },
    /// A joint that cannot be had.
    #[error("joint `{name}`: {why}")]
    Joint {
        /// Its name, or its kind and number.
        name: String,
        /// Why.
        why: String,
    },
    /// Bodies cannot be brought to where joints want them.
    #[error("joint `{name}` cannot be closed: {distance:.3e} m and {angle:.3e} rad are left")]
    NotAssembled {
        /// Its name, or its kind and number.
        name: String,
        /// Its number.
        index: usize,
        /// Distance that is left.
        distance: f64,
        /// Angle that is left.
        angle: f64,
    },
    /// A joint that cannot be had in reduced coordinates.
    #[error("joint `{name}` cannot be had in reduced coordinates: {why}")]
    Coordinates {
        /// Its name, or its kind and number.
        name: String,
        /// Its number.
        index: usize,
        /// Why.
        why: String,
    },
    /// A law that cannot be had at bodies with joints.
    #[error(
        "law between materials {first} and {second}: rolling resistance cannot be computed at bodies with \
         joints; give these a material of their own"
    )]
    UnfitForJoints {
        /// Number of one material, which a body with joints has.
        first: u32,
        /// Number of the other.
        second: u32,
    },
    /// There is no room for the factors of a mechanism.
    #[error("not enough memory for the joints")]
    JointMemory,
    /// A law that cannot be had in a scene with deformable solids.
    #[error("law between materials {first} and {second}: {unfit} cannot be computed; {}", unfit.remedy())]
    UnfitLaw {
        /// Number of one material.
        first: u32,
        /// Number of the other.
        second: u32,
        /// What of the law.
        unfit: Unfit,
    },
}

/// Why a step failed. The state is that of the failed step's end where it can be computed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The contact problem was not solved and the scene says `stop`.
    #[error(
        "step {step} at t = {time} s: {} contacts not solved after {} sweeps: \
         residual {residual:.3e}, tolerance {tolerance:.1e}\n{diagnosis}",
        .report.contacts, .report.iterations
    )]
    NotConverged {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// How it went.
        report: Box<StepReport>,
        /// The larger of the two residuals.
        residual: f64,
        /// Residual asked for.
        tolerance: f64,
        /// What is wrong.
        diagnosis: Box<StepDiagnosis>,
    },
    /// A velocity or position is infinite or not a number.
    #[error(
        "step {step} at t = {time} s: body {body} has a velocity or position that is not finite"
    )]
    NotFinite {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// Index of the body.
        body: usize,
    },
    /// A deformable solid cannot be computed.
    #[error("step {step} at t = {time} s: solid `{name}`: {error}")]
    Solid {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// Name of the solid.
        name: String,
        /// Why.
        error: Box<FemError>,
    },
    /// Bodies overlap so much that their contacts would not fit into memory.
    #[error(
        "step {step} at t = {time} s: {found} {what}, at most {most} fit into the memory that may be used: do most \
         bodies overlap? {}",
        drystone_space::Limit::Memory.advice()
    )]
    TooMany {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// What there is too much of.
        what: &'static str,
        /// How many, or how many were counted before the search was given up.
        found: usize,
        /// How many are allowed.
        most: usize,
    },
    /// A periodic cell has become too narrow for its bodies.
    #[error(
        "step {step} at t = {time} s: the periodic cell is {wide:.4e} m wide, too narrow for bodies whose images must not meet: \
         it must stay wider than {needed:.4e} m"
    )]
    NarrowCell {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// Least distance of two faces.
        wide: f64,
        /// What it must be above.
        needed: f64,
    },
    /// A node has a velocity that is infinite or not a number.
    #[error(
        "step {step} at t = {time} s: a node of solid `{name}` has a velocity that is not finite"
    )]
    SolidNotFinite {
        /// Index of the step.
        step: u64,
        /// Time at its start.
        time: f64,
        /// Name of the solid.
        name: String,
    },
}
