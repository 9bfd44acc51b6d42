//! Friction, springs and motors of joints, and what they can bear.
//!
//! - *Friction*: what a joint carries presses its sides together. An effort along what the joint lets move opposes the speed
//!   U⁺, bounded by μ times the reaction: in a hinge, a ball and about either axis of a universal joint a couple of no more than μ r |R|,
//!   along a slider a force of no more than μ (|R| + 2|M|/ℓ), ℓ being the length of the guide, along and about a cylindrical joint, and
//!   across and about a planar one, both together. R and M are those of the same step, found together with the friction.
//! - *Springs* with dampers: P = −h [k (s̄ − s₀) + d ½(U⁻ + U⁺)], s̄ the mean of the coordinate at both ends of the step, so
//!   that what a straight spring gives is what it had; or by tables ([`Characteristic`]).
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
use drystone_solve::{Bounds, Characteristic, JointRow, TableSpring};
use drystone_space::{Pose, Rotation, Vector};
use std::f64::consts::TAU;

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// The displacement along the axis.
    Travel,
    /// The angle about the axis.
    Angle,
    /// The angle about the axis that the second side of a universal joint carries.
    SecondAngle,
    /// The angle between the axes of both sides.
    Swing,
    /// The same with its direction, as a rotation vector.
    Tilt,
    /// The whole turn of the first side from the second, as a rotation vector.
    Turn,
    /// The displacement across the axis, as a vector.
    Across,
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
    Spring(Characteristic),
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
    /// Books work on both sides, and what of it a damper took.
    pub fn book(self, work: f64, lost: f64, to: &mut Booked) {
        match self {
            Booking::Impact => to.impact -= work,
            Booking::Friction => to.friction -= work,
            Booking::Motor => to.motors += work,
            Booking::Spring(_) => {
                to.damping += lost;
                to.springs += work + lost;
            }
        }
    }
}

impl Freedom {
    /// Whether it is an angle.
    fn is_angle(self) -> bool {
        use Freedom::*;
        matches!(self, Angle | SecondAngle | Swing | Tilt | Turn)
    }

    /// Whether it has a direction: springs act along two or three axes, motors and tables along none.
    pub fn is_vector(self) -> bool {
        matches!(self, Freedom::Tilt | Freedom::Turn | Freedom::Across)
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
        let mut found = None;
        self.coordinates(freedom, poses, near, |at, row| found = found.or(Some((at, row))));
        found.unwrap_or_default()
    }

    /// The parts of a coordinate that may have a direction, each with its derivative. An angle with a direction, θ n, has spins about its
    /// axes for derivatives: these are what changes ½θ², so that couples k θ n are those of its energy.
    pub(super) fn coordinates(
        &self,
        freedom: Freedom,
        poses: &[Pose<S>; 2],
        near: f64,
        mut show: impl FnMut(f64, JointRow<S>),
    ) {
        let [first, second] = frames(self, poses);
        let between = first.position - second.position;
        let mut angle = |(angle, axis): (f64, S::Spin)| {
            // Turns are not counted in space.
            let turns = if S::DIMENSION == 3 { ((angle - near) / TAU).round() } else { 0.0 };
            show(angle - TAU * turns, about::<S>(axis));
        };
        match freedom {
            Freedom::Angle if self.kind == JointKind::Universal => {
                let (back, axis) = S::turned(second.rotation, first.rotation);
                angle((-back, axis));
            }
            Freedom::Angle => angle(S::turned(first.rotation, second.rotation)),
            Freedom::SecondAngle => angle(S::tipped(first.rotation, second.rotation)),
            Freedom::Swing => {
                let (angle, axis) = S::swung(first.rotation, second.rotation);
                show(angle, about::<S>(axis));
            }
            Freedom::Tilt | Freedom::Turn => {
                let turn = if freedom == Freedom::Turn {
                    S::turn(first.rotation, second.rotation)
                } else {
                    let (angle, axis) = S::swung(first.rotation, second.rotation);
                    axis * angle
                };
                for axis in S::axes_of_spin() {
                    show(turn.dot(*axis), about::<S>(*axis));
                }
            }
            Freedom::Distance => {
                let points = [first.position, second.position];
                if let JointKind::Pulley { ratio, .. } = self.kind {
                    let (length, row) = rope_length(poses, points, self.pulleys, ratio);
                    return show(length, row);
                }
                let distance = between.norm();
                let a = if distance > 0.0 { between / distance } else { S::Vector::axis(0) };
                show(distance, along::<S>(poses, points, a));
            }
            Freedom::Travel | Freedom::Across => {
                let last = S::DIMENSION - 1;
                let axes = if freedom == Freedom::Travel { last..last + 1 } else { 0..last };
                for axis in axes {
                    let a = second.rotation.apply(S::Vector::axis(axis));
                    show(a.dot(between), along::<S>(poses, [first.position; 2], a));
                }
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
            JointKind::Hinge => &[Freedom::Angle],
            JointKind::Planar => &[Freedom::Angle, Freedom::Across],
            JointKind::Universal => &[Freedom::Angle, Freedom::SecondAngle],
            JointKind::Slider => &[Freedom::Travel],
            JointKind::Cylindrical | JointKind::Screw { .. } => &[Freedom::Travel, Freedom::Angle],
            JointKind::Ball => &[Freedom::Swing, Freedom::Tilt, Freedom::Turn],
            JointKind::Spring => &[Freedom::Distance, Freedom::Angle],
            JointKind::Rope { .. } | JointKind::Pulley { .. } => &[Freedom::Distance],
            JointKind::Weld
            | JointKind::Rod { .. }
            | JointKind::Gear { .. }
            | JointKind::Rack { .. } => &[],
        }
    }

    /// Whether there can be friction in it.
    pub fn has_friction(self) -> bool {
        use JointKind::*;
        matches!(self, Hinge | Slider | Cylindrical | Ball | Universal | Planar)
    }
}

/// Where a coordinate is at the midpoint of a step, and what is asked of it.
#[derive(Clone, Copy, Debug)]
struct Push {
    at: f64,
    asked: f64,
    /// By what the coordinate becomes a length, and its speed before the step as that of this length.
    lever: f64,
    before: f64,
    time_step: f64,
}

impl Push {
    /// The law of the effort of a spring or motor, what is added to its speed, and how it is booked.
    fn of<S: Dimension>(self, law: &DriveLaw) -> (EffortLaw<S>, f64, Booking) {
        let Self { at, asked, lever, before, time_step: h } = self;
        match law {
            DriveLaw::Spring(spring) if spring.has_tables() => {
                let tables = TableSpring::new(spring.clone(), h, lever, at, before / lever);
                (EffortLaw::Tables(tables), 0.0, Booking::Spring(spring.damping))
            }
            DriveLaw::Spring(Characteristic { stiffness, rest, damping, .. }) => {
                let (k, d) = (stiffness / (lever * lever), damping / (lever * lever));
                // The mean of both ends is that of the midpoint and (h/4)(U⁺ − U⁻).
                let answer = 0.25 * h * h * k + 0.5 * h * d;
                let push = h * k * (at - rest) * lever + (0.5 * h * d - 0.25 * h * h * k) * before;
                let bounds = Bounds::Interval {
                    low: f64::NEG_INFINITY,
                    high: f64::INFINITY,
                    compliance: 1.0 / answer,
                };
                (EffortLaw::Bounded(bounds), push / answer, Booking::Spring(d))
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
                let bounds = Bounds::Interval { low, high, compliance: 0.0 };
                (EffortLaw::Bounded(bounds), offset, Booking::Motor)
            }
        }
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
            let lever = if drive.freedom.is_angle() { joint.lever(poses) } else { 1.0 };
            let command = given.joints[number as usize].target;
            let (near, asked) = match &drive.law {
                DriveLaw::Spring(spring) => (spring.near(), 0.0),
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
            joint.coordinates(drive.freedom, poses, near, |at, row| {
                let axis =
                    self.sense(given.setup, number, scaled(&row, lever), given.boundaries, work);
                let push = Push { at, asked, lever, before: axis.before, time_step: h };
                let (law, offset, booking) = push.of(&drive.law);
                let effort = Effort::new(number, place, law, booking);
                self.efforts.push(effort.along(axis).with_offset(offset));
            });
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
        use Freedom::{Across, Angle, SecondAngle, Travel, Turn};
        // What slides as one, each with its coordinates.
        let along: &[&[Freedom]] = match joint.kind {
            JointKind::Ball => &[&[Turn]],
            JointKind::Hinge => &[&[Angle]],
            JointKind::Universal => &[&[Angle], &[SecondAngle]],
            JointKind::Planar => &[&[Across, Angle]],
            JointKind::Cylindrical => &[&[Travel, Angle]],
            _ => &[&[Travel]],
        };
        for together in along {
            let turns = together[0].is_angle();
            // Speeds on the pin are r ω; a longer lever has the same couples, and numbers as large as those of others.
            let (lever, arm) = match turns {
                true => (joint.lever(poses), radius / joint.lever(poses)),
                false => (radius, 1.0),
            };
            let law = EffortLaw::Friction {
                by_force: coefficient * arm,
                by_torque: if length > 0.0 && !turns { 2.0 * coefficient / length } else { 0.0 },
                least: h * least / if turns { lever } else { 1.0 },
            };
            let mut effort = Effort::new(number, place, law, Booking::Friction);
            for &freedom in *together {
                let scale = if freedom.is_angle() { lever } else { 1.0 };
                if scale == 0.0 {
                    continue;
                }
                joint.coordinates(freedom, poses, 0.0, |_, row| {
                    let row = if scale == 1.0 { row } else { scaled(&row, scale) };
                    effort.add(self.sense(given.setup, number, row, given.boundaries, work));
                });
            }
            self.efforts.push(effort);
        }
    }
}

/// Energy of the springs of a joint whose owners are at these poses.
pub(super) fn spring_energy<S: Jointed>(joint: &Joint<S>, poses: &[Pose<S>; 2]) -> f64 {
    let energy = |drive: &JointDrive| {
        let mut sum = 0.0;
        if let DriveLaw::Spring(spring) = &drive.law {
            joint
                .coordinates(drive.freedom, poses, spring.near(), |at, _| sum += spring.energy(at));
        }
        sum
    };
    joint.drives.iter().map(energy).fold(0.0, |sum, energy| sum + energy)
}
