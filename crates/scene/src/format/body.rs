//! Bodies, boundaries and their shapes.

use super::drive::{MotionTable, PushTable};
use super::generator::{Paving, VesselChoice};
use super::surface::{HeightsTable, MeshFileTable};
use crate::decode::{choice, table};
use crate::plain::{Text, Whole};
use crate::quantity::{
    Axial, Force, Inertia, Length, Mass, NotNegative, Number, Positive, Pure, Rotation, Spin, Time,
    Torque, Vector, Velocity,
};
use crate::report::Span;
use crate::wrap::{Items, Pair};

choice! {
    /// A shape in its own axes.
    ShapeChoice as "a shape" {
        /// Radius of a disk (plane).
        disk: Disk(Number<Length, Positive>),
        /// Radius of a ball (space).
        sphere: Sphere(Number<Length, Positive>),
        /// Edge lengths of a box about the origin.
        r#box: Box(Vector<Length, Positive>),
        /// Vertices of a convex polygon in order (plane).
        polygon: Polygon(Items<Vector<Length>>),
        /// A regular polygon about the origin, its first vertex on the x axis (plane).
        regular: Regular(RegularTable),
        /// Points whose convex hull is the shape (space).
        polyhedron: Polyhedron(Items<Vector<Length>>),
        /// All points near a segment of the z axis (space).
        capsule: Capsule(CapsuleTable),
        /// A cylinder along the z axis, about the origin (space).
        cylinder: Cylinder(CylinderTable),
        /// A cone along the z axis, its tip up, the origin half way up (space).
        cone: Cone(CylinderTable),
        /// A cone without its tip along the z axis, the origin half way up (space).
        frustum: Frustum(FrustumTable),
        /// All points near a box, polygon, polyhedron or segment.
        rounded: Rounded(RoundedTable),
        /// Everything below a line (plane, boundaries only).
        half_plane: HalfPlane(HalfTable),
        /// Everything below a plane (space, boundaries only).
        half_space: HalfSpace(HalfTable),
        /// Two ends of a line without thickness (plane, boundaries only).
        segment: Segment(Pair<Vector<Length>>),
        /// Points of a chain of segments, such as a terrain (plane, boundaries only).
        polyline: Polyline(Items<Vector<Length>>),
        /// A mesh of triangles in a file (space).
        mesh: Mesh(MeshFileTable),
        /// A surface over a grid of heights in a file (space, boundaries only).
        heights: Heights(HeightsTable),
    }
}

table! {
    /// A regular polygon.
    RegularTable as "a regular polygon" {
        /// Number of sides.
        sides: Whole<3, 1000>,
        /// Distance of the vertices from the centre.
        radius: Number<Length, Positive>,
    }
}

table! {
    /// A capsule along the z axis, about the origin.
    CapsuleTable as "a capsule" {
        /// Length of the segment, caps not counted.
        length: Number<Length, Positive>,
        /// Radius of the tube and its caps.
        radius: Number<Length, Positive>,
    }
}

table! {
    /// A cylinder or a cone.
    CylinderTable as "a cylinder or cone" {
        /// Length along the axis.
        length: Number<Length, Positive>,
        /// Radius, of a cone at its base.
        radius: Number<Length, Positive>,
    }
}

table! {
    /// A cone without its tip.
    FrustumTable as "a frustum" {
        /// Length along the axis.
        length: Number<Length, Positive>,
        /// Radii of the lower and the upper end.
        radii: Pair<Number<Length, Positive>>,
    }
}

table! {
    /// All points within a radius of a core.
    RoundedTable as "a rounded shape" {
        /// What is rounded: as large as the shape would be without its rounding.
        core: CoreChoice,
        /// How far the shape reaches beyond its core.
        radius: Number<Length, Positive>,
    }
}

choice! {
    /// A core of a rounded shape in its own axes.
    CoreChoice as "a core" {
        /// Edge lengths of a box about the origin.
        r#box: Box(Vector<Length, Positive>),
        /// Vertices of a convex polygon in order (plane).
        polygon: Polygon(Items<Vector<Length>>),
        /// A regular polygon about the origin, its first vertex on the x axis (plane).
        regular: Regular(RegularTable),
        /// Points whose convex hull is the core (space).
        polyhedron: Polyhedron(Items<Vector<Length>>),
        /// Two ends of a segment (plane).
        segment: Segment(Pair<Vector<Length>>),
    }
}

table! {
    /// A half-plane or half-space; `{}` is all below the origin.
    HalfTable as "a half-plane or half-space" {
        /// A point of the surface; default the origin.
        point: Option<Vector<Length>>,
        /// Direction out of the solid; default up (y in the plane, z in space).
        normal: Option<Vector<Pure>>,
    }
}

table! {
    /// One shape of several, placed in the axes of its body.
    PartTable as "a part" {
        /// The shape.
        shape: ShapeChoice,
        /// Where its origin is; default zero.
        position: Option<Vector<Length>>,
        /// How it is turned; default not at all.
        rotation: Option<Rotation>,
        /// Its material; default that of the whole.
        material: Option<Text>,
    }
}

table! {
    /// A rigid body: one `shape`, or several `parts`.
    BodyTable as "[[body]]" {
        /// Name for loads, initial forces and tracking.
        name: Option<Text>,
        /// Material of all parts that do not name their own.
        material: Option<Text>,
        /// Its only shape.
        shape: Option<ShapeChoice>,
        /// Its shapes, rigidly joined.
        parts: Option<Items<PartTable>>,
        /// Where the origin of its shapes is; default zero.
        position: Option<Vector<Length>>,
        /// How it is turned: an angle in the plane; a rotation vector or `{ axis, angle }` in space.
        rotation: Option<Rotation>,
        /// Velocity of its centre of mass; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Spin in world axes; default zero.
        spin: Option<Axial<Spin>>,
        /// Mass, instead of the one that follows from density.
        mass: Option<Number<Mass, Positive>>,
        /// Moment of inertia about the centre of mass: one number in the plane, those about the
        /// body's own axes in space. Needs `mass`; without it inertia is that of the shape.
        inertia: Option<Axial<Inertia, Positive>>,
        /// Constant force at the centre of mass, in world axes.
        force: Option<Vector<Force>>,
        /// Constant torque, in world axes.
        torque: Option<Axial<Torque>>,
    }
}

table! {
    /// A boundary: fixed unless it has a `motion`, a `load`, or both.
    BoundaryTable as "[[boundary]]" {
        /// Its name.
        name: Option<Text>,
        /// Material of all parts that do not name their own.
        material: Option<Text>,
        /// Its only shape.
        shape: Option<ShapeChoice>,
        /// Its shapes.
        parts: Option<Items<PartTable>>,
        /// A rough floor of fixed grains, instead of `shape` and `parts`.
        paving: Option<Paving>,
        /// A vessel or tool, instead of `shape` and `parts`.
        vessel: Option<VesselChoice>,
        /// Where the origin of its shapes is; default zero.
        position: Option<Vector<Length>>,
        /// How it is turned; default not at all.
        rotation: Option<Rotation>,
        /// A given motion.
        motion: Option<MotionTable>,
        /// A given load: free in one way, rigid in all others, or moved there by `motion`.
        load: Option<PushTable>,
        /// When it vanishes; default never.
        remove_at: Option<Number<Time, NotNegative>>,
    }
}

impl ShapeChoice {
    /// Where the value of the shape is.
    pub fn span(&self) -> Span {
        match self {
            Self::Disk(radius) | Self::Sphere(radius) => radius.span,
            Self::Box(size) => size.span,
            Self::Polygon(points) | Self::Polyhedron(points) | Self::Polyline(points) => {
                points.span
            }
            Self::Regular(table) => table.span,
            Self::Capsule(table) => table.span,
            Self::Cylinder(table) | Self::Cone(table) => table.span,
            Self::Frustum(table) => table.span,
            Self::Rounded(table) => table.span,
            Self::HalfPlane(table) | Self::HalfSpace(table) => table.span,
            Self::Segment(ends) => ends.span,
            Self::Mesh(table) => table.span,
            Self::Heights(table) => table.span,
        }
    }
    /// The key that users write.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Disk(_) => "disk",
            Self::Sphere(_) => "sphere",
            Self::Box(_) => "box",
            Self::Polygon(_) => "polygon",
            Self::Polyhedron(_) => "polyhedron",
            Self::Regular(_) => "regular",
            Self::Capsule(_) => "capsule",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Frustum(_) => "frustum",
            Self::Rounded(_) => "rounded",
            Self::HalfPlane(_) => "half_plane",
            Self::HalfSpace(_) => "half_space",
            Self::Segment(_) => "segment",
            Self::Polyline(_) => "polyline",
            Self::Mesh(_) => "mesh",
            Self::Heights(_) => "heights",
        }
    }
    /// The same shape in the other dimension.
    pub fn counterpart(&self) -> Option<&'static str> {
        match self {
            Self::Disk(_) => Some("sphere"),
            Self::Sphere(_) => Some("disk"),
            Self::Polygon(_) | Self::Regular(_) => Some("polyhedron"),
            Self::Polyhedron(_) => Some("polygon"),
            Self::HalfPlane(_) => Some("half_space"),
            Self::HalfSpace(_) => Some("half_plane"),
            Self::Box(_)
            | Self::Capsule(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Frustum(_)
            | Self::Rounded(_)
            | Self::Segment(_)
            | Self::Polyline(_)
            | Self::Mesh(_)
            | Self::Heights(_) => None,
        }
    }
    /// Whether the shape encloses a finite volume, as a body's must.
    pub fn solid(&self) -> bool {
        !matches!(
            self,
            Self::HalfPlane(_)
                | Self::HalfSpace(_)
                | Self::Segment(_)
                | Self::Polyline(_)
                | Self::Heights(_)
        )
    }
}
