//! Four contacts in space. Letters as in `block.rs`.

use super::{Kernel, Lanes, WIDTH, each, transpose, write};
use crate::{Contact, GROUND, Mover, Twist};
use drystone_space::{DVec3, Frame, Local, Local3, Volume};

type Vector = [Lanes; 3];

/// [`Kernel`] in space.
#[derive(Clone, Copy, Debug, Default)]
pub struct VolumeKernel {
    /// Normal and tangents.
    axes: [Vector; 3],
    offset: Vector,
    first: Side,
    second: Side,
    /// h.
    direct: Lanes,
    /// 1/h.
    inverse_direct: Lanes,
    /// k.
    coupling: [Lanes; 2],
    /// S⁻¹: xx, yy, xy.
    inverse_schur: [Lanes; 3],
    friction: Lanes,
    /// A bit for each lane in which slip has no closed form.
    uneven: u32,
}

/// How the movers on one side take part.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    arm: Vector,
    inverse_mass: Lanes,
    /// Diagonal, then yz, xz, xy.
    inverse_inertia: [Lanes; 6],
}

#[inline(always)]
fn cross(a: &[Lanes], b: &[Lanes]) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: &Vector, b: &Vector) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Side {
    fn put(&mut self, lane: usize, mover: &Mover<Volume>, arm: DVec3) {
        let inertia = &mover.inverse_inertia;
        let ([xx, yy, zz], [yz, xz, xy]) = (inertia.diagonal.to_array(), inertia.off.to_array());
        write(&mut self.arm, lane, arm.to_array());
        write(&mut self.inverse_inertia, lane, [xx, yy, zz, yz, xz, xy]);
        self.inverse_mass.as_mut_array()[lane] = mover.inverse_mass;
    }
    /// Velocity at the contact point.
    #[inline(always)]
    fn velocity(&self, motion: &[Lanes; 6]) -> Vector {
        let swept = cross(&motion[3..], &self.arm);
        [motion[0] + swept[0], motion[1] + swept[1], motion[2] + swept[2]]
    }
    /// Change of velocity and spin by an impulse at the contact point.
    #[inline(always)]
    fn respond(&self, p: &Vector) -> [Lanes; 6] {
        let [x, y, z] = cross(&self.arm, p);
        let [xx, yy, zz, yz, xz, xy] = self.inverse_inertia;
        let mass = self.inverse_mass;
        [
            p[0] * mass,
            p[1] * mass,
            p[2] * mass,
            xx * x + xy * y + xz * z,
            xy * x + yy * y + yz * z,
            xz * x + yz * y + zz * z,
        ]
    }
}

impl Kernel<Volume> for VolumeKernel {
    type Slot = [Lanes; 2];
    type Motion = [Lanes; 6];
    type Local = [Lanes; 3];
    type Percussions = ();

    fn put(&mut self, lane: usize, contact: &Contact<Volume>, movers: &[Mover<Volume>]) {
        let (map, block) = (&contact.map, &contact.block);
        self.first.put(lane, &movers[map.first as usize], map.arm_first);
        if map.second != GROUND {
            self.second.put(lane, &movers[map.second as usize], map.arm_second);
        }
        for (i, axis) in self.axes.iter_mut().enumerate() {
            write(axis, lane, map.frame.to_world(Local3::axis(i)).to_array());
        }
        let offset = contact.offset;
        write(&mut self.offset, lane, [offset.n, offset.t.x, offset.t.y]);
        write(&mut self.coupling, lane, block.coupling.to_array());
        write(&mut self.inverse_schur, lane, block.inverse_schur());
        self.direct.as_mut_array()[lane] = block.normal;
        self.inverse_direct.as_mut_array()[lane] = block.inverse_normal;
        self.friction.as_mut_array()[lane] = block.friction;
        if !block.round && block.friction > 0.0 {
            self.uneven |= 1 << lane;
        }
    }

    fn slot(twist: &Twist<Volume>) -> [Lanes; 2] {
        let (v, w) = (twist.velocity, twist.spin);
        [Lanes::new([v.x, v.y, v.z, w.x]), Lanes::new([w.y, w.z, 0.0, 0.0])]
    }
    fn twist(slot: &[Lanes; 2]) -> Twist<Volume> {
        let ([x, y, z, wx], [wy, wz, ..]) = (slot[0].to_array(), slot[1].to_array());
        Twist { velocity: DVec3::new(x, y, z), spin: DVec3::new(wx, wy, wz) }
    }
    #[inline(always)]
    fn gather(slots: [[Lanes; 2]; WIDTH]) -> [Lanes; 6] {
        let [x, y, z, wx] = transpose(each(|i| slots[i][0]));
        let [wy, wz, ..] = transpose(each(|i| slots[i][1]));
        [x, y, z, wx, wy, wz]
    }
    #[inline(always)]
    fn scatter([x, y, z, wx, wy, wz]: [Lanes; 6]) -> [[Lanes; 2]; WIDTH] {
        let low = transpose([x, y, z, wx]);
        let high = transpose([wy, wz, Lanes::ZERO, Lanes::ZERO]);
        each(|i| [low[i], high[i]])
    }

    #[inline(always)]
    fn velocity(&self, first: &[Lanes; 6], second: &[Lanes; 6]) -> Vector {
        let (one, two) = (self.first.velocity(first), self.second.velocity(second));
        let relative = [one[0] - two[0], one[1] - two[1], one[2] - two[2]];
        let along = |i: usize| self.offset[i] + dot(&self.axes[i], &relative);
        [along(0), along(1), along(2)]
    }

    #[inline(always)]
    fn respond(&self, p: &Vector, first: &mut [Lanes; 6], second: &mut [Lanes; 6]) {
        let [n, s, t] = &self.axes;
        let world = |i: usize| n[i] * p[0] + s[i] * p[1] + t[i] * p[2];
        let world = [world(0), world(1), world(2)];
        let (one, two) = (self.first.respond(&world), self.second.respond(&world));
        for i in 0..6 {
            first[i] += one[i];
            second[i] -= two[i];
        }
    }

    /// As `VolumeBlock::coulomb`: apart, stick, or slip, which has a closed form where S is round
    /// and where there is no friction.
    #[inline(always)]
    fn solve(&self, u: &Vector, p: &Vector) -> (Vector, u32) {
        let ([kx, ky], [xx, yy, xy]) = (self.coupling, self.inverse_schur);
        let m = p[0] + (kx * p[1] + ky * p[2]) - self.inverse_direct * u[0];
        let (bx, by) = (u[1] - kx * u[0], u[2] - ky * u[0]);
        let stick_x = p[1] - (xx * bx + xy * by);
        let stick_y = p[2] - (xy * bx + yy * by);
        let limit = self.friction * (m - (kx * stick_x + ky * stick_y));
        let limit = limit.fast_max(Lanes::ZERO);
        let square = stick_x * stick_x + stick_y * stick_y;
        let apart = m.simd_le(Lanes::ZERO);
        let settled = apart | square.simd_le(limit * limit);
        let slips = !settled.to_bitmask() & 0b1111;
        let (mut x, mut y) = (stick_x, stick_y);
        if slips != 0 {
            let scale = settled.select(Lanes::ONE, limit / square.sqrt());
            (x, y) = (x * scale, y * scale);
        }
        let n = m - (kx * x + ky * y);
        let zero = Lanes::ZERO;
        let next = [apart.select(zero, n), apart.select(zero, x), apart.select(zero, y)];
        (next, slips & self.uneven)
    }

    #[inline(always)]
    fn normal_change(&self, step: &Vector) -> Lanes {
        let [kx, ky] = self.coupling;
        self.direct * (step[0] + (kx * step[1] + ky * step[2]))
    }
}
