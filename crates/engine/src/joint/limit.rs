//! Limits: how far a hinge turns, how far a slider goes, how long a rope is.
//!
//! Each bound of a coordinate s is a contact without friction on the mechanism, with the gap s − low or high − s: U + gap/h ≥ 0, as in the
//! gap form, so that a bound is met at a midpoint and neither passed nor missed. With restitution ρ, a bound that would be reached in the step
//! is an impact: ρ U⁻ + U⁺ ≥ 0.

use super::equations::{about, along, frames};
use super::group::{JointWork, driven};
use super::{Joint, JointKind, Jointed};
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Dimension, Owner, Setup};
use drystone_solve::{ContactMap, ContactProblem, GROUND, Handle, JointRow, Law, Solution, Twist};
use drystone_space::{Frame, Local, Pose, Rotation, Space, Vector};
use std::f64::consts::TAU;

/// Bounds of a joint's coordinate: the angle of a hinge from where it is at the start, the displacement of a slider or a cylindrical joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    /// The least; may be −∞.
    pub low: f64,
    /// The largest; may be ∞.
    pub high: f64,
    /// Restitution of an impact on a bound.
    pub restitution: f64,
}

/// A bound in the step under way.
#[derive(Clone, Debug)]
pub(super) struct Stop<S: Space> {
    joint: u32,
    /// What the speed away from the bound is made of.
    row: JointRow<S>,
    handle: Handle<S>,
    group: u32,
    /// Its place among the points of the group, and among the contacts of the problem.
    point: u32,
    contact: u32,
    /// What boundaries add to the speed, and the speed before the step.
    given: f64,
    before: f64,
    offset: f64,
}

impl<S: Jointed> Joint<S> {
    /// The bounds, if there are any.
    fn bounds(&self) -> Option<JointLimit> {
        match self.kind {
            JointKind::Rope { length } => {
                let restitution = self.limit.map_or(0.0, |limit| limit.restitution);
                Some(JointLimit { low: f64::NEG_INFINITY, high: length, restitution })
            }
            JointKind::Hinge | JointKind::Slider | JointKind::Cylindrical => self.limit,
            _ => None,
        }
    }

    /// The coordinate and its derivative, from the poses of the owners.
    fn coordinate(&self, poses: &[Pose<S>; 2], limit: &JointLimit) -> (f64, JointRow<S>) {
        let [first, second] = frames(self, poses);
        let between = first.position - second.position;
        match self.kind {
            JointKind::Hinge => {
                let (mut angle, axis) = S::turned(first.rotation, second.rotation);
                if S::DIMENSION == 3 {
                    // Turns are not counted in space: the angle nearest to the bounds is meant.
                    let middle = match (limit.low.is_finite(), limit.high.is_finite()) {
                        (true, true) => 0.5 * (limit.low + limit.high),
                        _ => 0.0,
                    };
                    angle -= TAU * ((angle - middle) / TAU).round();
                }
                (angle, about::<S>(axis))
            }
            JointKind::Rope { .. } => {
                let distance = between.norm();
                let a = if distance > 0.0 { between / distance } else { S::Vector::axis(0) };
                (distance, along::<S>(poses, [first.position, second.position], a))
            }
            _ => {
                let a = second.rotation.apply(S::Vector::axis(S::DIMENSION - 1));
                (a.dot(between), along::<S>(poses, [first.position; 2], a))
            }
        }
    }
}

impl<S: Dimension> JointWork<S> {
    /// Notes the bounds of a joint at the midpoint.
    pub(super) fn note_stops(
        &mut self,
        setup: &Setup<S>,
        number: u32,
        poses: &[Pose<S>; 2],
        boundaries: &[BoundaryState<S>],
        work: &RigidWork<S>,
    ) {
        let joint = &setup.joints[number as usize];
        let Some(limit) = joint.bounds() else { return };
        let (at, coordinate) = joint.coordinate(poses, &limit);
        for (sign, gap) in [(1.0, at - limit.low), (-1.0, limit.high - at)] {
            if gap.is_infinite() {
                continue;
            }
            let side = |t: &Twist<S>| Twist { velocity: t.velocity * sign, spin: t.spin * sign };
            let row = JointRow {
                sides: [side(&coordinate.sides[0]), side(&coordinate.sides[1])],
                given: 0.0,
            };
            let (mut group, mut given, mut before) = (GROUND, 0.0, 0.0);
            let mut handle = [(GROUND, Twist::ZERO); 2];
            for (place, (row, side)) in handle.iter_mut().zip(row.sides.iter().zip(&joint.sides)) {
                match side.owner {
                    None => {}
                    Some(Owner::Body(index)) => {
                        let twist = &work.before[index as usize];
                        before += driven(row, twist.velocity, twist.spin);
                        let (of, member) = self.place(index);
                        (group, *place) = (of, (member, *row));
                    }
                    Some(Owner::Boundary(index)) => {
                        let state = &boundaries[index as usize];
                        given += driven(row, state.velocity, state.spin);
                    }
                }
            }
            before += given;
            let reached = gap + setup.time_step * before <= 0.0;
            let closing = match limit.restitution > 0.0 && reached {
                true => limit.restitution * before,
                false => gap / setup.time_step,
            };
            let offset = closing + given;
            let (point, contact) = (0, 0);
            self.stops.push(Stop {
                joint: number,
                row,
                handle,
                group,
                point,
                contact,
                given,
                before,
                offset,
            });
        }
    }

    /// Makes each bound a point of its group.
    pub fn touch_stops(&mut self) {
        for stop in &mut self.stops {
            let handles = &mut self.groups[stop.group as usize].handles;
            stop.point = (handles.len() / S::DIMENSION) as u32;
            handles.push(stop.handle);
            // A point moves along all axes; a bound has one.
            for _ in 1..S::DIMENSION {
                handles.push([(GROUND, Twist::ZERO); 2]);
            }
        }
    }

    /// Adds a contact for each bound.
    pub fn push_stops(
        &mut self,
        problem: &mut ContactProblem<S>,
        solution: &mut Solution<S>,
        relaxation: f64,
    ) {
        for stop in &mut self.stops {
            stop.contact = problem.contacts.len() as u32;
            let map = ContactMap {
                first: self.groups[stop.group as usize].start + stop.point,
                second: GROUND,
                frame: S::Frame::from_normal(S::Vector::axis(0)),
                arm_first: S::Vector::ZERO,
                arm_second: S::Vector::ZERO,
            };
            let offset = S::Local::new(stop.offset, S::Tangent::ZERO);
            problem.push_contact(map, offset, Law::Frictionless, relaxation);
            solution.impulses.push(S::Local::ZERO);
        }
    }

    /// Adds what bounds have done to the reactions of joints and to the books.
    pub(super) fn close_stops(
        &mut self,
        setup: &Setup<S>,
        found: &Solution<S>,
        work: &RigidWork<S>,
    ) {
        (self.stopped, self.stopped_by_boundaries) = (0.0, 0.0);
        let h = setup.time_step;
        for stop in &self.stops {
            let Some(impulse) = found.impulses.get(stop.contact as usize) else { continue };
            let impulse = impulse.normal();
            let joint = &setup.joints[stop.joint as usize];
            let mut after = stop.given;
            for (row, side) in stop.row.sides.iter().zip(&joint.sides) {
                match side.owner {
                    None => {}
                    Some(Owner::Body(index)) => {
                        let twist = &work.solution.twists[index as usize];
                        after += driven(row, twist.velocity, twist.spin);
                    }
                    Some(Owner::Boundary(index)) => {
                        self.on_boundaries[index as usize] += row.velocity * impulse;
                    }
                }
            }
            self.stopped -= 0.5 * impulse * (stop.before + after);
            self.stopped_by_boundaries -= impulse * stop.given;
            let (force, first) = (impulse / h, &stop.row.sides[0]);
            let reaction = &mut self.reactions[stop.joint as usize];
            reaction.force += first.velocity * force;
            reaction.torque += first.spin * force
                - S::moment(self.arms[stop.joint as usize], first.velocity * force);
        }
    }
}
