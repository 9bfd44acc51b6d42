//! Mechanisms.

use crate::support::{bare, body, plane, run_until, text, volume};
use drystone_engine::{Dimension, World};
use std::f64::consts::TAU;

fn drift<S: Dimension>(world: &World<S>) -> f64 {
    world.joint_reactions().iter().fold(0.0, |worst, r| worst.max(r.drift).max(r.angle_drift))
}

/// The piston is where the crank has it, the crank pin where the flywheel is; what the flywheel gives is what the parts have,
/// and the force that the shaft bears is what moves them all.
#[test]
fn a_slider_crank_is_driven() {
    let mut world = plane(&text("slider_crank.toml"));
    let (r, l) = (0.3, 1.0);
    run_until(&mut world, 2.0, |world, _| {
        let (sin, cos) = (TAU * world.time()).sin_cos();
        let piston = body(world, "piston").pose.position;
        let wanted = r * cos + (l * l - r * r * sin * sin).sqrt();
        assert!((piston.x - wanted).abs() < 1e-11 && piston.y.abs() < 1e-12, "{piston}");
        assert!(drift(world) < 1e-12);
    });
    let ledger = world.ledger();
    let scale = ledger.scale;
    assert!(ledger.joint_work.abs() < 1e-3 * scale, "{ledger:?}");
    // After whole turns the energy is that of the start, and the flywheel has given nothing.
    assert!(ledger.boundary_work.abs() < 2e-3 * scale, "{ledger:?}");
    let after = ledger.kinetic + ledger.potential;
    assert!((after - ledger.initial).abs() < 2e-3 * scale);
}

/// A ball on a rod of a given length is brought to it, and stays there; sides that may touch do.
#[test]
fn what_is_a_little_off_is_assembled() {
    let things = r#"
[[body]]
name = "ball"
material = "a"
shape = { sphere = 0.1 }
mass = 1
position = [1, 0, 0]

[[joint]]
name = "rod"
kind = "rod"
body = "ball"
points = [[1, 0, 0], [0, 0, 0]]
length = 1.01
"#;
    let mut world = volume(&bare(3, 9.81, "friction = 0", things));
    assert!((body(&world, "ball").pose.position.length() - 1.01).abs() < 1e-13);
    run_until(&mut world, 0.5, |world, _| {
        assert!((body(world, "ball").pose.position.length() - 1.01).abs() < 1e-12);
    });
}
