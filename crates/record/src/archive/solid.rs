//! Deformable solids: their meshes, which are written once, where their nodes are in each frame, and
//! what a resumed run needs of them.
//!
//! Elements are numbered and their nodes listed as in VTK, whose cells many programs read. Where there
//! are no solids, none of these arrays is written.

use super::columns::{Columns, bytes, same, vectors, whole};
use super::{Array, Arrays, Npz, Recorded};
use drystone_engine::{MaterialId, World};
use drystone_fem::{ElementKind, Mesh, SolidState, Stress, Surface};

/// What a solid is.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidEntry<S: Recorded> {
    /// Name in the scene; empty where it has none.
    pub name: String,
    /// Mass.
    pub mass: f64,
    /// What it is made of, as to the law of its contacts.
    pub material: MaterialId,
    /// Nodes at rest, and elements; groups are not recorded.
    pub mesh: Mesh<S>,
    /// What is seen of it: outlines of elements in the plane, facets of the surface in space, by nodes
    /// in order.
    pub faces: Vec<Vec<u32>>,
    /// Mean length of the surface's edges at rest.
    pub edge: f64,
}

impl<S: Recorded> SolidEntry<S> {
    fn new(name: String, mass: f64, material: MaterialId, mesh: Mesh<S>) -> Self {
        let surface = Surface::of(&mesh);
        let faces = if S::DIMENSION == 3 {
            surface.facets().iter().map(|facet| facet.nodes().to_vec()).collect()
        } else {
            (0..mesh.elements()).map(|element| outline(mesh.element(element))).collect()
        };
        Self { name, mass, material, mesh, faces, edge: surface.edge() }
    }

    /// Those of a world.
    pub(super) fn all(world: &World<S>) -> Vec<Self> {
        let entry = |(solid, setup): (&drystone_fem::Solid<S>, &drystone_engine::SolidSetup<S>)| {
            let own = solid.model().mesh();
            let mut mesh = Mesh::new(own.nodes.clone());
            for element in 0..own.elements() {
                let (kind, nodes) = own.element(element);
                mesh.push(kind, nodes);
            }
            Self::new(setup.name.clone(), solid.model().mass(), setup.material, mesh)
        };
        world.solids().iter().zip(&world.setup().solids).map(entry).collect()
    }

    /// VTK's number of the kind of each element, and its nodes in VTK's order.
    pub fn cells(&self) -> impl Iterator<Item = (u8, Vec<u32>)> + '_ {
        (0..self.mesh.elements()).map(|element| {
            let (kind, nodes) = self.mesh.element(element);
            let (number, order) = vtk_cell(kind);
            (number, order.iter().map(|&local| nodes[usize::from(local)]).collect())
        })
    }
}

/// The nodes around an element of the plane, middles between corners.
fn outline((kind, nodes): (ElementKind, &[u32])) -> Vec<u32> {
    let mut around = Vec::with_capacity(nodes.len());
    for side in kind.sides() {
        around.push(nodes[usize::from(side[0])]);
        if let Some(&middle) = side.get(2) {
            around.push(nodes[usize::from(middle)]);
        }
    }
    around
}

/// VTK's number of a kind of element, and our number of each of its nodes in VTK's order.
fn vtk_cell(kind: ElementKind) -> (u8, &'static [u8]) {
    const NODES: [u8; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
    const HEXA20: [u8; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15];
    match kind {
        ElementKind::Line2 => (3, &NODES[..2]),
        ElementKind::Line3 => (21, &NODES[..3]),
        ElementKind::Triangle3 => (5, &NODES[..3]),
        ElementKind::Triangle6 => (22, &NODES[..6]),
        ElementKind::Quad4 => (9, &NODES[..4]),
        ElementKind::Quad8 => (23, &NODES[..8]),
        ElementKind::Tetra4 => (10, &NODES[..4]),
        ElementKind::Tetra10 => (24, &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8]),
        ElementKind::Hexa8 => (12, &NODES[..8]),
        ElementKind::Hexa20 => (25, &HEXA20),
    }
}

/// Where rows of each begin in a common list; the last entry is their number.
fn starts(counts: impl Iterator<Item = usize>) -> Array {
    whole(std::iter::once(0).chain(counts.scan(0, |sum, count| {
        *sum += count as i64;
        Some(*sum)
    })))
}

/// The rows of each, by [`starts`].
fn ranges(
    columns: &Columns,
    name: &str,
    rows: usize,
) -> Result<Vec<std::ops::Range<usize>>, String> {
    let starts = columns.whole(name)?;
    let rise = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if starts.first() != Some(&0) || starts.last() != Some(&(rows as i64)) || !rise {
        return Err(format!("array `{name}` does not divide {rows} rows"));
    }
    Ok(starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize).collect())
}

pub(super) fn encode_entries<S: Recorded>(solids: &[SolidEntry<S>], arrays: &mut dyn Arrays) {
    if solids.is_empty() {
        return;
    }
    arrays.push("solid_name", Array::text(solids.iter().map(|s| s.name.clone()).collect()));
    arrays.push("solid_mass", vectors(solids.iter().map(|s| s.mass)));
    arrays.push("solid_material", whole(solids.iter().map(|s| i64::from(s.material.0))));
    arrays.push("solid_nodes", starts(solids.iter().map(|s| s.mesh.nodes.len())));
    arrays.push("node_rest", vectors(solids.iter().flat_map(|s| s.mesh.nodes.iter().copied())));
    arrays.push("solid_elements", starts(solids.iter().map(|s| s.mesh.elements())));
    let cells: Vec<(u8, Vec<u32>)> = solids.iter().flat_map(SolidEntry::cells).collect();
    arrays.push("element_kind", bytes(cells.iter().map(|(kind, _)| *kind)));
    arrays.push("element_nodes", starts(cells.iter().map(|(_, nodes)| nodes.len())));
    let connectivity = cells.iter().flat_map(|(_, nodes)| nodes.iter().map(|&n| i64::from(n)));
    arrays.push("connectivity", whole(connectivity));
}

pub(super) fn decode_entries<S: Recorded>(npz: &Npz) -> Result<Vec<SolidEntry<S>>, String> {
    if npz.get("solid_name").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let names = columns.texts("solid_name")?;
    let masses = columns.numbers("solid_mass")?;
    let materials = columns.whole("solid_material")?;
    let rest = columns.vectors::<S::Vector>("node_rest")?;
    let nodes = ranges(&columns, "solid_nodes", rest.len())?;
    let kinds = columns.bytes("element_kind")?;
    let elements = ranges(&columns, "solid_elements", kinds.len())?;
    let connectivity = columns.whole("connectivity")?;
    let corners = ranges(&columns, "element_nodes", connectivity.len())?;
    for (name, count) in [
        ("solid_mass", masses.len()),
        ("solid_material", materials.len()),
        ("solid_nodes", nodes.len()),
        ("solid_elements", elements.len()),
    ] {
        same(name, count, names.len())?;
    }
    same("element_nodes", corners.len(), kinds.len())?;
    let solid = |i: usize| {
        let mut mesh = Mesh::<S>::new(rest[nodes[i].clone()].to_vec());
        for element in elements[i].clone() {
            let cell = &connectivity[corners[element].clone()];
            push_cell(&mut mesh, kinds[element], cell)
                .ok_or_else(|| format!("element {element} makes no sense"))?;
        }
        let material = u32::try_from(materials[i]).map_err(|_| format!("solid {i}: material"))?;
        Ok(SolidEntry::new(names[i].clone(), masses[i], MaterialId(material), mesh))
    };
    (0..names.len()).map(solid).collect()
}

/// Adds an element given as a cell of VTK; `None` if it is none of this space.
fn push_cell<S: Recorded>(mesh: &mut Mesh<S>, number: u8, cell: &[i64]) -> Option<()> {
    let fills = |kind: &ElementKind| kind.dimension() == S::DIMENSION;
    let kind = ElementKind::ALL.into_iter().filter(fills).find(|k| vtk_cell(*k).0 == number)?;
    let order = vtk_cell(kind).1;
    let mut nodes = vec![0; order.len()];
    if cell.len() != nodes.len() {
        return None;
    }
    for (&local, &node) in order.iter().zip(cell) {
        let known = usize::try_from(node).ok().filter(|&node| node < mesh.nodes.len())?;
        nodes[usize::from(local)] = known as u32;
    }
    mesh.push(kind, &nodes);
    Some(())
}

/// A solid at one moment: a row for each of its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidFrame<S: Recorded> {
    /// Where the nodes are.
    pub positions: Vec<S::Vector>,
    /// How fast they move.
    pub velocities: Vec<S::Vector>,
    /// Cauchy's stress at them.
    pub stresses: Vec<Stress>,
}

pub(super) fn frames<S: Recorded>(world: &World<S>) -> Vec<SolidFrame<S>> {
    let frame = |solid: &drystone_fem::Solid<S>| SolidFrame {
        positions: solid.positions().to_vec(),
        velocities: solid.velocities().to_vec(),
        stresses: solid.stresses(),
    };
    world.solids().iter().map(frame).collect()
}

pub(super) fn encode_frames<S: Recorded>(solids: &[SolidFrame<S>], arrays: &mut dyn Arrays) {
    if solids.is_empty() {
        return;
    }
    encode_nodes::<S>(solids.iter().map(|s| (&s.positions[..], &s.velocities[..])), arrays);
    let stresses: Vec<&Stress> = solids.iter().flat_map(|s| &s.stresses).collect();
    let numbers = stresses.iter().flat_map(|stress| stress.0).collect();
    arrays.push("node_stress", Array::f64(vec![stresses.len(), 6], numbers));
    arrays.push("node_von_mises", vectors(stresses.iter().map(|stress| stress.von_mises())));
    arrays.push("node_shear", vectors(stresses.iter().map(|stress| stress.shear())));
}

pub(super) fn decode_frames<S: Recorded>(npz: &Npz) -> Result<Vec<SolidFrame<S>>, String> {
    if npz.get("solid_nodes").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let solids = decode_nodes::<S>(&columns)?;
    let count = solids.iter().map(|(positions, _)| positions.len()).sum::<usize>();
    let numbers = columns.numbers("node_stress")?;
    same("node_stress", numbers.len(), 6 * count)?;
    let mut stresses = numbers.as_chunks::<6>().0.iter().map(|&stress| Stress(stress));
    let frame = |(positions, velocities): (Vec<S::Vector>, Vec<S::Vector>)| SolidFrame {
        stresses: stresses.by_ref().take(positions.len()).collect(),
        positions,
        velocities,
    };
    Ok(solids.into_iter().map(frame).collect())
}

pub(super) fn encode_states<S: Recorded>(solids: &[SolidState<S>], arrays: &mut dyn Arrays) {
    if solids.is_empty() {
        return;
    }
    encode_nodes::<S>(solids.iter().map(|s| (&s.positions[..], &s.velocities[..])), arrays);
    arrays.push("solid_elastic", vectors(solids.iter().map(|s| s.elastic)));
    arrays.push("solid_stiffest", vectors(solids.iter().map(|s| s.stiffest)));
    arrays.push("solid_tangents", starts(solids.iter().map(|s| s.tangent.len())));
    arrays.push("node_tangent", vectors(solids.iter().flat_map(|s| s.tangent.iter().copied())));
}

pub(super) fn decode_states<S: Recorded>(npz: &Npz) -> Result<Vec<SolidState<S>>, String> {
    if npz.get("solid_nodes").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let solids = decode_nodes::<S>(&columns)?;
    let elastic = columns.numbers("solid_elastic")?;
    let stiffest = columns.numbers("solid_stiffest")?;
    same("solid_elastic", elastic.len(), solids.len())?;
    same("solid_stiffest", stiffest.len(), solids.len())?;
    let tangent = columns.vectors::<S::Vector>("node_tangent")?;
    let tangents = ranges(&columns, "solid_tangents", tangent.len())?;
    same("solid_tangents", tangents.len(), solids.len())?;
    let states = solids.into_iter().enumerate().map(|(i, (positions, velocities))| {
        let tangent = tangent[tangents[i].clone()].to_vec();
        if !tangent.is_empty() {
            same("node_tangent", tangent.len(), positions.len())?;
        }
        let (elastic, stiffest) = (elastic[i], stiffest[i]);
        Ok(SolidState { positions, velocities, elastic, stiffest, tangent })
    });
    states.collect()
}

fn encode_nodes<'a, S: Recorded>(
    solids: impl Iterator<Item = (&'a [S::Vector], &'a [S::Vector])> + Clone,
    arrays: &mut dyn Arrays,
) {
    arrays.push("solid_nodes", starts(solids.clone().map(|(positions, _)| positions.len())));
    let positions = solids.clone().flat_map(|(positions, _)| positions.iter().copied());
    arrays.push("node_position", vectors(positions));
    arrays.push("node_velocity", vectors(solids.flat_map(|(_, velocities)| velocities.to_vec())));
}

/// Places and velocities of the nodes of each solid.
type Nodes<V> = Vec<(Vec<V>, Vec<V>)>;

fn decode_nodes<S: Recorded>(columns: &Columns) -> Result<Nodes<S::Vector>, String> {
    let positions = columns.vectors::<S::Vector>("node_position")?;
    let velocities = columns.vectors::<S::Vector>("node_velocity")?;
    same("node_velocity", velocities.len(), positions.len())?;
    let ranges = ranges(columns, "solid_nodes", positions.len())?;
    let nodes = |range: std::ops::Range<usize>| {
        (positions[range.clone()].to_vec(), velocities[range].to_vec())
    };
    Ok(ranges.into_iter().map(nodes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_fem::mesh::{block, rectangle};
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    #[test]
    fn outlines_go_around() {
        let nodes = [10, 11, 12, 13, 14, 15];
        assert_eq!(outline((ElementKind::Triangle6, &nodes)), [10, 13, 11, 14, 12, 15]);
    }

    /// VTK's edges of its quadratic cells, each with a middle node, by corners.
    #[test]
    fn middle_nodes_are_where_vtk_has_them() {
        let cases: [(ElementKind, &[[u8; 2]]); 4] = [
            (ElementKind::Triangle6, &[[0, 1], [1, 2], [0, 2]]),
            (ElementKind::Quad8, &[[0, 1], [1, 2], [2, 3], [0, 3]]),
            (ElementKind::Tetra10, &[[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]]),
            (
                ElementKind::Hexa20,
                &[
                    [0, 1],
                    [1, 2],
                    [2, 3],
                    [0, 3],
                    [4, 5],
                    [5, 6],
                    [6, 7],
                    [4, 7],
                    [0, 4],
                    [1, 5],
                    [2, 6],
                    [3, 7],
                ],
            ),
        ];
        for (kind, edges) in cases {
            let corners = kind.nodes() - edges.len();
            let middles = &vtk_cell(kind).1[corners..];
            let ours = middles.iter().map(|&node| {
                let [a, b] = kind.edges()[usize::from(node) - corners];
                [a.min(b), a.max(b)]
            });
            assert_eq!(ours.collect::<Vec<_>>(), edges, "{kind:?}");
        }
    }

    #[test]
    fn meshes_read_back() {
        fn back<S: Recorded>(mesh: Mesh<S>) {
            let mut plain = Mesh::new(mesh.nodes.clone());
            (0..mesh.elements()).for_each(|e| plain.push(mesh.element(e).0, mesh.element(e).1));
            let solid = SolidEntry::new("a".to_owned(), 2.0, MaterialId(1), plain);
            let solids = vec![solid.clone(), solid];
            let npz = Npz::of(|arrays| encode_entries(&solids, arrays));
            assert_eq!(decode_entries::<S>(&npz).unwrap(), solids);
        }
        let flat = rectangle(DVec2::ONE, [3, 2]).unwrap();
        let cube = block(DVec3::ONE, [2, 1, 1]).unwrap();
        back::<Plane>(flat.to_simplices().to_quadratic());
        back::<Plane>(flat.to_quadratic());
        back::<Volume>(cube.to_simplices().to_quadratic());
        back::<Volume>(cube.to_quadratic());
    }

    #[test]
    fn meshes_that_make_no_sense_are_refused() {
        let mesh = rectangle(DVec2::ONE, [1, 1]).unwrap();
        let solid = SolidEntry::<Plane>::new(String::new(), 1.0, MaterialId(0), mesh);
        let npz = Npz::of(|arrays| encode_entries(&[solid], arrays));
        let with = |name: &str, array: Array| {
            let mut wrong = Npz::default();
            for known in npz.names() {
                let same = npz.get(known).unwrap().clone();
                wrong.push(known, if known == name { array.clone() } else { same });
            }
            decode_entries::<Plane>(&wrong).unwrap_err()
        };
        assert!(with("connectivity", whole([0, 1, 2, 4].into_iter())).contains("element 0"));
        assert!(with("element_kind", bytes([12].into_iter())).contains("element 0"));
        assert!(with("solid_nodes", whole([0, 3].into_iter())).contains("does not divide"));
        assert!(decode_entries::<Volume>(&npz).is_err());
    }
}
