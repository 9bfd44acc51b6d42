//! Four contacts in space. Letters as in `block.rs`.

use super::{Kernel, Lanes, WIDTH, each, transpose, write};
use crate::{Contact, ContactMap, GROUND, Mover, Twist};
use drystone_space::{DVec3, Frame, Local, Local3, Volume};

type Vector = [Lanes; 3];

/// [`Kernel`] in space.
///
/// Between balls all arms are along the normal, arm = a n, and all moments of inertia are the same.
/// With n × t₁ = t₂ and n × t₂ = −t₁, the spins then enter by a(t₂·ω, −t₁·ω), and an impulse p turns
/// by a(t₂ p₁ − t₁ p₂): half of the work, and of the numbers, which stand first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct VolumeKernel {
    /// Normal and tangents.
    axes: [Vector; 3],
    offset: Vector,
    inverse_mass: [Lanes; 2],
    /// a of each side.
    lever: [Lanes; 2],
    /// a over the moment of inertia, of each side.
    turn: [Lanes; 2],
    friction: Lanes,
    /// 1/h.
    inverse_direct: Lanes,
    /// S⁻¹: xx, yy, xy.
    inverse_schur: [Lanes; 3],
    /// A bit for each lane in which slip has no closed form.
    uneven: u32,
    /// A bit for each lane that is not between balls.
    angular: u32,
    /// k.
    coupling: [Lanes; 2],
    sides: [Side; 2],
}

/// How the movers on one side are turned.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    arm: Vector,
    /// Diagonal, then yz, xz, xy.
    inverse_inertia: [Lanes; 6],
}

/// What rounding may leave of zero, as a share.
const NOTHING: f64 = 1e-13;

/// a and the inverse moment of inertia where the mover is a ball, as far as this contact sees it.
fn as_ball(mover: &Mover<Volume>, arm: DVec3, normal: DVec3) -> Option<(f64, f64)> {
    let inertia = &mover.inverse_inertia;
    let (lever, moment) = (arm.dot(normal), inertia.diagonal.x);
    let uneven = (inertia.diagonal - moment).abs().max(inertia.off.abs()).max_element();
    let along = (arm - normal * lever).length() <= NOTHING * lever.abs();
    (along && uneven <= NOTHING * moment).then_some((lever, moment))
}

/// Mover and arm on the two sides of a contact; the ground does not answer.
fn sides(map: &ContactMap<Volume>, movers: &[Mover<Volume>]) -> [(Mover<Volume>, DVec3); 2] {
    let second = match map.second {
        GROUND => (Mover::default(), DVec3::ZERO),
        second => (movers[second as usize], map.arm_second),
    };
    [(movers[map.first as usize], map.arm_first), second]
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
    }
    /// Velocity at the contact point.
    #[inline(always)]
    fn velocity(&self, motion: &[Lanes; 6]) -> Vector {
        let swept = cross(&motion[3..], &self.arm);
        [motion[0] + swept[0], motion[1] + swept[1], motion[2] + swept[2]]
    }
    /// Change of spin by an impulse at the contact point.
    #[inline(always)]
    fn turn(&self, p: &Vector) -> Vector {
        let [x, y, z] = cross(&self.arm, p);
        let [xx, yy, zz, yz, xz, xy] = self.inverse_inertia;
        [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
    }
}

impl VolumeKernel {
    /// Writes what balls need into a lane, and marks it if it is not between balls.
    fn put(&mut self, lane: usize, contact: &Contact<Volume>, movers: &[Mover<Volume>]) {
        let (map, block) = (&contact.map, &contact.block);
        let axes = [0, 1, 2].map(|i| map.frame.to_world(Local3::axis(i)));
        let [normal, s, t] = axes;
        let mut ball = block.round && (normal.cross(s) - t).length() <= NOTHING;
        for (side, (mover, arm)) in sides(map, movers).into_iter().enumerate() {
            let (lever, moment) = as_ball(&mover, arm, normal).unwrap_or_else(|| {
                ball = false;
                (0.0, 0.0)
            });
            self.inverse_mass[side].as_mut_array()[lane] = mover.inverse_mass;
            self.lever[side].as_mut_array()[lane] = lever;
            self.turn[side].as_mut_array()[lane] = lever * moment;
        }
        for (axis, of) in self.axes.iter_mut().zip(axes) {
            write(axis, lane, of.to_array());
        }
        let offset = contact.offset;
        write(&mut self.offset, lane, [offset.n, offset.t.x, offset.t.y]);
        write(&mut self.inverse_schur, lane, block.inverse_schur());
        self.inverse_direct.as_mut_array()[lane] = block.inverse_normal;
        self.friction.as_mut_array()[lane] = block.friction;
        if !ball {
            self.angular |= 1 << lane;
        }
        if !block.round && block.friction > 0.0 {
            self.uneven |= 1 << lane;
        }
    }

    /// Writes what other bodies need besides.
    fn put_angular(&mut self, lane: usize, contact: &Contact<Volume>, movers: &[Mover<Volume>]) {
        write(&mut self.coupling, lane, contact.block.coupling.to_array());
        for (side, (mover, arm)) in self.sides.iter_mut().zip(sides(&contact.map, movers)) {
            side.put(lane, &mover, arm);
        }
    }

    /// [`Kernel::velocity`] between balls.
    #[inline(always)]
    fn velocity_of_balls(&self, first: &[Lanes; 6], second: &[Lanes; 6]) -> Vector {
        let relative = [first[0] - second[0], first[1] - second[1], first[2] - second[2]];
        let [one, two] = self.lever;
        let spin = |i: usize| one * first[i] - two * second[i];
        let spin = [spin(3), spin(4), spin(5)];
        let [n, s, t] = &self.axes;
        [
            self.offset[0] + dot(n, &relative),
            self.offset[1] + (dot(s, &relative) + dot(t, &spin)),
            self.offset[2] + (dot(t, &relative) - dot(s, &spin)),
        ]
    }

    /// [`Kernel::solve`] between balls.
    #[inline(always)]
    fn solve_balls(&self, u: &Vector, p: &Vector) -> Vector {
        let m = p[0] - self.inverse_direct * u[0];
        let inverse = self.inverse_schur[0];
        let (mut x, mut y) = (p[1] - inverse * u[1], p[2] - inverse * u[2]);
        let zero = Lanes::ZERO;
        let limit = (self.friction * m).fast_max(zero);
        let square = x * x + y * y;
        let apart = m.simd_le(zero);
        let settled = apart | square.simd_le(limit * limit);
        if settled.to_bitmask() & 0b1111 != 0b1111 {
            let scale = settled.select(Lanes::ONE, limit / square.sqrt());
            (x, y) = (x * scale, y * scale);
        }
        [apart.select(zero, m), apart.select(zero, x), apart.select(zero, y)]
    }
}

impl Kernel<Volume> for VolumeKernel {
    type Slot = [Lanes; 2];
    type Motion = [Lanes; 6];
    type Local = [Lanes; 3];
    type Percussions = ();

    fn fill(&mut self, contacts: &[&Contact<Volume>], movers: &[Mover<Volume>]) {
        (self.angular, self.uneven) = (0, 0);
        for (lane, contact) in contacts.iter().enumerate() {
            self.put(lane, contact, movers);
        }
        if self.angular != 0 {
            for (lane, contact) in contacts.iter().enumerate() {
                self.put_angular(lane, contact, movers);
            }
        }
    }

    fn round_response(map: &ContactMap<Volume>, movers: &[Mover<Volume>]) -> Option<[f64; 2]> {
        let normal = map.frame.to_world(Local3::axis(0));
        let (mut direct, mut tangential) = (0.0, 0.0);
        for (mover, arm) in sides(map, movers) {
            let (lever, moment) = as_ball(&mover, arm, normal)?;
            direct += mover.inverse_mass;
            tangential += mover.inverse_mass + lever * lever * moment;
        }
        Some([direct, tangential])
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
        if self.angular == 0 {
            return self.velocity_of_balls(first, second);
        }
        let (one, two) = (self.sides[0].velocity(first), self.sides[1].velocity(second));
        let relative = [one[0] - two[0], one[1] - two[1], one[2] - two[2]];
        let along = |i: usize| self.offset[i] + dot(&self.axes[i], &relative);
        [along(0), along(1), along(2)]
    }

    #[inline(always)]
    fn respond(&self, p: &Vector, first: &mut [Lanes; 6], second: &mut [Lanes; 6]) {
        let [n, s, t] = &self.axes;
        let world = |i: usize| n[i] * p[0] + s[i] * p[1] + t[i] * p[2];
        let world = [world(0), world(1), world(2)];
        for i in 0..3 {
            first[i] += world[i] * self.inverse_mass[0];
            second[i] -= world[i] * self.inverse_mass[1];
        }
        if self.angular == 0 {
            for i in 0..3 {
                let turned = t[i] * p[1] - s[i] * p[2];
                first[3 + i] += self.turn[0] * turned;
                second[3 + i] -= self.turn[1] * turned;
            }
            return;
        }
        let (one, two) = (self.sides[0].turn(&world), self.sides[1].turn(&world));
        for i in 0..3 {
            first[3 + i] += one[i];
            second[3 + i] -= two[i];
        }
    }

    /// As `VolumeBlock::coulomb`: apart, stick, or slip, which has a closed form where S is round
    /// and where there is no friction.
    #[inline(always)]
    fn solve(&self, u: &Vector, p: &Vector) -> (Vector, u32) {
        if self.angular == 0 {
            return (self.solve_balls(u, p), 0);
        }
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
}
