//! Contact problems as matrices or files, solved by every method that drystone has.
//!
//! A problem is u = W r + q and, for every contact, Coulomb's law between its impulse r and its velocity u, with the
//! normal component first: 2 components a contact in the plane, 3 in space, 5 with rolling resistance.
//!
//! A unit mass that falls on the ground at 1 m/s and slides at 1 m/s, with friction 0.3:
//!
//! ```
//! use drystone::solve::{self, Options};
//! let problem = solve::dense(2, &[1.0, 0.0, 0.0, 1.0], &[-1.0, 1.0], &[0.3])?;
//! let answer = solve::solve(&problem, &Options::default())?;
//! assert!(answer.solved);
//! assert!((answer.impulses[0] - 1.0).abs() < 1e-4 && (answer.impulses[1] + 0.3).abs() < 1e-4);
//! # Ok::<(), drystone::Error>(())
//! ```
//!
//! Every method by its name:
//!
//! ```
//! use drystone::solve::{self, Options};
//! let problem = solve::dense(2, &[1.0, 0.0, 0.0, 1.0], &[-1.0, 1.0], &[0.3])?;
//! for solver in solve::solvers().filter(|solver| *solver != "quadratic") {
//!     let options = Options { tolerance: 1e-6, ..Options::by(solver)? };
//!     assert!(solve::solve(&problem, &options)?.solved, "{solver}");
//! }
//! assert!(Options::by("newtn").unwrap_err().to_string().contains("did you mean `newton`?"));
//! # Ok::<(), drystone::Error>(())
//! ```

mod attempt;
mod given;
pub mod profile;

pub use attempt::{applies, compare, fastest, solve};
pub use given::{dense, rolling, sparse};

use crate::Error;
use std::path::Path;

pub use drystone_fclib::{Form, Info, Kind, Posed, Problem, RecordedSolution};
pub use drystone_solve::solvers::Sweeping;
pub use drystone_solve::{
    AnyAssembled, Assembled, AssembledMethod, BlockMatrix, Cone, Diagnosis, Limits, Residual,
    Solver, SweepOrder, Threads,
};

/// How a problem is solved.
#[derive(Clone, Debug)]
pub struct Options {
    /// The method.
    pub method: AssembledMethod,
    /// Error up to which a problem counts as solved; the scale-free error may be 100 times as large.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// Most seconds, the reduction of a problem to its contacts included. A solver then gives back the best that it has
    /// found, which depends on the machine.
    pub seconds: Option<f64>,
    /// Impulses to start from; zero if empty.
    pub start: Vec<f64>,
    /// Order, relaxation and threads of sweeps.
    pub sweeping: Sweeping,
    /// Whether the error of the velocities is estimated, by one factorisation.
    pub estimate: bool,
    /// Whether what was not solved is looked at closer, which can take longer than the solve.
    pub diagnose: bool,
    /// Whether solves that take no time to speak of are made several times over, so that their times mean something.
    pub repeat: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: AssembledMethod::Auto,
            tolerance: 1e-4,
            max_iterations: 100_000,
            seconds: None,
            start: Vec::new(),
            sweeping: Sweeping::default(),
            estimate: false,
            diagnose: false,
            repeat: false,
        }
    }
}

impl Options {
    /// The usual ones with the method of this name.
    pub fn by(solver: &str) -> Result<Self, Error> {
        let method = AssembledMethod::from_name(solver);
        let method = method.ok_or_else(|| Error::no_such("solver", solver, solvers()))?;
        Ok(Self { method, ..Self::default() })
    }
}

/// What a solver found, and how good it is.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The method.
    pub method: AssembledMethod,
    /// Whether the judge calls it solved.
    pub solved: bool,
    /// Whether it is not solved since its time was up.
    pub stopped: bool,
    /// r, the impulses, contact after contact.
    pub impulses: Vec<f64>,
    /// u, the velocities, in the same way.
    pub velocities: Vec<f64>,
    /// v of a problem with its degrees of freedom; empty for others.
    pub freedoms: Vec<f64>,
    /// Multipliers of constraints, where a problem has them.
    pub multipliers: Vec<f64>,
    /// How far it is from the law.
    pub residual: Residual,
    /// Estimate of how far velocities are from the exact ones in the kinetic metric; none where it was not asked for, or
    /// cannot be told.
    pub error: Option<f64>,
    /// Iterations that were made.
    pub iterations: usize,
    /// Times that it took.
    pub seconds: Seconds,
    /// What a solver that joins several methods did: method, iterations, residual afterwards.
    pub story: Vec<(String, usize, Residual)>,
    /// What is wrong with a problem that was not solved, if asked for.
    pub diagnosis: Option<Diagnosis>,
    /// How unsymmetric the matrix is: the largest difference, as a share of the largest entry.
    pub asymmetry: f64,
}

/// What an answer has taken, in s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// The solve: the median of several, where they were repeated.
    pub solve: f64,
    /// The first of these, which pays for memory and code that are not at hand yet.
    pub first: f64,
    /// The reduction of a problem to its contacts; none where there is nothing to reduce.
    pub reduction: Option<f64>,
    /// The estimate of its error.
    pub estimate: f64,
    /// Finding out why it was not solved.
    pub diagnosis: f64,
}

impl Answer {
    /// The answer as files hold it.
    pub fn recorded(&self) -> RecordedSolution {
        RecordedSolution {
            u: self.velocities.clone(),
            r: self.impulses.clone(),
            v: self.freedoms.clone(),
            l: self.multipliers.clone(),
        }
    }
}

/// The names of all solvers.
pub fn solvers() -> impl Iterator<Item = &'static str> {
    AssembledMethod::with_variants().map(AssembledMethod::name)
}

/// Reads a problem from an FCLib file.
pub fn read(path: impl AsRef<Path>) -> Result<Problem, Error> {
    Ok(Problem::read(path.as_ref())?)
}
