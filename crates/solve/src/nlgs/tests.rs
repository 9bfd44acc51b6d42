use super::*;
use crate::{Contact, ContactMap, GROUND, Law, Mover};
use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

/// `count` unit blocks on each other on the ground, as points with a mass: each contact must
/// carry the weight above it.
fn column(count: usize, weight: f64) -> (ContactProblem<Plane>, Solution<Plane>) {
    let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 0.0 }; count];
    let free = vec![Twist { velocity: DVec2::new(0.0, -weight), spin: 0.0 }; count];
    let contacts = (0..count)
        .map(|i| {
            let map = ContactMap {
                first: i as u32,
                second: if i == 0 { GROUND } else { i as u32 - 1 },
                frame: PlaneFrame::from_normal(DVec2::Y),
                arm_first: DVec2::ZERO,
                arm_second: DVec2::ZERO,
            };
            Contact::new(map, Local2::default(), Law::Coulomb(0.5), &movers, 1.0)
        })
        .collect();
    let problem = ContactProblem { movers, free, contacts, ..Default::default() };
    let solution = Solution { impulses: vec![Local2::default(); count], ..Default::default() };
    (problem, solution)
}

#[test]
fn a_column_carries_its_weight() {
    let (problem, mut solution) = column(5, 2.0);
    let params = NlgsParams { tolerance: 1e-12, ..Default::default() };
    let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
    assert_eq!(report.status, Status::Solved);
    for (i, impulse) in solution.impulses.iter().enumerate() {
        let above = (5 - i) as f64;
        assert!((impulse.n - 2.0 * above).abs() < 1e-10, "{impulse:?}");
    }
}

/// A plain sweep hands on no more than about a light mass times the velocity, and a load of a
/// thousand on a column of twenty has to wait for it. Momentum makes it a few thousand sweeps.
#[test]
fn a_heavy_load_on_a_light_column_is_carried() {
    let (mut problem, mut solution) = column(21, 1.0);
    problem.movers[20].inverse_mass = 1e-3;
    let contacts = std::mem::take(&mut problem.contacts);
    problem.contacts = contacts
        .iter()
        .map(|c| Contact::new(c.map, c.offset, c.law, &problem.movers, 1.0))
        .collect();
    let params = NlgsParams { tolerance: 1e-9, ..Default::default() };
    let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
    assert_eq!(report.status, Status::Solved);
    assert!(report.iterations < 5000, "{report:?}");
    assert!((solution.impulses[0].n / 1020.0 - 1.0).abs() < 1e-3, "{:?}", solution.impulses[0]);
}

#[test]
fn a_solution_is_kept_without_a_sweep() {
    let (problem, mut solution) = column(5, 2.0);
    for (i, impulse) in solution.impulses.iter_mut().enumerate() {
        impulse.n = 2.0 * (5 - i) as f64;
    }
    let report = Nlgs::default().solve(
        &problem,
        &mut solution,
        &NlgsParams { tolerance: 1e-12, ..Default::default() },
        &Threads::one(),
    );
    assert_eq!(report.iterations, 0);
    assert_eq!(report.residual, Residual::default());
}

/// The order changes the way to the solution, but not a solution that is the only one.
#[test]
fn every_order_leads_to_the_only_solution() {
    let orders = [
        SweepOrder::Coloured,
        SweepOrder::Ordered,
        SweepOrder::Shuffled(1),
        SweepOrder::Shuffled(2),
    ];
    let mut ways = Vec::new();
    for order in orders {
        let params = NlgsParams { tolerance: 1e-12, order, ..Default::default() };
        let (problem, mut solution) = column(7, 2.0);
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved);
        assert!((solution.impulses[0].n - 14.0).abs() < 1e-9, "{:?}", solution.impulses[0]);
        let (problem, mut solution) = column(7, 2.0);
        let params = NlgsParams { max_iterations: 5, ..params };
        Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert!(!ways.contains(&solution.impulses), "{order:?}");
        ways.push(solution.impulses);
    }
}

#[test]
fn running_out_of_sweeps_is_reported() {
    let (problem, mut solution) = column(40, 1.0);
    let params = NlgsParams { tolerance: 1e-12, max_iterations: 3, ..Default::default() };
    let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
    assert_eq!((report.status, report.iterations), (Status::NotSolved, 3));
    assert!(report.residual.worst() > 1e-12);
}
