//! One moment of a run.

use super::columns::{Columns, flags, rotations, same, vectors};
use super::{
    Array, Arrays, BondFrame, ContactFrame, Npz, Recorded, SolidFrame, bond, cell, contact, joint,
    solid, solid_contact,
};
use drystone_engine::{CellState, Owner, Partner, SolidContact, World};
use drystone_space::{Pose, Rotation, Vector};

/// How a body moves at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingBody<S: Recorded> {
    /// `world_from_body`; the position is the centre of mass.
    pub pose: Pose<S>,
    /// Velocity of the centre of mass.
    pub velocity: S::Vector,
    /// Spin, in world axes.
    pub spin: S::Spin,
    /// When it entered the scene.
    pub birth: f64,
}

/// Where a boundary is at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryFrame<S: Recorded> {
    /// `world_from_boundary`.
    pub pose: Pose<S>,
    /// Velocity at its origin.
    pub velocity: S::Vector,
    /// Force of the bodies on it, mean of the last step.
    pub force: S::Vector,
    /// False once it was removed.
    pub present: bool,
}

/// One moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<S: Recorded> {
    /// Time in seconds.
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// The bodies that have entered: the first of [`Catalogue::bodies`](super::Catalogue::bodies).
    pub bodies: Vec<MovingBody<S>>,
    /// All boundaries.
    pub boundaries: Vec<BoundaryFrame<S>>,
    /// Contacts of the last step. Their force is impulse / [`About::time_step`](super::About).
    pub contacts: Vec<ContactFrame<S>>,
    /// Bonds, broken ones too.
    pub bonds: Vec<BondFrame<S>>,
    /// Which joints are broken, of all of the catalogue; empty where there are none.
    pub broken: Vec<bool>,
    /// Deformable solids.
    pub solids: Vec<SolidFrame<S>>,
    /// Their contacts of the last step.
    pub solid_contacts: Vec<SolidContact<S>>,
    /// The periodic cell, where there is one.
    pub cell: Option<CellState<S>>,
    /// The energy ledger; columns are named by [`About::ledger`](super::About).
    pub ledger: Vec<f64>,
    /// How steps went; columns are named by [`About::report`](super::About).
    pub report: Vec<f64>,
}

impl<S: Recorded> Frame<S> {
    /// The world as it is now. `ledger` and `report` are rows of the run's tables.
    pub fn of(world: &World<S>, ledger: Vec<f64>, report: Vec<f64>) -> Self {
        let bodies = world.bodies().iter().map(|body| MovingBody {
            pose: body.pose,
            velocity: body.velocity,
            spin: body.world_spin(),
            birth: body.born,
        });
        let boundaries = world.boundaries().iter().enumerate().map(|(index, boundary)| {
            let pose = world.boundary_pose(index);
            BoundaryFrame {
                pose: pose.unwrap_or(boundary.pose),
                velocity: world.boundary_velocity(index),
                force: world.boundary_force(index),
                present: pose.is_some(),
            }
        });
        Self {
            time: world.time(),
            step: world.steps(),
            bodies: bodies.collect(),
            boundaries: boundaries.collect(),
            contacts: ContactFrame::all(world),
            bonds: BondFrame::all(world),
            broken: world.state().joints.iter().map(|joint| joint.broken).collect(),
            solids: solid::frames(world),
            solid_contacts: world.solid_contacts().to_vec(),
            cell: world.cell().copied(),
            ledger,
            report,
        }
    }

    /// The frame as arrays.
    pub fn put(&self, arrays: &mut dyn Arrays) {
        arrays.push("time", Array::f64(vec![], vec![self.time]));
        arrays.push("step", Array::i64(vec![], vec![self.step as i64]));
        arrays.push("position", vectors(self.bodies.iter().map(|b| b.pose.position)));
        arrays.push("rotation", rotations::<S>(self.bodies.iter().map(|b| b.pose.rotation)));
        arrays.push("velocity", vectors(self.bodies.iter().map(|b| b.velocity)));
        arrays.push("spin", vectors(self.bodies.iter().map(|b| b.spin)));
        arrays.push("birth", vectors(self.bodies.iter().map(|b| b.birth)));
        let boundaries = self.boundaries.iter();
        arrays.push("boundary_position", vectors(boundaries.clone().map(|b| b.pose.position)));
        arrays
            .push("boundary_rotation", rotations::<S>(boundaries.clone().map(|b| b.pose.rotation)));
        arrays.push("boundary_velocity", vectors(boundaries.clone().map(|b| b.velocity)));
        arrays.push("boundary_force", vectors(boundaries.clone().map(|b| b.force)));
        arrays.push("boundary_present", flags(boundaries.map(|b| b.present)));
        contact::encode_frames(&self.contacts, arrays);
        bond::encode_frames(&self.bonds, arrays);
        joint::encode_broken(&self.broken, arrays);
        solid::encode_frames(&self.solids, arrays);
        solid_contact::encode(self.solids.len(), &self.solid_contacts, arrays);
        cell::encode(self.cell.as_ref(), arrays);
        arrays.push("ledger", vectors(self.ledger.iter().copied()));
        arrays.push("report", vectors(self.report.iter().copied()));
    }

    /// The frame from its arrays, or what is wrong with them.
    pub fn decode(npz: &Npz) -> Result<Self, String> {
        let columns = Columns(npz);
        let velocities = columns.vectors::<S::Vector>("velocity")?;
        let spins = columns.vectors::<S::Spin>("spin")?;
        let births = columns.numbers("birth")?;
        let poses = columns.poses::<S>("")?;
        same("velocity", velocities.len(), poses.len())?;
        same("spin", spins.len(), poses.len())?;
        same("birth", births.len(), poses.len())?;
        let bodies = (0..poses.len()).map(|i| MovingBody {
            pose: poses[i],
            velocity: velocities[i],
            spin: spins[i],
            birth: births[i],
        });
        let boundaries = decode_boundaries(&columns)?;
        let contacts = contact::decode_frames(&columns)?;
        let known = |owner: Owner| match owner {
            Owner::Body(index) => (index as usize) < poses.len(),
            Owner::Boundary(index) => (index as usize) < boundaries.len(),
        };
        let met = |c: &ContactFrame<S>| known(c.contact.first) && known(c.contact.second);
        if !contacts.iter().all(met) {
            return Err("a contact names a body that is not there".to_owned());
        }
        let bonds: Vec<BondFrame<S>> = bond::decode_frames(npz)?;
        if !bonds.iter().all(|frame| frame.bond.sides.into_iter().all(known)) {
            return Err("a bond names a body that is not there".to_owned());
        }
        let solids = solid::decode_frames(npz)?;
        let solid_contacts = solid_contact::decode(solids.len(), &columns)?;
        let met = |contact: &SolidContact<S>| match contact.partner {
            Partner::Body(index) => known(Owner::Body(index)),
            Partner::Boundary(index) => known(Owner::Boundary(index)),
            Partner::Solid(_) => true,
        };
        if !solid_contacts.iter().all(met) {
            return Err("a contact of a solid names a body that is not there".to_owned());
        }
        let step = match columns.whole("step")? {
            &[step] if step >= 0 => step as u64,
            _ => return Err("array `step` is not one number".to_owned()),
        };
        Ok(Self {
            time: columns.number("time")?,
            step,
            bodies: bodies.collect(),
            boundaries,
            contacts,
            bonds,
            broken: joint::decode_broken(npz)?,
            solids,
            solid_contacts,
            cell: cell::decode(npz)?,
            ledger: columns.numbers("ledger")?.to_vec(),
            report: columns.numbers("report")?.to_vec(),
        })
    }
}

fn decode_boundaries<S: Recorded>(columns: &Columns) -> Result<Vec<BoundaryFrame<S>>, String> {
    let poses = columns.poses::<S>("boundary_")?;
    let velocities = columns.vectors::<S::Vector>("boundary_velocity")?;
    let forces = columns.vectors::<S::Vector>("boundary_force")?;
    let present = columns.bytes("boundary_present")?;
    same("boundary_velocity", velocities.len(), poses.len())?;
    same("boundary_force", forces.len(), poses.len())?;
    same("boundary_present", present.len(), poses.len())?;
    let boundaries = (0..poses.len()).map(|i| BoundaryFrame {
        pose: poses[i],
        velocity: velocities[i],
        force: forces[i],
        present: present[i] != 0,
    });
    Ok(boundaries.collect())
}

/// Root mean square of the speeds of a body's points, spin included: √(2 · energy / mass).
pub fn speed<S: Recorded>(body: &MovingBody<S>, mass: f64, moments: S::Spin) -> f64 {
    let spin = body.pose.rotation.apply_spin_inverse(body.spin);
    (body.velocity.norm_squared() + spin.dot(moments.scale(spin)) / mass).sqrt()
}
