//! Rolling and spinning resistance: a couple M between two movers that opposes their relative spin
//! ω, bounded by the normal impulse (Moreau 1998, §4.5; Moreau 2003, §3.3).
//!
//! |M_t| ≤ ℓ_r P_n against rolling, |M_n| ≤ ℓ_s P_n against spinning about the normal; each opposes
//! its part of ω where it is at its bound, and stops it where it is below. ℓ_r and ℓ_s are lengths.
//! In the plane there is only rolling, and M is a number.
//!
//! ω and M are vectors in the frame of the contact: spinning is the normal part, rolling the
//! tangential one. W is the block of the couple: ω = ω_free + W M.

use crate::{Block, Blocks, ContactMap, GROUND, Mover, Turning};
use drystone_space::{Frame, InverseInertia, Local, Vector};

/// The lengths that bound a couple.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resistance {
    /// ℓ_r.
    pub rolling: f64,
    /// ℓ_s; has no meaning in the plane.
    pub spinning: f64,
}

/// The couple of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Couple<S: Blocks> {
    /// Whether the second mover's spin counts: not if it is [`GROUND`] or a mover that cannot turn.
    pub(crate) second_turns: bool,
    /// What is added to the relative spin: minus the spin of a driven boundary.
    pub(crate) offset: S::Local,
    /// Bounds.
    pub(crate) resistance: Resistance,
    /// A length that makes M/L and ωL comparable with impulses and velocities of the contact.
    pub(crate) lever: f64,
    /// W_tt, as a block without coupling of coefficient 1.
    roll: S::Block,
    /// W_nn.
    spin: f64,
    /// W_nt.
    mixed: S::Tangent,
}

impl<S: Blocks> Couple<S> {
    /// The couple of a contact between `map`'s movers; `trace` is that of the contact's own block.
    ///
    /// `None` if nothing can turn.
    pub fn new(
        map: &ContactMap<S>,
        movers: &[Mover<S>],
        turning: Turning<S>,
        resistance: Resistance,
        trace: f64,
        relaxation: f64,
    ) -> Option<Self> {
        let frame = &map.frame;
        let second_turns = turning.second_turns && map.second != GROUND;
        let column = |local: S::Local| {
            let couple = frame.spin_to_world(local);
            let mut spin = movers[map.first as usize].inverse_inertia.apply(couple);
            if second_turns {
                spin += movers[map.second as usize].inverse_inertia.apply(couple);
            }
            frame.spin_to_local(spin) * (1.0 / relaxation)
        };
        let normal = column(S::Local::axis(0));
        let rolling = S::DIMENSION - 1;
        let own_trace: f64 = (1..=rolling).map(|i| column(S::Local::axis(i)).get(i)).sum();
        if own_trace <= 0.0 {
            return None;
        }
        let mean = own_trace / rolling as f64;
        let rolling_column = |index: usize| match index {
            0 => S::Local::axis(0) * mean,
            _ => S::Local::new(0.0, column(S::Local::axis(index)).tangent()),
        };
        Some(Self {
            second_turns,
            offset: -frame.spin_to_local(turning.second_spin),
            resistance,
            lever: (trace / S::DIMENSION as f64 / mean).sqrt(),
            roll: S::Block::new(rolling_column, 1.0),
            spin: normal.normal(),
            mixed: normal.tangent(),
        })
    }

    /// Relative spin that the law sees, from the spin of each mover.
    pub fn relative_spin(&self, map: &ContactMap<S>, spin: impl Fn(u32) -> S::Spin) -> S::Local {
        let second = if self.second_turns { spin(map.second) } else { S::Spin::ZERO };
        self.seen(map, spin(map.first), second)
    }

    /// The same from the spins of the two movers.
    fn seen(&self, map: &ContactMap<S>, first: S::Spin, second: S::Spin) -> S::Local {
        let relative = if self.second_turns { first - second } else { first };
        self.offset + map.frame.spin_to_local(relative)
    }

    /// Gives the couple the value that its law asks for under `pressure`, and the two movers the
    /// spins that follow; returns the change of M/L.
    pub(crate) fn relax(
        &self,
        map: &ContactMap<S>,
        pressure: f64,
        couple: &mut S::Local,
        movers: &[Mover<S>],
        first: &mut S::Spin,
        second: &mut S::Spin,
    ) -> f64 {
        let next = self.solve(self.seen(map, *first, *second), *couple, pressure);
        let change = next - *couple;
        self.turn(map, change, movers, first, second);
        *couple = next;
        change.dot(change).sqrt() / self.lever
    }

    /// The couple that satisfies its law while all else is frozen and the bound is that of
    /// `normal`: rolling first, then spinning.
    pub(crate) fn solve(&self, spin: S::Local, couple: S::Local, normal: f64) -> S::Local {
        let Resistance { rolling, spinning } = self.resistance;
        let now = S::Local::new(0.0, couple.tangent());
        let (_, b) = self.roll.reduce(S::Local::new(0.0, spin.tangent()), now);
        let roll = match rolling * normal {
            bound if bound > 0.0 => self.roll.coulomb(bound, b).tangent(),
            _ => S::Tangent::ZERO,
        };
        let bound = (spinning * normal).max(0.0);
        if bound == 0.0 || self.spin <= 0.0 {
            return S::Local::new(0.0, roll);
        }
        let left = spin.normal() + self.mixed.dot(roll - couple.tangent());
        let stop = couple.normal() - left / self.spin;
        S::Local::new(stop.clamp(-bound, bound), roll)
    }

    /// Adds A⁻¹ of a couple to the spins of the two movers.
    pub(crate) fn turn(
        &self,
        map: &ContactMap<S>,
        couple: S::Local,
        movers: &[Mover<S>],
        first: &mut S::Spin,
        second: &mut S::Spin,
    ) {
        let world = map.frame.spin_to_world(couple);
        *first += movers[map.first as usize].inverse_inertia.apply(world);
        if self.second_turns {
            *second -= movers[map.second as usize].inverse_inertia.apply(world);
        }
    }

    /// ℓ_r|ω_t| + ℓ_s|ω_n|: what is dissipated for a unit of normal impulse.
    pub(crate) fn dissipation(&self, spin: S::Local) -> f64 {
        self.resistance.rolling * spin.tangent().norm()
            + self.resistance.spinning * spin.normal().abs()
    }

    /// The bounds as coefficients of M/L.
    pub(crate) fn coefficients(&self) -> [f64; 2] {
        [self.resistance.rolling / self.lever, self.resistance.spinning / self.lever]
    }
}
