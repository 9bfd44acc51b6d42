//! What a cell cannot be had with.

use super::{Cell, CellDrive};
use crate::{Boundary, ContactForm, Dimension, Drive, Owner, Scheme, Setup, SetupError};
use drystone_detect::Extent;
use drystone_space::{Pose, Vector};

/// A cell must be so many times as wide as the farthest that two bodies can touch: then one image of each can.
const LEAST_WIDTH: f64 = 2.0;

/// A cell of these bodies must be wider than this in each direction.
pub fn least_cell_width<S: Dimension>(setup: &Setup<S>) -> f64 {
    LEAST_WIDTH * touching_distance(setup)
}

/// What a setup has that cannot be computed in a periodic cell.
pub fn unfit_for_cells<S: Dimension>(setup: &Setup<S>) -> Option<&'static str> {
    let cell = setup.cell.as_ref()?;
    let free = cell.all_drives().any(|(_, drive)| matches!(drive, CellDrive::Stress(_)));
    let moves = cell.moves();
    let all = (0..S::DIMENSION).all(|i| cell.lattice.is_periodic(i));
    let up = cell.lattice.is_periodic(S::DIMENSION - 1);
    let to_ground = setup
        .springs
        .iter()
        .flat_map(|spring| &spring.ends)
        .any(|end| !matches!(end.owner, Some(Owner::Body(_))));
    let laid = setup.arrivals.iter().any(|arrival| !arrival.places.is_empty());
    let found = [
        (!setup.solids.is_empty(), "deformable solids"),
        (moves && !setup.joints.is_empty(), "joints where the vectors of the cell change"),
        (
            moves && to_ground,
            "springs to the ground or a boundary where the vectors of the cell change",
        ),
        (up && laid, "bodies that enter on top of others where that direction has no end"),
        (moves && setup.sleep.is_some(), "bodies at rest where the vectors of the cell change"),
        (setup.scheme == Scheme::SecondOrder, "the step of second order"),
        (setup.laws.has_impacts(), "laws of impact in impulse space"),
        (setup.laws.has_percussions(), "percussions of A-CD²"),
        (setup.laws.has_springs(), "contact springs"),
        (free && !setup.laws.is_plain(), "an asked stress and laws other than Coulomb's"),
        (all && setup.gravity != S::Vector::ZERO, "gravity where no direction has an end"),
        (moves && setup.gravity != S::Vector::ZERO, "gravity in a cell whose vectors change"),
    ];
    found.into_iter().find_map(|(is_there, what)| is_there.then_some(what))
}

/// Whether a world can be made with the setup's cell.
pub(crate) fn check_cell<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    let Some(cell) = &setup.cell else { return Ok(()) };
    let refuse = |why: String| Err(SetupError::Cell { why });
    if let Some(beside) = unfit_for_cells(setup) {
        return refuse(format!("cannot be computed with {beside}"));
    }
    if !(cell.inertia > 0.0 && cell.inertia.is_finite()) {
        return refuse(format!("its inertia is {}, must be positive and finite", cell.inertia));
    }
    let wide = cell.lattice.reduced().least_width();
    let needed = least_cell_width(setup);
    if wide <= needed {
        return refuse(format!(
            "{wide} wide, must be wider than two bodies beside each other, {needed}"
        ));
    }
    let held = |drive: &CellDrive| *drive == CellDrive::HELD;
    for ((i, j), drive) in cell.all_drives() {
        let out = i >= S::DIMENSION || j >= S::DIMENSION;
        if (out || !cell.lattice.is_periodic(j)) && !held(drive) {
            return refuse("a component along a direction that is not periodic".to_owned());
        }
    }
    for boundary in &setup.boundaries {
        if let Some(why) = unfit_boundary(cell, boundary) {
            return refuse(format!("boundary `{}` {why}", boundary.name));
        }
    }
    let across = |i: usize, j: usize| !(cell.lattice.is_periodic(i) && cell.lattice.is_periodic(j));
    let tilts = cell.all_drives().any(|((i, j), drive)| across(i, j) && !held(drive));
    if tilts && !setup.boundaries.is_empty() {
        return refuse(
            "beside boundaries its vectors change within the periodic directions".to_owned(),
        );
    }
    Ok(())
}

/// What keeps a boundary out of a cell.
pub fn unfit_boundary<S: Dimension>(
    cell: &Cell<S>,
    boundary: &Boundary<S>,
) -> Option<&'static str> {
    let turns = match &boundary.drive {
        Drive::Slider(slider) => slider.axis() != S::Spin::ZERO,
        _ => false,
    };
    if turns {
        return Some("turns");
    }
    boundary.parts.iter().find_map(|part| {
        let pose = part.pose_in(&boundary.pose);
        let Extent::Half { normal, .. } = S::extent(&part.shape, &pose) else {
            return cell.moves().then_some("is not flat, in a cell whose vectors change");
        };
        let cuts = (0..S::DIMENSION).filter(|&i| cell.lattice.is_periodic(i)).any(|i| {
            let along = cell.lattice.vectors().column(i);
            normal.dot(along).abs() > 1e-9 * along.norm()
        });
        cuts.then_some("cuts a periodic direction")
    })
}

/// The farthest from each other that centres of bodies can be whose shapes are watched.
fn touching_distance<S: Dimension>(setup: &Setup<S>) -> f64 {
    let margin = match setup.form {
        ContactForm::Velocity => 0.0,
        ContactForm::Gap { margin, .. } => margin,
    };
    let bodies = setup.bodies.iter().chain(setup.arrivals.iter().map(|arrival| &arrival.body));
    let bodies = bodies.map(|body| {
        let parts = body
            .parts
            .iter()
            .map(|part| part.pose().position.norm() + radius_around::<S>(&part.shape));
        2.0 * parts.fold(0.0, f64::max)
    });
    let boundaries = setup.boundaries.iter().flat_map(|boundary| &boundary.parts);
    let boundaries = boundaries.map(|part| match radius_around::<S>(&part.shape) {
        radius if radius.is_finite() => 2.0 * radius,
        _ => 0.0,
    });
    bodies.chain(boundaries).fold(0.0, f64::max) + margin.max(setup.laws.range())
}

/// How far any point of a shape is from its own origin, however it is turned.
pub(crate) fn radius_around<S: Dimension>(shape: &S::Shape) -> f64 {
    match (S::radius(shape), S::extent(shape, &Pose::IDENTITY)) {
        (Some(radius), _) => radius,
        (None, Extent::Box(bounds)) => (-bounds.low).highest(bounds.high).norm(),
        (None, Extent::Half { .. }) => f64::INFINITY,
    }
}
