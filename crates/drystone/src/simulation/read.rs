//! Reading a simulation between steps.

use super::fields::{Field, radius};
use super::{ContactStatus, Simulation, Status, Summary};
use crate::Error;
use drystone_engine::{AnyWorld, Ledger, OnFailure, Owner, StepReport, World, with_world};
use drystone_record::archive::{ContactFrame, Recorded, owner_number, status};
use drystone_scene::Output;
use drystone_space::Vector;

/// A body or boundary, by its number from 0 or by its name.
pub trait Which {
    /// Its number among the names; `kind` says what it is.
    fn find(
        &self,
        kind: &'static str,
        count: usize,
        names: &mut dyn Iterator<Item = &str>,
    ) -> Result<usize, Error>;
}

impl Which for usize {
    fn find(
        &self,
        kind: &'static str,
        count: usize,
        _: &mut dyn Iterator<Item = &str>,
    ) -> Result<usize, Error> {
        let (index, there) = (*self, *self < count);
        let none = drystone_engine::SteerError::NoSuch { kind, index, count };
        if there { Ok(index) } else { Err(none.into()) }
    }
}

impl Which for &str {
    fn find(
        &self,
        kind: &'static str,
        _: usize,
        names: &mut dyn Iterator<Item = &str>,
    ) -> Result<usize, Error> {
        let names: Vec<&str> = names.collect();
        let place = names.iter().position(|name| name == self);
        place.ok_or_else(|| Error::no_such(kind, self, names))
    }
}

impl Which for String {
    fn find(
        &self,
        kind: &'static str,
        count: usize,
        names: &mut dyn Iterator<Item = &str>,
    ) -> Result<usize, Error> {
        Which::find(&self.as_str(), kind, count, names)
    }
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The body that the normal points toward.
    pub first: Owner,
    /// The other body or boundary.
    pub second: Owner,
    /// Where, in world axes, in the middle of the step.
    pub point: [f64; 3],
    /// Unit normal toward the first.
    pub normal: [f64; 3],
    /// Gap: negative in overlap.
    pub gap: f64,
    /// Impulse that the first feels over the step, in N s, world axes.
    pub impulse: [f64; 3],
    /// Mean force of the step: impulse by time step, in N.
    pub force: [f64; 3],
    /// Couple that the first feels against rolling and spinning over the step, in N m s; the last component in the plane.
    pub couple: [f64; 3],
    /// Velocity of the first relative to the second at the end of the step.
    pub velocity: [f64; 3],
    /// Coulomb's coefficient; the largest of all directions.
    pub friction: f64,
    /// Whether it is open, sticks or slides.
    pub status: ContactStatus,
    /// Whether cohesion acts.
    pub bonded: bool,
}

/// The contacts of the last step as columns, whose memory is used again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactColumns {
    /// Index of the body that the normal points toward.
    pub first: Vec<i64>,
    /// Index of the other body; −1 − i for boundary i.
    pub second: Vec<i64>,
    /// Points, as many numbers for each as the space has dimensions.
    pub point: Vec<f64>,
    /// Normals, in the same way.
    pub normal: Vec<f64>,
    /// Gaps.
    pub gap: Vec<f64>,
    /// Impulses.
    pub impulse: Vec<f64>,
    /// Relative velocities.
    pub velocity: Vec<f64>,
    /// Coefficients.
    pub friction: Vec<f64>,
    /// 0 no force, 1 sticking, 2 sliding.
    pub status: Vec<u8>,
}

/// A boundary as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryView {
    /// Its name; empty where it has none.
    pub name: String,
    /// Where its origin is.
    pub position: [f64; 3],
    /// How it is turned: an angle in the plane, a quaternion w, x, y, z in space.
    pub rotation: Vec<f64>,
    /// Velocity of its origin over the last step.
    pub velocity: [f64; 3],
    /// Force of the bodies on it, mean of the last step.
    pub force: [f64; 3],
    /// False once it was removed.
    pub present: bool,
}

/// Three components, the last ones zero.
pub(super) fn three<V: Vector>(vector: V) -> [f64; 3] {
    std::array::from_fn(|i| if i < V::LENGTH { vector.get(i) } else { 0.0 })
}

/// A spin: about the last axis in the plane.
fn about<V: Vector>(spin: V) -> [f64; 3] {
    if V::LENGTH == 1 { [0.0, 0.0, spin.get(0)] } else { three(spin) }
}

impl Simulation {
    /// 2 in the plane, 3 in space.
    pub fn dimension(&self) -> usize {
        match &self.world {
            AnyWorld::Plane(_) => 2,
            AnyWorld::Volume(_) => 3,
        }
    }
    /// One line that names it.
    pub fn title(&self) -> &str {
        &self.origin.title
    }
    /// What the scene shows.
    pub fn description(&self) -> &str {
        &self.origin.description
    }
    /// What happens when a step is not solved.
    pub fn on_failure(&self) -> OnFailure {
        with_world!(&self.world, world => world.setup().solver.on_failure)
    }
    /// The text of the scene; empty where bodies were made by hand.
    pub fn scene_text(&self) -> &str {
        &self.origin.text
    }
    /// What is recorded and drawn, as the scene asks for it.
    pub fn output(&self) -> &Output {
        &self.origin.output
    }
    /// Names of the materials, by index.
    pub fn materials(&self) -> &[String] {
        &self.origin.materials
    }
    /// The time reached, in s.
    pub fn time(&self) -> f64 {
        with_world!(&self.world, world => world.time())
    }
    /// Steps made.
    pub fn steps(&self) -> u64 {
        with_world!(&self.world, world => world.steps())
    }
    /// Length of a step, in s.
    pub fn time_step(&self) -> f64 {
        with_world!(&self.world, world => world.setup().time_step)
    }
    /// When the run is meant to end, in s.
    pub fn end(&self) -> f64 {
        self.end
    }
    /// Threads that compute.
    pub fn threads(&self) -> usize {
        self.threads
    }
    /// Name of the phase under way, or of the last when all are over; none without phases.
    pub fn phase(&self) -> Option<&str> {
        with_world!(&self.world, world => world.phase_name())
    }
    /// A hash of positions, velocities and impulses: equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        with_world!(&self.world, world => world.state_hash())
    }

    /// Number of bodies present.
    pub fn bodies(&self) -> usize {
        with_world!(&self.world, world => world.count_bodies())
    }
    /// Number of a body from its name.
    pub fn body(&self, which: impl Which) -> Result<usize, Error> {
        with_world!(&self.world, world => {
            let mut names = world.bodies().iter().map(|body| body.name());
            which.find("body", world.bodies().len(), &mut names)
        })
    }
    /// Name of a body; empty where it has none.
    pub fn body_name(&self, body: usize) -> &str {
        with_world!(&self.world, world => world.bodies().get(body).map_or("", |b| b.name()))
    }
    /// Centre of mass of a body.
    pub fn position(&self, body: impl Which) -> Result<[f64; 3], Error> {
        let body = self.body(body)?;
        Ok(with_world!(&self.world, world => three(world.bodies()[body].pose.position)))
    }
    /// How a body is turned: an angle in the plane, a quaternion w, x, y, z in space.
    pub fn rotation(&self, body: impl Which) -> Result<Vec<f64>, Error> {
        let body = self.body(body)?;
        Ok(with_world!(&self.world, world => rotation(world, body)))
    }
    /// Velocity of a body's centre of mass.
    pub fn velocity(&self, body: impl Which) -> Result<[f64; 3], Error> {
        let body = self.body(body)?;
        Ok(with_world!(&self.world, world => three(world.bodies()[body].velocity)))
    }
    /// Spin of a body in world axes; the last component in the plane.
    pub fn spin(&self, body: impl Which) -> Result<[f64; 3], Error> {
        let body = self.body(body)?;
        Ok(with_world!(&self.world, world => about(world.bodies()[body].world_spin())))
    }
    /// Mass of a body.
    pub fn mass(&self, body: impl Which) -> Result<f64, Error> {
        let body = self.body(body)?;
        Ok(with_world!(&self.world, world => world.bodies()[body].mass))
    }
    /// Radius of a body that is a single disk or ball.
    pub fn radius(&self, body: impl Which) -> Result<Option<f64>, Error> {
        let body = self.body(body)?;
        Ok(with_world!(&self.world, world => radius(&world.bodies()[body])))
    }

    /// Number of boundaries, removed ones counted.
    pub fn boundaries(&self) -> usize {
        with_world!(&self.world, world => world.boundaries().len())
    }
    /// Number of a boundary from its name.
    pub fn boundary_index(&self, which: impl Which) -> Result<usize, Error> {
        with_world!(&self.world, world => {
            let mut names = world.boundaries().iter().map(|boundary| boundary.name.as_str());
            which.find("boundary", world.boundaries().len(), &mut names)
        })
    }
    /// A boundary as it is now.
    pub fn boundary(&self, which: impl Which) -> Result<BoundaryView, Error> {
        let index = self.boundary_index(which)?;
        Ok(with_world!(&self.world, world => view(world, index)))
    }

    /// Number of contacts of the last step.
    pub fn contact_count(&self) -> usize {
        with_world!(&self.world, world => {
            world.contacts().len() + world.state().sleep.contacts.len()
        })
    }
    /// The contacts of the last step between bodies and boundaries, sorted by what meets. After something was set they are
    /// still those of the last step.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        with_world!(&self.world, world => {
            let h = world.setup().time_step;
            let contacts: Vec<_> =
                ContactFrame::all(world).iter().map(|frame| contact(frame, h)).collect();
            contacts.into_iter()
        })
    }
    /// The same as columns, in memory that is used again.
    pub fn fill_contacts(&self, columns: &mut ContactColumns) {
        with_world!(&self.world, world => columns.fill(world));
    }

    /// Energies and works since the start.
    pub fn ledger(&self) -> &Ledger {
        with_world!(&self.world, world => world.ledger())
    }
    /// How the last step went: residual, error, iterations, and which methods were taken.
    pub fn report(&self) -> Option<&StepReport> {
        self.last.as_ref()
    }
    /// How the run has gone so far, with its verdict.
    pub fn summary(&self) -> Summary {
        self.summary_as(self.status())
    }
    /// How the run has ended, if it has.
    pub fn status(&self) -> Status {
        match &self.failed {
            Some(error) => Status::Stopped(error.to_string()),
            None if self.interrupted => Status::Interrupted,
            None if self.goes_on(self.end) => Status::Running,
            None => Status::Finished,
        }
    }

    /// One number of each body, for those who need no more.
    pub fn numbers(&self, field: Field) -> Vec<f64> {
        let mut numbers = Vec::new();
        self.fill(field, &mut numbers);
        numbers
    }
}

fn rotation<S: Recorded>(world: &World<S>, body: usize) -> Vec<f64> {
    S::rotation(world.bodies()[body].pose.rotation).collect()
}

fn view<S: Recorded>(world: &World<S>, index: usize) -> BoundaryView {
    let pose = world.boundary_pose(index);
    let place = pose.unwrap_or(world.boundaries()[index].pose);
    BoundaryView {
        name: world.boundaries()[index].name.clone(),
        position: three(place.position),
        rotation: S::rotation(place.rotation).collect(),
        velocity: three(world.boundary_velocity(index)),
        force: three(world.boundary_force(index)),
        present: pose.is_some(),
    }
}

fn contact<S: Recorded>(frame: &ContactFrame<S>, time_step: f64) -> Contact {
    let contact = &frame.contact;
    Contact {
        first: contact.first,
        second: contact.second,
        point: three(contact.point),
        normal: three(contact.normal),
        gap: contact.gap,
        impulse: three(contact.impulse),
        force: three(contact.impulse / time_step),
        couple: about(frame.couple),
        velocity: three(frame.velocity),
        friction: frame.friction,
        status: status(frame),
        bonded: contact.bonded,
    }
}

impl ContactColumns {
    fn fill<S: Recorded>(&mut self, world: &World<S>) {
        fn push<V: Vector>(numbers: &mut Vec<f64>, vector: V) {
            numbers.extend((0..V::LENGTH).map(|i| vector.get(i)));
        }
        let Self { first, second, point, normal, gap, impulse, velocity, friction, status } = self;
        first.clear();
        second.clear();
        status.clear();
        [&mut *point, normal, gap, impulse, velocity, friction].into_iter().for_each(Vec::clear);
        let mut add = |contact: &drystone_engine::Contact<S>| {
            let frame = ContactFrame {
                contact: *contact,
                couple: S::Spin::ZERO,
                velocity: world.contact_velocity(contact),
                friction: world.contact_friction(contact),
            };
            first.push(owner_number(contact.first));
            second.push(owner_number(contact.second));
            push(point, contact.point);
            push(normal, contact.normal);
            gap.push(contact.gap);
            push(impulse, contact.impulse);
            push(velocity, frame.velocity);
            friction.push(frame.friction);
            status.push(drystone_record::archive::status(&frame) as u8);
        };
        // Contacts between bodies asleep come last here, and so nothing is sorted or copied.
        world.contacts().iter().for_each(&mut add);
        world.state().sleep.contacts.iter().for_each(&mut add);
    }
}
