//! A body held by the pointer.
//!
//! The point of the body that was grasped is drawn to the pointer by a spring with a damper, m ω² and 2 m ω, as critical
//! damping has it for a point mass m. It enters as a force from outside ([`World::set_wrench`]), so that the ledger books its
//! work and closes as ever. ω is chosen so that the body's own weight stretches the spring by a fiftieth of the scene, and is
//! kept below a fifth of a step's frequency, where an explicit force is stable.

use drystone_engine::{Dimension, SteerError, World, Wrench};
use drystone_space::{Rotation, Vector};

/// Share of the scene's size by which a body that hangs on the pointer sags.
const SAG: f64 = 0.02;
/// Largest ω · time step.
const STIFFEST: f64 = 0.2;

/// What is held, and where it is drawn to.
#[derive(Clone, Copy, Debug)]
pub struct Grasp {
    /// The body.
    pub body: usize,
    /// The point that is held, in the body's axes.
    point: [f64; 3],
    /// Where the pointer is, in world axes.
    target: [f64; 3],
    /// ω, in rad/s.
    rate: f64,
}

fn vector<V: Vector>(numbers: [f64; 3]) -> V {
    V::from_fn(|i| numbers[i])
}

fn numbers<V: Vector>(vector: V) -> [f64; 3] {
    std::array::from_fn(|i| if i < V::LENGTH { vector.get(i) } else { 0.0 })
}

impl Grasp {
    /// Takes hold of a body at a point of the world, in a scene of this size; none if there is no such body.
    pub fn of<S: Dimension>(
        world: &World<S>,
        body: usize,
        point: [f64; 3],
        size: f64,
    ) -> Option<Self> {
        let held = world.bodies().get(body)?;
        let own = held.pose.inverse_point(vector(point));
        let weight = world.setup().gravity.norm();
        // Where nothing weighs anything the pointer is reached in a quarter of a second.
        let rate = if weight > 0.0 { (weight / (SAG * size)).sqrt() } else { 16.0 };
        let rate = rate.min(STIFFEST / world.setup().time_step);
        own.finite().then_some(Self { body, point: numbers(own), target: point, rate })
    }

    /// Draws it to another point.
    pub fn pull(&mut self, target: [f64; 3]) {
        if target.iter().all(|x| x.is_finite()) {
            self.target = target;
        }
    }

    /// Where the point that is held is now, in the world.
    pub fn place<S: Dimension>(&self, world: &World<S>) -> Option<[f64; 3]> {
        Some(numbers(world.bodies().get(self.body)?.pose.point(vector(self.point))))
    }

    /// Sets the force for the next step.
    pub fn apply<S: Dimension>(&self, world: &mut World<S>) -> Result<(), SteerError> {
        let Some(body) = world.bodies().get(self.body) else { return Ok(()) };
        let arm: S::Vector = body.pose.rotation.apply(vector(self.point));
        let speed = body.velocity + S::velocity_at(body.world_spin(), arm);
        let way = vector::<S::Vector>(self.target) - body.pose.position - arm;
        let force = (way * (self.rate * self.rate) - speed * (2.0 * self.rate)) * body.mass;
        let torque = S::moment(arm, force);
        world.set_wrench(self.body, Wrench { force, torque })
    }

    /// Lets go.
    pub fn release<S: Dimension>(self, world: &mut World<S>) -> Result<(), SteerError> {
        world.set_wrench(self.body, Wrench::default())
    }
}
