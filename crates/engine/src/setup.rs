//! Everything that a world is made from.

use crate::{
    Body, Boundary, Cell, ContactForm, Drag, Joint, LawTable, Membrane, Phase, Scheme, Signal,
    SleepSettings, SolidSettings, SolidSetup, Spring, StepParams, Switch,
};
use drystone_detect::Geometry;
use drystone_solve::AssembledMethod;
use drystone_space::{Space, Vector};

/// A force and torque on one body, multiplied by a signal between two times.
#[derive(Clone, Debug, PartialEq)]
pub struct Load<S: Space> {
    /// Index of the body among the setup's bodies.
    pub body: usize,
    /// Force at the centre of mass, in world axes.
    pub force: S::Vector,
    /// Torque, in world axes.
    pub torque: S::Spin,
    /// Factor of both; its clock is the scene's.
    pub factor: Signal,
    /// When it starts to act.
    pub start: f64,
    /// When it ceases; may be infinite.
    pub stop: f64,
}

impl<S: Space> Load<S> {
    /// The factor at `time`; zero outside of start and stop.
    pub(crate) fn factor_at(&self, time: f64) -> f64 {
        if time >= self.start && time < self.stop { self.factor.sample(time).0 } else { 0.0 }
    }
}

/// A body that enters during the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival<S: Geometry> {
    /// When.
    pub time: f64,
    /// What, as it is at that time.
    pub body: Body<S>,
    /// Where it may be laid on top of what is there: it takes the place where it comes to lie lowest.
    /// Empty if it enters just where it is.
    pub places: Vec<S::Vector>,
}

/// What two things are, in the list of bodies or of boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A body, by index.
    Body(u32),
    /// A boundary, by index.
    Boundary(u32),
}

/// The contact force that a pair starts with: the summary of its history (Moreau 2003, §8.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialForce<S: Space> {
    /// The body that feels the force.
    pub on: Owner,
    /// The body or boundary that exerts it.
    pub by: Owner,
    /// The force, in world axes; shared equally by the contacts of the pair.
    pub force: S::Vector,
}

/// What happens when a step's contact problem is not solved to the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// The run ends with an error.
    Stop,
    /// The run goes on; the failure is shown at once and counted.
    #[default]
    Warn,
    /// The run goes on; the failure is counted.
    Continue,
}

/// Which method solves the contact problem of each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Sweeps; where they are slow, what solves recorded problems takes over.
    #[default]
    Auto,
    /// Sweeps only.
    GaussSeidel,
    /// A method for assembled problems. Steps that it cannot take, since they are too
    /// large or have laws other than Coulomb's, are swept. Uzawa's method also takes those of A-CD² alone, of any size
    /// ([`uzawa`](drystone_solve::uzawa)).
    Assembled(AssembledMethod),
}

/// When a step counts as solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// The residual is within the tolerance, and so is the error of the step in the kinetic metric, wherever
    /// factors that tell it can be had at the price of some sweeps. Elsewhere sweeps tell the error: they go on for its
    /// sake while they promise to bring it within the tolerance, at most as long as the residual took.
    Step,
    /// The residual is: each contact obeys its law, whatever its neighbours' errors add up to. The error is told where
    /// the sweeps that were made tell it.
    #[default]
    Contacts,
}

/// How the contact problem of each step is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// The method.
    pub method: Method,
    /// Relative error that is asked for.
    pub tolerance: f64,
    /// Most sweeps in a step, and most iterations of the method that takes over.
    pub max_iterations: usize,
    /// Factor on each local correction, in (0, 2); 1 is plain Gauss–Seidel.
    pub relaxation: f64,
    /// When a step counts as solved.
    pub judge: Judge,
    /// What happens on failure.
    pub on_failure: OnFailure,
}

impl SolverSettings {
    /// The error of a step that sweeps are to seek besides the residual, if any.
    pub(crate) fn sought_error(&self) -> Option<f64> {
        (self.judge == Judge::Step).then_some(self.tolerance)
    }
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            tolerance: 1e-4,
            max_iterations: 10_000,
            relaxation: 1.0,
            judge: Judge::Contacts,
            on_failure: OnFailure::Warn,
        }
    }
}

/// Everything that a world is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup<S: Geometry> {
    /// Acceleration of gravity.
    pub gravity: S::Vector,
    /// Length h of a step.
    pub time_step: f64,
    /// How steps are made.
    pub scheme: Scheme,
    /// Laws between materials.
    pub laws: LawTable,
    /// Bodies present at the start.
    pub bodies: Vec<Body<S>>,
    /// Boundaries.
    pub boundaries: Vec<Boundary<S>>,
    /// Bodies that enter later, in order of time.
    pub arrivals: Vec<Arrival<S>>,
    /// Forces and torques besides gravity.
    pub loads: Vec<Load<S>>,
    /// Springs.
    pub springs: Vec<Spring<S>>,
    /// Joints between bodies, or between bodies and boundaries or the ground.
    pub joints: Vec<Joint<S>>,
    /// Membranes around groups of bodies.
    pub membranes: Vec<Membrane>,
    /// Drag on bodies; at most one on each.
    pub drags: Vec<Drag>,
    /// Phases, one after another; none is one that ends with the run.
    pub phases: Vec<Phase>,
    /// What moves boundaries in other ways from a phase on; at most one for each phase and boundary.
    pub switches: Vec<Switch<S>>,
    /// Contact forces at the start.
    pub initial_forces: Vec<InitialForce<S>>,
    /// Deformable solids.
    pub solids: Vec<SolidSetup<S>>,
    /// How solids are computed.
    pub solid_settings: SolidSettings,
    /// Solver.
    pub solver: SolverSettings,
    /// Form of the contact inequality.
    pub form: ContactForm,
    /// When bodies fall asleep; `None` is never.
    pub sleep: Option<SleepSettings>,
    /// The periodic cell that all is in, if there is one.
    pub cell: Option<Cell<S>>,
    /// Thresholds of methods and of sharing work.
    pub params: StepParams,
}

impl<S: Geometry> Default for Setup<S> {
    fn default() -> Self {
        Self {
            gravity: S::Vector::ZERO,
            time_step: 1e-3,
            scheme: Scheme::default(),
            laws: LawTable::default(),
            bodies: Vec::new(),
            boundaries: Vec::new(),
            arrivals: Vec::new(),
            loads: Vec::new(),
            springs: Vec::new(),
            joints: Vec::new(),
            membranes: Vec::new(),
            drags: Vec::new(),
            phases: Vec::new(),
            switches: Vec::new(),
            initial_forces: Vec::new(),
            solids: Vec::new(),
            solid_settings: SolidSettings::default(),
            solver: SolverSettings::default(),
            form: ContactForm::default(),
            sleep: None,
            cell: None,
            params: StepParams::default(),
        }
    }
}
