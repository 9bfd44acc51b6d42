//! Rounded polyhedra: all points within a radius of a polyhedron, its Minkowski sum with a ball.
//!
//! Distances are those of the polyhedra less the radii, in overlap too: from a point of a convex set to the boundary of what lies
//! within r of it, it is r farther than to its own. Volume, centre and inertia are sums over the polyhedron, a prism of height r on
//! each face, a sector of a cylinder along each edge and a sector of a ball at each vertex (Steiner 1840 for the volume).

use super::solid::{self, Moments};
use super::{Polyhedron, VolumeShape};
use crate::Solid;
use drystone_space::{DMat3, DVec2, DVec3, Volume, math};
use std::f64::consts::PI;
use std::sync::Arc;

/// A polyhedron with rounded edges and corners; copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounded {
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    core: Polyhedron,
    /// The core as a shape, as pair tests take it.
    shape: VolumeShape,
    radius: f64,
    solid: Solid<Volume>,
}

impl Rounded {
    /// All points within `radius` of a polyhedron.
    pub fn new(core: Polyhedron, radius: f64) -> Self {
        let solid = of_rounded(&core, radius);
        let shape = VolumeShape::Polyhedron(core.clone());
        Self { data: Arc::new(Data { core, shape, radius, solid }) }
    }
    /// The polyhedron.
    pub fn core(&self) -> &Polyhedron {
        &self.data.core
    }
    /// How far it reaches beyond the polyhedron.
    pub fn radius(&self) -> f64 {
        self.data.radius
    }
    pub(super) fn shape(&self) -> &VolumeShape {
        &self.data.shape
    }
    pub(super) fn solid(&self) -> Solid<Volume> {
        self.data.solid
    }
}

fn of_rounded(core: &Polyhedron, radius: f64) -> Solid<Volume> {
    let inner = core.centre();
    let arm = |v: u32| core.vertices()[v as usize] - inner;
    let mut moments = Moments::of_polyhedron(core.vertices(), core.faces(), inner);
    for (f, face) in core.faces().iter().enumerate() {
        for i in 1..face.len() - 1 {
            let corners = [face[0], face[i], face[i + 1]].map(arm);
            moments.add(&on_face(corners, core.normal(f), radius));
        }
    }
    for edge in core.edge_list() {
        let normals = edge.faces.map(|f| core.normal(f as usize));
        moments.add(&along_edge(edge.ends.map(arm), edge.direction, normals, radius));
    }
    for vertex in 0..core.vertices().len() {
        moments.add(&at_vertex(arm(vertex as u32), &normals_around(core, vertex), radius));
    }
    moments.solid(inner)
}

/// A prism of height r on a triangle of the area A: with s the sum of its corners, ∫x = A s/3 and ∫x xᵀ = A (Σ a aᵀ + s sᵀ)/12 over it.
fn on_face(corners: [DVec3; 3], normal: DVec3, r: f64) -> Moments {
    let [a, b, c] = corners;
    let area = 0.5 * (b - a).cross(c - a).length();
    let s = a + b + c;
    let first = s * (area / 3.0);
    let second = (outer(a) + outer(b) + outer(c) + outer(s)) * (area / 12.0);
    Moments {
        measure: area * r,
        first: first * r + normal * (0.5 * r * r * area),
        second: second * r
            + both(first, normal) * (0.5 * r * r)
            + outer(normal) * (area * math::powi(r, 3) / 3.0),
    }
}

/// A sector of a cylinder about an edge, between the normals of its faces.
///
/// With θ the angle between them, b the direction in their middle and c across, ∫n = 2 sin(θ/2) b and
/// ∫n nᵀ = ½ (θ + sin θ) b bᵀ + ½ (θ − sin θ) c cᵀ over the arc.
fn along_edge([p, q]: [DVec3; 2], along: DVec3, [m, n]: [DVec3; 2], r: f64) -> Moments {
    let angle = angle(m, n);
    let middle = (m + n).normalize();
    let across = along.cross(middle);
    let (sine, sine_of_half) = (math::sin(angle), math::sin(0.5 * angle));
    let length = p.distance(q);
    let area = 0.5 * angle * r * r;
    let arc = middle * (2.0 * sine_of_half * math::powi(r, 3) / 3.0);
    let square = (outer(middle) * (0.5 * (angle + sine)) + outer(across) * (0.5 * (angle - sine)))
        * (math::powi(r, 4) / 4.0);
    let line = (p + q) * (0.5 * length);
    let line_square = (outer(p) + outer(q) + outer(p + q)) * (length / 6.0);
    Moments {
        measure: area * length,
        first: line * area + arc * length,
        second: line_square * area + both(line, arc) + square * length,
    }
}

/// A sector of a ball about a vertex, seen under the normals around it, counter-clockwise from outside.
///
/// Over the polygon of the sphere between them, whose side i is an arc of the angle θᵢ with the unit vector νᵢ out of it,
/// ∫n = −½ Σ θᵢ νᵢ and, as Δ(n nᵀ) = 2 I − 6 n nᵀ on the sphere, ∫n nᵀ = Ω I/3 − ⅙ Σ (νᵢ sᵢᵀ + sᵢ νᵢᵀ), sᵢ the integral of n along
/// the arc.
fn at_vertex(vertex: DVec3, normals: &[DVec3], r: f64) -> Moments {
    let (mut first, mut second, mut solid_angle) = (DVec3::ZERO, DMat3::ZERO, 0.0);
    for (i, &m) in normals.iter().enumerate() {
        let n = normals[(i + 1) % normals.len()];
        let Some(outward) = n.cross(m).try_normalize() else { continue };
        let angle = angle(m, n);
        first -= outward * (0.5 * angle);
        let arc = (m + n) * math::tan(0.5 * angle);
        second -= both(outward, arc) * (1.0 / 6.0);
    }
    for pair in normals[1..].windows(2) {
        solid_angle += solid_angle_of([normals[0], pair[0], pair[1]]);
    }
    second += DMat3::IDENTITY * (solid_angle / 3.0);
    let measure = solid_angle * math::powi(r, 3) / 3.0;
    let first = first * (math::powi(r, 4) / 4.0);
    let second = second * (math::powi(r, 5) / 5.0);
    Moments {
        measure,
        first: vertex * measure + first,
        second: outer(vertex) * measure + both(vertex, first) + second,
    }
}

/// Of a triangle of the unit sphere (Van Oosterom & Strackee 1983), positive if it is counter-clockwise from outside.
fn solid_angle_of([a, b, c]: [DVec3; 3]) -> f64 {
    let half = math::angle(DVec2::new(1.0 + a.dot(b) + b.dot(c) + c.dot(a), a.dot(b.cross(c))));
    2.0 * if half < -PI { half + 2.0 * PI } else { half }
}

fn angle(m: DVec3, n: DVec3) -> f64 {
    math::angle(DVec2::new(m.dot(n), m.cross(n).length()))
}

/// The normals of the faces around a vertex, each next to the one before.
fn normals_around(core: &Polyhedron, vertex: usize) -> Vec<DVec3> {
    let faces = core.faces_around(vertex);
    let mut around = vec![faces[0] as usize];
    while around.len() < faces.len() {
        // Counter-clockwise about the vertex: the next face has the side that enters it, the other way round.
        let loop_of = &core.faces()[*around.last().unwrap_or(&0)];
        let at = loop_of.iter().position(|&v| v as usize == vertex).unwrap_or(0);
        let before = loop_of[(at + loop_of.len() - 1) % loop_of.len()];
        let leaves = |face: &usize| {
            let other = &core.faces()[*face];
            let next = |i: usize| other[(i + 1) % other.len()];
            (0..other.len()).any(|i| other[i] as usize == vertex && next(i) == before)
        };
        match faces.iter().map(|&f| f as usize).find(leaves) {
            Some(next) => around.push(next),
            None => break,
        }
    }
    around.into_iter().map(|f| core.normal(f)).collect()
}

fn outer(v: DVec3) -> DMat3 {
    solid::outer(v, v)
}

fn both(u: DVec3, v: DVec3) -> DMat3 {
    solid::outer(u, v) + solid::outer(v, u)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::Symmetric3;

    fn near(a: Symmetric3, b: Symmetric3, size: f64) {
        let off = (a.diagonal - b.diagonal).abs().max_element().max((a.off - b.off).length());
        assert!(off < 1e-13 * size, "{a:?} {b:?}");
    }

    #[test]
    fn a_rounded_box_by_hand() {
        // Edges 2, 3, 4 and radius 1/2: V = abc + 2 (ab + bc + ca) r + π (a + b + c) r² + 4/3 π r³.
        let (a, b, c, r) = (2.0, 3.0, 4.0, 0.5);
        let solid = of_rounded(&Polyhedron::cuboid(DVec3::new(a, b, c)).unwrap(), r);
        let volume = a * b * c
            + 2.0 * (a * b + b * c + c * a) * r
            + PI * (a + b + c) * r * r
            + 4.0 / 3.0 * PI * r * r * r;
        assert!((solid.measure - volume).abs() < 1e-12);
        assert!(solid.centre.length() < 1e-14);
        // ∫x² over it, by the lengths across: those of sections at x are rounded rectangles.
        let square = |a: f64, b: f64, c: f64| {
            let core = b * c * a.powi(3) / 12.0;
            let slabs = 2.0 * r * (b + c) * a.powi(3) / 12.0 + PI * r * r * a.powi(3) / 12.0;
            // Beyond x = a/2 by u: (b + 2w)(c + 2w) − (4 − π) w², w² = r² − u².
            let h = a / 2.0;
            let of = |f: &dyn Fn(f64) -> f64| {
                let n = 200_000;
                (0..n).map(|i| f((f64::from(i) + 0.5) / f64::from(n) * PI / 2.0)).sum::<f64>()
                    * (PI / 2.0 / f64::from(n))
            };
            let beyond = of(&|t| {
                let (u, w) = (r * t.sin(), r * t.cos());
                ((b + 2.0 * w) * (c + 2.0 * w) - (4.0 - PI) * w * w) * (h + u).powi(2) * w
            });
            core + slabs + 2.0 * beyond
        };
        let [x, y, z] = [square(a, b, c), square(b, c, a), square(c, a, b)];
        let expected = DVec3::new(y + z, z + x, x + y);
        assert!((solid.inertia.diagonal - expected).length() < 1e-8, "{:?}", solid.inertia);
        assert!(solid.inertia.off.length() < 1e-12);
    }

    #[test]
    fn a_box_that_is_nearly_a_segment_or_a_point_is_a_capsule_or_a_ball() {
        let thin = 1e-9;
        let capsule = of_rounded(&Polyhedron::cuboid(DVec3::new(thin, thin, 1.4)).unwrap(), 0.5);
        let exact = solid::of_capsule(0.7, 0.5);
        assert!((capsule.measure - exact.measure).abs() < 1e-8);
        assert!((capsule.inertia.diagonal - exact.inertia.diagonal).length() < 1e-8);
        let ball = of_rounded(&Polyhedron::cuboid(DVec3::splat(thin)).unwrap(), 0.5);
        assert!((ball.inertia.diagonal - solid::of_sphere(0.5).inertia.diagonal).length() < 1e-8);
    }

    #[test]
    fn parts_that_are_cut_apart_are_worth_the_whole() {
        // A ball of radius r about each of a tetrahedron's corners is cut into sectors by the normals around it: they make one ball.
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 1.1, 0.0), DVec3::new(0.3, 0.2, 0.9)];
        let core = Polyhedron::hull(&corners).unwrap();
        let mut sum = Moments::ZERO;
        for vertex in 0..4 {
            sum.add(&at_vertex(DVec3::ZERO, &normals_around(&core, vertex), 0.5));
        }
        let (all, ball) = (sum.solid(DVec3::ZERO), solid::of_sphere(0.5));
        assert!((all.measure - ball.measure).abs() < 1e-14 && all.centre.length() < 1e-15);
        near(all.inertia, ball.inertia, 1.0);
    }
}
