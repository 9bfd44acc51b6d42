use super::*;
use crate::{Contact, ContactMap, ContactProblem, GROUND, Law, Mover, Solution, Status, Twist};
use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

/// A wall of unit boxes with `columns` columns and `rows` rows, each touching what is under it in two points, after a
/// step of gravity.
fn boxes(rows: usize, columns: usize, push: f64, friction: f64) -> ContactProblem<Plane> {
    let count = rows * columns;
    let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 6.0 }; count];
    let free = vec![Twist { velocity: DVec2::new(push, -1.0), spin: 0.0 }; count];
    let mut contacts = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let number = row * columns + column;
            for side in [-0.5, 0.5] {
                let map = ContactMap {
                    first: number as u32,
                    second: if row == 0 { GROUND } else { (number - columns) as u32 },
                    frame: PlaneFrame::from_normal(DVec2::Y),
                    arm_first: DVec2::new(side, -0.5),
                    arm_second: DVec2::new(side, 0.5),
                };
                contacts.push(Contact::new(
                    map,
                    Local2::default(),
                    Law::with_friction(friction),
                    &movers,
                    1.0,
                ));
            }
        }
    }
    ContactProblem { movers, free, contacts, ..Default::default() }
}

/// A column at rest takes as many factorisations whatever its height, and its foot carries its weight.
#[test]
fn columns_of_any_height_are_carried() {
    for (count, friction) in [(10, 0.5), (100, 0.5), (1000, 0.5), (1000, 0.0)] {
        let problem = boxes(count, 1, 0.0, friction);
        let mut solution = Solution::<Plane> {
            impulses: vec![Local2::default(); problem.contacts.len()],
            ..Solution::default()
        };
        let params = DirectParams { tolerance: 1e-8, ..DirectParams::default() };
        let clock = std::time::Instant::now();
        let mut direct = Direct::default();
        eprintln!("{:?}", direct.prepare(&problem));
        let report = direct.solve(&problem, &mut solution, &params);
        eprintln!("{count} {friction}: {report:?} {:?}", clock.elapsed());
        assert_eq!(report.status, Status::Solved, "{count}: {report:?}");
        assert!(report.factorisations <= 10, "{count}: {report:?}");
        let foot = solution.impulses[0].n + solution.impulses[1].n;
        assert!((foot / count as f64 - 1.0).abs() < 1e-7, "{count}: {foot}");
    }
}
