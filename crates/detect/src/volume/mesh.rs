//! Meshes of triangles as they come from elsewhere: what is wrong with them, their pieces, what they enclose.

use super::{Polyhedron, Surface, solid};
use crate::{ShapeError, Solid};
use drystone_space::{DVec3, Volume};
use std::collections::HashMap;

/// Heights over a face below this share of the mesh's size are none: a mesh written in single precision is flat to 1e-7.
const FLAT: f64 = 1e-6;

/// Triangles of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Places of the corners.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The face of the file, from 1, that each triangle is of.
    pub faces: Vec<usize>,
}

/// What may be wrong with a mesh: faces by their numbers in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defects {
    /// Without an area.
    pub flat: Vec<usize>,
    /// Side by side, one of them turned over.
    pub turned: Vec<[usize; 2]>,
    /// More than two at one edge: the first three of each.
    pub crowded: Vec<[usize; 3]>,
    /// With nothing beyond one of their edges.
    pub rims: Vec<usize>,
}

/// Where a closed mesh is not convex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reflex {
    /// The two faces at the edge.
    pub faces: [usize; 2],
    /// How far the one reaches over the other.
    pub height: f64,
}

impl Mesh {
    /// Lengths of the box around it.
    pub fn size(&self) -> DVec3 {
        let low = self.vertices.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = self.vertices.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        if self.vertices.is_empty() { DVec3::ZERO } else { high - low }
    }

    /// The same mesh with vertices joined that are at most so far from each other; the first of them stays.
    pub fn welded(&self, reach: f64) -> Self {
        let cell = |p: DVec3| match reach > 0.0 {
            true => (p / reach).floor().to_array().map(|x| x as i64),
            // Zero and minus zero are one place.
            false => (p + DVec3::ZERO).to_array().map(|x| x.to_bits() as i64),
        };
        let mut at: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        let mut vertices: Vec<DVec3> = Vec::new();
        let mut stands_for = Vec::with_capacity(self.vertices.len());
        for &point in &self.vertices {
            let home = cell(point);
            let around = if reach > 0.0 { -1..=1 } else { 0..=0 };
            let mut same = None;
            for (i, j, k) in around.clone().flat_map(|i| {
                let around = around.clone();
                around.clone().flat_map(move |j| around.clone().map(move |k| (i, j, k)))
            }) {
                let [x, y, z] = home;
                let near = at.get(&[x + i, y + j, z + k]).into_iter().flatten();
                let close = near.copied().find(|&v| vertices[v as usize].distance(point) <= reach);
                same = same.or(close);
            }
            stands_for.push(same.unwrap_or_else(|| {
                vertices.push(point);
                at.entry(home).or_default().push(vertices.len() as u32 - 1);
                vertices.len() as u32 - 1
            }));
        }
        let triangles = self.triangles.iter().map(|t| t.map(|v| stands_for[v as usize])).collect();
        Self { vertices, triangles, faces: self.faces.clone() }
    }

    /// The same mesh with all faces turned over.
    pub fn turned(mut self) -> Self {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    fn area(&self, triangle: &[u32; 3]) -> DVec3 {
        let [a, b, c] = triangle.map(|v| self.vertices[v as usize]);
        (b - a).cross(c - a)
    }

    /// Without the triangles that have no area: those whose height is below a share of their longest side.
    pub fn without_flat(mut self) -> Self {
        let keep: Vec<bool> = self.triangles.iter().map(|t| !self.is_flat(t)).collect();
        let mut kept = keep.iter();
        self.triangles.retain(|_| kept.next() == Some(&true));
        let mut kept = keep.iter();
        self.faces.retain(|_| kept.next() == Some(&true));
        self
    }

    fn is_flat(&self, triangle: &[u32; 3]) -> bool {
        let [a, b, c] = triangle.map(|v| self.vertices[v as usize]);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let wide = self.area(triangle).length() > 1e-12 * longest * longest;
        !wide
    }

    /// The triangles at each edge, whichever way round, in the order of the edges' first triangles.
    fn edges(&self) -> Vec<([u32; 2], Vec<usize>)> {
        let mut number: HashMap<[u32; 2], usize> = HashMap::new();
        let mut edges: Vec<([u32; 2], Vec<usize>)> = Vec::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            for i in 0..3 {
                let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
                let ends = [a.min(b), a.max(b)];
                let edge = *number.entry(ends).or_insert_with(|| {
                    edges.push((ends, Vec::new()));
                    edges.len() - 1
                });
                edges[edge].1.push(index);
            }
        }
        edges
    }

    fn runs(&self, triangle: usize, [a, b]: [u32; 2]) -> bool {
        let t = self.triangles[triangle];
        (0..3).any(|i| [t[i], t[(i + 1) % 3]] == [a, b])
    }

    /// What is wrong with it.
    pub fn defects(&self) -> Defects {
        let mut defects = Defects::default();
        let flat = self.triangles.iter().zip(&self.faces).filter(|(t, _)| self.is_flat(t));
        defects.flat.extend(flat.map(|(_, &face)| face));
        for (ends, at) in self.edges() {
            match *at.as_slice() {
                [only] => defects.rims.push(self.faces[only]),
                [one, other] if self.runs(one, ends) == self.runs(other, ends) => {
                    defects.turned.push([self.faces[one], self.faces[other]]);
                }
                [_, _] => {}
                _ => defects.crowded.push([0, 1, 2].map(|i| self.faces[at[i]])),
            }
        }
        defects
    }

    /// Its parts that share no edge, in the order of their first faces.
    pub fn pieces(&self) -> Vec<Self> {
        let mut leader: Vec<usize> = (0..self.triangles.len()).collect();
        fn find(leader: &mut [usize], mut i: usize) -> usize {
            while leader[i] != i {
                leader[i] = leader[leader[i]];
                i = leader[i];
            }
            i
        }
        for (_, at) in self.edges() {
            for pair in at.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|i| find(&mut leader, i));
                leader[a.max(b)] = a.min(b);
            }
        }
        let mut pieces: Vec<Self> = Vec::new();
        let mut piece_of: HashMap<usize, usize> = HashMap::new();
        let mut vertex_of: Vec<HashMap<u32, u32>> = Vec::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            let first = find(&mut leader, index);
            let number = *piece_of.entry(first).or_insert_with(|| {
                pieces.push(Self::default());
                vertex_of.push(HashMap::new());
                pieces.len() - 1
            });
            let (piece, known) = (&mut pieces[number], &mut vertex_of[number]);
            let corners = triangle.map(|v| {
                *known.entry(v).or_insert_with(|| {
                    piece.vertices.push(self.vertices[v as usize]);
                    piece.vertices.len() as u32 - 1
                })
            });
            piece.triangles.push(corners);
            piece.faces.push(self.faces[index]);
        }
        pieces
    }

    /// What a closed mesh encloses; the volume is negative if it is inside out.
    pub fn solid(&self) -> Solid<Volume> {
        let faces: Vec<Vec<u32>> = self.triangles.iter().map(|t| t.to_vec()).collect();
        solid::of_polyhedron(&self.vertices, &faces)
    }

    /// The edge of a closed mesh at which a face reaches farthest over its neighbour; none if it is convex.
    pub fn reflex(&self) -> Option<Reflex> {
        let slight = FLAT * self.size().max_element();
        let mut worst: Option<Reflex> = None;
        for (ends, at) in self.edges() {
            let &[one, other] = at.as_slice() else { continue };
            let normal = self.area(&self.triangles[one]).normalize_or_zero();
            let tip = self.triangles[other].into_iter().find(|v| !ends.contains(v));
            let arm = tip.map(|v| self.vertices[v as usize] - self.vertices[ends[0] as usize]);
            let height = arm.map_or(0.0, |arm| normal.dot(arm));
            if height > worst.map_or(slight, |w| w.height) {
                worst = Some(Reflex { faces: [one, other].map(|i| self.faces[i]), height });
            }
        }
        worst
    }

    /// The convex hull, as a body that has what the mesh encloses.
    ///
    /// # Errors
    /// As of [`Polyhedron::hull`].
    pub fn hull(&self) -> Result<Polyhedron, ShapeError> {
        Ok(Polyhedron::hull(&self.vertices)?.standing_for(self.solid()))
    }

    /// The mesh as a surface.
    pub fn surface(self, two_sided: bool) -> Surface {
        Surface::new(self.vertices, &self.triangles, two_sided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of edge 2 in twelve triangles, each with corners of its own, as in STL.
    fn cube() -> Mesh {
        let block = Polyhedron::cuboid(DVec3::splat(2.0)).unwrap();
        let mut mesh = Mesh::default();
        for face in block.faces() {
            for i in 1..face.len() - 1 {
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend([0, i, i + 1].map(|k| block.vertices()[face[k] as usize]));
                mesh.triangles.push([first, first + 1, first + 2]);
                mesh.faces.push(mesh.triangles.len());
            }
        }
        mesh
    }

    #[test]
    fn a_cube_is_welded_closed_and_convex() {
        assert_eq!(cube().defects().rims.len(), 36);
        for reach in [0.0, 1e-6] {
            let mesh = cube().welded(reach);
            assert_eq!(mesh.vertices.len(), 8);
            assert_eq!(mesh.defects(), Defects::default());
            assert_eq!(mesh.reflex(), None);
            let solid = mesh.solid();
            assert!((solid.measure - 8.0).abs() < 1e-14 && solid.centre.length() < 1e-15);
            assert!((mesh.turned().solid().measure + 8.0).abs() < 1e-14);
        }
    }

    #[test]
    fn faces_that_are_wrong_are_named() {
        let mut mesh = cube().welded(0.0);
        mesh.triangles[4].swap(0, 1);
        let turned = mesh.defects().turned;
        assert_eq!(turned.len(), 3);
        assert!(turned.iter().all(|pair| pair.contains(&5)));
        mesh = cube().welded(0.0);
        mesh.triangles.pop();
        mesh.faces.pop();
        assert_eq!(mesh.defects().rims.len(), 3);
        mesh = cube().welded(0.0);
        mesh.triangles.push(mesh.triangles[0]);
        mesh.faces.push(13);
        assert_eq!(mesh.defects().crowded.len(), 3);
        mesh = cube().welded(0.0);
        mesh.triangles.push([0, 0, 1]);
        mesh.faces.push(13);
        assert_eq!(mesh.defects().flat, [13]);
    }

    #[test]
    fn two_cubes_are_two_pieces_and_a_notch_is_found() {
        let mut mesh = cube();
        let far = cube();
        let count = mesh.vertices.len() as u32;
        mesh.vertices.extend(far.vertices.iter().map(|&v| v + DVec3::X * 5.0));
        mesh.triangles.extend(far.triangles.iter().map(|t| t.map(|v| v + count)));
        mesh.faces.extend(13..=24);
        let pieces = mesh.welded(0.0).pieces();
        assert_eq!(pieces.iter().map(|p| p.faces[0]).collect::<Vec<_>>(), [1, 13]);
        assert!((pieces[1].solid().centre - DVec3::X * 5.0).length() < 1e-14);
        // A corner pushed in makes a notch.
        let mut notched = cube().welded(0.0);
        notched.vertices[0] *= 0.25;
        assert!(notched.reflex().is_some_and(|r| r.height > 0.1));
    }
}
