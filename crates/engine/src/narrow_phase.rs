//! Contacts at the midpoint, from the candidate pairs.
//!
//! Pairs are tested in the order of their shapes, and so stand the contacts. Each gets the impulse that it had in the
//! last step at once, which tells whether it can wait. Threads take chunks of the list; what they have found is put
//! together in the order of the chunks, every so often.

use crate::contact::{PreviousContact, find_same};
use crate::contact_spring::Press;
use crate::deferred::Waiting;
use crate::joint::JointWork;
use crate::lasting::{Lasting, Start};
use crate::ranks;
use crate::shape_poses::{ShapePoses, ShapeRef};
use crate::speculative::Ahead;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Contact, Dimension, Owner, Setup, Sleep, StepError, StepReport, World};
use drystone_detect::Manifold;
use drystone_solve::Threads;
use drystone_space::{Pose, Vector, clear_for};
use rayon::prelude::*;

/// Pairs whose distance is looked at before those that are near are tested.
const AT_A_TIME: usize = 64;

/// What pairs have been found to be: a chunk of them, or all.
#[derive(Debug)]
pub(crate) struct Found<S: Dimension> {
    contacts: Vec<Contact<S>>,
    /// Contacts that the step is solved without.
    deferred: Vec<Contact<S>>,
    presses: Vec<Press<S>>,
    /// Contacts that last, of those above.
    lasting: Vec<Lasting<S>>,
    manifold: Manifold<S>,
    /// Touches of a pair at the start of the step.
    touches_at_start: Manifold<S>,
    penetration: f64,
    penetration_relative: f64,
}

impl<S: Dimension> Default for Found<S> {
    fn default() -> Self {
        Self {
            contacts: Vec::new(),
            deferred: Vec::new(),
            presses: Vec::new(),
            lasting: Vec::new(),
            manifold: Manifold::default(),
            touches_at_start: Manifold::default(),
            penetration: 0.0,
            penetration_relative: 0.0,
        }
    }
}

/// Two shapes, the first of them a body's, and the name that they have together.
pub(crate) struct Pair<'a> {
    pub shapes: [&'a ShapeRef; 2],
    pub name: (u32, u32),
}

/// What is known of the shapes whose pairs are tested.
struct Search<'a, S: Dimension> {
    setup: &'a Setup<S>,
    poses: ShapePoses<'a, S>,
    shapes: &'a [ShapeRef],
    /// Gap up to which contacts are watched, and the longest at which anything acts.
    margin: f64,
    range: f64,
    /// Gap up to which contacts with laws of impact touch.
    touching: f64,
    /// How far ahead gaps are looked for that close in the step, if anything is fast enough for that.
    ahead: Option<Ahead>,
    first_step: bool,
    sleep: &'a Sleep<S>,
    /// What is left of the last step's contacts, and which of the new ones can wait.
    last: &'a [PreviousContact<S>],
    waiting: Option<Waiting<'a, S>>,
    /// What contacts that last ask for, in the step of second order.
    start: Option<Start<'a, S>>,
    work: &'a RigidWork<S>,
    joints: &'a JointWork<S>,
    boundaries: &'a [BoundaryState<S>],
}

impl<S: Dimension> World<S> {
    /// Keeps what a step must know of the contacts of the one before. The new ones have their room.
    pub(crate) fn remember(&mut self) {
        clear_for(&mut self.work.rigid.last, self.state.contacts.len());
        let closed = self.closed_gap();
        let contacts = self.state.contacts.iter();
        self.work.rigid.last.extend(contacts.map(|c| PreviousContact::new(c, closed)));
        self.work.rigid.contacts = std::mem::take(&mut self.state.contacts);
        self.work.rigid.couples = std::mem::take(&mut self.state.couples);
        self.state.velocities = Vec::new();
    }

    /// Contacts at the midpoint, sorted by shapes.
    pub(crate) fn narrow_phase(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        // What is found has the room of what it replaces.
        let mut all = Found {
            contacts: std::mem::take(&mut self.work.rigid.contacts),
            deferred: std::mem::take(&mut self.work.rigid.deferred),
            presses: std::mem::take(&mut self.work.rigid.presses),
            lasting: std::mem::take(&mut self.work.rigid.lasting),
            ..Found::default()
        };
        all.begin(self.work.rigid.last.len());
        let mut parts = std::mem::take(&mut self.work.rigid.found);
        let params = &self.setup.params.parallel;
        let (pairs, search, threads) = (self.work.rigid.pairs(), self.search(), &self.work.threads);
        if threads.count() == 1 || pairs.len() <= params.pairs {
            search.test(pairs, &mut all);
        } else {
            parts.resize_with(params.chunks * threads.count(), Found::default);
            threads.run(|| {
                for pairs in pairs.chunks(params.pairs_in_round) {
                    search.share(pairs, &mut parts, threads);
                    all.add(&mut parts);
                }
            });
        }
        self.work.rigid.found = parts;
        report.contacts = all.contacts.len();
        let deepest = [all.penetration, all.penetration_relative];
        [report.penetration, report.penetration_relative] =
            ranks::largest(&self.work.ranks, deepest);
        (self.work.rigid.contacts, self.work.rigid.deferred) = (all.contacts, all.deferred);
        (self.work.rigid.presses, self.work.rigid.lasting) = (all.presses, all.lasting);
        let count = self.work.rigid.contacts.len();
        if count > self.work.rigid.most { Err(self.too_many("contacts", count)) } else { Ok(()) }
    }

    fn search(&self) -> Search<'_, S> {
        let (work, margin) = (&self.work.rigid, self.margin());
        Search {
            setup: &self.setup,
            poses: self.shape_poses(),
            shapes: &work.shapes.list,
            margin,
            range: margin.max(work.range),
            touching: self.touching_gap(),
            ahead: work.swift.then(|| self.ahead()),
            first_step: self.state.steps == 0,
            sleep: &self.state.sleep,
            last: &work.last,
            waiting: self.waiting(),
            start: self.step_start(),
            work,
            joints: &self.work.joints,
            boundaries: &self.state.boundaries,
        }
    }
}

impl<S: Dimension> Found<S> {
    /// Forgets what was found, and has room for so many contacts.
    fn begin(&mut self, contacts: usize) {
        clear_for(&mut self.contacts, contacts);
        self.deferred.clear();
        self.presses.clear();
        self.lasting.clear();
        (self.penetration, self.penetration_relative) = (0.0, 0.0);
    }

    /// Adds what chunks have found, in their order.
    fn add(&mut self, parts: &mut [Self]) {
        join(&mut self.contacts, parts, |found| &found.contacts);
        join(&mut self.deferred, parts, |found| &found.deferred);
        for found in parts {
            self.presses.append(&mut found.presses);
            self.lasting.append(&mut found.lasting);
            self.penetration = self.penetration.max(found.penetration);
            self.penetration_relative = self.penetration_relative.max(found.penetration_relative);
        }
    }
}

/// Adds what chunks have found to a list.
fn join<S: Dimension>(
    all: &mut Vec<Contact<S>>,
    parts: &[Found<S>],
    of: fn(&Found<S>) -> &Vec<Contact<S>>,
) {
    // Room is made with any contact: all of it is written to.
    let Some(&any) = parts.iter().find_map(|found| of(found).first()) else { return };
    let (before, count) = (all.len(), parts.iter().map(|found| of(found).len()).sum::<usize>());
    if all.capacity() < before + count {
        all.reserve_exact(count + before / 8);
    }
    all.resize(before + count, any);
    copy(&mut all[before..], parts, of);
}

fn copy<S: Dimension>(
    places: &mut [Contact<S>],
    parts: &[Found<S>],
    of: fn(&Found<S>) -> &Vec<Contact<S>>,
) {
    if let [only] = parts {
        return places.copy_from_slice(of(only));
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    let middle = left.iter().map(|found| of(found).len()).sum();
    let (first, second) = places.split_at_mut(middle);
    rayon::join(|| copy(first, left, of), || copy(second, right, of));
}

impl<'a, S: Dimension> Search<'a, S> {
    /// Has threads test chunks of pairs, one for each of `parts`.
    fn share(&self, pairs: &[(u32, u32)], parts: &mut [Found<S>], threads: &Threads) {
        // Few pairs leave parts without any.
        parts.iter_mut().for_each(|found| found.begin(0));
        let chunks = pairs.par_chunks(pairs.len().div_ceil(parts.len())).zip(parts);
        let chunks = chunks.with_min_len(threads.least_share(1));
        chunks.for_each(|(pairs, found)| self.test(pairs, found));
    }

    /// Tests pair after pair.
    fn test(&self, pairs: &[(u32, u32)], found: &mut Found<S>) {
        let Some(&first) = pairs.first() else { return };
        let mut from = self.last.partition_point(|memory| memory.name().0 < first);
        for pairs in pairs.chunks(AT_A_TIME) {
            let (mut near, mut count) = ([(0, 0); AT_A_TIME], 0);
            for &(a, b) in pairs {
                // Whether shapes are near is a toss-up: each pair is written, and the next overwrites it unless it is.
                near[count] = (a, b);
                count +=
                    usize::from(!self.both_still(a, b) & !self.far_apart(a as usize, b as usize));
            }
            for &(a, b) in &near[..count] {
                self.collide(a, b, &mut from, found);
            }
        }
    }

    /// Whether nothing moves two shapes: then they are no contact of the step.
    fn both_still(&self, a: u32, b: u32) -> bool {
        let still = |shape: u32| self.sleep.is_still(self.setup, self.shapes[shape as usize].owner);
        !self.sleep.bodies.is_empty() && still(a) && still(b)
    }

    /// Whether two shapes are disks or balls that are out of each other's reach, rounding aside.
    fn far_apart(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.shapes[a], &self.shapes[b]);
        let ahead = self.ahead.as_ref().map_or(0.0, |ahead| ahead.way(&self.poses, a, b));
        let reach = a.radius + b.radius + self.range.max(ahead);
        let mut between = self.poses.pose(a).position - self.poses.pose(b).position;
        if let Some(cell) = &self.work.cell {
            between = cell.lattice.nearest(between);
        }
        between.norm_squared() > (1.0 + 1e-12) * reach * reach
    }

    /// Adds the contacts of a pair; `from` goes along in the last step's contacts.
    fn collide(&self, a: u32, b: u32, from: &mut usize, found: &mut Found<S>) {
        // Boundaries come before bodies among the shapes, and are never first in a contact.
        let a_is_body = matches!(self.shapes[a as usize].owner, Owner::Body(_));
        let (first, second) = if a_is_body { (a, b) } else { (b, a) };
        let (one, two) = (&self.shapes[first as usize], &self.shapes[second as usize]);
        if self.joints.are_apart(one.owner, two.owner) || self.work.bonds.hold((a, b)) {
            return;
        }
        let shape = |of: &ShapeRef| (&self.poses.part(of).shape, self.poses.pose(of));
        let law = self.setup.laws.get(one.material, two.material);
        let cohesion = law.cohesion();
        let margin = match cohesion.force > 0.0 {
            true => self.margin.max(cohesion.range),
            false => self.margin,
        };
        found.manifold.clear();
        let (own, mut its) = (shape(one), shape(two));
        let image = self.image((one, two), its.1);
        if let Some(pose) = &image {
            its.1 = pose;
        }
        let narrow = S::width(own.0).min(S::width(its.0));
        let mut way =
            self.ahead.as_ref().map_or(0.0, |ahead| ahead.way_within(law, &self.poses, one, two));
        let pair = Pair { shapes: [one, two], name: (a, b) };
        let lasts = self.start.as_ref().filter(|_| self.pressed((a, b), from));
        let reach = margin.max(law.spring.reach).max(way).max(self.bend(lasts, &pair));
        S::collide(own, its, reach, &mut found.manifold);
        if way > margin && found.manifold.touches().iter().any(|touch| touch.gap > margin) {
            let meet =
                self.ahead.as_ref().is_some_and(|a| a.meet(&self.poses, (one, two), (narrow, way)));
            way = if meet { way } else { 0.0 };
        }
        if let Some(start) = lasts {
            start.touches(&pair, reach, &mut found.touches_at_start);
        }
        for touch in found.manifold.touches() {
            if law.spring.stiffness > 0.0 && touch.gap < law.spring.reach {
                let (first, second, spring) = (one.owner, two.owner, law.spring);
                found.presses.push(Press { first, second, touch: *touch, spring });
            }
            let sides = (one.owner, two.owner);
            let speed = || self.work.speed_before(self.boundaries, sides, touch);
            let same = find_same(self.last, from, ((a, b), touch.feature), PreviousContact::name);
            let known = same.map_or(S::Vector::ZERO, |memory| memory.impulse);
            let lasting = lasts
                .filter(|_| known != S::Vector::ZERO)
                .and_then(|start| start.find(&pair, touch, known, law, &found.touches_at_start));
            let closes = |ahead: &Ahead| touch.gap <= way.min(-speed() * ahead.time);
            if lasting.is_none() {
                if touch.gap > margin && !self.ahead.as_ref().is_some_and(closes) {
                    continue;
                }
                // A blow goes through what touches.
                let spare = if law.impact().is_some() { self.touching } else { 0.0 };
                if self.setup.is_to_come(law, touch.gap - spare, speed) {
                    continue;
                }
            }
            let gap = lasting.map_or(touch.gap, |lasting| lasting.gap());
            found.lasting.extend(lasting);
            let overlap = (-gap).max(0.0);
            found.penetration = found.penetration.max(overlap);
            found.penetration_relative = found.penetration_relative.max(overlap / narrow);
            let waits = self.waiting.as_ref().is_some_and(|w| w.holds(sides, touch, known, law));
            let list = if waits { &mut found.deferred } else { &mut found.contacts };
            let bonded = cohesion.reversible || self.first_step;
            list.push(Contact {
                first: one.owner,
                second: two.owner,
                point: touch.point,
                normal: touch.normal,
                gap,
                impulse: known,
                feature: touch.feature,
                bonded: same.map_or(bonded, |memory| memory.bonded),
                shapes: (a, b),
            });
        }
    }

    /// Where the image of the second shape is that is nearest to the first, in a periodic cell.
    fn image(&self, (one, two): (&ShapeRef, &ShapeRef), pose: &Pose<S>) -> Option<Pose<S>> {
        let cell = self.work.cell.as_ref()?;
        // Images are those of bodies; of a boundary each shape has its own.
        let centre = |shape: &ShapeRef| match shape.owner {
            Owner::Body(index) => self.work.midpoints[index as usize].position,
            Owner::Boundary(_) => self.poses.pose(shape).position,
        };
        let shift = cell.shift(centre(one), centre(two));
        Some(Pose { position: pose.position + shift, ..*pose })
    }

    /// Whether any contact of a pair pressed in the last step; `from` goes along in its contacts.
    fn pressed(&self, name: (u32, u32), from: &mut usize) -> bool {
        // A feature that none has: only the place of the pair is sought.
        find_same(self.last, from, (name, u32::MAX), |memory| (memory.name().0, 0));
        let mut pair = self.last[*from..].iter().take_while(|memory| memory.name().0 == name);
        pair.any(|memory| memory.impulse != S::Vector::ZERO)
    }

    /// How far the midpoint may be off a curved path on which a contact lasts.
    fn bend(&self, lasts: Option<&Start<'a, S>>, pair: &Pair<'_>) -> f64 {
        let ([one, two], Some(_), Some(ahead)) = (pair.shapes, lasts, &self.ahead) else {
            return 0.0;
        };
        0.25 * ahead.way(&self.poses, one, two)
    }
}
