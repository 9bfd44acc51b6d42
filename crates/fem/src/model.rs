//! What does not change while a solid moves: mesh, material, integration points, mass, pattern.

use crate::element::{ElementKind, Shape};
use crate::mesh::{ElementSide, Mesh};
use crate::order;
use crate::{Elastic, ElementName, FemError, Location, Section, Surface};
use drystone_space::{Space, Vector, math};

/// How the mass of an element is given to its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// By the shape functions: a matrix.
    Consistent,
    /// All to the diagonal, in proportion to the consistent one's diagonal.
    #[default]
    Lumped,
}

/// One integration point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Volume at rest that it stands for.
    pub weight: f64,
}

/// The rows, up to the diagonal, of a symmetric matrix over all degrees of freedom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub starts: Vec<u32>,
    pub columns: Vec<u32>,
    /// Where each pair of an element's degrees of freedom is stored; elements one after the other,
    /// the lower half of each row by row.
    pub slots: Vec<u32>,
    pub slot_starts: Vec<usize>,
}

/// A solid's constant data.
#[derive(Clone, Debug)]
pub struct Model<S: Space> {
    mesh: Mesh<S>,
    material: Elastic,
    section: Section,
    pub(crate) points: Vec<Point>,
    pub(crate) point_starts: Vec<u32>,
    /// Slopes of the shape functions at each point, node after node. With rotational symmetry the
    /// third number is the function's value over the radius.
    pub(crate) gradients: Vec<[f64; 3]>,
    pub(crate) gradient_starts: Vec<usize>,
    /// Mass matrix over nodes, rows one after the other; the same for every direction.
    mass_starts: Vec<u32>,
    mass_nodes: Vec<u32>,
    mass_values: Vec<f64>,
    pub(crate) pattern: Pattern,
    pub(crate) elimination: Vec<u32>,
    surface: Surface<S>,
    /// An element of each node, to name in messages.
    element_of: Vec<u32>,
}

impl<S: Space> Model<S> {
    /// Checks mesh, material and section and computes the rest.
    ///
    /// # Errors
    /// Names the element or node that is wrong.
    pub fn new(
        mesh: Mesh<S>,
        material: Elastic,
        section: Section,
        mass: MassKind,
    ) -> Result<Self, FemError> {
        material.check()?;
        check_section(&mesh, section)?;
        mesh.check()?;
        let mut element_of = vec![0; mesh.nodes.len()];
        for element in 0..mesh.elements() {
            mesh.element(element).1.iter().for_each(|&n| element_of[n as usize] = element as u32);
        }
        let neighbours = neighbours(&mesh);
        let mut model = Self {
            surface: Surface::of(&mesh),
            pattern: pattern(&mesh, &neighbours),
            elimination: order::nested(&mesh.nodes, &neighbours),
            points: Vec::new(),
            point_starts: vec![0],
            gradients: Vec::new(),
            gradient_starts: vec![0],
            mass_starts: Vec::new(),
            mass_nodes: Vec::new(),
            mass_values: Vec::new(),
            mesh,
            material,
            section,
            element_of,
        };
        model.place_points()?;
        model.weigh(&neighbours, mass);
        Ok(model)
    }

    /// The mesh at rest.
    pub fn mesh(&self) -> &Mesh<S> {
        &self.mesh
    }
    /// The material.
    pub fn material(&self) -> &Elastic {
        &self.material
    }
    /// The section.
    pub fn section(&self) -> Section {
        self.section
    }
    /// The surface.
    pub fn surface(&self) -> &Surface<S> {
        &self.surface
    }
    /// Number of degrees of freedom.
    pub fn freedoms(&self) -> usize {
        self.mesh.nodes.len() * S::DIMENSION
    }
    /// A node and an element that has it, as messages name them.
    pub fn names(&self, node: usize) -> (Location, ElementName) {
        let element = self.element_of[node] as usize;
        (Location::of(self.mesh.nodes[node]), self.mesh.name(element))
    }
    /// The whole mass.
    pub fn mass(&self) -> f64 {
        self.mass_values.iter().sum()
    }
    /// The share of the mass that a node has: the sum of its row.
    pub fn node_mass(&self, node: usize) -> f64 {
        self.mass_row(node).map(|(_, m)| m).sum()
    }
    /// A row of the mass matrix.
    pub(crate) fn mass_row(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.mass_starts[node] as usize..self.mass_starts[node + 1] as usize;
        self.mass_nodes[range.clone()]
            .iter()
            .map(|&n| n as usize)
            .zip(self.mass_values[range].iter().copied())
    }
    /// M v.
    pub fn mass_times(&self, v: &[S::Vector], out: &mut [S::Vector]) {
        for (node, out) in out.iter_mut().enumerate() {
            *out = self.mass_row(node).fold(S::Vector::ZERO, |sum, (other, m)| sum + v[other] * m);
        }
    }
    /// ½ v·M v.
    pub fn kinetic_energy(&self, v: &[S::Vector]) -> f64 {
        let row = |node: usize| {
            let sum =
                self.mass_row(node).fold(S::Vector::ZERO, |sum, (other, m)| sum + v[other] * m);
            v[node].dot(sum)
        };
        0.5 * (0..v.len()).map(row).sum::<f64>()
    }

    /// Forces on the nodes of a traction (force per area at rest) on all sides of a group.
    ///
    /// # Errors
    /// If there is no such group, or no side of the surface in it.
    pub fn traction(&self, group: &str, traction: S::Vector) -> Result<Vec<S::Vector>, FemError> {
        let sides = self.mesh.group_sides(group)?;
        if sides.is_empty() {
            return Err(FemError::NoSides { name: group.to_owned() });
        }
        let mut forces = vec![S::Vector::ZERO; self.mesh.nodes.len()];
        for side in sides {
            self.add_traction(side, traction, &mut forces);
        }
        Ok(forces)
    }

    fn add_traction(&self, side: ElementSide, traction: S::Vector, forces: &mut [S::Vector]) {
        let kind =
            self.mesh.element(side.element as usize).0.side_kind().expect("a side has a kind");
        let nodes: Vec<u32> = self.mesh.side_nodes(side).collect();
        for (point, weight) in kind.rule().points {
            let shape = kind.shape(point);
            let mut along = [S::Vector::ZERO; 2];
            let mut radius = 0.0;
            for (local, &node) in nodes.iter().enumerate() {
                let x = self.mesh.nodes[node as usize];
                radius += x.get(0) * shape.values[local];
                for (axis, along) in along.iter_mut().enumerate() {
                    *along += x * shape.slopes[local][axis];
                }
            }
            let area = match S::DIMENSION {
                2 => along[0].norm(),
                _ => {
                    let [a, b] = along;
                    (a.norm_squared() * b.norm_squared() - math::square(a.dot(b))).max(0.0).sqrt()
                }
            };
            let area = area * weight * depth(self.section, radius);
            for (local, &node) in nodes.iter().enumerate() {
                forces[node as usize] += traction * (area * shape.values[local]);
            }
        }
    }

    /// Integration points of all elements; a Jacobian that is not positive is an error.
    fn place_points(&mut self) -> Result<(), FemError> {
        for element in 0..self.mesh.elements() {
            let (kind, nodes) = self.mesh.element(element);
            for (point, weight) in kind.rule().points {
                let shape = kind.shape(point);
                let (slopes, jacobian) = slopes::<S>(&self.mesh, kind, nodes, &shape);
                if jacobian.is_nan() || jacobian <= 0.0 {
                    let element = self.mesh.name(element);
                    return Err(FemError::BadElement { element, jacobian });
                }
                let radius = radius::<S>(&self.mesh, nodes, &shape);
                for local in 0..nodes.len() {
                    let mut slope = slopes[local];
                    if self.section == Section::Axisymmetric {
                        slope[2] = shape.values[local] / radius;
                    }
                    self.gradients.push(slope);
                }
                let weight = weight * jacobian * depth(self.section, radius);
                self.points.push(Point { weight });
            }
            self.point_starts.push(self.points.len() as u32);
            self.gradient_starts.push(self.gradients.len());
        }
        Ok(())
    }

    fn weigh(&mut self, neighbours: &[Vec<u32>], kind: MassKind) {
        self.mass_starts = vec![0];
        for (node, near) in neighbours.iter().enumerate() {
            match kind {
                MassKind::Consistent => self.mass_nodes.extend_from_slice(near),
                MassKind::Lumped => self.mass_nodes.push(node as u32),
            }
            self.mass_starts.push(self.mass_nodes.len() as u32);
        }
        self.mass_values = vec![0.0; self.mass_nodes.len()];
        for element in 0..self.mesh.elements() {
            let masses = self.element_mass(element);
            let nodes = self.mesh.element(element).1;
            let count = nodes.len();
            let diagonal: f64 = (0..count).map(|a| masses[a * count + a]).sum();
            let total: f64 = masses.iter().sum();
            for (a, &row) in nodes.iter().enumerate() {
                let start = self.mass_starts[row as usize] as usize;
                match kind {
                    MassKind::Lumped => {
                        self.mass_values[start] += masses[a * count + a] * total / diagonal;
                    }
                    MassKind::Consistent => {
                        let end = self.mass_starts[row as usize + 1] as usize;
                        for (b, column) in nodes.iter().enumerate() {
                            let place = self.mass_nodes[start..end].binary_search(column);
                            let place = start + place.expect("neighbours hold the element's nodes");
                            self.mass_values[place] += masses[a * count + b];
                        }
                    }
                }
            }
        }
    }

    /// ∫ density N_a N_b of one element.
    fn element_mass(&self, element: usize) -> Vec<f64> {
        let (kind, nodes) = self.mesh.element(element);
        let count = nodes.len();
        let mut masses = vec![0.0; count * count];
        for (point, weight) in kind.mass_rule().points {
            let shape = kind.shape(point);
            let (_, jacobian) = slopes::<S>(&self.mesh, kind, nodes, &shape);
            let depth = depth(self.section, radius::<S>(&self.mesh, nodes, &shape));
            let mass = self.material.density * weight * jacobian * depth;
            for a in 0..count {
                for b in 0..count {
                    masses[a * count + b] += mass * shape.values[a] * shape.values[b];
                }
            }
        }
        masses
    }
}

fn check_section<S: Space>(mesh: &Mesh<S>, section: Section) -> Result<(), FemError> {
    let space = S::NAME;
    match (S::DIMENSION, section) {
        (2, Section::Volume) => {
            let expected = "plane strain, plane stress or rotational symmetry";
            Err(FemError::WrongSection { space, expected })
        }
        (3, Section::Volume) => Ok(()),
        (3, _) => Err(FemError::WrongSection { space, expected: "no section" }),
        (_, Section::Axisymmetric) => match mesh.nodes.iter().position(|x| x.get(0) < 0.0) {
            Some(node) => Err(FemError::BehindAxis { node, x: mesh.nodes[node].get(0) }),
            None => Ok(()),
        },
        (_, section) => {
            let thickness = section.thickness();
            let good = thickness > 0.0 && thickness.is_finite();
            let expected = "positive and finite";
            let error = FemError::Size { what: "thickness", value: thickness, expected };
            if good { Ok(()) } else { Err(error) }
        }
    }
}

/// What a unit of area in the plane stands for.
fn depth(section: Section, radius: f64) -> f64 {
    match section {
        Section::Axisymmetric => 2.0 * std::f64::consts::PI * radius,
        other => other.thickness(),
    }
}

fn radius<S: Space>(mesh: &Mesh<S>, nodes: &[u32], shape: &Shape) -> f64 {
    nodes.iter().zip(&shape.values).map(|(&n, value)| mesh.nodes[n as usize].get(0) * value).sum()
}

/// The first element with a Jacobian that is not positive at an integration point.
pub(crate) fn flipped_element<S: Space>(mesh: &Mesh<S>) -> Option<(usize, f64)> {
    (0..mesh.elements()).find_map(|element| {
        let (kind, nodes) = mesh.element(element);
        let jacobian =
            |(point, _): &([f64; 3], f64)| slopes::<S>(mesh, kind, nodes, &kind.shape(*point)).1;
        let points = kind.rule().points;
        points.iter().map(jacobian).find(|j| j.is_nan() || *j <= 0.0).map(|j| (element, j))
    })
}

/// Slopes of the shape functions by the places at rest, and the Jacobian.
pub(crate) fn slopes<S: Space>(
    mesh: &Mesh<S>,
    kind: ElementKind,
    nodes: &[u32],
    shape: &Shape,
) -> ([[f64; 3]; crate::element::MOST_NODES], f64) {
    let d = kind.dimension();
    // j[i][k] = ∂x_i/∂ξ_k, the identity beyond the dimension.
    let mut j = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for i in 0..d {
        for k in 0..d {
            let terms = nodes.iter().enumerate();
            j[i][k] = terms.map(|(a, &n)| mesh.nodes[n as usize].get(i) * shape.slopes[a][k]).sum();
        }
    }
    let cofactor = |i: usize, k: usize| {
        let ((p, q), (r, s)) = (((i + 1) % 3, (i + 2) % 3), ((k + 1) % 3, (k + 2) % 3));
        j[p][r] * j[q][s] - j[p][s] * j[q][r]
    };
    let determinant: f64 = (0..3).map(|k| j[0][k] * cofactor(0, k)).sum();
    let mut slopes = [[0.0; 3]; crate::element::MOST_NODES];
    for a in 0..nodes.len() {
        for i in 0..d {
            // The inverse is the transposed cofactors over the determinant.
            let sum: f64 = (0..d).map(|k| shape.slopes[a][k] * cofactor(i, k)).sum();
            slopes[a][i] = sum / determinant;
        }
    }
    (slopes, determinant)
}

/// Nodes that share an element with each node, itself too, rising.
fn neighbours<S: Space>(mesh: &Mesh<S>) -> Vec<Vec<u32>> {
    let mut near = vec![Vec::new(); mesh.nodes.len()];
    for element in 0..mesh.elements() {
        let nodes = mesh.element(element).1;
        for &node in nodes {
            near[node as usize].extend_from_slice(nodes);
        }
    }
    for near in &mut near {
        near.sort_unstable();
        near.dedup();
    }
    near
}

fn pattern<S: Space>(mesh: &Mesh<S>, neighbours: &[Vec<u32>]) -> Pattern {
    let d = S::DIMENSION;
    let mut pattern = Pattern { starts: vec![0], slot_starts: vec![0], ..Pattern::default() };
    for (node, near) in neighbours.iter().enumerate() {
        for axis in 0..d {
            let row = node * d + axis;
            let columns = near.iter().flat_map(|&n| (0..d).map(move |k| n as usize * d + k));
            pattern.columns.extend(columns.filter(|&column| column <= row).map(|c| c as u32));
            pattern.starts.push(pattern.columns.len() as u32);
        }
    }
    for element in 0..mesh.elements() {
        let nodes = mesh.element(element).1;
        let freedom = |i: usize| nodes[i / d] as usize * d + i % d;
        for i in 0..nodes.len() * d {
            for j in 0..=i {
                let (p, q) = (freedom(i), freedom(j));
                let (row, column) = (p.max(q), p.min(q));
                let start = pattern.starts[row] as usize;
                let columns = &pattern.columns[start..pattern.starts[row + 1] as usize];
                let place =
                    columns.binary_search(&(column as u32)).expect("neighbours hold all pairs");
                pattern.slots.push((start + place) as u32);
            }
        }
        pattern.slot_starts.push(pattern.slots.len());
    }
    pattern
}
