//! What a picture shows, free of the world that it was taken from.

use super::Paint;
use drystone_detect::Geometry;
use drystone_engine::{Owner, World};
use drystone_space::{Pose, Vector};

/// A placed shape with the speed that colours it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<S: Geometry> {
    /// The shape in its own axes.
    pub shape: S::Shape,
    /// `world_from_shape`.
    pub pose: Pose<S>,
    /// Root mean square of the speeds of the body's points, spin included: √(2 · energy / mass).
    /// For a boundary, the speed of its origin.
    pub speed: f64,
}

/// A contact force and the line that shows it.
///
/// The line runs through the contact: to the centre of a round body, so that the lines of its
/// contacts meet; into any other body along the force, where it is the line of thrust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceLine<S: Geometry> {
    /// End of the line in the first body.
    pub first: S::Vector,
    /// Where they touch.
    pub point: S::Vector,
    /// End of the line in the second body.
    pub second: S::Vector,
    /// Size of the force, in newtons.
    pub force: f64,
}

/// The scene at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<S: Geometry> {
    /// Stands above the picture.
    pub title: String,
    /// Time in seconds, since the start of the phase where there are any.
    pub time: f64,
    /// The shapes of all bodies.
    pub bodies: Vec<Figure<S>>,
    /// The shapes of all boundaries that are there.
    pub boundaries: Vec<Figure<S>>,
    /// The contact forces of the last step.
    pub forces: Vec<ForceLine<S>>,
}

impl<S: Paint> Frame<S> {
    /// The world as it is now.
    pub fn of(world: &World<S>, title: &str) -> Self {
        let bodies = world.bodies().iter().flat_map(|body| {
            let speed = (2.0 * body.kinetic_energy() / body.mass).sqrt();
            body.parts.iter().map(move |part| Figure {
                shape: part.shape.clone(),
                pose: body.pose.compose(&part.pose),
                speed,
            })
        });
        let boundaries = world.boundaries().iter().enumerate().filter_map(|(index, boundary)| {
            let pose = world.boundary_pose(index)?;
            let speed = world.boundary_velocity(index).norm();
            Some(boundary.parts.iter().map(move |part| Figure {
                shape: part.shape.clone(),
                pose: pose.compose(&part.pose),
                speed,
            }))
        });
        Self {
            title: match world.phase_name() {
                Some(phase) => format!("{title}: {phase}"),
                None => title.to_owned(),
            },
            time: world.phase_time(),
            bodies: bodies.collect(),
            boundaries: boundaries.flatten().collect(),
            forces: forces(world),
        }
    }
}

fn forces<S: Paint>(world: &World<S>) -> Vec<ForceLine<S>> {
    let end = |owner: Owner, point: S::Vector, inward: S::Vector| match owner {
        Owner::Body(index) => {
            let body = &world.bodies()[index as usize];
            match body.parts.as_slice() {
                [part] if S::is_round(&part.shape) => body.pose.position,
                parts => {
                    let width = parts.iter().map(|p| S::width(&p.shape)).fold(f64::MAX, f64::min);
                    point + inward * (0.5 * width)
                }
            }
        }
        Owner::Boundary(_) => point,
    };
    let line = |contact: &drystone_engine::Contact<S>| {
        let impulse = contact.impulse.norm();
        // Written so that an impulse that is no number is left out too.
        if !(impulse > 0.0 && impulse.is_finite()) {
            return None;
        }
        let inward = contact.impulse / impulse;
        Some(ForceLine {
            first: end(contact.first, contact.point, inward),
            point: contact.point,
            second: end(contact.second, contact.point, -inward),
            force: impulse / world.setup().time_step,
        })
    };
    world.contacts().iter().filter_map(line).collect()
}
