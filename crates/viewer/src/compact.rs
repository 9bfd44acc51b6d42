//! A frame as the page reads it: one block of little-endian numbers.
//!
//! Four whole numbers (bodies, boundaries, contacts, step), the time as `f64`, then columns of `f32`,
//! one after the other: position, rotation (angle, or quaternion x y z w), velocity, spin and birth of
//! the bodies; position, rotation and presence of the boundaries; point, force, gap and mobilised friction of the contacts;
//! then `i32` for the two sides of each contact (−1 − i is boundary i), and bytes for its status, filled
//! up to a multiple of four. Then the deformable solids: two whole numbers (nodes, contacts), columns of
//! `f32` (position, speed, von Mises' stress and shear stress of the nodes; point and force of the
//! contacts), and `i32` for the solid of each contact. Then the bonds that are seen: a whole number, and columns of `f32` (place,
//! normal, area, damage, opening). At last a byte for each joint, 1 where it is broken. Seven digits are enough for a picture, at half
//! the size.

use drystone_record::archive::{BondFrame, ContactFrame, Frame, Recorded, owner_number, status};
use drystone_space::Vector;

/// A rotation as the page reads it.
pub(crate) fn rotation<S: Recorded>(rotation: S::Rotation) -> Vec<f32> {
    let mut numbers: Vec<f32> = S::rotation(rotation).map(|x| x as f32).collect();
    // A quaternion is recorded with its scalar first; graphics has it last.
    if numbers.len() == 4 {
        numbers.rotate_left(1);
    }
    numbers
}

/// Components of a vector.
pub(crate) fn components<V: Vector>(vector: V) -> impl Iterator<Item = f32> {
    (0..V::LENGTH).map(move |i| vector.get(i) as f32)
}

/// The block of a frame, of a run with steps of this length.
pub fn block<S: Recorded>(frame: &Frame<S>, time_step: f64) -> Vec<u8> {
    let (bodies, boundaries) = (&frame.bodies, &frame.boundaries);
    let contacts: Vec<_> = frame.contacts.iter().map(|c| &c.contact).collect();
    let mut bytes = Vec::new();
    for count in [bodies.len(), boundaries.len(), contacts.len(), frame.step as usize] {
        bytes.extend((count as u32).to_le_bytes());
    }
    bytes.extend(frame.time.to_le_bytes());
    let mut column = |values: &mut dyn Iterator<Item = f32>| {
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    column(&mut bodies.iter().flat_map(|b| components(b.pose.position)));
    column(&mut bodies.iter().flat_map(|b| rotation::<S>(b.pose.rotation)));
    column(&mut bodies.iter().flat_map(|b| components(b.velocity)));
    column(&mut bodies.iter().flat_map(|b| components(b.spin)));
    column(&mut bodies.iter().map(|b| b.birth as f32));
    column(&mut boundaries.iter().flat_map(|b| components(b.pose.position)));
    column(&mut boundaries.iter().flat_map(|b| rotation::<S>(b.pose.rotation)));
    column(&mut boundaries.iter().map(|b| f32::from(u8::from(b.present))));
    column(&mut contacts.iter().flat_map(|c| components(c.point)));
    column(&mut contacts.iter().flat_map(|c| components(c.impulse / time_step)));
    column(&mut contacts.iter().map(|c| c.gap as f32));
    column(&mut frame.contacts.iter().map(|c| mobilised(c) as f32));
    for side in [
        contacts.iter().map(|c| c.first).collect::<Vec<_>>(),
        contacts.iter().map(|c| c.second).collect(),
    ] {
        side.into_iter().for_each(|owner| bytes.extend((owner_number(owner) as i32).to_le_bytes()));
    }
    bytes.extend(frame.contacts.iter().map(|c| status(c) as u8));
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    solids(frame, time_step, &mut bytes);
    bonds(frame, &mut bytes);
    bytes.extend(frame.broken.iter().map(|&broken| u8::from(broken)));
    bytes
}

/// The share of what friction can bear that a contact makes use of.
fn mobilised<S: Recorded>(frame: &ContactFrame<S>) -> f64 {
    let (impulse, normal) = (frame.contact.impulse, frame.contact.normal);
    let along = impulse.dot(normal);
    let bound = frame.friction * along;
    if bound > 0.0 { ((impulse - normal * along).norm() / bound).min(1.0) } else { 0.0 }
}

fn solids<S: Recorded>(frame: &Frame<S>, time_step: f64, bytes: &mut Vec<u8>) {
    let (solids, contacts) = (&frame.solids, &frame.solid_contacts);
    let nodes: usize = solids.iter().map(|solid| solid.positions.len()).sum();
    for count in [nodes, contacts.len()] {
        bytes.extend((count as u32).to_le_bytes());
    }
    let mut column = |values: &mut dyn Iterator<Item = f32>| {
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    let stresses = || solids.iter().flat_map(|solid| &solid.stresses);
    column(&mut solids.iter().flat_map(|s| &s.positions).flat_map(|&x| components(x)));
    column(&mut solids.iter().flat_map(|s| &s.velocities).map(|v| v.norm() as f32));
    column(&mut stresses().map(|stress| stress.von_mises() as f32));
    column(&mut stresses().map(|stress| stress.shear() as f32));
    column(&mut contacts.iter().flat_map(|c| components(c.point)));
    column(&mut contacts.iter().flat_map(|c| components(c.impulse / time_step)));
    contacts.iter().for_each(|c| bytes.extend((c.solid as i32).to_le_bytes()));
}

fn bonds<S: Recorded>(frame: &Frame<S>, bytes: &mut Vec<u8>) {
    let bonds: Vec<&BondFrame<S>> = frame.bonds.iter().filter(|bond| bond.is_near()).collect();
    bytes.extend((bonds.len() as u32).to_le_bytes());
    let mut column = |values: &mut dyn Iterator<Item = f32>| {
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    column(&mut bonds.iter().flat_map(|b| components(b.place)));
    column(&mut bonds.iter().flat_map(|b| components(b.normal)));
    column(&mut bonds.iter().map(|b| b.bond.area as f32));
    column(&mut bonds.iter().map(|b| b.bond.damage as f32));
    column(&mut bonds.iter().map(|b| b.opening() as f32));
}
