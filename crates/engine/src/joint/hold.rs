//! Positions and velocities are brought back onto the constraints.
//!
//! Bodies go the shortest way in the kinetic metric: δq = A⁻¹G*μ with G A⁻¹G*μ = −g, again until nothing is missing. What is left of
//! the velocities across the constraint is taken in the same metric, like an impact without rebound.

use super::drive::spring_energy;
use super::equations::{Equation, equations, frames};
use super::group::{Group, JointWork, driven};
use super::{Joint, JointKind, JointReaction, JointState, Jointed};
use crate::state::BoundaryState;
use crate::{Body, Command, Dimension, Drive, Owner, Progress, Setup, SetupError, State, World};
use drystone_solve::{JointRow, Mover, Twist};
use drystone_space::{InverseInertia, Pose, Rotation, Vector};

/// A joint holds where it misses less than this share of its size, and of its place for rounding.
const HOLDS: f64 = 1e-13;
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Most rounds of Newton's method in a step, and where a mechanism is assembled.
pub(super) const ROUNDS: usize = 8;
const ASSEMBLY: usize = 100;
/// What is missed at the start, as a share of a joint's size, is more than the user's rounding where it stays above this.
const ASSEMBLED: f64 = 1e-9;
/// A step that leaves more than this is not solved.
const HELD: f64 = 1e-6;
/// Above this share the equations are linearised anew in each round.
const FAR: f64 = 1e-4;

/// Where boundaries are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// At the midpoint of the step.
    Middle,
    /// Where the last advance has left them.
    Now,
}

/// What moves as given, where it is and how it moves at a time.
#[derive(Clone, Copy)]
pub(super) struct Given<'a, S: Dimension> {
    pub setup: &'a Setup<S>,
    pub boundaries: &'a [BoundaryState<S>],
    pub progress: &'a Progress,
    pub joints: &'a [JointState],
    pub time: f64,
    pub when: When,
}

impl<'a, S: Dimension> Given<'a, S> {
    /// What moves as given at the start of the step, where it is at its midpoint.
    pub fn middle(setup: &'a Setup<S>, state: &'a State<S>) -> Self {
        Given {
            setup,
            boundaries: &state.boundaries,
            progress: &state.progress,
            joints: &state.joints,
            time: state.steps as f64 * setup.time_step,
            when: When::Middle,
        }
    }

    /// Where the owner of a side is, a body among these poses.
    pub fn pose(&self, owner: Option<Owner>, member: u32, poses: &[Pose<S>]) -> Pose<S> {
        match (owner, self.when) {
            (None, _) => Pose::IDENTITY,
            (Some(Owner::Body(_)), _) => poses[member as usize],
            (Some(Owner::Boundary(index)), When::Now) => self.boundaries[index as usize].pose,
            (Some(Owner::Boundary(index)), _) => self.boundaries[index as usize].midpoint,
        }
    }

    /// How the owner of a side moves as given over the step, in the mean.
    pub fn mean_twist(&self, owner: Option<Owner>) -> Twist<S> {
        let Some(Owner::Boundary(index)) = owner else { return Twist::ZERO };
        let state = &self.boundaries[index as usize];
        Twist { velocity: state.velocity, spin: state.spin }
    }

    /// How it moves at the time; a body does not move as given.
    pub fn twist(&self, owner: Option<Owner>) -> Twist<S> {
        let Some(Owner::Boundary(index)) = owner else { return Twist::ZERO };
        let index = index as usize;
        if let Some(Command::Motion { velocity, spin }) = self.boundaries[index].command {
            return Twist { velocity, spin };
        }
        let (drive, switched) = self.progress.drive(self.setup, index);
        let Drive::Motion(motion) = drive else { return Twist::ZERO };
        let moment = motion.since(self.progress, self.setup, index, switched, self.time);
        Twist { velocity: moment.velocity, spin: moment.spin }
    }
}

/// Lengths that a joint's errors are compared with: its size, and how far from the origin it is.
pub(super) fn lengths<S: Jointed>(joint: &Joint<S>, poses: &[Pose<S>; 2]) -> [f64; 2] {
    let [first, second] = frames(joint, poses);
    let arms = [first.position - poses[0].position, second.position - poses[1].position];
    let far = first.position.norm().max(second.position.norm());
    let own = |side: usize| match joint.sides[side].owner {
        None => 0.0,
        Some(_) => arms[side].norm(),
    };
    let length = match joint.kind {
        JointKind::Rod { length } | JointKind::Rope { length } => length,
        JointKind::Pulley { length, .. } => length,
        JointKind::Screw { pitch } => pitch.abs(),
        JointKind::Gear { radii, .. } => radii[0].abs().max(radii[1].abs()),
        JointKind::Rack { radius } => radius.abs(),
        _ => 0.0,
    };
    [own(0).max(own(1)).max(length), far]
}

impl<S: Dimension> Group<S> {
    /// Where the owners of a joint are, members being at the group's poses.
    pub(super) fn owners(&self, local: usize, given: Given<S>) -> [Pose<S>; 2] {
        let joint = &given.setup.joints[self.joints[local] as usize];
        let members = self.mechanism.members(local);
        [0, 1].map(|side| given.pose(joint.sides[side].owner, members[side], &self.poses))
    }

    /// Takes the members' poses as they are now.
    pub(super) fn take_poses(&mut self, pose: impl Fn(u32) -> Pose<S>) {
        let all = self.poses.iter_mut().zip(&self.members);
        all.for_each(|(to, &index)| *to = pose(index));
    }

    /// Takes what the joints miss as they are now, with new rows where asked; the most of it as a share of the size.
    fn look(&mut self, given: Given<S>, linearise: bool) -> (f64, bool) {
        let (mut worst, mut holds) = (0.0f64, true);
        for local in 0..self.joints.len() {
            let joint = &given.setup.joints[self.joints[local] as usize];
            let poses = self.owners(local, given);
            let [size, far] = lengths(joint, &poses);
            let rows = self.mechanism.rows_mut(local);
            if given.joints[self.joints[local] as usize].broken {
                rows.fill(JointRow::default());
                continue;
            }
            equations(joint, &poses, |number, Equation { row, miss, is_angle }| {
                let size = if is_angle || size == 0.0 { 1.0 } else { size };
                let rounding = if is_angle { 0.0 } else { ROUNDING * far };
                worst = worst.max(miss.abs() / size);
                holds &= miss.abs() <= (HOLDS * size).max(rounding);
                if linearise {
                    rows[number] = row;
                }
                rows[number].given = -miss;
            });
        }
        (worst, holds)
    }

    /// Factors with inverse inertias as bodies are turned in the group's poses.
    fn factor(&mut self, bodies: &[Body<S>]) {
        let places = self.members.iter().zip(&self.poses);
        for (mover, (&index, pose)) in self.mechanism.movers_mut().iter_mut().zip(places) {
            let body = &bodies[index as usize];
            *mover = Mover {
                inverse_mass: 1.0 / body.mass,
                inverse_inertia: S::InverseInertia::from_principal(body.moments, pose.rotation),
            };
        }
        self.mechanism.factor();
    }

    /// Linearises the joints at the group's poses.
    pub(super) fn linearise(&mut self, bodies: &[Body<S>], given: Given<S>) {
        self.look(given, true);
        self.factor(bodies);
    }

    /// Brings the poses back onto the constraints; the most that is missed in the end, as a share of the size. `linearise`
    /// says whether the first round takes new rows, or those that the mechanism was last factored with.
    pub(super) fn place(
        &mut self,
        bodies: &[Body<S>],
        given: Given<S>,
        rounds: usize,
        mut linearise: bool,
    ) -> f64 {
        let mut last = f64::INFINITY;
        for _ in 0..rounds {
            let (worst, holds) = self.look(given, linearise);
            if linearise {
                self.factor(bodies);
            }
            if holds || !worst.is_finite() {
                return worst;
            }
            linearise = worst > FAR || worst > 0.1 * last;
            last = worst;
            self.twists.fill(Twist::ZERO);
            self.mechanism.constrain(&mut self.twists);
            for (twist, pose) in self.twists.iter().zip(&mut self.poses) {
                pose.position += twist.velocity;
                // Large turns are no displacements.
                let angle = twist.spin.norm();
                let turn = twist.spin * if angle > 0.5 { 0.5 / angle } else { 1.0 };
                pose.rotation = S::Rotation::exponential(turn).compose(pose.rotation);
            }
        }
        self.look(given, false).0
    }

    /// Brings bodies back onto the constraints; the most that is missed in the end. Where rows are redundant they are so
    /// only on the constraints: a little beside them they say more than they should. So the rows are those of the midpoint
    /// at first, and new ones are taken in the end.
    fn place_bodies(&mut self, bodies: &mut [Body<S>], given: Given<S>, rounds: usize) -> f64 {
        self.take_poses(|index| bodies[index as usize].pose);
        let left = self.place(bodies, given, rounds, !self.redundant);
        for (pose, &index) in self.poses.iter().zip(&self.members) {
            bodies[index as usize].pose = *pose;
        }
        if self.redundant {
            self.linearise(bodies, given);
        }
        left
    }

    /// Takes what velocities have across the constraints; returns what joints give by it, and what of that boundaries give.
    fn align(
        &mut self,
        bodies: &mut [Body<S>],
        given: Given<S>,
        impulses: &mut [S::Vector],
        reactions: &mut [JointReaction<S>],
    ) -> [f64; 2] {
        for (local, &index) in self.joints.iter().enumerate() {
            let joint = &given.setup.joints[index as usize];
            for row in self.mechanism.rows_mut(local) {
                let known = row.sides.iter().zip(&joint.sides).map(|(row, side)| {
                    let twist = given.twist(side.owner);
                    driven(row, twist.velocity, twist.spin)
                });
                row.given = -known.sum::<f64>();
            }
        }
        let before = self.kinetic_energy(bodies);
        for (twist, &index) in self.twists.iter_mut().zip(&self.members) {
            let body = &bodies[index as usize];
            *twist = Twist { velocity: body.velocity, spin: body.world_spin() };
        }
        self.mechanism.constrain(&mut self.twists);
        for (twist, &index) in self.twists.iter().zip(&self.members) {
            let body = &mut bodies[index as usize];
            body.velocity = twist.velocity;
            body.set_world_spin(twist.spin);
        }
        let mut boundaries = 0.0;
        for (local, &index) in self.joints.iter().enumerate() {
            let joint = &given.setup.joints[index as usize];
            let poses = self.owners(local, given);
            let arm = frames(joint, &poses)[0].position - poses[0].position;
            let reaction = &mut reactions[index as usize];
            let rows = self.mechanism.rows(local).iter().zip(self.mechanism.multipliers(local));
            for (row, multiplier) in rows {
                boundaries += multiplier * row.given;
                let (first, share) = (&row.sides[0], multiplier / given.setup.time_step);
                reaction.force += first.velocity * share;
                reaction.torque += first.spin * share - S::moment(arm, first.velocity * share);
                for (row, side) in row.sides.iter().zip(&joint.sides) {
                    if let Some(Owner::Boundary(index)) = side.owner {
                        impulses[index as usize] += row.velocity * *multiplier;
                    }
                }
            }
        }
        [self.kinetic_energy(bodies) - before, boundaries]
    }

    fn potential_energy(&self, bodies: &[Body<S>], gravity: S::Vector) -> f64 {
        let all = self.members.iter().map(|&index| &bodies[index as usize]);
        all.map(|body| -body.mass * gravity.dot(body.pose.position)).sum()
    }

    fn kinetic_energy(&self, bodies: &[Body<S>]) -> f64 {
        self.members.iter().map(|&index| bodies[index as usize].kinetic_energy()).sum()
    }
}

impl<S: Dimension> JointWork<S> {
    /// Notes where joints are, and how far they have drifted.
    fn measure(&mut self, bodies: &[Body<S>], given: Given<S>) {
        for group in &mut self.groups {
            group.take_poses(|index| bodies[index as usize].pose);
            for (local, &index) in group.joints.iter().enumerate() {
                let joint = &given.setup.joints[index as usize];
                let poses = group.owners(local, given);
                let reaction = &mut self.reactions[index as usize];
                reaction.point = frames(joint, &poses)[0].position;
                (reaction.drift, reaction.angle_drift) = (0.0, 0.0);
                if given.joints[index as usize].broken {
                    continue;
                }
                equations(joint, &poses, |_, Equation { miss, is_angle, .. }| {
                    let JointReaction { drift, angle_drift, .. } = reaction;
                    let drift = if is_angle { angle_drift } else { drift };
                    *drift = drift.max(miss.abs());
                });
            }
        }
    }
}

impl<S: Dimension> World<S> {
    /// Assembles mechanisms: bodies are brought onto the constraints, and so are their velocities.
    pub(crate) fn assemble_mechanisms(&mut self) -> Result<(), SetupError> {
        let mut groups = std::mem::take(&mut self.work.joints.groups);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mut impulses = vec![S::Vector::ZERO; self.setup.boundaries.len()];
        // What brings bodies together before the first step is no reaction.
        let mut reactions = vec![JointReaction::default(); self.setup.joints.len()];
        let given = self.given(0.0);
        let mut left = 0.0f64;
        for group in &mut groups {
            left = left.max(group.place_bodies(&mut bodies, given, ASSEMBLY));
            group.linearise(&bodies, given);
            group.redundant = group.mechanism.look_for_redundant();
            group.align(&mut bodies, given, &mut impulses, &mut reactions);
        }
        (self.work.joints.groups, self.state.bodies) = (groups, bodies);
        self.measure_joints(0.0);
        // What is not a number is not assembled.
        if left <= ASSEMBLED {
            return Ok(());
        }
        let worst = self.work.joints.reactions.iter().map(|r| r.drift + r.angle_drift).enumerate();
        let (index, _) =
            worst.fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        let reaction = &self.work.joints.reactions[index];
        let name = self.setup.joints[index].label(index);
        let (distance, angle) = (reaction.drift, reaction.angle_drift);
        Err(SetupError::NotAssembled { name, index, distance, angle })
    }

    /// Brings joined bodies back onto the constraints at the end of a step. Whether the joints hold there.
    pub(crate) fn hold_joints(&mut self) -> bool {
        if !self.work.joints.any() {
            return true;
        }
        let mut hold = true;
        let end = self.time() + self.setup.time_step;
        let mut joints = std::mem::take(&mut self.work.joints);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mut pushes = std::mem::take(&mut joints.on_boundaries);
        let given = self.given(end);
        joints.held = [0.0; 2];
        for group in &mut joints.groups {
            if let Some(coordinates) = &mut group.coordinates {
                let [all, boundaries] = coordinates.advance(&mut bodies, &group.members, given);
                joints.held[0] += all;
                joints.held[1] += boundaries;
                continue;
            }
            let before = group.potential_energy(&bodies, self.setup.gravity);
            hold &= group.place_bodies(&mut bodies, given, ROUNDS) <= HELD;
            joints.held[0] += group.potential_energy(&bodies, self.setup.gravity) - before;
            let [all, boundaries] =
                group.align(&mut bodies, given, &mut pushes, &mut joints.reactions);
            joints.held[0] += all;
            joints.held[1] += boundaries;
        }
        joints.on_boundaries = pushes;
        (self.work.joints, self.state.bodies) = (joints, bodies);
        self.measure_joints(end);
        hold
    }

    /// Energy stored in springs of joints now.
    pub(crate) fn joint_spring_energy(&self) -> f64 {
        let (state, mut sum) = (&self.state, 0.0);
        for (joint, of) in self.setup.joints.iter().zip(&state.joints) {
            if joint.drives.is_empty() || of.broken {
                continue;
            }
            let poses = joint
                .sides
                .map(|side| side.owner.map_or(Pose::IDENTITY, |owner| *self.pose_of(owner)));
            sum += spring_energy(joint, &poses);
        }
        sum
    }

    fn given(&self, time: f64) -> Given<'_, S> {
        Given {
            setup: &self.setup,
            boundaries: &self.state.boundaries,
            progress: &self.state.progress,
            joints: &self.state.joints,
            time,
            when: When::Now,
        }
    }

    fn measure_joints(&mut self, time: f64) {
        let mut joints = std::mem::take(&mut self.work.joints);
        joints.measure(&self.state.bodies, self.given(time));
        self.work.joints = joints;
    }

    /// Breaks joints that have borne more than they can. What their springs held is lost.
    pub(crate) fn break_joints(&mut self) {
        let over = |world: &Self, number: usize| {
            let joint: &Joint<S> = &world.setup.joints[number];
            let reaction = &world.work.joints.reactions[number];
            !world.state.joints[number].broken
                && joint.strength.is_some_and(|strength| {
                    reaction.force.norm() > strength.force
                        || reaction.torque.norm() > strength.torque
                })
        };
        for number in 0..self.setup.joints.len() {
            if over(self, number) {
                let before = self.joint_spring_energy();
                self.state.joints[number].broken = true;
                let lost = before - self.joint_spring_energy();
                self.state.ledger.springs -= lost;
                self.state.ledger.damping_loss += lost;
                self.work.joints.keep_apart(&self.setup, &self.state.joints);
                self.work.joints.grow_trees(&self.setup, &self.state.joints);
            }
        }
    }

    /// Books what joints gave, and what boundaries felt of it.
    pub(crate) fn book_joints(&mut self) {
        let joints = &self.work.joints;
        if !joints.any() {
            return;
        }
        let boundaries = joints.work[1] + joints.held[1];
        self.turn_ratchets();
        let joints = &self.work.joints;
        let ledger = &mut self.state.ledger;
        ledger.boundary_work += boundaries + joints.booked.boundaries;
        ledger.impact_loss += joints.booked.impact;
        ledger.friction_loss += joints.booked.friction;
        ledger.external_work += joints.booked.motors;
        ledger.damping_loss += joints.booked.damping;
        ledger.atomisation_work += joints.booked.springs;
        ledger.joint_work += joints.work[0] + joints.held[0] - boundaries;
        for (state, &push) in self.state.boundaries.iter_mut().zip(&joints.on_boundaries) {
            state.impulse += push;
        }
    }
}
