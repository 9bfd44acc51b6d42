//! What is set from outside between steps: where bodies are and how they move, forces on them, motions and loads of
//! boundaries.
//!
//! All of it is in the state, so that a resumed run goes on with it. What it does to the energy is booked: setting
//! positions and velocities as [`Ledger::intervention`](crate::Ledger), forces and loads as external work, motions as work
//! of boundaries. Bodies asleep that are moved or pushed are woken, with all that lean on them; the solver starts from the
//! impulses of the last step as ever.

use crate::state::BoundaryState;
use crate::{Body, Course, Dimension, Drive, DriveLaw, Motion, World};
use drystone_detect::{Extent, Manifold};
use drystone_space::{InverseInertia, Pose, Rotation, Space, Vector};
use thiserror::Error;

/// A force at the centre of mass and a torque, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench<S: Space> {
    /// The force.
    pub force: S::Vector,
    /// The torque.
    pub torque: S::Spin,
}

/// What a boundary was told from outside, until it is told otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command<S: Space> {
    /// To move so from where it is: velocity at its origin and spin about it, in world axes.
    Motion {
        /// Velocity.
        velocity: S::Vector,
        /// Spin.
        spin: S::Spin,
    },
    /// To be loaded by this force along the direction in which it may move.
    Load(f64),
}

/// Why something cannot be set.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SteerError {
    /// There is no such body or boundary.
    #[error("there is no {kind} {index}: there are {count}, numbered from 0")]
    NoSuch {
        /// `body` or `boundary`.
        kind: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A number is infinite, or none.
    #[error("{what} of {kind} {index} is not finite")]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// `body` or `boundary`.
        kind: &'static str,
        /// The index.
        index: usize,
    },
    /// A boundary under a load finds its own velocity.
    #[error(
        "boundary `{name}` moves under a load: set its load, or give it no `load` in the scene"
    )]
    Loaded {
        /// Its name.
        name: String,
    },
    /// A boundary that is not free to move cannot be loaded.
    #[error(
        "boundary `{name}` is not free in any direction: set its velocity, or give it a `load` in the scene"
    )]
    NotFree {
        /// Its name.
        name: String,
    },
    /// A joint without a motor has nothing to aim at.
    #[error("joint `{name}` has no motor: give it one in the scene")]
    NoMotor {
        /// Its name.
        name: String,
    },
    /// The boundary has vanished.
    #[error("boundary `{name}` was removed")]
    Removed {
        /// Its name.
        name: String,
    },
}

impl<S: Dimension> BoundaryState<S> {
    /// Where the boundary is after some time of the motion that it was told; `None` if it was told none.
    pub(crate) fn steered(&self, time: f64) -> Option<Pose<S>> {
        let Some(Command::Motion { velocity, spin }) = self.command else { return None };
        let turn = S::Rotation::exponential(spin * time);
        Some(Pose {
            position: self.pose.position + velocity * time,
            rotation: turn.compose(self.pose.rotation),
        })
    }
}

impl<S: Space> Drive<S> {
    /// At rest, until a motion is set from outside.
    pub fn steered() -> Self {
        let course = Course::Velocity { linear: S::Vector::ZERO, spin: S::Spin::ZERO };
        Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY })
    }
}

impl<S: Dimension> World<S> {
    /// Places a body: its centre of mass, and how its axes are turned. Its velocity and its spin in world axes stay.
    pub fn set_pose(&mut self, body: usize, pose: Pose<S>) -> Result<(), SteerError> {
        self.check_body(body)?;
        finite("the position", "body", body, pose.position.finite())?;
        // Normalised, where rotations need it.
        let rotation = pose.rotation.compose(S::Rotation::IDENTITY);
        finite("the rotation", "body", body, rotation.logarithm().finite())?;
        self.change(body, |body| {
            let spin = body.world_spin();
            body.pose = Pose { position: pose.position, rotation };
            body.set_world_spin(spin);
        });
        // A body may have come from far away.
        self.work.rigid.broad.forget();
        Ok(())
    }

    /// Sets the velocity of a body's centre of mass.
    pub fn set_velocity(&mut self, body: usize, velocity: S::Vector) -> Result<(), SteerError> {
        self.check_body(body)?;
        finite("the velocity", "body", body, velocity.finite())?;
        self.change(body, |body| body.velocity = velocity);
        Ok(())
    }

    /// Sets the spin of a body, in world axes.
    pub fn set_spin(&mut self, body: usize, spin: S::Spin) -> Result<(), SteerError> {
        self.check_body(body)?;
        finite("the spin", "body", body, spin.finite())?;
        self.change(body, |body| body.set_world_spin(spin));
        Ok(())
    }

    /// Applies a force and a torque to a body from now on, besides those of the setup, until others are set.
    pub fn set_wrench(&mut self, body: usize, wrench: Wrench<S>) -> Result<(), SteerError> {
        self.check_body(body)?;
        finite("the force", "body", body, wrench.force.finite())?;
        finite("the torque", "body", body, wrench.torque.finite())?;
        if wrench == self.wrench(body) {
            return Ok(());
        }
        if self.state.applied.len() <= body {
            self.state.applied.resize(body + 1, Wrench::default());
        }
        self.state.applied[body] = wrench;
        self.rouse_body(body);
        Ok(())
    }

    /// The force and torque that were set on a body.
    pub fn wrench(&self, body: usize) -> Wrench<S> {
        self.state.applied.get(body).copied().unwrap_or_default()
    }

    /// Has a boundary move so from where it is, until it is told otherwise: velocity at its origin and spin about it, in
    /// world axes. One that was fixed, or followed a motion of its setup, no longer does.
    pub fn set_boundary_motion(
        &mut self,
        boundary: usize,
        velocity: S::Vector,
        spin: S::Spin,
    ) -> Result<(), SteerError> {
        self.check_boundary(boundary)?;
        finite("the velocity", "boundary", boundary, velocity.finite())?;
        finite("the spin", "boundary", boundary, spin.finite())?;
        if matches!(self.state.progress.drive(&self.setup, boundary).0, Drive::Slider(_)) {
            return Err(SteerError::Loaded { name: self.boundary_name(boundary) });
        }
        self.release(boundary);
        self.state.boundaries[boundary].command = Some(Command::Motion { velocity, spin });
        Ok(())
    }

    /// Loads a boundary that is free in one direction with this force along it, until another is set.
    pub fn set_boundary_load(&mut self, boundary: usize, force: f64) -> Result<(), SteerError> {
        self.check_boundary(boundary)?;
        finite("the load", "boundary", boundary, force.is_finite())?;
        if !matches!(self.state.progress.drive(&self.setup, boundary).0, Drive::Slider(_)) {
            return Err(SteerError::NotFree { name: self.boundary_name(boundary) });
        }
        self.state.boundaries[boundary].command = Some(Command::Load(force));
        Ok(())
    }

    /// Gives the motors of a joint this target from now on, in place of that of the setup; `None` gives it back.
    pub fn set_joint_target(
        &mut self,
        joint: usize,
        target: Option<f64>,
    ) -> Result<(), SteerError> {
        let count = self.setup.joints.len();
        let Some(of) = self.setup.joints.get(joint) else {
            return Err(SteerError::NoSuch { kind: "joint", index: joint, count });
        };
        finite("the target", "joint", joint, target.is_none_or(f64::is_finite))?;
        if !of.drives.iter().any(|drive| matches!(drive.law, DriveLaw::Motor { .. })) {
            return Err(SteerError::NoMotor { name: of.label(joint) });
        }
        self.state.joints[joint].target = target;
        Ok(())
    }

    /// Lets a boundary that was fixed move. What has come to rest on it did so since it would never move.
    pub(crate) fn release(&mut self, boundary: usize) {
        if matches!(self.setup.boundaries[boundary].drive, Drive::Fixed) {
            self.setup.boundaries[boundary].drive = Drive::steered();
            self.work.rigid.shapes.count_fixed(&self.setup.boundaries);
            self.work.rigid.broad.forget();
            self.rouse(|_| true);
        }
    }

    fn rouse_body(&mut self, index: usize) {
        if self.state.sleep.is_asleep(index) {
            self.rouse(|body| body == index);
        }
    }

    fn boundary_name(&self, index: usize) -> String {
        self.name(crate::Owner::Boundary(index as u32))
    }

    fn check_body(&self, index: usize) -> Result<(), SteerError> {
        let count = self.state.bodies.len();
        let there = index < count;
        if there { Ok(()) } else { Err(SteerError::NoSuch { kind: "body", index, count }) }
    }

    fn check_boundary(&self, index: usize) -> Result<(), SteerError> {
        let count = self.state.boundaries.len();
        match self.state.boundaries.get(index) {
            None => Err(SteerError::NoSuch { kind: "boundary", index, count }),
            Some(state) if state.removed => {
                Err(SteerError::Removed { name: self.boundary_name(index) })
            }
            Some(_) => Ok(()),
        }
    }

    /// Changes a body from outside, and books what that does to the energy.
    fn change(&mut self, index: usize, change: impl FnOnce(&mut Body<S>)) {
        self.rouse_body(index);
        let energies = |world: &Self| {
            let body = &world.state.bodies[index];
            let springs = world.spring_energy() + world.body_press_energy(index);
            let bonds = world.bonds_energy();
            [body.kinetic_energy(), world.potential_energy(body), springs, bonds]
        };
        let before = energies(self);
        change(&mut self.state.bodies[index]);
        let after = energies(self);
        let [kinetic, potential, springs, bonds] = std::array::from_fn(|i| after[i] - before[i]);
        let ledger = &mut self.state.ledger;
        ledger.kinetic += kinetic;
        ledger.potential += potential;
        ledger.springs += springs;
        ledger.bonds += bonds;
        let sum = kinetic + potential + springs + bonds;
        ledger.intervention += sum;
        ledger.scale = ledger.scale.max(sum.abs());
    }

    /// Energy of the contact springs of one body now. Before the first step it is not on the books.
    fn body_press_energy(&self, index: usize) -> f64 {
        if self.state.steps == 0 || !self.setup.laws.has_springs() {
            return 0.0;
        }
        let others = self.state.bodies.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.flat_map(|(_, body)| body.parts.iter().map(|part| (part, &body.pose)));
        let walls = self.setup.boundaries.iter().zip(&self.state.boundaries);
        let walls = walls.filter(|(_, state)| !state.removed);
        let walls = walls.flat_map(|(wall, state)| wall.parts.iter().map(|p| (p, &state.pose)));
        let all: Vec<_> =
            others.chain(walls).map(|(part, pose)| (part, part.pose_in(pose))).collect();
        let body = &self.state.bodies[index];
        let mut manifold = Manifold::default();
        let mut energy = 0.0;
        for own in &body.parts {
            let place = own.pose_in(&body.pose);
            let extent = S::extent(&own.shape, &place);
            for (part, pose) in &all {
                let spring = self.setup.laws.get(own.material, part.material).spring;
                if apart(&extent, &S::extent(&part.shape, pose), spring.reach) {
                    continue;
                }
                manifold.clear();
                S::collide((&own.shape, &place), (&part.shape, pose), spring.reach, &mut manifold);
                energy += manifold.touches().iter().map(|t| spring.energy(t.gap)).sum::<f64>();
            }
        }
        energy
    }

    /// Adds what is applied from outside to the free motion.
    pub(crate) fn push_from_outside(&mut self) {
        let (h, problem) = (self.setup.time_step, &mut self.work.rigid.problem);
        for (index, wrench) in self.state.applied.iter().enumerate() {
            if *wrench != Wrench::default() {
                let (mover, free) = (&problem.movers[index], &mut problem.free[index]);
                free.velocity += wrench.force * (h * mover.inverse_mass);
                free.spin += mover.inverse_inertia.apply(wrench.torque * h);
            }
        }
    }

    /// ½(u_f+u_i)·hF of what is applied from outside.
    pub(crate) fn book_from_outside(&mut self) {
        let (before, after) = (&self.work.rigid.before, &self.work.rigid.solution.twists);
        for (wrench, (b, a)) in self.state.applied.iter().zip(before.iter().zip(after)) {
            let power =
                wrench.force.dot(b.velocity + a.velocity) + wrench.torque.dot(b.spin + a.spin);
            self.state.ledger.external_work += 0.5 * self.setup.time_step * power;
        }
    }
}

fn finite(
    what: &'static str,
    kind: &'static str,
    index: usize,
    is_finite: bool,
) -> Result<(), SteerError> {
    if is_finite { Ok(()) } else { Err(SteerError::NotFinite { what, kind, index }) }
}

/// Whether two boxes are farther from each other than this.
fn apart<S: Dimension>(one: &Extent<S>, other: &Extent<S>, reach: f64) -> bool {
    let (Extent::Box(one), Extent::Box(other)) = (one, other) else { return false };
    (0..S::DIMENSION).any(|i| {
        one.low.get(i) - reach > other.high.get(i) || other.low.get(i) - reach > one.high.get(i)
    })
}
