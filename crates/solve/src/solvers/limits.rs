//! What is asked of a solver, and when it has to stop.
//!
//! Without a deadline nothing here looks at a clock: the same problem gives the same bits. With one, where a solve ends
//! depends on the machine.

use super::factor::FactorPrice;
use crate::assembled::BlockMatrix;
use drystone_space::clock::Instant;

/// Multiplications that a core makes in a second, about, in the units of prices: the slower end of what was measured,
/// so that what is begun seldom ends too late.
const PER_SECOND: f64 = 2e9;
/// Price of the analysis of a pattern, in units of the power 3/2 of W's numbers: the more there are, the more fill in.
const ANALYSIS: f64 = 2.0;

/// What is asked of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The residual must come below this ([`Residual::solves`](crate::Residual::solves)).
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// When the solver gives back what it has reached. Where there is one, the result depends on the clock.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// A tolerance within so many iterations, however long these take.
    pub fn new(tolerance: f64, max_iterations: usize) -> Self {
        Self { tolerance, max_iterations, deadline: None }
    }

    /// Whether the time is up.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether work of this price, in multiplications, can end in time.
    pub fn has_time_for(&self, price: f64) -> bool {
        self.deadline.is_none_or(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            price <= PER_SECOND * left.as_secs_f64()
        })
    }

    /// Whether factors of this price can be made and used in time.
    pub(crate) fn has_time_for_factors(&self, price: FactorPrice) -> bool {
        self.has_time_for(price.factor + price.solve)
    }

    /// Whether the pattern of a matrix can be analysed in time.
    pub(crate) fn has_time_for_analysis<const D: usize>(&self, matrix: &BlockMatrix<D>) -> bool {
        self.has_time_for(analysis_price(matrix))
    }
}

/// Multiplications that the analysis of a pattern takes, about; fitted to times of 25 to 10,000 contacts.
pub(crate) fn analysis_price<const D: usize>(matrix: &BlockMatrix<D>) -> f64 {
    let numbers = (matrix.blocks.len() * D * D) as f64;
    ANALYSIS * numbers * numbers.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn without_a_deadline_there_is_time_for_everything() {
        let limits = Limits::new(1e-4, 10);
        assert!(!limits.is_late() && limits.has_time_for(f64::INFINITY));
    }

    #[test]
    fn what_cannot_end_in_time_is_foreseen() {
        let end = |seconds| Some(Instant::now() + Duration::from_secs(seconds));
        let limits = Limits { deadline: end(100), ..Limits::new(1e-4, 10) };
        assert!(!limits.is_late());
        assert!(limits.has_time_for(90.0 * PER_SECOND) && !limits.has_time_for(110.0 * PER_SECOND));
        let over = Limits { deadline: end(0), ..limits };
        assert!(over.is_late() && !over.has_time_for(1.0));
    }
}
