//! Contact laws between the velocity U that a contact's law sees and its impulse P.
//!
//! All are complete (Jean & Moreau 1992, §3): U_n ≥ 0, P_n ≥ 0, and P = 0 while U_n > 0 (with
//! cohesion c: P_n ≥ −c, and P = −c n while U_n > 0).
//!
//! The two laws that most contacts have are here, and small. All others are [`Special`]: a contact
//! names its record in the problem's side table.

mod couple;
mod curve;
mod ellipse;
mod percussion;
mod polygon;
mod section;
mod special;

pub use couple::{Couple, Resistance};
pub use curve::{Curve, CurveError, CurvePoints};
pub use ellipse::Ellipse;
pub use percussion::Percussion;
pub use polygon::{FrictionPolygon, PolygonError, PolygonSection};
pub use section::{Interval, LoneContact, Section, VolumeSection};
pub use special::Special;

use crate::{Block, Blocks};
use drystone_space::{Local, Vector};

/// The law of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// No tangential impulse (Jean & Moreau 1992, (3.9)).
    Frictionless,
    /// Coulomb's cone with its coefficient (Jean & Moreau 1992, §4).
    Coulomb(f64),
    /// Another law: index among [`ContactProblem::specials`](crate::ContactProblem::specials).
    Special(u32),
}

impl Law {
    /// Coulomb's law, or the frictionless one where the coefficient is zero.
    #[inline]
    pub fn with_friction(friction: f64) -> Self {
        if friction > 0.0 { Law::Coulomb(friction) } else { Law::Frictionless }
    }
    /// Coulomb's coefficient, zero for other laws.
    #[inline(always)]
    pub fn friction(&self) -> f64 {
        match *self {
            Law::Frictionless | Law::Special(_) => 0.0,
            Law::Coulomb(friction) => friction,
        }
    }
    /// The record of a law that is neither frictionless nor Coulomb's.
    #[inline(always)]
    pub fn special<'a, S: Blocks>(&self, specials: &'a [Special<S>]) -> Option<&'a Special<S>> {
        match *self {
            Law::Frictionless | Law::Coulomb(_) => None,
            Law::Special(index) => specials.get(index as usize),
        }
    }

    /// The impulse that satisfies the law of one contact while all others are frozen, from the
    /// present velocity and impulse (Moreau 2003, (42)).
    #[inline(always)]
    pub fn solve<S: Blocks>(
        &self,
        specials: &[Special<S>],
        block: &S::Block,
        velocity: S::Local,
        impulse: S::Local,
    ) -> S::Local {
        let (m, b) = block.reduce(velocity, impulse);
        match self {
            Law::Frictionless => S::Local::new(m.max(0.0), S::Tangent::ZERO),
            Law::Coulomb(_) => block.coulomb(m, b),
            Law::Special(index) => specials[*index as usize].solve(block, velocity, impulse),
        }
    }

    /// The point of Coulomb's cone C = {|P_t| ≤ μ P_n} nearest to `impulse`; special laws have
    /// their own [projection](Special::project).
    #[inline]
    pub fn project<S: Blocks>(&self, impulse: S::Local) -> S::Local {
        let friction = self.friction();
        let (n, tangent) = (impulse.normal(), impulse.tangent());
        let t = tangent.norm();
        if n >= 0.0 && t <= friction * n {
            return impulse;
        }
        if friction * t <= -n {
            return S::Local::ZERO;
        }
        let normal = (n + friction * t) / (1.0 + friction * friction);
        let scale = if t > 0.0 { friction * normal / t } else { 0.0 };
        S::Local::new(normal, tangent * scale)
    }

    /// P − proj_C(P − a (U + μ|U_t| n)): zero exactly where the law holds (de Saxcé's bipotential
    /// read as a projection; Feng et al. 2006, (15)–(17)). Special laws have their own
    /// [map](Special::natural_map).
    #[inline]
    pub fn natural_map<S: Blocks>(
        &self,
        velocity: S::Local,
        impulse: S::Local,
        augmentation: f64,
    ) -> S::Local {
        let shift = self.friction() * velocity.tangent().norm();
        let lifted = S::Local::new(velocity.normal() + shift, velocity.tangent());
        impulse - self.project::<S>(impulse - lifted * augmentation)
    }
}

#[cfg(test)]
mod tests;
