//! One run computed by several ranks: processes that have a part of space each.
//!
//! A rank has a world of its own, with the bodies in its part of space and, as *ghosts*, those of others that its own may
//! touch. Bodies stand in it in the order of their global numbers, so that all that goes by order of bodies, shapes and
//! contacts has the order of the whole run. A contact is found by the ranks of both of its bodies, and counted
//! by the one of the first. Boundaries, ledger and progress are the same on all ranks; sums over bodies and contacts are
//! exact, so that it does not matter who adds what.
//!
//! What ghosts do follows from the same numbers by the same operations as on the rank that owns them: nobody sends where bodies
//! are from step to step, only what they are when one comes near a part of space.
//!
//! What never changes of a grain, a disk or ball without a name, goes with it; bodies of all other kinds are known to every
//! rank.

mod bytes;
mod cut;
mod numbers;
mod sample;
mod share;
mod whole;

use crate::body::Grain;
use crate::{
    Body, BodyState, Contact, Dimension, Kept, MaterialId, Owner, Setup, SetupError, Sleep, State,
    World,
};
use bytes::{Plain, Reader, Writer};
use cut::{Cut, Spot};
use drystone_detect::Geometry;
use drystone_solve::{Exchange, Neighbour, Seam};
use drystone_space::ExactSum;
use numbers::ShapeNumbers;
pub use sample::{BodySample, Sample};
use std::sync::Arc;

/// What a world knows of the run that it is a part of.
#[derive(Debug)]
pub(crate) struct Ranks<S: Dimension> {
    exchange: Arc<dyn Exchange>,
    /// How many bodies there are on all ranks.
    count: usize,
    /// Global numbers of shapes.
    numbers: ShapeNumbers,
    /// Bodies that are no grains, under their global numbers, rising: what never changes of them.
    others: Vec<(u32, Body<S>)>,
    /// Global number of each body of this world, rising.
    names: Vec<u32>,
    /// Whether this rank owns it.
    pub owned: Vec<bool>,
    /// Where each owned body was when it was last looked at, and when ranks near it were told.
    spots: Vec<[Spot; 2]>,
    cut: Cut,
    /// Steps since space was divided.
    age: u32,
    /// The corners of the box around the centres of all bodies at the midpoint.
    pub corners: [S::Vector; 2],
    /// The rank that owns each body of this world.
    owners: Vec<u32>,
    /// The ranks that have bodies of this one, or of which this one has some.
    neighbours: Vec<Neighbour>,
    /// Ranks near a body at one time and at another, while it is looked at.
    near: [Vec<u32>; 2],
    /// Whether bodies have entered that are not shared out yet.
    entered: bool,
    /// Whether the whole is as the step found it.
    gathered: bool,
    /// Whether the first rank has the bodies of the whole, however old.
    held: bool,
    /// Steps since something was done in one place.
    idle: u32,
    /// The whole run, for what is done in one place: on the first rank, while it is lent.
    whole: Option<Box<World<S>>>,
}

/// What a rank has to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Bodies that it owns.
    pub bodies: usize,
    /// Bodies of other ranks that it follows.
    pub ghosts: usize,
    /// Contacts that it computes, with those that another rank counts.
    pub contacts: usize,
}

/// What several ranks cannot compute together yet.
pub fn unfit_for_ranks<S: Geometry>(setup: &Setup<S>) -> Option<&'static str> {
    let found = [
        (!setup.solids.is_empty(), "deformable solids"),
        (setup.cell.is_some(), "a periodic cell"),
        (!setup.joints.is_empty(), "joints"),
        (!setup.springs.is_empty(), "springs"),
        (!setup.initial_forces.is_empty(), "forces that contacts begin with"),
        (setup.sleep.is_some(), "bodies that are left alone at rest"),
        (!setup.laws.is_plain(), "laws other than Coulomb's"),
        (setup.laws.has_springs(), "contact springs"),
    ];
    found.into_iter().find_map(|(is_there, what)| is_there.then_some(what))
}

impl<S: Dimension> Ranks<S> {
    /// Whether this rank counts a contact: each has one rank that does.
    pub fn counts(&self, contact: &Contact<S>) -> bool {
        self.counts_pair((contact.first, contact.second))
    }

    /// The same of a contact between these.
    fn counts_pair(&self, sides: (Owner, Owner)) -> bool {
        match sides {
            (Owner::Body(one), Owner::Body(other)) => self.owned[one.min(other) as usize],
            (Owner::Body(only), _) | (_, Owner::Body(only)) => self.owned[only as usize],
            _ => false,
        }
    }

    /// What sweeps must know of other ranks.
    pub fn seam(&self) -> Seam<'_> {
        let Self { exchange, owners, neighbours, .. } = self;
        Seam { exchange: &**exchange, owners, neighbours }
    }

    /// The name of a body or boundary in all worlds.
    fn globally(&self, owner: Owner) -> Owner {
        match owner {
            Owner::Body(index) => Owner::Body(self.names[index as usize]),
            Owner::Boundary(_) => owner,
        }
    }

    /// A body in motion, and what never changes of it.
    fn put_body(said: &mut Writer, name: u32, body: &Body<S>) {
        said.put(name);
        share::put_state(said, &BodyState::from(body));
        let grain = body.grain();
        said.flag(grain.is_some());
        if let Some(Grain { mass, moments, radius, material }) = grain {
            said.put(mass);
            said.vector(moments);
            said.put(radius);
            said.put(material.0);
        }
    }

    /// Such a body, with its name.
    fn get_body(&self, said: &mut Reader) -> (u32, Body<S>) {
        let (name, state) = (said.get(), share::get_state::<S>(said));
        if said.flag() {
            let (mass, moments) = (said.get(), said.vector());
            let (radius, material) = (said.get(), MaterialId(said.get()));
            return (name, Body::of_grain(&Grain { mass, moments, radius, material }, &state));
        }
        let place = self.others.binary_search_by_key(&name, |(name, _)| *name);
        let mut body = self.others[place.expect("every rank knows it")].1.clone();
        state.give(&mut body);
        (name, body)
    }
}

/// Whether any rank says so.
pub(crate) fn any<S: Dimension>(ranks: &Option<Ranks<S>>, own: bool) -> bool {
    ranks.as_ref().map_or(own, |ranks| ranks.exchange.most(own.into()) != 0)
}

/// A body by its number in this world, from that among all; none where it is not here.
pub(crate) fn here<S: Dimension>(ranks: &Option<Ranks<S>>, name: usize) -> Option<usize> {
    let Some(ranks) = ranks else { return Some(name) };
    ranks.names.binary_search(&(name as u32)).ok()
}

/// The number among all of a body of this world.
pub(crate) fn name<S: Dimension>(ranks: &Option<Ranks<S>>, index: usize) -> usize {
    ranks.as_ref().map_or(index, |ranks| ranks.names[index] as usize)
}

/// Adds to a sum what things come to that act on bodies, in the order of these things, given their numbers and those of their bodies
/// here: each is told by the rank that owns its body.
pub(crate) fn add_each<S: Dimension>(
    ranks: &Option<Ranks<S>>,
    sum: f64,
    bodies: impl ExactSizeIterator<Item = usize>,
    value: impl Fn(usize, usize) -> f64,
) -> f64 {
    let add = |sum, value| sum + value;
    let Some(ranks) = ranks else {
        return bodies.enumerate().map(|(number, body)| value(number, body)).fold(sum, add);
    };
    if bodies.len() == 0 {
        return sum;
    }
    let count = bodies.len();
    let mut said = Writer::default();
    for (number, body) in bodies.enumerate() {
        let here = ranks.names.binary_search(&(body as u32)).ok();
        if let Some(index) = here.filter(|&index| ranks.owned[index]) {
            said.count(number);
            said.put(value(number, index));
        }
    }
    let all = ranks.exchange.combine(said.0, &mut |one, other| one.extend_from_slice(other));
    let (mut values, mut all) = (vec![0.0; count], Reader(&all));
    while !all.is_empty() {
        let number = all.count();
        values[number] = all.get();
    }
    values.into_iter().fold(sum, add)
}

/// The largest that any rank says, number by number.
pub(crate) fn largest<S: Dimension, const N: usize>(
    ranks: &Option<Ranks<S>>,
    own: [f64; N],
) -> [f64; N] {
    let Some(ranks) = ranks else { return own };
    let larger = |one: [f64; N], other: [f64; N]| std::array::from_fn(|i| one[i].max(other[i]));
    ranks.combine(own, larger)
}

impl<S: Dimension> Ranks<S> {
    /// What comes of numbers of all ranks, where two together make one.
    fn combine<T: Plain, const N: usize>(
        &self,
        own: [T; N],
        both: impl Fn([T; N], [T; N]) -> [T; N],
    ) -> [T; N] {
        let write = |numbers: [T; N]| {
            let mut said = Writer::default();
            numbers.into_iter().for_each(|number| said.put(number));
            said.0
        };
        let read = |said: &[u8]| {
            let mut said = Reader(said);
            [(); N].map(|()| said.get())
        };
        let merge =
            &mut |one: &mut Vec<u8>, other: &[u8]| *one = write(both(read(one), read(other)));
        read(&self.exchange.combine(write(own), merge))
    }
}

impl<S: Dimension> World<S> {
    /// The bodies that this world answers for, with their numbers in it.
    pub(crate) fn own_bodies(&self) -> impl Iterator<Item = (usize, &Body<S>)> {
        let owned = self.work.ranks.as_ref().map_or(&[][..], |ranks| &ranks.owned);
        let all = self.state.bodies.iter().enumerate();
        all.filter(move |(index, _)| owned.get(*index) != Some(&false))
    }

    /// How many bodies there are, on all ranks where there are several.
    pub fn count_bodies(&self) -> usize {
        let here = || self.work.away.unwrap_or(self.state.bodies.len());
        self.work.ranks.as_ref().map_or_else(here, |ranks| ranks.count)
    }

    /// What there is to do here.
    pub fn share(&self) -> Share {
        let bodies = self.own_bodies().count();
        let ghosts = self.state.bodies.len() - bodies;
        Share { bodies, ghosts, contacts: self.state.contacts.len() }
    }

    /// How many contacts of the step there are on all ranks.
    pub(crate) fn count_contacts(&self) -> usize {
        let contacts = &self.work.rigid.contacts;
        let Some(ranks) = &self.work.ranks else { return contacts.len() };
        let own = contacts.iter().filter(|contact| ranks.counts(contact)).count();
        let [all] = ranks.combine([own as u64], |[one], [other]| [one + other]);
        all as usize
    }

    /// The first body of all that any rank means, by its global number; each means one of its world, if any.
    pub(crate) fn first_of_all(&self, own: Option<usize>) -> Option<usize> {
        let Some(ranks) = &self.work.ranks else { return own };
        // Sliders, which follow the bodies, are the same on all ranks.
        let beyond = |index: usize| ranks.count + index - ranks.names.len();
        let name = |index| ranks.names.get(index).map_or_else(|| beyond(index), |&n| n as usize);
        let own = own.map_or(u64::MAX, |index| name(index) as u64);
        let [least] = ranks.combine([own], |[one], [other]| [one.min(other)]);
        (least < u64::MAX).then_some(least as usize)
    }

    /// Whether this world counts a contact.
    pub(crate) fn counts(&self, contact: &Contact<S>) -> bool {
        self.work.ranks.as_ref().is_none_or(|ranks| ranks.counts(contact))
    }

    /// What sums come to with those of all ranks.
    pub(crate) fn sum_over_ranks<const N: usize>(&self, mut sums: [ExactSum; N]) -> [f64; N] {
        self.add_up(&mut sums);
        sums.each_ref().map(ExactSum::value)
    }

    /// Adds the sums of all other ranks.
    pub(crate) fn add_up(&self, sums: &mut [ExactSum]) {
        let Some(ranks) = &self.work.ranks else { return };
        let write = |sums: &[ExactSum]| {
            let mut said = Vec::new();
            sums.iter().for_each(|sum| sum.write(&mut said));
            said
        };
        let read = |mut said: &[u8], sums: &mut [ExactSum]| {
            sums.iter_mut().for_each(|sum| *sum = ExactSum::read(&mut said));
        };
        let mut one = vec![ExactSum::new(); sums.len()];
        let mut other = one.clone();
        let all = ranks.exchange.combine(write(sums), &mut |own, heard| {
            read(own, &mut one);
            read(heard, &mut other);
            one.iter_mut().zip(&other).for_each(|(sum, other)| sum.merge(other));
            *own = write(&one);
        });
        read(&all, sums);
    }

    /// This rank's part of a world that all ranks have made alike, and on the first rank the whole, which it keeps for what
    /// is done in one place.
    pub fn share_among(
        mut self,
        exchange: Arc<dyn Exchange>,
    ) -> Result<(Self, Option<Box<Self>>), SetupError> {
        if let Some(beside) = unfit_for_ranks(&self.setup) {
            return Err(SetupError::NoRanks { beside });
        }
        let (first, ranks) = (exchange.rank() == 0, Ranks::of(&self, exchange));
        if first {
            let mut part = self.part_of();
            part.work.ranks = Some(ranks);
            return Ok((part, Some(Box::new(self))));
        }
        self.state.applied = Vec::new();
        self.state.kept = Kept::default();
        self.work.ranks = Some(ranks);
        Ok((self, None))
    }

    /// A world of the same setup with all that is in this one.
    fn part_of(&self) -> Self {
        let mut work = crate::workspace::Workspace::new(&self.setup, &self.state.bodies);
        work.initial_bodies = self.work.initial_bodies;
        work.rigid.reach = self.work.rigid.reach;
        let of = &self.state;
        let state = State {
            steps: of.steps,
            bodies: of.bodies.clone(),
            boundaries: of.boundaries.clone(),
            applied: Vec::new(),
            contacts: of.contacts.clone(),
            couples: Vec::new(),
            velocities: of.velocities.clone(),
            solids: Vec::new(),
            solid_contacts: Vec::new(),
            sleep: Sleep::default(),
            cell: of.cell,
            ledger: of.ledger,
            progress: of.progress.clone(),
            direct_pause: of.direct_pause,
            splitting_pause: of.splitting_pause,
            kept: Kept::default(),
            joints: Vec::new(),
            bonds: Vec::new(),
        };
        Self { setup: self.setup.clone(), state, work }
    }
}
