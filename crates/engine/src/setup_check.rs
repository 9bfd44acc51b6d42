//! Whether a setup has the numbers that a step relies on.

use crate::bond::unfit_for_bonds;
use crate::cell::check_cell;
use crate::joint::check_joints;
use crate::scheme::{Scheme, unfit_for_second_order};
use crate::sleep::unfit_for_sleep;
use crate::solid::unfit_for_quasi_static;
use crate::strike::{unfit_beside_impact, unfit_for_impacts};
use crate::{Dimension, Drive, Owner, Setup, SetupError};
use drystone_space::Vector;

/// Whether a world can be made of a setup.
pub(crate) fn check<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    check_settings(setup)?;
    check_masses(setup)?;
    check_indices(setup)?;
    check_cell(setup)?;
    check_joints(setup)
}

fn positive(what: &str, value: f64) -> Result<(), SetupError> {
    let good = value > 0.0 && value.is_finite();
    if good { Ok(()) } else { Err(SetupError::NotPositive { what: what.to_owned(), value }) }
}

fn check_settings<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    positive("time step", setup.time_step)?;
    positive("solver tolerance", setup.solver.tolerance)?;
    for phase in &setup.phases {
        positive(&format!("solver tolerance of phase `{}`", phase.name), phase.tolerance)?;
    }
    positive("relaxation", setup.solver.relaxation)?;
    if setup.scheme == Scheme::SecondOrder
        && let Some(beside) = unfit_for_second_order(setup)
    {
        return Err(SetupError::NoSecondOrder { beside });
    }
    if setup.solid_settings.scheme.quasi_static
        && let Some(beside) = unfit_for_quasi_static(setup)
    {
        return Err(SetupError::NoQuasiStatic { beside });
    }
    if let Some(beside) = unfit_for_bonds(setup) {
        return Err(SetupError::NoBonds { beside });
    }
    let unfit = setup.laws.all().find_map(unfit_beside_impact);
    if let Some(beside) = unfit.or_else(|| unfit_for_impacts(setup)) {
        return Err(SetupError::NoImpact { beside });
    }
    if let Some(sleep) = &setup.sleep {
        positive("number of steps of rest", f64::from(sleep.steps))?;
        if let Some(beside) = unfit_for_sleep(setup) {
            return Err(SetupError::NoSleep { beside });
        }
    }
    Ok(())
}

fn check_masses<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    let arrivals = setup.arrivals.iter().map(|arrival| &arrival.body);
    for body in setup.bodies.iter().chain(arrivals) {
        positive(&format!("mass of body `{}`", body.name()), body.mass)?;
        for axis in 0..S::Spin::LENGTH {
            positive(&format!("inertia of body `{}`", body.name()), body.moments.get(axis))?;
        }
    }
    let first = setup.boundaries.iter().map(|boundary| (boundary.name.as_str(), &boundary.drive));
    let later = setup.switches.iter().map(|switch| {
        let boundary = setup.boundaries.get(switch.boundary);
        (boundary.map_or("", |boundary| boundary.name.as_str()), &switch.drive)
    });
    for (name, drive) in first.chain(later) {
        if let Drive::Slider(slider) = drive {
            positive(&format!("mass of boundary `{name}`"), slider.mass)?;
        }
    }
    Ok(())
}

/// Whether all bodies and boundaries exist that others name.
fn check_indices<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    let (bodies, boundaries) = (setup.bodies.len(), setup.boundaries.len());
    let within = |what: &str, index: usize, count: usize| {
        let good = index < count;
        if good { Ok(()) } else { Err(SetupError::NoSuch { what: what.to_owned(), index, count }) }
    };
    for load in &setup.loads {
        within("a load", load.body, bodies)?;
    }
    for drag in &setup.drags {
        within("a drag", drag.body, bodies)?;
    }
    for (number, spring) in setup.springs.iter().enumerate() {
        for owner in spring.ends.iter().filter_map(|end| end.owner) {
            match owner {
                Owner::Body(index) => within("a spring", index as usize, bodies)?,
                Owner::Boundary(index) => within("a spring", index as usize, boundaries)?,
            }
            crate::joint::check_owner(setup, Some(owner))
                .map_err(|why| SetupError::Spring { number: number + 1, why })?;
        }
    }
    for owner in setup.initial_forces.iter().flat_map(|force| [force.on, force.by]) {
        match owner {
            Owner::Body(index) => within("an initial force", index as usize, bodies)?,
            Owner::Boundary(index) => within("an initial force", index as usize, boundaries)?,
        }
    }
    for switch in &setup.switches {
        within("a switch", switch.boundary, boundaries)?;
        within("a switch", switch.phase, setup.phases.len())?;
    }
    let first = setup.boundaries.iter().map(|boundary| &boundary.drive);
    for drive in first.chain(setup.switches.iter().map(|switch| &switch.drive)) {
        let Drive::Slider(slider) = drive else { continue };
        for &index in slider.edges.iter().flat_map(|edge| &edge.between) {
            within("an area", index, boundaries)?;
        }
    }
    for &index in setup.phases.iter().flat_map(|phase| phase.remove.iter().chain(&phase.start)) {
        within("a phase", index, boundaries)?;
    }
    Ok(())
}
