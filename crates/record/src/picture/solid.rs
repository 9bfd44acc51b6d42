//! Deformable solids in a picture: facets that are filled with the colours of a stress.

use super::ForceLine;
use crate::archive::{self, Catalogue, Recorded};
use crate::draw::{Colour, signed_colour, speed_colour};
use drystone_fem::StressField;
use drystone_space::{Space, Vector};

/// A deformable solid at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Membrane<S: Space> {
    /// Where the nodes are.
    pub nodes: Vec<S::Vector>,
    /// The stress that colours each node, in Pa.
    pub stress: Vec<f64>,
    /// Outlines of elements in the plane, of facets of the surface in space, by nodes in order.
    pub faces: Vec<Vec<u32>>,
}

/// Where a stress is on a scale that ends at `top`, and from there the colour.
pub(super) fn stress_colour(field: StressField, value: f64, top: f64) -> Colour {
    match field.signed() {
        true => signed_colour(0.5 + 0.5 * value / top),
        false => speed_colour(value / top),
    }
}

/// All solids of a moment, coloured by a stress.
pub(super) fn membranes<S: Recorded>(
    moment: &archive::Frame<S>,
    catalogue: &Catalogue<S>,
    field: StressField,
) -> Vec<Membrane<S>> {
    let solids = moment.solids.iter().zip(&catalogue.solids);
    let membrane = solids.map(|(solid, entry)| Membrane {
        nodes: solid.positions.clone(),
        stress: solid.stresses.iter().map(|stress| field.of(stress)).collect(),
        faces: entry.faces.clone(),
    });
    membrane.collect()
}

/// The forces on solids: short lines into the solid, along the force.
pub(super) fn solid_forces<S: Recorded>(
    moment: &archive::Frame<S>,
    catalogue: &Catalogue<S>,
    time_step: f64,
) -> impl Iterator<Item = ForceLine<S>> {
    moment.solid_contacts.iter().filter_map(move |contact| {
        let impulse = contact.impulse.norm();
        // Written so that an impulse that is no number is left out too.
        if !(impulse > 0.0 && impulse.is_finite()) {
            return None;
        }
        let edge = catalogue.solids.get(contact.solid as usize)?.edge;
        Some(ForceLine {
            first: contact.point + contact.impulse * (edge / impulse),
            point: contact.point,
            second: contact.point,
            force: impulse / time_step,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_symmetric() {
        let colour = |value| stress_colour(StressField::Shear, value, 2.0);
        assert_eq!(colour(0.0), signed_colour(0.5));
        assert_eq!(colour(-2.0), signed_colour(0.0));
        assert_eq!(stress_colour(StressField::VonMises, 1.0, 2.0), speed_colour(0.5));
    }
}
