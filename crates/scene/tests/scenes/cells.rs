//! Periodic cells on small samples of the scenes: compression without friction, shear under a pressure.

use crate::support::{changed, mean, plane, run_until};
use drystone_engine::World;
use drystone_space::{Plane, Vector};

fn solid(world: &World<Plane>) -> f64 {
    drystone_analysis::Sample::of_world(world).measure() / world.cell().unwrap().lattice.measure()
}

/// What is measured of grains and contacts of the whole cell is what the solve has met: stress, solid fraction, strain; with the cell
/// twice beside itself too.
fn analysed(world: &World<Plane>) {
    use drystone_analysis::{Sample, SampleSide, Specimen, pair_correlation};
    let sample = Sample::of_world(world);
    let (found, state) = (Specimen::of(&sample, None).unwrap(), world.cell().unwrap());
    let pressure = 0.5 * (state.contact_stress.get(0, 0) + state.contact_stress.get(1, 1));
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        // Half a step of strain lies between the two.
        let off = found.stress.entries[i][j] - state.contact_stress.get(j, i);
        assert!(off.abs() < 2e-3 * pressure, "{i}{j}: {:?} {state:?}", found.stress);
    }
    assert!((found.solid_fraction - solid(world)).abs() < 1e-12);
    assert!((found.edges.get(0).ln() - state.strain.get(0, 0)).abs() < 1e-12);
    let kinetic =
        found.kinetic.trace() - state.kinetic_stress.get(0, 0) - state.kinetic_stress.get(1, 1);
    assert!(kinetic.abs() < 0.05 * pressure);
    // Twice the cell, with images that are grains of their own.
    let mut twice = sample.clone();
    let along = state.lattice.vectors().column(0);
    let count = sample.grains.len() as u32;
    twice.grains.extend(
        sample
            .grains
            .iter()
            .map(|&g| drystone_analysis::Grain { position: g.position + along, ..g }),
    );
    let wide =
        drystone_space::Matrix::from_fn(|i, j| state.lattice.vectors().get(i, j) * (2 - j) as f64);
    let cell = twice.cell.as_mut().unwrap();
    cell.lattice = drystone_space::Lattice::new(wide, [true; 3]).unwrap();
    let lattice = cell.lattice;
    let mut all = Vec::new();
    for contact in &sample.contacts {
        let (Some(first), Some(second)) = (contact.first.grain(), contact.second.grain()) else {
            continue;
        };
        for copy in [0, 1] {
            let mut contact = *contact;
            contact.first = SampleSide::Grain(first as u32 + copy * count);
            contact.point += along * f64::from(copy);
            let image = sample.grains[second].position + contact.shift + along * f64::from(copy);
            let own = [0, 1].map(|c| second as u32 + c * count);
            let near = |&index: &u32| {
                lattice.nearest(twice.grains[index as usize].position - image).norm() < 1e-9
            };
            let index = own.into_iter().find(near).unwrap();
            contact.second = SampleSide::Grain(index);
            contact.shift = image - twice.grains[index as usize].position;
            all.push(contact);
        }
    }
    twice.contacts = all;
    let other = Specimen::of(&twice, None).unwrap();
    assert!((other.pressure() / found.pressure() - 1.0).abs() < 1e-9);
    assert_eq!(other.coordination.mean, found.coordination.mean);
    let width = 0.1 * sample.mean_diameter();
    let [one, two] =
        [&sample, &twice].map(|sample| pair_correlation(sample, None, width, 30).unwrap());
    assert_eq!(one.grains * 2, two.grains);
    for (a, b) in one.values.iter().zip(&two.values) {
        assert!((a - b).abs() < 1e-9, "{one:?} {two:?}");
    }
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
    analysed(&world);
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
    analysed(&world);
    let (friction, loose) = (-mean(ratios) / 1000.0, mean(solids));
    assert!((0.25..0.45).contains(&friction), "{friction}");
    assert!(packed > 0.82 && (0.74..0.82).contains(&loose), "{packed} {loose}");
    assert!((world.cell().unwrap().strain.get(0, 1) - 0.6 * 7.07).abs() < 1e-9);
}
