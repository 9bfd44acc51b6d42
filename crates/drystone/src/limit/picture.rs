//! Pictures: a mechanism, and where forces go.

use super::{Analysis, Motion, Place};
use crate::Error;
use crate::simulation::{Simulation, Subject, picture_settings};
use drystone_detect::{Bounds, Extent};
use drystone_engine::{Owner, World, with_world};
use drystone_record::archive::{Catalogue, Frame, Recorded};
use drystone_record::picture::{ForceLine, PictureFrame};
use drystone_record::run::painter;
use drystone_space::{Pose, Rotation, Vector};
use std::collections::BTreeMap;
use std::path::Path;

/// Way of the fastest body in the picture of a mechanism, by the size of the structure.
const SHOWN: f64 = 0.06;

/// What two bodies give each other, as one force.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The body that feels the force, and what it touches.
    pub owners: [Owner; 2],
    /// Where it acts: the middle of its normal forces.
    pub point: Place,
    /// The force on the first, in N.
    pub force: Place,
}

impl Analysis {
    /// The forces of contacts, joint by joint: the resultant of what two bodies give each other. Those without force are
    /// left out.
    pub fn joints(&self, forces: &[Place]) -> Vec<Joint> {
        let mut joints: BTreeMap<[Owner; 2], (Place, Place, f64)> = BTreeMap::new();
        let dot = |a: Place, b: Place| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for (contact, &force) in self.contacts.iter().zip(forces) {
            let normal = dot(force, contact.normal).max(0.0);
            let (sum, moment, weight) = joints.entry(contact.owners).or_default();
            for i in 0..3 {
                sum[i] += force[i];
                moment[i] += normal * contact.point[i];
            }
            *weight += normal;
        }
        let largest = joints.values().map(|joint| joint.2).fold(0.0, f64::max);
        let bears = joints.into_iter().filter(|(_, joint)| joint.2 > 1e-6 * largest);
        bears
            .map(|(owners, (force, moment, weight))| Joint {
                owners,
                point: moment.map(|m| m / weight),
                force,
            })
            .collect()
    }

    /// Draws a mechanism: the bodies where it has moved them, coloured by their speeds.
    pub fn draw_mechanism(
        &self,
        simulation: &Simulation,
        mechanism: &[Motion],
        title: &str,
        file: &Path,
    ) -> Result<(), Error> {
        with_world!(simulation.world(), world => {
            let mut frame = frame(world, title);
            move_bodies(&mut frame, world, mechanism);
            let mut settings = picture_settings(simulation.output());
            settings.speed_limit = Some(1.0);
            let mut painter = painter(settings, &frame, world);
            Ok(painter.paint(&frame, Subject::Bodies).write_png(file)?)
        })
    }

    /// Draws where forces go. In the plane these are lines of thrust, from joint to joint of each body.
    pub fn draw_thrust(
        &self,
        simulation: &Simulation,
        forces: &[Place],
        title: &str,
        file: &Path,
    ) -> Result<(), Error> {
        with_world!(simulation.world(), world => {
            let mut frame = frame(world, title);
            frame.forces = lines(world, &self.joints(forces));
            let settings = picture_settings(simulation.output());
            let mut painter = painter(settings, &frame, world);
            Ok(painter.paint(&frame, Subject::Forces).write_png(file)?)
        })
    }
}

/// The structure as it is, without forces.
fn frame<S: Recorded>(world: &World<S>, title: &str) -> PictureFrame<S> {
    let moment = Frame::of(world, Vec::new(), Vec::new());
    let h = world.setup().time_step;
    let mut frame =
        PictureFrame::recorded(&moment, &Catalogue::of(world), title, h, Default::default());
    frame.forces.clear();
    frame
}

fn vector<V: Vector>(place: Place) -> V {
    V::from_fn(|i| place[if V::LENGTH == 1 { 2 } else { i }])
}

/// Moves each body along its velocity, turns it by its spin, and colours it by its speed.
fn move_bodies<S: Recorded>(frame: &mut PictureFrame<S>, world: &World<S>, mechanism: &[Motion]) {
    let boxes = frame.bodies.iter().filter_map(|f| match S::extent(&f.shape, &f.pose) {
        Extent::Box(bounds) => Some(bounds),
        Extent::Half { .. } => None,
    });
    let size = boxes.reduce(|a, b| a.union(&b)).map_or(1.0, |all: Bounds<S>| {
        (0..S::DIMENSION).map(|i| all.size().get(i)).fold(0.0, f64::max)
    });
    let mut figures = frame.bodies.iter_mut();
    for (body, motion) in world.bodies().iter().zip(mechanism) {
        let velocity: S::Vector = vector(motion.velocity);
        let spin: S::Spin = vector(motion.spin);
        let turning = spin.norm_squared() * body.moments.norm() / body.mass;
        let speed = (velocity.norm_squared() + turning).sqrt();
        let centre = body.pose.position;
        let turn = S::Rotation::exponential(spin * (SHOWN * size));
        let moved = centre + velocity * (SHOWN * size);
        let carry = Pose::new(moved - turn.apply(centre), turn);
        for figure in figures.by_ref().take(body.parts.len()) {
            (figure.pose, figure.speed) = (carry.compose(&figure.pose), speed);
        }
    }
}

/// A line for each joint: between both joints of a body that has two, else to its centre.
fn lines<S: Recorded>(world: &World<S>, joints: &[Joint]) -> Vec<ForceLine<S>> {
    let bodies = world.bodies();
    let mut of_body = vec![Vec::new(); bodies.len()];
    for (index, joint) in joints.iter().enumerate() {
        for owner in joint.owners {
            if let Owner::Body(body) = owner {
                of_body[body as usize].push(index);
            }
        }
    }
    let point = |index: usize| vector::<S::Vector>(joints[index].point);
    let end = |index: usize, owner: Owner| match owner {
        Owner::Boundary(_) => point(index),
        Owner::Body(body) => match of_body[body as usize][..] {
            // Half of the way to the other joint, which draws the other half.
            [one, two] => (point(one) + point(two)) * 0.5,
            _ => bodies[body as usize].pose.position,
        },
    };
    let line = |(index, joint): (usize, &Joint)| ForceLine {
        first: end(index, joint.owners[0]),
        point: point(index),
        second: end(index, joint.owners[1]),
        force: vector::<S::Vector>(joint.force).norm(),
    };
    joints.iter().enumerate().map(line).collect()
}
