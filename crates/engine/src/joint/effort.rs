//! What acts along the coordinates of joints in a step: bounds, friction, springs and motors.
//!
//! Each is a contact of the step's problem on a point of the mechanism. The point moves along up to as many axes as space has; each is
//! a speed of the joint, that of an angle times a length, so that all have the same unit. Its impulse P acts on the
//! bodies by the same rows. To the books, ½(U⁻ + U⁺)·P goes to the bodies, and of that boundaries give −P·W.

use super::drive::Booking;
use super::group::{JointWork, driven};
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Dimension, Owner, Setup};
use drystone_solve::{
    Bounded, Bounds, ContactMap, ContactProblem, GROUND, Handle, JointRow, Law, Solution, Special,
    TableSpring, Twist,
};
use drystone_space::{Frame, Local, Space, Vector};

/// A speed of a joint: what it is made of, and what it was before the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sensed<S: Space> {
    pub row: JointRow<S>,
    pub handle: Handle<S>,
    /// What boundaries add to the speed, and the speed before the step.
    pub given: f64,
    pub before: f64,
}

impl<S: Space> Default for Sensed<S> {
    fn default() -> Self {
        let handle = [(GROUND, Twist::ZERO); 2];
        Self { row: JointRow::default(), handle, given: 0.0, before: 0.0 }
    }
}

/// What the impulse of an effort obeys.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EffortLaw<S: Dimension> {
    /// U + offset ≥ 0, P ≥ 0.
    Stop,
    /// Between its bounds.
    Bounded(Bounds),
    /// A spring or damper by tables.
    Tables(TableSpring<S>),
    /// Dry friction: |P| no more than what the joint's reaction lets it be.
    Friction {
        /// The bound, by the force and by the couple that the joint carries, and what of it is always there, in N s.
        by_force: f64,
        by_torque: f64,
        least: f64,
    },
}

/// What acts along coordinates of a joint in the step under way.
#[derive(Clone, Debug)]
pub(super) struct Effort<S: Dimension> {
    pub joint: u32,
    /// Its group, and its number there.
    pub group: u32,
    pub local: u32,
    /// Its place among the points of the group, and among the contacts of the problem.
    point: u32,
    contact: u32,
    /// As many of them as there are axes.
    pub axes: [Sensed<S>; 3],
    pub count: usize,
    /// Added to the speed along the first axis before the law sees it.
    pub offset: f64,
    pub law: EffortLaw<S>,
    pub booking: Booking,
}

impl<S: Dimension> Effort<S> {
    pub fn new(
        joint: u32,
        (group, local): (u32, u32),
        law: EffortLaw<S>,
        booking: Booking,
    ) -> Self {
        let axes = [Sensed::default(); 3];
        let (point, contact, count, offset) = (0, 0, 0, 0.0);
        Self { joint, group, local, point, contact, axes, count, offset, law, booking }
    }

    /// With one more axis.
    pub fn along(mut self, axis: Sensed<S>) -> Self {
        self.add(axis);
        self
    }

    /// Adds an axis.
    pub fn add(&mut self, axis: Sensed<S>) {
        self.axes[self.count] = axis;
        self.count += 1;
    }

    pub fn with_offset(self, offset: f64) -> Self {
        Self { offset, ..self }
    }
}

/// A row times a number.
pub(super) fn scaled<S: Space>(row: &JointRow<S>, by: f64) -> JointRow<S> {
    let side = |t: &Twist<S>| Twist { velocity: t.velocity * by, spin: t.spin * by };
    JointRow { sides: [side(&row.sides[0]), side(&row.sides[1])], given: row.given * by }
}

impl<S: Dimension> JointWork<S> {
    /// What a speed is made of, as the step begins.
    pub(super) fn sense(
        &self,
        setup: &Setup<S>,
        number: u32,
        row: JointRow<S>,
        boundaries: &[BoundaryState<S>],
        work: &RigidWork<S>,
    ) -> Sensed<S> {
        let mut sensed = Sensed { row, ..Sensed::default() };
        let joint = &setup.joints[number as usize];
        for (place, (row, side)) in sensed.handle.iter_mut().zip(row.sides.iter().zip(&joint.sides))
        {
            match side.owner {
                None => {}
                Some(Owner::Body(index)) => {
                    let twist = &work.before[index as usize];
                    sensed.before += driven(row, twist.velocity, twist.spin);
                    *place = (self.place(index).1, *row);
                }
                Some(Owner::Boundary(index)) => {
                    let state = &boundaries[index as usize];
                    sensed.given += driven(row, state.velocity, state.spin);
                }
            }
        }
        sensed.before += sensed.given;
        sensed
    }

    /// Makes each effort a point of its group.
    pub fn touch_efforts(&mut self) {
        for effort in &mut self.efforts {
            let handles = &mut self.groups[effort.group as usize].handles;
            effort.point = (handles.len() / S::DIMENSION) as u32;
            handles.extend(effort.axes[..S::DIMENSION].iter().map(|axis| axis.handle));
        }
    }

    /// Adds a contact for each effort.
    pub fn push_efforts(
        &mut self,
        problem: &mut ContactProblem<S>,
        solution: &mut Solution<S>,
        relaxation: f64,
    ) {
        for number in 0..self.efforts.len() {
            let radius = self.friction_bound(&self.efforts[number]);
            let effort = &mut self.efforts[number];
            effort.contact = problem.contacts.len() as u32;
            let frame = S::Frame::from_normal(S::Vector::axis(0));
            let map = ContactMap {
                first: self.groups[effort.group as usize].start + effort.point,
                second: GROUND,
                frame,
                arm_first: S::Vector::ZERO,
                arm_second: S::Vector::ZERO,
            };
            let mut given = S::Vector::from_fn(|axis| effort.axes[axis].given);
            given += S::Vector::axis(0) * effort.offset;
            let offset = frame.to_local(given);
            let mut bounded =
                |bounds| problem.push_bounded(map, offset, Bounded::new(bounds), relaxation);
            match &effort.law {
                EffortLaw::Stop => {
                    problem.push_contact(map, offset, Law::Frictionless, relaxation);
                    solution.impulses.push(S::Local::ZERO);
                    continue;
                }
                EffortLaw::Bounded(bounds) => bounded(*bounds),
                EffortLaw::Friction { .. } => bounded(Bounds::Ball { radius }),
                EffortLaw::Tables(spring) => {
                    problem.push_table_spring(map, offset, spring.clone(), relaxation);
                }
            }
            solution.impulses.push(S::Local::ZERO);
            solution.couples.push(S::Local::ZERO);
        }
    }

    /// The bound of friction under the reaction of its joint, as the mechanism was last solved.
    fn friction_bound(&self, effort: &Effort<S>) -> f64 {
        let EffortLaw::Friction { by_force, by_torque, least } = effort.law else { return 0.0 };
        let group = &self.groups[effort.group as usize];
        let (force, torque) =
            group.reaction(effort.local as usize, self.arms[effort.joint as usize]);
        by_force * force.norm() + by_torque * torque.norm() + least
    }

    /// Whether the bounds of some effort depend on what is found.
    pub fn has_friction(&self) -> bool {
        self.efforts.iter().any(|effort| matches!(effort.law, EffortLaw::Friction { .. }))
    }

    /// Takes the bounds of friction from the reactions under the impulses that were found. Whether they have changed by more
    /// than this share of the largest of them.
    pub fn renew_friction(
        &mut self,
        problem: &mut ContactProblem<S>,
        found: &Solution<S>,
        work: &RigidWork<S>,
        (h, tolerance): (f64, f64),
    ) -> bool {
        self.answer(problem, found, h, work);
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for effort in &self.efforts {
            if !matches!(effort.law, EffortLaw::Friction { .. }) {
                continue;
            }
            let now = self.friction_bound(effort);
            let Law::Special(index) = problem.contacts[effort.contact as usize].law else {
                continue;
            };
            if let Special::Bounded(Bounded { bounds: Bounds::Ball { radius }, .. }) =
                &mut problem.specials[index as usize]
            {
                change = change.max((now - *radius).abs());
                largest = largest.max(now);
                *radius = now;
            }
        }
        change > tolerance * largest
    }

    /// Adds what efforts have done to the reactions of joints and to the books.
    pub(super) fn close_efforts(
        &mut self,
        setup: &Setup<S>,
        problem: &ContactProblem<S>,
        found: &Solution<S>,
        work: &RigidWork<S>,
    ) {
        self.booked = Default::default();
        let h = setup.time_step;
        for effort in &self.efforts {
            let place = effort.contact as usize;
            let Some(&impulse) = found.impulses.get(place) else { continue };
            let push = problem.contacts[place].map.frame.to_world(impulse);
            let joint = &setup.joints[effort.joint as usize];
            let reaction = &mut self.reactions[effort.joint as usize];
            let (mut work_done, mut mean) = (0.0, 0.0);
            for (number, axis) in effort.axes[..effort.count].iter().enumerate() {
                let impulse = push.get(number);
                let mut after = axis.given;
                for (row, side) in axis.row.sides.iter().zip(&joint.sides) {
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
                if number == 0 {
                    mean = 0.5 * (axis.before + after);
                }
                work_done += 0.5 * impulse * (axis.before + after);
                self.booked.boundaries -= impulse * axis.given;
                let (force, first) = (impulse / h, &axis.row.sides[0]);
                reaction.force += first.velocity * force;
                reaction.torque += first.spin * force
                    - S::moment(self.arms[effort.joint as usize], first.velocity * force);
            }
            let lost = match (&effort.law, effort.booking) {
                (EffortLaw::Tables(spring), _) => {
                    let speed = mean / spring.lever;
                    h * spring.of.resistance(speed) * speed
                }
                (_, Booking::Spring(damping)) => damping * (h * mean * mean),
                _ => 0.0,
            };
            effort.booking.book(work_done, lost, &mut self.booked);
        }
    }
}
