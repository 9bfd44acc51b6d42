//! Scratch of a step: grows during the first steps, then nothing is allocated any more. No result depends on it.

use crate::account::Books;
use crate::bond::BondWork;
use crate::boundary::Sliding;
use crate::cell::CellNow;
use crate::contact::PreviousContact;
use crate::contact_spring::Press;
use crate::grid::radius;
use crate::joint::JointWork;
use crate::lasting::Lasting;
use crate::membrane::MembraneWork;
use crate::narrow_phase::Found;
use crate::ranks::{Ranks, Sample};
use crate::recovery::Recovery;
use crate::shape_poses::{ShapeRef, Shapes};
use crate::sleep::SleepWork;
use crate::solid::SolidWork;
use crate::strike::StrikeWork;
use crate::thread_trial::ThreadTrial;
use crate::{
    Body, Contact, ContactCouple, Dimension, LawTable, Owner, PairLaw, Setup, StageTimers,
};
use drystone_detect::BroadPhase;
use drystone_solve::{ContactMap, ContactProblem, Direct, Mover, Nlgs, SmallGroups, Solution};
use drystone_solve::{Threads, Twist};
use drystone_space::{ExactSum, Frame, Limit, Pose, Vector, set_length};

/// The law between the materials that meet in a contact.
#[inline]
pub(crate) fn law_of<'a, S: Dimension>(
    laws: &'a LawTable,
    shapes: &[ShapeRef],
    contact: &Contact<S>,
) -> &'a PairLaw {
    let material = |shape: u32| shapes[shape as usize].material;
    laws.get(material(contact.shapes.0), material(contact.shapes.1))
}

/// All that a world has beside setup and state.
#[derive(Debug)]
pub(crate) struct Workspace<S: Dimension> {
    /// How many bodies the setup began with; all others have arrived.
    pub initial_bodies: usize,
    pub rigid: RigidWork<S>,
    pub solid: SolidWork<S>,
    pub joints: JointWork<S>,
    pub sleep: SleepWork<S>,
    pub membranes: MembraneWork<S>,
    /// Where this world is a part of one that several ranks compute.
    pub ranks: Option<Ranks<S>>,
    /// How many bodies there are, where this is the whole of such a world and only its parts have them.
    pub away: Option<usize>,
    /// What was brought from the parts after a step.
    pub sample: Option<(u64, Sample)>,
    pub strikes: StrikeWork<S>,
    pub threads: Threads,
    pub trial: ThreadTrial,
    pub timers: StageTimers,
}

impl<S: Dimension> Workspace<S> {
    /// That of a world with these bodies.
    pub fn new(setup: &Setup<S>, bodies: &[Body<S>]) -> Self {
        let mut rigid = RigidWork { range: setup.laws.range(), ..RigidWork::default() };
        for (index, boundary) in setup.boundaries.iter().enumerate() {
            rigid.shapes.add_boundary(index, boundary);
        }
        for (index, body) in bodies.iter().enumerate() {
            rigid.add_body(index, body);
        }
        rigid.cell = CellNow::new(setup, bodies, rigid.most);
        Self {
            initial_bodies: bodies.len(),
            rigid,
            solid: SolidWork::default(),
            joints: JointWork::default(),
            sleep: SleepWork::default(),
            membranes: MembraneWork::default(),
            ranks: None,
            away: None,
            sample: None,
            strikes: StrikeWork::default(),
            threads: Threads::one(),
            trial: ThreadTrial::default(),
            timers: StageTimers::default(),
        }
    }

    /// Computes with this many threads from now on.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = Threads::new(threads);
        self.trial = ThreadTrial::default();
    }
}

/// Scratch of bodies, boundaries and their contacts.
#[derive(Debug)]
pub(crate) struct RigidWork<S: Dimension> {
    pub shapes: Shapes<S>,
    pub broad: BroadPhase<S>,
    /// The periodic cell, if there is one.
    pub cell: Option<CellNow<S>>,
    /// Pairs and contacts that fit into memory.
    pub most: usize,
    /// Largest coordinate of any body at the midpoint.
    pub reach: f64,
    /// No body reaches farther from its centre.
    pub radius: f64,
    /// Whether anything is so fast that it may close a gap wider than the margin in the step.
    pub swift: bool,
    /// Longest gap at which a cohesion or a contact spring acts.
    pub range: f64,
    /// Where each body is at the midpoint.
    pub midpoints: Vec<Pose<S>>,
    /// Velocity of each mover at the start of the step, in the axes of the midpoint; spins have coasted to its end.
    pub before: Vec<Twist<S>>,
    /// Whether any body changes its spin by itself; if so, what each has at the end of the step where nothing acts on it, in
    /// body axes.
    pub tumbles: bool,
    pub tumbling: Vec<S::Spin>,
    /// Mover of each boundary that slides, and its arm; unused for others.
    pub sliders: Vec<Sliding<S>>,
    /// κ of each drag in this step.
    pub braking: Vec<f64>,
    /// The free velocity that each drag has found.
    pub unbraked: Vec<Twist<S>>,
    /// Contact springs that act in this step.
    pub presses: Vec<Press<S>>,
    /// What chunks of contacts add to the ledger.
    pub booked: Books,
    /// What boundaries feel, component by component.
    pub felt: Vec<ExactSum>,
    /// What chunks of pairs have found, for each thread some.
    pub found: Vec<Found<S>>,
    /// What is left of the last step's contacts, in the order of shapes.
    pub last: Vec<PreviousContact<S>>,
    /// Contacts of the step under way, until they are the world's.
    pub contacts: Vec<Contact<S>>,
    /// Couples from which the solve begins, and then those that it found: of contacts that have one, in their order.
    pub couples: Vec<ContactCouple<S>>,
    /// Contacts that the step is solved without, and those of them that are called all the same.
    pub deferred: Vec<Contact<S>>,
    pub called: Vec<Contact<S>>,
    /// Contacts that last, in the step of second order, in the order of shapes; how boundaries move at the start of it.
    pub lasting: Vec<Lasting<S>>,
    pub driven_at_start: Vec<Twist<S>>,
    pub recovery: Recovery<S>,
    pub bonds: BondWork<S>,
    pub problem: ContactProblem<S>,
    /// The warm start, where it is kept.
    pub start: Vec<S::Local>,
    pub keeps_start: bool,
    pub solution: Solution<S>,
    pub groups: SmallGroups<S>,
    pub solver: Nlgs<S>,
    pub direct: Direct<S>,
    /// Whether direct methods are dear in this step, so that they must solve it to be asked again soon.
    pub dear: bool,
    /// Error of the step, where direct methods have told it.
    pub error: Option<f64>,
    /// Whether it was within the tolerance, where it was told.
    pub exact: bool,
    /// Whether the error is sought by sweeps, since direct methods do not tell it.
    pub sweeps_tell: bool,
}

impl<S: Dimension> Default for RigidWork<S> {
    fn default() -> Self {
        Self {
            shapes: Shapes::default(),
            broad: BroadPhase::with_most(most_pairs()),
            cell: None,
            most: most_pairs(),
            reach: 0.0,
            radius: 0.0,
            swift: false,
            range: 0.0,
            midpoints: Vec::new(),
            before: Vec::new(),
            tumbles: false,
            tumbling: Vec::new(),
            sliders: Vec::new(),
            braking: Vec::new(),
            unbraked: Vec::new(),
            presses: Vec::new(),
            booked: Books::default(),
            felt: Vec::new(),
            found: Vec::new(),
            last: Vec::new(),
            contacts: Vec::new(),
            couples: Vec::new(),
            deferred: Vec::new(),
            called: Vec::new(),
            lasting: Vec::new(),
            driven_at_start: Vec::new(),
            recovery: Recovery::default(),
            bonds: BondWork::default(),
            problem: ContactProblem::default(),
            start: Vec::new(),
            keeps_start: false,
            solution: Solution::default(),
            groups: SmallGroups::default(),
            solver: Nlgs::default(),
            direct: Direct::default(),
            dear: false,
            error: None,
            exact: true,
            sweeps_tell: true,
        }
    }
}

impl<S: Dimension> RigidWork<S> {
    /// Makes room for what is known of so many bodies; what else there was is forgotten.
    pub fn make_room(&mut self, bodies: usize) {
        set_length(&mut self.midpoints, bodies, Pose::IDENTITY);
        if self.tumbles {
            set_length(&mut self.tumbling, bodies, S::Spin::ZERO);
        }
        set_length(&mut self.before, bodies, Twist::ZERO);
        set_length(&mut self.problem.free, bodies, Twist::ZERO);
        set_length(&mut self.problem.movers, bodies, Mover::default());
    }

    /// Pairs of shapes that may touch.
    pub fn pairs(&self) -> &[(u32, u32)] {
        self.cell.as_ref().map_or(self.broad.pairs(), CellNow::pairs)
    }

    /// The law between the materials that meet in a contact.
    pub fn law<'a>(&self, laws: &'a LawTable, contact: &Contact<S>) -> &'a PairLaw {
        law_of(laws, &self.shapes.list, contact)
    }

    /// The impulse that was found for a contact, in its frame. Those of large problems stand in no list.
    #[inline]
    pub fn found_impulse(&self, index: usize) -> S::Local {
        let listed = self.solution.impulses.get(index);
        listed.copied().unwrap_or_else(|| self.solver.impulse(index))
    }

    /// The same in world axes.
    pub fn found_push(&self, index: usize) -> S::Vector {
        let frame = S::Frame::from_normal(self.contacts[index].normal);
        frame.to_world(self.found_impulse(index))
    }

    /// Mover of a contact's side, or [`GROUND`](drystone_solve::GROUND).
    #[inline(always)]
    pub fn mover(&self, owner: Owner) -> u32 {
        match owner {
            Owner::Body(index) => index,
            Owner::Boundary(index) => self.sliders[index as usize].mover,
        }
    }

    /// Whether a mover answers to impulses.
    pub fn moves(&self, mover: u32) -> bool {
        self.problem.movers[mover as usize] != Mover::default()
    }

    /// G of a contact at the midpoint.
    #[inline(always)]
    pub fn map(
        &self,
        first: Owner,
        second: Owner,
        point: S::Vector,
        normal: S::Vector,
    ) -> ContactMap<S> {
        let side = |owner: Owner| match owner {
            Owner::Body(i) => (i, point - self.midpoints[i as usize].position),
            Owner::Boundary(i) => {
                let sliding = &self.sliders[i as usize];
                (sliding.mover, sliding.arm(point))
            }
        };
        let branch = self.branch(first, second);
        let ((first, arm_first), (second, mut arm_second)) = (side(first), side(second));
        if let Some(branch) = branch {
            // To the same point from the centre of the second body's image.
            arm_second = arm_first + branch;
        }
        let frame = S::Frame::from_normal(normal);
        ContactMap { first, second, frame, arm_first, arm_second }
    }

    /// Learns of a body that enters.
    pub fn add_body(&mut self, index: usize, body: &Body<S>) {
        self.tumbles |= S::tumbles(body.moments);
        self.radius = self.radius.max(radius(&body.parts));
        self.shapes.add(Owner::Body(index as u32), &body.parts);
    }
}

/// Bytes that a contact takes with all that is made for it, in the record too.
const CONTACT_BYTES: usize = 1024;

/// As many pairs, and as many contacts, as fit into the memory that may be used.
fn most_pairs() -> usize {
    Limit::Memory.count() / CONTACT_BYTES
}
