//! Sleep: groups of bodies at rest are left alone while nothing disturbs them, and woken in the step that does.
//!
//! Over windows of N steps two things are watched: how far each body comes, and the sum of the impulses of each
//! contact. Cones are convex, so that the mean impulses of a window obey Coulomb's law where nothing moves, and from
//! Σ(hF + ΣG*P) = A(u_N − u_0) the solver's errors, which change sign from step to step, cancel in them. A body that
//! has not moved, and whose weight its mean impulses balance, is at rest: these impulses prove it.
//!
//! A group of bodies that press on each other falls asleep together. Bodies in it that do move (a ball that spins on
//! the spot) go on alone, as long as no two of them touch. Where larger parts moved beside what is held, their forces
//! would be found as if the rest could carry anything, and forces between many bodies have more than one solution: they
//! stray from what it can carry within a few steps.
//!
//! What sleeps has no velocity and answers to no impulse. Contacts between such bodies, and with boundaries that never
//! move, leave the problem and keep their mean impulses; contacts with others stay. After each solve the impulses of
//! these are added to those kept. What is missing in a body's balance is withheld from it; where the speed that was
//! withheld in the window is more than gravity gives in a step or so, its group is woken and the step is made again. So
//! no step ends with a body at rest that should have moved faster than that.

use crate::contact::{Name, PreviousContact, find_same, sort_by_name};
use crate::workspace::law_of;
use crate::{Body, Contact, ContactCouple, Dimension, Drive, Owner, Partner, Setup, World, Wrench};
use drystone_detect::Geometry;
use drystone_solve::UnionFind;
use drystone_space::{Pose, Rotation, Space, Vector, math};

/// When bodies fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepSettings {
    /// Steps in a window.
    pub steps: u32,
    /// Mean speed in a window up to which a body has not moved, in units of ε g h: gravity gives g h in a step, and the
    /// solver is asked to be exact to the part ε of it.
    pub speed: f64,
    /// Speed that is withheld from a body asleep before it is woken, in units of g h.
    pub withheld: f64,
}

impl SleepSettings {
    /// Speed up to which a body has not moved, where gravity gives `fall` in a step.
    fn slow(&self, tolerance: f64, fall: f64) -> f64 {
        self.speed * tolerance * fall
    }
}

/// g h.
fn fall<S: Dimension>(setup: &Setup<S>) -> f64 {
    setup.gravity.norm() * setup.time_step
}

impl Default for SleepSettings {
    fn default() -> Self {
        Self { steps: 100, speed: 20.0, withheld: 1.0 }
    }
}

/// Impulse on a body and its moment about the centre of mass, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push<S: Space> {
    /// Impulse.
    pub impulse: S::Vector,
    /// Moment.
    pub moment: S::Spin,
}

impl<S: Space> Push<S> {
    fn add(&mut self, other: &Self) {
        self.impulse += other.impulse;
        self.moment += other.moment;
    }
}

/// Impulse of a contact, summed over a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpulseSum<S: Space> {
    /// The shapes that meet.
    pub shapes: (u32, u32),
    /// Which of their features meet.
    pub feature: u32,
    /// Sum of the impulses so far.
    pub sum: S::Vector,
}

impl<S: Space> ImpulseSum<S> {
    fn name(&self) -> Name {
        (self.shapes, self.feature)
    }
}

/// What is known of the bodies asleep. All is empty where the setup does not ask for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sleep<S: Dimension> {
    /// Whether each body is asleep.
    pub bodies: Vec<bool>,
    /// What was withheld from each in the window so far.
    pub withheld: Vec<Push<S>>,
    /// Contacts between what sleeps, with the impulses that are kept.
    pub contacts: Vec<Contact<S>>,
    /// Where each body was at the start of the window.
    pub marks: Vec<Pose<S>>,
    /// Impulses of the other contacts in the window so far, in the order of shapes.
    pub sums: Vec<ImpulseSum<S>>,
    /// Bodies asleep at the start of the window.
    pub began: u32,
    /// Windows in which nothing falls asleep, and how many of them are left.
    pub pause: (u32, u32),
}

impl<S: Dimension> Sleep<S> {
    /// Whether a body is asleep.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.bodies.get(body).is_some_and(|&asleep| asleep)
    }

    /// Whether nothing moves a body or boundary.
    #[inline]
    pub(crate) fn is_still(&self, setup: &Setup<S>, owner: Owner) -> bool {
        match owner {
            Owner::Body(index) => self.is_asleep(index as usize),
            Owner::Boundary(index) => is_fixed(setup, index),
        }
    }
}

fn is_fixed<S: Dimension>(setup: &Setup<S>, boundary: u32) -> bool {
    matches!(setup.boundaries[boundary as usize].drive, Drive::Fixed)
}

/// What bodies cannot sleep beside in a setup: it moves them by means that are not watched.
pub fn unfit_for_sleep<S: Geometry>(setup: &Setup<S>) -> Option<&'static str> {
    if !setup.joints.is_empty() {
        return Some("joints");
    }
    if setup.laws.has_impacts() {
        return Some("laws of impact in impulse space");
    }
    setup.laws.has_springs().then_some("contact springs")
}

/// What follows from the bodies asleep, and scratch.
#[derive(Debug, Default)]
pub(crate) struct SleepWork<S: Dimension> {
    /// What weight and kept contacts give each body in a step.
    held: Vec<Push<S>>,
    /// What kept contacts give each boundary in a step.
    pub on_boundaries: Vec<S::Vector>,
    /// Deepest overlap of kept contacts, and the same relative to the smaller shape's width.
    pub penetration: [f64; 2],
    /// Whether these are those of the present parts.
    fresh: bool,
    pushes: Vec<Push<S>>,
    sums: Vec<ImpulseSum<S>>,
    marked: Vec<bool>,
    groups: UnionFind,
    still: Vec<bool>,
}

impl<S: Dimension> SleepWork<S> {
    /// Marks all bodies that contacts with an impulse join, over others or not, to one that is marked.
    fn spread(&mut self, contacts: &[Contact<S>]) {
        let Self { marked, groups, .. } = self;
        groups.reset(marked.len());
        for contact in contacts.iter().filter(|contact| contact.impulse != S::Vector::ZERO) {
            if let (Owner::Body(a), Owner::Body(b)) = (contact.first, contact.second) {
                groups.union(a, b);
            }
        }
        for body in 0..marked.len() {
            marked[groups.find(body as u32) as usize] |= marked[body];
        }
        for body in 0..marked.len() {
            marked[body] = marked[groups.find(body as u32) as usize];
        }
    }
}

impl<S: Dimension> World<S> {
    /// How many bodies are asleep.
    pub fn asleep(&self) -> usize {
        self.state.sleep.bodies.iter().filter(|&&asleep| asleep).count()
    }

    /// All contacts, sorted by the shapes that meet: those of the last step's problem, and those kept between
    /// bodies asleep.
    pub fn every_contact(&self) -> Vec<Contact<S>> {
        let mut all = self.state.contacts.clone();
        if !self.state.sleep.contacts.is_empty() {
            all.extend_from_slice(&self.state.sleep.contacts);
            sort_by_name(&mut all);
        }
        all
    }

    /// Makes room for bodies that have entered.
    pub(crate) fn make_room_for_sleep(&mut self) {
        let count = self.state.bodies.len();
        if self.setup.sleep.is_some() && self.state.sleep.bodies.len() < count {
            self.state.sleep.bodies.resize(count, false);
            self.state.sleep.withheld.resize(count, Push::default());
            self.work.sleep.fresh = false;
        }
    }

    /// Sums of what the kept contacts give, where the parts have changed.
    fn sum_kept(&mut self) {
        let (bodies, work) = (&self.state.bodies, &mut self.work.sleep);
        if std::mem::replace(&mut work.fresh, true) {
            return;
        }
        let shapes = &self.work.rigid.shapes;
        let fall = self.setup.gravity * self.setup.time_step;
        work.held.clear();
        let weight = |body: &Body<S>| Push { impulse: fall * body.mass, moment: S::Spin::ZERO };
        work.held.extend(bodies.iter().map(weight));
        work.on_boundaries.clear();
        work.on_boundaries.resize(self.state.boundaries.len(), S::Vector::ZERO);
        work.penetration = [0.0; 2];
        for contact in &self.state.sleep.contacts {
            push(bodies, contact, contact.impulse, &mut work.held);
            let width = |shape: u32| {
                let shape = &shapes.list[shape as usize];
                S::width(&shapes.part(shape, bodies, &self.setup.boundaries).shape)
            };
            let narrow = width(contact.shapes.0).min(width(contact.shapes.1));
            let [deep, relative] = work.penetration;
            work.penetration = [deep.max(-contact.gap), relative.max(-contact.gap / narrow)];
            if let Owner::Boundary(index) = contact.second {
                work.on_boundaries[index as usize] -= contact.impulse;
            }
        }
    }

    /// Wakes the bodies asleep that the solution leaves out of balance, with their groups. Says whether there are any,
    /// so that the step is to be made again.
    pub(crate) fn wake_unbalanced(&mut self) -> bool {
        let Some(settings) = self.setup.sleep else { return false };
        self.sum_kept();
        if !self.state.sleep.bodies.contains(&true) {
            return false;
        }
        let (bodies, work, sleep) =
            (&self.state.bodies, &mut self.work.sleep, &mut self.state.sleep);
        work.pushes.clone_from(&work.held);
        for (index, contact) in self.work.rigid.contacts.iter().enumerate() {
            push(bodies, contact, self.work.rigid.found_push(index), &mut work.pushes);
        }
        for (contact, impulse) in self.work.solid.part.found() {
            push(bodies, contact, impulse, &mut work.pushes);
        }
        let limit = settings.withheld * fall(&self.setup);
        let all = bodies.iter().zip(&mut work.pushes).zip(&sleep.withheld).zip(&sleep.bodies);
        work.marked.clear();
        work.marked.extend(all.map(|(((body, push), withheld), &asleep)| {
            push.add(withheld);
            asleep && speed(push, body) > limit
        }));
        if !work.marked.contains(&true) {
            sleep.withheld.clone_from(&work.pushes);
            return false;
        }
        self.wake_marked();
        // The step is made again from what was found.
        self.recall_solution();
        for found in [&self.work.rigid.contacts, &self.work.solid.part.contacts] {
            let mut from = 0;
            for memory in &mut self.work.rigid.last {
                if let Some(same) = find_same(found, &mut from, memory.name(), Contact::name) {
                    *memory = PreviousContact::new(same, 0.0);
                }
            }
        }
        // Contacts that are new in this step begin from nothing again.
        let (last, mut from) = (&self.work.rigid.last, 0);
        let known = |couple: &ContactCouple<S>| {
            find_same(last, &mut from, couple.name(), PreviousContact::name).is_some()
        };
        self.work.rigid.couples.retain(known);
        true
    }

    /// Wakes the bodies asleep that a boundary comes near which is not fixed, with their groups: between two sides that
    /// answer to nothing there is no contact to solve. Says whether there are any.
    pub(crate) fn wake_by_boundaries(&mut self) -> bool {
        if !self.state.sleep.bodies.contains(&true) {
            return false;
        }
        let (sleep, setup, work) = (&self.state.sleep, &self.setup, &mut self.work.sleep);
        work.marked.clear();
        work.marked.resize(sleep.bodies.len(), false);
        for contact in &self.work.rigid.contacts {
            if let (Owner::Body(body), Owner::Boundary(index)) = (contact.first, contact.second) {
                work.marked[body as usize] |=
                    sleep.is_asleep(body as usize) && !is_fixed(setup, index);
            }
        }
        // What a solid does to a body is not told by kept contacts.
        for body in self.work.solid.found.bodies() {
            work.marked[body as usize] |= sleep.is_asleep(body as usize);
        }
        let woken = work.marked.contains(&true);
        if woken {
            self.wake_marked();
        }
        woken
    }

    /// Wakes the bodies that are marked, and all that are joined to them by kept contacts.
    fn wake_marked(&mut self) {
        self.work.sleep.spread(&self.state.sleep.contacts);
        for (asleep, &marked) in self.state.sleep.bodies.iter_mut().zip(&self.work.sleep.marked) {
            *asleep &= !marked;
        }
        self.release_contacts();
    }

    /// Wakes everything.
    pub(crate) fn wake_all(&mut self) {
        if self.state.sleep.bodies.contains(&true) {
            self.state.sleep.bodies.fill(false);
            self.release_contacts();
        }
    }

    /// Wakes bodies between two steps, and all that are joined to them by kept contacts: something was set from outside.
    /// Their contacts are those of the last step again.
    pub(crate) fn rouse(&mut self, which: impl Fn(usize) -> bool) {
        let (sleep, work) = (&mut self.state.sleep, &mut self.work.sleep);
        work.marked.clear();
        work.marked.extend(sleep.bodies.iter().enumerate().map(|(i, &asleep)| asleep && which(i)));
        if !work.marked.contains(&true) {
            return;
        }
        work.spread(&sleep.contacts);
        for (asleep, &marked) in sleep.bodies.iter_mut().zip(&work.marked) {
            *asleep &= !marked;
        }
        work.fresh = false;
        let mut kept = std::mem::take(&mut sleep.contacts);
        let (sleep, setup) = (&self.state.sleep, &self.setup);
        let freed = |contact: &mut Contact<S>| {
            !(sleep.is_still(setup, contact.first) && sleep.is_still(setup, contact.second))
        };
        let freed: Vec<Contact<S>> = kept.extract_if(.., freed).collect();
        self.state.sleep.contacts = kept;
        // Where no step was made since the state was saved, velocities stand beside the contacts.
        let told = self.work.rigid.midpoints.is_empty();
        let mut velocities = std::mem::take(&mut self.state.velocities);
        let count = self.state.contacts.len();
        velocities.resize(count, S::Vector::ZERO);
        let old = self.state.contacts.drain(..).zip(velocities);
        let mut all: Vec<_> =
            old.chain(freed.into_iter().map(|contact| (contact, S::Vector::ZERO))).collect();
        all.sort_unstable_by_key(|(contact, _)| contact.name());
        self.state.contacts.extend(all.iter().map(|(contact, _)| contact));
        if told {
            self.state.velocities = all.into_iter().map(|(_, velocity)| velocity).collect();
        }
    }

    /// Gives the contacts that are no longer between what sleeps back to the step under way.
    fn release_contacts(&mut self) {
        let mut kept = std::mem::take(&mut self.state.sleep.contacts);
        let (sleep, setup) = (&self.state.sleep, &self.setup);
        let freed = |contact: &mut Contact<S>| {
            !(sleep.is_still(setup, contact.first) && sleep.is_still(setup, contact.second))
        };
        let last = &mut self.work.rigid.last;
        last.extend(kept.extract_if(.., freed).map(|contact| PreviousContact::new(&contact, 0.0)));
        last.sort_unstable_by_key(PreviousContact::name);
        self.state.sleep.contacts = kept;
        self.work.sleep.fresh = false;
    }

    /// Watches a step that was made. At the end of a window bodies fall asleep.
    pub(crate) fn watch_sleep(&mut self) {
        let Some(settings) = self.setup.sleep else { return };
        self.add_impulses();
        if !self.state.steps.is_multiple_of(u64::from(settings.steps)) {
            return;
        }
        let (pause, left) = self.state.sleep.pause;
        if left > 0 {
            self.state.sleep.pause = (pause, left - 1);
        } else {
            // Where most of what fell asleep was woken in the same window, to try again soon is in vain.
            let lasted = 2 * self.asleep() >= self.state.sleep.began as usize;
            let longest = self.setup.params.sleep.longest_pause;
            let pause = if lasted { 0 } else { (2 * pause).clamp(1, longest) };
            self.fall_asleep(settings);
            self.state.sleep.pause = (pause, pause);
        }
        self.state.sleep.began = self.asleep() as u32;
        self.state.sleep.sums.clear();
        self.state.sleep.withheld.fill(Push::default());
        self.state.sleep.marks.clear();
        self.state.sleep.marks.extend(self.state.bodies.iter().map(|body| body.pose));
    }

    fn add_impulses(&mut self) {
        let (old, new) = (&self.state.sleep.sums, &mut self.work.sleep.sums);
        new.clear();
        let mut from = 0;
        new.extend(self.state.contacts.iter().map(|contact| {
            let before = find_same(old, &mut from, contact.name(), ImpulseSum::name);
            let sum = before.map_or(S::Vector::ZERO, |sum| sum.sum) + contact.impulse;
            ImpulseSum { shapes: contact.shapes, feature: contact.feature, sum }
        }));
        std::mem::swap(&mut self.state.sleep.sums, new);
    }

    /// Puts to sleep what has not moved in the window and is in balance.
    fn fall_asleep(&mut self, settings: SleepSettings) {
        self.mark_still(settings);
        self.unmark_unfit(settings);
        self.unmark_restless();
        if !self.work.sleep.marked.contains(&true) {
            return;
        }
        let marked = self.state.bodies.iter_mut().zip(&self.work.sleep.marked);
        for (body, _) in marked.filter(|(_, marked)| **marked) {
            let energy = body.kinetic_energy();
            self.state.ledger.kinetic -= energy;
            self.state.ledger.sleep_loss += energy;
            (body.velocity, body.spin) = (S::Vector::ZERO, S::Spin::ZERO);
        }
        for (asleep, &marked) in self.state.sleep.bodies.iter_mut().zip(&self.work.sleep.marked) {
            *asleep |= marked;
        }
        self.keep_contacts(1.0 / f64::from(settings.steps));
    }

    /// Marks the bodies that have not moved, and are in balance by the mean impulses of the window.
    fn mark_still(&mut self, settings: SleepSettings) {
        self.sum_kept();
        let (fall, tolerance) = (fall(&self.setup), self.solver_settings().tolerance);
        let (work, sleep) = (&mut self.work.sleep, &self.state.sleep);
        let steps = f64::from(settings.steps);
        let (slow, balanced) = (settings.slow(tolerance, fall), settings.withheld * fall / steps);
        let (whole, share) = (steps * self.setup.time_step, 1.0 / steps);
        work.pushes.clone_from(&work.held);
        for (contact, sum) in self.state.contacts.iter().zip(&sleep.sums) {
            push(&self.state.bodies, contact, sum.sum * share, &mut work.pushes);
        }
        work.marked.clear();
        work.marked.extend(self.state.bodies.iter().enumerate().map(|(index, body)| {
            let Some(mark) = sleep.marks.get(index).filter(|_| !sleep.bodies[index]) else {
                return false;
            };
            let way = body.pose.position - mark.position;
            let turn = mark.rotation.inverse().compose(body.pose.rotation).logarithm();
            let turned = turn.dot(body.moments.scale(turn)) / body.mass;
            let moved = (way.norm_squared() + turned).sqrt();
            moved <= slow * whole && speed(&work.pushes[index], body) <= balanced
        }));
    }

    /// Takes the mark off bodies whose balance is not told by gravity and Coulomb's law alone.
    fn unmark_unfit(&mut self, settings: SleepSettings) {
        let (setup, marked) = (&self.setup, &mut self.work.sleep.marked);
        let slow = settings.withheld * fall(setup) / f64::from(settings.steps);
        for contact in &self.state.contacts {
            let law = law_of(&setup.laws, &self.work.rigid.shapes.list, contact);
            let moving =
                matches!(contact.second, Owner::Boundary(index) if !is_fixed(setup, index));
            let parting = setup.formal_terms(law, contact.gap, 0.0).closing < -slow;
            if moving || parting || law.plain_friction().is_none() {
                for owner in [contact.first, contact.second] {
                    if let Owner::Body(index) = owner {
                        marked[index as usize] = false;
                    }
                }
            }
        }
        for contact in &self.state.solid_contacts {
            if let Partner::Body(index) = contact.partner {
                marked[index as usize] = false;
            }
        }
        let loaded = setup.loads.iter().map(|load| load.body);
        let dragged = setup.drags.iter().map(|drag| drag.body);
        let ends = setup.springs.iter().flat_map(|spring| &spring.ends);
        let anchored = ends.filter_map(|end| match end.owner {
            Some(Owner::Body(index)) => Some(index as usize),
            _ => None,
        });
        let applied = self.state.applied.iter().enumerate();
        let pushed = applied.filter(|(_, wrench)| **wrench != Wrench::default()).map(|(i, _)| i);
        let all = loaded.chain(dragged).chain(anchored).chain(pushed);
        all.for_each(|body| marked[body] = false);
    }

    /// Takes the mark off groups in which bodies move that touch each other.
    fn unmark_restless(&mut self) {
        let (work, sleep) = (&mut self.work.sleep, &self.state.sleep);
        work.still.clear();
        work.still
            .extend(work.marked.iter().zip(&sleep.bodies).map(|(&still, &asleep)| still | asleep));
        work.marked.fill(false);
        for contact in &self.state.contacts {
            if let (Owner::Body(a), Owner::Body(b)) = (contact.first, contact.second)
                && contact.impulse != S::Vector::ZERO
                && !(work.still[a as usize] || work.still[b as usize])
            {
                (work.marked[a as usize], work.marked[b as usize]) = (true, true);
            }
        }
        work.spread(&self.state.contacts);
        for ((marked, &still), &asleep) in
            work.marked.iter_mut().zip(&work.still).zip(&sleep.bodies)
        {
            *marked = still && !*marked && !asleep;
        }
    }

    /// Gives contacts of what sleeps their mean impulses, and keeps those that are between what sleeps: they have no
    /// couples, since other laws than Coulomb's keep bodies awake.
    fn keep_contacts(&mut self, share: f64) {
        let (sleep, setup) = (&mut self.state.sleep, &self.setup);
        let mut kept = std::mem::take(&mut sleep.contacts);
        let mut from = 0;
        kept.extend(self.state.contacts.extract_if(.., |contact| {
            let sum = find_same(&sleep.sums, &mut from, contact.name(), ImpulseSum::name);
            let first = sleep.is_still(setup, contact.first);
            let second = sleep.is_still(setup, contact.second);
            if let Some(sum) = sum {
                contact.impulse = sum.sum * share;
            }
            first && second
        }));
        sort_by_name(&mut kept);
        sleep.contacts = kept;
        self.work.sleep.fresh = false;
    }
}

/// Adds what a contact gives to the bodies that meet in it.
fn push<S: Dimension>(
    bodies: &[Body<S>],
    contact: &Contact<S>,
    impulse: S::Vector,
    pushes: &mut [Push<S>],
) {
    for (owner, impulse) in [(contact.first, impulse), (contact.second, -impulse)] {
        if let Owner::Body(index) = owner {
            let arm = contact.point - bodies[index as usize].pose.position;
            pushes[index as usize].add(&Push { impulse, moment: S::moment(arm, impulse) });
        }
    }
}

/// √(2 · energy / mass) of a body that is set in motion so.
fn speed<S: Dimension>(push: &Push<S>, body: &Body<S>) -> f64 {
    let moment = body.pose.rotation.apply_spin_inverse(push.moment);
    let turning = (0..S::Spin::LENGTH).map(|i| math::square(moment.get(i)) / body.moments.get(i));
    ((push.impulse / body.mass).norm_squared() + turning.sum::<f64>() / body.mass).sqrt()
}
