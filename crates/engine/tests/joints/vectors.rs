//! Friction and springs along what has more than one direction: universal, planar and ball joints.

use super::{G, along, joint, run};
use crate::support::{body, setup};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Body, Characteristic, DriveLaw, Freedom, JointDrive, JointFriction, JointKind, Jointed, Owner,
    Setup, Signal, Target, World,
};
use drystone_space::{DVec3, Pose, Volume, math};

/// A ball that is held at its centre to the ground.
fn held(kind: JointKind, gravity: DVec3, change: impl Fn(&mut Body<Volume>)) -> Setup<Volume> {
    let mut setup: Setup<Volume> = setup(gravity, 0.3);
    let mut ball = body(VolumeShape::Sphere { radius: 0.1 }, Pose::at(DVec3::ZERO));
    (ball.mass, ball.moments) = (10.0, DVec3::splat(0.04));
    change(&mut ball);
    setup.bodies.push(ball);
    let owners = [Some(Owner::Body(0)), None];
    let made = joint(&setup, kind, owners, DVec3::ZERO, along::<Volume>(DVec3::Z));
    setup.joints.push(made);
    setup.solver.tolerance = 1e-11;
    setup
}

fn spring(freedom: Freedom, stiffness: f64, damping: f64) -> JointDrive {
    let of = Characteristic { stiffness, damping, ..Characteristic::default() };
    JointDrive { freedom, law: DriveLaw::Spring(of) }
}

/// A puck on a planar joint slides and spins: what slides is the vector (v, r ω), whose direction stays, so that both come to rest at once, after
/// |(v, r ω)| over the deceleration; with I = m r² both parts are slowed alike.
#[test]
fn a_planar_joint_rubs_along_its_plane_and_about_its_axis_at_once() {
    let (mu, radius) = (0.2, 0.05f64);
    let (velocity, spin) = (DVec3::new(0.3, 0.4, 0.0), 8.0);
    let mut setup = held(JointKind::Planar, DVec3::new(0.0, 0.0, -G), |ball| {
        ball.moments = DVec3::splat(10.0 * radius * radius);
        (ball.velocity, ball.spin) = (velocity, DVec3::Z * spin);
    });
    setup.joints[0].friction =
        Some(JointFriction { coefficient: mu, radius, ..JointFriction::default() });
    let speed = (velocity.length_squared() + radius * radius * spin * spin).sqrt();
    let time = speed / (mu * G);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 160);
    let left = 1.0 - 0.16 / time;
    let ball = &world.bodies()[0];
    assert!((ball.velocity - velocity * left).length() < 1e-8, "{} {left}", ball.velocity);
    assert!(
        (ball.world_spin() - DVec3::Z * (spin * left)).length() < 1e-6,
        "{}",
        ball.world_spin()
    );
    run(&mut world, (time * 1e3) as usize - 160 + 10);
    let ball = &world.bodies()[0];
    assert!(ball.velocity.length() < 1e-10 && ball.world_spin().length() < 1e-8);
    // It went half of what it would have gone; each step is taken at the mean of its speeds.
    let way = velocity * (0.5 * time);
    assert!((ball.pose.position - way).length() < 1e-6, "{} {way}", ball.pose.position);
    let lost = world.ledger().friction_loss / (0.5 * 10.0 * speed * speed);
    assert!((lost - 1.0).abs() < 1e-9, "{lost}");
}

/// A puck on springs across its planar joint goes on the ellipse of a spring in proportion, whichever way its axes are turned.
#[test]
fn springs_across_a_planar_joint_make_an_ellipse() {
    let (k, speed) = (640.0, DVec3::new(0.8, -0.3, 0.0));
    let mut setup = held(JointKind::Planar, DVec3::ZERO, |ball| ball.velocity = speed);
    setup.joints[0].drives.push(spring(Freedom::Across, k, 0.0));
    let mut world = World::new(setup).unwrap();
    let start = world.ledger().kinetic;
    run(&mut world, 700);
    let wanted = speed * (math::sin(8.0 * 0.7) / 8.0);
    let found = world.bodies()[0].pose.position;
    assert!((found - wanted).length() < 1e-5, "{found} {wanted}");
    let now = world.ledger().kinetic + world.ledger().springs;
    assert!((now / start - 1.0).abs() < 1e-10, "{now} {start}");
}

/// A ball joint with a spring against every turn: a body with equal moments swings about the axis it was spun about, with ω = √(k/I) and
/// decaying as the damper has it. One against its tilt leaves the twist alone.
#[test]
fn a_ball_joint_has_springs_against_turns_and_against_its_tilt() {
    let axis = DVec3::new(0.48, 0.6, 0.64);
    let (k, d) = (4.0, 0.08);
    let swing = |t: f64, spin: f64| {
        let (decay, omega) = (0.5 * d / 0.04, (k / 0.04 - 0.25 * (d / 0.04f64).powi(2)).sqrt());
        spin / omega * math::exp(-decay * t) * math::sin(omega * t)
    };
    let mut setup = held(JointKind::Ball, DVec3::ZERO, |ball| ball.spin = axis * 5.0);
    setup.joints[0].drives.push(spring(Freedom::Turn, k, d));
    let mut world = World::new(setup).unwrap();
    run(&mut world, 400);
    let turn = Volume::turn(world.bodies()[0].pose.rotation, Default::default());
    let wanted = axis * swing(0.4, 5.0);
    assert!((turn - wanted).length() < 2e-5, "{turn} {wanted}");
    let ledger = world.ledger();
    let sum = ledger.kinetic + ledger.springs + ledger.damping_loss;
    assert!((sum / 0.5 - 1.0).abs() < 1e-5, "{ledger:?}");

    let level = DVec3::new(0.6, 0.8, 0.0);
    let mut setup = held(JointKind::Ball, DVec3::ZERO, |ball| ball.spin = level * 5.0);
    setup.joints[0].drives.push(spring(Freedom::Tilt, k, d));
    let mut tilts = World::new(setup.clone()).unwrap();
    run(&mut tilts, 400);
    let turn = Volume::turn(tilts.bodies()[0].pose.rotation, Default::default());
    let wanted = level * swing(0.4, 5.0);
    assert!((turn - wanted).length() < 2e-5, "{turn} {wanted}");
    setup.bodies[0].spin = DVec3::Z * 5.0;
    let DriveLaw::Spring(of) = &mut setup.joints[0].drives[0].law else { panic!("a spring") };
    of.damping = 0.0;
    let mut twists = World::new(setup).unwrap();
    run(&mut twists, 100);
    assert!((twists.bodies()[0].world_spin() - DVec3::Z * 5.0).length() < 1e-12);
}

/// A cross of two pins whose first axis is held by the body: springs about both axes, and a motor about the second, which the body's weight
/// does not load; friction holds a couple about either pin up to its bound, and above it lets it go.
#[test]
fn a_universal_joint_is_driven_about_both_axes() {
    let axes = |setup: &Setup<Volume>| {
        let frame = setup.joints[0].sides[1].frame.rotation;
        [frame * DVec3::Z, frame * DVec3::X]
    };
    // A small swing about each axis: ω = √(k/I).
    for (freedom, number) in [(Freedom::Angle, 0), (Freedom::SecondAngle, 1)] {
        let mut setup = held(JointKind::Universal, DVec3::ZERO, |_| {});
        let axis = axes(&setup)[number];
        setup.bodies[0].set_world_spin(axis * 0.3);
        setup.joints[0].drives.push(spring(freedom, 4.0, 0.0));
        let mut world = World::new(setup).unwrap();
        run(&mut world, 400);
        let turn = Volume::turn(world.bodies()[0].pose.rotation, Default::default());
        let wanted = axis * (0.03 * math::sin(4.0));
        assert!((turn - wanted).length() < 2e-6, "{freedom:?} {turn} {wanted}");
    }
    // A motor turns it about the second axis, and friction of the first pin keeps it from turning about that.
    let mut setup = held(JointKind::Universal, DVec3::ZERO, |_| {});
    let second = axes(&setup)[1];
    let target = Target::Speed(Signal::Constant(2.0));
    let law = DriveLaw::Motor { target, most: f64::INFINITY };
    setup.joints[0].drives.push(JointDrive { freedom: Freedom::SecondAngle, law });
    let mut world = World::new(setup).unwrap();
    run(&mut world, 500);
    let turn = Volume::turn(world.bodies()[0].pose.rotation, Default::default());
    assert!((turn - second * (1.0 - 1e-3)).length() < 1e-6, "{turn}");
    // Couples about both pins, of which one is within the friction of 0.1 N m and the other above it by 0.02.
    let mut setup = held(JointKind::Universal, DVec3::ZERO, |_| {});
    let [first, second] = axes(&setup);
    setup.joints[0].friction = Some(JointFriction { least: 0.1, ..JointFriction::default() });
    let mut world = World::new(setup).unwrap();
    let torque = first * 0.099 + second * 0.12;
    world.set_wrench(0, drystone_engine::Wrench { force: DVec3::ZERO, torque }).unwrap();
    run(&mut world, 200);
    let spin = world.bodies()[0].world_spin();
    assert!((spin - second * (0.02 / 0.04 * 0.2)).length() < 1e-8, "{spin}");
}
