//! Impacts by laws in impulse space, at the midpoint of a step.
//!
//! Where the law of a pair has an [`ImpactLaw`], a contact whose sides approach faster than those of a resting one, once its gap has closed, is an
//! impact by that law, and so are all contacts of such laws that touch at that moment and are connected to it by bodies: a blow goes through a
//! row of balls at once. `drystone_solve::Impact` follows the impulses, from the velocities that half of the forces have made of
//! u_i. What the blow has changed is added to the free velocities; all contacts, those that were struck too, obey Moreau's law without restitution
//! at the end of the step, when the other half of the forces has acted. So a ball bounces as high as it fell, and what is between bodies of
//! other laws feels the blow in that solve.
//!
//! The impulses of a blow do the work ½(u_i + u_f)·G*P, as all others of the step.

use crate::account::{Booked, Books};
use crate::assemble::boundary_velocity;
use crate::contact::{Name, index_of};
use crate::{Contact, Dimension, Friction, PairLaw, Setup, World};
use drystone_detect::Geometry;
use drystone_solve::{GROUND, Impact, Touching, Twist, UnionFind};
use drystone_space::{Frame, Local, Vector};

/// What keeps laws of impact from being computed in a setup; none where there are no such laws.
pub fn unfit_for_impacts<S: Geometry>(setup: &Setup<S>) -> Option<&'static str> {
    if !setup.laws.has_impacts() {
        return None;
    }
    if !setup.joints.is_empty() {
        return Some("joints, through which impulses go at once");
    }
    if !setup.solids.is_empty() {
        return Some("deformable solids, which take their time");
    }
    let mut laws = setup.laws.all().filter_map(|law| law.impact());
    let first = laws.next()?.exponent;
    laws.any(|law| law.exponent != first)
        .then_some("another exponent in another law, for only ratios of stiffness count")
}

/// What of a law does not go together with its law of impact.
pub fn unfit_beside_impact(law: &PairLaw) -> Option<&'static str> {
    let (moreau, impact) = (law.moreau()?, law.impact()?);
    let restitution = |r: f64| (0.0..=1.0).contains(&r);
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if law.restitution() != [0.0; 2] {
        return Some("restitution of another law");
    }
    if !matches!(moreau.friction, Friction::Isotropic(_)) || moreau.viscosity > 0.0 {
        return Some("friction that is more than one coefficient");
    }
    if moreau.cohesion.force > 0.0 {
        return Some("cohesion");
    }
    let good = restitution(impact.restitution)
        && positive(impact.stiffness)
        && (1.0..=3.0).contains(&impact.exponent);
    (!good).then_some("a restitution, stiffness or exponent out of its range")
}

/// Scratch of impacts, and what they have done in the step.
#[derive(Debug)]
pub(crate) struct StrikeWork<S: Dimension> {
    /// Impulses of contacts that were struck, in the order of shapes.
    pub impulses: Vec<(Name, S::Vector)>,
    /// Energy that friction took.
    friction: f64,
    /// Whether all impacts came to their end.
    pub ended: bool,
    impact: Impact<S>,
    /// Contacts of impact laws that touch, by number, with the group of each; then those of one group.
    touching: Vec<(u32, u32)>,
    contacts: Vec<Touching<S>>,
    found: Vec<S::Local>,
    /// Velocities as the blows change them.
    twists: Vec<Twist<S>>,
    groups: UnionFind,
    approached: Vec<bool>,
}

impl<S: Dimension> Default for StrikeWork<S> {
    fn default() -> Self {
        Self {
            impulses: Vec::new(),
            friction: 0.0,
            ended: true,
            impact: Impact::default(),
            touching: Vec::new(),
            contacts: Vec::new(),
            found: Vec::new(),
            twists: Vec::new(),
            groups: UnionFind::default(),
            approached: Vec::new(),
        }
    }
}

/// Gaps that a blow goes through, as a share of the largest coordinate: far less than what bodies give way in a collision, and more than what
/// rounding makes of bodies laid at each other.
const TOUCHING: f64 = 1e-9;

impl<S: Dimension> World<S> {
    /// Contacts with laws of impact touch up to this gap.
    pub(crate) fn touching_gap(&self) -> f64 {
        self.closed_gap().max(TOUCHING * self.work.rigid.reach)
    }

    /// Makes the impacts of the step.
    pub(crate) fn strike(&mut self) {
        let mut work = std::mem::take(&mut self.work.strikes);
        work.begin();
        if self.setup.laws.has_impacts() {
            self.note_noise();
        }
        if self.setup.laws.has_impacts() && self.find_impacts(&mut work) {
            let (before, free) = (&self.work.rigid.before, &self.work.rigid.problem.free);
            work.twists.clear();
            work.twists
                .extend(before.iter().zip(free).map(|(before, free)| half_way(before, free)));
            let mut from = 0;
            while from < work.touching.len() {
                let group = work.touching[from].1;
                let len = work.touching[from..].iter().take_while(|t| t.1 == group).count();
                if work.approached[group as usize] {
                    self.strike_group(&mut work, from..from + len);
                }
                from += len;
            }
            work.impulses.sort_unstable_by_key(|struck| struck.0);
            self.take_up(&mut work);
        }
        self.work.strikes = work;
    }

    /// Finds the contacts that take part, group by group; says whether any approaches.
    fn find_impacts(&self, work: &mut StrikeWork<S>) -> bool {
        let rigid = &self.work.rigid;
        let closed = self.touching_gap();
        let slow = self.setup.resting_speed().max(rigid.problem.velocity_noise);
        work.groups.reset(rigid.before.len());
        let mut any = false;
        let side = |mover: u32| (mover != GROUND && rigid.moves(mover)).then_some(mover);
        for (index, contact) in rigid.contacts.iter().enumerate() {
            let law = rigid.law(&self.setup.laws, contact);
            if law.impact().is_none() || contact.gap > closed {
                continue;
            }
            let (first, second) = (rigid.mover(contact.first), rigid.mover(contact.second));
            let [first, second] = [side(first), side(second)];
            if let (Some(first), Some(second)) = (first, second) {
                work.groups.union(first, second);
            }
            if let Some(any) = first.or(second) {
                work.touching.push((index as u32, any));
            }
        }
        work.approached.resize(rigid.before.len(), false);
        for (index, group) in &mut work.touching {
            *group = work.groups.find(*group);
            let approaches = self.approach(&rigid.contacts[*index as usize]) > slow;
            work.approached[*group as usize] |= approaches;
            any |= approaches;
        }
        work.touching.sort_unstable_by_key(|&(index, group)| (group, index));
        any
    }

    fn approach(&self, contact: &Contact<S>) -> f64 {
        let rigid = &self.work.rigid;
        let Contact { first, second, point, normal, .. } = *contact;
        let before = rigid.map(first, second, point, normal).to_contact(&rigid.before).normal();
        normal.dot(boundary_velocity(&self.state.boundaries, contact)) - before
    }

    /// Follows the impulses of one group of contacts.
    fn strike_group(&self, work: &mut StrikeWork<S>, group: std::ops::Range<usize>) {
        let rigid = &self.work.rigid;
        work.contacts.clear();
        let of_group = &work.touching[group];
        work.contacts.extend(of_group.iter().filter_map(|&(index, _)| {
            let contact = &rigid.contacts[index as usize];
            let law = rigid.law(&self.setup.laws, contact);
            let Contact { first, second, point, normal, .. } = *contact;
            let map = rigid.map(first, second, point, normal);
            let driven = map.frame.to_local(boundary_velocity(&self.state.boundaries, contact));
            let friction = law.largest_friction();
            Some(Touching { map, driven, friction, law: *law.impact()? })
        }));
        let StrikeWork { impact, contacts, found, twists, .. } = work;
        let struck = impact.strike(contacts, &rigid.problem.movers, twists, found);
        work.ended &= struck.ended;
        work.friction += struck.friction;
        let all = of_group.iter().zip(contacts.iter().zip(found.iter()));
        for (&(index, _), (touching, &impulse)) in all {
            if impulse != S::Local::ZERO {
                let name = rigid.contacts[index as usize].name();
                work.impulses.push((name, touching.map.frame.to_world(impulse)));
            }
        }
    }

    /// Adds what the blows have changed to the free velocities.
    fn take_up(&mut self, work: &mut StrikeWork<S>) {
        let rigid = &mut self.work.rigid;
        for ((before, free), after) in
            rigid.before.iter().zip(&mut rigid.problem.free).zip(&work.twists)
        {
            let start = half_way(before, free);
            free.velocity += after.velocity - start.velocity;
            free.spin += after.spin - start.spin;
        }
    }

    /// What the impacts gave and took.
    pub(crate) fn book_strikes(&self, books: &mut Books) {
        let (work, rigid) = (&self.work.strikes, &self.work.rigid);
        let (friction, impact) = (work.friction, -work.friction);
        books.add(&Booked { friction, impact, ..Booked::default() });
        for &(name, impulse) in &work.impulses {
            let Some(contact) = index_of(&rigid.contacts, name).map(|at| &rigid.contacts[at])
            else {
                continue;
            };
            let Contact { first, second, point, normal, .. } = *contact;
            let map = rigid.map(first, second, point, normal);
            let driven = boundary_velocity(&self.state.boundaries, contact);
            let mean =
                (map.to_contact(&rigid.before) + map.to_contact(&rigid.solution.twists)) * 0.5;
            let impact = (driven - map.frame.to_world(mean)).dot(impulse);
            books.add(&Booked { impact, boundary: driven.dot(impulse), ..Booked::default() });
        }
    }

    /// Adds the impulses of impacts to those of contacts.
    pub(crate) fn add_strikes(&mut self) {
        let contacts = &mut self.work.rigid.contacts;
        for &(name, impulse) in &self.work.strikes.impulses {
            if let Some(at) = index_of(contacts, name) {
                contacts[at].impulse += impulse;
            }
        }
    }
}

/// The velocities when half of the forces have acted.
fn half_way<S: Dimension>(before: &Twist<S>, free: &Twist<S>) -> Twist<S> {
    Twist {
        velocity: (before.velocity + free.velocity) * 0.5,
        spin: (before.spin + free.spin) * 0.5,
    }
}

impl<S: Dimension> StrikeWork<S> {
    fn begin(&mut self) {
        self.impulses.clear();
        self.touching.clear();
        self.approached.clear();
        (self.friction, self.ended) = (0.0, true);
    }
}
