//! Joints of a simulation: what they carry, and what their motors are told.

use super::Simulation;
use super::read::{Which, three};
use crate::Error;
use drystone_engine::with_world;
use drystone_space::Vector;

/// A joint as it was at the end of the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct JointView {
    /// Its name; its kind and number where the scene gives none.
    pub name: String,
    /// What kind it is, as scenes say it.
    pub kind: &'static str,
    /// Where the point of its first side is.
    pub point: [f64; 3],
    /// Force on its first side, mean of the last step: of what it holds, its friction, springs and motors.
    pub force: [f64; 3],
    /// The moment of it about the point: one number in the plane, three in space.
    pub torque: Vec<f64>,
    /// How far its points are apart where they should not be, in m, and the same of angles.
    pub drift: [f64; 2],
    /// Whether it has borne more than it can.
    pub broken: bool,
}

impl Simulation {
    /// Number of joints.
    pub fn joints(&self) -> usize {
        with_world!(&self.world, world => world.setup().joints.len())
    }

    /// The number of a joint.
    pub fn joint_index(&self, which: impl Which) -> Result<usize, Error> {
        with_world!(&self.world, world => {
            let joints = &world.setup().joints;
            let mut names = joints.iter().map(|joint| joint.name.as_str());
            which.find("joint", joints.len(), &mut names)
        })
    }

    /// A joint as it is now.
    ///
    /// ```
    /// use drystone::prelude::*;
    /// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
    /// #     material = [{ name = \"steel\", density = 7850 }]\ndefault_law = { friction = 0.3 }\n\
    /// #     body = [{ name = \"arm\", shape = { box = [1, 0.1] }, mass = 2, position = [0.5, 0], material = \"steel\" }]\n\
    /// #     joint = [{ name = \"motor\", kind = \"hinge\", body = \"arm\", point = [0, 0], motor = { angle = 0 } }]\n";
    /// let mut simulation = Simulation::parse(scene)?;
    /// simulation.run_until(0.1)?;
    /// // It holds the arm's weight, 2 kg at half a metre.
    /// let motor = simulation.joint("motor")?;
    /// assert!((motor.force[1] - 19.62).abs() < 1e-3 && (motor.torque[0] - 9.81).abs() < 1e-3);
    /// simulation.set_joint_target("motor", Some(0.2))?;
    /// simulation.run_until(0.2)?;
    /// assert!((simulation.rotation("arm")?[0] - 0.2).abs() < 1e-6);
    /// assert!(simulation.ledger().closure() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn joint(&self, which: impl Which) -> Result<JointView, Error> {
        let index = self.joint_index(which)?;
        Ok(with_world!(&self.world, world => {
            let joint = &world.setup().joints[index];
            let reaction = &world.joint_reactions()[index];
            let torque = reaction.torque;
            JointView {
                name: joint.label(index),
                kind: joint.kind.name(),
                point: three(reaction.point),
                force: three(reaction.force),
                torque: (0..if self.dimension() == 2 { 1 } else { 3 }).map(|i| torque.get(i)).collect(),
                drift: [reaction.drift, reaction.angle_drift],
                broken: world.state().joints[index].broken,
            }
        }))
    }

    /// Gives the motor of a joint this target from now on, in place of that of its scene: a force, speed or place, as it is
    /// asked for there. `None` gives back that of the scene.
    pub fn set_joint_target(
        &mut self,
        joint: impl Which,
        target: Option<f64>,
    ) -> Result<(), Error> {
        let joint = self.joint_index(joint)?;
        with_world!(&mut self.world, world => Ok(world.set_joint_target(joint, target)?))
    }
}
