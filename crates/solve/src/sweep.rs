//! One sweep of Gauss–Seidel under way: quads of contacts are relaxed, on velocities that threads share.

use crate::momentum::carry_on;
use crate::quad::{
    self, Kernel, Lanes, LocalOf, MotionOf, PercussionsOf, Quad, SlotOf, WIDTH, each,
};
use crate::{Blocks, Contact, ContactMap, ContactProblem, GROUND};
use drystone_space::Vector;

/// One sweep under way. The movers' velocities are shared by threads that write to different ones.
pub(crate) struct Sweep<'a, S: Blocks> {
    problem: &'a ContactProblem<S>,
    percussions: &'a [PercussionsOf<S>],
    slots: *mut SlotOf<S>,
    couples: *mut S::Local,
    beta: Lanes,
}

/// The movers on one side of a quad.
struct Movers<S: Blocks> {
    places: [*mut SlotOf<S>; WIDTH],
    motion: MotionOf<S>,
}

impl<S: Blocks> Movers<S> {
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

// SAFETY: every use is through methods whose contract forbids two threads on one mover; a couple
// belongs to one contact.
unsafe impl<S: Blocks> Sync for Sweep<'_, S> {}

impl<'a, S: Blocks> Sweep<'a, S> {
    pub fn new(
        problem: &'a ContactProblem<S>,
        percussions: &'a [PercussionsOf<S>],
        slots: &mut [SlotOf<S>],
        couples: &mut [S::Local],
        beta: f64,
    ) -> Self {
        let (slots, couples) = (slots.as_mut_ptr(), couples.as_mut_ptr());
        Self { problem, percussions, slots, couples, beta: Lanes::splat(beta) }
    }

    /// Relaxes quad after quad; returns Σ|ΔP|².
    ///
    /// # Safety
    /// That of [`Sweep::relax`] for each quad.
    pub unsafe fn relax_all(
        &self,
        quads: &[Quad<S>],
        impulses: &mut [LocalOf<S>],
        last: &mut [LocalOf<S>],
    ) -> f64 {
        let mut sum = Lanes::ZERO;
        for ((quad, impulse), last) in quads.iter().zip(impulses).zip(last) {
            carry_on(last, impulse, self.beta);
            // SAFETY: by this function's contract.
            sum += unsafe { self.relax(quad, impulse) };
        }
        sum.reduce_add()
    }

    /// Adds what the impulses of quad after quad do to the movers.
    ///
    /// # Safety
    /// That of [`Sweep::relax`] for each quad.
    pub unsafe fn respond_all(&self, quads: &[Quad<S>], impulses: &[LocalOf<S>]) {
        for (quad, impulse) in quads.iter().zip(impulses) {
            let mut ground = SlotOf::<S>::default();
            // SAFETY: by this function's contract.
            unsafe {
                let ground = &raw mut ground;
                let mut first = self.movers(&quad.first, ground);
                let mut second = self.movers(&quad.second, ground);
                quad.kernel.respond(impulse, &mut first.motion, &mut second.motion);
                first.write();
                second.write();
            }
        }
    }

    /// Velocities and spins of a quad's movers. The ground neither moves nor answers: it stands in `ground`, and
    /// what is written to it is lost.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    #[inline(always)]
    unsafe fn movers(&self, indices: &[u32; WIDTH], ground: *mut SlotOf<S>) -> Movers<S> {
        let at = |index: u32| {
            // SAFETY: by this function's contract.
            if index == GROUND { ground } else { unsafe { self.slots.add(index as usize) } }
        };
        let places = each(|lane| at(indices[lane]));
        // SAFETY: by this function's contract.
        let motion = unsafe { S::Kernel::gather(each(|lane| *places[lane])) };
        Movers { places, motion }
    }

    /// Gives four contacts the impulses that their laws ask for; returns |ΔP|².
    ///
    /// # Safety
    /// The quad's mover indices must be within the slots or [`GROUND`], different from each other,
    /// and no other thread may touch those slots meanwhile.
    #[inline(always)]
    unsafe fn relax(&self, quad: &Quad<S>, impulse: &mut LocalOf<S>) -> Lanes {
        let kernel = &quad.kernel;
        let mut ground = SlotOf::<S>::default();
        let ground = &raw mut ground;
        // SAFETY: by this function's contract.
        let (mut first, mut second) =
            unsafe { (self.movers(&quad.first, ground), self.movers(&quad.second, ground)) };
        let velocity = kernel.velocity(&first.motion, &second.motion);
        let (mut next, open) = kernel.solve(&velocity, impulse);
        if quad.percussion != 0 {
            self.solve_percussions(quad, &velocity, impulse, &mut next);
        }
        let open = (open & !quad.percussion) | quad.special;
        if open != 0 {
            self.solve_each(quad, open, &velocity, impulse, &mut next);
        }
        let mut step = next;
        let mut change = Lanes::ZERO;
        for (step, now) in step.as_mut().iter_mut().zip(impulse.as_ref()) {
            *step -= *now;
            change += *step * *step;
        }
        *impulse = next;
        kernel.respond(&step, &mut first.motion, &mut second.motion);
        // SAFETY: by this function's contract.
        unsafe {
            first.write();
            second.write();
            if quad.special != 0 {
                self.relax_couples(quad, impulse, &mut change);
            }
        }
        change
    }

    /// Gives the couples of a quad what their laws ask for, under the impulses that it now has.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    #[inline(never)]
    unsafe fn relax_couples(&self, quad: &Quad<S>, impulse: &LocalOf<S>, change: &mut Lanes) {
        for (lane, contact, place) in quad.specials(&self.problem.contacts) {
            let special = &self.problem.specials[place];
            let Some(law) = &special.couple else { continue };
            let pressure = special.pressure(quad::lane::<S>(impulse, lane));
            let (map, movers) = (&contact.map, &self.problem.movers);
            // SAFETY: by this function's contract; `place` belongs to this contact alone.
            let turned = unsafe {
                let couple = &mut *self.couples.add(place);
                self.with_spins(map, |first, second| {
                    law.relax(map, pressure, couple, movers, first, second)
                })
            };
            change.as_mut_array()[lane] += turned * turned;
        }
    }

    /// Adds what the couples of a quad do to the movers.
    ///
    /// # Safety
    /// That of [`Sweep::relax`].
    pub unsafe fn add_couples(&self, quad: &Quad<S>) {
        for (_, contact, place) in quad.specials(&self.problem.contacts) {
            let Some(law) = &self.problem.specials[place].couple else { continue };
            let (map, movers) = (&contact.map, &self.problem.movers);
            // SAFETY: by this function's contract.
            unsafe {
                let couple = *self.couples.add(place);
                self.with_spins(map, |first, second| law.turn(map, couple, movers, first, second));
            }
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
        let slot = |index: u32| unsafe { &mut *self.slots.add(index as usize) };
        let mut first = S::Kernel::twist(slot(map.first));
        if map.second == GROUND {
            let result = change(&mut first.spin, &mut { S::Spin::ZERO });
            *slot(map.first) = S::Kernel::slot(&first);
            return result;
        }
        let mut second = S::Kernel::twist(slot(map.second));
        let result = change(&mut first.spin, &mut second.spin);
        *slot(map.first) = S::Kernel::slot(&first);
        *slot(map.second) = S::Kernel::slot(&second);
        result
    }

    /// Solves the lanes whose laws are percussions.
    #[inline(always)]
    fn solve_percussions(
        &self,
        quad: &Quad<S>,
        velocity: &LocalOf<S>,
        impulse: &LocalOf<S>,
        next: &mut LocalOf<S>,
    ) {
        let laws = &self.percussions[quad.place as usize];
        let solved = quad.kernel.solve_percussions(laws, velocity, impulse);
        for (next, solved) in next.as_mut().iter_mut().zip(solved.as_ref()) {
            *next = quad::choose(quad.percussion, *solved, *next);
        }
    }

    /// Solves the lanes marked in `open` one by one, by their contacts' own laws.
    #[inline(never)]
    fn solve_each(
        &self,
        quad: &Quad<S>,
        open: u32,
        velocity: &LocalOf<S>,
        impulse: &LocalOf<S>,
        next: &mut LocalOf<S>,
    ) {
        for (lane, index) in quad.lanes().filter(|(lane, _)| open >> lane & 1 == 1) {
            let Contact { law, block, .. } = &self.problem.contacts[index];
            let (u, p) = (quad::lane::<S>(velocity, lane), quad::lane::<S>(impulse, lane));
            quad::set_lane::<S>(next, lane, law.solve::<S>(&self.problem.specials, block, u, p));
        }
    }
}
