//! Which rank owns which part of space.
//!
//! Space is divided by planes at whole multiples of powers of two, into at most 4096 cells around the bodies. They do not
//! move with the bodies, so that a body changes its cell only where it crosses one. A rank owns cells that follow each
//! other in Morton's order, with about as many bodies as another. No cell is narrower than what two bodies can reach: all that
//! a body may touch is in its own cell or in one beside it.

use drystone_space::Vector;

/// Most ranks: a bit for each.
pub const MOST: usize = 128;

/// Bits of the number of a cell.
const BITS: usize = 12;

/// A division of space.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    /// Each axis is divided at multiples of two to this power.
    powers: Vec<i32>,
    /// Number of the first cell of each axis.
    origin: Vec<i64>,
    /// The longest reach that it was made for.
    pub reach: f64,
    /// Rank of each cell.
    owners: Vec<u8>,
    /// A bit for each rank that owns the cell, or one beside it.
    near: Vec<u128>,
}

/// The least whole number k with 2ᵏ not below the value.
fn power(value: f64) -> i32 {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    exponent + i32::from(bits & ((1 << 52) - 1) != 0)
}

/// 2 to a power.
fn two_to(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

impl Cut {
    /// The division that is to be had for bodies between two corners that reach so far.
    fn powers<V: Vector>(low: V, high: V, reach: f64) -> Vec<i32> {
        let most = f64::from((1u32 << (BITS / V::LENGTH)) - 1);
        let edge = |axis: usize| ((high.get(axis) - low.get(axis)) / most).max(reach);
        // What is not a number, or beyond all sizes, is cut somehow.
        (0..V::LENGTH).map(|axis| power(edge(axis).clamp(1e-100, 1e100))).collect()
    }

    /// Whether another one is to be made, for bodies between two corners that reach so far.
    pub fn is_outdated<V: Vector>(&self, low: V, high: V, reach: f64) -> bool {
        let longer = reach > self.reach;
        self.owners.is_empty() || longer || self.powers != Self::powers(low, high, self.reach)
    }

    /// Whether space was not divided yet.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Divides space anew; no cell has an owner yet.
    pub fn divide<V: Vector>(low: V, high: V, reach: f64) -> Self {
        let powers = Self::powers(low, high, reach);
        let first = |axis: usize| (low.get(axis) / two_to(powers[axis])).floor();
        let origin = (0..V::LENGTH).map(|axis| first(axis) as i64).collect();
        Self { powers, origin, reach, owners: Vec::new(), near: Vec::new() }
    }

    /// The number of the cell that a place is in; outside of all, that of the nearest.
    pub fn cell<V: Vector>(&self, place: V) -> usize {
        let bits = BITS / V::LENGTH;
        let mut cell = 0;
        for axis in 0..V::LENGTH {
            let along = (place.get(axis) / two_to(self.powers[axis])).floor();
            // A cast takes what is not a number for 0, and what is too large for the largest.
            let index = (along as i64).saturating_sub(self.origin[axis]).clamp(0, (1 << bits) - 1);
            cell |= spread(index as usize, bits, V::LENGTH) << axis;
        }
        cell
    }

    /// How many cells there are.
    pub fn cells<V: Vector>() -> usize {
        1 << (BITS / V::LENGTH * V::LENGTH)
    }

    /// Shares the cells out among ranks, by how many bodies are in each.
    pub fn share<V: Vector>(&mut self, bodies: &[u64], ranks: usize) {
        let all: u64 = bodies.iter().sum();
        let mut before = 0;
        self.owners = bodies
            .iter()
            .map(|&count| {
                // The rank that the middle one of its bodies falls to.
                let middle = before + count / 2;
                before += count;
                (middle * ranks as u64 / all.max(1)).min(ranks as u64 - 1) as u8
            })
            .collect();
        self.near = (0..bodies.len()).map(|cell| self.owners_near(cell, V::LENGTH)).collect();
    }

    fn owners_near(&self, cell: usize, axes: usize) -> u128 {
        let bits = BITS / axes;
        let most = (1i64 << bits) - 1;
        let at: Vec<i64> = (0..axes).map(|axis| gather(cell >> axis, bits, axes) as i64).collect();
        let mut near = 0;
        for neighbour in 0..3usize.pow(axes as u32) {
            let mut index = 0;
            for (axis, &at) in at.iter().enumerate() {
                let shift = (neighbour / 3usize.pow(axis as u32) % 3) as i64 - 1;
                index |= spread((at + shift).clamp(0, most) as usize, bits, axes) << axis;
            }
            near |= 1 << self.owners[index];
        }
        near
    }

    /// The rank that owns a cell.
    pub fn owner(&self, cell: usize) -> usize {
        usize::from(self.owners[cell])
    }

    /// A bit for each rank that must know of the bodies of a cell.
    pub fn near(&self, cell: usize) -> u128 {
        self.near[cell]
    }
}

/// Puts the bits of a number so many places apart.
fn spread(number: usize, bits: usize, apart: usize) -> usize {
    (0..bits).map(|bit| (number >> bit & 1) << (bit * apart)).sum()
}

/// Takes every so-manieth bit of a number.
fn gather(number: usize, bits: usize, apart: usize) -> usize {
    (0..bits).map(|bit| (number >> (bit * apart) & 1) << bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3};

    #[test]
    fn powers_are_the_least_that_suffice() {
        for (value, wanted) in [(1.0, 0), (1.1, 1), (2.0, 1), (0.3, -1), (0.25, -2)] {
            assert_eq!(power(value), wanted, "{value}");
            assert!(two_to(wanted) >= value && two_to(wanted - 1) < value);
        }
    }

    #[test]
    fn what_is_within_reach_is_in_a_cell_beside() {
        let (low, high, reach) = (DVec3::new(-1.0, 0.0, 0.2), DVec3::new(2.0, 1.0, 0.3), 0.21);
        let mut cut = Cut::divide(low, high, reach);
        let bodies: Vec<u64> = (0..Cut::cells::<DVec3>() as u64).map(|cell| cell % 7).collect();
        cut.share::<DVec3>(&bodies, 5);
        for step in 0..400 {
            let along = f64::from(step) / 200.0 - 1.0;
            let at = low.lerp(high, 0.5 + 0.7 * along);
            for to in [DVec3::X, -DVec3::Y, DVec3::Z, DVec3::new(0.5, -0.6, 0.6)] {
                let owner = cut.owner(cut.cell(at + to * reach));
                assert!(cut.near(cut.cell(at)) >> owner & 1 == 1, "{at} {to}");
            }
        }
    }

    #[test]
    fn ranks_get_about_as_many_bodies() {
        let mut cut = Cut::divide(DVec2::ZERO, DVec2::new(63.0, 63.0), 0.5);
        let count = Cut::cells::<DVec2>();
        cut.share::<DVec2>(&vec![3; count], 8);
        for rank in 0..8 {
            let owned = (0..count).filter(|&cell| cut.owner(cell) == rank).count();
            assert!(owned.abs_diff(count / 8) <= 1, "{rank}: {owned}");
        }
    }
}
