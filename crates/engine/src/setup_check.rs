//! Whether a setup has the numbers that a step relies on.

use crate::rest::unfit_for_rest;
use crate::{Dimension, Drive, Owner, Setup, SetupError};
use drystone_space::Vector;

/// The numbers that a step relies on.
pub(crate) fn check<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    let positive = |what: &str, value: f64| {
        let good = value > 0.0 && value.is_finite();
        if good { Ok(()) } else { Err(SetupError::NotPositive { what: what.to_owned(), value }) }
    };
    let within = |what: &str, index: usize, count: usize| {
        let good = index < count;
        if good { Ok(()) } else { Err(SetupError::NoSuch { what: what.to_owned(), index, count }) }
    };
    positive("time step", setup.time_step)?;
    positive("solver tolerance", setup.solver.tolerance)?;
    for phase in &setup.phases {
        positive(&format!("solver tolerance of phase `{}`", phase.name), phase.tolerance)?;
        for &boundary in phase.remove.iter().chain(&phase.start) {
            within("a phase", boundary, setup.boundaries.len())?;
        }
    }
    positive("relaxation", setup.solver.relaxation)?;
    if let Some(rest) = &setup.rest {
        positive("number of steps of rest", f64::from(rest.steps))?;
        if let Some(beside) = unfit_for_rest(setup) {
            return Err(SetupError::NoRest { beside });
        }
    }
    let arrivals = setup.arrivals.iter().map(|arrival| &arrival.body);
    for body in setup.bodies.iter().chain(arrivals) {
        positive(&format!("mass of body `{}`", body.name()), body.mass)?;
        for axis in 0..S::Spin::LENGTH {
            positive(&format!("inertia of body `{}`", body.name()), body.moments.get(axis))?;
        }
    }
    for boundary in &setup.boundaries {
        if let Drive::Slider(slider) = &boundary.drive {
            positive(&format!("mass of boundary `{}`", boundary.name), slider.mass)?;
        }
    }
    for load in &setup.loads {
        within("a load", load.body, setup.bodies.len())?;
    }
    for drag in &setup.drags {
        within("a drag", drag.body, setup.bodies.len())?;
    }
    for anchor in setup.springs.iter().flat_map(|spring| &spring.ends) {
        within("a spring", anchor.body.unwrap_or(0), setup.bodies.len())?;
    }
    for force in &setup.initial_forces {
        for owner in [force.on, force.by] {
            match owner {
                Owner::Body(index) => {
                    within("an initial force", index as usize, setup.bodies.len())?
                }
                Owner::Boundary(index) => {
                    within("an initial force", index as usize, setup.boundaries.len())?
                }
            }
        }
    }
    Ok(())
}
