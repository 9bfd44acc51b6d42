//! Walls, stacks and arches.

use crate::support::{edited, plane, run_until, text, volume};
use drystone_engine::{Attempt, Dimension, MethodTaken, World};
use drystone_space::{Plane, Vector};

/// Largest displacement of any body since `start`.
fn drift<S: Dimension>(world: &World<S>, start: &[S::Vector]) -> f64 {
    let moved = world.bodies().iter().zip(start).map(|(b, s)| (b.pose.position - *s).norm());
    moved.fold(0.0, f64::max)
}

fn places<S: Dimension>(world: &World<S>) -> Vec<S::Vector> {
    world.bodies().iter().map(|b| b.pose.position).collect()
}

#[test]
fn the_wall_stands_while_the_ground_rests() {
    let mut world = plane(&text("wall_at_rest.toml"));
    assert_eq!(world.bodies().len(), 176);
    let start = places(&world);
    run_until(&mut world, 10.0, |_, _| {});
    let drift = drift(&world, &start);
    assert!(drift < 1e-4, "drifted {drift:e} m");
}

#[test]
fn walls_that_nothing_touches_are_left_alone() {
    let scene = "walls_left_alone.toml";
    let mut world = plane(&text(scene));
    let start = places(&world);
    let mut resting = Vec::new();
    run_until(&mut world, 1.3, |world, _| resting.push(world.asleep()));
    // The ball falls 4.9 m to the top of the wall: it takes 1 s.
    let before = &resting[1800..1990];
    assert!(before.iter().all(|&count| count == 90), "{before:?}");
    assert_eq!(world.asleep(), 60, "the wall under the ball is awake");
    let moved = |world: &World<Plane>, bodies: std::ops::Range<usize>| {
        let ways = bodies.map(|i| (world.bodies()[i].pose.position - start[i]).norm());
        ways.fold(0.0, f64::max)
    };
    let drift = moved(&world, 31..91);
    assert!(drift < 1e-4, "the others drifted {drift:e} m before they came to rest");
    // The ball does to the first wall what it does without rest.
    let mut reference = plane(&edited(scene, "[rest]\nsteps = 100\n", ""));
    run_until(&mut reference, 1.3, |_, _| {});
    let (one, other) = (moved(&world, 1..31), moved(&reference, 1..31));
    assert!(one > 0.3 && (one / other - 1.0).abs() < 0.01, "{one} and {other}");
    assert!(world.ledger().sleep_loss < 1e-6 && world.ledger().closure() < 1e-12);
}

fn a_stack_stands<S: Dimension>(mut world: World<S>) {
    let start = places(&world);
    let heaviest = world.bodies().iter().map(|b| b.mass).fold(0.0, f64::max);
    let lightest = world.bodies().iter().map(|b| b.mass).fold(f64::INFINITY, f64::min);
    assert!((heaviest / lightest - 1000.0).abs() < 1e-9);
    let (mut carried, mut rescued) = (0.0, 0);
    for _ in 0..1000 {
        let report = world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(world.ledger().closure() < 1e-10);
        assert!(report.penetration_relative < 1e-4, "{report:?}");
        assert!(report.converged, "{report:?}");
        let direct = |attempt: &Attempt| attempt.method == MethodTaken::Direct;
        rescued += usize::from(report.story.attempts().any(direct));
        carried += world.boundary_force(0).norm() / 1000.0;
    }
    // A load of 1000 on 20 light boxes is at the edge of what sweeps can do.
    assert!(rescued > 0, "sweeps alone were enough: is the scene still hard?");
    let drift = drift(&world, &start);
    assert!(drift < 1e-3, "drifted {drift:e} m");
    // On average the ground carries all.
    let weight: f64 = world.bodies().iter().map(|b| b.mass).sum::<f64>() * 9.81;
    assert!((carried / weight - 1.0).abs() < 0.01, "{carried} of {weight}");
}

#[test]
fn a_stack_stands_in_the_plane() {
    a_stack_stands(plane(&text("stack_2d.toml")));
}

#[test]
fn a_stack_stands_in_space() {
    a_stack_stands(volume(&text("stack_3d.toml")));
}

#[test]
fn an_arch_stands() {
    let mut world = plane(&text("arch.toml"));
    let start = places(&world);
    run_until(&mut world, 5.0, |_, _| {});
    let drift = drift(&world, &start);
    assert!(drift < 1e-3, "drifted {drift:e} m");
}

/// Thinner than Heyman's limit of 0.1075 of the mean radius, no line of thrust fits.
#[test]
fn a_thin_arch_falls() {
    let text = edited("arch.toml", "inner_radius = 4.0", "inner_radius = 4.7");
    let mut world = plane(&text);
    let start = places(&world);
    run_until(&mut world, 2.0, |_, _| {});
    assert!(drift(&world, &start) > 0.5);
}

#[test]
fn a_pointed_arch_and_a_dome_stand() {
    let mut arch = plane(&text("pointed_arch.toml"));
    let start = places(&arch);
    run_until(&mut arch, 0.5, |_, _| {});
    assert!(drift(&arch, &start) < 1e-6);
    let mut dome = volume(&text("dome.toml"));
    assert_eq!(dome.bodies().len(), 128);
    let start = places(&dome);
    run_until(&mut dome, 0.1, |_, _| {});
    assert!(drift(&dome, &start) < 1e-6);
}
