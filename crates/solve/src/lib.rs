//! Contact problems and their solution. Knows movers and contacts, but no bodies and no shapes.
//!
//! A [`ContactProblem`] is: u = u_free + A⁻¹ Σ G*P and, for every contact, law(offset + G u, P)
//! (Moreau 2003, (39)–(40)). A solver fills a [`Solution`] and returns a [`SolveReport`]; the
//! judge of both is [`Residual`], never the solver's own stopping number.
//!
//! Units: impulses in N·s, velocities in m/s, Delassus blocks in 1/kg.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod acd2_uzawa;
pub mod assembled;
mod assembled_fallback;
mod barrier;
mod block;
mod colour;
mod compliant;
mod diagnosis;
mod direct;
mod estimate;
mod exchange;
mod explore;
mod gauss_seidel;
pub mod global;
mod impact;
mod kinetic;
mod lanes;
mod law;
pub mod local;
mod mechanism;
mod momentum;
mod nlgs;
mod problem;
mod residual;
mod seam;
mod small_groups;
pub mod solvers;
mod sums;
mod sweep;
mod sync;
mod threads;
mod union_find;
mod uniqueness;

pub use acd2_uzawa::uzawa;
pub use assembled::{AnyAssembled, Assembled, BlockMatrix, Gather};
pub use assembled_fallback::{fits_assembled, solve_assembled};
pub use block::{Block, Blocks, PlaneBlock, VolumeBlock};
pub use colour::SweepOrder;
pub use compliant::Compliant;
pub use diagnosis::{Conflict, Culprit, Diagnosis, Rank};
pub use direct::{Direct, DirectParams, DirectReport, Kept};
pub use estimate::{ErrorEstimate, EstimateWay};
pub use exchange::{Exchange, Letters};
pub use explore::{Exploration, ExploreParams, Range, Vary, explore};
pub use global::{Global, Reduced, SparseMatrix};
pub use impact::{Hypothesis, Impact, ImpactLaw, Struck, Touching};
pub use law::{
    Bounded, Bounds, Characteristic, Cone, Couple, Curve, CurveError, CurvePoints, Elastic,
    Ellipse, FrictionPolygon, GeneralCone, Interval, Law, LoneContact, Percussion, PolygonError,
    PolygonSection, Resistance, Section, Special, TableSpring, VolumeSection,
};
pub use local::LocalSolver;
pub use mechanism::{Handle, JointOf, JointRow, Link, Mechanism, Tree};
pub use nlgs::{Nlgs, NlgsParams, SolveReport, Status};
pub use problem::{
    Contact, ContactMap, ContactProblem, Contacts, GROUND, Listed, Mover, REGIONS, Shared,
    Solution, Turning, Twist,
};
pub use residual::{Residual, ResidualSums};
pub use seam::{Neighbour, Seam};
pub use small_groups::SmallGroups;
pub use solvers::{AssembledMethod, Limits, Solver};
pub use threads::Threads;
pub use union_find::UnionFind;
pub use uniqueness::{Uniqueness, uniqueness};
