//! What laws and balance leave open: both futures of the bar between converging walls, and forces of
//! bodies with more supports than they need, against closed forms (Moreau 2003, §8).

use crate::support::{body, plane, run_until, text, volume};
use drystone_engine::{Dimension, World};
use drystone_solve::{Exploration, ExploreParams, Solution, Threads, explore};

#[test]
fn without_history_the_bar_falls() {
    let mut world = plane(&text("bar_falls.toml"));
    let start = body(&world, "bar").pose.position;
    run_until(&mut world, 0.5, |_, _| {});
    let fallen = start.y - body(&world, "bar").pose.position.y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 1e-12, "{fallen}");
    assert_eq!(world.ledger().friction_loss, 0.0);
}

#[test]
fn wedged_in_it_stays() {
    let mut world = plane(&text("bar_wedged.toml"));
    let start = body(&world, "bar").pose.position;
    run_until(&mut world, 0.5, |_, _| {});
    let drift = (body(&world, "bar").pose.position - start).length();
    assert!(drift < 1e-9, "{drift:e}");
    // The impulses are the state that keeps it: they balance the weight and still press.
    let h = world.setup().time_step;
    let lift: f64 = world.contacts().iter().map(|c| c.impulse.y / h).sum();
    assert_eq!(world.contacts().len(), 2);
    assert!((lift - 98.1).abs() < 1e-6, "{lift}");
    assert!(world.contacts().iter().all(|c| (c.impulse.x / h).abs() > 100.0));
}

/// What an exploration of the step after `start` finds; `each` sees the forces of every solution, in
/// the contacts' frames.
fn explored<S: Dimension>(
    world: &mut World<S>,
    start: f64,
    mut each: impl FnMut(&[S::Local]),
) -> Exploration<S> {
    let h = world.setup().time_step;
    run_until(world, start + h, |_, _| {});
    let params = ExploreParams::default();
    let forces = |solution: &Solution<S>| {
        solution.impulses.iter().map(|&impulse| impulse * (1.0 / h)).collect::<Vec<_>>()
    };
    let found =
        explore(&world.problem(), &world.solution(), &params, &Threads::one(), |solution, _| {
            each(&forces(solution))
        });
    assert_eq!(found.solved, params.samples);
    found
}

/// How much of an interval from `low` to `high` the values fill.
fn covered(values: &[f64], low: f64, high: f64) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Samples are solved to 1e-8; sums of several forces may be off by more.
    let slack = 1e-5 * (high - low);
    assert!(least > low - slack && most < high + slack, "{least} to {most}, not {low} to {high}");
    (most - least) / (high - low)
}

const WEIGHT: f64 = 98.1;

/// Each wall must carry half of the weight and press with H: the force (H, W/2) is in the cone about
/// a normal that points 10° downward if H ≥ (W/2)/tan(φ − 10°). Or there is no force at all.
#[test]
fn the_bar_is_wedged_by_more_than_a_least_force_or_falls() {
    let mut world = plane(&text("bar_wedged.toml"));
    let (mut wedged, mut falling) = (Vec::new(), 0);
    let lean = 10f64.to_radians();
    let found = explored(&mut world, 0.0, |forces| {
        if forces.iter().all(|f| f.n == 0.0 && f.t == 0.0) {
            falling += 1;
            return;
        }
        for force in forces {
            let press = force.n * lean.cos() + force.t.abs() * lean.sin();
            let lift = force.t.abs() * lean.cos() - force.n * lean.sin();
            assert!((lift - 0.5 * WEIGHT).abs() < 1e-3, "{forces:?}");
            wedged.push(press);
        }
    });
    let least = 0.5 * WEIGHT / (0.5f64.atan() - lean).tan();
    assert!(falling > 100 && wedged.len() > 200, "{falling} fall, {} do not", wedged.len());
    assert!(wedged.iter().all(|&press| press > least - 1e-3), "{least}: {wedged:?}");
    assert!(wedged.iter().any(|&press| press < 1.1 * least), "{least}: {wedged:?}");
    assert!(!found.velocities_are_unique(), "two futures");
}

#[test]
fn any_post_may_carry_the_beam() {
    let mut world = plane(&text("three_supports.toml"));
    let (mut outer, mut middle) = (Vec::new(), Vec::new());
    let found = explored(&mut world, 0.05, |forces| {
        let [a, b, c] = forces else { panic!("{} contacts", forces.len()) };
        assert!((a.n - c.n).abs() < 1e-4 && (a.n + b.n + c.n - WEIGHT).abs() < 1e-4);
        assert!((a.t + b.t + c.t).abs() < 1e-4);
        assert!(b.t.abs() <= 0.5 * b.n.min(WEIGHT - b.n) + 1e-4, "{b:?}");
        outer.push(a.n);
        middle.push(b.n);
    });
    assert!(found.velocities_are_unique() && !found.is_determined(1));
    assert!(covered(&outer, 0.0, 0.5 * WEIGHT) > 0.9);
    assert!(covered(&middle, 0.0, WEIGHT) > 0.9);
}

#[test]
fn a_diagonal_of_legs_carries_any_share() {
    let mut world = volume(&text("four_legs.toml"));
    let mut leg = Vec::new();
    let found = explored(&mut world, 0.05, |forces| {
        let [a, b, c, d] = forces else { panic!("{} contacts", forces.len()) };
        assert!((a.n - c.n).abs() < 1e-4 && (b.n - d.n).abs() < 1e-4, "{forces:?}");
        assert!((a.n + b.n - 0.5 * WEIGHT).abs() < 1e-4);
        assert!((a.t + b.t + c.t + d.t).length() < 1e-4);
        leg.push(a.n);
    });
    assert!(found.velocities_are_unique());
    assert!(covered(&leg, 0.0, 0.5 * WEIGHT) > 0.9);
}

/// The thrust H of the arch. Its extremes are reached by symmetric solutions: half of the middle
/// stone's weight V and H act in the upper joint at a radius from the inner to the outer one, V + W
/// and H on the ground at such a radius, and each force is in the cone about its joint's normal.
#[test]
fn the_thrust_of_an_arch_lies_between_two_bounds() {
    let mut world = plane(&text("small_arch.toml"));
    let (inner, outer, friction) = (0.8, 1.2, 0.7f64);
    let stone = body(&world, "voussoir 1");
    let (weight, centre) = (9.81 * stone.mass, stone.pose.position.x);
    let half = 0.5 * weight;
    let mut thrust = Vec::new();
    let found = explored(&mut world, 0.0, |forces| {
        // Contacts 0 and 1 are those of the first stone on the ground.
        let [a, b, ..] = forces else { panic!("{} contacts", forces.len()) };
        thrust.push(a.t + b.t);
    });
    assert_eq!(world.contacts().len(), 8);
    // Moments of the first stone about the point on the ground; the upper joint is at 60°.
    let (sin, cos) = 60f64.to_radians().sin_cos();
    let balance = |foot: f64, joint: f64| {
        ((foot - joint * cos) * half + (foot - centre) * weight) / (joint * sin)
    };
    let sliding = half * (60f64.to_radians() - friction.atan()).tan();
    let least = balance(inner, outer).max(sliding);
    let most = balance(outer, inner).min(friction * (half + weight));
    let share = covered(&thrust, least, most);
    assert!(share > 0.8, "{share}");
    // The header's figures, in kN.
    assert!((least - 1902.3).abs() < 0.1 && (most - 8563.7).abs() < 0.1, "{least} {most}");
    assert!(found.velocities_are_unique());
}
