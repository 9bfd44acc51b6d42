use super::*;
use crate::{Contact, ContactMap, Elastic, GROUND, Law, Mover, Nlgs, NlgsParams, Threads, Twist};
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

/// A wall: blocks of 2 by 1 in rows, each half a block from the row below; head joints touch in two points, and press
/// nowhere. Some sideways acceleration is added to gravity.
fn wall(rows: usize, length: usize, sideways: f64) -> ContactProblem<Plane> {
    let count = rows * length;
    let movers = vec![Mover { inverse_mass: 0.5, inverse_inertia: 12.0 / 10.0 }; count];
    let free = vec![Twist { velocity: DVec2::new(sideways, -1.0), spin: 0.0 }; count];
    let mut contacts = Vec::new();
    let mut add = |first: usize, second: Option<usize>, normal: DVec2, at: [DVec2; 2]| {
        let map = ContactMap {
            first: first as u32,
            second: second.map_or(GROUND, |second| second as u32),
            frame: PlaneFrame::from_normal(normal),
            arm_first: at[0],
            arm_second: at[1],
        };
        let law = Law::with_friction(0.5);
        contacts.push(Contact::new(map, Local2::default(), law, &movers, 1.0));
    };
    for row in 0..rows {
        for position in 0..length {
            let own = row * length + position;
            for height in [-0.5, 0.5] {
                let at = [DVec2::new(-1.0, height), DVec2::new(1.0, height)];
                if position > 0 {
                    add(own, Some(own - 1), DVec2::X, at);
                }
            }
            if row == 0 {
                for x in [-1.0, 1.0] {
                    add(own, None, DVec2::Y, [DVec2::new(x, -0.5), DVec2::ZERO]);
                }
                continue;
            }
            // Rows are shifted by half a block to and fro: a block lies on two halves, or on one at an end.
            let shift = if row % 2 == 1 { 1.0 } else { -1.0 };
            for half in [-1.0, 1.0] {
                let below = position as f64 + if half == shift { shift } else { 0.0 };
                if below < 0.0 || below >= length as f64 {
                    continue;
                }
                let other = (row - 1) * length + below as usize;
                for x in [half.min(0.0), half.max(0.0)] {
                    let on = x + shift - 2.0 * (below - position as f64);
                    add(own, Some(other), DVec2::Y, [DVec2::new(x, -0.5), DVec2::new(on, 0.5)]);
                }
            }
        }
    }
    ContactProblem { movers, free, contacts, ..Default::default() }
}

/// ‖u − v‖ / ‖u_free − u‖ in the kinetic metric.
fn distance(problem: &ContactProblem<Plane>, u: &[Twist<Plane>], v: &[Twist<Plane>]) -> f64 {
    let square = |u: &[Twist<Plane>], v: &[Twist<Plane>]| -> f64 {
        let each = problem.movers.iter().zip(u.iter().zip(v));
        each.map(|(mover, (u, v))| {
            (u.velocity - v.velocity).length_squared() / mover.inverse_mass
                + (u.spin - v.spin).powi(2) / mover.inverse_inertia
        })
        .sum()
    };
    (square(u, v) / square(&problem.free, u)).sqrt()
}

/// From the impulses of a step before, in which a little more or less was to be carried, a wall takes a few iterations and at
/// most one factorisation, and none once a factor is kept. The error that is told is not far below the true one.
#[test]
fn warm_walls_are_split_on_a_kept_factor() {
    for (rows, sideways) in [(4, 0.0), (16, 0.0), (16, 0.2)] {
        let mut problem = wall(rows, 10, sideways);
        let impulses = vec![Local2::default(); problem.contacts.len()];
        let mut solution = Solution::<Plane> { impulses, ..Solution::default() };
        let (mut direct, mut kept) = (Direct::default(), Kept::default());
        direct.prepare(&problem);
        let params = DirectParams { tolerance: 1e-6, ..Default::default() };
        let cold = direct.solve(&problem, &mut solution, &params);
        assert_eq!(cold.status, Status::Solved, "{cold:?}");
        for step in 0..4 {
            let more = 1.0 + 1e-3 * f64::from(step % 2);
            problem.free.iter_mut().for_each(|free| free.velocity.y = -more);
            direct.prepare(&problem);
            let report = direct.refine(&problem, &mut solution, &params, &mut kept);
            assert_eq!(report.status, Status::Solved, "{step}: {report:?}");
            assert!(report.factorisations <= usize::from(step == 0), "{step}: {report:?}");
            assert!(report.iterations <= 6, "{step}: {report:?}");
            let mut exact = solution.clone();
            let (mut other, finer) =
                (Direct::default(), DirectParams { tolerance: 1e-8, ..Default::default() });
            other.prepare(&problem);
            other.solve(&problem, &mut exact, &finer);
            let truth = distance(&problem, &solution.twists, &exact.twists);
            assert!(report.error.max(1e-8) > truth / 3.0, "{truth:e}: {report:?}");
            assert!(truth < 1e-6, "{truth:e}");
        }
        // A factor that is made again from what is kept gives the same bits.
        problem.free.iter_mut().for_each(|free| free.velocity.y = -1.0005);
        let (mut again, mut kept_again, mut resumed) =
            (Direct::default(), kept.clone(), solution.clone());
        again.prepare(&problem);
        direct.prepare(&problem);
        let reports = [
            direct.refine(&problem, &mut solution, &params, &mut kept),
            again.refine(&problem, &mut resumed, &params, &mut kept_again),
        ];
        assert_eq!(reports[0], reports[1]);
        assert!(solution.impulses == resumed.impulses && kept == kept_again);
    }
}

/// Impulses that are far from those of the step are not taken for right: here the wall is suddenly pushed sideways by more
/// than friction holds.
#[test]
fn a_wall_that_begins_to_slide_is_not_taken_for_one_at_rest() {
    let mut problem = wall(8, 6, 0.0);
    let impulses = vec![Local2::default(); problem.contacts.len()];
    let mut solution = Solution::<Plane> { impulses, ..Solution::default() };
    let (mut direct, mut kept) = (Direct::default(), Kept::default());
    let params = DirectParams::default();
    direct.prepare(&problem);
    direct.solve(&problem, &mut solution, &params);
    direct.refine(&problem, &mut solution, &params, &mut kept);
    for push in [0.45, 0.55, 0.8] {
        problem.free.iter_mut().for_each(|free| free.velocity.x = push);
        direct.prepare(&problem);
        let mut warm = solution.clone();
        let report = direct.refine(&problem, &mut warm, &params, &mut kept);
        let mut exact = Solution::<Plane> {
            impulses: vec![Local2::default(); problem.contacts.len()],
            ..Solution::default()
        };
        let finer = DirectParams { tolerance: 1e-7, ..Default::default() };
        let cold = direct.solve(&problem, &mut exact, &finer);
        assert_eq!(cold.status, Status::Solved, "{push}: {cold:?}");
        if report.status == Status::Solved {
            let truth = distance(&problem, &warm.twists, &exact.twists);
            assert!(truth < 3e-4, "{push}: {truth:e}, {report:?}");
        }
    }
}

/// A line of masses between two walls that move apart, tied to each other; each tie begins with this offset.
fn line(count: usize, ties: impl Fn(usize) -> (Elastic<Plane>, f64)) -> ContactProblem<Plane> {
    let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 6.0 }; count];
    let free = vec![Twist::ZERO; count];
    let mut problem = ContactProblem { movers, free, ..Default::default() };
    for number in 0..=count {
        // The last is tied to the far wall.
        let first = number.min(count - 1) as u32;
        let second = if number == 0 || number == count { GROUND } else { first - 1 };
        let normal = if number == count { -DVec2::X } else { DVec2::X };
        let map = ContactMap {
            first,
            second,
            frame: PlaneFrame::from_normal(normal),
            arm_first: DVec2::ZERO,
            arm_second: DVec2::ZERO,
        };
        let (tie, offset) = ties(number);
        problem.push_elastic(map, Local2 { n: offset, t: 0.0 }, tie, 1.0);
    }
    problem
}

fn at_zero(problem: &ContactProblem<Plane>) -> Solution<Plane> {
    Solution {
        impulses: vec![Local2::default(); problem.contacts.len()],
        couples: vec![Local2::default(); problem.specials.len()],
        ..Solution::default()
    }
}

/// Ties in a row between walls that part bear the same impulse, if all are alike; whatever they are, what they take up
/// together is what the walls have parted. It is found from zero by interior points, and from elsewhere by splitting, however
/// stiff ties are: linear, slack under pressure, stiffer under pressure, or rigid.
#[test]
fn ties_in_a_row_take_up_what_walls_part() {
    let both = |e: f64| Elastic::new(e, Some(e), 0.3 * e);
    let pulls = |e: f64| Elastic::new(e, None, e);
    let cracked = |e: f64| Elastic::new(10.0 * e, Some(e), 7.0 * e);
    let at = |here: bool, offset: f64| if here { offset } else { 0.0 };
    type Case<'a> = (&'a dyn Fn(usize) -> (Elastic<Plane>, f64), Option<f64>);
    let cases: [Case; 8] = [
        (&|_| (both(1.0), -0.01), Some(0.01)),
        (&|_| (both(1e-6), -0.01), Some(1e4)),
        (&|k| (both(1e-4 * (1.0 + k as f64)), at(k == 3, -1.0)), None),
        (&|_| (pulls(1e-3), 0.01), Some(-10.0)),
        (&|_| (pulls(1e-3), -0.01), Some(0.0)),
        (&|_| (cracked(1e-3), -0.01), Some(10.0)),
        (&|_| (cracked(1e-3), 0.01), Some(-1.0)),
        (&|k| (both(at(k == 4, 1e-3)), at(k == 0, -0.01)), None),
    ];
    for (number, (ties, wanted)) in cases.into_iter().enumerate() {
        let problem = line(20, ties);
        let params = DirectParams { tolerance: 1e-9, ..DirectParams::default() };
        let mut direct = Direct::default();
        assert!(direct.prepare(&problem).is_some(), "{number}");
        let mut solution = at_zero(&problem);
        let mut begun = solution.clone();
        begun.impulses.fill(Local2 { n: wanted.map_or(1.0, |wanted| 0.9 * wanted), t: 0.0 });
        let refined = direct.refine(&problem, &mut begun, &params, &mut Kept::default());
        let report = direct.solve(&problem, &mut solution, &params);
        assert_eq!(report.status, Status::Solved, "{number}: {report:?}");
        let mut found = vec![solution];
        // Where nothing is borne, rounding is all that there is.
        if wanted != Some(0.0) {
            assert_eq!(refined.status, Status::Solved, "{number}: {refined:?}");
            found.push(begun);
        }
        for solution in found {
            let (mut left, mut parted) = (0.0, 0.0f64);
            for (k, impulse) in solution.impulses.iter().enumerate() {
                let (tie, offset) = ties(k);
                left += offset + tie.taken_up(*impulse).n;
                parted += offset.abs();
                let Some(wanted) = wanted else { continue };
                let error = (impulse.n - wanted).abs();
                assert!(error < 1e-6 * wanted.abs().max(1e-3), "{number}: {} {wanted}", impulse.n);
            }
            assert!(wanted == Some(0.0) || left.abs() < 1e-6 * parted, "{number}: {left} {parted}");
        }
    }
}

/// Ties that hold each other move nothing: what is undone is told against what they take up. Sweeps that stop early tell an
/// error that is neither below a third of the truth nor far above it, and factors tell the truth.
#[test]
fn errors_are_told_where_ties_hold_each_other() {
    let compliance = 1e-2;
    let tie = Elastic::new(compliance, Some(compliance), compliance);
    let problem = line(30, |_| (tie, -0.01));
    let mut exact = at_zero(&problem);
    exact.impulses.fill(Local2 { n: 1.0, t: 0.0 });
    exact.refresh(&problem);
    let moved = exact.twists.iter().map(|twist| twist.velocity.length()).fold(0.0, f64::max);
    assert!(moved < 1e-14, "{moved}");
    for sweeps in [30, 150, 400] {
        let mut solution = at_zero(&problem);
        let params = NlgsParams { max_iterations: sweeps, tolerance: 1e-14, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        let truth = problem.distance(&solution, &exact) / problem.done(&solution);
        let told = report.error.unwrap().value;
        // Swings make estimates cautious, and as long as they grow sweeps promise nothing; against what bodies do it was 1e12.
        let bounded = told < 1e3 * truth || truth > 0.1;
        assert!(told > truth / 3.0 && bounded, "{sweeps}: told {told}, true {truth}");
        let mut direct = Direct::default();
        direct.prepare(&problem);
        let params = DirectParams { tolerance: 1e-12, max_factorisations: 1 };
        let judged = direct.judge(&problem, &mut solution, &params);
        assert!((judged.error / truth - 1.0).abs() < 1e-3, "{sweeps}: {judged:?}, true {truth}");
    }
}
