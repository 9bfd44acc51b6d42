//! Contact laws between the velocity U that a contact's law sees and its impulse P.
//!
//! Both are complete (Jean & Moreau 1992, §3): U_n ≥ 0, P_n ≥ 0, and P = 0 while U_n > 0.

use crate::{Block, Blocks};
use drystone_space::{Local, Vector};

/// The law of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// No tangential impulse (Jean & Moreau 1992, (3.9)).
    Frictionless,
    /// Coulomb's cone with its coefficient (Jean & Moreau 1992, §4).
    Coulomb(f64),
}

impl Law {
    /// Coulomb's law, or the frictionless one where the coefficient is zero.
    pub fn with_friction(friction: f64) -> Self {
        if friction > 0.0 { Law::Coulomb(friction) } else { Law::Frictionless }
    }
    /// Coulomb's coefficient, zero for the frictionless law.
    #[inline(always)]
    pub fn friction(&self) -> f64 {
        match *self {
            Law::Frictionless => 0.0,
            Law::Coulomb(friction) => friction,
        }
    }

    /// The impulse that satisfies the law of one contact while all others are frozen, from the
    /// present velocity and impulse (Moreau 2003, (42)).
    #[inline(always)]
    pub fn solve<S: Blocks>(
        &self,
        block: &S::Block,
        velocity: S::Local,
        impulse: S::Local,
    ) -> S::Local {
        let (m, b) = block.reduce(velocity, impulse);
        match self {
            Law::Frictionless => S::Local::new(m.max(0.0), S::Tangent::ZERO),
            Law::Coulomb(_) => block.coulomb(m, b),
        }
    }

    /// The point of the cone C = {|P_t| ≤ μ P_n} nearest to `impulse`.
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
    /// read as a projection; Feng et al. 2006, (15)–(17)).
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
mod tests {
    use super::*;
    use drystone_space::{DVec2, Local3, Volume};
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Local3> {
        prop::array::uniform3(-3.0f64..3.0).prop_map(|v| Local3::new(v[0], DVec2::new(v[1], v[2])))
    }

    proptest! {
        #[test]
        fn projection_is_idempotent_and_does_not_expand(a in vector(), b in vector(), mu in 0.0f64..2.0) {
            let law = Law::with_friction(mu);
            let (pa, pb) = (law.project::<Volume>(a), law.project::<Volume>(b));
            let again = law.project::<Volume>(pa) - pa;
            prop_assert!(again.dot(again).sqrt() < 1e-12);
            prop_assert!((pa - pb).dot(pa - pb) <= (a - b).dot(a - b) * (1.0 + 1e-12));
            // The rest of a is normal to the cone at pa.
            prop_assert!((a - pa).dot(pb - pa) <= 1e-12);
        }

        #[test]
        fn the_frictionless_cone_is_a_ray(a in vector()) {
            for a in [a, Local3::new(a.n, DVec2::ZERO)] {
                let p = Law::Frictionless.project::<Volume>(a);
                prop_assert_eq!(p, Local3::new(a.n.max(0.0), DVec2::ZERO));
            }
        }
    }

    #[test]
    fn the_natural_map_vanishes_where_the_law_holds() {
        let law = Law::Coulomb(0.5);
        // Slip: the impulse opposes the velocity on the edge of the cone.
        let slip = law.natural_map::<Volume>(
            Local3::new(0.0, DVec2::new(3.0, 0.0)),
            Local3::new(2.0, DVec2::new(-1.0, 0.0)),
            0.7,
        );
        assert!(slip.dot(slip).sqrt() < 1e-15);
        // A push while apart is an error of its whole size.
        let apart = law.natural_map::<Volume>(
            Local3::new(9.0, DVec2::ZERO),
            Local3::new(2.0, DVec2::ZERO),
            1.0,
        );
        assert_eq!(apart, Local3::new(2.0, DVec2::ZERO));
    }
}
