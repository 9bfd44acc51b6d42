//! What bonds store, and what breaking them takes.
//!
//! The energy stored is ½ (1 − D) k w². What damage takes of it at the stretch of the start of the step is the energy of
//! rupture: a bond that snaps loses what it had, and nothing of how far it opens without a force. The force is that of the end of the step, so that the bodies lose ½ k (w_f − w_i)² more than is
//! stored: no more than a discretisation error, and booked with that of springs.

use crate::{Dimension, Owner, World};
use drystone_space::{Frame, Local, Vector};

impl<S: Dimension> World<S> {
    /// Energy stored in a bond now, had it this damage.
    fn bond_energy(&self, index: usize, damage: f64) -> f64 {
        let bond = &self.state.bonds[index];
        let Some(law) = self.bond_law(bond.shapes) else { return 0.0 };
        bond.area * law.energy(self.bond_place(bond).parts(), damage)
    }

    /// Energy stored in all bonds now.
    pub(crate) fn bonds_energy(&self) -> f64 {
        let damage = |index: usize| self.state.bonds[index].damage;
        (0..self.state.bonds.len()).map(|index| self.bond_energy(index, damage(index))).sum()
    }

    /// Books what bonds have done in the step that was made, and what boundaries feel of it.
    pub(crate) fn book_bonds(&mut self) {
        if self.state.bonds.is_empty() {
            return;
        }
        if self.work.rigid.bonds.solved {
            self.work.rigid.damage_bonds(&self.setup, &self.state.boundaries);
        }
        let (mut work_done, mut rupture, mut stored) = (0.0, 0.0, 0.0);
        for index in 0..self.work.rigid.bonds.list.len() {
            let work = &self.work.rigid;
            let active = work.bonds.list[index];
            let mut impulse = S::Vector::ZERO;
            if let Some(contact) = active.contact {
                let local = work.solution.impulses[contact as usize];
                let (map, given) = work.bond_map(&self.state.boundaries, &active);
                let (before, after) =
                    (map.to_contact(&work.before), map.to_contact(&work.solution.twists));
                work_done += ((before + after) * 0.5 - given).dot(local);
                self.state.ledger.boundary_work += given.dot(local);
                impulse = map.frame.to_world(local);
                if let Owner::Boundary(boundary) = active.sides[1] {
                    self.state.boundaries[boundary as usize].impulse -= impulse;
                }
            }
            let left = self.bond_energy(index, active.damage);
            if let Some(law) = self.bond_law(active.shapes) {
                let [before, after] = [active.before, active.damage]
                    .map(|damage| law.energy(active.at_start, damage));
                rupture += active.area * (before - after);
            }
            stored += left;
            let bond = &mut self.state.bonds[index];
            (bond.damage, bond.impulse) = (active.damage, impulse);
        }
        let ledger = &mut self.state.ledger;
        ledger.atomisation_work += work_done + rupture + stored - ledger.bonds;
        ledger.rupture_loss += rupture;
        ledger.bonds = stored;
    }

    /// Breaks the bonds of boundaries that vanish.
    pub(crate) fn release_bonds(&mut self) {
        let gone = |owner: Owner| match owner {
            Owner::Boundary(index) => self.state.boundaries[index as usize].removed,
            Owner::Body(_) => false,
        };
        let freed: Vec<usize> = (0..self.state.bonds.len())
            .filter(|&i| !self.state.bonds[i].is_broken() && gone(self.state.bonds[i].sides[1]))
            .collect();
        for index in freed {
            let energy = self.bond_energy(index, self.state.bonds[index].damage);
            let bond = &mut self.state.bonds[index];
            (bond.damage, bond.impulse) = (1.0, S::Vector::ZERO);
            self.state.ledger.bonds -= energy;
            self.state.ledger.rupture_loss += energy;
        }
    }
}
