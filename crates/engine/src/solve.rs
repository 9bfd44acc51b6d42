//! How the contact problem of a step is solved: by sweeps, and by other methods where these are slow.
//!
//! Small groups of contacts that a few sweeps do not solve are solved at once, each by itself
//! ([`SmallGroups`](drystone_solve::SmallGroups)): a body at rest on three or four contacts is settled then.
//!
//! Light bodies between heavy ones make sweeps slow: a sweep hands on no more momentum than the light
//! ones can carry. The assembled form then takes over, from the impulses that the sweeps have found
//! ([`solve_assembled`]). It allocates, but only in such steps.

use crate::{Dimension, Method, StepError, StepReport, World};
use drystone_solve::{AssembledMethod, Limits, NlgsParams, SolveReport, Status, solve_assembled};

/// Unknowns up to which the assembled form is not dearer than many sweeps, and so many sweeps.
const SMALL: usize = 1500;
const MANY_SWEEPS: usize = 1000;
/// Sweeps before small groups of contacts are solved at once, and most contacts among which groups are looked
/// for: a packing has none, and to find that out at every step would cost it.
const FEW_SWEEPS: usize = 4;
const FEW_CONTACTS: usize = 1000;
/// Most times that the problem is solved again, for the sake of quadratic drag or of contacts that had been set
/// aside. Drag needs two or three as a rule, since a round shrinks the error by what it takes of the momentum in
/// half a step; contacts hardly ever more than one.
pub(crate) const ROUNDS: usize = 20;

/// How the problem of a step was solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solved {
    pub report: SolveReport,
    /// Whether another method had to take over from the sweeps and has solved it.
    pub rescued: bool,
    /// Newton's iterations on deformable solids.
    pub newton: usize,
}

impl Solved {
    /// Puts it into a report, beside what was solved in vain before.
    pub fn tell(&self, report: &mut StepReport) {
        report.iterations += self.report.iterations;
        report.residual = self.report.residual.relative;
        report.residual_scale_free = self.report.residual.scale_free;
        report.converged = self.report.status == Status::Solved;
        (report.rescued, report.newton) = (self.rescued, self.newton);
    }
}

impl<S: Dimension> World<S> {
    /// Solves the problem of the step, drag included; also whether another method had to take over
    /// from the sweeps and has solved it.
    pub(crate) fn solve(&mut self) -> Result<Solved, StepError> {
        let mut solved = self.solve_parts()?;
        for _ in 0..ROUNDS {
            if !self.brake_again() && !self.call_deferred() {
                break;
            }
            let again = self.solve_parts()?;
            solved = Solved {
                report: SolveReport {
                    iterations: solved.report.iterations + again.report.iterations,
                    ..again.report
                },
                rescued: solved.rescued | again.rescued,
                newton: solved.newton + again.newton,
            };
        }
        Ok(solved)
    }

    /// Solves what solids take part in, and the rest, each by itself.
    fn solve_parts(&mut self) -> Result<Solved, StepError> {
        let (report, rescued) = self.solve_contacts();
        if self.solids.is_empty() {
            return Ok(Solved { report, rescued, newton: 0 });
        }
        let (part, newton) = self.solve_part()?;
        Ok(Solved { report: report.and(&part), rescued, newton })
    }

    fn solve_contacts(&mut self) -> (SolveReport, bool) {
        let settings = self.setup.solver;
        if self.work.keeps_start {
            self.work.start.clone_from(&self.work.solution.impulses);
        }
        let all = settings.max_iterations;
        match settings.method {
            Method::GaussSeidel => (self.solve_by_sweeps(all), false),
            Method::Assembled(method) => {
                let report =
                    self.solve_by(method, all).unwrap_or_else(|| self.solve_by_sweeps(all));
                (report, false)
            }
            Method::Auto => self.solve_by_any(all),
        }
    }

    fn solve_by_any(&mut self, all: usize) -> (SolveReport, bool) {
        let unknowns = self.work.contacts.len() * S::DIMENSION;
        let first = if unknowns <= SMALL { all.min(MANY_SWEEPS) } else { all };
        let mut last = self.solve_by_sweeps(first);
        if last.status == Status::Solved {
            return (last, false);
        }
        let mut iterations = last.iterations;
        if let Some(rescue) = self.solve_by(AssembledMethod::Auto, all) {
            iterations += rescue.iterations;
            if rescue.status == Status::Solved {
                return (SolveReport { iterations, ..rescue }, true);
            }
            last = rescue;
        }
        if first < all {
            last = self.solve_by_sweeps(all - first);
            iterations += last.iterations;
        }
        (SolveReport { iterations, ..last }, false)
    }

    fn solve_by_sweeps(&mut self, max_iterations: usize) -> SolveReport {
        let work = &mut self.work;
        let small = max_iterations > FEW_SWEEPS && work.contacts.len() <= FEW_CONTACTS;
        if !small || !work.groups.find(&work.problem) {
            return self.sweep_all(max_iterations);
        }
        let few = self.sweep_all(FEW_SWEEPS);
        if few.status == Status::Solved {
            return few;
        }
        let (work, tolerance) = (&mut self.work, self.setup.solver.tolerance);
        let steps = S::settle(&mut work.groups, &work.problem, &mut work.solution, tolerance);
        let rest = self.sweep_all(max_iterations - FEW_SWEEPS);
        SolveReport { iterations: FEW_SWEEPS + steps + rest.iterations, ..rest }
    }

    fn sweep_all(&mut self, max_iterations: usize) -> SolveReport {
        let tolerance = self.setup.solver.tolerance;
        let params = NlgsParams { tolerance, max_iterations, ..NlgsParams::default() };
        let (mut solver, mut solution) =
            (std::mem::take(&mut self.work.solver), std::mem::take(&mut self.work.solution));
        let (problem, threads) = (&self.work.problem, &self.threads);
        let report = if self.lists_contacts() {
            solver.solve(problem, &mut solution, &params, threads)
        } else {
            let made = self.made_contacts(&self.work.contacts);
            solver.solve_with(problem, &made, &mut solution, &params, threads)
        };
        (self.work.solver, self.work.solution) = (solver, solution);
        report
    }

    fn solve_by(&mut self, method: AssembledMethod, max_iterations: usize) -> Option<SolveReport> {
        if !self.lists_contacts() {
            return None;
        }
        let limits = Limits { tolerance: self.setup.solver.tolerance, max_iterations };
        solve_assembled(&self.work.problem, &mut self.work.solution, method, &limits)
    }
}
