//! Clarabel's answer to the convex problem with a frozen lift s:
//! minimise ½ r·Wr + (q + s)·r over r ∈ K.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use drystone_solve::Assembled;
use drystone_solve::assembled::Local;

/// The velocities W r + q of Clarabel's r. `lift` is the normal part of s for each contact.
pub fn velocities<const D: usize>(problem: &Assembled<D>, lift: &[f64]) -> Vec<Local<D>> {
    let size = problem.contacts() * D;
    let mut upper = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..problem.contacts() {
        for (column, block) in problem.delassus.row(row) {
            for (i, line) in block.iter().enumerate() {
                for (j, &value) in line.iter().enumerate() {
                    if row * D + i <= column * D + j {
                        upper.0.push(row * D + i);
                        upper.1.push(column * D + j);
                        upper.2.push(value);
                    }
                }
            }
        }
    }
    let cost = CscMatrix::new_from_triplets(size, size, upper.0, upper.1, upper.2);
    let (constraints, cones) = cones(problem);
    let linear: Vec<f64> = problem
        .free
        .iter()
        .zip(lift)
        .flat_map(|(q, s)| {
            let mut q = *q;
            q[0] += s;
            q
        })
        .collect();
    let rest = vec![0.0; constraints.m];
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .expect("sound settings");
    let mut solver = DefaultSolver::new(&cost, &linear, &constraints, &rest, &cones, settings)
        .expect("a sound problem");
    solver.solve();
    let status = solver.solution.status;
    // The last digits may be out of its reach; the comparison tells whether they matter.
    let known =
        [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
    assert!(known.contains(&status), "{status:?}");
    let impulses: Vec<Local<D>> =
        solver.solution.x.chunks_exact(D).map(|r| r.try_into().expect("D long")).collect();
    let mut velocities = problem.free.clone();
    problem.velocities(&impulses, &mut velocities);
    velocities
}

/// −A r in a product of cones: (μ r_n, r_t) and (μ_r r_n, r_m) in those of Lorentz; without
/// friction r_n ≥ 0 and r_t = 0.
fn cones<const D: usize>(problem: &Assembled<D>) -> (CscMatrix<f64>, Vec<SupportedConeT<f64>>) {
    let mut cones = Vec::new();
    let mut triplets = (Vec::new(), Vec::new(), Vec::new());
    let mut line = 0;
    let mut push = |column: usize, value: f64| {
        triplets.0.push(line);
        triplets.1.push(column);
        triplets.2.push(-value);
        line += 1;
    };
    for (contact, cone) in problem.cones.iter().enumerate() {
        let start = contact * D;
        for (bound, parts) in [(cone.friction, 1..D.min(3)), (cone.rolling, D.min(3)..D)] {
            if parts.is_empty() {
                continue;
            }
            let count = parts.len();
            push(start, if bound > 0.0 { bound } else { 1.0 });
            parts.for_each(|part| push(start + part, 1.0));
            if bound > 0.0 {
                cones.push(SupportedConeT::SecondOrderConeT(1 + count));
            } else {
                cones.push(SupportedConeT::NonnegativeConeT(1));
                cones.push(SupportedConeT::ZeroConeT(count));
            }
        }
    }
    let size = problem.contacts() * D;
    let (rows, columns, values) = triplets;
    (CscMatrix::new_from_triplets(line, size, rows, columns, values), cones)
}
