//! Sweeps of Gauss–Seidel under way: quads of contacts are relaxed, on velocities that threads share.

use crate::barrier::Shared;
use crate::lanes::{
    self, ChunkItems, ExtraOf, Kernel, Lanes, LocalOf, MotionOf, Quad, Quads, Register, SlotOf,
    WIDTH, Work, each, whole, with_registers,
};
use crate::momentum::{carry_mover_on, carry_on};
use crate::sums::{Bins, SquareSum};
use crate::{Blocks, Contact, ContactMap, ContactProblem, GROUND, Law, Twist};
use drystone_space::Vector;

/// Sweeps under way. What movers and contacts have is shared by threads that write to different ones.
pub(crate) struct Sweep<'a, S: Blocks> {
    problem: &'a ContactProblem<S>,
    quads: &'a Quads<S>,
    impulses: Shared<'a, LocalOf<S>>,
    slots: Shared<'a, SlotOf<S>>,
    couples: Shared<'a, S::Local>,
}

/// What the last sweep began with, shared in the same way.
pub(crate) struct SharedLast<'a, S: Blocks> {
    pub impulses: Shared<'a, LocalOf<S>>,
    pub twists: Shared<'a, Twist<S>>,
}

/// The movers on one side of a quad.
struct Movers<S: Blocks, R: Register> {
    places: [*mut SlotOf<S>; WIDTH],
    motion: MotionOf<S, R>,
}

impl<S: Blocks, R: Register> Movers<S, R> {
    /// Writes the motion back.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    #[inline(always)]
    unsafe fn write(self) {
        let slots = S::Kernel::scatter(self.motion);
        for lane in 0..WIDTH {
            // SAFETY: by this function's contract.
            unsafe { *self.places[lane] = slots[lane] };
        }
    }
}

impl<'a, S: Blocks> Sweep<'a, S> {
    /// Sweeps over these quads, with these impulses, velocities and couples.
    pub fn new(
        problem: &'a ContactProblem<S>,
        quads: &'a Quads<S>,
        impulses: &'a mut [LocalOf<S>],
        slots: &'a mut [SlotOf<S>],
        couples: &'a mut [S::Local],
    ) -> Self {
        let (impulses, slots) = (Shared::new(impulses), Shared::new(slots));
        Self { problem, quads, impulses, slots, couples: Shared::new(couples) }
    }

    /// The impulses of a row.
    ///
    /// # Safety
    /// Nobody may write to them meanwhile.
    pub unsafe fn impulse(&self, row: usize) -> LocalOf<S> {
        // SAFETY: by this function's contract.
        unsafe { *self.impulses.at(row) }
    }

    /// The velocities of all movers.
    ///
    /// # Safety
    /// Nobody may write to them meanwhile.
    pub unsafe fn slots(&self) -> &[SlotOf<S>] {
        // SAFETY: by this function's contract.
        unsafe { self.slots.part(0..self.problem.movers.len()) }
    }

    /// The same to be written to.
    ///
    /// # Safety
    /// Nobody else may use them meanwhile.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn slots_to_write(&self) -> &mut [SlotOf<S>] {
        // SAFETY: by this function's contract.
        unsafe { self.slots.part(0..self.problem.movers.len()) }
    }

    /// A chunk of [`Quads::barrier`] on the way of a sweep: carries its movers or impulses on by β, and
    /// relaxes its quads one after another. Writes Σ|ΔP|² of quads, which begins with the bin `hint`, to their number in
    /// `changes`.
    ///
    /// # Safety
    /// Mover indices must be within the slots or [`GROUND`], and the two of a contact different. No other
    /// chunk but those of the same stage may be at work.
    pub unsafe fn relax_chunk(
        &self,
        chunk: usize,
        last: &SharedLast<S>,
        (beta, hint): (f64, Option<i32>),
        changes: &Shared<SquareSum>,
    ) {
        with_registers(Relax { sweep: self, chunk, last, beta, hint, changes });
    }

    /// Carries the impulses of a chunk's quads on by β and relaxes them, one after another; returns Σ|ΔP|². `PLAIN` says
    /// that no quad of the problem has extras or special laws, `MANIFOLDS` whether any has more than one row.
    ///
    /// # Safety
    /// That of [`Sweep::relax_chunk`].
    #[inline(always)]
    unsafe fn relax_quads<R: Register, const PLAIN: bool, const MANIFOLDS: bool>(
        &self,
        chunk: usize,
        last: &SharedLast<S>,
        (beta, hint): (R, Option<i32>),
    ) -> SquareSum {
        let (quads, rows) = self.quads.chunk(chunk);
        let start = rows.start;
        // SAFETY: by this function's contract.
        let (last, impulses) =
            unsafe { (last.impulses.part(rows.clone()), self.impulses.part(rows)) };
        let mut changes = Bins::<R>::starting_at(hint);
        for index in quads {
            let rows = self.quads.rows_of::<MANIFOLDS>(index);
            let rows = rows.start - start..rows.end - start;
            let impulses = &mut impulses[rows.clone()];
            let last = &mut last[rows];
            // SAFETY: by this function's contract.
            unsafe {
                self.relax::<R, PLAIN, MANIFOLDS>(index, last, impulses, beta, &mut changes);
            }
        }
        changes.total()
    }

    /// A chunk of [`Quads::barrier`] on the way from free velocities to those with impulses.
    ///
    /// # Safety
    /// That of [`Sweep::relax_chunk`].
    pub unsafe fn respond_chunk(&self, chunk: usize) {
        // SAFETY: chunks of one stage have no quad in common, and no mover.
        unsafe {
            match self.quads.items(chunk) {
                ChunkItems::Movers(range) => {
                    let (free, movers) = (&self.problem.free, &self.problem.movers);
                    let free = free[range.clone()].iter().zip(&movers[range.clone()]);
                    for (slot, (twist, mover)) in self.slots.part(range).iter_mut().zip(free) {
                        *slot = S::Kernel::slot(twist, mover);
                    }
                }
                ChunkItems::Quads(number) => {
                    self.quads.chunk(number).0.for_each(|index| self.respond(index));
                }
                ChunkItems::Exchange(_) => {}
            }
        }
    }

    /// Adds what the impulses of a quad do to the movers.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    unsafe fn respond(&self, index: usize) {
        let (quad, sides) = (&self.quads.quads[index], self.quads.sides(index));
        let mut ground = SlotOf::<S>::default();
        let ground = whole(&mut ground);
        // SAFETY: by this function's contract.
        unsafe {
            let mut first = self.movers::<Lanes>(&quad.first, ground);
            let mut second = self.movers::<Lanes>(&quad.second, ground);
            for row in quad.rows() {
                let (extra, impulse) = (self.quads.extra(row).zip(sides), self.impulse(row));
                let (one, two) = (&mut first.motion, &mut second.motion);
                self.quads.rows[row].respond(extra, &impulse, one, two);
            }
            first.write();
            second.write();
        }
    }

    /// Velocities and spins of a quad's movers. The ground neither moves nor answers: it stands in `ground`, and
    /// what is written to it is lost.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    #[inline(always)]
    unsafe fn movers<R: Register>(
        &self,
        indices: &[u32; WIDTH],
        ground: *mut SlotOf<S>,
    ) -> Movers<S, R> {
        let at = |index: u32| {
            // SAFETY: by this function's contract.
            if index == GROUND { ground } else { unsafe { self.slots.at(index as usize) } }
        };
        let places = each(|lane| at(indices[lane]));
        // SAFETY: by this function's contract.
        let motion = unsafe { S::Kernel::gather(each(|lane| &*places[lane])) };
        Movers { places, motion }
    }

    /// Carries the impulses of four manifolds on by β of their change since `last`, and gives their contacts those that
    /// their laws ask for, point after point; adds |ΔP|². Movers are read once and written once. `last` and
    /// `impulses` are those of the quad's rows.
    ///
    /// # Safety
    /// The quad's mover indices must be within the slots or [`GROUND`], different from each other,
    /// and no other thread may touch those slots meanwhile.
    #[inline(always)]
    unsafe fn relax<R: Register, const PLAIN: bool, const MANIFOLDS: bool>(
        &self,
        index: usize,
        last: &mut [LocalOf<S>],
        impulses: &mut [LocalOf<S>],
        beta: R,
        changes: &mut Bins<R>,
    ) {
        let quad = &self.quads.quads[index];
        let sides = if PLAIN { None } else { self.quads.sides(index) };
        let mut ground = SlotOf::<S>::default();
        let ground = whole(&mut ground);
        // SAFETY: by this function's contract.
        let (mut first, mut second) = unsafe {
            (self.movers::<R>(&quad.first, ground), self.movers::<R>(&quad.second, ground))
        };
        // Only the first row has lanes with special laws.
        let mut laws = if PLAIN { (0, 0) } else { (quad.percussion, quad.special) };
        let mut special = None;
        let rows = self.quads.rows_of::<MANIFOLDS>(index);
        let start = rows.start;
        for (row, (kept, last)) in rows.zip(impulses.iter_mut().zip(last)) {
            let kernel = &self.quads.rows[row];
            let extra = if PLAIN { None } else { self.quads.extra(row) };
            let (mut impulse, before) = (S::Kernel::load::<R>(kept), S::Kernel::load::<R>(last));
            *last = *kept;
            for (now, before) in impulse.as_mut().iter_mut().zip(before.as_ref()) {
                *now += (*now - *before) * beta;
            }
            let velocity = kernel.velocity(extra, &first.motion, &second.motion);
            let (mut next, open) = kernel.solve(extra, &velocity, &impulse);
            let (percussion, alone) = std::mem::take(&mut laws);
            if percussion != 0 {
                self.solve_percussions(quad, kernel, &velocity, &impulse, &mut next);
            }
            let open = (open & !percussion) | alone;
            if open != 0 {
                let mut stored = S::Kernel::store(next);
                let given = (S::Kernel::store(velocity), S::Kernel::store(impulse));
                self.solve_each((quad, row - start), extra, (open, alone), &given, &mut stored);
                next = S::Kernel::load(&stored);
            }
            let (mut step, mut change) = (next, R::splat(0.0));
            for (step, now) in step.as_mut().iter_mut().zip(impulse.as_ref()) {
                *step -= *now;
                change += *step * *step;
            }
            changes.add(change);
            *kept = S::Kernel::store(next);
            kernel.respond(extra.zip(sides), &step, &mut first.motion, &mut second.motion);
            if alone != 0 {
                // Copies: what others may look at cannot stay in registers.
                special = Some((S::Kernel::store(step), S::Kernel::store(next)));
            }
        }
        // SAFETY: by this function's contract.
        unsafe {
            first.write();
            second.write();
            if let Some((step, impulse)) = special {
                let mut change = Lanes::ZERO;
                self.respond_compliant(quad, &step);
                self.relax_couples(quad, &impulse, &mut change);
                changes.add(R::load(&change));
            }
        }
    }

    /// Gives the couples of a quad what their laws ask for, under the impulses that it now has.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    #[inline(never)]
    unsafe fn relax_couples(&self, quad: &Quad, impulse: &LocalOf<S>, change: &mut Lanes) {
        for (lane, contact) in quad.specials(&self.problem.contacts) {
            let Law::Special(special) = contact.law else { continue };
            let special = special as usize;
            let Some(cone) = self.problem.specials[special].cone() else { continue };
            let Some(law) = &cone.couple else { continue };
            let pressure = cone.pressure(lanes::lane::<S>(impulse, lane));
            let (map, movers) = (&contact.map, &self.problem.movers);
            // SAFETY: by this function's contract; `special` belongs to this contact alone.
            let turned = unsafe {
                let couple = &mut *self.couples.at(special);
                self.with_spins(map, |first, second| {
                    law.relax(map, pressure, couple, movers, first, second)
                })
            };
            change.as_mut_array()[lane] += turned * turned;
        }
    }

    /// Carries couples on by β of their change since `last`, which becomes what they were.
    ///
    /// # Safety
    /// Nobody else may use a couple meanwhile.
    pub unsafe fn carry_couples_on(&self, last: &mut [S::Local], beta: f64) {
        // SAFETY: by this function's contract.
        let mut now = unsafe { self.couples.part(0..last.len()) };
        carry_on(&mut { last }, &mut now, beta);
    }

    /// Adds what the couples of a quad do to the movers.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    pub unsafe fn add_couples(&self, quad: &Quad) {
        for (_, contact) in quad.specials(&self.problem.contacts) {
            let Law::Special(special) = contact.law else { continue };
            let special = special as usize;
            let Some(law) = self.problem.specials[special].couple() else { continue };
            let (map, movers) = (&contact.map, &self.problem.movers);
            // SAFETY: by this function's contract.
            unsafe {
                let couple = *self.couples.at(special);
                self.with_spins(map, |first, second| law.turn(map, couple, movers, first, second));
            }
        }
    }

    /// Adds what the impulses of a quad do to compliant groups.
    ///
    /// # Safety
    /// That of [`Sweep::relax`], for all points of a group: its contacts belong to one thread.
    #[inline(never)]
    pub unsafe fn respond_compliant(&self, quad: &Quad, impulse: &LocalOf<S>) {
        if self.problem.compliant.is_empty() {
            return;
        }
        for (lane, contact) in quad.specials(&self.problem.contacts) {
            let push = lanes::lane::<S>(impulse, lane);
            self.problem.push_compliant(&contact.map, push, |mover, change| {
                // SAFETY: by this function's contract.
                let slot = unsafe { &mut *self.slots.at(mover as usize) };
                let mut twist = S::Kernel::twist(slot);
                twist.velocity += change;
                S::Kernel::set_twist(slot, &twist);
            });
        }
    }

    /// Lets `change` at the spins of a contact's movers; the ground has none.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    unsafe fn with_spins<R>(
        &self,
        map: &ContactMap<S>,
        change: impl FnOnce(&mut S::Spin, &mut S::Spin) -> R,
    ) -> R {
        // SAFETY: by this function's contract.
        let slot = |index: u32| unsafe { &mut *self.slots.at(index as usize) };
        let mut first = S::Kernel::twist(slot(map.first));
        if map.second == GROUND {
            let result = change(&mut first.spin, &mut { S::Spin::ZERO });
            S::Kernel::set_twist(slot(map.first), &first);
            return result;
        }
        let mut second = S::Kernel::twist(slot(map.second));
        let result = change(&mut first.spin, &mut second.spin);
        S::Kernel::set_twist(slot(map.first), &first);
        S::Kernel::set_twist(slot(map.second), &second);
        result
    }

    /// Solves the lanes whose laws are percussions.
    #[inline(always)]
    fn solve_percussions<R: Register>(
        &self,
        quad: &Quad,
        kernel: &S::Kernel,
        velocity: &LocalOf<S, R>,
        impulse: &LocalOf<S, R>,
        next: &mut LocalOf<S, R>,
    ) {
        let laws = &self.quads.percussions[quad.first_percussion as usize];
        let solved = kernel.solve_percussions(laws, velocity, impulse);
        for (next, solved) in next.as_mut().iter_mut().zip(solved.as_ref()) {
            *next = lanes::choose(quad.percussion, *solved, *next);
        }
    }

    /// Solves the lanes marked in `open` of a row one by one: those marked in `alone` by their laws, others by their
    /// blocks.
    #[inline(never)]
    fn solve_each(
        &self,
        (quad, row): (&Quad, usize),
        extra: Option<&ExtraOf<S>>,
        (open, alone): (u8, u8),
        (velocity, impulse): &(LocalOf<S>, LocalOf<S>),
        next: &mut LocalOf<S>,
    ) {
        for (lane, index) in quad.lanes(row).filter(|(lane, _)| open >> lane & 1 == 1) {
            let (u, p) = (lanes::lane::<S>(velocity, lane), lanes::lane::<S>(impulse, lane));
            let solved = match (extra, alone >> lane & 1 == 1) {
                (Some(extra), false) => {
                    self.quads.rows[quad.rows().start + row].solve_open(extra, lane, u, p)
                }
                _ => {
                    let Contact { law, block, .. } = &self.problem.contacts[index];
                    law.solve::<S>(&self.problem.specials, block, u, p)
                }
            };
            lanes::set_lane::<S>(next, lane, solved);
        }
    }
}

/// [`Sweep::relax_chunk`].
struct Relax<'a, S: Blocks> {
    sweep: &'a Sweep<'a, S>,
    chunk: usize,
    last: &'a SharedLast<'a, S>,
    beta: f64,
    hint: Option<i32>,
    changes: &'a Shared<'a, SquareSum>,
}

impl<S: Blocks, R: Register> Work<R> for Relax<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sweep, chunk, last, beta, hint, changes } = self;
        let quads = sweep.quads;
        // SAFETY: by the contract of `Sweep::relax_chunk`: chunks of one stage have no quad in common, and no mover.
        unsafe {
            match quads.items(chunk) {
                ChunkItems::Movers(range) => {
                    let (last, now) = (last.twists.part(range.clone()), sweep.slots.part(range));
                    for (last, now) in last.iter_mut().zip(now) {
                        carry_mover_on(last, now, beta);
                    }
                }
                ChunkItems::Quads(number) => {
                    let given = (R::splat(beta), hint);
                    let sum = match (quads.is_plain(sweep.problem), quads.has_manifolds()) {
                        (true, false) => sweep.relax_quads::<R, true, false>(number, last, given),
                        (true, true) => sweep.relax_quads::<R, true, true>(number, last, given),
                        (false, false) => sweep.relax_quads::<R, false, false>(number, last, given),
                        (false, true) => sweep.relax_quads::<R, false, true>(number, last, given),
                    };
                    changes.part(number..number + 1)[0] = sum;
                }
                ChunkItems::Exchange(_) => {}
            }
        }
    }
}
