//! What a step depends on besides the setup: taken from a world, and put into a new one, which then
//! goes on in the same bits.
//!
//! Candidate pairs are no part of it: contacts are those of all pairs within the margin, in the order
//! of their shapes, however old the list of candidates is. Nor are the solver's buffers: each solve
//! begins anew from the impulses of the contacts.

use crate::{BoundaryState, Contact, ContactCouple, Dimension, Ledger, Progress};
use crate::{Rest, Setup, SetupError, SolidContact, World};
use drystone_fem::SolidState;
use drystone_space::Pose;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState<S: Dimension> {
    /// `world_from_body`.
    pub pose: Pose<S>,
    /// Velocity of the centre of mass.
    pub velocity: S::Vector,
    /// Spin, in body axes.
    pub spin: S::Spin,
    /// When it entered the scene.
    pub born: f64,
}

/// What a step depends on besides the setup.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S: Dimension> {
    /// Steps made.
    pub steps: u64,
    /// Bodies: those of the setup, then those that have entered, in the order of their arrival.
    pub bodies: Vec<BodyState<S>>,
    /// Boundaries, in the setup's order.
    pub boundaries: Vec<BoundaryState<S>>,
    /// Contacts of the last step, with the impulses that the next one starts from.
    pub contacts: Vec<Contact<S>>,
    /// Couples of those that have one, in their order.
    pub couples: Vec<ContactCouple<S>>,
    /// Velocity at each contact. No step depends on it, but what is recorded before the next one does.
    pub velocities: Vec<S::Vector>,
    /// Deformable solids, in the setup's order.
    pub solids: Vec<SolidState<S>>,
    /// Contacts of solids of the last step, with their impulses.
    pub solid_contacts: Vec<SolidContact<S>>,
    /// Parts at rest.
    pub rest: Rest<S>,
    /// Energies and works since the start.
    pub ledger: Ledger,
    /// How far the run has come through its phases.
    pub progress: Progress,
}

impl<S: Dimension> World<S> {
    /// The state as it is now.
    pub fn state(&self) -> State<S> {
        let bodies = self.bodies.iter().map(|body| BodyState {
            pose: body.pose,
            velocity: body.velocity,
            spin: body.spin,
            born: body.born,
        });
        State {
            steps: self.steps,
            bodies: bodies.collect(),
            boundaries: self.boundaries.clone(),
            contacts: self.contacts.clone(),
            couples: self.couples.clone(),
            velocities: self.contacts.iter().map(|c| self.contact_velocity(c)).collect(),
            solids: self.solids.iter().map(|solid| solid.state()).collect(),
            solid_contacts: self.solid_contacts.clone(),
            rest: self.rest.clone(),
            ledger: self.ledger,
            progress: self.progress.clone(),
        }
    }

    /// The boundaries' part of the state.
    pub fn boundary_states(&self) -> &[BoundaryState<S>] {
        &self.boundaries
    }
    /// What the state tells of parts at rest.
    pub fn rest(&self) -> &Rest<S> {
        &self.rest
    }
    /// How far the run has come through its phases.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// A world of this setup that goes on from a state.
    pub fn resume(setup: Setup<S>, state: State<S>) -> Result<Self, SetupError> {
        let mut world = Self::new(setup)?;
        let count = world.bodies.len();
        let arrived = state.bodies.len().wrapping_sub(count);
        let differ = |what: &str, found: usize, wanted: usize| SetupError::OtherState {
            what: what.to_owned(),
            found,
            wanted,
        };
        if state.bodies.len() < count || arrived > world.setup.arrivals.len() {
            return Err(differ("bodies", state.bodies.len(), count));
        }
        if state.boundaries.len() != world.boundaries.len() {
            return Err(differ("boundaries", state.boundaries.len(), world.boundaries.len()));
        }
        for arrival in &world.setup.arrivals[..arrived] {
            world.work.add_body(world.bodies.len(), &arrival.body);
            world.bodies.push(arrival.body.clone());
        }
        let ended = state.progress.ends.len();
        if ended > world.setup.phases.len() {
            return Err(differ("phases", ended, world.setup.phases.len()));
        }
        state.progress.ends.iter().for_each(|&end| world.end_phase(end));
        world.progress.calm_since = state.progress.calm_since;
        let shapes = world.work.shapes.list.len();
        if let Some(contact) = state.contacts.iter().find(|c| c.shapes.1 as usize >= shapes) {
            return Err(differ("shapes", contact.shapes.1 as usize + 1, shapes));
        }
        if state.velocities.len() != state.contacts.len() {
            let (found, wanted) = (state.velocities.len(), state.contacts.len());
            return Err(differ("velocities at contacts", found, wanted));
        }
        if state.solids.len() != world.solids.len() {
            return Err(differ("solids", state.solids.len(), world.solids.len()));
        }
        for (solid, state) in world.solids.iter_mut().zip(&state.solids) {
            let nodes = solid.positions().len();
            if state.positions.len() != nodes || state.velocities.len() != nodes {
                return Err(differ("nodes", state.positions.len(), nodes));
            }
            solid.restore(state);
        }
        for (body, state) in world.bodies.iter_mut().zip(&state.bodies) {
            body.pose = state.pose;
            body.velocity = state.velocity;
            body.spin = state.spin;
            body.born = state.born;
        }
        world.arrived = arrived;
        world.steps = state.steps;
        world.boundaries = state.boundaries;
        world.contacts = state.contacts;
        world.couples = state.couples;
        world.velocities = state.velocities;
        world.solid_contacts = state.solid_contacts;
        world.ledger = state.ledger;
        world.rest = state.rest;
        Ok(world)
    }
}
