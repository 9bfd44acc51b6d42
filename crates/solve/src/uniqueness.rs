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

use crate::{Blocks, ContactProblem};
use drystone_space::Local;
use faer::{Mat, Side};

/// Most unknowns for which it is computed: the matrix is dense.
const LARGEST: usize = 1200;

/// √(λ_max(W_tt)/λ_min(W)): friction coefficients below its inverse leave one solution of A-CD².
///
/// Infinite where contacts are more than W can tell apart; `None` for problems that are too large.
pub fn uniqueness_number<S: Blocks>(problem: &ContactProblem<S>) -> Option<f64> {
    let count = problem.contacts.len();
    let size = count * S::DIMENSION;
    if size == 0 || size > LARGEST {
        return None;
    }
    // Column by column, from unit impulses.
    let mut matrix = Mat::<f64>::zeros(size, size);
    let mut twists = vec![crate::Twist::ZERO; problem.movers.len()];
    for (column, contact) in problem.contacts.iter().enumerate() {
        for axis in 0..S::DIMENSION {
            twists.fill(crate::Twist::ZERO);
            contact.map.to_bodies(S::Local::axis(axis), &problem.movers, &mut twists);
            for (row, other) in problem.contacts.iter().enumerate() {
                let answer = other.map.to_contact(&twists);
                for part in 0..S::DIMENSION {
                    matrix[(part * count + row, axis * count + column)] = answer.get(part);
                }
            }
        }
    }
    // Normal parts come first, so that the tangential block is the last corner.
    let eigenvalues = |matrix: faer::MatRef<'_, f64>| matrix.self_adjoint_eigenvalues(Side::Lower);
    let all = eigenvalues(matrix.as_ref()).ok()?;
    let tangential =
        eigenvalues(matrix.submatrix(count, count, size - count, size - count)).ok()?;
    let (low, high) = (all[0], all[size - 1]);
    let most = tangential.last().copied().unwrap_or(0.0);
    Some(if low > 1e-12 * high { (most / low).sqrt() } else { f64::INFINITY })
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
