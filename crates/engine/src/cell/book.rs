//! What the cell gives and takes, and the stress in it.

use super::CellDrive;
use crate::{Dimension, Owner, World};
use drystone_space::{ExactSum, Matrix, Vector};

impl<S: Dimension> World<S> {
    /// ½ W L² of the components that are free now.
    pub(crate) fn cell_energy(&self) -> f64 {
        let (Some(cell), Some(state)) = (&self.setup.cell, &self.state.cell) else { return 0.0 };
        let inertia = self.work.rigid.cell.as_ref().map_or(0.0, |now| now.inertia);
        let mut energy = 0.0;
        for (i, j) in (0..S::DIMENSION).flat_map(|i| (0..S::DIMENSION).map(move |j| (i, j))) {
            if let (CellDrive::Stress(_), _) = cell.drive(&self.state.progress, (i, j)) {
                let rate = state.gradient.get(i, j);
                energy += 0.5 * inertia * rate * rate;
            }
        }
        energy
    }

    /// Books the work of what strains the cell, and notes the stress. What contacts take of it is booked with them
    /// ([`settle_contacts`](Self::settle_contacts)); here stands what the flow does to velocities, and what it does to the cell's own
    /// motion: with the impulses that make it, so that the books tell whether the cell has obeyed them.
    pub(crate) fn book_cell(&mut self) {
        let h = self.setup.time_step;
        let work = &self.work.rigid;
        let Some(cell) = &work.cell else { return };
        let mut sums = [const { ExactSum::new() }; 9];
        for contact in &work.contacts {
            let arm = match (work.branch(contact.first, contact.second), contact.first) {
                (Some(branch), _) => branch,
                // Of a body at a boundary: from where they touch.
                (None, Owner::Body(body)) => work.midpoints[body as usize].position - contact.point,
                (None, Owner::Boundary(_)) => continue,
            };
            for (k, sum) in sums.iter_mut().enumerate().take(S::DIMENSION * S::DIMENSION) {
                let (i, j) = (k / S::DIMENSION, k % S::DIMENSION);
                sum.add(contact.impulse.get(i) * arm.get(j));
            }
        }
        let pushed = Matrix::<S>::from_fn(|i, j| sums[i * S::DIMENSION + j].value());
        let mut carried = ExactSum::new();
        for (index, body) in self.state.bodies.iter().enumerate() {
            let (start, end) = (work.before[index].velocity, work.solution.twists[index].velocity);
            let taken = cell.before.apply(start);
            carried.add(-0.5 * h * body.mass * (start + end).dot(taken));
        }
        let measure = cell.lattice.measure();
        let mut own = 0.0;
        for &(i, j) in &cell.free {
            let mean = 0.5 * (cell.before.get(i, j) + cell.after.get(i, j));
            let asked = measure * cell.asked.get(i, j);
            own += mean * (pushed.get(i, j) + h * (cell.carried.get(i, j) - asked));
        }
        let excess = cell.free.iter().fold(Matrix::ZERO, |excess: Matrix<S>, &(i, j)| {
            let change = cell.after.get(i, j) - cell.before.get(i, j);
            excess.with(i, j, cell.inertia * change / (h * measure))
        });
        let contact_stress = pushed.scaled(1.0 / (h * measure));
        let kinetic_stress = cell.carried.scaled(1.0 / measure);
        if let Some(state) = &mut self.state.cell {
            state.contact_stress = contact_stress;
            state.kinetic_stress = kinetic_stress;
            state.excess_stress = excess;
        }
        self.state.ledger.boundary_work += carried.value() + own;
    }
}
