//! Friction, springs and motors of joints, and what they can bear.
//!
//! - *Friction*: what a joint carries presses its sides together. An effort along what the joint lets move opposes the speed
//!   U⁺, bounded by μ times the reaction: in a hinge or a ball a couple of no more than μ r |R|, along a slider a force of no more
//!   than μ (|R| + 2|M|/ℓ), ℓ being the length of the guide, along and about a cylindrical joint both together. R and M are those of the
//!   same step, found together with the friction.
//! - *Springs* with dampers: P = −h [k (s̄ − s₀) + d ½(U⁻ + U⁺)], s̄ the mean of the coordinate at both ends of the step, so
//!   that what a straight spring gives is what it had.
//! - *Motors*: a force that is given, or one between two bounds that makes U⁺ the asked speed, or brings the coordinate to the
//!   asked place at the next midpoint, as far as the bounds let it.

use super::effort::{Effort, EffortLaw, scaled};
use super::equations::{about, along, frames};
use super::group::JointWork;
use super::hold::Given;
use super::transmission::rope_length;
use super::{Joint, JointKind, Jointed};
use crate::workspace::RigidWork;
use crate::{Dimension, Signal};
use drystone_solve::{Bounds, JointRow};
use drystone_space::{Pose, Rotation, Vector};
use std::f64::consts::TAU;

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// The displacement along the axis.
    Travel,
    /// The angle about the axis.
    Angle,
    /// The angle between the axes of both sides.
    Swing,
    /// The distance of both points.
    Distance,
}

/// Coulomb's friction in a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFriction {
    /// μ.
    pub coefficient: f64,
    /// Radius of the pin, ball or rod on which it acts.
    pub radius: f64,
    /// Length of the guide of a slider or cylindrical joint, over which a couple presses; 0: couples do not count.
    pub length: f64,
    /// What is always there, whatever the joint carries: a couple in hinges and balls, a force in others.
    pub least: f64,
}

/// What a motor is asked for, as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// This force or couple.
    Effort(Signal),
    /// This speed.
    Speed(Signal),
    /// This coordinate.
    Place(Signal),
}

/// What drives a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub enum DriveLaw {
    /// A spring with a damper.
    Spring {
        /// k.
        stiffness: f64,
        /// s₀.
        rest: f64,
        /// d.
        damping: f64,
    },
    /// A motor.
    Motor {
        /// What it is asked for.
        target: Target,
        /// The largest force or couple that it has; may be infinite.
        most: f64,
    },
}

/// A spring or motor of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDrive {
    /// Along which coordinate.
    pub freedom: Freedom,
    /// What it does.
    pub law: DriveLaw,
}

/// What a joint can bear: with more than this in a step it is broken from then on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointStrength {
    /// The largest force.
    pub force: f64,
    /// The largest couple.
    pub torque: f64,
}

/// How an effort is booked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Booking {
    Impact,
    Friction,
    Motor,
    /// A spring with this damping.
    Spring(f64),
}

/// What efforts have given and taken in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Booked {
    pub impact: f64,
    pub friction: f64,
    pub motors: f64,
    pub damping: f64,
    /// Work of springs on what they join.
    pub springs: f64,
    pub boundaries: f64,
}

impl Booking {
    /// Books work on both sides; `square` is h times the square of the mean speed.
    pub fn book(self, work: f64, square: f64, to: &mut Booked) {
        match self {
            Booking::Impact => to.impact -= work,
            Booking::Friction => to.friction -= work,
            Booking::Motor => to.motors += work,
            Booking::Spring(damping) => {
                to.damping += damping * square;
                to.springs += work + damping * square;
            }
        }
    }
}

impl<S: Jointed> Joint<S> {
    /// A coordinate and its derivative, from the poses of the owners; an angle of space is that nearest to `near`.
    pub(super) fn coordinate(
        &self,
        freedom: Freedom,
        poses: &[Pose<S>; 2],
        near: f64,
    ) -> (f64, JointRow<S>) {
        let [first, second] = frames(self, poses);
        let between = first.position - second.position;
        match freedom {
            Freedom::Angle => {
                let (mut angle, axis) = S::turned(first.rotation, second.rotation);
                if S::DIMENSION == 3 {
                    // Turns are not counted in space.
                    angle -= TAU * ((angle - near) / TAU).round();
                }
                (angle, about::<S>(axis))
            }
            Freedom::Swing => {
                let (angle, axis) = S::swung(first.rotation, second.rotation);
                (angle, about::<S>(axis))
            }
            Freedom::Distance => {
                if let JointKind::Pulley { ratio, .. } = self.kind {
                    let points = [first.position, second.position];
                    return rope_length(poses, points, self.pulleys, ratio);
                }
                let distance = between.norm();
                let a = if distance > 0.0 { between / distance } else { S::Vector::axis(0) };
                (distance, along::<S>(poses, [first.position, second.position], a))
            }
            Freedom::Travel => {
                let a = second.rotation.apply(S::Vector::axis(S::DIMENSION - 1));
                (a.dot(between), along::<S>(poses, [first.position; 2], a))
            }
        }
    }

    /// The coordinates that such a joint has, the one that is bounded by its limit first.
    pub fn freedoms(&self) -> &'static [Freedom] {
        self.kind.freedoms()
    }

    /// A length by which angles become lengths.
    fn lever(&self, poses: &[Pose<S>; 2]) -> f64 {
        let [size, _] = super::hold::lengths(self, poses);
        if size > 0.0 { size } else { 1.0 }
    }
}

impl JointKind {
    /// The coordinates that such a joint has, the one that is bounded by its limit first.
    pub fn freedoms(self) -> &'static [Freedom] {
        match self {
            JointKind::Hinge | JointKind::Planar => &[Freedom::Angle],
            JointKind::Slider => &[Freedom::Travel],
            JointKind::Cylindrical | JointKind::Screw { .. } => &[Freedom::Travel, Freedom::Angle],
            JointKind::Ball => &[Freedom::Swing],
            JointKind::Rope { .. } | JointKind::Spring | JointKind::Pulley { .. } => {
                &[Freedom::Distance]
            }
            JointKind::Weld
            | JointKind::Universal
            | JointKind::Rod { .. }
            | JointKind::Gear { .. }
            | JointKind::Rack { .. } => &[],
        }
    }

    /// Whether there can be friction in it.
    pub fn has_friction(self) -> bool {
        use JointKind::*;
        matches!(self, Hinge | Slider | Cylindrical | Ball)
    }
}

impl<S: Dimension> JointWork<S> {
    /// Notes the springs and motors of a joint at the midpoint.
    pub(super) fn note_drives(
        &mut self,
        number: u32,
        place: (u32, u32),
        poses: &[Pose<S>; 2],
        given: Given<S>,
        work: &RigidWork<S>,
    ) {
        let joint = &given.setup.joints[number as usize];
        let h = given.setup.time_step;
        for drive in &joint.drives {
            let lever = if drive.freedom == Freedom::Angle { joint.lever(poses) } else { 1.0 };
            let command = given.joints[number as usize].target;
            let (near, asked) = match &drive.law {
                DriveLaw::Spring { rest, .. } => (*rest, 0.0),
                DriveLaw::Motor { target, .. } => {
                    // Forces are those of the midpoint, speeds those of the end, places those of the next midpoint.
                    let (signal, after) = match target {
                        Target::Effort(signal) => (signal, 0.5 * h),
                        Target::Speed(signal) => (signal, h),
                        Target::Place(signal) => (signal, 1.5 * h),
                    };
                    let asked = command.unwrap_or_else(|| signal.sample(given.time + after).0);
                    (if matches!(target, Target::Place(_)) { asked } else { 0.0 }, asked)
                }
            };
            let (at, row) = joint.coordinate(drive.freedom, poses, near);
            let row = scaled(&row, lever);
            let axis = self.sense(given.setup, number, row, given.boundaries, work);
            let (law, offset, booking) = match &drive.law {
                DriveLaw::Spring { stiffness, rest, damping } => {
                    let (k, d) = (stiffness / (lever * lever), damping / (lever * lever));
                    // The mean of both ends is that of the midpoint and (h/4)(U⁺ − U⁻).
                    let answer = 0.25 * h * h * k + 0.5 * h * d;
                    let push = h * k * (at - rest) * lever
                        + (0.5 * h * d - 0.25 * h * h * k) * axis.before;
                    let bounds = Bounds::Interval {
                        low: f64::NEG_INFINITY,
                        high: f64::INFINITY,
                        compliance: 1.0 / answer,
                    };
                    (bounds, push / answer, Booking::Spring(d))
                }
                DriveLaw::Motor { target, most } => {
                    let most = h * most / lever;
                    let (low, high, offset) = match target {
                        Target::Effort(_) => {
                            let push = (h * asked / lever).clamp(-most, most);
                            (push, push, 0.0)
                        }
                        Target::Speed(_) => (-most, most, -lever * asked),
                        Target::Place(_) => (-most, most, lever * (at - asked) / h),
                    };
                    (Bounds::Interval { low, high, compliance: 0.0 }, offset, Booking::Motor)
                }
            };
            let effort = Effort::new(number, place, EffortLaw::Bounded(law), booking);
            self.efforts.push(effort.along(axis).with_offset(offset));
        }
    }

    /// Notes the friction of a joint at the midpoint.
    pub(super) fn note_friction(
        &mut self,
        number: u32,
        place: (u32, u32),
        poses: &[Pose<S>; 2],
        given: Given<S>,
        work: &RigidWork<S>,
    ) {
        let joint = &given.setup.joints[number as usize];
        let Some(JointFriction { coefficient, radius, length, least }) = joint.friction else {
            return;
        };
        let h = given.setup.time_step;
        let turns = matches!(joint.kind, JointKind::Hinge | JointKind::Ball);
        // Speeds on the pin are r ω; a longer lever has the same couples, and numbers as large as those of others.
        let (lever, arm) = match joint.kind {
            _ if turns => (joint.lever(poses), radius / joint.lever(poses)),
            _ => (radius, 1.0),
        };
        let law = EffortLaw::Friction {
            by_force: coefficient * arm,
            by_torque: if length > 0.0 && !turns { 2.0 * coefficient / length } else { 0.0 },
            least: h * least / if turns { lever } else { 1.0 },
        };
        let mut effort = Effort::new(number, place, law, Booking::Friction);
        let mut add = |row: JointRow<S>| {
            effort = effort.along(self.sense(given.setup, number, row, given.boundaries, work));
        };
        match joint.kind {
            JointKind::Ball => {
                S::axes_of_spin().iter().for_each(|&axis| add(scaled(&about::<S>(axis), lever)));
            }
            JointKind::Hinge => add(scaled(&joint.coordinate(Freedom::Angle, poses, 0.0).1, lever)),
            _ => {
                add(joint.coordinate(Freedom::Travel, poses, 0.0).1);
                if joint.kind == JointKind::Cylindrical && radius > 0.0 {
                    add(scaled(&joint.coordinate(Freedom::Angle, poses, 0.0).1, lever));
                }
            }
        }
        self.efforts.push(effort);
    }
}

/// Energy of the springs of a joint whose owners are at these poses.
pub(super) fn spring_energy<S: Jointed>(joint: &Joint<S>, poses: &[Pose<S>; 2]) -> f64 {
    let energy = |drive: &JointDrive| match drive.law {
        DriveLaw::Spring { stiffness, rest, .. } => {
            let (at, _) = joint.coordinate(drive.freedom, poses, rest);
            0.5 * stiffness * (at - rest) * (at - rest)
        }
        DriveLaw::Motor { .. } => 0.0,
    };
    joint.drives.iter().map(energy).fold(0.0, |sum, energy| sum + energy)
}
