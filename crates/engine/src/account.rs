//! Booking a step in the energy ledger.
//!
//! For one contact with impulse P and relative velocities U⁻, U⁺ (boundary motion included) the
//! bodies receive ½(U⁻+U⁺)·P plus the work of the boundary. With the formal velocity
//! Uᵃ = (ρU⁻ + U⁺)/(1 + ρ), component by component, −½(U⁻+U⁺)·P = −Uᵃ·P + (δ/2)(U⁺−U⁻)·P with
//! δ = (1−ρ)/(1+ρ): the tangential part of the first term is friction, the rest is impact
//! (Jean & Moreau 1992, (6.2)).
//!
//! Couples are booked in the same way with spins, ρ = 0. Cohesion c is a pull of its own: −c n does
//! its work, and what is left of P, P + c n, is booked as above.
//!
//! Sums over bodies and contacts are exact until they are rounded, so that they depend on nobody's order: neither threads nor
//! ranks change the books.

use crate::assemble::boundary_velocity;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Body, Contact, Dimension, Drive, Owner, Setup, StepError, World, ranks};
use drystone_solve::Special;
use drystone_space::{ExactSum, Frame, Local, Vector};
use rayon::prelude::*;

/// Contacts that are booked together.
const CHUNK: usize = 1024;

impl<S: Dimension> World<S> {
    /// Potential energy of a body in gravity.
    pub(crate) fn potential_energy(&self, body: &Body<S>) -> f64 {
        -body.mass * self.setup.gravity.dot(body.pose.position)
    }

    /// Books the energy at the start.
    pub(crate) fn open_ledger(&mut self) {
        self.weigh();
        let ledger = &mut self.state.ledger;
        ledger.initial = ledger.kinetic + ledger.potential + ledger.elastic + ledger.springs;
        ledger.dissipation_min = f64::INFINITY;
    }

    /// Energies now, and the scale of the closure; returns how much energy is present.
    fn weigh(&mut self) -> f64 {
        let mut sums = [const { ExactSum::new() }; 3];
        for (_, body) in self.own_bodies() {
            let height = self.potential_energy(body);
            let terms = [body.kinetic_energy(), height, height.abs()];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
        }
        let [mut kinetic, potential, mut size] = self.sum_over_ranks(sums);
        for (index, state) in self.state.boundaries.iter().enumerate() {
            let (drive, _) = self.state.progress.drive(&self.setup, index);
            if let (Drive::Slider(slider), false) = (drive, state.removed) {
                kinetic += 0.5 * slider.mass * state.speed * state.speed;
            }
        }
        kinetic += self.cell_energy();
        let [moving, lifted, elastic] = self.solid_energies();
        self.state.ledger.kinetic = kinetic + moving;
        self.state.ledger.potential = potential + lifted;
        self.state.ledger.elastic = elastic;
        self.state.ledger.springs = self.spring_energy() + self.press_energy();
        size += lifted.abs() + elastic + self.state.ledger.springs + self.state.ledger.bonds;
        let present = kinetic + moving + size;
        self.state.ledger.scale = self.state.ledger.scale.max(present);
        present
    }

    /// Books what changed the energy in this step.
    pub(crate) fn account(&mut self) -> Result<(), StepError> {
        self.book_new_presses();
        let (springs, loss) = (self.state.ledger.springs, self.state.ledger.loss());
        self.book_loads();
        self.book_from_outside();
        self.book_contacts();
        self.book_forces();
        self.book_cell();
        self.book_recovery();
        self.book_spins();
        self.book_joints();
        self.book_presses();
        self.book_bonds();
        self.book_couples();
        self.account_solids()?;
        self.rejoin_part();
        self.state.contacts = std::mem::take(&mut self.work.rigid.contacts);
        self.state.couples = std::mem::take(&mut self.work.rigid.couples);
        self.form_bonds_on_contact();
        let present = self.weigh();
        let ledger = &mut self.state.ledger;
        ledger.atomisation_work += ledger.springs - springs;
        if present > 0.0 {
            let part = (ledger.loss() - loss) / present;
            ledger.dissipation_min = ledger.dissipation_min.min(part);
        }
        let flow = ledger.external_work.abs().max(ledger.boundary_work.abs());
        ledger.scale = ledger.scale.max(flow);
        ledger.closure_max = ledger.closure_max.max(ledger.closure());
        Ok(())
    }

    /// ½(u_f+u_i)·hF of loads on bodies and on sliders.
    fn book_loads(&mut self) {
        let h = self.setup.time_step;
        let middle = self.time() + 0.5 * h;
        let (before, after) = (&self.work.rigid.before, &self.work.rigid.solution.twists);
        let loads = &self.setup.loads;
        let work_of = |load: usize, index: usize| {
            let (b, a, load) = (&before[index], &after[index], &loads[load]);
            let power = load.force.dot(b.velocity + a.velocity) + load.torque.dot(b.spin + a.spin);
            0.5 * h * load.factor_at(middle) * power
        };
        let done = self.state.ledger.external_work;
        self.state.ledger.external_work =
            ranks::add_each(&self.work.ranks, done, loads.iter().map(|load| load.body), work_of);
        for (index, state) in self.state.boundaries.iter().enumerate() {
            let (drive, _) = self.state.progress.drive(&self.setup, index);
            if let (Drive::Slider(slider), false) = (drive, state.removed) {
                let mover = self.work.rigid.sliders[index].mover as usize;
                let speeds = slider.mover_axis().dot(before[mover].spin + after[mover].spin);
                let load = self.load_of(index, slider, middle);
                self.state.ledger.external_work += 0.5 * h * load * speeds;
            }
        }
    }

    /// Gives contacts their impulses, and sums up what they give and take.
    pub(crate) fn settle_contacts(&mut self) {
        let mut contacts = std::mem::take(&mut self.work.rigid.contacts);
        let (work, setup, boundaries) = (&self.work.rigid, &self.setup, &self.state.boundaries);
        let ranks = self.work.ranks.as_ref();
        let settle = |(part, contacts): (usize, &mut [Contact<S>])| {
            let mut books = Books::default();
            for (contact, index) in contacts.iter_mut().zip(part * CHUNK..) {
                // Contacts of a problem without special laws may stand nowhere.
                let problem = work.problem.contacts.get(index);
                let special = problem.and_then(|c| c.law.special(&work.problem.specials));
                let impulse = work.found_impulse(index);
                let booked = work.settle(setup, boundaries, contact, impulse, special);
                if ranks.is_none_or(|ranks| ranks.counts(contact)) {
                    books.add(&booked);
                }
            }
            books
        };
        let chunks = contacts.par_chunks_mut(CHUNK).enumerate().map(settle);
        // Exact sums: it does not matter how they are put together.
        let chunks = chunks.with_min_len(self.work.threads.least_share(1));
        let mut all = chunks.reduce(Books::default, |mut one, other| {
            one.merge(&other);
            one
        });
        // Beside solids overlaps are made good by velocities.
        self.work.rigid.recovery.by_positions &= self.state.solids.is_empty();
        let work = &self.work.rigid;
        let part = &mut self.work.solid.part;
        let found = part.problem.contacts.iter().zip(&part.solution.impulses);
        for (contact, (problem, &impulse)) in part.contacts.iter_mut().zip(found) {
            let special = problem.law.special(&part.problem.specials);
            all.add(&work.settle(setup, boundaries, contact, impulse, special));
        }
        self.work.rigid.recovery.by_positions = false;
        (self.work.rigid.contacts, self.work.rigid.booked) = (contacts, all);
    }

    /// What contacts give and take, and what the boundaries feel.
    fn book_contacts(&mut self) {
        let (components, boundaries) = (S::DIMENSION, self.state.boundaries.len());
        let mut felt = std::mem::take(&mut self.work.rigid.felt);
        felt.clear();
        felt.resize(components * boundaries, ExactSum::new());
        let mut feel = |index: usize, impulse: S::Vector| {
            let sums = &mut felt[components * index..][..components];
            sums.iter_mut().enumerate().for_each(|(axis, sum)| sum.add(impulse.get(axis)));
        };
        for (index, &impulse) in self.work.sleep.on_boundaries.iter().enumerate() {
            feel(index, impulse);
        }
        let own = self.work.rigid.contacts.iter().filter(|contact| self.counts(contact));
        for contact in own.chain(&self.work.solid.part.contacts) {
            if let Owner::Boundary(index) = contact.second {
                feel(index as usize, -contact.impulse);
            }
        }
        self.add_up(&mut felt);
        for (state, felt) in self.state.boundaries.iter_mut().zip(felt.chunks(components)) {
            state.impulse = S::Vector::from_fn(|axis| felt[axis].value());
        }
        self.work.rigid.felt = felt;
        let mut all = Books::default();
        self.book_strikes(&mut all);
        all.merge(&self.work.rigid.booked);
        let [cohesion, friction, recovery, impact, boundary] = self.sum_over_ranks(all.0);
        self.state.ledger.cohesion_work += cohesion;
        self.state.ledger.friction_loss += friction;
        self.state.ledger.recovery_work += recovery;
        self.state.ledger.impact_loss += impact;
        self.state.ledger.boundary_work += boundary;
    }
}

impl<S: Dimension> RigidWork<S> {
    /// Gives one contact its impulse; returns what it gives and takes.
    fn settle(
        &self,
        setup: &Setup<S>,
        boundaries: &[BoundaryState<S>],
        contact: &mut Contact<S>,
        impulse: S::Local,
        special: Option<&Special<S>>,
    ) -> Booked {
        let map = self.map(contact.first, contact.second, contact.point, contact.normal);
        let frame = &map.frame;
        // By what the second side moves as given, before the step and after it.
        let driven = match self.flow(contact.first, contact.second) {
            Some([flow, _, found]) => [-flow, -found],
            None => [boundary_velocity(boundaries, contact); 2],
        };
        let moving = map.to_contact(&self.solution.twists);
        contact.impulse = frame.to_world(impulse);
        if impulse == S::Local::ZERO && special.is_none() {
            return Booked::default();
        }
        let cohesion = special.map_or(0.0, |special| special.cohesion());
        let boundary = driven.map(|driven| frame.to_local(driven));
        let before = map.to_contact(&self.before) - boundary[0];
        let after = moving - boundary[1];
        let law = self.law(&setup.laws, contact);
        let lasting = self.lasting(contact);
        let terms = match lasting {
            Some(lasting) => self.lasting_terms(setup, &map, contact.gap, lasting.speed),
            None => self.formal_terms(setup, law, &map, contact.gap, before.normal()),
        };
        let [rho, tau] = law.formal_restitution().unwrap_or(terms.restitution);
        let mut formal = S::Local::new(
            (rho * before.normal() + after.normal()) / (1.0 + rho),
            (before.tangent() * tau + after.tangent()) / (1.0 + tau),
        );
        if let Some(lasting) = lasting {
            // Half of what the law sees, gap aside.
            let slip = frame.to_local(lasting.slip).tangent() * 0.5;
            formal = S::Local::new(-0.5 * terms.closing, formal.tangent() - slip);
        }
        let push = S::Local::new(impulse.normal() + cohesion, impulse.tangent());
        let lost = -0.5 * (before + after).dot(push);
        let friction = -formal.tangent().dot(impulse.tangent());
        let recovery = if terms.closing == 0.0 { 0.0 } else { formal.normal() * push.normal() };
        Booked {
            cohesion: -0.5 * cohesion * (before + after).normal(),
            friction,
            recovery,
            impact: lost - friction + recovery,
            boundary: match boundary[0] == boundary[1] {
                true => boundary[0].dot(impulse),
                false => 0.5 * (boundary[0] + boundary[1]).dot(impulse),
            },
        }
    }
}

/// What contacts add to the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Booked {
    pub cohesion: f64,
    pub friction: f64,
    pub recovery: f64,
    pub impact: f64,
    pub boundary: f64,
}

/// The sums of what contacts add, in the order of [`Booked`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Books([ExactSum; 5]);

impl Books {
    pub fn add(&mut self, booked: &Booked) {
        let &Booked { cohesion, friction, recovery, impact, boundary } = booked;
        let terms = [cohesion, friction, recovery, impact, boundary];
        for (sum, term) in self.0.iter_mut().zip(terms).filter(|(_, term)| *term != 0.0) {
            sum.add(term);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, other)| sum.merge(other));
    }
}
