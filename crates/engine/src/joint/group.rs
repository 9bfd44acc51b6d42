//! Groups of joined bodies in a step: their mechanisms, and what contacts do to them.

use super::coordinates::Coordinates;
use super::drive::Booked;
use super::effort::Effort;
use super::equations::{Equation, equations, frames};
use super::hold::{Given, ROUNDS, When};
use super::{Joint, JointReaction, JointState};
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Body, Dimension, Method, Owner, Setup, SetupError, Story, World};
use drystone_solve::{
    AssembledMethod, Compliant, ContactProblem, GROUND, Handle, JointOf, JointRow, Mechanism,
    Solution, SolveReport, Status, Twist, UnionFind,
};
use drystone_space::{Pose, Space, Vector};

/// Most solves of a step with bounds of friction from the solve before.
const FRICTION_ROUNDS: usize = 60;

/// Bodies held together by joints.
#[derive(Debug)]
pub(super) struct Group<S: Dimension> {
    pub mechanism: Mechanism<S>,
    /// The same in reduced coordinates, if these are asked for: the mechanism's rows then only bring bodies together before
    /// the first step.
    pub coordinates: Option<Coordinates<S>>,
    /// The bodies, by index.
    pub members: Vec<u32>,
    /// The joints, by index.
    pub joints: Vec<u32>,
    /// Twists of the members.
    pub twists: Vec<Twist<S>>,
    /// Where the members are, as they are brought onto the constraints.
    pub(super) poses: Vec<Pose<S>>,
    /// Whether some rows follow from others where the joints hold.
    pub(super) redundant: bool,
    /// What contacts act on in this step: a handle for each axis of each point.
    pub(super) handles: Vec<Handle<S>>,
    /// Where its points begin among those of all groups.
    pub(super) start: u32,
}

/// Scratch of joints.
#[derive(Debug)]
pub(crate) struct JointWork<S: Dimension> {
    pub(super) groups: Vec<Group<S>>,
    /// Group and number in it of each body, or [`GROUND`].
    pub(super) places: Vec<(u32, u32)>,
    /// Pairs that cannot touch, the smaller first, sorted.
    apart: Vec<(Owner, Owner)>,
    /// Points of the problem that belong to groups: which group.
    points: Vec<u32>,
    /// The first of them among the problem's movers.
    first_point: u32,
    /// What joints have done in the step.
    pub(super) reactions: Vec<JointReaction<S>>,
    /// From the origin of each joint's first side to its point there, at the midpoint.
    pub(super) arms: Vec<S::Vector>,
    /// What acts along coordinates, and what it has given and taken.
    pub(super) efforts: Vec<Effort<S>>,
    pub(super) booked: Booked,
    /// Impulses of joints on boundaries over the step.
    pub(super) on_boundaries: Vec<S::Vector>,
    /// What joints gave in the solve, and what of it came from boundaries.
    pub(super) work: [f64; 2],
    /// The same of what they gave as bodies were brought back onto the constraints.
    pub(super) held: [f64; 2],
}

impl<S: Dimension> Default for JointWork<S> {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            places: Vec::new(),
            apart: Vec::new(),
            points: Vec::new(),
            first_point: 0,
            reactions: Vec::new(),
            arms: Vec::new(),
            efforts: Vec::new(),
            booked: Booked::default(),
            on_boundaries: Vec::new(),
            work: [0.0; 2],
            held: [0.0; 2],
        }
    }
}

/// Velocity of a joint's side that moves as given, as far as a row sees it.
pub(super) fn driven<S: Space>(row: &Twist<S>, velocity: S::Vector, spin: S::Spin) -> f64 {
    row.velocity.dot(velocity) + row.spin.dot(spin)
}

impl<S: Dimension> JointWork<S> {
    /// Finds the groups of a setup with so many bodies.
    pub fn new(setup: &Setup<S>, bodies: usize) -> Result<Self, SetupError> {
        let mut work = Self::default();
        if setup.joints.is_empty() {
            return Ok(work);
        }
        let body = |side: usize, joint: &Joint<S>| match joint.sides[side].owner {
            Some(Owner::Body(index)) => index,
            _ => GROUND,
        };
        let mut joined = UnionFind::default();
        joined.reset(bodies);
        for joint in &setup.joints {
            let (first, second) = (body(0, joint), body(1, joint));
            if first != GROUND && second != GROUND {
                joined.union(first, second);
            }
        }
        work.keep_apart(setup, &vec![JointState::default(); setup.joints.len()]);
        work.places = vec![(GROUND, GROUND); bodies];
        // Groups in the order of their first joint, members in the order in which joints name them.
        let mut of_leader = vec![GROUND; bodies];
        let mut parts: Vec<(Vec<u32>, Vec<u32>, Vec<JointOf>)> = Vec::new();
        for (number, joint) in setup.joints.iter().enumerate() {
            let sides = [body(0, joint), body(1, joint)];
            let any = if sides[0] == GROUND { sides[1] } else { sides[0] };
            let group = &mut of_leader[joined.find(any) as usize];
            if *group == GROUND {
                *group = parts.len() as u32;
                parts.push(Default::default());
            }
            let (members, joints, list) = &mut parts[*group as usize];
            let local = sides.map(|index| {
                if index == GROUND {
                    return GROUND;
                }
                let place = &mut work.places[index as usize];
                if place.0 == GROUND {
                    *place = (*group, members.len() as u32);
                    members.push(index);
                }
                place.1
            });
            joints.push(number as u32);
            list.push(JointOf { members: local, rows: joint.kind.rows(S::DIMENSION) });
        }
        for (members, joints, list) in parts {
            let mechanism = Mechanism::new(members.len(), list).ok_or(SetupError::JointMemory)?;
            let (twists, poses) =
                (vec![Twist::ZERO; members.len()], vec![Pose::IDENTITY; members.len()]);
            let (handles, redundant, start) = (Vec::new(), false, 0);
            let coordinates = None;
            let group = Group {
                mechanism,
                coordinates,
                members,
                joints,
                twists,
                poses,
                redundant,
                handles,
                start,
            };
            work.groups.push(group);
        }
        work.check_coordinates(setup)?;
        work.grow_trees(setup, &vec![JointState::default(); setup.joints.len()]);
        work.reactions = vec![JointReaction::default(); setup.joints.len()];
        work.arms = vec![S::Vector::ZERO; setup.joints.len()];
        Ok(work)
    }

    /// Takes which pairs do not touch each other, since a joint that is not broken holds them.
    pub fn keep_apart(&mut self, setup: &Setup<S>, joints: &[JointState]) {
        self.apart.clear();
        for (joint, state) in setup.joints.iter().zip(joints) {
            let passes = !joint.contact && !state.broken;
            if let ([Some(a), Some(b)], true) = (joint.sides.map(|side| side.owner), passes) {
                self.apart.push((a.min(b), a.max(b)));
            }
        }
        self.apart.sort_unstable();
    }

    /// Whether there are joints.
    pub fn any(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Whether a mover is a body that has joints.
    pub fn has(&self, mover: u32) -> bool {
        self.places.get(mover as usize).is_some_and(|place| place.0 != GROUND)
    }

    /// Group of a body that has joints, and its number there.
    pub(super) fn place(&self, body: u32) -> (u32, u32) {
        self.places[body as usize]
    }

    /// The bodies that have joints.
    pub fn members(&self) -> impl Iterator<Item = u32> {
        self.groups.iter().flat_map(|group| group.members.iter().copied())
    }

    /// Whether two cannot touch each other, since a joint holds them.
    #[inline]
    pub fn are_apart(&self, a: Owner, b: Owner) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// Takes rows and inverse inertias at the midpoint, and what the joints make of the free motion.
    pub(super) fn ready(&mut self, bodies: &[Body<S>], given: Given<S>, work: &RigidWork<S>) {
        let Given { setup, boundaries, .. } = given;
        self.points.clear();
        self.efforts.clear();
        for number in 0..self.groups.len() {
            self.groups[number].go_to_middle(bodies, given, work);
            let group = &mut self.groups[number];
            for (local, &index) in group.joints.iter().enumerate() {
                let joint = &setup.joints[index as usize];
                if given.joints[index as usize].broken {
                    group.mechanism.rows_mut(local).fill(JointRow::default());
                    continue;
                }
                let poses = group.owners(local, given);
                self.arms[index as usize] = frames(joint, &poses)[0].position - poses[0].position;
                if group.coordinates.is_some() {
                    continue;
                }
                let rows = group.mechanism.rows_mut(local);
                equations(joint, &poses, |number, Equation { mut row, .. }| {
                    let mut before = 0.0;
                    for (row, side) in row.sides.iter().zip(&joint.sides) {
                        match side.owner {
                            None => {}
                            Some(Owner::Body(index)) => {
                                let twist = &work.before[index as usize];
                                before += driven(row, twist.velocity, twist.spin);
                            }
                            Some(Owner::Boundary(index)) => {
                                let state = &boundaries[index as usize];
                                before += 2.0 * driven(row, state.velocity, state.spin);
                            }
                        }
                    }
                    // G ½(u_i + u_f) = w.
                    row.given = -before;
                    rows[number] = row;
                });
            }
            for (mover, &index) in group.mechanism.movers_mut().iter_mut().zip(&group.members) {
                *mover = work.problem.movers[index as usize];
            }
            match group.coordinates {
                Some(_) => group.move_freely(setup.time_step, work),
                None => {
                    group.mechanism.factor();
                    group.free(setup.time_step, work);
                    group.constrain();
                }
            }
            group.handles.clear();
        }
        for number in 0..self.groups.len() {
            for local in 0..self.groups[number].joints.len() {
                let group = &self.groups[number];
                let (joint, poses) = (group.joints[local], group.owners(local, given));
                if given.joints[joint as usize].broken {
                    continue;
                }
                let place = (number as u32, local as u32);
                self.note_stops(joint, place, &poses, given, work);
                self.note_drives(joint, place, &poses, given, work);
                self.note_friction(joint, place, &poses, given, work);
            }
        }
    }

    /// Notes that a contact acts on a body with joints, at an arm from its centre.
    pub fn touch(&mut self, body: u32, arm: S::Vector) {
        let (group, member) = self.places[body as usize];
        let handles = &mut self.groups[group as usize].handles;
        for axis in 0..S::DIMENSION {
            let push = S::Vector::axis(axis);
            let push = Twist { velocity: push, spin: S::moment(arm, push) };
            handles.push([(member, push), (GROUND, Twist::ZERO)]);
        }
    }

    /// Adds a point for each place that contacts act on, group after group, to a problem.
    pub fn add_points(&mut self, problem: &mut ContactProblem<S>) {
        self.first_point = problem.movers.len() as u32;
        for (number, group) in self.groups.iter_mut().enumerate() {
            group.start = problem.movers.len() as u32;
            let count = group.handles.len() / S::DIMENSION;
            if count == 0 {
                continue;
            }
            for handles in group.handles.chunks_exact(S::DIMENSION) {
                let free =
                    S::Vector::from_fn(|axis| Mechanism::velocity(&handles[axis], &group.twists));
                problem.push_point(free);
                self.points.push(number as u32);
            }
            let mut answers = Compliant::default();
            answers.reset(group.start, count as u32);
            match &mut group.coordinates {
                Some(coordinates) => coordinates.tree.respond(&group.handles, &mut answers),
                None => group.mechanism.respond(&group.handles, &mut answers),
            }
            problem.compliant.push(answers);
        }
    }

    /// The first point of a group, as places of contacts are numbered in the order in which they were [noted](Self::touch).
    pub fn first_point_of(&self, body: u32) -> (u32, u32) {
        let group = self.places[body as usize].0;
        (group, self.groups[group as usize].start)
    }

    /// How many groups there are.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// Velocities of the members with these impulses of contacts.
    pub fn close(
        &mut self,
        problem: &ContactProblem<S>,
        found: &Solution<S>,
        work: &mut RigidWork<S>,
        setup: &Setup<S>,
        boundaries: &[BoundaryState<S>],
    ) {
        self.answer(problem, found, setup.time_step, work);
        self.work = [0.0; 2];
        self.on_boundaries.clear();
        self.on_boundaries.resize(boundaries.len(), S::Vector::ZERO);
        for group in &mut self.groups {
            for (&index, twist) in group.members.iter().zip(&group.twists) {
                work.solution.twists[index as usize] = *twist;
            }
            let [all, given] = group.work(setup, boundaries, work, &mut self.on_boundaries);
            self.work[0] += all;
            self.work[1] += given;
            group.react(setup.time_step, &self.arms, &mut self.reactions);
        }
        self.close_efforts(setup, problem, found, work);
    }

    /// Velocities of the members and multipliers of the joints with these impulses of contacts.
    pub(super) fn answer(
        &mut self,
        problem: &ContactProblem<S>,
        found: &Solution<S>,
        h: f64,
        work: &RigidWork<S>,
    ) {
        for group in &mut self.groups {
            group.free(h, work);
        }
        for (contact, &impulse) in problem.contacts.iter().zip(&found.impulses) {
            let world = drystone_space::Frame::to_world(&contact.map.frame, impulse);
            for (mover, push) in [(contact.map.first, world), (contact.map.second, -world)] {
                let point = mover.wrapping_sub(self.first_point) as usize;
                let Some(&group) = self.points.get(point).filter(|_| mover != GROUND) else {
                    continue;
                };
                let group = &mut self.groups[group as usize];
                let local = (mover - group.start) as usize * S::DIMENSION;
                for (axis, handle) in group.handles[local..local + S::DIMENSION].iter().enumerate()
                {
                    group.mechanism.push(handle, push.get(axis), &mut group.twists);
                }
            }
        }
        self.groups.iter_mut().for_each(Group::constrain);
    }
}

impl<S: Dimension> Group<S> {
    /// Takes the poses of the midpoint. Where rows are redundant these are brought onto the constraints first, with rows of
    /// the start of the step: beside the constraints, by h² there, redundant rows contradict each other, and would hold
    /// what they should let move.
    fn go_to_middle(&mut self, bodies: &[Body<S>], given: Given<S>, work: &RigidWork<S>) {
        if self.redundant {
            self.take_poses(|index| bodies[index as usize].pose);
            self.linearise(bodies, Given { when: When::Now, ..given });
        }
        self.take_poses(|index| work.midpoints[index as usize]);
        if self.redundant {
            self.place(bodies, given, ROUNDS, false);
        }
    }

    /// The members' velocities without contacts and joints.
    pub(super) fn free(&mut self, h: f64, work: &RigidWork<S>) {
        for (twist, &index) in self.twists.iter_mut().zip(&self.members) {
            *twist = work.problem.free[index as usize];
        }
        if let Some(coordinates) = &self.coordinates {
            coordinates.add_bias(h, &mut self.twists);
        }
    }

    /// What joints make of the members' velocities.
    pub(super) fn constrain(&mut self) {
        match &mut self.coordinates {
            Some(coordinates) => coordinates.tree.constrain(&mut self.twists),
            None => self.mechanism.constrain(&mut self.twists),
        }
    }

    /// What the joints give to the bodies in the solve, and what of it boundaries give.
    fn work(
        &mut self,
        setup: &Setup<S>,
        boundaries: &[BoundaryState<S>],
        work: &RigidWork<S>,
        pushes: &mut [S::Vector],
    ) -> [f64; 2] {
        if let Some(coordinates) = &mut self.coordinates {
            return coordinates.work(setup, &self.members, work, pushes);
        }
        let mut sums = [0.0; 2];
        for (local, &index) in self.joints.iter().enumerate() {
            let joint = &setup.joints[index as usize];
            let rows = self.mechanism.rows(local).iter().zip(self.mechanism.multipliers(local));
            for (row, multiplier) in rows {
                for (row, side) in row.sides.iter().zip(&joint.sides) {
                    match side.owner {
                        None => {}
                        Some(Owner::Body(index)) => {
                            let (before, after) = (
                                &work.before[index as usize],
                                &work.solution.twists[index as usize],
                            );
                            let velocity = (before.velocity + after.velocity) * 0.5;
                            let spin = (before.spin + after.spin) * 0.5;
                            sums[0] += multiplier * driven(row, velocity, spin);
                        }
                        Some(Owner::Boundary(index)) => {
                            let state = &boundaries[index as usize];
                            sums[1] -= multiplier * driven(row, state.velocity, state.spin);
                            pushes[index as usize] += row.velocity * *multiplier;
                        }
                    }
                }
            }
        }
        sums
    }

    /// Forces of the joints on their first sides.
    fn react(&self, h: f64, arms: &[S::Vector], reactions: &mut [JointReaction<S>]) {
        for (local, &index) in self.joints.iter().enumerate() {
            let (force, torque) = self.reaction(local, arms[index as usize]);
            let reaction = &mut reactions[index as usize];
            (reaction.force, reaction.torque) = (force / h, torque * (1.0 / h));
        }
    }

    /// Impulse of a joint's rows on its first side, and its moment about the joint's point, at this arm.
    pub(super) fn reaction(&self, local: usize, arm: S::Vector) -> (S::Vector, S::Spin) {
        if let Some(coordinates) = &self.coordinates {
            return coordinates.reaction(local);
        }
        let (mut force, mut torque) = (S::Vector::ZERO, S::Spin::ZERO);
        let rows = self.mechanism.rows(local).iter().zip(self.mechanism.multipliers(local));
        for (row, &multiplier) in rows {
            force += row.sides[0].velocity * multiplier;
            torque += row.sides[0].spin * multiplier;
        }
        torque -= S::moment(arm, force);
        (force, torque)
    }
}

impl<S: Dimension> World<S> {
    /// Takes the joints as they are at the midpoint.
    pub(crate) fn ready_joints(&mut self) {
        let given = Given::middle(&self.setup, &self.state);
        self.work.joints.ready(&self.state.bodies, given, &self.work.rigid);
    }

    /// Solves the contacts that act on bodies with joints.
    pub(crate) fn solve_joined(&mut self, story: &mut Story) -> SolveReport {
        let part = &mut self.work.solid.part;
        if part.problem.contacts.is_empty() {
            return SolveReport::default();
        }
        let settings = self.solver_settings();
        let many = self.setup.params.methods.many_solid_sweeps;
        let method = match settings.method {
            Method::Assembled(method) => method,
            Method::Auto | Method::GaussSeidel => AssembledMethod::Auto,
        };
        let part = &mut self.work.solid.part;
        let mut report = part.solve(method, &settings, many, &self.work.threads, story);
        if self.work.joints.has_friction() {
            let (joints, work) = (&mut self.work.joints, &self.work.rigid);
            let mut rounds = 0;
            let looked = (self.setup.time_step, settings.tolerance);
            while joints.renew_friction(&mut part.problem, &part.solution, work, looked) {
                rounds += 1;
                if rounds > FRICTION_ROUNDS {
                    // Friction that grows faster than what it is asked for.
                    report.status = Status::NotSolved;
                    break;
                }
                let next = part.solve(method, &settings, many, &self.work.threads, story);
                report = SolveReport { iterations: report.iterations + next.iterations, ..next };
            }
        }
        part.hand_over(&mut self.work.rigid.solution.twists);
        report
    }

    /// Gives joined bodies the velocities that joints and contacts make.
    pub(crate) fn close_joints(&mut self) {
        if !self.work.joints.any() {
            return;
        }
        let part = &self.work.solid.part;
        let (found, boundaries) = (&part.solution, &self.state.boundaries);
        let (joints, work) = (&mut self.work.joints, &mut self.work.rigid);
        joints.close(&part.problem, found, work, &self.setup, boundaries);
    }

    /// The joints of the last step, in the setup's order: where they are, what they carry, how far they have drifted.
    pub fn joint_reactions(&self) -> &[JointReaction<S>] {
        &self.work.joints.reactions
    }
}
