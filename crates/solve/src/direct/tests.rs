use super::*;
use crate::{Contact, ContactMap, GROUND, Law, Mover, Twist};
use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

/// A column of unit boxes, each touching what is under it in two points, after a step of gravity; the mass of the last is
/// `top`.
fn column(count: usize, top: f64, friction: f64) -> ContactProblem<Plane> {
    let mut movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 6.0 }; count];
    movers[count - 1] = Mover { inverse_mass: 1.0 / top, inverse_inertia: 6.0 / top };
    let free = vec![Twist { velocity: DVec2::new(0.0, -1.0), spin: 0.0 }; count];
    let mut contacts = Vec::new();
    for number in 0..count {
        for side in [-0.5, 0.5] {
            let map = ContactMap {
                first: number as u32,
                second: if number == 0 { GROUND } else { number as u32 - 1 },
                frame: PlaneFrame::from_normal(DVec2::Y),
                arm_first: DVec2::new(side, -0.5),
                arm_second: DVec2::new(side, 0.5),
            };
            let law = Law::with_friction(friction);
            contacts.push(Contact::new(map, Local2::default(), law, &movers, 1.0));
        }
    }
    ContactProblem { movers, free, contacts, ..Default::default() }
}

/// From zero impulses a structure at rest takes about as many factorisations whatever its height and its load, and
/// its foot carries its weight.
#[test]
fn columns_of_any_height_carry_any_load() {
    // The error of a large load on light boxes is told no finer than the stiffness of closed contacts allows.
    for (count, top, friction, tolerance) in [
        (10, 1.0, 0.5, 1e-6),
        (100, 1.0, 0.5, 1e-6),
        (1000, 1.0, 0.5, 1e-6),
        (1000, 1.0, 0.0, 1e-6),
        (10, 1e6, 0.5, 1e-5),
        (100, 1e6, 0.5, 1e-4),
    ] {
        let problem = column(count, top, friction);
        let mut solution = Solution::<Plane> {
            impulses: vec![Local2::default(); problem.contacts.len()],
            ..Solution::default()
        };
        let params = DirectParams { tolerance, ..DirectParams::default() };
        let mut direct = Direct::default();
        assert!(direct.prepare(&problem).is_some());
        let report = direct.solve(&problem, &mut solution, &params);
        assert_eq!(report.status, Status::Solved, "{count} {top}: {report:?}");
        assert!(report.factorisations <= 12, "{count} {top}: {report:?}");
        let weight = count as f64 - 1.0 + top;
        let foot = solution.impulses[0].n + solution.impulses[1].n;
        assert!((foot / weight - 1.0).abs() < 10.0 * tolerance, "{count} {top}: {foot}");
        // What was found is left alone: one factorisation judges it.
        let found = solution.impulses.clone();
        let again = direct.solve(&problem, &mut solution, &params);
        assert_eq!((again.status, again.factorisations), (Status::Solved, 1), "{again:?}");
        assert!(solution.impulses == found);
    }
}

/// The estimate is the distance to the exact velocities, which are zero: here for impulses that are all a share too small.
#[test]
fn the_error_of_given_impulses_is_told() {
    let problem = column(100, 1.0, 0.5);
    let mut solution = Solution::<Plane> {
        impulses: vec![Local2::default(); problem.contacts.len()],
        ..Solution::default()
    };
    let mut direct = Direct::default();
    direct.prepare(&problem);
    direct.solve(&problem, &mut solution, &DirectParams { tolerance: 1e-6, ..Default::default() });
    for share in [1e-4, 1e-2] {
        let mut less = solution.clone();
        less.impulses.iter_mut().for_each(|p| *p = *p * (1.0 - share));
        // Each box is left with this share of its fall.
        let params = DirectParams { tolerance: 1e-9, max_factorisations: 2 };
        let report = direct.solve(&problem, &mut less, &params);
        assert!(report.error > share / 3.0 && report.error < 10.0 * share, "{share}: {report:?}");
    }
}
