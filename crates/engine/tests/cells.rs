//! Periodic cells: closed forms, invariances, books, and stresses that are met in every step.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Body, Cell, CellDrive, ContactForm, Dimension, LawTable, MoreauLaw, Phase, Setup, SetupError,
    Signal, StepError, Until, World,
};
use drystone_space::{DVec2, DVec3, Lattice, Matrix, Plane, Pose, Random, Vector, Volume};

fn matrix<S: Dimension, const D: usize>(rows: [[f64; D]; D]) -> Matrix<S> {
    Matrix::from_fn(|i, j| rows[i][j])
}

fn cell<S: Dimension>(vectors: Matrix<S>, periodic: [bool; 3]) -> Cell<S> {
    Cell::held(Lattice::new(vectors, periodic).unwrap())
}

fn rate(value: f64) -> CellDrive {
    CellDrive::Rate(Signal::Constant(value))
}

fn stress(value: f64) -> CellDrive {
    CellDrive::Stress(Signal::Constant(value))
}

fn disk(x: f64, y: f64, radius: f64) -> Body<Plane> {
    body(PlaneShape::Disk { radius }, Pose::at(DVec2::new(x, y)))
}

/// Grains on a jittered lattice, with velocities that have no mean.
fn gas(count: usize, fill: f64, friction: f64, polygons: bool) -> Setup<Plane> {
    let mut random = Random::new(7, 0);
    let mut setup = setup::<Plane>(DVec2::ZERO, friction);
    let side = count as f64;
    for i in 0..count * count {
        let radius = random.between(0.7, 1.0) * 0.5 * fill;
        let jitter = |random: &mut Random| random.between(-0.1, 0.1);
        let (x, y) =
            ((i % count) as f64 + jitter(&mut random), (i / count) as f64 + jitter(&mut random));
        let mut grain = match polygons && i % 2 == 0 {
            true => {
                let square = Polygon::rectangle(1.3 * radius, 1.3 * radius).unwrap();
                let turn = drystone_space::PlaneRotation::from_angle(random.between(0.0, 3.0));
                body(PlaneShape::Polygon(square), Pose::new(DVec2::new(x, y), turn))
            }
            false => disk(x, y, radius),
        };
        grain.velocity = DVec2::new(jitter(&mut random), jitter(&mut random)) * 3.0;
        setup.bodies.push(grain);
    }
    let mass: f64 = setup.bodies.iter().map(|b| b.mass).sum();
    let mean = setup.bodies.iter().fold(DVec2::ZERO, |sum, b| sum + b.velocity * b.mass) / mass;
    setup.bodies.iter_mut().for_each(|b| b.velocity -= mean);
    setup.time_step = 5e-3;
    setup.form = ContactForm::Gap { margin: 0.02, recovery_speed: 1.0, recovery_share: 1.0 };
    setup.cell = Some(cell(matrix([[side, 0.0], [0.0, side]]), [true; 3]));
    setup
}

fn momentum(world: &World<Plane>) -> DVec2 {
    world.bodies().iter().fold(DVec2::ZERO, |sum, body| sum + body.velocity * body.mass)
}

/// Two disks that leave each other meet behind the face: nothing rebounds, and both stop.
#[test]
fn disks_meet_through_a_face() {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
    setup.cell = Some(cell(matrix([[3.0, 0.0], [0.0, 3.0]]), [true; 3]));
    let (mut left, mut right) = (disk(1.0, 1.0, 0.25), disk(2.0, 1.0, 0.25));
    (left.velocity, right.velocity) = (DVec2::new(-2.0, 0.0), DVec2::new(1.0, 0.0));
    setup.bodies = vec![left, right];
    let mut world = World::new(setup).unwrap();
    for _ in 0..1000 {
        world.step().unwrap();
        assert!(world.ledger().closure() < 1e-13, "{:?}", world.ledger());
    }
    let [left, right] = [0, 1].map(|i| &world.bodies()[i]);
    assert!((left.velocity - DVec2::new(-0.5, 0.0)).length() < 1e-12, "{}", left.velocity);
    assert!((right.velocity - left.velocity).length() < 1e-12);
    // 1.5 apart at 3: they meet at 0.5 s, at the face. Both went on together from there.
    let lattice = world.cell().unwrap().lattice;
    let apart = lattice.nearest(left.pose.position - right.pose.position);
    assert!((apart - DVec2::new(0.5, 0.0)).length() < 3.1e-3, "{apart}");
    let impact = 0.5 * left.mass * (4.0 + 1.0 - 2.0 * 0.25);
    assert!((world.ledger().impact_loss - impact).abs() < 1e-9 * impact);
}

/// In steady shear a lone body goes straight on: v = u + L x stays, and so it does where it goes through faces. Under a true strain rate
/// the cell grows by the exponential, to second order.
#[test]
fn a_lone_body_goes_straight_on_in_shear() {
    let error = |step: f64| {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
        setup.time_step = step;
        let mut cell = cell(matrix([[2.0, 0.0], [0.0, 2.0]]), [true; 3]);
        cell.drives[0][1] = rate(0.7);
        setup.cell = Some(cell);
        let mut lone = disk(0.3, 0.4, 0.1);
        lone.velocity = DVec2::new(0.2, 0.9);
        setup.bodies.push(lone);
        let whole = DVec2::new(0.2 + 0.7 * 0.4, 0.9);
        let mut world = World::new(setup).unwrap();
        let steps = (2.0 / step).round() as usize;
        (0..steps).for_each(|_| assert!(world.step().unwrap().converged));
        assert!(world.ledger().closure() < 1e-13);
        let state = world.cell().unwrap();
        assert!((state.strain.get(0, 1) - 1.4).abs() < 1e-12);
        assert!((state.lattice.measure() - 4.0).abs() < 1e-12);
        // Its place by its whole way, brought back into the cell.
        let there = DVec2::new(0.3, 0.4) + whole * 2.0;
        state.lattice.nearest(world.bodies()[0].pose.position - there).length()
    };
    let (coarse, fine) = (error(0.02), error(0.01));
    assert!(coarse < 0.02 && (1.8..2.2).contains(&(coarse / fine)), "{coarse} {fine}");

    let length = |step: f64| {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
        setup.time_step = step;
        let mut cell = cell(matrix([[2.0, 0.0], [0.0, 2.0]]), [true; 3]);
        cell.drives[1][1] = rate(-0.5);
        setup.cell = Some(cell);
        setup.bodies.push(disk(1.0, 1.0, 0.1));
        let mut world = World::new(setup).unwrap();
        (0..(1.0 / step).round() as usize).for_each(|_| assert!(world.step().unwrap().converged));
        (world.cell().unwrap().lattice.vectors().get(1, 1) - 2.0 * (-0.5f64).exp()).abs()
    };
    let factor = length(0.1) / length(0.05);
    assert!((factor - 4.0).abs() < 0.1, "{factor}");
}

/// A row of disks closed upon itself under a stress: each contact bears σ times the width of the cell across the row, from the
/// first step on to rounding, and the length stays.
#[test]
fn a_closed_row_bears_the_stress() {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.3);
    let mut cell = cell(matrix([[5.0, 0.0], [0.0, 3.0]]), [true; 3]);
    cell.drives[0][0] = stress(40.0);
    setup.cell = Some(cell);
    setup.solver.tolerance = 1e-10;
    setup.bodies = (0..5).map(|i| disk(i as f64 + 0.2, 0.5, 0.5)).collect();
    let mut world = World::new(setup).unwrap();
    for _ in 0..50 {
        assert!(world.step().unwrap().converged);
        assert_eq!(world.contacts().len(), 5);
        for contact in world.contacts() {
            let force = contact.impulse.dot(contact.normal) / 1e-3;
            assert!((force - 40.0 * 3.0).abs() < 1e-6, "{force}");
        }
        let state = world.cell().unwrap();
        assert!((state.contact_stress.get(0, 0) - 40.0).abs() < 1e-7);
        assert!((state.lattice.vectors().get(0, 0) - 5.0).abs() < 1e-9);
    }
}

/// What the contacts, the velocities and the cell's own inertia give is what was asked, in every step; momentum is kept, and the books close.
#[test]
fn stress_is_met_in_every_step() {
    for polygons in [false, true] {
        let mut setup = gas(8, 0.95, 0.3, polygons);
        let cell = setup.cell.as_mut().unwrap();
        cell.drives[0][0] = stress(2000.0);
        cell.drives[1][1] = CellDrive::Stress(Signal::Sinusoid {
            mean: 2000.0,
            amplitude: 400.0,
            frequency: 1.0,
            phase: 0.0,
        });
        cell.drives[0][1] = rate(0.3);
        let mut world = World::new(setup).unwrap();
        let scale: f64 = world.bodies().iter().map(|b| b.mass).sum();
        let (mut unsolved, mut pressed) = (0, 0);
        for step in 0..400 {
            unsolved += usize::from(!world.step().unwrap().converged);
            let state = world.cell().unwrap();
            let time = (step as f64 + 0.5) * 5e-3;
            let wave = 2000.0 + 400.0 * (std::f64::consts::TAU * time).sin();
            for (axis, asked) in [(0, 2000.0), (1, wave)] {
                let met = state.stress().get(axis, axis) - state.excess_stress.get(axis, axis);
                assert!((met / asked - 1.0).abs() < 1e-9, "step {step}: {met} for {asked}");
            }
            assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
            assert!(momentum(&world).length() < 1e-11 * scale);
            pressed += usize::from(state.contact_stress.get(0, 0) > 1000.0);
        }
        assert_eq!(unsolved, 0);
        assert!(pressed > 150, "{pressed} steps in which contacts bear the stress");
        assert!((world.cell().unwrap().strain.get(0, 1) - 0.6).abs() < 1e-12);
    }
}

/// Where the origin is does not matter, nor in which image bodies are given.
#[test]
fn nothing_depends_on_the_origin() {
    let run = |shift: DVec2| {
        let mut setup = gas(6, 0.95, 0.5, false);
        setup.solver.tolerance = 1e-11;
        setup.cell.as_mut().unwrap().drives[0][1] = rate(1.0);
        setup.cell.as_mut().unwrap().drives[1][1] = rate(-0.5);
        setup.bodies.iter_mut().for_each(|body| body.pose.position += shift);
        let mut world = World::new(setup).unwrap();
        (0..120).for_each(|_| assert!(world.step().unwrap().converged));
        assert!(world.contacts().len() > 20, "{}", world.contacts().len());
        world
    };
    let (one, other) = (run(DVec2::ZERO), run(DVec2::new(13.7, -25.1)));
    for (a, b) in one.bodies().iter().zip(other.bodies()) {
        assert!((a.velocity - b.velocity).length() < 1e-6, "{} {}", a.velocity, b.velocity);
    }
    let [one, other] = [one, other].map(|world| world.cell().unwrap().contact_stress.get(1, 1));
    assert!((one / other - 1.0).abs() < 1e-6, "{one} {other}");
}

fn sheared(gap_form: bool) -> Setup<Plane> {
    let mut setup = gas(18, 0.98, 0.4, false);
    if !gap_form {
        setup.form = ContactForm::Velocity;
    }
    let phase = |name: &str, time: f64| Phase {
        name: name.to_owned(),
        until: Until { time, calm: None },
        remove: Vec::new(),
        start: Vec::new(),
        friction: None,
        tolerance: 1e-4,
    };
    setup.phases = vec![phase("press", 0.3), phase("shear", 1.0)];
    let cell = setup.cell.as_mut().unwrap();
    cell.drives[0][0] = stress(200.0);
    cell.drives[1][1] = stress(200.0);
    for (component, drive) in [((0, 0), rate(0.0)), ((0, 1), rate(0.5))] {
        cell.switches.push(drystone_engine::CellSwitch { phase: 1, component, drive });
    }
    setup
}

/// Phases switch from stress to rate; threads and resuming change no bit, and the books close over the switch.
#[test]
fn threads_and_resuming_change_no_bit() {
    for gap_form in [true, false] {
        let run = |threads: usize, stop: Option<usize>| {
            let mut world = World::new(sheared(gap_form)).unwrap();
            world.set_threads(threads);
            for step in 0..160 {
                if Some(step) == stop {
                    let saved = world.save();
                    world = World::resume(sheared(gap_form), saved).unwrap();
                }
                world.step().unwrap();
                assert!(world.ledger().closure() < 1e-12);
            }
            (world.state_hash(), world.cell().copied().unwrap())
        };
        let first = run(1, None);
        assert!(first.1.strain.get(0, 1) > 0.2 && first.1.contact_stress.get(1, 1) > 20.0);
        assert_eq!(first, run(2, None));
        assert_eq!(first, run(1, Some(30)));
        assert_eq!(first, run(2, Some(100)));
    }
}

/// In space as in the plane, with clusters of two spheres: the stress is met, the books close.
#[test]
fn clusters_in_space_are_pressed() {
    let mut setup = setup::<Volume>(DVec3::ZERO, 0.2);
    let mut random = Random::new(2, 0);
    for i in 0..64 {
        let sphere = VolumeShape::Sphere { radius: 0.27 };
        let part = |x: f64| {
            drystone_engine::Part::new(sphere.clone(), drystone_engine::MaterialId(0))
                .at(Pose::at(DVec3::new(x, 0.0, 0.0)))
        };
        let parts = vec![part(-0.12), part(0.12)];
        let both = parts.iter().map(|part| (part, 2000.0));
        let properties = drystone_engine::MassProperties::of_parts(both).unwrap();
        let at = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16));
        let mut grain = Body::new(properties, parts, Pose::at(at));
        grain.velocity = DVec3::from_fn(|_| random.between(-0.2, 0.2));
        setup.bodies.push(grain);
    }
    let side = matrix([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]);
    let mut cell = cell(side, [true; 3]);
    (0..3).for_each(|i| cell.drives[i][i] = stress(500.0));
    setup.cell = Some(cell);
    setup.form = ContactForm::Gap { margin: 0.01, recovery_speed: 1.0, recovery_share: 1.0 };
    let mut world = World::new(setup).unwrap();
    for _ in 0..400 {
        assert!(world.step().unwrap().converged);
        let state = world.cell().unwrap();
        for i in 0..3 {
            let met = state.stress().get(i, i) - state.excess_stress.get(i, i);
            assert!((met / 500.0 - 1.0).abs() < 1e-9);
        }
        assert!(world.ledger().closure() < 1e-12);
    }
    let state = world.cell().unwrap();
    assert!(state.lattice.measure() < 40.0 && state.contact_stress.get(0, 0) > 100.0, "{state:?}");
}

/// A slope without ends: periodic along x, above a plane, under gravity that leans. A disk without friction falls along it freely through
/// all images, and the books know what lifts it.
#[test]
fn a_disk_slides_down_a_slope_without_end() {
    let mut setup = setup::<Plane>(DVec2::new(3.0, -9.0), 0.0);
    setup.cell = Some(cell(matrix([[2.0, 0.0], [0.0, 4.0]]), [true, false, false]));
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    setup.bodies = vec![disk(0.3, 0.25, 0.25), disk(1.3, 0.25, 0.25)];
    let mut world = World::new(setup).unwrap();
    for _ in 0..2000 {
        world.step().unwrap();
        assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
    }
    for body in world.bodies() {
        assert!((body.velocity.x - 6.0).abs() < 1e-9 && body.velocity.y.abs() < 1e-9);
        assert!((0.0..2.0).contains(&body.pose.position.x));
    }
    let weight: f64 = world.bodies().iter().map(|body| 9.0 * body.mass).sum();
    let state = world.cell().unwrap();
    // σ_yy = Σ f ℓ/V with the arm of one radius.
    let expected = weight * 0.25 / 8.0;
    assert!((state.contact_stress.get(1, 1) / expected - 1.0).abs() < 1e-9);
}

/// What cannot be is refused, and what has become impossible is told.
#[test]
fn bad_cells_are_refused() {
    let refused = |change: &dyn Fn(&mut Setup<Plane>)| {
        let mut setup = gas(6, 0.9, 0.3, false);
        change(&mut setup);
        match World::new(setup) {
            Err(SetupError::Cell { why }) => why,
            other => panic!("{other:?}"),
        }
    };
    let narrow = refused(&|s| s.cell = Some(cell(matrix([[1.5, 0.0], [0.0, 6.0]]), [true; 3])));
    assert!(narrow.contains("wider than two bodies"), "{narrow}");
    let rest = refused(&|s| {
        s.sleep = Some(Default::default());
        s.cell.as_mut().unwrap().drives[0][1] = rate(1.0);
    });
    assert!(rest.contains("at rest"), "{rest}");
    let gravity = refused(&|s| s.gravity = DVec2::Y);
    assert!(gravity.contains("gravity"), "{gravity}");
    let across = refused(&|s| {
        s.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    });
    assert!(across.contains("cuts a periodic direction"), "{across}");
    let ends = refused(&|s| {
        let mut cell = cell(matrix([[6.0, 0.0], [0.0, 6.0]]), [true, false, false]);
        cell.drives[1][1] = rate(1.0);
        s.cell = Some(cell);
    });
    assert!(ends.contains("not periodic"), "{ends}");
    let law = refused(&|s| {
        let resistance = drystone_engine::Resistance { rolling: 0.01, ..Default::default() };
        let law = MoreauLaw { friction: 0.3.into(), resistance, ..Default::default() };
        s.laws = LawTable::uniform(1, law);
        s.cell.as_mut().unwrap().drives[0][0] = stress(1.0);
    });
    assert!(law.contains("Coulomb"), "{law}");

    let mut setup = gas(3, 0.5, 0.0, false);
    setup.cell.as_mut().unwrap().drives[0][0] = rate(-2.0);
    let mut world = World::new(setup).unwrap();
    let error = (0..1000).find_map(|_| world.step().err()).unwrap();
    assert!(matches!(error, StepError::NarrowCell { .. }), "{error}");
}
