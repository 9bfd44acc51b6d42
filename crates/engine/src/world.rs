//! The state of a scene, and how it is read.

use crate::phase::{Progress, hold};
use crate::rest::{RestWork, unfit_for_rest};
use crate::solid::{SolidWork, check_laws};
use crate::thread_trial::ThreadTrial;
use crate::workspace::Workspace;
use crate::{Body, Boundary, Contact, ContactCouple, Dimension, Drive, Ledger, Owner, Setup};
use crate::{Rest, SetupError, SolidContact, StageTimers, StepReport};
use drystone_fem::Solid;
use drystone_solve::{ContactProblem, Solution, Threads, Uniqueness, uniqueness};
use drystone_space::{Plane, Pose, Rotation, Vector, Volume};
use std::borrow::Cow;

/// Where a boundary is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryState<S: Dimension> {
    /// At the end of the last step.
    pub pose: Pose<S>,
    /// At the midpoint of the step under way.
    pub midpoint: Pose<S>,
    /// Velocity at the midpoint, in world axes.
    pub velocity: S::Vector,
    /// Spin at the midpoint, in world axes.
    pub spin: S::Spin,
    /// Sliders: displacement along the direction.
    pub travel: f64,
    /// Sliders: speed along the direction.
    pub speed: f64,
    /// Whether it has vanished.
    pub removed: bool,
    /// Impulse that it felt over the last step.
    pub impulse: S::Vector,
}

/// Bodies, boundaries, time, and the impulses that are part of the state.
#[derive(Debug)]
pub struct World<S: Dimension> {
    pub(crate) setup: Setup<S>,
    pub(crate) steps: u64,
    pub(crate) bodies: Vec<Body<S>>,
    pub(crate) boundaries: Vec<BoundaryState<S>>,
    /// How many of the setup's arrivals have entered.
    pub(crate) arrived: usize,
    pub(crate) progress: Progress,
    pub(crate) contacts: Vec<Contact<S>>,
    /// Couples of those contacts that have one, in their order.
    pub(crate) couples: Vec<ContactCouple<S>>,
    /// Velocities at contacts, as the state gave them that the world goes on from; none once it has made a step.
    pub(crate) velocities: Vec<S::Vector>,
    pub(crate) solids: Vec<Solid<S>>,
    pub(crate) solid_contacts: Vec<SolidContact<S>>,
    pub(crate) ledger: Ledger,
    pub(crate) timers: StageTimers,
    pub(crate) threads: Threads,
    pub(crate) thread_trial: ThreadTrial,
    pub(crate) rest: Rest<S>,
    pub(crate) rest_work: RestWork<S>,
    pub(crate) work: Workspace<S>,
    pub(crate) solid_work: SolidWork<S>,
}

impl<S: Dimension> World<S> {
    /// A world at time 0.
    pub fn new(mut setup: Setup<S>) -> Result<Self, SetupError> {
        check(&setup)?;
        check_laws(&setup)?;
        hold(&setup.phases, &mut setup.boundaries)?;
        setup.begin_phase(0);
        setup.arrivals.sort_by(|a, b| a.time.total_cmp(&b.time));
        let ends = Vec::with_capacity(setup.phases.len());
        let progress = Progress { ends, calm_since: None };
        let bodies = std::mem::take(&mut setup.bodies);
        let boundaries = setup
            .boundaries
            .iter()
            .map(|boundary| BoundaryState {
                pose: boundary.pose,
                midpoint: boundary.pose,
                velocity: S::Vector::ZERO,
                spin: S::Spin::ZERO,
                travel: 0.0,
                speed: 0.0,
                removed: false,
                impulse: S::Vector::ZERO,
            })
            .collect();
        let mut work = Workspace { range: setup.laws.range(), ..Workspace::default() };
        for (index, boundary) in setup.boundaries.iter().enumerate() {
            work.shapes.add_boundary(index, boundary);
        }
        for (index, body) in bodies.iter().enumerate() {
            work.add_body(index, body);
        }
        let mut world = Self {
            setup,
            steps: 0,
            bodies,
            boundaries,
            arrived: 0,
            progress,
            contacts: Vec::new(),
            couples: Vec::new(),
            velocities: Vec::new(),
            solids: Vec::new(),
            solid_contacts: Vec::new(),
            ledger: Ledger::default(),
            timers: StageTimers::default(),
            threads: Threads::one(),
            thread_trial: ThreadTrial::default(),
            rest: Rest::default(),
            rest_work: RestWork::default(),
            work,
            solid_work: SolidWork::default(),
        };
        world.add_solids()?;
        world.open_ledger();
        Ok(world)
    }

    /// Computes with this many threads; the results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = Threads::new(threads);
        self.thread_trial = ThreadTrial::default();
    }
    /// The time reached.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.setup.time_step
    }
    /// Number of steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }
    /// What the world was made from; the bodies have moved on to [`bodies`](Self::bodies).
    pub fn setup(&self) -> &Setup<S> {
        &self.setup
    }
    /// The bodies as they are now.
    pub fn bodies(&self) -> &[Body<S>] {
        &self.bodies
    }
    /// How many of the setup's arrivals have entered: the last of the bodies.
    pub fn arrived(&self) -> usize {
        self.arrived
    }
    /// The boundaries as they were placed.
    pub fn boundaries(&self) -> &[Boundary<S>] {
        &self.setup.boundaries
    }
    /// Where a boundary is now; `None` once it is removed.
    pub fn boundary_pose(&self, index: usize) -> Option<Pose<S>> {
        let state = &self.boundaries[index];
        (!state.removed).then_some(state.pose)
    }
    /// Velocity of a boundary at the middle of the last step (a slider's: at its end), in world
    /// axes, at its origin.
    pub fn boundary_velocity(&self, index: usize) -> S::Vector {
        match &self.setup.boundaries[index].drive {
            Drive::Slider(slider) => slider.direction * self.boundaries[index].speed,
            _ => self.boundaries[index].velocity,
        }
    }
    /// Force that the bodies exerted on a boundary over the last step (impulse / time step).
    pub fn boundary_force(&self, index: usize) -> S::Vector {
        self.boundaries[index].impulse / self.setup.time_step
    }
    /// The contacts of the last step, sorted by the shapes that meet.
    pub fn contacts(&self) -> &[Contact<S>] {
        &self.contacts
    }
    /// The contact problem of the last step, contacts in the order of [`contacts`](Self::contacts), then of
    /// [`solid_contacts`](Self::solid_contacts). Where it was solved without a list of them, one is made.
    pub fn problem(&self) -> Cow<'_, ContactProblem<S>> {
        let problem = &self.work.problem;
        if let Some((whole, _)) = self.with_part() {
            return Cow::Owned(whole);
        }
        if problem.contacts.len() == self.contacts.len() {
            return Cow::Borrowed(problem);
        }
        let made = self.made_contacts(&self.contacts);
        let contacts = self.contacts.iter().map(|contact| made.make(contact)).collect();
        Cow::Owned(ContactProblem { contacts, ..problem.clone() })
    }
    /// How many collisions of A-CD² in the last step are known to have one solution; `None` where no
    /// law is of A-CD².
    pub fn uniqueness(&self) -> Option<Uniqueness> {
        self.setup.laws.has_percussions().then(|| uniqueness(&self.work.problem))
    }
    /// From now on keeps what the solver of each step starts from.
    pub fn keep_start(&mut self) {
        self.work.keeps_start = true;
    }
    /// The impulses from which the solver of the last step started; empty unless they are
    /// [kept](Self::keep_start), and where solids touch anything.
    pub fn start(&self) -> &[S::Local] {
        if self.solid_contacts.is_empty() { &self.work.start } else { &[] }
    }
    /// The solution of the last step, with impulses in the order of the [`problem`](Self::problem)'s contacts. Where it was
    /// found without a list of them, one is made.
    pub fn solution(&self) -> Cow<'_, Solution<S>> {
        let solution = &self.work.solution;
        if let Some((_, whole)) = self.with_part() {
            return Cow::Owned(whole);
        }
        let listed = solution.impulses.len() == self.contacts.len();
        if listed || self.work.solver.count() != self.contacts.len() {
            return Cow::Borrowed(solution);
        }
        let impulses = (0..self.contacts.len()).map(|index| self.work.found_impulse(index));
        Cow::Owned(Solution { impulses: impulses.collect(), ..solution.clone() })
    }
    /// The name of a body or boundary; its number, counted from 0, where the scene gives none.
    pub fn name(&self, owner: Owner) -> String {
        let (name, kind, index): (&str, _, _) = match owner {
            Owner::Body(index) => (self.bodies[index as usize].name(), "body", index),
            Owner::Boundary(index) => {
                (&self.setup.boundaries[index as usize].name, "boundary", index)
            }
        };
        if name.is_empty() { format!("{kind} {index}") } else { name.to_owned() }
    }
    /// The energy ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
    /// Time spent in each stage.
    pub fn timers(&self) -> &StageTimers {
        &self.timers
    }

    /// A hash of the whole state: positions, velocities, impulses. Equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.number(self.time());
        for body in &self.bodies {
            hash.vector(body.pose.position);
            hash.vector(body.pose.rotation.logarithm());
            hash.vector(body.velocity);
            hash.vector(body.spin);
        }
        for boundary in &self.boundaries {
            hash.vector(boundary.pose.position);
            hash.number(boundary.speed);
        }
        for contact in self.contacts.iter().chain(&self.rest.contacts) {
            hash.vector(contact.impulse);
            hash.vector(self.contact_couple(contact));
        }
        for solid in &self.solids {
            solid.positions().iter().for_each(|&x| hash.vector(x));
            solid.velocities().iter().for_each(|&v| hash.vector(v));
        }
        for contact in &self.solid_contacts {
            hash.vector(contact.impulse);
        }
        hash.0
    }
}

/// The numbers that a step relies on.
fn check<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    let positive = |what: &str, value: f64| {
        let good = value > 0.0 && value.is_finite();
        if good { Ok(()) } else { Err(SetupError::NotPositive { what: what.to_owned(), value }) }
    };
    positive("time step", setup.time_step)?;
    positive("solver tolerance", setup.solver.tolerance)?;
    for phase in &setup.phases {
        positive(&format!("solver tolerance of phase `{}`", phase.name), phase.tolerance)?;
    }
    positive("relaxation", setup.solver.relaxation)?;
    if let Some(rest) = &setup.rest {
        positive("number of steps of rest", f64::from(rest.steps))?;
        if let Some(beside) = unfit_for_rest(setup) {
            return Err(SetupError::NoRest { beside });
        }
    }
    let arrivals = setup.arrivals.iter().map(|arrival| &arrival.body);
    for body in setup.bodies.iter().chain(arrivals) {
        positive(&format!("mass of body `{}`", body.name()), body.mass)?;
        for axis in 0..S::Spin::LENGTH {
            positive(&format!("inertia of body `{}`", body.name()), body.moments.get(axis))?;
        }
    }
    for boundary in &setup.boundaries {
        if let Drive::Slider(slider) = &boundary.drive {
            positive(&format!("mass of boundary `{}`", boundary.name), slider.mass)?;
        }
    }
    let within = |what: &str, index: usize, count: usize| {
        let good = index < count;
        if good { Ok(()) } else { Err(SetupError::NoSuch { what: what.to_owned(), index, count }) }
    };
    for load in &setup.loads {
        within("a load", load.body, setup.bodies.len())?;
    }
    for drag in &setup.drags {
        within("a drag", drag.body, setup.bodies.len())?;
    }
    for anchor in setup.springs.iter().flat_map(|spring| &spring.ends) {
        within("a spring", anchor.body.unwrap_or(0), setup.bodies.len())?;
    }
    for force in &setup.initial_forces {
        for owner in [force.on, force.by] {
            match owner {
                Owner::Body(index) => {
                    within("an initial force", index as usize, setup.bodies.len())?
                }
                Owner::Boundary(index) => {
                    within("an initial force", index as usize, setup.boundaries.len())?
                }
            }
        }
    }
    Ok(())
}

/// Fowler–Noll–Vo's hash, version 1a, 64 bits: the same on all machines.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn number(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    fn vector(&mut self, vector: impl Vector) {
        fn each<V: Vector>(hash: &mut Fnv, vector: V) {
            (0..V::LENGTH).for_each(|i| hash.number(vector.get(i)));
        }
        each(self, vector);
    }
}

/// A world of either dimension: the only place where the dimension is chosen at run time.
#[derive(Debug)]
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
