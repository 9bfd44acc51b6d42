//! Limit analysis: how far loads may grow before a structure of blocks collapses, and what its supports may bear.
//!
//! A structure can stand if there are contact forces within Coulomb's cones that balance every body. The largest multiple of
//! the live loads with such forces is the least of a cone programme, and the multipliers of equilibrium are the motion in
//! which it collapses: a mechanism whose sliding contacts dilate (associated friction). Coulomb's friction does not dilate.
//! Nothing stands beyond that multiple, but some structures fall before it: [`Options::dynamics`] brackets where,
//! by runs from rest.
//!
//! A column of five blocks, as high as 2 and as wide as 0.8, topples at the slope of 0.4:
//!
//! ```
//! use drystone::limit::{self, Live, Options};
//! use drystone::prelude::*;
//! let simulation = Simulation::parse(r#"
//!     dimension = 2
//!     gravity = [0, -9.81]
//!     time = { step = 1e-3, end = 1 }
//!     material = [{ name = "stone", density = 2000 }]
//!     default_law = { friction = 0.7 }
//!     boundary = [{ name = "ground", shape = { half_plane = {} }, material = "stone" }]
//!     generate = [{ row = { count = 5, step = [0, 0.4], body = { shape = { box = [0.8, 0.4] }, position = [0, 0.2], material = "stone" } } }]
//! "#)?;
//! let live = Live { acceleration: Some([1.0, 0.0, 0.0]), ..Live::default() };
//! let found = limit::analyse(&simulation, &Options { live, ..Options::default() })?;
//! assert!(found.stands && (found.highest.unwrap().value - 0.4).abs() < 1e-7);
//! # Ok::<(), Error>(())
//! ```

mod critical;
mod dynamics;
mod picture;
mod programme;
mod statics;
mod write;

pub use critical::{Critical, critical};
pub use dynamics::{Dynamics, stays};

use crate::{Error, Simulation};
use drystone_engine::{Dimension, Owner, World, with_world};
use drystone_record::archive::Recorded;
use drystone_space::{Frame, Vector};
use programme::{Answer, Programme};
use statics::Statics;

/// What may be left of a balance, in units of the mean weight of a body. Interior points leave up to 3e-10 in arches that
/// stand; an arch that is too thin by a share of 1e-6 leaves 3e-7.
const BALANCED: f64 = 1e-7;

/// A vector of the plane or of space; the last component is not read in the plane.
pub type Place = [f64; 3];

/// The loads that grow, together, with the multiplier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// A pull on all bodies along a direction, by their weights: of 1 at the multiplier 1. On a table that tilts the
    /// multiplier is the tangent of the tilt, if only weights act.
    pub acceleration: Option<Place>,
    /// Forces on named bodies, at their centres of mass; on the bodies of a group together, by their masses.
    pub forces: Vec<(String, Place)>,
    /// Named bodies or groups that become heavier.
    pub weights: Vec<String>,
    /// The loads of the scene; without it they are there from the start, as they are at time 0.
    pub loads: bool,
}

impl Live {
    /// Whether anything grows.
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }
}

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// What grows.
    pub live: Live,
    /// Supports whose forces are asked for: boundaries by name, and along which direction, or along each axis.
    pub reactions: Vec<(String, Option<Place>)>,
    /// Whether steps from rest tell the multiplier too.
    pub dynamics: Option<Dynamics>,
}

/// How a body moves in a mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Velocity of the centre of mass.
    pub velocity: Place,
    /// Spin, the last component in the plane.
    pub spin: Place,
}

/// The least or largest value, with the forces that bear there.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    /// A multiplier, or a force in N; infinite without a bound.
    pub value: f64,
    /// Force that the first side of each contact feels, in N; empty without a bound.
    pub forces: Vec<Place>,
    /// The motion that is about to begin, for each body, the fastest at 1 m/s; empty without a bound.
    pub mechanism: Vec<Motion>,
}

/// A contact that may bear.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// The body that the normal points toward, and what it touches.
    pub owners: [Owner; 2],
    /// Their names.
    pub bodies: [String; 2],
    /// Where.
    pub point: Place,
    /// Unit normal toward the first.
    pub normal: Place,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// What a support may bear along a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// The boundary.
    pub support: String,
    /// Unit direction.
    pub direction: Place,
    /// The least force of the support on the structure along it, which it has when the support begins to move against the
    /// direction.
    pub lowest: Extreme,
    /// The largest.
    pub highest: Extreme,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Title of the scene.
    pub title: String,
    /// 2 in the plane, 3 in space.
    pub dimension: usize,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// All contacts that may bear.
    pub contacts: Vec<Contact>,
    /// What was asked.
    pub options: Options,
    /// Whether forces within the cones balance the loads that are there.
    pub stands: bool,
    /// Forces that do, somewhere in the middle of all that can; empty if there are none.
    pub forces: Vec<Place>,
    /// Where nothing can: the motion that begins at once.
    pub falls: Vec<Motion>,
    /// The least multiplier with such forces; none if there is no live load, or none that helps.
    pub lowest: Option<Extreme>,
    /// The largest: the multiplier at collapse.
    pub highest: Option<Extreme>,
    /// What was asked of supports.
    pub reactions: Vec<Reaction>,
    /// Largest multiplier at which the structure was seen to stay in runs from rest, and least at which it moved.
    pub dynamic: Option<[f64; 2]>,
}

/// Limit analysis of a simulation as it stands now, as if at rest.
pub fn analyse(simulation: &Simulation, options: &Options) -> Result<Analysis, Error> {
    with_world!(simulation.world(), world => of_world(world, simulation.title(), options))
}

/// Whether any contact forces within Coulomb's cones balance all loads.
pub fn stands(simulation: &Simulation) -> Result<bool, Error> {
    with_world!(simulation.world(), world => {
        let statics = Statics::new(world, &Live::default())?;
        Ok(statics.programme(false).nearest()?.rest <= BALANCED)
    })
}

/// Three components, the last ones zero.
fn three<V: Vector>(vector: V) -> Place {
    std::array::from_fn(|i| if i < V::LENGTH { vector.get(i) } else { 0.0 })
}

/// A spin: about the last axis in the plane.
fn about<V: Vector>(spin: V) -> Place {
    if V::LENGTH == 1 { [0.0, 0.0, spin.get(0)] } else { three(spin) }
}

/// Nothing of the forces, and this factor on what is unknown besides.
fn goal(programme: &Programme, factor: f64) -> Vec<f64> {
    let mut goal = vec![0.0; programme.friction.len() * programme.dimension];
    goal.resize(goal.len() + programme.others, factor);
    goal
}

fn of_world<S: Dimension + Recorded>(
    world: &World<S>,
    title: &str,
    options: &Options,
) -> Result<Analysis, Error> {
    let statics = Statics::new(world, &options.live)?;
    let at_rest = statics.programme(false);
    let rest = at_rest.nearest()?;
    let stands = rest.rest <= BALANCED;
    let (mut forces, mut falls) = (Vec::new(), Vec::new());
    match stands {
        true => forces = places(&statics, &rest.unknowns),
        false => falls = mechanism(&statics, &rest.multipliers),
    }
    let (mut lowest, mut highest) = (None, None);
    if options.live.is_some() {
        let programme = statics.programme(true);
        let extreme = |sign: f64| {
            let answer = programme.least(&goal(&programme, -sign))?;
            Ok::<_, Error>(extreme(&statics, answer, sign, |x| x.last().copied().unwrap_or(0.0)))
        };
        (lowest, highest) = (extreme(-1.0)?, extreme(1.0)?);
    }
    let mut reactions = Vec::new();
    for (support, direction) in &options.reactions {
        react(&statics, &at_rest, (support, *direction), &mut reactions)?;
    }
    let dynamic = match (&options.dynamics, &highest) {
        (Some(dynamics), Some(highest)) if stands && highest.value.is_finite() => {
            Some(dynamics.bracket(&statics, &options.live, highest.value)?)
        }
        _ => None,
    };
    let contact = |contact: &statics::Touching<S>| {
        let owners = [Owner::Body(contact.first as u32), contact.second];
        Contact {
            owners,
            bodies: owners.map(|owner| statics.name(owner)),
            point: three(contact.point),
            normal: three(contact.frame.normal()),
            friction: contact.friction,
        }
    };
    Ok(Analysis {
        title: title.to_owned(),
        dimension: S::DIMENSION,
        bodies: (0..statics.setup.bodies.len() as u32)
            .map(|b| statics.name(Owner::Body(b)))
            .collect(),
        contacts: statics.contacts.iter().map(contact).collect(),
        options: options.clone(),
        stands,
        forces,
        falls,
        lowest,
        highest,
        reactions,
        dynamic,
    })
}

/// Forces at contacts from the unknowns.
fn places<S: Dimension>(statics: &Statics<S>, unknowns: &[f64]) -> Vec<Place> {
    statics.forces(unknowns).into_iter().map(three).collect()
}

/// The motion of multipliers, the fastest point of a body's circle of gyration at 1 m/s.
fn mechanism<S: Dimension>(statics: &Statics<S>, multipliers: &[f64]) -> Vec<Motion> {
    let motion = statics.motion(multipliers);
    let speed = |((velocity, spin), body): (&(S::Vector, S::Spin), &drystone_engine::Body<S>)| {
        let turning = spin.norm_squared() * body.moments.norm() / body.mass;
        (velocity.norm_squared() + turning).sqrt()
    };
    let fastest = motion.iter().zip(&statics.setup.bodies).map(speed).fold(0.0, f64::max);
    let scale = if fastest > 0.0 { 1.0 / fastest } else { 0.0 };
    let scaled = |(velocity, spin): (S::Vector, S::Spin)| Motion {
        velocity: three(velocity * scale),
        spin: about(spin * scale),
    };
    motion.into_iter().map(scaled).collect()
}

/// An answer with its value; none if there is none, infinite to the side of `sign` without a bound.
fn extreme<S: Dimension>(
    statics: &Statics<S>,
    answer: Answer,
    sign: f64,
    value: impl Fn(&[f64]) -> f64,
) -> Option<Extreme> {
    match answer {
        Answer::Found { unknowns, multipliers } => Some(Extreme {
            value: value(&unknowns),
            forces: places(statics, &unknowns),
            mechanism: mechanism(statics, &multipliers),
        }),
        Answer::Impossible => None,
        Answer::Unbounded => {
            let value = sign * f64::INFINITY;
            Some(Extreme { value, forces: Vec::new(), mechanism: Vec::new() })
        }
    }
}

/// The range of what a support bears, along a direction or along each axis.
fn react<S: Dimension>(
    statics: &Statics<S>,
    programme: &Programme,
    (support, direction): (&str, Option<Place>),
    reactions: &mut Vec<Reaction>,
) -> Result<(), Error> {
    let names = || statics.setup.boundaries.iter().map(|boundary| boundary.name.as_str());
    let Some(index) = names().position(|name| name == support) else {
        return Err(Error::no_such("boundary", support, names()));
    };
    let directions = match direction {
        Some(direction) => vec![statics::unit::<S>(direction, "the direction of a reaction")?],
        None => (0..S::DIMENSION).map(S::Vector::axis).collect(),
    };
    for direction in directions {
        let share = statics.share(index as u32, direction);
        let value =
            |x: &[f64]| share.iter().zip(x).map(|(s, x)| s * x).sum::<f64>() * statics.force;
        let bound = |sign: f64| {
            let goal: Vec<f64> = share.iter().map(|s| -sign * s).collect();
            Ok::<_, Error>(extreme(statics, programme.least(&goal)?, sign, value))
        };
        if let (Some(lowest), Some(highest)) = (bound(-1.0)?, bound(1.0)?) {
            let support = support.to_owned();
            reactions.push(Reaction { support, direction: three(direction), lowest, highest });
        }
    }
    Ok(())
}
