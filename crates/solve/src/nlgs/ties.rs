//! Elastic ties among the contacts that sweeps take: their springs answer to impulses as movers do.

use crate::lanes::{self, LocalOf, Quads};
use crate::{Blocks, ContactProblem};

/// What the springs of elastic ties add to the square of a length.
pub(super) fn ties<S: Blocks>(
    quads: &Quads<S>,
    problem: &ContactProblem<S>,
    both: impl Fn(usize) -> (LocalOf<S>, LocalOf<S>),
) -> f64 {
    if problem.is_coulomb() {
        return 0.0;
    }
    let mut square = 0.0;
    for quad in quads.quads.iter().filter(|quad| quad.special != 0) {
        let (now, then) = both(quad.rows().start);
        for (lane, contact) in quad.specials(&problem.contacts) {
            let [now, then] = [now, then].map(|row| lanes::lane::<S>(&row, lane));
            square += problem.tie_work(contact, now, then);
        }
    }
    square
}
