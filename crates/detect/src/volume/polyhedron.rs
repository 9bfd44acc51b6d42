//! Convex polyhedra.
//!
//! Parts are numbered in one sequence: first the vertices, then the edges, then the faces. Two
//! parts that meet make the feature of a touch, see [`Polyhedron::feature`].

use super::{hull, solid};
use crate::{ShapeError, Solid};
use drystone_space::{DVec3, Volume};
use std::collections::HashMap;
use std::sync::Arc;

/// A convex polyhedron; copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    data: Arc<Data>,
}

#[derive(Clone, Debug, PartialEq)]
struct Data {
    vertices: Vec<DVec3>,
    /// Vertex indices of each face, counter-clockwise seen from outside; coplanar triangles merged.
    faces: Vec<Vec<u32>>,
    facets: Vec<Facet>,
    edges: Vec<Edge>,
    /// Faces around each vertex.
    around: Vec<Vec<u32>>,
    centre: DVec3,
    radius: f64,
    width: f64,
    solid: Solid<Volume>,
}

/// Sine of half the angle below which a corner of a face is sharp.
const SHARP: f64 = 0.1;

/// Which edge runs between two vertices, in either direction.
type EdgeAt = HashMap<[u32; 2], u32>;

/// The half-space `normal · x ≤ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Boundary {
    /// Unit normal that points outward.
    pub normal: DVec3,
    pub offset: f64,
}

impl Boundary {
    /// Signed distance of a point: positive outside.
    #[inline(always)]
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// A face as pair tests use it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Facet {
    pub plane: Boundary,
    /// Side `i` runs from vertex `i` of the loop to the next.
    pub sides: Vec<Side>,
    /// What is beyond two sides by no more than this share of a length is not much farther than it from the face: 1 unless
    /// it has sharp corners.
    pub bluntness: f64,
}

/// One side of a face: the edge, and the plane through it upright on the face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Side {
    pub plane: Boundary,
    pub edge: u32,
}

/// An edge and the two faces that it joins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    pub ends: [u32; 2],
    /// The edge runs counter-clockwise about the first face, clockwise about the second: its
    /// direction is that of `first normal × second normal`.
    pub faces: [u32; 2],
    /// Unit vector from the first end to the second.
    pub direction: DVec3,
    /// Cosine of half the angle between the normals of the two faces.
    pub cosine: f64,
}

impl Edge {
    /// A bound on the height of a point along the normals between those of the two faces, over which it is this high.
    ///
    /// A normal between is α m + β n with α, β ≥ 0 and 1 ≤ α + β ≤ 1/cosine. Where the lower height is less than the higher
    /// one's part along its face, the point is highest along the normal of the other.
    #[inline]
    pub fn bound(&self, one: f64, other: f64) -> f64 {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        let level = high <= 0.0 || low <= high * (2.0 * self.cosine * self.cosine - 1.0);
        if level { high } else { high / self.cosine }
    }
}

impl Polyhedron {
    /// Most vertices that a polyhedron may have, so that pair tests need no memory but the stack.
    pub const MOST_VERTICES: usize = 256;

    /// The convex hull of points.
    ///
    /// Points inside, on a face or on an edge are dropped, coplanar triangles are one face. What
    /// lies nearer than 2⁻³⁶ of the half-extent counts as one point, or as in one plane.
    ///
    /// # Errors
    /// If a coordinate is not finite, if fewer than four points differ, if all lie in one plane, or
    /// if the hull has more than [`Self::MOST_VERTICES`] vertices.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        let hull::Hull { vertices, loops: faces } = hull::hull(points)?;
        if vertices.len() > Self::MOST_VERTICES {
            let (found, most) = (vertices.len(), Self::MOST_VERTICES);
            return Err(ShapeError::TooManyVertices { found, most });
        }
        let planes: Vec<_> = faces.iter().map(|f| plane(&vertices, f)).collect();
        let (edges, edge_at) = edges(&vertices, &faces, &planes)?;
        let facets = faces.iter().zip(&planes).map(|(f, &p)| facet(&vertices, f, p, &edge_at));
        let mut around = vec![Vec::new(); vertices.len()];
        for (i, face) in faces.iter().enumerate() {
            face.iter().for_each(|&v| around[v as usize].push(i as u32));
        }
        let centre = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let radius = vertices.iter().map(|v| v.distance(centre)).fold(0.0, f64::max);
        let facets = facets.collect();
        let solid = solid::of_polyhedron(&vertices, &faces);
        let width = planes.iter().map(|p| width(&vertices, p)).fold(f64::INFINITY, f64::min);
        let data = Data { vertices, faces, facets, edges, around, centre, radius, width, solid };
        Ok(Self { data: Arc::new(data) })
    }
    /// The same shape with the volume, centre and inertia of what it stands for.
    pub fn standing_for(mut self, solid: Solid<Volume>) -> Self {
        Arc::make_mut(&mut self.data).solid = solid;
        self
    }
    /// A box about the origin with these edge lengths.
    ///
    /// # Errors
    /// If a length is zero or not finite.
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
    /// Vertex indices of the two ends of each edge.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.data.edges.iter().map(|e| e.ends)
    }
    /// The two faces of each edge.
    pub fn edge_faces(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.data.edges.iter().map(|e| e.faces)
    }
    /// The unit normal of a face, outward.
    ///
    /// # Panics
    /// If there is no such face.
    pub fn normal(&self, face: usize) -> DVec3 {
        self.data.facets[face].plane.normal
    }

    pub(super) fn facets(&self) -> &[Facet] {
        &self.data.facets
    }
    pub(super) fn edge_list(&self) -> &[Edge] {
        &self.data.edges
    }
    pub(super) fn ends(&self, edge: &Edge) -> [DVec3; 2] {
        edge.ends.map(|v| self.data.vertices[v as usize])
    }
    pub(super) fn faces_around(&self, vertex: usize) -> &[u32] {
        &self.data.around[vertex]
    }
    /// The mean of the vertices: a point inside.
    pub(super) fn centre(&self) -> DVec3 {
        self.data.centre
    }
    /// How far the farthest vertex is from the centre.
    pub(super) fn radius(&self) -> f64 {
        self.data.radius
    }
    /// The height of the highest vertex along a direction.
    pub(super) fn highest(&self, direction: DVec3) -> f64 {
        highest(&self.data.vertices, direction)
    }
    pub(super) fn width(&self) -> f64 {
        self.data.width
    }
    pub(super) fn solid(&self) -> Solid<Volume> {
        self.data.solid
    }

    pub(super) fn vertex_part(&self, vertex: usize) -> u32 {
        vertex as u32
    }
    pub(super) fn edge_part(&self, edge: usize) -> u32 {
        (self.data.vertices.len() + edge) as u32
    }
    pub(super) fn face_part(&self, face: usize) -> u32 {
        (self.data.vertices.len() + self.data.edges.len() + face) as u32
    }
    /// The feature at which a part of the first polyhedron meets a part of the second: the first
    /// in the high half, the second in the low one. With 256 vertices there are at most 1526 parts.
    pub(super) fn feature(first: u32, second: u32) -> u32 {
        first << 16 | second
    }
}

/// The plane of a face: Newell's normal, and no vertex of the hull outside.
fn plane(vertices: &[DVec3], face: &[u32]) -> Boundary {
    let arm = |i: usize| vertices[face[i] as usize] - vertices[face[0] as usize];
    let normal = (1..face.len() - 1).map(|i| arm(i).cross(arm(i + 1))).sum::<DVec3>().normalize();
    Boundary { normal, offset: highest(vertices, normal) }
}

pub(super) fn highest(vertices: &[DVec3], direction: DVec3) -> f64 {
    vertices.iter().map(|&v| direction.dot(v)).fold(f64::NEG_INFINITY, f64::max)
}

/// Distance between a face and the vertex farthest from it.
fn width(vertices: &[DVec3], plane: &Boundary) -> f64 {
    plane.offset + highest(vertices, -plane.normal)
}

/// Every edge once, and which edge runs between two vertices in either direction.
fn edges(
    vertices: &[DVec3],
    faces: &[Vec<u32>],
    planes: &[Boundary],
) -> Result<(Vec<Edge>, EdgeAt), ShapeError> {
    let sides = |face: &[u32]| {
        let next = face.iter().cycle().skip(1).copied();
        face.iter().copied().zip(next).map(|(a, b)| [a, b]).collect::<Vec<_>>()
    };
    let mut face_at = HashMap::new();
    for (i, face) in faces.iter().enumerate() {
        sides(face).into_iter().for_each(|side| {
            face_at.insert(side, i as u32);
        });
    }
    let (mut edges, mut edge_at) = (Vec::new(), HashMap::new());
    for (i, face) in faces.iter().enumerate() {
        for ends in sides(face).into_iter().filter(|&[a, b]| a < b) {
            let [a, b] = ends;
            let other = *face_at.get(&[b, a]).ok_or(ShapeError::Degenerate)?;
            let normals = [i, other as usize].map(|f| planes[f].normal);
            let direction = (vertices[b as usize] - vertices[a as usize]).normalize();
            let cosine = ((normals[0] + normals[1]).length() * 0.5).min(1.0);
            edge_at.insert([a, b], edges.len() as u32);
            edge_at.insert([b, a], edges.len() as u32);
            edges.push(Edge { ends, faces: [i as u32, other], direction, cosine });
        }
    }
    // Euler's formula holds for every closed surface without holes.
    let closed = edge_at.len() == face_at.len() && vertices.len() + faces.len() == edges.len() + 2;
    if closed { Ok((edges, edge_at)) } else { Err(ShapeError::Degenerate) }
}

fn facet(vertices: &[DVec3], face: &[u32], plane: Boundary, edge_at: &EdgeAt) -> Facet {
    let side = |i: usize| {
        let ends = [face[i], face[(i + 1) % face.len()]];
        let [a, b] = ends.map(|v| vertices[v as usize]);
        let normal = (b - a).cross(plane.normal).normalize();
        Side { plane: Boundary { normal, offset: normal.dot(a) }, edge: edge_at[&ends] }
    };
    let sides: Vec<_> = (0..face.len()).map(side).collect();
    // The sine of half the angle at a corner is the cosine of half the angle between the normals of its sides.
    let turns = (0..sides.len()).map(|i| {
        let next = &sides[(i + 1) % sides.len()];
        0.5 * (sides[i].plane.normal + next.plane.normal).length()
    });
    let sharpest = turns.fold(1.0, f64::min);
    Facet { plane, sides, bluntness: if sharpest > SHARP { 1.0 } else { sharpest } }
}
