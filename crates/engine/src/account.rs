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

use crate::assemble::boundary_velocity;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Body, Contact, Dimension, Drive, Owner, Setup, StepError, World};
use drystone_solve::Special;
use drystone_space::{Frame, Local, Vector};
use rayon::prelude::*;
use std::ops::Add;

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
        let (mut kinetic, mut potential, mut size) = (0.0, 0.0, 0.0);
        for body in &self.state.bodies {
            let height = self.potential_energy(body);
            kinetic += body.kinetic_energy();
            potential += height;
            size += height.abs();
        }
        for (boundary, state) in self.setup.boundaries.iter().zip(&self.state.boundaries) {
            if let (Drive::Slider(slider), false) = (&boundary.drive, state.removed) {
                kinetic += 0.5 * slider.mass * state.speed * state.speed;
            }
        }
        let [moving, lifted, elastic] = self.solid_energies();
        self.state.ledger.kinetic = kinetic + moving;
        self.state.ledger.potential = potential + lifted;
        self.state.ledger.elastic = elastic;
        self.state.ledger.springs = self.spring_energy() + self.press_energy();
        size += lifted.abs() + elastic + self.state.ledger.springs;
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
        self.book_forces();
        self.book_contacts();
        self.book_recovery();
        self.book_spins();
        self.book_joints();
        self.book_presses();
        self.book_couples();
        self.account_solids()?;
        self.rejoin_part();
        self.state.contacts = std::mem::take(&mut self.work.rigid.contacts);
        self.state.couples = std::mem::take(&mut self.work.rigid.couples);
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
        for load in &self.setup.loads {
            let factor = load.factor_at(middle);
            let (b, a) = (&before[load.body], &after[load.body]);
            let power = load.force.dot(b.velocity + a.velocity) + load.torque.dot(b.spin + a.spin);
            self.state.ledger.external_work += 0.5 * h * factor * power;
        }
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            let state = &self.state.boundaries[index];
            if let (Drive::Slider(slider), false) = (&boundary.drive, state.removed) {
                let mover = self.work.rigid.sliders[index].0 as usize;
                let (axis, _) = S::slider(slider.direction);
                let speeds = axis.dot(before[mover].spin + after[mover].spin);
                self.state.ledger.external_work += 0.5 * h * state.load(slider, middle) * speeds;
            }
        }
    }

    /// Gives contacts their impulses, and sums up what they give and take.
    pub(crate) fn settle_contacts(&mut self) {
        let mut contacts = std::mem::take(&mut self.work.rigid.contacts);
        let mut parts = std::mem::take(&mut self.work.rigid.booked);
        let (work, setup, boundaries) = (&self.work.rigid, &self.setup, &self.state.boundaries);
        // Sums over chunks of a fixed length do not depend on who makes them.
        let settle = |(part, contacts): (usize, &mut [Contact<S>])| {
            let all = contacts.iter_mut().zip(part * CHUNK..);
            all.fold(Booked::default(), |sum, (contact, index)| {
                // Contacts of a problem without special laws may stand nowhere.
                let problem = work.problem.contacts.get(index);
                let special = problem.and_then(|c| c.law.special(&work.problem.specials));
                let impulse = work.found_impulse(index);
                sum + work.settle(setup, boundaries, contact, impulse, special)
            })
        };
        let chunks = contacts.par_chunks_mut(CHUNK).enumerate().map(settle);
        chunks.with_min_len(self.work.threads.least_share(1)).collect_into_vec(&mut parts);
        // Beside solids overlaps are made good by velocities.
        self.work.rigid.recovery.by_positions &= self.state.solids.is_empty();
        let work = &self.work.rigid;
        let part = &mut self.work.solid.part;
        let found = part.problem.contacts.iter().zip(&part.solution.impulses);
        for (contact, (problem, &impulse)) in part.contacts.iter_mut().zip(found) {
            let special = problem.law.special(&part.problem.specials);
            parts.push(work.settle(setup, boundaries, contact, impulse, special));
        }
        self.work.rigid.recovery.by_positions = false;
        (self.work.rigid.contacts, self.work.rigid.booked) = (contacts, parts);
    }

    /// What contacts give and take, and what the boundaries feel.
    fn book_contacts(&mut self) {
        for state in &mut self.state.boundaries {
            state.impulse = S::Vector::ZERO;
        }
        for (state, &impulse) in
            self.state.boundaries.iter_mut().zip(&self.work.sleep.on_boundaries)
        {
            state.impulse += impulse;
        }
        for contact in self.work.rigid.contacts.iter().chain(&self.work.solid.part.contacts) {
            if let Owner::Boundary(index) = contact.second {
                self.state.boundaries[index as usize].impulse -= contact.impulse;
            }
        }
        let struck = self.book_strikes();
        let all = self.work.rigid.booked.iter().fold(struck, |all, &part| all + part);
        self.state.ledger.cohesion_work += all.cohesion;
        self.state.ledger.friction_loss += all.friction;
        self.state.ledger.recovery_work += all.recovery;
        self.state.ledger.impact_loss += all.impact;
        self.state.ledger.boundary_work += all.boundary;
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
        let driven = boundary_velocity(boundaries, contact);
        let moving = map.to_contact(&self.solution.twists);
        contact.impulse = frame.to_world(impulse);
        if impulse == S::Local::ZERO && special.is_none() {
            return Booked::default();
        }
        let cohesion = special.map_or(0.0, |special| special.cohesion());
        let boundary = frame.to_local(driven);
        let before = map.to_contact(&self.before) - boundary;
        let after = moving - boundary;
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
            boundary: boundary.dot(impulse),
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

impl Add for Booked {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cohesion: self.cohesion + other.cohesion,
            friction: self.friction + other.friction,
            recovery: self.recovery + other.recovery,
            impact: self.impact + other.impact,
            boundary: self.boundary + other.boundary,
        }
    }
}
