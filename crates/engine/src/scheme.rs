//! How a step is made: Moreau's midpoint step, or the step of second order that grew from it.

use crate::{ContactForm, Setup};
use drystone_detect::Geometry;

/// How steps are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Moreau's midpoint step: of second order in free flight, of first order where contacts last on curved paths.
    #[default]
    Moreau,
    /// The same, but for contacts that last: they see how their normals and arms turn within the step (`lasting.rs`), and
    /// spinning bodies how torques and their own rotation act on each other (`pushed.rs`).
    SecondOrder,
}

/// What keeps a setup from being computed by the step of second order.
pub fn unfit_for_second_order<S: Geometry>(setup: &Setup<S>) -> Option<&'static str> {
    if setup.laws.has_percussions() {
        return Some("percussions of A-CD², which are laws of velocities before and after a step");
    }
    let touching = !setup.bodies.is_empty() || !setup.arrivals.is_empty();
    (setup.form == ContactForm::Velocity && touching).then_some(
        "the velocity form of contacts, which on curved paths loses them at every other midpoint",
    )
}
