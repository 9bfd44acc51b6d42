//! Rounded polygons: all points within a radius of a polygon or of a segment, its Minkowski sum with a disk.
//!
//! Distances are those of the cores less the radii, in overlap too: from a point of a convex set to the boundary of what lies
//! within r of it, it is r farther than to its own. Area, centre and inertia are sums over the core, a rectangle of height r on
//! each edge and a sector of a disk at each vertex.

use super::{PlaneShape, Polygon};
use crate::Solid;
use drystone_space::{DVec2, Plane, math};
use std::f64::consts::PI;
use std::sync::Arc;

/// A polygon with rounded corners, or a segment with thickness; copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounded {
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    /// A polygon or a segment.
    core: PlaneShape,
    vertices: Vec<DVec2>,
    radius: f64,
    width: f64,
    solid: Solid<Plane>,
}

impl Rounded {
    /// All points within `radius` of a polygon.
    pub fn new(core: Polygon, radius: f64) -> Self {
        let (vertices, solid) = (core.vertices().to_vec(), core.solid());
        let width = core.width();
        Self::around(PlaneShape::Polygon(core), vertices, (radius, width), solid)
    }
    /// All points within `radius` of a segment: a capsule of the plane.
    pub fn segment(start: DVec2, end: DVec2, radius: f64) -> Self {
        let centre = 0.5 * (start + end);
        let none = Solid { measure: 0.0, centre, inertia: 0.0 };
        Self::around(PlaneShape::Segment { start, end }, vec![start, end], (radius, 0.0), none)
    }
    fn around(
        core: PlaneShape,
        vertices: Vec<DVec2>,
        (radius, width): (f64, f64),
        solid: Solid<Plane>,
    ) -> Self {
        let solid = of_rounded(&vertices, solid, radius);
        let width = width + 2.0 * radius;
        Self { data: Arc::new(Data { core, vertices, radius, width, solid }) }
    }
    /// The vertices of the core, counter-clockwise; two of a segment.
    pub fn vertices(&self) -> &[DVec2] {
        &self.data.vertices
    }
    /// How far it reaches beyond its core.
    pub fn radius(&self) -> f64 {
        self.data.radius
    }
    pub(super) fn core(&self) -> &PlaneShape {
        &self.data.core
    }
    pub(super) fn width(&self) -> f64 {
        self.data.width
    }
    pub(super) fn solid(&self) -> Solid<Plane> {
        self.data.solid
    }
    /// Points of the outline, counter-clockwise: the ends of its straight sides, and `steps` − 1 between them on each arc.
    pub fn outline(&self, steps: usize) -> Vec<DVec2> {
        let vertices = self.vertices();
        let mut outline = Vec::new();
        for i in 0..vertices.len() {
            let [m, n] = normals_at(vertices, i);
            let angle = math::angle_between(m, n).abs();
            let turn = |k: usize| math::direction(angle * k as f64 / steps as f64);
            outline.extend((0..=steps).map(|k| vertices[i] + turn(k).rotate(m) * self.radius()));
        }
        outline
    }
}

/// The unit outward normals of the edges before and after a vertex.
fn normals_at(vertices: &[DVec2], i: usize) -> [DVec2; 2] {
    let count = vertices.len();
    let normal = |from: usize, to: usize| -(vertices[to] - vertices[from]).normalize().perp();
    [normal((i + count - 1) % count, i), normal(i, (i + 1) % count)]
}

/// On an edge from p to q of the length l with the normal n stands a rectangle of the area l r about its middle, with the polar
/// moment l r (l² + r²)/12. At a vertex between normals with the angle θ and the middle b is a sector of the area θ r²/2, with the
/// first moment ⅔ r³ sin(θ/2) b and the polar moment θ r⁴/4.
fn of_rounded(vertices: &[DVec2], core: Solid<Plane>, r: f64) -> Solid<Plane> {
    let (mut area, mut first, mut polar) = (core.measure, DVec2::ZERO, core.inertia);
    for (i, &vertex) in vertices.iter().enumerate() {
        let [m, n] = normals_at(vertices, i);
        let next = vertices[(i + 1) % vertices.len()];
        let length = vertex.distance(next);
        let middle = 0.5 * (vertex + next) + n * (0.5 * r) - core.centre;
        area += length * r;
        first += middle * (length * r);
        polar += length * r * ((length * length + r * r) / 12.0 + middle.length_squared());

        // At an end of a segment the normals are opposite.
        let angle = if vertices.len() == 2 { PI } else { math::angle_between(m, n).abs() };
        let between = if vertices.len() == 2 { m.perp() } else { (m + n).normalize() };
        let sector = 0.5 * angle * r * r;
        let moment = between * (2.0 / 3.0 * math::powi(r, 3) * math::sin(0.5 * angle));
        let arm = vertex - core.centre;
        area += sector;
        first += arm * sector + moment;
        polar +=
            sector * arm.length_squared() + 2.0 * arm.dot(moment) + 0.25 * angle * math::powi(r, 4);
    }
    let offset = first / area;
    let inertia = polar - area * offset.length_squared();
    Solid { measure: area, centre: core.centre + offset, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_square_by_hand() {
        // A square of side 2 with r = 1: 4 + 8 + π. Polar moment: a cross of 4×2 and 2×4 without their square, and four quarters
        // of a disk at (1, 1).
        let square = Rounded::new(Polygon::rectangle(2.0, 2.0).unwrap(), 1.0).solid();
        assert!((square.measure - 12.0 - PI).abs() < 1e-14);
        let cross = 2.0 * 8.0 * 20.0 / 12.0 - 4.0 * 8.0 / 12.0;
        let quarters = PI * 2.0 + 2.0 * (4.0 / 3.0) * 2.0 + 0.5 * PI;
        assert!((square.inertia - cross - quarters).abs() < 1e-13, "{square:?}");
        assert!(square.centre.length() < 1e-15);
    }

    #[test]
    fn a_rounded_segment_and_a_thin_rectangle_are_one() {
        let (start, end) = (DVec2::new(1.0, 2.0), DVec2::new(3.0, 2.0));
        let segment = Rounded::segment(start, end, 0.5).solid();
        assert!((segment.measure - 2.0 - 0.25 * PI).abs() < 1e-14);
        assert!((segment.centre - DVec2::new(2.0, 2.0)).length() < 1e-15);
        let thin = Rounded::new(Polygon::rectangle(2.0, 1e-9).unwrap(), 0.5).solid();
        assert!((segment.inertia - thin.inertia).abs() < 1e-8);
    }

    #[test]
    fn a_triangle_has_the_moments_of_its_outline() {
        let corners = [DVec2::ZERO, DVec2::new(2.0, 0.0), DVec2::new(0.3, 1.0)];
        let rounded = Rounded::new(Polygon::new(&corners).unwrap(), 0.4);
        let fine = Polygon::new(&rounded.outline(400)).unwrap().solid();
        let solid = rounded.solid();
        assert!((solid.measure - fine.measure).abs() < 1e-5);
        assert!((solid.centre - fine.centre).length() < 1e-6);
        assert!((solid.inertia - fine.inertia).abs() < 1e-5);
    }
}
