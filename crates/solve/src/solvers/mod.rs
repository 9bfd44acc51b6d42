//! Solvers of assembled problems behind one trait, judged by one [`Residual`].

mod admm;
mod anderson;
mod apgd;
mod auto;
mod conjugate;
mod contact;
mod extragradient;
mod factor;
mod gauss_seidel;
mod interior;
mod jacobi;
mod newton;
mod order;
mod proximal;
mod quadratic;
mod scaled;
mod sparse;
mod sweeper;
mod uzawa;

pub use admm::Admm;
pub use apgd::Apgd;
pub use auto::Auto;
pub use conjugate::ConjugateGradient;
pub use contact::{Components, Size};
pub use extragradient::Extragradient;
pub use gauss_seidel::GaussSeidel;
pub use interior::Interior;
pub use jacobi::Jacobi;
pub use newton::Newton;
pub use proximal::Proximal;
pub use quadratic::Quadratic;
pub use sweeper::Sweeping;
pub use uzawa::{Projection, Uzawa};

pub use crate::assembled::SCALE_FREE_SLACK;
use crate::assembled::{Assembled, Local};
use crate::{Cone, LocalSolver, Residual, SolveReport, Status};

/// What is asked of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The residual must come below this ([`Residual::solves`]).
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
}

/// A solver of assembled contact problems. It owns its scratch and its settings.
pub trait Solver<const D: usize>: Send {
    /// The name by which a user asks for it.
    fn name(&self) -> &'static str;

    /// Solves `problem` from the impulses given, and leaves its best ones there.
    ///
    /// # Panics
    /// If the impulses are not one per contact.
    fn solve(
        &mut self,
        problem: &Assembled<D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport;

    /// Whether the solver is meant for contacts with these cones; it may be run in any case.
    fn applies(&self, cones: &[Cone]) -> bool {
        let _ = cones;
        true
    }

    /// What was tried in the last solve, one method after the other; empty for a single method.
    fn story(&self) -> &[Attempt] {
        &[]
    }
}

/// One method at work within a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The method.
    pub method: &'static str,
    /// Its iterations.
    pub iterations: usize,
    /// The best residual afterwards.
    pub residual: Residual,
}

/// The report on impulses as they are: the judge's word, whatever the solver believes.
pub fn report<const D: usize>(
    problem: &Assembled<D>,
    impulses: &[Local<D>],
    iterations: usize,
    limits: &Limits,
) -> SolveReport {
    let residual = Residual::of_impulses(problem, impulses);
    let solved = residual.solves(limits.tolerance);
    let status = if solved { Status::Solved } else { Status::NotSolved };
    SolveReport { status, iterations, residual }
}

/// The names of all solvers.
pub fn names() -> &'static [&'static str] {
    &[
        "auto",
        "gauss-seidel",
        "newton",
        "proximal",
        "interior",
        "admm",
        "apgd",
        "extragradient",
        "conjugate-gradient",
        "jacobi",
        "uzawa-cone",
        "uzawa-disc",
        "quadratic",
    ]
}

/// More names: Gauss–Seidel with each local solver.
pub fn variants() -> [&'static str; LocalSolver::ALL.len()] {
    LocalSolver::ALL.map(GaussSeidel::name_with)
}

/// The solver of that name, with its usual settings.
pub fn by_name<const D: usize>(name: &str) -> Option<Box<dyn Solver<D>>>
where
    Size<D>: Components<D>,
{
    with_sweeping(name, &Sweeping::default())
}

/// The solver of that name; if it sweeps, as these settings say.
pub fn with_sweeping<const D: usize>(name: &str, sweeping: &Sweeping) -> Option<Box<dyn Solver<D>>>
where
    Size<D>: Components<D>,
{
    Size::<D>::solver(name, sweeping)
}

fn choose<const D: usize>(name: &str, sweeping: &Sweeping) -> Option<Box<dyn Solver<D>>>
where
    Size<D>: Components<D>,
{
    Some(match name {
        "auto" => Box::new(Auto::new(sweeping.clone())),
        "newton" => Box::new(Newton::default()),
        "proximal" => Box::new(Proximal::default()),
        "interior" => Box::new(Interior::default()),
        "admm" => Box::new(Admm::default()),
        "apgd" => Box::new(Apgd::default()),
        "extragradient" => Box::new(Extragradient::default()),
        "conjugate-gradient" => Box::new(ConjugateGradient::default()),
        "jacobi" => Box::new(Jacobi::default()),
        "uzawa-cone" => Box::new(Uzawa::new(Projection::Cone)),
        "uzawa-disc" => Box::new(Uzawa::new(Projection::Disc)),
        "quadratic" => Box::new(Quadratic::default()),
        _ => {
            let solver = GaussSeidel::by_name(name)?;
            Box::new(GaussSeidel { sweeping: sweeping.clone(), ..solver })
        }
    })
}
