//! When Coulomb friction in A-CD² leaves one solution only.
//!
//! With given bounds g on friction a collision minimises a convex function, and its velocities u are
//! unique; they follow the bounds by |Δu| ≤ √λ_max(W_tt) ‖Δg‖ in the kinetic norm. The percussions
//! follow the velocities by |Δu|² = ΔP·W ΔP ≥ λ_min(W) ‖ΔP‖². Coulomb's bounds are g = μP_n: where
//! μ √(λ_max(W_tt)/λ_min(W)) < 1, the map from bounds to normal percussions is a contraction, and
//! the solution exists and is unique.
//!
//! (28) of Dal Pont & Dimnet 2006 is a condition of the same kind, with constants M and M′ that the
//! paper does not define.

use crate::{Blocks, ContactProblem, Twist};
use drystone_space::Local;

/// Most unknowns for which it is computed: the matrix is dense.
const LARGEST: usize = 300;
/// Most rounds over the entries of a matrix; a few are enough.
const ROUNDS: usize = 30;

/// √(λ_max(W_tt)/λ_min(W)): friction coefficients below its inverse leave one solution of A-CD².
///
/// Infinite where contacts are more than W can tell apart; `None` without contacts, and for problems
/// that are too large.
pub fn uniqueness_number<S: Blocks>(problem: &ContactProblem<S>) -> Option<f64> {
    let count = problem.contacts.len();
    let size = count * S::DIMENSION;
    if size == 0 || size > LARGEST {
        return None;
    }
    // Column by column, from unit impulses; normal parts come first.
    let mut matrix = vec![vec![0.0; size]; size];
    let mut twists = vec![Twist::ZERO; problem.movers.len()];
    for (column, contact) in problem.contacts.iter().enumerate() {
        for axis in 0..S::DIMENSION {
            twists.fill(Twist::ZERO);
            contact.map.to_bodies(S::Local::axis(axis), &problem.movers, &mut twists);
            for (row, other) in problem.contacts.iter().enumerate() {
                let answer = other.map.to_contact(&twists);
                for part in 0..S::DIMENSION {
                    matrix[axis * count + column][part * count + row] = answer.get(part);
                }
            }
        }
    }
    let tangential = matrix[count..].iter().map(|row| row[count..].to_vec()).collect();
    let (_, most) = extreme_eigenvalues(tangential);
    let (low, high) = extreme_eigenvalues(matrix);
    Some(if low > 1e-12 * high { (most / low).sqrt() } else { f64::INFINITY })
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
    use crate::{Contact, ContactMap, GROUND, Law, Mover, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    fn rod(contacts: usize) -> ContactProblem<Plane> {
        let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 3.0 }];
        let arm = 0.5f64.sqrt();
        let map = ContactMap {
            first: 0,
            second: GROUND,
            frame: PlaneFrame::from_normal(DVec2::Y),
            arm_first: DVec2::new(-arm, -arm),
            arm_second: DVec2::ZERO,
        };
        let contact = Contact::new(map, Local2::default(), Law::Frictionless, &movers, 1.0);
        let (free, contacts) = (vec![Twist::ZERO; 1], vec![contact; contacts]);
        ContactProblem { movers, free, contacts, ..Default::default() }
    }

    /// A rod at 45°: W = [[5/2, ∓3/2], [∓3/2, 5/2]] has the eigenvalues 1 and 4.
    #[test]
    fn a_rod_and_a_rod_with_two_contacts_in_one_place() {
        let number = uniqueness_number(&rod(1)).unwrap();
        assert!((number - 2.5f64.sqrt()).abs() < 1e-12, "{number}");
        assert_eq!(uniqueness_number(&rod(2)), Some(f64::INFINITY));
        assert_eq!(uniqueness_number(&rod(0)), None);
    }
}
