//! The whole of a run on the first rank: for its record, and for what is done in one place.
//!
//! Methods that are not sweeps, and problems that are small, are solved there: the first rank gathers movers and contacts, solves as
//! one process would, and gives everybody what was found. The price is that of the messages, and that all others wait.

use super::bytes::{Reader, Writer};
use super::share::{get_contact, get_previous, get_state, put_contact, put_state};
use super::{Ranks, share};
use crate::contact::PreviousContact;
use crate::{Body, BodyState, Contact, Dimension, Owner, Story, World};
use drystone_solve::{ErrorEstimate, EstimateWay, GROUND, Residual, SolveReport, Status};
use drystone_space::clear_for;

impl<S: Dimension> Ranks<S> {
    /// The names in all worlds of what meets in a contact.
    fn sides(
        &self,
        world: &World<S>,
        firsts: &[u32],
        contact: &Contact<S>,
    ) -> ([Owner; 2], (u32, u32)) {
        let global = |shape| self.global_shape(&world.work.rigid.shapes, firsts, shape);
        let (one, other) = contact.shapes;
        let owners = [contact.first, contact.second].map(|owner| self.globally(owner));
        (owners, (global(one), global(other)))
    }
}

/// What a rank wants to know of the whole: its bodies, and names of its contacts.
struct Wanted {
    bodies: Vec<u32>,
    contacts: Vec<((u32, u32), u32)>,
}

impl<S: Dimension> World<S> {
    /// Lends the whole to the world of the first rank, which needs it during a step.
    pub fn lend_whole(&mut self, whole: Box<World<S>>) {
        if let Some(ranks) = &mut self.work.ranks {
            ranks.whole = Some(whole);
        }
    }

    /// Gives it back.
    pub fn return_whole(&mut self) -> Option<Box<World<S>>> {
        self.work.ranks.as_mut()?.whole.take()
    }

    /// Whether it is a part of a world that several ranks compute.
    pub fn is_part(&self) -> bool {
        self.work.ranks.is_some()
    }

    /// Brings the whole up to date with all ranks, as it is at the end of a step. All ranks must take part.
    pub fn gather(&mut self) {
        let Some(mut ranks) = self.work.ranks.take() else { return };
        let heard = ranks.exchange.tell_first(self.told(&ranks, true));
        if let Some(whole) = &mut ranks.whole {
            whole.follow(self, &ranks.catalogue);
            whole.take_in(&heard);
            whole.state.contacts = std::mem::take(&mut whole.work.rigid.contacts);
        }
        self.work.ranks = Some(ranks);
    }

    /// What a rank tells the first one of its bodies and contacts; `over` says whether the step is.
    fn told(&self, ranks: &Ranks<S>, over: bool) -> Vec<u8> {
        let (work, firsts) = (&self.work.rigid, ranks.firsts());
        let mut said = Writer::default();
        said.count(self.state.bodies.len());
        for (index, body) in self.state.bodies.iter().enumerate() {
            said.put(ranks.names[index]);
            said.flag(ranks.owned[index]);
            if ranks.owned[index] {
                put_state(&mut said, &BodyState::from(body));
                let known = |said: &mut Writer| {
                    said.put(work.midpoints[index]);
                    said.put(work.before[index]);
                    said.put(work.problem.free[index]);
                    said.put(work.problem.movers[index]);
                    let found = work.solution.twists.get(index);
                    said.put(found.copied().unwrap_or_default());
                };
                let is_known = index < work.midpoints.len();
                said.flag(is_known);
                if is_known {
                    known(&mut said);
                }
            }
        }
        let contacts = if over { &self.state.contacts } else { &work.contacts };
        said.count(contacts.len());
        for contact in contacts {
            let counts = ranks.counts(contact);
            said.flag(counts);
            let names = ranks.sides(self, &firsts, contact);
            match counts {
                true => put_contact(&mut said, contact, names),
                false => {
                    said.put(names.1.0);
                    said.put(names.1.1);
                    said.put(contact.feature);
                }
            }
        }
        let last = work.last.iter().filter(|last| {
            let owners = [last.shapes.0, last.shapes.1].map(|s| work.shapes.list[s as usize].owner);
            let first = owners.into_iter().find_map(|owner| match owner {
                Owner::Body(index) => Some(index as usize),
                Owner::Boundary(_) => None,
            });
            over && first.is_some_and(|first| ranks.owned[first])
        });
        let mut of_last = Writer::default();
        for last in last {
            let global = |shape| ranks.global_shape(&work.shapes, &firsts, shape);
            let shapes = (global(last.shapes.0), global(last.shapes.1));
            share::put_previous(&mut of_last, last, shapes);
        }
        said.0.extend(of_last.0);
        said.0
    }

    /// Adds the bodies that have entered.
    pub(super) fn learn_of(&mut self, catalogue: &[Body<S>]) {
        for body in &catalogue[self.state.bodies.len()..] {
            self.work.rigid.add_body(self.state.bodies.len(), body);
            self.state.bodies.push(body.clone());
        }
    }

    /// Takes over what all ranks have alike.
    fn follow(&mut self, part: &World<S>, catalogue: &[Body<S>]) {
        self.learn_of(catalogue);
        let count = self.state.bodies.len();
        self.state.steps = part.state.steps;
        self.state.velocities = Vec::new();
        self.state.boundaries.clone_from(&part.state.boundaries);
        self.state.ledger = part.state.ledger;
        self.state.progress.clone_from(&part.state.progress);
        self.work.timers = part.work.timers;
        let (work, of) = (&mut self.work.rigid, &part.work.rigid);
        (work.reach, work.swift, work.tumbles) = (of.reach, of.swift, of.tumbles);
        work.problem.velocity_noise = of.problem.velocity_noise;
        work.recovery.by_positions = of.recovery.by_positions;
        work.make_room(count);
        drystone_space::set_length(&mut work.solution.twists, count, Default::default());
        // Sliders follow the bodies.
        let sliders = part.state.bodies.len();
        let mover = |mover: u32| {
            if mover == GROUND { GROUND } else { mover - sliders as u32 + count as u32 }
        };
        work.sliders.clear();
        work.sliders.extend(of.sliders.iter().map(|sliding| sliding.renamed(mover)));
        if sliders <= of.before.len() {
            work.before.extend_from_slice(&of.before[sliders..]);
            work.problem.free.extend_from_slice(&of.problem.free[sliders..]);
            work.problem.movers.extend_from_slice(&of.problem.movers[sliders..]);
        }
        if sliders <= of.solution.twists.len() {
            work.solution.twists.extend_from_slice(&of.solution.twists[sliders..]);
        }
    }

    /// Takes in what ranks have told; returns what each wants to know.
    fn take_in(&mut self, heard: &[Vec<u8>]) -> Vec<Wanted> {
        let mut contacts = std::mem::take(&mut self.work.rigid.contacts);
        let mut last: Vec<PreviousContact<S>> = Vec::new();
        contacts.clear();
        let wanted = heard.iter().map(|heard| {
            let mut heard = Reader(heard);
            let bodies = (0..heard.count()).map(|_| self.take_body(&mut heard)).collect();
            let names = (0..heard.count()).map(|_| match heard.flag() {
                true => {
                    let contact = get_contact::<S>(&mut heard);
                    contacts.push(contact);
                    contact.name()
                }
                false => ((heard.get(), heard.get()), heard.get()),
            });
            let names = names.collect();
            while !heard.is_empty() {
                last.push(get_previous(&mut heard));
            }
            Wanted { bodies, contacts: names }
        });
        let wanted = wanted.collect();
        // Contacts of one pair come from one rank, in their order.
        contacts.sort_by_key(|contact| contact.shapes);
        last.sort_by_key(|last| last.shapes);
        (self.work.rigid.contacts, self.work.rigid.last) = (contacts, last);
        wanted
    }

    /// Takes in what is told of a body; returns its name.
    fn take_body(&mut self, heard: &mut Reader) -> u32 {
        let name = heard.get::<u32>();
        let index = name as usize;
        if !heard.flag() {
            return name;
        }
        get_state::<S>(heard).give(&mut self.state.bodies[index]);
        if heard.flag() {
            let work = &mut self.work.rigid;
            work.midpoints[index] = heard.get();
            work.before[index] = heard.get();
            work.problem.free[index] = heard.get();
            work.problem.movers[index] = heard.get();
            work.solution.twists[index] = heard.get();
        }
        name
    }

    /// Has the first rank solve the problem of the step as one process would.
    pub(crate) fn solve_in_one_place(&mut self, story: &mut Story) -> SolveReport {
        let mut ranks = self.work.ranks.take().expect("a part of a world");
        let heard = ranks.exchange.tell_first(self.told(&ranks, false));
        let answers = match &mut ranks.whole {
            Some(whole) => {
                whole.follow(self, &ranks.catalogue);
                let wanted = whole.take_in(&heard);
                whole.work.threads = self.work.threads.clone();
                whole.divide();
                whole.assemble();
                let report = whole.solve_rigid(story);
                wanted.iter().map(|wanted| whole.answer(&report, wanted)).collect()
            }
            None => vec![Vec::new(); ranks.exchange.ranks()],
        };
        let heard = ranks.exchange.swap(answers).swap_remove(0);
        self.work.ranks = Some(ranks);
        self.take_solution(&heard)
    }

    /// What was found, for a rank.
    fn answer(&self, report: &SolveReport, wanted: &Wanted) -> Vec<u8> {
        let (work, mut said) = (&self.work.rigid, Writer::default());
        said.flag(report.status == Status::Solved);
        said.count(report.iterations);
        said.put(report.residual.relative);
        said.put(report.residual.scale_free);
        said.flag(report.error.is_some());
        let error = report.error.unwrap_or_default();
        said.put(error.value);
        said.count(error.way as usize);
        wanted.bodies.iter().for_each(|&name| said.put(work.solution.twists[name as usize]));
        let sliders = &work.solution.twists[self.state.bodies.len()..];
        sliders.iter().for_each(|&twist| said.put(twist));
        for &(shapes, feature) in &wanted.contacts {
            let first = work.contacts.partition_point(|contact| contact.shapes < shapes);
            let same = work.contacts[first..].iter().position(|contact| contact.feature == feature);
            let index = first + same.expect("a contact that its rank has told of");
            said.local::<S>(work.found_impulse(index));
        }
        said.0
    }

    /// Takes over what was found.
    fn take_solution(&mut self, heard: &[u8]) -> SolveReport {
        let mut heard = Reader(heard);
        let solved = heard.flag();
        let iterations = heard.count();
        let residual = Residual { relative: heard.get(), scale_free: heard.get() };
        let is_told = heard.flag();
        let value = heard.get();
        let way = EstimateWay::ALL[heard.count()];
        let error = is_told.then_some(ErrorEstimate { value, way });
        let work = &mut self.work.rigid;
        let (twists, impulses) = (&mut work.solution.twists, &mut work.solution.impulses);
        let movers = work.problem.movers.len();
        clear_for(twists, movers);
        twists.extend((0..movers).map(|_| heard.get::<drystone_solve::Twist<S>>()));
        clear_for(impulses, work.contacts.len());
        impulses.extend((0..work.contacts.len()).map(|_| heard.local::<S>()));
        SolveReport { error, ..SolveReport::new(solved, iterations, residual) }
    }

    /// Lays a body on what is there on any rank. All ranks must take part.
    pub(crate) fn lay_on_all(&mut self, body: &mut Body<S>, places: &[S::Vector]) {
        if places.is_empty() {
            return;
        }
        if self.work.ranks.is_none() {
            return self.lay(body, places);
        }
        if self.work.ranks.as_ref().is_some_and(|ranks| !ranks.gathered) {
            self.gather();
        }
        let Some(ranks) = &mut self.work.ranks else { return };
        ranks.gathered = true;
        let mut said = Writer::default();
        if let Some(whole) = &ranks.whole {
            whole.lay(body, places);
            said.vector(body.pose.position);
        }
        let heard = ranks.exchange.hear_first(said.0);
        body.pose.position = Reader(&heard).vector();
    }
}
