//! The polygonal section: any convex polygon with 0 inside or on its edge.
//!
//! A corner is one direction of friction that a whole fan of sliding directions shares; an edge is
//! a sliding direction for which friction can act anywhere along the edge.

use super::section::LoneContact;
use drystone_space::{DVec2, Volume, math};
use std::sync::Arc;

/// A convex polygon of friction forces per normal force, in axes of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionPolygon {
    /// Counter-clockwise.
    edges: Vec<Edge>,
}

/// An edge from its corner to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    corner: DVec2,
    end: DVec2,
    /// Unit vector from corner to end.
    along: DVec2,
    /// Unit vector outward.
    outward: DVec2,
    /// Distance from 0.
    offset: f64,
}

/// Why corners make no section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolygonError {
    /// Fewer than three corners.
    #[error("fewer than three corners")]
    TooFew,
    /// A coordinate is infinite or not a number.
    #[error("a coordinate that is not a finite number")]
    NotFinite,
    /// Not convex, or with corners that coincide or lie on one line.
    #[error("corners that do not go round a convex polygon")]
    NotConvex,
    /// 0 is outside: such friction would drive.
    #[error("a polygon that does not hold the point [0, 0]")]
    WithoutOrigin,
}

impl FrictionPolygon {
    /// From its corners, either way round.
    pub fn new(corners: &[DVec2]) -> Result<Self, PolygonError> {
        if corners.len() < 3 {
            return Err(PolygonError::TooFew);
        }
        if corners.iter().any(|corner| !corner.is_finite()) {
            return Err(PolygonError::NotFinite);
        }
        let size = corners.iter().fold(0.0f64, |size, corner| size.max(corner.length()));
        let mut corners = corners.to_vec();
        let count = corners.len();
        let area: f64 = (0..count).map(|i| corners[i].perp_dot(corners[(i + 1) % count])).sum();
        if area < 0.0 {
            corners.reverse();
        }
        let edges: Vec<Edge> =
            (0..count).map(|i| Edge::new(corners[i], corners[(i + 1) % count])).collect();
        // Every corner but an edge's own two is clearly inside of it: convex, and once round.
        let inside = |i: usize, j: usize| {
            j == i
                || j == (i + 1) % count
                || edges[i].outward.dot(corners[j]) < edges[i].offset - 1e-9 * size
        };
        if !(0..count).all(|i| (0..count).all(|j| inside(i, j))) {
            return Err(PolygonError::NotConvex);
        }
        if edges.iter().any(|edge| edge.offset < -1e-12 * size) {
            return Err(PolygonError::WithoutOrigin);
        }
        Ok(Self { edges })
    }

    /// A regular polygon with its corners at `coefficient` from 0, the first of them along x.
    pub fn regular(sides: usize, coefficient: f64) -> Result<Self, PolygonError> {
        let angle = |i: usize| std::f64::consts::TAU * i as f64 / sides as f64;
        let corners: Vec<DVec2> =
            (0..sides).map(|i| math::direction(angle(i)) * coefficient).collect();
        Self::new(&corners)
    }

    /// Largest distance of a corner from 0.
    pub fn largest(&self) -> f64 {
        self.edges.iter().fold(0.0, |size, edge| size.max(edge.corner.length()))
    }

    /// Support function.
    pub fn support(&self, direction: DVec2) -> f64 {
        self.edges.iter().fold(0.0, |reach, edge| reach.max(edge.corner.dot(direction)))
    }

    fn nearest(&self, point: DVec2) -> DVec2 {
        if self.edges.iter().all(|edge| edge.outward.dot(point) <= edge.offset) {
            return point;
        }
        let on_edge = |edge: &Edge| {
            let length = edge.along.dot(edge.end - edge.corner);
            let reach = edge.along.dot(point - edge.corner);
            match reach {
                _ if reach <= 0.0 => edge.corner,
                _ if reach >= length => edge.end,
                _ => edge.corner + edge.along * reach,
            }
        };
        let points = self.edges.iter().map(on_edge);
        let distance = |p: &DVec2| p.distance_squared(point);
        points.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(point)
    }
}

impl Edge {
    fn new(corner: DVec2, end: DVec2) -> Self {
        let along = (end - corner).normalize_or_zero();
        let outward = -along.perp();
        Self { corner, end, along, outward, offset: outward.dot(corner) }
    }

    /// Friction on this edge: U_t is normal to it. Returns p_t.
    ///
    /// The edge's line p_t·ν = d p_n with p_n = m − k·p_t is p_t·(ν + d k) = d m.
    fn slide(&self, contact: &LoneContact<Volume>) -> Option<DVec2> {
        let normal = self.outward + contact.k * self.offset;
        let foot = normal * (self.offset * contact.m / normal.length_squared());
        let direction = normal.perp();
        let stiffness = self.along.dot(contact.apply(direction));
        let along = -self.along.dot(contact.b + contact.apply(foot)) / stiffness;
        Some(foot + direction * along).filter(|p| p.is_finite())
    }
}

/// A [`FrictionPolygon`] in the tangent axes of a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonSection {
    /// The polygon's axes: orthogonal unit vectors, right-handed or left-handed.
    pub axes: [DVec2; 2],
    /// The polygon.
    pub polygon: Arc<FrictionPolygon>,
}

impl PolygonSection {
    fn inward(&self, v: DVec2) -> DVec2 {
        DVec2::new(self.axes[0].dot(v), self.axes[1].dot(v))
    }
    fn outward(&self, v: DVec2) -> DVec2 {
        self.axes[0] * v.x + self.axes[1] * v.y
    }
    /// Support function.
    pub fn support(&self, direction: DVec2) -> f64 {
        self.polygon.support(self.inward(direction))
    }
    /// The point of size·D nearest to `point`.
    pub fn nearest(&self, point: DVec2, size: f64) -> DVec2 {
        if size <= 0.0 {
            return DVec2::ZERO;
        }
        self.outward(self.polygon.nearest(self.inward(point) / size) * size)
    }

    /// The tangential impulse that satisfies the law: sticking, sliding on an edge or at a corner,
    /// the first of them that satisfies it, or the nearest to it where rounding lets none.
    pub fn solve(&self, contact: &LoneContact<Volume>) -> DVec2 {
        let contact = contact.in_axes(self.axes);
        let edges = &self.polygon.edges;
        // Velocities are compared with impulses by the mean of S.
        let mobility = 2.0 / (contact.schur[0].x + contact.schur[1].y);
        let normal = |p: DVec2| contact.m - contact.k.dot(p);
        let resisting = |p: DVec2| -(contact.apply(p) + contact.b) * mobility;
        let mut best = (f64::NEG_INFINITY, DVec2::ZERO);
        // The least slack of a candidate's conditions: not negative where the law holds.
        let mut accept = |p: DVec2, slack: f64| {
            if slack > best.0 {
                best = (slack, p);
            }
            best.0 >= 0.0
        };
        let stick = contact.stick();
        let room = |edge: &Edge| edge.offset * normal(stick) - edge.outward.dot(stick);
        let slack = edges.iter().fold(normal(stick), |slack, edge| slack.min(room(edge)));
        if accept(stick, slack) {
            return self.outward(stick);
        }
        let mut before = &edges[edges.len() - 1];
        for edge in edges {
            if let Some(p) = edge.slide(&contact) {
                let n = normal(p);
                let start = edge.along.dot(p - edge.corner * n);
                let end = edge.along.dot(edge.end * n - p);
                let push = edge.outward.dot(resisting(p));
                if accept(p, n.min(start).min(end).min(push)) {
                    break;
                }
            }
            let slope = 1.0 + contact.k.dot(edge.corner);
            if slope > 0.0 {
                let p = edge.corner * (contact.m / slope);
                let resisting = resisting(p);
                let slack = before.along.dot(resisting).min(-edge.along.dot(resisting));
                if accept(p, slack) {
                    break;
                }
            }
            before = edge;
        }
        self.outward(best.1)
    }
}
