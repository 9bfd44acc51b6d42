//! Boundaries: fixed, driven, or sliding under a load.

use crate::{Motion, Part, Signal};
use drystone_detect::Geometry;
use drystone_space::{Pose, Space};

/// A boundary that is free in one direction under a given force, and rigid in all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider<S: Space> {
    /// Unit direction in which it may move.
    pub direction: S::Vector,
    /// Its inertia in that direction.
    pub mass: f64,
    /// Applied force along the direction. Gravity does not act on a slider.
    pub force: Signal,
}

/// What moves a boundary.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive<S: Space> {
    /// Nothing.
    Fixed,
    /// A given motion.
    Motion(Motion<S>),
    /// A given force.
    Slider(Slider<S>),
}

/// A body whose motion is not computed from its contacts (but for sliders, in one direction).
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary<S: Geometry> {
    /// Name in the scene.
    pub name: String,
    /// Where it was placed: `world_from_boundary` at the start.
    pub pose: Pose<S>,
    /// Its shapes.
    pub parts: Vec<Part<S>>,
    /// What moves it.
    pub drive: Drive<S>,
    /// When it vanishes; may be infinite.
    pub removal: f64,
}
