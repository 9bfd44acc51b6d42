//! Axis-aligned boxes and the extents of placed shapes.

use drystone_space::{Space, Vector};

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<S: Space> {
    /// Lowest corner.
    pub low: S::Vector,
    /// Highest corner.
    pub high: S::Vector,
}

impl<S: Space> Bounds<S> {
    /// The box around a point, `reach` in every direction.
    #[inline]
    pub fn around(centre: S::Vector, reach: f64) -> Self {
        Self { low: centre - S::Vector::splat(reach), high: centre + S::Vector::splat(reach) }
    }
    /// The smallest box that holds all points; empty (low above high) for none.
    pub fn of_points(points: impl IntoIterator<Item = S::Vector>) -> Self {
        let empty = Self {
            low: S::Vector::splat(f64::INFINITY),
            high: S::Vector::splat(f64::NEG_INFINITY),
        };
        points
            .into_iter()
            .fold(empty, |b, p| Self { low: b.low.lowest(p), high: b.high.highest(p) })
    }
    /// The box that holds both.
    pub fn union(&self, other: &Self) -> Self {
        Self { low: self.low.lowest(other.low), high: self.high.highest(other.high) }
    }
    /// The box grown by `reach` on every side.
    #[inline]
    pub fn grown(&self, reach: f64) -> Self {
        Self { low: self.low - S::Vector::splat(reach), high: self.high + S::Vector::splat(reach) }
    }
    /// Whether the two boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..S::DIMENSION)
            .all(|i| self.low.get(i) <= other.high.get(i) && other.low.get(i) <= self.high.get(i))
    }
    /// Middle of the box.
    #[inline]
    pub fn centre(&self) -> S::Vector {
        (self.low + self.high) * 0.5
    }
    /// Edge lengths.
    #[inline]
    pub fn size(&self) -> S::Vector {
        self.high - self.low
    }
}

/// Where a placed shape is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent<S: Space> {
    /// Inside a box.
    Box(Bounds<S>),
    /// All points x with `normal · x ≤ offset`: a shape without end.
    Half {
        /// Unit normal that points out of the solid.
        normal: S::Vector,
        /// Position of the surface along the normal.
        offset: f64,
    },
}
