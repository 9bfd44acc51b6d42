//! The one judge of a solution: how far each contact is from its law.
//!
//! With e(a) = P − proj_C(P − a Û), Û = U + μ|U_t| n, over all contacts:
//! - relative: ‖e(a)‖ / max(‖a q‖, ‖P‖, ‖a U‖) with one a for all, q being the velocity without
//!   impulses. For a = 1 this is FCLib's normalised natural map, which depends on the units; here a
//!   is chosen so that it does not: FCLib's figure in units in which the mean of trace(H)/d is 1.
//! - scale-free: ‖e(a)‖ / ‖P‖ with a = d / trace(H) for each contact by itself.
//!
//! An error below the rounding of velocities counts as none, so that bodies that fly together
//! without pressing on each other are not judged on noise.

use crate::barrier::Shared;
use crate::lanes::{
    self, Filled, Kernel, Lanes, LocalOf, Quad, Quads, Register, SlotOf, WIDTH, Work,
    with_registers,
};
use crate::sums::{Bins, SquareSum};
use crate::{Block, Blocks, Contact, ContactProblem, Law, Seam, Solution, Special};
use drystone_space::{Local, math, set_length};
use std::ops::Range;

/// How far a solution is from satisfying all laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// FCLib's normalised natural map, in the problem's own units.
    pub relative: f64,
    /// The same with a local scale for each contact, relative to the impulses.
    pub scale_free: f64,
}

impl Residual {
    /// Judges `solution`; its velocities must be fresh ([`Solution::refresh`]).
    pub fn of<S: Blocks>(problem: &ContactProblem<S>, solution: &Solution<S>) -> Self {
        let common = common_scale(problem);
        let noise = problem.velocity_noise;
        let mut sums = ResidualSums::default();
        for (contact, &impulse) in problem.contacts.iter().zip(&solution.impulses) {
            let velocity = contact.offset + contact.map.to_contact(&solution.twists);
            let free = contact.offset + contact.map.to_contact(&problem.free);
            let own = own_scale(contact);
            let turn = Turn::of(problem, contact, &solution.couples, |twist| {
                solution.twists[twist as usize].spin
            });
            let error = |a| turn.error_square(problem, contact, velocity, impulse, a);
            sums.relative += above(error(common), math::square(noise * common));
            sums.scale_free += above(error(own), math::square(noise * own));
            sums.free += free.dot(free) + turn.free_square;
            sums.impulse += impulse.dot(impulse) + turn.couple_square;
            sums.velocity += velocity.dot(velocity) + turn.spin_square;
        }
        sums.residual(common)
    }
    /// Whether both figures are within the tolerance.
    pub fn within(&self, tolerance: f64) -> bool {
        self.relative <= tolerance && self.scale_free <= tolerance
    }
    /// The larger of the two.
    pub fn worst(&self) -> f64 {
        // Unlike `f64::max` this keeps what is not a number.
        if self.relative <= self.scale_free { self.scale_free } else { self.relative }
    }
}

/// The one a of the relative figure.
pub(crate) fn common_scale<S: Blocks>(problem: &ContactProblem<S>) -> f64 {
    let traces: f64 = problem.contacts.iter().map(|contact| contact.block.trace()).sum();
    (S::DIMENSION * problem.contacts.len()) as f64 / traces
}

/// The a of a contact in the scale-free figure.
fn own_scale<S: Blocks>(contact: &Contact<S>) -> f64 {
    S::DIMENSION as f64 / contact.block.trace()
}

/// What a couple adds to a contact: nothing where it has none. Squares are those of ωL and M/L.
struct Turn<S: Blocks> {
    spin: S::Local,
    couple: S::Local,
    free_square: f64,
    spin_square: f64,
    couple_square: f64,
}

impl<S: Blocks> Turn<S> {
    fn of(
        problem: &ContactProblem<S>,
        contact: &Contact<S>,
        couples: &[S::Local],
        spin: impl Fn(u32) -> S::Spin,
    ) -> Self {
        let zero = S::Local::ZERO;
        let none = Self {
            spin: zero,
            couple: zero,
            free_square: 0.0,
            spin_square: 0.0,
            couple_square: 0.0,
        };
        let Law::Special(index) = contact.law else { return none };
        let Some(law) = problem.specials[index as usize].couple() else { return none };
        let couple = couples[index as usize];
        let spin = law.relative_spin(&contact.map, spin);
        let free = law.relative_spin(&contact.map, |mover| problem.free[mover as usize].spin);
        let square = law.lever * law.lever;
        Self {
            spin,
            couple,
            free_square: free.dot(free) * square,
            spin_square: spin.dot(spin) * square,
            couple_square: couple.dot(couple) / square,
        }
    }

    /// Square of the contact's natural map, the couple's included.
    fn error_square(
        &self,
        problem: &ContactProblem<S>,
        contact: &Contact<S>,
        velocity: S::Local,
        impulse: S::Local,
        augmentation: f64,
    ) -> f64 {
        match contact.law.special(&problem.specials) {
            None => {
                let error = contact.law.natural_map::<S>(velocity, impulse, augmentation);
                error.dot(error)
            }
            Some(special) => {
                let state = ((velocity, self.spin), (impulse, self.couple));
                let (error, turn) = special.natural_map(state.0, state.1, augmentation);
                error.dot(error) + turn.dot(turn)
            }
        }
    }
}

/// What a residual is made of: squares, summed over contacts.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResidualSums {
    /// Σ|e(a)|² with one a for all contacts.
    pub relative: f64,
    /// Σ|e(a)|² with an a for each contact by itself.
    pub scale_free: f64,
    /// Σ|q|², velocities without impulses.
    pub free: f64,
    /// Σ|P|².
    pub impulse: f64,
    /// Σ|U|².
    pub velocity: f64,
}

impl ResidualSums {
    /// Both figures; `common` is the one a of the relative one. What is not a number stays so: it solves
    /// nothing.
    pub fn residual(&self, common: f64) -> Residual {
        let size = (self.free.max(self.velocity) * common * common).max(self.impulse);
        let ratio = |error: f64, size: f64| if error == 0.0 { 0.0 } else { (error / size).sqrt() };
        Residual {
            relative: ratio(self.relative, size),
            scale_free: ratio(self.scale_free, self.impulse),
        }
    }
}

/// What is not a number is above all noise.
fn above(square: f64, noise_square: f64) -> f64 {
    if square <= noise_square { 0.0 } else { square }
}

/// The same judge for contacts in quads: four at a time, with what stays the same through a solve
/// computed once. Its figures differ from [`Residual::of`] by rounding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judge {
    common: f64,
    noise: f64,
    /// Sum of squares of the velocities without impulses.
    free: f64,
    /// The a of each contact by itself.
    scales: Vec<Lanes>,
    firsts: Vec<First>,
    /// Sums over each chunk of quads, and the bins that they begin with.
    sums: Vec<[SquareSum; 4]>,
    hints: [Option<i32>; 4],
}

/// What a chunk of quads adds to what the judge must know from the beginning.
#[derive(Clone, Debug, Default)]
struct First {
    /// Squares of the velocities without impulses.
    free: SquareSum,
    /// Traces of the blocks.
    traces: Bins<Lanes>,
}

/// The judge's first acquaintance with the quads, chunk by chunk.
pub(crate) struct Meeting<'a> {
    scales: Shared<'a, Lanes>,
    firsts: Shared<'a, First>,
}

impl Meeting<'_> {
    /// A chunk of quads with these rows, whose contacts are to be met, with no contact yet.
    ///
    /// # Safety
    /// Nobody else may use the number or the rows of the chunk meanwhile.
    pub unsafe fn chunk(&self, number: usize, rows: Range<usize>) -> MetChunk<'_> {
        // SAFETY: by this function's contract.
        let (scales, first) =
            unsafe { (self.scales.part(rows), &mut self.firsts.part(number..number + 1)[0]) };
        scales.fill(Lanes::ZERO);
        *first = First::default();
        MetChunk { scales, first }
    }

    /// Adds up the free velocities of a chunk of quads, which has been met.
    ///
    /// # Safety
    /// That of [`Meeting::chunk`].
    pub unsafe fn add_free<S: Blocks>(&self, free: &[SlotOf<S>], filled: &Filled<S>) {
        let number = filled.number;
        // SAFETY: by this function's contract.
        let first = unsafe { &mut self.firsts.part(number..number + 1)[0] };
        let mut sum = Bins::new();
        for quad in &*filled.quads {
            let [one, two] = quad.motions::<S, Lanes>(free);
            for (kernel, extra) in filled.rows(quad) {
                sum.add(square(kernel.velocity(extra, &one, &two).as_ref()));
            }
        }
        first.free = sum.total();
    }
}

/// What the judge learns of a chunk of quads while it is laid out.
pub(crate) struct MetChunk<'a> {
    scales: &'a mut [Lanes],
    first: &'a mut First,
}

impl MetChunk<'_> {
    /// Meets the contacts in the lanes of a row.
    #[inline(always)]
    pub fn meet<S: Blocks>(&mut self, row: usize, contacts: &[&Contact<S>]) {
        let mut traces = [0.0; WIDTH];
        let scales = self.scales[row].as_mut_array();
        for ((trace, scale), contact) in traces.iter_mut().zip(scales).zip(contacts) {
            *trace = contact.block.trace();
            *scale = own_scale(contact);
        }
        self.first.traces.add(Lanes::new(traces));
    }
}

impl Judge {
    /// Begins a solve with so many rows of quads, in so many chunks. The judge must meet them all before
    /// [`Judge::ready`].
    pub fn begin(&mut self, rows: usize, chunks: usize) -> Meeting<'_> {
        self.hints = [None; 4];
        set_length(&mut self.scales, rows, Lanes::ZERO);
        self.firsts.resize(chunks, First::default());
        Meeting { scales: Shared::new(&mut self.scales), firsts: Shared::new(&mut self.firsts) }
    }

    /// Is ready to judge, after all quads of so many contacts have been met.
    pub fn ready<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        quads: &Quads<S>,
        mut contacts: usize,
        seam: Option<&Seam>,
    ) {
        self.noise = problem.velocity_noise;
        let (mut free, mut traces) = (SquareSum::default(), SquareSum::default());
        for (_, first) in self.firsts.iter().enumerate().filter(|(chunk, _)| quads.counts(*chunk)) {
            free.merge(&first.free);
            traces.merge(&first.traces.total());
        }
        if let Some(seam) = seam {
            let counted = SquareSum::of(quads.chunks(), |chunk| match quads.counts(chunk) {
                true => quads.contacts_in(chunk) as f64,
                false => 0.0,
            });
            let all = seam.add_squares([free, traces, counted]);
            (free, traces, contacts) = (all[0], all[1], all[2].value() as usize);
        }
        self.common = (S::DIMENSION * contacts) as f64 / traces.value();
        self.free = free.value();
        if problem.is_coulomb() {
            return;
        }
        for contact in &problem.contacts {
            let special = contact.law.special(&problem.specials);
            let Some(couple) = special.and_then(Special::couple) else { continue };
            let spin = couple.relative_spin(&contact.map, |i| problem.free[i as usize].spin);
            self.free += spin.dot(spin) * couple.lever * couple.lever;
        }
    }

    /// Takes back by what blocks were made larger for the sweeps' sake. Places are those of contacts among the lanes.
    pub fn harden(&mut self, places: &[u32], softening: &[f64]) {
        let mut traces = 0.0;
        for (&place, softening) in places.iter().zip(softening) {
            let lane =
                &mut self.scales[place as usize / WIDTH].as_mut_array()[place as usize % WIDTH];
            *lane /= softening;
            traces += 1.0 / *lane;
        }
        self.common = places.len() as f64 / traces;
    }

    /// Σ|P|²/a over the contacts that this rank counts, a being each contact's own: the square of what impulses would do
    /// each by itself, in the mean of directions.
    pub fn loads<S: Blocks>(&self, quads: &Quads<S>, impulses: &[LocalOf<S>]) -> SquareSum {
        let counted = (0..quads.chunks()).filter(|&number| quads.counts(number));
        let rows = counted.flat_map(|number| quads.chunk(number).1);
        let mut sum = Bins::new();
        for row in rows {
            let squares = square(impulses[row].as_ref()).to_array();
            let scales = self.scales[row].to_array();
            // Lanes without a contact have neither.
            let share = |lane: usize| match scales[lane] {
                0.0 => 0.0,
                scale => squares[lane] / scale,
            };
            sum.add(Lanes::new(std::array::from_fn(share)));
        }
        sum.total()
    }

    /// Judges impulses with their velocities.
    pub fn look<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        quads: &Quads<S>,
        impulses: &[LocalOf<S>],
        couples: &[S::Local],
        slots: &[SlotOf<S>],
        seam: Option<&Seam>,
    ) -> Residual {
        let mut sums = std::mem::take(&mut self.sums);
        sums.resize(quads.chunks(), Default::default());
        let looked = Looked { judge: self, problem, quads, couples, slots };
        let list = Shared::new(&mut sums);
        quads.each_chunk(|number| {
            // SAFETY: every chunk has a number of its own.
            let sum = unsafe { list.part(number..number + 1) };
            sum[0] = with_registers(Look { looked: &looked, number, impulses });
        });
        let mut all = [SquareSum::default(); 4];
        for (_, part) in sums.iter().enumerate().filter(|(chunk, _)| quads.counts(*chunk)) {
            all.iter_mut().zip(part).for_each(|(all, part)| all.merge(part));
        }
        self.sums = sums;
        let all = seam.map_or(all, |seam| seam.add_squares(all));
        self.hints = all.map(|sum| sum.hint());
        let [relative, scale_free, impulse, velocity] = all.map(|sum| sum.value());
        let sums = ResidualSums { relative, scale_free, free: self.free, impulse, velocity };
        sums.residual(self.common)
    }
}

/// What the judge looks at.
struct Looked<'a, S: Blocks> {
    judge: &'a Judge,
    problem: &'a ContactProblem<S>,
    quads: &'a Quads<S>,
    couples: &'a [S::Local],
    slots: &'a [SlotOf<S>],
}

/// A look at a chunk of quads.
struct Look<'a, S: Blocks> {
    looked: &'a Looked<'a, S>,
    number: usize,
    impulses: &'a [LocalOf<S>],
}

impl<S: Blocks, R: Register> Work<R> for Look<'_, S> {
    type Output = [SquareSum; 4];

    #[inline(always)]
    fn run(self) -> [SquareSum; 4] {
        let Self { looked, number, impulses } = self;
        let range = looked.quads.chunk(number).0;
        match (looked.quads.is_plain(looked.problem), looked.quads.has_manifolds()) {
            (true, false) => looked.sum::<R, true, false>(range, impulses),
            (true, true) => looked.sum::<R, true, true>(range, impulses),
            (false, false) => looked.sum::<R, false, false>(range, impulses),
            (false, true) => looked.sum::<R, false, true>(range, impulses),
        }
    }
}

impl<S: Blocks> Looked<'_, S> {
    /// The sums over a chunk of quads. `PLAIN` and `MANIFOLDS` as in sweeps.
    #[inline(always)]
    fn sum<R: Register, const PLAIN: bool, const MANIFOLDS: bool>(
        &self,
        range: Range<usize>,
        impulses: &[LocalOf<S>],
    ) -> [SquareSum; 4] {
        let [common, noise] = [R::splat(self.judge.common), R::splat(self.judge.noise)];
        let mut sums = self.judge.hints.map(Bins::<R>::starting_at);
        for index in range {
            let quad = &self.quads.quads[index];
            let [first, second] = quad.motions::<S, R>(self.slots);
            let mut specials = if PLAIN { (0, 0) } else { (quad.percussion, quad.special) };
            for row in self.quads.rows_of::<MANIFOLDS>(index) {
                let (kernel, impulse) = (&self.quads.rows[row], &impulses[row]);
                let own = R::load(&self.judge.scales[row]);
                let extra = if PLAIN { None } else { self.quads.extra(row) };
                let velocity = kernel.velocity(extra, &first, &second);
                let loaded = S::Kernel::load::<R>(impulse);
                let (u, p) = (velocity.as_ref(), loaded.as_ref());
                let friction = R::load(&kernel.friction());
                let mut relative = natural_map_square(u, p, friction, common);
                let mut scale_free = natural_map_square(u, p, friction, own);
                // Only the first row has lanes with such laws.
                let (percussion, special) = std::mem::take(&mut specials);
                if percussion != 0 {
                    let laws = &self.quads.percussions[quad.first_percussion as usize];
                    let solved = |scale| S::Kernel::percussion_error(laws, u, p, scale);
                    relative = lanes::choose(percussion, solved(common), relative);
                    scale_free = lanes::choose(percussion, solved(own), scale_free);
                }
                let mut seen =
                    LaneSums { relative, scale_free, impulse: square(p), velocity: square(u) };
                if special != 0 {
                    let mut with_specials = seen.store();
                    self.see_specials(
                        quad,
                        &S::Kernel::store(velocity),
                        impulse,
                        &mut with_specials,
                    );
                    seen = LaneSums::load(&with_specials);
                }
                seen.relative = heard(seen.relative, noise * common);
                seen.scale_free = heard(seen.scale_free, noise * own);
                let LaneSums { relative, scale_free, impulse, velocity } = seen;
                let squares = [relative, scale_free, impulse, velocity];
                sums.iter_mut().zip(squares).for_each(|(sum, squares)| sum.add(squares));
            }
        }
        sums.map(|sum| sum.total())
    }

    /// Special laws are judged one by one.
    #[inline(never)]
    fn see_specials(
        &self,
        quad: &Quad,
        velocity: &LocalOf<S>,
        impulse: &LocalOf<S>,
        seen: &mut LaneSums,
    ) {
        for (lane, contact) in quad.specials(&self.problem.contacts) {
            let turn = Turn::of(self.problem, contact, self.couples, |mover| {
                S::Kernel::twist(&self.slots[mover as usize]).spin
            });
            let (u, p) = (lanes::lane::<S>(velocity, lane), lanes::lane::<S>(impulse, lane));
            let error = |a: f64| turn.error_square(self.problem, contact, u, p, a);
            seen.relative.as_mut_array()[lane] = error(self.judge.common);
            seen.scale_free.as_mut_array()[lane] = error(own_scale(contact));
            seen.impulse.as_mut_array()[lane] += turn.couple_square;
            seen.velocity.as_mut_array()[lane] += turn.spin_square;
        }
    }
}

/// Squares of a contact in each lane.
#[derive(Clone, Copy, Debug, Default)]
struct LaneSums<R = Lanes> {
    relative: R,
    scale_free: R,
    impulse: R,
    velocity: R,
}

impl<R: Register> LaneSums<R> {
    #[inline(always)]
    fn load(sums: &LaneSums) -> Self {
        Self {
            relative: R::load(&sums.relative),
            scale_free: R::load(&sums.scale_free),
            impulse: R::load(&sums.impulse),
            velocity: R::load(&sums.velocity),
        }
    }
    #[inline(always)]
    fn store(self) -> LaneSums {
        LaneSums {
            relative: self.relative.store(),
            scale_free: self.scale_free.store(),
            impulse: self.impulse.store(),
            velocity: self.velocity.store(),
        }
    }
}

/// Squares of errors that are above those of rounding.
#[inline(always)]
fn heard<R: Register>(squares: R, noise: R) -> R {
    squares.at_most(noise * noise).select(R::splat(0.0), squares)
}

#[inline(always)]
fn square<R: Register>(parts: &[R]) -> R {
    let mut sum = R::splat(0.0);
    for &part in parts {
        sum += part * part;
    }
    sum
}

#[inline(always)]
fn norm<R: Register>(tangent: &[R]) -> R {
    if let [only] = tangent { only.abs() } else { square(tangent).sqrt() }
}

/// Square of the error of [`Law::natural_map`](crate::Law::natural_map), lane by lane.
#[inline(always)]
fn natural_map_square<R: Register>(u: &[R], p: &[R], friction: R, scale: R) -> R {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let n = p[0] - (u[0] + friction * norm(&u[1..])) * scale;
    let mut tangent = [zero; 2];
    let tangent = &mut tangent[..u.len() - 1];
    for (tangent, (&p, &u)) in tangent.iter_mut().zip(p[1..].iter().zip(&u[1..])) {
        *tangent = p - u * scale;
    }
    let t = norm(tangent);
    let inside = zero.at_most(n) & t.at_most(friction * n);
    let behind = (friction * t).at_most(-n);
    // What is left of the normal and of the tangential part by the projection on the cone.
    let edge = (n + friction * t) / (one + friction * friction);
    let normal = inside.select(n, behind.select(zero, edge));
    let shrink = friction * edge / zero.below(t).select(t, one);
    let share = inside.select(one, behind.select(zero, shrink));
    let mut sum = (p[0] - normal) * (p[0] - normal);
    for (&p, &tangent) in p[1..].iter().zip(&*tangent) {
        let error = p - tangent * share;
        sum += error * error;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactMap, GROUND, Law, Mover, Nlgs, NlgsParams, Threads, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// A mass on the ground that would fall at 1.
    fn block(mass: f64) -> ContactProblem<Plane> {
        let map = ContactMap {
            first: 0,
            second: GROUND,
            frame: PlaneFrame::from_normal(DVec2::Y),
            arm_first: DVec2::ZERO,
            arm_second: DVec2::ZERO,
        };
        let movers = vec![Mover::<Plane> { inverse_mass: 1.0 / mass, inverse_inertia: 0.0 }];
        let contact = Contact::new(map, Local2::default(), Law::Coulomb(0.3), &movers, 1.0);
        let free = vec![Twist { velocity: DVec2::new(0.0, -1.0), spin: 0.0 }];
        ContactProblem { movers, free, contacts: vec![contact], ..Default::default() }
    }

    /// Velocities that have run away must not pass for rounding errors.
    #[test]
    fn what_is_not_a_number_solves_nothing() {
        let problem = block(1.0);
        let impulses = vec![Local2 { n: f64::NAN, t: 0.0 }];
        let mut solution = Solution { impulses, ..Default::default() };
        solution.refresh(&problem);
        let residual = Residual::of(&problem, &solution);
        assert!(residual.worst().is_nan() && !residual.within(f64::INFINITY), "{residual:?}");
        let params = NlgsParams { max_iterations: 0, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert!(report.residual.worst().is_nan(), "{report:?}");
    }

    /// P = m is right. With P = (1 − ε) m the mass still approaches at ε, and both figures are of the
    /// size of ε, whatever m is.
    #[test]
    fn the_residual_does_not_depend_on_the_unit_of_mass() {
        for mass in [1e-6, 1.0, 1e6] {
            let problem = block(mass);
            let judge = |part: f64| {
                let impulses = vec![Local2 { n: part * mass, t: 0.0 }];
                let mut solution = Solution { impulses, ..Default::default() };
                solution.refresh(&problem);
                Residual::of(&problem, &solution)
            };
            assert_eq!(judge(1.0), Residual::default());
            let short = judge(0.99);
            assert!((short.relative - 0.01).abs() < 1e-10, "{short:?}");
            assert!((short.scale_free - 0.01 / 0.99).abs() < 1e-10, "{short:?}");
        }
    }
}
