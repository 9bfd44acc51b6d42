//! Limits: how far a hinge turns, how far a slider goes, how far a ball joint tilts, how long a rope is.
//!
//! Each bound of a coordinate s is a contact without friction on the mechanism, with the gap s − low or high − s: U + gap/h ≥ 0, as in the
//! gap form, so that a bound is met at a midpoint and neither passed nor missed. With restitution ρ, a bound that would be reached in the step
//! is an impact: ρ U⁻ + U⁺ ≥ 0.

use super::drive::{Booking, Freedom};
use super::effort::{Effort, EffortLaw, scaled};
use super::group::JointWork;
use super::hold::Given;
use super::{Joint, JointKind, Jointed};
use crate::Dimension;
use crate::workspace::RigidWork;
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
        let Some((freedom, limit)) = joint.bounds() else { return };
        let h = given.setup.time_step;
        let middle = match (limit.low.is_finite(), limit.high.is_finite()) {
            (true, true) => 0.5 * (limit.low + limit.high),
            _ => 0.0,
        };
        let (at, coordinate) = joint.coordinate(freedom, poses, middle);
        for (sign, gap) in [(1.0, at - limit.low), (-1.0, limit.high - at)] {
            if gap.is_infinite() {
                continue;
            }
            let row = scaled(&coordinate, sign);
            let axis = self.sense(given.setup, number, row, given.boundaries, work);
            let reached = gap + h * axis.before <= 0.0;
            let closing = match limit.restitution > 0.0 && reached {
                true => limit.restitution * axis.before,
                false => gap / h,
            };
            let stop = Effort::new(number, place, EffortLaw::Stop, Booking::Impact);
            self.efforts.push(stop.along(axis).with_offset(closing));
        }
    }
}
