//! All quads of a problem, in chunks that threads share.

use super::{ExtraOf, LocalOf, PercussionsOf, Quad, WIDTH, set_lane};
use crate::barrier::{Barrier, Shared};
use crate::colour::Colouring;
use crate::residual::Meeting;
use crate::{Blocks, Contact, ContactProblem, Contacts};
use drystone_space::set_length;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Quads, and movers, that one thread takes at a time. Sums are made chunk by chunk, so that they do not
/// depend on threads.
const CHUNK: usize = 32;
const MOVERS: usize = 256;

/// The contacts of a problem in quads, colour after colour.
#[derive(Clone, Debug, Default)]
pub struct Quads<S: Blocks> {
    /// The quads.
    pub quads: Vec<Quad<S>>,
    /// One for each quad where any needs one.
    extras: Vec<ExtraOf<S>>,
    /// Laws of A-CD² of the quads that have any.
    pub percussions: Vec<PercussionsOf<S>>,
    /// The way through a problem: movers first, then the quads, colour after colour.
    pub barrier: Barrier,
    /// Number of movers; their chunks stand before those of quads.
    movers: usize,
    chunks: Vec<Chunk>,
    /// Number of chunks of each colour.
    of_colours: Vec<usize>,
}

/// Quads of one colour that one thread takes at a time.
#[derive(Clone, Debug)]
struct Chunk {
    quads: Range<usize>,
    /// Where their contacts stand in the colouring, and how many of them a quad takes.
    contacts: Range<usize>,
    together: usize,
}

/// What is laid out.
pub struct Given<'a, S: Blocks> {
    /// The problem, whose contacts may stand elsewhere.
    pub problem: &'a ContactProblem<S>,
    /// The contacts.
    pub contacts: &'a dyn Contacts<S>,
    /// Their order, and their movers.
    pub colouring: &'a Colouring,
}

/// A chunk of quads that has been laid out.
pub struct Filled<'a, S: Blocks> {
    /// Its number among chunks of quads.
    pub number: usize,
    /// Its quads.
    pub quads: &'a [Quad<S>],
    extras: &'a [ExtraOf<S>],
}

impl<S: Blocks> Filled<'_, S> {
    /// The quads with what they need besides.
    pub fn with_extras(&self) -> impl Iterator<Item = (&Quad<S>, Option<&ExtraOf<S>>)> {
        self.quads.iter().enumerate().map(|(i, quad)| (quad, self.extras.get(i)))
    }
}

/// What a chunk of [`Quads::barrier`] stands for.
#[derive(Clone, Debug)]
pub enum ChunkItems {
    /// These movers.
    Movers(Range<usize>),
    /// These quads; the number counts chunks of quads only.
    Quads(usize, Range<usize>),
}

impl<S: Blocks> Quads<S> {
    /// Lays a problem out, with the impulses that sweeps begin with. Contacts that no colour could take stand alone in
    /// their quads. The judge meets each while it is at hand, and whoever has laid out a chunk does the rest that is to
    /// be done for it.
    pub fn fill(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        colouring: &Colouring,
        impulses: &mut [LocalOf<S>],
        judge: &Meeting,
        rest: impl Fn(&Filled<S>) + Sync,
    ) {
        let impulses = &Shared::new(impulses);
        let given = Given { problem, contacts, colouring };
        // Where an extra is needed for the first time, there is no place for it yet.
        while self.try_fill(&given, impulses, judge, &rest) && self.extras.is_empty() {
            self.extras.resize(self.quads.len(), ExtraOf::<S>::default());
        }
        self.percussions.clear();
        if !problem.is_coulomb() {
            for quad in self.quads.iter_mut().filter(|quad| quad.special != 0) {
                quad.gather_percussions(problem, &mut self.percussions);
            }
        }
    }

    /// Fills quads, impulses and extras; true if any needs an extra.
    fn try_fill(
        &mut self,
        given: &Given<S>,
        impulses: &Shared<LocalOf<S>>,
        judge: &Meeting,
        rest: &(impl Fn(&Filled<S>) + Sync),
    ) -> bool {
        let (mut quads, mut extras) =
            (std::mem::take(&mut self.quads), std::mem::take(&mut self.extras));
        let (list, extra_list) = (Shared::new(&mut quads), Shared::new(&mut extras));
        let needed = AtomicBool::new(false);
        self.each_chunk(|number, range| {
            let chunk = &self.chunks[number];
            let contacts = given.colouring.order[chunk.contacts.clone()].chunks(chunk.together);
            // SAFETY: chunks have no quad in common, and none its number.
            let (quads, extras, impulses, mut met) = unsafe {
                let own = if extra_list.is_empty() { 0..0 } else { range.clone() };
                let (quads, impulses) = (list.part(range.clone()), impulses.part(range.clone()));
                (quads, extra_list.part(own), impulses, judge.chunk(number, range.clone()))
            };
            impulses.fill(LocalOf::<S>::default());
            let mut needs = false;
            for (i, (quad, few)) in quads.iter_mut().zip(contacts).enumerate() {
                let show = |lane: usize, contact: &Contact<S>| {
                    met.meet(i, lane, contact);
                    let start = given.contacts.start(few[lane] as usize, contact);
                    set_lane::<S>(&mut impulses[i], lane, start);
                };
                needs |= quad.fill(extras.get_mut(i), few, given, show);
            }
            if needs {
                needed.store(true, Ordering::Relaxed);
            }
            if !needs || !extras.is_empty() {
                rest(&Filled { number, quads, extras });
            }
        });
        (self.quads, self.extras) = (quads, extras);
        needed.into_inner()
    }

    /// Whether any quad needs something besides.
    pub fn has_extras(&self) -> bool {
        !self.extras.is_empty()
    }

    /// What a quad needs besides, if any does.
    #[inline(always)]
    pub fn extra(&self, quad: usize) -> Option<&ExtraOf<S>> {
        self.extras.get(quad)
    }

    /// Has something done with every chunk of quads: with its number and its range.
    pub fn each_chunk(&self, work: impl Fn(usize, Range<usize>) + Sync) {
        let work = |chunk: usize| {
            if let ChunkItems::Quads(number, range) = self.items(chunk) {
                work(number, range);
            }
        };
        self.barrier.run(work, || false);
    }

    /// Divides movers and colours into chunks, for so many threads, before quads are filled.
    pub fn divide(&mut self, movers: usize, colouring: &Colouring, threads: usize) {
        self.movers = movers;
        self.chunks.clear();
        self.of_colours.clear();
        let mut quads = 0;
        for (group, bounds) in colouring.starts.windows(2).enumerate() {
            let (mut start, end) = (bounds[0] as usize, bounds[1] as usize);
            let serial = colouring.is_serial(group);
            let together = if serial { 1 } else { WIDTH };
            let longest = if serial { end - start } else { CHUNK * WIDTH };
            let before = self.chunks.len();
            while start < end {
                let contacts = start..end.min(start + longest);
                let count = contacts.len().div_ceil(together);
                start = contacts.end;
                self.chunks.push(Chunk { quads: quads..quads + count, contacts, together });
                quads += count;
            }
            self.of_colours.push(self.chunks.len() - before);
        }
        let colours = self.of_colours.iter().copied();
        self.barrier.set(threads, std::iter::once(movers.div_ceil(MOVERS)).chain(colours));
        set_length(&mut self.quads, quads, Quad::default());
        if !self.extras.is_empty() {
            set_length(&mut self.extras, quads, ExtraOf::<S>::default());
        }
    }

    /// Chunks of quads.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// What a chunk of the stages stands for.
    #[inline(always)]
    pub fn items(&self, chunk: usize) -> ChunkItems {
        match chunk.checked_sub(self.movers.div_ceil(MOVERS)) {
            None => ChunkItems::Movers(chunk * MOVERS..self.movers.min((chunk + 1) * MOVERS)),
            Some(number) => ChunkItems::Quads(number, self.chunks[number].quads.clone()),
        }
    }
}
