//! Four contacts in space. Letters as in `block.rs`, whose `VolumeBlock::coulomb` is the scalar form of the solve;
//! tests in `mod.rs` hold lanes against it.

use super::{Kernel, Lanes, Register, WIDTH, Work, choose, each, write};
use crate::{Block, Contact, ContactMap, GROUND, Mover, Twist, VolumeBlock};
use drystone_space::{DVec2, DVec3, Frame, Local3, Volume, math};

type Vector<R> = [R; 3];

/// Velocity and spin of four movers, then what their slots have room for: the inverse mass, and the inverse
/// moment of inertia of a ball.
type Motion<R> = [R; 8];
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
    normal: Vector<Lanes>,
    tangent: Vector<Lanes>,
    offset: Vector<Lanes>,
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
    arms: [Vector<Lanes>; 2],
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
fn load<R: Register>([x, y, z]: &Vector<Lanes>) -> Vector<R> {
    [R::load(x), R::load(y), R::load(z)]
}

#[inline(always)]
fn cross<R: Register>(a: &[R], b: &[R]) -> Vector<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot<R: Register>(a: &Vector<R>, b: &Vector<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Velocity at the end of an arm.
#[inline(always)]
fn velocity_at<R: Register>(arm: &Vector<R>, motion: &Motion<R>) -> Vector<R> {
    let swept = cross(&motion[3..6], arm);
    [motion[0] + swept[0], motion[1] + swept[1], motion[2] + swept[2]]
}

/// Change of spin by an impulse at the end of an arm.
#[inline(always)]
fn turn<R: Register>(arm: &Vector<R>, inverse_inertia: &[Lanes; 6], p: &Vector<R>) -> Vector<R> {
    let [x, y, z] = cross(arm, p);
    let [xx, yy, zz, yz, xz, xy] = inverse_inertia;
    let ([xx, yy, zz], [yz, xz, xy]) =
        ([R::load(xx), R::load(yy), R::load(zz)], [R::load(yz), R::load(xz), R::load(xy)]);
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

    /// Normal and tangents. The tangents of a frame are a right-handed pair about its normal.
    #[inline(always)]
    fn axes<R: Register>(&self) -> [Vector<R>; 3] {
        let (normal, tangent) = (load(&self.normal), load(&self.tangent));
        [normal, tangent, cross(&normal, &tangent)]
    }

    #[inline(always)]
    fn lever<R: Register>(&self) -> [R; 2] {
        [R::load(&self.lever[0]), R::load(&self.lever[1])]
    }

    /// [`Kernel::velocity`] between balls.
    #[inline(always)]
    fn velocity_of_balls<R: Register>(&self, first: &Motion<R>, second: &Motion<R>) -> Vector<R> {
        let relative = [first[0] - second[0], first[1] - second[1], first[2] - second[2]];
        let [one, two] = self.lever::<R>();
        let spin = [
            one * first[3] - two * second[3],
            one * first[4] - two * second[4],
            one * first[5] - two * second[5],
        ];
        let ([n, s, t], offset) = (&self.axes(), load::<R>(&self.offset));
        [
            offset[0] + dot(n, &relative),
            offset[1] + (dot(s, &relative) + dot(t, &spin)),
            offset[2] + (dot(t, &relative) - dot(s, &spin)),
        ]
    }

    /// [`Kernel::respond`] between balls.
    #[inline(always)]
    fn respond_of_balls<R: Register>(
        &self,
        p: &Vector<R>,
        first: &mut Motion<R>,
        second: &mut Motion<R>,
    ) {
        let ([n, s, t], [one, two]) = (&self.axes::<R>(), self.lever::<R>());
        let [one, two] = [one * first[MOMENT], two * second[MOMENT]];
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
    fn solve_balls<R: Register>(&self, u: &Vector<R>, p: &Vector<R>) -> Vector<R> {
        let m = p[0] - R::load(&self.inverse_direct) * u[0];
        let inverse = R::load(&self.inverse_schur);
        let (mut x, mut y) = (p[1] - inverse * u[1], p[2] - inverse * u[2]);
        let zero = R::splat(0.0);
        let limit = (R::load(&self.friction) * m).larger(zero);
        let square = x * x + y * y;
        let apart = m.at_most(zero);
        let settled = apart | square.at_most(limit * limit);
        if settled.bits() != 0b1111 {
            let scale = settled.select(R::splat(1.0), limit / square.sqrt());
            (x, y) = (x * scale, y * scale);
        }
        [apart.select(zero, m), apart.select(zero, x), apart.select(zero, y)]
    }
}

impl Kernel<Volume> for VolumeKernel {
    const MANIFOLDS: bool = true;
    type Slot = [Lanes; 2];
    type Motion<R: Register> = Motion<R>;
    type Local<R: Register> = Vector<R>;
    type Percussions = ();
    type Extra = VolumeExtra;
    type Sides = VolumeSides;

    fn fill(
        &mut self,
        extra: Option<&mut VolumeExtra>,
        contacts: &[&Contact<Volume>],
        movers: &[Mover<Volume>],
        round: bool,
    ) -> bool {
        let mut angular = 0;
        for (lane, contact) in contacts.iter().enumerate() {
            let ball = self.put(lane, contact, movers) && round;
            angular |= u8::from(!ball) << lane;
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
    fn load<R: Register>(local: &Vector<Lanes>) -> Vector<R> {
        load(local)
    }
    #[inline(always)]
    fn store<R: Register>([n, s, t]: Vector<R>) -> Vector<Lanes> {
        [n.store(), s.store(), t.store()]
    }
    #[inline(always)]
    fn gather<R: Register>(slots: [&[Lanes; 2]; WIDTH]) -> Motion<R> {
        let [x, y, z, wx] = R::transpose(each(|i| R::load(&slots[i][0])));
        let [wy, wz, mass, moment] = R::transpose(each(|i| R::load(&slots[i][1])));
        [x, y, z, wx, wy, wz, mass, moment]
    }
    #[inline(always)]
    fn scatter<R: Register>([x, y, z, wx, wy, wz, mass, moment]: Motion<R>) -> [[Lanes; 2]; WIDTH] {
        let low = R::transpose([x, y, z, wx]);
        let high = R::transpose([wy, wz, mass, moment]);
        each(|i| [low[i].store(), high[i].store()])
    }

    fn offset(&mut self) -> &mut Self::Local<Lanes> {
        &mut self.offset
    }
    #[inline(always)]
    fn velocity<R: Register>(
        &self,
        extra: Option<&VolumeExtra>,
        first: &Motion<R>,
        second: &Motion<R>,
    ) -> Vector<R> {
        let Some(extra) = extra.filter(|extra| extra.angular != 0) else {
            return self.velocity_of_balls(first, second);
        };
        let [one, two] = &extra.arms;
        let (one, two) = (velocity_at(&load(one), first), velocity_at(&load(two), second));
        let relative = [one[0] - two[0], one[1] - two[1], one[2] - two[2]];
        let ([n, s, t], offset) = (&self.axes(), load::<R>(&self.offset));
        [
            offset[0] + dot(n, &relative),
            offset[1] + dot(s, &relative),
            offset[2] + dot(t, &relative),
        ]
    }

    #[inline(always)]
    fn respond<R: Register>(
        &self,
        extra: Option<(&VolumeExtra, &VolumeSides)>,
        p: &Vector<R>,
        first: &mut Motion<R>,
        second: &mut Motion<R>,
    ) {
        let Some((extra, sides)) = extra.filter(|(extra, _)| extra.angular != 0) else {
            return self.respond_of_balls(p, first, second);
        };
        let [n, s, t] = &self.axes::<R>();
        let world = [
            n[0] * p[0] + s[0] * p[1] + t[0] * p[2],
            n[1] * p[0] + s[1] * p[1] + t[1] * p[2],
            n[2] * p[0] + s[2] * p[1] + t[2] * p[2],
        ];
        let ([one, two], [first_side, second_side]) = (&extra.arms, sides);
        let one = turn(&load(one), first_side, &world);
        let two = turn(&load(two), second_side, &world);
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
    fn solve<R: Register>(
        &self,
        extra: Option<&VolumeExtra>,
        u: &Vector<R>,
        p: &Vector<R>,
    ) -> (Vector<R>, u8) {
        let Some(extra) = extra.filter(|extra| extra.angular != 0) else {
            return (self.solve_balls(u, p), 0);
        };
        let [kx, ky, xx] = load::<R>(&[extra.coupling[0], extra.coupling[1], self.inverse_schur]);
        let [yy, xy, friction] =
            load::<R>(&[extra.inverse_schur[0], extra.inverse_schur[1], self.friction]);
        let m = p[0] + (kx * p[1] + ky * p[2]) - R::load(&self.inverse_direct) * u[0];
        let (bx, by) = (u[1] - kx * u[0], u[2] - ky * u[0]);
        let stick_x = p[1] - (xx * bx + xy * by);
        let stick_y = p[2] - (xy * bx + yy * by);
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let limit = (friction * (m - (kx * stick_x + ky * stick_y))).larger(zero);
        let square = stick_x * stick_x + stick_y * stick_y;
        let apart = m.at_most(zero);
        let settled = apart | square.at_most(limit * limit);
        let slips = !settled.bits() & 0b1111;
        let (mut x, mut y) = (stick_x, stick_y);
        if slips != 0 {
            let scale = settled.select(one, limit / square.sqrt());
            (x, y) = (x * scale, y * scale);
        }
        let mut n = m - (kx * x + ky * y);
        let mut open = slips & extra.uneven;
        if open != 0 {
            let slip = Slip {
                m,
                stick: [stick_x, stick_y],
                coupling: [kx, ky],
                inverse_schur: [xx, yy, xy],
                friction,
                velocity: [bx, by],
                present: [p[1], p[2]],
                wanted: open,
            };
            // SAFETY: there are such registers, so the machine has them.
            let ([slip_n, slip_x, slip_y], settled) = unsafe { R::apart(slip) };
            (n, x, y) = (
                choose(settled, slip_n, n),
                choose(settled, slip_x, x),
                choose(settled, slip_y, y),
            );
            open &= !settled;
        }
        let next = [apart.select(zero, n), apart.select(zero, x), apart.select(zero, y)];
        (next, open)
    }
}

/// Slip of four contacts, where m > 0 and stick is outside of the cone: the multiplier λ of `local/bracketed.rs` by
/// Newton's steps alone. Lanes in which these do not settle are left to the bracketed ones.
///
/// With R = S⁻¹, s what sticks, a = adj(R) s, D = 1 + λ tr R + λ² det R and v = s + λ a, slip of multiplier λ is
/// p_t = v/D and p_n = N/D with N = m D − k·v. The root of μN/|v| − 1 is sought, which is nearly straight in λ.
struct Slip<R> {
    m: R,
    stick: [R; 2],
    /// k.
    coupling: [R; 2],
    /// R: xx, yy, xy.
    inverse_schur: [R; 3],
    /// μ.
    friction: R,
    /// U_t − k U_n.
    velocity: [R; 2],
    /// The tangential impulse that belongs to it.
    present: [R; 2],
    /// The lanes to be solved.
    wanted: u8,
}

/// The error of μ p_n/|p_t| at which a lane has settled, as in `local/bracketed.rs`, and the most steps.
const ENOUGH: f64 = 1e-13;
const MOST: usize = 8;

/// Solves the lanes that are wanted; returns those that have settled.
impl<R: Register> Work<R> for Slip<R> {
    type Output = (Vector<R>, u8);

    #[inline(always)]
    fn run(self) -> (Vector<R>, u8) {
        let (zero, one, two) = (R::splat(0.0), R::splat(1.0), R::splat(2.0));
        let ([xx, yy, xy], s, mu) = (self.inverse_schur, self.stick, self.friction);
        let a = [yy * s[0] - xy * s[1], xx * s[1] - xy * s[0]];
        let (trace, determinant) = (xx + yy, xx * yy - xy * xy);
        // The multiplier of the present impulse, if it has one; that of a round S otherwise.
        let present = &self.present;
        let present_multiplier = -flat_dot(present, &self.velocity) / flat_dot(present, present);
        let round = (flat_dot(&s, &s).sqrt() / (mu * self.m) - one) * two / trace;
        let known = zero.below(present_multiplier) & present_multiplier.below(R::splat(f64::MAX));
        let mut multiplier = known.select(present_multiplier, round).larger(zero);
        let mut steps = 0;
        loop {
            let v = [s[0] + multiplier * a[0], s[1] + multiplier * a[1]];
            let square = flat_dot(&v, &v);
            let length = square.sqrt();
            let scale = one + multiplier * (trace + multiplier * determinant);
            let normal = self.m * scale - flat_dot(&self.coupling, &v);
            let excess = mu * normal - length;
            let enough = excess.abs().at_most(R::splat(ENOUGH) * length);
            let done = enough & zero.below(normal);
            let settled = done.bits() & self.wanted;
            if settled == self.wanted || steps == MOST {
                // On the edge of the cone to the last bit.
                let normal = normal / scale;
                let share = mu * normal / length;
                return ([normal, v[0] * share, v[1] * share], settled);
            }
            let normal_rate =
                self.m * (trace + two * multiplier * determinant) - flat_dot(&self.coupling, &a);
            let rate = mu * (normal_rate - normal * flat_dot(&v, &a) / square);
            let next = (multiplier - excess / rate).larger(zero);
            // A lane that has settled stays as it is, however long others take.
            multiplier = done.select(multiplier, next);
            steps += 1;
        }
    }
}

#[inline(always)]
fn flat_dot<R: Register>(a: &[R; 2], b: &[R; 2]) -> R {
    a[0] * b[0] + a[1] * b[1]
}
