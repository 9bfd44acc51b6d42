//! What was set from outside, in a checkpoint. Where nothing was, none of these arrays is written.

use super::columns::{Columns, bytes, flags, same, vectors};
use super::{Arrays, Npz, Recorded};
use drystone_engine::{Body, BoundaryState, Command, JointState, State, Wrench};
use drystone_fem::Solid;
use drystone_space::Vector;

pub(super) fn encode<S: Recorded>(state: &State<S, Body<S>, Solid<S>>, arrays: &mut dyn Arrays) {
    let all = state.boundaries.iter().map(|boundary| boundary.command);
    if all.clone().any(|command| command.is_some()) {
        let kind = |command: Option<Command<S>>| match command {
            None => 0,
            Some(Command::Motion { .. }) => 1,
            Some(Command::Load(_)) => 2,
        };
        let motion = |command: Option<Command<S>>| match command {
            Some(Command::Motion { velocity, spin }) => (velocity, spin),
            _ => (S::Vector::ZERO, S::Spin::ZERO),
        };
        let load = |command: Option<Command<S>>| match command {
            Some(Command::Load(force)) => force,
            _ => 0.0,
        };
        arrays.push("command", bytes(all.clone().map(kind)));
        arrays.push("command_velocity", vectors(all.clone().map(|c| motion(c).0)));
        arrays.push("command_spin", vectors(all.clone().map(|c| motion(c).1)));
        arrays.push("command_load", vectors(all.map(load)));
    }
    if !state.applied.is_empty() {
        arrays.push("applied_force", vectors(state.applied.iter().map(|wrench| wrench.force)));
        arrays.push("applied_torque", vectors(state.applied.iter().map(|wrench| wrench.torque)));
    }
}

/// Which joints are broken, what their motors were told, and where their ratchets hold; nothing where there are no joints.
pub(super) fn encode_joints(joints: &[JointState], arrays: &mut dyn Arrays) {
    if !joints.is_empty() {
        arrays.push("joint_broken", flags(joints.iter().map(|joint| joint.broken)));
        arrays.push("joint_told", flags(joints.iter().map(|joint| joint.target.is_some())));
        let targets = joints.iter().map(|joint| joint.target.unwrap_or_default());
        arrays.push("joint_target", vectors(targets));
        if joints.iter().any(|joint| joint.held != 0.0) {
            arrays.push("joint_held", vectors(joints.iter().map(|joint| joint.held)));
        }
    }
}

/// The same read back.
pub(super) fn decode_joints(npz: &Npz) -> Result<Vec<JointState>, String> {
    if npz.get("joint_broken").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let (broken, told) = (columns.bytes("joint_broken")?, columns.bytes("joint_told")?);
    let targets = columns.numbers("joint_target")?;
    same("joint_told", told.len(), broken.len())?;
    same("joint_target", targets.len(), broken.len())?;
    let none = vec![0.0; broken.len()];
    let held = match npz.get("joint_held") {
        Some(_) => columns.numbers("joint_held")?,
        None => &none,
    };
    same("joint_held", held.len(), broken.len())?;
    let joint = |number: usize| JointState {
        broken: broken[number] != 0,
        target: (told[number] != 0).then_some(targets[number]),
        held: held[number],
    };
    Ok((0..broken.len()).map(joint).collect())
}

/// Boundaries with what they were told.
pub(super) fn decode_commands<S: Recorded>(
    npz: &Npz,
    mut boundaries: Vec<BoundaryState<S>>,
) -> Result<Vec<BoundaryState<S>>, String> {
    if npz.get("command").is_none() {
        return Ok(boundaries);
    }
    let columns = Columns(npz);
    let kinds = columns.bytes("command")?;
    let velocity = columns.vectors::<S::Vector>("command_velocity")?;
    let spin = columns.vectors::<S::Spin>("command_spin")?;
    let load = columns.numbers("command_load")?;
    for (name, count) in [
        ("command", kinds.len()),
        ("command_velocity", velocity.len()),
        ("command_spin", spin.len()),
        ("command_load", load.len()),
    ] {
        same(name, count, boundaries.len())?;
    }
    for (index, boundary) in boundaries.iter_mut().enumerate() {
        boundary.command = match kinds[index] {
            0 => None,
            1 => Some(Command::Motion { velocity: velocity[index], spin: spin[index] }),
            2 => Some(Command::Load(load[index])),
            other => return Err(format!("array `command`: {other} is no command")),
        };
    }
    Ok(boundaries)
}

/// What is applied to bodies.
pub(super) fn decode_applied<S: Recorded>(
    npz: &Npz,
    bodies: usize,
) -> Result<Vec<Wrench<S>>, String> {
    if npz.get("applied_force").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let forces = columns.vectors::<S::Vector>("applied_force")?;
    let torques = columns.vectors::<S::Spin>("applied_torque")?;
    same("applied_torque", torques.len(), forces.len())?;
    if forces.len() > bodies {
        return Err(format!("array `applied_force` has {} rows, not {bodies}", forces.len()));
    }
    let both = forces.into_iter().zip(torques);
    Ok(both.map(|(force, torque)| Wrench { force, torque }).collect())
}
