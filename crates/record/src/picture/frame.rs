//! What a picture shows, free of the world that it was taken from.

use super::solid::{Membrane, membranes, solid_forces};
use super::{StressField, cell};
use crate::archive::{self, Catalogue, Recorded, speed};
use crate::draw::Colour;
use drystone_detect::Geometry;
use drystone_engine::Owner;
use drystone_space::{Pose, Vector};

/// A placed shape with the speed that colours it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<S: Geometry> {
    /// The shape in its own axes.
    pub shape: S::Shape,
    /// `world_from_shape`.
    pub pose: Pose<S>,
    /// Root mean square of the speeds of the body's points, spin included: √(2 · energy / mass).
    /// For a boundary, the speed of its origin.
    pub speed: f64,
}

/// A contact force and the line that shows it.
///
/// The line runs through the contact: to the centre of a round body, so that the lines of its
/// contacts meet; into any other body along the force, where it is the line of thrust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceLine<S: Geometry> {
    /// End of the line in the first body.
    pub first: S::Vector,
    /// Where they touch.
    pub point: S::Vector,
    /// End of the line in the second body.
    pub second: S::Vector,
    /// Size of the force, in newtons.
    pub force: f64,
}

/// A bond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondMark<S: Geometry> {
    /// Where it is.
    pub place: S::Vector,
    /// Unit normal of the faces that it holds together.
    pub normal: S::Vector,
    /// Its share of their area.
    pub size: f64,
    /// 0 is whole, 1 is broken.
    pub damage: f64,
}

impl<S: Recorded> BondMark<S> {
    /// None where a crack is seen without a mark.
    fn of(frame: &archive::BondFrame<S>) -> Option<Self> {
        let &archive::BondFrame { bond, place, normal, .. } = frame;
        frame.is_near().then_some(Self { place, normal, size: bond.area, damage: bond.damage })
    }
}

impl<S: Geometry> BondMark<S> {
    /// Green while it is whole, from yellow to orange as it is damaged, red where it is broken.
    pub(super) fn colour(&self) -> Colour {
        match self.damage {
            d if d <= 0.0 => Colour::rgb(0x2f_7d_4f),
            d if d >= 1.0 => Colour::FORCE,
            d => Colour::rgb(0xe8_b0_20).mixed(Colour::rgb(0xe0_62_10), d),
        }
    }
}

/// The scene at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureFrame<S: Geometry> {
    /// Stands above the picture.
    pub title: String,
    /// Time in seconds, since the start of the phase where there are any.
    pub time: f64,
    /// The shapes of all bodies.
    pub bodies: Vec<Figure<S>>,
    /// The shapes of all boundaries that are there.
    pub boundaries: Vec<Figure<S>>,
    /// The contact forces of the last step.
    pub forces: Vec<ForceLine<S>>,
    /// Bonds, broken ones too.
    pub bonds: Vec<BondMark<S>>,
    /// Deformable solids.
    pub solids: Vec<Membrane<S>>,
    /// Edges of the periodic cell.
    pub edges: Vec<[S::Vector; 2]>,
    /// Images of bodies that reach into the cell over its faces.
    pub ghosts: Vec<Figure<S>>,
}

impl<S: Recorded> PictureFrame<S> {
    /// A moment of a run as it was recorded; `stress` colours the solids.
    pub fn recorded(
        moment: &archive::Frame<S>,
        catalogue: &Catalogue<S>,
        title: &str,
        time_step: f64,
        stress: StressField,
    ) -> Self {
        let bodies = moment.bodies.iter().zip(&catalogue.bodies).flat_map(|(body, entry)| {
            let speed = speed(body, entry.mass, entry.moments);
            entry.parts.iter().map(move |part| Figure {
                shape: part.shape.clone(),
                pose: body.pose.compose(&part.pose()),
                speed,
            })
        });
        let boundaries = moment.boundaries.iter().zip(&catalogue.boundaries);
        let boundaries = boundaries.filter(|(boundary, _)| boundary.present);
        let boundaries = boundaries.flat_map(|(boundary, entry)| {
            entry.parts.iter().map(|part| Figure {
                shape: part.shape.clone(),
                pose: boundary.pose.compose(&part.pose()),
                speed: boundary.velocity.norm(),
            })
        });
        let bodies: Vec<Figure<S>> = bodies.collect();
        let cell = moment.cell.as_ref();
        Self {
            title: title.to_owned(),
            time: moment.time,
            edges: cell.map_or(Vec::new(), cell::outline),
            ghosts: cell.map_or(Vec::new(), |cell| cell::ghosts(cell, &bodies)),
            bodies,
            boundaries: boundaries.collect(),
            forces: forces(moment, catalogue, time_step)
                .into_iter()
                .chain(solid_forces(moment, catalogue, time_step))
                .collect(),
            bonds: moment.bonds.iter().filter_map(BondMark::of).collect(),
            solids: membranes(moment, catalogue, stress),
        }
    }
}

fn forces<S: Recorded>(
    moment: &archive::Frame<S>,
    catalogue: &Catalogue<S>,
    time_step: f64,
) -> Vec<ForceLine<S>> {
    let end = |owner: Owner, point: S::Vector, inward: S::Vector| match owner {
        Owner::Body(index) => match catalogue.bodies[index as usize].parts.as_slice() {
            [part] if S::is_round(&part.shape) => moment.bodies[index as usize].pose.position,
            parts => {
                let width = parts.iter().map(|p| S::width(&p.shape)).fold(f64::MAX, f64::min);
                point + inward * (0.5 * width)
            }
        },
        Owner::Boundary(_) => point,
    };
    let line = |contact: &drystone_engine::Contact<S>| {
        let impulse = contact.impulse.norm();
        // Written so that an impulse that is no number is left out too.
        if !(impulse > 0.0 && impulse.is_finite()) {
            return None;
        }
        let inward = contact.impulse / impulse;
        let line = ForceLine {
            first: end(contact.first, contact.point, inward),
            point: contact.point,
            second: end(contact.second, contact.point, -inward),
            force: impulse / time_step,
        };
        Some(cell::joined(moment.cell.as_ref(), line))
    };
    moment.contacts.iter().map(|c| &c.contact).filter_map(line).collect()
}
