//! Momentum: before each sweep, impulses and velocities are carried on along their last change.
//!
//! Gauss–Seidel alone is slow on smooth errors, such as the weight of a heavy body on a stack of
//! light ones: each sweep corrects a small part of them, always in the same direction. Carrying on
//! by β of the last change (Polyak 1964) adds these parts up, as if 1/(1−β) sweeps were made at
//! once. It changes nothing in what is solved: each sweep ends inside the cones, and the residual
//! judges as before. Moreau (2003, §7.2) welcomes such means as long as convergence is checked.
//!
//! How strong it may be depends on the problem: friction has no energy that must fall, so that a
//! β near 1 can keep errors alive. So β is adapted at the looks at the residual: 1−β is doubled
//! when the residual has grown, and halved when it falls too slowly. Where it keeps growing there is
//! no good β, and the rest is left to plain sweeps.

use crate::Blocks;
use crate::quad::{Lanes, LocalOf, SlotOf};

/// β to begin with. A fixed β of 0.9 makes quaking masonry converge in a fifth of the sweeps and
/// settled spheres in a sixth; at 0.95 both fail in places.
const START: f64 = 0.9;
/// Largest β.
const STRONGEST: f64 = 0.999;
/// A residual that falls by less than this factor between two looks falls too slowly.
const SLOW: f64 = 0.5;

/// A residual that has grown at so many looks ends the momentum.
const SETBACKS: usize = 5;

/// The last sweep's result, and how strongly the next one is carried on from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Momentum<S: Blocks> {
    limit: f64,
    /// Sweeps since the start, or since the residual has grown.
    age: usize,
    /// How often the residual has grown.
    setbacks: usize,
    /// The impulses that the last sweep began with, before they were carried on.
    pub impulses: Vec<LocalOf<S>>,
    /// The same for couples.
    couples: Vec<S::Local>,
    /// The same for velocities.
    slots: Vec<SlotOf<S>>,
}

impl<S: Blocks> Momentum<S> {
    /// Begins a solve, with momentum or with plain sweeps only.
    pub fn begin(
        &mut self,
        impulses: &[LocalOf<S>],
        couples: &[S::Local],
        slots: &[SlotOf<S>],
        wanted: bool,
    ) {
        self.limit = START;
        self.age = 0;
        self.setbacks = if wanted { 0 } else { SETBACKS };
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        self.couples.clear();
        self.couples.extend_from_slice(couples);
        self.slots.clear();
        self.slots.extend_from_slice(slots);
    }

    /// Adapts to the factor by which the residual has changed since the last look.
    pub fn adapt(&mut self, factor: f64) {
        if factor > 1.0 {
            self.limit = (2.0 * self.limit - 1.0).max(0.0);
            self.age = 0;
            self.setbacks += 1;
        } else if factor > SLOW {
            self.limit = (0.5 * self.limit + 0.5).min(STRONGEST);
        }
    }

    /// β of the next sweep: it grows from 0 as in Nesterov's method, so that the first sweeps can
    /// settle what changes.
    pub fn strength(&mut self) -> f64 {
        self.age += 1;
        let age = self.age as f64;
        let limit = if self.setbacks < SETBACKS { self.limit } else { 0.0 };
        ((age - 2.0) / (age + 1.0)).clamp(0.0, limit)
    }

    /// Carries couples and velocities on by β, and remembers what they were. The sweep does the
    /// same to the impulses of each quad as it comes to it.
    pub fn carry_on(&mut self, couples: &mut [S::Local], slots: &mut [SlotOf<S>], beta: f64) {
        for (last, now) in self.couples.iter_mut().zip(couples) {
            let next = *now + (*now - *last) * beta;
            (*last, *now) = (*now, next);
        }
        let beta = Lanes::splat(beta);
        let pairs = self.slots.iter_mut().zip(slots);
        pairs.for_each(|(last, now)| carry_on(last, now, beta));
    }
}

/// Carries `now` on by β of its change since `last`, which becomes what `now` was.
#[inline(always)]
pub(crate) fn carry_on<A: AsMut<[Lanes]>>(last: &mut A, now: &mut A, beta: Lanes) {
    for (last, now) in last.as_mut().iter_mut().zip(now.as_mut()) {
        let next = *now + (*now - *last) * beta;
        (*last, *now) = (*now, next);
    }
}
