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
pub(crate) mod interior;
mod jacobi;
mod limits;
mod method;
mod newton;
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
pub use interior::{Interior, step_error};
pub use jacobi::Jacobi;
pub use limits::Limits;
pub use method::AssembledMethod;
pub use newton::Newton;
pub use proximal::Proximal;
pub use quadratic::Quadratic;
pub use sweeper::Sweeping;
pub use uzawa::{Projection, Uzawa};

pub use crate::assembled::SCALE_FREE_SLACK;
use crate::assembled::{Assembled, Local};
use crate::{Cone, Residual, SolveReport};

/// A solver of assembled contact problems. It owns its scratch and its settings.
pub trait Solver<const D: usize>: Send {
    /// Solves `problem` from the impulses given, and leaves its best ones there. An impulse that is no number
    /// is none.
    ///
    /// # Panics
    /// If the impulses are not one per contact.
    fn solve(
        &mut self,
        problem: &Assembled<D>,
        impulses: &mut [Local<D>],
        limits: &Limits,
    ) -> SolveReport {
        assert_eq!(impulses.len(), problem.contacts(), "one impulse per contact");
        self.forget();
        let bad = |r: &&mut Local<D>| r.iter().any(|x| !x.is_finite());
        impulses.iter_mut().filter(bad).for_each(|r| *r = [0.0; D]);
        let residual = Residual::of_impulses(problem, impulses);
        if residual.solves(limits.tolerance) || problem.contacts() == 0 {
            return SolveReport::new(true, 0, residual);
        }
        self.solve_from(problem, impulses, residual, limits)
    }

    /// The same where that is work: there are contacts, and the impulses, with this residual, do not solve the
    /// problem.
    fn solve_from(
        &mut self,
        problem: &Assembled<D>,
        impulses: &mut [Local<D>],
        start: Residual,
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

    /// Forgets what was tried.
    fn forget(&mut self) {}
}

/// One method at work within a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The method.
    pub method: AssembledMethod,
    /// Its iterations.
    pub iterations: usize,
    /// The best residual afterwards.
    pub residual: Residual,
}
