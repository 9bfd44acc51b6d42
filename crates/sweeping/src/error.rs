//! What can go wrong.

use thiserror::Error;

/// Why a set or a problem cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// A polygon needs three vertices.
    #[error("a polygon of {found} vertices has no inside: give at least 3")]
    FewVertices {
        /// How many there are.
        found: usize,
    },
    /// A polygon must be convex.
    #[error("the polygon is not convex at vertex {vertex}, counted from 1")]
    NotConvex {
        /// Which vertex.
        vertex: usize,
    },
    /// Two vertices coincide, or the polygon has no area.
    #[error("the polygon has no extent at vertex {vertex}, counted from 1")]
    Flat {
        /// Which vertex.
        vertex: usize,
    },
    /// A normal without a direction.
    #[error("a normal of length zero has no direction")]
    NoNormal,
    /// A radius must be positive.
    #[error("the radius is {found}, and must be positive")]
    Radius {
        /// What was given.
        found: f64,
    },
    /// The outside of a ball is not convex: nothing can be cut with it.
    #[error(
        "the outside of a ball is not convex and must be the only shape: \
         leave out the others, or take the inside"
    )]
    NotAlone,
    /// No set at all.
    #[error("there is no set: give at least one")]
    NoSet,
}

/// Why a path cannot be followed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The set has no points.
    #[error(
        "the set is empty at t = {time}: end before, or change the motion of one of its pieces"
    )]
    Empty {
        /// When.
        time: f64,
    },
    /// A piece has shrunk to nothing.
    #[error(
        "piece {piece} of the set, counted from 1, has shrunk to nothing at t = {time}: \
         end before, or let it shrink less"
    )]
    Vanished {
        /// Which, counted from 1.
        piece: usize,
        /// When.
        time: f64,
    },
    /// The pieces touch in so small a set that the projection onto it was not found.
    #[error(
        "the projection at t = {time} was found only up to {residual:e}: \
         the pieces of the set hardly meet"
    )]
    Unfinished {
        /// When.
        time: f64,
        /// By how much the sets must be moved for the point to be the projection.
        residual: f64,
    },
    /// A point must be in the set at the start.
    #[error(
        "point {point}, counted from 1, is outside of the set at the start, by {distance:e}: \
         put it inside"
    )]
    Outside {
        /// Which, counted from 1.
        point: usize,
        /// How far.
        distance: f64,
    },
    /// The explicit scheme asks a set for its lazy selector.
    #[error(
        "the explicit scheme needs the lazy selector of the set, which gives none: \
         take the implicit one, or give `SetInTime::lazy`"
    )]
    NoSelector,
    /// What a set that somebody else wrote says of itself.
    #[error("the set at t = {time}: {message}")]
    Own {
        /// When.
        time: f64,
        /// What is wrong.
        message: String,
    },
    /// No point to follow.
    #[error("there is no point to follow: give at least one")]
    NoPoint,
    /// The end is not after the start.
    #[error("the end is at t = {found}, and must be after t = 0")]
    End {
        /// What was given.
        found: f64,
    },
}
