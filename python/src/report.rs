//! How a step went.

use drystone::simulation::StepReport;
use pyo3::prelude::*;

/// How a step went: residual, error, iterations, and which methods were taken.
#[pyclass(frozen, module = "drystone._drystone", name = "StepReport")]
pub struct Report(pub StepReport);

#[pymethods]
impl Report {
    /// Number of contacts in the problem.
    #[getter]
    fn contacts(&self) -> usize {
        self.0.contacts
    }
    /// Bodies asleep.
    #[getter]
    fn asleep(&self) -> usize {
        self.0.asleep
    }
    /// Sweeps of the solver.
    #[getter]
    fn iterations(&self) -> usize {
        self.0.iterations
    }
    /// Newton's iterations on deformable solids.
    #[getter]
    fn newton(&self) -> usize {
        self.0.newton
    }
    /// Relative residual.
    #[getter]
    fn residual(&self) -> f64 {
        self.0.residual
    }
    /// Scale-free residual.
    #[getter]
    fn residual_scale_free(&self) -> f64 {
        self.0.residual_scale_free
    }
    /// Estimated distance to the exact velocities, as a share of what contacts have changed; None where it is not known.
    #[getter]
    fn error(&self) -> Option<f64> {
        self.0.error.map(|error| error.value)
    }
    /// Whether the tolerance was met.
    #[getter]
    fn converged(&self) -> bool {
        self.0.converged
    }
    /// Deepest overlap, as a positive length.
    #[getter]
    fn penetration(&self) -> f64 {
        self.0.penetration
    }
    /// The same, relative to the smaller of the two shapes' widths.
    #[getter]
    fn penetration_relative(&self) -> f64 {
        self.0.penetration_relative
    }
    /// Methods that were taken, in order: name, why, iterations, whether it solved the step.
    #[getter]
    fn methods(&self) -> Vec<(&'static str, &'static str, usize, bool)> {
        let told = |a: &drystone::engine::Attempt| {
            (a.method.name(), a.reason.name(), a.iterations, a.solved())
        };
        self.0.story.attempts().map(told).collect()
    }

    fn __repr__(&self) -> String {
        let StepReport { contacts, iterations, residual, converged, .. } = &self.0;
        let converged = if *converged { "True" } else { "False" };
        format!(
            "StepReport(contacts={contacts}, iterations={iterations}, residual={residual:.3e}, converged={converged})"
        )
    }
}
