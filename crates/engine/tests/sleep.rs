//! Bodies at rest are left alone: they carry what they carried, are woken in the step that disturbs them, and go on as
//! if they had never been left.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{
    Arrival, ContactSpring, Course, Drive, LawTable, Motion, Owner, PairLaw, Setup, SetupError,
    Signal, SleepSettings, Table, World,
};
use drystone_space::{DVec2, Plane, Pose, Rotation};

const BLOCK: f64 = 0.2;

/// Towers of blocks side by side, some apart from each other, on the ground.
fn towers(count: u32, height: u32) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.5);
    let square = Polygon::rectangle(BLOCK, BLOCK).unwrap();
    for tower in 0..count {
        for level in 0..height {
            let at = DVec2::new(3.0 * BLOCK * f64::from(tower), BLOCK * (0.5 + f64::from(level)));
            setup.bodies.push(body(PlaneShape::Polygon(square.clone()), Pose::at(at)));
        }
    }
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    setup.sleep = Some(SleepSettings { steps: 20, ..SleepSettings::default() });
    setup
}

/// A ball that falls on the first tower.
fn dropped(setup: &mut Setup<Plane>, height: u32) {
    let top = BLOCK * f64::from(height);
    let ball = body(PlaneShape::Disk { radius: 0.05 }, Pose::at(DVec2::new(0.02, top + 0.3)));
    setup.arrivals.push(Arrival { time: 0.1, body: ball, places: Vec::new() });
}

fn run(world: &mut World<Plane>, steps: usize) {
    for _ in 0..steps {
        assert!(world.step().unwrap().converged);
        assert!(world.ledger().closure() < 1e-12, "{:e}", world.ledger().closure());
    }
}

#[test]
fn towers_come_to_rest_and_still_press_on_the_ground() {
    let mut world = World::new(towers(3, 4)).unwrap();
    run(&mut world, 100);
    assert_eq!(world.asleep(), 12);
    assert!(world.contacts().is_empty());
    assert_eq!(world.every_contact().len(), 24);
    assert!(world.bodies().iter().all(|body| body.velocity == DVec2::ZERO && body.spin == 0.0));
    let weight: f64 = world.bodies().iter().map(|body| 9.81 * body.mass).sum();
    let pressed = world.boundary_force(0);
    assert!((pressed - DVec2::new(0.0, -weight)).length() < 1e-3 * weight, "{pressed}");
}

#[test]
fn what_falls_on_a_tower_wakes_it_in_that_step_and_no_other() {
    let mut scene = towers(2, 4);
    dropped(&mut scene, 4);
    let mut world = World::new(scene.clone()).unwrap();
    let touches = |world: &World<Plane>| {
        let ball = Owner::Body(8);
        world
            .contacts()
            .iter()
            .any(|c| c.impulse != DVec2::ZERO && [c.first, c.second].contains(&ball))
    };
    while !touches(&world) {
        assert!(world.time() < 1.0, "the ball never lands");
        if world.time() > 0.05 {
            assert_eq!(world.asleep(), 8, "at t = {}", world.time());
        }
        run(&mut world, 1);
    }
    assert_eq!(world.asleep(), 4, "the tower under the ball is awake, the other is not");

    // Without rest all goes the same way.
    let mut reference = World::new(Setup { sleep: None, ..scene }).unwrap();
    let steps = world.steps() as usize;
    run(&mut reference, steps);
    run(&mut world, 50);
    run(&mut reference, 50);
    for (one, other) in world.bodies().iter().zip(reference.bodies()) {
        let apart = (one.pose.position - other.pose.position).length();
        assert!(apart < 1e-3 * BLOCK, "{apart:e}");
    }
}

#[test]
fn a_resumed_run_goes_on_in_the_same_bits() {
    let mut scene = towers(2, 3);
    dropped(&mut scene, 3);
    let mut world = World::new(scene.clone()).unwrap();
    for _ in 0..40 {
        let mut resumed = World::resume(scene.clone(), world.save()).unwrap();
        run(&mut resumed, 7);
        run(&mut world, 7);
        assert_eq!(resumed.save(), world.save());
    }
    assert!(world.asleep() > 0);
}

#[test]
fn threads_do_not_change_a_bit_of_what_rests() {
    let mut scene = towers(200, 3);
    dropped(&mut scene, 3);
    let [one, three] = [1, 3].map(|threads| {
        let mut world = World::new(scene.clone()).unwrap();
        world.set_threads(threads);
        let mut hashes = Vec::new();
        for _ in 0..8 {
            run(&mut world, 50);
            hashes.push((world.state_hash(), world.asleep()));
        }
        hashes
    });
    assert!(one.iter().any(|&(_, resting)| resting >= 597), "{one:?}");
    assert_eq!(one, three);
}

#[test]
fn all_wake_when_the_ground_is_removed() {
    let mut scene = towers(2, 2);
    scene.boundaries[0].removal = 0.2;
    let mut world = World::new(scene).unwrap();
    run(&mut world, 199);
    assert_eq!(world.asleep(), 4);
    run(&mut world, 51);
    assert_eq!(world.asleep(), 0);
    for body in world.bodies() {
        assert!((body.velocity.y + 9.81 * 0.05).abs() < 0.02, "{}", body.velocity);
    }
}

/// A wall that is driven into a tower at rest pushes it away.
#[test]
fn a_driven_boundary_wakes_what_it_meets() {
    let mut scene = towers(2, 2);
    let left =
        Pose::new(DVec2::new(-0.2, 0.0), Rotation::exponential(-std::f64::consts::FRAC_PI_2));
    let mut wall = fixed("wall", PlaneShape::HalfPlane, left);
    wall.drive = Drive::Motion(Motion {
        course: Course::Signals {
            direction: DVec2::X,
            displacement: Signal::Table(
                Table::new(vec![0.0, 0.1, 0.5], vec![0.0, 0.0, 0.2]).unwrap(),
            ),
            axis: 1.0,
            rotation: Signal::Constant(0.0),
        },
        start: 0.0,
        stop: f64::INFINITY,
    });
    scene.boundaries.push(wall);
    let mut world = World::new(scene).unwrap();
    run(&mut world, 250);
    assert_eq!(world.asleep(), 4);
    run(&mut world, 200);
    assert_eq!(world.asleep(), 2, "the tower that is pushed is awake, the other is not");
    let [low, other] = [0, 2].map(|index| world.bodies()[index].pose.position.x);
    assert!((low - 0.075).abs() < 0.005 && (other - 3.0 * BLOCK).abs() < 1e-4, "{low} {other}");
}

/// A block that slides on, however slowly, is not at rest.
#[test]
fn what_slides_is_never_left_alone() {
    let mut scene = towers(1, 1);
    scene.gravity = DVec2::new(0.52 * 9.81, -9.81);
    let mut world = World::new(scene).unwrap();
    run(&mut world, 200);
    assert_eq!(world.asleep(), 0);
    let speed = 0.2 * (0.52 - 0.5) * 9.81;
    assert!((world.bodies()[0].velocity.x / speed - 1.0).abs() < 0.01);
}

#[test]
fn springs_between_materials_refuse_rest() {
    let mut scene = towers(1, 1);
    let spring = ContactSpring { stiffness: 1.0, reach: 0.1 };
    scene.laws = LawTable::uniform(1, PairLaw { spring, ..PairLaw::default() });
    let refused = World::new(scene).unwrap_err();
    assert_eq!(refused, SetupError::NoSleep { beside: "contact springs" });
}
