//! What a step's laws leave open: the contact forces that are possible, as a cloud (Moreau 2003, §8.2).
//!
//! A block between two walls without play: how hard they press on it is not determined, what the floor bears is.
//!
//! ```
//! use drystone::explore::{self, Options};
//! use drystone::prelude::*;
//! let mut simulation = Simulation::parse(r#"
//!     dimension = 2
//!     gravity = [0, -9.81]
//!     time = { step = 1e-3, end = 1 }
//!     material = [{ name = "stone", density = 1000 }]
//!     default_law = { friction = 0.5 }
//!     body = [{ shape = { box = [1, 1] }, position = [0, 0.5], material = "stone" }]
//!     boundary = [
//!         { name = "floor", shape = { half_plane = {} }, material = "stone" },
//!         { name = "left", shape = { half_plane = {} }, position = [-0.5, 0], rotation = -1.5707963267948966, material = "stone" },
//!         { name = "right", shape = { half_plane = {} }, position = [0.5, 0], rotation = 1.5707963267948966, material = "stone" },
//!     ]
//! "#)?;
//! simulation.step()?;
//! let contacts = explore::contacts(&simulation);
//! let found = explore::explore(&simulation, 0, &Options { samples: 50, ..Options::default() })?;
//! assert_eq!((contacts.len(), found.samples.len()), (found.contacts, found.solved));
//! assert!(found.determined < found.contacts && found.velocities_are_unique);
//! # Ok::<(), Error>(())
//! ```

mod write;

use crate::{Error, Simulation};
use drystone_engine::{Dimension, World, with_world};
use drystone_record::archive::Recorded;
use drystone_solve::{Exploration, ExploreParams, NlgsParams, Threads};
use drystone_space::{Frame, Local, Vector};

pub use drystone_solve::{Residual, Vary};

/// How a step is explored.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What differs from sample to sample.
    pub vary: Vary,
    /// How often the step is solved.
    pub samples: usize,
    /// Seed of the random starts or orders.
    pub seed: u64,
    /// Error that a sample may have to be kept.
    pub tolerance: f64,
    /// By which factor starts may be below and above the typical force of the step.
    pub spread: f64,
    /// Threads that compute, 0 being one for each core; results do not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        let ExploreParams { vary, samples, seed, spread, solver } = ExploreParams::default();
        Self { vary, samples, seed, tolerance: solver.tolerance, spread, threads: 0 }
    }
}

/// A contact of the last step's problem.
#[derive(Clone, Debug, PartialEq)]
pub struct StepContact {
    /// Names of the body that the normal points toward, and of what it touches.
    pub bodies: [String; 2],
    /// Where, in world axes.
    pub point: [f64; 3],
    /// Normal force, mean of the step, in N.
    pub normal: f64,
    /// Size of the tangential force, in N.
    pub tangential: f64,
}

/// One solution of the step, seen at the contact: components in its frame, the normal one first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Force, in N.
    pub force: [f64; 3],
    /// Relative velocity at the end of the step.
    pub velocity: [f64; 3],
    /// How far the solution is from the laws.
    pub residual: Residual,
    /// Sweeps that it took.
    pub iterations: usize,
}

/// What was found of one component of the contact's force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// `normal`, `tangent`; in space `tangent_1` and `tangent_2`.
    pub name: &'static str,
    /// Its axis in the world.
    pub axis: [f64; 3],
    /// The least force of all samples, in N.
    pub lowest: f64,
    /// The largest.
    pub highest: f64,
    /// The force of the run itself.
    pub own: f64,
}

impl Component {
    /// Whether all samples have the same force, up to the errors of the solver.
    pub fn is_determined(&self, found: &Explored) -> bool {
        self.highest - self.lowest <= found.resolution * found.force_size
    }
}

/// What was found of a step, seen at one contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Explored {
    /// Title of the scene.
    pub title: String,
    /// 2 in the plane, 3 in space.
    pub dimension: usize,
    /// When the step begins, in s.
    pub start: f64,
    /// Length of the step, in s.
    pub time_step: f64,
    /// Number of the contact in the step.
    pub contact: usize,
    /// What it is.
    pub about: StepContact,
    /// Coulomb's coefficient there.
    pub friction: f64,
    /// How it was explored.
    pub options: Options,
    /// How many samples met the tolerance; the others are left out.
    pub solved: usize,
    /// Those.
    pub samples: Vec<Sample>,
    /// Ranges of the components of the force.
    pub components: Vec<Component>,
    /// Contacts of the step.
    pub contacts: usize,
    /// How many of them have a determined force.
    pub determined: usize,
    /// How many of them have a determined normal force.
    pub determined_normal: usize,
    /// Largest force of any sample at any contact, in N.
    pub force_size: f64,
    /// Ranges below this share of the size are errors of the solver.
    pub resolution: f64,
    /// The widest range of any contact's velocity, relative to their size.
    pub velocity_spread: f64,
    /// Largest contact velocity without forces, in m/s.
    pub velocity_size: f64,
    /// Whether all samples have the same velocities.
    pub velocities_are_unique: bool,
}

/// The contacts of the last step's problem, by the numbers that [`explore`] takes.
pub fn contacts(simulation: &Simulation) -> Vec<StepContact> {
    with_world!(simulation.world(), world => (0..world.contacts().len()).map(|i| about(world, i)).collect())
}

/// Solves the last step many times over, and tells which forces one of its contacts can have.
pub fn explore(
    simulation: &Simulation,
    contact: usize,
    options: &Options,
) -> Result<Explored, Error> {
    let count = contacts(simulation).len();
    if contact >= count {
        return Err(Error::Unfit(format!(
            "the step has no contact {contact}: its {count} contacts are numbered from 0"
        )));
    }
    let title = simulation.title();
    Ok(with_world!(simulation.world(), world => of_world(world, title, contact, options)))
}

fn about<S: Dimension>(world: &World<S>, index: usize) -> StepContact {
    let contact = &world.contacts()[index];
    let (impulse, h) = (world.solution().impulses[index], world.setup().time_step);
    StepContact {
        bodies: [world.name(contact.first), world.name(contact.second)].map(|n| n.to_string()),
        point: three(contact.point),
        // Adding zero turns a negative zero into zero.
        normal: impulse.normal() / h + 0.0,
        tangential: impulse.tangent().norm() / h,
    }
}

/// Three components, the last ones zero.
fn three<V: Vector>(vector: V) -> [f64; 3] {
    std::array::from_fn(|i| if i < V::LENGTH { vector.get(i) } else { 0.0 })
}

fn of_world<S: Dimension + Recorded>(
    world: &World<S>,
    title: &str,
    chosen: usize,
    options: &Options,
) -> Explored {
    let (h, setup) = (world.setup().time_step, world.setup());
    let params = ExploreParams {
        vary: options.vary,
        samples: options.samples,
        seed: options.seed,
        spread: options.spread,
        solver: NlgsParams {
            tolerance: options.tolerance,
            max_iterations: setup.solver.max_iterations,
            ..ExploreParams::default().solver
        },
    };
    let (problem, known) = (world.problem(), world.solution());
    let contact = &problem.contacts[chosen];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = Threads::new(if options.threads == 0 { cores } else { options.threads });
    let local = |value: S::Local, by: f64| -> [f64; 3] {
        std::array::from_fn(|i| if i < S::DIMENSION { value.get(i) / by } else { 0.0 })
    };
    let mut samples = Vec::new();
    let found = drystone_solve::explore(&problem, &known, &params, &threads, |solution, report| {
        let velocity = contact.offset + contact.map.to_contact(&solution.twists);
        samples.push(Sample {
            force: local(solution.impulses[chosen], h),
            velocity: local(velocity, 1.0),
            residual: report.residual,
            iterations: report.iterations,
        });
    });
    let axis = |i: usize| three(contact.map.frame.to_world(S::Local::axis(i)));
    let names = if S::DIMENSION == 2 {
        &["normal", "tangent"][..]
    } else {
        &["normal", "tangent_1", "tangent_2"]
    };
    let component = |(i, &name): (usize, &&'static str)| {
        let (low, high) = found.impulses[chosen].component(i);
        let own = known.impulses[chosen].get(i) / h;
        Component { name, axis: axis(i), lowest: low / h, highest: high / h, own }
    };
    let (determined, determined_normal) = count_determined(&found);
    Explored {
        title: title.to_owned(),
        dimension: S::DIMENSION,
        start: world.time() - h,
        time_step: h,
        contact: chosen,
        about: about(world, chosen),
        friction: world.contact_friction(&world.contacts()[chosen]),
        options: options.clone(),
        solved: found.solved,
        samples,
        components: names.iter().enumerate().map(component).collect(),
        contacts: found.impulses.len(),
        determined,
        determined_normal,
        force_size: found.impulse_size / h,
        resolution: found.resolution,
        velocity_spread: found.velocity_spread(),
        velocity_size: found.velocity_size,
        velocities_are_unique: found.velocities_are_unique(),
    }
}

/// Contacts with a determined force, and with a determined normal force.
fn count_determined<S: Dimension>(found: &Exploration<S>) -> (usize, usize) {
    let contacts = 0..found.impulses.len();
    let normal = contacts.clone().filter(|&i| found.is_normal_determined(i)).count();
    (contacts.filter(|&i| found.is_determined(i)).count(), normal)
}
