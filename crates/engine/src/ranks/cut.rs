//! Which rank owns which part of space.
//!
//! A rank owns cells that follow each other in Morton's order, with about as many bodies as another. No cell is narrower than
//! what two bodies can reach: all that a body may touch is in its own cell or in one beside it.

use crate::grid::Grid;
use drystone_space::Vector;

/// Most ranks: a bit for each.
pub const MOST: usize = 128;

/// A division of space among ranks.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    grid: Grid,
    /// The longest reach that it was made for.
    reach: f64,
    /// Rank of each cell.
    owners: Vec<u8>,
    /// A bit for each rank that owns the cell, or one beside it.
    near: Vec<u128>,
}

impl Cut {
    /// Whether another one is to be made, for bodies between two corners that reach so far.
    pub fn is_outdated<V: Vector>(&self, low: V, high: V, reach: f64) -> bool {
        let same = || self.grid.is_like(&Grid::around(low, high, self.reach));
        self.is_empty() || reach > self.reach || !same()
    }

    /// Divides space anew; no cell has an owner yet.
    pub fn divide<V: Vector>(low: V, high: V, reach: f64) -> Self {
        let grid = Grid::around(low, high, reach);
        Self { grid, reach, owners: Vec::new(), near: Vec::new() }
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
        let near = |cell| {
            let cells = Grid::around_cell::<V>(cell);
            cells.fold(0, |near, cell| near | 1 << self.owners[cell])
        };
        self.near = (0..bodies.len()).map(near).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3};

    #[test]
    fn what_is_within_reach_is_in_a_cell_beside() {
        let (low, high, reach) = (DVec3::new(-1.0, 0.0, 0.2), DVec3::new(2.0, 1.0, 0.3), 0.21);
        let mut cut = Cut::divide(low, high, reach);
        let bodies: Vec<u64> = (0..Grid::cells::<DVec3>() as u64).map(|cell| cell % 7).collect();
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
        let count = Grid::cells::<DVec2>();
        cut.share::<DVec2>(&vec![3; count], 8);
        for rank in 0..8 {
            let owned = (0..count).filter(|&cell| cut.owner(cell) == rank).count();
            assert!(owned.abs_diff(count / 8) <= 1, "{rank}: {owned}");
        }
    }
}
