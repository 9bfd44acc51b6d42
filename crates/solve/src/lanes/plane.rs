//! Four contacts in the plane. Letters as in `block.rs`, whose `PlaneBlock::coulomb` is the scalar form of the solve;
//! tests in `mod.rs` hold lanes against it.

use super::{Kernel, Lanes, PlanePercussions, Register, WIDTH, each, write};
use crate::{Contact, GROUND, Mover, Percussion, Twist};
use drystone_space::{DVec2, Frame, Local, Local2, Plane, Space};

/// Velocity and spin of four movers, then what their slots have room for: the inverse mass.
type Motion<R> = [R; 4];
const MASS: usize = 3;

/// [`Kernel`] in the plane.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneKernel {
    normal: [Lanes; 2],
    offset: [Lanes; 2],
    first: Side,
    second: Side,
    /// 1/h.
    pub(super) inverse_direct: Lanes,
    /// k.
    pub(super) coupling: Lanes,
    /// 1/S.
    inverse_schur: Lanes,
    edges: [Lanes; 2],
    friction: Lanes,
}

/// How the movers on one side take part.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Moments arm × n and arm × t of unit impulses.
    moments: [Lanes; 2],
    inverse_inertia: Lanes,
}

impl Side {
    fn put(&mut self, lane: usize, mover: &Mover<Plane>, arm: DVec2, axes: [DVec2; 2]) {
        write(&mut self.moments, lane, axes.map(|axis| Plane::moment(arm, axis)));
        self.inverse_inertia.as_mut_array()[lane] = mover.inverse_inertia;
    }
    #[inline(always)]
    fn moments<R: Register>(&self) -> [R; 2] {
        [R::load(&self.moments[0]), R::load(&self.moments[1])]
    }
    #[inline(always)]
    fn spin<R: Register>(&self, p: &[R; 2]) -> R {
        let moments = self.moments::<R>();
        R::load(&self.inverse_inertia) * (moments[0] * p[0] + moments[1] * p[1])
    }
}

impl PlaneKernel {
    /// Writes a contact into a lane.
    fn put(&mut self, lane: usize, contact: &Contact<Plane>, movers: &[Mover<Plane>]) {
        let (map, block) = (&contact.map, &contact.block);
        let axes = [0, 1].map(|i| map.frame.to_world(Local2::axis(i)));
        self.first.put(lane, &movers[map.first as usize], map.arm_first, axes);
        let none = Mover::default();
        let second = if map.second == GROUND { &none } else { &movers[map.second as usize] };
        self.second.put(lane, second, map.arm_second, axes);
        write(&mut self.normal, lane, axes[0].to_array());
        write(&mut self.offset, lane, [contact.offset.n, contact.offset.t]);
        write(&mut self.edges, lane, block.edges);
        self.friction.as_mut_array()[lane] = contact.law.friction();
        self.inverse_direct.as_mut_array()[lane] = block.inverse_normal;
        self.coupling.as_mut_array()[lane] = block.coupling;
        self.inverse_schur.as_mut_array()[lane] = block.inverse_schur;
    }
}

impl Kernel<Plane> for PlaneKernel {
    const MANIFOLDS: bool = false;
    type Slot = [Lanes; 1];
    type Motion<R: Register> = Motion<R>;
    type Local<R: Register> = [R; 2];
    type Percussions = PlanePercussions;
    type Extra = ();
    type Sides = ();

    fn fill(
        &mut self,
        _extra: Option<&mut ()>,
        contacts: &[&Contact<Plane>],
        movers: &[Mover<Plane>],
        _round: bool,
    ) -> bool {
        for (lane, contact) in contacts.iter().enumerate() {
            self.put(lane, contact, movers);
        }
        false
    }

    #[inline(always)]
    fn friction(&self) -> Lanes {
        self.friction
    }
    fn slot(twist: &Twist<Plane>, mover: &Mover<Plane>) -> [Lanes; 1] {
        [Lanes::new([twist.velocity.x, twist.velocity.y, twist.spin, mover.inverse_mass])]
    }
    #[inline(always)]
    fn set_twist(slot: &mut [Lanes; 1], twist: &Twist<Plane>) {
        let [.., mass] = slot[0].to_array();
        *slot = [Lanes::new([twist.velocity.x, twist.velocity.y, twist.spin, mass])];
    }
    #[inline(always)]
    fn twist(slot: &[Lanes; 1]) -> Twist<Plane> {
        let [x, y, spin, _] = slot[0].to_array();
        Twist { velocity: DVec2::new(x, y), spin }
    }
    #[inline(always)]
    fn load<R: Register>([n, t]: &[Lanes; 2]) -> [R; 2] {
        [R::load(n), R::load(t)]
    }
    #[inline(always)]
    fn store<R: Register>([n, t]: [R; 2]) -> [Lanes; 2] {
        [n.store(), t.store()]
    }
    #[inline(always)]
    fn gather<R: Register>(slots: [&[Lanes; 1]; WIDTH]) -> Motion<R> {
        R::transpose(each(|i| R::load(&slots[i][0])))
    }
    #[inline(always)]
    fn scatter<R: Register>(motion: Motion<R>) -> [[Lanes; 1]; WIDTH] {
        let slots = R::transpose(motion);
        each(|i| [slots[i].store()])
    }

    fn offset(&mut self) -> &mut Self::Local<Lanes> {
        &mut self.offset
    }
    #[inline(always)]
    fn velocity<R: Register>(
        &self,
        _extra: Option<&()>,
        first: &Motion<R>,
        second: &Motion<R>,
    ) -> [R; 2] {
        let [x, y] = Self::load::<R>(&self.normal);
        let (one, two) = (self.first.moments::<R>(), self.second.moments::<R>());
        let (dx, dy) = (first[0] - second[0], first[1] - second[1]);
        let n = (x * dx + y * dy) + (one[0] * first[2] - two[0] * second[2]);
        let t = (x * dy - y * dx) + (one[1] * first[2] - two[1] * second[2]);
        [R::load(&self.offset[0]) + n, R::load(&self.offset[1]) + t]
    }

    #[inline(always)]
    fn respond<R: Register>(
        &self,
        _extra: Option<(&(), &())>,
        p: &[R; 2],
        first: &mut Motion<R>,
        second: &mut Motion<R>,
    ) {
        let [x, y] = Self::load::<R>(&self.normal);
        let world = [x * p[0] - y * p[1], y * p[0] + x * p[1]];
        for i in 0..2 {
            first[i] += world[i] * first[MASS];
            second[i] -= world[i] * second[MASS];
        }
        first[2] += self.first.spin(p);
        second[2] -= self.second.spin(p);
    }

    /// The clip of `PlaneBlock::coulomb`; without friction both edges are zero.
    #[inline(always)]
    fn solve<R: Register>(&self, _extra: Option<&()>, u: &[R; 2], p: &[R; 2]) -> ([R; 2], u8) {
        let coupling = R::load(&self.coupling);
        let m = p[0] + coupling * p[1] - R::load(&self.inverse_direct) * u[0];
        let stick = p[1] - R::load(&self.inverse_schur) * (u[1] - coupling * u[0]);
        let (m, [low, high]) = (m.larger(R::splat(0.0)), Self::load::<R>(&self.edges));
        let t = stick.larger(low * m).smaller(high * m);
        ([m - coupling * t, t], 0)
    }

    fn put_percussion(
        percussions: &mut PlanePercussions,
        lane: usize,
        contact: &Contact<Plane>,
        law: &Percussion<Plane>,
    ) -> bool {
        percussions.put(lane, contact, law)
    }
    #[inline(always)]
    fn solve_percussions<R: Register>(
        &self,
        percussions: &PlanePercussions,
        u: &[R; 2],
        p: &[R; 2],
    ) -> [R; 2] {
        percussions.solve(self, u, p)
    }
    #[inline(always)]
    fn percussion_error<R: Register>(
        percussions: &PlanePercussions,
        u: &[R],
        p: &[R],
        scale: R,
    ) -> R {
        percussions.error_square(u, p, scale)
    }
}
