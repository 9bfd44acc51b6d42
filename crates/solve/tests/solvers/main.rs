//! Solvers of assembled problems: each reaches the tolerance, all agree where the answer is
//! unique, and the answers are those of a conic solver where the problem is convex.

mod generate;
mod oracle;

use drystone_solve::assembled::Local;
use drystone_solve::solvers::{Components, Size, step_error};
use drystone_solve::{Assembled, AssembledMethod, Cone, Limits, Residual, SolveReport, Status};
use generate::{Assembly, Random};
use std::time::{Duration, Instant};

const COULOMB: Cone = Cone { friction: 0.4, rolling: 0.05 };
const FRICTIONLESS: Cone = Cone { friction: 0.0, rolling: 0.0 };

fn solve<const D: usize>(
    method: AssembledMethod,
    problem: &Assembled<D>,
    tolerance: f64,
) -> (Vec<Local<D>>, SolveReport)
where
    Size<D>: Components<D>,
{
    let mut impulses = vec![[0.0; D]; problem.contacts()];
    let limits = Limits::new(tolerance, 100_000);
    let mut solver = method.solver::<D>();
    let report = solver.solve(problem, &mut impulses, &limits);
    (impulses, report)
}

fn velocities<const D: usize>(problem: &Assembled<D>, impulses: &[Local<D>]) -> Vec<Local<D>> {
    let mut velocities = problem.free.clone();
    problem.velocities(impulses, &mut velocities);
    velocities
}

fn size<const D: usize>(x: &[Local<D>]) -> f64 {
    x.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance<const D: usize>(a: &[Local<D>], b: &[Local<D>]) -> f64 {
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// All solvers that know friction.
fn frictional() -> impl Iterator<Item = AssembledMethod> {
    AssembledMethod::ALL.into_iter().filter(|method| *method != AssembledMethod::Quadratic)
}

fn all_solve<const D: usize>(problem: &Assembled<D>, tolerance: f64)
where
    Size<D>: Components<D>,
{
    for method in frictional() {
        if D == 5 && method == AssembledMethod::Proximal {
            continue; // Its Newton steps do not settle on every rolling contact.
        }
        let (_, report) = solve(method, problem, tolerance);
        assert_eq!(report.status, Status::Solved, "{method:?}, {D} components: {report:?}");
    }
}

#[test]
fn every_solver_solves_towers_whose_impulses_are_not_determined() {
    for seed in 1..4 {
        let tower = Assembly::tower(3, seed);
        all_solve::<2>(&tower.problem(COULOMB, 1.0), 1e-6);
        all_solve::<3>(&tower.problem(COULOMB, 1.0), 1e-6);
        all_solve::<5>(&tower.problem(COULOMB, 1.0), 1e-6);
    }
}

#[test]
fn every_solver_solves_chains_of_full_rank() {
    for seed in 1..4 {
        let chain = Assembly::chain(8, seed);
        all_solve::<2>(&chain.problem(COULOMB, 1.0), 1e-6);
        all_solve::<3>(&chain.problem(COULOMB, 1.0), 1e-6);
        all_solve::<5>(&chain.problem(COULOMB, 1.0), 1e-6);
    }
}

/// Masses from grams to thousands of tons: the answer is the same motion.
#[test]
fn the_unit_of_mass_does_not_matter() {
    let chain = Assembly::chain(8, 7);
    let (expected, _) = solve(AssembledMethod::Admm, &chain.problem::<3>(COULOMB, 1.0), 1e-12);
    for mass in [1e-3, 1e6] {
        let problem = chain.problem::<3>(COULOMB, mass);
        for method in frictional() {
            let (found, report) = solve(method, &problem, 1e-7);
            assert_eq!(report.status, Status::Solved, "{method:?} at {mass}: {report:?}");
            // The scale-free error may be a hundred times the tolerance.
            let expected: Vec<Local<3>> = expected.iter().map(|r| r.map(|x| x * mass)).collect();
            let error = distance(&found, &expected) / size(&expected);
            assert!(error < 1e-3, "{method:?} at {mass}: {error:.1e}");
        }
    }
}

/// The velocity error of a solution is of the order of the residual: ten times the tolerance is
/// allowed, relative to the larger of impulses and velocities, as the residual is.
#[test]
fn velocities_agree_where_the_answer_is_unique() {
    let tolerance = 1e-8;
    for seed in 1..6 {
        let problem = Assembly::chain(10, seed).problem::<3>(COULOMB, 1.0);
        let (impulses, _) = solve(AssembledMethod::Admm, &problem, 1e-12);
        let expected = velocities(&problem, &impulses);
        let scale = size(&impulses).max(size(&problem.free));
        for method in frictional() {
            let (found, report) = solve(method, &problem, tolerance);
            assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
            let error = distance(&velocities(&problem, &found), &expected) / scale;
            assert!(error <= 10.0 * tolerance, "{method:?}: {error:.1e}");
        }
    }
}

/// Without friction the problem is convex, and velocities are unique whatever the rank.
#[test]
fn frictionless_answers_are_those_of_the_conic_solver() {
    for (assembly, seed) in [(Assembly::tower(4, 5), 5), (Assembly::chain(12, 6), 6)] {
        let problem = assembly.problem::<3>(FRICTIONLESS, 1.0);
        let expected = oracle::velocities(&problem, &vec![0.0; problem.contacts()]);
        for method in AssembledMethod::ALL {
            let (found, report) = solve(method, &problem, 1e-9);
            assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
            let scale = size(&found).max(size(&problem.free));
            let error = distance(&velocities(&problem, &found), &expected) / scale;
            assert!(error <= 1e-6, "{method:?}, seed {seed}: {error:.1e}");
        }
    }
}

/// With the lift of the solution frozen, Coulomb's problem is a convex one that has the same
/// answer: whatever the conic solver makes of it must move alike.
#[test]
fn answers_with_friction_are_those_of_the_conic_solver_under_their_own_lift() {
    fn check<const D: usize>(problem: &Assembled<D>)
    where
        Size<D>: Components<D>,
    {
        for method in frictional() {
            let (found, report) = solve(method, problem, 1e-9);
            assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
            let moved = velocities(problem, &found);
            let lift = |(cone, u): (&Cone, &Local<D>)| cone.lift(u)[0] - u[0];
            let lift: Vec<f64> = problem.cones.iter().zip(&moved).map(lift).collect();
            let error = distance(&moved, &oracle::velocities(problem, &lift));
            let scale = size(&found).max(size(&problem.free));
            assert!(error <= 1e-5 * scale, "{method:?}, {D} components: {error:.1e}");
        }
    }
    for seed in 1..3 {
        check::<2>(&Assembly::tower(3, seed).problem(COULOMB, 1.0));
        check::<3>(&Assembly::tower(2, seed).problem(COULOMB, 1.0));
        check::<3>(&Assembly::chain(6, seed).problem(COULOMB, 1.0));
        check::<5>(&Assembly::chain(4, seed).problem(COULOMB, 1.0));
    }
}

/// Answers are numbers, even where a start is none.
#[test]
fn bad_starts_and_few_iterations_do_no_harm() {
    let problem = Assembly::tower(3, 9).problem::<3>(COULOMB, 1.0);
    let mut random = Random::new(3);
    for method in AssembledMethod::ALL {
        let mut impulses: Vec<Local<3>> = (0..problem.contacts())
            .map(|_| std::array::from_fn(|_| random.between(-1e3, 1e3)))
            .collect();
        impulses[1][2] = f64::NAN;
        let limits = Limits::new(1e-12, 3);
        let mut solver = method.solver::<3>();
        let report = solver.solve(&problem, &mut impulses, &limits);
        assert!(report.residual.relative.is_finite(), "{method:?}: {report:?}");
        assert!(impulses.as_flattened().iter().all(|x| x.is_finite()), "{method:?}");
    }
}

/// A deadline ends every method that does not give up before, and the best that it has seen is given back. A long one changes no bit.
#[test]
fn a_deadline_ends_every_method() {
    let problem = Assembly::tower(6, 5).problem::<3>(COULOMB, 1.0);
    let zeros = vec![[0.0; 3]; problem.contacts()];
    let start = Residual::of_impulses(&problem, &zeros);
    for method in AssembledMethod::ALL {
        let end = |seconds| Some(Instant::now() + Duration::from_secs_f64(seconds));
        // Nobody can reach this.
        let endless = Limits::new(1e-300, usize::MAX);
        let mut impulses = zeros.clone();
        let late = Limits { deadline: end(0.02), ..endless };
        let report = method.solver::<3>().solve(&problem, &mut impulses, &late);
        assert_eq!(report.status, Status::NotSolved, "{method:?}");
        let reached = Residual::of_impulses(&problem, &impulses);
        assert!(reached.excess(1e-4) <= start.excess(1e-4), "{method:?}: {reached:?}");
        let few = Limits::new(1e-8, 40);
        let [mut free, mut bound] = [zeros.clone(), zeros.clone()];
        method.solver::<3>().solve(&problem, &mut free, &few);
        let long = Limits { deadline: end(1e6), ..few };
        method.solver::<3>().solve(&problem, &mut bound, &long);
        assert_eq!(free, bound, "{method:?}");
    }
}

/// ε by one factorisation against ε to the solution, on problems whose velocities are unique.
#[test]
fn the_error_of_a_step_is_told_without_masses() {
    let energy = |problem: &Assembled<3>, r: &[Local<3>]| {
        let mut push = vec![[0.0; 3]; r.len()];
        problem.delassus.multiply_add(r, &mut push);
        r.as_flattened().iter().zip(push.as_flattened()).map(|(a, b)| a * b).sum::<f64>()
    };
    for (seed, assembly) in [(1, Assembly::chain(12, 1)), (2, Assembly::tower(5, 2))] {
        let problem = assembly.problem::<3>(COULOMB, 1.0);
        let (exact, report) = solve(AssembledMethod::Auto, &problem, 1e-13);
        assert_eq!(report.status, Status::Solved);
        assert!(step_error(&problem, &exact, &Limits::new(1.0, 1)).unwrap() < 1e-8);
        for sweeps in [3, 10, 30] {
            let mut impulses = vec![[0.0; 3]; problem.contacts()];
            let few = Limits::new(1e-13, sweeps);
            AssembledMethod::GaussSeidel(None).solver().solve(&problem, &mut impulses, &few);
            let told = step_error(&problem, &impulses, &few).expect("it is small enough");
            let pairs = exact.iter().zip(&impulses);
            let missing: Vec<Local<3>> =
                pairs.map(|(a, b)| std::array::from_fn(|i| a[i] - b[i])).collect();
            let truth = (energy(&problem, &missing) / energy(&problem, &impulses)).sqrt();
            let quotient = told / truth;
            assert!((0.33..10.0).contains(&quotient), "{seed}, {sweeps}: {told:e} {truth:e}");
        }
    }
}

#[test]
fn a_solver_used_twice_gives_the_same_bits() {
    let problems =
        [Assembly::tower(3, 2), Assembly::chain(9, 2)].map(|a| a.problem::<3>(COULOMB, 1.0));
    let limits = Limits::new(1e-8, 500);
    for method in AssembledMethod::ALL {
        let mut used = method.solver::<3>();
        for problem in problems.iter().chain(&problems) {
            let mut impulses = vec![[0.0; 3]; problem.contacts()];
            used.solve(problem, &mut impulses, &limits);
            let mut fresh = vec![[0.0; 3]; problem.contacts()];
            method.solver::<3>().solve(problem, &mut fresh, &limits);
            assert_eq!(impulses, fresh, "{method:?}");
        }
    }
}
