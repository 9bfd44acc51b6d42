//! The part of a step's contact problem in which solids take part: their contacts, and those of all bodies that contacts
//! join to them. The rest is solved by itself, as if there were no solids.
//!
//! A place on a surface that a contact touches is a point of a compliant group (`drystone_solve::Compliant`): what
//! Newton's iteration knows of its solid is condensed to these points.

use super::SolidWork;
use super::contact::{ContactSide, Soft};
use crate::assemble::{Prepared, VELOCITY_ROUNDING};
use crate::contact::{ContactCouple, sort_by_name};
use crate::joint::JointWork;
use crate::special::{PreparedLaw, PreparedSpecial, add_couples, break_bonds};
use crate::workspace::RigidWork;
use crate::{
    Attempt, Contact, Dimension, Method, MethodReason, MethodTaken, Owner, SolverSettings,
};
use crate::{Story, World};
use drystone_fem::Solid;
use drystone_fem::touch::Spot;
use drystone_solve::{
    AssembledMethod, Compliant, ContactMap, ContactProblem, GROUND, Law, Limits, Nlgs, NlgsParams,
    Solution, SolveReport, Special, Status, Threads, Twist, UnionFind, solve_assembled,
};
use drystone_space::{Frame, Vector};

/// See the module.
#[derive(Debug)]
pub(crate) struct CompliantPart<S: Dimension> {
    /// Contacts between bodies that are joined to a solid or have joints, in the order of their names. They stand here while the step
    /// is solved, and not in the workspace.
    pub contacts: Vec<Contact<S>>,
    /// Number in the workspace's problem of each rigid mover.
    pub movers: Vec<u32>,
    /// Number here of each mover of the workspace's problem, or [`GROUND`].
    numbers: Vec<u32>,
    /// What contacts join.
    joined: UnionFind,
    marked: Vec<bool>,
    /// Solid and place of each point, in the order of points.
    spots: Vec<(u32, Spot)>,
    /// For both sides of each contact of bodies, and then of solids, the point of a body with joints that it acts on, or
    /// [`GROUND`].
    on_joints: Vec<[u32; 2]>,
    /// The next point of each group of joined bodies, as they are given out.
    next_on_joint: Vec<u32>,
    /// Where the points of each solid start; one entry more than there are solids.
    starts: Vec<u32>,
    /// The next point of each solid, as they are given out.
    next: Vec<u32>,
    /// The places of a solid's points, nodes numbered among those that are touched; velocities of these.
    numbered: Vec<Spot>,
    surface: Vec<S::Vector>,
    /// Contacts of bodies first, then those of solids.
    pub problem: ContactProblem<S>,
    pub solution: Solution<S>,
    solver: Nlgs<S>,
}

impl<S: Dimension> Default for CompliantPart<S> {
    fn default() -> Self {
        Self {
            contacts: Vec::new(),
            movers: Vec::new(),
            numbers: Vec::new(),
            joined: UnionFind::default(),
            marked: Vec::new(),
            spots: Vec::new(),
            on_joints: Vec::new(),
            next_on_joint: Vec::new(),
            starts: Vec::new(),
            next: Vec::new(),
            numbered: Vec::new(),
            surface: Vec::new(),
            problem: ContactProblem::default(),
            solution: Solution::default(),
            solver: Nlgs::default(),
        }
    }
}

impl<S: Dimension> CompliantPart<S> {
    /// Takes the contacts of all bodies that contacts join to a solid or to a body with joints out of the workspace, also those that the step
    /// might have been solved without.
    pub fn take_contacts(
        &mut self,
        soft: &[Soft<S>],
        joints: &JointWork<S>,
        work: &mut RigidWork<S>,
    ) {
        self.contacts.clear();
        let touched = soft.iter().flat_map(|soft| [soft.first, soft.second]);
        let touched = touched.filter_map(|side| match side {
            ContactSide::Mover { index, .. } => Some(index),
            ContactSide::Nodes { .. } | ContactSide::Given => None,
        });
        let count = work.problem.movers.len();
        self.marked.clear();
        self.marked.resize(count, false);
        touched.chain(joints.members()).for_each(|mover| self.marked[mover as usize] = true);
        if !self.marked.contains(&true) {
            return;
        }
        self.joined.reset(count);
        for contact in work.contacts.iter().chain(&work.deferred) {
            let (first, second) = (work.mover(contact.first), work.mover(contact.second));
            if second != GROUND {
                self.joined.union(first, second);
            }
        }
        for mover in 0..count as u32 {
            let leader = self.joined.find(mover) as usize;
            self.marked[leader] |= self.marked[mover as usize];
        }
        let sliders = &work.sliders;
        let mut belongs = |contact: &mut Contact<S>| {
            let first = match contact.first {
                Owner::Body(index) => index,
                Owner::Boundary(index) => sliders[index as usize].mover,
            };
            self.marked[self.joined.find(first) as usize]
        };
        self.contacts.extend(work.contacts.extract_if(.., &mut belongs));
        self.contacts.extend(work.deferred.extract_if(.., &mut belongs));
        sort_by_name(&mut self.contacts);
    }

    /// Begins a problem: movers of contacts between bodies and of solids, the points of these, and those of bodies with
    /// joints.
    pub fn begin(
        &mut self,
        soft: &[Soft<S>],
        solids: usize,
        joints: &mut JointWork<S>,
        work: &RigidWork<S>,
    ) {
        let Self { movers, numbers, problem, solution, .. } = self;
        movers.clear();
        numbers.clear();
        numbers.resize(work.problem.movers.len(), GROUND);
        let ContactProblem { movers: inertias, free, contacts, specials, .. } = problem;
        inertias.clear();
        free.clear();
        contacts.clear();
        specials.clear();
        solution.impulses.clear();
        solution.couples.clear();
        let mut number = |mover: u32| {
            let new = mover != GROUND && numbers[mover as usize] == GROUND;
            if new && !joints.has(mover) {
                numbers[mover as usize] = movers.len() as u32;
                movers.push(mover);
                inertias.push(work.problem.movers[mover as usize]);
                free.push(work.problem.free[mover as usize]);
            }
        };
        for contact in &self.contacts {
            number(work.mover(contact.first));
            number(work.mover(contact.second));
        }
        for soft in soft {
            if let ContactSide::Mover { index, .. } = soft.second {
                number(index);
            }
        }
        self.add_points(soft, solids);
        self.add_points_on_joints(soft, joints, work);
        let speeds = self.problem.free.iter().map(|twist| twist.velocity.norm_squared());
        self.problem.velocity_noise = VELOCITY_ROUNDING * speeds.fold(0.0, f64::max).sqrt();
    }

    /// A point for each side of a contact that is on a solid, solid after solid.
    fn add_points(&mut self, soft: &[Soft<S>], solids: usize) {
        let sides = || soft.iter().flat_map(|soft| [soft.first, soft.second]);
        let rigid = self.problem.movers.len() as u32;
        self.starts.clear();
        self.starts.resize(solids + 1, 0);
        for side in sides() {
            if let ContactSide::Nodes { solid, .. } = side {
                self.starts[solid as usize + 1] += 1;
            }
        }
        for solid in 0..solids {
            self.starts[solid + 1] += self.starts[solid];
        }
        self.spots.clear();
        self.spots.resize(self.starts[solids] as usize, (0, Spot::at(0)));
        self.next.clone_from(&self.starts);
        let next = &mut self.next;
        for side in sides() {
            if let ContactSide::Nodes { solid, spot } = side {
                let point = &mut next[solid as usize];
                self.spots[*point as usize] = (solid, spot);
                *point += 1;
            }
        }
        for _ in &self.spots {
            self.problem.push_point(S::Vector::ZERO);
        }
        let groups = &mut self.problem.compliant;
        groups.resize_with(solids, Compliant::default);
        for (group, bounds) in groups.iter_mut().zip(self.starts.windows(2)) {
            group.reset(rigid + bounds[0], bounds[1] - bounds[0]);
        }
    }

    /// A point for each side of a contact that is on a body with joints.
    fn add_points_on_joints(
        &mut self,
        soft: &[Soft<S>],
        joints: &mut JointWork<S>,
        work: &RigidWork<S>,
    ) {
        self.on_joints.clear();
        if !joints.any() {
            return;
        }
        let mut touch = |body: u32, arm| match joints.has(body) {
            true => {
                joints.touch(body, arm);
                body
            }
            false => GROUND,
        };
        for contact in &self.contacts {
            let map = work.map(contact.first, contact.second, contact.point, contact.normal);
            let sides = [(contact.first, map.arm_first), (contact.second, map.arm_second)];
            self.on_joints.push(sides.map(|(owner, arm)| match owner {
                Owner::Body(body) => touch(body, arm),
                Owner::Boundary(_) => GROUND,
            }));
        }
        for soft in soft {
            let sides = [soft.first, soft.second].map(|side| match side {
                ContactSide::Mover { index, arm } => touch(index, arm),
                ContactSide::Nodes { .. } | ContactSide::Given => GROUND,
            });
            self.on_joints.push(sides);
        }
        joints.touch_efforts();
        joints.add_points(&mut self.problem);
        // From bodies to points, in the order in which they were noted.
        self.next_on_joint.clear();
        self.next_on_joint.resize(joints.count(), GROUND);
        for side in self.on_joints.iter_mut().flatten().filter(|side| **side != GROUND) {
            let (group, first) = joints.first_point_of(*side);
            let next = &mut self.next_on_joint[group as usize];
            *next = if *next == GROUND { first } else { *next + 1 };
            *side = *next;
        }
    }

    /// The point of a body with joints on which a side of a contact acts, if it does.
    fn on_joint(&self, contact: usize, side: usize) -> Option<u32> {
        self.on_joints.get(contact).map(|sides| sides[side]).filter(|&point| point != GROUND)
    }

    /// The map of a contact of the workspace's problem as one of this.
    pub fn renumbered(&self, contact: usize, map: ContactMap<S>) -> ContactMap<S> {
        let number = |side: usize, mover: u32, arm: S::Vector| match self.on_joint(contact, side) {
            Some(point) => (point, S::Vector::ZERO),
            None if mover == GROUND => (GROUND, arm),
            None => (self.numbers[mover as usize], arm),
        };
        let (first, arm_first) = number(0, map.first, map.arm_first);
        let (second, arm_second) = number(1, map.second, map.arm_second);
        ContactMap { first, second, arm_first, arm_second, ..map }
    }

    /// Adds the contacts of solids, from the impulses that they had.
    pub fn push_soft(&mut self, soft: &[Soft<S>], specials: &[Special<S>], relaxation: f64) {
        let rigid = self.movers.len() as u32;
        self.next.clone_from(&self.starts);
        for (index, soft) in soft.iter().enumerate() {
            let points = [0, 1].map(|side| self.on_joint(self.contacts.len() + index, side));
            let (next, numbers) = (&mut self.next, &self.numbers);
            let mut mover = |side: &ContactSide<S>, on_joint: Option<u32>| match side {
                ContactSide::Nodes { solid, .. } => {
                    let point = &mut next[*solid as usize];
                    *point += 1;
                    (rigid + *point - 1, S::Vector::ZERO)
                }
                ContactSide::Mover { index, arm } => match on_joint {
                    Some(point) => (point, S::Vector::ZERO),
                    None => (numbers[*index as usize], *arm),
                },
                ContactSide::Given => (GROUND, S::Vector::ZERO),
            };
            let ((first, arm_first), (second, arm_second)) =
                (mover(&soft.first, points[0]), mover(&soft.second, points[1]));
            let map = ContactMap { first, second, frame: soft.frame, arm_first, arm_second };
            let start = soft.frame.to_local(soft.contact.impulse);
            match soft.law.special(specials) {
                Some(special) => {
                    let prepared = PreparedSpecial {
                        law: PreparedLaw::without_couple(special.clone()),
                        offset: soft.offset,
                        impulse: start,
                    };
                    prepared.push(map, relaxation, &mut self.problem, &mut self.solution);
                }
                None => {
                    self.problem.push_contact(map, soft.offset, soft.law, relaxation);
                    self.solution.impulses.push(soft.law.project::<S>(start));
                }
            }
        }
    }

    /// Takes the velocities of solids without contacts from Newton's last iteration.
    pub fn take_free_velocities(&mut self, solids: &[Solid<S>]) {
        let rigid = self.movers.len();
        for (point, (solid, spot)) in self.problem.free[rigid..].iter_mut().zip(&self.spots) {
            let free = solids[*solid as usize].free();
            point.velocity = spot.mean(|node| free[node as usize]);
        }
    }

    /// Takes what solids answer to impulses from Newton's last factors, condensed to the points; `touched` has the places
    /// of each surface that contacts touch, rising.
    pub fn take_responses(&mut self, solids: &[Solid<S>], touched: &[Vec<u32>], relaxation: f64) {
        for (index, (solid, touched)) in solids.iter().zip(touched).enumerate() {
            let own = self.starts[index] as usize..self.starts[index + 1] as usize;
            let surface = solid.model().surface();
            let number = |node: u32| touched.partition_point(|&at| at < surface.place(node) as u32);
            self.numbered.clear();
            let spots = &self.spots[own];
            self.numbered.extend(spots.iter().map(|(_, spot)| spot.renamed(|n| number(n) as u32)));
            let group = &mut self.problem.compliant[index];
            for (point, (_, pushed)) in group.points().zip(spots) {
                for axis in 0..S::DIMENSION {
                    self.surface.clear();
                    self.surface.resize(touched.len(), S::Vector::ZERO);
                    for &(node, weight) in pushed.nodes() {
                        let answer = solid.answer(node, axis);
                        for (velocity, &place) in self.surface.iter_mut().zip(touched) {
                            *velocity += answer[place as usize] * weight;
                        }
                    }
                    let response = group.response_mut(point, axis);
                    for (velocity, spot) in response.iter_mut().zip(&self.numbered) {
                        *velocity = spot.mean(|place| self.surface[place as usize]);
                    }
                }
            }
        }
        self.problem.renew_compliant(relaxation);
    }

    /// Solves the problem from the impulses that its solution holds: by sweeps, at most `many` of them where the
    /// assembled form can take over, or by way of this at once where another solver is asked for.
    pub fn solve(
        &mut self,
        method: AssembledMethod,
        settings: &SolverSettings,
        many: usize,
        threads: &Threads,
        story: &mut Story,
    ) -> SolveReport {
        let all = settings.max_iterations;
        let assembled = self.problem.is_coulomb() && settings.method != Method::GaussSeidel;
        let (first, reason) = match (assembled, method) {
            (false, _) => (all, MethodReason::Usual),
            (true, AssembledMethod::Auto) => (all.min(many), MethodReason::SlowSweeps),
            (true, _) => (0, MethodReason::Asked),
        };
        let mut report = self.sweep(first, settings, threads);
        if first > 0 || report.status == Status::Solved {
            story.add(Attempt::of(MethodTaken::Sweeps, MethodReason::Usual, &report));
        }
        if report.status == Status::Solved || first == all {
            return report;
        }
        let left = Limits::new(settings.tolerance, all - first);
        let before = report.iterations;
        if let Some(other) = solve_assembled(&self.problem, &mut self.solution, method, &left) {
            story.add(Attempt::of(MethodTaken::Assembled(method), reason, &other));
            report = SolveReport { iterations: before + other.iterations, ..other };
        }
        if report.status == Status::NotSolved {
            let more = self.sweep(all - first, settings, threads);
            story.add(Attempt::of(MethodTaken::Sweeps, MethodReason::LastResort, &more));
            report = SolveReport { iterations: report.iterations + more.iterations, ..more };
        }
        report
    }

    fn sweep(&mut self, most: usize, settings: &SolverSettings, threads: &Threads) -> SolveReport {
        let params = NlgsParams {
            tolerance: settings.tolerance,
            error_tolerance: settings.sought_error(),
            max_iterations: most,
            ..NlgsParams::default()
        };
        self.solver.solve(&self.problem, &mut self.solution, &params, threads)
    }

    /// Gives the movers of the workspace the velocities that were found.
    pub fn hand_over(&self, twists: &mut [Twist<S>]) {
        for (&mover, twist) in self.movers.iter().zip(&self.solution.twists) {
            twists[mover as usize] = *twist;
        }
    }
}

impl<S: Dimension> CompliantPart<S> {
    /// The contacts between bodies, each with the impulse that was found, in world axes.
    pub fn found(&self) -> impl Iterator<Item = (&Contact<S>, S::Vector)> {
        let found = self.problem.contacts.iter().zip(&self.solution.impulses);
        let all = self.contacts.iter().zip(found);
        all.map(|(contact, (problem, &impulse))| (contact, problem.map.frame.to_world(impulse)))
    }
}

impl<S: Dimension> World<S> {
    /// Takes what contacts join to a solid out of the list of all others.
    pub(crate) fn split_contacts(&mut self) {
        if !self.state.solids.is_empty() || self.work.joints.any() {
            let SolidWork { part, found, .. } = &mut self.work.solid;
            part.take_contacts(&found.contacts, &self.work.joints, &mut self.work.rigid);
        }
    }

    /// Makes what the solver has found in the part the start of another solve of the same step. Contacts of solids have
    /// it already.
    pub(crate) fn recall_part(&mut self) {
        let part = &mut self.work.solid.part;
        let found = part.problem.contacts.iter().zip(&part.solution.impulses);
        for (contact, (problem, &impulse)) in part.contacts.iter_mut().zip(found) {
            contact.impulse = problem.map.frame.to_world(impulse);
        }
        self.recall_part_couples();
    }

    /// Adds the couples of the part to those of all others.
    fn recall_part_couples(&mut self) {
        let CompliantPart { contacts, problem, solution, .. } = &self.work.solid.part;
        if !contacts.is_empty() && !problem.is_coulomb() {
            let couples = &mut self.work.rigid.couples;
            add_couples(contacts, problem, solution, couples);
            couples.sort_unstable_by_key(ContactCouple::name);
        }
    }

    /// Contacts between bodies of the part get their couples, and bonds that cannot heal are broken.
    pub(crate) fn apply_part(&mut self) {
        self.recall_part_couples();
        let CompliantPart { contacts, problem, solution, .. } = &mut self.work.solid.part;
        let laws = &self.setup.laws;
        break_bonds(contacts, problem, solution, |contact| self.work.rigid.law(laws, contact));
    }

    /// Puts the contacts of the part back in their places among all others.
    pub(crate) fn rejoin_part(&mut self) {
        let part = &self.work.solid.part;
        if !part.contacts.is_empty() {
            self.work.rigid.contacts.extend_from_slice(&part.contacts);
            sort_by_name(&mut self.work.rigid.contacts);
        }
    }

    /// The part's contact problem, as far as it is known before Newton's iteration.
    pub(crate) fn assemble_part(&mut self) {
        if self.state.solids.is_empty() && !self.work.joints.any() {
            return;
        }
        let mut part = std::mem::take(&mut self.work.solid.part);
        let found = &self.work.solid.found;
        let (work, setup, boundaries) = (&self.work.rigid, &self.setup, &self.state.boundaries);
        let relaxation = setup.solver.relaxation;
        let joints = &mut self.work.joints;
        part.begin(&found.contacts, self.state.solids.len(), joints, work);
        for index in 0..part.contacts.len() {
            let contact = &part.contacts[index];
            match work.prepared(setup, &self.state.bodies, boundaries, contact) {
                Prepared::Coulomb(contact, start) => {
                    let map = part.renumbered(index, contact.map);
                    part.problem.push_contact(map, contact.offset, contact.law, relaxation);
                    part.solution.impulses.push(start);
                }
                Prepared::Special(map, law) => {
                    let map = part.renumbered(index, map);
                    law.push(map, relaxation, &mut part.problem, &mut part.solution);
                }
            }
        }
        part.push_soft(&found.contacts, &found.specials, relaxation);
        joints.push_efforts(&mut part.problem, &mut part.solution, relaxation);
        self.work.solid.part = part;
    }
}

/// Puts a problem together again that was solved in two parts.
struct Whole<S: Dimension> {
    problem: ContactProblem<S>,
    solution: Solution<S>,
}

impl<S: Dimension> Whole<S> {
    /// Adds a contact of a part, whose movers have other numbers here.
    fn push(
        &mut self,
        part: (&ContactProblem<S>, &Solution<S>),
        index: usize,
        mover: impl Fn(u32) -> u32,
    ) {
        let (problem, solution) = part;
        let mut contact = problem.contacts[index];
        contact.map.first = mover(contact.map.first);
        contact.map.second = mover(contact.map.second);
        if let Law::Special(index) = contact.law {
            contact.law = Law::Special(self.problem.specials.len() as u32);
            self.problem.specials.push(problem.specials[index as usize].clone());
            self.solution.couples.push(solution.couples[index as usize]);
        }
        self.problem.contacts.push(contact);
        self.solution.impulses.push(solution.impulses[index]);
    }
}

impl<S: Dimension> World<S> {
    /// Problem and solution of the last step with those of the part in which solids took part, if any did.
    pub(crate) fn with_part(&self) -> Option<(ContactProblem<S>, Solution<S>)> {
        if self.state.solid_contacts.is_empty() && self.work.solid.part.contacts.is_empty() {
            return None;
        }
        let (work, part) = (&self.work.rigid, &self.work.solid.part);
        let (movers, points) = (work.problem.movers.len() as u32, part.movers.len() as u32);
        let mut whole = Whole { problem: work.problem.clone(), solution: work.solution.clone() };
        for (free, twist) in
            part.problem.free.iter().zip(&part.solution.twists).skip(points as usize)
        {
            whole.problem.push_point(free.velocity);
            whole.solution.twists.push(*twist);
        }
        whole.problem.compliant.clone_from(&part.problem.compliant);
        whole.problem.compliant.iter_mut().for_each(|group| group.shift(movers, points));
        whole.problem.regions.clear();
        whole.problem.contacts.clear();
        whole.problem.specials.clear();
        (whole.solution.impulses, whole.solution.couples) = (Vec::new(), Vec::new());
        let number = |mover: u32| match mover {
            GROUND => GROUND,
            mover if mover < points => part.movers[mover as usize],
            point => point - points + movers,
        };
        let rigid = self.listed_rigid();
        let (mut kept, mut joined) = (0, 0);
        for contact in &self.state.contacts {
            let of_part =
                part.contacts.get(joined).is_some_and(|next| next.name() == contact.name());
            if of_part {
                whole.push((&part.problem, &part.solution), joined, number);
                joined += 1;
            } else {
                whole.push((&rigid.0, &rigid.1), kept, |mover| mover);
                kept += 1;
            }
        }
        for index in part.contacts.len()..part.problem.contacts.len() {
            whole.push((&part.problem, &part.solution), index, number);
        }
        Some((whole.problem, whole.solution))
    }

    /// Problem and solution of what no contact joins to a solid, in lists.
    fn listed_rigid(&self) -> (ContactProblem<S>, Solution<S>) {
        let (work, part) = (&self.work.rigid, &self.work.solid.part);
        let count = self.state.contacts.len() - part.contacts.len();
        let (mut problem, mut solution) = (work.problem.clone(), work.solution.clone());
        if problem.contacts.len() < count {
            let names: std::collections::BTreeSet<_> =
                part.contacts.iter().map(Contact::name).collect();
            let kept: Vec<Contact<S>> = self
                .state
                .contacts
                .iter()
                .filter(|c| !names.contains(&c.name()))
                .copied()
                .collect();
            let made = self.made_contacts(&kept);
            problem.contacts = kept.iter().map(|contact| made.make(contact)).collect();
            solution.impulses = (0..count).map(|index| work.found_impulse(index)).collect();
        }
        (problem, solution)
    }
}
