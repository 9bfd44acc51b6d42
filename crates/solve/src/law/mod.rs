//! Contact laws between the velocity U that a contact's law sees and its impulse P.
//!
//! All are complete (Jean & Moreau 1992, §3): U_n ≥ 0, P_n ≥ 0, and P = 0 while U_n > 0 (with
//! cohesion c: P_n ≥ −c, and P = −c n while U_n > 0).
//!
//! Each law has a file with its parameters and their check, its local solve, its projection and its natural
//! map; the enums here only choose. Coulomb's law ([`Cone`], `coulomb.rs`) and the frictionless one stand in the
//! contact, and are small. All others are [`Special`]: a contact names its record in the problem's side table.

mod bounded;
mod characteristic;
pub mod coulomb;
mod couple;
mod curve;
mod elastic;
mod ellipse;
mod general_cone;
mod percussion;
mod polygon;
mod section;

pub use bounded::{Bounded, Bounds};
pub use characteristic::{Characteristic, TableSpring};
pub use coulomb::Cone;
pub use couple::{Couple, Resistance};
pub use curve::{Curve, CurveError, CurvePoints};
pub use elastic::Elastic;
pub use ellipse::Ellipse;
pub use general_cone::GeneralCone;
pub use percussion::Percussion;
pub use polygon::{FrictionPolygon, PolygonError, PolygonSection};
pub use section::{Interval, LoneContact, Section, VolumeSection};

use crate::Blocks;
use drystone_space::Local;

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
    /// Whether the coefficient is a number from zero on; special laws have their own check.
    pub fn is_sound(&self) -> bool {
        Cone::coulomb(self.friction()).is_sound()
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
        match self {
            Law::Frictionless => coulomb::solve_frictionless::<S>(block, velocity, impulse),
            Law::Coulomb(_) => coulomb::solve::<S>(block, velocity, impulse),
            Law::Special(index) => specials[*index as usize].solve(block, velocity, impulse),
        }
    }

    /// The point of Coulomb's cone nearest to `impulse`; special laws have their own
    /// [projection](Special::project).
    #[inline]
    pub fn project<S: Blocks>(&self, impulse: S::Local) -> S::Local {
        let cone = Cone::coulomb(self.friction());
        match S::DIMENSION {
            2 => S::Local::from_array(&cone.project::<2>(&impulse.to_array())),
            _ => S::Local::from_array(&cone.project::<3>(&impulse.to_array())),
        }
    }

    /// [`Cone::natural_map`]; special laws have their own [map](Special::natural_map).
    #[inline]
    pub fn natural_map<S: Blocks>(
        &self,
        velocity: S::Local,
        impulse: S::Local,
        a: f64,
    ) -> S::Local {
        let cone = Cone::coulomb(self.friction());
        let (u, p) = (velocity, impulse);
        match S::DIMENSION {
            2 => S::Local::from_array(&cone.natural_map::<2>(&u.to_array(), &p.to_array(), a)),
            _ => S::Local::from_array(&cone.natural_map::<3>(&u.to_array(), &p.to_array(), a)),
        }
    }
}

/// A law that is neither frictionless nor Coulomb's isotropic one.
#[derive(Clone, Debug, PartialEq)]
pub enum Special<S: Blocks> {
    /// A cone with any section, cohesion, viscosity and a couple.
    Cone(GeneralCone<S>),
    /// A percussion of A-CD².
    Percussion(Percussion<S>),
    /// An impulse with bounds of its own, as joints have.
    Bounded(Bounded<S>),
    /// An elastic tie, as bonds are.
    Elastic(Elastic<S>),
    /// A spring or damper by tables, as joints have.
    Spring(TableSpring<S>),
}

impl<S: Blocks> Special<S> {
    /// The cone, if the law is one.
    #[inline]
    pub fn cone(&self) -> Option<&GeneralCone<S>> {
        match self {
            Special::Cone(cone) => Some(cone),
            _ => None,
        }
    }

    /// The percussion, if the law is one.
    #[inline]
    pub fn percussion(&self) -> Option<&Percussion<S>> {
        match self {
            Special::Percussion(percussion) => Some(percussion),
            _ => None,
        }
    }

    /// The couple, which only cones can have.
    #[inline]
    pub fn couple(&self) -> Option<&Couple<S>> {
        self.cone()?.couple.as_ref()
    }

    /// Largest pull, as an impulse.
    #[inline]
    pub fn cohesion(&self) -> f64 {
        self.cone().map_or(0.0, |cone| cone.cohesion)
    }

    /// Coulomb's coefficient where the block alone can solve the law.
    pub(crate) fn plain_friction(&self) -> Option<f64> {
        self.cone()?.plain_friction()
    }

    /// Whether the parameters are such as the law can have.
    pub fn is_sound(&self) -> bool {
        match self {
            Special::Cone(cone) => cone.is_sound(),
            Special::Percussion(percussion) => percussion.is_sound(),
            Special::Bounded(bounded) => bounded.is_sound(),
            Special::Elastic(elastic) => elastic.is_sound(),
            Special::Spring(spring) => spring.is_sound(),
        }
    }

    /// The impulse that satisfies the law while all others, and the couple, are frozen.
    pub fn solve(&self, block: &S::Block, velocity: S::Local, impulse: S::Local) -> S::Local {
        match self {
            Special::Cone(cone) => cone.solve(block, velocity, impulse),
            Special::Percussion(percussion) => percussion.solve(block, velocity, impulse),
            Special::Bounded(bounded) => bounded.solve(block, velocity, impulse),
            Special::Elastic(elastic) => elastic.solve(block, velocity, impulse),
            Special::Spring(spring) => spring.solve(block, velocity, impulse),
        }
    }

    /// The nearest impulse and couple that the law can begin from.
    pub fn project(&self, impulse: S::Local, couple: S::Local) -> (S::Local, S::Local) {
        match self {
            Special::Cone(cone) => cone.project(impulse, couple),
            Special::Percussion(percussion) => (percussion.project(impulse), S::Local::ZERO),
            Special::Bounded(bounded) => (bounded.project(impulse), S::Local::ZERO),
            Special::Elastic(elastic) => (elastic.project(impulse), S::Local::ZERO),
            Special::Spring(spring) => (spring.project(impulse), S::Local::ZERO),
        }
    }

    /// The natural map of the contact and of its couple as M/L, from velocity and spin and from
    /// impulse and couple: zero exactly where the law holds.
    pub fn natural_map(
        &self,
        (velocity, spin): (S::Local, S::Local),
        (impulse, couple): (S::Local, S::Local),
        augmentation: f64,
    ) -> (S::Local, S::Local) {
        match self {
            Special::Cone(cone) => {
                cone.natural_map((velocity, spin), (impulse, couple), augmentation)
            }
            Special::Percussion(percussion) => {
                (percussion.natural_map(velocity, impulse, augmentation), S::Local::ZERO)
            }
            Special::Bounded(bounded) => {
                (bounded.natural_map(velocity, impulse, augmentation), S::Local::ZERO)
            }
            Special::Elastic(elastic) => {
                (elastic.natural_map(velocity, impulse, augmentation), S::Local::ZERO)
            }
            Special::Spring(spring) => {
                (spring.natural_map(velocity, impulse, augmentation), S::Local::ZERO)
            }
        }
    }
}

#[cfg(test)]
mod tests;
