//! Systems in coordinates of their own: A(q) u' = F(t, q, u), with contacts (Jean & Moreau 1992, §2; Moreau 1998, §3–5).
//!
//! Joints without friction need no equations where the coordinates q are those that they leave: a double pendulum has two angles.
//! [`Lagrangian`] is what such a system is, and [`LagrangianRun`] steps it by Moreau's midpoint rule. A contact acts on
//! a point of the system, whose velocity is G u; to the solver it is a point of a [compliant group](drystone_solve::Compliant)
//! with the response G A⁻¹ G*, as a mechanism's points are. So contacts have the laws and the judge that they have in
//! scenes.
//!
//! - The midpoint: q_m = q_i + (h/2) u_i, A and F and contacts are those of q_m, q_f = q_m + (h/2) u_f.
//! - F is taken at ½ (u_i + u_f), round after round, so that the terms of A's derivatives, quadratic in u, are of second
//!   order.
//! - A contact whose gap is closed at q_m obeys Moreau's law with restitution, U = U⁺ + ρ U⁻ (Moreau 2003, (33)).
//! - The books: ½ u·A_m u changes by exactly ū·(h F + G* P), ū = ½ (u_i + u_f). What A and the potential change by
//!   besides is work of the scheme.

mod step;

pub use step::{LagrangianLedger, LagrangianReport, LagrangianRun};

use drystone_space::Space;

/// A system in coordinates q, with velocities u = q'.
pub trait Lagrangian<S: Space> {
    /// How many coordinates it has.
    fn freedoms(&self) -> usize;
    /// A(q), row after row; symmetric and positive definite. `into` is full of zeros.
    fn inertia(&self, q: &[f64], into: &mut [f64]);
    /// F(t, q, u) but for [what drives](Self::drive): the force of the potential, and what A's derivatives make,
    /// −A' u + ½ ∂(u·A u)/∂q. `into` is full of zeros.
    fn force(&self, time: f64, q: &[f64], u: &[f64], into: &mut [f64]);
    /// Forces that have no potential, such as motors and dampers. `into` is full of zeros.
    fn drive(&self, _time: f64, _q: &[f64], _u: &[f64], _into: &mut [f64]) {}
    /// The potential energy.
    fn potential(&self, q: &[f64]) -> f64;
    /// Shows the contacts that can be closed near q, in the same order at each call.
    fn contacts(&self, _time: f64, _q: &[f64], _show: &mut dyn FnMut(SystemContact<'_, S>)) {}
}

/// A contact of a system with an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct SystemContact<'a, S: Space> {
    /// How far both are apart.
    pub gap: f64,
    /// From the obstacle towards the system.
    pub normal: S::Vector,
    /// G: the velocity of the point of contact by each of u.
    pub map: &'a [S::Vector],
    /// The velocity that it has besides, less that of the obstacle.
    pub given: S::Vector,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Normal and tangential restitution.
    pub restitution: [f64; 2],
}
