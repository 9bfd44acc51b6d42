//! How far impulses are from a solution, by one step of Newton's method.
//!
//! ε = ‖u − u*‖ / ‖u_free − u‖ in the kinetic metric, u* being the exact velocities: the share of what contacts have to
//! do that is still undone. Velocities differ by what impulses push, and ‖u − u*‖² = (r − r*)ᵀ W (r − r*), so that W alone
//! tells ε, without masses: ε² = (r − r*)ᵀ W (r − r*) / rᵀ W r. Where r* is not unique, it is the one that Newton's method
//! is drawn to.
//!
//! The step goes from a point of a path at the impulses, z ∘ w = γ, to γ = 0. Each contact has a γ of its own: contacts that
//! press are told from those that are open as sharply as their own errors allow, as for steps of bodies
//! (`direct/interior.rs`).

use super::super::Limits;
use super::super::scaled::OnScaled;
use super::pair::{Point, centred};
use super::{Direction, Interior};
use crate::Residual;
use crate::assembled::local::{add, add_scaled, dot, subtract};
use crate::assembled::{Assembled, Local};

/// √γ of a contact in units of its own error, and at least as a share of the typical impulse.
const BLUR: f64 = 0.1;
const FINEST: f64 = 1e-12;
/// Largest stiffness of a contact in scaled unknowns, in which W is about one.
const STIFFEST: f64 = 1e13;
/// ε² below this is rounding.
const ROUNDING: f64 = 1e-14;
/// Multiplications above which a factorisation is too dear for an estimate: some seconds.
const TOO_DEAR: f64 = 1e10;

/// Estimate of ε at these impulses. None where one factorisation would be too dear or cannot end in time, and where it
/// does not tell.
///
/// # Panics
/// If the impulses are not one per contact.
pub fn step_error<const D: usize>(
    problem: &Assembled<D>,
    impulses: &[Local<D>],
    limits: &Limits,
) -> Option<f64> {
    assert_eq!(impulses.len(), problem.contacts(), "one impulse per contact");
    let residual = Residual::of_impulses(problem, impulses);
    if residual.worst() == 0.0 {
        // Every law is met: there is nothing to be far from.
        return Some(0.0);
    }
    if !limits.has_time_for_analysis(&problem.delassus) {
        return None;
    }
    let mut interior = Interior::default();
    interior.begin(problem, impulses, residual, limits);
    let price =
        interior.analyse().then(|| interior.system.as_ref().map(|s| s.price())).flatten()?;
    let affordable = price.factor <= TOO_DEAR && limits.has_time_for_factors(price);
    affordable.then(|| interior.error_at(impulses)).flatten()
}

impl<const D: usize> Interior<D> {
    fn error_at(&mut self, given: &[Local<D>]) -> Option<f64> {
        let mut judged = Vec::new();
        self.scaled.scale(given, &mut judged);
        self.impulses.clone_from(&judged);
        let typical = super::mean_size(&judged);
        self.start_near(|z, apart| own_gap(z, apart, FINEST * typical));
        let problem = &self.scaled.problem;
        problem.velocities(&self.impulses, &mut self.velocities);
        let mut system = self.system.take()?;
        self.linearise(&mut system)?;
        self.targets.clear();
        self.targets.extend(self.scalings.iter().map(|s| s.balance.map(|x| -x)));
        let mut way = Direction::default();
        self.solve(&mut system, &mut way);
        let seen = self.impulses.iter().zip(&way.impulses).map(|(r, change)| add(r, change));
        let missing: Vec<Local<D>> =
            seen.zip(&judged).map(|(seen, r)| subtract(&seen, r)).collect();
        let square = self.energy(&missing) / self.energy(&judged);
        // A recorded W may be indefinite: then there is no metric, and what it would tell is no error.
        let tells = square.is_finite() && square > -ROUNDING;
        tells.then(|| square.max(0.0).sqrt())
    }

    /// rᵀ W r.
    fn energy(&self, r: &[Local<D>]) -> f64 {
        let delassus = &self.scaled.problem.delassus;
        let row = |(contact, r_c): (usize, &Local<D>)| {
            dot(r_c, &delassus.row_multiply_add(contact, r, [0.0; D]))
        };
        r.iter().enumerate().map(row).sum()
    }
}

/// γ of a contact with impulse z and z − w = `apart`.
fn own_gap(z: &Point, apart: &Point, finest: f64) -> f64 {
    let error = add_scaled(z, -1.0, &centred(apart, finest * finest).0);
    let error = BLUR * dot(&error, &error).sqrt();
    let blur = error.max((dot(apart, apart) / STIFFEST).sqrt()).max(finest);
    blur * blur
}
