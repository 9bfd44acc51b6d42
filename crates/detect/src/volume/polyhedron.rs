//! Convex polyhedra.

use crate::ShapeError;
use drystone_space::DVec3;
use std::sync::Arc;

/// A convex polyhedron; copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    vertices: Vec<DVec3>,
    /// Vertex indices of each face, counter-clockwise seen from outside; coplanar triangles merged.
    faces: Vec<Vec<u32>>,
}

impl Polyhedron {
    /// The convex hull of points.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        let _ = points;
        todo!()
    }
    /// A box about the origin with these edge lengths.
    pub fn cuboid(size: DVec3) -> Result<Self, ShapeError> {
        let corner = |i: u32| {
            DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 0 { -0.5 } else { 0.5 })) * size
        };
        Self::hull(&(0..8).map(corner).collect::<Vec<_>>())
    }
    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.data.vertices
    }
    /// Vertex indices of each face, counter-clockwise seen from outside.
    pub fn faces(&self) -> &[Vec<u32>] {
        &self.data.faces
    }
}
