//! Scenes of space.

use super::{G, empty, orders, run};
use crate::support::{body, fixed, integrate};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Body, Boundary, Course, Drive, Joint, JointKind, JointSide, MassProperties, MaterialId, Motion,
    Owner, Part, Scheme, Setup, World,
};
use drystone_space::math::{cos, sin};
use drystone_space::{DMat3, DQuat, DVec3, Pose, Volume};

/// Distance from the tip of the top to its centre of mass, mass, moments about the axis and about the tip.
const ARM: f64 = 0.05;
const MASS: f64 = 0.1;
const ALONG: f64 = 4e-5;
const ACROSS: f64 = 3e-5;

/// What holds the tip.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// A rough floor.
    Floor,
    /// A ball joint.
    Joint,
}

/// A top of two cones at a tilt, with a spin about its axis and a precession: tilt, rate of tilt, azimuth and its rate.
fn top(setup: &mut Setup<Volume>, hold: Hold, tilt: f64, spin: f64, precession: f64) {
    let disk = (0..6).map(|i| {
        let angle = std::f64::consts::FRAC_PI_3 * f64::from(i);
        DVec3::new(0.02 * cos(angle), 0.02 * sin(angle), 0.0)
    });
    let points: Vec<DVec3> = [-DVec3::Z * ARM, DVec3::Z * ARM].into_iter().chain(disk).collect();
    let shape = VolumeShape::Polyhedron(Polyhedron::hull(&points).unwrap());
    let inertia = drystone_space::Symmetric3::from_matrix(DMat3::from_diagonal(DVec3::new(
        ACROSS, ACROSS, ALONG,
    )));
    let properties = MassProperties { mass: MASS, centre: DVec3::ZERO, inertia };
    let turn = DQuat::from_rotation_y(tilt);
    let axis = turn * DVec3::Z;
    let part = Part::new(shape, MaterialId(0));
    let mut top = Body::new(properties, vec![part], Pose::new(axis * ARM, turn));
    let whole = DVec3::Z * precession + axis * spin;
    top.set_world_spin(whole);
    top.velocity = whole.cross(axis * ARM);
    setup.bodies.push(top);
    match hold {
        Hold::Floor => {
            setup.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
        }
        Hold::Joint => {
            let tip = Pose::at(-DVec3::Z * ARM);
            let sides = [(Some(Owner::Body(0)), tip), (None, Pose::IDENTITY)];
            let sides = sides.map(|(owner, frame)| JointSide { owner, frame });
            setup.joints.push(Joint::new(JointKind::Ball, sides));
        }
    }
}

/// Lagrange's top by tilt, its rate, and azimuth: with the momenta about the vertical and about the axis.
fn lagrange(tilt: f64, spin: f64, precession: f64, time: f64) -> DVec3 {
    let about_tip = ACROSS + MASS * ARM * ARM;
    let along = ALONG * (spin + precession * cos(tilt));
    let vertical = about_tip * sin(tilt) * sin(tilt) * precession + along * cos(tilt);
    let [tilt, _, azimuth] = integrate([tilt, 0.0, 0.0], time, 40_000, |[tilt, rate, _]| {
        let (s, c) = (sin(tilt), cos(tilt));
        let turn = (vertical - along * c) / (about_tip * s * s);
        let bend = turn * turn * s * c + (MASS * G * ARM * s - along * turn * s) / about_tip;
        [rate, bend, turn]
    });
    DVec3::new(sin(tilt) * cos(azimuth), sin(tilt) * sin(azimuth), cos(tilt)) * ARM
}

/// A top that nods: distance of its centre of mass from where it should be, growth of its energy and its change.
fn nodding(scheme: Scheme, h: f64, hold: Hold, time: f64) -> [f64; 3] {
    let mut setup = empty::<Volume>(-DVec3::Z * G, 10.0, scheme, h);
    let (tilt, spin, precession) = (0.5, 300.0, 2.0);
    top(&mut setup, hold, tilt, spin, precession);
    let mut world = World::new(setup).unwrap();
    let energies = run(&mut world, time).map(|energy| energy / (MASS * G * ARM));
    let wanted = lagrange(tilt, spin, precession, time);
    [(world.bodies()[0].pose.position - wanted).length() / ARM, energies[0], energies[1]]
}

#[test]
fn a_heavy_top_nods_and_precesses() {
    for hold in [Hold::Floor, Hold::Joint] {
        let [first, second] = orders(1e-3, |scheme, h| {
            let [error, grown, change] = nodding(scheme, h, hold, 0.3);
            println!("{hold:?} {scheme:?} {h}: {error:e}, energy +{grown:e}, {change:e}");
            error
        });
        println!("{hold:?}: {first:.2?} {second:.2?}");
        assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
    }
}

/// A ball rolls off the top of a fixed one, spinning about the line of their centres.
fn ball_on_ball(scheme: Scheme, h: f64) -> f64 {
    let (large, small, speed, end) = (1.0, 0.3, 0.8, 0.5);
    let mut setup = empty::<Volume>(-DVec3::Z * G, 2.0, scheme, h);
    let hill = VolumeShape::Sphere { radius: large };
    setup.boundaries.push(fixed("hill", hill, Pose::IDENTITY));
    let mut ball =
        body(VolumeShape::Sphere { radius: small }, Pose::at(DVec3::Z * (large + small)));
    ball.velocity = DVec3::X * speed;
    let twist = 6.0;
    ball.set_world_spin(DVec3::new(0.0, speed / small, twist));
    setup.bodies.push(ball);
    let mut world = World::new(setup).unwrap();
    run(&mut world, end);
    // With the unit normal n: spin ω along n is constant for balls that roll, v = ω × (small n) ...
    let arm = large + small;
    // State: n and ω. Torque about the contact point: (I + m r²) on what is across n.
    let k = 0.4 * small * small;
    let [x, y, z, ..] =
        integrate([0.0, 0.0, 1.0, 0.0, speed / small, twist], end, 5000, |[x, y, z, a, b, c]| {
            let (n, w) = (DVec3::new(x, y, z), DVec3::new(a, b, c));
            let turn = w.cross(n) * (small / arm);
            // m v' = m g + F, k m ω' = −r n × F, v = r ω × n.
            // k ω' = −r n × (v' − g), v' = r (ω' × n + ω × n').
            let known = n.cross(w.cross(turn) * small - DVec3::NEG_Z * G) * -small;
            // k ω' + r² n × (ω' × n) = known; n × (ω' × n) = ω' − n (n·ω').
            let normal = n * n.dot(known) / k;
            let across = (known - n * n.dot(known)) / (k + small * small);
            let change = normal + across;
            [turn.x, turn.y, turn.z, change.x, change.y, change.z]
        });
    (world.bodies()[0].pose.position - DVec3::new(x, y, z) * arm).length()
}

#[test]
fn a_spinning_ball_rolls_off_a_ball() {
    let [first, second] = orders(4e-3, ball_on_ball);
    println!("{first:.2?} {second:.2?}");
    assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
}

/// A block stands on a table whose turning grows: it stays where it is on the table.
fn turning_table(scheme: Scheme, h: f64) -> f64 {
    let (radius, spin, end) = (0.5, 1.5, 2.0);
    let mut setup = empty::<Volume>(-DVec3::Z * G, 0.5, scheme, h);
    let table = fixed("table", VolumeShape::HalfSpace, Pose::IDENTITY);
    let course = Course::Velocity { linear: DVec3::ZERO, spin: DVec3::Z * spin };
    let drive = Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY });
    setup.boundaries.push(Boundary { drive, ..table });
    let size = DVec3::new(0.2, 0.1, 0.1);
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(size).unwrap());
    let mut block = body(shape, Pose::at(DVec3::new(radius, 0.0, 0.05)));
    block.velocity = DVec3::Y * (spin * radius);
    block.set_world_spin(DVec3::Z * spin);
    setup.bodies.push(block);
    let mut world = World::new(setup).unwrap();
    run(&mut world, end);
    let angle = spin * end;
    let wanted = DVec3::new(radius * cos(angle), radius * sin(angle), 0.05);
    (world.bodies()[0].pose.position - wanted).length()
}

#[test]
fn a_block_stays_on_a_turning_table() {
    let [first, second] = orders(4e-3, turning_table);
    println!("{first:.2?} {second:.2?}");
    assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
}
