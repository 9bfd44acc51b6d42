//! A cone with more than Coulomb's coefficient: any section, cohesion, viscosity, and a couple.
//!
//! All these are Coulomb's law in other variables, and go together:
//!
//! - Cohesion c ≥ 0 (as an impulse) shifts the apex of the cone: P' = P + c n is in the cone and
//!   takes the place of P. The contact pulls with up to c before it opens.
//! - Viscosity η (impulse by velocity): below the cone's edge P_t = −η U_t. So U_t is made of
//!   creep −P_t/η and of slip, and slip obeys Coulomb's law: V_t = U_t + P_t/η takes the place of
//!   U_t. The contact's S becomes S + I/η. Without a section there is creep only.
//! - A couple adds its own bounds to the cone (`couple.rs`).
//!
//! The judge's map is that of Coulomb's law with the cone
//! K = {P'_t ∈ P'_n D, |M_t| ≤ ℓ_r P'_n, |M_n| ≤ ℓ_s P'_n} and the lifted velocity
//! V̂_n = U_n + φ(−V_t) + ℓ_r|ω_t| + ℓ_s|ω_n|, M/L and ωL in place of M and ω.

use super::section::{LoneContact, Section};
use super::{Couple, Law};
use crate::{Block, Blocks};
use drystone_space::{Local, Vector};

/// The cone of one contact and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralCone<S: Blocks> {
    /// Section of the friction cone; `None` where nothing bounds the tangential impulse.
    pub section: Option<S::Section>,
    /// Largest pull, as an impulse: force times time step.
    pub cohesion: f64,
    /// 1/η: sliding velocity by tangential impulse. 0 is dry friction.
    pub fluidity: f64,
    /// Rolling and spinning resistance.
    pub couple: Option<Couple<S>>,
}

impl<S: Blocks> GeneralCone<S> {
    /// Coulomb's isotropic law, to which more can be added.
    pub fn coulomb(friction: f64) -> Self {
        let section = Some(S::Section::round(friction));
        Self { section, cohesion: 0.0, fluidity: 0.0, couple: None }
    }

    /// Whether cohesion and fluidity are numbers from zero on, and the section holds 0.
    pub fn is_sound(&self) -> bool {
        let section = self.section.as_ref();
        section.is_none_or(|section| section.holds_origin())
            && self.cohesion.is_finite()
            && self.cohesion >= 0.0
            && self.fluidity >= 0.0
    }

    /// Coulomb's coefficient where the block alone can solve the law.
    pub(crate) fn plain_friction(&self) -> Option<f64> {
        let section = self.section.as_ref().filter(|_| self.fluidity == 0.0);
        section.and_then(|section| section.isotropic())
    }

    /// The impulse that satisfies the law while all others, and the couple, are frozen.
    pub fn solve(&self, block: &S::Block, velocity: S::Local, impulse: S::Local) -> S::Local {
        let (m, b) = block.reduce(velocity, impulse);
        let m = m + self.cohesion;
        if m <= 0.0 {
            return S::Local::new(-self.cohesion, S::Tangent::ZERO);
        }
        let whole = match self.plain_friction() {
            Some(0.0) => S::Local::new(m, S::Tangent::ZERO),
            Some(_) => block.coulomb(m, b),
            None => {
                let contact = LoneContact::new(block, m, b, self.fluidity);
                let tangent = match &self.section {
                    Some(section) => section.solve(&contact),
                    None => creep(&contact),
                };
                S::Local::new((m - contact.k.dot(tangent)).max(0.0), tangent)
            }
        };
        S::Local::new(whole.normal() - self.cohesion, whole.tangent())
    }

    /// P' = P + c n.
    fn shifted(&self, impulse: S::Local) -> S::Local {
        S::Local::new(impulse.normal() + self.cohesion, impulse.tangent())
    }

    /// Normal impulse that bounds friction and couple.
    #[inline]
    pub(crate) fn pressure(&self, impulse: S::Local) -> f64 {
        impulse.normal() + self.cohesion
    }

    /// Coefficients of the couple's bounds, rolling and spinning, for M/L.
    fn bounds(&self) -> [f64; 2] {
        self.couple.as_ref().map_or([0.0; 2], |couple| couple.coefficients())
    }

    /// L.
    fn lever(&self) -> f64 {
        self.couple.as_ref().map_or(1.0, |couple| couple.lever)
    }

    /// The point of the cone nearest to an impulse and its couple, M being measured as M/L.
    pub fn project(&self, impulse: S::Local, couple: S::Local) -> (S::Local, S::Local) {
        let lever = self.lever();
        let (p, m) = self.project_scaled(self.shifted(impulse), couple * (1.0 / lever));
        (S::Local::new(p.normal() - self.cohesion, p.tangent()), m * lever)
    }

    /// The same for P' and M/L. The normal part p of the projection minimises the squared distance, whose derivative is
    /// p − a_n − Σ φ_j(a_j − nearest_j(a_j, p)): a function that rises, so that a bracket closes on
    /// its root.
    pub(super) fn project_scaled(&self, a: S::Local, couple: S::Local) -> (S::Local, S::Local) {
        let bounds = self.bounds();
        if let (None, Some(friction)) = (&self.couple, self.plain_friction()) {
            return (Law::with_friction(friction).project::<S>(a), S::Local::ZERO);
        }
        let parts = [couple.tangent().norm(), couple.normal().abs()];
        let excess = |size: f64| {
            let section = self.section.as_ref().map_or(0.0, |section| {
                section.support(a.tangent() - section.nearest(a.tangent(), size))
            });
            let couples = (0..2).map(|i| bounds[i] * (parts[i] - bounds[i] * size).max(0.0));
            section + couples.sum::<f64>()
        };
        let size = rising_root(a.normal(), excess);
        let tangent = match &self.section {
            Some(section) => section.nearest(a.tangent(), size),
            None if size > 0.0 => a.tangent(),
            None => S::Tangent::ZERO,
        };
        let part =
            |i: usize| if parts[i] > 0.0 { (bounds[i] * size / parts[i]).min(1.0) } else { 0.0 };
        let rolled = S::Local::new(couple.normal() * part(1), couple.tangent() * part(0));
        (S::Local::new(size, tangent), rolled)
    }

    /// The natural map of the contact and of its couple as M/L, from velocity and spin and from
    /// impulse and couple: zero exactly where the law holds.
    pub fn natural_map(
        &self,
        (velocity, spin): (S::Local, S::Local),
        (impulse, couple): (S::Local, S::Local),
        augmentation: f64,
    ) -> (S::Local, S::Local) {
        let slip = velocity.tangent() + impulse.tangent() * self.fluidity;
        let lift = self.section.as_ref().map_or(0.0, |section| section.support(-slip))
            + self.couple.as_ref().map_or(0.0, |couple| couple.dissipation(spin));
        let lever = self.lever();
        let lifted = S::Local::new(velocity.normal() + lift, slip);
        let (p, m) = (self.shifted(impulse), couple * (1.0 / lever));
        let (near, near_couple) =
            self.project_scaled(p - lifted * augmentation, m - spin * (augmentation * lever));
        (p - near, m - near_couple)
    }
}

/// The tangential impulse where nothing bounds it. Where it would lift the contact off, which the
/// law forbids, there is no solution: what is left of it then keeps the contact closed.
fn creep<S: Blocks>(contact: &LoneContact<S>) -> S::Tangent {
    let whole = S::Section::stick(contact);
    let lift = contact.k.dot(whole);
    if lift > contact.m { whole * (contact.m / lift) } else { whole }
}

/// The root p ≥ 0 of p − a − excess(p), where the excess is not negative and does not rise; 0 where
/// the root would be negative. Regula falsi with Illinois' remedy, and bisection as the last resort.
fn rising_root(a: f64, excess: impl Fn(f64) -> f64) -> f64 {
    let value = |p: f64| p - a - excess(p);
    let mut low = a.max(0.0);
    let mut at_low = value(low);
    if at_low >= 0.0 {
        return low;
    }
    let mut high = low - at_low;
    let mut at_high = value(high);
    for turn in 0..200 {
        if at_high <= 0.0 || high - low <= 4.0 * f64::EPSILON * high {
            break;
        }
        let between = (low * at_high - high * at_low) / (at_high - at_low);
        let trusted = turn < 50 && between > low && between < high;
        let p = if trusted { between } else { 0.5 * (low + high) };
        let at = value(p);
        if at == 0.0 {
            return p;
        }
        if at < 0.0 {
            (low, at_low, at_high) = (p, at, 0.5 * at_high);
        } else {
            (high, at_high, at_low) = (p, at, 0.5 * at_low);
        }
    }
    high
}
