//! Deformable solids in a picture: facets that are filled with the colours of a stress.

use crate::draw::{Colour, signed_colour, speed_colour};
use drystone_engine::{Dimension, World};
use drystone_fem::StressField;
use drystone_space::Space;

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

/// All solids of a world as they are now.
pub(super) fn membranes<S: Dimension>(world: &World<S>, field: StressField) -> Vec<Membrane<S>> {
    let membrane = |solid: &drystone_fem::Solid<S>| {
        let mesh = solid.model().mesh();
        let faces = if S::DIMENSION == 3 {
            solid.model().surface().facets().iter().map(|f| f.nodes().to_vec()).collect()
        } else {
            (0..mesh.elements()).map(|element| outline(mesh.element(element))).collect()
        };
        Membrane {
            nodes: solid.positions().to_vec(),
            stress: solid.stresses().iter().map(|stress| field.of(stress)).collect(),
            faces,
        }
    };
    world.solids().iter().map(membrane).collect()
}

/// The nodes around an element of the plane, middles between corners.
fn outline((kind, nodes): (drystone_fem::ElementKind, &[u32])) -> Vec<u32> {
    let mut around = Vec::with_capacity(nodes.len());
    for side in kind.sides() {
        around.push(nodes[usize::from(side[0])]);
        if let Some(&middle) = side.get(2) {
            around.push(nodes[usize::from(middle)]);
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_fem::ElementKind;

    #[test]
    fn outlines_go_around_and_scales_are_symmetric() {
        let nodes = [10, 11, 12, 13, 14, 15];
        assert_eq!(outline((ElementKind::Triangle6, &nodes)), [10, 13, 11, 14, 12, 15]);
        let colour = |value| stress_colour(StressField::Shear, value, 2.0);
        assert_eq!(colour(0.0), signed_colour(0.5));
        assert_eq!(colour(-2.0), signed_colour(0.0));
        assert_eq!(stress_colour(StressField::VonMises, 1.0, 2.0), speed_colour(0.5));
    }
}
