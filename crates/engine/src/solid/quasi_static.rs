//! Solids without inertia: each step ends in equilibrium with the loads, imposed motions and contacts of its end.
//!
//! With M = 0 and θ = ξ = 1 the step of Feng et al. 2006, (20)–(23), is 0 = hF₁ + P with x₁ = x₀ + hv₁. In the gap form a
//! contact has hU_n + gap ≥ 0, so that gaps at the end are not negative, and friction resists the displacement of the
//! step: Coulomb's law step by step along the path of loads.

use crate::{ContactForm, Setup};
use drystone_detect::Geometry;

/// What keeps a setup from being computed without the inertia of its solids.
pub fn unfit_for_quasi_static<S: Geometry>(setup: &Setup<S>) -> Option<&'static str> {
    if !setup.bodies.is_empty() || !setup.arrivals.is_empty() {
        return Some("rigid bodies, which have inertia");
    }
    if setup.laws.has_percussions() {
        return Some("percussions, which need velocities before a step");
    }
    if setup.laws.all().any(|law| law.rebounds()) {
        return Some("restitution, which needs velocities before a step");
    }
    let free = setup.solids.iter().any(|solid| solid.imposed.is_empty());
    if free {
        return Some("a solid that nothing holds: no group of its nodes is `imposed`");
    }
    (setup.form == ContactForm::Velocity)
        .then_some("the velocity form of contacts, which lets gaps close beyond zero")
}
