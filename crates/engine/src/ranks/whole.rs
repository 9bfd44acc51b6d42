//! The whole of a run on the first rank: for its record, and for what is done in one place.
//!
//! Methods that are not sweeps, and problems that are small, are solved there: the first rank gathers movers and contacts, solves as
//! one process would, and gives everybody what was found. The price is that of the messages, and that all others wait.

use super::bytes::{Reader, Writer};
use super::share::{get_contact, get_previous, get_state, put_contact, put_state};
use super::{Ranks, share};
use crate::workspace::RigidWork;
use crate::{Body, BodyState, Contact, Dimension, Owner, Story, World};
use drystone_solve::{ErrorEstimate, EstimateWay, GROUND, Residual, SolveReport, Status, Twist};
use drystone_space::{Pose, clear_for, set_length};

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

/// What the first rank is told.
#[derive(Clone, Copy)]
struct Telling {
    /// Whether the step is over.
    over: bool,
    /// Whether all of the contact problem is.
    problem: bool,
    /// Whether what never changes of bodies is too, since the first rank does not have it.
    fresh: bool,
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

    /// Tells the whole, if it is lent, what all ranks know alike after a step: all but bodies and contacts.
    pub fn inform_whole(&mut self) {
        let Some(mut ranks) = self.work.ranks.take() else { return };
        if let Some(whole) = &mut ranks.whole {
            whole.follow(self);
            whole.work.away = whole.work.away.map(|_| ranks.count);
        }
        self.work.ranks = Some(ranks);
    }

    /// Brings the whole up to date with all ranks, as it is at the end of a step, `problem` with what is needed to tell the
    /// contact problem of the step too. All ranks must take part.
    pub fn gather(&mut self, problem: bool) {
        let Some(mut ranks) = self.work.ranks.take() else { return };
        let telling = Telling { over: true, problem, fresh: !ranks.held };
        if let Some(whole) = &mut ranks.whole {
            whole.follow(self);
            whole.expect_all(self, ranks.count, problem);
        }
        // What one rank tells is gone before the next one is heard.
        let own = self.told(&ranks, telling);
        if ranks.exchange.rank() > 0 {
            ranks.exchange.swap(vec![(0, own)], &[]);
        } else {
            let mut whole = ranks.whole.take();
            let mut take = |heard: &[u8]| {
                if let Some(whole) = &mut whole {
                    whole.take_in(&ranks, telling, heard);
                }
            };
            take(&own);
            drop(own);
            for other in 1..ranks.exchange.ranks() {
                take(&ranks.exchange.swap(Vec::new(), &[other])[0]);
            }
            ranks.whole = whole;
        }
        if let Some(whole) = &mut ranks.whole {
            whole.put_in_order(telling);
            whole.state.contacts = std::mem::take(&mut whole.work.rigid.contacts);
        }
        ranks.held = true;
        self.work.ranks = Some(ranks);
    }

    /// Whether the first rank has no reason to keep the bodies of the whole until somebody asks again: they are many, and the
    /// last steps were solved by all ranks together.
    pub fn may_forget_whole(&self) -> bool {
        let params = &self.setup.params.ranks;
        let ranks = self.work.ranks.as_ref().filter(|ranks| ranks.held);
        ranks.is_some_and(|ranks| ranks.count > params.many && ranks.idle > params.pause)
    }

    /// From now on the first rank does not have them. All ranks must do so at the same time.
    pub fn forget_whole(&mut self) {
        if let Some(ranks) = &mut self.work.ranks {
            ranks.held = false;
        }
    }

    /// As a whole: gives back all that [`gather`](Self::gather) brings again.
    pub fn give_back(&mut self) {
        self.work.away = Some(self.count_bodies());
        (self.state.bodies, self.state.contacts) = (Vec::new(), Vec::new());
        self.state.velocities = Vec::new();
        let RigidWork { range, radius, reach, tumbles, keeps_start, .. } = self.work.rigid;
        self.work.rigid =
            RigidWork { range, radius, reach, tumbles, keeps_start, ..RigidWork::default() };
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            self.work.rigid.shapes.add_boundary(index, boundary);
        }
    }

    /// What a rank tells the first one of its bodies and contacts.
    fn told(&self, ranks: &Ranks<S>, telling: Telling) -> Vec<u8> {
        let Telling { over, .. } = telling;
        let (work, firsts) = (&self.work.rigid, ranks.firsts());
        let mut said = Writer::default();
        let told = |index: &usize| ranks.owned[*index] || !over;
        let bodies = || (0..self.state.bodies.len()).filter(told);
        said.count(bodies().count());
        bodies().for_each(|index| self.tell_body(ranks, telling, index, &mut said));
        let contacts = if over { &self.state.contacts } else { &work.contacts };
        let contacts = || contacts.iter().filter(|contact| !over || ranks.counts(contact));
        said.count(contacts().count());
        for contact in contacts() {
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
        for last in last {
            let global = |shape| ranks.global_shape(&work.shapes, &firsts, shape);
            let shapes = (global(last.shapes.0), global(last.shapes.1));
            share::put_previous(&mut said, last, shapes);
        }
        said.0
    }

    /// Tells of a body.
    fn tell_body(&self, ranks: &Ranks<S>, telling: Telling, index: usize, said: &mut Writer) {
        let work = &self.work.rigid;
        said.flag(ranks.owned[index]);
        if !ranks.owned[index] {
            said.put(ranks.names[index]);
            return;
        }
        let body = &self.state.bodies[index];
        if telling.fresh {
            Ranks::put_body(said, ranks.names[index], body);
        } else {
            said.put(ranks.names[index]);
            put_state(said, &BodyState::from(body));
        }
        let is_known = index < work.midpoints.len();
        said.flag(is_known);
        if is_known {
            said.put(work.midpoints[index]);
            said.put(work.before[index]);
            let found = work.solution.twists.get(index);
            said.put(found.copied().unwrap_or_default());
            if telling.problem {
                said.put(work.problem.free[index]);
                said.put(work.problem.movers[index]);
            }
        }
    }

    /// Adds a body that has entered.
    pub(super) fn learn_of(&mut self, body: &Body<S>) {
        self.work.rigid.add_body(self.state.bodies.len(), body);
        self.state.bodies.push(body.clone());
    }

    /// Takes over what all ranks have alike.
    fn follow(&mut self, part: &World<S>) {
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
    }

    /// Makes room for what ranks tell of so many bodies and their contacts, and takes over what is known of sliders.
    fn expect_all(&mut self, part: &World<S>, count: usize, problem: bool) {
        let (work, of) = (&mut self.work.rigid, &part.work.rigid);
        work.contacts.clear();
        work.last.clear();
        if problem {
            work.make_room(count);
        } else {
            set_length(&mut work.midpoints, count, Pose::IDENTITY);
            set_length(&mut work.before, count, Twist::ZERO);
            (work.problem.free, work.problem.movers) = Default::default();
        }
        set_length(&mut work.solution.twists, count, Twist::ZERO);
        // Sliders follow the bodies.
        let sliders = part.state.bodies.len();
        let mover = |mover: u32| {
            if mover == GROUND { GROUND } else { mover - sliders as u32 + count as u32 }
        };
        work.sliders.clear();
        work.sliders.extend(of.sliders.iter().map(|sliding| sliding.renamed(mover)));
        if sliders <= of.before.len() {
            work.before.extend_from_slice(&of.before[sliders..]);
            if problem {
                work.problem.free.extend_from_slice(&of.problem.free[sliders..]);
                work.problem.movers.extend_from_slice(&of.problem.movers[sliders..]);
            }
        }
        if sliders <= of.solution.twists.len() {
            work.solution.twists.extend_from_slice(&of.solution.twists[sliders..]);
        }
    }

    /// Takes in what a rank has told; returns what it wants to know.
    fn take_in(&mut self, ranks: &Ranks<S>, telling: Telling, heard: &[u8]) -> Wanted {
        let mut heard = Reader(heard);
        let mut wanted = Wanted { bodies: Vec::new(), contacts: Vec::new() };
        if heard.is_empty() {
            return wanted;
        }
        for _ in 0..heard.count() {
            let name = self.take_body(ranks, telling, &mut heard);
            if !telling.over {
                wanted.bodies.push(name);
            }
        }
        for _ in 0..heard.count() {
            let name = match heard.flag() {
                true => {
                    let contact = get_contact::<S>(&mut heard);
                    self.work.rigid.contacts.push(contact);
                    contact.name()
                }
                false => ((heard.get(), heard.get()), heard.get()),
            };
            if !telling.over {
                wanted.contacts.push(name);
            }
        }
        while !heard.is_empty() {
            self.work.rigid.last.push(get_previous(&mut heard));
        }
        wanted
    }

    /// Takes in what is told of a body; returns its name.
    fn take_body(&mut self, ranks: &Ranks<S>, telling: Telling, heard: &mut Reader) -> u32 {
        if !heard.flag() {
            return heard.get();
        }
        let name;
        if telling.fresh {
            let body;
            (name, body) = ranks.get_body(heard);
            let bodies = &mut self.state.bodies;
            if bodies.is_empty() {
                // Each is replaced by the one of its name.
                bodies.resize(ranks.count, body.clone());
            }
            bodies[name as usize] = body;
        } else {
            name = heard.get();
            get_state::<S>(heard).give(&mut self.state.bodies[name as usize]);
        }
        let index = name as usize;
        if heard.flag() {
            let work = &mut self.work.rigid;
            work.midpoints[index] = heard.get();
            work.before[index] = heard.get();
            work.solution.twists[index] = heard.get();
            if telling.problem {
                work.problem.free[index] = heard.get();
                work.problem.movers[index] = heard.get();
            }
        }
        name
    }

    /// Puts what ranks have told into the order of one process.
    fn put_in_order(&mut self, telling: Telling) {
        let work = &mut self.work.rigid;
        // Contacts of one pair come from one rank, in their order.
        work.contacts.sort_by_key(|contact| contact.shapes);
        work.last.sort_by_key(|last| last.shapes);
        if telling.fresh {
            let bodies = self.state.bodies.iter().enumerate();
            bodies.for_each(|(index, body)| work.add_body(index, body));
            self.work.away = None;
        }
    }

    /// Has the first rank solve the problem of the step as one process would.
    pub(crate) fn solve_in_one_place(&mut self, story: &mut Story) -> SolveReport {
        let mut ranks = self.work.ranks.take().expect("a part of a world");
        let telling = Telling { over: false, problem: true, fresh: !ranks.held };
        let heard = ranks.exchange.tell_first(self.told(&ranks, telling));
        let answers = match ranks.whole.take() {
            Some(mut whole) => {
                whole.follow(self);
                whole.expect_all(self, ranks.count, true);
                let hear = |heard: &Vec<u8>| whole.take_in(&ranks, telling, heard);
                let wanted: Vec<Wanted> = heard.iter().map(hear).collect();
                whole.put_in_order(telling);
                whole.work.threads = self.work.threads.clone();
                whole.divide();
                whole.assemble();
                let report = whole.solve_rigid(story);
                let answers = wanted.iter().map(|wanted| whole.answer(&report, wanted)).collect();
                ranks.whole = Some(whole);
                answers
            }
            None => vec![Vec::new(); ranks.exchange.ranks()],
        };
        (ranks.held, ranks.idle) = (true, 0);
        let heard = ranks.exchange.hear_own(answers);
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
            self.gather(false);
        }
        let Some(ranks) = &mut self.work.ranks else { return };
        (ranks.gathered, ranks.idle) = (true, 0);
        let mut said = Writer::default();
        if let Some(whole) = &ranks.whole {
            whole.lay(body, places);
            said.vector(body.pose.position);
        }
        let heard = ranks.exchange.hear_first(said.0);
        body.pose.position = Reader(&heard).vector();
    }
}
