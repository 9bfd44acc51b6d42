//! Contacts at the midpoint, from the candidate pairs.
//!
//! Pairs are tested in the order of their shapes, and so stand the contacts. Threads take stretches of the
//! list. What they find stays with the stretch until impulses of the last step are found for it and what can
//! wait is set aside; then it is put together in the order of the stretches.

use crate::contact::{Memory, match_impulses};
use crate::contact_spring::Press;
use crate::place::{Places, ShapeRef};
use crate::{Contact, Dimension, Owner, Rest, Setup, StepReport, World};
use drystone_detect::Manifold;
use drystone_space::{Vector, clear_for};
use rayon::prelude::*;

/// Pairs that are worth a stretch of their own.
const STRETCH: usize = 1024;
/// Most stretches for each thread: some take longer than others.
const STRETCHES: usize = 4;

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
}

impl<S: Dimension> World<S> {
    /// Keeps what a step must know of the contacts of the one before. The new ones have their room.
    pub(crate) fn remember(&mut self) {
        clear_for(&mut self.work.last, self.contacts.len());
        self.work.last.extend(self.contacts.iter().map(Memory::from));
        self.work.contacts = std::mem::take(&mut self.contacts);
    }

    /// Contacts at the midpoint, in stretches sorted by shapes.
    pub(crate) fn touch(&mut self) -> StepReport {
        let margin = self.margin();
        let work = &mut self.work;
        let search = Search {
            setup: &self.setup,
            places: Places {
                bodies: &self.bodies,
                boundaries: &self.setup.boundaries,
                states: &self.boundaries,
                midpoints: &work.midpoints,
                shapes: &work.shapes,
            },
            shapes: &work.shapes.list,
            margin,
            range: margin.max(work.range),
            first_step: self.steps == 0,
            rest: &self.rest,
        };
        let (pairs, found) = (work.broad.pairs(), &mut work.found);
        let threads = self.threads.count();
        // Stretches that there are have room for contacts: one thread alone takes them one after another.
        let most = if threads == 1 { found.len().max(1) } else { STRETCHES * threads };
        let parts = pairs.len().div_ceil(STRETCH).clamp(1, most);
        if found.len() < parts {
            found.resize_with(parts, Found::default);
        }
        if let [only] = &mut found[..] {
            // The only stretch has the room of the contacts that are to be replaced.
            std::mem::swap(&mut work.contacts, &mut only.contacts);
            std::mem::swap(&mut work.distant, &mut only.distant);
        }
        let share = work.last.len().div_ceil(parts);
        for (index, found) in found.iter_mut().enumerate() {
            clear_for(&mut found.contacts, if index < parts { share } else { 0 });
            found.presses.clear();
            (found.penetration, found.penetration_relative) = (0.0, 0.0);
        }
        if parts == 1 {
            search.test(pairs, &mut found[0]);
        } else {
            let stretches = pairs.par_chunks(pairs.len().div_ceil(parts));
            let parts = stretches.zip(found.par_iter_mut());
            let parts = parts.with_min_len(self.threads.least_share(1));
            self.threads.run(|| parts.for_each(|(pairs, found)| search.test(pairs, found)));
        }
        work.presses.clear();
        let mut report = StepReport::default();
        for found in found {
            work.presses.append(&mut found.presses);
            report.contacts += found.contacts.len();
            report.penetration = report.penetration.max(found.penetration);
            report.penetration_relative =
                report.penetration_relative.max(found.penetration_relative);
        }
        report
    }

    /// Gives contacts that were there before the impulses that they had, sets aside what can wait, and puts the
    /// stretches together.
    pub(crate) fn recall(&mut self) {
        let mut found = std::mem::take(&mut self.work.found);
        let (last, waiting) = (&self.work.last, self.waiting());
        let settle = |found: &mut Found<S>| {
            match_impulses(last, &mut found.contacts);
            found.distant.clear();
            if let Some(waiting) = &waiting {
                let waits = |contact: &mut Contact<S>| waiting.holds(contact);
                found.distant.extend(found.contacts.extract_if(.., waits));
            }
        };
        if let [only] = &mut found[..] {
            settle(only);
            std::mem::swap(&mut self.work.contacts, &mut only.contacts);
            std::mem::swap(&mut self.work.distant, &mut only.distant);
        } else {
            self.threads.run(|| found.par_iter_mut().for_each(settle));
            let (contacts, distant) = (&mut self.work.contacts, &mut self.work.distant);
            self.threads.run(|| {
                join(contacts, &found, |found| &found.contacts);
                join(distant, &found, |found| &found.distant);
            });
        }
        self.work.found = found;
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
        for &(a, b) in pairs {
            if !self.at_rest(a, b) && !self.far_apart(a as usize, b as usize) {
                self.collide(a, b, found);
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
        let reach = a.radius() + b.radius() + self.range;
        let between = self.places.pose(a).position - self.places.pose(b).position;
        between.norm_squared() > (1.0 + 1e-12) * reach * reach
    }

    fn collide(&self, a: u32, b: u32, found: &mut Found<S>) {
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
        S::collide(shape(one), shape(two), reach, &mut found.manifold);
        for touch in found.manifold.touches() {
            if law.spring.stiffness > 0.0 && touch.gap < law.spring.reach {
                let (first, second, spring) = (one.owner, two.owner, law.spring);
                found.presses.push(Press { first, second, touch: *touch, spring });
            }
            if touch.gap > margin {
                continue;
            }
            if touch.gap < 0.0 {
                let relative = -touch.gap / one.width.min(two.width);
                found.penetration = found.penetration.max(-touch.gap);
                found.penetration_relative = found.penetration_relative.max(relative);
            }
            found.contacts.push(Contact {
                first: one.owner,
                second: two.owner,
                point: touch.point,
                normal: touch.normal,
                gap: touch.gap,
                impulse: S::Vector::ZERO,
                couple: S::Spin::ZERO,
                velocity: S::Vector::ZERO,
                feature: touch.feature,
                friction: law.friction.largest(),
                bonded: law.cohesion.reversible || self.first_step,
                shapes: (a, b),
            });
        }
    }
}
