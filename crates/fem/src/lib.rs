//! Deformable solids by finite elements: total Lagrangian, large displacements.
//!
//! - [`Mesh`] of [`ElementKind`]s, from generators or Gmsh files; [`Elastic`] materials; [`Section`]s
//!   of the plane. Together they are a [`Model`].
//! - [`Static`] finds equilibrium; [`Solid`] moves in time, contacts being solved by whoever steps it.
//! - [`Surface`] is where contacts are; [`touch`] finds where two surfaces meet.
//!
//! Units are SI. Green's strain, second Piola–Kirchhoff's stress; Cauchy's stress to look at.
//! Sources: Feng, Magnain, Cros & Joli 2006 for the scheme in time and the condensed contact problem.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod edges;
pub mod element;
mod error;
mod kernel;
mod material;
pub mod mesh;
mod model;
mod modes;
mod order;
mod product;
pub mod quadrature;
mod scheme;
mod solid;
mod statics;
mod stress;
mod surface;
mod system;
pub mod touch;

pub use element::ElementKind;
pub use error::{ElementName, FemError, Location};
pub use material::{Elastic, ElasticLaw, Response, Section, Tangent, Voigt};
pub use mesh::Mesh;
pub use model::{MassKind, Model};
pub use scheme::{Convergence, Damping, Newton, Scheme, StepWork};
pub use solid::{Solid, SolidState};
pub use statics::Static;
pub use stress::{Stress, StressField};
pub use surface::{FACET_NODES, Facet, Surface};
pub use system::System;
