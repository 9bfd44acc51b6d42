//! Nonlinear Gauss–Seidel (Jean & Moreau 1992, (7.4)–(7.5); Moreau 2003, §7.2).
//!
//! One contact after another is given the impulse that satisfies its law while all others are
//! frozen, and the velocities of its two movers follow at once. How far a cycle has changed the
//! impulses tells when to look; the [`Residual`] decides.
//!
//! Between sweeps a momentum carries impulses and velocities on (see `momentum.rs`).
//!
//! Contacts are swept colour after colour. Contacts of one colour share no mover, so that threads
//! can take them in any order without changing a bit of the result, and a core takes four at once
//! in the lanes of its vector registers (see `quad/mod.rs`).

use crate::colour::{Colouring, SweepOrder};
use crate::momentum::{Advice, Momentum, carry_on};
use crate::quad::{
    self, CHUNK, Kernel, Lanes, LocalOf, MotionOf, PercussionsOf, Quad, Quads, SlotOf, WIDTH, each,
    worth_sharing,
};
use crate::residual::Judge;
use crate::{
    Blocks, Contact, ContactMap, ContactProblem, GROUND, Law, Residual, Solution, Threads,
};
use drystone_space::Vector;
use rayon::prelude::*;

/// Most sweeps between two looks at the residual.
const LOOK_EVERY: usize = 100;

/// What is asked of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NlgsParams {
    /// Both figures of the residual must come below this.
    pub tolerance: f64,
    /// Most sweeps.
    pub max_iterations: usize,
    /// In which order the contacts are swept.
    pub order: SweepOrder,
    /// Whether a momentum carries the impulses on between sweeps.
    pub momentum: bool,
}

impl Default for NlgsParams {
    fn default() -> Self {
        Self {
            tolerance: 1e-4,
            max_iterations: 10_000,
            order: SweepOrder::Coloured,
            momentum: true,
        }
    }
}

/// Whether the tolerance was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The residual is within the tolerance.
    #[default]
    Solved,
    /// The iterations ran out before.
    NotSolved,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Whether the tolerance was met.
    pub status: Status,
    /// Sweeps made.
    pub iterations: usize,
    /// The residual at the end.
    pub residual: Residual,
}

/// Gauss–Seidel with its scratch: nothing is allocated once the buffers have grown.
#[derive(Clone, Debug, Default)]
pub struct Nlgs<S: Blocks> {
    colouring: Colouring,
    quads: Quads<S>,
    impulses: Vec<LocalOf<S>>,
    couples: Vec<S::Local>,
    slots: Vec<SlotOf<S>>,
    free: Vec<SlotOf<S>>,
    judge: Judge,
    momentum: Momentum<S>,
    /// Squares of what each chunk of quads has changed in a sweep.
    changes: Vec<f64>,
}

impl<S: Blocks> Nlgs<S> {
    /// Solves `problem` from the impulses that `solution` holds, and leaves its velocities fresh.
    ///
    /// # Panics
    /// If a contact names a mover that does not exist, or the impulses are not one per contact.
    pub fn solve(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &NlgsParams,
        threads: &Threads,
    ) -> SolveReport {
        check_indices(problem);
        assert_eq!(problem.contacts.len(), solution.impulses.len(), "one impulse per contact");
        assert_eq!(problem.specials.len(), solution.couples.len(), "one couple per special law");
        let report = threads.run(|| S::sweeps(self, problem, solution, params, threads.count()));
        for (quad, impulse) in self.quads.quads.iter().zip(&self.impulses) {
            for (lane, index) in quad.lanes() {
                solution.impulses[index] = quad::lane::<S>(impulse, lane);
            }
        }
        solution.couples.copy_from_slice(&self.couples);
        solution.twists.clear();
        solution.twists.extend(self.slots.iter().map(S::Kernel::twist));
        report
    }

    /// Lays contacts, impulses and velocities out for the sweep.
    fn begin(
        &mut self,
        problem: &ContactProblem<S>,
        start: &Solution<S>,
        order: SweepOrder,
        threads: usize,
    ) {
        self.colouring.arrange(problem, order);
        self.quads.fill(problem, &self.colouring, threads);
        self.take(start);
        self.free.clear();
        self.free.extend(problem.free.iter().map(S::Kernel::slot));
        self.judge.begin(problem, &self.quads.quads, &self.free);
    }

    /// Takes the impulses of a solution.
    fn take(&mut self, start: &Solution<S>) {
        self.impulses.clear();
        self.impulses.extend(self.quads.quads.iter().map(|quad| {
            let mut local = LocalOf::<S>::default();
            for (lane, index) in quad.lanes() {
                quad::set_lane::<S>(&mut local, lane, start.impulses[index]);
            }
            local
        }));
        self.couples.clear();
        self.couples.extend_from_slice(&start.couples);
    }

    pub(crate) fn iterate(
        &mut self,
        problem: &ContactProblem<S>,
        start: &Solution<S>,
        params: &NlgsParams,
        threads: usize,
    ) -> SolveReport {
        self.begin(problem, start, params.order, threads);
        let mut residual = self.look_afresh(problem, threads);
        let mut iterations = 0;
        let mut last_look = 0;
        // The change per sweep at which the residual is worth a look: unknown until the first one.
        let mut worth_a_look = f64::INFINITY;
        self.momentum.begin(params.momentum);
        self.momentum.remember(&self.impulses, &self.couples, &self.slots);
        while !residual.within(params.tolerance) && iterations < params.max_iterations {
            let change = self.sweep(problem, threads);
            iterations += 1;
            let due = iterations - last_look >= LOOK_EVERY || iterations == params.max_iterations;
            if change > worth_a_look && !due {
                continue;
            }
            let before = residual.worst();
            residual = self.look(problem, threads);
            // Rounding in the velocities adds up from sweep to sweep: the last word is said without it.
            if due || residual.within(params.tolerance) {
                residual = self.look_afresh(problem, threads);
            }
            if due {
                let now = residual.worst();
                if self.momentum.adapt(now, now / before) == Advice::BeginAgain {
                    residual = self.begin_again(problem, start, threads);
                }
            }
            last_look = iterations;
            // Change and residual fall together: look again when the change has fallen as far as
            // the residual still has to.
            let left = (0.8 * params.tolerance / residual.worst()).clamp(0.02, 0.9);
            worth_a_look = change * left;
        }
        let solved = residual.within(params.tolerance);
        let status = if solved { Status::Solved } else { Status::NotSolved };
        SolveReport { status, iterations, residual }
    }

    /// Goes back to the start, for another attempt.
    fn begin_again(
        &mut self,
        problem: &ContactProblem<S>,
        start: &Solution<S>,
        threads: usize,
    ) -> Residual {
        self.take(start);
        let residual = self.look_afresh(problem, threads);
        self.momentum.remember(&self.impulses, &self.couples, &self.slots);
        residual
    }

    /// What the impulses are worth, with velocities that sums of impulses have made anew.
    fn look_afresh(&mut self, problem: &ContactProblem<S>, threads: usize) -> Residual {
        self.slots.clear();
        self.slots.extend_from_slice(&self.free);
        let laws = &self.quads.percussions;
        let sweep = Sweep::new(problem, laws, &mut self.slots, &mut self.couples, 0.0);
        for (group, bounds) in self.quads.starts.windows(2).enumerate() {
            let range = bounds[0]..bounds[1];
            let (quads, impulses) = (&self.quads.quads[range.clone()], &self.impulses[range]);
            // SAFETY: as in `sweep`.
            let respond = |(quads, impulses)| unsafe { sweep.respond_all(quads, impulses) };
            if worth_sharing(quads.len(), threads) && !self.colouring.is_serial(group) {
                quads.par_chunks(CHUNK).zip(impulses.par_chunks(CHUNK)).for_each(respond);
            } else {
                respond((quads, impulses));
            }
        }
        for quad in self.quads.quads.iter().filter(|quad| quad.special != 0) {
            // SAFETY: indices were checked by `check_indices`, and there is only this thread.
            unsafe { sweep.add_couples(quad) };
        }
        self.look(problem, threads)
    }

    /// What the impulses are worth with the velocities that the sweeps have left.
    fn look(&mut self, problem: &ContactProblem<S>, threads: usize) -> Residual {
        let (quads, impulses) = (&self.quads, &self.impulses);
        self.judge.look(problem, quads, impulses, &self.couples, &self.slots, threads)
    }

    /// Carries on along the last change, then cycles over all contacts; returns √Σ|ΔP|².
    fn sweep(&mut self, problem: &ContactProblem<S>, threads: usize) -> f64 {
        let beta = self.momentum.strength();
        self.momentum.carry_on(&mut self.couples, &mut self.slots, beta);
        let laws = &self.quads.percussions;
        let sweep = Sweep::new(problem, laws, &mut self.slots, &mut self.couples, beta);
        let mut sum = 0.0;
        for (group, bounds) in self.quads.starts.windows(2).enumerate() {
            let range = bounds[0]..bounds[1];
            let quads = &self.quads.quads[range.clone()];
            let impulses = &mut self.impulses[range.clone()];
            let last = &mut self.momentum.impulses[range];
            // SAFETY: indices were checked by `check_indices`; no other thread touches the movers
            // of these contacts: a colour shares none, and other groups are not swept at the same
            // time.
            let relax =
                |((quads, impulses), last)| unsafe { sweep.relax_all(quads, impulses, last) };
            if worth_sharing(quads.len(), threads) && !self.colouring.is_serial(group) {
                let parts = quads.par_chunks(CHUNK).zip(impulses.par_chunks_mut(CHUNK));
                let parts = parts.zip(last.par_chunks_mut(CHUNK));
                parts.map(relax).collect_into_vec(&mut self.changes);
                sum += self.changes.iter().sum::<f64>();
            } else {
                let parts = quads.chunks(CHUNK).zip(impulses.chunks_mut(CHUNK));
                sum += parts.zip(last.chunks_mut(CHUNK)).map(relax).sum::<f64>();
            }
        }
        sum.sqrt()
    }
}

/// The bounds that the unchecked kernel relies on.
fn check_indices<S: Blocks>(problem: &ContactProblem<S>) {
    let movers = problem.movers.len();
    assert_eq!(problem.free.len(), movers, "one free velocity per mover");
    let fits = |index: u32| (index as usize) < movers;
    let good = problem.contacts.iter().all(|contact| {
        let map = &contact.map;
        fits(map.first) && (map.second == GROUND || fits(map.second)) && map.first != map.second
    });
    assert!(good, "a contact names a mover that does not exist");
    let specials = problem.contacts.iter().filter_map(|contact| match contact.law {
        Law::Special(index) => Some(index as usize),
        Law::Frictionless | Law::Coulomb(_) => None,
    });
    // In rising order, so that no two contacts have one law, whose couple threads would share.
    assert!(specials.eq(0..problem.specials.len()), "each special law belongs to one contact");
}

/// One sweep under way. The movers' velocities are shared by threads that write to different ones.
struct Sweep<'a, S: Blocks> {
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
    fn new(
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
    unsafe fn relax_all(
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
    unsafe fn respond_all(&self, quads: &[Quad<S>], impulses: &[LocalOf<S>]) {
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
    unsafe fn add_couples(&self, quad: &Quad<S>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mover, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// `count` unit blocks on each other on the ground, as points with a mass: each contact must
    /// carry the weight above it.
    fn column(count: usize, weight: f64) -> (ContactProblem<Plane>, Solution<Plane>) {
        let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 0.0 }; count];
        let free = vec![Twist { velocity: DVec2::new(0.0, -weight), spin: 0.0 }; count];
        let contacts = (0..count)
            .map(|i| {
                let map = ContactMap {
                    first: i as u32,
                    second: if i == 0 { GROUND } else { i as u32 - 1 },
                    frame: PlaneFrame::from_normal(DVec2::Y),
                    arm_first: DVec2::ZERO,
                    arm_second: DVec2::ZERO,
                };
                Contact::new(map, Local2::default(), Law::Coulomb(0.5), &movers, 1.0)
            })
            .collect();
        let problem = ContactProblem { movers, free, contacts, ..Default::default() };
        let solution = Solution { impulses: vec![Local2::default(); count], ..Default::default() };
        (problem, solution)
    }

    #[test]
    fn a_column_carries_its_weight() {
        let (problem, mut solution) = column(5, 2.0);
        let params = NlgsParams { tolerance: 1e-12, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved);
        for (i, impulse) in solution.impulses.iter().enumerate() {
            let above = (5 - i) as f64;
            assert!((impulse.n - 2.0 * above).abs() < 1e-10, "{impulse:?}");
        }
    }

    /// A plain sweep hands on no more than about a light mass times the velocity, and a load of a
    /// thousand on a column of twenty has to wait for it. Momentum makes it a few thousand sweeps.
    #[test]
    fn a_heavy_load_on_a_light_column_is_carried() {
        let (mut problem, mut solution) = column(21, 1.0);
        problem.movers[20].inverse_mass = 1e-3;
        let contacts = std::mem::take(&mut problem.contacts);
        problem.contacts = contacts
            .iter()
            .map(|c| Contact::new(c.map, c.offset, c.law, &problem.movers, 1.0))
            .collect();
        let params = NlgsParams { tolerance: 1e-9, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved);
        assert!(report.iterations < 5000, "{report:?}");
        assert!((solution.impulses[0].n / 1020.0 - 1.0).abs() < 1e-3, "{:?}", solution.impulses[0]);
    }

    #[test]
    fn a_solution_is_kept_without_a_sweep() {
        let (problem, mut solution) = column(5, 2.0);
        for (i, impulse) in solution.impulses.iter_mut().enumerate() {
            impulse.n = 2.0 * (5 - i) as f64;
        }
        let report = Nlgs::default().solve(
            &problem,
            &mut solution,
            &NlgsParams { tolerance: 1e-12, ..Default::default() },
            &Threads::one(),
        );
        assert_eq!(report.iterations, 0);
        assert_eq!(report.residual, Residual::default());
    }

    /// The order changes the way to the solution, but not a solution that is the only one.
    #[test]
    fn every_order_leads_to_the_only_solution() {
        let orders = [
            SweepOrder::Coloured,
            SweepOrder::Ordered,
            SweepOrder::Shuffled(1),
            SweepOrder::Shuffled(2),
        ];
        let mut ways = Vec::new();
        for order in orders {
            let params = NlgsParams { tolerance: 1e-12, order, ..Default::default() };
            let (problem, mut solution) = column(7, 2.0);
            let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
            assert_eq!(report.status, Status::Solved);
            assert!((solution.impulses[0].n - 14.0).abs() < 1e-9, "{:?}", solution.impulses[0]);
            let (problem, mut solution) = column(7, 2.0);
            let params = NlgsParams { max_iterations: 5, ..params };
            Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
            assert!(!ways.contains(&solution.impulses), "{order:?}");
            ways.push(solution.impulses);
        }
    }

    #[test]
    fn running_out_of_sweeps_is_reported() {
        let (problem, mut solution) = column(40, 1.0);
        let params = NlgsParams { tolerance: 1e-12, max_iterations: 3, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!((report.status, report.iterations), (Status::NotSolved, 3));
        assert!(report.residual.worst() > 1e-12);
    }
}
