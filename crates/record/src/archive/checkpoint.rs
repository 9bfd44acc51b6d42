//! What a resumed run goes on from: the state of the world in its very bits, and what the recorder
//! remembers.

use super::columns::{Columns, flags, rotations, same, vectors};
use super::{
    Array, Arrays, Npz, Packer, Recorded, bond, cell, contact, membrane, sleep, solid,
    solid_contact, steer,
};
use crate::RecordError;
use drystone_engine::{BodyState, BoundaryState, ContactCouple, Ledger, Progress, SavedState};
use drystone_engine::{Kept, State, World};
use drystone_fem::SolidState;
use std::path::Path;

/// What a resumed run goes on from.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<S: Recorded> {
    /// The world.
    pub state: SavedState<S>,
    /// What the recorder remembers, as JSON.
    pub memory: String,
}

/// Writes the checkpoint of a world in place of the one before, straight from its lists; returns its size.
pub(crate) fn write_checkpoint<S: Recorded>(
    world: &World<S>,
    memory: &str,
    folder: &Path,
    packer: &mut Packer,
) -> Result<usize, RecordError> {
    packer.write(&folder.join("checkpoint.npz"), |arrays| put_checkpoint(world, memory, arrays))
}

impl<S: Recorded> Checkpoint<S> {
    /// Reads the checkpoint of a record.
    pub fn read(folder: &Path) -> Result<Self, RecordError> {
        let path = folder.join("checkpoint.npz");
        let npz = Npz::read(&path)?;
        Self::decode(&npz).map_err(|why| RecordError::damaged(&path, why))
    }

    /// The checkpoint from its arrays, or what is wrong with them.
    pub fn decode(npz: &Npz) -> Result<Self, String> {
        let columns = Columns(npz);
        let poses = columns.poses::<S>("")?;
        let velocity = columns.vectors::<S::Vector>("velocity")?;
        let spin = columns.vectors::<S::Spin>("body_spin")?;
        let born = columns.numbers("birth")?;
        for (name, count) in
            [("velocity", velocity.len()), ("body_spin", spin.len()), ("birth", born.len())]
        {
            same(name, count, poses.len())?;
        }
        let bodies = (0..poses.len()).map(|i| BodyState {
            pose: poses[i],
            velocity: velocity[i],
            spin: spin[i],
            born: born[i],
        });
        let steps = match columns.whole("step")? {
            &[step] if step >= 0 => step as u64,
            _ => return Err("array `step` is not one number".to_owned()),
        };
        let solids = solid::decode_states(npz)?;
        let contacts = contact::decode::<S>(&columns, "")?;
        let couple = columns.vectors::<S::Spin>("contact_couple")?;
        same("contact_couple", couple.len(), contacts.len())?;
        let couples = contacts.iter().zip(couple);
        let couples = couples.filter_map(|(contact, couple)| ContactCouple::new(contact, couple));
        let couples = couples.collect();
        let velocities = columns.vectors::<S::Vector>("contact_velocity")?;
        same("contact_velocity", velocities.len(), contacts.len())?;
        let (membranes, lids) = membrane::decode::<S>(npz, poses.len())?;
        let state = State {
            steps,
            bodies: bodies.collect(),
            boundaries: steer::decode_commands(npz, boundaries(&columns)?)?,
            applied: steer::decode_applied(npz, poses.len())?,
            contacts,
            couples,
            velocities,
            sleep: sleep::decode(npz, poses.len())?,
            cell: cell::decode(npz)?,
            membranes,
            lids,
            joints: steer::decode_joints(npz)?,
            bonds: bond::decode(npz)?,
            solid_contacts: solid_contact::decode(solids.len(), &columns)?,
            solids,
            ledger: ledger_from(columns.numbers("ledger")?)
                .ok_or("array `ledger` has other columns than this version")?,
            progress: Progress {
                ends: columns.numbers("phase_end")?.to_vec(),
                calm_since: columns.numbers("calm_since")?.first().copied(),
            },
            direct_pause: pause(&columns, "direct_pause")?,
            splitting_pause: pause(&columns, "splitting_pause")?,
            kept: kept(&columns)?,
        };
        match columns.texts("memory")? {
            [memory] => Ok(Self { state, memory: memory.clone() }),
            _ => Err("array `memory` is not one text".to_owned()),
        }
    }
}

/// The checkpoint of a world as arrays; `memory` is what the recorder remembers, or nothing.
pub fn put_checkpoint<S: Recorded>(world: &World<S>, memory: &str, arrays: &mut dyn Arrays) {
    let State { bodies, boundaries, contacts, progress, .. } = world.state();
    arrays.push("step", Array::i64(vec![], vec![world.steps() as i64]));
    arrays.push("position", vectors(bodies.iter().map(|b| b.pose.position)));
    arrays.push("rotation", rotations::<S>(bodies.iter().map(|b| b.pose.rotation)));
    arrays.push("velocity", vectors(bodies.iter().map(|b| b.velocity)));
    arrays.push("body_spin", vectors(bodies.iter().map(|b| b.spin)));
    arrays.push("birth", vectors(bodies.iter().map(|b| b.born)));
    for (prefix, pose) in [("boundary_", false), ("boundary_middle_", true)] {
        let poses = boundaries.iter().map(|b| if pose { b.midpoint } else { b.pose });
        arrays.push(&format!("{prefix}position"), vectors(poses.clone().map(|p| p.position)));
        arrays.push(&format!("{prefix}rotation"), rotations::<S>(poses.map(|p| p.rotation)));
    }
    arrays.push("boundary_velocity", vectors(boundaries.iter().map(|b| b.velocity)));
    arrays.push("boundary_spin", vectors(boundaries.iter().map(|b| b.spin)));
    arrays.push("boundary_impulse", vectors(boundaries.iter().map(|b| b.impulse)));
    arrays.push("boundary_travel", vectors(boundaries.iter().map(|b| b.travel)));
    arrays.push("boundary_speed", vectors(boundaries.iter().map(|b| b.speed)));
    arrays.push("boundary_removed", flags(boundaries.iter().map(|b| b.removed)));
    steer::encode(world.state(), arrays);
    steer::encode_joints(&world.state().joints, arrays);
    bond::encode(world.bonds(), arrays);
    contact::encode(contacts.iter(), "", arrays);
    arrays.push("contact_velocity", vectors(contacts.iter().map(|c| world.contact_velocity(c))));
    arrays.push("contact_couple", vectors(contacts.iter().map(|c| world.contact_couple(c))));
    sleep::encode(&world.state().sleep, arrays);
    cell::encode(world.cell(), arrays);
    membrane::encode::<S>(&world.state().membranes, &world.state().lids, arrays);
    let solids: Vec<SolidState<S>> = world.solids().iter().map(|solid| solid.state()).collect();
    solid::encode_states(&solids, arrays);
    solid_contact::encode(solids.len(), world.solid_contacts(), arrays);
    arrays.push("ledger", vectors(ledger_numbers(world.ledger()).into_iter()));
    arrays.push("phase_end", vectors(progress.ends.iter().copied()));
    arrays.push("calm_since", vectors(progress.calm_since.into_iter()));
    arrays.push("direct_pause", Array::i64(vec![], vec![i64::from(world.state().direct_pause)]));
    let (pause, kept) = (world.state().splitting_pause, &world.state().kept);
    arrays.push("splitting_pause", Array::i64(vec![], vec![i64::from(pause)]));
    let pairs = kept.pairs.as_flattened().iter().map(|&mover| i64::from(mover));
    arrays.push("kept_pair", Array::i64(vec![kept.pairs.len(), 2], pairs.collect()));
    arrays.push("kept_stiffness", vectors(kept.stiffness.as_flattened().iter().copied()));
    arrays.push("kept_block", vectors(kept.blocks.iter().copied()));
    arrays.push("memory", Array::text(vec![memory.to_owned()]));
}

/// A number of steps.
fn pause(columns: &Columns, name: &str) -> Result<u32, String> {
    match columns.whole(name)? {
        &[pause] => u32::try_from(pause).map_err(|_| format!("`{name}` is out of range")),
        _ => Err(format!("array `{name}` is not one number")),
    }
}

/// What the factor was made from that is kept.
fn kept(columns: &Columns) -> Result<Kept, String> {
    let movers = columns.whole("kept_pair")?.iter().map(|&mover| u32::try_from(mover));
    let movers = movers.collect::<Result<Vec<u32>, _>>();
    let movers = movers.map_err(|_| "`kept_pair` is out of range")?;
    let (pairs, stiffness) =
        (movers.as_chunks().0, columns.numbers("kept_stiffness")?.as_chunks().0);
    same("kept_stiffness", stiffness.len(), pairs.len())?;
    let blocks = columns.numbers("kept_block")?.to_vec();
    Ok(Kept { pairs: pairs.to_vec(), stiffness: stiffness.to_vec(), blocks })
}

fn boundaries<S: Recorded>(columns: &Columns) -> Result<Vec<BoundaryState<S>>, String> {
    let pose = columns.poses::<S>("boundary_")?;
    let midpoint = columns.poses::<S>("boundary_middle_")?;
    let velocity = columns.vectors::<S::Vector>("boundary_velocity")?;
    let spin = columns.vectors::<S::Spin>("boundary_spin")?;
    let impulse = columns.vectors::<S::Vector>("boundary_impulse")?;
    let travel = columns.numbers("boundary_travel")?;
    let speed = columns.numbers("boundary_speed")?;
    let removed = columns.bytes("boundary_removed")?;
    for (name, count) in [
        ("boundary_middle_position", midpoint.len()),
        ("boundary_velocity", velocity.len()),
        ("boundary_spin", spin.len()),
        ("boundary_impulse", impulse.len()),
        ("boundary_travel", travel.len()),
        ("boundary_speed", speed.len()),
        ("boundary_removed", removed.len()),
    ] {
        same(name, count, pose.len())?;
    }
    let boundary = |i: usize| BoundaryState {
        pose: pose[i],
        midpoint: midpoint[i],
        velocity: velocity[i],
        spin: spin[i],
        travel: travel[i],
        speed: speed[i],
        removed: removed[i] != 0,
        impulse: impulse[i],
        command: None,
    };
    Ok((0..pose.len()).map(boundary).collect())
}

/// The fields of the ledger as numbers, and back; one that is missing here does not compile.
macro_rules! ledger_fields {
    ($($field:ident),* $(,)?) => {
        fn ledger_numbers(ledger: &Ledger) -> Vec<f64> {
            let Ledger { $($field),* } = *ledger;
            vec![$($field),*]
        }

        fn ledger_from(numbers: &[f64]) -> Option<Ledger> {
            let &[$($field),*] = numbers else { return None };
            Some(Ledger { $($field),* })
        }
    };
}

ledger_fields!(
    kinetic,
    potential,
    elastic,
    external_work,
    boundary_work,
    friction_loss,
    impact_loss,
    recovery_work,
    cohesion_work,
    springs,
    atomisation_work,
    joint_work,
    bonds,
    rupture_loss,
    drag_loss,
    damping_loss,
    scheme_work,
    dissipation_min,
    inserted,
    initial,
    scale,
    closure_max,
    sleep_loss,
    intervention,
);
