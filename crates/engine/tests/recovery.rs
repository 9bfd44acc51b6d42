//! Overlaps of the gap form are made good, at a bounded rate, and leave no velocity and no energy behind.

use crate::support;
use crate::support::{body, fixed};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    ContactForm, Dimension, Drive, LawTable, MoreauLaw, Setup, Signal, SleepSettings, Slider,
    SolverSettings, World,
};
use drystone_space::{DQuat, DVec2, DVec3, Plane, Pose, Rotation, Vector, Volume};

const SPEED: f64 = 0.1;

/// The gap form, with a solver that leaves less than what is asked for below.
fn setup<S: Dimension>(gravity: S::Vector, friction: f64) -> Setup<S> {
    Setup {
        form: ContactForm::Gap { margin: 1e-3, recovery_speed: SPEED, recovery_share: 1.0 },
        solver: SolverSettings { tolerance: 1e-12, ..Default::default() },
        ..support::setup(gravity, friction)
    }
}

fn square(size: f64) -> PlaneShape {
    PlaneShape::Polygon(Polygon::rectangle(size, size).unwrap())
}

fn cube(size: f64) -> VolumeShape {
    VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::splat(size)).unwrap())
}

/// Deepest overlap of a step, and whether the books are closed.
fn step<S: Dimension>(world: &mut World<S>) -> f64 {
    let report = world.step().unwrap_or_else(|e| panic!("{e}"));
    assert!(report.converged, "{report:?}");
    let closure = world.ledger().closure();
    assert!(closure < 1e-12, "books open by {closure:e} at {}", world.time());
    report.penetration
}

/// Without gravity: overlaps shrink by no more than the speed allows, and then nothing moves any more.
fn heals_and_rests<S: Dimension>(mut world: World<S>, overlap: f64) {
    let h = world.setup().time_step;
    let mut last = step(&mut world);
    assert!((last - overlap).abs() < 1e-9, "{last}");
    let steps = (overlap / (SPEED * h)).ceil() as usize;
    for _ in 0..3 * steps {
        let now = step(&mut world);
        assert!(now <= last + 1e-12 && now >= last - SPEED * h - 1e-12, "{last} to {now}");
        last = now;
    }
    assert!(last < 1e-9, "{last} are left");
    let places: Vec<_> = world.bodies().iter().map(|b| b.pose).collect();
    for _ in 0..1000 {
        step(&mut world);
    }
    for (body, place) in world.bodies().iter().zip(&places) {
        let way = (body.pose.position - place.position).norm();
        let speed = body.velocity.norm() + body.spin.norm();
        assert!(way < 1e-12 && speed < 1e-12, "{way:e} m at {speed:e}");
    }
    let ledger = world.ledger();
    assert!(ledger.kinetic < 1e-20 && ledger.recovery_work.abs() < 1e-12, "{ledger:?}");
}

#[test]
fn bodies_without_gravity_do_not_drift_apart() {
    let pair = |shape: PlaneShape, apart: f64| {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.3);
        for x in [0.0, apart] {
            setup.bodies.push(body(shape.clone(), Pose::at(DVec2::new(x, 0.0))));
        }
        World::new(setup).unwrap()
    };
    heals_and_rests(pair(PlaneShape::Disk { radius: 0.1 }, 0.199), 1e-3);
    heals_and_rests(pair(square(0.2), 0.1995), 5e-4);
    let pair = |shape: VolumeShape, apart: f64| {
        let mut setup = setup::<Volume>(DVec3::ZERO, 0.3);
        for x in [0.0, apart] {
            setup.bodies.push(body(shape.clone(), Pose::at(DVec3::new(x, 0.0, 0.0))));
        }
        World::new(setup).unwrap()
    };
    heals_and_rests(pair(VolumeShape::Sphere { radius: 0.1 }, 0.199), 1e-3);
    heals_and_rests(pair(cube(0.2), 0.1995), 5e-4);
}

/// Two cubes that fly and tumble as one keep momentum and energy while they come out of each other.
#[test]
fn what_flies_flies_on() {
    let mut setup = setup::<Volume>(DVec3::ZERO, 0.0);
    let spin = DVec3::new(0.0, 0.0, 2.0);
    for x in [-0.0995, 0.0995] {
        let at = DVec3::new(x, 0.0, 0.0);
        let mut cube = body(cube(0.2), Pose::new(at, DQuat::exponential(DVec3::ZERO)));
        cube.velocity = DVec3::new(1.0, 2.0, -0.5) + spin.cross(at);
        cube.spin = spin;
        setup.bodies.push(cube);
    }
    let mass = setup.bodies[0].mass;
    let mut world = World::new(setup).unwrap();
    let momentum = |world: &World<Volume>| {
        world.bodies().iter().fold(DVec3::ZERO, |sum, b| sum + b.velocity * mass)
    };
    let (before, kinetic) = (momentum(&world), world.ledger().kinetic);
    for _ in 0..100 {
        step(&mut world);
    }
    assert!((momentum(&world) - before).length() < 1e-10);
    // Contacts that press on a turning path lose what the time step leaves over, and recovery gives nothing.
    let lost = world.ledger().loss() / kinetic;
    assert!((-1e-14..1e-3).contains(&lost), "{lost:e}");
    assert!(world.ledger().recovery_work.abs() < 1e-3 * kinetic);
    let middle = 0.5 * (world.bodies()[0].pose.position + world.bodies()[1].pose.position);
    assert!((middle - DVec3::new(0.1, 0.2, -0.05)).length() < 1e-12, "{middle}");
}

/// Boxes that are 1 mm in each other and in the floor rise to where they belong, and not above it. What they are lifted by
/// is booked, to the last.
fn rises_to_its_place<S: Dimension>(setup: Setup<S>, up: S::Vector, heights: &[f64]) {
    let masses: Vec<f64> = setup.bodies.iter().map(|b| b.mass).collect();
    let weight = setup.gravity.norm();
    let start: Vec<f64> = setup.bodies.iter().map(|b| up.dot(b.pose.position)).collect();
    let mut world = World::new(setup).unwrap();
    for _ in 0..300 {
        step(&mut world);
        let kinetic = world.ledger().kinetic;
        assert!(kinetic < 1e-12, "{kinetic:e} at {}", world.time());
        for (body, &height) in world.bodies().iter().zip(heights) {
            let above = up.dot(body.pose.position) - height;
            assert!(above < 1e-9, "{above:e} too high at {}", world.time());
        }
    }
    let mut lift = 0.0;
    for (((body, &height), &from), mass) in
        world.bodies().iter().zip(heights).zip(&start).zip(masses)
    {
        let off = (up.dot(body.pose.position) - height).abs();
        assert!(off < 1e-8, "{off:e}");
        lift += mass * weight * (height - from);
    }
    let ledger = world.ledger();
    assert!((ledger.recovery_work / lift - 1.0).abs() < 1e-6, "{} {lift}", ledger.recovery_work);
    assert!(ledger.loss().abs() < 1e-6 * lift, "{ledger:?}");
}

#[test]
fn a_stack_rises_to_its_place() {
    let mut plane = setup::<Plane>(DVec2::new(0.0, -9.81), 0.5);
    let mut volume = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.5);
    let mut heights = Vec::new();
    for i in 0..5 {
        let height = 0.1 + 0.2 * f64::from(i);
        let sunk = height - 1e-3 * f64::from(i + 1);
        plane.bodies.push(body(square(0.2), Pose::at(DVec2::new(0.0, sunk))));
        volume.bodies.push(body(cube(0.2), Pose::at(DVec3::new(0.0, 0.0, sunk))));
        heights.push(height);
    }
    plane.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    volume.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
    rises_to_its_place(plane, DVec2::Y, &heights);
    rises_to_its_place(volume, DVec3::Z, &heights);
}

/// A loaded lid that is in what it presses on is lifted too.
#[test]
fn a_lid_is_lifted_out_of_its_box() {
    let mut setup = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.5);
    setup.bodies.push(body(cube(0.2), Pose::at(DVec3::new(0.0, 0.0, 0.1))));
    setup.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
    let flipped = DQuat::exponential(DVec3::X * std::f64::consts::PI);
    let pose = Pose::new(DVec3::new(0.0, 0.0, 0.199), flipped);
    let mut lid = fixed("lid", VolumeShape::HalfSpace, pose);
    lid.drive =
        Drive::Slider(Slider::along(DVec3::new(0.0, 0.0, -1.0), 5.0, Signal::Constant(50.0)));
    setup.boundaries.push(lid);
    let mut world = World::new(setup).unwrap();
    for _ in 0..200 {
        step(&mut world);
    }
    let height = world.boundary_pose(1).unwrap().position.z;
    assert!((height - 0.2).abs() < 1e-9, "{height}");
    assert!(world.ledger().kinetic < 1e-16, "{:?}", world.ledger());
}

/// Pairs in each other on a floor: many enough for several threads.
fn many(sleep: Option<SleepSettings>) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.5);
    setup.solver.tolerance = 1e-6;
    setup.sleep = sleep;
    for i in 0..700 {
        let (x, deep) = (0.3 * f64::from(i), 1e-5 * f64::from(i % 90));
        for y in [0.1 - deep, 0.3 - 2.0 * deep] {
            setup.bodies.push(body(square(0.2), Pose::at(DVec2::new(x, y))));
        }
    }
    setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    setup
}

#[test]
fn threads_and_resumed_runs_change_no_bit_of_it() {
    let run = |threads: usize, stop: Option<u64>| {
        let mut world = World::new(many(None)).unwrap();
        world.set_threads(threads);
        for _ in 0..20 {
            if Some(world.steps()) == stop {
                world = World::resume(many(None), world.save()).unwrap();
            }
            world.step().unwrap();
        }
        (world.state_hash(), world.ledger().recovery_work.to_bits())
    };
    let one = run(1, None);
    assert!(f64::from_bits(one.1) > 0.0);
    for other in [run(2, None), run(3, None), run(1, Some(4)), run(2, Some(7))] {
        assert_eq!(other, one);
    }
}

/// Nothing falls asleep in an overlap.
#[test]
fn overlaps_are_made_good_before_bodies_sleep() {
    let mut world =
        World::new(many(Some(SleepSettings { steps: 20, ..Default::default() }))).unwrap();
    let mut deepest = 0.0;
    for _ in 0..200 {
        deepest = world.step().unwrap().penetration;
    }
    assert!(world.asleep() > 1300, "{} sleep", world.asleep());
    assert!(deepest < 1e-7, "{deepest:e}");
}

/// An impact with restitution is none of this: it leaves as it should, however deep it was seen.
#[test]
fn impacts_leave_by_their_own_law() {
    for start in [0.1003, 0.1011, 0.1017] {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
        let law = MoreauLaw { normal_restitution: 0.8, ..Default::default() };
        setup.laws = LawTable::uniform(1, law);
        let mut ball = body(PlaneShape::Disk { radius: 0.1 }, Pose::at(DVec2::new(0.0, start)));
        ball.velocity = DVec2::new(0.0, -2.0);
        setup.bodies.push(ball);
        setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
        let mut world = World::new(setup).unwrap();
        for _ in 0..20 {
            step(&mut world);
        }
        let speed = world.bodies()[0].velocity.y;
        assert!((speed - 1.6).abs() < 1e-12, "{start}: {speed}");
        assert!(world.ledger().recovery_work.abs() < 1e-12);
    }
}
