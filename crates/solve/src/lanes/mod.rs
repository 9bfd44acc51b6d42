//! Four contacts at a time: the layout in which Gauss–Seidel sweeps.
//!
//! Contacts of one colour share no mover, so four of them can be relaxed by the same instructions,
//! one in each lane of a vector register, with the bits that they would have one after another.
//! Each number of a contact is stored beside those of its three companions. A lane without contact
//! has no mass and no axes, and stays at zero.
//!
//! A mover's velocity and spin stand in a padded slot, so that four slots turn into lanes and back
//! by transposition.

mod layout;
mod percussion;
mod plane;
mod volume;

use crate::{
    Blocks, Contact, ContactMap, ContactProblem, GROUND, Law, Mover, Percussion, Special, Twist,
};
use drystone_space::{Local, Vector};
use std::fmt::Debug;

pub use layout::{ChunkItems, Filled, Given, Quads};
pub use percussion::PlanePercussions;
pub use plane::PlaneKernel;
pub use volume::VolumeKernel;

/// One number of each of four contacts.
pub type Lanes = wide::f64x4;

/// Contacts in a quad.
pub const WIDTH: usize = 4;

/// The same for each of four lanes. Unlike `array::map` it is straight code in every build.
#[inline(always)]
pub fn each<T>(of: impl Fn(usize) -> T) -> [T; WIDTH] {
    [of(0), of(1), of(2), of(3)]
}

/// Rows to columns. The library's way is the faster one, but not where its many small functions
/// are built with checks.
#[inline(always)]
fn transpose(rows: [Lanes; WIDTH]) -> [Lanes; WIDTH] {
    if cfg!(debug_assertions) {
        let [a, b, c, d] = each(|i| rows[i].to_array());
        each(|i| Lanes::new([a[i], b[i], c[i], d[i]]))
    } else {
        Lanes::transpose(rows)
    }
}

/// The larger of each two; `b` where they are the same, as zeros of both signs are, or one is no number. The
/// library's own way is that of the machine.
#[inline(always)]
#[allow(clippy::disallowed_methods)]
pub fn larger(a: Lanes, b: Lanes) -> Lanes {
    if cfg!(target_arch = "x86_64") { a.fast_max(b) } else { a.simd_gt(b).select(a, b) }
}

/// The smaller of each two, in the same way.
#[inline(always)]
#[allow(clippy::disallowed_methods)]
pub fn smaller(a: Lanes, b: Lanes) -> Lanes {
    if cfg!(target_arch = "x86_64") { a.fast_min(b) } else { a.simd_lt(b).select(a, b) }
}

/// The sum of four lanes. The library adds them in an order of its own for each kind of register.
#[inline(always)]
pub fn sum(lanes: Lanes) -> f64 {
    let [a, b, c, d] = lanes.to_array();
    (a + c) + (b + d)
}

/// A lane without contact.
const NOBODY: u32 = u32::MAX;

/// The numbers of four contacts, and what a sweep does with them.
pub trait Kernel<S: Blocks>: Copy + Debug + Default + Send + Sync + 'static {
    /// Velocity and spin of one mover, padded to whole registers.
    type Slot: Copy + Debug + Default + Send + Sync + AsRef<[Lanes]> + AsMut<[Lanes]>;
    /// Velocities and spins of four movers.
    type Motion: Copy;
    /// Impulses or velocities of four contacts in their frames: normal part, then tangential.
    type Local: Copy + Debug + Default + Send + Sync + AsRef<[Lanes]> + AsMut<[Lanes]>;

    /// Linear laws of A-CD² of four contacts, where they can be solved together.
    type Percussions: Copy + Debug + Default + Send + Sync;

    /// What few contacts need besides: it stands elsewhere, so that the others do not carry it along.
    type Extra: Copy + Debug + Default + Send + Sync;

    /// Writes contacts into the first lanes; those that are left keep what they had. True where an extra is
    /// needed; it is written if there is a place for it.
    fn fill(
        &mut self,
        extra: Option<&mut Self::Extra>,
        contacts: &[&Contact<S>],
        movers: &[Mover<S>],
    ) -> bool;
    /// The block, multiplied by `scale`, where H is a number for the normal and one for all tangents, if that is
    /// easily told.
    #[inline(always)]
    fn round_block(
        _map: &ContactMap<S>,
        _movers: &[Mover<S>],
        _scale: f64,
        _friction: f64,
    ) -> Option<S::Block> {
        None
    }
    /// A mover with its twist as it stands in its slot.
    fn slot(twist: &Twist<S>, mover: &Mover<S>) -> Self::Slot;
    /// Gives the mover in a slot another twist.
    fn set_twist(slot: &mut Self::Slot, twist: &Twist<S>);
    /// What a slot holds.
    fn twist(slot: &Self::Slot) -> Twist<S>;
    /// Coulomb's coefficients; of no meaning where a law is special.
    fn friction(&self) -> Lanes;
    /// Four slots, turned into lanes.
    fn gather(slots: [Self::Slot; WIDTH]) -> Self::Motion;
    /// Lanes, turned into four slots.
    fn scatter(motion: Self::Motion) -> [Self::Slot; WIDTH];
    /// offset + G u.
    fn velocity(
        &self,
        extra: Option<&Self::Extra>,
        first: &Self::Motion,
        second: &Self::Motion,
    ) -> Self::Local;
    /// u += A⁻¹ G* impulse.
    fn respond(
        &self,
        extra: Option<&Self::Extra>,
        impulse: &Self::Local,
        first: &mut Self::Motion,
        second: &mut Self::Motion,
    );
    /// The impulses that satisfy the laws while all others are frozen, from the present velocities
    /// and impulses; and a bit for each lane that has no closed form and must be solved by itself.
    fn solve(
        &self,
        extra: Option<&Self::Extra>,
        velocity: &Self::Local,
        impulse: &Self::Local,
    ) -> (Self::Local, u32);
    /// The impulse of a lane that [`Kernel::solve`] has left open, from what it needs besides.
    fn solve_open(
        _extra: &Self::Extra,
        _lane: usize,
        _velocity: S::Local,
        impulse: S::Local,
    ) -> S::Local {
        impulse
    }
    /// Writes a law of A-CD² into a lane; false if it must be solved by itself.
    fn put_percussion(
        _percussions: &mut Self::Percussions,
        _lane: usize,
        _contact: &Contact<S>,
        _law: &Percussion<S>,
    ) -> bool {
        false
    }
    /// [`Kernel::solve`] for laws of A-CD².
    #[inline(always)]
    fn solve_percussions(
        &self,
        _percussions: &Self::Percussions,
        _velocity: &Self::Local,
        impulse: &Self::Local,
    ) -> Self::Local {
        *impulse
    }
    /// Square of the error of laws of A-CD².
    #[inline(always)]
    fn percussion_error(
        _percussions: &Self::Percussions,
        _velocity: &[Lanes],
        _impulse: &[Lanes],
        _scale: Lanes,
    ) -> Lanes {
        Lanes::ZERO
    }
}

/// Four contacts that share no mover. In space a quad is eight whole lines of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Quad<S: Blocks> {
    /// Index in the problem of each lane's contact, or [`NOBODY`].
    contacts: [u32; WIDTH],
    /// First movers.
    pub first: [u32; WIDTH],
    /// Second movers, or [`GROUND`].
    pub second: [u32; WIDTH],
    /// Their numbers.
    pub kernel: S::Kernel,
    /// A bit for each lane that is solved and judged by itself: its law is special, or a side is compliant.
    pub special: u32,
    /// A bit for each lane whose law is a percussion that is solved with its companions.
    pub percussion: u32,
    /// Where these laws begin among [`Quads::percussions`].
    pub first_percussion: u32,
}

impl<S: Blocks> Default for Quad<S> {
    fn default() -> Self {
        Self {
            contacts: [NOBODY; WIDTH],
            first: [GROUND; WIDTH],
            second: [GROUND; WIDTH],
            kernel: S::Kernel::default(),
            special: 0,
            percussion: 0,
            first_percussion: 0,
        }
    }
}

impl<S: Blocks> Quad<S> {
    /// Takes these contacts, in place of those that it had, and shows each with its lane; true if it needs an extra.
    pub fn fill(
        &mut self,
        extra: Option<&mut ExtraOf<S>>,
        indices: &[u32],
        given: &Given<S>,
        mut show: impl FnMut(usize, &Contact<S>),
    ) -> bool {
        if indices.len() < WIDTH {
            *self = Self::default();
        }
        (self.special, self.percussion, self.first_percussion) = (0, 0, 0);
        // Lanes that are left get the last contact, for want of another; nobody reads it there.
        let at = |lane: usize| indices[lane.min(indices.len() - 1)] as usize;
        let [mut one, mut two, mut three, mut four] = [const { None }; WIDTH];
        let taken = [
            given.contacts.contact(at(0), &mut one),
            given.contacts.contact(at(1), &mut two),
            given.contacts.contact(at(2), &mut three),
            given.contacts.contact(at(3), &mut four),
        ];
        for (lane, &index) in indices.iter().enumerate() {
            let contact = taken[lane];
            show(lane, contact);
            self.contacts[lane] = index;
            // The sweep relies on movers that the colouring has looked at.
            (self.first[lane], self.second[lane]) = given.colouring.pairs[index as usize];
            let compliant = given.problem.is_compliant((self.first[lane], self.second[lane]));
            if compliant || matches!(contact.law, Law::Special(_)) {
                self.special |= 1 << lane;
            }
        }
        self.kernel.fill(extra, &taken[..indices.len()], &given.problem.movers)
    }

    /// Moves the laws of A-CD² that can be solved together from the special ones to `list`.
    pub fn gather_percussions(
        &mut self,
        problem: &ContactProblem<S>,
        list: &mut Vec<PercussionsOf<S>>,
    ) {
        let (mut laws, mut taken) = (PercussionsOf::<S>::default(), 0);
        for (lane, contact) in self.specials(&problem.contacts) {
            if problem.is_compliant((contact.map.first, contact.map.second)) {
                continue;
            }
            let special = contact.law.special(&problem.specials);
            let law = special.and_then(Special::percussion);
            if law.is_some_and(|law| S::Kernel::put_percussion(&mut laws, lane, contact, law)) {
                taken |= 1 << lane;
            }
        }
        if taken != 0 {
            self.percussion = taken;
            self.special &= !taken;
            self.first_percussion = list.len() as u32;
            list.push(laws);
        }
    }

    /// The lanes that hold a contact, each with its index in the problem.
    pub fn lanes(&self) -> impl Iterator<Item = (usize, usize)> {
        let taken = self.contacts.into_iter().take_while(|&index| index != NOBODY);
        taken.enumerate().map(|(lane, index)| (lane, index as usize))
    }

    /// The lanes that are solved one by one, each with its contact.
    pub fn specials<'a>(
        &'a self,
        contacts: &'a [Contact<S>],
    ) -> impl Iterator<Item = (usize, &'a Contact<S>)> {
        let lanes = self.lanes().filter(|(lane, _)| self.special >> lane & 1 == 1);
        lanes.map(|(lane, index)| (lane, &contacts[index]))
    }

    /// offset + G u of each lane.
    #[inline(always)]
    pub fn velocity(&self, extra: Option<&ExtraOf<S>>, slots: &[SlotOf<S>]) -> LocalOf<S> {
        let mut ground = SlotOf::<S>::default();
        let ground = whole(&mut ground);
        let [first, second] =
            [&self.first, &self.second].map(|side| read::<S>(side, slots, ground));
        self.kernel.velocity(extra, &first, &second)
    }
}

/// The slots of four movers; the ground is at rest.
#[inline(always)]
fn read<S: Blocks>(
    movers: &[u32; WIDTH],
    slots: &[SlotOf<S>],
    ground: &SlotOf<S>,
) -> <S::Kernel as Kernel<S>>::Motion {
    S::Kernel::gather(each(|lane| *slots.get(movers[lane] as usize).unwrap_or(ground)))
}

/// The ground's slot as one thing in memory. Where the compiler takes it to pieces, four for a slot in space, each
/// piece of every mover has an address of its own to be chosen: a sixth of a sweep.
#[inline(always)]
pub fn whole<T>(ground: &mut T) -> &mut T {
    std::hint::black_box(ground)
}

/// [`Kernel::Slot`] of a space.
pub type SlotOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Slot;
/// [`Kernel::Extra`] of a space.
pub type ExtraOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Extra;
/// [`Kernel::Motion`] of a space.
pub type MotionOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Motion;
/// [`Kernel::Local`] of a space.
pub type LocalOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Local;

/// [`Kernel::Percussions`] of a space.
pub type PercussionsOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Percussions;

/// `yes` in the lanes marked in `bits`, `no` in the others.
#[inline(always)]
pub fn choose(bits: u32, yes: Lanes, no: Lanes) -> Lanes {
    let mark = |lane: u32| if bits >> lane & 1 == 1 { 1.0 } else { 0.0 };
    let marks = Lanes::new([mark(0), mark(1), mark(2), mark(3)]);
    marks.simd_gt(Lanes::ZERO).select(yes, no)
}

/// What one lane holds.
#[inline]
pub fn lane<S: Blocks>(local: &LocalOf<S>, lane: usize) -> S::Local {
    let parts = local.as_ref();
    let tangent = S::Tangent::from_fn(|i| parts[i + 1].as_array()[lane]);
    S::Local::new(parts[0].as_array()[lane], tangent)
}

/// Writes one lane.
#[inline]
pub fn set_lane<S: Blocks>(local: &mut LocalOf<S>, lane: usize, value: S::Local) {
    for (i, part) in local.as_mut().iter_mut().enumerate() {
        part.as_mut_array()[lane] = value.get(i);
    }
}

/// Writes one lane of several numbers.
fn write<const N: usize>(lanes: &mut [Lanes; N], lane: usize, numbers: [f64; N]) {
    for (lanes, number) in lanes.iter_mut().zip(numbers) {
        lanes.as_mut_array()[lane] = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colouring;
    use crate::residual::Judge;
    use crate::{Contacts, Listed, Nlgs, NlgsParams, Threads};
    use crate::{Residual, Solution, SweepOrder};
    use drystone_space::{Frame, InverseInertia, Plane, Rotation, Volume};
    use proptest::prelude::*;

    impl<S: Blocks> Quad<S> {
        /// u += A⁻¹ G* impulse of each lane.
        pub fn respond(
            &self,
            extra: Option<&ExtraOf<S>>,
            impulse: &LocalOf<S>,
            slots: &mut [SlotOf<S>],
        ) {
            let ground = SlotOf::<S>::default();
            let mut first = read::<S>(&self.first, slots, &ground);
            let mut second = read::<S>(&self.second, slots, &ground);
            self.kernel.respond(extra, impulse, &mut first, &mut second);
            let sides = [(self.first, first), (self.second, second)];
            for (indices, motion) in sides {
                for (index, slot) in indices.into_iter().zip(S::Kernel::scatter(motion)) {
                    if let Some(kept) = slots.get_mut(index as usize) {
                        *kept = slot;
                    }
                }
            }
        }
    }

    /// A chain of bodies of many shapes, each on the one before it, the first on the ground, with
    /// impulses. The first ones are balls; every third obeys A-CD².
    fn chain<S: Blocks>(
        numbers: &[f64],
        friction: f64,
        balls: u32,
    ) -> (ContactProblem<S>, Solution<S>) {
        let mut numbers = numbers.iter().copied().cycle();
        let mut next = || numbers.next().unwrap_or_default();
        let mut problem = ContactProblem::default();
        let mut solution = Solution::default();
        for i in 0..7u32 {
            let turn = S::Rotation::exponential(S::Spin::from_fn(|_| next()));
            let ball = i < balls;
            let moments = S::Spin::from_fn(|_| if ball { 1.0 } else { 1.5 + next() });
            let inverse_inertia = S::InverseInertia::from_principal(moments, turn);
            problem.movers.push(Mover { inverse_mass: 1.5 + next(), inverse_inertia });
            let velocity = S::Vector::from_fn(|_| next());
            problem.free.push(Twist { velocity, spin: S::Spin::from_fn(|_| next()) });
            let normal = S::Vector::axis(1) + S::Vector::from_fn(|_| 0.5 * next());
            let normal = normal / normal.norm();
            let arm = S::Vector::from_fn(|_| if ball { 0.0 } else { next() });
            let map = ContactMap {
                first: i,
                second: if i == 0 { GROUND } else { i - 1 },
                frame: S::Frame::from_normal(normal),
                arm_first: arm - normal,
                arm_second: arm + normal,
            };
            let law = if i % 3 == 1 { Law::Frictionless } else { Law::Coulomb(friction) };
            let offset = S::Local::new(next(), S::Tangent::from_fn(|_| next()));
            let impulse = S::Local::new(next(), S::Tangent::from_fn(|_| next()));
            if i % 3 == 2 {
                let law = Percussion::quadratic(offset, 0.5 + 0.4 * next(), 0.5 + 0.5 * next());
                let law = Percussion { pulls: next() > 0.0, ..law };
                problem.push_percussion(map, offset, law, 1.0);
                solution.couples.push(S::Local::ZERO);
                solution.impulses.push(impulse);
                continue;
            }
            problem.contacts.push(Contact::new(map, offset, law, &problem.movers, 1.0));
            solution.impulses.push(law.project::<S>(impulse));
        }
        solution.refresh(&problem);
        (problem, solution)
    }

    /// Each lane must do what its contact does by itself.
    fn agrees<S: Blocks>(numbers: &[f64], friction: f64, balls: u32) -> Result<(), TestCaseError> {
        let (problem, solution) = chain::<S>(numbers, friction, balls);
        let contacts = Listed { contacts: &problem.contacts, starts: &solution.impulses };
        let mut colouring = Colouring::default();
        colouring.arrange(&problem, &contacts, SweepOrder::Coloured);
        let mut quads = Quads::default();
        let movers = problem.free.iter().zip(&problem.movers);
        let free: Vec<_> = movers.map(|(twist, mover)| S::Kernel::slot(twist, mover)).collect();
        let mut judge = Judge::default();
        quads.divide(problem.movers.len(), &colouring, 1);
        let meeting = judge.begin(quads.quads.len(), quads.chunks());
        let mut impulses = vec![LocalOf::<S>::default(); quads.quads.len()];
        quads.fill(&problem, &contacts, &colouring, &mut impulses, &meeting, |filled| {
            // SAFETY: there is one thread only.
            unsafe { meeting.add_free(&free, filled) };
        });
        judge.ready(&problem, problem.contacts.len());
        let mut slots = free.clone();
        for (index, (quad, impulse)) in quads.quads.iter().zip(&impulses).enumerate() {
            quad.respond(quads.extra(index), impulse, &mut slots);
        }
        for (slot, twist) in slots.iter().zip(&solution.twists) {
            let found = S::Kernel::twist(slot);
            prop_assert!((found.velocity - twist.velocity).norm() < 1e-12);
            prop_assert!((found.spin - twist.spin).norm() < 1e-12);
        }
        let mut seen = 0;
        for (index, (quad, impulse)) in quads.quads.iter().zip(&impulses).enumerate() {
            let extra = quads.extra(index);
            let velocity = quad.velocity(extra, &slots);
            let (mut next, open) = quad.kernel.solve(extra, &velocity, impulse);
            if quad.percussion != 0 {
                let laws = &quads.percussions[quad.first_percussion as usize];
                let solved = quad.kernel.solve_percussions(laws, &velocity, impulse);
                for (next, solved) in next.as_mut().iter_mut().zip(solved.as_ref()) {
                    *next = choose(quad.percussion, *solved, *next);
                }
            }
            for (i, index) in quad.lanes() {
                let contact = &problem.contacts[index];
                let p = solution.impulses[index];
                let u = contact.offset + contact.map.to_contact(&solution.twists);
                let near = |a: S::Local, b: S::Local| (a - b).dot(a - b).sqrt() < 1e-11;
                prop_assert!(near(lane::<S>(&velocity, i), u));
                let solved = contact.law.solve::<S>(&problem.specials, &contact.block, u, p);
                if (open | quad.special) >> i & 1 == 0 {
                    prop_assert!(near(lane::<S>(&next, i), solved), "{solved:?}");
                }
                seen += 1;
            }
        }
        prop_assert_eq!(seen, problem.contacts.len());
        let found = judge.look(&problem, &quads, &impulses, &solution.couples, &slots);
        let known = Residual::of(&problem, &solution);
        // Without any impulse the scale-free figure is infinite.
        let same = |a: f64, b: f64| a == b || (a - b).abs() < 1e-12 * (1.0 + b);
        prop_assert!(same(found.relative, known.relative), "{found:?} {known:?}");
        prop_assert!(same(found.scale_free, known.scale_free), "{found:?} {known:?}");
        Ok(())
    }

    proptest! {
        #[test]
        fn lanes_agree_with_contacts_by_themselves(
            numbers in prop::collection::vec(-1.0f64..1.0, 150), friction in 0.05f64..1.0,
        ) {
            for balls in [4, 7] {
                agrees::<Plane>(&numbers, friction, balls)?;
                agrees::<Volume>(&numbers, friction, balls)?;
            }
        }
    }

    /// Between balls slip has a closed form in space; between other bodies it is left to Newton.
    #[test]
    fn lanes_without_closed_form_are_marked() {
        let numbers: Vec<f64> = (0..150).map(|i| (f64::from(i) * 0.73).sin()).collect();
        let (problem, _) = chain::<Volume>(&numbers, 1e-3, 4);
        let contacts = Listed { contacts: &problem.contacts, starts: &[] };
        let mut colouring = Colouring::default();
        colouring.arrange(&problem, &contacts, SweepOrder::Coloured);
        let given = Given { problem: &problem, contacts: &contacts, colouring: &colouring };
        let open = |index: u32| {
            let (mut quad, mut extra) = (Quad::default(), Default::default());
            quad.fill(Some(&mut extra), &[index], &given, |_, _| ());
            let slips = [Lanes::splat(-1.0), Lanes::splat(5.0), Lanes::splat(3.0)];
            quad.kernel.solve(Some(&extra), &slips, &Default::default()).1
        };
        assert_eq!([0, 1, 2, 3, 6].map(open), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_quad_in_space_is_eight_lines_of_the_cache() {
        assert_eq!((size_of::<Quad<Volume>>(), align_of::<Quad<Volume>>()), (512, 64));
    }

    /// Contacts that stand in no list: each is made anew for whoever asks.
    struct Made<S: Blocks>(Vec<Contact<S>>, Vec<S::Local>);

    impl<S: Blocks> Contacts<S> for Made<S> {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn movers(&self, index: usize) -> (u32, u32) {
            (self.0[index].map.first, self.0[index].map.second)
        }
        fn start(&self, index: usize, _contact: &Contact<S>) -> S::Local {
            self.1[index]
        }
        fn contact<'a>(&'a self, index: usize, room: &'a mut Option<Contact<S>>) -> &'a Contact<S> {
            room.insert(self.0[index])
        }
    }

    /// Balls and other bodies that stick, slip and part: without a list of contacts they are solved in the same bits.
    #[test]
    fn contacts_need_no_list() {
        fn solved<S: Blocks>(made: bool) -> Solution<S> {
            let numbers: Vec<f64> = (0..150).map(|i| (f64::from(i) * 0.73).sin()).collect();
            let (mut problem, mut solution) = chain::<S>(&numbers, 0.2, 4);
            let all = problem.contacts.iter().map(|contact| match contact.law {
                Law::Special(_) => Contact::new(
                    contact.map,
                    contact.offset,
                    Law::Coulomb(0.3),
                    &problem.movers,
                    1.0,
                ),
                _ => *contact,
            });
            problem.contacts = all.collect();
            problem.specials.clear();
            solution.couples.clear();
            let (mut solver, threads) = (Nlgs::default(), Threads::one());
            let params = NlgsParams { max_iterations: 20, tolerance: 1e-12, ..Default::default() };
            if made {
                let starts = std::mem::take(&mut solution.impulses);
                let contacts = Made(std::mem::take(&mut problem.contacts), starts);
                solver.solve_with(&problem, &contacts, &mut solution, &params, &threads);
                solution.impulses =
                    (0..solver.count()).map(|index| solver.impulse(index)).collect();
            } else {
                solver.solve(&problem, &mut solution, &params, &threads);
            }
            solution
        }
        let pairs = (solved::<Plane>(false), solved::<Plane>(true));
        assert_eq!((&pairs.0.impulses, &pairs.0.twists), (&pairs.1.impulses, &pairs.1.twists));
        let pairs = (solved::<Volume>(false), solved::<Volume>(true));
        assert_eq!((&pairs.0.impulses, &pairs.0.twists), (&pairs.1.impulses, &pairs.1.twists));
        assert!(pairs.0.impulses.iter().any(|impulse| impulse.n > 0.0));
    }
}
