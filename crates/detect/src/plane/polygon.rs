//! Convex polygons.

use crate::{ShapeError, Solid};
use drystone_space::{DVec2, Plane, math};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Lengths below this part of a polygon's size, and turns below this angle, count as none.
const TOLERANCE: f64 = 1e-10;

/// A convex polygon with counter-clockwise vertices; copies share their vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    /// The vertices, then as many unit outward normals: normal `i` is that of the edge from
    /// vertex `i` to the next.
    data: Arc<[DVec2]>,
    size: f64,
    width: f64,
}

impl Polygon {
    /// A polygon from its vertices in order, either way round.
    ///
    /// A vertex on the straight line between its neighbours is dropped.
    ///
    /// # Errors
    /// If a coordinate is not finite, if there are fewer than three distinct points, if a vertex
    /// repeats the one before, if all points lie on a line, and if the outline is not convex: it
    /// turns both ways, turns back, crosses itself or goes round more than once.
    pub fn new(vertices: &[DVec2]) -> Result<Self, ShapeError> {
        if let Some(index) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(ShapeError::NotFinite { index });
        }
        let found = distinct(vertices);
        if found < 3 {
            return Err(ShapeError::TooFewPoints { found, needed: 3 });
        }
        let size = size(vertices);
        let count = vertices.len();
        let before = |i: usize| vertices[(i + count - 1) % count];
        if let Some(index) =
            (0..count).find(|&i| vertices[i].distance(before(i)) <= TOLERANCE * size)
        {
            return Err(ShapeError::Repeated { index });
        }
        if on_a_line(vertices, size) {
            return Err(ShapeError::Degenerate);
        }
        let corners = corners(vertices);
        let sense = signed_area(vertices).signum();
        check_turns(vertices, &corners, sense)?;
        let mut outline: Vec<DVec2> = corners.iter().map(|&i| vertices[i]).collect();
        if sense < 0.0 {
            outline.reverse();
        }
        Ok(Self::from_outline(outline, size))
    }

    /// A rectangle about the origin.
    ///
    /// # Errors
    /// If a length is zero or not finite.
    pub fn rectangle(width: f64, height: f64) -> Result<Self, ShapeError> {
        let h = DVec2::new(0.5 * width, 0.5 * height);
        Self::new(&[-h, DVec2::new(h.x, -h.y), h, DVec2::new(-h.x, h.y)])
    }

    /// A regular polygon about the origin whose first vertex is on the x axis.
    ///
    /// # Errors
    /// If there are fewer than three sides, or the radius is zero or not finite.
    pub fn regular(sides: usize, circumradius: f64) -> Result<Self, ShapeError> {
        let turn = |i: usize| math::direction(TAU * i as f64 / sides as f64);
        let vertices: Vec<DVec2> = (0..sides).map(|i| turn(i) * circumradius).collect();
        Self::new(&vertices)
    }

    /// The vertices, counter-clockwise.
    #[inline]
    pub fn vertices(&self) -> &[DVec2] {
        &self.data[..self.data.len() / 2]
    }

    /// Unit outward normals: normal `i` is that of the edge from vertex `i` to the next.
    #[inline]
    pub fn normals(&self) -> &[DVec2] {
        &self.data[self.data.len() / 2..]
    }

    /// Diagonal of the box around the polygon in its own axes.
    #[inline]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The smallest distance between two parallel lines with the polygon between them.
    ///
    /// ```
    /// # use drystone_detect::plane::Polygon;
    /// assert_eq!(Polygon::rectangle(3.0, 2.0)?.width(), 2.0);
    /// # Ok::<(), drystone_detect::ShapeError>(())
    /// ```
    #[inline]
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Area, centroid and polar inertia about the centroid, as sums over the triangles that the
    /// edges span with a point O: with a, b the ends of an edge seen from O and c = a × b,
    /// area Σ c/2, first moment Σ c (a + b)/6, polar moment Σ c (a·a + a·b + b·b)/12.
    ///
    /// ```
    /// # use drystone_detect::plane::Polygon;
    /// let solid = Polygon::rectangle(3.0, 2.0)?.solid();
    /// assert_eq!(solid.measure, 6.0);
    /// assert_eq!(solid.inertia, 6.0 * (9.0 + 4.0) / 12.0);
    /// # Ok::<(), drystone_detect::ShapeError>(())
    /// ```
    pub fn solid(&self) -> Solid<Plane> {
        let vertices = self.vertices();
        // A point inside keeps the sums free of cancellation for a polygon far from its origin.
        let inside = vertices.iter().sum::<DVec2>() / vertices.len() as f64;
        let (mut area, mut first, mut polar) = (0.0, DVec2::ZERO, 0.0);
        for (a, b) in edges(vertices) {
            let (a, b) = (a - inside, b - inside);
            let cross = a.perp_dot(b);
            area += cross / 2.0;
            first += (a + b) * (cross / 6.0);
            polar += cross * (a.dot(a) + a.dot(b) + b.dot(b)) / 12.0;
        }
        let centre = first / area;
        Solid {
            measure: area,
            centre: inside + centre,
            inertia: polar - area * centre.length_squared(),
        }
    }

    fn from_outline(outline: Vec<DVec2>, size: f64) -> Self {
        let normals: Vec<DVec2> =
            edges(&outline).map(|(a, b)| -(b - a).normalize().perp()).collect();
        let depth = |(normal, corner): (&DVec2, &DVec2)| {
            outline.iter().map(|v| normal.dot(*corner - *v)).fold(0.0, f64::max)
        };
        let width = normals.iter().zip(&outline).map(depth).fold(f64::INFINITY, f64::min);
        Self { data: outline.into_iter().chain(normals).collect(), size, width }
    }
}

/// Edges from each vertex to the next, round the outline.
fn edges(vertices: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    vertices.iter().copied().zip(vertices.iter().copied().cycle().skip(1))
}

fn distinct(vertices: &[DVec2]) -> usize {
    // Adding zero makes the two zeros one.
    let mut points: Vec<DVec2> = vertices.iter().map(|&v| v + DVec2::ZERO).collect();
    points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    points.len()
}

fn size(vertices: &[DVec2]) -> f64 {
    let low = vertices.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let high = vertices.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
    low.distance(high)
}

fn signed_area(vertices: &[DVec2]) -> f64 {
    let origin = vertices[0];
    0.5 * edges(vertices).map(|(a, b)| (a - origin).perp_dot(b - origin)).sum::<f64>()
}

/// Whether no point is off the line from the first to the farthest from it.
fn on_a_line(vertices: &[DVec2], size: f64) -> bool {
    let arm = |v: &DVec2| *v - vertices[0];
    let Some(farthest) =
        vertices.iter().map(arm).max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
    else {
        return true;
    };
    let direction = farthest.normalize_or_zero();
    vertices.iter().map(arm).all(|v| direction.perp_dot(v).abs() <= TOLERANCE * size)
}

/// Angle by which the outline turns at `here`, counter-clockwise positive.
fn turn(before: DVec2, here: DVec2, after: DVec2) -> f64 {
    let (into, out) = ((here - before).normalize(), (after - here).normalize());
    math::angle_between(into, out)
}

/// Indices of the vertices at which the outline turns.
fn corners(vertices: &[DVec2]) -> Vec<usize> {
    let count = vertices.len();
    let turns = |&i: &usize| {
        let (before, after) = (vertices[(i + count - 1) % count], vertices[(i + 1) % count]);
        turn(before, vertices[i], after).abs() > TOLERANCE
    };
    (0..count).filter(turns).collect()
}

/// Whether the outline turns one way only, by less than a half turn at each corner, and by one
/// turn in all: a star turns one way too, but goes round twice.
fn check_turns(vertices: &[DVec2], corners: &[usize], sense: f64) -> Result<(), ShapeError> {
    let count = corners.len();
    let mut total = 0.0;
    for (k, &index) in corners.iter().enumerate() {
        let (before, after) = (corners[(k + count - 1) % count], corners[(k + 1) % count]);
        let angle = sense * turn(vertices[before], vertices[index], vertices[after]);
        total += angle;
        let turns_back = angle.abs() > TAU / 2.0 - TOLERANCE;
        if angle <= 0.0 || turns_back || total > 1.25 * TAU {
            return Err(ShapeError::NotConvex { index });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(f64, f64)]) -> Vec<DVec2> {
        list.iter().map(|&p| p.into()).collect()
    }

    #[test]
    fn either_way_round_gives_counter_clockwise_vertices_and_outward_normals() {
        let clockwise = points(&[(0.0, 0.0), (0.0, 1.0), (2.0, 1.0), (2.0, 0.0)]);
        for outline in [clockwise.clone(), clockwise.into_iter().rev().collect()] {
            let polygon = Polygon::new(&outline).unwrap();
            assert!(signed_area(polygon.vertices()) == 2.0);
            for ((a, b), &n) in edges(polygon.vertices()).zip(polygon.normals()) {
                assert_eq!(n.length(), 1.0);
                assert_eq!(n.dot(b - a), 0.0);
                assert!(n.dot(a - DVec2::new(1.0, 0.5)) > 0.0);
            }
        }
    }

    #[test]
    fn vertices_on_a_side_are_dropped() {
        let outline =
            points(&[(1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.5, 2.0), (0.0, 2.0), (0.0, 0.0)]);
        let polygon = Polygon::new(&outline).unwrap();
        assert_eq!(polygon.vertices().len(), 4);
        assert_eq!(polygon.solid().measure, 4.0);
    }

    #[test]
    fn bad_outlines_are_refused_with_their_place() {
        let new = |list: &[(f64, f64)]| Polygon::new(&points(list)).unwrap_err();
        assert_eq!(
            new(&[(0.0, 0.0), (f64::NAN, 0.0), (0.0, 1.0)]),
            ShapeError::NotFinite { index: 1 }
        );
        assert_eq!(
            new(&[(0.0, 0.0), (1.0, 0.0), (-0.0, 0.0)]),
            ShapeError::TooFewPoints { found: 2, needed: 3 }
        );
        assert_eq!(Polygon::new(&[]), Err(ShapeError::TooFewPoints { found: 0, needed: 3 }));
        assert_eq!(
            new(&[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]),
            ShapeError::Repeated { index: 2 }
        );
        // A closed ring repeats its first point at the end.
        assert_eq!(
            new(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)]),
            ShapeError::Repeated { index: 0 }
        );
        assert_eq!(new(&[(0.0, 0.0), (1.0, 1.0), (3.0, 3.0), (2.0, 2.0)]), ShapeError::Degenerate);
        // A dent at vertex 3.
        assert_eq!(
            new(&[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 0.5), (0.0, 2.0)]),
            ShapeError::NotConvex { index: 3 }
        );
        // A spike that turns back on itself.
        assert_eq!(
            new(&[(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0)]),
            ShapeError::NotConvex { index: 1 }
        );
        // A bow tie.
        assert!(matches!(
            new(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]),
            ShapeError::NotConvex { .. }
        ));
    }

    #[test]
    fn a_star_that_goes_round_twice_is_refused() {
        let star: Vec<DVec2> =
            (0..5).map(|i| DVec2::from_angle(TAU * f64::from(2 * i) / 5.0)).collect();
        assert!(matches!(Polygon::new(&star), Err(ShapeError::NotConvex { .. })));
        let twice: Vec<DVec2> =
            (0..8).map(|i| DVec2::from_angle(TAU * f64::from(i) / 4.0)).collect();
        assert!(matches!(Polygon::new(&twice), Err(ShapeError::NotConvex { .. })));
    }

    #[test]
    fn makers_refuse_what_has_no_area() {
        assert_eq!(Polygon::regular(2, 1.0), Err(ShapeError::TooFewPoints { found: 2, needed: 3 }));
        assert!(Polygon::regular(5, 0.0).is_err());
        assert!(Polygon::regular(5, f64::INFINITY).is_err());
        assert!(Polygon::rectangle(1.0, 0.0).is_err());
    }

    #[test]
    fn a_triangle_far_away_has_the_moments_of_the_textbook() {
        // Legs 3 and 4 at the corner (1000, −500): area 6, centroid a third of the way along the
        // legs, polar moment A (b² + h²)/18.
        let corner = DVec2::new(1000.0, -500.0);
        let triangle =
            Polygon::new(&[corner, corner + 3.0 * DVec2::X, corner + 4.0 * DVec2::Y]).unwrap();
        let solid = triangle.solid();
        assert!((solid.measure - 6.0).abs() < 1e-12);
        assert!((solid.centre - corner - DVec2::new(1.0, 4.0 / 3.0)).length() < 1e-12);
        assert!((solid.inertia - 6.0 * 25.0 / 18.0).abs() < 1e-11);
        // The height on the longest side is the smallest width.
        assert!((triangle.width() - 2.4).abs() < 1e-12);
    }

    #[test]
    fn a_regular_hexagon_has_the_moments_of_the_textbook() {
        // Area 3√3/2 R², polar moment 5√3/8 R⁴, width √3 R.
        let hexagon = Polygon::regular(6, 2.0).unwrap();
        let (solid, root) = (hexagon.solid(), 3f64.sqrt());
        assert!((solid.measure - 6.0 * root).abs() < 1e-14);
        assert!(solid.centre.length() < 1e-15);
        assert!((solid.inertia - 10.0 * root).abs() < 1e-13);
        assert!((hexagon.width() - 2.0 * root).abs() < 1e-14);
        assert_eq!(hexagon.vertices()[0], DVec2::new(2.0, 0.0));
    }
}
