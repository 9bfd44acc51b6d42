//! What a step depends on besides the setup. A world made anew from setup and saved state goes on in the same bits.
//!
//! Candidate pairs are no part of it: contacts are those of all pairs within the margin, in the order
//! of their shapes, however old the list of candidates is. Nor are the solver's buffers: each solve
//! begins anew from the impulses of the contacts. A factor that is kept from step to step is no part of it either, but
//! what it was made from is.

use crate::contact::couple_of;
use crate::hash::Fnv;
use crate::{
    Body, Bond, Boundary, CellState, Command, Contact, ContactCouple, Dimension, JointState,
    Ledger, Progress,
};
use crate::{Owner, Setup, SetupError, Sleep, SolidContact, World, Wrench};
use drystone_fem::{Solid, SolidState};
use drystone_solve::Kept;
use drystone_space::{Pose, Rotation, Vector};

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

impl<S: Dimension> BodyState<S> {
    /// Gives it to a body.
    pub(crate) fn give(&self, body: &mut Body<S>) {
        let &Self { pose, velocity, spin, born } = self;
        (body.pose, body.velocity, body.spin, body.born) = (pose, velocity, spin, born);
    }
}

impl<S: Dimension> From<&Body<S>> for BodyState<S> {
    fn from(&Body { pose, velocity, spin, born, .. }: &Body<S>) -> Self {
        Self { pose, velocity, spin, born }
    }
}

/// Where a boundary is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryState<S: Dimension> {
    /// At the end of the last step.
    pub pose: Pose<S>,
    /// At the midpoint of the step under way.
    pub midpoint: Pose<S>,
    /// Velocity at the midpoint, in world axes.
    pub velocity: S::Vector,
    /// Spin at the midpoint, in world axes.
    pub spin: S::Spin,
    /// Sliders: displacement along the direction.
    pub travel: f64,
    /// Sliders: speed along the direction.
    pub speed: f64,
    /// Whether it has vanished.
    pub removed: bool,
    /// Impulse that it felt over the last step.
    pub impulse: S::Vector,
    /// What it was told from outside.
    pub command: Option<Command<S>>,
}

impl<S: Dimension> From<&Boundary<S>> for BoundaryState<S> {
    /// The state at the start.
    fn from(boundary: &Boundary<S>) -> Self {
        Self {
            pose: boundary.pose,
            midpoint: boundary.pose,
            velocity: S::Vector::ZERO,
            spin: S::Spin::ZERO,
            travel: 0.0,
            speed: 0.0,
            removed: false,
            impulse: S::Vector::ZERO,
            command: None,
        }
    }
}

/// What a step depends on besides the setup. A world has whole bodies and solids in it; a [`SavedState`] has only what
/// changes of them, and the rest comes from the setup again.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S: Dimension, B = Body<S>, D = Solid<S>> {
    /// Steps made.
    pub steps: u64,
    /// Bodies: those of the setup, then those that have entered, in the order of their arrival.
    pub bodies: Vec<B>,
    /// Boundaries, in the setup's order.
    pub boundaries: Vec<BoundaryState<S>>,
    /// What is applied to bodies from outside, in their order; those at the end, or all, may be left out.
    pub applied: Vec<Wrench<S>>,
    /// Contacts of the last step, with the impulses that the next one starts from.
    pub contacts: Vec<Contact<S>>,
    /// Couples of those that have one, in their order.
    pub couples: Vec<ContactCouple<S>>,
    /// Velocity at each contact, where the state was saved; a world that has made a step finds it otherwise. No step
    /// depends on it, but what is recorded before the next one does.
    pub velocities: Vec<S::Vector>,
    /// Joints, in the setup's order.
    pub joints: Vec<JointState>,
    /// Bonds, broken ones too, in the order of their names.
    pub bonds: Vec<Bond<S>>,
    /// Deformable solids, in the setup's order.
    pub solids: Vec<D>,
    /// Contacts of solids of the last step, with their impulses.
    pub solid_contacts: Vec<SolidContact<S>>,
    /// Bodies asleep.
    pub sleep: Sleep<S>,
    /// The periodic cell, if there is one.
    pub cell: Option<CellState<S>>,
    /// Energies and works since the start.
    pub ledger: Ledger,
    /// How far the run has come through its phases.
    pub progress: Progress,
    /// Steps to come in which direct methods are not asked, since their factors were too dear.
    pub direct_pause: u32,
    /// Steps to come that do not begin by splitting, since it has failed.
    pub splitting_pause: u32,
    /// What the factor was made from that splitting uses.
    pub kept: Kept,
}

/// A state as it is kept outside of a world.
pub type SavedState<S> = State<S, BodyState<S>, SolidState<S>>;

impl<S: Dimension> State<S> {
    /// The state at time 0, solids and ledger left out.
    pub(crate) fn new(setup: &Setup<S>, bodies: Vec<Body<S>>) -> Self {
        let ends = Vec::with_capacity(setup.phases.len());
        Self {
            steps: 0,
            bodies,
            boundaries: setup.boundaries.iter().map(BoundaryState::from).collect(),
            applied: Vec::new(),
            contacts: Vec::new(),
            couples: Vec::new(),
            velocities: Vec::new(),
            joints: vec![JointState::default(); setup.joints.len()],
            bonds: Vec::new(),
            solids: Vec::new(),
            solid_contacts: Vec::new(),
            sleep: Sleep::default(),
            cell: CellState::<S>::new(setup),
            ledger: Ledger::default(),
            progress: Progress { ends, calm_since: None },
            direct_pause: 0,
            splitting_pause: 0,
            kept: Kept::default(),
        }
    }

    /// A hash of positions, velocities and impulses at a time. Equal for equal bits.
    fn hash(&self, time: f64) -> u64 {
        let mut hash = Fnv::default();
        hash.number(time);
        for body in &self.bodies {
            hash.vector(body.pose.position);
            hash.vector(body.pose.rotation.logarithm());
            hash.vector(body.velocity);
            hash.vector(body.spin);
        }
        for boundary in &self.boundaries {
            hash.vector(boundary.pose.position);
            hash.number(boundary.speed);
        }
        for contact in self.contacts.iter().chain(&self.sleep.contacts) {
            hash.vector(contact.impulse);
            hash.vector(couple_of(&self.couples, contact.name()));
        }
        for solid in &self.solids {
            solid.positions().iter().for_each(|&x| hash.vector(x));
            solid.velocities().iter().for_each(|&v| hash.vector(v));
        }
        for contact in &self.solid_contacts {
            hash.vector(contact.impulse);
        }
        if let Some(cell) = &self.cell {
            for row in 0..S::DIMENSION {
                hash.vector(cell.lattice.vectors().row(row));
                hash.vector(cell.gradient.row(row));
            }
        }
        for bond in &self.bonds {
            hash.number(bond.damage);
            hash.vector(bond.impulse);
        }
        hash.0
    }
}

impl<S: Dimension> SavedState<S> {
    /// Whether a world of this setup can have such a state.
    fn check(&self, world: &World<S>) -> Result<(), SetupError> {
        let fail = |what: &str, found: usize, wanted: usize| {
            Err(SetupError::OtherState { what: what.to_owned(), found, wanted })
        };
        let equal = |what: &str, found: usize, wanted: usize| match found == wanted {
            true => Ok(()),
            false => fail(what, found, wanted),
        };
        let (setup, initial) = (&world.setup, world.work.initial_bodies);
        if self.bodies.len() < initial || self.bodies.len() > initial + setup.arrivals.len() {
            return fail("bodies", self.bodies.len(), initial);
        }
        equal("boundaries", self.boundaries.len(), setup.boundaries.len())?;
        if self.applied.len() > self.bodies.len() {
            return fail("applied forces", self.applied.len(), self.bodies.len());
        }
        if self.progress.ends.len() > setup.phases.len() {
            return fail("phases", self.progress.ends.len(), setup.phases.len());
        }
        equal("velocities at contacts", self.velocities.len(), self.contacts.len())?;
        let lost = |bond: &Bond<S>| {
            bond.sides.iter().any(|side| match *side {
                Owner::Body(index) => index as usize >= self.bodies.len(),
                Owner::Boundary(index) => index as usize >= self.boundaries.len(),
            })
        };
        if self.bonds.iter().any(lost) {
            return fail("bonds between bodies", self.bonds.len(), 0);
        }
        if !self.joints.is_empty() {
            equal("joints", self.joints.len(), setup.joints.len())?;
        }
        equal(
            "periodic cells",
            usize::from(self.cell.is_some()),
            usize::from(setup.cell.is_some()),
        )?;
        equal("solids", self.solids.len(), world.state.solids.len())?;
        for (solid, saved) in world.state.solids.iter().zip(&self.solids) {
            let nodes = solid.positions().len();
            equal("nodes", saved.positions.len(), nodes)?;
            equal("nodes", saved.velocities.len(), nodes)?;
        }
        Ok(())
    }
}

impl<S: Dimension> World<S> {
    /// A hash of the whole state: positions, velocities, impulses. Equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        self.state.hash(self.time())
    }

    /// The state as it is now, to go on from in another world.
    pub fn save(&self) -> SavedState<S> {
        let state = &self.state;
        State {
            steps: state.steps,
            bodies: state.bodies.iter().map(BodyState::from).collect(),
            boundaries: state.boundaries.clone(),
            applied: state.applied.clone(),
            contacts: state.contacts.clone(),
            couples: state.couples.clone(),
            velocities: state.contacts.iter().map(|c| self.contact_velocity(c)).collect(),
            joints: state.joints.clone(),
            bonds: state.bonds.clone(),
            solids: state.solids.iter().map(Solid::state).collect(),
            solid_contacts: state.solid_contacts.clone(),
            sleep: state.sleep.clone(),
            cell: state.cell,
            ledger: state.ledger,
            progress: state.progress.clone(),
            direct_pause: state.direct_pause,
            splitting_pause: state.splitting_pause,
            kept: state.kept.clone(),
        }
    }

    /// A world of this setup that goes on from a saved state.
    pub fn resume(setup: Setup<S>, saved: SavedState<S>) -> Result<Self, SetupError> {
        let mut world = Self::new(setup)?;
        saved.check(&world)?;
        for (index, boundary) in saved.boundaries.iter().enumerate() {
            if let Some(Command::Motion { .. }) = boundary.command {
                world.release(index);
            }
        }
        let mut bodies = std::mem::take(&mut world.state.bodies);
        for arrival in &world.setup.arrivals[..saved.bodies.len() - bodies.len()] {
            world.work.rigid.add_body(bodies.len(), &arrival.body);
            bodies.push(arrival.body.clone());
        }
        let shapes = world.work.rigid.shapes.list.len();
        let named = saved.contacts.iter().map(|contact| contact.shapes);
        let mut named = named.chain(saved.bonds.iter().map(|bond| bond.shapes));
        if let Some(far) = named.find(|pair| pair.1 as usize >= shapes) {
            let (what, found) = ("shapes".to_owned(), far.1 as usize + 1);
            return Err(SetupError::OtherState { what, found, wanted: shapes });
        }
        bodies.iter_mut().zip(&saved.bodies).for_each(|(body, state)| state.give(body));
        let mut solids = std::mem::take(&mut world.state.solids);
        solids.iter_mut().zip(&saved.solids).for_each(|(solid, saved)| solid.restore(saved));
        world.state = State {
            steps: saved.steps,
            bodies,
            boundaries: saved.boundaries,
            applied: saved.applied,
            contacts: saved.contacts,
            couples: saved.couples,
            velocities: saved.velocities,
            joints: match saved.joints.is_empty() {
                // As joints were before they had a state.
                true => vec![JointState::default(); world.setup.joints.len()],
                false => saved.joints,
            },
            bonds: saved.bonds,
            solids,
            solid_contacts: saved.solid_contacts,
            sleep: saved.sleep,
            cell: saved.cell,
            ledger: saved.ledger,
            progress: saved.progress,
            direct_pause: saved.direct_pause,
            splitting_pause: saved.splitting_pause,
            kept: saved.kept,
        };
        world.work.joints.keep_apart(&world.setup, &world.state.joints);
        world.work.joints.grow_trees(&world.setup, &world.state.joints);
        world.take_friction();
        Ok(world)
    }
}
