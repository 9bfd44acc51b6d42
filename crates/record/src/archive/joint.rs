//! Joints: what they join and where, once for a run; which of them are broken, in frames. Where there are none, nothing is written.

use super::columns::{Columns, flags, pairs, rotations, same, vectors};
use super::contact::{owner_from, owner_number};
use super::{Array, Arrays, Npz, Recorded};
use drystone_engine::{Joint, Owner};
use drystone_space::Pose;

/// A joint, as far as it is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEntry<S: Recorded> {
    /// Name in the scene; empty where it has none.
    pub name: String,
    /// Its kind, in the word of scene files.
    pub kind: String,
    /// Who carries each side, `None` being the ground, and the joint's frame there.
    pub sides: [(Option<Owner>, Pose<S>); 2],
    /// The points of the world that the rope of a pulley goes over.
    pub pulleys: [S::Vector; 2],
}

impl<S: Recorded> JointEntry<S> {
    pub(super) fn of(joint: &Joint<S>) -> Self {
        Self {
            name: joint.name.clone(),
            kind: joint.kind.name().to_owned(),
            sides: [0, 1].map(|side| (joint.sides[side].owner, joint.sides[side].frame)),
            pulleys: joint.pulleys,
        }
    }
}

/// The joints of a run with so many boundaries: the ground counts as one more.
pub(super) fn encode_entries<S: Recorded>(
    joints: &[JointEntry<S>],
    boundaries: usize,
    arrays: &mut dyn Arrays,
) {
    if joints.is_empty() {
        return;
    }
    let ground = Owner::Boundary(boundaries as u32);
    let number = |owner: Option<Owner>| owner_number(owner.unwrap_or(ground));
    arrays.push("joint_name", Array::text(joints.iter().map(|j| j.name.clone()).collect()));
    arrays.push("joint_kind", Array::text(joints.iter().map(|j| j.kind.clone()).collect()));
    arrays
        .push("joint_owner", pairs(joints.iter().map(|j| j.sides.map(|(owner, _)| number(owner)))));
    let frames = || joints.iter().flat_map(|j| j.sides.map(|(_, frame)| frame));
    arrays.push("joint_position", vectors(frames().map(|frame| frame.position)));
    arrays.push("joint_rotation", rotations::<S>(frames().map(|frame| frame.rotation)));
    arrays.push("joint_pulley", vectors(joints.iter().flat_map(|j| j.pulleys)));
}

/// The same read back, of a run with so many bodies and boundaries.
pub(super) fn decode_entries<S: Recorded>(
    npz: &Npz,
    bodies: usize,
    boundaries: usize,
) -> Result<Vec<JointEntry<S>>, String> {
    if npz.get("joint_owner").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let (names, kinds) = (columns.texts("joint_name")?, columns.texts("joint_kind")?);
    let owners = columns.whole("joint_owner")?;
    let frames = columns.poses::<S>("joint_")?;
    let pulleys = columns.vectors::<S::Vector>("joint_pulley")?;
    same("joint_kind", kinds.len(), names.len())?;
    same("joint_owner", owners.len(), 2 * names.len())?;
    same("joint_position", frames.len(), 2 * names.len())?;
    same("joint_pulley", pulleys.len(), 2 * names.len())?;
    let owner = |number: i64| match owner_from(number) {
        Some(Owner::Body(index)) if (index as usize) < bodies => Ok(Some(Owner::Body(index))),
        Some(Owner::Boundary(index)) if (index as usize) < boundaries => {
            Ok(Some(Owner::Boundary(index)))
        }
        Some(Owner::Boundary(index)) if index as usize == boundaries => Ok(None),
        _ => Err(format!("`joint_owner`: {number} is not there")),
    };
    let entry = |i: usize| {
        Ok(JointEntry {
            name: names[i].clone(),
            kind: kinds[i].clone(),
            sides: [
                (owner(owners[2 * i])?, frames[2 * i]),
                (owner(owners[2 * i + 1])?, frames[2 * i + 1]),
            ],
            pulleys: [pulleys[2 * i], pulleys[2 * i + 1]],
        })
    };
    (0..names.len()).map(entry).collect()
}

/// Which joints are broken at a moment.
pub(super) fn encode_broken(broken: &[bool], arrays: &mut dyn Arrays) {
    if !broken.is_empty() {
        arrays.push("joint_broken", flags(broken.iter().copied()));
    }
}

/// The same read back; nothing where it was not recorded.
pub(super) fn decode_broken(npz: &Npz) -> Result<Vec<bool>, String> {
    match npz.get("joint_broken") {
        None => Ok(Vec::new()),
        Some(_) => Ok(Columns(npz).bytes("joint_broken")?.iter().map(|&byte| byte != 0).collect()),
    }
}
