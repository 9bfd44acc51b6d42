//! Boundaries as in a laboratory: pressures by the present area, loads with a motion across, torques, and one after the
//! other by phases. The books close in all of them, and a run that is resumed has the same bits.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Course, Dimension, Drive, Edge, Guide, Motion, Phase, Setup, Signal, Slider, Switch, Until,
    World,
};
use drystone_space::{DVec2, DVec3, Plane, PlaneRotation, Pose, Volume};

fn run<S: Dimension>(world: &mut World<S>, steps: usize) {
    for _ in 0..steps {
        assert!(world.step().unwrap().converged, "t = {}", world.time());
        let closure = world.ledger().closure();
        assert!(closure < 1e-12, "{closure:e} at t = {}: {:?}", world.time(), world.ledger());
    }
}

fn steady<S: Dimension>(linear: S::Vector, spin: S::Spin) -> Motion<S> {
    Motion { course: Course::Velocity { linear, spin }, start: 0.0, stop: f64::INFINITY }
}

/// A block of 0.6 m by 0.4 m on the ground, under a lid; the friction of all is given.
fn pressed(friction: f64, lid: Drive<Plane>) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::ZERO, friction);
    setup.solver.tolerance = 1e-10;
    let block = PlaneShape::Polygon(Polygon::rectangle(0.6, 0.4).unwrap());
    setup.bodies.push(body(block, Pose::at(DVec2::new(0.0, 0.2))));
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    let down = PlaneRotation::from_angle(std::f64::consts::PI);
    let mut boundary = fixed("lid", PlaneShape::HalfPlane, Pose::new(DVec2::new(0.0, 0.4), down));
    boundary.drive = lid;
    setup.boundaries.push(boundary);
    setup
}

fn phase(name: &str, time: f64) -> Phase {
    let until = Until { time, calm: None };
    Phase {
        name: name.to_owned(),
        until,
        remove: vec![],
        start: vec![],
        friction: None,
        tolerance: 1e-10,
    }
}

/// The stress is met in each step, while the area grows: force on the ground = pressure · present width.
#[test]
fn a_pressure_acts_on_the_present_area() {
    let mut lid = Slider::along(-DVec2::Y, 3.0, Signal::Constant(1e4));
    lid.edges = vec![Edge { between: [2, 3], along: DVec2::X, length: 2.0 }];
    let mut setup = pressed(0.0, Drive::Slider(lid));
    let wall = |name: &str, x: f64, turn: f64| {
        let turn = PlaneRotation::from_angle(turn);
        fixed(name, PlaneShape::HalfPlane, Pose::new(DVec2::new(x, 0.0), turn))
    };
    setup.boundaries.push(wall("left", -1.0, -std::f64::consts::FRAC_PI_2));
    let mut right = wall("right", 1.0, std::f64::consts::FRAC_PI_2);
    right.drive = Drive::Motion(steady(DVec2::new(0.5, 0.0), 0.0));
    setup.boundaries.push(right);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 1);
    for step in 1..500 {
        run(&mut world, 1);
        // At the middle of the step.
        let width = 2.0 + 0.5 * (f64::from(step) + 0.5) * 1e-3;
        let carried = -world.boundary_force(0).y;
        assert!((carried / (1e4 * width) - 1.0).abs() < 1e-9, "step {step}: {carried}");
    }
}

/// A lid that presses and moves across drags the block that it lies on: m a = μ F.
#[test]
fn a_lid_presses_and_moves_across() {
    let mut lid = Slider::along(-DVec2::Y, 3.0, Signal::Constant(1000.0));
    lid.motion = Some(steady(DVec2::new(5.0, 0.0), 0.0));
    let mut setup = pressed(0.2, Drive::Slider(lid));
    // A ground without friction: another material.
    setup.laws = drystone_engine::LawTable::uniform(2, drystone_engine::MoreauLaw::default());
    let rough = drystone_engine::MoreauLaw { friction: 0.2.into(), ..Default::default() };
    let other = drystone_engine::MaterialId(1);
    setup.laws.set(setup.boundaries[0].parts[0].material, other, rough);
    setup.boundaries[1].parts[0].material = other;
    let mass = setup.bodies[0].mass;
    let mut world = World::new(setup).unwrap();
    run(&mut world, 400);
    let speed = world.bodies()[0].velocity.x;
    assert!((speed - 0.2 * 1000.0 / mass * 0.4).abs() < 1e-9, "{speed}");
    assert!((world.boundary_velocity(1) - DVec2::new(5.0, 0.0)).length() < 1e-9);
    assert!((world.boundary_pose(1).unwrap().position - DVec2::new(2.0, 0.4)).length() < 1e-9);
    assert!(world.ledger().boundary_work > 0.0 && world.ledger().friction_loss > 0.0);
}

/// A drum under a torque turns by τt²/(2I); a block that is pressed on it brakes it by μFR.
#[test]
fn a_torque_turns_a_drum_against_friction() {
    let mut setup = setup::<Volume>(DVec3::ZERO, 0.25);
    setup.solver.tolerance = 1e-10;
    let block = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.4, 0.4, 0.2)).unwrap());
    setup.bodies.push(body(block, Pose::at(DVec3::new(0.0, 0.0, 0.6))));
    setup.loads.push(drystone_engine::Load {
        body: 0,
        force: DVec3::new(0.0, 0.0, -80.0),
        torque: DVec3::ZERO,
        factor: Signal::Constant(1.0),
        start: 0.5,
        stop: f64::INFINITY,
    });
    // A frame that lets the block neither slide nor turn, and does not rub.
    let drum = VolumeShape::Sphere { radius: 0.5 };
    let mut drum = fixed("drum", drum, Pose::IDENTITY);
    drum.drive = Drive::Slider(Slider::about(DVec3::Y, 2.0, Signal::Constant(12.0)));
    setup.boundaries.push(drum);
    setup.laws = drystone_engine::LawTable::uniform(2, drystone_engine::MoreauLaw::default());
    let rough = drystone_engine::MoreauLaw { friction: 0.25.into(), ..Default::default() };
    let drum_material = drystone_engine::MaterialId(1);
    setup.laws.set(setup.bodies[0].parts[0].material, drum_material, rough);
    setup.boundaries[0].parts[0].material = drum_material;
    for (name, at, turn) in [
        ("right", DVec3::new(0.2, 0.0, 0.6), DVec3::new(0.0, -std::f64::consts::FRAC_PI_2, 0.0)),
        ("left", DVec3::new(-0.2, 0.0, 0.6), DVec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0)),
        ("front", DVec3::new(0.0, -0.2, 0.6), DVec3::new(-std::f64::consts::FRAC_PI_2, 0.0, 0.0)),
        ("back", DVec3::new(0.0, 0.2, 0.6), DVec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0)),
    ] {
        let turn = drystone_space::DQuat::from_scaled_axis(turn);
        setup.boundaries.push(fixed(name, VolumeShape::HalfSpace, Pose::new(at, turn)));
    }
    let mut world = World::new(setup).unwrap();
    run(&mut world, 500);
    let speed = |world: &World<Volume>| world.state().boundaries[0].speed;
    assert!((speed(&world) - 12.0 / 2.0 * 0.5).abs() < 1e-9, "{}", speed(&world));
    assert!((world.state().boundaries[0].travel - 0.5 * 6.0 * 0.25).abs() < 1e-9);
    run(&mut world, 500);
    // τ − μ F R = 12 − 0.25 · 80 · 0.5 = 2.
    assert!((speed(&world) - (3.0 + 2.0 / 2.0 * 0.5)).abs() < 1e-6, "{}", speed(&world));
    let sliding = Guide::<Volume>::About(DVec3::Y);
    assert!(matches!(&world.boundaries()[0].drive, Drive::Slider(s) if s.guide == sliding));
}

/// Load, motion, load: places and books go on, and so does a resumed run.
#[test]
fn a_lid_is_loaded_then_moved_then_loaded() {
    let make = || {
        let load =
            |force: f64| Drive::Slider(Slider::along(-DVec2::Y, 3.0, Signal::Constant(force)));
        let mut setup = pressed(0.0, load(1000.0));
        setup.phases = vec![phase("press", 0.1), phase("lift", 0.2), phase("fall", 0.3)];
        let lift = Drive::Motion(steady(DVec2::new(0.0, 0.5), 0.0));
        setup.switches = vec![
            Switch { phase: 1, boundary: 1, drive: lift },
            Switch { phase: 2, boundary: 1, drive: load(30.0) },
        ];
        setup
    };
    let mut world = World::new(make()).unwrap();
    let height = |world: &World<Plane>| world.boundary_pose(1).unwrap().position.y;
    run(&mut world, 100);
    assert!((-world.boundary_force(0).y / 1000.0 - 1.0).abs() < 1e-9);
    run(&mut world, 200);
    assert!((height(&world) - 0.5).abs() < 1e-9, "{}", height(&world));
    // Thrown up at 0.5 m/s, falling under 10 m/s²: 0.5 + 0.5 t − 5 t².
    assert!((world.boundary_velocity(1).y - 0.5).abs() < 1e-9);
    run(&mut world, 20);
    let saved = world.save();
    run(&mut world, 30);
    let exact = 0.5 + 0.5 * 0.05 - 5.0 * 0.05 * 0.05;
    assert!((height(&world) - exact).abs() < 1e-9, "{} {exact}", height(&world));
    run(&mut world, 240);
    // It lands at √(0.5² + 2 · 10 · 0.1) = 1.5 m/s, at most half a step's way in the block.
    assert!((0.39925 - 1e-9..=0.4).contains(&height(&world)), "{}", height(&world));
    let mut again = World::resume(make(), saved).unwrap();
    run(&mut again, 270);
    assert_eq!(again.state_hash(), world.state_hash());
}

/// Friction by phases: a block slides freely while the phase has none, and is braked by μ g in the next, also when resumed.
#[test]
fn a_phase_has_its_own_friction() {
    let make = || {
        let mut setup = pressed(0.4, Drive::Fixed);
        setup.gravity = DVec2::new(0.0, -10.0);
        setup.boundaries.truncate(1);
        setup.bodies[0].velocity = DVec2::X;
        let smooth = Phase { friction: Some(0.0), ..phase("smooth", 0.1) };
        let half = Phase { friction: Some(0.2), ..phase("half", 0.1) };
        let most = Phase { friction: Some(0.9), ..phase("own", 1.0) };
        setup.phases = vec![smooth, half, most];
        setup
    };
    let mut world = World::new(make()).unwrap();
    let speed = |world: &World<Plane>| world.bodies()[0].velocity.x;
    run(&mut world, 100);
    assert_eq!(speed(&world), 1.0);
    run(&mut world, 50);
    let saved = world.save();
    run(&mut world, 50);
    assert!((speed(&world) - 0.8).abs() < 1e-9, "{}", speed(&world));
    // No more than the law's own.
    run(&mut world, 50);
    assert!((speed(&world) - 0.6).abs() < 1e-9, "{}", speed(&world));
    let mut again = World::resume(make(), saved).unwrap();
    run(&mut again, 100);
    assert_eq!(again.state_hash(), world.state_hash());
}
