//! The contact problem of a step: maps, offsets of the formal velocity, warm start.
//!
//! Uᵃ is what a law sees, ρ G u_i + G u_f with what boundaries move by and what gaps still allow (Moreau 2003, (40)).
//! Sweeps lay contacts out in an order of their own, so that the contacts of a large problem are made as they are
//! taken, and stand in no list.

use crate::contact_form::FormalTerms;
use crate::ranks;
use crate::special::PreparedSpecial;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Body, Contact, Dimension, Owner, PairLaw, Setup, World};
use drystone_detect::Touch;
use drystone_solve::{
    Contact as ProblemContact, ContactMap, Contacts, Law, Listed, Mover, fits_assembled,
};
use drystone_space::{Frame, Local, Vector, clear_for};
use rayon::prelude::*;

/// Rounding of velocities in a step, as a share of the largest.
pub(crate) const VELOCITY_ROUNDING: f64 = 256.0 * f64::EPSILON;

impl<S: Dimension> World<S> {
    /// Makes what the solver has found the start of another solve of the same step.
    pub(crate) fn recall_solution(&mut self) {
        let work = &mut self.work.rigid;
        for index in 0..work.contacts.len() {
            work.contacts[index].impulse = work.found_push(index);
        }
        work.recall_couples();
        self.recall_bonds();
        self.recall_part();
    }

    /// The contact problem: maps, blocks, offsets of the formal velocity, warm start.
    pub(crate) fn assemble(&mut self) {
        self.assemble_rigid();
        self.ready_joints();
        // Beside solids overlaps are made good by velocities.
        let by_positions = self.work.rigid.recovery.by_positions;
        self.work.rigid.recovery.by_positions &= self.state.solids.is_empty();
        self.assemble_part();
        self.work.rigid.recovery.by_positions = by_positions;
    }

    /// Notes what rounding can make of free velocities, as they are now.
    pub(crate) fn note_noise(&mut self) {
        let problem = &mut self.work.rigid.problem;
        let speed = problem.free.iter().fold(0.0f64, |s, t| s.max(t.velocity.norm_squared()));
        let [speed] = ranks::largest(&self.work.ranks, [speed]);
        problem.velocity_noise = VELOCITY_ROUNDING * speed.sqrt();
    }

    /// The problem of all that no contact joins to a solid.
    fn assemble_rigid(&mut self) {
        self.note_noise();
        let (work, setup, boundaries) = (&mut self.work.rigid, &self.setup, &self.state.boundaries);
        work.problem.contacts.clear();
        work.problem.specials.clear();
        work.solution.impulses.clear();
        work.solution.couples.clear();
        if self.work.ranks.is_some() {
            return;
        }
        if setup.laws.is_plain() {
            self.share_cell();
            return self.assemble_plain();
        }
        clear_for(&mut work.problem.contacts, work.contacts.len());
        clear_for(&mut work.solution.impulses, work.contacts.len());
        for index in 0..work.contacts.len() {
            match work.prepared(setup, &self.state.bodies, boundaries, &work.contacts[index]) {
                Prepared::Coulomb(contact, start) => {
                    work.solution.impulses.push(start);
                    work.problem.contacts.push(contact);
                }
                Prepared::Special(map, law) => {
                    let relaxation = setup.solver.relaxation;
                    law.push(map, relaxation, &mut work.problem, &mut work.solution);
                }
            }
        }
        work.push_bonds(setup, boundaries);
    }

    /// The same where Coulomb's coefficient is all that the solver must know of every pair. Contacts of large problems,
    /// which only sweeps solve, are made as these take them ([`MadeContacts`]).
    fn assemble_plain(&mut self) {
        if !self.lists_contacts() {
            return;
        }
        let mut listed = std::mem::take(&mut self.work.rigid.problem.contacts);
        let mut starts = std::mem::take(&mut self.work.rigid.solution.impulses);
        clear_for(&mut listed, self.work.rigid.contacts.len());
        clear_for(&mut starts, self.work.rigid.contacts.len());
        let made = self.made_contacts(&self.work.rigid.contacts);
        let all = made
            .contacts
            .par_iter()
            .with_min_len(self.work.threads.least_share(made.setup.params.parallel.contacts));
        let both = all.map(|contact| {
            let prepared = made.make(contact);
            (prepared, warm_start(contact, prepared.law, &prepared.map.frame))
        });
        both.unzip_into_vecs(&mut listed, &mut starts);
        (self.work.rigid.problem.contacts, self.work.rigid.solution.impulses) = (listed, starts);
    }

    /// Whether the contacts of the problem stand in a list: where another method than sweeps may be asked for, or
    /// somebody who looks at the problem afterwards.
    pub(crate) fn lists_contacts(&self) -> bool {
        let plain = self.setup.laws.is_plain();
        let large = !fits_assembled::<S>(self.work.rigid.contacts.len());
        !plain || !large || self.work.rigid.keeps_start || self.asks_direct()
    }

    /// The contacts of the problem, as they are made when somebody asks.
    pub(crate) fn made_contacts<'a>(&'a self, contacts: &'a [Contact<S>]) -> MadeContacts<'a, S> {
        MadeContacts {
            setup: &self.setup,
            boundaries: &self.state.boundaries,
            work: &self.work.rigid,
            contacts,
        }
    }
}

/// A contact as the solver wants it.
pub(crate) enum Prepared<S: Dimension> {
    /// Under Coulomb's law, with the impulse to begin with.
    Coulomb(ProblemContact<S>, S::Local),
    /// Under another law.
    Special(ContactMap<S>, PreparedSpecial<S>),
}

impl<S: Dimension> RigidWork<S> {
    /// A contact as the solver wants it.
    pub fn prepared(
        &self,
        setup: &Setup<S>,
        bodies: &[Body<S>],
        boundaries: &[BoundaryState<S>],
        contact: &Contact<S>,
    ) -> Prepared<S> {
        let law = self.law(&setup.laws, contact);
        let Some(friction) = law.coulomb_friction() else {
            let (map, offset) = self.formal(setup, boundaries, contact, law);
            let law = self.special(setup, bodies, boundaries, contact, &map, offset);
            return Prepared::Special(map, law);
        };
        let friction = friction * self.bond_friction(law, contact);
        let prepared = self.plain(setup, boundaries, contact, law, friction);
        let start = warm_start(contact, prepared.law, &prepared.map.frame);
        Prepared::Coulomb(prepared, start)
    }

    /// G of a contact, and what is added to G u before the law sees it.
    #[inline(always)]
    fn formal(
        &self,
        setup: &Setup<S>,
        boundaries: &[BoundaryState<S>],
        contact: &Contact<S>,
        law: &PairLaw,
    ) -> (ContactMap<S>, S::Local) {
        let map = self.map(contact.first, contact.second, contact.point, contact.normal);
        if let Some([flow, after, _]) = self.flow(contact.first, contact.second) {
            return (map, self.formal_in_flow(setup, contact, law, &map, [flow, after]));
        }
        let boundary = boundary_velocity(boundaries, contact);
        if let Some(lasting) = self.lasting(contact) {
            let boundary = map.frame.to_local(boundary);
            let before = map.to_contact(&self.before) - boundary;
            let closing = self.lasting_terms(setup, &map, contact.gap, lasting.speed).closing;
            let slip = map.frame.to_local(lasting.slip);
            let normal = before.normal() - lasting.speed + closing - boundary.normal();
            let tangent = before.tangent() - slip.tangent() - boundary.tangent();
            return (map, S::Local::new(normal, tangent));
        }
        if boundary == S::Vector::ZERO && law.restitution() == [0.0; 2] {
            let terms = self.formal_terms(setup, law, &map, contact.gap, 0.0);
            return (map, S::Local::new(terms.closing, S::Tangent::ZERO));
        }
        let (boundary, before) = (map.frame.to_local(boundary), map.to_contact(&self.before));
        let speed = before.normal() - boundary.normal();
        let FormalTerms { restitution: [rho, tau], closing } =
            self.formal_terms(setup, law, &map, contact.gap, speed);
        // ρ G u_i + (1 + ρ) W with W minus the boundary's velocity (Moreau 2003, (40)).
        let normal = rho * before.normal() - (1.0 + rho) * boundary.normal();
        let tangent = before.tangent() * tau - boundary.tangent() * (1.0 + tau);
        (map, S::Local::new(normal + closing, tangent))
    }

    /// What is added to G u where the sides of a contact part by the flow of a cell too, before the step and after it.
    fn formal_in_flow(
        &self,
        setup: &Setup<S>,
        contact: &Contact<S>,
        law: &PairLaw,
        map: &ContactMap<S>,
        flow: [S::Vector; 2],
    ) -> S::Local {
        let [flow, after] = flow.map(|flow| map.frame.to_local(flow));
        let before = map.to_contact(&self.before) + flow;
        let FormalTerms { restitution: [rho, tau], closing } =
            self.formal_terms(setup, law, map, contact.gap, before.normal());
        let normal = rho * before.normal() + after.normal() + closing;
        S::Local::new(normal, before.tangent() * tau + after.tangent())
    }

    /// Normal velocity of a touch's first side relative to the second before the step, as its law sees it.
    pub(crate) fn speed_before(
        &self,
        boundaries: &[BoundaryState<S>],
        (first, second): (Owner, Owner),
        touch: &Touch<S>,
    ) -> f64 {
        let map = self.map(first, second, touch.point, touch.normal);
        let driven = match self.flow(first, second) {
            Some([flow, ..]) => -flow,
            None => boundary_velocity_at(boundaries, second, touch.point),
        };
        map.to_contact(&self.before).normal() - touch.normal.dot(driven)
    }

    /// What enters the formal velocity of a contact whose sides part with this speed before the step. Where one side is
    /// held, an overlap is not made good: what is between two such bodies could not give way to both.
    #[inline(always)]
    pub(crate) fn formal_terms(
        &self,
        setup: &Setup<S>,
        law: &PairLaw,
        map: &ContactMap<S>,
        gap: f64,
        speed: f64,
    ) -> FormalTerms {
        self.without_recovery(setup.formal_terms(law, gap, speed), map)
    }

    /// The same of a contact that lasts, with its gap and speed at the start of the step: the law sees U⁻ + U⁺ − U°.
    pub(crate) fn lasting_terms(
        &self,
        setup: &Setup<S>,
        map: &ContactMap<S>,
        gap: f64,
        speed: f64,
    ) -> FormalTerms {
        let closing = setup.form.lasting(gap, speed, setup.time_step);
        self.without_recovery(FormalTerms { restitution: [1.0; 2], closing }, map)
    }

    fn without_recovery(&self, mut terms: FormalTerms, map: &ContactMap<S>) -> FormalTerms {
        if terms.closing < 0.0 && (self.recovery.by_positions || self.is_held(map)) {
            terms.closing = 0.0;
        }
        terms
    }

    /// Whether a side of a contact answers to no impulse although it is a body.
    fn is_held(&self, map: &ContactMap<S>) -> bool {
        let held = |mover: u32| self.problem.movers.get(mover as usize) == Some(&Mover::default());
        held(map.first) || held(map.second)
    }

    /// Whether a contact that overlaps makes that good in this step.
    pub(crate) fn makes_good(
        &self,
        setup: &Setup<S>,
        boundaries: &[BoundaryState<S>],
        contact: &Contact<S>,
    ) -> bool {
        let map = self.map(contact.first, contact.second, contact.point, contact.normal);
        if let Some(lasting) = self.lasting(contact) {
            return self.lasting_terms(setup, &map, contact.gap, lasting.speed).closing < 0.0;
        }
        let driven = match self.flow(contact.first, contact.second) {
            Some([flow, ..]) => -flow,
            None => boundary_velocity(boundaries, contact),
        };
        let before = map.to_contact(&self.before).normal() - contact.normal.dot(driven);
        let law = self.law(&setup.laws, contact);
        self.formal_terms(setup, law, &map, contact.gap, before).closing < 0.0
    }

    /// Whether a contact is between balls, or one and a boundary.
    fn is_round(&self, contact: &Contact<S>) -> bool {
        self.shapes.is_ball(contact.first) && self.shapes.is_ball(contact.second)
    }

    /// A contact under Coulomb's law as the solver wants it, with this coefficient.
    #[inline(always)]
    fn plain(
        &self,
        setup: &Setup<S>,
        boundaries: &[BoundaryState<S>],
        contact: &Contact<S>,
        pair: &PairLaw,
        friction: f64,
    ) -> ProblemContact<S> {
        let (map, offset) = self.formal(setup, boundaries, contact, pair);
        let law = Law::with_friction(friction);
        let relaxation = self.soften_for_cell(contact, setup.solver.relaxation);
        ProblemContact::new(map, offset, law, &self.problem.movers, relaxation)
    }
}

/// Contacts under Coulomb's law that are made when the solver asks for them.
#[derive(Clone, Copy)]
pub(crate) struct MadeContacts<'a, S: Dimension> {
    setup: &'a Setup<S>,
    boundaries: &'a [BoundaryState<S>],
    work: &'a RigidWork<S>,
    contacts: &'a [Contact<S>],
}

impl<S: Dimension> MadeContacts<'_, S> {
    #[inline(always)]
    pub fn make(&self, contact: &Contact<S>) -> ProblemContact<S> {
        let pair = self.work.law(&self.setup.laws, contact);
        self.work.plain(self.setup, self.boundaries, contact, pair, pair.largest_friction())
    }
}

impl<S: Dimension> Contacts<S> for MadeContacts<'_, S> {
    fn count(&self) -> usize {
        self.contacts.len()
    }
    fn movers(&self, index: usize) -> (u32, u32) {
        let contact = &self.contacts[index];
        (self.work.mover(contact.first), self.work.mover(contact.second))
    }
    fn is_apart(&self, index: usize) -> bool {
        self.contacts[index].shapes != self.contacts[index - 1].shapes
    }
    fn is_round(&self, index: usize) -> bool {
        self.work.is_round(&self.contacts[index])
    }
    fn normal(&self, index: usize) -> S::Vector {
        self.contacts[index].normal
    }
    fn start(&self, index: usize, contact: &ProblemContact<S>) -> S::Local {
        warm_start(&self.contacts[index], contact.law, &contact.map.frame)
    }
    fn contact<'a>(
        &'a self,
        index: usize,
        room: &'a mut Option<ProblemContact<S>>,
    ) -> &'a ProblemContact<S> {
        room.insert(self.make(&self.contacts[index]))
    }
}

/// Contacts of a problem that stand in a list, and what shapes they are of.
pub(crate) struct ListedContacts<'a, S: Dimension> {
    pub listed: Listed<'a, S>,
    pub contacts: &'a [Contact<S>],
    pub work: &'a RigidWork<S>,
}

impl<S: Dimension> Contacts<S> for ListedContacts<'_, S> {
    fn count(&self) -> usize {
        self.listed.count()
    }
    fn movers(&self, index: usize) -> (u32, u32) {
        self.listed.movers(index)
    }
    fn is_apart(&self, index: usize) -> bool {
        // Bonds stand after the contacts.
        let shapes = |index: usize| self.contacts.get(index).map(|contact| contact.shapes);
        shapes(index).is_none_or(|own| shapes(index - 1) != Some(own))
    }
    fn is_round(&self, index: usize) -> bool {
        self.contacts.get(index).is_none_or(|contact| self.work.is_round(contact))
    }
    fn normal(&self, index: usize) -> S::Vector {
        self.listed.normal(index)
    }
    fn start(&self, index: usize, contact: &ProblemContact<S>) -> S::Local {
        self.listed.start(index, contact)
    }
    fn contact<'a>(
        &'a self,
        index: usize,
        room: &'a mut Option<ProblemContact<S>>,
    ) -> &'a ProblemContact<S> {
        self.listed.contact(index, room)
    }
}

/// Where the solve begins: with the impulse of the last step, as far as the law of this one allows it.
#[inline]
fn warm_start<S: Dimension>(contact: &Contact<S>, law: Law, frame: &S::Frame) -> S::Local {
    if contact.impulse == S::Vector::ZERO {
        return S::Local::ZERO;
    }
    law.project::<S>(frame.to_local(contact.impulse))
}

/// Velocity of the given motion of a contact's second side at the contact point; zero if it is a
/// body or a slider, whose velocities are unknowns.
pub(crate) fn boundary_velocity<S: Dimension>(
    boundaries: &[BoundaryState<S>],
    contact: &Contact<S>,
) -> S::Vector {
    boundary_velocity_at(boundaries, contact.second, contact.point)
}

/// The same of the side `owner` at any point.
#[inline]
pub(crate) fn boundary_velocity_at<S: Dimension>(
    boundaries: &[BoundaryState<S>],
    owner: Owner,
    point: S::Vector,
) -> S::Vector {
    match owner {
        Owner::Body(_) => S::Vector::ZERO,
        Owner::Boundary(index) => {
            let state = &boundaries[index as usize];
            state.velocity + S::velocity_at(state.spin, point - state.midpoint.position)
        }
    }
}
