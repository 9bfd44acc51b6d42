//! Momentum: before each sweep, impulses and velocities are carried on along their last change.
//!
//! Gauss–Seidel alone is slow on smooth errors, such as the weight of a heavy body on a stack of
//! light ones: each sweep corrects a small part of them, always in the same direction. Carrying on
//! by β of the last change (Polyak 1964) adds these parts up, as if 1/(1−β) sweeps were made at
//! once. It changes nothing in what is solved: each sweep ends inside the cones, and the residual
//! judges as before. Moreau (2003, §7.2) welcomes such means as long as convergence is checked.
//!
//! How strong it may be depends on the problem: friction has no energy that must fall, so that a
//! β near 1 can keep errors alive or feed them. So β is adapted at the looks at the residual: 1−β is
//! doubled when the residual has grown, and halved when it falls too slowly. Where that leads nowhere,
//! the solve begins again with a moderate β, and at last with none: what a strong momentum has made of
//! the impulses can keep later sweeps in circles, whatever their own momentum is.
//!
//! Sweeps over rows of W also see when they turn against the way made so far; β then grows anew (O'Donoghue & Candès
//! 2015). On movers, whose colours threads share, nobody adds that up.

use crate::lanes::{Kernel, LocalOf, SlotOf};
use crate::{Blocks, Twist};
use drystone_space::clear_for;
use std::ops::{Add, Mul, Sub};

/// β to begin with. A fixed β of 0.9 makes quaking masonry converge in a fifth of the sweeps and
/// settled spheres in a sixth; at 0.95 both fail in places.
const START: f64 = 0.9;
/// The same where sweeps see when they turn back: they can dare more.
const START_WATCHED: f64 = 0.97;
/// Largest β.
const STRONGEST: f64 = 0.999;
/// A residual that falls by less than this factor between two looks falls too slowly.
const SLOW: f64 = 0.5;
/// β of the second attempt. In 5,000 settled spheres it leads to rounding error where 0.7 diverges.
const MODERATE: f64 = 0.5;
/// A residual that has grown at so many looks ends the first attempt.
const SETBACKS: usize = 8;
/// So many looks without progress end the first attempt; a moderate momentum moves more slowly and
/// passes through longer rests on its way.
const PATIENCE: [usize; 2] = [20, 60];
/// A residual below this share of the best is progress.
const PROGRESS: f64 = 0.8;
/// A residual of so many times the best ends an attempt.
const LOST: f64 = 1000.0;

/// What to do after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// Sweep on.
    GoOn,
    /// Go back to the impulses that the solve began with.
    BeginAgain,
}

/// How strong a momentum is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Attempt {
    #[default]
    Adaptive,
    Moderate,
    Plain,
}

/// What the last sweep on movers began with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Last<S: Blocks> {
    /// The impulses that the last sweep began with, before they were carried on.
    pub impulses: Vec<LocalOf<S>>,
    /// The same for couples.
    pub couples: Vec<S::Local>,
    /// The same for velocities.
    pub twists: Vec<Twist<S>>,
}

impl<S: Blocks> Last<S> {
    /// Learns of what the next sweep begins with.
    pub fn remember(&mut self, impulses: &[LocalOf<S>], couples: &[S::Local], slots: &[SlotOf<S>]) {
        clear_for(&mut self.impulses, impulses.len());
        self.impulses.extend_from_slice(impulses);
        self.couples.clear();
        self.couples.extend_from_slice(couples);
        clear_for(&mut self.twists, slots.len());
        self.twists.extend(slots.iter().map(S::Kernel::twist));
    }
}

/// β, as it is adapted in the course of a solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strength {
    /// Bound on β to begin with, and now.
    start: f64,
    limit: f64,
    /// Sweeps since the start, or since the residual has grown.
    age: usize,
    /// How often the residual has grown.
    setbacks: usize,
    attempt: Attempt,
    /// Best residual of the attempt, and the looks since then.
    best: f64,
    stale: usize,
}

impl Strength {
    /// That of a solve with momentum, or with plain sweeps only.
    pub fn new(wanted: bool) -> Self {
        Self::from(START, wanted)
    }

    /// The same for sweeps that [restart](Self::restart) it when they turn back.
    pub fn watched(wanted: bool) -> Self {
        Self::from(START_WATCHED, wanted)
    }

    fn from(start: f64, wanted: bool) -> Self {
        let mut strength = Self { start, ..Self::default() };
        strength.try_with(if wanted { Attempt::Adaptive } else { Attempt::Plain });
        strength
    }

    /// Begins to grow anew.
    pub fn restart(&mut self) {
        self.age = 0;
    }

    fn try_with(&mut self, attempt: Attempt) {
        self.attempt = attempt;
        self.limit = match attempt {
            Attempt::Adaptive => self.start,
            Attempt::Moderate => MODERATE,
            Attempt::Plain => 0.0,
        };
        (self.age, self.setbacks, self.stale) = (0, 0, 0);
        self.best = f64::INFINITY;
    }

    /// Learns of the residual at a look, and of the factor by which it has changed since the last.
    pub fn adapt(&mut self, residual: f64, factor: f64) -> Advice {
        if self.attempt == Attempt::Plain {
            return Advice::GoOn;
        }
        self.stale += 1;
        if residual < PROGRESS * self.best {
            (self.best, self.stale) = (residual, 0);
        }
        let (stuck, next) = match self.attempt {
            // Without setbacks the momentum has done no harm: what is slow then is the problem.
            Attempt::Adaptive => {
                (self.stale >= PATIENCE[0] && self.setbacks > 1, Attempt::Moderate)
            }
            Attempt::Moderate | Attempt::Plain => (self.stale >= PATIENCE[1], Attempt::Plain),
        };
        let lost = residual.is_nan() || residual > LOST * self.best;
        if stuck || lost || self.setbacks == SETBACKS {
            self.try_with(next);
            return Advice::BeginAgain;
        }
        if self.attempt == Attempt::Adaptive {
            self.adapt_limit(factor);
        }
        Advice::GoOn
    }

    fn adapt_limit(&mut self, factor: f64) {
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
    pub fn next(&mut self) -> f64 {
        self.age += 1;
        let age = self.age as f64;
        ((age - 2.0) / (age + 1.0)).clamp(0.0, self.limit)
    }
}

/// Carries a mover on by β of its change since `last`, which becomes what it was.
#[inline(always)]
pub(crate) fn carry_mover_on<S: Blocks>(last: &mut Twist<S>, now: &mut SlotOf<S>, beta: f64) {
    let present = S::Kernel::twist(now);
    let before = std::mem::replace(last, present);
    let velocity = present.velocity + (present.velocity - before.velocity) * beta;
    let spin = present.spin + (present.spin - before.spin) * beta;
    S::Kernel::set_twist(now, &Twist { velocity, spin });
}

/// Carries parts of `now` on by β of their change since `last`, which becomes what `now` was.
#[inline(always)]
pub(crate) fn carry_on<T, B, A: AsMut<[T]>>(last: &mut A, now: &mut A, beta: B)
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<B, Output = T>,
    B: Copy,
{
    for (last, now) in last.as_mut().iter_mut().zip(now.as_mut()) {
        let next = *now + (*now - *last) * beta;
        (*last, *now) = (*now, next);
    }
}
