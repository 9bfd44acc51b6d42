//! Solvers at work on a problem.

use super::{Answer, Options, Seconds};
use crate::Error;
use drystone_fclib::{Posed, Problem};
use drystone_solve::assembled::Local;
use drystone_solve::global::{Reduced, Singular};
use drystone_solve::solvers::{Components, Size, step_error};
use drystone_solve::{
    Assembled, AssembledMethod, Diagnosis, Limits, Residual, SolveReport, Solver,
};
use drystone_space::clock::Instant;
use std::time::Duration;

/// Where solves are repeated: up to this time in all, in seconds, and so often at most.
const SHORT: f64 = 1e-3;
const MOST: usize = 15;

/// Solves a problem.
pub fn solve(problem: &Problem, options: &Options) -> Result<Answer, Error> {
    let mut answers = compare(problem, &[options.method], options)?;
    Ok(answers.remove(0))
}

/// Solves a problem by one method after the other, reduced once for all of them. Where none of them has solved it, the
/// answer that came nearest is diagnosed, if that is asked for.
///
/// ```
/// use drystone::solve::{self, AssembledMethod, Options};
/// let problem = solve::dense(2, &[1.0, 0.0, 0.0, 1.0], &[-1.0, 1.0], &[0.3])?;
/// let methods: Vec<_> = AssembledMethod::ALL.into_iter().filter(|m| solve::applies(&problem, *m)).collect();
/// let answers = solve::compare(&problem, &methods, &Options { repeat: true, ..Options::default() })?;
/// assert_eq!(answers.len(), methods.len());
/// assert!(solve::fastest(&answers).is_some());
/// # Ok::<(), drystone::Error>(())
/// ```
pub fn compare(
    problem: &Problem,
    methods: &[AssembledMethod],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    check(problem, options)?;
    let answers = match problem.dimension {
        2 => all::<2>(problem, methods, options),
        3 => all::<3>(problem, methods, options),
        _ => all::<5>(problem, methods, options),
    };
    answers.map_err(|singular| {
        let matrix = match (problem.kind().is_global(), problem.constraints()) {
            (true, 0) => "M",
            (true, _) => "M with the constraints of G",
            (false, _) => "R",
        };
        Error::Singular { matrix: format!("{}/{matrix}", problem.kind().group()), singular }
    })
}

/// The fastest answer that solves the problem.
pub fn fastest(answers: &[Answer]) -> Option<usize> {
    let solved = answers.iter().enumerate().filter(|(_, answer)| answer.solved);
    solved
        .min_by(|(_, a), (_, b)| a.seconds.solve.total_cmp(&b.seconds.solve))
        .map(|(index, _)| index)
}

/// Whether a method is meant for a problem.
pub fn applies(problem: &Problem, method: AssembledMethod) -> bool {
    let cones = problem.cones();
    match problem.dimension {
        2 => method.solver::<2>().applies(&cones),
        3 => method.solver::<3>().applies(&cones),
        _ => method.solver::<5>().applies(&cones),
    }
}

fn check(problem: &Problem, options: &Options) -> Result<(), Error> {
    let size = problem.dimension * problem.contacts();
    if !options.start.is_empty() && options.start.len() != size {
        let expected = format!("{size}, as q has, or none");
        let found = options.start.len();
        return Err(Error::Length { what: "the start".to_owned(), found, expected });
    }
    let positive = |what: &str, value: f64| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::Value {
            what: what.to_owned(),
            found: value.to_string(),
            expected: "a positive number".to_owned(),
        }),
    };
    positive("the tolerance", options.tolerance)?;
    options.seconds.map_or(Ok(()), |seconds| positive("the number of seconds", seconds))
}

fn all<const D: usize>(
    problem: &Problem,
    methods: &[AssembledMethod],
    options: &Options,
) -> Result<Vec<Answer>, Singular>
where
    Size<D>: Components<D>,
{
    let posed = problem.pose::<D>();
    let ready = Ready::of(&posed)?;
    let answers = methods.iter().map(|method| answer(problem, &ready, *method, options));
    let mut answers = answers.collect::<Result<Vec<_>, _>>()?;
    if options.diagnose && !answers.iter().any(|answer| answer.solved || answer.stopped) {
        diagnose(ready.assembled(), problem, &mut answers);
    }
    Ok(answers)
}

/// A problem that is ready for solvers.
enum Ready<'a, const D: usize> {
    /// As it was given.
    Local(&'a Assembled<D>),
    /// Reduced, and in which time.
    Reduced(Box<Reduced<'a, D>>, f64),
}

impl<'a, const D: usize> Ready<'a, D>
where
    Size<D>: Components<D>,
{
    fn of(posed: &'a Posed<D>) -> Result<Self, Singular> {
        match posed {
            Posed::Local(assembled) => Ok(Ready::Local(assembled)),
            Posed::Global(global) => {
                let clock = Instant::now();
                let reduced = global.reduce()?;
                Ok(Ready::Reduced(Box::new(reduced), clock.elapsed().as_secs_f64()))
            }
        }
    }

    /// Time in which the problem was reduced, if it was.
    fn seconds(&self) -> Option<f64> {
        match self {
            Ready::Local(_) => None,
            Ready::Reduced(_, seconds) => Some(*seconds),
        }
    }

    fn assembled(&self) -> &Assembled<D> {
        match self {
            Ready::Local(assembled) => assembled,
            Ready::Reduced(reduced, _) => &reduced.assembled,
        }
    }

    /// Velocities at contacts; and of a global problem v, followed by −λ.
    fn velocities(&self, impulses: &[Local<D>]) -> Result<(Vec<Local<D>>, Vec<f64>), Singular> {
        match self {
            Ready::Local(assembled) => {
                let mut velocities = assembled.free.clone();
                assembled.velocities(impulses, &mut velocities);
                Ok((velocities, Vec::new()))
            }
            Ready::Reduced(reduced, _) => {
                // By way of M v = H r + f, so that errors of the reduction are judged too.
                let v = reduced.recover(impulses)?;
                Ok((reduced.contact_velocities(&v, impulses), v))
            }
        }
    }
}

/// Says what is wrong, as seen from the answer that came nearest.
fn diagnose<const D: usize>(assembled: &Assembled<D>, problem: &Problem, answers: &mut [Answer]) {
    let error = |answer: &Answer| answer.residual.worst();
    let nearest = answers.iter_mut().min_by(|a, b| error(a).total_cmp(&error(b)));
    let Some(nearest) = nearest else { return };
    let clock = Instant::now();
    let impulses = nearest.impulses.as_chunks::<D>().0;
    nearest.diagnosis = Some(Diagnosis::of(assembled, impulses, problem.freedoms()));
    nearest.seconds.diagnosis = clock.elapsed().as_secs_f64();
}

/// The limits of a solver that starts now, when so many seconds are spent already.
fn limits_from_now(options: &Options, spent: f64) -> Limits {
    let left = |seconds: f64| Duration::try_from_secs_f64((seconds - spent).max(0.0)).ok();
    // Beyond the end of the clock's range there is no deadline.
    let deadline = options.seconds.and_then(left).and_then(|left| Instant::now().checked_add(left));
    Limits { deadline, ..Limits::new(options.tolerance, options.max_iterations) }
}

/// Solves, once or several times over; tells the median of times and the first.
fn timed<const D: usize>(
    solver: &mut dyn Solver<D>,
    ready: &Ready<'_, D>,
    impulses: &mut [Local<D>],
    options: &Options,
) -> (SolveReport, [f64; 2])
where
    Size<D>: Components<D>,
{
    let start = impulses.to_vec();
    let mut times = Vec::with_capacity(MOST);
    let report = loop {
        impulses.copy_from_slice(&start);
        let limits = limits_from_now(options, ready.seconds().unwrap_or(0.0));
        let clock = Instant::now();
        let report = solver.solve(ready.assembled(), impulses, &limits);
        times.push(clock.elapsed().as_secs_f64());
        let enough = times.len() == MOST || times.iter().sum::<f64>() >= SHORT;
        if enough || !options.repeat {
            break report;
        }
    };
    let first = times[0];
    times.sort_unstable_by(f64::total_cmp);
    (report, [times[times.len() / 2], first])
}

fn answer<const D: usize>(
    problem: &Problem,
    ready: &Ready<'_, D>,
    method: AssembledMethod,
    options: &Options,
) -> Result<Answer, Singular>
where
    Size<D>: Components<D>,
{
    let mut solver = method.solver_with::<D>(&options.sweeping);
    let mut impulses: Vec<Local<D>> = match options.start.is_empty() {
        true => vec![[0.0; D]; problem.contacts()],
        false => options.start.as_chunks::<D>().0.to_vec(),
    };
    let (report, [solve, first]) = timed(solver.as_mut(), ready, &mut impulses, options);
    let (velocities, mut freedoms) = ready.velocities(&impulses)?;
    let assembled = ready.assembled();
    let clock = Instant::now();
    let spent = ready.seconds().unwrap_or(0.0) + first;
    let limits = || limits_from_now(options, spent);
    let error = options.estimate.then(|| step_error(assembled, &impulses, &limits())).flatten();
    let seconds = Seconds {
        solve,
        first,
        reduction: ready.seconds(),
        estimate: clock.elapsed().as_secs_f64(),
        diagnosis: 0.0,
    };
    let residual = Residual::of_assembled(assembled, &impulses, &velocities);
    let solved = residual.solves(options.tolerance);
    let multipliers = match problem.freedoms() {
        None => std::mem::take(&mut freedoms),
        Some(count) => freedoms.split_off(count).into_iter().map(|minus| -minus).collect(),
    };
    let chapters = solver.story().iter();
    let story = chapters.map(|a| (a.method.name().to_owned(), a.iterations, a.residual));
    Ok(Answer {
        method,
        solved,
        // A solver that has iterations left ends before a solution only where time runs out.
        stopped: !solved && options.seconds.is_some() && report.iterations < options.max_iterations,
        impulses: impulses.as_flattened().to_vec(),
        velocities: velocities.as_flattened().to_vec(),
        freedoms,
        multipliers,
        residual,
        error,
        iterations: report.iterations,
        seconds,
        story: story.collect(),
        diagnosis: None,
        asymmetry: assembled.delassus.asymmetry(),
    })
}
