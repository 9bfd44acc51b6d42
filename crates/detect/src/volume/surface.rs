//! Surfaces made of triangles, and the triangle as a shape.
//!
//! A triangle touches by its face, an edge or a corner. Of an edge between two faces and of a corner between several, only the
//! directions belong to it that no face around it has: the normals between those of the faces, where the surface is convex.
//! They are told by what leads away from it. With sᵢ the directions in the faces at right angles to an edge, out of each face,
//! a unit direction d from the surface to a body belongs to the edge if d·s₁ ≥ 0 and d·s₂ ≥ 0; with uₖ the edges that leave a
//! corner, it belongs to the corner if d·uₖ ≤ 0 for all of them. An edge between faces in one plane, or in a valley, has none: a
//! ball that rolls over it feels the faces alone. What belongs to an edge or a corner is told by one triangle, its owner.

use drystone_space::{DVec2, DVec3, math};
use std::collections::HashMap;
use std::sync::Arc;

/// Cosine by which a direction may miss those of an edge or a corner: rounding of triangles that are not large.
const BESIDE: f64 = 1e-9;

/// Triangles that know their neighbours; copies share their data.
#[derive(Clone, Debug)]
pub struct Surface {
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    faces: Vec<Face>,
    corners: Vec<Corner>,
    /// Unit directions of the edges that leave each vertex, one vertex after the other.
    leaving: Vec<DVec3>,
    two_sided: bool,
}

/// A triangle with what is around it.
#[derive(Debug, PartialEq)]
struct Face {
    normal: DVec3,
    sides: [Side; 3],
}

/// Side `i` runs from corner `i` to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    /// In the face, at right angles to the side, out of the triangle.
    outward: DVec3,
    /// The same of the face beyond; `None` at a rim.
    beyond: Option<DVec3>,
    /// Whether this triangle tells of the edge.
    owned: bool,
    /// Sum of the normals of both faces.
    between: DVec3,
}

#[derive(Debug, PartialEq)]
struct Corner {
    owner: u32,
    /// Where its edges begin and end among all that leave.
    leaving: [u32; 2],
    /// Sum of the normals around it, each weighted with its angle.
    between: DVec3,
    /// Whether it lies at a rim.
    rim: bool,
}

impl PartialEq for Surface {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data) || self.data == other.data
    }
}

impl Surface {
    /// A surface of triangles, counter-clockwise seen from where it is touched; from both sides if `two_sided`.
    ///
    /// Vertices that are joined must be the same vertex. Triangles without an area are left out; the sides of more than
    /// two triangles count as rims.
    ///
    /// # Panics
    /// If a triangle names a vertex that there is none of.
    pub fn new(vertices: Vec<DVec3>, triangles: &[[u32; 3]], two_sided: bool) -> Self {
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            (b - a).cross(c - a)
        };
        let real = |t: &&[u32; 3]| area(t).try_normalize().is_some();
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(real).copied().collect();
        let normals: Vec<DVec3> = triangles.iter().map(|t| area(t).normalize()).collect();
        let faces = faces(&vertices, &triangles, &normals);
        let (corners, leaving) = corners(&vertices, &triangles, &normals, &faces);
        let data = Data { vertices, triangles, faces, corners, leaving, two_sided };
        Self { data: Arc::new(data) }
    }
    /// All its triangles as shapes.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = Triangle> {
        (0..self.data.triangles.len() as u32).map(|index| Triangle { surface: self.clone(), index })
    }
}

fn faces(vertices: &[DVec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<Face> {
    let side_of = |t: &[u32; 3], i: usize| [t[i], t[(i + 1) % 3]];
    let outward = |face: usize, [a, b]: [u32; 2]| {
        let along = vertices[b as usize] - vertices[a as usize];
        along.cross(normals[face]).normalize_or_zero()
    };
    let mut at: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (face, triangle) in triangles.iter().enumerate() {
        (0..3).for_each(|i| at.entry(side_of(triangle, i)).or_default().push(face));
    }
    let side = |face: usize, i: usize| {
        let ends @ [a, b] = side_of(&triangles[face], i);
        let alone = at[&ends].len() == 1;
        let other = at.get(&[b, a]).filter(|faces| alone && faces.len() == 1).map(|f| f[0]);
        Side {
            outward: outward(face, ends),
            beyond: other.map(|other| outward(other, [b, a])),
            owned: other.is_none_or(|other| face < other),
            between: normals[face] + other.map_or(DVec3::ZERO, |other| normals[other]),
        }
    };
    let face =
        |face: usize| Face { normal: normals[face], sides: [0, 1, 2].map(|i| side(face, i)) };
    (0..triangles.len()).map(face).collect()
}

fn corners(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    normals: &[DVec3],
    faces: &[Face],
) -> (Vec<Corner>, Vec<DVec3>) {
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
    let none = || Corner { owner: u32::MAX, leaving: [0; 2], between: DVec3::ZERO, rim: false };
    let mut corners: Vec<Corner> = vertices.iter().map(|_| none()).collect();
    for (index, triangle) in triangles.iter().enumerate() {
        for i in 0..3 {
            let [here, next, last] = [0, 1, 2].map(|k| triangle[(i + k) % 3] as usize);
            let corner = &mut corners[here];
            corner.owner = corner.owner.min(index as u32);
            let [u, v] = [next, last].map(|to| (vertices[to] - vertices[here]).normalize_or_zero());
            corner.between +=
                normals[index] * math::angle(DVec2::new(u.dot(v), u.cross(v).length()));
            let sides = [&faces[index].sides[i], &faces[index].sides[(i + 2) % 3]];
            corner.rim |= sides.into_iter().any(|side| side.beyond.is_none());
            around[here].extend([next as u32, last as u32]);
        }
    }
    let mut leaving = Vec::new();
    for (here, (corner, others)) in corners.iter_mut().zip(&mut around).enumerate() {
        others.sort_unstable();
        others.dedup();
        let first = leaving.len() as u32;
        let to = |&v: &u32| (vertices[v as usize] - vertices[here]).normalize_or_zero();
        leaving.extend(others.iter().map(to));
        corner.leaving = [first, leaving.len() as u32];
    }
    (corners, leaving)
}

/// One triangle of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangle {
    surface: Surface,
    index: u32,
}

/// The part of a triangle that touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Element {
    Face,
    Side(usize),
    Corner(usize),
}

/// What a triangle says of a direction in which one of its parts would be touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Say {
    /// It is touched there, from the front.
    Mine,
    /// The direction belongs to it, from the front, but another triangle tells of it.
    Theirs,
    /// It is touched there, from behind.
    Behind,
    /// No contact is there.
    None,
}

impl Triangle {
    /// A triangle by itself, touched from both sides.
    pub fn alone(corners: [DVec3; 3]) -> Option<Self> {
        Surface::new(corners.to_vec(), &[[0, 1, 2]], true).triangles().next()
    }
    /// Its corners, counter-clockwise seen from the front.
    #[inline]
    pub fn corners(&self) -> [DVec3; 3] {
        let data = &self.surface.data;
        data.triangles[self.index as usize].map(|v| data.vertices[v as usize])
    }
    /// Its unit normal, toward the front.
    #[inline]
    pub fn normal(&self) -> DVec3 {
        self.face().normal
    }
    /// Whether it is touched from both sides.
    #[inline]
    pub fn is_two_sided(&self) -> bool {
        self.surface.data.two_sided
    }
    /// The sides that stick out, as the numbers of their ends with the normals of the faces beside them: each is told by one
    /// triangle only.
    pub fn edges(&self) -> impl Iterator<Item = ([usize; 2], [DVec3; 2])> {
        let normal = self.normal();
        let sides = self.face().sides.iter().enumerate();
        sides.filter(move |(_, side)| side.owned && side.sticks_out(normal)).map(
            move |(i, side)| {
                let other = if side.beyond.is_some() { side.between - normal } else { -normal };
                ([i, (i + 1) % 3], [normal, other])
            },
        )
    }
    /// The number of a corner that this triangle tells of, and where it is.
    pub fn owned_corners(&self) -> impl Iterator<Item = (usize, DVec3)> {
        let at = self.corners();
        (0..3).filter(|&i| self.corner(i).owner == self.index).map(move |i| (i, at[i]))
    }

    fn face(&self) -> &Face {
        &self.surface.data.faces[self.index as usize]
    }
    fn corner(&self, i: usize) -> &Corner {
        let data = &self.surface.data;
        &data.corners[data.triangles[self.index as usize][i] as usize]
    }
    /// In the plane of the triangle, at right angles to a side, outward.
    #[inline]
    pub(super) fn outward(&self, side: usize) -> DVec3 {
        self.face().sides[side].outward
    }
    /// The normal of the face beyond a side, if both stick out there or lie in one plane.
    #[inline]
    pub(super) fn normal_beyond(&self, side: usize, normal: DVec3) -> Option<DVec3> {
        let own = self.normal();
        let side = &self.face().sides[side];
        let sticks_out = side.beyond?.dot(normal) > -BESIDE;
        sticks_out.then_some((side.between - own) * own.dot(normal).signum())
    }
    /// Whether a direction from a part of it, other than the face, to a body belongs to that part.
    pub(super) fn say(&self, part: Element, direction: DVec3) -> Say {
        let (belongs, owned, between, rim) = match part {
            Element::Face => return Say::Mine,
            Element::Side(i) => {
                let side = &self.face().sides[i];
                let away = |s: DVec3| direction.dot(s) >= -BESIDE;
                let belongs = away(side.outward) && side.beyond.is_none_or(away);
                (belongs, side.owned, side.between, side.beyond.is_none())
            }
            Element::Corner(i) => {
                let corner = self.corner(i);
                let [first, end] = corner.leaving.map(|k| k as usize);
                let edges = &self.surface.data.leaving[first..end];
                let belongs = edges.iter().all(|&u| direction.dot(u) <= BESIDE);
                (belongs, corner.owner == self.index, corner.between, corner.rim)
            }
        };
        let front = self.is_two_sided() || rim || direction.dot(between) > 0.0;
        match (belongs, front, owned) {
            (true, true, true) => Say::Mine,
            (true, true, false) => Say::Theirs,
            (true, false, true) => Say::Behind,
            _ => Say::None,
        }
    }
}

impl Side {
    /// Whether the faces beside it leave directions for it.
    fn sticks_out(&self, normal: DVec3) -> bool {
        self.beyond.is_none_or(|beyond| beyond.dot(normal) > BESIDE)
    }
}
