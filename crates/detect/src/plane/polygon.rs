//! Convex polygons.

use crate::ShapeError;
use drystone_space::DVec2;
use std::sync::Arc;

/// A convex polygon with counter-clockwise vertices; copies share their vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    vertices: Arc<[DVec2]>,
}

impl Polygon {
    /// A polygon from its vertices in order, either way round.
    pub fn new(vertices: &[DVec2]) -> Result<Self, ShapeError> {
        let _ = vertices;
        todo!()
    }
    /// A rectangle about the origin.
    pub fn rectangle(width: f64, height: f64) -> Result<Self, ShapeError> {
        let h = DVec2::new(0.5 * width, 0.5 * height);
        Self::new(&[-h, DVec2::new(h.x, -h.y), h, DVec2::new(-h.x, h.y)])
    }
    /// The vertices, counter-clockwise.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }
}
