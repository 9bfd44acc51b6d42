//! Robots from descriptions: links in a tree of joints, read from URDF ([`urdf`]) or MJCF ([`mjcf`]).
//!
//! A description is in SI units. Its parts have axes of their own: those of a link, in which its shapes and its mass are given.
//! Links that a description fixes to each other become one, and links that it fixes to the world become boundaries.

mod geometry;
mod mjcf;
mod urdf;
mod xml;

use crate::report::{Problems, Source, Span};
use drystone_detect::volume::VolumeShape;
use drystone_engine::MassProperties;
use drystone_space::{DVec3, Inertia, Pose, Rotation, Volume};

/// What a joint lets a link do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    Fixed,
    Hinge,
    Slider,
    Ball,
    /// Displacements across the axis and a turn about it.
    Planar,
    Free,
}

/// How a link is joined to its parent, or to the world.
#[derive(Clone, Debug)]
pub(crate) struct LinkJoint {
    pub name: String,
    pub span: Span,
    pub motion: Motion,
    /// Where the link's axes are in those of its parent, while the joint is at zero.
    pub place: Pose<Volume>,
    /// Point and axis, in the link's axes.
    pub point: DVec3,
    pub axis: DVec3,
    pub limit: Option<[f64; 2]>,
    /// The largest force or couple of its motor, if it has one.
    pub motor: Option<f64>,
    /// A friction force or couple that is always there.
    pub friction: f64,
    pub damping: f64,
    pub stiffness: f64,
    /// Coordinate at which its spring is without force.
    pub rest: f64,
    /// Coordinate at the start, where none is told.
    pub start: f64,
}

impl LinkJoint {
    /// A joint that has nothing but its motion.
    pub fn new(name: &str, span: Span, motion: Motion, place: Pose<Volume>) -> Self {
        Self {
            name: name.to_owned(),
            span,
            motion,
            place,
            point: DVec3::ZERO,
            axis: DVec3::Z,
            limit: None,
            motor: None,
            friction: 0.0,
            damping: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            start: 0.0,
        }
    }

    /// Where the link's axes are in those of its parent, while the joint is at this coordinate.
    pub fn parent_from_link(&self, at: f64) -> Pose<Volume> {
        let moved = match self.motion {
            Motion::Hinge | Motion::Planar => {
                let turn = <Volume as drystone_space::Space>::Rotation::exponential(self.axis * at);
                Pose::new(self.point - Rotation::<Volume>::apply(turn, self.point), turn)
            }
            Motion::Slider => Pose::at(self.axis * at),
            Motion::Fixed | Motion::Ball | Motion::Free => Pose::IDENTITY,
        };
        self.place.compose(&moved)
    }
}

/// A shape of a link.
#[derive(Clone, Debug)]
pub(crate) struct LinkShape {
    pub shape: VolumeShape,
    /// Where it is in the link's axes.
    pub place: Pose<Volume>,
}

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub name: String,
    pub span: Span,
    /// In the link's axes.
    pub mass: Option<MassProperties<Volume>>,
    /// The shapes that touch others.
    pub shapes: Vec<LinkShape>,
    /// Number of the link that carries it; it comes before.
    pub parent: Option<usize>,
    pub joint: LinkJoint,
    /// Names of links that have become part of it.
    pub others: Vec<String>,
}

/// A description.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub name: String,
    pub links: Vec<Link>,
}

/// The vertices of the mesh in a file, or why there are none.
type Vertices<'a> = dyn Fn(&[String]) -> Result<Vec<DVec3>, String> + 'a;

/// What reading a description depends on besides its text.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// Whether the first link of URDF is held by the ground.
    pub fixed: bool,
    /// The vertices of the mesh in a file, by names that it may have; the first that is there.
    pub mesh: &'a Vertices<'a>,
}

/// Reads a description. `None` after an error; warnings are reported too.
pub(crate) fn read(
    text: &str,
    source: Source,
    reading: Reading<'_>,
    problems: &mut Problems,
) -> Option<Model> {
    let before = problems.errors();
    let model = xml::parse(text, &source, problems).and_then(|document| {
        let xml = xml::Xml::new(source, problems);
        match document.root_element().tag_name().name() {
            "robot" => urdf::read(&document, xml, reading),
            "mujoco" => mjcf::read(&document, xml, reading),
            other => {
                xml.foreign(document.root_element(), other);
                None
            }
        }
    });
    model.filter(|_| problems.errors() == before).map(Model::merged)
}

impl Model {
    /// Links that are fixed to others become part of these.
    fn merged(self) -> Self {
        let mut links: Vec<Link> = Vec::new();
        // What each link is part of, and where its axes are there.
        let mut places: Vec<(usize, Pose<Volume>)> = Vec::new();
        for mut link in self.links {
            if let Some((parent, outer)) = link.parent.map(|parent| places[parent]) {
                link.parent = Some(parent);
                link.joint.place = outer.compose(&link.joint.place);
                if link.joint.motion == Motion::Fixed {
                    let place = link.joint.place;
                    places.push((parent, place));
                    links[parent].absorb(link, &place);
                    continue;
                }
            }
            places.push((links.len(), Pose::IDENTITY));
            links.push(link);
        }
        Self { name: self.name, links }
    }
}

impl Link {
    /// Takes another link for a part of itself.
    fn absorb(&mut self, other: Link, place: &Pose<Volume>) {
        let moved = other.shapes.into_iter();
        self.shapes.extend(
            moved.map(|shape| LinkShape { place: place.compose(&shape.place), shape: shape.shape }),
        );
        let moved = other.mass.map(|mass| MassProperties {
            mass: mass.mass,
            centre: place.point(mass.centre),
            inertia: mass.inertia.turned(place.rotation),
        });
        self.mass = match (self.mass, moved) {
            (Some(own), Some(more)) => Some(together(&own, &more)),
            (own, more) => own.or(more),
        };
        self.others.push(other.name);
        self.others.extend(other.others);
    }
}

/// Two masses in the same axes as one.
fn together(
    first: &MassProperties<Volume>,
    second: &MassProperties<Volume>,
) -> MassProperties<Volume> {
    let mass = first.mass + second.mass;
    let centre = (first.centre * first.mass + second.centre * second.mass) / mass;
    let mut inertia = first.inertia.add(second.inertia, 1.0);
    for part in [first, second] {
        inertia =
            inertia.add(drystone_space::Symmetric3::of_point(part.centre - centre), part.mass);
    }
    MassProperties { mass, centre, inertia }
}
