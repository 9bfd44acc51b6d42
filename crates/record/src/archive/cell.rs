//! The periodic cell, in frames and checkpoints. Where there is none, none of these arrays is written.

use super::columns::{Columns, flags, vectors};
use super::{Arrays, Npz, Recorded};
use drystone_engine::CellState;
use drystone_space::{Lattice, Matrix, Vector};

pub(super) fn encode<S: Recorded>(cell: Option<&CellState<S>>, arrays: &mut dyn Arrays) {
    let Some(cell) = cell else { return };
    let rows = |matrix: &Matrix<S>| vectors((0..S::DIMENSION).map(|i| matrix.row(i)));
    let lattice = &cell.lattice;
    arrays.push("cell_vectors", vectors((0..S::DIMENSION).map(|j| lattice.vectors().column(j))));
    arrays.push("cell_periodic", flags((0..S::DIMENSION).map(|i| lattice.is_periodic(i))));
    arrays.push("cell_gradient", rows(&cell.gradient));
    arrays.push("cell_strain", rows(&cell.strain));
    arrays.push("cell_contact_stress", rows(&cell.contact_stress));
    arrays.push("cell_kinetic_stress", rows(&cell.kinetic_stress));
    arrays.push("cell_excess_stress", rows(&cell.excess_stress));
}

/// The same read back.
pub(super) fn decode<S: Recorded>(npz: &Npz) -> Result<Option<CellState<S>>, String> {
    if npz.get("cell_vectors").is_none() {
        return Ok(None);
    }
    let columns = Columns(npz);
    let matrix = |name: &str| {
        let rows = columns.vectors::<S::Vector>(name)?;
        match rows.len() == S::DIMENSION {
            true => Ok(Matrix::<S>::from_fn(|i, j| rows[i].get(j))),
            false => Err(format!("array `{name}` has {} rows, not {}", rows.len(), S::DIMENSION)),
        }
    };
    let transposed = matrix("cell_vectors")?;
    let flags = columns.bytes("cell_periodic")?;
    // As a setup's, where all three are set in the plane.
    let periodic = [0, 1, 2].map(|i| flags.get(i).is_none_or(|&flag| flag != 0));
    let lattice = Lattice::new(Matrix::from_fn(|i, j| transposed.get(j, i)), periodic);
    Ok(Some(CellState {
        lattice: lattice.ok_or("`cell_vectors` enclose nothing")?,
        gradient: matrix("cell_gradient")?,
        strain: matrix("cell_strain")?,
        contact_stress: matrix("cell_contact_stress")?,
        kinetic_stress: matrix("cell_kinetic_stress")?,
        excess_stress: matrix("cell_excess_stress")?,
    }))
}
