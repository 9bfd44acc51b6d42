//! All quads of a problem, in chunks that threads share.

use super::{ExtraOf, Kernel, LocalOf, PercussionsOf, Quad, SidesOf, WIDTH, set_lane};
use crate::barrier::{Barrier, Shared};
use crate::colour::{Colouring, KINDS};
use crate::residual::{Meeting, MetChunk};
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
    pub quads: Vec<Quad>,
    /// Their rows, in the same order.
    pub rows: Vec<S::Kernel>,
    /// One for each row, and one for each quad, where any row needs one.
    extras: Vec<ExtraOf<S>>,
    sides: Vec<SidesOf<S>>,
    /// Whether contacts that are between balls, as far as is known, are computed with others of them that do not look so.
    mixed: bool,
    /// Laws of A-CD² of the quads that have any.
    pub percussions: Vec<PercussionsOf<S>>,
    /// The way through a problem: movers first, then the quads, colour after colour, with what ranks have to tell between.
    pub barrier: Barrier,
    chunks: Vec<Chunk>,
    /// What is done one after another: movers, and colours.
    way: Vec<ChunkItems>,
    /// Number of chunks of each stage.
    stages: Vec<usize>,
}

/// Quads of one colour that one thread takes at a time.
#[derive(Clone, Debug)]
struct Chunk {
    quads: Range<usize>,
    rows: Range<usize>,
    /// Where their manifolds stand in the colouring, and how many of them a quad takes.
    manifolds: Range<usize>,
    together: usize,
    /// Whether this rank counts its contacts in sums.
    counts: bool,
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

/// A chunk of quads, as it is laid out.
pub struct Filled<'a, S: Blocks> {
    /// Its number among chunks of quads.
    pub number: usize,
    /// Its quads.
    pub quads: &'a mut [Quad],
    rows: &'a mut [S::Kernel],
    /// Empty where none is needed.
    extras: &'a mut [ExtraOf<S>],
    sides: &'a mut [SidesOf<S>],
    impulses: &'a mut [LocalOf<S>],
    /// The first of its rows among all.
    start: usize,
}

impl<S: Blocks> Filled<'_, S> {
    /// The rows of one of its quads, with what they need besides.
    #[inline(always)]
    pub fn rows(&self, quad: &Quad) -> impl Iterator<Item = (&S::Kernel, Option<&ExtraOf<S>>)> {
        let range = quad.rows();
        (range.start - self.start..range.end - self.start)
            .map(|row| (&self.rows[row], self.extras.get(row)))
    }

    /// Fills all quads with these manifolds, so many each; whether any row needs an extra, and whether one of balls does.
    fn fill(
        &mut self,
        given: &Given<S>,
        manifolds: &[u32],
        together: usize,
        met: &mut MetChunk,
    ) -> [bool; 2] {
        let (mut needs, mut mixed, mut row) = (false, false, 0);
        for (index, few) in manifolds.chunks(together).enumerate() {
            self.quads[index].set(few, self.start + row, given);
            let round = given.contacts.is_round(few[0] as usize);
            let mut angular = false;
            for point in 0..self.quads[index].rows().len() {
                angular |= self.fill_row(given, (few, round), (row, point), met);
                row += 1;
            }
            if let Some(sides) = self.sides.get_mut(index).filter(|_| angular) {
                *sides = SidesOf::<S>::default();
                let mut pairs = [(0, 0); WIDTH];
                for (pair, &manifold) in pairs.iter_mut().zip(few) {
                    *pair = given.colouring.pairs[manifold as usize];
                }
                S::Kernel::fill_sides(sides, &pairs[..few.len()], &given.problem.movers);
            }
            needs |= angular;
            mixed |= angular && round;
        }
        [needs, mixed]
    }

    /// Fills a row with the contacts of manifolds that have so many points; true if it needs an extra.
    fn fill_row(
        &mut self,
        given: &Given<S>,
        (manifolds, round): (&[u32], bool),
        (row, point): (usize, usize),
        met: &mut MetChunk,
    ) -> bool {
        let taken = manifolds.iter().take_while(|&&index| given.colouring.points(index) > point);
        let taken = &manifolds[..taken.count()];
        if taken.len() < WIDTH {
            self.rows[row] = S::Kernel::default();
            self.impulses[row] = LocalOf::<S>::default();
        }
        // Lanes that are left get the last contact, for want of another; nobody reads it there.
        let at = |lane: usize| taken[lane.min(taken.len() - 1)] as usize + point;
        let [mut one, mut two, mut three, mut four] = [const { None }; WIDTH];
        let contacts = [
            given.contacts.contact(at(0), &mut one),
            given.contacts.contact(at(1), &mut two),
            given.contacts.contact(at(2), &mut three),
            given.contacts.contact(at(3), &mut four),
        ];
        let contacts: &[&Contact<S>] = &contacts[..taken.len()];
        met.meet(row, contacts);
        for (lane, contact) in contacts.iter().enumerate() {
            let start = given.contacts.start(at(lane), contact);
            set_lane::<S>(&mut self.impulses[row], lane, start);
        }
        self.rows[row].fill(self.extras.get_mut(row), contacts, &given.problem.movers, round)
    }
}

/// What a chunk of [`Quads::barrier`] stands for.
#[derive(Clone, Debug)]
pub enum ChunkItems {
    /// These movers.
    Movers(Range<usize>),
    /// The chunk of quads of this number.
    Quads(usize),
    /// What this colour has changed is told to other ranks.
    Exchange(usize),
}

impl<S: Blocks> Quads<S> {
    /// Lays a problem out, with the impulses that sweeps begin with. Manifolds that no colour could take stand alone in
    /// their quads. The judge meets each contact while it is at hand, and whoever has laid out a chunk does the rest
    /// that is to be done for it.
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
            self.extras.resize(self.rows.len(), ExtraOf::<S>::default());
            self.sides.resize(self.quads.len(), SidesOf::<S>::default());
        }
        self.percussions.clear();
        if !problem.is_coulomb() {
            for quad in self.quads.iter_mut().filter(|quad| quad.special != 0) {
                quad.gather_percussions(problem, &mut self.percussions);
            }
        }
    }

    /// Fills quads, rows, impulses and extras; true if any needs an extra.
    fn try_fill(
        &mut self,
        given: &Given<S>,
        impulses: &Shared<LocalOf<S>>,
        judge: &Meeting,
        rest: &(impl Fn(&Filled<S>) + Sync),
    ) -> bool {
        let mut taken = std::mem::take(&mut self.quads);
        let mut rows = std::mem::take(&mut self.rows);
        let mut extras = std::mem::take(&mut self.extras);
        let mut sides = std::mem::take(&mut self.sides);
        let (quad_list, row_list) = (Shared::new(&mut taken), Shared::new(&mut rows));
        let (extra_list, side_list) = (Shared::new(&mut extras), Shared::new(&mut sides));
        let (needed, mixed) = (AtomicBool::new(false), AtomicBool::new(false));
        self.each_chunk(|number| {
            let Chunk { quads, rows, manifolds, together, .. } = self.chunks[number].clone();
            let wanted = |range: &Range<usize>| match extra_list.is_empty() {
                true => 0..0,
                false => range.clone(),
            };
            let manifolds = &given.colouring.order[manifolds];
            // SAFETY: chunks have no quad and no row in common, and none its number.
            let (mut filled, mut met) = unsafe {
                let filled = Filled {
                    number,
                    start: rows.start,
                    extras: extra_list.part(wanted(&rows)),
                    sides: side_list.part(wanted(&quads)),
                    quads: quad_list.part(quads),
                    rows: row_list.part(rows.clone()),
                    impulses: impulses.part(rows.clone()),
                };
                (filled, judge.chunk(number, rows))
            };
            let [needs, mixes] = filled.fill(given, manifolds, together, &mut met);
            if needs {
                needed.store(true, Ordering::Relaxed);
            }
            if mixes {
                mixed.store(true, Ordering::Relaxed);
            }
            if !needs || !filled.extras.is_empty() {
                rest(&filled);
            }
        });
        (self.quads, self.rows, self.extras, self.sides) = (taken, rows, extras, sides);
        self.mixed = mixed.into_inner();
        needed.into_inner()
    }

    /// Whether the bits of each contact are its own, whichever others are computed with it.
    pub fn is_apart(&self, problem: &ContactProblem<S>) -> bool {
        !self.mixed && problem.is_coulomb() && problem.compliant.is_empty()
    }

    /// Whether no row needs something besides, no contact has a special law and none is on a compliant group: there is then
    /// one way through a quad, which the compiler can have in registers.
    pub fn is_plain(&self, problem: &ContactProblem<S>) -> bool {
        self.extras.is_empty() && problem.is_coulomb() && problem.compliant.is_empty()
    }

    /// What a row needs besides, if any does.
    #[inline(always)]
    pub fn extra(&self, row: usize) -> Option<&ExtraOf<S>> {
        self.extras.get(row)
    }

    /// What the rows of a quad need besides of its movers.
    #[inline(always)]
    pub fn sides(&self, quad: usize) -> Option<&SidesOf<S>> {
        self.sides.get(quad)
    }

    /// Has something done with every chunk of quads, by its number.
    pub fn each_chunk(&self, work: impl Fn(usize) + Sync) {
        let work = |chunk: usize| {
            if let ChunkItems::Quads(number) = self.items(chunk) {
                work(number);
            }
        };
        self.barrier.run(work, || false);
    }

    /// Whether any quad has more than one row. Where none has, each row has the number of its quad.
    pub fn has_manifolds(&self) -> bool {
        self.rows.len() > self.quads.len()
    }

    /// The rows of a quad. `MANIFOLDS` says whether any quad has more than one: a loop over one row is none.
    #[inline(always)]
    pub fn rows_of<const MANIFOLDS: bool>(&self, quad: usize) -> Range<usize> {
        if MANIFOLDS { self.quads[quad].rows() } else { quad..quad + 1 }
    }

    /// The quads and the rows of a chunk.
    #[inline(always)]
    pub fn chunk(&self, number: usize) -> (Range<usize>, Range<usize>) {
        let Chunk { quads, rows, .. } = &self.chunks[number];
        (quads.clone(), rows.clone())
    }

    /// Divides movers and colours into chunks, for so many threads, before quads are filled. So many colours are told to
    /// other ranks.
    pub fn divide(&mut self, movers: usize, colouring: &Colouring, threads: usize, told: usize) {
        self.chunks.clear();
        self.way.clear();
        self.stages.clear();
        let of_movers = (0..movers).step_by(MOVERS).map(|start| start..movers.min(start + MOVERS));
        self.way.extend(of_movers.map(ChunkItems::Movers));
        self.stages.push(self.way.len());
        let (mut quads, mut rows) = (0, 0);
        for group in 0..colouring.starts.len() - 1 {
            let serial = colouring.is_serial(group);
            let together = if serial { 1 } else { WIDTH };
            let before = self.way.len();
            let kinds = &colouring.kinds[KINDS * group..=KINDS * (group + 1)];
            for (kind, bounds) in kinds.windows(2).enumerate() {
                let (mut start, end) = (bounds[0] as usize, bounds[1] as usize);
                let counts = kind < KINDS / 2;
                let longest = if serial { end - start } else { CHUNK * WIDTH };
                while start < end {
                    let manifolds = start..end.min(start + longest);
                    let count = manifolds.len().div_ceil(together);
                    // The first manifold of a quad has the most points.
                    let firsts = colouring.order[manifolds.clone()].iter().step_by(together);
                    let height = firsts.map(|&index| colouring.points(index)).sum::<usize>();
                    start = manifolds.end;
                    let (quads_of, rows_of) = (quads..quads + count, rows..rows + height);
                    self.way.push(ChunkItems::Quads(self.chunks.len()));
                    let chunk =
                        Chunk { quads: quads_of, rows: rows_of, manifolds, together, counts };
                    self.chunks.push(chunk);
                    (quads, rows) = (quads + count, rows + height);
                }
            }
            self.stages.push(self.way.len() - before);
            if group < told {
                self.way.push(ChunkItems::Exchange(group));
                self.stages.push(1);
            }
        }
        self.barrier.set(threads, self.stages.iter().copied());
        set_length(&mut self.quads, quads, Quad::default());
        set_length(&mut self.rows, rows, S::Kernel::default());
        if !self.extras.is_empty() {
            set_length(&mut self.extras, rows, ExtraOf::<S>::default());
            set_length(&mut self.sides, quads, SidesOf::<S>::default());
        }
    }

    /// Chunks of quads.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Whether the contacts of a chunk of quads are counted by this rank.
    pub fn counts(&self, number: usize) -> bool {
        self.chunks[number].counts
    }

    /// How many contacts a chunk of quads has.
    pub fn contacts_in(&self, number: usize) -> usize {
        let quads = &self.quads[self.chunks[number].quads.clone()];
        quads
            .iter()
            .flat_map(|quad| (0..quad.rows().len()).map(|row| quad.lanes(row).count()))
            .sum()
    }

    /// What a chunk of the stages stands for.
    #[inline(always)]
    pub fn items(&self, chunk: usize) -> ChunkItems {
        self.way[chunk].clone()
    }
}
