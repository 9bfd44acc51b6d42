//! The energy books close for every kind of motion, load and law, in the plane and in space.

use crate::support::{body, fixed, setup, special};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Arrival, Boundary, ContactForm, Course, Dimension, Drive, LawTable, Load, MoreauLaw, Motion,
    Signal, Slider, World,
};
use drystone_space::{DVec2, DVec3, Plane, Pose, Rotation, Volume};

fn books_close<S: Dimension>(mut world: World<S>, steps: usize) -> World<S> {
    let mut touched = 0;
    for _ in 0..steps {
        touched += world.step().unwrap().contacts;
        let closure = world.ledger().closure();
        assert!(closure < 1e-10, "{closure:e} at t = {}", world.time());
    }
    assert!(touched > steps / 4, "hardly any contact: {touched}");
    world
}

fn lively() -> MoreauLaw {
    MoreauLaw {
        friction: 0.4.into(),
        normal_restitution: 0.5,
        tangential_restitution: 0.2,
        ..MoreauLaw::default()
    }
}

/// A lid that comes down from a height under its load, and cannot turn.
fn sliding_lid(height: f64) -> Boundary<Volume> {
    let flipped = drystone_space::DQuat::exponential(DVec3::X * std::f64::consts::PI);
    let pose = Pose::new(DVec3::new(0.0, 0.0, height), flipped);
    let mut lid = fixed("lid", VolumeShape::HalfSpace, pose);
    lid.drive =
        Drive::Slider(Slider::along(DVec3::new(0.0, 0.0, -1.0), 50.0, Signal::Constant(500.0)));
    lid
}

#[test]
fn with_restitution_loads_arrivals_and_a_shaken_floor_in_the_plane() {
    let mut setup = setup::<Plane>(DVec2::new(0.3, -9.81), 0.4);
    setup.laws = LawTable::uniform(1, lively());
    let square = PlaneShape::Polygon(Polygon::regular(5, 0.2).unwrap());
    for i in 0..5 {
        let pose = Pose::at(DVec2::new(0.3 * f64::from(i), 0.5 + 0.45 * f64::from(i)));
        setup.bodies.push(body(square.clone(), pose));
    }
    let mut late = body(PlaneShape::Disk { radius: 0.1 }, Pose::at(DVec2::new(0.5, 3.5)));
    late.velocity = DVec2::new(-1.0, -2.0);
    late.spin = 30.0;
    setup.arrivals.push(Arrival { time: 0.25, body: late, places: Vec::new() });
    let sinusoid = Signal::Sinusoid { mean: 0.5, amplitude: 1.0, frequency: 3.0, phase: 0.4 };
    setup.loads.push(Load {
        body: 1,
        force: DVec2::new(200.0, 50.0),
        torque: 40.0,
        factor: sinusoid.clone(),
        start: 0.1,
        stop: 0.8,
    });
    let mut floor = fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY);
    floor.drive = Drive::Motion(Motion {
        course: Course::Signals {
            direction: DVec2::new(0.05, 0.02),
            displacement: sinusoid,
            axis: 1.0,
            rotation: Signal::Sinusoid { mean: 0.0, amplitude: 0.02, frequency: 2.0, phase: 0.0 },
        },
        start: 0.1,
        stop: 0.9,
    });
    setup.boundaries.push(floor);
    let world = books_close(World::new(setup).unwrap(), 1500);
    let ledger = world.ledger();
    assert_eq!(world.bodies().len(), 6);
    assert!(ledger.inserted != 0.0 && ledger.external_work != 0.0 && ledger.boundary_work != 0.0);
    assert!(ledger.friction_loss > 0.0 && ledger.impact_loss > 0.0);
}

#[test]
fn with_tumbling_boxes_under_a_lid_in_space() {
    let mut setup = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.4);
    setup.laws = LawTable::uniform(1, lively());
    let block = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.5, 0.3, 0.2)).unwrap());
    for i in 0..4 {
        let turn = drystone_space::DQuat::exponential(DVec3::new(0.3, 0.5 * f64::from(i), 0.1));
        let pose = Pose::new(DVec3::new(0.1 * f64::from(i), 0.0, 0.5 + 0.6 * f64::from(i)), turn);
        let mut tumbling = body(block.clone(), pose);
        tumbling.spin = DVec3::new(3.0, 5.0, -4.0);
        setup.bodies.push(tumbling);
    }
    setup.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
    setup.boundaries.push(sliding_lid(3.0));
    let world = books_close(World::new(setup).unwrap(), 1500);
    let ledger = world.ledger();
    // The lid has come down and is carried.
    let height = world.boundary_pose(1).unwrap().position.z;
    assert!(height < 2.0 && height > 0.1, "lid at {height}");
    assert!(ledger.external_work > 0.0);
}

#[test]
fn in_the_gap_form() {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.4);
    setup.form = ContactForm::Gap { margin: 1e-3, recovery_speed: 0.5, recovery_share: 1.0 };
    let square = PlaneShape::Polygon(Polygon::rectangle(0.4, 0.2).unwrap());
    for i in 0..4 {
        // The lowest starts with an overlap of 1 mm.
        let pose = Pose::at(DVec2::new(0.05 * f64::from(i), 0.099 + 0.2 * f64::from(i)));
        setup.bodies.push(body(square.clone(), pose));
    }
    setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    let mut world = books_close(World::new(setup).unwrap(), 300);
    let report = world.step().unwrap();
    assert!(report.penetration < 1e-6, "the overlap was made good: {report:?}");
    assert!(world.ledger().recovery_work > 0.0);
}

/// A floor that shakes, swings and turns, as it does in every law's frame.
fn swinging(axis: f64) -> (Signal, Signal) {
    let wave =
        |amplitude, frequency| Signal::Sinusoid { mean: 0.0, amplitude, frequency, phase: 0.3 };
    (wave(1.0, 3.0), wave(0.05 * axis, 2.0))
}

#[test]
fn with_special_laws_in_the_plane() {
    let mut setup = setup::<Plane>(DVec2::new(0.3, -9.81), 0.4);
    let mut law = special();
    law.cohesion.force = 20.0;
    law.resistance.rolling = 0.02;
    setup.laws = LawTable::uniform(1, law);
    let (displacement, rotation) = swinging(1.0);
    for i in 0..6 {
        let pose = Pose::at(DVec2::new(0.15 * f64::from(i % 2), 0.2 + 0.25 * f64::from(i)));
        let shape = match i % 2 {
            0 => PlaneShape::Disk { radius: 0.1 },
            _ => PlaneShape::Polygon(Polygon::regular(5, 0.12).unwrap()),
        };
        setup.bodies.push(body(shape, pose));
    }
    let mut floor = fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY);
    let direction = DVec2::new(0.05, 0.02);
    floor.drive = Drive::Motion(Motion {
        course: Course::Signals { direction, displacement, axis: 1.0, rotation },
        start: 0.1,
        stop: 0.9,
    });
    setup.boundaries.push(floor);
    let world = books_close(World::new(setup).unwrap(), 1500);
    let ledger = world.ledger();
    assert!(ledger.cohesion_work != 0.0 && ledger.boundary_work != 0.0);
    assert!(ledger.friction_loss > 0.0);
    assert!(world.contacts().iter().any(|contact| world.contact_couple(contact) != 0.0));
}

#[test]
fn with_special_laws_in_space() {
    let mut setup = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.4);
    let mut law = special();
    law.cohesion.force = 20.0;
    setup.laws = LawTable::uniform(1, law);
    let block = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.3, 0.2, 0.2)).unwrap());
    for i in 0..5 {
        let shape = if i % 2 == 0 { block.clone() } else { VolumeShape::Sphere { radius: 0.1 } };
        let turn = drystone_space::DQuat::exponential(DVec3::new(0.3, 0.5 * f64::from(i), 0.1));
        let pose = Pose::new(DVec3::new(0.05 * f64::from(i), 0.0, 0.3 + 0.3 * f64::from(i)), turn);
        let mut tumbling = body(shape, pose);
        tumbling.spin = DVec3::new(3.0, 5.0, -4.0);
        setup.bodies.push(tumbling);
    }
    let (displacement, rotation) = swinging(1.0);
    let mut floor = fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY);
    let direction = DVec3::new(0.05, 0.0, 0.02);
    floor.drive = Drive::Motion(Motion {
        course: Course::Signals { direction, displacement, axis: DVec3::Z, rotation },
        start: 0.1,
        stop: 0.9,
    });
    setup.boundaries.push(floor);
    // A slider that cannot turn: its mover's spin is none.
    setup.boundaries.push(sliding_lid(2.5));
    let world = books_close(World::new(setup).unwrap(), 1500);
    assert!(world.ledger().cohesion_work != 0.0 && world.ledger().friction_loss > 0.0);
    assert!(world.contacts().iter().any(|contact| world.contact_couple(contact) != DVec3::ZERO));
}

/// A box that falls flat on a floor moves as its shadow does in the plane.
#[test]
fn space_repeats_the_plane() {
    let mut flat = setup::<Plane>(DVec2::new(0.0, -9.81), 0.3);
    flat.solver.tolerance = 1e-12;
    let shape = PlaneShape::Polygon(Polygon::rectangle(0.4, 0.2).unwrap());
    let mut sliding = body(shape, Pose::at(DVec2::new(0.0, 0.15)));
    sliding.velocity = DVec2::new(2.0, 0.0);
    flat.bodies.push(sliding);
    flat.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    let mut solid = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.3);
    solid.solver.tolerance = 1e-12;
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.4, 1.0, 0.2)).unwrap());
    let mut sliding = body(shape, Pose::at(DVec3::new(0.0, 0.0, 0.15)));
    sliding.velocity = DVec3::new(2.0, 0.0, 0.0);
    solid.bodies.push(sliding);
    solid.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
    let mut flat = World::new(flat).unwrap();
    let mut solid = World::new(solid).unwrap();
    for _ in 0..500 {
        flat.step().unwrap();
        solid.step().unwrap();
        let (p, q) = (flat.bodies()[0].pose.position, solid.bodies()[0].pose.position);
        assert!((p.x - q.x).abs() < 1e-4 && (p.y - q.z).abs() < 1e-4, "{p} {q}");
        assert!(q.y.abs() < 1e-9);
    }
    assert!(flat.bodies()[0].pose.position.x > 0.5);
}
