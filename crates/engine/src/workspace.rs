//! Scratch of a step: grows during the first steps, then nothing is allocated any more.

use crate::account::Booked;
use crate::contact_spring::Press;
use crate::touch::Found;
use crate::{Body, Boundary, Contact, Dimension, LawTable, MaterialId, Owner, PairLaw, Part};
use drystone_detect::{Bounds, BroadPhase, Extent, Geometry, Proxy};
use drystone_solve::{ContactMap, ContactProblem, Mover, Nlgs, SmallGroups, Solution, Twist};
use drystone_space::{Frame, Pose, Vector};

/// One shape of a body or boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeRef {
    pub owner: Owner,
    pub part: u32,
    pub material: MaterialId,
    /// Smallest width of the shape.
    pub width: f64,
    /// Radius of a disk or ball; infinite for other shapes.
    pub radius: f64,
}

impl ShapeRef {
    /// The part that it is.
    pub fn part_of<'a, S: Dimension>(
        &self,
        bodies: &'a [Body<S>],
        boundaries: &'a [Boundary<S>],
    ) -> &'a Part<S> {
        match self.owner {
            Owner::Body(index) => &bodies[index as usize].parts[self.part as usize],
            Owner::Boundary(index) => &boundaries[index as usize].parts[self.part as usize],
        }
    }
}

/// The law between the materials that meet in a contact.
pub(crate) fn law_of<'a, S: Dimension>(
    laws: &'a LawTable,
    shapes: &[ShapeRef],
    contact: &Contact<S>,
) -> &'a PairLaw {
    let material = |shape: u32| shapes[shape as usize].material;
    laws.get(material(contact.shapes.0), material(contact.shapes.1))
}

/// Scratch of a step.
#[derive(Debug)]
pub(crate) struct Workspace<S: Dimension> {
    /// All shapes in order of appearance: boundaries first, then bodies as they enter.
    pub shapes: Vec<ShapeRef>,
    /// Where each shape is at the midpoint.
    pub poses: Vec<Pose<S>>,
    pub proxies: Vec<Proxy<S>>,
    pub broad: BroadPhase<S>,
    /// Largest coordinate of any body at the midpoint.
    pub reach: f64,
    /// Longest gap at which a cohesion or a contact spring acts.
    pub range: f64,
    /// Where each body is at the midpoint.
    pub midpoints: Vec<Pose<S>>,
    /// Velocity of each mover at the start of the step, in the axes of the midpoint.
    pub before: Vec<Twist<S>>,
    /// Spin of each body at the start of the step, in body axes.
    pub spins: Vec<S::Spin>,
    /// Spin of each body at the end of the step if nothing acted on it, in body axes.
    pub coasted: Vec<S::Spin>,
    /// Mover of each boundary that slides, and its arm; unused for others.
    pub sliders: Vec<(u32, S::Vector)>,
    /// κ of each drag in this step.
    pub braking: Vec<f64>,
    /// The free velocity that each drag has found.
    pub unbraked: Vec<Twist<S>>,
    /// Contact springs that act in this step.
    pub presses: Vec<Press<S>>,
    /// What stretches of contacts add to the ledger.
    pub booked: Vec<Booked>,
    /// What stretches of pairs have found.
    pub found: Vec<Found<S>>,
    pub contacts: Vec<Contact<S>>,
    /// Contacts that the step is solved without, and those of them that are called all the same.
    pub distant: Vec<Contact<S>>,
    pub called: Vec<Contact<S>>,
    pub problem: ContactProblem<S>,
    /// The warm start.
    pub start: Vec<S::Local>,
    pub solution: Solution<S>,
    pub groups: SmallGroups<S>,
    pub solver: Nlgs<S>,
}

impl<S: Dimension> Default for Workspace<S> {
    fn default() -> Self {
        Self {
            shapes: Vec::new(),
            poses: Vec::new(),
            proxies: Vec::new(),
            broad: BroadPhase::default(),
            reach: 0.0,
            range: 0.0,
            midpoints: Vec::new(),
            before: Vec::new(),
            spins: Vec::new(),
            coasted: Vec::new(),
            sliders: Vec::new(),
            braking: Vec::new(),
            unbraked: Vec::new(),
            presses: Vec::new(),
            booked: Vec::new(),
            found: Vec::new(),
            contacts: Vec::new(),
            distant: Vec::new(),
            called: Vec::new(),
            problem: ContactProblem::default(),
            start: Vec::new(),
            solution: Solution::default(),
            groups: SmallGroups::default(),
            solver: Nlgs::default(),
        }
    }
}

impl<S: Dimension> Workspace<S> {
    /// Makes room for what is known of so many bodies; what else there was is forgotten.
    pub fn make_room(&mut self, bodies: usize) {
        self.midpoints.resize(bodies, Pose::IDENTITY);
        self.spins.resize(bodies, S::Spin::ZERO);
        self.coasted.resize(bodies, S::Spin::ZERO);
        self.before.resize(bodies, Twist::ZERO);
        self.problem.free.resize(bodies, Twist::ZERO);
        self.problem.movers.resize(bodies, Mover::default());
    }

    /// The law between the materials that meet in a contact.
    pub fn law<'a>(&self, laws: &'a LawTable, contact: &Contact<S>) -> &'a PairLaw {
        law_of(laws, &self.shapes, contact)
    }

    /// G of a contact at the midpoint.
    pub fn map(
        &self,
        first: Owner,
        second: Owner,
        point: S::Vector,
        normal: S::Vector,
    ) -> ContactMap<S> {
        let side = |owner: Owner| match owner {
            Owner::Body(i) => (i, point - self.midpoints[i as usize].position),
            Owner::Boundary(i) => self.sliders[i as usize],
        };
        let ((first, arm_first), (second, arm_second)) = (side(first), side(second));
        let frame = S::Frame::from_normal(normal);
        ContactMap { first, second, frame, arm_first, arm_second }
    }

    /// Adds the shapes of a body or boundary that enters.
    pub fn add_shapes(&mut self, owner: Owner, parts: &[Part<S>]) {
        // Bodies and boundaries are numbered apart, groups together: even and odd.
        let (group, movable) = match owner {
            Owner::Body(index) => (2 * index, true),
            Owner::Boundary(index) => (2 * index + 1, false),
        };
        for (part, shape) in parts.iter().enumerate() {
            self.shapes.push(ShapeRef {
                owner,
                part: part as u32,
                material: shape.material,
                width: <S as Geometry>::width(&shape.shape),
                radius: S::radius(&shape.shape).unwrap_or(f64::INFINITY),
            });
            self.poses.push(shape.pose);
            let nowhere = Bounds::around(S::Vector::ZERO, 0.0);
            self.proxies.push(Proxy { extent: Extent::Box(nowhere), group, movable, active: true });
        }
    }
}
