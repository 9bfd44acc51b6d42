//! Where shapes are at the midpoint, and which of them may touch.
//!
//! Most shapes are the only one of the body or boundary that they belong to, and where that is. Others have a pose
//! of their own.

use crate::assemble::boundary_velocity_at;
use crate::boundary::Sliding;
use crate::ranks;
use crate::speculative::Ahead;
use crate::state::BoundaryState;
use crate::{Body, Boundary, Dimension, Drive, MaterialId, Owner, Part, StepError, World};
use drystone_detect::{Bounds, Extent, Proxy};
use drystone_solve::Twist;
use drystone_space::{Pose, Vector};
use rayon::prelude::*;

/// In place of a shape's own pose: it is the first shape of its owner, and where that is.
const AT_OWNER: u32 = u32::MAX;

/// One shape of a body or boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeRef {
    pub owner: Owner,
    pub material: MaterialId,
    /// Its number among the shapes elsewhere, or [`AT_OWNER`].
    elsewhere: u32,
    /// Radius of a disk or ball; infinite for other shapes.
    pub radius: f64,
}

/// A shape that is not the first of its owner, or not where that is.
#[derive(Clone, Copy, Debug)]
struct Elsewhere<S: Dimension> {
    /// Its number among all shapes, and among those of its owner.
    shape: u32,
    part: u32,
    /// Its pose at the midpoint.
    pose: Pose<S>,
}

/// All shapes, in order of appearance: boundaries first, then bodies as they enter.
#[derive(Debug)]
pub(crate) struct Shapes<S: Dimension> {
    pub list: Vec<ShapeRef>,
    elsewhere: Vec<Elsewhere<S>>,
    /// How many of these have been placed before: what is fixed stays there.
    placed: usize,
    /// How many shapes at the head of the list are fixed.
    fixed: usize,
    /// Whether each body is one ball about its centre; none where all are.
    balls: Vec<bool>,
    /// How many bodies there are.
    bodies: usize,
}

impl<S: Dimension> Default for Shapes<S> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            elsewhere: Vec::new(),
            placed: 0,
            fixed: 0,
            balls: Vec::new(),
            bodies: 0,
        }
    }
}

impl<S: Dimension> Shapes<S> {
    /// Adds the shapes of a boundary.
    pub fn add_boundary(&mut self, index: usize, boundary: &Boundary<S>) {
        let all_fixed = self.fixed == self.list.len();
        self.add(Owner::Boundary(index as u32), &boundary.parts);
        if all_fixed && matches!(boundary.drive, Drive::Fixed) {
            self.fixed = self.list.len();
        }
    }

    /// Counts again how many shapes at the head are fixed, where boundaries no longer are.
    pub fn count_fixed(&mut self, boundaries: &[Boundary<S>]) {
        let fixed = |shape: &&ShapeRef| match shape.owner {
            Owner::Boundary(index) => matches!(boundaries[index as usize].drive, Drive::Fixed),
            Owner::Body(_) => false,
        };
        self.fixed = self.list.iter().take_while(fixed).count();
    }

    /// Whether a body is one ball about its centre, or a boundary.
    #[inline]
    pub fn is_ball(&self, owner: Owner) -> bool {
        match owner {
            Owner::Body(index) => self.balls.is_empty() || self.balls[index as usize],
            Owner::Boundary(_) => true,
        }
    }

    /// Adds the shapes of a body or boundary that enters.
    pub fn add(&mut self, owner: Owner, parts: &[Part<S>]) {
        if matches!(owner, Owner::Body(_)) {
            let is_ball = matches!(parts, [only]
                if S::radius(&only.shape).is_some() && only.pose() == Pose::IDENTITY);
            if !is_ball && self.balls.is_empty() {
                self.balls.resize(self.bodies, true);
            }
            self.bodies += 1;
            if !(is_ball && self.balls.is_empty()) {
                self.balls.push(is_ball);
            }
        }
        for (number, part) in parts.iter().enumerate() {
            let (pose, mut elsewhere) = (part.pose(), AT_OWNER);
            if number > 0 || pose != Pose::IDENTITY {
                elsewhere = self.elsewhere.len() as u32;
                let (shape, part) = (self.list.len() as u32, number as u32);
                self.elsewhere.push(Elsewhere { shape, part, pose });
            }
            let radius = S::radius(&part.shape).unwrap_or(f64::INFINITY);
            self.list.push(ShapeRef { owner, material: part.material, elsewhere, radius });
        }
    }

    /// The part that a shape is.
    pub fn part<'a>(
        &self,
        shape: &ShapeRef,
        bodies: &'a [Body<S>],
        boundaries: &'a [Boundary<S>],
    ) -> &'a Part<S> {
        let number = match shape.elsewhere {
            AT_OWNER => 0,
            index => self.elsewhere[index as usize].part as usize,
        };
        &parts(shape.owner, bodies, boundaries)[number]
    }
}

/// The parts of a body or boundary.
fn parts<'a, S: Dimension>(
    owner: Owner,
    bodies: &'a [Body<S>],
    boundaries: &'a [Boundary<S>],
) -> &'a [Part<S>] {
    match owner {
        Owner::Body(index) => &bodies[index as usize].parts,
        Owner::Boundary(index) => &boundaries[index as usize].parts,
    }
}

/// Where all shapes are at the midpoint.
#[derive(Clone, Copy)]
pub(crate) struct ShapePoses<'a, S: Dimension> {
    pub bodies: &'a [Body<S>],
    pub boundaries: &'a [Boundary<S>],
    pub states: &'a [BoundaryState<S>],
    pub midpoints: &'a [Pose<S>],
    pub shapes: &'a Shapes<S>,
    /// Velocities before the step of all movers, and which of them sliders are, with their arms.
    pub before: &'a [Twist<S>],
    pub sliders: &'a [Sliding<S>],
    /// Whether each body is of this rank, where there are others: ghosts are paired with what is, and nothing else.
    pub owned: &'a [bool],
}

impl<'a, S: Dimension> ShapePoses<'a, S> {
    /// The part that a shape is.
    pub fn part(&self, shape: &ShapeRef) -> &'a Part<S> {
        self.shapes.part(shape, self.bodies, self.boundaries)
    }

    /// Where a shape is.
    #[inline(always)]
    pub fn pose(&self, shape: &ShapeRef) -> &'a Pose<S> {
        match shape.elsewhere {
            AT_OWNER => self.owner(shape),
            index => &self.shapes.elsewhere[index as usize].pose,
        }
    }

    fn is_fixed(&self, shape: &ShapeRef) -> bool {
        matches!(shape.owner, Owner::Boundary(index)
            if matches!(self.boundaries[index as usize].drive, Drive::Fixed))
    }

    #[inline(always)]
    fn owner(&self, shape: &ShapeRef) -> &'a Pose<S> {
        match shape.owner {
            Owner::Body(index) => &self.midpoints[index as usize],
            Owner::Boundary(index) => &self.states[index as usize].midpoint,
        }
    }

    /// How a shape moves before the step, about where it is.
    #[inline]
    pub fn motion(&self, shape: &ShapeRef) -> Twist<S> {
        let at = self.pose(shape).position;
        match shape.owner {
            Owner::Body(index) => {
                let Some(twist) = self.before.get(index as usize) else { return Twist::ZERO };
                let arm = at - self.midpoints[index as usize].position;
                let velocity = twist.velocity + S::velocity_at(twist.spin, arm);
                Twist { velocity, spin: twist.spin }
            }
            Owner::Boundary(index) => {
                let state = &self.states[index as usize];
                let velocity = boundary_velocity_at(self.states, shape.owner, at);
                let mut twist = Twist { velocity, spin: state.spin };
                let slider = self.sliders.get(index as usize);
                let before = slider.and_then(|slider| self.before.get(slider.mover as usize));
                if let (Some(slider), Some(slides)) = (slider, before) {
                    twist.velocity += S::velocity_at(slides.spin, slider.arm(at));
                    if slider.turns() {
                        twist.spin += slides.spin;
                    }
                }
                twist
            }
        }
    }

    /// A shape as the broad phase sees it, with the way that it may have ahead of it in the step ([`Ahead`]).
    #[inline(always)]
    pub fn proxy_ahead(&self, shape: &ShapeRef, ahead: &Ahead) -> (Proxy<S>, bool) {
        let mut proxy = self.proxy(shape);
        let swift = ahead.time > 0.0
            && !self.is_fixed(shape)
            && ahead.reaches(&self.motion(shape), shape.radius, &mut proxy.extent);
        (proxy, swift)
    }

    /// A shape as the broad phase sees it.
    #[inline(always)]
    pub fn proxy(&self, shape: &ShapeRef) -> Proxy<S> {
        let pose = self.pose(shape);
        let round = shape.radius < f64::INFINITY;
        let extent = match round {
            true => Extent::Box(Bounds::around(pose.position, shape.radius)),
            false => S::extent(&self.part(shape).shape, pose),
        };
        // Bodies and boundaries are numbered apart, groups together: even and odd.
        let (group, movable, active) = match shape.owner {
            Owner::Body(index) => (2 * index, self.owned.get(index as usize) != Some(&false), true),
            Owner::Boundary(index) => (2 * index + 1, false, !self.states[index as usize].removed),
        };
        Proxy { extent, round, group, movable, active }
    }
}

impl<S: Dimension> World<S> {
    /// Where all shapes are at the midpoint.
    pub(crate) fn shape_poses(&self) -> ShapePoses<'_, S> {
        ShapePoses {
            bodies: &self.state.bodies,
            boundaries: &self.setup.boundaries,
            states: &self.state.boundaries,
            midpoints: &self.work.rigid.midpoints,
            shapes: &self.work.rigid.shapes,
            before: &self.work.rigid.before,
            sliders: &self.work.rigid.sliders,
            owned: self.work.ranks.as_ref().map_or(&[], |ranks| &ranks.owned),
        }
    }

    /// Candidate pairs at the midpoint.
    pub(crate) fn broad_phase(&mut self) -> Result<(), StepError> {
        let share = self.work.threads.least_share(self.setup.params.parallel.shapes);
        let mut elsewhere = std::mem::take(&mut self.work.rigid.shapes.elsewhere);
        let mut broad = std::mem::take(&mut self.work.rigid.broad);
        let poses = self.shape_poses();
        let shapes = &poses.shapes.list;
        let all = elsewhere.par_iter_mut().enumerate().with_min_len(share);
        all.for_each(|(number, Elsewhere { shape, part, pose })| {
            let shape = &shapes[*shape as usize];
            if number >= poses.shapes.placed || !poses.is_fixed(shape) {
                let parts = parts(shape.owner, poses.bodies, poses.boundaries);
                *pose = parts[*part as usize].pose_in(poses.owner(shape));
            }
        });
        self.work.rigid.shapes.placed = elsewhere.len();
        self.work.rigid.shapes.elsewhere = elsewhere;
        if self.work.rigid.cell.is_some() {
            self.work.rigid.broad = broad;
            return self.find_pairs_in_cell();
        }
        let poses = self.shape_poses();
        let shapes = &poses.shapes.list;
        // How far any body reaches, and how much larger it could be without a new list of pairs.
        let fixed = poses.shapes.fixed;
        let ahead = self.ahead();
        let measure = |(index, shape): (usize, &ShapeRef)| {
            let (proxy, swift) = poses.proxy_ahead(shape, &ahead);
            let room = broad.room(fixed + index, &proxy);
            let (Extent::Box(bounds), true) = (&proxy.extent, proxy.movable) else {
                return (0.0, room, swift);
            };
            let far = (-bounds.low).highest(bounds.high);
            ((0..S::DIMENSION).fold(0.0, |reach: f64, i| reach.max(far.get(i))), room, swift)
        };
        let both = |one: (f64, f64, bool), other: (f64, f64, bool)| {
            (one.0.max(other.0), one.1.min(other.1), one.2 | other.2)
        };
        // What is fixed stays inside the extents kept: only its removal makes candidates anew.
        let all = shapes[fixed..].par_iter().enumerate().with_min_len(share).map(measure);
        let (reach, room, swift) = all.reduce(|| (0.0, f64::INFINITY, false), both);
        let [reach, swift] = ranks::largest(&self.work.ranks, [reach, f64::from(u8::from(swift))]);
        let swift = swift > 0.0;
        // A pair test may find a gap within the margin where boxes, rounded otherwise, are just
        // beyond it. With that much to spare, contacts do not depend on how old the candidates are.
        let rounding = 64.0 * f64::EPSILON * reach;
        let margin = self.margin_within(reach).max(self.work.rigid.range) + rounding;
        let threads = self.work.threads.at_work();
        let proxies = shapes.iter().map(|shape| poses.proxy_ahead(shape, &ahead).0);
        broad.renew(proxies, room, margin, threads);
        let (overfull, count) = (broad.is_overfull(), broad.pairs().len());
        (self.work.rigid.reach, self.work.rigid.swift) = (reach, swift);
        self.work.rigid.broad = broad;
        if overfull { Err(self.too_many("pairs of bodies near each other", count)) } else { Ok(()) }
    }

    /// Why a step of so many pairs or contacts is not made.
    pub(crate) fn too_many(&self, what: &'static str, found: usize) -> StepError {
        let (step, time) = (self.state.steps, self.time());
        StepError::TooMany { step, time, what, found, most: self.work.rigid.most }
    }
}
