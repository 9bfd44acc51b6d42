//! Shapes and rotations as rows of numbers.

use crate::picture::Paint;
use crate::skin;
use drystone_detect::plane::{self, PlaneShape, Polygon};
use drystone_detect::volume::{self, Frustum, Polyhedron, Triangle, VolumeShape};
use drystone_space::{DQuat, DVec2, DVec3, Plane, PlaneRotation, Volume};

/// Kinds of shapes, with the numbers by which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Disk or ball: a radius.
    Round = 0,
    /// Convex polygon or polyhedron: vertices.
    Convex = 1,
    /// Half-plane y ≤ 0 or half-space z ≤ 0.
    Half = 2,
    /// Segment of the plane: two vertices.
    Segment = 3,
    /// Capsule about the z axis: radius, and half the length of its axis.
    Capsule = 4,
    /// Triangle of space: three vertices.
    Triangle = 5,
    /// All points within a radius of a convex polygon or polyhedron, or of a segment of the plane: a radius, and the vertices of
    /// the core.
    Rounded = 6,
    /// Frustum of a cone about the z axis: the points of its lower and its upper rim that are over the x axis; the larger radius,
    /// and half its length.
    Frustum = 7,
}

impl Kind {
    /// All kinds, by number.
    pub const ALL: [Kind; 8] = [
        Kind::Round,
        Kind::Convex,
        Kind::Half,
        Kind::Segment,
        Kind::Capsule,
        Kind::Triangle,
        Kind::Rounded,
        Kind::Frustum,
    ];
}

/// A shape in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeRow<V> {
    /// What it is.
    pub kind: Kind,
    /// Radius; 0 where there is none.
    pub radius: f64,
    /// Half the length of the axis; 0 where there is none.
    pub half_length: f64,
    /// Vertices; none where there are none.
    pub vertices: Vec<V>,
}

impl<V> ShapeRow<V> {
    fn plain(kind: Kind, radius: f64, half_length: f64, vertices: Vec<V>) -> Self {
        Self { kind, radius, half_length, vertices }
    }
}

/// A space whose runs can be recorded.
pub trait Recorded: Paint {
    /// Names of the numbers that a rotation is written by.
    const ROTATION: &'static [&'static str];
    /// Names of the components of a spin.
    const SPIN: &'static [&'static str];
    /// A rotation in numbers.
    fn rotation(rotation: Self::Rotation) -> impl Iterator<Item = f64>;
    /// A rotation from its numbers, in the same bits.
    fn rotation_from(numbers: &[f64]) -> Self::Rotation;
    /// A shape in numbers.
    fn shape(shape: &Self::Shape) -> ShapeRow<Self::Vector>;
    /// A shape from its numbers, or why there is none.
    fn shape_from(row: &ShapeRow<Self::Vector>) -> Result<Self::Shape, String>;
    /// The faces of a convex shape: loops of its vertices, counter-clockwise from outside. In the
    /// plane the one face is the shape itself.
    fn faces(shape: &Self::Shape) -> Vec<Vec<u32>>;
    /// Faces near the surface of a curved shape; none of others.
    fn skin(shape: &Self::Shape) -> Vec<Vec<Self::Vector>>;
}

impl Recorded for Plane {
    const ROTATION: &'static [&'static str] = &["angle"];
    const SPIN: &'static [&'static str] = &["spin"];
    fn rotation(rotation: PlaneRotation) -> impl Iterator<Item = f64> {
        std::iter::once(rotation.angle())
    }
    fn rotation_from(numbers: &[f64]) -> PlaneRotation {
        PlaneRotation::from_angle(numbers[0])
    }
    fn shape(shape: &PlaneShape) -> ShapeRow<DVec2> {
        match shape {
            PlaneShape::Disk { radius } => ShapeRow::plain(Kind::Round, *radius, 0.0, vec![]),
            PlaneShape::Polygon(p) => {
                ShapeRow::plain(Kind::Convex, 0.0, 0.0, p.vertices().to_vec())
            }
            PlaneShape::Rounded(r) => {
                ShapeRow::plain(Kind::Rounded, r.radius(), 0.0, r.vertices().to_vec())
            }
            PlaneShape::HalfPlane => ShapeRow::plain(Kind::Half, 0.0, 0.0, vec![]),
            PlaneShape::Segment { start, end } => {
                ShapeRow::plain(Kind::Segment, 0.0, 0.0, vec![*start, *end])
            }
        }
    }
    fn shape_from(row: &ShapeRow<DVec2>) -> Result<PlaneShape, String> {
        match (row.kind, row.vertices.as_slice()) {
            (Kind::Round, _) => Ok(PlaneShape::Disk { radius: row.radius }),
            (Kind::Convex, vertices) => {
                Polygon::new(vertices).map(PlaneShape::Polygon).map_err(|e| e.to_string())
            }
            (Kind::Half, _) => Ok(PlaneShape::HalfPlane),
            (Kind::Rounded, &[start, end]) => {
                Ok(PlaneShape::Rounded(plane::Rounded::segment(start, end, row.radius)))
            }
            (Kind::Rounded, vertices) => Polygon::new(vertices)
                .map(|core| PlaneShape::Rounded(plane::Rounded::new(core, row.radius)))
                .map_err(|e| e.to_string()),
            (Kind::Segment, &[start, end]) => Ok(PlaneShape::Segment { start, end }),
            (kind, _) => Err(format!("no shape of the plane: {kind:?}")),
        }
    }
    fn faces(shape: &PlaneShape) -> Vec<Vec<u32>> {
        match shape {
            PlaneShape::Rounded(rounded) => vec![(0..rounded.vertices().len() as u32).collect()],
            PlaneShape::Polygon(polygon) => vec![(0..polygon.vertices().len() as u32).collect()],
            _ => Vec::new(),
        }
    }
    fn skin(shape: &PlaneShape) -> Vec<Vec<DVec2>> {
        match shape {
            PlaneShape::Rounded(rounded) => vec![rounded.outline(6)],
            _ => Vec::new(),
        }
    }
}

impl Recorded for Volume {
    const ROTATION: &'static [&'static str] = &["qw", "qx", "qy", "qz"];
    const SPIN: &'static [&'static str] = &["wx", "wy", "wz"];
    fn rotation(rotation: DQuat) -> impl Iterator<Item = f64> {
        [rotation.w, rotation.x, rotation.y, rotation.z].into_iter()
    }
    fn rotation_from(numbers: &[f64]) -> DQuat {
        DQuat::from_xyzw(numbers[1], numbers[2], numbers[3], numbers[0])
    }
    fn shape(shape: &VolumeShape) -> ShapeRow<DVec3> {
        match shape {
            VolumeShape::Sphere { radius } => ShapeRow::plain(Kind::Round, *radius, 0.0, vec![]),
            VolumeShape::Polyhedron(p) => {
                ShapeRow::plain(Kind::Convex, 0.0, 0.0, p.vertices().to_vec())
            }
            VolumeShape::Capsule { half_length, radius } => {
                ShapeRow::plain(Kind::Capsule, *radius, *half_length, vec![])
            }
            VolumeShape::Rounded(r) => {
                ShapeRow::plain(Kind::Rounded, r.radius(), 0.0, r.core().vertices().to_vec())
            }
            VolumeShape::Frustum(f) => {
                let [low, high] = f.radii();
                let h = f.half_length();
                let rims = vec![DVec3::new(low, 0.0, -h), DVec3::new(high, 0.0, h)];
                ShapeRow::plain(Kind::Frustum, low.max(high), h, rims)
            }
            VolumeShape::HalfSpace => ShapeRow::plain(Kind::Half, 0.0, 0.0, vec![]),
            VolumeShape::Triangle(triangle) => {
                ShapeRow::plain(Kind::Triangle, 0.0, 0.0, triangle.corners().to_vec())
            }
        }
    }
    fn shape_from(row: &ShapeRow<DVec3>) -> Result<VolumeShape, String> {
        match row.kind {
            Kind::Round => Ok(VolumeShape::Sphere { radius: row.radius }),
            Kind::Convex => Polyhedron::hull(&row.vertices)
                .map(VolumeShape::Polyhedron)
                .map_err(|error| error.to_string()),
            Kind::Half => Ok(VolumeShape::HalfSpace),
            Kind::Capsule => {
                Ok(VolumeShape::Capsule { half_length: row.half_length, radius: row.radius })
            }
            Kind::Triangle => match row.vertices.as_slice() {
                // What it says of its neighbours is not recorded: a run goes on from its scene.
                &[a, b, c] => Triangle::alone([a, b, c])
                    .map(VolumeShape::Triangle)
                    .ok_or_else(|| "a triangle without an area".to_owned()),
                corners => Err(format!("a triangle with {} corners", corners.len())),
            },
            Kind::Rounded => Polyhedron::hull(&row.vertices)
                .map(|core| VolumeShape::Rounded(volume::Rounded::new(core, row.radius)))
                .map_err(|error| error.to_string()),
            Kind::Frustum => match row.vertices.as_slice() {
                &[low, high] => Ok(VolumeShape::Frustum(Frustum::new(high.z, [low.x, high.x]))),
                rims => Err(format!("a frustum with {} rims", rims.len())),
            },
            Kind::Segment => Err("no shape of space: Segment".to_owned()),
        }
    }
    fn faces(shape: &VolumeShape) -> Vec<Vec<u32>> {
        match shape {
            VolumeShape::Polyhedron(polyhedron) => polyhedron.faces().to_vec(),
            VolumeShape::Rounded(rounded) => rounded.core().faces().to_vec(),
            VolumeShape::Triangle(_) => vec![vec![0, 1, 2]],
            _ => Vec::new(),
        }
    }
    fn skin(shape: &VolumeShape) -> Vec<Vec<DVec3>> {
        match shape {
            VolumeShape::Rounded(rounded) => skin::of_rounded(rounded),
            VolumeShape::Frustum(frustum) => skin::of_frustum(frustum),
            _ => Vec::new(),
        }
    }
}
