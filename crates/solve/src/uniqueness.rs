//! When Coulomb friction in A-CD² leaves one solution only.
//!
//! With given bounds g on friction a collision minimises a convex function, and its velocities u are
//! unique; they follow the bounds by |Δu| ≤ √λ_max(W_tt) ‖Δg‖ in the kinetic norm. The percussions
//! follow the velocities by |Δu|² = ΔP·W ΔP ≥ λ_min(W) ‖ΔP‖². Coulomb's bounds are g = μP_n: where
//! μ √(λ_max(W_tt)/λ_min(W)) < 1, the map from bounds to normal percussions is a contraction, and
//! the solution exists and is unique.
//!
//! Contacts that share no mover directly or through others are collisions of their own, and each is
//! judged by itself; one without Coulomb's bound has an associated law, and one solution in any case.
//!
//! (28) of Dal Pont & Dimnet 2006 is a condition of the same kind, with constants M and M′ that the
//! paper does not define.

use crate::union_find::UnionFind;
use crate::{Blocks, ContactProblem, GROUND, Law, Special, Twist};
use drystone_space::{Local, Vector};

/// Most unknowns of a collision for which it is computed: the matrix is dense.
const LARGEST: usize = 90;
/// Most rounds over the entries of a matrix; a few are enough.
const ROUNDS: usize = 30;

/// What the bound says of the collisions of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Uniqueness {
    /// Collisions: groups of contacts that movers connect.
    pub collisions: usize,
    /// Those that are known to have one solution.
    pub unique: usize,
    /// Those of which nothing is known: contacts are more than W can tell apart, or too many.
    pub unknown: usize,
    /// The greatest μ √(λ_max(W_tt)/λ_min(W)) of all others.
    pub number: f64,
}

/// Evaluates the bound for each collision of A-CD² in a problem.
pub fn uniqueness<S: Blocks>(problem: &ContactProblem<S>) -> Uniqueness {
    let mut found = Uniqueness::default();
    for group in groups(problem) {
        let friction = group.iter().map(|&index| coulomb(problem, index)).fold(0.0, f64::max);
        let number = if friction > 0.0 { friction * ratio(problem, &group) } else { 0.0 };
        found.collisions += 1;
        found.unique += usize::from(number < 1.0);
        match number.is_finite() {
            true => found.number = found.number.max(number),
            false => found.unknown += 1,
        }
    }
    found
}

/// Coulomb's coefficient of a contact of A-CD²; 0 where its law is associated.
fn coulomb<S: Blocks>(problem: &ContactProblem<S>, index: usize) -> f64 {
    let special = problem.contacts[index].law.special(&problem.specials);
    let friction = special.and_then(Special::percussion).map(|p| p.friction);
    friction.filter(|friction| friction.is_finite()).unwrap_or(0.0)
}

/// Contacts of A-CD², grouped by the movers that connect them.
fn groups<S: Blocks>(problem: &ContactProblem<S>) -> Vec<Vec<usize>> {
    let mut connected = UnionFind::new(problem.movers.len());
    let collides = |index: &usize| match problem.contacts[*index].law {
        Law::Special(special) => problem.specials[special as usize].percussion().is_some(),
        _ => false,
    };
    let contacts = || (0..problem.contacts.len()).filter(collides);
    for index in contacts() {
        let map = &problem.contacts[index].map;
        if map.second != GROUND {
            connected.union(map.first, map.second);
        }
    }
    let mut group_of = vec![usize::MAX; problem.movers.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in contacts() {
        let leader = connected.find(problem.contacts[index].map.first) as usize;
        if group_of[leader] == usize::MAX {
            group_of[leader] = groups.len();
            groups.push(Vec::new());
        }
        groups[group_of[leader]].push(index);
    }
    groups
}

/// √(λ_max(W_tt)/λ_min(W)) of a group of contacts.
fn ratio<S: Blocks>(problem: &ContactProblem<S>, group: &[usize]) -> f64 {
    let (count, size) = (group.len(), group.len() * S::DIMENSION);
    let sides = group.iter().map(|&index| &problem.contacts[index].map);
    let mut movers: Vec<u32> = sides.flat_map(|map| [map.first, map.second]).collect();
    movers.sort_unstable();
    movers.dedup();
    movers.retain(|&mover| mover != GROUND);
    // With more unknowns than freedoms W has no inverse.
    if size > LARGEST || size > movers.len() * (S::Vector::LENGTH + S::Spin::LENGTH) {
        return f64::INFINITY;
    }
    // Column by column, from unit impulses; normal parts come first.
    let mut matrix = vec![vec![0.0; size]; size];
    let mut twists = vec![Twist::ZERO; problem.movers.len()];
    for (column, &contact) in group.iter().enumerate() {
        for axis in 0..S::DIMENSION {
            let map = &problem.contacts[contact].map;
            map.to_bodies(S::Local::axis(axis), &problem.movers, &mut twists);
            for (row, &other) in group.iter().enumerate() {
                let answer = problem.contacts[other].map.to_contact(&twists);
                for part in 0..S::DIMENSION {
                    matrix[axis * count + column][part * count + row] = answer.get(part);
                }
            }
            for mover in [map.first, map.second].into_iter().filter(|&mover| mover != GROUND) {
                twists[mover as usize] = Twist::ZERO;
            }
        }
    }
    let tangential = matrix[count..].iter().map(|row| row[count..].to_vec()).collect();
    let (_, tangential_high) = extreme_eigenvalues(tangential);
    let (low, high) = extreme_eigenvalues(matrix);
    if low > 1e-12 * high { (tangential_high / low).sqrt() } else { f64::INFINITY }
}

/// Smallest and largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
fn extreme_eigenvalues(mut matrix: Vec<Vec<f64>>) -> (f64, f64) {
    let size = matrix.len();
    for _ in 0..ROUNDS {
        let mut largest = 0.0f64;
        for p in 0..size {
            for q in p + 1..size {
                let off = matrix[p][q];
                if off.abs() <= 1e-16 * (matrix[p][p].abs() + matrix[q][q].abs()) {
                    continue;
                }
                largest = largest.max(off.abs());
                // tan of the angle that makes this entry zero, the smaller of two.
                let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
                let t = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let turn = |a: f64, b: f64| (c * (a - t * b), c * (t * a + b));
                for row in &mut matrix {
                    (row[p], row[q]) = turn(row[p], row[q]);
                }
                for k in 0..size {
                    (matrix[p][k], matrix[q][k]) = turn(matrix[p][k], matrix[q][k]);
                }
            }
        }
        if largest == 0.0 {
            break;
        }
    }
    let diagonal = (0..size).map(|i| matrix[i][i]);
    (diagonal.clone().fold(f64::INFINITY, f64::min), diagonal.fold(f64::NEG_INFINITY, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contact, ContactMap, Mover, Percussion};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// Rods of mass 1 and length 2 at 45°, each with contacts of its own in one place on the ground.
    fn rods(contacts: &[usize], friction: f64) -> ContactProblem<Plane> {
        let mut problem = ContactProblem::<Plane> {
            movers: vec![Mover { inverse_mass: 1.0, inverse_inertia: 3.0 }; contacts.len()],
            free: vec![Twist::ZERO; contacts.len()],
            ..Default::default()
        };
        let arm = 0.5f64.sqrt();
        for (first, &count) in contacts.iter().enumerate() {
            for _ in 0..count {
                let map = ContactMap {
                    first: first as u32,
                    second: GROUND,
                    frame: PlaneFrame::from_normal(DVec2::Y),
                    arm_first: DVec2::new(-arm, -arm),
                    arm_second: DVec2::ZERO,
                };
                let law = Law::Special(problem.specials.len() as u32);
                let percussion = Percussion::quadratic(Local2::default(), 1.0, 1.0);
                problem.specials.push(Special::Percussion(Percussion { friction, ..percussion }));
                let contact = Contact::new(map, Local2::default(), law, &problem.movers, 1.0);
                problem.contacts.push(contact);
            }
        }
        problem
    }

    /// W = [[5/2, ∓3/2], [∓3/2, 5/2]] has the eigenvalues 1 and 4.
    #[test]
    fn rods_are_judged_one_by_one() {
        let two = uniqueness(&rods(&[1, 1], 0.3));
        assert!((two.number - 0.3 * 2.5f64.sqrt()).abs() < 1e-12, "{two:?}");
        assert_eq!((two.collisions, two.unique), (2, 2));
        // Two contacts in one place: W cannot tell them apart.
        let doubled = uniqueness(&rods(&[1, 2], 0.3));
        assert_eq!((doubled.collisions, doubled.unique, doubled.unknown), (2, 1, 1));
        assert_eq!(doubled.number, two.number);
        assert_eq!(uniqueness(&rods(&[1], 0.7)).unique, 0);
        // Without Coulomb's bound there is one solution, whatever the contacts.
        let associated = uniqueness(&rods(&[1, 2], f64::INFINITY));
        assert_eq!(associated, Uniqueness { collisions: 2, unique: 2, ..Default::default() });
        assert_eq!(uniqueness(&rods(&[0], 0.3)), Uniqueness::default());
    }
}
