//! The surface of a mesh, in flat facets: segments in the plane, triangles and quadrilaterals in space.
//!
//! Quadratic sides are cut into flat ones through their middle nodes. The nodes of a facet are in the
//! order that makes its normal point outward.

use crate::edges::{SurfaceEdge, edges};
use crate::element::ElementKind;
use crate::mesh::Mesh;
use drystone_space::{Space, Vector};

/// Most nodes of a facet.
pub const FACET_NODES: usize = 4;

/// A facet: up to four nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facet {
    nodes: [u32; FACET_NODES],
    count: u8,
}

impl Facet {
    fn new(list: &[u32]) -> Self {
        let mut nodes = [0; FACET_NODES];
        nodes[..list.len()].copy_from_slice(list);
        Self { nodes, count: list.len() as u8 }
    }
    /// Its nodes.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..usize::from(self.count)]
    }
}

/// The surface of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface<S: Space> {
    facets: Vec<Facet>,
    nodes: Vec<u32>,
    /// Place of each node of the mesh among those of the surface; u32::MAX inside.
    places: Vec<u32>,
    /// Where the list of each place starts among the nodes around.
    around_starts: Vec<u32>,
    around: Vec<u32>,
    /// Edges between two facets, in space.
    edges: Vec<SurfaceEdge>,
    /// Mean length of the facets' edges at rest.
    edge: f64,
    space: std::marker::PhantomData<S>,
}

impl<S: Space> Surface<S> {
    /// The surface of a mesh.
    pub fn of(mesh: &Mesh<S>) -> Self {
        let mut facets = Vec::new();
        for side in mesh.surface() {
            let kind = mesh.element(side.element as usize).0.side_kind();
            let n: Vec<u32> = mesh.side_nodes(side).collect();
            let parts: &[&[usize]] = match kind {
                Some(ElementKind::Line2) => &[&[0, 1]],
                Some(ElementKind::Line3) => &[&[0, 2], &[2, 1]],
                Some(ElementKind::Triangle3) => &[&[0, 1, 2]],
                Some(ElementKind::Triangle6) => &[&[0, 3, 5], &[3, 1, 4], &[5, 4, 2], &[3, 4, 5]],
                Some(ElementKind::Quad4) => &[&[0, 1, 2, 3]],
                Some(ElementKind::Quad8) => {
                    &[&[0, 4, 7], &[4, 1, 5], &[5, 2, 6], &[6, 3, 7], &[4, 5, 6, 7]]
                }
                _ => &[],
            };
            for part in parts {
                let list: Vec<u32> = part.iter().map(|&local| n[local]).collect();
                facets.push(Facet::new(&list));
            }
        }
        let mut nodes: Vec<u32> = facets.iter().flat_map(|f| f.nodes().to_vec()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut places = vec![u32::MAX; mesh.nodes.len()];
        nodes.iter().enumerate().for_each(|(place, &n)| places[n as usize] = place as u32);
        let lengths: Vec<f64> = facets
            .iter()
            .map(|f| (mesh.nodes[f.nodes()[1] as usize] - mesh.nodes[f.nodes()[0] as usize]).norm())
            .collect();
        let edge = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        let (around_starts, around) = around(&facets, &nodes, &places);
        let edges = edges(&facets, &mesh.nodes);
        let space = std::marker::PhantomData;
        Self { facets, nodes, places, around_starts, around, edges, edge, space }
    }

    /// The facets.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }
    /// The nodes, rising.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }
    /// The edges between two facets where other edges can cross them; none in the plane.
    pub(crate) fn edges(&self) -> &[SurfaceEdge] {
        &self.edges
    }
    /// The nodes of all facets that have this node, which must be on the surface.
    pub(crate) fn around(&self, node: u32) -> &[u32] {
        let place = self.place(node);
        &self.around[self.around_starts[place] as usize..self.around_starts[place + 1] as usize]
    }
    /// Mean length of an edge at rest.
    pub fn edge(&self) -> f64 {
        self.edge
    }
    /// The place of a node among those of the surface.
    ///
    /// # Panics
    /// If the node is not on the surface.
    pub fn place(&self, node: u32) -> usize {
        let place = self.places[node as usize];
        assert_ne!(place, u32::MAX, "node {node} is not on the surface");
        place as usize
    }
}

/// The nodes of the facets around each node of the surface, one list after the other.
fn around(facets: &[Facet], nodes: &[u32], places: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for facet in facets {
        for &node in facet.nodes() {
            lists[places[node as usize] as usize].extend_from_slice(facet.nodes());
        }
    }
    let (mut starts, mut all) = (vec![0], Vec::new());
    for mut list in lists {
        list.sort_unstable();
        list.dedup();
        all.append(&mut list);
        starts.push(all.len() as u32);
    }
    (starts, all)
}
