//! Why a shape cannot be made.

use thiserror::Error;

/// Why a shape cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A coordinate is infinite or not a number.
    #[error("vertex {index} is not finite")]
    NotFinite {
        /// Index of the vertex, from 0.
        index: usize,
    },
    /// Too few distinct points.
    #[error("{found} distinct points, at least {needed} needed")]
    TooFewPoints {
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A vertex lies on the one before it.
    #[error("vertex {index} repeats the one before it")]
    Repeated {
        /// Index of the vertex, from 0.
        index: usize,
    },
    /// More vertices than the pair tests hold on the stack.
    #[error("{found} vertices, at most {most} allowed")]
    TooManyVertices {
        /// How many there are.
        found: usize,
        /// How many are allowed.
        most: usize,
    },
    /// The outline turns the wrong way, or crosses itself.
    #[error("not convex at vertex {index}")]
    NotConvex {
        /// Index of the vertex, from 0.
        index: usize,
    },
    /// All points on one line, or in one plane.
    #[error("no interior: the points lie on a line or in a plane")]
    Degenerate,
}
