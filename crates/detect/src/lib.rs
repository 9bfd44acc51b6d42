//! Detection: which bodies touch, where, in which direction, and how deep.
//!
//! - [`Geometry`] joins a [`Space`] with its closed set of shapes ([`plane::PlaneShape`],
//!   [`volume::VolumeShape`]) and the pair tests between them.
//! - [`Manifold`] is what a pair test returns: up to four [`Touch`]es.
//! - [`BroadPhase`] finds candidate pairs among many boxes.
//!
//! Signs: a gap is positive apart and negative in overlap; a normal points toward the first shape.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bounds;
mod broad;
mod delaunay;
mod error;
mod manifold;
mod periodic;
pub mod plane;
pub mod volume;

pub use bounds::{Bounds, Extent};
pub use broad::{BroadPhase, Proxy};
pub use delaunay::{Delaunay, Facet, area};
pub use error::ShapeError;
pub use manifold::{Manifold, Touch};
pub use periodic::{PeriodicPairs, PeriodicProxy};

use drystone_space::{Pose, Space};
use std::fmt::Debug;

/// Measure, centre and second moments of a shape of unit density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid<S: Space> {
    /// Area in the plane, volume in space.
    pub measure: f64,
    /// Centre of mass in the shape's own axes.
    pub centre: S::Vector,
    /// Inertia about that centre, per unit density, in the shape's own axes.
    pub inertia: S::Inertia,
}

/// A space with its shapes and the tests between them.
pub trait Geometry: Space {
    /// The closed enum of shapes.
    type Shape: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Where the placed shape is: a box, or a half-space for shapes without end.
    fn extent(shape: &Self::Shape, pose: &Pose<Self>) -> Extent<Self>;

    /// Measure, centre and inertia; `None` for a shape that encloses none (half-plane, segment).
    fn solid(shape: &Self::Shape) -> Option<Solid<Self>>;

    /// The smallest width of the shape, which a body must not cross in one step; infinite for
    /// half-planes and half-spaces.
    fn width(shape: &Self::Shape) -> f64;

    /// The radius of a disk or a ball; `None` for all other shapes.
    fn radius(shape: &Self::Shape) -> Option<f64>;

    /// A disk or a ball of this radius.
    fn ball(radius: f64) -> Self::Shape;

    /// Appends to `manifold` every touch whose gap is at most `margin`.
    ///
    /// Points and normals are in world axes, the normal points toward `first`, and the features
    /// name the same place of the same two shapes from step to step.
    fn collide(
        first: (&Self::Shape, &Pose<Self>),
        second: (&Self::Shape, &Pose<Self>),
        margin: f64,
        manifold: &mut Manifold<Self>,
    );
}
