//! A matrix-free problem solved through its assembled form, by any of the solvers.

use crate::assembled::local::dot;
use crate::assembled::{Assembled, Gather, Local as Components};
use crate::residual::common_scale;
use crate::solvers::{self, AssembledMethod, Limits, Size};
use crate::{ContactProblem, Residual, Solution, SolveReport, Status, with_assembled};
use drystone_space::Local;

/// Unknowns above which the assembled form costs too much.
const LARGEST: usize = 12_000;
/// Solves, each to a smaller tolerance, until the error is small in this problem's own figures.
const TRIES: usize = 3;

/// Whether so many contacts can be solved through the assembled form.
pub fn fits_assembled<S: Gather>(contacts: usize) -> bool {
    contacts * S::DIMENSION <= LARGEST
}

/// Solves `problem` by this method, from the impulses that `solution` holds. What it
/// finds is taken over where the [`Residual`] of this problem becomes smaller.
///
/// `None`, and nothing is done, where the problem is too large or a law is not Coulomb's
/// ([`ContactProblem::is_coulomb`]). The iterations are bounded by the
/// limits, the tolerance is on both figures of the residual. Allocates.
pub fn solve_assembled<S: Gather>(
    problem: &ContactProblem<S>,
    solution: &mut Solution<S>,
    method: AssembledMethod,
    limits: &Limits,
) -> Option<SolveReport> {
    if !problem.is_coulomb() || !fits_assembled::<S>(problem.contacts.len()) {
        return None;
    }
    solution.refresh(problem);
    Some(with_assembled!(S::gather(problem), assembled => {
        run(problem, solution, assembled, method, limits)
    }))
}

fn run<S: Gather, const D: usize>(
    problem: &ContactProblem<S>,
    solution: &mut Solution<S>,
    mut assembled: Assembled<D>,
    method: AssembledMethod,
    limits: &Limits,
) -> SolveReport
where
    Size<D>: solvers::Components<D>,
{
    let mut solver = method.solver::<D>();
    // In units in which the mean of trace(H)/d is 1, both figures are those of this problem's judge.
    let scale = common_scale(problem);
    let numbers = assembled.delassus.blocks.as_flattened_mut().as_flattened_mut();
    numbers.iter_mut().chain(assembled.free.as_flattened_mut()).for_each(|x| *x *= scale);
    let mut impulses: Vec<Components<D>> = solution.impulses.iter().map(|p| p.to_array()).collect();
    let mut trial = solution.clone();
    let mut asked = *limits;
    let mut best = Residual::of(problem, solution);
    let mut iterations = 0;
    for _ in 0..TRIES {
        asked.max_iterations = limits.max_iterations.saturating_sub(iterations);
        let before = asked.tolerance;
        let report = solver.solve(&assembled, &mut impulses, &asked);
        iterations += report.iterations;
        if runs_away(&assembled, &impulses) {
            break;
        }
        for (to, from) in trial.impulses.iter_mut().zip(&impulses) {
            *to = S::Local::from_array(from);
        }
        trial.refresh(problem);
        let residual = Residual::of(problem, &trial);
        if residual.worst() < best.worst() {
            best = residual;
            solution.clone_from(&trial);
        }
        if report.status == Status::NotSolved || best.within(limits.tolerance) {
            break;
        }
        // The solvers' own judge allows a larger scale-free error.
        asked.tolerance *= 0.5 * limits.tolerance / residual.worst();
        if report.iterations == 0 {
            // By it, the start was good enough already: more is to be asked than what there is.
            asked.tolerance *= report.residual.excess(before);
        }
    }
    SolveReport::new(best.within(limits.tolerance), iterations, best)
}

/// Whether impulses grow against each other in place of a solution, which need not exist.
///
/// Any error becomes small beside impulses that are large enough. Where they hold each other,
/// W r ≈ 0, the lifted velocities still work on them as the free ones did: Û·r ≈ q·r < 0 (see
/// `diagnosis/conflict.rs`). In a solution Û·r = 0.
fn runs_away<const D: usize>(problem: &Assembled<D>, impulses: &[Components<D>]) -> bool {
    let mut velocities = problem.free.clone();
    problem.velocities(impulses, &mut velocities);
    let (mut left, mut driven) = (0.0, 0.0);
    for (contact, (cone, r)) in problem.cones.iter().zip(impulses).enumerate() {
        left += dot(&cone.lift(&velocities[contact]), r);
        driven += dot(&problem.free[contact], r);
    }
    left < 0.5 * driven.min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::Projection;
    use crate::{Contact, ContactMap, GROUND, Law, Mover, Nlgs, NlgsParams, Threads, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// Ten light blocks on each other under one that weighs a thousand times as much, each of them
    /// on two contacts.
    fn loaded_stack() -> ContactProblem<Plane> {
        let mass = |i: usize| if i == 10 { 1000.0 } else { 1.0 };
        let mover = |i| Mover { inverse_mass: 1.0 / mass(i), inverse_inertia: 6.0 / mass(i) };
        let movers: Vec<Mover<Plane>> = (0..11).map(mover).collect();
        let free = vec![Twist { velocity: DVec2::new(1e-4, -0.01), spin: 0.0 }; 11];
        let mut problem = ContactProblem { movers, free, ..ContactProblem::default() };
        for upper in 0..11u32 {
            for side in [-0.5, 0.5] {
                let map = ContactMap {
                    first: upper,
                    second: upper.checked_sub(1).unwrap_or(GROUND),
                    frame: PlaneFrame::from_normal(DVec2::Y),
                    arm_first: DVec2::new(side, -0.5),
                    arm_second: DVec2::new(side, 0.5),
                };
                let law = Law::Coulomb(0.5);
                let contact = Contact::new(map, Local2::default(), law, &problem.movers, 1.0);
                problem.contacts.push(contact);
            }
        }
        problem
    }

    #[test]
    fn what_sweeps_do_not_solve_is_solved_and_both_judges_agree() {
        let problem = loaded_stack();
        let impulses = vec![Local2::default(); problem.contacts.len()];
        let mut solution = Solution { impulses, ..Solution::default() };
        let params = NlgsParams { tolerance: 1e-8, max_iterations: 50, ..NlgsParams::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::NotSolved);
        let limits = Limits::new(1e-8, 5000);
        let report =
            solve_assembled(&problem, &mut solution, AssembledMethod::Auto, &limits).unwrap();
        assert_eq!(report.status, Status::Solved, "{report:?}");
        assert!(Residual::of(&problem, &solution).within(1e-8));
        let load: f64 = solution.impulses[..2].iter().map(|p| p.n).sum();
        // Each of the 11 joints may open at 1e-8 of the impulses' size, 24, over its 2 contacts; the load of
        // 1000 kg moves with all of them.
        assert!((load - 10.1).abs() < 1000.0 * 1e-8 * 24.0 * 11.0, "{load}");
    }

    /// A block that two walls squeeze: the impulses may grow for ever, and no answer is right.
    #[test]
    fn what_has_no_solution_is_not_solved() {
        let movers = vec![Mover::<Plane> { inverse_mass: 1.0, inverse_inertia: 0.0 }];
        let free = vec![Twist { velocity: DVec2::ZERO, spin: 0.0 }];
        let mut problem = ContactProblem { movers, free, ..ContactProblem::default() };
        for side in [-1.0, 1.0] {
            let map = ContactMap {
                first: 0,
                second: GROUND,
                frame: PlaneFrame::from_normal(DVec2::Y * side),
                arm_first: DVec2::ZERO,
                arm_second: DVec2::ZERO,
            };
            let approach = Local2 { n: -0.1, t: 0.0 };
            let law = Law::Coulomb(0.3);
            problem.contacts.push(Contact::new(map, approach, law, &problem.movers, 1.0));
        }
        use AssembledMethod::{Admm, Apgd, Auto, Newton};
        for method in [Auto, Newton, Admm, Apgd] {
            let impulses = vec![Local2::default(); 2];
            let mut solution = Solution { impulses, ..Solution::default() };
            let limits = Limits::new(1e-4, 500);
            let report = solve_assembled(&problem, &mut solution, method, &limits).unwrap();
            assert_eq!(report.status, Status::NotSolved, "{method:?}: {:?}", solution.impulses);
        }
    }

    #[test]
    fn what_is_worse_is_not_taken_over() {
        let problem = loaded_stack();
        let impulses = vec![Local2::default(); problem.contacts.len()];
        let mut solution = Solution { impulses, ..Solution::default() };
        let limits = Limits::new(1e-8, 5000);
        solve_assembled(&problem, &mut solution, AssembledMethod::Auto, &limits).unwrap();
        let short = Limits::new(1e-14, 1);
        let disc = AssembledMethod::Uzawa(Projection::Disc);
        solve_assembled(&problem, &mut solution, disc, &short).unwrap();
        assert!(Residual::of(&problem, &solution).within(1e-8));
    }
}
