//! How the contact problem of a step is solved: by sweeps, and by other methods where these are slow.
//!
//! Small groups of contacts that a few sweeps do not solve are solved at once, each by itself
//! ([`SmallGroups`](drystone_solve::SmallGroups)): a body at rest on three or four contacts is settled then.
//!
//! Light bodies between heavy ones make sweeps slow: a sweep hands on no more momentum than the light
//! ones can carry. The assembled form then takes over, from the impulses that the sweeps have found
//! ([`solve_assembled`]). It allocates, but only in such steps.

use crate::{
    Attempt, Dimension, Method, MethodReason, MethodTaken, StepError, StepReport, Story, World,
};
use drystone_solve::{AssembledMethod, Limits, NlgsParams, SolveReport, Status, solve_assembled};

/// A method, why it is taken, and its most iterations.
type Planned = (MethodTaken, MethodReason, usize);

/// The methods for a problem of this size, in order. The next one is taken where the one before has failed.
fn plan(method: Method, all: usize, small: Option<usize>) -> [Option<Planned>; 3] {
    use {MethodReason::*, MethodTaken::*};
    match method {
        Method::GaussSeidel => [Some((Sweeps, Asked, all)), None, None],
        Method::Assembled(method) => {
            [Some((Assembled(method), Asked, all)), Some((Sweeps, Unfit, all)), None]
        }
        Method::Auto => {
            let first = small.map_or(all, |many| all.min(many));
            let last = (first < all).then_some((Sweeps, LastResort, all - first));
            [
                Some((Sweeps, Usual, first)),
                Some((Assembled(AssembledMethod::Auto), SlowSweeps, all)),
                last,
            ]
        }
    }
}

impl<S: Dimension> World<S> {
    /// Solves the problem of the step, and again while drag or deferred contacts ask for it.
    pub(crate) fn solve(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        let mut last = SolveReport::default();
        report.newton = 0;
        for round in 0..=self.setup.params.methods.rounds {
            if round > 0 && !self.brake_again() && !self.call_deferred() {
                break;
            }
            last = self.solve_rigid(&mut report.story);
            if !self.state.solids.is_empty() {
                let (part, newton) = self.solve_part(&mut report.story)?;
                last = last.and(&part);
                report.newton += newton;
            }
            report.iterations += last.iterations;
        }
        report.residual = last.residual.relative;
        report.residual_scale_free = last.residual.scale_free;
        report.converged = last.status == Status::Solved;
        Ok(())
    }

    /// Solves what no contact joins to a solid, by one method after the other.
    fn solve_rigid(&mut self, story: &mut Story) -> SolveReport {
        let (settings, params) = (self.solver_settings(), &self.setup.params.methods);
        let work = &mut self.work.rigid;
        if work.keeps_start {
            work.start.clone_from(&work.solution.impulses);
        }
        let unknowns = work.contacts.len() * S::DIMENSION;
        let small = (unknowns <= params.small_problem).then_some(params.many_sweeps);
        let (mut last, mut iterations) = (None, 0);
        for (method, reason, most) in
            plan(settings.method, settings.max_iterations, small).into_iter().flatten()
        {
            let report = match method {
                MethodTaken::Assembled(method) => self.solve_by(method, reason, most, story),
                _ if reason == MethodReason::Unfit && last.is_some() => None,
                _ => Some(self.solve_by_sweeps(reason, most, story)),
            };
            let Some(report) = report else { continue };
            iterations += report.iterations;
            last = Some(report);
            if report.status == Status::Solved {
                break;
            }
        }
        SolveReport { iterations, ..last.unwrap_or_default() }
    }

    /// Sweeps, with small groups at once after a few where there are such groups.
    fn solve_by_sweeps(
        &mut self,
        reason: MethodReason,
        most: usize,
        story: &mut Story,
    ) -> SolveReport {
        let (params, tolerance) = (self.setup.params.methods, self.solver_settings().tolerance);
        let (work, few) = (&mut self.work.rigid, params.few_sweeps);
        let grouped = most > few
            && work.contacts.len() <= params.few_contacts
            && work.groups.find(&work.problem);
        let report = self.sweep(if grouped { few } else { most });
        story.add(Attempt::of(MethodTaken::Sweeps, reason, &report));
        if !grouped || report.status == Status::Solved {
            return report;
        }
        let work = &mut self.work.rigid;
        let steps = S::settle(&mut work.groups, &work.problem, &mut work.solution, tolerance);
        let after = self.sweep(most - few);
        let settled = SolveReport { iterations: steps + after.iterations, ..after };
        story.add(Attempt::of(MethodTaken::SmallGroups, MethodReason::SlowSweeps, &settled));
        SolveReport { iterations: few + settled.iterations, ..after }
    }

    fn sweep(&mut self, max_iterations: usize) -> SolveReport {
        let tolerance = self.solver_settings().tolerance;
        let params = NlgsParams { tolerance, max_iterations, ..NlgsParams::default() };
        let work = &mut self.work.rigid;
        let (mut solver, mut solution) =
            (std::mem::take(&mut work.solver), std::mem::take(&mut work.solution));
        let (problem, threads) = (&self.work.rigid.problem, &self.work.threads);
        let report = if self.lists_contacts() {
            solver.solve(problem, &mut solution, &params, threads)
        } else {
            let made = self.made_contacts(&self.work.rigid.contacts);
            solver.solve_with(problem, &made, &mut solution, &params, threads)
        };
        (self.work.rigid.solver, self.work.rigid.solution) = (solver, solution);
        report
    }

    /// `None` where the assembled form cannot take the problem.
    fn solve_by(
        &mut self,
        method: AssembledMethod,
        reason: MethodReason,
        max_iterations: usize,
        story: &mut Story,
    ) -> Option<SolveReport> {
        if !self.lists_contacts() {
            return None;
        }
        let limits = Limits { tolerance: self.solver_settings().tolerance, max_iterations };
        let work = &mut self.work.rigid;
        let report = solve_assembled(&work.problem, &mut work.solution, method, &limits)?;
        story.add(Attempt::of(MethodTaken::Assembled(method), reason, &report));
        Some(report)
    }
}
