//! Laws of bonds: the damage D by the stretch w = (w_n, w_t), and the stress that is left.
//!
//! *Cohesive zone.* Along a path of given ratio of opening to slip, of length λ, stress grows up to λ_0, where
//! (K_n w_n/σ)² + (K_t w_t/τ)² = 1, and falls in a straight line to zero at λ_f, such that the energies spent in the two
//! modes have G_n/G_I + G_t/G_II = 1 (Camanho & Dávila 2002, with the power 1). So
//!
//! D = λ_f (λ − λ_0)/(λ (λ_f − λ_0)), and D never falls. The stress is −(1 − D) K w: unloading goes straight to the origin.
//!
//! *Adhesion* (Raous, Cangémi & Cocou 1999). With β = 1 − D and y = K_n w_n² + K_t w_t² the stress is −β² K w, and
//! β̇ = −(1/T) ((β y − w)⁺/w)^(1/p), w being the energy of adhesion: b|β̇|ᵖ = (β y − w)⁺ with b = w Tᵖ. The rate is that of
//! the end of the step.
//!
//! Only openings count in w_n: pressure does not damage.

use super::{BondKind, BondLaw};
use drystone_space::{Vector, math};

/// Adhesion below this is lost: a two-thousandth of the energy w of a bond goes with it.
const LOST: f64 = 1e-3;

impl BondLaw {
    /// What is left of the stiffness.
    pub(crate) fn integrity(&self, damage: f64) -> f64 {
        let left = (1.0 - damage).max(0.0);
        match self.kind {
            BondKind::Elastic | BondKind::Cohesive(_) => left,
            BondKind::Adhesive(_) => left * left,
            BondKind::Rigid(_) => left.ceil(),
        }
    }

    /// Whether contacts of whole bonds are left out.
    pub(crate) fn replaces_contacts(&self) -> bool {
        self.pushes || matches!(self.kind, BondKind::Rigid(_))
    }

    /// Damage after a step of length h that began with `before` and ends with this opening and slip.
    pub(crate) fn damage(&self, [opening, slip]: [f64; 2], before: f64, h: f64) -> f64 {
        let opening = opening.max(0.0);
        let squares = [self.stiffness[0] * opening * opening, self.stiffness[1] * slip * slip];
        let found = match self.kind {
            BondKind::Elastic | BondKind::Rigid(_) => 0.0,
            BondKind::Cohesive(zone) => {
                let onset = |i: usize| {
                    squares[i] * self.stiffness[i] / (zone.strength[i] * zone.strength[i])
                };
                // (λ/λ_0)², and λ_f/λ times λ_0/λ.
                let beyond = onset(0) + onset(1);
                let spent = squares[0] / zone.energy[0] + squares[1] / zone.energy[1];
                if beyond <= 1.0 {
                    return before;
                }
                let (first, last) = (1.0 / beyond.sqrt(), 2.0 * beyond.sqrt() / spent);
                if last <= 1.0 { 1.0 } else { last * (1.0 - first) / (last - first) }
            }
            BondKind::Adhesive(law) => {
                let drive = (squares[0] + squares[1]) / law.energy;
                let left = adhesion_after(1.0 - before, drive, law.time, law.exponent, h);
                if left <= LOST { 1.0 } else { 1.0 - left }
            }
        };
        found.clamp(before, 1.0)
    }

    /// Energy by area at this stretch.
    pub(crate) fn energy(&self, [opening, slip]: [f64; 2], damage: f64) -> f64 {
        let left = self.integrity(damage);
        if matches!(self.kind, BondKind::Rigid(_)) || left == 0.0 {
            return 0.0;
        }
        let along = match (opening >= 0.0, self.pushes) {
            (true, _) => left,
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        let [normal, tangent] = self.stiffness;
        0.5 * (along * normal * opening * opening + left * tangent * slip * slip)
    }

    /// Which part of its coefficient of friction a contact has beside bonds at these places with these damages. In a cohesive
    /// zone only what is damaged rubs (Alfano & Sacco 2006): the contact has the damage of the nearest bond.
    pub(crate) fn friction_share<V: Vector>(
        &self,
        point: V,
        bonds: impl Iterator<Item = (V, f64)>,
    ) -> f64 {
        if !matches!(self.kind, BondKind::Cohesive(_)) {
            return 1.0;
        }
        let mut nearest = (f64::INFINITY, 1.0);
        for (place, damage) in bonds {
            let distance = (place - point).norm_squared();
            if distance < nearest.0 {
                nearest = (distance, damage);
            }
        }
        nearest.1
    }
}

/// β at the end of a step, from `before`: β − before + (h/T) (β drive − 1)^(1/p) = 0, whose left side rises with β.
fn adhesion_after(before: f64, drive: f64, time: f64, exponent: f64, h: f64) -> f64 {
    if before * drive <= 1.0 {
        return before;
    }
    let rest = 1.0 / drive;
    if time == 0.0 {
        return rest;
    }
    let share = h / time;
    if exponent == 1.0 {
        return (before + share) / (1.0 + share * drive);
    }
    let (mut low, mut high) = (rest, before);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let excess = (middle * drive - 1.0).max(0.0);
        match middle - before + share * math::powf(excess, 1.0 / exponent) > 0.0 {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::super::{Adhesion, BondForms, CohesiveZone};
    use super::*;

    fn law(kind: BondKind, stiffness: [f64; 2]) -> BondLaw {
        let forms = BondForms::Start;
        BondLaw { kind, stiffness, pushes: false, points: 2, area: None, reach: None, forms }
    }

    /// Work of the stress along a path of small steps.
    fn spent(law: &BondLaw, path: impl Fn(f64) -> [f64; 2], steps: usize) -> [f64; 2] {
        let (mut damage, mut work) = (0.0, [0.0; 2]);
        let mut last = ([0.0; 2], [0.0; 2]);
        for step in 1..=steps {
            let stretch = path(step as f64 / steps as f64);
            damage = law.damage(stretch, damage, 1e-3);
            let stress = [0, 1].map(|i| law.integrity(damage) * law.stiffness[i] * stretch[i]);
            let done = |i: usize| 0.5 * (stress[i] + last.1[i]) * (stretch[i] - last.0[i]);
            work = [work[0] + done(0), work[1] + done(1)];
            last = (stretch, stress);
        }
        assert_eq!(damage, 1.0, "{law:?}");
        work
    }

    /// Modes I and II spend their energies; in mixed modes the two shares add up to one.
    #[test]
    fn areas_under_the_curves_are_the_energies() {
        let (strength, energy) = ([2e5, 3e5], [10.0, 30.0]);
        let law = law(BondKind::Cohesive(CohesiveZone { strength, energy }), [1e10, 2e10]);
        let [normal, _] = spent(&law, |x| [x * 1.1e-4, 0.0], 20_000);
        assert!((normal / 10.0 - 1.0).abs() < 1e-4, "{normal}");
        let [_, shear] = spent(&law, |x| [0.0, -x * 2.2e-4], 20_000);
        assert!((shear / 30.0 - 1.0).abs() < 1e-4, "{shear}");
        for ratio in [0.2, 1.0, 4.0] {
            let mixed = spent(&law, |x| [x * 3e-4, x * 3e-4 * ratio], 40_000);
            let sum = mixed[0] / 10.0 + mixed[1] / 30.0;
            assert!((sum - 1.0).abs() < 1e-3, "{ratio}: {mixed:?}");
        }
    }

    /// The peak is the strength, at σ/K; half way down the stress is half of it; unloading goes to the origin.
    #[test]
    fn the_curve_of_mode_one() {
        let zone = CohesiveZone { strength: [2e5, 2e5], energy: [10.0, 10.0] };
        let law = law(BondKind::Cohesive(zone), [1e10, 1e10]);
        assert_eq!(law.damage([2e-5, 0.0], 0.0, 1.0), 0.0);
        let stress = |w: f64, d: f64| law.integrity(d) * 1e10 * w;
        let half = 0.5 * (2e-5 + 1e-4);
        let damage = law.damage([half, 0.0], 0.0, 1.0);
        assert!((stress(half, damage) / 1e5 - 1.0).abs() < 1e-12);
        assert_eq!(law.damage([0.5 * half, 0.0], damage, 1.0), damage);
        assert_eq!(law.damage([-half, 0.0], damage, 1.0), damage);
        assert_eq!(law.damage([1e-4 * (1.0 + 1e-12), 0.0], damage, 1.0), 1.0);
    }

    /// Without delay the energy of adhesion is w, and u₀ = √(w/C).
    #[test]
    fn adhesion_spends_its_energy() {
        let kind = |time| BondKind::Adhesive(Adhesion { energy: 5.0, time, exponent: 1.0 });
        let law0 = law(kind(0.0), [1e8, 1e8]);
        let first = (5.0f64 / 1e8).sqrt();
        assert_eq!(law0.damage([first, 0.0], 0.0, 1.0), 0.0);
        let [work, _] = spent(&law0, |x| [x * 40.0 * first, 0.0], 100_000);
        // What is beyond u is w u₀²/(2u²); the last is cut off at β = 1e-3, u = √1000 u₀.
        let rest = 5.0 * 0.5 / 1e3;
        assert!((work - (5.0 - rest)).abs() < 1e-3, "{work}");
        assert!((law0.damage([2.0 * first, 0.0], 0.0, 1.0) - 0.75).abs() < 1e-12);
    }

    /// At a given opening β goes to w/y at the rate y/(w T), to first order in h; other powers obey their equation.
    #[test]
    fn adhesion_relaxes_at_its_rate() {
        let law1 =
            law(BondKind::Adhesive(Adhesion { energy: 1.0, time: 0.2, exponent: 1.0 }), [4.0; 2]);
        let error = |steps: usize| {
            let h = 0.1 / steps as f64;
            let damage = (0..steps).fold(0.0, |damage, _| law1.damage([1.0, 0.0], damage, h));
            (1.0 - damage) - (0.25 + 0.75 * (-0.1f64 * 4.0 / 0.2).exp())
        };
        let [coarse, fine] = [100, 200].map(error);
        assert!(coarse > 0.0 && (coarse / fine - 2.0).abs() < 0.05, "{coarse} {fine}");
        let cubic =
            law(BondKind::Adhesive(Adhesion { energy: 1.0, time: 0.2, exponent: 3.0 }), [4.0; 2]);
        let after = 1.0 - cubic.damage([1.0, 0.0], 0.0, 0.02);
        let miss = after - 1.0 + 0.1 * (after * 4.0 - 1.0).cbrt();
        assert!(miss.abs() < 1e-12, "{miss}");
    }
}
