//! Gauss–Seidel on movers: the course of it is in `gauss_seidel.rs`. As a contact is given its impulse, the velocities
//! of its two movers follow at once, and momentum carries velocities on with the impulses.
//!
//! Contacts are swept manifold after manifold, colour after colour. Manifolds of one colour share no mover, so that
//! threads can take them in any order without changing a bit of the result, and a core takes four at once
//! in the lanes of its vector registers (see `lanes/mod.rs`).

use crate::barrier::Shared;
use crate::colour::{Colouring, SweepOrder};
use crate::estimate::{Promise, Rate, slowest_of_loads};
use crate::gauss_seidel::{Course, Sweeps};
use crate::lanes::{self, ChunkItems, Kernel, LocalOf, Quads, SlotOf, WIDTH};
use crate::momentum::{Last, Strength};
use crate::residual::Judge;
use crate::seam::{Plan, Seam};
use crate::sums::SquareSum;
use crate::sweep::{SharedLast, Sweep};
use crate::{
    Blocks, ContactProblem, Contacts, ErrorEstimate, EstimateWay, Listed, Residual, Solution,
    Threads, Twist,
};
use drystone_space::{Vector, clear_for, math, set_length};
use shared::SharedSweeps;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use ties::ties;

/// What is asked of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NlgsParams {
    /// Both figures of the residual must come below this.
    pub tolerance: f64,
    /// The error of the step is sought to be within this besides: sweeps go on while they promise it, at most as many as
    /// the residual took.
    pub error_tolerance: Option<f64>,
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
            error_tolerance: None,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// Whether the tolerance was met.
    pub status: Status,
    /// Sweeps made.
    pub iterations: usize,
    /// The residual at the end.
    pub residual: Residual,
    /// What the error of the step is thought to be; none where it is not known.
    pub error: Option<ErrorEstimate>,
}

impl Default for SolveReport {
    /// That of a problem without contacts.
    fn default() -> Self {
        Self::new(true, 0, Residual::default())
    }
}

impl SolveReport {
    /// A report. Where every law is met, there is no error; else it is not known.
    pub fn new(solved: bool, iterations: usize, residual: Residual) -> Self {
        let status = if solved { Status::Solved } else { Status::NotSolved };
        let error = (residual.worst() == 0.0).then(ErrorEstimate::default);
        Self { status, iterations, residual, error }
    }

    /// The report of two problems that were solved each by itself: the worse of their figures, and all sweeps.
    pub fn and(&self, other: &Self) -> Self {
        let solved = self.status == Status::Solved && other.status == Status::Solved;
        // What is not a number stays so.
        let worse = |a: f64, b: f64| if a <= b || b.is_nan() { b } else { a };
        let residual = Residual {
            relative: worse(self.residual.relative, other.residual.relative),
            scale_free: worse(self.residual.scale_free, other.residual.scale_free),
        };
        let error = self.error.zip(other.error).map(|(one, other)| one.and(other));
        let iterations = self.iterations + other.iterations;
        Self { error, ..Self::new(solved, iterations, residual) }
    }
}

/// Most sweeps between two estimates of the error, where it is sought.
const SEEK: usize = 20;
/// Sweeps that may be made in any case for the sake of the error.
const FEWEST: usize = 20;

/// No bin is known yet for the changes of a sweep.
const NO_HINT: i32 = i32::MIN;

/// Gauss–Seidel with its scratch: nothing is allocated once the buffers have grown.
#[derive(Clone, Debug, Default)]
pub struct Nlgs<S: Blocks> {
    colouring: Colouring,
    quads: Quads<S>,
    impulses: Vec<LocalOf<S>>,
    couples: Vec<S::Local>,
    slots: Vec<SlotOf<S>>,
    judge: Judge,
    last: Last<S>,
    /// Impulses and couples that met the residual, before sweeps went on for the error.
    met: (Vec<LocalOf<S>>, Vec<S::Local>),
    /// Squares of what each chunk of quads has changed in a sweep.
    changes: Vec<SquareSum>,
    rate: Rate,
    plan: Plan,
    shared: SharedSweeps<S>,
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
        let mut impulses = std::mem::take(&mut solution.impulses);
        assert_eq!(problem.contacts.len(), impulses.len(), "one impulse per contact");
        let contacts = Listed { contacts: &problem.contacts, starts: &impulses };
        let report = self.solve_with(problem, &contacts, solution, params, threads);
        for (index, impulse) in impulses.iter_mut().enumerate() {
            *impulse = self.impulse(index);
        }
        solution.impulses = impulses;
        report
    }

    /// The same with contacts that are not in the problem's list; their laws must not be special. The impulses stay with
    /// the solver, which can be [asked for them](Nlgs::impulse).
    ///
    /// # Panics
    /// As [`Nlgs::solve`].
    pub fn solve_with(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        solution: &mut Solution<S>,
        params: &NlgsParams,
        threads: &Threads,
    ) -> SolveReport {
        let report = self.solve_on(problem, contacts, solution, params, threads, None);
        report.expect("one rank can solve every problem")
    }

    /// The same on several ranks, which must all take part; none where they cannot solve the problem together. Laws must not
    /// be special.
    ///
    /// # Panics
    /// As [`Nlgs::solve`].
    pub fn solve_on(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        solution: &mut Solution<S>,
        params: &NlgsParams,
        threads: &Threads,
        seam: Option<&Seam>,
    ) -> Option<SolveReport> {
        assert_eq!(problem.specials.len(), solution.couples.len(), "one couple per special law");
        // What the last sweep began with has the room in which the velocities are given back.
        self.last.twists = std::mem::take(&mut solution.twists);
        let (couples, count) = (&solution.couples, threads.count());
        let report =
            threads.run(|| S::sweeps(self, problem, contacts, couples, params, count, seam));
        solution.couples.copy_from_slice(&self.couples);
        solution.twists = std::mem::take(&mut self.last.twists);
        clear_for(&mut solution.twists, self.slots.len());
        solution.twists.extend(self.slots.iter().map(S::Kernel::twist));
        report
    }

    /// The impulse of a contact in the last solve, in its frame.
    ///
    /// # Panics
    /// If there was no such contact.
    #[inline]
    pub fn impulse(&self, index: usize) -> S::Local {
        let position = self.colouring.positions[index] as usize;
        lanes::lane::<S>(&self.impulses[position / WIDTH], position % WIDTH)
    }

    /// How many contacts the last solve had.
    pub fn count(&self) -> usize {
        self.colouring.positions.len()
    }

    /// Lays contacts, impulses and velocities out for the sweep.
    fn begin(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        couples: &[S::Local],
        order: SweepOrder,
        threads: usize,
        seam: Option<&Seam>,
    ) -> bool {
        let can = self.colouring.arrange(problem, contacts, order, seam);
        let mut told = 0;
        if let Some(seam) = seam {
            let own = if can { self.colouring.colours() as u64 } else { u64::MAX };
            let all = seam.exchange.most(own);
            if all == u64::MAX {
                return false;
            }
            told = all as usize;
            self.plan = Plan::new(seam, &self.colouring, told);
        }
        self.quads.divide(problem.movers.len(), &self.colouring, threads, told);
        clear_for(&mut self.slots, problem.free.len());
        let movers = problem.free.iter().zip(&problem.movers);
        self.slots.extend(movers.map(|(twist, mover)| S::Kernel::slot(twist, mover)));
        let count = self.quads.rows.len();
        set_length(&mut self.impulses, count, LocalOf::<S>::default());
        let meeting = self.judge.begin(count, self.quads.chunks());
        let (colouring, impulses) = (&self.colouring, &mut self.impulses);
        self.quads.fill(problem, contacts, colouring, impulses, &meeting, |filled| {
            // SAFETY: chunks have no quad in common.
            unsafe { meeting.add_free(&self.slots, filled) };
        });
        self.judge.ready(problem, &self.quads, contacts.count(), seam);
        for quad in &self.quads.quads {
            for (point, row) in quad.rows().enumerate() {
                for (lane, index) in quad.lanes(point) {
                    self.colouring.positions[index] = (WIDTH * row + lane) as u32;
                }
            }
        }
        self.begin_shared(problem);
        self.couples.clear();
        self.couples.extend_from_slice(couples);
        // Beside others ranks have others.
        let joined = !self.quads.is_apart(problem);
        seam.is_none_or(|seam| seam.exchange.most(u64::from(joined)) == 0)
    }

    pub(crate) fn iterate(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        couples: &[S::Local],
        params: &NlgsParams,
        threads: usize,
        seam: Option<&Seam>,
    ) -> Option<SolveReport> {
        if !self.begin(problem, contacts, couples, params.order, threads, seam) {
            return None;
        }
        let residual = self.look_afresh(problem, seam);
        self.last.remember(&self.impulses, &self.couples, &self.slots);
        self.restart_shared();
        self.rate.restart();
        let mut course =
            Course::new(Strength::new(params.momentum), params.tolerance, residual.worst());
        let mut sweeps = OnMovers { solver: self, problem, contacts, couples, residual, seam };
        course.run(&mut sweeps, params.max_iterations);
        if let Some(goal) = params.error_tolerance {
            sweeps.seek(&mut course, goal, params.max_iterations);
        }
        let residual = sweeps.residual;
        let report = SolveReport::new(course.is_over(), course.iterations, residual);
        Some(SolveReport { error: report.error.or_else(|| self.error(problem, seam)), ..report })
    }

    /// The error of the step, as far as sweeps tell it.
    fn error(&self, problem: &ContactProblem<S>, seam: Option<&Seam>) -> Option<ErrorEstimate> {
        let scale = self.scale(problem, seam);
        let value = scale.share(self.promise(problem, &scale, seam)?.distance);
        Some(ErrorEstimate { value, way: EstimateWay::Sweeps })
    }

    /// What the impulses are worth, with velocities that sums of impulses have made anew.
    fn look_afresh(&mut self, problem: &ContactProblem<S>, seam: Option<&Seam>) -> Residual {
        self.settle_shared(problem);
        let quads = &self.quads;
        let (impulses, slots) = (&mut self.impulses, &mut self.slots);
        let sweep = Sweep::new(problem, quads, impulses, slots, &mut self.couples);
        // SAFETY: indices were checked by the colouring, and stages follow each other.
        quads.barrier.run(|chunk| unsafe { sweep.respond_chunk(chunk) }, || false);
        for quad in quads.quads.iter().filter(|quad| quad.special != 0) {
            // SAFETY: indices were checked by the colouring, and there is only this thread.
            unsafe {
                let impulse = sweep.impulse(quad.rows().start);
                sweep.respond_compliant(quad, &impulse);
                sweep.add_couples(quad);
            }
        }
        if let Some(seam) = seam {
            // Of the movers of others not all contacts are here.
            Plan::tell_all::<S>(seam, &mut self.slots);
        }
        self.look(problem, seam)
    }

    /// What the impulses are worth with the velocities that the sweeps have left.
    fn look(&mut self, problem: &ContactProblem<S>, seam: Option<&Seam>) -> Residual {
        let (quads, impulses) = (&self.quads, &self.impulses);
        self.judge.look(problem, quads, impulses, &self.couples, &self.slots, seam)
    }

    /// How far the velocities are from the exact ones, as the ways of the sweeps promise; none after too few sweeps.
    fn promise(
        &self,
        problem: &ContactProblem<S>,
        scale: &Scale,
        seam: Option<&Seam>,
    ) -> Option<Promise> {
        // What a shared mover has left to do is not told by the movers.
        if self.rate.missing() > 0 || problem.shared.is_some() {
            return None;
        }
        let Last { impulses, twists, .. } = &self.last;
        let both = |row: usize| (self.impulses[row], impulses[row]);
        let way = length(&self.quads, problem, &self.slots, twists, seam, both);
        self.rate.promise(way, scale.noise, scale.slowest)
    }

    /// What lengths in the kinetic metric are compared with.
    fn scale(&self, problem: &ContactProblem<S>, seam: Option<&Seam>) -> Scale {
        let both = |row: usize| (self.impulses[row], LocalOf::<S>::default());
        let done = length(&self.quads, problem, &self.slots, &problem.free, seam, both);
        let jitter = Twist {
            velocity: S::Vector::from_fn(|_| problem.velocity_noise),
            spin: S::Spin::from_fn(|_| problem.velocity_noise),
        };
        let noise = over_movers(problem, seam, |_| jitter);
        let loads = self.judge.loads(&self.quads, &self.impulses);
        let [noise, loads] = over_ranks([noise, loads], seam).map(|sum| sum.value());
        let loads = loads + ties(&self.quads, problem, both);
        Scale { done, noise: noise.sqrt(), slowest: slowest_of_loads(done * done / loads) }
    }

    fn sweep(
        &mut self,
        problem: &ContactProblem<S>,
        strength: &mut Strength,
        max_sweeps: usize,
        worth_a_look: f64,
        seam: Option<&Seam>,
    ) -> (usize, f64) {
        let Last { impulses, couples, twists } = &mut self.last;
        let (quads, rate, plan) = (&self.quads, &mut self.rate, &self.plan);
        let last = SharedLast { impulses: Shared::new(impulses), twists: Shared::new(twists) };
        let (now, velocities) = (&mut self.impulses, &mut self.slots);
        let sweep = Sweep::new(problem, quads, now, velocities, &mut self.couples);
        let count = problem.movers.len();
        self.changes.resize(quads.chunks(), SquareSum::default());
        let changes = Shared::new(&mut self.changes);
        let begin = |strength: &mut Strength, couples: &mut [S::Local]| {
            let beta = strength.next();
            // SAFETY: no chunk is at work between two rounds.
            unsafe { sweep.carry_couples_on(couples, beta) };
            beta
        };
        let beta = AtomicU64::new(begin(strength, couples).to_bits());
        let hint = AtomicI32::new(NO_HINT);
        let (mut made, mut change) = (0, 0.0);
        let work = |chunk: usize| {
            if let (ChunkItems::Exchange(colour), Some(seam)) = (quads.items(chunk), seam) {
                // SAFETY: it is a stage by itself.
                let slots = unsafe { sweep.slots_to_write() };
                return plan.tell::<S>(seam, colour, slots);
            }
            let beta = f64::from_bits(beta.load(Ordering::Relaxed));
            let hint = Some(hint.load(Ordering::Relaxed)).filter(|&hint| hint != NO_HINT);
            // SAFETY: indices were checked by the colouring, and stages follow each other.
            unsafe { sweep.relax_chunk(chunk, &last, (beta, hint), &changes) };
        };
        quads.barrier.run(work, || {
            // SAFETY: no chunk is at work between two rounds.
            let changes = unsafe { changes.part(0..quads.chunks()) };
            let mut sum = SquareSum::default();
            let own = changes.iter().enumerate().filter(|(chunk, _)| quads.counts(*chunk));
            own.for_each(|(_, part)| sum.merge(part));
            let [sum] = over_ranks([sum], seam);
            hint.store(sum.hint().unwrap_or(NO_HINT), Ordering::Relaxed);
            (made, change) = (made + 1, sum.value().sqrt());
            if rate.counts_sample() {
                // SAFETY: as above.
                let (slots, twists) = unsafe { (sweep.slots(), last.twists.part(0..count)) };
                // SAFETY: as above.
                let both = |row: usize| unsafe { (sweep.impulse(row), *last.impulses.at(row)) };
                rate.add(length(quads, problem, slots, twists, seam, both));
            }
            let again = made < max_sweeps && change > worth_a_look;
            if again {
                beta.store(begin(strength, couples).to_bits(), Ordering::Relaxed);
            }
            again
        });
        (made, change)
    }
}

/// What lengths in the kinetic metric are compared with.
struct Scale {
    /// ‖u_free − u‖: what contacts have done.
    done: f64,
    /// What rounding can make of velocities.
    noise: f64,
    /// ln of the rate at which an error of the shape of the loads shrinks.
    slowest: f64,
}

impl Scale {
    /// A distance as a share of what contacts have done.
    fn share(&self, distance: f64) -> f64 {
        if distance == 0.0 { 0.0 } else { distance / self.done }
    }
}

/// Twice the energy that these velocities of the movers have for which this rank answers.
fn over_movers<S: Blocks>(
    problem: &ContactProblem<S>,
    seam: Option<&Seam>,
    twist: impl Fn(usize) -> Twist<S>,
) -> SquareSum {
    let count = problem.movers.len();
    let energy = |mover: usize| problem.movers[mover].twice_energy(&twist(mover));
    let Some(seam) = seam else { return SquareSum::of(count, energy) };
    SquareSum::of(count, |mover| if seam.owns(mover as u32) { energy(mover) } else { 0.0 })
}

/// What sums come to with those of other ranks.
fn over_ranks<const N: usize>(sums: [SquareSum; N], seam: Option<&Seam>) -> [SquareSum; N] {
    seam.map_or(sums, |seam| seam.add_squares(sums))
}

/// ‖u − u'‖ in the kinetic metric, u being in the slots; `both` gives the impulses of a row with u and with u'. One
/// thread does it, now and then.
fn length<S: Blocks>(
    quads: &Quads<S>,
    problem: &ContactProblem<S>,
    slots: &[SlotOf<S>],
    twists: &[Twist<S>],
    seam: Option<&Seam>,
    both: impl Fn(usize) -> (LocalOf<S>, LocalOf<S>),
) -> f64 {
    let squares =
        over_movers(problem, seam, |mover| S::Kernel::twist(&slots[mover]).since(&twists[mover]));
    let [square] = over_ranks([squares], seam);
    let mut square = square.value();
    if !problem.compliant.is_empty() {
        for quad in quads.quads.iter().filter(|quad| quad.special != 0) {
            let (now, then) = both(quad.rows().start);
            for (lane, contact) in quad.specials(&problem.contacts) {
                let change = lanes::lane::<S>(&now, lane) - lanes::lane::<S>(&then, lane);
                square += problem.compliant_work(contact, change, |mover| {
                    let mover = mover as usize;
                    S::Kernel::twist(&slots[mover]).velocity - twists[mover].velocity
                });
            }
        }
    }
    square += ties(quads, problem, both);
    // Unlike `f64::max` this keeps what is not a number.
    if square <= 0.0 { 0.0 } else { square.sqrt() }
}

/// A solve under way.
struct OnMovers<'a, S: Blocks> {
    solver: &'a mut Nlgs<S>,
    problem: &'a ContactProblem<S>,
    contacts: &'a dyn Contacts<S>,
    /// Those to begin with.
    couples: &'a [S::Local],
    /// At the last look.
    residual: Residual,
    /// Other ranks.
    seam: Option<&'a Seam<'a>>,
}

impl<S: Blocks> OnMovers<'_, S> {
    /// Sweeps on until the error of the step is within the goal too, as long as sweeps promise that within as many as
    /// were made for the residual.
    fn seek(&mut self, course: &mut Course, goal: f64, max_sweeps: usize) {
        if !course.is_over() {
            return;
        }
        let Nlgs { met, impulses, couples, .. } = &mut *self.solver;
        met.0.clone_from(impulses);
        met.1.clone_from(couples);
        let max_sweeps = max_sweeps.min((2 * course.iterations).max(FEWEST));
        while course.is_over() && course.iterations < max_sweeps {
            let left = max_sweeps - course.iterations;
            let count = match self.solver.rate.missing() {
                0 => {
                    let (problem, seam) = (self.problem, self.seam);
                    let scale = self.solver.scale(problem, seam);
                    let Some(promise) = self.solver.promise(problem, &scale, seam) else { break };
                    let excess = scale.share(promise.distance) / goal;
                    // What is not a number is no promise.
                    let within = excess <= 1.0;
                    let needed = -math::ln(excess) / promise.log_rate;
                    if within || !(excess.is_finite() && needed <= left as f64) {
                        break;
                    }
                    (needed as usize + 1).min(SEEK)
                }
                missing => missing,
            };
            course.go_on(self, count.min(left));
            course.look(self);
        }
        if !course.is_over() {
            course.run(self, max_sweeps);
        }
        if !course.is_over() {
            // A step that was solved stays so.
            std::mem::swap(&mut self.solver.impulses, &mut self.solver.met.0);
            std::mem::swap(&mut self.solver.couples, &mut self.solver.met.1);
            self.solver.rate.restart();
            course.look(self);
        }
    }
}

impl<S: Blocks> Sweeps for OnMovers<'_, S> {
    const LOOK_EVERY: usize = 100;

    fn sweep(
        &mut self,
        strength: &mut Strength,
        max_sweeps: usize,
        worth_a_look: f64,
    ) -> (usize, f64) {
        if let Some(shared) = &self.problem.shared {
            return self.solver.sweep_shared(
                self.problem,
                shared,
                strength,
                max_sweeps,
                worth_a_look,
            );
        }
        self.solver.sweep(self.problem, strength, max_sweeps, worth_a_look, self.seam)
    }

    fn look(&mut self) -> f64 {
        self.residual = self.solver.look(self.problem, self.seam);
        self.residual.worst()
    }

    fn look_afresh(&mut self) -> f64 {
        self.residual = self.solver.look_afresh(self.problem, self.seam);
        self.residual.worst()
    }

    fn begin_again(&mut self) -> f64 {
        let Nlgs { colouring, impulses, couples, .. } = &mut *self.solver;
        for (index, &place) in colouring.positions.iter().enumerate() {
            let mut room = None;
            let contact = self.contacts.contact(index, &mut room);
            let (impulse, lane) = (&mut impulses[place as usize / WIDTH], place as usize % WIDTH);
            lanes::set_lane::<S>(impulse, lane, self.contacts.start(index, contact));
        }
        couples.copy_from_slice(self.couples);
        self.solver.rate.restart();
        let error = self.look_afresh();
        let Nlgs { last, impulses, couples, slots, .. } = &mut *self.solver;
        last.remember(impulses, couples, slots);
        self.solver.restart_shared();
        error
    }
}

mod shared;
mod ties;

#[cfg(test)]
mod tests;
