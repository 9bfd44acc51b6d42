//! Four manifolds at a time: the layout in which Gauss–Seidel sweeps.
//!
//! Manifolds of one colour share no mover, so four of them can be relaxed by the same instructions,
//! one in each lane of a vector register, with the bits that they would have one after another.
//! A [quad](Quad) is four manifolds; its *rows* are the first points of all four, then the second
//! ones, and so on. Each number of a contact is stored beside those of its three companions in the
//! row. A lane without contact has no mass and no axes, and stays at zero. Lanes with more points
//! come first, so that those of a row that hold a contact are the first ones.
//!
//! A mover's velocity and spin stand in a padded slot, so that four slots turn into lanes and back
//! by transposition.

mod layout;
mod percussion;
mod plane;
mod register;
mod volume;

use crate::{
    Blocks, Contact, ContactMap, ContactProblem, GROUND, Law, Mover, Percussion, Special, Twist,
};
use drystone_space::{Local, Vector};
use std::fmt::Debug;
use std::ops::Range;

pub use layout::{ChunkItems, Filled, Given, Quads};
pub use percussion::PlanePercussions;
pub use plane::PlaneKernel;
pub use register::{Register, Work, with_registers};
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

/// The sum of four lanes. The library adds them in an order of its own for each kind of register.
#[inline(always)]
pub fn sum(lanes: Lanes) -> f64 {
    let [a, b, c, d] = lanes.to_array();
    (a + c) + (b + d)
}

/// The numbers of a row of four contacts, and what a sweep does with them.
pub trait Kernel<S: Blocks>: Copy + Debug + Default + Send + Sync + 'static {
    /// Whether contacts of one pair are visited together. It pays where movers have many numbers: in the plane, where a
    /// point of boxes costs no more than one of disks, a sweep would be faster by less than a tenth.
    const MANIFOLDS: bool;
    /// Velocity and spin of one mover, padded to whole registers.
    type Slot: Copy + Debug + Default + Send + Sync + AsRef<[Lanes]> + AsMut<[Lanes]>;
    /// Velocities and spins of four movers.
    type Motion<R: Register>: Copy;
    /// Impulses or velocities of four contacts in their frames: normal part, then tangential.
    type Local<R: Register>: Copy + Debug + Default + Send + Sync + AsRef<[R]> + AsMut<[R]>;

    /// Linear laws of A-CD² of four contacts, where they can be solved together.
    type Percussions: Copy + Debug + Default + Send + Sync;

    /// What some contacts need besides: it stands elsewhere, so that the others do not carry it along.
    type Extra: Copy + Debug + Default + Send + Sync;
    /// What these need of their movers, which is the same for all rows of a quad.
    type Sides: Copy + Debug + Default + Send + Sync;

    /// Writes contacts into the first lanes; those that are left keep what they had. True where an extra is
    /// needed; it is written if there is a place for it. Where contacts are not `round`, all are taken for what needs one.
    fn fill(
        &mut self,
        extra: Option<&mut Self::Extra>,
        contacts: &[&Contact<S>],
        movers: &[Mover<S>],
        round: bool,
    ) -> bool;
    /// Writes the movers of the manifolds in the first lanes; others keep what they had.
    fn fill_sides(_sides: &mut Self::Sides, _pairs: &[(u32, u32)], _movers: &[Mover<S>]) {}
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
    /// Impulses or velocities from memory.
    fn load<R: Register>(local: &Self::Local<Lanes>) -> Self::Local<R>;
    /// Impulses or velocities to memory.
    fn store<R: Register>(local: Self::Local<R>) -> Self::Local<Lanes>;
    /// Four slots, turned into lanes.
    fn gather<R: Register>(slots: [&Self::Slot; WIDTH]) -> Self::Motion<R>;
    /// Lanes, turned into four slots.
    fn scatter<R: Register>(motion: Self::Motion<R>) -> [Self::Slot; WIDTH];
    /// The offsets of the contacts.
    fn offset(&mut self) -> &mut Self::Local<Lanes>;
    /// offset + G u.
    fn velocity<R: Register>(
        &self,
        extra: Option<&Self::Extra>,
        first: &Self::Motion<R>,
        second: &Self::Motion<R>,
    ) -> Self::Local<R>;
    /// u += A⁻¹ G* impulse.
    fn respond<R: Register>(
        &self,
        extra: Option<(&Self::Extra, &Self::Sides)>,
        impulse: &Self::Local<R>,
        first: &mut Self::Motion<R>,
        second: &mut Self::Motion<R>,
    );
    /// The impulses that satisfy the laws while all others are frozen, from the present velocities
    /// and impulses; and a bit for each lane that has no closed form and must be solved by itself.
    fn solve<R: Register>(
        &self,
        extra: Option<&Self::Extra>,
        velocity: &Self::Local<R>,
        impulse: &Self::Local<R>,
    ) -> (Self::Local<R>, u8);
    /// The impulse of a lane that [`Kernel::solve`] has left open, from what it needs besides.
    fn solve_open(
        &self,
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
    fn solve_percussions<R: Register>(
        &self,
        _percussions: &Self::Percussions,
        _velocity: &Self::Local<R>,
        impulse: &Self::Local<R>,
    ) -> Self::Local<R> {
        *impulse
    }
    /// Square of the error of laws of A-CD².
    #[inline(always)]
    fn percussion_error<R: Register>(
        _percussions: &Self::Percussions,
        _velocity: &[R],
        _impulse: &[R],
        _scale: R,
    ) -> R {
        R::splat(0.0)
    }
}

/// Four manifolds that share no mover: a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Quad {
    /// First movers.
    pub first: [u32; WIDTH],
    /// Second movers, or [`GROUND`].
    pub second: [u32; WIDTH],
    /// Index in the problem of the first contact of each lane.
    contacts: [u32; WIDTH],
    /// How many contacts each lane has, in falling order.
    points: [u8; WIDTH],
    /// Its first row.
    start: u32,
    /// Where the percussions are among [`Quads::percussions`].
    pub first_percussion: u32,
    /// A bit for each lane that is solved and judged by itself: its law is special, or a side is compliant. Such a lane
    /// has one contact, in the first row.
    pub special: u8,
    /// A bit for each lane whose law is a percussion that is solved with its companions. It too has one contact.
    pub percussion: u8,
}

impl Default for Quad {
    fn default() -> Self {
        Self {
            first: [GROUND; WIDTH],
            second: [GROUND; WIDTH],
            contacts: [0; WIDTH],
            points: [0; WIDTH],
            start: 0,
            first_percussion: 0,
            special: 0,
            percussion: 0,
        }
    }
}

impl Quad {
    /// Takes these manifolds, in place of those that it had; its rows begin with `start`.
    pub fn set<S: Blocks>(&mut self, manifolds: &[u32], start: usize, given: &Given<S>) {
        *self = Self { start: start as u32, ..Self::default() };
        for (lane, &index) in manifolds.iter().enumerate() {
            // The sweep relies on movers that the colouring has looked at.
            let pair = given.colouring.pairs[index as usize];
            (self.first[lane], self.second[lane]) = pair;
            self.contacts[lane] = index;
            self.points[lane] = given.colouring.points(index) as u8;
            let law = given.problem.contacts.get(index as usize).map(|contact| contact.law);
            if given.problem.is_compliant(pair) || matches!(law, Some(Law::Special(_))) {
                self.special |= 1 << lane;
            }
        }
    }

    /// Moves the laws of A-CD² that can be solved together from the special ones to `list`.
    pub fn gather_percussions<S: Blocks>(
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

    /// Its rows, by their number among all.
    #[inline(always)]
    pub fn rows(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.points[0])
    }

    /// The lanes of a row that hold a contact, each with its index in the problem. Rows are counted from the quad's
    /// first.
    pub fn lanes(&self, row: usize) -> impl Iterator<Item = (usize, usize)> {
        let taken = self.points.into_iter().take_while(move |&points| usize::from(points) > row);
        taken
            .zip(self.contacts)
            .enumerate()
            .map(move |(lane, (_, index))| (lane, index as usize + row))
    }

    /// The lanes that are solved one by one, each with its contact.
    pub fn specials<'a, S: Blocks>(
        &'a self,
        contacts: &'a [Contact<S>],
    ) -> impl Iterator<Item = (usize, &'a Contact<S>)> {
        let lanes = self.lanes(0).filter(|(lane, _)| self.special >> lane & 1 == 1);
        lanes.map(|(lane, index)| (lane, &contacts[index]))
    }

    /// Velocities and spins of its first movers and of its second ones.
    #[inline(always)]
    pub fn motions<S: Blocks, R: Register>(&self, slots: &[SlotOf<S>]) -> [MotionOf<S, R>; 2] {
        let mut ground = SlotOf::<S>::default();
        let ground = whole(&mut ground);
        [read::<S, R>(&self.first, slots, ground), read::<S, R>(&self.second, slots, ground)]
    }
}

/// The slots of four movers; the ground is at rest.
#[inline(always)]
fn read<S: Blocks, R: Register>(
    movers: &[u32; WIDTH],
    slots: &[SlotOf<S>],
    ground: &SlotOf<S>,
) -> MotionOf<S, R> {
    S::Kernel::gather(each(|lane| slots.get(movers[lane] as usize).unwrap_or(ground)))
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
/// [`Kernel::Sides`] of a space.
pub type SidesOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Sides;
/// [`Kernel::Motion`] of a space.
pub type MotionOf<S, R> = <<S as Blocks>::Kernel as Kernel<S>>::Motion<R>;
/// [`Kernel::Local`] of a space, in memory unless a register is named.
pub type LocalOf<S, R = Lanes> = <<S as Blocks>::Kernel as Kernel<S>>::Local<R>;

/// [`Kernel::Percussions`] of a space.
pub type PercussionsOf<S> = <<S as Blocks>::Kernel as Kernel<S>>::Percussions;

/// `yes` in the lanes marked in `bits`, `no` in the others.
#[inline(always)]
pub fn choose<R: Register>(bits: u8, yes: R, no: R) -> R {
    let mark = |lane: u8| if bits >> lane & 1 == 1 { 1.0 } else { 0.0 };
    let marks = R::load(&Lanes::new([mark(0), mark(1), mark(2), mark(3)]));
    R::splat(0.0).below(marks).select(yes, no)
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
mod tests;
