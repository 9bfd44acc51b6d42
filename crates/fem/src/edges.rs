//! Edges that cross in space where no node and no corner is inside the other body.
//!
//! Two edges with directions d₁ and d₂ have the common normal n ∥ d₁ × d₂. They touch where n is between
//! the outward normals of the facets at one edge, and −n between those at the other: then their facets do
//! not reach further than the edges. Of the two edges one must be sharp: nodes and facets find the rest.

use crate::Facet;
use crate::touch::{Meeting, Placed, Reach, Search, Spot, apart, bounds};
use drystone_space::{Space, Vector, math};
use std::collections::BTreeMap;

/// Facets that turn by less than this are flat, and a normal may be past a facet's by as much.
const FLAT: f64 = 0.35;
/// Edges at a smaller angle (its sine) have no common normal to rely on.
const PARALLEL: f64 = 0.1;
/// Nearer to an end than this share of an edge a crossing is found by nodes.
const END: f64 = 1e-3;
/// Told from numbers of nodes by its highest bit.
const EDGE: u32 = 1 << 31;

/// An edge of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfaceEdge {
    nodes: [u32; 2],
    facets: [u32; 2],
    /// Whether the facets turn outward there, at rest.
    sharp: bool,
}

/// An edge where it is now, with the outward unit normals beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<V> {
    /// Its ends.
    pub ends: [V; 2],
    /// Normals of the two facets.
    pub normals: [V; 2],
    /// Whether the facets turn there.
    pub sharp: bool,
    /// The nodes at its ends; no meaning for rigid shapes.
    pub nodes: [u32; 2],
    /// Its number among the edges of its surface or shape.
    pub index: u32,
}

/// Where two edges cross: the share of the way along each, the normal toward the first, the gap.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing<V> {
    shares: [f64; 2],
    point: V,
    normal: V,
    gap: f64,
}

/// The vector product, of vectors in space.
fn cross<V: Vector>(a: V, b: V) -> V {
    V::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a.get(j) * b.get(k) - a.get(k) * b.get(j)
    })
}

/// The outward unit normal of a facet, from its diagonals.
fn outward<V: Vector>(facet: &Facet, places: &[V]) -> V {
    let x = |i: usize| places[facet.nodes()[i] as usize];
    let normal = match facet.nodes().len() {
        4 => cross(x(2) - x(0), x(3) - x(1)),
        _ => cross(x(1) - x(0), x(2) - x(0)),
    };
    normal / normal.norm()
}

/// The edges of a surface that turn outward or are flat, by their nodes; those that turn inward are met by
/// nothing but nodes.
pub(crate) fn edges<V: Vector>(facets: &[Facet], places: &[V]) -> Vec<SurfaceEdge> {
    if V::LENGTH != 3 {
        return Vec::new();
    }
    let mut sides: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for (index, facet) in facets.iter().enumerate() {
        let nodes = facet.nodes();
        for (i, &a) in nodes.iter().enumerate() {
            let b = nodes[(i + 1) % nodes.len()];
            sides.entry([a.min(b), a.max(b)]).or_default().push(index as u32);
        }
    }
    let centre = |facet: &Facet| {
        let nodes = facet.nodes();
        nodes.iter().fold(V::ZERO, |sum, &n| sum + places[n as usize]) / nodes.len() as f64
    };
    let edge = |(nodes, list): ([u32; 2], Vec<u32>)| {
        let [a, b] = list[..] else { return None };
        let pair = [a, b].map(|index| &facets[index as usize]);
        let [one, two] = pair.map(|facet| outward(facet, places));
        let turn = math::acos(one.dot(two).clamp(-1.0, 1.0));
        let inward = (centre(pair[1]) - centre(pair[0])).dot(one) > 0.0;
        let sharp = turn > FLAT;
        (!(sharp && inward)).then_some(SurfaceEdge { nodes, facets: [a, b], sharp })
    };
    sides.into_iter().filter_map(edge).collect()
}

/// Whether a unit normal is between those beside an edge, or past them by no more than what is flat.
fn is_beside<V: Vector>(normal: V, line: &Line<V>) -> bool {
    let mean = line.normals[0] + line.normals[1];
    let length = mean.norm();
    let half = math::acos((0.5 * length).clamp(-1.0, 1.0));
    length > 0.0
        && normal.dot(mean) / length >= math::cos((half + FLAT).min(std::f64::consts::FRAC_PI_2))
}

fn crossing<V: Vector>(first: &Line<V>, second: &Line<V>) -> Option<Crossing<V>> {
    let [u, v] = [first, second].map(|line| line.ends[1] - line.ends[0]);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
    let square = uu * vv - uv * uv;
    if square <= PARALLEL * PARALLEL * uu * vv {
        return None;
    }
    let apart = second.ends[0] - first.ends[0];
    let shares = [
        (vv * u.dot(apart) - uv * v.dot(apart)) / square,
        (uv * u.dot(apart) - uu * v.dot(apart)) / square,
    ];
    if shares.iter().any(|&share| !(END..=1.0 - END).contains(&share)) {
        return None;
    }
    let normal = cross(u, v) / square.sqrt();
    let out = second.normals[0] + second.normals[1] - first.normals[0] - first.normals[1];
    let normal = if normal.dot(out) < 0.0 { -normal } else { normal };
    if !is_beside(normal, second) || !is_beside(-normal, first) {
        return None;
    }
    let [a, b] = [first.ends[0] + u * shares[0], second.ends[0] + v * shares[1]];
    Some(Crossing { shares, point: (a + b) * 0.5, normal, gap: (a - b).dot(normal) })
}

/// The edges of a surface that are near a box.
fn lines_near<S: Space>(
    (surface, places): Placed<S>,
    around: (S::Vector, S::Vector),
    grow: f64,
    lines: &mut Vec<Line<S::Vector>>,
) {
    lines.clear();
    for (index, edge) in surface.edges().iter().enumerate() {
        let ends = edge.nodes.map(|node| places[node as usize]);
        if !apart(bounds(ends.into_iter()), around, grow) {
            let normals = edge.facets.map(|f| outward(&surface.facets()[f as usize], places));
            let SurfaceEdge { nodes, sharp, .. } = *edge;
            lines.push(Line { ends, normals, sharp, nodes, index: index as u32 });
        }
    }
}

fn meet<S: Space>(
    first: &Line<S::Vector>,
    second: &Line<S::Vector>,
    reach: Reach,
) -> Option<Meeting<S>> {
    let far = apart(
        bounds(first.ends.into_iter()),
        bounds(second.ends.into_iter()),
        reach.margin + reach.depth,
    );
    if far || !(first.sharp || second.sharp) {
        return None;
    }
    let Crossing { shares, point, normal, gap } = crossing(first, second)?;
    (gap <= reach.margin && gap >= -reach.depth).then(|| Meeting {
        first: Spot::between(first.nodes, shares[0]),
        second: Spot::between(second.nodes, shares[1]),
        point,
        normal,
        gap,
        feature: [EDGE | first.index, EDGE | second.index],
    })
}

impl<S: Space> Search<S> {
    /// The edges of two surfaces that cross.
    pub fn edges_on_edges(
        &mut self,
        first: Placed<S>,
        second: Placed<S>,
        reach: Reach,
        meetings: &mut Vec<Meeting<S>>,
    ) {
        let grow = reach.margin + reach.depth;
        let [own, others] = &mut self.lines;
        let around = |(surface, places): Placed<S>| {
            bounds(surface.nodes().iter().map(|&n| places[n as usize]))
        };
        lines_near(first, around(second), grow, own);
        lines_near(second, around(first), grow, others);
        for one in own.iter() {
            meetings.extend(others.iter().filter_map(|two| meet::<S>(one, two, reach)));
        }
    }

    /// Edges of another shape that cross those of a surface. The feature of a meeting is one number for
    /// both edges, and zero.
    pub fn lines_on_edges(
        &mut self,
        lines: &[Line<S::Vector>],
        second: Placed<S>,
        reach: Reach,
        meetings: &mut Vec<Meeting<S>>,
    ) {
        if lines.is_empty() {
            return;
        }
        let around = bounds(lines.iter().flat_map(|line| line.ends));
        let others = &mut self.lines[0];
        lines_near(second, around, reach.margin + reach.depth, others);
        let count = second.0.edges().len() as u32;
        for one in lines {
            for two in others.iter() {
                let Some(mut meeting) = meet::<S>(one, two, reach) else { continue };
                let pair = one.index.wrapping_mul(count).wrapping_add(two.index);
                meeting.feature = [EDGE | pair, 0];
                meetings.push(meeting);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Surface, mesh};
    use drystone_space::{DMat3, DVec3, Volume};

    const REACH: Reach = Reach { margin: 0.0, depth: 0.2 };

    /// A bar along x with an edge up, its top edge at z = 0.
    fn bar() -> crate::Mesh<Volume> {
        let side = 0.2f64;
        let bar = mesh::block(DVec3::new(2.0, side, side), [3, 1, 1]).unwrap();
        let turn = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_4);
        bar.map(|p| turn * p - DVec3::Z * side * 0.5f64.sqrt())
    }

    #[test]
    fn a_block_has_twelve_sharp_edges_and_flat_ones_between_facets() {
        let block = mesh::block(DVec3::ONE, [2, 2, 2]).unwrap();
        let surface = Surface::of(&block);
        let sharp = surface.edges().iter().filter(|edge| edge.sharp).count();
        // Each of 12 edges is cut in two; each of 6 sides has 4 flat edges.
        assert_eq!((sharp, surface.edges().len()), (24, 48));
    }

    #[test]
    fn crossed_bars_meet_edge_on_edge() {
        let low = bar();
        let upper = |height: f64| {
            let turn = DMat3::from_rotation_z(1.3) * DMat3::from_rotation_x(std::f64::consts::PI);
            bar().map(move |p| turn * p + DVec3::Z * height)
        };
        for (height, found) in [(-0.03, 1), (0.01, 0), (-0.25, 0)] {
            let high = upper(height);
            let (a, b) = (Surface::of(&high), Surface::of(&low));
            let mut meetings = Vec::new();
            let mut search = Search::<Volume>::default();
            search.edges_on_edges((&a, &high.nodes), (&b, &low.nodes), REACH, &mut meetings);
            assert_eq!(meetings.len(), found, "{meetings:?}");
            for meeting in &meetings {
                assert!((meeting.normal - DVec3::Z).length() < 1e-12);
                assert!((meeting.gap - height).abs() < 1e-12);
                assert!(meeting.point.truncate().length() < 1e-12);
                let place = meeting.first.mean(|n| high.nodes[n as usize]);
                assert!((place - DVec3::Z * height).length() < 1e-12, "{place}");
            }
            // Nodes alone do not see it.
            meetings.clear();
            search.nodes_on_facets((&a, &high.nodes), (&b, &low.nodes), REACH, &mut meetings);
            assert!(meetings.is_empty());
        }
    }

    #[test]
    fn edges_that_turn_inward_are_left_out() {
        // An L of three cubes: the edge in its corner turns inward.
        let mut mesh = mesh::block(DVec3::new(2.0, 1.0, 1.0), [2, 1, 1]).unwrap();
        let more = mesh::block(DVec3::ONE, [1, 1, 1]).unwrap();
        let at = |p: DVec3| p + DVec3::new(-0.5, 0.0, 1.0);
        let start = mesh.nodes.len() as u32;
        let known = mesh.nodes.clone();
        let name: Vec<u32> = more
            .nodes
            .iter()
            .enumerate()
            .map(|(i, &p)| {
                known
                    .iter()
                    .position(|q| q.distance(at(p)) < 1e-9)
                    .map_or(start + i as u32, |n| n as u32)
            })
            .collect();
        mesh.nodes.extend(more.nodes.iter().map(|&p| at(p)));
        let (kind, nodes) = more.element(0);
        let nodes: Vec<u32> = nodes.iter().map(|&n| name[n as usize]).collect();
        mesh.push(kind, &nodes);
        let surface = Surface::of(&mesh);
        let inner = DVec3::new(0.0, 0.0, 0.5);
        for edge in surface.edges() {
            let [a, b] = edge.nodes.map(|n| mesh.nodes[n as usize]);
            assert!(((a + b) * 0.5).distance(inner) > 0.1, "{edge:?}");
        }
    }
}
