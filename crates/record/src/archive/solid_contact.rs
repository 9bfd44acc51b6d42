//! Contacts of deformable solids as arrays.

use super::columns::{Columns, bytes, flags, pairs, same, vectors, whole};
use super::contact::{ContactStatus, by_force};
use super::{Arrays, Recorded};
use drystone_engine::{Partner, SolidContact};

/// What a contact of a solid does, by its force: on Coulomb's cone it slides.
pub fn solid_status<S: Recorded>(contact: &SolidContact<S>) -> ContactStatus {
    by_force(contact.impulse, contact.normal, contact.friction)
}

/// What a solid touches by two numbers: 0 a body, 1 a boundary, 2 a solid, and which.
pub fn partner_numbers(partner: Partner) -> [i64; 2] {
    match partner {
        Partner::Body(index) => [0, i64::from(index)],
        Partner::Boundary(index) => [1, i64::from(index)],
        Partner::Solid(index) => [2, i64::from(index)],
    }
}

fn partner_from([kind, index]: [i64; 2]) -> Option<Partner> {
    let index = u32::try_from(index).ok()?;
    match kind {
        0 => Some(Partner::Body(index)),
        1 => Some(Partner::Boundary(index)),
        2 => Some(Partner::Solid(index)),
        _ => None,
    }
}

/// Pushes nothing where there are no solids.
pub(super) fn encode<S: Recorded>(
    solids: usize,
    contacts: &[SolidContact<S>],
    arrays: &mut dyn Arrays,
) {
    if solids == 0 {
        return;
    }
    let all = contacts.iter();
    arrays.push("solid_contact_solid", whole(all.clone().map(|c| i64::from(c.solid))));
    arrays.push("solid_contact_partner", pairs(all.clone().map(|c| partner_numbers(c.partner))));
    arrays.push("solid_contact_point", vectors(all.clone().map(|c| c.point)));
    arrays.push("solid_contact_normal", vectors(all.clone().map(|c| c.normal)));
    arrays.push("solid_contact_gap", vectors(all.clone().map(|c| c.gap)));
    arrays.push("solid_contact_velocity", vectors(all.clone().map(|c| c.velocity)));
    arrays.push("solid_contact_impulse", vectors(all.clone().map(|c| c.impulse)));
    arrays.push("solid_contact_friction", vectors(all.clone().map(|c| c.friction)));
    arrays.push("solid_contact_bonded", flags(all.clone().map(|c| c.bonded)));
    arrays.push("solid_contact_status", bytes(all.clone().map(|c| solid_status(c) as u8)));
    arrays.push("solid_contact_feature", pairs(all.map(|c| c.feature.map(i64::from))));
}

/// `solids` is how many there are.
pub(super) fn decode<S: Recorded>(
    solids: usize,
    columns: &Columns,
) -> Result<Vec<SolidContact<S>>, String> {
    if solids == 0 {
        return Ok(Vec::new());
    }
    let solid = columns.whole("solid_contact_solid")?;
    let partner = columns.whole("solid_contact_partner")?;
    let point = columns.vectors::<S::Vector>("solid_contact_point")?;
    let normal = columns.vectors::<S::Vector>("solid_contact_normal")?;
    let gap = columns.numbers("solid_contact_gap")?;
    let velocity = columns.vectors::<S::Vector>("solid_contact_velocity")?;
    let impulse = columns.vectors::<S::Vector>("solid_contact_impulse")?;
    let friction = columns.numbers("solid_contact_friction")?;
    let bonded = columns.bytes("solid_contact_bonded")?;
    let feature = columns.whole("solid_contact_feature")?;
    for (name, length) in [
        ("solid_contact_point", point.len()),
        ("solid_contact_normal", normal.len()),
        ("solid_contact_gap", gap.len()),
        ("solid_contact_velocity", velocity.len()),
        ("solid_contact_impulse", impulse.len()),
        ("solid_contact_friction", friction.len()),
        ("solid_contact_bonded", bonded.len()),
    ] {
        same(name, length, solid.len())?;
    }
    same("solid_contact_partner", partner.len(), 2 * solid.len())?;
    same("solid_contact_feature", feature.len(), 2 * solid.len())?;
    let small = |number: i64| u32::try_from(number).map_err(|_| format!("{number} is no index"));
    let contact = |i: usize| {
        let row = [partner[2 * i], partner[2 * i + 1]];
        let partner = partner_from(row).ok_or_else(|| format!("{row:?} is no partner"))?;
        let known = |index: u32| (index as usize) < solids;
        let index = small(solid[i])?;
        if !known(index) || matches!(partner, Partner::Solid(other) if !known(other)) {
            return Err("a contact names a solid that is not there".to_owned());
        }
        Ok(SolidContact {
            solid: index,
            partner,
            point: point[i],
            normal: normal[i],
            gap: gap[i],
            impulse: impulse[i],
            velocity: velocity[i],
            friction: friction[i],
            bonded: bonded[i] != 0,
            feature: [small(feature[2 * i])?, small(feature[2 * i + 1])?],
        })
    };
    (0..solid.len()).map(contact).collect()
}
