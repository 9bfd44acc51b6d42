//! Contact dynamics in the plane and in space: blocks, rubble, grains and deformable solids that touch, slide, stick and
//! collide. Contact is unilateral and friction is Coulomb's, both taken exactly.
//!
//! A falling ball:
//!
//! ```
//! use drystone::prelude::*;
//! let mut simulation = Simulation::parse(r#"
//!     dimension = 2
//!     gravity = [0, -9.81]
//!     time = { step = 1e-3, end = 1 }
//!     material = [{ name = "steel", density = 7800 }]
//!     default_law = { friction = 0.3 }
//!     body = [{ name = "ball", shape = { disk = 0.1 }, position = [0, 5], material = "steel" }]
//! "#)?;
//! simulation.run_until(1.0)?;
//! assert!((simulation.position("ball")?[1] - (5.0 - 9.81 / 2.0)).abs() < 1e-10);
//! # Ok::<(), Error>(())
//! ```
//!
//! | | |
//! |---|---|
//! | [`Simulation`] | a scene in motion: step by step or until a time, watched, read and set between steps, recorded or not |
//! | [`Run`] | a run on disk: frames, contacts, tables, summary; exports; going on with it |
//! | [`solve`] | contact problems as matrices or files, by every solver |
//! | [`explore`](mod@explore) | which contact forces a step's laws leave open |
//! | [`limit`] | loads at collapse, mechanisms, lines of thrust, what supports may bear |
//! | [`analysis`] | stress, fabric, density, pressures, cuts, layers of grains |
//! | [`ensemble`] | many runs of one scene with other values, side by side |
//! | [`sweeping`] | Moreau's sweeping process: points in a moving set |
//! | [`scene`] | scenes as values: read, checked, changed by key |
//!
//! All numbers are SI units. In the plane vectors have two components and spins one; functions that serve both
//! dimensions give three, the last ones zero.
//!
//! The crates below this one are re-exported for all that it does not cover: [`engine`], [`space`], [`detect`], [`fem`],
//! [`record`] and [`viewer`].

#![doc(html_no_source)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod analysis;
pub mod ensemble;
mod error;
pub mod explore;
mod export;
mod gallery;
pub mod limit;
pub mod ranks;
pub mod run;
pub mod scene;
pub mod simulation;
pub mod solve;
pub mod sweeping;

pub use error::Error;
pub use export::Export;
pub use gallery::{Exhibit, gallery_page};
pub use run::Run;
pub use simulation::Simulation;

pub use drystone_detect as detect;
pub use drystone_engine as engine;
pub use drystone_fclib as fclib;
pub use drystone_fem as fem;
pub use drystone_record as record;
pub use drystone_space as space;
pub use drystone_viewer as viewer;

/// What most programs need.
///
/// ```
/// use drystone::prelude::*;
/// let setup = Setup::<Plane> { gravity: DVec2::new(0.0, -9.81), ..Setup::default() };
/// assert_eq!(Simulation::new(setup)?.bodies(), 0);
/// # Ok::<(), Error>(())
/// ```
pub mod prelude {
    pub use crate::ensemble::{Ensemble, Vary};
    pub use crate::scene::Scene;
    pub use crate::simulation::{Field, Observers, Outcome, RecordOptions, Simulation};
    pub use crate::{Error, Export, Run};
    pub use drystone_detect::plane::{PlaneShape, Polygon};
    pub use drystone_detect::volume::{Polyhedron, VolumeShape};
    pub use drystone_engine::{
        Body, Boundary, Drive, LawTable, MassProperties, MaterialId, MoreauLaw, Owner, Part, Setup,
        Slider, StepReport, with_world,
    };
    pub use drystone_space::{DQuat, DVec2, DVec3, Plane, PlaneRotation, Pose, Vector, Volume};
    pub use std::ops::ControlFlow;
}
