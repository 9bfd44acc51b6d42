//! Contacts at the midpoint, from the candidate pairs.
//!
//! Pairs are tested in the order of their shapes, and so stand the contacts. Each gets the impulse that it had in the
//! last step at once, which tells whether it can wait. Threads take stretches of the list; what they have found is put
//! together in the order of the stretches.

use crate::contact::{Memory, find_same};
use crate::contact_spring::Press;
use crate::distant::Waiting;
use crate::place::{Places, ShapeRef};
use crate::workspace::Workspace;
use crate::{Contact, Dimension, Owner, Rest, Setup, StepReport, World};
use drystone_detect::Manifold;
use drystone_space::{Vector, clear_for};
use rayon::prelude::*;

/// Pairs that are worth a stretch of their own.
const STRETCH: usize = 1024;
/// Most stretches for each thread: some take longer than others.
const STRETCHES: usize = 4;

/// Pairs whose distance is looked at before those that are near are tested.
const AT_A_TIME: usize = 64;

/// What a stretch of pairs has found.
#[derive(Debug)]
pub(crate) struct Found<S: Dimension> {
    contacts: Vec<Contact<S>>,
    /// Contacts that the step is solved without.
    distant: Vec<Contact<S>>,
    presses: Vec<Press<S>>,
    manifold: Manifold<S>,
    penetration: f64,
    penetration_relative: f64,
}

impl<S: Dimension> Default for Found<S> {
    fn default() -> Self {
        Self {
            contacts: Vec::new(),
            distant: Vec::new(),
            presses: Vec::new(),
            manifold: Manifold::default(),
            penetration: 0.0,
            penetration_relative: 0.0,
        }
    }
}

/// What is known of the shapes whose pairs are tested.
struct Search<'a, S: Dimension> {
    setup: &'a Setup<S>,
    places: Places<'a, S>,
    shapes: &'a [ShapeRef],
    /// Gap up to which contacts are watched, and the longest at which anything acts.
    margin: f64,
    range: f64,
    first_step: bool,
    rest: &'a Rest<S>,
    /// What is left of the last step's contacts, and which of the new ones can wait.
    last: &'a [Memory<S>],
    waiting: Option<Waiting<'a, S>>,
}

impl<S: Dimension> World<S> {
    /// Keeps what a step must know of the contacts of the one before. The new ones have their room.
    pub(crate) fn remember(&mut self) {
        clear_for(&mut self.work.last, self.contacts.len());
        self.work.last.extend(self.contacts.iter().map(Memory::from));
        self.work.contacts = std::mem::take(&mut self.contacts);
        self.work.couples = std::mem::take(&mut self.couples);
        self.velocities = Vec::new();
    }

    /// Contacts at the midpoint, in stretches sorted by shapes.
    pub(crate) fn touch(&mut self) -> StepReport {
        let mut found = std::mem::take(&mut self.work.found);
        let pairs = self.work.broad.pairs();
        let threads = self.threads.count();
        // Stretches that there are have room for contacts: one thread alone takes them one after another.
        let most = if threads == 1 { found.len().max(1) } else { STRETCHES * threads };
        let parts = pairs.len().div_ceil(STRETCH).clamp(1, most);
        if found.len() < parts {
            found.resize_with(parts, Found::default);
        }
        if let [only] = &mut found[..] {
            // The only stretch has the room of the contacts that are to be replaced.
            std::mem::swap(&mut self.work.contacts, &mut only.contacts);
            std::mem::swap(&mut self.work.distant, &mut only.distant);
        }
        let share = self.work.last.len().div_ceil(parts);
        for (index, found) in found.iter_mut().enumerate() {
            clear_for(&mut found.contacts, if index < parts { share } else { 0 });
            found.distant.clear();
            found.presses.clear();
            (found.penetration, found.penetration_relative) = (0.0, 0.0);
        }
        let (pairs, search) = (self.work.broad.pairs(), self.search());
        if parts == 1 {
            search.test(pairs, &mut found[0]);
        } else {
            let stretches = pairs.par_chunks(pairs.len().div_ceil(parts));
            let parts = stretches.zip(found.par_iter_mut());
            let parts = parts.with_min_len(self.threads.least_share(1));
            self.threads.run(|| parts.for_each(|(pairs, found)| search.test(pairs, found)));
        }
        self.work.presses.clear();
        let mut report = StepReport::default();
        for found in &mut found {
            self.work.presses.append(&mut found.presses);
            report.contacts += found.contacts.len();
            report.penetration = report.penetration.max(found.penetration);
            report.penetration_relative =
                report.penetration_relative.max(found.penetration_relative);
        }
        self.work.found = found;
        report
    }

    fn search(&self) -> Search<'_, S> {
        let (work, margin) = (&self.work, self.margin());
        Search {
            setup: &self.setup,
            places: self.places(),
            shapes: &work.shapes.list,
            margin,
            range: margin.max(work.range),
            first_step: self.steps == 0,
            rest: &self.rest,
            last: &work.last,
            waiting: self.waiting(),
        }
    }

    /// Puts the stretches together.
    pub(crate) fn gather(&mut self) {
        let Workspace { found, contacts, distant, .. } = &mut self.work;
        if let [only] = &mut found[..] {
            std::mem::swap(contacts, &mut only.contacts);
            std::mem::swap(distant, &mut only.distant);
        } else {
            self.threads.run(|| {
                join(contacts, found, |found| &found.contacts);
                join(distant, found, |found| &found.distant);
            });
        }
    }
}

/// Puts what stretches have found together.
fn join<S: Dimension>(
    all: &mut Vec<Contact<S>>,
    found: &[Found<S>],
    of: fn(&Found<S>) -> &Vec<Contact<S>>,
) {
    // Places are made with any contact: they are all written to.
    let Some(&any) = found.iter().find_map(|found| of(found).first()) else { return all.clear() };
    all.resize(found.iter().map(|found| of(found).len()).sum(), any);
    copy(all, found, of);
}

fn copy<S: Dimension>(
    places: &mut [Contact<S>],
    found: &[Found<S>],
    of: fn(&Found<S>) -> &Vec<Contact<S>>,
) {
    if let [only] = found {
        return places.copy_from_slice(of(only));
    }
    let (left, right) = found.split_at(found.len() / 2);
    let middle = left.iter().map(|found| of(found).len()).sum();
    let (first, second) = places.split_at_mut(middle);
    rayon::join(|| copy(first, left, of), || copy(second, right, of));
}

impl<S: Dimension> Search<'_, S> {
    /// Tests pair after pair.
    fn test(&self, pairs: &[(u32, u32)], found: &mut Found<S>) {
        let Some(&first) = pairs.first() else { return };
        let mut from = self.last.partition_point(|memory| memory.name().0 < first);
        for pairs in pairs.chunks(AT_A_TIME) {
            let (mut near, mut count) = ([(0, 0); AT_A_TIME], 0);
            for &(a, b) in pairs {
                // Whether shapes are near is a toss-up: each pair is written, and the next overwrites it unless it is.
                near[count] = (a, b);
                count += usize::from(!self.at_rest(a, b) & !self.far_apart(a as usize, b as usize));
            }
            for &(a, b) in &near[..count] {
                self.collide(a, b, &mut from, found);
            }
        }
    }

    /// Whether nothing moves two shapes: then they are no contact of the step.
    fn at_rest(&self, a: u32, b: u32) -> bool {
        let keeps = |shape: u32| self.rest.keeps(self.setup, self.shapes[shape as usize].owner);
        !self.rest.bodies.is_empty() && keeps(a) && keeps(b)
    }

    /// Whether two shapes are disks or balls that are out of each other's reach, rounding aside.
    fn far_apart(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.shapes[a], &self.shapes[b]);
        let reach = a.radius + b.radius + self.range;
        let between = self.places.pose(a).position - self.places.pose(b).position;
        between.norm_squared() > (1.0 + 1e-12) * reach * reach
    }

    /// Adds the contacts of a pair; `from` goes along in the last step's contacts.
    fn collide(&self, a: u32, b: u32, from: &mut usize, found: &mut Found<S>) {
        // Boundaries come before bodies among the shapes, and are never first in a contact.
        let a_is_body = matches!(self.shapes[a as usize].owner, Owner::Body(_));
        let (first, second) = if a_is_body { (a, b) } else { (b, a) };
        let (one, two) = (&self.shapes[first as usize], &self.shapes[second as usize]);
        let shape = |of: &ShapeRef| (&self.places.part(of).shape, self.places.pose(of));
        let law = self.setup.laws.get(one.material, two.material);
        let margin = match law.cohesion.force > 0.0 {
            true => self.margin.max(law.cohesion.range),
            false => self.margin,
        };
        found.manifold.clear();
        let reach = margin.max(law.spring.reach);
        let (own, its) = (shape(one), shape(two));
        S::collide(own, its, reach, &mut found.manifold);
        for touch in found.manifold.touches() {
            if law.spring.stiffness > 0.0 && touch.gap < law.spring.reach {
                let (first, second, spring) = (one.owner, two.owner, law.spring);
                found.presses.push(Press { first, second, touch: *touch, spring });
            }
            if touch.gap > margin {
                continue;
            }
            let overlap = (-touch.gap).max(0.0);
            found.penetration = found.penetration.max(overlap);
            let narrow = S::width(own.0).min(S::width(its.0));
            found.penetration_relative = found.penetration_relative.max(overlap / narrow);
            let same = find_same(self.last, from, ((a, b), touch.feature), Memory::name);
            let known = same.map_or(S::Vector::ZERO, |memory| memory.impulse);
            let sides = (one.owner, two.owner);
            let waits = self.waiting.as_ref().is_some_and(|w| w.holds(sides, touch, known, law));
            let list = if waits { &mut found.distant } else { &mut found.contacts };
            let bonded = law.cohesion.reversible || self.first_step;
            list.push(Contact {
                first: one.owner,
                second: two.owner,
                point: touch.point,
                normal: touch.normal,
                gap: touch.gap,
                impulse: known,
                feature: touch.feature,
                bonded: same.map_or(bonded, |memory| memory.bonded),
                shapes: (a, b),
            });
        }
    }
}
