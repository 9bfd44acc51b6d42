//! Limits: how far a hinge turns, how far a slider goes, how far a ball joint tilts, how long a rope is.
//!
//! Each bound of a coordinate s is a contact without friction on the mechanism, with the gap s − low or high − s: U + gap/h ≥ 0, as in the
//! gap form, so that a bound is met at a midpoint and neither passed nor missed. With restitution ρ, a bound that would be reached in the step
//! is an impact: ρ U⁻ + U⁺ ≥ 0. A ratchet is a lower bound that follows: after each step it is the last tooth that was passed.

use super::drive::{Booking, Freedom};
use super::effort::{Effort, EffortLaw, scaled};
use super::group::JointWork;
use super::hold::Given;
use super::{Joint, JointKind, Jointed};
use crate::workspace::RigidWork;
use crate::{Dimension, World};
use drystone_solve::JointRow;
use drystone_space::Pose;

/// Bounds of a joint's coordinate: the angle of a hinge from where it is at the start, the displacement of a slider or a cylindrical joint,
/// the angle between the axes of a ball joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    /// The least; may be −∞.
    pub low: f64,
    /// The largest; may be ∞.
    pub high: f64,
    /// Restitution of an impact on a bound.
    pub restitution: f64,
}

/// Teeth that let a coordinate go one way only: its bound follows it, from tooth to tooth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratchet {
    /// From tooth to tooth; 0 is a free wheel, which holds wherever it stops.
    pub pitch: f64,
    /// Whether the coordinate may fall, and not rise.
    pub backward: bool,
    /// Restitution of an impact on a tooth.
    pub restitution: f64,
}

impl Ratchet {
    /// 1, or -1 where the coordinate may fall.
    fn sense(self) -> f64 {
        if self.backward { -1.0 } else { 1.0 }
    }

    /// The tooth that holds, by the one that held before and where the coordinate is now: both in the sense in which it may go.
    fn next(self, held: f64, at: f64) -> f64 {
        let passed = match self.pitch > 0.0 {
            true => ((at / self.pitch).floor()) * self.pitch,
            false => at,
        };
        held.max(passed)
    }
}

impl<S: Jointed> Joint<S> {
    /// The coordinate that is bounded, and its bounds, if there are any.
    fn bounds(&self) -> Option<(Freedom, JointLimit)> {
        let freedom = *self.freedoms().first()?;
        let limit = match self.kind {
            JointKind::Rope { length } | JointKind::Pulley { length, .. } => {
                let restitution = self.limit.map_or(0.0, |limit| limit.restitution);
                JointLimit { low: f64::NEG_INFINITY, high: length, restitution }
            }
            _ => self.limit?,
        };
        Some((freedom, limit))
    }
}

impl<S: Dimension> JointWork<S> {
    /// Notes the bounds of a joint at the midpoint.
    pub(super) fn note_stops(
        &mut self,
        number: u32,
        place: (u32, u32),
        poses: &[Pose<S>; 2],
        given: Given<S>,
        work: &RigidWork<S>,
    ) {
        let joint = &given.setup.joints[number as usize];
        let h = given.setup.time_step;
        let mut stop = |gap: f64, row: JointRow<S>, restitution: f64| {
            let axis = self.sense(given.setup, number, row, given.boundaries, work);
            let reached = gap + h * axis.before <= 0.0;
            let closing = match restitution > 0.0 && reached {
                true => restitution * axis.before,
                false => gap / h,
            };
            let stop = Effort::new(number, place, EffortLaw::Stop, Booking::Impact);
            self.efforts.push(stop.along(axis).with_offset(closing));
        };
        if let Some((freedom, limit)) = joint.bounds() {
            let middle = match (limit.low.is_finite(), limit.high.is_finite()) {
                (true, true) => 0.5 * (limit.low + limit.high),
                _ => 0.0,
            };
            let (at, coordinate) = joint.coordinate(freedom, poses, middle);
            for (sign, gap) in [(1.0, at - limit.low), (-1.0, limit.high - at)] {
                if gap.is_finite() {
                    stop(gap, scaled(&coordinate, sign), limit.restitution);
                }
            }
        }
        if let (Some(ratchet), Some(&freedom)) = (joint.ratchet, joint.freedoms().first()) {
            let (sense, held) = (ratchet.sense(), given.joints[number as usize].held);
            let (at, row) = joint.coordinate(freedom, poses, sense * held);
            stop(sense * at - held, scaled(&row, sense), ratchet.restitution);
        }
    }
}

impl<S: Dimension> World<S> {
    /// Lets ratchets fall into the teeth that were passed in the step.
    pub(crate) fn turn_ratchets(&mut self) {
        for (number, joint) in self.setup.joints.iter().enumerate() {
            let (Some(ratchet), Some(&freedom)) = (joint.ratchet, joint.freedoms().first()) else {
                continue;
            };
            let poses = joint
                .sides
                .map(|side| side.owner.map_or(Pose::IDENTITY, |owner| *self.pose_of(owner)));
            let (sense, held) = (ratchet.sense(), self.state.joints[number].held);
            let (at, _) = joint.coordinate(freedom, &poses, sense * held);
            self.state.joints[number].held = ratchet.next(held, sense * at);
        }
    }
}
