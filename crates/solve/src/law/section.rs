//! Sections of friction cones: which tangential impulses P_t a normal impulse P_n allows.
//!
//! The cone is C = {P_t ∈ P_n D}; its section D is convex and holds 0. Coulomb's law is associated
//! in the tangent plane: −U_t is normal to P_n D at P_t, so that of all P_t in P_n D the one that
//! dissipates most is taken. Its dissipation is P_n φ(−U_t) with the support function
//! φ(v) = max {v·x, x ∈ D} (Jean & Moreau 1992, §4; Moreau 2003, §5).
//!
//! In the plane D is an interval, in space an [ellipse](super::ellipse) or a
//! [polygon](super::polygon).

use super::ellipse::Ellipse;
use super::polygon::PolygonSection;
use crate::{Block, Blocks};
use drystone_space::{DVec2, Plane, Vector, Volume};
use std::fmt::Debug;

/// What one contact sees of its movers at U_n = 0, in the notation of `block.rs`: the normal impulse
/// is m − k·p_t and the sliding velocity S p_t + b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoneContact<S: Blocks> {
    /// Normal impulse of the frictionless solution; positive.
    pub m: f64,
    /// What friction has to stop.
    pub b: S::Tangent,
    /// Coupling k.
    pub k: S::Tangent,
    /// Columns of S; in the plane only the first is used.
    pub schur: [S::Tangent; 2],
}

impl<S: Blocks> LoneContact<S> {
    /// From the parts of a block. `fluidity` is added to the diagonal of S.
    pub(crate) fn new(block: &S::Block, m: f64, b: S::Tangent, fluidity: f64) -> Self {
        let column = |i| {
            let axis = S::Tangent::axis(i);
            block.schur(axis) + axis * fluidity
        };
        Self { m, b, k: block.coupling(), schur: [column(0), column(1)] }
    }
}

impl LoneContact<Volume> {
    /// S p.
    pub fn apply(&self, p: DVec2) -> DVec2 {
        self.schur[0] * p.x + self.schur[1] * p.y
    }
    /// −S⁻¹ b: the impulse that stops all sliding.
    pub fn stick(&self) -> DVec2 {
        let [x, y] = self.schur;
        DVec2::new(y.x * self.b.y - y.y * self.b.x, x.y * self.b.x - x.x * self.b.y) / x.perp_dot(y)
    }
    /// The same in coordinates z with p_t = z_0 axes\[0\] + z_1 axes\[1\]; the axes need be neither
    /// unit vectors nor right-handed.
    pub fn in_axes(&self, axes: [DVec2; 2]) -> Self {
        let turned = |v: DVec2| DVec2::new(axes[0].dot(v), axes[1].dot(v));
        Self {
            m: self.m,
            b: turned(self.b),
            k: turned(self.k),
            schur: axes.map(|axis| turned(self.apply(axis))),
        }
    }
}

/// A section D.
pub trait Section<S: Blocks>: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The section of Coulomb's isotropic cone.
    fn round(friction: f64) -> Self;
    /// Coulomb's coefficient, if the section is isotropic.
    fn isotropic(&self) -> Option<f64>;
    /// Whether D holds 0, as it must, and no coefficient is negative or no number.
    fn holds_origin(&self) -> bool;
    /// φ(direction), the support function.
    fn support(&self, direction: S::Tangent) -> f64;
    /// The point of size·D nearest to `point`.
    fn nearest(&self, point: S::Tangent, size: f64) -> S::Tangent;
    /// The tangential impulse that satisfies the law of one contact while all others are frozen.
    fn solve(&self, contact: &LoneContact<S>) -> S::Tangent;
    /// The impulse that stops all sliding, whatever the section.
    fn stick(contact: &LoneContact<S>) -> S::Tangent;
}

/// A section in the plane: P_t from `low`·P_n to `high`·P_n, with low ≤ 0 ≤ high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Minus the coefficient against sliding along the tangent.
    pub low: f64,
    /// The coefficient against sliding the other way.
    pub high: f64,
}

impl Section<Plane> for Interval {
    fn round(friction: f64) -> Self {
        Self { low: -friction, high: friction }
    }
    fn isotropic(&self) -> Option<f64> {
        (self.low == -self.high).then_some(self.high)
    }
    fn holds_origin(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
    fn support(&self, direction: f64) -> f64 {
        (self.low * direction).max(self.high * direction)
    }
    fn nearest(&self, point: f64, size: f64) -> f64 {
        point.clamp(self.low * size, self.high * size)
    }
    /// The stick impulse, clipped to the cone along the line p_n = m − k p_t; where the line never
    /// meets an edge (Painlevé's case) there is no bound on that side.
    fn solve(&self, contact: &LoneContact<Plane>) -> f64 {
        let end = |edge: f64, never: f64| {
            let slope = 1.0 + edge * contact.k;
            if slope > 0.0 { edge * contact.m / slope } else { never }
        };
        let (low, high) = (end(self.low, f64::NEG_INFINITY), end(self.high, f64::INFINITY));
        Self::stick(contact).clamp(low, high)
    }
    fn stick(contact: &LoneContact<Plane>) -> f64 {
        -contact.b / contact.schur[0]
    }
}

/// A section in space.
#[derive(Clone, Debug, PartialEq)]
pub enum VolumeSection {
    /// Two coefficients and a principal direction.
    Ellipse(Ellipse),
    /// Any convex polygon.
    Polygon(PolygonSection),
}

impl Section<Volume> for VolumeSection {
    fn round(friction: f64) -> Self {
        VolumeSection::Ellipse(Ellipse { axis: DVec2::X, coefficients: [friction; 2] })
    }
    fn isotropic(&self) -> Option<f64> {
        match self {
            VolumeSection::Ellipse(ellipse) => {
                let [along, across] = ellipse.coefficients;
                (along == across).then_some(along)
            }
            VolumeSection::Polygon(_) => None,
        }
    }
    fn holds_origin(&self) -> bool {
        match self {
            VolumeSection::Ellipse(ellipse) => ellipse.coefficients.iter().all(|x| *x >= 0.0),
            // A polygon without 0 cannot be made.
            VolumeSection::Polygon(_) => true,
        }
    }
    fn support(&self, direction: DVec2) -> f64 {
        match self {
            VolumeSection::Ellipse(ellipse) => ellipse.support(direction),
            VolumeSection::Polygon(section) => section.support(direction),
        }
    }
    fn nearest(&self, point: DVec2, size: f64) -> DVec2 {
        match self {
            VolumeSection::Ellipse(ellipse) => ellipse.nearest(point, size),
            VolumeSection::Polygon(section) => section.nearest(point, size),
        }
    }
    fn solve(&self, contact: &LoneContact<Volume>) -> DVec2 {
        match self {
            VolumeSection::Ellipse(ellipse) => ellipse.solve(contact),
            VolumeSection::Polygon(section) => section.solve(contact),
        }
    }
    fn stick(contact: &LoneContact<Volume>) -> DVec2 {
        contact.stick()
    }
}
