//! Elements: shape functions on reference elements, their sides, and where they are integrated.
//!
//! Lines, quadrilaterals and hexahedra have coordinates in [−1, 1]; triangles and tetrahedra have
//! barycentric ones, of which the first is left out. Nodes are numbered as in Gmsh files: corners
//! first, then the middle of each edge. Quadratic quadrilaterals and hexahedra are the serendipity
//! ones, of 8 and 20 nodes. Sides are listed so that their normal points outward.

use crate::quadrature::Rule;

/// Most nodes of an element.
pub const MOST_NODES: usize = 20;

/// A kind of element; lines and flat kinds are also the sides of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// A line of 2 nodes.
    Line2,
    /// A line of 3 nodes.
    Line3,
    /// A triangle of 3 nodes.
    Triangle3,
    /// A triangle of 6 nodes.
    Triangle6,
    /// A quadrilateral of 4 nodes.
    Quad4,
    /// A quadrilateral of 8 nodes.
    Quad8,
    /// A tetrahedron of 4 nodes.
    Tetra4,
    /// A tetrahedron of 10 nodes.
    Tetra10,
    /// A hexahedron of 8 nodes.
    Hexa8,
    /// A hexahedron of 20 nodes.
    Hexa20,
}

use ElementKind::*;

/// The family that a kind belongs to, whatever its order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Lines, quadrilaterals, hexahedra.
    Cube,
    /// Triangles, tetrahedra.
    Simplex,
}

const CUBE_CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
const SQUARE_EDGES: &[[u8; 2]] = &[[0, 1], [1, 2], [2, 3], [3, 0]];
const CUBE_EDGES: &[[u8; 2]] = &[
    [0, 1],
    [0, 3],
    [0, 4],
    [1, 2],
    [1, 5],
    [2, 3],
    [2, 6],
    [3, 7],
    [4, 5],
    [4, 7],
    [5, 6],
    [6, 7],
];
const TRIANGLE_EDGES: &[[u8; 2]] = &[[0, 1], [1, 2], [2, 0]];
const TETRA_EDGES: &[[u8; 2]] = &[[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];

/// Shape functions and their derivatives at one point.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Value of each node's function.
    pub values: [f64; MOST_NODES],
    /// Its derivatives by the reference coordinates.
    pub slopes: [[f64; 3]; MOST_NODES],
}

impl ElementKind {
    /// All kinds.
    pub const ALL: [ElementKind; 10] =
        [Line2, Line3, Triangle3, Triangle6, Quad4, Quad8, Tetra4, Tetra10, Hexa8, Hexa20];

    /// The name that users read.
    pub fn name(self) -> &'static str {
        match self {
            Line2 => "line2",
            Line3 => "line3",
            Triangle3 => "triangle3",
            Triangle6 => "triangle6",
            Quad4 => "quad4",
            Quad8 => "quad8",
            Tetra4 => "tetra4",
            Tetra10 => "tetra10",
            Hexa8 => "hexa8",
            Hexa20 => "hexa20",
        }
    }

    /// Number of nodes.
    pub fn nodes(self) -> usize {
        self.corners() + if self.quadratic() { self.edges().len() } else { 0 }
    }

    /// Number of reference coordinates.
    pub fn dimension(self) -> usize {
        match self {
            Line2 | Line3 => 1,
            Triangle3 | Triangle6 | Quad4 | Quad8 => 2,
            Tetra4 | Tetra10 | Hexa8 | Hexa20 => 3,
        }
    }

    /// Whether edges have a node in their middle.
    pub fn quadratic(self) -> bool {
        matches!(self, Line3 | Triangle6 | Quad8 | Tetra10 | Hexa20)
    }

    /// Number of corners.
    pub fn corners(self) -> usize {
        match self.family() {
            Family::Cube => 1 << self.dimension(),
            Family::Simplex => self.dimension() + 1,
        }
    }

    fn family(self) -> Family {
        match self {
            Triangle3 | Triangle6 | Tetra4 | Tetra10 => Family::Simplex,
            _ => Family::Cube,
        }
    }

    /// The corners that each edge joins, in the order of the middle nodes.
    pub fn edges(self) -> &'static [[u8; 2]] {
        match self {
            Line2 | Line3 => &[[0, 1]],
            Triangle3 | Triangle6 => TRIANGLE_EDGES,
            Quad4 | Quad8 => SQUARE_EDGES,
            Tetra4 | Tetra10 => TETRA_EDGES,
            Hexa8 | Hexa20 => CUBE_EDGES,
        }
    }

    /// The kind of the sides; `None` for lines.
    pub fn side_kind(self) -> Option<ElementKind> {
        match self {
            Line2 | Line3 => None,
            Triangle3 | Quad4 => Some(Line2),
            Triangle6 | Quad8 => Some(Line3),
            Tetra4 => Some(Triangle3),
            Tetra10 => Some(Triangle6),
            Hexa8 => Some(Quad4),
            Hexa20 => Some(Quad8),
        }
    }

    /// The nodes of each side, numbered as the side's own kind has them.
    pub fn sides(self) -> &'static [&'static [u8]] {
        match self {
            Line2 | Line3 => &[],
            Triangle3 => &[&[0, 1], &[1, 2], &[2, 0]],
            Triangle6 => &[&[0, 1, 3], &[1, 2, 4], &[2, 0, 5]],
            Quad4 => &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]],
            Quad8 => &[&[0, 1, 4], &[1, 2, 5], &[2, 3, 6], &[3, 0, 7]],
            Tetra4 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
            Tetra10 => &[
                &[0, 2, 1, 6, 5, 4],
                &[0, 1, 3, 4, 9, 7],
                &[1, 2, 3, 5, 8, 9],
                &[0, 3, 2, 7, 8, 6],
            ],
            Hexa8 => &[
                &[0, 3, 2, 1],
                &[4, 5, 6, 7],
                &[0, 1, 5, 4],
                &[1, 2, 6, 5],
                &[2, 3, 7, 6],
                &[3, 0, 4, 7],
            ],
            Hexa20 => &[
                &[0, 3, 2, 1, 9, 13, 11, 8],
                &[4, 5, 6, 7, 16, 18, 19, 17],
                &[0, 1, 5, 4, 8, 12, 16, 10],
                &[1, 2, 6, 5, 11, 14, 18, 12],
                &[2, 3, 7, 6, 13, 15, 19, 14],
                &[3, 0, 4, 7, 9, 10, 17, 15],
            ],
        }
    }

    /// Reference coordinates of a node.
    pub fn reference(self, node: usize) -> [f64; 3] {
        if node < self.corners() {
            return match self.family() {
                Family::Cube => {
                    let mut corner = CUBE_CORNERS[node];
                    corner[self.dimension()..].fill(0.0);
                    corner
                }
                Family::Simplex => std::array::from_fn(|i| f64::from(u8::from(i + 1 == node))),
            };
        }
        let [a, b] =
            self.edges()[node - self.corners()].map(|corner| self.reference(corner.into()));
        std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
    }

    /// The rule that stiffness and stresses are integrated with.
    pub fn rule(self) -> Rule {
        match self {
            Line2 | Quad4 | Hexa8 => Rule::cube(self.dimension(), 2),
            Line3 | Quad8 | Hexa20 => Rule::cube(self.dimension(), 3),
            Triangle3 | Tetra4 => Rule::simplex_centre(self.dimension()),
            Triangle6 | Tetra10 => Rule::simplex_quadratic(self.dimension()),
        }
    }

    /// A rule that integrates the mass matrix of a straight element exactly.
    pub fn mass_rule(self) -> Rule {
        match self.family() {
            Family::Cube => self.rule(),
            Family::Simplex if self.quadratic() => Rule::simplex(self.dimension(), 4),
            Family::Simplex => Rule::simplex_quadratic(self.dimension()),
        }
    }

    /// Shape functions at a point of the reference element.
    pub fn shape(self, point: [f64; 3]) -> Shape {
        let mut shape = Shape { values: [0.0; MOST_NODES], slopes: [[0.0; 3]; MOST_NODES] };
        match self.family() {
            Family::Cube => self.cube_shape(point, &mut shape),
            Family::Simplex => self.simplex_shape(point, &mut shape),
        }
        shape
    }

    /// Each function is a product over the axes, of (1 + c ξ)/2, or of 1 − ξ² along the edge that a
    /// middle node is on; a corner of a quadratic element has the factor Σ c ξ − (d − 1) besides.
    fn cube_shape(self, point: [f64; 3], shape: &mut Shape) {
        let d = self.dimension();
        for node in 0..self.nodes() {
            let c = self.reference(node);
            let factor = |axis: usize| match c[axis] {
                0.0 => (1.0 - point[axis] * point[axis], -2.0 * point[axis]),
                c => (0.5 * (1.0 + c * point[axis]), 0.5 * c),
            };
            let extra = if self.quadratic() && node < self.corners() {
                (0..d).map(|axis| c[axis] * point[axis]).sum::<f64>() - (d as f64 - 1.0)
            } else {
                1.0
            };
            let product: f64 = (0..d).map(|axis| factor(axis).0).product();
            shape.values[node] = product * extra;
            for along in 0..d {
                let others: f64 = (0..d).filter(|&i| i != along).map(|i| factor(i).0).product();
                let mut slope = others * factor(along).1 * extra;
                if self.quadratic() && node < self.corners() {
                    slope += product * c[along];
                }
                shape.slopes[node][along] = slope;
            }
        }
    }

    /// Corners have L, or L (2L − 1), with the barycentric coordinate L; middles have 4 L L'.
    fn simplex_shape(self, point: [f64; 3], shape: &mut Shape) {
        let d = self.dimension();
        let mut barycentric = [0.0; 4];
        let mut slopes = [[0.0; 3]; 4];
        barycentric[0] = 1.0 - point[..d].iter().sum::<f64>();
        for i in 0..d {
            barycentric[i + 1] = point[i];
            slopes[0][i] = -1.0;
            slopes[i + 1][i] = 1.0;
        }
        for corner in 0..=d {
            let l = barycentric[corner];
            let (value, factor) =
                if self.quadratic() { (l * (2.0 * l - 1.0), 4.0 * l - 1.0) } else { (l, 1.0) };
            shape.values[corner] = value;
            shape.slopes[corner] = slopes[corner].map(|slope| factor * slope);
        }
        if self.quadratic() {
            for (edge, &[a, b]) in self.edges().iter().enumerate() {
                let (a, b) = (usize::from(a), usize::from(b));
                shape.values[d + 1 + edge] = 4.0 * barycentric[a] * barycentric[b];
                shape.slopes[d + 1 + edge] = std::array::from_fn(|i| {
                    4.0 * (slopes[a][i] * barycentric[b] + barycentric[a] * slopes[b][i])
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_one_at_their_node_and_zero_at_others() {
        for kind in ElementKind::ALL {
            for node in 0..kind.nodes() {
                let shape = kind.shape(kind.reference(node));
                for other in 0..kind.nodes() {
                    let expected = f64::from(u8::from(node == other));
                    assert!(
                        (shape.values[other] - expected).abs() < 1e-14,
                        "{kind:?} {node} {other}"
                    );
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_values() {
        let point = [0.21, 0.13, 0.37];
        for kind in ElementKind::ALL {
            let shape = kind.shape(point);
            for axis in 0..kind.dimension() {
                let step = 1e-6;
                let (mut ahead, mut behind) = (point, point);
                ahead[axis] += step;
                behind[axis] -= step;
                let (ahead, behind) = (kind.shape(ahead), kind.shape(behind));
                for node in 0..kind.nodes() {
                    let slope = (ahead.values[node] - behind.values[node]) / (2.0 * step);
                    assert!((slope - shape.slopes[node][axis]).abs() < 1e-8, "{kind:?}");
                }
            }
        }
    }

    /// Corners of a side in order, its normal by the right hand, and the element's middle behind it.
    #[test]
    fn sides_face_outward_and_middles_fit() {
        for kind in ElementKind::ALL {
            let Some(side_kind) = kind.side_kind() else { continue };
            let middle: [f64; 3] = std::array::from_fn(|i| {
                let corners = 0..kind.corners();
                corners.map(|c| kind.reference(c)[i]).sum::<f64>() / kind.corners() as f64
            });
            for side in kind.sides() {
                assert_eq!(side.len(), side_kind.nodes());
                let at = |node: usize| kind.reference(side[node].into());
                let [a, b] = [at(0), at(1)];
                let along: [f64; 3] = std::array::from_fn(|i| b[i] - a[i]);
                let normal = if kind.dimension() == 2 {
                    [along[1], -along[0], 0.0]
                } else {
                    let c = at(2);
                    let next: [f64; 3] = std::array::from_fn(|i| c[i] - a[i]);
                    std::array::from_fn(|i| {
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        along[j] * next[k] - along[k] * next[j]
                    })
                };
                let outward: f64 = (0..3).map(|i| normal[i] * (a[i] - middle[i])).sum();
                assert!(outward > 0.0, "{kind:?} {side:?}");
                for (edge, &[p, q]) in side_kind.edges().iter().enumerate() {
                    if side_kind.quadratic() {
                        let [p, q] = [at(p.into()), at(q.into())];
                        let m = at(side_kind.corners() + edge);
                        assert!((0..3).all(|i| 2.0 * m[i] == p[i] + q[i]), "{kind:?} {side:?}");
                    }
                }
            }
        }
    }
}
