//! Together with impacts, moving boundaries, several threads, resumed runs, rest, drag, solids, joints.

use super::plane::{rocker_rate, weighted_disk};
use super::{G, empty, energy, orders, run};
use crate::support::{body, fixed, heap_with, integrate, order, pad, wall};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Boundary, ContactForm, Course, Dimension, Drag, Drive, Joint, JointKind, JointSide, LawTable,
    MoreauLaw, Motion, Owner, Scheme, Setup, SetupError, Signal, SleepSettings, World,
};
use drystone_space::math::{cos, sin};
use drystone_space::{DVec2, DVec3, Plane, Pose, Rotation, Volume};

/// A disk with a weight in it falls on the floor by 2 cm, and rolls to and fro from then on. What follows is held against its equation from what
/// the impact has left.
#[test]
fn what_follows_an_impact_is_of_second_order() {
    let after = |scheme, h: f64| {
        let mut setup = empty::<Plane>(-DVec2::Y * G, 2.0, scheme, h);
        setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
        let (disk, radius, off) = weighted_disk(1.0, 0.02);
        let (m, i) = (disk.mass, disk.moments);
        setup.bodies.push(disk);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 0.2);
        assert!(world.ledger().impact_loss > 0.0);
        let (angle, spin) = (world.bodies()[0].pose.rotation.angle(), world.bodies()[0].spin);
        let end = 2.0;
        run(&mut world, end);
        let wanted =
            integrate([angle, spin], end, 20_000, |state| rocker_rate(state, m, i, radius, off));
        (world.bodies()[0].pose.rotation.angle() - wanted[0]).abs()
    };
    let [first, second] = orders(4e-3, after);
    assert!(first.iter().all(|order| (order - 1.0).abs() < 0.3), "{first:?}");
    assert!(second.iter().all(|order| (order - 2.0).abs() < 0.4), "{second:?}");
}

/// A block sticks on a table that is shaken along and across: it moves as the table does.
#[test]
fn what_sticks_to_a_shaken_table_moves_as_it_does() {
    let off = |scheme, h: f64| {
        let mut setup = empty::<Plane>(-DVec2::Y * G, 0.9, scheme, h);
        let table = fixed("table", PlaneShape::HalfPlane, Pose::IDENTITY);
        let (amplitude, rate, phase) = (0.02, 3.0 * std::f64::consts::PI, 0.7);
        let displacement = Signal::Sinusoid { mean: 0.0, amplitude, frequency: 1.5, phase };
        let course = Course::Signals {
            direction: DVec2::new(0.8, 0.6),
            displacement,
            axis: 0.0,
            rotation: Signal::Constant(0.0),
        };
        let drive = Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY });
        setup.boundaries.push(Boundary { drive, ..table });
        let shape = PlaneShape::Polygon(Polygon::rectangle(0.3, 0.1).unwrap());
        let mut block = body(shape, Pose::at(DVec2::Y * 0.05));
        block.velocity = DVec2::new(0.8, 0.6) * (amplitude * rate * cos(phase));
        setup.bodies.push(block);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 0.9);
        let way = amplitude * (sin(rate * 0.9 + phase) - sin(phase));
        let place = DVec2::Y * 0.05 + DVec2::new(0.8, 0.6) * way;
        (world.bodies()[0].pose.position - place).length()
    };
    let [first, second] = orders(4e-3, off);
    println!("{first:.2?} {second:.2?}");
    assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
}

/// A block on a table that starts and stops at once is left with the table's velocity, not thrown on by the jump.
#[test]
fn a_jump_of_a_boundary_is_no_curve() {
    let mut setup = empty::<Plane>(-DVec2::Y * G, 1e3, Scheme::SecondOrder, 1e-3);
    let course = Course::Velocity { linear: DVec2::X * 0.5, spin: 0.0 };
    let drive = Drive::Motion(Motion { course, start: 0.1, stop: 0.2 });
    let table = fixed("table", PlaneShape::HalfPlane, Pose::IDENTITY);
    setup.boundaries.push(Boundary { drive, ..table });
    let shape = PlaneShape::Polygon(Polygon::rectangle(2.0, 0.01).unwrap());
    setup.bodies.push(body(shape, Pose::at(DVec2::Y * 0.005)));
    let mut world = World::new(setup).unwrap();
    let mut fastest = 0.0f64;
    for _ in 0..300 {
        run(&mut world, 1e-3);
        fastest = fastest.max(world.bodies()[0].velocity.x);
    }
    assert!(fastest < 0.5 * (1.0 + 1e-9), "{fastest}");
    assert!((world.bodies()[0].pose.position.x - 0.05).abs() < 1e-3);
    assert!(world.bodies()[0].velocity.length() < 1e-9);
}

/// Boxes that tumble and collide without loss keep their energy.
#[test]
fn boxes_that_collide_without_loss_keep_their_energy() {
    let mut setup = empty::<Volume>(DVec3::ZERO, 0.0, Scheme::SecondOrder, 1e-3);
    let law = MoreauLaw { normal_restitution: 1.0, ..Default::default() };
    setup.laws = LawTable::uniform(1, law);
    for (index, place) in [DVec3::ZERO, DVec3::new(1.0, 0.1, 0.2)].into_iter().enumerate() {
        let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.2, 0.3, 0.4)).unwrap());
        let mut one = body(shape, Pose::at(place));
        one.velocity = DVec3::X * if index == 0 { 1.0 } else { -1.0 };
        one.set_world_spin(DVec3::new(1.0, 2.0, -1.0) * if index == 0 { 2.0 } else { -1.0 });
        setup.bodies.push(one);
    }
    let mut world = World::new(setup).unwrap();
    let momentum = |world: &World<Volume>| {
        let of = |body: &drystone_engine::Body<Volume>| {
            body.pose.position.cross(body.velocity) * body.mass
                + body.pose.rotation * (body.moments * body.spin)
        };
        world.bodies().iter().map(of).fold(DVec3::ZERO, |sum, part| sum + part)
    };
    let (start, turning) = (energy(&world), momentum(&world));
    let velocity = world.bodies()[0].velocity;
    run(&mut world, 1.0);
    assert!((world.bodies()[0].velocity - velocity).length() > 0.1, "they have met");
    let change = energy(&world) / start - 1.0;
    let turned = (momentum(&world) - turning).length() / turning.length();
    println!("energy {change:e}, angular momentum {turned:e}");
    assert!(change.abs() < 1e-9, "{change:e}");
    // The blow turns with the body as it was before: of first order in the step, as in Moreau's.
    assert!(turned < 1e-3, "{turned:e}");
}

fn law() -> MoreauLaw {
    MoreauLaw { friction: 0.3.into(), ..MoreauLaw::default() }
}

/// The same scene in the step of second order.
fn second<S: Dimension>(world: &World<S>, margin: f64) -> Setup<S> {
    let form = ContactForm::Gap { margin, recovery_speed: 0.05, recovery_share: 1.0 };
    let bodies = world.bodies().to_vec();
    Setup { scheme: Scheme::SecondOrder, form, bodies, ..world.setup().clone() }
}

/// Threads, and a run that is taken up again, change no bit.
#[test]
fn threads_and_resuming_change_no_bit() {
    let setup = second(&heap_with(10, law()), 1e-4);
    let mut hashes = [1, 3].map(|threads| {
        let mut world = World::new(setup.clone()).unwrap();
        world.set_threads(threads);
        (0..30).for_each(|_| assert!(world.step().is_ok()));
        let state = world.save();
        let mut again = World::resume(setup.clone(), state).unwrap();
        (0..10).for_each(|_| assert!(world.step().is_ok()));
        (0..10).for_each(|_| assert!(again.step().is_ok()));
        assert_eq!(world.state_hash(), again.state_hash());
        world.state_hash()
    });
    hashes.sort_unstable();
    assert_eq!(hashes[0], hashes[1]);
    let mut moreau = World::new(Setup { scheme: Scheme::Moreau, ..setup }).unwrap();
    (0..40).for_each(|_| assert!(moreau.step().is_ok()));
    assert_ne!(moreau.state_hash(), hashes[0]);
}

/// A wall stands still in both steps, and falls asleep in both.
#[test]
fn a_wall_stands_and_falls_asleep() {
    let asleep = [Scheme::Moreau, Scheme::SecondOrder].map(|scheme| {
        let sleep = Some(SleepSettings { steps: 20, ..SleepSettings::default() });
        let setup = Setup { sleep, scheme, ..second(&wall(2), 1e-4) };
        let mut world = World::new(setup).unwrap();
        let start: Vec<DVec2> = world.bodies().iter().map(|body| body.pose.position).collect();
        run(&mut world, 0.5);
        let moved = world.bodies().iter().zip(start).map(|(b, s)| (b.pose.position - s).length());
        let moved = moved.fold(0.0, f64::max);
        println!("{scheme:?}: {} asleep, moved {moved:e}", world.asleep());
        assert!(moved < 1e-6, "{moved:e}");
        world.asleep()
    });
    assert_eq!(asleep, [16, 16]);
}

/// A heap of grains loses energy only, and its overlaps stay small, as in Moreau's step.
#[test]
fn a_heap_settles() {
    let settled = [Scheme::Moreau, Scheme::SecondOrder].map(|scheme| {
        let setup = Setup { scheme, ..second(&heap_with(6, law()), 1e-4) };
        let mut world = World::new(setup).unwrap();
        let (mut deepest, mut last) = (0.0f64, energy(&world));
        for _ in 0..400 {
            let report = world.step().unwrap();
            deepest = deepest.max(report.penetration_relative);
            let now = energy(&world) - world.ledger().recovery_work;
            assert!(now < last + 1e-3 * world.ledger().scale, "{now} after {last}");
            last = now;
        }
        assert!(world.ledger().closure_max < 1e-10);
        (world.ledger().potential, deepest)
    });
    println!("{settled:?}");
    assert!((settled[0].0 / settled[1].0 - 1.0).abs() < 0.03, "{settled:?}");
    assert!(settled[1].1 < 0.02, "{settled:?}");
}

/// A ball bounces to the same heights as in Moreau's step, bit by bit: impacts are the same.
#[test]
fn impacts_are_those_of_moreau() {
    let [one, other] = [Scheme::Moreau, Scheme::SecondOrder].map(|scheme| {
        let mut setup = empty::<Volume>(-DVec3::Z * G, 0.0, scheme, 1e-3);
        setup.laws = LawTable::uniform(1, MoreauLaw { normal_restitution: 0.8, ..law() });
        setup.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
        let place = Pose::at(DVec3::Z * 0.5);
        setup.bodies.push(body(VolumeShape::Sphere { radius: 0.1 }, place));
        let mut world = World::new(setup).unwrap();
        run(&mut world, 1.5);
        world.state_hash()
    });
    assert_eq!(one, other);
}

/// Drag on a body that tumbles on the floor: the books close.
#[test]
fn drag_and_tumbling_go_together() {
    let mut setup = empty::<Volume>(-DVec3::Z * G, 0.3, Scheme::SecondOrder, 1e-3);
    setup.solver.tolerance = 1e-8;
    setup.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.2, 0.3, 0.4)).unwrap());
    let mut one = body(shape, Pose::at(DVec3::Z * 0.5));
    one.set_world_spin(DVec3::new(4.0, 8.0, -3.0));
    setup.bodies.push(one);
    setup.drags.push(Drag { body: 0, linear: 3.0, quadratic: 5.0, spin: 0.5 });
    let mut world = World::new(setup).unwrap();
    run(&mut world, 1.0);
    assert!(world.ledger().drag_loss > 0.0 && world.ledger().scheme_work != 0.0);
}

/// Beside a soft block: the books close, and both stay where they should.
#[test]
fn solids_are_beside() {
    let mut setup = second(&wall(3), 1e-4);
    setup.laws = LawTable::uniform(2, law());
    // One beside the wall, one on it.
    setup.solids.extend([pad(-2.0, 0.0), pad(2.0, 1.2)]);
    let mut world = World::new(setup).unwrap();
    for _ in 0..200 {
        let report = world.step().unwrap();
        assert!(report.converged);
    }
    assert!(world.ledger().closure_max < 1e-10, "{:e}", world.ledger().closure_max);
}

/// A chain of thirty links runs over a pulley: with half the step it comes nearer to where it is with a quarter. Links land on the pulley, which
/// leaves the first order.
#[test]
fn a_chain_runs_over_a_pulley() {
    let runs = [4e-3, 2e-3, 1e-3, 5e-4].map(|h| {
        let mut setup = empty::<Plane>(-DVec2::Y * G, 0.0, Scheme::SecondOrder, h);
        setup.solver.tolerance = 1e-9;
        chain(&mut setup);
        let mut world = World::new(setup).unwrap();
        let scale = 30.0 * world.bodies()[0].mass * G * 0.1;
        let [grown, change] = run(&mut world, 0.3).map(|energy| energy / scale);
        println!("{h}: grown {grown:e}, change {change:e}");
        // Links that land on the pulley lose.
        assert!(grown < 1e-3 && change < 0.0);
        world.bodies()[29].pose.position
    });
    let apart = [0, 1, 2].map(|i| (runs[i] - runs[i + 1]).length());
    println!("{apart:?}, orders {} {}", order([apart[0], apart[1]]), order([apart[1], apart[2]]));
    assert!(apart[0] < 2e-4 && apart[1].max(apart[2]) < 0.5 * apart[0], "{apart:?}");
}

/// Links of 10 cm that lie half around a disk and hang down on both sides.
fn chain(setup: &mut Setup<Plane>) {
    let radius = 0.3;
    setup.boundaries.push(fixed("pulley", PlaneShape::Disk { radius }, Pose::IDENTITY));
    // Pins on a path: up on the left, around at a little more than the radius, down on the right.
    let out = radius + 0.02;
    let turn = 2.0 * drystone_space::math::asin(0.05 / out);
    let around = (std::f64::consts::PI / turn).ceil() as usize;
    let first = std::f64::consts::FRAC_PI_2 + 0.5 * turn * around as f64;
    let bend = |i: usize| {
        let angle = first - turn * i as f64;
        DVec2::new(cos(angle), sin(angle)) * out
    };
    let left = 8;
    let pins: Vec<DVec2> = (0..=30)
        .map(|i| match i {
            i if i < left => bend(0) - DVec2::Y * (0.1 * (left - i) as f64),
            i if i <= left + around => bend(i - left),
            i => bend(around) - DVec2::Y * (0.1 * (i - left - around) as f64),
        })
        .collect();
    for (index, ends) in pins.windows(2).enumerate() {
        let along = ends[1] - ends[0];
        let shape = PlaneShape::Polygon(Polygon::rectangle(0.1, 0.02).unwrap());
        let angle = along.y.atan2(along.x);
        let turn = drystone_space::PlaneRotation::from_angle(angle);
        setup.bodies.push(body(shape, Pose::new((ends[0] + ends[1]) * 0.5, turn)));
        if index > 0 {
            let owners = [index as u32 - 1, index as u32];
            let frames = [0.05, -0.05].map(|x| Pose::new(DVec2::X * x, Rotation::IDENTITY));
            let sides = [0, 1].map(|side| JointSide {
                owner: Some(Owner::Body(owners[side])),
                frame: frames[side],
            });
            setup.joints.push(Joint::new(JointKind::Hinge, sides));
        }
    }
}

/// What it cannot be had with is refused, and says why.
#[test]
fn what_does_not_go_together_is_refused() {
    let setup = Setup { form: ContactForm::Velocity, ..second(&wall(1), 1e-4) };
    let error = World::new(setup).unwrap_err();
    assert!(matches!(error, SetupError::NoSecondOrder { .. }), "{error}");
    assert!(error.to_string().contains("velocity form"), "{error}");
}
