//! The step of second order against integration of high order in minimal coordinates, together with what else there is, and with laws of impact.

mod impacts;
mod plane;
mod space;
mod together;

use crate::support;
use crate::support::order;
use drystone_engine::{ContactForm, Dimension, Scheme, Setup, World};

/// Acceleration of gravity.
pub const G: f64 = 9.81;

/// An empty scene in the gap form, solved to rounding.
pub fn empty<S: Dimension>(gravity: S::Vector, friction: f64, scheme: Scheme, h: f64) -> Setup<S> {
    let mut setup = support::setup(gravity, friction);
    setup.solver.tolerance = 1e-11;
    setup.form = ContactForm::Gap { margin: 1e-3, recovery_speed: 0.05, recovery_share: 1.0 };
    Setup { time_step: h, scheme, ..setup }
}

/// Runs for a time; the books must close at every step. Returns by how much the energy has grown at most, and its change in the end.
pub fn run<S: Dimension>(world: &mut World<S>, time: f64) -> [f64; 2] {
    let start = energy(world);
    let mut grown = 0.0f64;
    let steps = (time / world.setup().time_step).round() as usize;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged, "t = {}: {report:?}", world.time());
        let closure = world.ledger().closure();
        assert!(closure < 1e-10, "{closure:e} at t = {}: {:?}", world.time(), world.ledger());
        grown = grown.max(energy(world) - start);
    }
    [grown, energy(world) - start]
}

/// Kinetic and potential energy.
pub fn energy<S: Dimension>(world: &World<S>) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

/// Orders of errors by h, h/2, h/4 of both schemes: Moreau's, and the second.
pub fn orders(h: f64, error: impl Fn(Scheme, f64) -> f64) -> [[f64; 2]; 2] {
    [Scheme::Moreau, Scheme::SecondOrder].map(|scheme| {
        let errors = [h, 0.5 * h, 0.25 * h].map(|h| error(scheme, h));
        println!("{scheme:?}: {:.3e} {:.3e} {:.3e}", errors[0], errors[1], errors[2]);
        [order([errors[0], errors[1]]), order([errors[1], errors[2]])]
    })
}
