//! What the cell gives and takes, and the stress in it.

use super::CellDrive;
use crate::workspace::RigidWork;
use crate::{Dimension, Owner, World};
use drystone_space::{ExactSum, Frame, Matrix, Vector};

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
        let mut add = |impulse: S::Vector, arm: S::Vector| {
            for (k, sum) in sums.iter_mut().enumerate().take(S::DIMENSION * S::DIMENSION) {
                let (i, j) = (k / S::DIMENSION, k % S::DIMENSION);
                sum.add(impulse.get(i) * arm.get(j));
            }
        };
        let touching = work.contacts.iter().chain(&self.work.solid.part.contacts);
        for contact in touching.chain(&self.state.sleep.contacts) {
            add(contact.impulse, work.arm_in_cell([contact.first, contact.second], contact.point));
        }
        for bond in &work.bonds.list {
            if let Some(contact) = bond.contact {
                let frame = S::Frame::from_normal(bond.place.normal);
                let impulse = frame.to_world(work.solution.impulses[contact as usize]);
                add(impulse, work.arm_in_cell(bond.sides, bond.place.point));
            }
        }
        for (joint, reaction) in self.setup.joints.iter().zip(self.joint_reactions()) {
            let place = |side: usize| match joint.sides[side].owner {
                Some(Owner::Body(index)) => work.midpoints[index as usize].position,
                _ => reaction.point,
            };
            add(reaction.force * h, place(0) - place(1));
        }
        let summed = Matrix::<S>::from_fn(|i, j| sums[i * S::DIMENSION + j].value());
        let pushed = summed.plus(&cell.pulled);
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

impl<S: Dimension> RigidWork<S> {
    /// ℓ of what acts at a point between two sides: from the centre of the second, or of its image, or from the point itself where
    /// that is a boundary, to the centre of the first.
    fn arm_in_cell(&self, [first, second]: [Owner; 2], point: S::Vector) -> S::Vector {
        match (self.branch(first, second), first) {
            (Some(branch), _) => branch,
            (None, Owner::Body(body)) => self.midpoints[body as usize].position - point,
            (None, Owner::Boundary(_)) => S::Vector::ZERO,
        }
    }
}
