//! Which rank owns which part of space, and which ranks are near a place.
//!
//! A rank owns cells that follow each other in Morton's order, with about as many bodies as another. No cell is narrower than
//! what two bodies can reach. Each is divided into finer ones, of which a body is in one: what that one is, and how far bodies
//! reach, says which ranks have to know of the body.

use crate::grid::Grid;
use drystone_space::Vector;

/// A division of space among ranks.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    grid: Grid,
    /// The longest reach that it was made for.
    reach: f64,
    /// Rank of each cell.
    owners: Vec<u32>,
}

/// A fine cell: its number along each axis, in 21 bits.
pub type Spot = u64;

/// Bits of a fine cell's number along one axis.
const BITS: u32 = 21;
/// Edges of fine cells are from an eighth to a quarter of the reach, where numbers suffice.
const FINE: i32 = 3;

impl Cut {
    /// Whether another one is to be made, for bodies between two corners that reach so far.
    pub fn is_outdated<V: Vector>(&self, low: V, high: V, reach: f64) -> bool {
        let same = || self.grid.is_like(&Grid::around(low, high, self.reach));
        self.is_empty() || reach > self.reach || !same()
    }

    /// Divides space anew; no cell has an owner yet.
    pub fn divide<V: Vector>(low: V, high: V, reach: f64) -> Self {
        Self { grid: Grid::around(low, high, reach), reach, owners: Vec::new() }
    }

    /// Whether space was not divided yet.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// The number of the cell that a place is in; outside of all, that of the nearest.
    pub fn cell<V: Vector>(&self, place: V) -> usize {
        self.grid.cell(place)
    }

    /// Shares the cells out among ranks, by how many bodies are in each.
    pub fn share(&mut self, bodies: &[u64], ranks: usize) {
        let all: u64 = bodies.iter().sum();
        let mut before = 0;
        self.owners = bodies
            .iter()
            .map(|&count| {
                // The rank that the middle one of its bodies falls to.
                let middle = before + count / 2;
                before += count;
                (middle * ranks as u64 / all.max(1)).min(ranks as u64 - 1) as u32
            })
            .collect();
    }

    /// By how many bits a fine cell's number along an axis is longer than that of its cell.
    fn shift<V: Vector>(&self, axis: usize) -> u32 {
        let finer = self.grid.power(axis) - (Grid::power_of(self.reach) - FINE);
        finer.clamp(0, (BITS - Grid::bits::<V>() as u32) as i32) as u32
    }

    /// The fine cell that a place is in; outside of all, the nearest.
    pub fn spot<V: Vector>(&self, place: V) -> Spot {
        (0..V::LENGTH).fold(0, |spot, axis| {
            let along = self.grid.along::<V>(axis, place.get(axis), self.shift::<V>(axis));
            spot | along << (BITS * axis as u32)
        })
    }

    /// The rank that owns what is there.
    pub fn owner<V: Vector>(&self, spot: Spot) -> usize {
        self.owners[self.cell_at::<V>(|axis| self.number(spot, axis) >> self.shift::<V>(axis))]
            as usize
    }

    /// The number of a spot along an axis.
    fn number(&self, spot: Spot, axis: usize) -> u64 {
        spot >> (BITS * axis as u32) & ((1 << BITS) - 1)
    }

    /// The cell with these numbers along the axes.
    fn cell_at<V: Vector>(&self, along: impl Fn(usize) -> u64) -> usize {
        Grid::numbered::<V>(|axis| along(axis) as usize)
    }

    /// The ranks that own what a body there can reach, rising; they take the place of what is in the list.
    pub fn near<V: Vector>(&self, spot: Spot, ranks: &mut Vec<u32>) {
        ranks.clear();
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for axis in 0..V::LENGTH {
            let (shift, along) = (self.shift::<V>(axis), self.number(spot, axis));
            let edge = Grid::edge(self.grid.power(axis) - shift as i32);
            let reach = (self.reach / edge).min(f64::from(1 << BITS)) as u64 + 1;
            low[axis] = along.saturating_sub(reach) >> shift;
            high[axis] = ((along + reach) >> shift).min((1 << Grid::bits::<V>()) - 1);
        }
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let owner = self.owners[self.cell_at::<V>(|axis| [x, y, z][axis])];
                    if ranks.last() != Some(&owner) {
                        ranks.push(owner);
                    }
                }
            }
        }
        ranks.sort_unstable();
        ranks.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3, Random};

    /// Two bodies that can touch: the rank of each knows of the other.
    #[test]
    fn who_is_within_reach_is_known() {
        let (low, high) = (DVec3::new(-1.0, 0.0, 0.2), DVec3::new(2.0, 1.0, 0.3));
        for reach in [0.21, 0.02, 1e-7] {
            let mut cut = Cut::divide(low, high, reach);
            let bodies: Vec<u64> =
                (0..Grid::cells::<DVec3>() as u64).map(|cell| cell % 7).collect();
            cut.share(&bodies, 200);
            let (mut random, mut near, mut most) = (Random::new(1, 0), Vec::new(), 0);
            for _ in 0..2000 {
                // By planes between cells, which are whole multiples of powers of two.
                let part = [(); 3].map(|()| 1.4 * random.unit() - 0.2);
                let at = ((low + (high - low) * DVec3::from_array(part)) * 64.0).round() / 64.0;
                let at = at + DVec3::from_array([(); 3].map(|()| random.unit() - 0.5)) * reach;
                let way = DVec3::from_array([(); 3].map(|()| random.unit() - 0.5));
                let to = at + way.normalize() * reach;
                cut.near::<DVec3>(cut.spot(at), &mut near);
                let owner = cut.owner::<DVec3>(cut.spot(to));
                assert!(near.contains(&(owner as u32)), "{at} {to}");
                assert_eq!(owner, cut.owners[cut.cell(to)] as usize);
                most = most.max(near.len());
            }
            assert!(most > 1);
        }
    }

    /// Who is farther from the other side than bodies reach is not.
    #[test]
    fn who_is_far_is_not_known() {
        let mut cut = Cut::divide(DVec2::ZERO, DVec2::new(63.0, 63.0), 0.25);
        // Cells of one, the lower half for the first rank.
        cut.share(&vec![1; Grid::cells::<DVec2>()], 2);
        let near = |y: f64| {
            let mut near = Vec::new();
            cut.near::<DVec2>(cut.spot(DVec2::new(20.3, y)), &mut near);
            near
        };
        assert_eq!([near(31.99), near(31.76), near(32.24)], [[0, 1]; 3]);
        assert_eq!([near(31.6), near(32.4)], [[0], [1]]);
    }

    #[test]
    fn ranks_get_about_as_many_bodies() {
        let mut cut = Cut::divide(DVec2::ZERO, DVec2::new(63.0, 63.0), 0.5);
        let count = Grid::cells::<DVec2>();
        cut.share(&vec![3; count], 8);
        for rank in 0..8 {
            let owned = (0..count).filter(|&cell| cut.owners[cell] == rank).count();
            assert!(owned.abs_diff(count / 8) <= 1, "{rank}: {owned}");
        }
    }
}
