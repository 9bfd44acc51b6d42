//! Bonds in a step. Each that is not broken is a contact of the step's problem under an elastic law (`Elastic`), after all
//! others. With k = K A, at the stretch w = w_m + (h/2)U of the end of the step,
//!
//! P = −h (1 − D) k w, so that U + 2 w_m/h + e P = 0 with e = 2/(h² (1 − D) k);
//!
//! rigid ones have U + w_m/h = 0, which takes back at the next midpoint what the solver's errors have let them part.
//!
//! D is that of the end of the step too: the problem is solved with what is known of it, then again with the damage that
//! the stretch found makes, until that is no more. It only grows, so that the rounds end; what the last leaves is taken up in
//! the step that follows.

use super::strength::Loaded;
use super::{BondKind, BondLaw, BondPlace};
use crate::assemble::boundary_velocity_at;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Contact, Dimension, Owner, PairLaw, Setup, State, World};
use drystone_solve::{ContactMap, Elastic};
use drystone_space::{Frame, Local, Vector};

/// Damage that grows by less in a round is no reason for another.
const SETTLED: f64 = 1e-6;

/// A bond in the step under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveBond<S: Dimension> {
    pub shapes: (u32, u32),
    pub sides: [Owner; 2],
    pub area: f64,
    /// At the midpoint.
    pub place: BondPlace<S>,
    /// Opening and slip at the start of the step.
    pub at_start: [f64; 2],
    /// Damage at the start of the step, and as far as it is known at its end.
    pub before: f64,
    pub damage: f64,
    /// Its contact in the problem, if it has one.
    pub contact: Option<u32>,
    /// Where the solve begins, in world axes.
    pub start: S::Vector,
}

/// Scratch of bonds.
#[derive(Debug)]
pub(crate) struct BondWork<S: Dimension> {
    /// All bonds, in their order.
    pub list: Vec<ActiveBond<S>>,
    /// Shapes whose contacts are left out, in order.
    held: Vec<(u32, u32)>,
    /// Whether the last solve was good enough to damage them: what is not solved may be anything.
    pub solved: bool,
    /// The points of a rigid bond.
    loaded: Vec<Loaded<S>>,
}

impl<S: Dimension> Default for BondWork<S> {
    fn default() -> Self {
        Self { list: Vec::new(), held: Vec::new(), solved: false, loaded: Vec::new() }
    }
}

impl<S: Dimension> BondWork<S> {
    /// Whether two shapes have bonds in place of contacts.
    #[inline]
    pub fn hold(&self, shapes: (u32, u32)) -> bool {
        !self.held.is_empty() && self.held.binary_search(&shapes).is_ok()
    }

    /// Forgets all.
    fn clear(&mut self) {
        self.list.clear();
        self.held.clear();
    }
}

impl<S: Dimension> RigidWork<S> {
    /// Bonds as a step begins, and which contacts they stand in for.
    pub fn begin_bonds(&mut self, setup: &Setup<S>, state: &State<S>) {
        let mut bonds = std::mem::take(&mut self.bonds);
        bonds.clear();
        for bond in &state.bonds {
            let poses = bond.sides.map(|side| match side {
                Owner::Body(index) => &self.midpoints[index as usize],
                Owner::Boundary(index) => &state.boundaries[index as usize].midpoint,
            });
            let start = bond.sides.map(|side| match side {
                Owner::Body(index) => &state.bodies[index as usize].pose,
                Owner::Boundary(index) => &state.boundaries[index as usize].pose,
            });
            let lattices = [
                self.cell.as_ref().map(|cell| &cell.lattice),
                state.cell.as_ref().map(|cell| &cell.lattice),
            ];
            bonds.list.push(ActiveBond {
                shapes: bond.shapes,
                sides: bond.sides,
                area: bond.area,
                place: bond.place(poses, lattices[0]),
                at_start: bond.place(start, lattices[1]).parts(),
                before: bond.damage,
                damage: bond.damage,
                contact: None,
                start: bond.impulse,
            });
        }
        for pair in bonds.list.chunk_by(|a, b| a.shapes == b.shapes) {
            let shapes = pair[0].shapes;
            let replaces =
                self.bond_law(&setup.laws, shapes).is_some_and(BondLaw::replaces_contacts);
            if replaces && pair.iter().all(|bond| bond.damage < 1.0) {
                bonds.held.push(shapes);
            }
        }
        self.bonds = bonds;
    }

    /// Adds the bonds that hold to the problem.
    pub fn push_bonds(&mut self, setup: &Setup<S>, boundaries: &[BoundaryState<S>]) {
        let mut bonds = std::mem::take(&mut self.bonds);
        for bond in &mut bonds.list {
            bond.contact = None;
            let Some(law) = self.bond_law(&setup.laws, bond.shapes) else { continue };
            if bond.damage >= 1.0 {
                continue;
            }
            let (map, given) = self.bond_map(boundaries, bond);
            let elastic = law.elastic(bond, setup.time_step);
            let closing = match law.kind {
                BondKind::Rigid(_) => 1.0 / setup.time_step,
                _ => 2.0 / setup.time_step,
            };
            let offset = bond.place.stretch * closing - given;
            let start = elastic.project(map.frame.to_local(bond.start));
            bond.contact = Some(self.problem.contacts.len() as u32);
            self.problem.push_elastic(map, offset, elastic, setup.solver.relaxation);
            self.solution.impulses.push(start);
            self.solution.couples.push(S::Local::ZERO);
        }
        self.bonds = bonds;
    }

    /// G of a bond, and the velocity that the boundary gives.
    pub fn bond_map(
        &self,
        boundaries: &[BoundaryState<S>],
        bond: &ActiveBond<S>,
    ) -> (ContactMap<S>, S::Local) {
        let BondPlace { point, normal, .. } = bond.place;
        let [first, second] = bond.sides;
        let map = self.map(first, second, point, normal);
        let given = match self.driven_in_cell(boundaries, first, second, point) {
            Some([given, ..]) => given,
            None => boundary_velocity_at(boundaries, second, point),
        };
        let given = map.frame.to_local(given);
        (map, given)
    }

    /// Opening and slip at the end of the step, with the velocities that were found.
    fn stretch_after(
        &self,
        boundaries: &[BoundaryState<S>],
        bond: &ActiveBond<S>,
        h: f64,
    ) -> [f64; 2] {
        let (map, given) = self.bond_map(boundaries, bond);
        let moved = (map.to_contact(&self.solution.twists) - given) * (0.5 * h);
        let stretch = bond.place.stretch + moved;
        [stretch.normal(), stretch.tangent().norm()]
    }

    /// The damage that was found; how much more it is than was known.
    pub fn damage_bonds(&mut self, setup: &Setup<S>, boundaries: &[BoundaryState<S>]) -> f64 {
        let (mut bonds, h) = (std::mem::take(&mut self.bonds), setup.time_step);
        let mut most: f64 = 0.0;
        for bond in &mut bonds.list {
            let Some(law) = self.bond_law(&setup.laws, bond.shapes) else { continue };
            if bond.damage >= 1.0 || matches!(law.kind, BondKind::Elastic | BondKind::Rigid(_)) {
                continue;
            }
            let stretch = self.stretch_after(boundaries, bond, h);
            let damage = law.damage(stretch, bond.before, h).max(bond.damage);
            most = most.max(damage - bond.damage);
            bond.damage = damage;
        }
        let BondWork { list, loaded, .. } = &mut bonds;
        for pair in list.chunk_by_mut(|a, b| a.shapes == b.shapes) {
            if self.breaks(setup, pair, loaded) {
                pair.iter_mut().for_each(|bond| bond.damage = 1.0);
                most = 1.0;
            }
        }
        self.bonds = bonds;
        most
    }

    /// Whether a rigid bond bears more than it can.
    fn breaks(
        &self,
        setup: &Setup<S>,
        pair: &[ActiveBond<S>],
        loaded: &mut Vec<Loaded<S>>,
    ) -> bool {
        let Some(law) = self.bond_law(&setup.laws, pair[0].shapes) else { return false };
        let BondKind::Rigid(strength) = law.kind else { return false };
        loaded.clear();
        for bond in pair {
            let Some(contact) = bond.contact else { return false };
            let frame = S::Frame::from_normal(bond.place.normal);
            let impulse = self.solution.impulses[contact as usize];
            let force = frame.to_world(impulse) / setup.time_step;
            loaded.push(Loaded { point: bond.place.point, area: bond.area, force });
        }
        strength.is_exceeded(pair[0].place.normal, loaded)
    }

    /// Which part of its coefficient of friction a contact has, by the damage of the bonds beside it.
    pub fn bond_friction(&self, law: &PairLaw, contact: &Contact<S>) -> f64 {
        let Some(law) = &law.bond else { return 1.0 };
        let bonds = &self.bonds.list;
        let from = bonds.partition_point(|bond| bond.shapes < contact.shapes);
        let pair = bonds[from..].iter().take_while(|bond| bond.shapes == contact.shapes);
        law.friction_share(contact.point, pair.map(|bond| (bond.place.point, bond.damage)))
    }
}

impl BondLaw {
    /// The law of a bond in a step of length h.
    fn elastic<S: Dimension>(&self, bond: &ActiveBond<S>, h: f64) -> Elastic<S> {
        if let BondKind::Rigid(_) = self.kind {
            return Elastic::new(0.0, Some(0.0), 0.0);
        }
        let compliance = |stiffness: f64| 2.0 / (h * h * stiffness * bond.area);
        let left = self.integrity(bond.damage);
        let [normal, tangent] = self.stiffness;
        let push = self.pushes.then(|| compliance(normal));
        Elastic::new(compliance(left * normal), push, compliance(left * tangent))
    }
}

impl<S: Dimension> World<S> {
    /// Makes bonds ready for the step.
    pub(crate) fn begin_bonds(&mut self) {
        if !self.state.bonds.is_empty() {
            self.work.rigid.begin_bonds(&self.setup, &self.state);
        } else {
            self.work.rigid.bonds.clear();
        }
    }

    /// Makes the impulses found those from which bonds begin.
    pub(crate) fn recall_bonds(&mut self) {
        let RigidWork { bonds, solution, .. } = &mut self.work.rigid;
        for bond in &mut bonds.list {
            bond.start = match bond.contact {
                Some(contact) => {
                    let frame = S::Frame::from_normal(bond.place.normal);
                    frame.to_world(solution.impulses[contact as usize])
                }
                None => S::Vector::ZERO,
            };
        }
    }

    /// Damages bonds by what was found; whether that asks for another solve, which is made ready.
    pub(crate) fn damage_again(&mut self) -> bool {
        if self.work.rigid.bonds.list.is_empty() {
            return false;
        }
        let most = self.work.rigid.damage_bonds(&self.setup, &self.state.boundaries);
        if most <= SETTLED {
            return false;
        }
        self.recall_solution();
        self.assemble();
        true
    }
}
