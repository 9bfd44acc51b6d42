//! How far two polyhedra are apart along the directions that can matter.
//!
//! The separation along a unit vector n is min n·x over the one less max n·y over the other. The
//! largest over all n is the signed distance. In overlap it is reached at the normal of a face or at
//! the cross product of two edges (Gottschalk, Lin & Manocha 1996), and an edge pair counts only if
//! its arcs on the Gauss map cross (Gregorius 2013).
//!
//! Both searches drop candidates by one inner point x: no face separates more than its distance from
//! x, and no normal between two faces at distances d₁, d₂ from x more than max(d₁, d₂), divided by
//! the cosine of half the angle between them where that is positive.

use super::super::Polyhedron;
use super::super::polyhedron::{Edge, highest};
use arrayvec::ArrayVec;
use drystone_space::{DMat3, DVec3, Pose, Volume};

/// A polyhedron with V vertices has at most 3V − 6 edges.
const MOST_EDGES: usize = 3 * Polyhedron::MOST_VERTICES - 6;
/// Sine of the angle below which two edges are parallel and have no common normal.
pub(super) const PARALLEL: f64 = 1e-11;

/// Sine of the angle below which their common normal is so uncertain that its separation is checked at all vertices.
pub(super) const CHECKED: f64 = 1e-6;

/// Where the second body is in the axes of the first.
pub struct Relative {
    pub rotation: DMat3,
    pub inverse: DMat3,
    position: DVec3,
}

impl Relative {
    pub fn new(first: &Pose<Volume>, second: &Pose<Volume>) -> Self {
        let rotation = DMat3::from_quat(first.rotation.conjugate() * second.rotation);
        let position = first.inverse_point(second.position);
        Self { rotation, inverse: rotation.transpose(), position }
    }
    /// A point of the second, in the axes of the first.
    #[inline]
    pub fn point(&self, second: DVec3) -> DVec3 {
        self.rotation * second + self.position
    }
    /// A point of the first, in the axes of the second.
    #[inline]
    pub fn back(&self, first: DVec3) -> DVec3 {
        self.inverse * (first - self.position)
    }
}

/// The face of a polyhedron that separates it most from a set of points.
#[derive(Clone, Copy)]
pub struct FaceAxis {
    pub face: usize,
    pub separation: f64,
    /// The lowest point over that face.
    pub vertex: usize,
}

impl FaceAxis {
    /// The axis of a face, whether it separates or not.
    #[inline]
    pub fn new(p: &Polyhedron, face: usize, points: &[DVec3]) -> Self {
        let plane = &p.facets()[face].plane;
        let (mut vertex, mut separation) = (0, f64::INFINITY);
        for (i, &point) in points.iter().enumerate() {
            let distance = plane.distance(point);
            if distance < separation {
                (vertex, separation) = (i, distance);
            }
        }
        Self { face, separation, vertex }
    }
}

/// Finds that face for points around `inner`; a face wins over an earlier one by `slack` only.
pub fn face_axis(p: &Polyhedron, inner: DVec3, points: &[DVec3], slack: f64) -> FaceAxis {
    let over = |face: usize| FaceAxis::new(p, face, points);
    let (mut guess, mut highest) = (0, f64::NEG_INFINITY);
    for (face, facet) in p.facets().iter().enumerate() {
        let distance = facet.plane.distance(inner);
        if distance > highest {
            (guess, highest) = (face, distance);
        }
    }
    let mut best = over(guess);
    for (face, facet) in p.facets().iter().enumerate() {
        if facet.plane.distance(points[best.vertex]) > best.separation + slack {
            let next = over(face);
            if next.separation > best.separation + slack {
                best = next;
            }
        }
    }
    best
}

/// Two edges and their common normal, from the first to the second, in the axes of the first.
pub struct EdgeAxis {
    pub edges: [usize; 2],
    pub separation: f64,
    pub normal: DVec3,
}

/// The edge pair with the largest separation above `floor`, if any.
///
/// `q_vertices` are in the axes of the first. `inner[0]` are points of the second polyhedron in the axes of the first, `inner[1]` the reverse.
pub fn edge_axis(
    [p, q]: [&Polyhedron; 2],
    relative: &Relative,
    q_vertices: &[DVec3],
    inner: [[DVec3; 2]; 2],
    floor: f64,
) -> Option<EdgeAxis> {
    let mut open = ArrayVec::<u16, MOST_EDGES>::new();
    for (i, edge) in p.edge_list().iter().enumerate() {
        if may_separate(p, edge, &inner[0], floor) {
            open.push(i as u16);
        }
    }
    if open.is_empty() {
        return None;
    }
    let (mut best, mut floor) = (None, floor);
    for (j, edge) in q.edge_list().iter().enumerate() {
        if !may_separate(q, edge, &inner[1], floor) {
            continue;
        }
        let second = Arc::new(q, edge);
        let second = Arc {
            start: relative.point(second.start),
            direction: relative.rotation * second.direction,
            // The second polyhedron is subtracted: its normals are reversed.
            normals: second.normals.map(|n| -(relative.rotation * n)),
        };
        for &i in &open {
            let first = Arc::new(p, &p.edge_list()[usize::from(i)]);
            let Some((mut separation, normal)) = first.separation(&second) else { continue };
            if separation > floor && first.sine(&second) < CHECKED {
                separation = -highest(q_vertices, -normal) - p.highest(normal);
            }
            if separation > floor {
                floor = separation;
                best = Some(EdgeAxis { edges: [usize::from(i), j], separation, normal });
            }
        }
    }
    best
}

/// Whether a normal between the two faces of an edge can separate more than `floor`.
#[inline]
fn may_separate(p: &Polyhedron, edge: &Edge, inner: &[DVec3], floor: f64) -> bool {
    let limit = if floor > 0.0 { floor * edge.cosine } else { floor };
    let planes = edge.faces.map(|f| &p.facets()[f as usize].plane);
    !inner.iter().any(|&x| planes.iter().all(|plane| plane.distance(x) <= limit))
}

/// An edge with the normals of its faces: the ends of an arc on the Gauss map.
struct Arc {
    start: DVec3,
    direction: DVec3,
    normals: [DVec3; 2],
}

impl Arc {
    #[inline]
    fn new(p: &Polyhedron, edge: &Edge) -> Self {
        Self {
            start: p.vertices()[edge.ends[0] as usize],
            direction: edge.direction,
            normals: edge.faces.map(|f| p.facets()[f as usize].plane.normal),
        }
    }
    #[inline]
    fn sine(&self, other: &Self) -> f64 {
        self.direction.cross(other.direction).length()
    }
    /// Separation along the common normal, if it is a normal of both polyhedra.
    #[inline]
    fn separation(&self, other: &Self) -> Option<(f64, DVec3)> {
        let [a, b] = self.normals.map(|n| n.dot(other.direction));
        if a * b >= 0.0 {
            return None;
        }
        let [c, d] = other.normals.map(|n| n.dot(self.direction));
        if c * d >= 0.0 || c * b <= 0.0 {
            return None;
        }
        let across = self.direction.cross(other.direction);
        let sine = across.length();
        if sine < PARALLEL {
            return None;
        }
        let outward = across.dot(self.normals[0] + self.normals[1]);
        let normal = across * (outward.signum() / sine);
        // Of nearly parallel edges the cross product is right to ε/sine only. At right angles to
        // one edge to the last digit, it is so to the other too, and the separation is exact.
        let normal = (normal - self.direction * normal.dot(self.direction)).normalize();
        Some((normal.dot(other.start - self.start), normal))
    }
}
