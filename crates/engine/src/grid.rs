//! Space divided by planes that stay where they are: at whole multiples of powers of two.
//!
//! There are at most 4096 cells around the bodies. Planes do not move with the bodies, so that one changes its cell only
//! where it crosses one; a plane comes or goes only where the size of the scene passes a power of two.

use crate::Part;
use drystone_detect::{Extent, Geometry};
use drystone_solve::REGIONS;
use drystone_space::Vector;

/// How far any point of a body is from its centre.
pub(crate) fn radius<S: Geometry>(parts: &[Part<S>]) -> f64 {
    let far = |part: &Part<S>| match S::radius(&part.shape) {
        Some(radius) => part.pose().position.norm() + radius,
        None => match S::extent(&part.shape, &part.pose()) {
            Extent::Box(bounds) => (-bounds.low).highest(bounds.high).norm(),
            Extent::Half { .. } => f64::INFINITY,
        },
    };
    parts.iter().map(far).fold(0.0, f64::max)
}

/// A division of space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Grid {
    /// Each axis is divided at multiples of two to this power.
    powers: [i32; 3],
    /// Number of the first cell of each axis.
    origin: [i64; 3],
}

/// The least whole number k with 2ᵏ not below the value.
fn power(value: f64) -> i32 {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    exponent + i32::from(bits & ((1 << 52) - 1) != 0)
}

/// The largest whole number that is not above the value. What is not a number is taken for 0, and what is too large for the
/// largest. Processors of every kind have an instruction for the cast, unlike for `f64::floor`.
fn floor(value: f64) -> i64 {
    let whole = value as i64;
    whole.saturating_sub(i64::from((whole as f64) > value))
}

/// 2 to a power.
fn two_to(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

impl Grid {
    /// Cells for places between two corners, no edge of which is below the least.
    pub fn around<V: Vector>(low: V, high: V, least: f64) -> Self {
        let mut grid = Self::default();
        let most = f64::from((1u32 << Self::bits::<V>()) - 1);
        for axis in 0..V::LENGTH {
            let edge = ((high.get(axis) - low.get(axis)) / most).max(least);
            // What is not a number, or beyond all sizes, is divided somehow.
            grid.powers[axis] = power(edge.clamp(1e-100, 1e100));
            grid.origin[axis] = floor(low.get(axis) / two_to(grid.powers[axis]));
        }
        grid
    }

    /// The same where sizes of bodies matter less than that there are some cells: no body reaches farther than `radius`.
    pub fn for_sweeps<V: Vector>(low: V, high: V, radius: f64) -> Self {
        let size = high - low;
        let longest = (0..V::LENGTH).fold(0.0, |most: f64, axis| most.max(size.get(axis)));
        Self::around(low, high, (2.125 * radius).min(longest / 8.0))
    }

    /// Bits of a cell's number along one axis.
    pub fn bits<V: Vector>() -> usize {
        REGIONS.ilog2() as usize / V::LENGTH
    }

    /// How many cells there are.
    pub fn cells<V: Vector>() -> usize {
        1 << (Self::bits::<V>() * V::LENGTH)
    }

    /// Whether another one divides space into the same cells.
    pub fn is_like(&self, other: &Self) -> bool {
        self.powers == other.powers
    }

    /// The number of the cell that a place is in, in Morton's order: bits of the coordinates by turns, so that near cells have
    /// near numbers. Outside of all cells it is that of the nearest.
    #[inline]
    pub fn cell<V: Vector>(&self, place: V) -> usize {
        Self::numbered::<V>(|axis| self.along::<V>(axis, place.get(axis), 0) as usize)
    }

    /// The number along an axis of the piece that a place is in, where each cell is divided into 2 to `shift`.
    pub fn along<V: Vector>(&self, axis: usize, place: f64, shift: u32) -> u64 {
        let along = floor(place * two_to(shift as i32 - self.powers[axis]));
        let first = self.origin[axis].saturating_mul(1 << shift);
        along.saturating_sub(first).clamp(0, (1 << (Self::bits::<V>() as u32 + shift)) - 1) as u64
    }

    /// The cell with these numbers along the axes, counted from the first.
    pub fn numbered<V: Vector>(along: impl Fn(usize) -> usize) -> usize {
        let bits = Self::bits::<V>();
        (0..V::LENGTH).fold(0, |cell, axis| cell | spread(along(axis), bits, V::LENGTH) << axis)
    }

    /// Along an axis, the power of two that the edges of cells are.
    pub fn power(&self, axis: usize) -> i32 {
        self.powers[axis]
    }

    /// The least whole number k with 2ᵏ not below a length.
    pub fn power_of(length: f64) -> i32 {
        power(length.clamp(1e-100, 1e100))
    }

    /// 2 to a power.
    pub fn edge(power: i32) -> f64 {
        two_to(power)
    }
}

/// Puts the bits of a number so many places apart.
#[inline]
fn spread(number: usize, bits: usize, apart: usize) -> usize {
    (0..bits).fold(0, |all, bit| all | (number >> bit & 1) << (bit * apart))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::DVec3;

    #[test]
    fn powers_are_the_least_that_suffice() {
        for (value, wanted) in [(1.0, 0), (1.1, 1), (2.0, 1), (0.3, -1), (0.25, -2)] {
            assert_eq!(power(value), wanted, "{value}");
            assert!(two_to(wanted) >= value && two_to(wanted - 1) < value);
        }
    }

    /// Numbers by hand: edges of ¼, the first cell at −1.
    #[test]
    fn cells_are_numbered_by_turns() {
        let grid = Grid::around(DVec3::splat(-1.0), DVec3::splat(2.0), 0.2);
        assert_eq!(grid.cell(DVec3::splat(-1.0)), 0);
        assert_eq!(grid.cell(DVec3::new(-0.7, -1.0, -1.0)), 1);
        assert_eq!(grid.cell(DVec3::new(-1.0, -0.5, -0.7)), 0b100 + 0b10_000);
        assert_eq!(grid.cell(DVec3::splat(99.0)), 4095);
        // Four pieces of an edge, the first at −1.
        let along = [-1.0, -0.8, -0.7, 99.0].map(|x| grid.along::<DVec3>(0, x, 2));
        assert_eq!(along, [0, 3, 4, 63]);
    }
}
