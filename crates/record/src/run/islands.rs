//! What lasting contacts take by the error of the step on curved paths, island by island.
//!
//! An island is all that has pressed on each other at any time of the run; boundaries join nothing. So what a spinning
//! top loses is held against its own energy, whatever else moves in the scene.

use super::Recorded;
use drystone_engine::{BodySample, ContactLoss, Owner, Sample, World};
use drystone_space::Vector;
use serde::{Deserialize, Serialize};

/// Lasting contacts that took more than this share of an island's largest translational energy, and of all that its
/// contacts took, led along curved paths for which the time step is too long.
const TAKEN: f64 = 0.05;
/// What is less than this share of the work of lifting an island's bodies by their widths comes of the solver's errors.
const SLIGHT: f64 = 1e-6;

/// All islands, each kept under its first body; they go into checkpoints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Islands {
    /// A body of the same island that is nearer to its first; firsts point at themselves.
    toward: Vec<u32>,
    /// What lasting contacts have taken by curves, and all contacts in all.
    by_curves: Vec<f64>,
    lost: Vec<f64>,
    /// The work of lifting every body by its width.
    lift: Vec<f64>,
    /// The largest translational energy so far, and that of this step.
    motion: Vec<f64>,
    #[serde(skip)]
    now: Vec<f64>,
}

/// An island of which lasting contacts took too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Led {
    /// Its first body.
    pub body: u32,
    /// The share of its largest translational energy.
    pub share: f64,
}

impl Islands {
    /// Adds what contacts took in the last step, as what they took in so many.
    pub fn sample<S: Recorded>(&mut self, world: &World<S>, steps: f64) {
        let gravity = world.setup().gravity.norm();
        match world.gathered_sample() {
            Some(Sample { bodies, losses }) => {
                let (bodies, losses) = (bodies.iter().copied(), losses.iter().copied());
                self.sample_all(bodies, losses, gravity, steps);
            }
            None => {
                self.sample_all(world.body_samples(), world.contact_losses(), gravity, steps);
            }
        }
    }

    fn sample_all(
        &mut self,
        bodies: impl ExactSizeIterator<Item = BodySample> + Clone,
        losses: impl Iterator<Item = ContactLoss>,
        gravity: f64,
        steps: f64,
    ) {
        let known = self.toward.len();
        self.make_room(bodies.len());
        for (index, body) in bodies.clone().enumerate().skip(known) {
            self.lift[index] = body.mass * gravity * body.width;
        }
        for loss in losses {
            self.add(&loss, steps);
        }
        for (index, body) in bodies.enumerate() {
            let first = self.first(index as u32);
            self.toward[index] = first as u32;
            self.now[first] += body.energy;
        }
        for (most, now) in self.motion.iter_mut().zip(&mut self.now) {
            *most = most.max(std::mem::take(now));
        }
    }

    /// The islands of which lasting contacts took too much.
    pub fn led_along_curves(&self) -> impl Iterator<Item = Led> {
        (0..self.toward.len()).filter_map(|body| {
            let (taken, motion) = (self.by_curves[body], self.motion[body]);
            let much = (TAKEN * motion.max(self.lost[body])).max(SLIGHT * self.lift[body]);
            (taken > much).then_some(Led { body: body as u32, share: taken / motion })
        })
    }

    /// Bodies that are new are alone.
    fn make_room(&mut self, bodies: usize) {
        self.toward.extend(self.toward.len() as u32..bodies as u32);
        let Self { by_curves, lost, lift, motion, now, .. } = self;
        for sums in [by_curves, lost, lift, motion, now] {
            sums.resize(bodies, 0.0);
        }
    }

    fn add(&mut self, loss: &ContactLoss, steps: f64) {
        let Owner::Body(body) = loss.sides.0 else { return };
        let mut first = self.first(body);
        if let Owner::Body(other) = loss.sides.1 {
            first = self.join(first, self.first(other));
        }
        self.by_curves[first] += steps * loss.by_curves;
        self.lost[first] += steps * loss.lost;
    }

    /// The first body of an island.
    fn first(&self, body: u32) -> usize {
        let mut first = body as usize;
        while self.toward[first] as usize != first {
            first = self.toward[first] as usize;
        }
        first
    }

    /// Makes two islands one, under the first body of both, with what was taken from both.
    fn join(&mut self, one: usize, other: usize) -> usize {
        let (first, joined) = (one.min(other), one.max(other));
        if first != joined {
            self.toward[joined] = first as u32;
            let Self { by_curves, lost, lift, motion, .. } = self;
            for sums in [by_curves, lost, lift, motion] {
                sums[first] += std::mem::take(&mut sums[joined]);
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(one: u32, other: Owner, lost: f64, by_curves: f64) -> ContactLoss {
        ContactLoss { shapes: (0, 0), sides: (Owner::Body(one), other), lost, by_curves }
    }

    #[test]
    fn what_never_touches_is_judged_apart() {
        let mut islands = Islands::default();
        islands.make_room(4);
        islands.motion = vec![1.0, 1000.0, 2.0, 3.0];
        let ground = Owner::Boundary(0);
        islands.add(&loss(0, ground, 0.1, 0.1), 1.0);
        islands.add(&loss(1, ground, 0.1, 0.1), 1.0);
        islands.add(&loss(3, Owner::Body(2), 0.2, 0.2), 1.0);
        let led: Vec<Led> = islands.led_along_curves().collect();
        assert_eq!(led, [Led { body: 0, share: 0.1 }]);
        assert_eq!(islands.motion, [1.0, 1000.0, 5.0, 0.0]);
        // What an island's contacts took in other ways covers it.
        islands.add(&loss(0, ground, 10.0, 0.0), 1.0);
        assert_eq!(islands.led_along_curves().count(), 0);
        // Islands that touch are one.
        islands.add(&loss(3, Owner::Body(0), 0.0, 0.5), 1.0);
        assert_eq!([0, 1, 2, 3].map(|body| islands.first(body)), [0, 1, 0, 0]);
        islands.add(&loss(2, ground, 0.0, 1.0), 1.0);
        let shares: Vec<f64> = islands.led_along_curves().map(|led| led.share).collect();
        assert!(shares.len() == 1 && (shares[0] - 1.8 / 6.0).abs() < 1e-12, "{shares:?}");
    }
}
