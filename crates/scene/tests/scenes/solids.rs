//! Deformable solids.

use crate::support::{body, boundary, edited, plane, run_until, text, volume};
use drystone_space::DVec2;

/// The plate slips all the way, and leaves the floor; only friction takes energy.
#[test]
fn the_plate_rebounds_and_loses_by_friction_alone() {
    let mut world = plane(&text("plate.toml"));
    let (mut longest, mut slipped) = (0.0f64, 0.0f64);
    run_until(&mut world, 3e-3, |world, _| {
        for contact in world.solid_contacts().iter().filter(|c| c.impulse.y > 0.0) {
            longest = longest.max(world.time());
            slipped = slipped.max(contact.velocity.x);
            assert!(contact.impulse.x.abs() <= 0.1 * contact.impulse.y * (1.0 + 1e-6));
        }
    });
    assert!(longest > 5e-4 && longest < 2.5e-3, "last contact at {longest}");
    assert!(slipped > 1.0);
    let plate = &world.solids()[0];
    let mean =
        plate.velocities().iter().map(|v| v.y).sum::<f64>() / plate.velocities().len() as f64;
    assert!(mean > 2.5, "rebounds at {mean} m/s");
    let ledger = world.ledger();
    assert!(ledger.friction_loss > 0.01 * ledger.initial);
    assert!(ledger.impact_loss.abs() < 1e-7 * ledger.initial);
}

/// The first shock only, from close above the floor, on a coarser mesh: the left cylinder falls 3 m in
/// the scene, here 0.05 m.
///
/// Also how far the shear stress of the left cylinder is from being symmetric but for its sign, at the
/// moment when it is largest, as a part of the largest.
fn first_shock(name: &str) -> (drystone_engine::World<drystone_space::Plane>, f64) {
    let scene = edited(name, "position = [2.0, 4.0]", "position = [2.0, 1.05]");
    let mut world = plane(&scene.replace("rings = 6", "rings = 4"));
    let rest: Vec<DVec2> = world.solids()[0].positions().to_vec();
    let mirrored = |place: DVec2| DVec2::new(4.0 - place.x, place.y);
    let twin = |place: &DVec2| {
        let twin = rest.iter().position(|other| other.distance(mirrored(*place)) < 1e-12);
        twin.expect("the mesh is symmetric")
    };
    let twins: Vec<usize> = rest.iter().map(twin).collect();
    let mut largest = (0.0, 0.0);
    run_until(&mut world, 0.3, |world, _| {
        let shear: Vec<f64> = world.solids()[0].stresses().iter().map(|s| s.shear()).collect();
        let top = shear.iter().fold(0.0f64, |top, s| top.max(s.abs()));
        if top > largest.0 {
            let odd = shear.iter().zip(&twins).map(|(s, &twin)| (s + shear[twin]).abs());
            largest = (top, odd.fold(0.0, f64::max) / top);
        }
    });
    (world, largest.1)
}

#[test]
fn a_shock_without_friction_keeps_all_energy() {
    let (world, asymmetry) = first_shock("cylinders_frictionless.toml");
    assert!(asymmetry < 1e-5, "shear stress is not symmetric by {asymmetry}");
    let ledger = world.ledger();
    let now = ledger.kinetic + ledger.elastic;
    assert!((now / ledger.initial - 1.0).abs() < 1e-6, "{}", now / ledger.initial);
    let (left, count) = (&world.solids()[0], world.solids()[0].velocities().len() as f64);
    let mean = left.velocities().iter().sum::<DVec2>() / count;
    assert!(mean.y > 1.5 && (mean.x - 1.0).abs() < 0.05, "{mean}");
}

#[test]
fn a_shock_with_friction_takes_energy_and_turns_the_cylinder() {
    let (world, asymmetry) = first_shock("cylinders_friction.toml");
    assert!(asymmetry > 0.3, "shear stress is symmetric to {asymmetry}");
    let ledger = world.ledger();
    let now = ledger.kinetic + ledger.elastic;
    let lost = ledger.initial - now;
    assert!(lost > 0.01 * ledger.initial);
    assert!((ledger.friction_loss / lost - 1.0).abs() < 1e-4, "{ledger:?}");
    let left = &world.solids()[0];
    let count = left.velocities().len() as f64;
    let mean = left.velocities().iter().sum::<DVec2>() / count;
    assert!(mean.x < 0.95 && mean.y > 1.5, "{mean}");
}

/// A rigid ball on a soft block, both in space: while all comes to rest, the floor carries all in the mean.
#[test]
fn a_floor_carries_soft_and_rigid_bodies() {
    let mut world = volume(&text("soft_block.toml"));
    let floor = boundary(&world, "floor");
    let (mut carried, mut steps) = (0.0, 0.0);
    run_until(&mut world, 1.2, |world, _| {
        if world.time() > 0.8 {
            carried -= world.boundary_force(floor).z;
            steps += 1.0;
        }
    });
    let solids = world.solids().iter().map(|solid| solid.model().mass()).sum::<f64>();
    let weight = 9.81 * (solids + body(&world, "ball").mass);
    // What still sways over 0.4 s is worth a hundredth or two of the weight.
    assert!((carried / steps / weight - 1.0).abs() < 0.03, "{} of {weight}", carried / steps);
    let ball = body(&world, "ball").pose.position.z - 0.12;
    assert!(ball > 0.2 && ball < 0.3, "the ball has sunk to {ball}");
    let ledger = world.ledger();
    assert!(ledger.kinetic < 0.02 * ledger.damping_loss && ledger.elastic > 0.0, "{ledger:?}");
}
