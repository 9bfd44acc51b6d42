//! A periodic cell in pictures: its outline, and the images of bodies that reach over its faces.

use super::{Figure, ForceLine};
use crate::archive::Recorded;
use drystone_detect::{Extent, Geometry};
use drystone_engine::CellState;
use drystone_space::{Pose, Vector};

/// The edges of the cell.
pub(crate) fn outline<S: Recorded>(cell: &CellState<S>) -> Vec<[S::Vector; 2]> {
    let corner = |bits: usize| {
        let whole = S::Vector::from_fn(|i| f64::from(u8::from(bits >> i & 1 == 1)));
        cell.lattice.place(whole)
    };
    let corners = 0..1usize << S::DIMENSION;
    let edges =
        corners.flat_map(|from| (0..S::DIMENSION).map(move |axis| (from, from | 1 << axis)));
    edges.filter(|(from, to)| from != to).map(|(from, to)| [corner(from), corner(to)]).collect()
}

/// Images of figures that reach into the cell from outside, where their bodies reach out of it on the other side.
pub(super) fn ghosts<S: Recorded>(cell: &CellState<S>, figures: &[Figure<S>]) -> Vec<Figure<S>> {
    let lattice = &cell.lattice;
    let mut ghosts = Vec::new();
    for figure in figures {
        let Extent::Box(bounds) = S::extent(&figure.shape, &figure.pose) else { continue };
        let reach = 0.5 * bounds.size().norm();
        for image in 0..27 {
            let whole = S::Vector::from_fn(|i| match lattice.is_periodic(i) {
                true => f64::from(image / [1, 3, 9][i] % 3) - 1.0,
                false => 0.0,
            });
            // Each once: directions without images have one digit only.
            let digits = (0..3).all(|i| {
                let digit = image / [1, 3, 9][i] % 3;
                i < S::DIMENSION && lattice.is_periodic(i) || digit == 0
            });
            if !digits || whole == S::Vector::ZERO {
                continue;
            }
            let position = figure.pose.position + lattice.place(whole);
            let at = lattice.fractions(position);
            let near = (0..S::DIMENSION).filter(|&i| lattice.is_periodic(i)).all(|i| {
                let room = reach / lattice.width(i);
                at.get(i) > -room && at.get(i) < 1.0 + room
            });
            if near {
                ghosts.push(Figure { pose: Pose { position, ..figure.pose }, ..figure.clone() });
            }
        }
    }
    ghosts
}

/// Where a place stands beside another, of all its images.
pub(crate) fn beside<S: Geometry>(
    cell: Option<&CellState<S>>,
    place: S::Vector,
    other: S::Vector,
) -> S::Vector {
    cell.map_or(place, |cell| other + cell.lattice.nearest(place - other))
}

/// A line of force whose ends are those of one image.
pub(super) fn joined<S: Geometry>(cell: Option<&CellState<S>>, line: ForceLine<S>) -> ForceLine<S> {
    let point = beside(cell, line.point, line.first);
    ForceLine { point, second: beside(cell, line.second, point), ..line }
}
