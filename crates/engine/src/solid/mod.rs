//! Deformable solids in a world: what they are made from, and the parts of a step that they need.
//!
//! A step with solids goes as any other, at the same midpoint. Contacts of solids are looked for
//! with the nodes at x + h(1−θ)v. They, and the contacts of bodies that are joined to them, form a part of
//! the step's contact problem that is solved by itself, in which the surfaces of solids are compliant groups.
//! Nonlinear materials repeat this as Newton's iteration (Feng et al. 2006, §2).

mod contact;
mod find;
mod law;
mod part;
mod quasi_static;
mod step;

pub use contact::{Partner, SolidContact};
pub(crate) use law::check_laws;
pub use law::{Unfit, unfit_law};
pub use quasi_static::unfit_for_quasi_static;
pub(crate) use step::SolidWork;

use crate::{MaterialId, Signal};
use drystone_detect::Geometry;
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::VolumeShape;
use drystone_fem::touch::{Facets, Line, Meeting, Placed, Reach, Search};
use drystone_fem::{Damping, Elastic, MassKind, Mesh, Newton, Scheme, Section};
use drystone_solve::AssembledMethod;
use drystone_space::{DVec2, DVec3, Plane, Space, Volume};

/// How the surfaces of two solids are tried against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// The nodes of each on the facets of the other.
    #[default]
    Nodes,
    /// Segment on segment; in space the same as `Nodes`.
    Segments,
}

/// Nodes whose velocity is given along some axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Imposed<S: Space> {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// Which axes are held.
    pub axes: Vec<bool>,
    /// Their velocity.
    pub velocity: S::Vector,
    /// Multiplies the velocity.
    pub factor: Signal,
}

/// A force per area at rest on all sides of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Traction<S: Space> {
    /// Name of the group.
    pub group: String,
    /// The force per area.
    pub traction: S::Vector,
    /// Multiplies it.
    pub factor: Signal,
}

/// What a deformable solid is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidSetup<S: Space> {
    /// Name in the scene.
    pub name: String,
    /// The mesh, where it is at the start.
    pub mesh: Mesh<S>,
    /// What it is made of, as an elastic material.
    pub elastic: Elastic,
    /// What it is made of, as to the law of its contacts.
    pub material: MaterialId,
    /// Section of a mesh in the plane.
    pub section: Section,
    /// How mass is given to nodes.
    pub mass: MassKind,
    /// Damping.
    pub damping: Damping,
    /// Velocity of all nodes at the start.
    pub velocity: S::Vector,
    /// Spin about the mean place of the nodes at the start, in world axes.
    pub spin: S::Spin,
    /// Nodes whose velocity is given.
    pub imposed: Vec<Imposed<S>>,
    /// Tractions.
    pub tractions: Vec<Traction<S>>,
    /// Whether its surface may touch itself.
    pub self_contact: bool,
    /// It moves in so many of its lowest modes only, under a linear law.
    pub modes: Option<usize>,
}

/// How solids are computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidSettings {
    /// Integration in time.
    pub scheme: Scheme,
    /// Newton's iteration.
    pub newton: Newton,
    /// How surfaces are paired.
    pub pairing: Pairing,
    /// What takes over where sweeps are slow; if it is not `Auto`, it goes first.
    pub method: AssembledMethod,
}

/// What a space needs for solids.
pub trait Deformable: Geometry + Facets {
    /// A point as a shape, so that nodes meet rigid shapes by the tests of disks and balls.
    fn point() -> Self::Shape;
    /// Points of a shape that may enter between the nodes of a solid, in the shape's axes, each with a
    /// radius about it: corners, and centres of what is round.
    fn points(shape: &Self::Shape, points: &mut Vec<(Self::Vector, f64)>);
    /// Edges of a shape that may cross those of a solid, in the shape's axes; none in the plane.
    fn edges(shape: &Self::Shape, edges: &mut Vec<Line<Self::Vector>>);
    /// Where two surfaces meet, edges on edges left out.
    fn pair(
        pairing: Pairing,
        first: Placed<Self>,
        second: Placed<Self>,
        reach: Reach,
        search: &mut Search<Self>,
        meetings: &mut Vec<Meeting<Self>>,
    );
}

impl Deformable for Plane {
    fn point() -> PlaneShape {
        PlaneShape::Disk { radius: 0.0 }
    }
    fn points(shape: &PlaneShape, points: &mut Vec<(DVec2, f64)>) {
        match shape {
            PlaneShape::Disk { radius } => points.push((DVec2::ZERO, *radius)),
            PlaneShape::Polygon(polygon) => {
                points.extend(polygon.vertices().iter().map(|&corner| (corner, 0.0)));
            }
            PlaneShape::Rounded(rounded) => {
                let corners = rounded.vertices().iter();
                points.extend(corners.map(|&corner| (corner, rounded.radius())));
            }
            PlaneShape::Segment { start, end } => points.extend([(*start, 0.0), (*end, 0.0)]),
            PlaneShape::HalfPlane => {}
        }
    }
    fn edges(_: &PlaneShape, _: &mut Vec<Line<DVec2>>) {}
    fn pair(
        pairing: Pairing,
        first: Placed<Self>,
        second: Placed<Self>,
        reach: Reach,
        search: &mut Search<Self>,
        meetings: &mut Vec<Meeting<Self>>,
    ) {
        match pairing {
            Pairing::Nodes => search.nodes_on_facets(first, second, reach, meetings),
            Pairing::Segments => search.segments_on_segments(first, second, reach, meetings),
        }
    }
}

impl Deformable for Volume {
    fn point() -> VolumeShape {
        VolumeShape::Sphere { radius: 0.0 }
    }
    fn points(shape: &VolumeShape, points: &mut Vec<(DVec3, f64)>) {
        match shape {
            VolumeShape::Sphere { radius } => points.push((DVec3::ZERO, *radius)),
            VolumeShape::Polyhedron(polyhedron) => {
                points.extend(polyhedron.vertices().iter().map(|&corner| (corner, 0.0)));
            }
            VolumeShape::Capsule { half_length, radius } => {
                points.extend([-half_length, *half_length].map(|z| (DVec3::Z * z, *radius)));
            }
            VolumeShape::Rounded(rounded) => {
                let corners = rounded.core().vertices().iter();
                points.extend(corners.map(|&corner| (corner, rounded.radius())));
            }
            // Of a rim no point is before the others: nodes of the solid find it.
            VolumeShape::Frustum(_) => {}
            VolumeShape::Triangle(triangle) => {
                points.extend(triangle.owned_corners().map(|(_, corner)| (corner, 0.0)));
            }
            VolumeShape::HalfSpace => {}
        }
    }
    fn edges(shape: &VolumeShape, edges: &mut Vec<Line<DVec3>>) {
        if let VolumeShape::Triangle(triangle) = shape {
            let corners = triangle.corners();
            edges.extend(triangle.edges().map(|(nodes, normals)| Line {
                ends: nodes.map(|node| corners[node]),
                normals,
                sharp: true,
                nodes: nodes.map(|node| node as u32),
                index: nodes[0] as u32,
            }));
        }
        let VolumeShape::Polyhedron(polyhedron) = shape else { return };
        let both = polyhedron.edges().zip(polyhedron.edge_faces());
        edges.extend(both.enumerate().map(|(index, (nodes, faces))| Line {
            ends: nodes.map(|vertex| polyhedron.vertices()[vertex as usize]),
            normals: faces.map(|face| polyhedron.normal(face as usize)),
            sharp: true,
            nodes,
            index: index as u32,
        }));
    }
    fn pair(
        _: Pairing,
        first: Placed<Self>,
        second: Placed<Self>,
        reach: Reach,
        search: &mut Search<Self>,
        meetings: &mut Vec<Meeting<Self>>,
    ) {
        search.nodes_on_facets(first, second, reach, meetings);
    }
}
