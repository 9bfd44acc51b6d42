//! What is set from outside between steps: it moves what it should, the books close, sleep and checkpoints know of it.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Anchor, ContactSpring, Dimension, Drive, LawTable, MoreauLaw, Owner, PairLaw, Setup, Signal,
    SleepSettings, Slider, Spring, SteerError, World, Wrench,
};
use drystone_space::{DQuat, DVec2, DVec3, Plane, PlaneRotation, Pose, Volume};

fn closes<S: Dimension>(world: &World<S>) {
    let closure = world.ledger().closure();
    assert!(closure < 1e-12, "{closure:e} at t = {}: {:?}", world.time(), world.ledger());
}

fn run<S: Dimension>(world: &mut World<S>, steps: usize) {
    for _ in 0..steps {
        assert!(world.step().unwrap().converged);
        closes(world);
    }
}

/// A ball that is free.
fn ball(spin: f64) -> Setup<Volume> {
    let mut setup = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.3);
    let slab = VolumeShape::Polyhedron(
        drystone_detect::volume::Polyhedron::cuboid(DVec3::new(0.1, 0.2, 0.4)).unwrap(),
    );
    let mut stone = body(slab, Pose::at(DVec3::new(0.0, 0.0, 5.0)));
    stone.set_world_spin(DVec3::new(spin, 0.3 * spin, -0.1 * spin));
    setup.bodies.push(stone);
    setup
}

#[test]
fn a_body_flies_on_from_what_was_set() {
    let mut world = World::new(ball(3.0)).unwrap();
    run(&mut world, 100);
    let spin = world.bodies()[0].world_spin();
    let turn = DQuat::from_rotation_y(0.7);
    world.set_pose(0, Pose::new(DVec3::new(1.0, 2.0, 30.0), turn)).unwrap();
    // The spin in world axes is what it was.
    assert!((world.bodies()[0].world_spin() - spin).length() < 1e-14);
    closes(&world);
    world.set_velocity(0, DVec3::new(4.0, 0.0, 10.0)).unwrap();
    world.set_spin(0, DVec3::new(0.0, 1.0, 0.0)).unwrap();
    closes(&world);
    assert!(world.ledger().intervention > 0.0);
    run(&mut world, 1000);
    // One second of free flight, which the midpoint step makes exactly.
    let place = world.bodies()[0].pose.position;
    let exact = DVec3::new(5.0, 2.0, 30.0 + 10.0 - 0.5 * 9.81);
    assert!((place - exact).length() < 1e-11, "{place}");
    // A rotation need not have unit length, but it must be one.
    world.set_pose(0, Pose::new(place, turn * 3.0)).unwrap();
    assert!((world.bodies()[0].pose.rotation.length() - 1.0).abs() < 1e-15);
}

#[test]
fn a_force_and_a_torque_do_their_work() {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
    setup.bodies.push(body(PlaneShape::Disk { radius: 0.5 }, Pose::IDENTITY));
    let mut world = World::new(setup).unwrap();
    let (mass, moment) = (world.bodies()[0].mass, world.bodies()[0].moments);
    let wrench = Wrench { force: DVec2::new(2.0 * mass, 0.0), torque: 3.0 * moment };
    world.set_wrench(0, wrench).unwrap();
    run(&mut world, 1000);
    let found = &world.bodies()[0];
    assert!((found.velocity.x - 2.0).abs() < 1e-12 && (found.spin - 3.0).abs() < 1e-12);
    assert!((found.pose.position.x - 1.0).abs() < 1e-12);
    let work = 0.5 * mass * 4.0 + 0.5 * moment * 9.0;
    assert!((world.ledger().external_work - work).abs() < 1e-10 * work);
    assert_eq!(world.ledger().intervention, 0.0);
    world.set_wrench(0, Wrench::default()).unwrap();
    run(&mut world, 10);
    assert!((world.bodies()[0].velocity.x - 2.0).abs() < 1e-12);
}

/// A block on the ground under a lid.
fn pressed(drive: Drive<Plane>) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.5);
    let square = Polygon::rectangle(0.4, 0.4).unwrap();
    for level in 0..3 {
        let place = Pose::at(DVec2::new(0.0, 0.2 + 0.4 * f64::from(level)));
        setup.bodies.push(body(PlaneShape::Polygon(square.clone()), place));
    }
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    let down = PlaneRotation::from_angle(std::f64::consts::PI);
    let mut lid = fixed("lid", PlaneShape::HalfPlane, Pose::new(DVec2::new(0.0, 1.2), down));
    lid.drive = drive;
    setup.boundaries.push(lid);
    setup
}

#[test]
fn a_load_that_is_set_is_carried_to_the_ground() {
    let direction = DVec2::new(0.0, -1.0);
    let slider = Slider::along(direction, 10.0, Signal::Constant(100.0));
    let mut world = World::new(pressed(Drive::Slider(slider))).unwrap();
    run(&mut world, 200);
    let weight: f64 = world.bodies().iter().map(|body| 9.81 * body.mass).sum();
    let carried = |world: &World<Plane>| -world.boundary_force(0).y - weight;
    assert!((carried(&world) - 100.0).abs() < 1e-2 * weight, "{}", carried(&world));
    world.set_boundary_load(1, 5000.0).unwrap();
    run(&mut world, 200);
    assert!((carried(&world) - 5000.0).abs() < 1e-4 * weight, "{}", carried(&world));
    let wrong = world.set_boundary_motion(1, DVec2::X, 0.0);
    assert_eq!(wrong, Err(SteerError::Loaded { name: "lid".to_owned() }));
    let wrong = world.set_boundary_load(0, 1.0);
    assert_eq!(wrong, Err(SteerError::NotFree { name: "ground".to_owned() }));
}

/// A wall that was fixed pushes a block aside, with the work that friction takes.
#[test]
fn a_fixed_boundary_can_be_moved_and_does_its_work() {
    let mut setup = pressed(Drive::Fixed);
    setup.bodies.truncate(1);
    let right = PlaneRotation::from_angle(-std::f64::consts::FRAC_PI_2);
    setup.boundaries[1].pose = Pose::new(DVec2::new(-0.2, 0.0), right);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 50);
    world.set_boundary_motion(1, DVec2::new(0.1, 0.0), 0.0).unwrap();
    let mut work = 0.0;
    for _ in 0..1000 {
        run(&mut world, 1);
        work -= world.boundary_force(1).x * 0.1 * 1e-3;
    }
    let weight = 9.81 * world.bodies()[0].mass;
    // The block is taken along from the middle of the first step on: at most v h behind.
    let place = world.bodies()[0].pose.position.x;
    assert!((place - 0.1).abs() < 1e-4, "{place}");
    assert!((world.boundary_pose(1).unwrap().position.x + 0.1).abs() < 1e-12);
    // The wall pushes by what the ground's friction holds back; it may also carry some of the weight.
    let (ground, wall) = (-world.boundary_force(0), -world.boundary_force(1));
    assert!((ground.y + wall.y - weight).abs() < 1e-4 * weight, "{ground} {wall}");
    assert!((wall.x - 0.5 * ground.y).abs() < 1e-4 * weight, "{ground} {wall}");
    let ledger = world.ledger();
    let (lost, kinetic) = (ledger.friction_loss, 0.5 * world.bodies()[0].mass * 0.01);
    assert!((ledger.boundary_work - work).abs() < 1e-10 * work, "{work} {ledger:?}");
    // Half of what sets the block in motion is lost in the shock.
    assert!((work - lost - 2.0 * kinetic).abs() < 1e-4 * lost, "{ledger:?}");
    world.set_boundary_motion(1, DVec2::ZERO, 0.0).unwrap();
    run(&mut world, 500);
    assert!(world.bodies()[0].velocity.length() < 1e-9);
}

#[test]
fn a_boundary_turns_about_its_origin() {
    let mut setup = setup::<Volume>(DVec3::ZERO, 0.0);
    setup.bodies.push(body(VolumeShape::Sphere { radius: 0.1 }, Pose::at(DVec3::splat(5.0))));
    setup.boundaries.push(fixed("plate", VolumeShape::HalfSpace, Pose::at(DVec3::Z)));
    let mut world = World::new(setup).unwrap();
    let spin = DVec3::new(0.0, 0.0, 0.5);
    world.set_boundary_motion(0, DVec3::new(0.0, 0.0, -0.1), spin).unwrap();
    run(&mut world, 1000);
    let pose = world.boundary_pose(0).unwrap();
    assert!((pose.position - DVec3::Z * 0.9).length() < 1e-12);
    assert!(pose.rotation.angle_between(DQuat::from_rotation_z(0.5)) < 1e-7);
}

/// Springs and contact springs between bodies that are moved: what was stored goes to the same account.
#[test]
fn springs_of_what_is_moved_are_booked() {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.3);
    for x in [0.0, 0.3, 0.6] {
        let place = Pose::at(DVec2::new(x, 0.1));
        setup.bodies.push(body(PlaneShape::Disk { radius: 0.1 }, place));
    }
    let ends = [0, 1].map(|i| Anchor { owner: Some(Owner::Body(i)), point: DVec2::ZERO });
    setup.springs.push(Spring { ends, stiffness: 1e4, length: 0.3, forces: None });
    let law = MoreauLaw { friction: 0.3.into(), ..MoreauLaw::default() };
    let spring = ContactSpring { stiffness: 1e4, reach: 0.01 };
    setup.laws = LawTable::uniform(1, PairLaw { spring, ..PairLaw::from(law) });
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    let mut world = World::new(setup).unwrap();
    run(&mut world, 20);
    world.set_pose(0, Pose::at(DVec2::new(-0.2, 0.3))).unwrap();
    closes(&world);
    world.set_pose(2, Pose::at(DVec2::new(0.505, 0.1))).unwrap();
    closes(&world);
    let stored = world.ledger().springs;
    assert!(stored > 0.5 * 1e4 * 0.04, "{stored}");
    let before = world.ledger().atomisation_work;
    run(&mut world, 1);
    // What the jump did is not taken for an error of springs.
    let error = (world.ledger().atomisation_work - before).abs();
    assert!(error < 0.02 * stored, "{error} of {stored}");
    run(&mut world, 300);
}

fn towers(sleep: bool) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.5);
    let square = Polygon::rectangle(0.2, 0.2).unwrap();
    for tower in 0..2 {
        for level in 0..4 {
            let at = DVec2::new(f64::from(tower), 0.2 * (0.5 + f64::from(level)));
            setup.bodies.push(body(PlaneShape::Polygon(square.clone()), Pose::at(at)));
        }
    }
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    setup.sleep = sleep.then(|| SleepSettings { steps: 20, ..SleepSettings::default() });
    setup
}

/// Something that is set.
type Change<'a> = &'a dyn Fn(&mut World<Plane>);

/// Whatever is set wakes the tower that it concerns, and no other; a resumed world goes on in the same bits.
#[test]
fn what_sleeps_is_woken_by_what_is_set() {
    let push = Wrench { force: DVec2::new(300.0, 0.0), torque: 0.0 };
    let changes: [(&str, usize, Change); 4] = [
        ("velocity", 4, &|world| world.set_velocity(3, DVec2::new(1.0, 0.0)).unwrap()),
        ("pose", 4, &|world| world.set_pose(0, Pose::at(DVec2::new(-3.0, 0.1))).unwrap()),
        ("force", 4, &|world| world.set_wrench(1, push).unwrap()),
        ("ground", 0, &|world| world.set_boundary_motion(0, DVec2::X, 0.0).unwrap()),
    ];
    for (what, left, change) in changes {
        let mut world = World::new(towers(true)).unwrap();
        run(&mut world, 100);
        assert_eq!(world.asleep(), 8);
        // The same from a checkpoint, before and after the change.
        let mut early = World::resume(towers(true), world.save()).unwrap();
        change(&mut world);
        change(&mut early);
        assert_eq!(world.asleep(), left, "{what}");
        let all = world.contacts().len() + world.state().sleep.contacts.len();
        assert_eq!(all, 16, "{what}");
        for contact in early.every_contact() {
            assert_eq!(early.contact_velocity(&contact), DVec2::ZERO);
        }
        let mut late = World::resume(towers(true), world.save()).unwrap();
        let mut awake = World::new(towers(false)).unwrap();
        run(&mut awake, 100);
        change(&mut awake);
        for world in [&mut world, &mut early, &mut late, &mut awake] {
            run(world, 150);
        }
        assert_eq!(world.state_hash(), early.state_hash(), "{what}, resumed before");
        assert_eq!(world.state_hash(), late.state_hash(), "{what}, resumed after");
        // As it would have gone without sleep.
        for (one, other) in world.bodies().iter().zip(awake.bodies()) {
            let apart = (one.pose.position - other.pose.position).length();
            assert!(apart < 2e-3, "{what}: {apart}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let mut world = World::new(towers(false)).unwrap();
    run(&mut world, 2);
    let hash = world.state_hash();
    let far = DVec2::splat(f64::NAN);
    let none = |kind, index, count| Err(SteerError::NoSuch { kind, index, count });
    assert_eq!(world.set_velocity(8, DVec2::ZERO), none("body", 8, 8));
    assert_eq!(world.set_pose(9, Pose::IDENTITY), none("body", 9, 8));
    assert_eq!(world.set_boundary_motion(1, DVec2::ZERO, 0.0), none("boundary", 1, 1));
    assert!(matches!(world.set_velocity(0, far), Err(SteerError::NotFinite { .. })));
    assert!(matches!(world.set_pose(0, Pose::at(far)), Err(SteerError::NotFinite { .. })));
    assert!(matches!(world.set_spin(0, f64::INFINITY), Err(SteerError::NotFinite { .. })));
    let wrench = Wrench { force: far, torque: 0.0 };
    assert!(matches!(world.set_wrench(0, wrench), Err(SteerError::NotFinite { .. })));
    assert!(world.set_boundary_motion(0, far, 0.0).is_err());
    assert!(world.set_boundary_load(0, f64::NAN).is_err());
    assert_eq!(world.state_hash(), hash);
    assert_eq!(world.ledger().intervention, 0.0);
    assert_eq!(world.set_velocity(0, DVec2::ZERO), Ok(()));
}
