//! Mechanisms in the coordinates q that their joints leave (Jean & Moreau 1992, §2; Moreau 1998, §4.1): bodies that a tree of joints
//! connects are one mover with the inertia A(q), and no joint can open.
//!
//! With the twists V = J(q) u + W of the members, W being what a moving base gives them, A = J* M J, and Moreau's step is
//!
//! > A(q_m) (u_f − u_i) = J* (h f − h M b − h c) + J* P,   q_m = q_i + (h/2) u_i,   q_f = q_m + (h/2) u_f.
//!
//! M b + c is what the derivatives of A make: b = J' u + W' the acceleration of members whose speeds u stay, c = ω × I ω. Both are taken
//! at ū = ½ (u_i + u_f), round after round, by which smooth motion is of second order. Turns go by the exponential of speeds
//! that are those of a joint's own axes (`freedoms.rs`); q is read off where bodies are, so that a state of bodies is all that there is.
//!
//! The books: ½ V·M V at q_m changes by exactly ½ (V_i + V_f) times what acts. What A, the potential and the derivative terms change
//! it by besides is booked as `joint_work`.

use super::JointKind;
use super::freedoms::{count, freedoms, moved, settled};
use super::hold::{Given, When};
use crate::workspace::RigidWork;
use crate::{Body, Dimension, Owner, Setup};
use drystone_solve::{GROUND, Link, Tree, Twist, UnionFind};
use drystone_space::{InverseInertia, Pose, Rotation, Space, Vector};

/// What of u, as it is after a step, may miss what joints allow before it counts as another velocity: a share of the kinetic energy.
const OFF: f64 = 1e-22;

/// What carries a member.
#[derive(Clone, Copy, Debug)]
struct Branch {
    /// The joint, by index; none for a member that nothing carries.
    joint: Option<u32>,
    /// Whether the member is its first side.
    first: bool,
    /// The member, boundary or ground that it holds to.
    member: u32,
    owner: Option<Owner>,
}

/// How something moves about its centre, speeds u being kept.
#[derive(Clone, Copy, Debug)]
struct Kinematics<S: Space> {
    at: S::Vector,
    spin: S::Spin,
    acceleration: S::Vector,
    /// Of the spin.
    turning: S::Spin,
}

impl<S: Space> Kinematics<S> {
    const REST: Self = Self {
        at: S::Vector::ZERO,
        spin: S::Spin::ZERO,
        acceleration: S::Vector::ZERO,
        turning: S::Spin::ZERO,
    };

    /// Acceleration of the point at an arm, less that of the centre.
    fn of_point(&self, arm: S::Vector) -> S::Vector {
        let turned = S::velocity_at(self.spin, S::velocity_at(self.spin, arm));
        S::velocity_at(self.turning, arm) + turned
    }
}

/// Members of a mechanism in its coordinates, in a step.
#[derive(Debug)]
pub(super) struct Coordinates<S: Dimension> {
    pub tree: Tree<S>,
    branches: Vec<Branch>,
    /// The member that each joint of the mechanism carries, or [`GROUND`].
    on_joint: Vec<u32>,
    kinds: Vec<Option<JointKind>>,
    /// q at the start of the step: the place of each member's first frame in the second one.
    start: Vec<Pose<S>>,
    /// u_i, ū of the last round, and ũ where overlaps are made good by positions.
    before: Vec<f64>,
    mean: Vec<f64>,
    placed: Vec<f64>,
    /// Where members are, and both frames of what carries each.
    poses: Vec<Pose<S>>,
    frames: Vec<[Pose<S>; 2]>,
    /// How that moves at the midpoint which carries a member without a parent.
    base: Vec<Kinematics<S>>,
    inverse: Vec<S::InverseInertia>,
    twists: Vec<Twist<S>>,
    kinematics: Vec<Kinematics<S>>,
    /// b and c as accelerations of the members, and the same of the next round.
    bias: Vec<Twist<S>>,
    next: Vec<Twist<S>>,
    /// Whether nothing has been solved with this midpoint yet.
    fresh: bool,
    /// Kinetic and potential energy at the start; kinetic energy at the midpoint that the step has brought, less that work of gravity
    /// which is counted with the mean velocities.
    energy: f64,
    middle: f64,
    /// What a base that has jumped gave before the step, and what of it boundaries gave.
    jump: [f64; 2],
}

/// The joint that cannot be had in coordinates: it closes a loop.
pub(super) struct Loop(pub u32);

impl<S: Dimension> Coordinates<S> {
    /// The tree of these members, held by these joints (by index) but for those that `broken` knows.
    pub fn new(
        setup: &Setup<S>,
        members: &[u32],
        joints: &[u32],
        broken: impl Fn(u32) -> bool,
    ) -> Result<Self, Loop> {
        let number = |owner: Option<Owner>| match owner {
            Some(Owner::Body(index)) => members.iter().position(|&m| m == index),
            _ => None,
        };
        let size = members.len();
        let mut joined = UnionFind::default();
        joined.reset(size + 1);
        let mut edges = vec![Vec::new(); size + 1];
        for &index in joints {
            let joint = &setup.joints[index as usize];
            if joint.kind.coordinates(S::DIMENSION).is_none() || broken(index) {
                continue;
            }
            let [one, other] = joint.sides.map(|side| number(side.owner).unwrap_or(size));
            if joined.find(one as u32) == joined.find(other as u32) {
                return Err(Loop(index));
            }
            joined.union(one as u32, other as u32);
            edges[one].push((other, index, false));
            edges[other].push((one, index, true));
        }
        let free = Branch { joint: None, first: true, member: GROUND, owner: None };
        let (mut branches, mut reached) = (vec![free; size], vec![false; size]);
        // What the world carries, and then members that nothing carries with all that hangs on them.
        for root in std::iter::once(size).chain(0..size) {
            if root < size && std::mem::replace(&mut reached[root], true) {
                continue;
            }
            let mut open = vec![root];
            while let Some(from) = open.pop() {
                for &(to, index, first) in &edges[from] {
                    if to == size || std::mem::replace(&mut reached[to], true) {
                        continue;
                    }
                    let owner = setup.joints[index as usize].sides[usize::from(first)].owner;
                    let member = if from == size { GROUND } else { from as u32 };
                    branches[to] = Branch { joint: Some(index), first, member, owner };
                    open.push(to);
                }
            }
        }
        let kind = |branch: &Branch| branch.joint.map(|index| setup.joints[index as usize].kind);
        let kinds: Vec<_> = branches.iter().map(kind).collect();
        let link = |(branch, kind): (&Branch, &Option<JointKind>)| Link {
            parent: branch.member,
            freedoms: count::<S>(*kind),
        };
        let tree = Tree::new(branches.iter().zip(&kinds).map(link).collect());
        let speeds = tree.speeds().len();
        let mut on_joint = vec![GROUND; joints.len()];
        for (member, branch) in branches.iter().enumerate() {
            let local = joints.iter().position(|&index| branch.joint == Some(index));
            local.into_iter().for_each(|local| on_joint[local] = member as u32);
        }
        Ok(Self {
            tree,
            branches,
            on_joint,
            kinds,
            start: vec![Pose::IDENTITY; size],
            before: vec![0.0; speeds],
            mean: vec![0.0; speeds],
            placed: Vec::with_capacity(speeds),
            poses: vec![Pose::IDENTITY; size],
            frames: vec![[Pose::IDENTITY; 2]; size],
            base: vec![Kinematics::REST; size],
            inverse: vec![S::InverseInertia::ZERO; size],
            twists: vec![Twist::ZERO; size],
            kinematics: vec![Kinematics::REST; size],
            bias: vec![Twist::ZERO; size],
            next: vec![Twist::ZERO; size],
            fresh: true,
            energy: 0.0,
            middle: 0.0,
            jump: [0.0; 2],
        })
    }

    /// Both frames of what carries a member, in the axes of the member and of its carrier.
    fn own_frames(&self, member: usize, setup: &Setup<S>) -> [Pose<S>; 2] {
        let branch = &self.branches[member];
        let Some(index) = branch.joint else { return [Pose::IDENTITY; 2] };
        let [first, second] = setup.joints[index as usize].sides.map(|side| side.frame);
        if branch.first { [first, second] } else { [second, first] }
    }

    /// Takes both frames of each branch in the world.
    fn take_frames(&mut self, given: Given<S>) {
        for member in 0..self.branches.len() {
            let branch = self.branches[member];
            let carrier = given.pose(branch.owner, branch.member, &self.poses);
            let [own, other] = self.own_frames(member, given.setup);
            let frames = [self.poses[member].compose(&own), carrier.compose(&other)];
            self.frames[member] = if branch.first { frames } else { [frames[1], frames[0]] };
        }
    }

    /// Puts members where their places against what carries them say.
    fn rise(
        &mut self,
        given: Given<S>,
        place: impl Fn(&Self, usize, std::ops::Range<usize>) -> Pose<S>,
    ) {
        for number in 0..self.tree.order().len() {
            let member = self.tree.order()[number] as usize;
            let branch = self.branches[member];
            let carrier = given.pose(branch.owner, branch.member, &self.poses);
            let [own, other] = self.own_frames(member, given.setup);
            let place = place(self, member, self.tree.freedoms(member));
            let place = if branch.first { place } else { place.inverse() };
            self.poses[member] = carrier.compose(&other).compose(&place).compose(&own.inverse());
        }
        self.take_frames(given);
    }

    /// Tells the tree where members are and how its base moves.
    fn lay(
        &mut self,
        bodies: &[Body<S>],
        members: &[u32],
        given: Given<S>,
        base: impl Fn(Option<Owner>) -> Twist<S>,
    ) {
        for (member, &index) in members.iter().enumerate() {
            let (branch, pose) = (self.branches[member], self.poses[member]);
            let carrier = given.pose(branch.owner, branch.member, &self.poses);
            self.tree.place(member, pose.position - carrier.position);
            self.tree.give(member, base(branch.owner));
            let (frames, body) = (&self.frames[member], &bodies[index as usize]);
            let arm = pose.position - frames[0].position;
            let sign = if branch.first { 1.0 } else { -1.0 };
            let columns = self.tree.columns_mut(member);
            freedoms::<S>(self.kinds[member], frames, |number, velocity, spin| {
                let velocity = (velocity + S::velocity_at(spin, arm)) * sign;
                columns[number] = Twist { velocity, spin: spin * sign };
            });
            let turn = pose.rotation;
            self.tree.weigh(member, body.mass, |spin| {
                turn.apply_spin(body.moments.scale(turn.apply_spin_inverse(spin)))
            });
        }
    }

    /// Reads off q and u where bodies are and move. Where these do not move as the joints allow, since the base was told to move
    /// otherwise or somebody has set their velocities, they take the nearest speeds, as after an impact.
    fn read(&mut self, bodies: &[Body<S>], members: &[u32], given: Given<S>) {
        for (member, &index) in members.iter().enumerate() {
            let body = &bodies[index as usize];
            self.poses[member] = body.pose;
            self.twists[member] = Twist { velocity: body.velocity, spin: body.world_spin() };
        }
        self.take_frames(given);
        for member in 0..members.len() {
            let [first, second] = self.frames[member];
            self.start[member] = settled(self.kinds[member], second.inverse().compose(&first));
        }
        self.lay(bodies, members, given, |owner| given.twist(owner));
        for member in 0..members.len() {
            self.read_speeds(member, given);
        }
        self.tree.move_along(&self.before, &mut self.next);
        let kinetic = self.tree.kinetic_energy(&self.twists);
        let size = kinetic + self.tree.kinetic_energy(&self.next);
        for (next, twist) in self.next.iter_mut().zip(&self.twists) {
            next.add_scaled(twist, -1.0);
        }
        self.jump = [0.0; 2];
        if self.tree.kinetic_energy(&self.next) > OFF * size && self.tree.factor() {
            self.tree.constrain(&mut self.twists);
            self.before.copy_from_slice(self.tree.speeds());
            self.jump[0] = self.tree.kinetic_energy(&self.twists) - kinetic;
            self.jump[1] = self.base_work(|_, _| {});
        }
        let potential = |&index: &u32| {
            let body = &bodies[index as usize];
            -body.mass * given.setup.gravity.dot(body.pose.position)
        };
        self.energy =
            self.tree.kinetic_energy(&self.twists) + members.iter().map(potential).sum::<f64>();
    }

    /// The speeds of a member along its freedoms, from twists.
    fn read_speeds(&mut self, member: usize, given: Given<S>) {
        let branch = self.branches[member];
        let carrier = given.pose(branch.owner, branch.member, &self.poses);
        let other = match branch.member {
            GROUND => given.twist(branch.owner),
            parent => self.twists[parent as usize],
        };
        let point = self.frames[member][0].position;
        let at = |twist: &Twist<S>, pose: &Pose<S>| {
            twist.velocity + S::velocity_at(twist.spin, point - pose.position)
        };
        let sign = if branch.first { 1.0 } else { -1.0 };
        let own = &self.twists[member];
        let velocity = (at(own, &self.poses[member]) - at(&other, &carrier)) * sign;
        let spin = (own.spin - other.spin) * sign;
        let speeds = &mut self.before[self.tree.freedoms(member)];
        freedoms::<S>(self.kinds[member], &self.frames[member], |number, way, axis| {
            let square = way.norm_squared() + axis.norm_squared();
            speeds[number] = (way.dot(velocity) + axis.dot(spin)) / square;
        });
    }

    /// Goes to the midpoint: places, twists with u_i, inertia, and what bodies do there by themselves.
    pub fn predict(
        &mut self,
        bodies: &[Body<S>],
        members: &[u32],
        given: Given<S>,
        work: &mut RigidWork<S>,
    ) {
        let h = given.setup.time_step;
        self.read(bodies, members, Given { when: When::Now, ..given });
        let middle = Given { when: When::Middle, ..given };
        self.rise(middle, |own, member, freedoms| {
            moved(own.kinds[member], &own.start[member], &own.before[freedoms], 0.5 * h)
        });
        self.lay(bodies, members, middle, |owner| middle.mean_twist(owner));
        for member in 0..members.len() {
            let Branch { owner, member: GROUND, .. } = self.branches[member] else { continue };
            let mean = middle.mean_twist(owner);
            let [from, to] =
                [given.time, given.time + h].map(|time| Given { time, ..given }.twist(owner));
            self.base[member] = Kinematics {
                at: middle.pose(owner, GROUND, &[]).position,
                spin: mean.spin,
                acceleration: (to.velocity - from.velocity) / h,
                turning: (to.spin - from.spin) / h,
            };
        }
        self.tree.move_along(&self.before, &mut self.twists);
        for (member, &index) in members.iter().enumerate() {
            let (place, body) = (index as usize, &bodies[index as usize]);
            let (pose, twist) = (self.poses[member], self.twists[member]);
            self.inverse[member] = S::InverseInertia::from_principal(body.moments, pose.rotation);
            work.midpoints[place] = pose;
            work.before[place] = twist;
            if let Some(coasted) = work.tumbling.get_mut(place) {
                *coasted = pose.rotation.apply_spin_inverse(twist.spin);
            }
            let velocity = twist.velocity + given.setup.gravity * h;
            work.problem.free[place] = Twist { velocity, ..twist };
            work.problem.movers[place].inverse_inertia = self.inverse[member];
        }
        self.tree.factor();
        self.mean.copy_from_slice(&self.before);
        self.find_bias();
        std::mem::swap(&mut self.bias, &mut self.next);
        self.fresh = true;
        self.placed.clear();
    }

    /// b and c at ū, into `next`.
    fn find_bias(&mut self) {
        for number in 0..self.tree.order().len() {
            let member = self.tree.order()[number] as usize;
            let branch = self.branches[member];
            let carrier = match branch.member {
                GROUND => self.base[member],
                parent => self.kinematics[parent as usize],
            };
            let own = self.carried(member, &carrier);
            self.kinematics[member] = own;
            let spin = Twist { velocity: S::Vector::ZERO, spin: own.spin };
            let gyroscopic = S::turned_by(own.spin, self.tree.momentum(member, &spin).spin);
            let turning = own.turning + self.inverse[member].apply(gyroscopic);
            self.next[member] = Twist { velocity: own.acceleration, spin: turning };
        }
    }

    /// How a member moves on what carries it, with the mean speeds.
    fn carried(&self, member: usize, carrier: &Kinematics<S>) -> Kinematics<S> {
        let (frames, kind) = (&self.frames[member], self.kinds[member]);
        let speeds = &self.mean[self.tree.freedoms(member)];
        let (mut way, mut spin) = (S::Vector::ZERO, S::Spin::ZERO);
        // A universal joint's second axis turns with its first coordinate.
        let (mut extra, mut axis) = (S::Spin::ZERO, S::Spin::ZERO);
        freedoms::<S>(kind, frames, |number, along, about| {
            way += along * speeds[number];
            if kind == Some(JointKind::Universal) {
                extra = S::turned_by(axis, about * speeds[number]);
                axis = about * speeds[number];
            }
            spin += about * speeds[number];
        });
        let (at, point) = (self.poses[member].position, frames[0].position);
        let (from, to) = (point - carrier.at, at - point);
        let first = self.branches[member].first;
        // The axes of translation turn with the second side, and so does the spin between both.
        let second_spin = if first { carrier.spin } else { carrier.spin - spin };
        let sign = if first { 1.0 } else { -1.0 };
        let coriolis = S::velocity_at(second_spin, way) * 2.0;
        let mut own = Kinematics {
            at,
            spin: carrier.spin + spin * sign,
            acceleration: carrier.acceleration + carrier.of_point(from) + coriolis * sign,
            turning: carrier.turning + (S::turned_by(second_spin, spin) + extra) * sign,
        };
        own.acceleration += own.of_point(to);
        own
    }

    /// Adds what b and c do in a step to the members' twists.
    pub fn add_bias(&self, h: f64, twists: &mut [Twist<S>]) {
        twists.iter_mut().zip(&self.bias).for_each(|(twist, bias)| twist.add_scaled(bias, -h));
    }

    /// Whether nothing has been solved with this midpoint yet; asked once.
    pub fn is_fresh(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    /// Takes b and c at the mean of u_i and the speeds that were found, if that changes the members' twists by more than a share of these.
    pub fn renew(&mut self, h: f64, tolerance: f64, twists: &[Twist<S>]) -> bool {
        let ends = self.before.iter().zip(self.tree.speeds());
        self.mean.iter_mut().zip(ends).for_each(|(mean, (from, to))| *mean = 0.5 * (from + to));
        self.find_bias();
        for (change, (next, bias)) in self.twists.iter_mut().zip(self.next.iter().zip(&self.bias)) {
            *change = *next;
            change.add_scaled(bias, -1.0);
        }
        let change = h * h * self.tree.kinetic_energy(&self.twists);
        // What is not a number will not settle.
        let settled = change <= tolerance * tolerance * self.tree.kinetic_energy(twists);
        if !settled {
            std::mem::swap(&mut self.bias, &mut self.next);
        }
        !settled
    }

    /// Keeps the speeds by which overlaps are made good.
    pub fn note_placed(&mut self) {
        self.placed.clear();
        self.placed.extend_from_slice(self.tree.speeds());
    }

    /// Impulse of a joint, by its number in the mechanism, on its first side in the last solve, and its moment about the joint's point.
    pub fn reaction(&self, local: usize) -> (S::Vector, S::Spin) {
        let member = match self.on_joint[local] {
            GROUND => return (S::Vector::ZERO, S::Spin::ZERO),
            member => member as usize,
        };
        let (got, _) = self.tree.reaction(member);
        let arm = self.frames[member][0].position - self.poses[member].position;
        let sign = if self.branches[member].first { 1.0 } else { -1.0 };
        (got.velocity * sign, (got.spin - S::moment(arm, got.velocity)) * sign)
    }

    /// What the base gives, and shows to each boundary of it.
    fn base_work(&self, mut push: impl FnMut(usize, S::Vector)) -> f64 {
        let mut sum = 0.0;
        for (member, branch) in self.branches.iter().enumerate() {
            let (Some(Owner::Boundary(index)), GROUND) = (branch.owner, branch.member) else {
                continue;
            };
            let (got, arm) = self.tree.reaction(member);
            let base = self.tree.given(member);
            let velocity = base.velocity + S::velocity_at(base.spin, arm);
            sum += got.velocity.dot(velocity) + got.spin.dot(base.spin);
            push(index as usize, -got.velocity);
        }
        sum
    }

    /// What joints gave to members in the solve, with what b and c gave, and what of that boundaries gave.
    pub fn work(
        &mut self,
        setup: &Setup<S>,
        members: &[u32],
        work: &RigidWork<S>,
        pushes: &mut [S::Vector],
    ) -> [f64; 2] {
        let h = setup.time_step;
        let (mut sum, mut lifted) = (0.0, 0.0);
        for (member, &index) in members.iter().enumerate() {
            let (before, after) =
                (work.before[index as usize], work.solution.twists[index as usize]);
            let mut mean = before;
            mean.add_scaled(&after, 1.0);
            let mut change = after;
            change.add_scaled(&self.tree.wanted()[member], -1.0);
            change.add_scaled(&self.bias[member], -h);
            let momentum = self.tree.momentum(member, &change);
            sum += 0.5 * (momentum.velocity.dot(mean.velocity) + momentum.spin.dot(mean.spin));
            let weight =
                self.tree.momentum(member, &Twist { velocity: setup.gravity, spin: S::Spin::ZERO });
            lifted += 0.5 * h * weight.velocity.dot(mean.velocity);
            (self.twists[member], self.next[member]) = (before, after);
        }
        self.middle =
            self.tree.kinetic_energy(&self.next) - self.tree.kinetic_energy(&self.twists) - lifted;
        [sum, self.base_work(|index, push| pushes[index] += push)]
    }

    /// q_f and u_f: where the members are at the end of the step. Returns what energy that has brought besides what is booked, and what
    /// of it boundaries gave.
    pub fn advance(
        &mut self,
        bodies: &mut [Body<S>],
        members: &[u32],
        given: Given<S>,
    ) -> [f64; 2] {
        let (h, gravity) = (given.setup.time_step, given.setup.gravity);
        let mut shifted = 0.0;
        if !self.placed.is_empty() {
            // What is lifted by this is booked where overlaps are.
            self.tree.move_along(&self.placed, &mut self.next);
            self.tree.move_along(self.tree.speeds(), &mut self.twists);
            for (&index, (placed, end)) in members.iter().zip(self.next.iter().zip(&self.twists)) {
                let way = (placed.velocity - end.velocity) * h;
                shifted += bodies[index as usize].mass * gravity.dot(way);
            }
        }
        let ends = self.before.iter().zip(self.tree.speeds()).enumerate();
        for (number, (from, to)) in ends {
            let shift = self.placed.get(number).map_or(0.0, |placed| placed - to);
            self.mean[number] = 0.5 * (from + to) + shift;
        }
        self.rise(given, |own, member, freedoms| {
            moved(own.kinds[member], &own.start[member], &own.mean[freedoms], h)
        });
        self.lay(bodies, members, given, |owner| given.twist(owner));
        self.tree.move_along(self.tree.speeds(), &mut self.twists);
        for ((&index, pose), twist) in members.iter().zip(&self.poses).zip(&self.twists) {
            let body = &mut bodies[index as usize];
            (body.pose, body.velocity) = (*pose, twist.velocity);
            body.set_world_spin(twist.spin);
        }
        let energy = members.iter().map(|&index| {
            let body = &bodies[index as usize];
            body.kinetic_energy() - body.mass * gravity.dot(body.pose.position)
        });
        let gained = energy.sum::<f64>() - self.energy - self.middle + shifted;
        [gained + self.jump[0], self.jump[1]]
    }
}
