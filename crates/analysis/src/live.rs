//! Samples of a world that is being computed.

use crate::{Grain, Sample, SampleCell, SampleContact, SampleSide};
use drystone_engine::{CellState, Dimension, Owner, World};
use drystone_space::{Vector, math};
use std::f64::consts::PI;

/// A tangential force above this part of the cone's is on it.
const ON_THE_CONE: f64 = 1.0 - 1e-3;

impl<S: Dimension> Sample<S> {
    /// The bodies of a world, and the contacts of its last step.
    pub fn of_world(world: &World<S>) -> Self {
        let grains = world.bodies().iter().map(|body| {
            let solids = body.parts.iter().filter_map(|part| S::solid(&part.shape));
            let measure = solids.map(|solid| solid.measure).sum::<f64>();
            Grain {
                position: body.pose.position,
                radius: round_radius(S::DIMENSION, measure),
                measure,
                mass: body.mass,
                birth: body.born,
                velocity: body.velocity,
            }
        });
        let contacts = world.every_contact();
        let contacts = contacts.iter().map(|c| (c, world.contact_friction(c)));
        Self::gather(world.time(), grains, contacts, world.setup().time_step, world.cell())
    }

    /// Grains, and the contacts of a step of length `time_step` with their coefficients of friction, in a periodic cell if one is
    /// given.
    pub fn gather<'a>(
        time: f64,
        grains: impl Iterator<Item = Grain<S>>,
        contacts: impl Iterator<Item = (&'a drystone_engine::Contact<S>, f64)>,
        time_step: f64,
        cell: Option<&CellState<S>>,
    ) -> Self {
        let grains: Vec<Grain<S>> = grains.collect();
        let cell = cell.map(|cell| SampleCell { lattice: cell.lattice, strain: cell.strain });
        // Since the contact was found bodies may have gone through faces.
        let beside = |point: S::Vector, place: S::Vector| {
            cell.map_or(point, |cell| place + cell.lattice.nearest(point - place))
        };
        let side = |owner: Owner| match owner {
            Owner::Body(index) => SampleSide::Grain(index),
            Owner::Boundary(index) => SampleSide::Boundary(index),
        };
        let contacts = contacts.map(|(contact, friction)| {
            let force = contact.impulse / time_step;
            let (first, second) = (side(contact.first), side(contact.second));
            let place = |side: SampleSide| side.grain().map(|index| grains[index].position);
            let point = place(first).map_or(contact.point, |at| beside(contact.point, at));
            let shift = place(second).map_or(S::Vector::ZERO, |at| beside(at, point) - at);
            SampleContact {
                first,
                second,
                point,
                normal: contact.normal,
                force,
                friction,
                sliding: is_sliding(force, contact.normal, friction),
                gap: contact.gap,
                shift,
            }
        });
        let contacts = contacts.collect();
        Self { time, grains, contacts, cell }
    }
}

/// Radius of the disk or ball of a measure.
pub fn round_radius(dimension: usize, measure: f64) -> f64 {
    if dimension == 2 { (measure / PI).sqrt() } else { math::cbrt(0.75 * measure / PI) }
}

/// Whether a force is on the friction cone, within a thousandth.
fn is_sliding<V: Vector>(force: V, normal: V, friction: f64) -> bool {
    let along = force.dot(normal);
    let tangent = (force - normal * along).norm();
    along > 0.0 && tangent >= ON_THE_CONE * friction * along
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::DVec2;

    #[test]
    fn radii_of_equal_measure() {
        assert!((round_radius(2, PI * 0.09) - 0.3).abs() < 1e-15);
        assert!((round_radius(3, 4.0 / 3.0 * PI * 0.027) - 0.3).abs() < 1e-15);
    }

    #[test]
    fn a_force_slides_on_its_cone() {
        assert!(is_sliding(DVec2::new(0.5, 1.0), DVec2::Y, 0.5));
        assert!(!is_sliding(DVec2::new(0.4, 1.0), DVec2::Y, 0.5));
        assert!(!is_sliding(DVec2::ZERO, DVec2::Y, 0.5));
    }
}
