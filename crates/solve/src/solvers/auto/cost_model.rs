//! What methods cost, in multiplications of a sweep: fitted to times on recorded problems, to a factor of
//! two.

use super::super::factor::FactorPrice;
use super::super::limits::analysis_price;
use crate::assembled::Assembled;

/// Costs that the size of a problem tells.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    pub sweep: f64,
    /// An iteration of the gradient.
    pub gradient: f64,
    /// The analysis of W's pattern.
    pub analysis: f64,
}

/// Costs that the analysis of W's pattern tells.
#[derive(Clone, Copy, Debug)]
pub struct FactorCosts {
    /// A factorisation of W, and an iteration of alternating directions.
    pub factor: f64,
    pub splitting: f64,
    /// A step of Newton, and one along a path through the interior: factors without symmetry.
    pub newton: f64,
    pub interior: f64,
}

impl Costs {
    pub fn new<const D: usize>(problem: &Assembled<D>) -> Self {
        let numbers = (problem.delassus.blocks.len() * D * D) as f64;
        let contacts = problem.contacts() as f64;
        Self {
            sweep: numbers + 5.0 * (D * D * D) as f64 * contacts,
            gradient: 2.6 * numbers + 50.0 * D as f64 * contacts,
            analysis: analysis_price(&problem.delassus),
        }
    }

    /// With costs of factors of W's symmetric part, and of any matrix of its pattern.
    pub fn with_factors<const D: usize>(
        &self,
        problem: &Assembled<D>,
        symmetric: FactorPrice,
        whole: FactorPrice,
    ) -> FactorCosts {
        let components = (problem.contacts() * D) as f64;
        let filled = whole.factor + 3.0 * self.gradient;
        FactorCosts {
            factor: symmetric.factor,
            splitting: self.gradient + 2.0 * symmetric.solve + 40.0 * components,
            newton: filled + 2.0 * whole.solve + 4.0 * self.sweep,
            interior: filled + 6.0 * whole.solve + 250.0 * components,
        }
    }
}
