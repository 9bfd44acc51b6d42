//! How one step went.

use crate::Story;
use drystone_solve::{ErrorEstimate, Residual};

/// How one step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of contacts in the problem.
    pub contacts: usize,
    /// Bodies asleep.
    pub asleep: usize,
    /// Sweeps of the solver.
    pub iterations: usize,
    /// Newton's iterations on deformable solids.
    pub newton: usize,
    /// Relative residual (FCLib's normalised natural map, in the problem's own units).
    pub residual: f64,
    /// Scale-free residual.
    pub residual_scale_free: f64,
    /// Estimated error of the step in the kinetic metric, where it could be told, and by which way: the distance of
    /// velocities to the exact ones, as a share of what contacts have changed.
    pub error: Option<ErrorEstimate>,
    /// Whether the tolerance was met by the residuals, and by the error where factors told it.
    pub converged: bool,
    /// Which methods solved it, why, and how each ended.
    pub story: Story,
    /// Deepest overlap, as a positive length.
    pub penetration: f64,
    /// The same, relative to the smaller of the two shapes' widths.
    pub penetration_relative: f64,
}

impl StepReport {
    /// The larger of the two residuals.
    pub fn worst_residual(&self) -> f64 {
        let [relative, scale_free] = [self.residual, self.residual_scale_free];
        Residual { relative, scale_free }.worst()
    }
}
