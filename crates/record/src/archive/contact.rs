//! Contacts as arrays: all that a frame tells of them, and what a checkpoint must know.

use super::columns::{Columns, bytes, flags, pairs, same, vectors, whole};
use super::{Arrays, Recorded};
use drystone_engine::{Contact, Owner, World};
use drystone_space::Vector;

/// A contact at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame<S: Recorded> {
    /// Where it is, and its impulse.
    pub contact: Contact<S>,
    /// Couple that the first feels over the step against rolling and spinning, in world axes.
    pub couple: S::Spin,
    /// Velocity of the first relative to the second at the end of the step, in world axes.
    pub velocity: S::Vector,
    /// Coulomb's coefficient; the largest of all directions.
    pub friction: f64,
}

impl<S: Recorded> ContactFrame<S> {
    /// The contacts of a world as they are now.
    pub fn all(world: &World<S>) -> Vec<Self> {
        let of = |contact| Self {
            contact,
            couple: world.contact_couple(&contact),
            velocity: world.contact_velocity(&contact),
            friction: world.contact_friction(&contact),
        };
        world.every_contact().into_iter().map(of).collect()
    }
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
pub fn status<S: Recorded>(frame: &ContactFrame<S>) -> ContactStatus {
    by_force(frame.contact.impulse, frame.contact.normal, frame.friction)
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

/// The contacts of a frame.
pub(super) fn encode_frames<S: Recorded>(contacts: &[ContactFrame<S>], arrays: &mut dyn Arrays) {
    let all = contacts.iter();
    encode(all.clone().map(|c| &c.contact), "", arrays);
    arrays.push("contact_velocity", vectors(all.clone().map(|c| c.velocity)));
    arrays.push("contact_couple", vectors(all.clone().map(|c| c.couple)));
    arrays.push("contact_friction", vectors(all.clone().map(|c| c.friction)));
    arrays.push("contact_status", bytes(all.map(|c| status(c) as u8)));
}

pub(super) fn decode_frames<S: Recorded>(
    columns: &Columns,
) -> Result<Vec<ContactFrame<S>>, String> {
    let contacts = decode::<S>(columns, "")?;
    let couples = columns.vectors::<S::Spin>("contact_couple")?;
    same("contact_couple", couples.len(), contacts.len())?;
    let velocities = columns.vectors::<S::Vector>("contact_velocity")?;
    same("contact_velocity", velocities.len(), contacts.len())?;
    let frictions = columns.numbers("contact_friction")?;
    same("contact_friction", frictions.len(), contacts.len())?;
    let of = |(i, contact)| ContactFrame {
        contact,
        couple: couples[i],
        velocity: velocities[i],
        friction: frictions[i],
    };
    Ok(contacts.into_iter().enumerate().map(of).collect())
}

/// What is kept of contacts from step to step. Names of arrays begin with the prefix.
pub(super) fn encode<'a, S: Recorded>(
    all: impl ExactSizeIterator<Item = &'a Contact<S>> + Clone,
    prefix: &str,
    arrays: &mut dyn Arrays,
) {
    let mut push = |name: &str, array| arrays.push(&format!("{prefix}contact_{name}"), array);
    push("first", whole(all.clone().map(|c| owner_number(c.first))));
    push("second", whole(all.clone().map(|c| owner_number(c.second))));
    push("point", vectors(all.clone().map(|c| c.point)));
    push("normal", vectors(all.clone().map(|c| c.normal)));
    push("gap", vectors(all.clone().map(|c| c.gap)));
    push("impulse", vectors(all.clone().map(|c| c.impulse)));
    push("bonded", flags(all.clone().map(|c| c.bonded)));
    push("feature", whole(all.clone().map(|c| i64::from(c.feature))));
    push("shapes", pairs(all.map(|c| [i64::from(c.shapes.0), i64::from(c.shapes.1)])));
}

pub(super) fn decode<S: Recorded>(
    columns: &Columns,
    prefix: &str,
) -> Result<Vec<Contact<S>>, String> {
    let name = |of: &str| format!("{prefix}contact_{of}");
    let first = columns.whole(&name("first"))?;
    let second = columns.whole(&name("second"))?;
    let point = columns.vectors::<S::Vector>(&name("point"))?;
    let normal = columns.vectors::<S::Vector>(&name("normal"))?;
    let gap = columns.numbers(&name("gap"))?;
    let impulse = columns.vectors::<S::Vector>(&name("impulse"))?;
    let bonded = columns.bytes(&name("bonded"))?;
    let feature = columns.whole(&name("feature"))?;
    let shapes = columns.whole(&name("shapes"))?;
    let count = first.len();
    for (of, length) in [
        ("second", second.len()),
        ("point", point.len()),
        ("normal", normal.len()),
        ("gap", gap.len()),
        ("impulse", impulse.len()),
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
                feature: small(feature[i])?,
                bonded: bonded[i] != 0,
                shapes: (small(shapes[2 * i])?, small(shapes[2 * i + 1])?),
            })
        })
        .collect()
}
