//! What the pair tests see of a polygon: its outline. A segment is an outline of two vertices
//! and two opposite edges, and needs no tests of its own against polygons.

use super::Polygon;
use drystone_space::DVec2;

/// Vertices counter-clockwise, and the unit outward normal of the edge that leaves each of them.
#[derive(Clone, Copy)]
pub(super) struct Outline<'a> {
    pub vertices: &'a [DVec2],
    pub normals: &'a [DVec2],
    /// Length to which tolerances are relative.
    pub size: f64,
}

impl<'a> From<&'a Polygon> for Outline<'a> {
    #[inline]
    fn from(polygon: &'a Polygon) -> Self {
        Self { vertices: polygon.vertices(), normals: polygon.normals(), size: polygon.size() }
    }
}

impl Outline<'_> {
    /// Index after `index`, round the outline.
    #[inline(always)]
    pub fn next(&self, index: usize) -> usize {
        if index + 1 == self.vertices.len() { 0 } else { index + 1 }
    }
    /// Index before `index`, round the outline.
    #[inline(always)]
    pub fn previous(&self, index: usize) -> usize {
        if index == 0 { self.vertices.len() - 1 } else { index - 1 }
    }
    /// The vertex farthest along `direction`, found by climbing from `start`: along a convex
    /// outline the height has no other maximum.
    #[inline]
    pub fn farthest(&self, direction: DVec2, start: usize) -> usize {
        let height = |i: usize| direction.dot(self.vertices[i]);
        let climb = |mut here: usize, step: fn(&Self, usize) -> usize| {
            let mut top = height(here);
            loop {
                let there = step(self, here);
                let reached = height(there);
                if reached <= top || there == start {
                    return here;
                }
                (here, top) = (there, reached);
            }
        };
        let forward = climb(start, Self::next);
        if forward == start { climb(start, Self::previous) } else { forward }
    }
    /// Of the two edges at `vertex`, the one whose normal is most opposed to `direction`.
    #[inline]
    pub fn facing(&self, vertex: usize, direction: DVec2) -> usize {
        let before = self.previous(vertex);
        if self.normals[before].dot(direction) < self.normals[vertex].dot(direction) {
            before
        } else {
            vertex
        }
    }
}

/// A segment with its two sides.
pub(super) struct Line {
    vertices: [DVec2; 2],
    normals: [DVec2; 2],
}

impl Line {
    pub fn new(start: DVec2, end: DVec2) -> Self {
        let normal = -(end - start).normalize_or_zero().perp();
        Self { vertices: [start, end], normals: [normal, -normal] }
    }
    pub fn outline(&self) -> Outline<'_> {
        Outline {
            vertices: &self.vertices,
            normals: &self.normals,
            size: self.vertices[0].distance(self.vertices[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbing_finds_the_farthest_vertex_from_any_start() {
        for sides in [3, 4, 5, 64] {
            let polygon = Polygon::regular(sides, 1.5).unwrap();
            let outline = Outline::from(&polygon);
            for k in 0..100 {
                let direction = DVec2::from_angle(0.1 * f64::from(k));
                let height = |i: usize| direction.dot(outline.vertices[i]);
                let top = (0..sides).map(height).fold(f64::NEG_INFINITY, f64::max);
                for start in 0..sides {
                    assert!((height(outline.farthest(direction, start)) - top).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn a_line_has_two_sides() {
        let line = Line::new(DVec2::ZERO, DVec2::new(2.0, 0.0));
        let outline = line.outline();
        assert_eq!(outline.normals, [DVec2::NEG_Y, DVec2::Y]);
        assert_eq!(outline.farthest(DVec2::new(1.0, 5.0), 0), 1);
        assert_eq!(outline.farthest(DVec2::new(-1.0, 5.0), 1), 0);
        assert_eq!(outline.facing(0, DVec2::Y), 0);
        assert_eq!(outline.facing(0, DVec2::NEG_Y), 1);
    }
}
