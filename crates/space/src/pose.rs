//! Position and rotation together.

use crate::{Rotation, Space, Vector};

/// A rigid placement; `world_from_body` when it belongs to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<S: Space> {
    /// Where the body's origin is.
    pub position: S::Vector,
    /// How the body's axes are turned.
    pub rotation: S::Rotation,
}

impl<S: Space> Pose<S> {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: S::Vector::ZERO, rotation: S::Rotation::IDENTITY };

    /// A placement from its parts.
    pub fn new(position: S::Vector, rotation: S::Rotation) -> Self {
        Self { position, rotation }
    }
    /// A placement that is not turned.
    pub fn at(position: S::Vector) -> Self {
        Self { position, rotation: S::Rotation::IDENTITY }
    }
    /// Body point to world point.
    #[inline(always)]
    pub fn point(&self, body: S::Vector) -> S::Vector {
        self.position + self.rotation.apply(body)
    }
    /// World point to body point.
    #[inline(always)]
    pub fn inverse_point(&self, world: S::Vector) -> S::Vector {
        self.rotation.apply_inverse(world - self.position)
    }
    /// `self ∘ inner`: places something that is placed by `inner` inside the body.
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            position: self.point(inner.position),
            rotation: self.rotation.compose(inner.rotation),
        }
    }
    /// The inverse placement.
    pub fn inverse(&self) -> Self {
        Self {
            position: -self.rotation.apply_inverse(self.position),
            rotation: self.rotation.inverse(),
        }
    }
}
