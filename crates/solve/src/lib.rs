//! Contact problems and their solution. Knows movers and contacts, but no bodies and no shapes.
//!
//! A [`ContactProblem`] is: u = u_free + A⁻¹ Σ G*P and, for every contact, law(offset + G u, P)
//! (Moreau 2003, (39)–(40)). A solver fills a [`Solution`] and returns a [`SolveReport`]; the
//! judge of both is [`Residual`], never the solver's own stopping number.
//!
//! Units: impulses in N·s, velocities in m/s, Delassus blocks in 1/kg.

pub mod assembled;
mod block;
mod colour;
mod connected;
mod diagnosis;
mod explore;
pub mod global;
mod law;
pub mod local;
mod momentum;
mod nlgs;
mod problem;
mod quad;
mod rescue;
mod residual;
mod saddle;
mod small;
pub mod solvers;
mod stages;
mod sweep;
mod threads;
mod uniqueness;

pub use assembled::{AnyAssembled, Assembled, BlockMatrix, Cone, Gather};
pub use block::{Block, Blocks, PlaneBlock, VolumeBlock};
pub use colour::SweepOrder;
pub use connected::Connected;
pub use diagnosis::{Conflict, Culprit, Diagnosis, Rank};
pub use explore::{Exploration, ExploreParams, Range, Vary, explore};
pub use global::{Global, Reduced, SparseMatrix};
pub use law::{
    Couple, Curve, CurveError, CurvePoints, Ellipse, FrictionPolygon, Interval, Law, LoneContact,
    Percussion, PolygonError, PolygonSection, Resistance, Section, Special, VolumeSection,
};
pub use local::LocalSolver;
pub use nlgs::{Nlgs, NlgsParams, SolveReport, Status};
pub use problem::{
    Contact, ContactMap, ContactProblem, Contacts, GROUND, Listed, Mover, REGIONS, Solution,
    Turning, Twist,
};
pub use rescue::{fits_assembled, solve_assembled};
pub use residual::{Residual, ResidualSums};
pub use saddle::uzawa;
pub use small::SmallGroups;
pub use solvers::{Limits, Solver};
pub use threads::Threads;
pub use uniqueness::{Uniqueness, uniqueness};
