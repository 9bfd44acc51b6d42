//! Setting what bodies and boundaries do, between steps.
//!
//! What is set is honoured by everything: bodies asleep are woken, the ledger books it, checkpoints hold it.

use super::fields::{Field, set};
use super::{Simulation, Which};
use crate::Error;
use drystone_engine::{World, with_world};
use drystone_record::archive::Recorded;
use drystone_space::Vector;

impl Simulation {
    /// Places the centre of mass of a body.
    pub fn set_position(&mut self, body: impl Which, position: &[f64]) -> Result<(), Error> {
        self.set_field(body, Field::Position, position)
    }
    /// Turns a body: an angle in the plane, a quaternion w, x, y, z in space. Its spin in world axes stays.
    pub fn set_rotation(&mut self, body: impl Which, rotation: &[f64]) -> Result<(), Error> {
        self.set_field(body, Field::Rotation, rotation)
    }
    /// Sets the velocity of a body's centre of mass.
    pub fn set_velocity(&mut self, body: impl Which, velocity: &[f64]) -> Result<(), Error> {
        self.set_field(body, Field::Velocity, velocity)
    }
    /// Sets the spin of a body, in world axes: one number in the plane, three in space.
    pub fn set_spin(&mut self, body: impl Which, spin: &[f64]) -> Result<(), Error> {
        self.set_field(body, Field::Spin, spin)
    }
    /// Applies a force to a body's centre of mass from now on, until another is set; those of the scene act besides.
    pub fn set_force(&mut self, body: impl Which, force: &[f64]) -> Result<(), Error> {
        self.set_field(body, Field::Force, force)
    }
    /// Applies a torque to a body from now on, in world axes: one number in the plane, three in space.
    pub fn set_torque(&mut self, body: impl Which, torque: &[f64]) -> Result<(), Error> {
        self.set_field(body, Field::Torque, torque)
    }

    fn set_field(&mut self, body: impl Which, field: Field, row: &[f64]) -> Result<(), Error> {
        let body = self.body(body)?;
        let width = field.width(self.dimension());
        length(field.name(), row, width, self.dimension())?;
        if width == 4 && row.iter().all(|&number| number == 0.0) {
            return Err(Error::Value {
                what: format!("rotation of body {body}"),
                found: "zero".to_owned(),
                expected: "a quaternion w, x, y, z".to_owned(),
            });
        }
        with_world!(&mut self.world, world => set(world, body, field, row))
    }

    /// Has a boundary move with this velocity from where it is, until it is told otherwise. One that was fixed, or had a
    /// motion of its own, no longer does.
    ///
    /// ```
    /// use drystone::prelude::*;
    /// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
    /// #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
    /// #     body = [{ shape = { disk = 0.1 }, position = [0, 0.1], material = \"stone\" }]\n\
    /// #     boundary = [{ name = \"floor\", shape = { half_plane = {} }, material = \"stone\" }]\n";
    /// let mut simulation = Simulation::parse(scene)?;
    /// simulation.set_boundary_velocity("floor", &[0.0, 0.5])?;
    /// simulation.run_until(1.0)?;
    /// assert!((simulation.boundary("floor")?.position[1] - 0.5).abs() < 1e-12);
    /// assert!((simulation.position(0)?[1] - 0.6).abs() < 1e-3);
    /// assert!(simulation.ledger().closure() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_boundary_velocity(
        &mut self,
        boundary: impl Which,
        velocity: &[f64],
    ) -> Result<(), Error> {
        let none = [0.0; 3];
        let spins = if self.dimension() == 2 { 1 } else { 3 };
        self.set_boundary_motion(boundary, velocity, &none[..spins])
    }

    /// The same with a spin about its origin, in world axes.
    pub fn set_boundary_motion(
        &mut self,
        boundary: impl Which,
        velocity: &[f64],
        spin: &[f64],
    ) -> Result<(), Error> {
        let boundary = self.boundary_index(boundary)?;
        let dimension = self.dimension();
        length("velocity", velocity, dimension, dimension)?;
        length("spin", spin, Field::Spin.width(dimension), dimension)?;
        with_world!(&mut self.world, world => steer(world, boundary, velocity, spin))
    }

    /// Loads a boundary that is free in one direction, a slider, with this force along it, until another is set.
    pub fn set_boundary_load(&mut self, boundary: impl Which, force: f64) -> Result<(), Error> {
        let boundary = self.boundary_index(boundary)?;
        with_world!(&mut self.world, world => Ok(world.set_boundary_load(boundary, force)?))
    }
}

fn steer<S: Recorded>(
    world: &mut World<S>,
    boundary: usize,
    velocity: &[f64],
    spin: &[f64],
) -> Result<(), Error> {
    let velocity = S::Vector::from_fn(|i| velocity[i]);
    Ok(world.set_boundary_motion(boundary, velocity, S::Spin::from_fn(|i| spin[i]))?)
}

fn length(what: &str, row: &[f64], wanted: usize, dimension: usize) -> Result<(), Error> {
    if row.len() == wanted {
        return Ok(());
    }
    let place = if dimension == 2 { "the plane" } else { "space" };
    let expected = format!("{wanted} in {place}");
    Err(Error::Length { what: what.to_owned(), found: row.len(), expected })
}
