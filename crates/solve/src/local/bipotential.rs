//! The bipotential predictor–corrector at one contact (Feng et al. 2006, (15)–(17)).
//!
//! Predictor: τ = p − ρ Û with Û = u + (μ|u_t| + μ_r|u_m|) n; corrector: p = proj_K(τ). The paper
//! leaves ρ open. Here it follows the map's own slope L = ρ |Û' − Û|/|p' − p|: a step with L above
//! [`STEEP`] is taken again with a smaller ρ, one with L below [`FLAT`] is followed by a larger ρ.

use super::{LocalSolution, OneContact};
use crate::assembled::Local;
use crate::assembled::local::{norm, scaled, subtract};

/// Settled when a step with the common ρ would move the impulse by less than this.
const ENOUGH: f64 = 1e-12;
/// Projections at most.
const MOST: u32 = 1000;
const STEEP: f64 = 0.9;
const FLAT: f64 = 0.3;
const CHANGE: f64 = 1.5;

impl<const D: usize> OneContact<D> {
    pub(super) fn bipotential(&self, velocity: &Local<D>, impulse: &Local<D>) -> LocalSolution<D> {
        let lifted = |p: &Local<D>| self.cone.lift(&self.velocity(velocity, impulse, p));
        let common = self.augmentation.common;
        let floor = common * norm(velocity);
        let mut rho = common;
        let mut p = self.cone.project(impulse);
        let mut lift = lifted(&p);
        for iterations in 1..=MOST {
            let next = self.cone.project(&subtract(&p, &scaled(&lift, rho)));
            let lift_next = lifted(&next);
            let way = norm(&subtract(&next, &p));
            if way * (common / rho).max(1.0) <= ENOUGH * (norm(&next) + floor) {
                return LocalSolution { impulse: self.cone.clip(&next), settled: true, iterations };
            }
            let slope = rho * norm(&subtract(&lift_next, &lift)) / way;
            if slope > STEEP {
                rho /= CHANGE;
                continue;
            }
            if slope < FLAT {
                rho *= CHANGE;
            }
            (p, lift) = (next, lift_next);
        }
        LocalSolution { impulse: self.cone.clip(&p), settled: false, iterations: MOST }
    }
}
