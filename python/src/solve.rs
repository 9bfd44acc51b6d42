//! Contact problems given as matrices.

use crate::array::{list, numbers, rows, shown};
use crate::error::{Class, of_library, raise, try_free};
use drystone::solve::{self as library, Options};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What a solver found, and how good it is.
#[pyclass(frozen, module = "drystone._drystone")]
pub struct Answer {
    /// Whether the judge calls it solved.
    #[pyo3(get)]
    solved: bool,
    /// r, the impulses, a row for each contact, the normal component first.
    #[pyo3(get)]
    impulses: Py<PyAny>,
    /// u, the velocities, in the same way.
    #[pyo3(get)]
    velocities: Py<PyAny>,
    /// v of a problem with its degrees of freedom; empty for others.
    #[pyo3(get)]
    freedoms: Py<PyAny>,
    /// FCLib's normalised natural map.
    #[pyo3(get)]
    residual: f64,
    /// The same with a scale for each contact by itself.
    #[pyo3(get)]
    residual_scale_free: f64,
    /// Estimate of how far velocities are from the exact ones, as a share of what contacts have changed, if asked for; None
    /// where it cannot be told.
    #[pyo3(get)]
    error: Option<f64>,
    /// Whether it is not solved since its time was up.
    #[pyo3(get)]
    stopped: bool,
    /// Iterations that were made.
    #[pyo3(get)]
    iterations: usize,
    /// Time that the solve took, in s.
    #[pyo3(get)]
    seconds: f64,
    /// What a solver that joins several methods did: method, iterations, residual afterwards.
    #[pyo3(get)]
    story: Vec<(String, usize, f64)>,
    /// What is wrong with a problem that was not solved, if asked for.
    #[pyo3(get)]
    diagnosis: Option<String>,
}

#[pymethods]
impl Answer {
    fn __repr__(&self) -> String {
        let Self { solved, residual, iterations, .. } = self;
        let solved = if *solved { "True" } else { "False" };
        format!("Answer(solved={solved}, residual={residual:.3e}, iterations={iterations})")
    }
}

/// The names of all solvers.
#[pyfunction]
pub fn solvers() -> Vec<&'static str> {
    library::solvers().collect()
}

/// A matrix: dense, or compressed rows (starts, columns, values); or the file of a problem.
#[derive(FromPyObject)]
pub enum Given<'py> {
    #[pyo3(transparent)]
    File(PathBuf),
    Rows(Vec<usize>, Vec<usize>, Bound<'py, PyAny>),
    #[pyo3(transparent)]
    Dense(Bound<'py, PyAny>),
}

/// Solves u = W r + q with Coulomb's law between r and u at every contact.
#[pyfunction]
#[pyo3(signature = (
    matrix, q, friction, rolling, dimension, solver, tolerance, max_iterations, start, diagnose, estimate, seconds
))]
pub fn solve(
    py: Python<'_>,
    matrix: Given<'_>,
    q: Option<&Bound<'_, PyAny>>,
    friction: Option<&Bound<'_, PyAny>>,
    rolling: Option<&Bound<'_, PyAny>>,
    dimension: usize,
    solver: &str,
    tolerance: f64,
    max_iterations: usize,
    start: Option<&Bound<'_, PyAny>>,
    diagnose: bool,
    estimate: bool,
    seconds: Option<f64>,
) -> PyResult<Answer> {
    let flat = |what: &str, given: Option<&Bound<'_, PyAny>>| match given {
        Some(given) => numbers(what, given).map(|(numbers, _)| numbers),
        None => Ok(Vec::new()),
    };
    let (q, friction) = (flat("q", q)?, flat("mu", friction)?);
    let rolling = rolling.map(|given| list("rolling", given)).transpose()?;
    let wrong = |error: drystone::Error| of_library(py, &error);
    let problem = match matrix {
        Given::File(path) => try_free(py, move || library::read(&path))?,
        Given::Rows(starts, columns, values) => {
            let values = list("the values of W", &values)?;
            match &rolling {
                Some(rolling) => {
                    library::rolling(&starts, &columns, &values, &q, &friction, rolling)
                }
                None => library::sparse(dimension, &starts, &columns, &values, &q, &friction),
            }
            .map_err(wrong)?
        }
        Given::Dense(matrix) => {
            let (w, shape) = numbers("W", &matrix)?;
            if shape != [q.len(), q.len()] {
                let expected = shown(&[q.len(), q.len()]);
                let text = format!(
                    "W has shape {}; expected {expected}, as q has {} numbers",
                    shown(&shape),
                    q.len()
                );
                return Err(raise(py, Class::Value, text));
            }
            match &rolling {
                Some(rolling) => {
                    let size = q.len();
                    let starts: Vec<usize> = (0..=size).map(|row| row * size).collect();
                    let columns: Vec<usize> = (0..size * size).map(|place| place % size).collect();
                    library::rolling(&starts, &columns, &w, &q, &friction, rolling)
                }
                None => library::dense(dimension, &w, &q, &friction),
            }
            .map_err(wrong)?
        }
    };
    let start = flat("start", start)?;
    let options = Options::by(solver).map_err(wrong)?;
    let options =
        Options { tolerance, max_iterations, start, diagnose, estimate, seconds, ..options };
    let width = problem.dimension;
    let answer = try_free(py, move || library::solve(&problem, &options))?;
    let contacts = answer.impulses.len() / width;
    let free = answer.freedoms.len();
    Ok(Answer {
        solved: answer.solved,
        stopped: answer.stopped,
        impulses: rows(py, answer.impulses, contacts, width)?.unbind(),
        velocities: rows(py, answer.velocities, contacts, width)?.unbind(),
        freedoms: rows(py, answer.freedoms, free, 1)?.unbind(),
        residual: answer.residual.relative,
        residual_scale_free: answer.residual.scale_free,
        iterations: answer.iterations,
        error: answer.error,
        seconds: answer.seconds.solve,
        story: answer.story.into_iter().map(|(name, n, r)| (name, n, r.relative)).collect(),
        diagnosis: answer
            .diagnosis
            .map(|found| found.describe(|contact| format!("contact {contact}"))),
    })
}
