//! What contacts of bodies and contacts of solids have in common.

use crate::archive::{ContactFrame, ContactStatus, Recorded, solid_status, status};
use drystone_engine::SolidContact;
use drystone_space::{Frame as _, Local, Vector};

/// A contact with its force.
pub(super) struct Pressed<S: Recorded> {
    pub point: S::Vector,
    pub normal: S::Vector,
    pub force: S::Vector,
    pub velocity: S::Vector,
    pub gap: f64,
    pub status: ContactStatus,
}

impl<S: Recorded> Pressed<S> {
    pub fn bodies(frame: &ContactFrame<S>, time_step: f64) -> Self {
        let contact = &frame.contact;
        Self {
            point: contact.point,
            normal: contact.normal,
            force: contact.impulse / time_step,
            velocity: frame.velocity,
            gap: contact.gap,
            status: status(frame),
        }
    }

    pub fn solid(contact: &SolidContact<S>, time_step: f64) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            force: contact.impulse / time_step,
            velocity: contact.velocity,
            gap: contact.gap,
            status: solid_status(contact),
        }
    }

    /// A vector along the normal and across it.
    pub fn parts(&self, vector: S::Vector) -> [f64; 2] {
        let local = S::Frame::from_normal(self.normal).to_local(vector);
        [local.normal(), local.tangent().norm()]
    }
}
