//! Gaps that fast bodies close within a step are seen before they close, and only those.

use crate::support;
use crate::support::{body, fixed};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Body, ContactForm, Course, Dimension, Drive, LawTable, MoreauLaw, Motion, Setup,
    SolverSettings, World,
};
use drystone_space::{DVec2, DVec3, Plane, Pose, Vector, Volume};

const STEP: f64 = 1e-3;
const SPEED: f64 = 20.0;

fn setup<S: Dimension>(gravity: S::Vector, friction: f64) -> Setup<S> {
    Setup {
        form: ContactForm::Gap { margin: 1e-4, recovery_speed: 0.05, recovery_share: 1.0 },
        solver: SolverSettings { tolerance: 1e-12, ..Default::default() },
        time_step: STEP,
        ..support::setup(gravity, friction)
    }
}

fn square(size: f64) -> PlaneShape {
    PlaneShape::Polygon(Polygon::rectangle(size, size).unwrap())
}

fn cube(size: f64) -> VolumeShape {
    VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::splat(size)).unwrap())
}

fn moving<S: Dimension>(shape: S::Shape, at: S::Vector, velocity: S::Vector) -> Body<S> {
    let mut body = body(shape, Pose::at(at));
    body.velocity = velocity;
    body
}

/// The deepest overlap in so many steps.
fn deepest<S: Dimension>(world: &mut World<S>, steps: usize) -> f64 {
    let mut deepest = 0.0f64;
    for _ in 0..steps {
        let report = world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(report.converged && world.ledger().closure() < 1e-12, "{report:?}");
        deepest = deepest.max(report.penetration);
    }
    deepest
}

/// A body that moves 2 cm in a step stops where it meets what stands still, wherever the steps happen to fall, and both
/// fly on with half the speed where the other is as heavy and free.
fn stops_where_it_meets<S: Dimension>(shape: S::Shape, floor: S::Shape) {
    let up = S::Vector::axis(S::DIMENSION - 1);
    for start in [0.4, 0.403, 0.4071, 0.4139, 0.4197] {
        let mut setup = setup::<S>(S::Vector::ZERO, 0.5);
        setup.bodies.push(moving(shape.clone(), up * start, up * -SPEED));
        setup.boundaries.push(fixed("floor", floor.clone(), Pose::IDENTITY));
        let mut world = World::new(setup).unwrap();
        let deep = deepest(&mut world, 30);
        let body = &world.bodies()[0];
        let (height, speed) = (up.dot(body.pose.position), body.velocity.norm());
        assert!(deep < 1e-12 && speed < 1e-9, "{start}: {deep:e} deep, {speed:e} m/s");
        assert!((height - 0.1).abs() < 1e-9, "{start}: at {height}");

        let mut setup = self::setup::<S>(S::Vector::ZERO, 0.5);
        setup.bodies.push(moving(shape.clone(), up * start, up * -SPEED));
        setup.bodies.push(moving(shape.clone(), S::Vector::ZERO, S::Vector::ZERO));
        let mut world = World::new(setup).unwrap();
        let deep = deepest(&mut world, 30);
        assert!(deep < 1e-12, "{start}: {deep:e} deep");
        for body in world.bodies() {
            let off = (body.velocity + up * (0.5 * SPEED)).norm();
            assert!(off < 1e-9, "{start}: {off:e} m/s off");
        }
    }
}

#[test]
fn what_is_fast_stops_where_it_meets() {
    stops_where_it_meets::<Plane>(PlaneShape::Disk { radius: 0.1 }, PlaneShape::HalfPlane);
    stops_where_it_meets::<Plane>(square(0.2), PlaneShape::HalfPlane);
    stops_where_it_meets::<Volume>(VolumeShape::Sphere { radius: 0.1 }, VolumeShape::HalfSpace);
    stops_where_it_meets::<Volume>(cube(0.2), VolumeShape::HalfSpace);
}

/// A disk that moves three widths in a step stops at a wall that it would have passed.
#[test]
fn nothing_passes_through() {
    for start in [0.4, 0.433, 0.471, 0.519, 0.577] {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.5);
        let disk = PlaneShape::Disk { radius: 0.01 };
        setup.bodies.push(moving(disk, DVec2::new(0.0, start), DVec2::new(0.0, -60.0)));
        let (from, to) = (DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0));
        let wall = PlaneShape::Segment { start: from, end: to };
        setup.boundaries.push(fixed("wall", wall, Pose::IDENTITY));
        let mut world = World::new(setup).unwrap();
        let deep = deepest(&mut world, 20);
        assert!(deep < 1e-12, "{start}: {deep:e}");
        assert!((world.bodies()[0].pose.position.y - 0.01).abs() < 1e-9);
    }
}

/// A floor that rises by 2 cm in a step takes along what lies still.
#[test]
fn a_fast_floor_takes_along_what_it_meets() {
    for start in [0.1501, 0.1553, 0.1627] {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.5);
        setup.bodies.push(moving(square(0.2), DVec2::new(0.0, start), DVec2::ZERO));
        let mut floor = fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY);
        let course = Course::Velocity { linear: DVec2::new(0.0, SPEED), spin: 0.0 };
        floor.drive = Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY });
        setup.boundaries.push(floor);
        let mut world = World::new(setup).unwrap();
        let deep = deepest(&mut world, 20);
        assert!(deep < 1e-12, "{start}: {deep:e}");
        assert!((world.bodies()[0].velocity.y - SPEED).abs() < 1e-9);
    }
}

/// What slides from flagstone to flagstone has a gap ahead of it, beside the next stone, and never meets it; what rolls there has
/// one too. Neither do balls meet that pass each other at a hair's breadth.
#[test]
fn what_passes_by_meets_nothing() {
    let gravity = DVec2::new(0.0, -9.81);
    // Within a margin the next stone is held as the plane that touches it: what rolls onto it is kicked up, with any speed.
    for (shape, margin) in [(square(0.2), 1e-4), (PlaneShape::Disk { radius: 0.1 }, 1e-7)] {
        let mut setup = setup::<Plane>(gravity, 0.0);
        setup.form = ContactForm::Gap { margin, recovery_speed: 0.05, recovery_share: 1.0 };
        let from = DVec2::new(-0.33, 0.1);
        setup.bodies.push(moving(shape, from, DVec2::new(7.3, 0.0)));
        for i in 0..30 {
            let at = Pose::at(DVec2::new(0.25 * f64::from(i) - 0.5, -0.125));
            setup.boundaries.push(fixed("stone", square(0.25), at));
        }
        let mut world = World::new(setup).unwrap();
        deepest(&mut world, 800);
        let velocity = world.bodies()[0].velocity;
        assert!((velocity - DVec2::new(7.3, 0.0)).length() < 1e-3, "{velocity}");
    }
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.5);
    for (x, y, speed) in [(-0.513, 0.1, SPEED), (0.5, -0.1001, -SPEED)] {
        let (at, velocity) = (DVec2::new(x, y), DVec2::new(speed, 0.0));
        setup.bodies.push(moving(PlaneShape::Disk { radius: 0.1 }, at, velocity));
    }
    let mut world = World::new(setup).unwrap();
    deepest(&mut world, 60);
    for (body, speed) in world.bodies().iter().zip([SPEED, -SPEED]) {
        assert_eq!(body.velocity, DVec2::new(speed, 0.0));
    }
}

/// Impacts with restitution close their gap first.
#[test]
fn impacts_are_not_foreseen() {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
    let law = MoreauLaw { normal_restitution: 0.8, ..Default::default() };
    setup.laws = LawTable::uniform(1, law);
    let disk = PlaneShape::Disk { radius: 0.1 };
    setup.bodies.push(moving(disk, DVec2::new(0.0, 0.407), DVec2::new(0.0, -SPEED)));
    setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    let mut world = World::new(setup).unwrap();
    let deep = deepest(&mut world, 30);
    assert!(deep > 1e-3, "{deep:e}");
    assert!((world.bodies()[0].velocity.y - 0.8 * SPEED).abs() < 1e-9);
}

/// A shower of disks onto a floor: the same bits for any number of threads, and after a stop.
#[test]
fn threads_and_resumed_runs_change_no_bit_of_it() {
    let shower = || {
        let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.5);
        setup.solver.tolerance = 1e-6;
        for i in 0..1200 {
            let (column, row) = (i % 60, i / 60);
            let at = DVec2::new(0.21 * f64::from(column), 0.11 + 0.2301 * f64::from(row));
            let velocity = DVec2::new(f64::from(i % 7) - 3.0, -SPEED);
            setup.bodies.push(moving(PlaneShape::Disk { radius: 0.1 }, at, velocity));
        }
        setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
        setup
    };
    let run = |threads: usize, stop: Option<u64>| {
        let mut world = World::new(shower()).unwrap();
        world.set_threads(threads);
        for _ in 0..15 {
            if Some(world.steps()) == stop {
                world = World::resume(shower(), world.save()).unwrap();
            }
            world.step().unwrap();
        }
        world.state_hash()
    };
    let one = run(1, None);
    for other in [run(2, None), run(3, None), run(1, Some(4)), run(2, Some(9))] {
        assert_eq!(other, one);
    }
}
