//! Which bodies a rank has in its world: its own and, as ghosts, those of others that these may touch.
//!
//! A body stays with its rank until it crosses into a cell of another, and a ghost as long as it may be touched. Then all
//! worlds are made anew: each rank sends its bodies, and what is left of the contacts of the last step, to all that must know
//! of them from now on.

use super::Ranks;
use super::bytes::{Reader, Writer};
use super::cut::Cut;
use super::numbers::ShapeNumbers;
use crate::contact::PreviousContact;
use crate::grid::Grid;
use crate::shape_poses::Shapes;
use crate::{Body, BodyState, Contact, Dimension, Owner, World};
use drystone_solve::{Exchange, Letters, Neighbour};
use drystone_space::{Pose, Vector};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps between two looks at whether ranks have about as much to do.
const LOOK_EVERY: u32 = 100;
/// A rank may have so many times the mean of bodies.
const UNEQUAL: f64 = 1.25;
/// Reserve of the reach for which space is divided, so that it does not have to be divided again as bodies become faster.
const RESERVE: f64 = 1.25;

/// What all ranks know of all their bodies together.
struct Survey<V> {
    low: V,
    high: V,
    speed: f64,
    spin: f64,
    /// Whether a body has left the cells that its rank has, or has come near another rank.
    strayed: bool,
    /// Most bodies that a rank owns.
    most: usize,
}

impl<S: Dimension> Ranks<S> {
    /// Of a run whose ranks all have the whole of it: nothing is shared out yet, and each answers for a piece of the list of
    /// bodies.
    pub fn of(world: &World<S>, exchange: Arc<dyn Exchange>) -> Self {
        let boundaries = world.setup.boundaries.iter().map(|boundary| boundary.parts.len() as u32);
        let mut ranks = Self {
            exchange,
            count: 0,
            numbers: ShapeNumbers::new(boundaries.sum()),
            others: Vec::new(),
            names: Vec::new(),
            owned: Vec::new(),
            spots: Vec::new(),
            cut: Cut::default(),
            age: 0,
            corners: [S::Vector::ZERO; 2],
            owners: Vec::new(),
            neighbours: Vec::new(),
            near: Default::default(),
            entered: true,
            gathered: false,
            held: true,
            idle: 0,
            whole: None,
        };
        let (count, all) = (world.state.bodies.len(), ranks.exchange.ranks());
        for (index, body) in world.state.bodies.iter().enumerate() {
            ranks.enter(body, index * all / count);
        }
        ranks
    }

    /// Learns of a body that every rank has in its world from now on, and who answers for it until it is shared out.
    pub fn enter(&mut self, body: &Body<S>, owner: usize) {
        let name = self.count as u32;
        self.names.push(name);
        self.owned.push(self.exchange.rank() == owner);
        self.spots.push([0; 2]);
        self.owners.push(owner as u32);
        self.numbers.enter(name, body.parts.len());
        if body.grain().is_none() {
            self.others.push((name, body.clone()));
        }
        self.count += 1;
        self.entered = true;
        if let Some(whole) = self.whole.as_mut().filter(|_| self.held) {
            whole.learn_of(body);
        }
    }

    /// Whether an owned body, which is there now, has to be made known to a rank that does not know of it.
    fn strays(&mut self, index: usize, place: S::Vector) -> bool {
        if self.cut.is_empty() {
            return true;
        }
        let spot = self.cut.spot(place);
        let [last, told] = &mut self.spots[index];
        if *last == spot {
            return false;
        }
        *last = spot;
        let [now, then] = &mut self.near;
        self.cut.near::<S::Vector>(spot, now);
        self.cut.near::<S::Vector>(*told, then);
        let unknown = now.iter().any(|rank| then.binary_search(rank).is_err());
        unknown || self.cut.owner::<S::Vector>(spot) != self.exchange.rank()
    }

    /// Finds the ranks that have bodies of this one, or of which this one has some.
    fn meet_neighbours(&mut self) {
        let rank = self.exchange.rank();
        let (mut all, mut near) = (BTreeMap::<usize, Neighbour>::new(), Vec::new());
        for (index, &owner) in self.owners.iter().enumerate() {
            if owner as usize != rank {
                all.entry(owner as usize).or_default().heard.push(index as u32);
                continue;
            }
            self.cut.near::<S::Vector>(self.spots[index][1], &mut near);
            for &other in near.iter().filter(|&&other| other as usize != rank) {
                all.entry(other as usize).or_default().told.push(index as u32);
            }
        }
        let named = |(rank, neighbour)| Neighbour { rank, ..neighbour };
        self.neighbours = all.into_iter().map(named).collect();
    }

    fn survey(&self, own: &Survey<S::Vector>) -> Survey<S::Vector> {
        let write = |survey: &Survey<S::Vector>| {
            let mut said = Writer::default();
            said.vector(survey.low);
            said.vector(survey.high);
            said.put(survey.speed);
            said.put(survey.spin);
            said.flag(survey.strayed);
            said.count(survey.most);
            said.0
        };
        let read = |said: &[u8]| {
            let mut said = Reader(said);
            Survey {
                low: said.vector::<S::Vector>(),
                high: said.vector(),
                speed: said.get(),
                spin: said.get(),
                strayed: said.flag(),
                most: said.count(),
            }
        };
        let both = |one: Survey<S::Vector>, other: Survey<S::Vector>| Survey {
            low: one.low.lowest(other.low),
            high: one.high.highest(other.high),
            speed: one.speed.max(other.speed),
            spin: one.spin.max(other.spin),
            strayed: one.strayed || other.strayed,
            most: one.most.max(other.most),
        };
        let merge = &mut |own: &mut Vec<u8>, other: &[u8]| {
            *own = write(&both(read(own), read(other)));
        };
        read(&self.exchange.combine(write(own), merge))
    }

    /// Divides space anew, by where the bodies are.
    fn divide(&mut self, survey: &Survey<S::Vector>, reach: f64, places: &[S::Vector]) {
        self.cut = Cut::divide(survey.low, survey.high, reach);
        let mut counts = vec![0u64; Grid::cells::<S::Vector>()];
        let own = places.iter().zip(&self.owned).filter(|(_, owned)| **owned);
        own.for_each(|(&place, _)| counts[self.cut.cell(place)] += 1);
        let write = |counts: &[u64]| {
            let mut said = Writer::default();
            for (cell, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                said.put(cell as u32);
                said.put(count);
            }
            said.0
        };
        let add = |said: &[u8], counts: &mut [u64]| {
            let mut said = Reader(said);
            while !said.is_empty() {
                let cell = said.get::<u32>();
                counts[cell as usize] += said.get::<u64>();
            }
        };
        let own = write(&counts);
        let all = self.exchange.combine(own, &mut |one, other| {
            counts.fill(0);
            add(one, &mut counts);
            add(other, &mut counts);
            *one = write(&counts);
        });
        counts.fill(0);
        add(&all, &mut counts);
        self.cut.share(&counts, self.exchange.ranks());
        self.age = 0;
    }

    /// Global number of a shape of this world.
    pub(super) fn global_shape(&self, shapes: &Shapes<S>, firsts: &[u32], shape: u32) -> u32 {
        match shapes.list[shape as usize].owner {
            Owner::Boundary(_) => shape,
            Owner::Body(index) => {
                let first = self.numbers.first(self.names[index as usize]);
                first + (shape - firsts[index as usize])
            }
        }
    }

    /// The number in this world of a shape that it has.
    fn local_shape(&self, firsts: &[u32], shape: u32) -> u32 {
        let Some(name) = self.numbers.body(shape) else { return shape };
        let index = self.names.binary_search(&name).expect("a body of this world");
        firsts[index] + (shape - self.numbers.first(name))
    }

    /// The first shape of each body of this world.
    pub(super) fn firsts(&self) -> Vec<u32> {
        let mut next = self.numbers.first(0);
        let first = |&name: &u32| {
            let first = next;
            next += self.numbers.first(name + 1) - self.numbers.first(name);
            first
        };
        self.names.iter().map(first).collect()
    }
}

/// What is left of a contact, with the global numbers of its shapes.
pub(super) fn put_previous<S: Dimension>(
    said: &mut Writer,
    last: &PreviousContact<S>,
    shapes: (u32, u32),
) {
    said.put(shapes.0);
    said.put(shapes.1);
    said.put(last.feature);
    said.flag(last.bonded);
    said.flag(last.closed);
    said.vector(last.impulse);
}

pub(super) fn get_previous<S: Dimension>(said: &mut Reader) -> PreviousContact<S> {
    PreviousContact {
        shapes: (said.get(), said.get()),
        feature: said.get(),
        bonded: said.flag(),
        closed: said.flag(),
        impulse: said.vector(),
    }
}

impl<S: Dimension> World<S> {
    /// Where a body will be at the midpoint.
    fn place_of(&self, body: &Body<S>) -> S::Vector {
        body.pose.position + body.velocity * (0.5 * self.setup.time_step)
    }

    /// Sees to it that every rank has the bodies that it needs for the step.
    pub(crate) fn share_out(&mut self) {
        let Some(mut ranks) = self.work.ranks.take() else { return };
        let places: Vec<_> = self.state.bodies.iter().map(|body| self.place_of(body)).collect();
        let mut own = Survey {
            low: S::Vector::splat(f64::INFINITY),
            high: S::Vector::splat(f64::NEG_INFINITY),
            speed: 0.0,
            spin: 0.0,
            strayed: ranks.entered,
            most: 0,
        };
        for (index, (body, &place)) in self.state.bodies.iter().zip(&places).enumerate() {
            if ranks.owned[index] {
                (own.low, own.high) = (own.low.lowest(place), own.high.highest(place));
                own.speed = own.speed.max(body.velocity.norm());
                own.spin = own.spin.max(body.spin.norm());
                own.most += 1;
                own.strayed |= ranks.strays(index, place);
            }
        }
        let survey = ranks.survey(&own);
        let reach = self.longest_reach(&survey, self.work.rigid.radius);
        ranks.corners = [survey.low, survey.high];
        ranks.age += 1;
        ranks.idle = ranks.idle.saturating_add(1);
        ranks.gathered = false;
        let mean = ranks.count as f64 / ranks.exchange.ranks() as f64;
        let unequal = ranks.age >= LOOK_EVERY && survey.most as f64 > UNEQUAL * mean + 1.0;
        let outdated = unequal || ranks.cut.is_outdated(survey.low, survey.high, reach);
        if outdated {
            ranks.divide(&survey, RESERVE * reach, &places);
        }
        if outdated || survey.strayed {
            self.make_anew(&mut ranks, &places);
        }
        self.work.ranks = Some(ranks);
    }

    /// Centres of bodies that may touch in the step are no farther from each other than this.
    fn longest_reach(&self, survey: &Survey<S::Vector>, radius: f64) -> f64 {
        let ahead = self.ahead().time;
        // A turn brings a point of a shape so far at most, as the broad phase sees it: spin times the size of its box.
        let way = (survey.speed + 4.0 * survey.spin * radius) * ahead;
        let far = (-survey.low).highest(survey.high);
        let far = far.norm();
        let margin = self.margin_within(far + radius).max(self.work.rigid.range);
        2.0 * (radius + way) + margin + 1e-9 * (far + radius)
    }

    /// Gives every rank the bodies that it owns and those that it must know of, and what is left of their contacts.
    fn make_anew(&mut self, ranks: &mut Ranks<S>, places: &[S::Vector]) {
        let mut said: Vec<[Writer; 2]> = Vec::new();
        said.resize_with(ranks.exchange.ranks(), Default::default);
        let mut near = Vec::new();
        for (index, body) in self.state.bodies.iter().enumerate() {
            if ranks.owned[index] {
                ranks.cut.near::<S::Vector>(ranks.cut.spot(places[index]), &mut near);
                let name = ranks.names[index];
                near.iter().for_each(|&to| Ranks::put_body(&mut said[to as usize][0], name, body));
            }
        }
        let owner = |body: usize| ranks.cut.owner::<S::Vector>(ranks.cut.spot(places[body]));
        let (shapes, firsts) = (&self.work.rigid.shapes, ranks.firsts());
        for last in &self.work.rigid.last {
            let sides =
                [last.shapes.0, last.shapes.1].map(|shape| shapes.list[shape as usize].owner);
            let bodies = sides.iter().filter_map(|side| match side {
                Owner::Body(index) => Some(*index as usize),
                Owner::Boundary(_) => None,
            });
            if bodies.clone().next().is_none_or(|first| !ranks.owned[first]) {
                continue;
            }
            let global = |shape| ranks.global_shape(shapes, &firsts, shape);
            let names = (global(last.shapes.0), global(last.shapes.1));
            let mut told = [None; 2];
            bodies.zip(&mut told).for_each(|(body, told)| *told = Some(owner(body)));
            if told[0] == told[1] {
                told[1] = None;
            }
            told.into_iter().flatten().for_each(|to| put_previous(&mut said[to][1], last, names));
        }
        let join = |[bodies, contacts]: [Writer; 2]| {
            let mut said = Writer::default();
            said.count(bodies.0.len());
            said.0.extend(bodies.0);
            said.0.extend(contacts.0);
            said.0
        };
        let said = said.into_iter().enumerate();
        let some =
            said.filter(|(_, [bodies, contacts])| !(bodies.0.is_empty() && contacts.0.is_empty()));
        let heard = ranks.exchange.deliver(some.map(|(to, said)| (to, join(said))).collect());
        self.take_over(ranks, heard);
    }

    /// Makes the world of what ranks have sent.
    fn take_over(&mut self, ranks: &mut Ranks<S>, heard: Letters) {
        self.state.bodies = Vec::new();
        let (mut bodies, mut last) = (Vec::new(), Vec::new());
        for (_, heard) in heard {
            let mut heard = Reader(&heard);
            let length = heard.count();
            let (of_bodies, of_contacts) = heard.0.split_at(length);
            let (mut of_bodies, mut of_contacts) = (Reader(of_bodies), Reader(of_contacts));
            while !of_bodies.is_empty() {
                bodies.push(ranks.get_body(&mut of_bodies));
            }
            while !of_contacts.is_empty() {
                last.push(get_previous::<S>(&mut of_contacts));
            }
        }
        bodies.sort_unstable_by_key(|(name, _)| *name);
        // Contacts of one pair come from one rank, in their order.
        last.sort_by_key(|last| last.shapes);
        ranks.names = bodies.iter().map(|(name, _)| *name).collect();
        let firsts = ranks.firsts();
        for last in &mut last {
            let (one, other) = last.shapes;
            last.shapes = (ranks.local_shape(&firsts, one), ranks.local_shape(&firsts, other));
        }
        last.shrink_to_fit();
        let work = &mut self.work.rigid;
        work.last = last;
        work.shapes = Shapes::default();
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            work.shapes.add_boundary(index, boundary);
        }
        ranks.owned = Vec::with_capacity(bodies.len());
        ranks.spots = Vec::with_capacity(bodies.len());
        ranks.owners = Vec::with_capacity(bodies.len());
        for (index, (_, body)) in bodies.iter().enumerate() {
            work.add_body(index, body);
            let place = body.pose.position + body.velocity * (0.5 * self.setup.time_step);
            let spot = ranks.cut.spot(place);
            let owner = ranks.cut.owner::<S::Vector>(spot);
            ranks.owners.push(owner as u32);
            ranks.owned.push(owner == ranks.exchange.rank());
            ranks.spots.push([spot; 2]);
        }
        ranks.meet_neighbours();
        // Lists that have grown have room that nobody needs.
        self.state.bodies = Vec::with_capacity(bodies.len());
        self.state.bodies.extend(bodies.into_iter().map(|(_, body)| body));
        work.broad.forget();
        ranks.entered = false;
    }
}

/// How a body moves.
pub(super) fn put_state<S: Dimension>(said: &mut Writer, state: &BodyState<S>) {
    said.put(state.pose);
    said.vector(state.velocity);
    said.vector(state.spin);
    said.put(state.born);
}

pub(super) fn get_state<S: Dimension>(said: &mut Reader) -> BodyState<S> {
    let pose: Pose<S> = said.get();
    BodyState { pose, velocity: said.vector(), spin: said.vector(), born: said.get() }
}

/// A contact, with the global numbers of its bodies and shapes.
pub(super) fn put_contact<S: Dimension>(
    said: &mut Writer,
    contact: &Contact<S>,
    (owners, shapes): ([Owner; 2], (u32, u32)),
) {
    owners.into_iter().for_each(|owner| said.owner(owner));
    said.vector(contact.point);
    said.vector(contact.normal);
    said.put(contact.gap);
    said.vector(contact.impulse);
    said.put(contact.feature);
    said.flag(contact.bonded);
    said.put(shapes.0);
    said.put(shapes.1);
}

pub(super) fn get_contact<S: Dimension>(said: &mut Reader) -> Contact<S> {
    let (first, second) = (said.owner(), said.owner());
    Contact {
        first,
        second,
        point: said.vector(),
        normal: said.vector(),
        gap: said.get(),
        impulse: said.vector(),
        feature: said.get(),
        bonded: said.flag(),
        shapes: (said.get(), said.get()),
    }
}
