//! Contacts with laws beyond Coulomb's: how they enter the contact problem and leave it.

use crate::account::Booked;
use crate::contact::{ContactCouple, couple_of};
use crate::law::direction_in;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{
    Body, Contact, ContactLaw, Curve, Dimension, Friction, LawTable, MoreauLaw, Owner, PairLaw,
    PercussionLaw, Principal, Setup, World,
};
use drystone_solve::{
    ContactMap, ContactProblem, GeneralCone, Law, Percussion, Resistance, Section, Solution,
    Special, Turning,
};
use drystone_space::{Frame, Local, Rotation, Vector, clear_for};

/// A law beyond Coulomb's as it enters a problem.
pub(crate) enum PreparedLaw<S: Dimension> {
    /// A cone; how its sides turn, and the couple to begin from.
    Cone { cone: GeneralCone<S>, resistance: Resistance, turning: Turning<S>, couple: S::Local },
    /// A percussion of A-CD².
    Percussion(Percussion<S>),
}

impl<S: Dimension> PreparedLaw<S> {
    /// A law without a couple.
    pub fn without_couple(law: Special<S>) -> Self {
        match law {
            Special::Cone(cone) => PreparedLaw::Cone {
                cone,
                resistance: Resistance::default(),
                turning: Turning::default(),
                couple: S::Local::ZERO,
            },
            Special::Percussion(percussion) => PreparedLaw::Percussion(percussion),
            Special::Bounded(_) | Special::Elastic(_) | Special::Spring(_) => {
                unreachable!("only joints and bonds have these")
            }
        }
    }
}

/// A contact with such a law.
pub(crate) struct PreparedSpecial<S: Dimension> {
    pub law: PreparedLaw<S>,
    /// What is added to G u before the law sees it.
    pub offset: S::Local,
    /// Where the solve begins, as far as the law allows it.
    pub impulse: S::Local,
}

impl<S: Dimension> PreparedSpecial<S> {
    /// Adds the contact with this map.
    pub fn push(
        self,
        map: ContactMap<S>,
        relaxation: f64,
        problem: &mut ContactProblem<S>,
        solution: &mut Solution<S>,
    ) {
        let Self { law, offset, impulse } = self;
        let mut start = S::Local::ZERO;
        match law {
            PreparedLaw::Cone { cone, resistance, turning, couple } => {
                start = couple;
                problem.push_cone(map, offset, cone, resistance, turning, relaxation);
            }
            PreparedLaw::Percussion(percussion) => {
                problem.push_percussion(map, offset, percussion, relaxation);
            }
        }
        let special = &problem.specials[problem.specials.len() - 1];
        let (impulse, couple) = special.project(impulse, start);
        solution.impulses.push(impulse);
        solution.couples.push(couple);
    }
}

impl<S: Dimension> RigidWork<S> {
    /// The law of a contact that is special, with its warm start.
    pub fn special(
        &self,
        setup: &Setup<S>,
        bodies: &[Body<S>],
        boundaries: &[BoundaryState<S>],
        contact: &Contact<S>,
        map: &ContactMap<S>,
        offset: S::Local,
    ) -> PreparedSpecial<S> {
        let law = match &self.law(&setup.laws, contact).contact {
            ContactLaw::Moreau(law) => self.cone(setup, bodies, boundaries, contact, map, law),
            ContactLaw::Percussion(law) => {
                let before = map.to_contact(&self.before) + offset;
                // A contact that separates is no collision. One at rest is, though rounding and the
                // solver's tolerance let it part at less than what weight gives in a step.
                let rest = setup.gravity.norm() * setup.time_step + self.problem.velocity_noise;
                let collides = before.normal() <= rest;
                PreparedLaw::Percussion(percussion_law(law, before, collides))
            }
        };
        PreparedSpecial { law, offset, impulse: map.frame.to_local(contact.impulse) }
    }

    /// Moreau's law at one contact, with the couple that it had.
    fn cone(
        &self,
        setup: &Setup<S>,
        bodies: &[Body<S>],
        boundaries: &[BoundaryState<S>],
        contact: &Contact<S>,
        map: &ContactMap<S>,
        law: &MoreauLaw,
    ) -> PreparedLaw<S> {
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
        let mut cone = cone_law(law, direction, carried_by_first, contact.bonded, setup.time_step);
        let pair = self.law(&setup.laws, contact);
        if let (Some(_), Friction::Isotropic(friction)) = (&pair.bond, &law.friction) {
            cone.section = Some(S::Section::round(friction * self.bond_friction(pair, contact)));
        }
        PreparedLaw::Cone {
            cone,
            resistance: law.resistance,
            turning: Turning {
                second_turns: matches!(contact.second, Owner::Body(_)),
                second_spin: boundary_spin(boundaries, contact),
            },
            couple: map.frame.spin_to_local(couple_of(&self.couples, contact.name())),
        }
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
        let turning = self.problem.specials.iter().filter(|special| special.couple().is_some());
        clear_for(&mut self.couples, turning.count());
        if !self.problem.is_coulomb() {
            add_couples(&self.contacts, &self.problem, &self.solution, &mut self.couples);
        }
    }

    /// Bonds that cannot heal are broken.
    pub fn break_bonds(&mut self, laws: &LawTable) {
        let mut contacts = std::mem::take(&mut self.contacts);
        break_bonds(&mut contacts, &self.problem, &self.solution, |c| self.law(laws, c));
        self.contacts = contacts;
    }
}

/// Adds the couples of these contacts of a problem.
pub(crate) fn add_couples<S: Dimension>(
    contacts: &[Contact<S>],
    problem: &ContactProblem<S>,
    solution: &Solution<S>,
    couples: &mut Vec<ContactCouple<S>>,
) {
    let all = contacts.iter().zip(&problem.contacts);
    couples.extend(all.filter_map(|(contact, problem)| {
        let Law::Special(place) = problem.law else { return None };
        let couple = solution.couples[place as usize];
        ContactCouple::new(contact, problem.map.frame.spin_to_world(couple))
    }));
}

/// Breaks the bonds of these contacts of a problem that have opened and cannot heal.
pub(crate) fn break_bonds<'a, S: Dimension>(
    contacts: &mut [Contact<S>],
    problem: &ContactProblem<S>,
    solution: &Solution<S>,
    law: impl Fn(&Contact<S>) -> &'a PairLaw,
) {
    if problem.is_coulomb() {
        return;
    }
    let all = contacts.iter_mut().zip(problem.contacts.iter().zip(&solution.impulses));
    for (contact, (problem_contact, impulse)) in all {
        let Some(special) = problem_contact.law.special(&problem.specials) else { continue };
        let opened = impulse.normal() <= -special.cohesion();
        contact.bonded &= law(contact).cohesion().reversible || !opened;
    }
}

impl<S: Dimension> World<S> {
    /// What couples give and take.
    pub(crate) fn book_couples(&mut self) {
        let (work, part) = (&self.work.rigid, &self.work.solid.part);
        let boundaries = &self.state.boundaries;
        let booked =
            work.couples_booked(boundaries, &work.contacts, &work.problem, &work.solution, |i| i);
        let of_part =
            work.couples_booked(boundaries, &part.contacts, &part.problem, &part.solution, |i| {
                part.movers[i as usize]
            });
        for Booked { friction, impact, boundary, .. } in [booked, of_part] {
            self.state.ledger.friction_loss += friction;
            self.state.ledger.impact_loss += impact;
            self.state.ledger.boundary_work += boundary;
        }
    }
}

impl<S: Dimension> RigidWork<S> {
    /// What the couples of these contacts give and take; `mover` is the workspace's number of a mover of the problem.
    fn couples_booked(
        &self,
        boundaries: &[BoundaryState<S>],
        contacts: &[Contact<S>],
        problem: &ContactProblem<S>,
        solution: &Solution<S>,
        mover: impl Fn(u32) -> u32,
    ) -> Booked {
        let mut booked = Booked::default();
        for (contact, turned) in contacts.iter().zip(&problem.contacts) {
            let Law::Special(place) = turned.law else { continue };
            let Some(couple) = problem.specials[place as usize].couple() else { continue };
            let value = solution.couples[place as usize];
            let before = couple.relative_spin(&turned.map, |i| self.before[mover(i) as usize].spin);
            let after =
                couple.relative_spin(&turned.map, |i| self.solution.twists[mover(i) as usize].spin);
            let lost = -0.5 * (before + after).dot(value);
            let friction = -after.dot(value);
            booked.friction += friction;
            booked.impact += lost - friction;
            let driven = boundary_spin(boundaries, contact);
            booked.boundary += turned.map.frame.spin_to_local(driven).dot(value);
        }
        booked
    }
}

/// Moreau's law at one contact, couples left out. `direction` is the principal direction of friction in the contact
/// plane, where there is one.
pub(crate) fn cone_law<S: Dimension>(
    law: &MoreauLaw,
    direction: Option<S::Tangent>,
    carried_by_first: bool,
    bonded: bool,
    h: f64,
) -> GeneralCone<S> {
    let direction = direction.unwrap_or(S::Tangent::axis(0));
    GeneralCone {
        section: S::section(&law.friction, direction, carried_by_first),
        cohesion: if bonded { law.cohesion.force * h } else { 0.0 },
        fluidity: if law.viscosity > 0.0 { 1.0 / (law.viscosity * h) } else { 0.0 },
        couple: None,
    }
}

/// The law of A-CD² at one contact.
pub(crate) fn percussion_law<S: Dimension>(
    law: &PercussionLaw,
    before: S::Local,
    collides: bool,
) -> Percussion<S> {
    let none = Curve::Linear(0.0);
    match collides {
        true => Percussion {
            before,
            normal: law.normal.clone(),
            pulls: law.pulls,
            tangential: law.tangential.clone(),
            friction: law.friction,
        },
        false => Percussion {
            before,
            normal: none.clone(),
            pulls: false,
            tangential: none,
            friction: f64::INFINITY,
        },
    }
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
