//! How the contact problem of a step is solved: by sweeps, and by other methods where these are slow.
//!
//! Small groups of contacts that a few sweeps do not solve are solved at once, each by itself
//! ([`SmallGroups`](drystone_solve::SmallGroups)): a body at rest on three or four contacts is settled then.
//!
//! Light bodies between heavy ones make sweeps slow: a sweep hands on no more momentum than the light
//! ones can carry. The assembled form then takes over, from the impulses that the sweeps have found
//! ([`solve_assembled`]). It allocates, but only in such steps.
//!
//! Where a factorisation costs no more than some sweeps, as in structures, a step is judged by its error too
//! ([`Direct`](drystone_solve::Direct)). It then begins by splitting on a factor that is kept from step to step, from the
//! impulses of the step before. Where that does not come within the tolerance, sweeps follow, and interior points where these
//! are slow or not exact. Direct methods allocate where the graph of bodies that touch has changed.

use crate::assemble::ListedContacts;
use crate::workspace::RigidWork;
use crate::{
    Attempt, Dimension, Judge, Method, MethodReason, MethodTaken, StepError, StepReport, Story,
    World,
};
use drystone_solve::{
    AssembledMethod, DirectParams, ErrorEstimate, EstimateWay, Limits, Listed, NlgsParams,
    SolveReport, Status, solve_assembled, uzawa,
};

/// A method, why it is taken, and its most iterations.
type Planned = (MethodTaken, MethodReason, usize);

/// The methods for a problem, in order. The next one is taken where the one before has failed. `many` are the sweeps
/// after which another method takes over where one can; `direct` are the factorisations that direct methods may make.
fn plan(
    method: Method,
    all: usize,
    many: Option<usize>,
    direct: Option<usize>,
) -> [Option<Planned>; 5] {
    use {MethodReason::*, MethodTaken::*};
    match method {
        Method::GaussSeidel => [Some((Sweeps, Asked, all)), None, None, None, None],
        Method::Assembled(method) => {
            [Some((Assembled(method), Asked, all)), Some((Sweeps, Unfit, all)), None, None, None]
        }
        Method::Auto => {
            let first = many.map_or(all, |many| all.min(many));
            let last = (first < all).then_some((Sweeps, LastResort, all - first));
            let assembled = Some((Assembled(AssembledMethod::Auto), SlowSweeps, all));
            let splitting = direct.map(|most| (Splitting, Usual, most));
            let direct = direct.map(|most| (Direct, SlowSweeps, most));
            [splitting, Some((Sweeps, Usual, first)), direct, assembled, last]
        }
    }
}

impl<S: Dimension> World<S> {
    /// Solves the problem of the step, and again while drag or deferred contacts ask for it.
    pub(crate) fn solve_problem(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        let mut last = SolveReport::default();
        report.newton = 0;
        for round in 0..=self.setup.params.methods.rounds {
            if round > 0 && !self.goes_on(round) {
                break;
            }
            last = self.solve_rigid(&mut report.story);
            let part = self.solve_beside(report)?;
            last = last.and(&part);
            self.work.rigid.bonds.solved = last.status == Status::Solved;
            report.iterations += last.iterations;
        }
        report.error = last.error;
        report.residual = last.residual.relative;
        report.residual_scale_free = last.residual.scale_free;
        report.converged = last.status == Status::Solved;
        Ok(())
    }

    /// Solves the part of the problem that has solids or joints, again while mechanisms in reduced coordinates ask for it.
    fn solve_beside(&mut self, report: &mut StepReport) -> Result<SolveReport, StepError> {
        let mut last = SolveReport::default();
        for round in 0.. {
            let mut part = SolveReport::default();
            if !self.state.solids.is_empty() {
                let newton;
                (part, newton) = self.solve_part(&mut report.story)?;
                report.newton += newton;
            } else if self.work.joints.any() {
                part = self.solve_joined(&mut report.story);
            }
            last = SolveReport { iterations: last.iterations + part.iterations, ..part };
            self.close_joints();
            match self.renew_coordinates(round) {
                Ok(true) => {}
                Ok(false) => break,
                Err(()) => {
                    last.status = Status::NotSolved;
                    break;
                }
            }
        }
        Ok(last)
    }

    /// Whether what was found asks for another solve, which is then made ready.
    fn goes_on(&mut self, round: usize) -> bool {
        self.brake_again()
            || self.call_deferred()
            || self.push_spins(round)
            || (self.work.rigid.bonds.solved && self.damage_again())
    }

    /// Solves what no contact joins to a solid, by one method after the other.
    pub(crate) fn solve_rigid(&mut self, story: &mut Story) -> SolveReport {
        if self.work.ranks.is_some() {
            return match self.solve_together() {
                Some((report, attempt)) => {
                    story.add(attempt);
                    report
                }
                None => self.solve_in_one_place(story),
            };
        }
        let settings = self.solver_settings();
        if self.work.rigid.keeps_start {
            self.work.rigid.start.clone_from(&self.work.rigid.solution.impulses);
        }
        if self.work.rigid.problem.shared.is_some() {
            // What all contacts act on is known to sweeps only.
            (self.work.rigid.error, self.work.rigid.exact) = (None, true);
            return self.solve_by_sweeps(MethodReason::Usual, settings.max_iterations, story);
        }
        let direct = self.prepare_direct();
        let params = &self.setup.params.methods;
        let small = self.work.rigid.contacts.len() * S::DIMENSION <= params.small_problem;
        let many = match direct {
            true => Some(params.direct_after),
            false => small.then_some(params.many_sweeps),
        };
        let direct = direct.then_some(params.factorisations);
        let mut last: Option<SolveReport> = None;
        let (mut iterations, mut judged) = (0, true);
        (self.work.rigid.error, self.work.rigid.exact) = (None, true);
        self.work.rigid.sweeps_tell = direct.is_none();
        for (method, reason, most) in
            plan(settings.method, settings.max_iterations, many, direct).into_iter().flatten()
        {
            let report = match (method, &last) {
                (MethodTaken::Splitting, _) => self.solve_by_splitting(most, story),
                (MethodTaken::Direct, Some(swept)) if self.work.rigid.error.is_none() => {
                    Some(self.solve_directly(swept.status, most, story))
                }
                (_, Some(last)) if last.status == Status::Solved => break,
                (MethodTaken::Assembled(method), _) => self.solve_by(method, reason, most, story),
                _ if reason == MethodReason::Unfit && last.is_some() => None,
                _ => Some(self.solve_by_sweeps(reason, most, story)),
            };
            let Some(report) = report else { continue };
            iterations += report.iterations;
            last = Some(report);
            if method == MethodTaken::Splitting {
                break;
            }
            judged = method == MethodTaken::Direct;
        }
        if self.work.rigid.error.is_some() && !judged {
            self.judge_again();
        }
        let last = last.unwrap_or_default();
        let status = if self.work.rigid.exact { last.status } else { Status::NotSolved };
        let by_factors = |value| ErrorEstimate { value, way: EstimateWay::Factors };
        let error = self.work.rigid.error.map(by_factors).or(last.error);
        SolveReport { iterations, status, error, ..last }
    }

    /// Whether direct methods are asked in this step, as far as is known before their price is.
    pub(crate) fn asks_direct(&self) -> bool {
        let settings = &self.setup.solver;
        let swept = self.work.rigid.cell.as_ref().is_some_and(|cell| !cell.free.is_empty());
        let wanted = settings.method == Method::Auto && settings.judge == Judge::Step && !swept;
        let contacts = self.work.rigid.contacts.len() + self.work.rigid.bonds.list.len();
        let few = contacts <= self.setup.params.methods.direct_contacts;
        wanted && few && self.state.direct_pause == 0 && self.setup.laws.is_coulomb()
    }

    /// Makes direct methods ready; whether they are to judge and solve this step.
    fn prepare_direct(&mut self) -> bool {
        if !self.asks_direct() {
            self.state.direct_pause = self.state.direct_pause.saturating_sub(1);
            return false;
        }
        let (work, params) = (&mut self.work.rigid, &self.setup.params.methods);
        let Some(price) = work.direct.prepare(&work.problem) else { return false };
        let sweep = params.sweep_price[S::DIMENSION - 2] * work.problem.contacts.len() as f64;
        let [always, most] = params.direct_price.map(|sweeps| sweeps * sweep);
        work.dear = price > always;
        if price > most {
            self.state.direct_pause = params.direct_pause;
        }
        price <= most
    }

    /// Goes on from the impulses of the step before by splitting, unless it has failed lately; none where that does not
    /// solve the step.
    fn solve_by_splitting(&mut self, most: usize, story: &mut Story) -> Option<SolveReport> {
        if self.state.splitting_pause > 0 {
            self.state.splitting_pause -= 1;
            return None;
        }
        let params = self.direct_params(most);
        let (work, kept) = (&mut self.work.rigid, &mut self.state.kept);
        let direct = work.direct.refine(&work.problem, &mut work.solution, &params, kept);
        let report = SolveReport {
            status: direct.status,
            iterations: direct.iterations,
            residual: direct.residual,
            error: None,
        };
        if report.iterations > 0 {
            story.add(Attempt::of(MethodTaken::Splitting, MethodReason::Usual, &report));
        }
        if report.status == Status::NotSolved {
            if report.iterations > 0 {
                self.state.splitting_pause = self.setup.params.methods.splitting_pause;
            }
            return None;
        }
        (work.error, work.exact) = (Some(direct.error), true);
        Some(report)
    }

    /// Judges what another method has found after direct methods had failed.
    fn judge_again(&mut self) {
        let params = self.direct_params(1);
        let work = &mut self.work.rigid;
        let direct = work.direct.judge(&work.problem, &mut work.solution, &params);
        (work.error, work.exact) = (Some(direct.error), direct.status == Status::Solved);
    }

    fn direct_params(&self, max_factorisations: usize) -> DirectParams {
        DirectParams { tolerance: self.solver_settings().tolerance, max_factorisations }
    }

    /// Judges what sweeps have found by its error too, and goes on by direct methods where that is too large. The status
    /// is that of the residual.
    fn solve_directly(&mut self, swept: Status, most: usize, story: &mut Story) -> SolveReport {
        let params = self.direct_params(most);
        let work = &mut self.work.rigid;
        let direct = work.direct.solve(&work.problem, &mut work.solution, &params);
        (work.error, work.exact) = (Some(direct.error), direct.status == Status::Solved);
        if work.dear && !work.exact {
            self.state.direct_pause = self.setup.params.methods.direct_pause;
        }
        let status = match direct.residual.within(params.tolerance) {
            true => Status::Solved,
            false => Status::NotSolved,
        };
        let report = SolveReport {
            status,
            iterations: direct.factorisations.saturating_sub(1),
            residual: direct.residual,
            error: None,
        };
        let reason = match swept {
            Status::Solved => MethodReason::Inexact,
            Status::NotSolved => MethodReason::SlowSweeps,
        };
        if report.iterations > 0 {
            let whole = SolveReport { status: direct.status, ..report };
            story.add(Attempt::of(MethodTaken::Direct, reason, &whole));
        }
        report
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
            && work.problem.shared.is_none()
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
        let settings = self.solver_settings();
        let error_tolerance = settings.sought_error().filter(|_| self.work.rigid.sweeps_tell);
        let tolerance = settings.tolerance;
        let params =
            NlgsParams { tolerance, error_tolerance, max_iterations, ..NlgsParams::default() };
        let work = &mut self.work.rigid;
        let (mut solver, mut solution) =
            (std::mem::take(&mut work.solver), std::mem::take(&mut work.solution));
        let (problem, threads) = (&self.work.rigid.problem, &self.work.threads);
        let contacts = &self.work.rigid.contacts;
        let report = if self.lists_contacts() {
            let mut starts = std::mem::take(&mut solution.impulses);
            let listed = ListedContacts {
                listed: Listed { contacts: &problem.contacts, starts: &starts },
                contacts,
                work: &self.work.rigid,
            };
            let report = solver.solve_with(problem, &listed, &mut solution, &params, threads);
            starts.iter_mut().enumerate().for_each(|(i, found)| *found = solver.impulse(i));
            solution.impulses = starts;
            report
        } else {
            let made = self.made_contacts(contacts);
            solver.solve_with(problem, &made, &mut solution, &params, threads)
        };
        (self.work.rigid.solver, self.work.rigid.solution) = (solver, solution);
        report
    }

    /// Sweeps on all ranks together, where one process would do nothing else; none where the problem is to be solved in one
    /// place.
    fn solve_together(&mut self) -> Option<(SolveReport, Attempt)> {
        let (settings, params) = (self.solver_settings(), &self.setup.params.methods);
        let contacts = self.count_contacts();
        let judged = settings.judge == Judge::Step && contacts <= params.direct_contacts;
        let swept = matches!(settings.method, Method::Auto | Method::GaussSeidel) && !judged;
        let many = contacts > params.few_contacts && contacts * S::DIMENSION > params.small_problem;
        let sliders = self.work.rigid.problem.movers.len() > self.state.bodies.len();
        if !swept || !many || sliders {
            return None;
        }
        let params = NlgsParams {
            tolerance: settings.tolerance,
            error_tolerance: settings.sought_error(),
            max_iterations: settings.max_iterations,
            ..NlgsParams::default()
        };
        let work = &mut self.work.rigid;
        let (mut solver, mut solution) =
            (std::mem::take(&mut work.solver), std::mem::take(&mut work.solution));
        let (problem, threads) = (&self.work.rigid.problem, &self.work.threads);
        let made = self.made_contacts(&self.work.rigid.contacts);
        let seam = self.work.ranks.as_ref().map(|ranks| ranks.seam());
        solution.impulses.clear();
        let report = seam.and_then(|seam| {
            solver.solve_on(problem, &made, &mut solution, &params, threads, Some(&seam))
        });
        (self.work.rigid.solver, self.work.rigid.solution) = (solver, solution);
        let report = report.filter(|report| report.status == Status::Solved)?;
        Some((report, Attempt::of(MethodTaken::Sweeps, MethodReason::Usual, &report)))
    }

    /// `None` where the method cannot take the problem.
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
        let limits = Limits::new(self.solver_settings().tolerance, max_iterations);
        let RigidWork { problem, solution, .. } = &mut self.work.rigid;
        let (taken, report) = match method {
            AssembledMethod::Uzawa(_) if !problem.is_coulomb() => {
                (MethodTaken::SaddlePoint, uzawa(problem, solution, &limits)?)
            }
            _ => {
                let report = solve_assembled(problem, solution, method, &limits)?;
                (MethodTaken::Assembled(method), report)
            }
        };
        story.add(Attempt::of(taken, reason, &report));
        Some(report)
    }
}
