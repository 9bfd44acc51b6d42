//! Meshes: nodes, elements that fill the space, and named groups of nodes on the surface.

mod generate;
mod gmsh;

pub use generate::{ball, block, disk, rectangle};
pub use gmsh::read_gmsh;

use crate::element::ElementKind;
use crate::{ElementName, FemError, Location};
use drystone_space::{Space, Vector};
use std::collections::{BTreeMap, HashMap};

/// One side of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ElementSide {
    /// The element.
    pub element: u32,
    /// Its side.
    pub side: u8,
}

/// Two elements that do not fit together, the later one first.
struct Misfit {
    elements: [usize; 2],
    what: &'static str,
}

/// Nodes and elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh<S: Space> {
    /// Where the nodes are at rest.
    pub nodes: Vec<S::Vector>,
    kinds: Vec<ElementKind>,
    starts: Vec<u32>,
    connectivity: Vec<u32>,
    /// Nodes by the name of their group, rising.
    groups: BTreeMap<String, Vec<u32>>,
    /// Numbers of the elements in the file that they come from; empty where they come from none.
    numbers: Vec<usize>,
}

impl<S: Space> Mesh<S> {
    /// A mesh without elements.
    pub fn new(nodes: Vec<S::Vector>) -> Self {
        Self {
            nodes,
            kinds: Vec::new(),
            starts: vec![0],
            connectivity: Vec::new(),
            groups: BTreeMap::new(),
            numbers: Vec::new(),
        }
    }

    /// Adds an element.
    ///
    /// # Panics
    /// If the number of nodes is not that of the kind.
    pub fn push(&mut self, kind: ElementKind, nodes: &[u32]) {
        assert_eq!(nodes.len(), kind.nodes());
        self.kinds.push(kind);
        self.connectivity.extend_from_slice(nodes);
        self.starts.push(self.connectivity.len() as u32);
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.kinds.len()
    }

    /// Kind and nodes of an element.
    pub fn element(&self, index: usize) -> (ElementKind, &[u32]) {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        (self.kinds[index], &self.connectivity[range])
    }

    /// An element as messages name it.
    pub fn name(&self, index: usize) -> ElementName {
        let (kind, nodes) = self.element(index);
        let corners = &nodes[..kind.corners()];
        let sum = corners.iter().fold(S::Vector::ZERO, |sum, &n| sum + self.nodes[n as usize]);
        let middle = Location::of(sum / corners.len() as f64);
        ElementName { number: self.number(index), kind: kind.name(), middle }
    }

    /// The number of an element in its file, or its index.
    fn number(&self, index: usize) -> usize {
        self.numbers.get(index).copied().unwrap_or(index)
    }

    /// Names a group of nodes; a group of that name grows.
    pub fn add_group(&mut self, name: &str, nodes: impl IntoIterator<Item = u32>) {
        let group = self.groups.entry(name.to_owned()).or_default();
        group.extend(nodes);
        group.sort_unstable();
        group.dedup();
    }

    /// The nodes of a group, rising.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn group(&self, name: &str) -> Result<&[u32], FemError> {
        self.groups.get(name).map(Vec::as_slice).ok_or_else(|| {
            let known = self.groups.keys().cloned().collect();
            FemError::NoSuchGroup { name: name.to_owned(), known }
        })
    }

    /// The names of all groups.
    pub fn group_names(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }

    /// Moves the nodes.
    pub fn map(mut self, place: impl Fn(S::Vector) -> S::Vector) -> Self {
        self.nodes.iter_mut().for_each(|node| *node = place(*node));
        self
    }

    /// The nodes of a side, corners first.
    pub fn side_nodes(&self, side: ElementSide) -> impl Iterator<Item = u32> + '_ {
        let (kind, nodes) = self.element(side.element as usize);
        kind.sides()[usize::from(side.side)].iter().map(|&local| nodes[usize::from(local)])
    }

    /// Sides that belong to one element only, by elements.
    pub fn surface(&self) -> Vec<ElementSide> {
        let mut count: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut sides = Vec::new();
        for element in 0..self.elements() {
            for side in 0..self.kinds[element].sides().len() {
                let side = ElementSide { element: element as u32, side: side as u8 };
                let key = sorted(self.side_nodes(side));
                *count.entry(key.clone()).or_default() += 1;
                sides.push((side, key));
            }
        }
        sides.into_iter().filter(|(_, key)| count[key] == 1).map(|(side, _)| side).collect()
    }

    /// The sides of the surface all of whose nodes are in a group.
    ///
    /// # Errors
    /// If there is no such group.
    pub fn group_sides(&self, name: &str) -> Result<Vec<ElementSide>, FemError> {
        let group = self.group(name)?;
        let inside =
            |side: &ElementSide| self.side_nodes(*side).all(|n| group.binary_search(&n).is_ok());
        Ok(self.surface().into_iter().filter(inside).collect())
    }

    /// Gives every linear element middle nodes, at the middle of its edges.
    pub fn to_quadratic(&self) -> Self {
        let mut mesh = Self { numbers: self.numbers.clone(), ..Self::new(self.nodes.clone()) };
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        for index in 0..self.elements() {
            let (kind, nodes) = self.element(index);
            let quadratic = match kind {
                ElementKind::Triangle3 => ElementKind::Triangle6,
                ElementKind::Quad4 => ElementKind::Quad8,
                ElementKind::Tetra4 => ElementKind::Tetra10,
                ElementKind::Hexa8 => ElementKind::Hexa20,
                other => {
                    mesh.push(other, nodes);
                    continue;
                }
            };
            let mut all = nodes.to_vec();
            for &[a, b] in kind.edges() {
                let (a, b) = (nodes[usize::from(a)], nodes[usize::from(b)]);
                let middle = *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let place = (self.nodes[a as usize] + self.nodes[b as usize]) * 0.5;
                    mesh.nodes.push(place);
                    mesh.nodes.len() as u32 - 1
                });
                all.push(middle);
            }
            mesh.push(quadratic, &all);
        }
        for (name, group) in &self.groups {
            let within = |n: &u32| group.binary_search(n).is_ok();
            let new = middles.iter().filter(|([a, b], _)| within(a) && within(b));
            mesh.add_group(name, group.iter().copied().chain(new.map(|(_, &middle)| middle)));
        }
        mesh
    }

    /// Cuts quadrilaterals into two triangles and hexahedra into six tetrahedra.
    pub fn to_simplices(&self) -> Self {
        let mut mesh = Self { groups: self.groups.clone(), ..Self::new(self.nodes.clone()) };
        for index in 0..self.elements() {
            let (kind, nodes) = self.element(index);
            let (kind, parts): (_, &[&[usize]]) = match kind {
                ElementKind::Quad4 => (ElementKind::Triangle3, &[&[0, 1, 2], &[0, 2, 3]]),
                ElementKind::Hexa8 => (
                    ElementKind::Tetra4,
                    &[
                        &[0, 1, 2, 6],
                        &[0, 2, 3, 6],
                        &[0, 3, 7, 6],
                        &[0, 7, 4, 6],
                        &[0, 4, 5, 6],
                        &[0, 5, 1, 6],
                    ],
                ),
                other => {
                    mesh.push(other, nodes);
                    mesh.numbers.extend(self.numbers.get(index));
                    continue;
                }
            };
            for part in parts {
                let nodes: Vec<u32> = part.iter().map(|&local| nodes[local]).collect();
                mesh.push(kind, &nodes);
                mesh.numbers.extend(self.numbers.get(index));
            }
        }
        mesh
    }

    /// Whether the mesh can be computed with: every element fills the space and has its nodes, and
    /// every node has an element. The Jacobians are checked where they are computed.
    pub(crate) fn check(&self) -> Result<(), FemError> {
        if self.elements() == 0 {
            return Err(FemError::Empty { space: S::NAME });
        }
        let mut used = vec![false; self.nodes.len()];
        for element in 0..self.elements() {
            let (kind, nodes) = self.element(element);
            if kind.dimension() != S::DIMENSION {
                return Err(FemError::WrongDimension {
                    element,
                    kind: kind.name(),
                    space: S::NAME,
                });
            }
            for &node in nodes {
                let node = node as usize;
                let count = self.nodes.len();
                *used.get_mut(node).ok_or(FemError::NoSuchNode { element, node, count })? = true;
            }
        }
        if let Some(node) = used.iter().position(|used| !used) {
            return Err(FemError::LooseNode { node });
        }
        match self.misfit() {
            Some(Misfit { elements: [element, other], what }) => {
                let (element, other) = (self.name(element), self.number(other));
                Err(FemError::Misfit { element, other, what })
            }
            None => Ok(()),
        }
    }

    /// The first two elements that lie on each other or share a side without all of its nodes.
    fn misfit(&self) -> Option<Misfit> {
        let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut sides: HashMap<Vec<u32>, [Option<ElementSide>; 2]> = HashMap::new();
        for element in 0..self.elements() {
            let misfit = |other: usize, what| Some(Misfit { elements: [element, other], what });
            let (kind, nodes) = self.element(element);
            if let Some(other) = seen.insert(sorted(nodes.iter().copied()), element) {
                return misfit(other, "have the same nodes");
            }
            let corners = kind.side_kind().map_or(0, ElementKind::corners);
            for side in 0..kind.sides().len() {
                let side = ElementSide { element: element as u32, side: side as u8 };
                let here = sides.entry(sorted(self.side_nodes(side).take(corners))).or_default();
                let free = match here {
                    [None, _] => &mut here[0],
                    [Some(first), None] => {
                        if sorted(self.side_nodes(*first)) != sorted(self.side_nodes(side)) {
                            let what = "share the corners of a side, but not the nodes between";
                            return misfit(first.element as usize, what);
                        }
                        &mut here[1]
                    }
                    [Some(first), Some(_)] => {
                        let what = "share a side with a third: they overlap";
                        return misfit(first.element as usize, what);
                    }
                };
                *free = Some(side);
            }
        }
        None
    }

    /// The corners of the smallest box around the mesh.
    pub fn bounds(&self) -> (S::Vector, S::Vector) {
        let start = (S::Vector::splat(f64::INFINITY), S::Vector::splat(f64::NEG_INFINITY));
        self.nodes.iter().fold(start, |(low, high), &x| (low.lowest(x), high.highest(x)))
    }
}

/// A set of nodes in an order that does not depend on who lists them.
fn sorted(nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut nodes: Vec<u32> = nodes.collect();
    nodes.sort_unstable();
    nodes
}
