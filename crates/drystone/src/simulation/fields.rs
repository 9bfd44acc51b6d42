//! Numbers of all bodies at once.

use super::Simulation;
use crate::Error;
use drystone_engine::{Dimension, World, Wrench, with_world};
use drystone_record::archive::Recorded;
use drystone_space::{Pose, Vector};

/// What there is of every body. Rows follow each other in the order of bodies.
///
/// ```
/// use drystone::prelude::*;
/// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
/// #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
/// #     body = [{ shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" },\n\
/// #             { shape = { disk = 0.2 }, position = [3, 1], material = \"stone\" }]\n";
/// let mut simulation = Simulation::parse(scene)?;
/// let mut numbers = Vec::new();
/// simulation.fill(Field::Position, &mut numbers);
/// assert_eq!(numbers, [0.0, 1.0, 3.0, 1.0]);
/// simulation.write(Field::Velocity, &[1.0, 0.0, -1.0, 0.0])?;
/// assert_eq!(simulation.velocity(1)?, [-1.0, 0.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Centre of mass, in m.
    Position,
    /// An angle in the plane, in rad, turns counted; a quaternion w, x, y, z in space: from body to world axes.
    Rotation,
    /// Velocity of the centre of mass, in m/s.
    Velocity,
    /// Spin in world axes, in rad/s.
    Spin,
    /// Mass, in kg.
    Mass,
    /// Principal moments of inertia, in kg m².
    Moments,
    /// Radius of a single disk or ball, in m; not a number for all other shapes.
    Radius,
    /// When the body entered, in s.
    Birth,
    /// Force that was set from outside, in N.
    Force,
    /// Torque that was set from outside, in N m, world axes.
    Torque,
    /// 1 if the body is left alone, at rest; else 0.
    Asleep,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Position,
        Self::Rotation,
        Self::Velocity,
        Self::Spin,
        Self::Mass,
        Self::Moments,
        Self::Radius,
        Self::Birth,
        Self::Force,
        Self::Torque,
        Self::Asleep,
    ];

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Rotation => "rotation",
            Self::Velocity => "velocity",
            Self::Spin => "spin",
            Self::Mass => "mass",
            Self::Moments => "moments",
            Self::Radius => "radius",
            Self::Birth => "birth",
            Self::Force => "force",
            Self::Torque => "torque",
            Self::Asleep => "asleep",
        }
    }

    /// Numbers in a row, in the plane (2) or in space (3).
    pub fn width(self, dimension: usize) -> usize {
        let plane = dimension == 2;
        match self {
            Self::Position | Self::Velocity | Self::Force => dimension,
            Self::Rotation => {
                if plane {
                    1
                } else {
                    4
                }
            }
            Self::Spin | Self::Moments | Self::Torque => {
                if plane {
                    1
                } else {
                    3
                }
            }
            Self::Mass | Self::Radius | Self::Birth | Self::Asleep => 1,
        }
    }

    /// Whether it can be [written](Simulation::write).
    pub fn can_be_written(self) -> bool {
        use Field::{Force, Position, Rotation, Spin, Torque, Velocity};
        matches!(self, Position | Rotation | Velocity | Spin | Force | Torque)
    }
}

impl Simulation {
    /// Fills a list with the numbers of all bodies; what was in it is replaced, and its memory used again.
    pub fn fill(&self, field: Field, numbers: &mut Vec<f64>) {
        numbers.clear();
        numbers.reserve(self.bodies() * field.width(self.dimension()));
        with_world!(&self.world, world => fill(world, field, numbers));
    }

    /// The same for a slice, which must have the right length: as many rows as there are bodies.
    pub fn read_into(&self, field: Field, numbers: &mut [f64]) -> Result<(), Error> {
        self.check_length(field, numbers.len())?;
        let mut rows = Rows { numbers, next: 0 };
        with_world!(&self.world, world => each(world, field, |value| rows.push(value)));
        Ok(())
    }

    /// Sets a field of all bodies. Nothing is changed if any number is refused.
    ///
    /// What this does to the energy is booked as [`intervention`](drystone_engine::Ledger::intervention), forces as
    /// external work in the steps that follow.
    pub fn write(&mut self, field: Field, numbers: &[f64]) -> Result<(), Error> {
        if !field.can_be_written() {
            let known = Field::ALL.into_iter().filter(|f| f.can_be_written()).map(Field::name);
            return Err(Error::no_such("field that can be set", field.name(), known));
        }
        self.check_length(field, numbers.len())?;
        if let Some(place) = numbers.iter().position(|number| !number.is_finite()) {
            let width = field.width(self.dimension());
            return Err(Error::Value {
                what: format!("{} of body {}", field.name(), place / width),
                found: numbers[place].to_string(),
                expected: "a finite number".to_owned(),
            });
        }
        if field == Field::Rotation && self.dimension() == 3 {
            let zero = |row: &[f64]| row.iter().all(|&number| number == 0.0);
            if let Some(body) = numbers.chunks_exact(4).position(zero) {
                return Err(Error::Value {
                    what: format!("rotation of body {body}"),
                    found: "zero".to_owned(),
                    expected: "a quaternion w, x, y, z".to_owned(),
                });
            }
        }
        with_world!(&mut self.world, world => write(world, field, numbers))
    }

    fn check_length(&self, field: Field, found: usize) -> Result<(), Error> {
        let width = field.width(self.dimension());
        let (bodies, wanted) = (self.bodies(), self.bodies() * width);
        if found == wanted {
            return Ok(());
        }
        let expected = format!("{wanted}: {width} for each of {bodies} bodies");
        Err(Error::Length { what: field.name().to_owned(), found, expected })
    }
}

/// A slice that is filled from its start.
struct Rows<'a> {
    numbers: &'a mut [f64],
    next: usize,
}

impl Rows<'_> {
    fn push(&mut self, value: f64) {
        self.numbers[self.next] = value;
        self.next += 1;
    }
}

fn fill<S: Recorded>(world: &World<S>, field: Field, numbers: &mut Vec<f64>) {
    each(world, field, |value| numbers.push(value));
}

/// Every number of a field, in order.
fn each<S: Recorded>(world: &World<S>, field: Field, mut push: impl FnMut(f64)) {
    fn all<V: Vector>(vectors: impl Iterator<Item = V>, mut push: impl FnMut(f64)) {
        vectors.for_each(|vector| (0..V::LENGTH).for_each(|i| push(vector.get(i))));
    }
    let bodies = world.bodies().iter();
    match field {
        Field::Position => all(bodies.map(|body| body.pose.position), push),
        Field::Rotation => bodies.flat_map(|body| S::rotation(body.pose.rotation)).for_each(push),
        Field::Velocity => all(bodies.map(|body| body.velocity), push),
        Field::Spin => all(bodies.map(|body| body.world_spin()), push),
        Field::Mass => bodies.for_each(|body| push(body.mass)),
        Field::Moments => all(bodies.map(|body| body.moments), push),
        Field::Radius => bodies.for_each(|body| push(radius(body).unwrap_or(f64::NAN))),
        Field::Birth => bodies.for_each(|body| push(body.born)),
        Field::Force => all((0..bodies.len()).map(|i| world.wrench(i).force), push),
        Field::Torque => all((0..bodies.len()).map(|i| world.wrench(i).torque), push),
        Field::Asleep => {
            let asleep = |i| world.state().sleep.is_asleep(i);
            (0..bodies.len()).for_each(|i| push(f64::from(u8::from(asleep(i)))));
        }
    }
}

/// The radius of a body that is one disk or ball.
pub(super) fn radius<S: Dimension>(body: &drystone_engine::Body<S>) -> Option<f64> {
    match &body.parts[..] {
        [only] => S::radius(&only.shape),
        _ => None,
    }
}

fn write<S: Recorded>(world: &mut World<S>, field: Field, numbers: &[f64]) -> Result<(), Error> {
    let width = field.width(S::DIMENSION);
    for (index, row) in numbers.chunks_exact(width).enumerate() {
        set(world, index, field, row)?;
    }
    Ok(())
}

/// Sets a field of one body; the row has its width.
pub(super) fn set<S: Recorded>(
    world: &mut World<S>,
    body: usize,
    field: Field,
    row: &[f64],
) -> Result<(), Error> {
    let vector = || S::Vector::from_fn(|i| row[i]);
    let spin = || S::Spin::from_fn(|i| row[i]);
    let pose = world.bodies().get(body).map_or(Pose::IDENTITY, |body| body.pose);
    let wrench = world.wrench(body);
    match field {
        Field::Position => world.set_pose(body, Pose { position: vector(), ..pose })?,
        Field::Rotation => {
            world.set_pose(body, Pose { rotation: S::rotation_from(row), ..pose })?;
        }
        Field::Velocity => world.set_velocity(body, vector())?,
        Field::Spin => world.set_spin(body, spin())?,
        Field::Force => world.set_wrench(body, Wrench { force: vector(), ..wrench })?,
        Field::Torque => world.set_wrench(body, Wrench { torque: spin(), ..wrench })?,
        Field::Mass | Field::Moments | Field::Radius | Field::Birth | Field::Asleep => {
            unreachable!("only fields that can be set come here")
        }
    }
    Ok(())
}
