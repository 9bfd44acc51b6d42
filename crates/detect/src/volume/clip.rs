//! Clipping one face against the sides of another (Sutherland & Hodgman 1974).
//!
//! Every corner of the clipped polygon is where two parts meet: a vertex of one polyhedron on the
//! face of the other, or two edges. So its feature does not depend on which face clips which.

use super::Polyhedron;
use arrayvec::ArrayVec;
use drystone_space::DVec3;

const MOST: usize = 2 * Polyhedron::MOST_VERTICES;

/// A clipped polygon: at most the vertices of both faces. Two buffers, as a cut writes while it
/// reads; they are large, so a patch is made once and filled in place.
pub(super) struct Patch {
    buffers: [ArrayVec<Corner, MOST>; 2],
    current: usize,
}

/// A corner of the clipped polygon, in the axes of the reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub point: DVec3,
    /// Distance from the reference face along its normal.
    pub gap: f64,
    /// The part of the reference polyhedron.
    pub reference: u32,
    /// The part of the other polyhedron.
    pub incident: u32,
    /// What the polygon's side from this corner to the next lies on.
    side: Line,
}

#[derive(Clone, Copy, Debug)]
enum Line {
    /// An edge of the incident polyhedron.
    Incident(u32),
    /// A side of the reference face.
    Reference(usize),
}

impl Patch {
    pub fn new() -> Self {
        Self { buffers: [ArrayVec::new(), ArrayVec::new()], current: 0 }
    }
    pub fn corners(&self) -> &[Corner] {
        &self.buffers[self.current]
    }
    /// The smallest gap, infinite without corners.
    pub fn deepest(&self) -> f64 {
        self.corners().iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
    }
    /// Becomes the part of face `incident.1` that lies over face `reference.1`.
    ///
    /// `vertices` are those of the incident polyhedron in the axes of the reference. Corners up to
    /// `slack` beyond a side are kept as they are: vertices that lie on the sides stay vertices.
    pub fn clip(
        &mut self,
        reference: (&Polyhedron, usize),
        incident: (&Polyhedron, usize),
        vertices: &[DVec3],
        slack: f64,
    ) {
        let facet = &reference.0.facets()[reference.1];
        let slack = slack * facet.bluntness;
        self.fill(reference, incident, vertices);
        let mut distances = ArrayVec::<f64, MOST>::new();
        for (i, side) in facet.sides.iter().enumerate() {
            distances.clear();
            distances.extend(self.corners().iter().map(|c| side.plane.distance(c.point)));
            if distances.iter().any(|&d| d > slack) {
                self.cut(&distances, slack, |line| corner(reference, incident, i, line));
            }
        }
        for corner in &mut self.buffers[self.current] {
            corner.gap = facet.plane.distance(corner.point);
        }
    }
    /// Takes the whole incident face.
    fn fill(
        &mut self,
        reference: (&Polyhedron, usize),
        incident: (&Polyhedron, usize),
        vertices: &[DVec3],
    ) {
        let face = reference.0.face_part(reference.1);
        let sides = &incident.0.facets()[incident.1].sides;
        let corners = incident.0.faces()[incident.1].iter().zip(sides).map(|(&v, side)| Corner {
            point: vertices[v as usize],
            gap: 0.0,
            reference: face,
            incident: incident.0.vertex_part(v as usize),
            side: Line::Incident(side.edge),
        });
        self.buffers[self.current].clear();
        self.buffers[self.current].extend(corners);
    }
    /// Keeps what is inside one side; `corner` names the new corner on a line.
    fn cut(&mut self, distances: &[f64], slack: f64, corner: impl Fn(Line) -> Corner) {
        let [x, y] = &mut self.buffers;
        let (from, kept) = if self.current == 0 { (x, y) } else { (y, x) };
        kept.clear();
        for (i, &here) in from.iter().enumerate() {
            let j = if i + 1 == from.len() { 0 } else { i + 1 };
            let (d, e) = (distances[i], distances[j]);
            let crossing = || {
                let point = here.point + (from[j].point - here.point) * (d / (d - e));
                Corner { point, ..corner(here.side) }
            };
            match (d <= slack, e <= slack) {
                (true, true) => kept.push(here),
                // A corner on the side itself is where the polygon leaves, or enters.
                (true, false) if d >= -slack => {
                    kept.push(Corner { side: corner(here.side).side, ..here });
                }
                (true, false) => {
                    kept.push(here);
                    kept.push(crossing());
                }
                (false, true) if e < -slack => {
                    kept.push(Corner { side: here.side, ..crossing() });
                }
                (false, _) => {}
            }
        }
        self.current = 1 - self.current;
    }
}

/// The parts that meet where side `i` of the reference cuts a side of the polygon.
fn corner(
    (reference, face): (&Polyhedron, usize),
    (incident, incident_face): (&Polyhedron, usize),
    i: usize,
    line: Line,
) -> Corner {
    let sides = &reference.facets()[face].sides;
    let (reference, incident) = match line {
        Line::Incident(edge) => {
            (reference.edge_part(sides[i].edge as usize), incident.edge_part(edge as usize))
        }
        // Two sides meet in the vertex where the later begins; the last and the first, where it
        // ends. Other sides meet outside the face: a later cut removes that corner.
        Line::Reference(other) => {
            let closes = i + 1 == sides.len() && other == 0;
            let vertex = reference.faces()[face][if closes { 0 } else { i }];
            (reference.vertex_part(vertex as usize), incident.face_part(incident_face))
        }
    };
    Corner { point: DVec3::ZERO, gap: 0.0, reference, incident, side: Line::Reference(i) }
}
