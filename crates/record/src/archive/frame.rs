//! One moment of a run.

use super::columns::{Columns, bytes, flags, rotations, same, vectors, whole};
use super::{Array, Npz, Recorded, SolidFrame, solid, solid_contact};
use drystone_engine::{Contact, Owner, Partner, SolidContact, World};
use drystone_space::{Frame as _, Local, Pose, Rotation, Vector};

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
    /// The bodies that have entered: the first of [`Things::bodies`](super::Things::bodies).
    pub bodies: Vec<MovingBody<S>>,
    /// All boundaries.
    pub boundaries: Vec<BoundaryFrame<S>>,
    /// Contacts of the last step. Their force is impulse / [`About::time_step`](super::About).
    pub contacts: Vec<Contact<S>>,
    /// Deformable solids.
    pub solids: Vec<SolidFrame<S>>,
    /// Their contacts of the last step.
    pub solid_contacts: Vec<SolidContact<S>>,
    /// The energy ledger; columns are named by [`About::ledger`](super::About).
    pub ledger: Vec<f64>,
    /// How steps went; columns are named by [`About::report`](super::About).
    pub report: Vec<f64>,
}

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ContactStatus {
    /// It carries no force.
    Open = 0,
    /// Its force is inside the cone.
    Sticking = 1,
    /// Its force is on the cone.
    Sliding = 2,
}

/// Distance from the cone, relative to its radius, below which a force is on it: solvers put a
/// sliding force there up to rounding.
const ON_CONE: f64 = 1e-9;

/// What a contact does, by its force: on Coulomb's cone it slides.
pub fn status<S: Recorded>(contact: &Contact<S>) -> ContactStatus {
    by_force(contact.impulse, contact.normal, contact.friction)
}

pub(super) fn by_force<V: Vector>(impulse: V, normal: V, friction: f64) -> ContactStatus {
    let along = impulse.dot(normal);
    let tangential = (impulse - normal * along).norm();
    if impulse == V::ZERO {
        ContactStatus::Open
    } else if tangential >= (1.0 - ON_CONE) * friction * along {
        ContactStatus::Sliding
    } else {
        ContactStatus::Sticking
    }
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
            contacts: world.every_contact(),
            solids: solid::frames(world),
            solid_contacts: world.solid_contacts().to_vec(),
            ledger,
            report,
        }
    }

    /// The frame as arrays.
    pub fn encode(&self) -> Npz {
        let mut npz = Npz::default();
        npz.push("time", Array::f64(vec![], vec![self.time]));
        npz.push("step", Array::i64(vec![], vec![self.step as i64]));
        npz.push("position", vectors(self.bodies.iter().map(|b| b.pose.position)));
        npz.push("rotation", rotations::<S>(self.bodies.iter().map(|b| b.pose.rotation)));
        npz.push("velocity", vectors(self.bodies.iter().map(|b| b.velocity)));
        npz.push("spin", vectors(self.bodies.iter().map(|b| b.spin)));
        npz.push("birth", vectors(self.bodies.iter().map(|b| b.birth)));
        let boundaries = self.boundaries.iter();
        npz.push("boundary_position", vectors(boundaries.clone().map(|b| b.pose.position)));
        npz.push("boundary_rotation", rotations::<S>(boundaries.clone().map(|b| b.pose.rotation)));
        npz.push("boundary_velocity", vectors(boundaries.clone().map(|b| b.velocity)));
        npz.push("boundary_force", vectors(boundaries.clone().map(|b| b.force)));
        npz.push("boundary_present", flags(boundaries.map(|b| b.present)));
        encode_contacts(&self.contacts, "", &mut npz);
        solid::encode_frames(&self.solids, &mut npz);
        solid_contact::encode(self.solids.len(), &self.solid_contacts, &mut npz);
        npz.push("ledger", vectors(self.ledger.iter().copied()));
        npz.push("report", vectors(self.report.iter().copied()));
        npz
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
        let (boundaries, contacts) = (decode_boundaries(&columns)?, decode_contacts(&columns, "")?);
        let known = |owner: Owner| match owner {
            Owner::Body(index) => (index as usize) < poses.len(),
            Owner::Boundary(index) => (index as usize) < boundaries.len(),
        };
        if !contacts.iter().all(|c: &Contact<S>| known(c.first) && known(c.second)) {
            return Err("a contact names a body that is not there".to_owned());
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
            solids,
            solid_contacts,
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

/// A body by its index, boundary `i` by `−1 − i`.
pub fn owner_number(owner: Owner) -> i64 {
    match owner {
        Owner::Body(index) => i64::from(index),
        Owner::Boundary(index) => -1 - i64::from(index),
    }
}

pub(super) fn owner_from(number: i64) -> Option<Owner> {
    let index = |n: i64| u32::try_from(n).ok();
    if number >= 0 {
        index(number).map(Owner::Body)
    } else {
        index(-1 - number).map(Owner::Boundary)
    }
}

/// The tangents of a contact: one in the plane, two in space.
fn tangents<S: Recorded>(normal: S::Vector) -> impl Iterator<Item = f64> {
    let frame = S::Frame::from_normal(normal);
    (1..S::DIMENSION).flat_map(move |axis| {
        let tangent = frame.to_world(S::Local::axis(axis));
        (0..S::DIMENSION).map(move |i| tangent.get(i))
    })
}

pub(super) fn encode_contacts<S: Recorded>(contacts: &[Contact<S>], prefix: &str, npz: &mut Npz) {
    let mut push = |name: &str, array| npz.push(&format!("{prefix}contact_{name}"), array);
    let all = contacts.iter();
    push("first", whole(all.clone().map(|c| owner_number(c.first))));
    push("second", whole(all.clone().map(|c| owner_number(c.second))));
    push("point", vectors(all.clone().map(|c| c.point)));
    push("normal", vectors(all.clone().map(|c| c.normal)));
    let tangents: Vec<f64> = all.clone().flat_map(|c| tangents::<S>(c.normal)).collect();
    let shape = vec![contacts.len(), S::DIMENSION - 1, S::DIMENSION];
    push("tangents", Array::f64(shape, tangents));
    push("gap", vectors(all.clone().map(|c| c.gap)));
    push("velocity", vectors(all.clone().map(|c| c.velocity)));
    push("impulse", vectors(all.clone().map(|c| c.impulse)));
    push("couple", vectors(all.clone().map(|c| c.couple)));
    push("friction", vectors(all.clone().map(|c| c.friction)));
    push("status", bytes(all.clone().map(|c| status(c) as u8)));
    push("bonded", flags(all.clone().map(|c| c.bonded)));
    push("feature", whole(all.clone().map(|c| i64::from(c.feature))));
    let shapes = all.flat_map(|c| [i64::from(c.shapes.0), i64::from(c.shapes.1)]).collect();
    push("shapes", Array::i64(vec![contacts.len(), 2], shapes));
}

pub(super) fn decode_contacts<S: Recorded>(
    columns: &Columns,
    prefix: &str,
) -> Result<Vec<Contact<S>>, String> {
    let name = |of: &str| format!("{prefix}contact_{of}");
    let first = columns.whole(&name("first"))?;
    let second = columns.whole(&name("second"))?;
    let point = columns.vectors::<S::Vector>(&name("point"))?;
    let normal = columns.vectors::<S::Vector>(&name("normal"))?;
    let gap = columns.numbers(&name("gap"))?;
    let velocity = columns.vectors::<S::Vector>(&name("velocity"))?;
    let impulse = columns.vectors::<S::Vector>(&name("impulse"))?;
    let couple = columns.vectors::<S::Spin>(&name("couple"))?;
    let friction = columns.numbers(&name("friction"))?;
    let bonded = columns.bytes(&name("bonded"))?;
    let feature = columns.whole(&name("feature"))?;
    let shapes = columns.whole(&name("shapes"))?;
    let count = first.len();
    for (of, length) in [
        ("second", second.len()),
        ("point", point.len()),
        ("normal", normal.len()),
        ("gap", gap.len()),
        ("velocity", velocity.len()),
        ("impulse", impulse.len()),
        ("couple", couple.len()),
        ("friction", friction.len()),
        ("bonded", bonded.len()),
        ("feature", feature.len()),
    ] {
        same(&name(of), length, count)?;
    }
    same(&name("shapes"), shapes.len(), 2 * count)?;
    let small = |number: i64| u32::try_from(number).map_err(|_| format!("{number} is no index"));
    let owner = |number: i64| owner_from(number).ok_or_else(|| format!("{number} is no index"));
    (0..count)
        .map(|i| {
            Ok(Contact {
                first: owner(first[i])?,
                second: owner(second[i])?,
                point: point[i],
                normal: normal[i],
                gap: gap[i],
                impulse: impulse[i],
                couple: couple[i],
                velocity: velocity[i],
                feature: small(feature[i])?,
                friction: friction[i],
                bonded: bonded[i] != 0,
                shapes: (small(shapes[2 * i])?, small(shapes[2 * i + 1])?),
            })
        })
        .collect()
}

/// Root mean square of the speeds of a body's points, spin included: √(2 · energy / mass).
pub fn speed<S: Recorded>(body: &MovingBody<S>, mass: f64, moments: S::Spin) -> f64 {
    let spin = body.pose.rotation.apply_spin_inverse(body.spin);
    (body.velocity.norm_squared() + spin.dot(moments.scale(spin)) / mass).sqrt()
}
