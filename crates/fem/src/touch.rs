//! Where surfaces meet: node to facet in the plane and in space, segment to segment in the plane; edges that
//! cross in space are in `edges.rs`.
//!
//! A meeting has a spot on each side, which is a weighted set of nodes. Normals point toward the
//! first; gaps are positive apart. A node is tried against the facet that is nearest to it; what is
//! deeper than `depth` is the far side of the solid and no meeting.

pub use crate::edges::Line;
use crate::{FACET_NODES, Facet, Surface};
use drystone_space::{DVec2, DVec3, Plane, Space, Vector, Volume};

/// Distances that differ by less than this share are equal.
const TIE: f64 = 1e-7;

/// A place on a surface: nodes and their weights, which sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    nodes: [(u32, f64); FACET_NODES],
    count: u8,
}

impl Spot {
    /// At a node.
    pub fn at(node: u32) -> Self {
        let mut nodes = [(0, 0.0); FACET_NODES];
        nodes[0] = (node, 1.0);
        Self { nodes, count: 1 }
    }
    /// Between two nodes, at this share of the way from the first.
    pub(crate) fn between(ends: [u32; 2], share: f64) -> Self {
        let mut nodes = [(0, 0.0); FACET_NODES];
        nodes[0] = (ends[0], 1.0 - share);
        nodes[1] = (ends[1], share);
        Self { nodes, count: 2 }
    }
    fn on(facet: &Facet, weights: [f64; FACET_NODES]) -> Self {
        let mut nodes = [(0, 0.0); FACET_NODES];
        for (slot, (&node, weight)) in nodes.iter_mut().zip(facet.nodes().iter().zip(weights)) {
            *slot = (node, weight);
        }
        Self { nodes, count: facet.nodes().len() as u8 }
    }
    /// The same with other numbers for the nodes.
    pub fn renamed(&self, name: impl Fn(u32) -> u32) -> Self {
        let mut spot = *self;
        let count = usize::from(self.count);
        spot.nodes[..count].iter_mut().for_each(|(node, _)| *node = name(*node));
        spot
    }
    /// Nodes and weights.
    pub fn nodes(&self) -> &[(u32, f64)] {
        &self.nodes[..usize::from(self.count)]
    }
    /// The weighted mean of what nodes have.
    pub fn mean<V: Vector>(&self, of: impl Fn(u32) -> V) -> V {
        self.nodes().iter().fold(V::ZERO, |sum, &(node, weight)| sum + of(node) * weight)
    }
}

/// Where two surfaces meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting<S: Space> {
    /// Place on the first.
    pub first: Spot,
    /// Place on the second.
    pub second: Spot,
    /// Where, in world axes.
    pub point: S::Vector,
    /// Unit normal toward the first.
    pub normal: S::Vector,
    /// Distance along the normal.
    pub gap: f64,
    /// Names the meeting from step to step: the node, or the two facets.
    pub feature: [u32; 2],
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Largest gap.
    pub margin: f64,
    /// Largest overlap.
    pub depth: f64,
}

/// The point of a facet nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<S: Space> {
    weights: [f64; FACET_NODES],
    point: S::Vector,
    /// The facet's outward normal there.
    normal: S::Vector,
    /// Whether the point is beside the facet, not past its rim.
    beside: bool,
}

/// Spaces whose facets a point can be projected on.
pub trait Facets: Space {
    /// The nearest point of a facet, given by its corners.
    fn nearest(point: Self::Vector, corners: &[Self::Vector]) -> Nearest<Self>;
}

impl Facets for Plane {
    fn nearest(point: DVec2, corners: &[DVec2]) -> Nearest<Self> {
        let along = corners[1] - corners[0];
        let place = (point - corners[0]).dot(along) / along.length_squared();
        let inside = place.clamp(0.0, 1.0);
        Nearest {
            weights: [1.0 - inside, inside, 0.0, 0.0],
            point: corners[0] + along * inside,
            normal: DVec2::new(along.y, -along.x).normalize_or_zero(),
            beside: place == inside,
        }
    }
}

impl Facets for Volume {
    fn nearest(point: DVec3, corners: &[DVec3]) -> Nearest<Self> {
        if let [a, b, c] = *corners {
            return on_triangle(point, [a, b, c]);
        }
        on_quad(point, [corners[0], corners[1], corners[2], corners[3]])
    }
}

/// By the regions of corners, edges and the inside.
fn on_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> Nearest<Volume> {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    // Barycentric coordinates of the foot.
    let wa = (b - point).cross(c - point).dot(normal) / area;
    let wb = (c - point).cross(a - point).dot(normal) / area;
    let wc = 1.0 - wa - wb;
    let beside = wa >= 0.0 && wb >= 0.0 && wc >= 0.0;
    let weights = if beside {
        [wa, wb, wc, 0.0]
    } else {
        let edge = |p: DVec3, q: DVec3| {
            let along = q - p;
            let t = ((point - p).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (t, (p + along * t).distance_squared(point))
        };
        let (ab, bc, ca) = (edge(a, b), edge(b, c), edge(c, a));
        if ab.1 <= bc.1 && ab.1 <= ca.1 {
            [1.0 - ab.0, ab.0, 0.0, 0.0]
        } else if bc.1 <= ca.1 {
            [0.0, 1.0 - bc.0, bc.0, 0.0]
        } else {
            [ca.0, 0.0, 1.0 - ca.0, 0.0]
        }
    };
    let nearest = a * weights[0] + b * weights[1] + c * weights[2];
    Nearest { weights, point: nearest, normal: normal.normalize_or_zero(), beside }
}

/// A bilinear patch: Gauss–Newton on the two coordinates, held within the patch.
fn on_quad(point: DVec3, corners: [DVec3; 4]) -> Nearest<Volume> {
    let weights = |[s, t]: [f64; 2]| {
        [
            0.25 * (1.0 - s) * (1.0 - t),
            0.25 * (1.0 + s) * (1.0 - t),
            0.25 * (1.0 + s) * (1.0 + t),
            0.25 * (1.0 - s) * (1.0 + t),
        ]
    };
    let blend = |w: [f64; 4]| (0..4).fold(DVec3::ZERO, |sum, i| sum + corners[i] * w[i]);
    let slopes = |[s, t]: [f64; 2]| {
        let by_s = [-(1.0 - t), 1.0 - t, 1.0 + t, -(1.0 + t)].map(|w| 0.25 * w);
        let by_t = [-(1.0 - s), -(1.0 + s), 1.0 + s, 1.0 - s].map(|w| 0.25 * w);
        (blend(by_s), blend(by_t))
    };
    let (mut at, mut beside) = ([0.0; 2], true);
    for _ in 0..20 {
        let (p, q) = slopes(at);
        let away = point - blend(weights(at));
        let (pp, pq, qq) = (p.length_squared(), p.dot(q), q.length_squared());
        let determinant = pp * qq - pq * pq;
        let (right_p, right_q) = (p.dot(away), q.dot(away));
        let change = [
            (qq * right_p - pq * right_q) / determinant,
            (pp * right_q - pq * right_p) / determinant,
        ];
        let wanted = [at[0] + change[0], at[1] + change[1]];
        let held = wanted.map(|x| x.clamp(-1.0, 1.0));
        // A point just past the rim by rounding is still beside the patch.
        beside = (0..2).all(|i| (wanted[i] - held[i]).abs() < 1e-9);
        let moved = (held[0] - at[0]).abs() + (held[1] - at[1]).abs();
        at = held;
        if moved < 1e-13 {
            break;
        }
    }
    let (p, q) = slopes(at);
    let weights = weights(at);
    Nearest { weights, point: blend(weights), normal: p.cross(q).normalize_or_zero(), beside }
}

/// A surface and where its nodes are.
pub type Placed<'a, S> = (&'a Surface<S>, &'a [<S as Space>::Vector]);

/// The search for meetings, with the buffers that it needs.
#[derive(Clone, Debug)]
pub struct Search<S: Space> {
    facets: Vec<Candidate<S>>,
    own: Vec<Candidate<S>>,
    pub(crate) lines: [Vec<Line<S::Vector>>; 2],
}

impl<S: Space> Default for Search<S> {
    fn default() -> Self {
        Self { facets: Vec::new(), own: Vec::new(), lines: [Vec::new(), Vec::new()] }
    }
}

impl<S: Facets> Search<S> {
    /// The nodes of the first surface that touch the second one.
    pub fn nodes_on_facets(
        &mut self,
        first: Placed<S>,
        second: Placed<S>,
        reach: Reach,
        meetings: &mut Vec<Meeting<S>>,
    ) {
        let grow = reach.margin + reach.depth;
        near_facets(first, second, grow, &mut self.facets);
        if self.facets.is_empty() {
            return;
        }
        let (low, high) = bounds(second.0.nodes().iter().map(|&n| second.1[n as usize]));
        for &node in first.0.nodes() {
            let point = first.1[node as usize];
            if within(point, low, high, grow) {
                let tried = self.facets.iter().filter(|f| within(point, f.low, f.high, grow));
                meetings.extend(meet(node, (point, 0.0), tried, second, reach));
            }
        }
    }

    /// Points of another shape that touch the facets of a surface, each with a radius about it: corners
    /// have none, the centre of a ball has the ball's. The first spot of a meeting names the point by its
    /// number.
    pub fn points_on_facets(
        &mut self,
        points: &[(S::Vector, f64)],
        second: Placed<S>,
        reach: Reach,
        meetings: &mut Vec<Meeting<S>>,
    ) {
        let (low, high) = bounds(second.0.nodes().iter().map(|&n| second.1[n as usize]));
        for (index, &(point, radius)) in points.iter().enumerate() {
            let grow = radius + reach.margin + reach.depth;
            if !within(point, low, high, grow) {
                continue;
            }
            facets_near(second, (point, point), grow, &mut self.facets);
            let tried = self.facets.iter();
            meetings.extend(meet(index as u32, (point, radius), tried, second, reach));
        }
    }

    /// The nodes of a surface that touch other parts of it.
    pub fn nodes_on_own_facets(
        &mut self,
        own: Placed<S>,
        reach: Reach,
        meetings: &mut Vec<Meeting<S>>,
    ) {
        let grow = reach.margin + reach.depth;
        near_facets(own, own, f64::INFINITY, &mut self.facets);
        for &node in own.0.nodes() {
            let point = own.1[node as usize];
            let around = own.0.around(node);
            let tried = self.facets.iter().filter(|f| {
                within(point, f.low, f.high, grow)
                    && !own.0.facets()[f.index as usize].nodes().iter().any(|n| around.contains(n))
            });
            meetings.extend(meet(node, (point, 0.0), tried, own, reach));
        }
    }
}

/// A facet that may be met, with its box.
#[derive(Clone, Debug)]
struct Candidate<S: Space> {
    index: u32,
    low: S::Vector,
    high: S::Vector,
}

pub(crate) fn bounds<V: Vector>(points: impl Iterator<Item = V>) -> (V, V) {
    let start = (V::splat(f64::INFINITY), V::splat(f64::NEG_INFINITY));
    points.fold(start, |(low, high), x| (low.lowest(x), high.highest(x)))
}

fn within<V: Vector>(point: V, low: V, high: V, grow: f64) -> bool {
    (0..V::LENGTH).all(|i| point.get(i) >= low.get(i) - grow && point.get(i) <= high.get(i) + grow)
}

/// Whether two boxes are further apart than `grow`.
pub(crate) fn apart<V: Vector>((a, b): (V, V), (low, high): (V, V), grow: f64) -> bool {
    (0..V::LENGTH).any(|i| a.get(i) > high.get(i) + grow || b.get(i) < low.get(i) - grow)
}

/// The facets of the second surface that are near the box of the first.
fn near_facets<S: Space>(
    first: Placed<S>,
    second: Placed<S>,
    grow: f64,
    near: &mut Vec<Candidate<S>>,
) {
    let around = bounds(first.0.nodes().iter().map(|&n| first.1[n as usize]));
    facets_near(second, around, grow, near);
}

/// The facets of a surface that are near a box.
fn facets_near<S: Space>(
    (surface, places): Placed<S>,
    around: (S::Vector, S::Vector),
    grow: f64,
    near: &mut Vec<Candidate<S>>,
) {
    near.clear();
    for (index, facet) in surface.facets().iter().enumerate() {
        let (low, high) = bounds(facet.nodes().iter().map(|&n| places[n as usize]));
        if !apart((low, high), around, grow) {
            near.push(Candidate { index: index as u32, low, high });
        }
    }
}

/// The meeting of a node, or of a ball about it, with the nearest of some facets.
fn meet<'a, S: Facets>(
    node: u32,
    (point, radius): (S::Vector, f64),
    tried: impl Iterator<Item = &'a Candidate<S>>,
    (surface, places): Placed<S>,
    reach: Reach,
) -> Option<Meeting<S>> {
    let mut best: Option<(f64, f64, u32, Nearest<S>)> = None;
    for candidate in tried {
        let facet = &surface.facets()[candidate.index as usize];
        let mut corners = [S::Vector::ZERO; FACET_NODES];
        for (corner, &n) in corners.iter_mut().zip(facet.nodes()) {
            *corner = places[n as usize];
        }
        let nearest = S::nearest(point, &corners[..facet.nodes().len()]);
        let away = point - nearest.point;
        let (distance, height) = (away.norm(), away.dot(nearest.normal));
        // Facets that share the nearest point are equally near, but for rounding: the one that faces the
        // point most knows its side.
        let better = best.as_ref().is_none_or(|(least, known, ..)| {
            let facing = height.abs() > known.abs();
            distance < least * (1.0 - TIE) || (distance <= least * (1.0 + TIE) && facing)
        });
        if better {
            best = Some((distance, height, candidate.index, nearest));
        }
    }
    let (distance, height, index, nearest) = best?;
    let away = point - nearest.point;
    let (normal, gap) = if nearest.beside || distance == 0.0 {
        (nearest.normal, height)
    } else {
        // Past the rim the direction is that of the way to the nearest point.
        let sign = if height < 0.0 { -1.0 } else { 1.0 };
        (away * (sign / distance), sign * distance)
    };
    let gap = gap - radius;
    (gap <= reach.margin && gap >= -reach.depth).then(|| Meeting {
        first: Spot::at(node),
        second: Spot::on(&surface.facets()[index as usize], nearest.weights),
        point: nearest.point,
        normal,
        gap,
        feature: [node, u32::MAX],
    })
}

impl Search<Plane> {
    /// Segments of two surfaces that face and overlap each other: two points of the overlap each, where
    /// Gauss's rule has them.
    pub fn segments_on_segments(
        &mut self,
        first: Placed<Plane>,
        second: Placed<Plane>,
        reach: Reach,
        meetings: &mut Vec<Meeting<Plane>>,
    ) {
        let grow = reach.margin + reach.depth;
        near_facets(second, first, grow, &mut self.own);
        near_facets(first, second, grow, &mut self.facets);
        let ends = |(surface, places): Placed<Plane>, index: u32| {
            let nodes = surface.facets()[index as usize].nodes();
            [places[nodes[0] as usize], places[nodes[1] as usize]]
        };
        for one in &self.own {
            let a = ends(first, one.index);
            for two in &self.facets {
                let b = ends(second, two.index);
                let (along_a, along_b) = (a[1] - a[0], b[1] - b[0]);
                let direction = (along_b.normalize_or_zero() - along_a.normalize_or_zero()) * 0.5;
                // Facing segments run in opposite directions.
                if direction.length() < 0.7 {
                    continue;
                }
                let tangent = direction.normalize();
                let normal = DVec2::new(tangent.y, -tangent.x);
                let span = |ends: [DVec2; 2]| {
                    let s = ends.map(|end| end.dot(tangent));
                    (s[0].min(s[1]), s[0].max(s[1]))
                };
                let (sa, sb) = (span(a), span(b));
                let (low, high) = (sa.0.max(sb.0), sa.1.min(sb.1));
                if high - low <= 1e-9 * (sa.1 - sa.0) {
                    continue;
                }
                for (half, place) in [(0, -1.0), (1, 1.0)] {
                    let s = 0.5 * (low + high) + 0.5 * (high - low) * place / 3.0f64.sqrt();
                    let weight = |ends: [DVec2; 2]| {
                        let (p, q) = (ends[0].dot(tangent), ends[1].dot(tangent));
                        let t = (s - p) / (q - p);
                        [1.0 - t, t, 0.0, 0.0]
                    };
                    let (wa, wb) = (weight(a), weight(b));
                    let pa = a[0] * wa[0] + a[1] * wa[1];
                    let pb = b[0] * wb[0] + b[1] * wb[1];
                    let gap = (pa - pb).dot(normal);
                    if gap <= reach.margin && gap >= -reach.depth {
                        meetings.push(Meeting {
                            first: Spot::on(&first.0.facets()[one.index as usize], wa),
                            second: Spot::on(&second.0.facets()[two.index as usize], wb),
                            point: (pa + pb) * 0.5,
                            normal,
                            gap,
                            feature: [2 * one.index + half, two.index],
                        });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mesh, mesh};

    #[test]
    fn a_corner_over_a_block_meets_its_top() {
        let low = mesh::block(DVec3::splat(2.0), [2, 2, 2]).unwrap();
        let high = mesh::block(DVec3::ONE, [1, 1, 1]).unwrap().map(|p| p + DVec3::Z * 1.49);
        let (a, b) = (Surface::of(&high), Surface::of(&low));
        let mut meetings = Vec::new();
        let reach = Reach { margin: 0.0, depth: 0.5 };
        Search::<Volume>::default().nodes_on_facets(
            (&a, &high.nodes),
            (&b, &low.nodes),
            reach,
            &mut meetings,
        );
        assert_eq!(meetings.len(), 4);
        for meeting in &meetings {
            assert!((meeting.gap + 0.01).abs() < 1e-12);
            assert!((meeting.normal - DVec3::Z).length() < 1e-12);
            let second = meeting.second.mean(|n| low.nodes[n as usize]);
            let first = meeting.first.mean(|n| high.nodes[n as usize]);
            assert!((first - second + DVec3::Z * 0.01).length() < 1e-12);
        }
        // From the other side the block's nodes are outside of the small one's foot.
        meetings.clear();
        Search::<Volume>::default().nodes_on_facets(
            (&b, &low.nodes),
            (&a, &high.nodes),
            reach,
            &mut meetings,
        );
        assert_eq!(meetings.len(), 1);
        assert!((meetings[0].normal + DVec3::Z).length() < 1e-12);
    }

    /// A node beyond two sides of a block, level with its foot but for rounding, is as near to the corner of
    /// the foot as to the edge above it. It is outside.
    #[test]
    fn a_node_past_a_corner_is_outside() {
        let upper = mesh::block(DVec3::splat(0.8), [2, 2, 2]).unwrap().map(|p| p + DVec3::Z * 0.4);
        let lower = mesh::block(DVec3::ONE, [2, 2, 2]).unwrap();
        for height in [-1e-9, -1e-12, 0.0, 1e-12, 1e-9] {
            let lower = lower.clone().map(|p| p - DVec3::Z * (0.5 - height));
            let (a, b) = (Surface::of(&lower), Surface::of(&upper));
            let mut meetings = Vec::new();
            let reach = Reach { margin: 1e-2, depth: 0.2 };
            Search::<Volume>::default().nodes_on_facets(
                (&a, &lower.nodes),
                (&b, &upper.nodes),
                reach,
                &mut meetings,
            );
            assert_eq!(meetings.len(), 1, "{height}: {meetings:?}");
            assert!((meetings[0].gap + height).abs() < 1e-15);
        }
    }

    #[test]
    fn segments_meet_over_their_overlap() {
        let low = mesh::rectangle(DVec2::new(2.0, 1.0), [1, 1]).unwrap();
        let high = low.clone().map(|p| p + DVec2::new(1.5, 0.99));
        let (a, b) = (Surface::of(&high), Surface::of(&low));
        let mut meetings = Vec::new();
        let reach = Reach { margin: 0.0, depth: 0.2 };
        Search::default().segments_on_segments(
            (&a, &high.nodes),
            (&b, &low.nodes),
            reach,
            &mut meetings,
        );
        assert_eq!(meetings.len(), 2);
        for meeting in &meetings {
            assert!(
                (meeting.gap + 0.01).abs() < 1e-12 && (meeting.normal - DVec2::Y).length() < 1e-12
            );
            assert!(meeting.point.x > 0.5 && meeting.point.x < 1.0);
            let weights: f64 = meeting.first.nodes().iter().map(|&(_, w)| w).sum();
            assert!((weights - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_ring_that_closes_touches_itself() {
        // A U of five squares, closed until its arms overlap a little.
        let place = |x: f64, y: f64| DVec2::new(x, y);
        let mut mesh = Mesh::new(vec![]);
        let grid: Vec<DVec2> = (0..16).map(|i| place(f64::from(i % 4), f64::from(i / 4))).collect();
        mesh.nodes = grid;
        for (x, y) in [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)] {
            let n = |dx: u32, dy: u32| (y + dy) * 4 + x + dx;
            mesh.push(crate::ElementKind::Quad4, &[n(0, 0), n(1, 0), n(1, 1), n(0, 1)]);
        }
        let surface = Surface::of(&mesh);
        let mut nodes = mesh.nodes.clone();
        let reach = Reach { margin: 0.0, depth: 0.3 };
        let mut meetings = Vec::new();
        Search::<Plane>::default().nodes_on_own_facets((&surface, &nodes), reach, &mut meetings);
        assert!(meetings.is_empty());
        // The left arm's corner enters the right arm.
        nodes[13] = DVec2::new(1.65, 2.7);
        nodes[14] = DVec2::new(1.45, 3.0);
        Search::<Plane>::default().nodes_on_own_facets((&surface, &nodes), reach, &mut meetings);
        assert_eq!(meetings.len(), 1, "{meetings:?}");
        assert!(meetings[0].gap < -0.02 && meetings[0].gap > -0.04 && meetings[0].normal.x < 0.0);
        assert_eq!(meetings[0].first, Spot::at(13));
    }
}
