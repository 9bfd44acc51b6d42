//! A world: what it is made from, its state and its scratch, and how it is read.

use crate::joint::JointWork;
use crate::setup_check::check;
use crate::solid::check_laws;
use crate::workspace::Workspace;
use crate::{
    Body, Boundary, Contact, Dimension, Drive, Ledger, Owner, Setup, SetupError, StageTimers,
};
use crate::{State, StepReport};
use drystone_solve::{ContactProblem, Solution, Uniqueness, uniqueness};
use drystone_space::{Plane, Pose, Volume};
use std::borrow::Cow;

/// A scene in motion.
#[derive(Debug)]
pub struct World<S: Dimension> {
    /// What it was made from; the bodies have moved on to the state.
    pub(crate) setup: Setup<S>,
    /// What a step depends on besides.
    pub(crate) state: State<S>,
    /// What may be forgotten between steps, and how they are computed.
    pub(crate) work: Workspace<S>,
}

impl<S: Dimension> World<S> {
    /// A world at time 0.
    pub fn new(mut setup: Setup<S>) -> Result<Self, SetupError> {
        check(&setup)?;
        check_laws(&setup)?;
        for switch in &setup.switches {
            // What will move is not fixed.
            let drive = &mut setup.boundaries[switch.boundary].drive;
            if matches!(drive, Drive::Fixed) {
                *drive = Drive::steered();
            }
        }
        setup.arrivals.sort_by(|a, b| a.time.total_cmp(&b.time));
        let bodies = std::mem::take(&mut setup.bodies);
        let work = Workspace::new(&setup, &bodies);
        let state = State::new(&setup, bodies);
        let mut world = Self { setup, state, work };
        world.add_solids()?;
        if !world.setup.joints.is_empty() {
            world.work.joints = JointWork::new(&world.setup, world.state.bodies.len())?;
            world.assemble_mechanisms()?;
        }
        world.take_friction();
        world.form_bonds_of(0);
        world.open_ledger();
        Ok(world)
    }

    /// Computes with this many threads; the results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.work.set_threads(threads);
    }
    /// The time reached.
    pub fn time(&self) -> f64 {
        self.state.steps as f64 * self.setup.time_step
    }
    /// What a step depends on besides the setup, as it is now.
    pub fn state(&self) -> &State<S> {
        &self.state
    }
    /// Number of steps made.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }
    /// What the world was made from; the bodies have moved on to [`bodies`](Self::bodies).
    pub fn setup(&self) -> &Setup<S> {
        &self.setup
    }
    /// The bodies as they are now.
    pub fn bodies(&self) -> &[Body<S>] {
        &self.state.bodies
    }
    /// How many of the setup's arrivals have entered: the last of the bodies.
    pub fn arrived(&self) -> usize {
        self.count_bodies() - self.work.initial_bodies
    }
    /// The boundaries as they were placed.
    pub fn boundaries(&self) -> &[Boundary<S>] {
        &self.setup.boundaries
    }
    /// Where a boundary is now; `None` once it is removed.
    pub fn boundary_pose(&self, index: usize) -> Option<Pose<S>> {
        let state = &self.state.boundaries[index];
        (!state.removed).then_some(state.pose)
    }
    /// Velocity of a boundary at the middle of the last step (a slider's: at its end), in world
    /// axes, at its origin.
    pub fn boundary_velocity(&self, index: usize) -> S::Vector {
        let state = &self.state.boundaries[index];
        match self.state.progress.drive(&self.setup, index).0 {
            Drive::Slider(slider) => slider.direction() * state.speed + state.velocity,
            _ => state.velocity,
        }
    }
    /// Force that the bodies exerted on a boundary over the last step (impulse / time step).
    pub fn boundary_force(&self, index: usize) -> S::Vector {
        self.state.boundaries[index].impulse / self.setup.time_step
    }
    /// The contacts of the last step, sorted by the shapes that meet.
    pub fn contacts(&self) -> &[Contact<S>] {
        &self.state.contacts
    }
    /// The contact problem of the last step, contacts in the order of [`contacts`](Self::contacts), then of
    /// [`solid_contacts`](Self::solid_contacts), and of [`bonds`](Self::bonds) that held. Where it was solved without a list of them, one is made.
    pub fn problem(&self) -> Cow<'_, ContactProblem<S>> {
        let problem = &self.work.rigid.problem;
        if let Some((whole, _)) = self.with_part() {
            return Cow::Owned(whole);
        }
        if problem.contacts.len() == self.state.contacts.len() || !self.state.bonds.is_empty() {
            return Cow::Borrowed(problem);
        }
        let made = self.made_contacts(&self.state.contacts);
        let contacts = self.state.contacts.iter().map(|contact| made.make(contact)).collect();
        Cow::Owned(ContactProblem { contacts, ..problem.clone() })
    }
    /// How many collisions of A-CD² in the last step are known to have one solution; `None` where no
    /// law is of A-CD².
    pub fn uniqueness(&self) -> Option<Uniqueness> {
        self.setup.laws.has_percussions().then(|| uniqueness(&self.work.rigid.problem))
    }
    /// From now on keeps what the solver of each step starts from.
    pub fn keep_start(&mut self) {
        self.work.rigid.keeps_start = true;
    }
    /// The impulses from which the solver of the last step started; empty unless they are
    /// [kept](Self::keep_start), and where solids touch anything.
    pub fn start(&self) -> &[S::Local] {
        if self.state.solid_contacts.is_empty() { &self.work.rigid.start } else { &[] }
    }
    /// The solution of the last step, with impulses in the order of the [`problem`](Self::problem)'s contacts. Where it was
    /// found without a list of them, one is made.
    pub fn solution(&self) -> Cow<'_, Solution<S>> {
        let solution = &self.work.rigid.solution;
        if let Some((_, whole)) = self.with_part() {
            return Cow::Owned(whole);
        }
        let listed = solution.impulses.len() == self.state.contacts.len();
        if listed || self.work.rigid.solver.count() != self.state.contacts.len() {
            return Cow::Borrowed(solution);
        }
        let impulses =
            (0..self.state.contacts.len()).map(|index| self.work.rigid.found_impulse(index));
        Cow::Owned(Solution { impulses: impulses.collect(), ..solution.clone() })
    }
    /// The name of a body or boundary; its number, counted from 0, where the scene gives none.
    pub fn name(&self, owner: Owner) -> String {
        let (name, kind, index): (&str, _, _) = match owner {
            Owner::Body(index) => (self.state.bodies[index as usize].name(), "body", index),
            Owner::Boundary(index) => {
                (&self.setup.boundaries[index as usize].name, "boundary", index)
            }
        };
        if name.is_empty() { format!("{kind} {index}") } else { name.to_owned() }
    }
    /// The energy ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }
    /// Time spent in each stage.
    pub fn timers(&self) -> &StageTimers {
        &self.work.timers
    }
}

/// A world of either dimension: the only place where the dimension is chosen at run time.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "both are large, and there is one of them")]
pub enum AnyWorld {
    /// In the plane.
    Plane(World<Plane>),
    /// In space.
    Volume(World<Volume>),
}

/// Evaluates an expression with `$world` bound to the [`World`] inside an [`AnyWorld`].
#[macro_export]
macro_rules! with_world {
    ($any:expr, $world:ident => $body:expr) => {
        match $any {
            $crate::AnyWorld::Plane($world) => $body,
            $crate::AnyWorld::Volume($world) => $body,
        }
    };
}

impl AnyWorld {
    /// Advances by one time step.
    pub fn step(&mut self) -> Result<StepReport, crate::StepError> {
        with_world!(self, world => world.step())
    }
}
