//! From the matrix-free form to the assembled one.

use super::local::Square;
use super::{AnyAssembled, Assembled, BlockMatrix, Cone};
use crate::{Blocks, ContactProblem, GROUND, SmallGroups, Solution, Twist};
use drystone_space::{Local as _, Plane, Volume};

/// A space whose contact problems can be assembled.
pub trait Gather: Blocks {
    /// W, q and the cones of a matrix-free problem whose laws are all Coulomb's
    /// ([`ContactProblem::is_coulomb`]): cones have no place for special laws.
    fn gather(problem: &ContactProblem<Self>) -> AnyAssembled;

    /// Solves small groups of contacts, each at once; see [`SmallGroups`]. Returns the most steps that one
    /// of them took.
    fn settle(
        groups: &mut SmallGroups<Self>,
        problem: &ContactProblem<Self>,
        solution: &mut Solution<Self>,
        tolerance: f64,
    ) -> usize;
}

macro_rules! gather {
    ($space:ident, $size:literal) => {
        impl Gather for $space {
            fn gather(problem: &ContactProblem<Self>) -> AnyAssembled {
                AnyAssembled::$space(assemble::<_, $size>(problem))
            }

            fn settle(
                groups: &mut SmallGroups<Self>,
                problem: &ContactProblem<Self>,
                solution: &mut Solution<Self>,
                tolerance: f64,
            ) -> usize {
                groups.settle::<$size>(problem, solution, tolerance)
            }
        }
    };
}

gather!(Plane, 2);
gather!(Volume, 3);

fn assemble<S: Blocks, const D: usize>(problem: &ContactProblem<S>) -> Assembled<D> {
    let contacts = &problem.contacts;
    // The contacts of each mover, in rising order.
    let mut of_mover = vec![Vec::new(); problem.movers.len()];
    for (index, contact) in contacts.iter().enumerate() {
        for mover in [contact.map.first, contact.map.second] {
            if mover != GROUND {
                of_mover[mover as usize].push(index as u32);
            }
        }
    }
    let sides = |index: usize| {
        let map = &contacts[index].map;
        [map.first, map.second].into_iter().filter(|&mover| mover != GROUND)
    };
    let pattern: Vec<Vec<u32>> = (0..contacts.len())
        .map(|index| {
            let near = sides(index).flat_map(|mover| of_mover[mover as usize].iter().copied());
            let mut near: Vec<u32> = near.collect();
            near.sort_unstable();
            near.dedup();
            near
        })
        .collect();
    let mut delassus = BlockMatrix::from_pattern(&pattern);
    let mut twists = vec![Twist::ZERO; problem.movers.len()];
    let mut place = 0;
    // Row by row: W is symmetric, so the answer of the row's neighbours to its unit impulses is
    // the row itself, transposed.
    for (index, near) in pattern.iter().enumerate() {
        let blocks: &mut [Square<D>] = &mut delassus.blocks[place..place + near.len()];
        for axis in 0..D {
            contacts[index].map.to_bodies(S::Local::axis(axis), &problem.movers, &mut twists);
            for (block, &other) in blocks.iter_mut().zip(near) {
                block[axis] = contacts[other as usize].map.to_contact(&twists).to_array();
            }
            for mover in sides(index) {
                twists[mover as usize] = Twist::ZERO;
            }
        }
        place += near.len();
    }
    let free = |contact: &crate::Contact<S>| {
        (contact.offset + contact.map.to_contact(&problem.free)).to_array()
    };
    Assembled {
        delassus,
        free: contacts.iter().map(free).collect(),
        cones: contacts.iter().map(|contact| Cone::coulomb(contact.law.friction())).collect(),
    }
}
