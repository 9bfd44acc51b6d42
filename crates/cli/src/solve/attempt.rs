//! One solver on one problem.

use drystone_fclib::{Posed, Problem, RecordedSolution};
use drystone_solve::assembled::Local;
use drystone_solve::global::{Reduced, Singular};
use drystone_solve::solvers::{self, Components, Size, Sweeping, step_error};
use drystone_solve::{
    Assembled, AssembledMethod, Diagnosis, Limits, Residual, SolveReport, Solver,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// Solves are repeated up to this time in all, in seconds, and so often at most.
const SHORT: f64 = 1e-3;
const MOST: usize = 15;

/// Beyond this part of its largest entry a matrix is unsymmetric enough to be told.
const ASYMMETRY: f64 = 1e-3;

/// What a solver made of a problem.
pub struct Attempt {
    /// The solver's name.
    pub solver: String,
    /// The judge's word.
    pub solved: bool,
    /// Whether it is not solved since its time was up.
    pub stopped: bool,
    /// Iterations that the solver made.
    pub iterations: usize,
    /// Time of the solve, without reading and reduction.
    pub seconds: Seconds,
    /// Time in which a problem was reduced to its contacts; none where there is nothing to reduce.
    pub seconds_reduction: Option<f64>,
    /// How far the answer is from the law.
    pub residual: Residual,
    /// Estimate of how far velocities are from the exact ones in the kinetic metric, where a factorisation tells it.
    pub error: Option<f64>,
    /// Time in which that was estimated.
    pub seconds_error: f64,
    /// What a solver that joins several methods did, one line for each.
    pub story: Vec<String>,
    /// The answer itself.
    pub answer: RecordedSolution,
    /// What is wrong with a problem that no attempt has solved, by the one that came nearest.
    pub diagnosis: Option<Diagnosis>,
    /// Time in which that was found out.
    pub seconds_diagnosis: f64,
    asymmetry: f64,
}

impl Attempt {
    /// What to say of a matrix that is unsymmetric.
    pub fn asymmetry_warning(&self, path: &Path) -> Option<String> {
        let percent = 100.0 * self.asymmetry;
        let what = format!("W is unsymmetric by {percent:.1} % of its largest entry");
        (self.asymmetry > ASYMMETRY)
            .then(|| format!("{}: {what}; it is solved as given", path.display()))
    }
}

/// Time of a solve. One that takes no time to speak of is made several times over: the first pays for memory and
/// code that are not at hand yet.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// The median.
    pub median: f64,
    /// The first.
    pub first: f64,
}

impl Seconds {
    fn of(mut times: Vec<f64>) -> Self {
        let first = times[0];
        times.sort_unstable_by(f64::total_cmp);
        Self { median: times[times.len() / 2], first }
    }
}

/// How solvers are run.
pub struct Settings {
    /// What is asked of them.
    pub limits: Limits,
    /// Seconds that a solver has for a problem, reduction included.
    pub seconds: Option<f64>,
    /// Whether they start from the first guess of the file.
    pub warm: bool,
    /// Order, relaxation and threads of sweeps.
    pub sweeping: Sweeping,
    /// Whether what was not solved is diagnosed.
    pub diagnose: bool,
}

impl Settings {
    /// The limits of a solver that starts now, on a problem that took so many seconds to reduce.
    fn limits_from_now(&self, reduction: f64) -> Limits {
        let left = |seconds: f64| Duration::try_from_secs_f64((seconds - reduction).max(0.0)).ok();
        // Beyond the end of the clock's range there is no deadline.
        let deadline =
            self.seconds.and_then(left).and_then(|left| Instant::now().checked_add(left));
        Limits { deadline, ..self.limits }
    }
}

/// Whether a solver is meant for a problem.
pub fn applies(problem: &Problem, method: AssembledMethod) -> bool {
    let cones = problem.cones();
    match problem.dimension {
        2 => method.solver::<2>().applies(&cones),
        3 => method.solver::<3>().applies(&cones),
        _ => method.solver::<5>().applies(&cones),
    }
}

/// Runs solvers one after the other on a problem that is reduced once for all of them.
pub fn attempts(
    problem: &Problem,
    methods: &[AssembledMethod],
    settings: &Settings,
) -> Result<Vec<Attempt>, Singular> {
    fn of<const D: usize>(
        problem: &Problem,
        methods: &[AssembledMethod],
        settings: &Settings,
    ) -> Result<Vec<Attempt>, Singular>
    where
        Size<D>: Components<D>,
    {
        let posed = problem.pose::<D>();
        let ready = Ready::of(&posed)?;
        let attempts = methods.iter().map(|method| run(problem, &ready, *method, settings));
        let mut attempts = attempts.collect::<Result<Vec<_>, _>>()?;
        if settings.diagnose && !attempts.iter().any(|attempt| attempt.solved || attempt.stopped) {
            diagnose(ready.assembled(), problem, &mut attempts);
        }
        Ok(attempts)
    }
    match problem.dimension {
        2 => of::<2>(problem, methods, settings),
        3 => of::<3>(problem, methods, settings),
        _ => of::<5>(problem, methods, settings),
    }
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
    fn seconds_reduction(&self) -> Option<f64> {
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
}

/// Says what is wrong, as seen from the attempt that came nearest.
fn diagnose<const D: usize>(assembled: &Assembled<D>, problem: &Problem, attempts: &mut [Attempt]) {
    let error = |attempt: &Attempt| attempt.residual.worst();
    let nearest = attempts.iter_mut().min_by(|a, b| error(a).total_cmp(&error(b)));
    let Some(nearest) = nearest else { return };
    let clock = Instant::now();
    let impulses = nearest.answer.r.as_chunks::<D>().0;
    nearest.diagnosis = Some(Diagnosis::of(assembled, impulses, problem.freedoms()));
    nearest.seconds_diagnosis = clock.elapsed().as_secs_f64();
}

fn run<const D: usize>(
    problem: &Problem,
    ready: &Ready<'_, D>,
    method: AssembledMethod,
    settings: &Settings,
) -> Result<Attempt, Singular>
where
    Size<D>: Components<D>,
{
    let reduction = ready.seconds_reduction();
    let mut solver = method.solver_with::<D>(&settings.sweeping);
    let mut impulses = start::<D>(problem, settings.warm);
    let mut timed_solve = |assembled: &Assembled<D>, impulses: &mut [Local<D>]| {
        let start = impulses.to_vec();
        let mut times = Vec::with_capacity(MOST);
        loop {
            impulses.copy_from_slice(&start);
            let limits = settings.limits_from_now(reduction.unwrap_or(0.0));
            let clock = Instant::now();
            let report = solver.solve(assembled, impulses, &limits);
            times.push(clock.elapsed().as_secs_f64());
            if times.len() == MOST || times.iter().sum::<f64>() >= SHORT {
                return (report, Seconds::of(times));
            }
        }
    };
    match ready {
        Ready::Local(assembled) => {
            let (report, seconds) = timed_solve(assembled, &mut impulses);
            let mut velocities = assembled.free.clone();
            assembled.velocities(&impulses, &mut velocities);
            let v = Vec::new();
            let found =
                Found { assembled, impulses, velocities, v, seconds, seconds_reduction: reduction };
            Ok(found.judged(problem, solver.as_ref(), method, &report, settings))
        }
        Ready::Reduced(reduced, _) => {
            let assembled = &reduced.assembled;
            let (report, seconds) = timed_solve(assembled, &mut impulses);
            // Velocities by way of M v = H r + f, so that errors of the reduction are judged too.
            let v = reduced.recover(&impulses)?;
            let velocities = reduced.contact_velocities(&v, &impulses);
            let found =
                Found { assembled, impulses, velocities, v, seconds, seconds_reduction: reduction };
            Ok(found.judged(problem, solver.as_ref(), method, &report, settings))
        }
    }
}

/// Zero, or the first guess of the file.
fn start<const D: usize>(problem: &Problem, warm: bool) -> Vec<Local<D>> {
    let guess = problem.guesses.first().filter(|guess| warm && !guess.r.is_empty());
    match guess {
        Some(guess) => guess.r.as_chunks::<D>().0.to_vec(),
        None => vec![[0.0; D]; problem.contacts()],
    }
}

/// What a solver found.
struct Found<'a, const D: usize> {
    assembled: &'a Assembled<D>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// v of a global problem, followed by −λ; λ of a local one with constraints.
    v: Vec<f64>,
    seconds: Seconds,
    seconds_reduction: Option<f64>,
}

impl<const D: usize> Found<'_, D> {
    fn judged(
        mut self,
        problem: &Problem,
        solver: &dyn Solver<D>,
        method: AssembledMethod,
        report: &SolveReport,
        settings: &Settings,
    ) -> Attempt {
        let limits = &settings.limits;
        let spent = self.seconds_reduction.unwrap_or(0.0) + self.seconds.first;
        let clock = Instant::now();
        let error = step_error(self.assembled, &self.impulses, &settings.limits_from_now(spent));
        let seconds_error = clock.elapsed().as_secs_f64();
        let residual = Residual::of_assembled(self.assembled, &self.impulses, &self.velocities);
        let freedoms = problem.freedoms();
        let solved = residual.solves(limits.tolerance);
        let l = match freedoms {
            None => std::mem::take(&mut self.v),
            Some(count) => self.v.split_off(count).into_iter().map(|minus| -minus).collect(),
        };
        Attempt {
            solver: method.name().to_owned(),
            solved,
            // A solver that has iterations left ends before a solution only where time runs out.
            stopped: !solved
                && settings.seconds.is_some()
                && report.iterations < limits.max_iterations,
            iterations: report.iterations,
            seconds: self.seconds,
            seconds_reduction: self.seconds_reduction,
            residual,
            error,
            seconds_error,
            story: solver.story().iter().map(chapter).collect(),
            answer: RecordedSolution {
                u: self.velocities.as_flattened().to_vec(),
                r: self.impulses.as_flattened().to_vec(),
                v: self.v,
                l,
            },
            diagnosis: None,
            seconds_diagnosis: 0.0,
            asymmetry: self.assembled.delassus.asymmetry(),
        }
    }
}

fn chapter(attempt: &solvers::Attempt) -> String {
    let Residual { relative, scale_free } = attempt.residual;
    let (method, iterations) = (attempt.method.name(), attempt.iterations);
    format!("{method:<18} {iterations:>8} iterations → {relative:.1e}, scale-free {scale_free:.1e}")
}
