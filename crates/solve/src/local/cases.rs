//! The exact cases for each number of components.
//!
//! - Plane: as in space, with a second tangential direction in which nothing moves.
//! - Space: Coulomb's law.
//! - Rolling resistance: in a module of its own.

use super::bracketed::Coulomb;
use super::{LocalSolution, OneContact};
use crate::assembled::Local;
use crate::solvers::Size;

/// The law of a contact, solved by its cases.
pub trait Cases<const D: usize> {
    /// Solves from the present velocity and impulse; `force` solves the normal and tangential part.
    fn by_cases(
        contact: &OneContact<D>,
        velocity: &Local<D>,
        impulse: &Local<D>,
        force: Force,
    ) -> LocalSolution<D>;
}

/// A way to solve the normal and tangential part from the present velocity and impulse.
pub type Force = fn(&Coulomb, &Local<3>, &Local<3>) -> LocalSolution<3>;

impl Cases<2> for Size<2> {
    #[inline(always)]
    fn by_cases(
        contact: &OneContact<2>,
        velocity: &Local<2>,
        impulse: &Local<2>,
        force: Force,
    ) -> LocalSolution<2> {
        let in_space = |x: &Local<2>| [x[0], x[1], 0.0];
        let answer = force(&contact.coulomb, &in_space(velocity), &in_space(impulse));
        let [n, t, _] = answer.impulse;
        let LocalSolution { settled, iterations, .. } = answer;
        LocalSolution { impulse: contact.cone.clip(&[n, t]), settled, iterations }
    }
}

impl Cases<3> for Size<3> {
    #[inline(always)]
    fn by_cases(
        contact: &OneContact<3>,
        velocity: &Local<3>,
        impulse: &Local<3>,
        force: Force,
    ) -> LocalSolution<3> {
        let answer = force(&contact.coulomb, velocity, impulse);
        LocalSolution { impulse: contact.cone.clip(&answer.impulse), ..answer }
    }
}
