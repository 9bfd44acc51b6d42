//! Flexible membranes: forces without a total, work that is p dV, rings and packings in balance under a pressure, checkpoints.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Body, ContactForm, Course, Dimension, Drive, Membrane, Motion, Setup, SetupError, Signal, World,
};
use drystone_space::{DVec2, Plane, Pose, Random, Vector, Volume};
use std::f64::consts::TAU;

fn membrane(count: usize, pressure: f64, spans: f64) -> Membrane {
    Membrane {
        name: "rubber".to_owned(),
        bodies: 0..count,
        pressure: Signal::Constant(pressure),
        spans,
        plates: Vec::new(),
        renewal: 10,
        start: 0.0,
        stop: f64::INFINITY,
    }
}

/// Grains anywhere in a ball, too few to touch.
fn cloud<S: Dimension>(count: usize, shape: &dyn Fn(f64) -> S::Shape) -> Setup<S> {
    let mut random = Random::new(4, 0);
    let mut setup = setup::<S>(S::Vector::ZERO, 0.3);
    while setup.bodies.len() < count {
        let at = S::Vector::from_fn(|_| random.between(-1.0, 1.0));
        if at.norm() < 1.0 {
            let mut grain = body::<S>(shape(0.002), Pose::at(at + S::Vector::splat(3.0)));
            grain.velocity = S::Vector::from_fn(|_| random.between(-0.1, 0.1));
            setup.bodies.push(grain);
        }
    }
    setup.membranes.push(membrane(count, 0.01, 1.0));
    setup
}

/// The pressure gives nothing to all together, neither momentum nor spin about any point; what it does is −p ΔV while the surface has
/// the same facets, and the virial of its forces is −p V.
fn pushes_nothing_as_a_whole<S: Dimension>(count: usize, shape: &dyn Fn(f64) -> S::Shape) {
    let mut world = World::new(cloud::<S>(count, shape)).unwrap();
    let total = |world: &World<S>| {
        let (mut sum, mut moment) = (S::Vector::ZERO, S::Spin::ZERO);
        for body in world.bodies() {
            sum += body.velocity * body.mass;
            moment += S::moment(body.pose.position, body.velocity * body.mass);
        }
        (sum, moment)
    };
    let before = total(&world);
    let mut checked = 0;
    for step in 0..30 {
        let old: Vec<Body<S>> = world.bodies().to_vec();
        let (kept, inside) = (world.membrane_facets(0).to_vec(), world.membrane_figures(0).measure);
        let work = world.ledger().external_work;
        world.step().unwrap();
        assert!(world.contacts().is_empty() && world.ledger().closure() < 1e-12);
        let mut virial = 0.0;
        for (old, new) in old.iter().zip(world.bodies()) {
            let push = (new.velocity - old.velocity) * (new.mass / 1e-3);
            virial += push.dot(old.pose.position + old.velocity * 5e-4);
        }
        let figures = world.membrane_figures(0);
        if step % 10 > 0 {
            assert_eq!(kept, world.membrane_facets(0));
            // Forces are those of the middle of the step.
            let middle = 0.5 * (inside + figures.measure);
            let expected = -0.01 * S::DIMENSION as f64 * middle;
            assert!((virial / expected - 1.0).abs() < 1e-3, "{virial}, not {expected}");
            let done = world.ledger().external_work - work;
            // Of first order in the step: places of the midpoint are half a step of the old velocities away.
            let change = 0.01 * (inside - figures.measure);
            assert!((done - change).abs() < 2e-2 * change.abs() + 1e-9, "{done}, not {change}");
            checked += 1;
        }
    }
    let after = total(&world);
    assert!((after.0 - before.0).norm() < 1e-12 && (after.1 - before.1).norm() < 1e-11);
    assert!(checked == 27 && world.ledger().external_work != 0.0);
}

#[test]
fn a_closed_membrane_pushes_nothing_as_a_whole() {
    pushes_nothing_as_a_whole::<Plane>(60, &|radius| PlaneShape::Disk { radius });
    pushes_nothing_as_a_whole::<Volume>(80, &|radius| VolumeShape::Sphere { radius });
}

/// A ring of disks that touch bears a pressure as an arch does: with N forces of p R, the radius of the circle of centres being R cos(π/n).
#[test]
fn a_ring_stands_under_a_pressure() {
    let count = 24;
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.5);
    setup.solver.tolerance = 1e-11;
    let (around, radius) = (1.0, (TAU / (2.0 * f64::from(count))).sin());
    for i in 0..count {
        let angle = TAU * f64::from(i) / f64::from(count);
        let at = DVec2::new(angle.cos(), angle.sin()) * around + DVec2::splat(5.0);
        setup.bodies.push(body(PlaneShape::Disk { radius }, Pose::at(at)));
    }
    // Without a grain in the middle, a ball as wide as the ring would fall in.
    setup.membranes.push(membrane(count as usize, 700.0, 4.0));
    let mut world = World::new(setup).unwrap();
    for _ in 0..50 {
        assert!(world.step().unwrap().converged);
        assert_eq!(world.membrane_facets(0).len(), 24);
        assert_eq!(world.contacts().len(), 24);
        for contact in world.contacts() {
            let force = contact.impulse.dot(contact.normal) / 1e-3;
            let expected = 700.0 * (TAU / (2.0 * f64::from(count))).cos();
            assert!((force / expected - 1.0).abs() < 1e-6, "{force}, not {expected}");
        }
    }
    let figures = world.membrane_figures(0);
    let area = 0.5 * f64::from(count) * (TAU / f64::from(count)).sin();
    assert!((figures.measure / area - 1.0).abs() < 1e-9, "{figures:?}");
    assert!((figures.surface - f64::from(count) * 2.0 * radius).abs() < 1e-9);
}

/// A block of disks in a square lattice, dense enough to stand; jittered by nothing.
fn block(columns: i32, rows: i32, pressure: f64, least: f64) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.5);
    let mut random = Random::new(9, 0);
    for i in 0..columns * rows {
        let radius = random.between(least, 1.0) * 0.05;
        let at =
            DVec2::new(f64::from(i % columns), f64::from(i / columns)) * 0.1 + DVec2::splat(0.05);
        setup.bodies.push(body(PlaneShape::Disk { radius }, Pose::at(at)));
    }
    let count = setup.bodies.len();
    setup.membranes.push(membrane(count, pressure, 0.25));
    setup.time_step = 1e-3;
    setup.form = ContactForm::Gap { margin: 0.005, recovery_speed: 0.5, recovery_share: 1.0 };
    setup
}

/// The mean stress inside of a packing that has come to rest is the pressure, in all directions: Σ f ⊗ ℓ = p V 1.
#[test]
fn the_stress_within_is_the_pressure() {
    let mut scene = block(9, 9, 2000.0, 0.8);
    scene.solver.tolerance = 1e-6;
    let mut world = World::new(scene).unwrap();
    (0..1200).for_each(|_| {
        world.step().unwrap();
        assert!(world.ledger().closure() < 1e-11, "{:?}", world.ledger());
    });
    let (mut sums, mut count) = ([[0.0; 2]; 2], 0.0);
    for _ in 0..200 {
        world.step().unwrap();
        let volume = world.membrane_figures(0).measure;
        for contact in world.contacts() {
            let place = |owner| match owner {
                drystone_engine::Owner::Body(i) => world.bodies()[i as usize].pose.position,
                drystone_engine::Owner::Boundary(_) => unreachable!(),
            };
            let branch = place(contact.first) - place(contact.second);
            for (i, row) in sums.iter_mut().enumerate() {
                for (j, sum) in row.iter_mut().enumerate() {
                    *sum += contact.impulse.get(i) * branch.get(j) / (1e-3 * volume);
                }
            }
        }
        count += 1.0;
    }
    for (i, row) in sums.iter().enumerate() {
        for (j, sum) in row.iter().enumerate() {
            let expected = if i == j { 2000.0 } else { 0.0 };
            assert!((sum / count - expected).abs() < 0.01 * 2000.0, "{i}{j}: {}", sum / count);
        }
    }
}

/// Between plates the membrane presses from the side alone: forces on the plates are those of the plates' motion and none of its own. A
/// resumed run, and one of two threads, have the same bits.
#[test]
fn plates_press_where_they_are() {
    let scene = || {
        let mut setup = block(8, 10, 1000.0, 0.98);
        setup.membranes[0].plates = vec![0, 1];
        setup.membranes[0].renewal = 7;
        // Densest rows: nothing but shear makes room.
        for (index, body) in setup.bodies.iter_mut().enumerate() {
            let row = (index / 8) as f64;
            body.pose.position.x += 0.05 * (row % 2.0);
            body.pose.position.y = 0.05 + 0.0867 * row;
        }
        setup.boundaries.push(fixed("below", PlaneShape::HalfPlane, Pose::IDENTITY));
        let turn = drystone_space::PlaneRotation::from_angle(TAU / 2.0);
        let mut above =
            fixed("above", PlaneShape::HalfPlane, Pose::new(DVec2::new(0.0, 0.882), turn));
        let course = Course::Velocity { linear: DVec2::new(0.0, -0.1), spin: 0.0 };
        above.drive = Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY });
        setup.boundaries.push(above);
        setup
    };
    let run = |threads: usize, stop: Option<usize>| {
        let mut world = World::new(scene()).unwrap();
        world.set_threads(threads);
        let mut force = 0.0;
        for step in 0..400 {
            if Some(step) == stop {
                world = World::resume(scene(), world.save()).unwrap();
            }
            world.step().unwrap();
            assert!(world.ledger().closure() < 1e-11, "{:?}", world.ledger());
            for facet in world.membrane_facets(0) {
                let [a, b] = [facet[0], facet[1]].map(|i| world.bodies()[i as usize].pose.position);
                // Nothing presses on the ends.
                assert!((a - b).y.abs() > 1e-3 || (0.12..0.76).contains(&a.y), "{a} {b}");
            }
            if step >= 200 {
                force += world.boundary_force(1).y / 200.0;
            }
        }
        (world.state_hash(), force)
    };
    let (hash, force) = run(1, None);
    assert_eq!((hash, force), run(2, None));
    assert_eq!((hash, force), run(1, Some(205)));
    // More than the pressure over the width, and no more than densest rows can bear.
    assert!(force > 1000.0 * 0.8 && force < 1000.0 * 12.0, "{force}");
}

#[test]
fn membranes_that_cannot_be_are_refused() {
    let refused = |change: &dyn Fn(&mut Setup<Plane>)| {
        let mut setup = block(4, 4, 10.0, 0.9);
        change(&mut setup);
        match World::new(setup) {
            Err(SetupError::Membrane { why, .. }) => why,
            _ => panic!("not refused"),
        }
    };
    assert!(refused(&|s| s.membranes[0].bodies = 0..17).contains("not there"));
    assert!(refused(&|s| s.membranes[0].bodies = 3..5).contains("needs 3"));
    assert!(refused(&|s| s.membranes[0].spans = 0.0).contains("spans 0 m"));
    assert!(refused(&|s| s.membranes[0].renewal = 0).contains("never renewed"));
    assert!(refused(&|s| s.membranes[0].plates = vec![2]).contains("boundary 2"));
}
