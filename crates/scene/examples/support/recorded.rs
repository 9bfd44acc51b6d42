//! Estimates of the error of recorded problems, held against the truth: the metric is that of W, and one step of Newton's
//! method on the assembled form tells the estimate.

use super::truth::{BESIDE, EXACT, FINE, Point, Truth};
use drystone_fclib::Problem;
use drystone_solve::solvers::{Components, Size, step_error};
use drystone_solve::{Assembled, AssembledMethod, Limits, Residual, with_assembled};
use std::error::Error;
use std::path::Path;

/// Methods that look for exact solutions, and their most iterations.
const METHODS: [(&str, usize); 4] =
    [("auto", 20_000), ("newton", 300), ("interior", 200), ("admm", 20_000)];

/// What was found of a file: contacts, the truth, and estimates along sweeps to these tolerances.
pub fn points(
    path: &Path,
    tolerances: &[f64],
) -> Result<(usize, Truth, Vec<Point>), Box<dyn Error>> {
    let problem = Problem::read(path)?;
    let assembled = problem.assembled()?;
    Ok(with_assembled!(&assembled, p => {
        let (truth, points) = of(p, tolerances);
        (p.contacts(), truth, points)
    }))
}

fn of<const D: usize>(problem: &Assembled<D>, tolerances: &[f64]) -> (Truth, Vec<Point>)
where
    Size<D>: Components<D>,
{
    let swept = |tolerance: f64| {
        let mut impulses = vec![[0.0; D]; problem.contacts()];
        let method = AssembledMethod::GaussSeidel(None);
        let report = method.solver().solve(problem, &mut impulses, &Limits::new(tolerance, 3000));
        (impulses, report.iterations)
    };
    let mut exact = Vec::new();
    for start in [vec![[0.0; D]; problem.contacts()], swept(tolerances[tolerances.len() - 1]).0] {
        for (name, most) in METHODS {
            let method = AssembledMethod::from_name(name).expect("a method");
            let mut impulses = start.clone();
            method.solver().solve(problem, &mut impulses, &Limits::new(0.5 * FINE, most));
            exact.push((error(problem, &impulses), impulses));
        }
    }
    let fine = exact.iter().any(|(error, _)| *error <= FINE);
    exact.retain(|(error, _)| *error <= if fine { FINE } else { EXACT });
    let rest = exact.iter().fold(0.0, |most, (error, _)| f64::max(most, *error));
    let distance = |from: &[[f64; D]], to: &[[f64; D]]| {
        let missing: Vec<[f64; D]> =
            from.iter().zip(to).map(|(a, b)| std::array::from_fn(|i| a[i] - b[i])).collect();
        (energy(problem, &missing) / energy(problem, from)).max(0.0).sqrt()
    };
    let mut apart = 0.0f64;
    for (at, (_, one)) in exact.iter().enumerate() {
        exact[..at].iter().for_each(|(_, other)| apart = apart.max(distance(one, other)));
    }
    let truth = Truth { known: exact.len(), rest, apart };
    let mut points = Vec::new();
    for &tolerance in tolerances {
        let (impulses, sweeps) = swept(tolerance);
        let residual = error(problem, &impulses);
        let estimate = step_error(problem, &impulses, &Limits::new(tolerance, 1));
        let (Some(estimate), false) = (estimate, exact.is_empty() || residual <= BESIDE * rest)
        else {
            continue;
        };
        let all = exact.iter().map(|(_, exact)| distance(&impulses, exact));
        points.push(Point {
            tolerance,
            sweeps,
            factors: true,
            accepted: residual <= tolerance && estimate <= tolerance,
            residual,
            estimate,
            truth: all.fold(f64::INFINITY, f64::min),
        });
    }
    (truth, points)
}

/// The residual, as recorded problems are judged.
fn error<const D: usize>(problem: &Assembled<D>, impulses: &[[f64; D]]) -> f64 {
    Residual::of_impulses(problem, impulses).excess(1.0)
}

/// rᵀ W r.
fn energy<const D: usize>(problem: &Assembled<D>, r: &[[f64; D]]) -> f64 {
    let row = |contact: usize| -> f64 {
        let pushed = problem.delassus.row_multiply_add(contact, r, [0.0; D]);
        (0..D).map(|i| r[contact][i] * pushed[i]).sum()
    };
    (0..problem.contacts()).map(row).sum()
}
