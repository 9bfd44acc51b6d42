//! Moreau's sweeping process: a point rests in a moving set until the set's boundary pushes it.
//!
//! The point q obeys −dq/dt ∈ N(q), the outward normal cone of the set Φ(t) at q (Moreau 2003, (6)).
//! Equivalently its velocity is the *lazy selector*: the smallest of all velocities that keep it in
//! the set (Moreau 2003, (5)). Each of the two gives a scheme, see [`Scheme`].
//!
//! - [`Member`]: half-spaces, balls, and the outside of a ball; convex sets are intersections of them.
//! - [`Section`]: such an intersection at one time, with the exact projection onto it.
//! - [`Motion`]: translation, swinging, rotation and growth in time.
//! - [`MovingSet`]: pieces with their motions: the constraints fₐ(t, x) ≤ 0, their rates and
//!   gradients, and the lazy selector.
//! - [`SetInTime`]: what the schemes ask of a set, for sets of one's own.
//! - [`Problem`]: a moving set and the points in it; [`Problem::path`] follows one of them.
//! - [`Convergence`]: errors of both schemes as the step falls.
//! - [`Example`]: problems to look at, most of them with their exact solution.
//!
//! Signs, as in Moreau's papers: f ≤ 0 inside, and normals point out of the set.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod convergence;
mod error;
mod exact;
mod example;
mod intersection;
mod member;
mod motion;
mod moving;
mod polyhedron;
mod problem;
mod set_in_time;

pub use convergence::{Convergence, Level, Reference};
pub use error::{Flaw, SweepError};
pub use example::{AnyProblem, Example};
pub use intersection::Section;
pub use member::{HalfSpace, Member, polygon};
pub use motion::{Motion, Placement, Swing};
pub use moving::{Constraint, MovingSet, Piece, lazy_selector};
pub use problem::{Exact, Path, Problem, Scheme};
pub use set_in_time::SetInTime;
