//! Periodic cells: what is asked of one, and what may stand in it.
//!
//! The cell's vectors are the columns of H, and L = Ḣ H⁻¹ is its velocity gradient. A body's velocity u is *peculiar*: what it has
//! beside the flow of the cell, ẋ = u + L x. Then a body and its images have one velocity, whatever face it has gone through, and the
//! relative velocity at a contact, whose branch ℓ leads from the centre of the second body, image or not, to that of the first, is
//!
//! > U = u + ω × r − u' − ω' × r' + L ℓ.
//!
//! All contacts see the cell in the same way, and nothing depends on where the origin is. In the flow of the cell momentum obeys
//! m u̇ = f − m L u, which for steady shear is m v̇ = f of the whole velocity v = u + L x (Lees & Edwards 1972; Evans & Morriss
//! 1990). The power of L on the bodies is −V σ : L, with
//!
//! > V σ = Σ f ⊗ ℓ + Σ m u ⊗ u,
//!
//! positive in compression: Moreau's internal moment (2003, §9) and what the velocities carry. So a component of L that is free
//! under an asked stress is a mover with an inertia W of its own,
//!
//! > W ΔL = Σ P ⊗ ℓ + h Σ m u ⊗ u − h V σ_asked,
//!
//! on which all contacts act in the one solve that finds them ([`Shared`](drystone_solve::Shared)). A component that is given
//! enters like the motion of a boundary.

mod book;
mod check;
mod step;

pub(crate) use check::check_cell;
pub use check::{least_cell_width, unfit_boundary, unfit_for_cells};
pub(crate) use step::CellNow;

use crate::{Progress, Setup, Signal};
use drystone_detect::Geometry;
use drystone_space::{Lattice, Matrix, Space};

/// What is asked of one component of the velocity gradient.
#[derive(Clone, Debug, PartialEq)]
pub enum CellDrive {
    /// The component itself, in 1/s.
    Rate(Signal),
    /// The component of the stress, positive in compression; L is free.
    Stress(Signal),
}

impl CellDrive {
    /// A component that stays zero.
    pub const HELD: Self = Self::Rate(Signal::Constant(0.0));
}

/// What drives a component from a phase on.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSwitch {
    /// The phase.
    pub phase: usize,
    /// Row and column of the component.
    pub component: (usize, usize),
    /// What is asked of it; functions of time count from the start of the phase.
    pub drive: CellDrive,
}

/// A periodic cell, with a corner at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<S: Space> {
    /// At the start.
    pub lattice: Lattice<S>,
    /// What is asked of each component of the velocity gradient, by row and column.
    pub drives: [[CellDrive; 3]; 3],
    /// What is asked from later phases on.
    pub switches: Vec<CellSwitch>,
    /// W of each component that is free, in units of the mass of all bodies times the square of their mean size.
    pub inertia: f64,
}

impl<S: Space> Cell<S> {
    /// A cell whose vectors stay as they are.
    pub fn held(lattice: Lattice<S>) -> Self {
        let drives = std::array::from_fn(|_| std::array::from_fn(|_| CellDrive::HELD));
        Self { lattice, drives, switches: Vec::new(), inertia: 1.0 }
    }

    /// What drives a component, and since when.
    pub(crate) fn drive(&self, progress: &Progress, (i, j): (usize, usize)) -> (&CellDrive, f64) {
        let of_it = self.switches.iter().filter(|switch| switch.component == (i, j));
        let over = of_it.filter(|switch| switch.phase <= progress.ends.len());
        match over.max_by_key(|switch| switch.phase) {
            None => (&self.drives[i][j], 0.0),
            Some(switch) => {
                let before = switch.phase.checked_sub(1);
                (&switch.drive, before.map_or(0.0, |phase| progress.ends[phase]))
            }
        }
    }

    /// Whether it ever changes its vectors.
    pub fn moves(&self) -> bool {
        self.all_drives().any(|(_, drive)| *drive != CellDrive::HELD)
    }

    /// Everything that drives it at any time, by component.
    pub fn all_drives(&self) -> impl Iterator<Item = ((usize, usize), &CellDrive)> {
        let first = self.drives.iter().enumerate();
        let first = first
            .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, drive)| ((i, j), drive)));
        let later = self.switches.iter().map(|switch| (switch.component, &switch.drive));
        first.chain(later)
    }
}

/// What a step depends on of a cell, and what the last one has told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellState<S: Space> {
    /// The cell now, by the vectors that lean least.
    pub lattice: Lattice<S>,
    /// L at the end of the last step.
    pub gradient: Matrix<S>,
    /// ∫ L dt since the start.
    pub strain: Matrix<S>,
    /// Stress of contacts in the last step, positive in compression.
    pub contact_stress: Matrix<S>,
    /// Stress by what velocities carry, with those at the start of the last step.
    pub kinetic_stress: Matrix<S>,
    /// W L̇ / V of the components that were free: by how much their stress was above the one asked for.
    pub excess_stress: Matrix<S>,
}

impl<S: Geometry> CellState<S> {
    /// That of a setup's cell at the start.
    pub(crate) fn new(setup: &Setup<S>) -> Option<Self> {
        let lattice = setup.cell.as_ref()?.lattice.reduced();
        Some(Self {
            lattice,
            gradient: Matrix::ZERO,
            strain: Matrix::ZERO,
            contact_stress: Matrix::ZERO,
            kinetic_stress: Matrix::ZERO,
            excess_stress: Matrix::ZERO,
        })
    }
}

impl<S: Space> CellState<S> {
    /// Contact and kinetic stress together.
    pub fn stress(&self) -> Matrix<S> {
        self.contact_stress.plus(&self.kinetic_stress)
    }
}
