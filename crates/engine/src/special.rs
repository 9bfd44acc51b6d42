//! Contacts with laws beyond Coulomb's: how they enter the contact problem and leave it.

use crate::contact::{ContactCouple, couple_of};
use crate::law::direction_in;
use crate::workspace::Workspace;
use crate::world::BoundaryState;
use crate::{
    Body, Contact, Curve, Dimension, Friction, LawTable, Owner, PairLaw, PairPercussion, Principal,
    Setup, World,
};
use drystone_solve::{ContactMap, Law, Percussion, Special, Turning};
use drystone_space::{Frame, Local, Rotation, Vector, clear_for};

impl<S: Dimension> Workspace<S> {
    /// Adds contact `index`, whose law is special, to the problem, with its warm start.
    pub fn push_special(
        &mut self,
        setup: &Setup<S>,
        bodies: &[Body<S>],
        boundaries: &[BoundaryState<S>],
        index: usize,
        map: ContactMap<S>,
        offset: S::Local,
    ) {
        let contact = &self.contacts[index];
        let law = self.law(&setup.laws, contact);
        let h = setup.time_step;
        if let Some(percussion) = &law.percussion {
            let before = map.to_contact(&self.before) + offset;
            // A contact that separates is no collision. One at rest is, though rounding and the
            // solver's tolerance let it part at less than what weight gives in a step.
            let rest = setup.gravity.norm() * h + self.problem.velocity_noise;
            let special =
                percussion_law(percussion, &law.friction, before, before.normal() <= rest);
            let start = map.frame.to_local(contact.impulse);
            let (none, still) = (law.resistance, Turning::default());
            let relaxation = setup.solver.relaxation;
            self.problem.push_special(map, offset, special, none, still, relaxation);
            self.solution.impulses.push(start);
            self.solution.couples.push(S::Local::ZERO);
            return;
        }
        let (direction, carried_by_first) = match law.friction.principal() {
            None => (None, false),
            Some(principal) => {
                let first = self.is_carried_by_first(principal, contact);
                let carrier = if first { contact.first } else { contact.second };
                let axes = match carrier {
                    Owner::Body(i) => {
                        let body = &bodies[i as usize];
                        self.midpoints[i as usize].rotation.compose(body.given_axes())
                    }
                    Owner::Boundary(i) => boundaries[i as usize].midpoint.rotation,
                };
                let world = axes.apply(direction_in::<S>(principal.direction));
                (Some(unit::<S>(map.frame.to_local(world).tangent())), first)
            }
        };
        let special = special_law(law, direction, carried_by_first, contact.bonded, h);
        let turning = Turning {
            second_turns: matches!(contact.second, Owner::Body(_)),
            second_spin: boundary_spin(boundaries, contact),
        };
        let start = map.frame.to_local(contact.impulse);
        let start_couple = map.frame.spin_to_local(couple_of(&self.couples, contact.name()));
        let relaxation = setup.solver.relaxation;
        self.problem.push_special(map, offset, special, law.resistance, turning, relaxation);
        let special = &self.problem.specials[self.problem.specials.len() - 1];
        let (impulse, couple) = special.project(start, start_couple);
        self.solution.impulses.push(impulse);
        self.solution.couples.push(couple);
    }

    /// Which of the two bodies the principal direction turns with.
    fn is_carried_by_first(&self, principal: &Principal, contact: &Contact<S>) -> bool {
        let shape = |index: u32| &self.shapes.list[index as usize];
        let (one, two) = (shape(contact.shapes.0), shape(contact.shapes.1));
        let swapped = one.owner != contact.first;
        let (first, second) = if swapped { (two, one) } else { (one, two) };
        let carries = |material| principal.carrier == Some(material);
        match (carries(first.material), carries(second.material)) {
            (true, false) => true,
            (false, true) => false,
            _ => matches!(contact.second, Owner::Body(_)),
        }
    }

    /// Makes the couples of the solution those of the contacts.
    pub fn recall_couples(&mut self) {
        let (problem, solution) = (&self.problem, &self.solution);
        let turning = problem.specials.iter().filter(|special| special.couple.is_some());
        clear_for(&mut self.couples, turning.count());
        if problem.specials.is_empty() {
            return;
        }
        let all = self.contacts.iter().zip(&problem.contacts);
        self.couples.extend(all.filter_map(|(contact, problem)| {
            let Law::Special(place) = problem.law else { return None };
            let couple = solution.couples[place as usize];
            ContactCouple::new(contact, problem.map.frame.spin_to_world(couple))
        }));
    }

    /// Contacts get their couples, and bonds that cannot heal are broken.
    pub fn apply_specials(&mut self, laws: &LawTable) {
        self.recall_couples();
        if self.problem.is_coulomb() {
            return;
        }
        for index in 0..self.contacts.len() {
            let problem = &self.problem.contacts[index];
            let Law::Special(place) = problem.law else { continue };
            let pull = self.solution.impulses[index].normal();
            let opened = pull <= -self.problem.specials[place as usize].cohesion;
            let healing = self.law(laws, &self.contacts[index]).cohesion.reversible;
            self.contacts[index].bonded &= healing || !opened;
        }
    }
}

impl<S: Dimension> World<S> {
    /// What couples give and take.
    pub(crate) fn book_couples(&mut self) {
        let work = &self.work;
        for (contact, problem) in work.contacts.iter().zip(&work.problem.contacts) {
            let Law::Special(place) = problem.law else { continue };
            let Some(couple) = &work.problem.specials[place as usize].couple else { continue };
            let value = work.solution.couples[place as usize];
            let before = couple.relative_spin(&problem.map, |i| work.before[i as usize].spin);
            let after =
                couple.relative_spin(&problem.map, |i| work.solution.twists[i as usize].spin);
            let lost = -0.5 * (before + after).dot(value);
            let friction = -after.dot(value);
            self.ledger.friction_loss += friction;
            self.ledger.impact_loss += lost - friction;
            let driven = boundary_spin(&self.boundaries, contact);
            self.ledger.boundary_work += problem.map.frame.spin_to_local(driven).dot(value);
        }
    }
}

/// The law of a pair at one contact, couples and A-CD² left out. `direction` is the principal direction of
/// friction in the contact plane, where there is one.
pub(crate) fn special_law<S: Dimension>(
    law: &PairLaw,
    direction: Option<S::Tangent>,
    carried_by_first: bool,
    bonded: bool,
    h: f64,
) -> Special<S> {
    let direction = direction.unwrap_or(S::Tangent::axis(0));
    Special {
        section: S::section(&law.friction, direction, carried_by_first),
        cohesion: if bonded { law.cohesion.force * h } else { 0.0 },
        fluidity: if law.viscosity > 0.0 { 1.0 / (law.viscosity * h) } else { 0.0 },
        couple: None,
        percussion: None,
    }
}

/// The law of A-CD² at one contact.
fn percussion_law<S: Dimension>(
    law: &PairPercussion,
    friction: &Friction,
    before: S::Local,
    collides: bool,
) -> Special<S> {
    let none = Curve::Linear(0.0);
    Special::percussion(match collides {
        true => Percussion {
            before,
            normal: law.normal.clone(),
            pulls: law.pulls,
            tangential: law.tangential.clone(),
            friction: friction.largest(),
        },
        false => Percussion {
            before,
            normal: none.clone(),
            pulls: false,
            tangential: none,
            friction: f64::INFINITY,
        },
    })
}

/// Given spin of a contact's second side; zero if it is a body or a slider.
fn boundary_spin<S: Dimension>(boundaries: &[BoundaryState<S>], contact: &Contact<S>) -> S::Spin {
    match contact.second {
        Owner::Body(_) => S::Spin::ZERO,
        Owner::Boundary(index) => boundaries[index as usize].spin,
    }
}

/// The direction in the contact plane; the first tangent where the direction is normal to it.
pub(crate) fn unit<S: Dimension>(tangent: S::Tangent) -> S::Tangent {
    let length = tangent.norm();
    if length > 1e-9 { tangent / length } else { S::Tangent::axis(0) }
}
