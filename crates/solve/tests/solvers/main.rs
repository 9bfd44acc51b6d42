//! Solvers of assembled problems: each reaches the tolerance, all agree where the answer is
//! unique, and the answers are those of a conic solver where the problem is convex.

mod generate;
mod oracle;

use drystone_solve::assembled::Local;
use drystone_solve::solvers::{Components, Size, by_name, names};
use drystone_solve::{Assembled, Cone, Limits, SolveReport, Status};
use generate::{Assembly, Random};

const COULOMB: Cone = Cone { friction: 0.4, rolling: 0.05 };
const FRICTIONLESS: Cone = Cone { friction: 0.0, rolling: 0.0 };

fn solve<const D: usize>(
    name: &str,
    problem: &Assembled<D>,
    tolerance: f64,
) -> (Vec<Local<D>>, SolveReport)
where
    Size<D>: Components<D>,
{
    let mut impulses = vec![[0.0; D]; problem.contacts()];
    let limits = Limits { tolerance, max_iterations: 100_000 };
    let mut solver = by_name::<D>(name).expect("a known name");
    assert_eq!(solver.name(), name);
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
fn frictional() -> impl Iterator<Item = &'static str> {
    names().iter().copied().filter(|&name| name != "quadratic")
}

fn all_solve<const D: usize>(problem: &Assembled<D>, tolerance: f64)
where
    Size<D>: Components<D>,
{
    for name in frictional() {
        if D == 5 && name == "proximal" {
            continue; // Its Newton steps do not settle on every rolling contact.
        }
        let (_, report) = solve(name, problem, tolerance);
        assert_eq!(report.status, Status::Solved, "{name}, {D} components: {report:?}");
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
    let (expected, _) = solve("admm", &chain.problem::<3>(COULOMB, 1.0), 1e-12);
    for mass in [1e-3, 1e6] {
        let problem = chain.problem::<3>(COULOMB, mass);
        for name in frictional() {
            let (found, report) = solve(name, &problem, 1e-7);
            assert_eq!(report.status, Status::Solved, "{name} at {mass}: {report:?}");
            // The scale-free error may be a hundred times the tolerance.
            let expected: Vec<Local<3>> = expected.iter().map(|r| r.map(|x| x * mass)).collect();
            let error = distance(&found, &expected) / size(&expected);
            assert!(error < 1e-3, "{name} at {mass}: {error:.1e}");
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
        let (impulses, _) = solve("admm", &problem, 1e-12);
        let expected = velocities(&problem, &impulses);
        let scale = size(&impulses).max(size(&problem.free));
        for name in frictional() {
            let (found, report) = solve(name, &problem, tolerance);
            assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
            let error = distance(&velocities(&problem, &found), &expected) / scale;
            assert!(error <= 10.0 * tolerance, "{name}: {error:.1e}");
        }
    }
}

/// Without friction the problem is convex, and velocities are unique whatever the rank.
#[test]
fn frictionless_answers_are_those_of_the_conic_solver() {
    for (assembly, seed) in [(Assembly::tower(4, 5), 5), (Assembly::chain(12, 6), 6)] {
        let problem = assembly.problem::<3>(FRICTIONLESS, 1.0);
        let expected = oracle::velocities(&problem, &vec![0.0; problem.contacts()]);
        for name in names() {
            let (found, report) = solve(name, &problem, 1e-9);
            assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
            let scale = size(&found).max(size(&problem.free));
            let error = distance(&velocities(&problem, &found), &expected) / scale;
            assert!(error <= 1e-6, "{name}, seed {seed}: {error:.1e}");
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
        for name in frictional() {
            let (found, report) = solve(name, problem, 1e-9);
            assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
            let moved = velocities(problem, &found);
            let lift = |(cone, u): (&Cone, &Local<D>)| cone.lift(u)[0] - u[0];
            let lift: Vec<f64> = problem.cones.iter().zip(&moved).map(lift).collect();
            let error = distance(&moved, &oracle::velocities(problem, &lift));
            let scale = size(&found).max(size(&problem.free));
            assert!(error <= 1e-5 * scale, "{name}, {D} components: {error:.1e}");
        }
    }
    for seed in 1..3 {
        check::<2>(&Assembly::tower(3, seed).problem(COULOMB, 1.0));
        check::<3>(&Assembly::tower(2, seed).problem(COULOMB, 1.0));
        check::<3>(&Assembly::chain(6, seed).problem(COULOMB, 1.0));
        check::<5>(&Assembly::chain(4, seed).problem(COULOMB, 1.0));
    }
}

/// Answers are numbers, even where a start is none. Sweeps and Newton trust their start.
#[test]
fn bad_starts_and_few_iterations_do_no_harm() {
    let problem = Assembly::tower(3, 9).problem::<3>(COULOMB, 1.0);
    let mut random = Random::new(3);
    for &name in names() {
        let mut impulses: Vec<Local<3>> = (0..problem.contacts())
            .map(|_| std::array::from_fn(|_| random.between(-1e3, 1e3)))
            .collect();
        if !["auto", "gauss-seidel", "newton", "proximal"].contains(&name) {
            impulses[1][2] = f64::NAN;
        }
        let limits = Limits { tolerance: 1e-12, max_iterations: 3 };
        let mut solver = by_name::<3>(name).expect("a known name");
        let report = solver.solve(&problem, &mut impulses, &limits);
        assert!(report.residual.relative.is_finite(), "{name}: {report:?}");
        assert!(impulses.as_flattened().iter().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn a_solver_used_twice_gives_the_same_bits() {
    let problems =
        [Assembly::tower(3, 2), Assembly::chain(9, 2)].map(|a| a.problem::<3>(COULOMB, 1.0));
    let limits = Limits { tolerance: 1e-8, max_iterations: 500 };
    for name in names() {
        let mut used = by_name::<3>(name).expect("a known name");
        for problem in problems.iter().chain(&problems) {
            let mut impulses = vec![[0.0; 3]; problem.contacts()];
            used.solve(problem, &mut impulses, &limits);
            let mut fresh = vec![[0.0; 3]; problem.contacts()];
            by_name::<3>(name).expect("a known name").solve(problem, &mut fresh, &limits);
            assert_eq!(impulses, fresh, "{name}");
        }
    }
}
