//! Four contacts in space. Letters as in `block.rs`, whose `VolumeBlock::coulomb` is the scalar form of the solve;
//! tests in `mod.rs` hold lanes against it.

use super::{Kernel, Lanes, WIDTH, choose, each, larger, transpose, write};
use crate::{Block, Contact, ContactMap, GROUND, Mover, Twist, VolumeBlock};
use drystone_space::{DVec2, DVec3, Frame, Local3, Volume, math};

type Vector = [Lanes; 3];

/// Velocity and spin of four movers, then what their slots have room for: the inverse mass, and the inverse
/// moment of inertia of a ball.
type Motion = [Lanes; 8];
const MASS: usize = 6;
const MOMENT: usize = 7;

/// [`Kernel`] in space.
///
/// Between balls all arms are along the normal, arm = a n, and all moments of inertia are the same.
/// With n × t₁ = t₂ and n × t₂ = −t₁, the spins then enter by a(t₂·ω, −t₁·ω), and an impulse p turns
/// by a(t₂ p₁ − t₁ p₂): half of the work, and a third of the numbers. A sweep is bound by how fast it gets
/// them, so t₂ is computed, and masses and moments stand in the movers' slots.
#[derive(Clone, Copy, Debug, Default)]
pub struct VolumeKernel {
    normal: Vector,
    tangent: Vector,
    offset: Vector,
    /// a of each side.
    lever: [Lanes; 2],
    friction: Lanes,
    /// 1/h.
    inverse_direct: Lanes,
    /// S⁻¹: xx.
    inverse_schur: Lanes,
}

/// What contacts need besides that are not between balls.
#[derive(Clone, Copy, Debug, Default)]
pub struct VolumeExtra {
    arms: [Vector; 2],
    /// S⁻¹: yy, xy.
    inverse_schur: [Lanes; 2],
    /// k.
    coupling: [Lanes; 2],
    /// A bit for each lane that is not between balls. Where there is none, nothing else here is of use.
    angular: u8,
    /// A bit for each lane in which slip has no closed form.
    uneven: u8,
}

/// How movers on the two sides are turned: inverse inertias, diagonal, then yz, xz, xy.
pub type VolumeSides = [[Lanes; 6]; 2];

/// What rounding may leave of zero, as a share.
const NOTHING: f64 = 1e-13;

/// a and the inverse moment of inertia where the mover is a ball, as far as this contact sees it.
#[inline(always)]
fn as_ball(mover: &Mover<Volume>, arm: DVec3, normal: DVec3) -> Option<(f64, f64)> {
    let inertia = &mover.inverse_inertia;
    let (lever, moment) = (arm.dot(normal), inertia.diagonal.x);
    let uneven = (inertia.diagonal - moment).abs().max(inertia.off.abs()).max_element();
    let along = (arm - normal * lever).length_squared() <= math::square(NOTHING * lever);
    (along && uneven <= NOTHING * moment).then_some((lever, moment))
}

/// Mover and arm on the two sides of a contact; the ground does not answer.
#[inline]
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

/// Velocity at the end of an arm.
#[inline(always)]
fn velocity_at(arm: &Vector, motion: &Motion) -> Vector {
    let swept = cross(&motion[3..6], arm);
    [motion[0] + swept[0], motion[1] + swept[1], motion[2] + swept[2]]
}

/// Change of spin by an impulse at the end of an arm.
#[inline(always)]
fn turn(arm: &Vector, inverse_inertia: &[Lanes; 6], p: &Vector) -> Vector {
    let [x, y, z] = cross(arm, p);
    let [xx, yy, zz, yz, xz, xy] = *inverse_inertia;
    [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
}

impl VolumeExtra {
    fn put(&mut self, lane: usize, contact: &Contact<Volume>) {
        let (block, map) = (&contact.block, &contact.map);
        if !block.is_round() && block.friction > 0.0 {
            self.uneven |= 1 << lane;
        }
        let [_, yy, xy] = block.inverse_schur();
        write(&mut self.inverse_schur, lane, [yy, xy]);
        write(&mut self.coupling, lane, block.coupling.to_array());
        let second = if map.second == GROUND { DVec3::ZERO } else { map.arm_second };
        for (arms, arm) in self.arms.iter_mut().zip([map.arm_first, second]) {
            write(arms, lane, arm.to_array());
        }
    }
}

impl VolumeKernel {
    /// Writes what balls need into a lane; false if it is not between balls.
    fn put(&mut self, lane: usize, contact: &Contact<Volume>, movers: &[Mover<Volume>]) -> bool {
        let (map, block) = (&contact.map, &contact.block);
        let (normal, (s, t)) = (map.frame.normal(), map.frame.tangents());
        let mut ball =
            block.is_round() && (normal.cross(s) - t).length_squared() <= NOTHING * NOTHING;
        for (side, (mover, arm)) in sides(map, movers).into_iter().enumerate() {
            let lever = as_ball(&mover, arm, normal).map(|(lever, _)| lever);
            ball &= lever.is_some();
            self.lever[side].as_mut_array()[lane] = lever.unwrap_or(0.0);
        }
        write(&mut self.normal, lane, normal.to_array());
        write(&mut self.tangent, lane, s.to_array());
        let offset = contact.offset;
        write(&mut self.offset, lane, [offset.n, offset.t.x, offset.t.y]);
        self.inverse_schur.as_mut_array()[lane] = block.inverse_schur()[0];
        self.inverse_direct.as_mut_array()[lane] = 1.0 / block.normal;
        self.friction.as_mut_array()[lane] = block.friction;
        ball
    }

    /// The second tangent: the tangents of a frame are a right-handed pair about its normal.
    #[inline(always)]
    fn binormal(&self) -> Vector {
        cross(&self.normal, &self.tangent)
    }

    /// [`Kernel::velocity`] between balls.
    #[inline(always)]
    fn velocity_of_balls(&self, first: &Motion, second: &Motion) -> Vector {
        let relative = [first[0] - second[0], first[1] - second[1], first[2] - second[2]];
        let [one, two] = self.lever;
        let spin = |i: usize| one * first[i] - two * second[i];
        let spin = [spin(3), spin(4), spin(5)];
        let (n, s, t) = (&self.normal, &self.tangent, &self.binormal());
        [
            self.offset[0] + dot(n, &relative),
            self.offset[1] + (dot(s, &relative) + dot(t, &spin)),
            self.offset[2] + (dot(t, &relative) - dot(s, &spin)),
        ]
    }

    /// [`Kernel::respond`] between balls.
    #[inline(always)]
    fn respond_of_balls(&self, p: &Vector, first: &mut Motion, second: &mut Motion) {
        let (n, s, t) = (&self.normal, &self.tangent, &self.binormal());
        let [one, two] = [self.lever[0] * first[MOMENT], self.lever[1] * second[MOMENT]];
        for i in 0..3 {
            let world = n[i] * p[0] + s[i] * p[1] + t[i] * p[2];
            let turned = t[i] * p[1] - s[i] * p[2];
            first[i] += world * first[MASS];
            second[i] -= world * second[MASS];
            first[3 + i] += one * turned;
            second[3 + i] -= two * turned;
        }
    }

    /// [`Kernel::solve`] between balls.
    #[inline(always)]
    fn solve_balls(&self, u: &Vector, p: &Vector) -> Vector {
        let m = p[0] - self.inverse_direct * u[0];
        let inverse = self.inverse_schur;
        let (mut x, mut y) = (p[1] - inverse * u[1], p[2] - inverse * u[2]);
        let zero = Lanes::ZERO;
        let limit = larger(self.friction * m, zero);
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
    const MANIFOLDS: bool = true;
    type Slot = [Lanes; 2];
    type Motion = Motion;
    type Local = [Lanes; 3];
    type Percussions = ();
    type Extra = VolumeExtra;
    type Sides = VolumeSides;

    fn fill(
        &mut self,
        extra: Option<&mut VolumeExtra>,
        contacts: &[&Contact<Volume>],
        movers: &[Mover<Volume>],
    ) -> bool {
        let mut angular = 0;
        for (lane, contact) in contacts.iter().enumerate() {
            angular |= u8::from(!self.put(lane, contact, movers)) << lane;
        }
        match extra {
            Some(extra) if angular != 0 => {
                *extra = VolumeExtra { angular, ..VolumeExtra::default() };
                for (lane, contact) in contacts.iter().enumerate() {
                    extra.put(lane, contact);
                }
            }
            Some(extra) => extra.angular = 0,
            None => {}
        }
        angular != 0
    }

    fn fill_sides(sides: &mut VolumeSides, pairs: &[(u32, u32)], movers: &[Mover<Volume>]) {
        for (lane, &(first, second)) in pairs.iter().enumerate() {
            for (side, mover) in sides.iter_mut().zip([first, second]) {
                let Some(mover) = movers.get(mover as usize) else { continue };
                let inertia = &mover.inverse_inertia;
                let [xx, yy, zz] = inertia.diagonal.to_array();
                let [yz, xz, xy] = inertia.off.to_array();
                write(side, lane, [xx, yy, zz, yz, xz, xy]);
            }
        }
    }

    #[inline(always)]
    fn round_block(
        map: &ContactMap<Volume>,
        movers: &[Mover<Volume>],
        scale: f64,
        friction: f64,
    ) -> Option<VolumeBlock> {
        let (normal, first) = (map.frame.normal(), &movers[map.first as usize]);
        let (lever, moment) = as_ball(first, map.arm_first, normal)?;
        let mut direct = first.inverse_mass;
        let mut tangential = first.inverse_mass + lever * lever * moment;
        if map.second != GROUND {
            let second = &movers[map.second as usize];
            let (lever, moment) = as_ball(second, map.arm_second, normal)?;
            direct += second.inverse_mass;
            tangential += second.inverse_mass + lever * lever * moment;
        }
        Some(VolumeBlock::round(scale * direct, scale * tangential, friction))
    }

    #[inline(always)]
    fn friction(&self) -> Lanes {
        self.friction
    }
    fn slot(twist: &Twist<Volume>, mover: &Mover<Volume>) -> [Lanes; 2] {
        let (v, w) = (twist.velocity, twist.spin);
        let moment = mover.inverse_inertia.diagonal.x;
        [Lanes::new([v.x, v.y, v.z, w.x]), Lanes::new([w.y, w.z, mover.inverse_mass, moment])]
    }
    #[inline(always)]
    fn set_twist(slot: &mut [Lanes; 2], twist: &Twist<Volume>) {
        let ([.., mass, moment], v, w) = (slot[1].to_array(), twist.velocity, twist.spin);
        *slot = [Lanes::new([v.x, v.y, v.z, w.x]), Lanes::new([w.y, w.z, mass, moment])];
    }
    #[inline(always)]
    fn twist(slot: &[Lanes; 2]) -> Twist<Volume> {
        let ([x, y, z, wx], [wy, wz, ..]) = (slot[0].to_array(), slot[1].to_array());
        Twist { velocity: DVec3::new(x, y, z), spin: DVec3::new(wx, wy, wz) }
    }
    #[inline(always)]
    fn gather(slots: [[Lanes; 2]; WIDTH]) -> Motion {
        let [x, y, z, wx] = transpose(each(|i| slots[i][0]));
        let [wy, wz, mass, moment] = transpose(each(|i| slots[i][1]));
        [x, y, z, wx, wy, wz, mass, moment]
    }
    #[inline(always)]
    fn scatter([x, y, z, wx, wy, wz, mass, moment]: Motion) -> [[Lanes; 2]; WIDTH] {
        let low = transpose([x, y, z, wx]);
        let high = transpose([wy, wz, mass, moment]);
        each(|i| [low[i], high[i]])
    }

    #[inline(always)]
    fn velocity(&self, extra: Option<&VolumeExtra>, first: &Motion, second: &Motion) -> Vector {
        let Some(extra) = extra.filter(|extra| extra.angular != 0) else {
            return self.velocity_of_balls(first, second);
        };
        let [one, two] = &extra.arms;
        let (one, two) = (velocity_at(one, first), velocity_at(two, second));
        let relative = [one[0] - two[0], one[1] - two[1], one[2] - two[2]];
        [
            self.offset[0] + dot(&self.normal, &relative),
            self.offset[1] + dot(&self.tangent, &relative),
            self.offset[2] + dot(&self.binormal(), &relative),
        ]
    }

    #[inline(always)]
    fn respond(
        &self,
        extra: Option<(&VolumeExtra, &VolumeSides)>,
        p: &Vector,
        first: &mut Motion,
        second: &mut Motion,
    ) {
        let Some((extra, sides)) = extra.filter(|(extra, _)| extra.angular != 0) else {
            return self.respond_of_balls(p, first, second);
        };
        let (n, s, t) = (&self.normal, &self.tangent, &self.binormal());
        let world = |i: usize| n[i] * p[0] + s[i] * p[1] + t[i] * p[2];
        let world = [world(0), world(1), world(2)];
        let ([one, two], [first_side, second_side]) = (&extra.arms, sides);
        let (one, two) = (turn(one, first_side, &world), turn(two, second_side, &world));
        for i in 0..3 {
            first[i] += world[i] * first[MASS];
            second[i] -= world[i] * second[MASS];
            first[3 + i] += one[i];
            second[3 + i] -= two[i];
        }
    }

    fn solve_open(&self, extra: &VolumeExtra, lane: usize, u: Local3, p: Local3) -> Local3 {
        let number = |lanes: &Lanes| lanes.as_array()[lane];
        let [kx, ky] = extra.coupling.each_ref().map(number);
        let [yy, xy] = extra.inverse_schur.each_ref().map(number);
        let xx = number(&self.inverse_schur);
        // S, from its inverse.
        let scale = 1.0 / (xx * yy - xy * xy);
        let (schur, off) = (DVec2::new(yy * scale, xx * scale), -xy * scale);
        let normal = 1.0 / number(&self.inverse_direct);
        let coupling = DVec2::new(kx, ky);
        let block = VolumeBlock::from_parts(normal, coupling, schur, off, number(&self.friction));
        let (m, b) = block.reduce(u, p);
        block.coulomb(m, b)
    }

    /// As `VolumeBlock::coulomb`: apart, stick, or slip, which has a closed form where S is round
    /// and where there is no friction.
    #[inline(always)]
    fn solve(&self, extra: Option<&VolumeExtra>, u: &Vector, p: &Vector) -> (Vector, u8) {
        let Some(extra) = extra.filter(|extra| extra.angular != 0) else {
            return (self.solve_balls(u, p), 0);
        };
        let ([kx, ky], xx, [yy, xy]) = (extra.coupling, self.inverse_schur, extra.inverse_schur);
        let m = p[0] + (kx * p[1] + ky * p[2]) - self.inverse_direct * u[0];
        let (bx, by) = (u[1] - kx * u[0], u[2] - ky * u[0]);
        let stick_x = p[1] - (xx * bx + xy * by);
        let stick_y = p[2] - (xy * bx + yy * by);
        let limit = self.friction * (m - (kx * stick_x + ky * stick_y));
        let limit = larger(limit, Lanes::ZERO);
        let square = stick_x * stick_x + stick_y * stick_y;
        let apart = m.simd_le(Lanes::ZERO);
        let settled = apart | square.simd_le(limit * limit);
        let slips = !settled.to_bitmask() as u8 & 0b1111;
        let (mut x, mut y) = (stick_x, stick_y);
        if slips != 0 {
            let scale = settled.select(Lanes::ONE, limit / square.sqrt());
            (x, y) = (x * scale, y * scale);
        }
        let mut n = m - (kx * x + ky * y);
        let mut open = slips & extra.uneven;
        if open != 0 {
            let slip = Slip {
                m,
                stick: [stick_x, stick_y],
                coupling: extra.coupling,
                inverse_schur: [xx, yy, xy],
                friction: self.friction,
            };
            let ([slip_n, slip_x, slip_y], settled) = slip.solve([bx, by], [p[1], p[2]], open);
            (n, x, y) = (
                choose(settled, slip_n, n),
                choose(settled, slip_x, x),
                choose(settled, slip_y, y),
            );
            open &= !settled;
        }
        let zero = Lanes::ZERO;
        let next = [apart.select(zero, n), apart.select(zero, x), apart.select(zero, y)];
        (next, open)
    }
}

/// Slip of four contacts, where m > 0 and stick is outside of the cone: the multiplier λ of `local/bracketed.rs` by
/// Newton's steps alone. Lanes in which these do not settle are left to the bracketed ones.
///
/// With R = S⁻¹, s what sticks, a = adj(R) s, D = 1 + λ tr R + λ² det R and v = s + λ a, slip of multiplier λ is
/// p_t = v/D and p_n = N/D with N = m D − k·v. The root of μN/|v| − 1 is sought, which is nearly straight in λ.
struct Slip {
    m: Lanes,
    stick: [Lanes; 2],
    /// k.
    coupling: [Lanes; 2],
    /// R: xx, yy, xy.
    inverse_schur: [Lanes; 3],
    /// μ.
    friction: Lanes,
}

impl Slip {
    /// The error of μ p_n/|p_t| at which a lane has settled, as in `local/bracketed.rs`, and the most steps.
    const ENOUGH: f64 = 1e-13;
    const MOST: usize = 8;

    /// Solves the lanes marked in `wanted`; returns those that have settled. `velocity` is U_t − k U_n, `present` the
    /// tangential impulse that belongs to it.
    #[inline(never)]
    fn solve(&self, velocity: [Lanes; 2], present: [Lanes; 2], wanted: u8) -> (Vector, u8) {
        let dot = |a: &[Lanes; 2], b: &[Lanes; 2]| a[0] * b[0] + a[1] * b[1];
        let (zero, two) = (Lanes::ZERO, Lanes::splat(2.0));
        let ([xx, yy, xy], s, mu) = (self.inverse_schur, self.stick, self.friction);
        let a = [yy * s[0] - xy * s[1], xx * s[1] - xy * s[0]];
        let (trace, determinant) = (xx + yy, xx * yy - xy * xy);
        // The multiplier of the present impulse, if it has one; that of a round S otherwise.
        let present_multiplier = -dot(&present, &velocity) / dot(&present, &present);
        let round = (dot(&s, &s).sqrt() / (mu * self.m) - Lanes::ONE) * two / trace;
        let known =
            present_multiplier.simd_gt(zero) & present_multiplier.simd_lt(Lanes::splat(f64::MAX));
        let mut multiplier = larger(known.select(present_multiplier, round), zero);
        let mut steps = 0;
        loop {
            let v = [s[0] + multiplier * a[0], s[1] + multiplier * a[1]];
            let square = dot(&v, &v);
            let length = square.sqrt();
            let scale = Lanes::ONE + multiplier * (trace + multiplier * determinant);
            let normal = self.m * scale - dot(&self.coupling, &v);
            let excess = mu * normal - length;
            let enough = excess.abs().simd_le(Lanes::splat(Self::ENOUGH) * length);
            let settled = (enough & normal.simd_gt(zero)).to_bitmask() as u8 & wanted;
            if settled == wanted || steps == Self::MOST {
                return (Self::on_the_edge(normal / scale, &v, mu, length), settled);
            }
            let normal_rate =
                self.m * (trace + two * multiplier * determinant) - dot(&self.coupling, &a);
            let rate = mu * (normal_rate - normal * dot(&v, &a) / square);
            multiplier = larger(multiplier - excess / rate, zero);
            steps += 1;
        }
    }

    /// The impulse along v on the edge of the cone, to the last bit.
    #[inline(always)]
    fn on_the_edge(normal: Lanes, v: &[Lanes; 2], friction: Lanes, length: Lanes) -> Vector {
        let share = friction * normal / length;
        [normal, v[0] * share, v[1] * share]
    }
}
