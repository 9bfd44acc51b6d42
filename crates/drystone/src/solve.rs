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

use crate::Error;
use drystone_solve::assembled::Local;
use drystone_solve::global::Singular;
use drystone_solve::solvers::{Components, Size};
use drystone_solve::{Diagnosis, SparseMatrix};
use std::path::Path;
use std::time::Instant;

pub use drystone_fclib::{Form, Info, Kind, Posed, Problem, RecordedSolution};
pub use drystone_solve::solvers::Sweeping;
pub use drystone_solve::{
    AnyAssembled, Assembled, AssembledMethod, BlockMatrix, Cone, Limits, Residual, Solver,
    SweepOrder, Threads,
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
    /// Impulses to start from; zero if empty.
    pub start: Vec<f64>,
    /// Order, relaxation and threads of sweeps.
    pub sweeping: Sweeping,
    /// Whether what was not solved is looked at closer, which can take longer than the solve.
    pub diagnose: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: AssembledMethod::Auto,
            tolerance: 1e-4,
            max_iterations: 100_000,
            start: Vec::new(),
            sweeping: Sweeping::default(),
            diagnose: false,
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
    /// Whether the judge calls it solved.
    pub solved: bool,
    /// r, the impulses, contact after contact.
    pub impulses: Vec<f64>,
    /// u, the velocities, in the same way.
    pub velocities: Vec<f64>,
    /// v of a problem with its degrees of freedom; empty for others.
    pub freedoms: Vec<f64>,
    /// How far it is from the law.
    pub residual: Residual,
    /// Iterations that were made.
    pub iterations: usize,
    /// Time that the solve took, in s.
    pub seconds: f64,
    /// What a solver that joins several methods did: method, iterations, residual afterwards.
    pub story: Vec<(String, usize, Residual)>,
    /// What is wrong with a problem that was not solved, if asked for.
    pub diagnosis: Option<Diagnosis>,
}

/// The names of all solvers.
pub fn solvers() -> impl Iterator<Item = &'static str> {
    AssembledMethod::with_variants().map(AssembledMethod::name)
}

/// Reads a problem from an FCLib file.
pub fn read(path: impl AsRef<Path>) -> Result<Problem, Error> {
    Ok(Problem::read(path.as_ref())?)
}

/// A problem from a dense matrix W, row after row, the velocities q without impulses, and a coefficient for each contact.
/// A contact has 2 or 3 components.
pub fn dense(dimension: usize, w: &[f64], q: &[f64], friction: &[f64]) -> Result<Problem, Error> {
    let size = q.len();
    if w.len() != size * size {
        let expected = format!("{}: {size} by {size}, as q has {size}", size * size);
        return Err(Error::Length { what: "W".to_owned(), found: w.len(), expected });
    }
    let entry = |(place, &value): (usize, &f64)| (place / size, place % size, value);
    let entries: Vec<_> = w.iter().enumerate().map(entry).filter(|entry| entry.2 != 0.0).collect();
    problem(dimension, &entries, q, friction, &[])
}

/// The same with W in compressed rows: where each row starts, columns, values.
///
/// ```
/// use drystone::solve;
/// let problem = solve::sparse(2, &[0, 1, 2], &[0, 1], &[1.0, 1.0], &[-1.0, 1.0], &[0.3])?;
/// assert_eq!(problem.contacts(), 1);
/// # Ok::<(), drystone::Error>(())
/// ```
pub fn sparse(
    dimension: usize,
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    q: &[f64],
    friction: &[f64],
) -> Result<Problem, Error> {
    problem(dimension, &entries(starts, columns, values, q.len())?, q, friction, &[])
}

/// The same with rolling resistance: 5 components a contact (normal, two tangential, two moments), and a second
/// coefficient for each, a length.
pub fn rolling(
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    q: &[f64],
    friction: &[f64],
    rolling: &[f64],
) -> Result<Problem, Error> {
    problem(5, &entries(starts, columns, values, q.len())?, q, friction, rolling)
}

/// Checks compressed rows, and takes them apart.
fn entries(
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    size: usize,
) -> Result<Vec<(usize, usize, f64)>, Error> {
    let wrong = |what: &str, found: String, expected: String| {
        Err(Error::Value { what: what.to_owned(), found, expected })
    };
    if starts.len() != size + 1 {
        let expected = format!("{}: one more than q has", size + 1);
        return Err(Error::Length { what: "row starts".into(), found: starts.len(), expected });
    }
    if columns.len() != values.len() {
        let expected = format!("{}, as many as columns", columns.len());
        return Err(Error::Length { what: "values".into(), found: values.len(), expected });
    }
    let rising = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if !rising || starts[0] != 0 || starts[size] != values.len() {
        let expected = format!("numbers that rise from 0 to {}", values.len());
        return wrong("row starts", "a list that does not".to_owned(), expected);
    }
    if let Some(column) = columns.iter().find(|&&column| column >= size) {
        return wrong("a column", column.to_string(), format!("a number below {size}"));
    }
    let row = |row: usize| (starts[row]..starts[row + 1]).map(move |place| (row, place));
    let all = (0..size).flat_map(row);
    Ok(all.map(|(row, place)| (row, columns[place], values[place])).collect())
}

fn problem(
    dimension: usize,
    entries: &[(usize, usize, f64)],
    q: &[f64],
    friction: &[f64],
    rolling: &[f64],
) -> Result<Problem, Error> {
    let wrong = |what: &str, found: String, expected: &str| {
        Err(Error::Value { what: what.to_owned(), found, expected: expected.to_owned() })
    };
    if !matches!((dimension, rolling.is_empty()), (2 | 3, true) | (5, _)) {
        return wrong("the dimension", dimension.to_string(), "2 or 3");
    }
    let (size, contacts) = (q.len(), friction.len());
    if size != dimension * contacts {
        let expected =
            format!("{}: {dimension} for each of {contacts} contacts", dimension * contacts);
        return Err(Error::Length { what: "q".to_owned(), found: size, expected });
    }
    if dimension == 5 && rolling.len() != contacts {
        let expected = format!("{contacts}, one for each contact");
        let what = "rolling resistances".to_owned();
        return Err(Error::Length { what, found: rolling.len(), expected });
    }
    let numbers = entries.iter().map(|entry| &entry.2).chain(q);
    if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
        return wrong("a number of W or q", number.to_string(), "a finite number");
    }
    let bad = |value: &&f64| !(value.is_finite() && **value >= 0.0);
    if let Some(value) = friction.iter().chain(rolling).find(bad) {
        return wrong("a coefficient", value.to_string(), "zero or more, and finite");
    }
    Ok(Problem {
        info: Info::default(),
        dimension,
        friction: friction.to_vec(),
        rolling: rolling.to_vec(),
        form: Form::Local {
            delassus: SparseMatrix::from_entries(size, size, entries),
            free: q.to_vec(),
            joints: None,
        },
        solution: None,
        guesses: Vec::new(),
    })
}

/// Solves a problem.
pub fn solve(problem: &Problem, options: &Options) -> Result<Answer, Error> {
    let size = problem.dimension * problem.contacts();
    if !options.start.is_empty() && options.start.len() != size {
        let expected = format!("{size}, as q has, or none");
        let found = options.start.len();
        return Err(Error::Length { what: "the start".to_owned(), found, expected });
    }
    if !(options.tolerance > 0.0 && options.tolerance.is_finite()) {
        return Err(Error::Value {
            what: "the tolerance".to_owned(),
            found: options.tolerance.to_string(),
            expected: "a positive number".to_owned(),
        });
    }
    Ok(match problem.dimension {
        2 => solve_in::<2>(problem, options)?,
        3 => solve_in::<3>(problem, options)?,
        _ => solve_in::<5>(problem, options)?,
    })
}

fn solve_in<const D: usize>(problem: &Problem, options: &Options) -> Result<Answer, Singular>
where
    Size<D>: Components<D>,
{
    let mut impulses: Vec<Local<D>> = match options.start.is_empty() {
        true => vec![[0.0; D]; problem.contacts()],
        false => options.start.as_chunks::<D>().0.to_vec(),
    };
    match problem.pose::<D>() {
        Posed::Local(assembled) => {
            let found = Found::of(&assembled, &mut impulses, options);
            let mut velocities = assembled.free.clone();
            assembled.velocities(&impulses, &mut velocities);
            Ok(found.judged(&assembled, impulses, velocities, Vec::new(), problem, options))
        }
        Posed::Global(global) => {
            let reduced = global.reduce()?;
            let found = Found::of(&reduced.assembled, &mut impulses, options);
            // Velocities by way of M v = H r + f, so that errors of the reduction are judged too.
            let v = reduced.recover(&impulses)?;
            let velocities = reduced.contact_velocities(&v, &impulses);
            Ok(found.judged(&reduced.assembled, impulses, velocities, v, problem, options))
        }
    }
}

/// What a solver did.
struct Found {
    iterations: usize,
    seconds: f64,
    story: Vec<(String, usize, Residual)>,
}

impl Found {
    fn of<const D: usize>(
        assembled: &Assembled<D>,
        impulses: &mut [Local<D>],
        options: &Options,
    ) -> Self
    where
        Size<D>: Components<D>,
    {
        let &Options { tolerance, max_iterations, .. } = options;
        let limits = Limits::new(tolerance, max_iterations);
        let mut solver = options.method.solver_with::<D>(&options.sweeping);
        let clock = Instant::now();
        let report = solver.solve(assembled, impulses, &limits);
        let seconds = clock.elapsed().as_secs_f64();
        let chapters = solver.story().iter();
        let story = chapters.map(|a| (a.method.name().to_owned(), a.iterations, a.residual));
        Self { iterations: report.iterations, seconds, story: story.collect() }
    }

    fn judged<const D: usize>(
        self,
        assembled: &Assembled<D>,
        impulses: Vec<Local<D>>,
        velocities: Vec<Local<D>>,
        mut freedoms: Vec<f64>,
        problem: &Problem,
        options: &Options,
    ) -> Answer {
        let residual = Residual::of_assembled(assembled, &impulses, &velocities);
        let solved = residual.solves(options.tolerance);
        let diagnosis = (options.diagnose && !solved)
            .then(|| Diagnosis::of(assembled, &impulses, problem.freedoms()));
        // Multipliers of constraints follow the degrees of freedom.
        freedoms.truncate(problem.freedoms().unwrap_or(0));
        let Self { iterations, seconds, story } = self;
        Answer {
            solved,
            impulses: impulses.as_flattened().to_vec(),
            velocities: velocities.as_flattened().to_vec(),
            freedoms,
            residual,
            iterations,
            seconds,
            story,
            diagnosis,
        }
    }
}
