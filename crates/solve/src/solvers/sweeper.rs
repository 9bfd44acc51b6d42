//! A problem laid out for sweeps, and the best impulses that were seen of it.
//!
//! A contact's velocity is gathered from the present impulses of its neighbours, its law is solved with
//! all others frozen, and the next contact sees the answer at once. Contacts of one colour do not see each
//! other: threads share them in chunks of one size, and sums over contacts are sums over chunks, so that
//! the number of threads changes no bit.

use super::contact::{Components, ContactBlock, Size, Visit};
use crate::assembled::local::{add_scaled, dot, subtract};
use crate::assembled::{Assembled, Cone, Local, Square};
use crate::colour::RowOrder;
use crate::{Residual, SolveReport, SweepOrder, Threads};
use rayon::prelude::*;

/// Contacts that one thread takes at a time.
const CHUNK: usize = 64;

/// What a user may choose of Gauss–Seidel's sweeps.
#[derive(Clone, Debug)]
pub struct Sweeping {
    /// The order of contacts; if none is named, the problem's own, or by colours where it is large.
    pub order: Option<SweepOrder>,
    /// How much of the change that a contact asks for it gets: between 0 and 2.
    pub relaxation: f64,
    /// Who shares the contacts of a colour.
    pub threads: Threads,
}

impl Default for Sweeping {
    fn default() -> Self {
        Self { order: None, relaxation: 1.0, threads: Threads::one() }
    }
}

/// See the module's head.
pub(crate) struct Sweeper<'a, const D: usize, B = <Size<D> as Components<D>>::Block>
where
    Size<D>: Components<D>,
{
    pub problem: &'a Assembled<D>,
    blocks: Vec<B>,
    order: RowOrder,
    relaxation: f64,
    threads: usize,
    /// Impulses and changes of the colour that is swept.
    next: Vec<Local<D>>,
    changes: Vec<Change>,
    /// Velocities that threads have computed for a look.
    velocities: Vec<Local<D>>,
    /// Best residual seen, and its impulses.
    pub best: Residual,
    best_impulses: Vec<Local<D>>,
}

/// What a sweep has changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    /// Σ |Δr|².
    pub square: f64,
    /// −Σ Δr · (way of the contact since some earlier impulses).
    pub against: f64,
}

impl Change {
    fn add(&mut self, other: Self) {
        self.square += other.square;
        self.against += other.against;
    }
}

impl<'a, const D: usize> Sweeper<'a, D>
where
    Size<D>: Components<D>,
{
    /// With the usual blocks.
    pub fn new(
        problem: &'a Assembled<D>,
        settings: &Sweeping,
        residual: Residual,
        impulses: &[Local<D>],
    ) -> Self {
        Self::with_blocks(problem, settings, ContactBlock::new, residual, impulses)
    }
}

impl<'a, const D: usize, B: Visit<D>> Sweeper<'a, D, B>
where
    Size<D>: Components<D>,
{
    /// With blocks made from the diagonal ones.
    pub fn with_blocks(
        problem: &'a Assembled<D>,
        settings: &Sweeping,
        block: impl Fn(&Square<D>, &Cone) -> B,
        residual: Residual,
        impulses: &[Local<D>],
    ) -> Self {
        let block = |(c, cone)| block(problem.delassus.diagonal(c), cone);
        Self {
            problem,
            blocks: problem.cones.iter().enumerate().map(block).collect(),
            order: RowOrder::new(&problem.delassus, settings.order),
            relaxation: settings.relaxation,
            threads: settings.threads.count(),
            next: Vec::new(),
            changes: Vec::new(),
            velocities: Vec::new(),
            best: residual,
            best_impulses: impulses.to_vec(),
        }
    }

    /// Sweeps once. The way of a contact is measured from its impulse in `since`.
    pub fn sweep(&mut self, impulses: &mut [Local<D>], since: &[Local<D>]) -> Change {
        let mut change = Change::default();
        if self.order.groups.is_empty() {
            for &contact in &self.order.contacts {
                let contact = contact as usize;
                let next = self.visit(contact, impulses);
                change.add(compare(&impulses[contact], &next, &since[contact]));
                impulses[contact] = next;
            }
            return change;
        }
        for group in 1..self.order.groups.len() {
            change.add(self.sweep_colour(group, impulses, since));
        }
        change
    }

    fn sweep_colour(
        &mut self,
        group: usize,
        impulses: &mut [Local<D>],
        since: &[Local<D>],
    ) -> Change {
        let bounds = self.order.groups[group - 1] as usize..self.order.groups[group] as usize;
        let mut next = std::mem::take(&mut self.next);
        let mut changes = std::mem::take(&mut self.changes);
        next.resize(bounds.len(), [0.0; D]);
        changes.clear();
        changes.resize(bounds.len().div_ceil(CHUNK), Change::default());
        let contacts = &self.order.contacts[bounds];
        let now: &[Local<D>] = impulses;
        let work = |((contacts, next), change): ((&[u32], &mut [Local<D>]), &mut Change)| {
            for (&contact, next) in contacts.iter().zip(next) {
                let contact = contact as usize;
                *next = self.visit(contact, now);
                change.add(compare(&now[contact], next, &since[contact]));
            }
        };
        if self.threads > 1 && contacts.len() >= 2 * CHUNK {
            let chunks = contacts.par_chunks(CHUNK).zip(next.par_chunks_mut(CHUNK));
            chunks.zip(changes.par_iter_mut()).for_each(work);
        } else {
            let chunks = contacts.chunks(CHUNK).zip(next.chunks_mut(CHUNK));
            chunks.zip(changes.iter_mut()).for_each(work);
        }
        for (&contact, next) in contacts.iter().zip(&next) {
            impulses[contact as usize] = *next;
        }
        let mut sum = Change::default();
        changes.iter().for_each(|change| sum.add(*change));
        (self.next, self.changes) = (next, changes);
        sum
    }

    /// What a contact makes of the present impulses.
    #[inline(always)]
    fn visit(&self, contact: usize, impulses: &[Local<D>]) -> Local<D> {
        let u = self.problem.velocity(contact, impulses);
        let now = &impulses[contact];
        let next = self.blocks[contact].solve(&u, now);
        if self.relaxation == 1.0 {
            return next;
        }
        let moved = add_scaled(now, self.relaxation, &subtract(&next, now));
        self.problem.cones[contact].project(&moved)
    }

    /// Judges impulses and remembers them if they are the best; returns by what factor they are
    /// above what is asked.
    pub fn look(&mut self, impulses: &[Local<D>], tolerance: f64) -> f64 {
        let problem = self.problem;
        let residual = if self.threads > 1 && !self.order.groups.is_empty() {
            self.velocities.resize(impulses.len(), [0.0; D]);
            let places = self.velocities.par_iter_mut().with_min_len(CHUNK).enumerate();
            places.for_each(|(contact, u)| *u = problem.velocity(contact, impulses));
            Residual::of_assembled(problem, impulses, &self.velocities)
        } else {
            Residual::of_impulses(problem, impulses)
        };
        let left = residual.excess(tolerance);
        if left < self.best.excess(tolerance) {
            self.best = residual;
            self.best_impulses.copy_from_slice(impulses);
        }
        left
    }

    /// The impulses with the best residual.
    pub fn best_impulses(&self) -> &[Local<D>] {
        &self.best_impulses
    }

    /// Gives the best impulses back, with the report on them.
    pub fn finish(
        &self,
        impulses: &mut [Local<D>],
        iterations: usize,
        tolerance: f64,
    ) -> SolveReport {
        impulses.copy_from_slice(&self.best_impulses);
        SolveReport::new(self.best.solves(tolerance), iterations, self.best)
    }
}

#[inline(always)]
fn compare<const D: usize>(now: &Local<D>, next: &Local<D>, since: &Local<D>) -> Change {
    let step = subtract(next, now);
    Change { square: dot(&step, &step), against: -dot(&step, &subtract(next, since)) }
}
