//! Whether joints can be had in a setup.

use super::{DriveLaw, Freedom, Joint, JointCoordinates, JointFriction, JointKind, JointSide};
use crate::{Dimension, MaterialId, Owner, Setup, SetupError};
use drystone_solve::Resistance;
use drystone_space::Vector;
use std::collections::BTreeSet;

fn refuse(name: String, why: impl Into<String>) -> SetupError {
    SetupError::Joint { name, why: why.into() }
}

/// Refuses joints that cannot be had.
pub(crate) fn check_joints<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    for (number, joint) in setup.joints.iter().enumerate() {
        let name = joint.label(number);
        let [first, second] = joint.sides.map(|side| side.owner);
        let is_body = |side: &JointSide<S>| matches!(side.owner, Some(Owner::Body(_)));
        for side in &joint.sides {
            check_side(setup, side).map_err(|why| refuse(name.clone(), why))?;
        }
        if first == second {
            return Err(refuse(name, "joins a thing to itself"));
        }
        if !joint.sides.iter().any(is_body) {
            return Err(refuse(name, "joins no body"));
        }
        if S::DIMENSION == 2 && !joint.kind.in_plane() {
            return Err(refuse(name, "there is no such joint in the plane"));
        }
        let reduced = joint.coordinates == JointCoordinates::Reduced;
        if reduced && joint.kind.coordinates(S::DIMENSION).is_none() {
            let why =
                format!("a {} leaves no coordinates in which bodies can be put", joint.kind.name());
            return Err(SetupError::Coordinates { name, index: number, why });
        }
        if let JointKind::Rod { length } = joint.kind {
            let good = length > 0.0 && length.is_finite();
            if !good {
                return Err(refuse(name, "a rod must have a length"));
            }
        }
        if let Some(why) = bad_measure(joint.kind) {
            return Err(refuse(name, why));
        }
        check_equipment(setup, joint).map_err(|why| refuse(name.clone(), why))?;
        if let Some(super::JointLimit { low, high, restitution }) = joint.limit {
            let good = low <= high && (0.0..=1.0).contains(&restitution);
            if !good {
                return Err(refuse(name, "its limits must rise, and restitution be from 0 to 1"));
            }
        }
    }
    check_laws(setup)
}

/// What is wrong with the numbers of a kind.
fn bad_measure(kind: JointKind) -> Option<&'static str> {
    let turns = |x: f64| x != 0.0 && x.is_finite();
    let (good, why) = match kind {
        JointKind::Rope { length } => {
            (length >= 0.0 && length.is_finite(), "a rope must have a length")
        }
        JointKind::Pulley { ratio, length } => (
            length >= 0.0 && length.is_finite() && ratio > 0.0 && ratio.is_finite(),
            "the rope of a pulley must have a length, and a ratio above zero",
        ),
        JointKind::Screw { pitch } => (turns(pitch), "a screw must have a pitch"),
        JointKind::Rack { radius } => (turns(radius), "the wheel on a rack must have a radius"),
        JointKind::Gear { radii: [first, second], pitch } => (
            turns(first) && turns(second) && first.max(second) > 0.0 && pitch > 0.0,
            "gears must have radii and teeth, and one of them its teeth outside",
        ),
        _ => return None,
    };
    (!good).then_some(why)
}

/// Friction, springs, motors and strength.
fn check_equipment<S: Dimension>(setup: &Setup<S>, joint: &Joint<S>) -> Result<(), String> {
    let kind = joint.kind.name();
    let positive = |x: f64| x >= 0.0 && x.is_finite();
    if let Some(friction) = joint.friction {
        if !joint.kind.has_friction() {
            return Err(format!("a {kind} joint has no friction"));
        }
        if !setup.solids.is_empty() {
            return Err("friction in joints cannot be had beside deformable solids".into());
        }
        let JointFriction { coefficient, radius, length, least } = friction;
        if ![coefficient, radius, length, least].into_iter().all(positive) {
            return Err("its friction must be of numbers from zero on".into());
        }
    }
    if joint.limit.is_some() && joint.kind.freedoms().is_empty() {
        return Err(format!("a {kind} joint has no coordinate to be bounded"));
    }
    if let Some(ratchet) = joint.ratchet {
        let goes = matches!(joint.kind.freedoms().first(), Some(Freedom::Angle | Freedom::Travel));
        if !goes || joint.kind == JointKind::Universal {
            return Err(format!("a {kind} joint has no ratchet"));
        }
        if !(positive(ratchet.pitch) && (0.0..=1.0).contains(&ratchet.restitution)) {
            return Err("the pitch of its ratchet must be a number from zero on".into());
        }
    }
    for drive in &joint.drives {
        let turning_spring = joint.kind == JointKind::Spring && drive.freedom == Freedom::Angle;
        let missing = drive.freedom == Freedom::Swing || turning_spring && S::DIMENSION == 3;
        if !joint.kind.freedoms().contains(&drive.freedom) || missing {
            return Err(format!("a {kind} joint has no such coordinate to be driven"));
        }
        let simple = match &drive.law {
            DriveLaw::Spring(spring) => !spring.has_tables() && spring.rest == 0.0,
            DriveLaw::Motor { .. } => false,
        };
        if drive.freedom.is_vector() && !simple {
            let why = "what has a direction has springs in proportion to it, and no motors";
            return Err(why.into());
        }
        let good = match &drive.law {
            DriveLaw::Spring(spring) => {
                let any = spring.stiffness + spring.damping > 0.0 || spring.has_tables();
                any && spring.is_sound()
            }
            DriveLaw::Motor { most, .. } => *most >= 0.0,
        };
        if !good {
            return Err("its springs and motors must be of numbers from zero on".into());
        }
    }
    let bears = |s: super::JointStrength| s.force > 0.0 && s.torque > 0.0;
    if !joint.strength.is_none_or(bears) {
        return Err("what it can bear must be more than nothing".into());
    }
    Ok(())
}

fn check_side<S: Dimension>(setup: &Setup<S>, side: &JointSide<S>) -> Result<(), String> {
    if !side.frame.position.finite() {
        return Err("its point is not finite".into());
    }
    check_owner(setup, side.owner)
}

/// Whether something can be fixed to a body or boundary: a boundary that moves as it does in any case, and stays.
pub(crate) fn check_owner<S: Dimension>(
    setup: &Setup<S>,
    owner: Option<Owner>,
) -> Result<(), String> {
    match owner {
        None => Ok(()),
        Some(Owner::Body(index)) if (index as usize) < setup.bodies.len() => Ok(()),
        Some(Owner::Body(index)) => {
            Err(format!("names body {index}, but there are {}", setup.bodies.len()))
        }
        Some(Owner::Boundary(index)) => {
            let Some(boundary) = setup.boundaries.get(index as usize) else {
                return Err(format!(
                    "names boundary {index}, but there are {}",
                    setup.boundaries.len()
                ));
            };
            if setup.is_loaded(index as usize) {
                return Err(format!("boundary `{}` moves under a load", boundary.name));
            }
            let removed = |phase: &crate::Phase| phase.remove.contains(&(index as usize));
            if boundary.removal.is_finite() || setup.phases.iter().any(removed) {
                return Err(format!("boundary `{}` vanishes during the run", boundary.name));
            }
            Ok(())
        }
    }
}

/// The material of a body with joints whose law with another material cannot be had, and that other one: rolling resistance acts on
/// single bodies, and not through joints.
pub fn unfit_for_joints<S: Dimension>(setup: &Setup<S>) -> Option<(MaterialId, MaterialId)> {
    let owners = setup.joints.iter().flat_map(|joint| joint.sides.map(|side| side.owner));
    let joined: BTreeSet<u32> = owners
        .filter_map(|owner| match owner {
            Some(Owner::Body(index)) => Some(index),
            _ => None,
        })
        .collect();
    let parts = joined.iter().filter_map(|&index| setup.bodies.get(index as usize));
    let materials: BTreeSet<u32> =
        parts.flat_map(|body| body.parts.iter().map(|part| part.material.0)).collect();
    let all = 0..setup.laws.materials() as u32;
    let pairs = materials.into_iter().flat_map(|own| all.clone().map(move |other| (own, other)));
    let mut pairs = pairs.map(|(own, other)| (MaterialId(own), MaterialId(other)));
    pairs.find(|&(own, other)| {
        let law = setup.laws.get(own, other);
        law.moreau().is_some_and(|law| law.resistance != Resistance::default())
    })
}

fn check_laws<S: Dimension>(setup: &Setup<S>) -> Result<(), SetupError> {
    match unfit_for_joints(setup) {
        Some((MaterialId(first), MaterialId(second))) => {
            Err(SetupError::UnfitForJoints { first, second })
        }
        None => Ok(()),
    }
}
