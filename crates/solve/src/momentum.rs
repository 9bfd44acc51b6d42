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

use crate::{Blocks, Twist};
use rayon::prelude::*;

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
    impulses: Vec<S::Local>,
    twists: Vec<Twist<S>>,
}

impl<S: Blocks> Momentum<S> {
    /// Begins a solve.
    pub fn begin(&mut self) {
        self.limit = START;
        self.age = 0;
        self.setbacks = 0;
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

    /// Carries impulses and velocities on, and remembers what they were.
    pub fn carry_on(&mut self, impulses: &mut [S::Local], twists: &mut [Twist<S>], chunk: usize) {
        self.age += 1;
        if self.age == 1 {
            self.impulses.clear();
            self.impulses.extend_from_slice(impulses);
            self.twists.clear();
            self.twists.extend_from_slice(twists);
            return;
        }
        // Grows from 0 as in Nesterov's method, so that the first sweeps can settle what changes.
        let age = self.age as f64;
        let limit = if self.setbacks < SETBACKS { self.limit } else { 0.0 };
        let beta = ((age - 2.0) / (age + 1.0)).min(limit);
        let carry_impulse = |(last, now): (&mut S::Local, &mut S::Local)| {
            let next = *now + (*now - *last) * beta;
            (*last, *now) = (*now, next);
        };
        let carry_twist = |(last, now): (&mut Twist<S>, &mut Twist<S>)| {
            let velocity = now.velocity + (now.velocity - last.velocity) * beta;
            let spin = now.spin + (now.spin - last.spin) * beta;
            (*last, *now) = (*now, Twist { velocity, spin });
        };
        if chunk < usize::MAX && impulses.len() > chunk {
            let pairs = self.impulses.par_iter_mut().zip(impulses).with_min_len(chunk);
            pairs.for_each(carry_impulse);
            let pairs = self.twists.par_iter_mut().zip(twists).with_min_len(chunk);
            pairs.for_each(carry_twist);
        } else {
            self.impulses.iter_mut().zip(impulses).for_each(carry_impulse);
            self.twists.iter_mut().zip(twists).for_each(carry_twist);
        }
    }
}
