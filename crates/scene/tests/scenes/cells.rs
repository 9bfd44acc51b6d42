//! Periodic cells on small samples of the scenes: compression without friction, shear under a pressure.

use crate::support::{changed, mean, plane, run_until};
use drystone_engine::World;
use drystone_space::{Plane, Vector};

fn solid(world: &World<Plane>) -> f64 {
    drystone_analysis::Sample::of_world(world).measure() / world.cell().unwrap().lattice.measure()
}

/// Mean number of contacts of the disks that have at least three with such disks.
fn coordination(world: &World<Plane>) -> f64 {
    let pairs: Vec<[usize; 2]> = (world.contacts().iter())
        .filter(|contact| contact.impulse.norm() > 0.0)
        .map(|contact| [contact.shapes.0 as usize, contact.shapes.1 as usize])
        .collect();
    let mut held = vec![true; world.bodies().len()];
    loop {
        let mut touches = vec![0; held.len()];
        for &[a, b] in pairs.iter().filter(|pair| pair.iter().all(|&i| held[i])) {
            touches[a] += 1;
            touches[b] += 1;
        }
        let loose: Vec<usize> = (0..held.len()).filter(|&i| held[i] && touches[i] < 3).collect();
        if loose.is_empty() {
            let count = held.iter().filter(|held| **held).count();
            return touches.iter().sum::<usize>() as f64 / count as f64;
        }
        loose.into_iter().for_each(|i| held[i] = false);
    }
}

/// 100 disks: random close packing to a hundredth, and isostatic: no more than 2 contacts for each disk that is held, and not
/// fewer but where one of the weakest rattles. Both stresses are the pressure.
#[test]
fn disks_are_pressed_to_random_close_packing() {
    let text = changed(
        "cell_compression.toml",
        &[("count = 400", "count = 100"), ("0.2, 0.2", "0.1, 0.1"), ("end = 2.0", "end = 1.5")],
    );
    let mut world = plane(&text);
    assert!((solid(&world) - 0.70).abs() < 1e-9);
    let (mut late, mut contacts) = (Vec::new(), 0.0f64);
    run_until(&mut world, 1.4, |world, _| {
        let state = world.cell().unwrap();
        for axis in [0, 1] {
            let met = state.stress().get(axis, axis) - state.excess_stress.get(axis, axis);
            assert!((met / 100.0 - 1.0).abs() < 1e-9, "{met}");
            if world.time() > 1.1 {
                late.push(state.contact_stress.get(axis, axis));
            }
        }
        if world.time() > 1.1 {
            contacts = contacts.max(coordination(world));
        }
    });
    let solid = solid(&world);
    assert!((solid - 0.84).abs() < 0.015, "{solid}");
    assert!((contacts - 4.0).abs() < 0.05, "{contacts}");
    let pressure = mean(late);
    assert!((pressure - 100.0).abs() < 0.01, "{pressure}");
}

/// 100 disks at I = 0.1: the stress across is met in every step, friction is that of flowing disks, and they dilate.
#[test]
fn disks_flow_under_a_pressure() {
    let text = changed(
        "cell_shear.toml",
        &[("count = 500", "count = 100"), ("0.24, 0.24", "0.1073, 0.1073")],
    );
    let mut world = plane(&text);
    run_until(&mut world, 0.3, |_, _| {});
    let packed = solid(&world);
    let (mut ratios, mut solids) = (Vec::new(), Vec::new());
    run_until(&mut world, 0.9, |world, _| {
        let state = world.cell().unwrap();
        let (stress, excess) = (state.stress(), state.excess_stress.get(1, 1));
        assert!(((stress.get(1, 1) - excess) / 1000.0 - 1.0).abs() < 1e-9);
        if world.time() > 0.45 {
            ratios.push(stress.get(0, 1));
            solids.push(solid(world));
        }
    });
    let (friction, loose) = (-mean(ratios) / 1000.0, mean(solids));
    assert!((0.25..0.45).contains(&friction), "{friction}");
    assert!(packed > 0.82 && (0.74..0.82).contains(&loose), "{packed} {loose}");
    assert!((world.cell().unwrap().strain.get(0, 1) - 0.6 * 7.07).abs() < 1e-9);
}
