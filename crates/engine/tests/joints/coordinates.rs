//! Mechanisms in reduced coordinates, beside the same held by equations and beside systems whose A(q) is written by hand.

use super::reduced::{DoublePendulum, FREE, TIP, run_to};
use super::{G, along, bar, hinge, joint, order, plane};
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Boundary, Dimension, JointCoordinates, JointKind, JointStrength, Lagrangian, LagrangianRun,
    Owner, Part, Setup, SetupError, SystemContact, World,
};
use drystone_space::{DQuat, DVec2, DVec3, Plane, Pose, Volume};

/// What joints may drift that cannot open, in scenes of a metre: rounding.
const ROUNDING: f64 = 1e-14;

/// The same scene with all its joints in reduced coordinates.
pub fn reduced<S: Dimension>(mut setup: Setup<S>) -> Setup<S> {
    for joint in &mut setup.joints {
        joint.coordinates = JointCoordinates::Reduced;
    }
    setup
}

/// Runs for so many steps: the books must close at every one, and joints are where they are but for rounding.
pub fn run_reduced<S: Dimension>(world: &mut World<S>, steps: usize) {
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged, "t = {}: {report:?}", world.time());
        let closure = world.ledger().closure();
        assert!(closure < 1e-11, "{closure:e} at t = {}: {:?}", world.time(), world.ledger());
        for reaction in world.joint_reactions() {
            let drift = reaction.drift.max(reaction.angle_drift);
            assert!(drift < ROUNDING, "a drift of {drift:e} at t = {}", world.time());
        }
    }
}

/// The double pendulum of `reduced.rs` as two bars on hinges.
fn double_pendulum(h: f64, system: &DoublePendulum) -> Setup<Plane> {
    let mut setup: Setup<Plane> = plane(h);
    let floor = Pose::at(DVec2::new(0.0, system.floor));
    setup.boundaries.push(crate::support::fixed("floor", PlaneShape::HalfPlane, floor));
    for (number, from) in [(0, DVec2::ZERO), (1, DVec2::X)] {
        let mut body = bar(from, from + DVec2::X);
        (body.mass, body.moments) = (1.0, 1.0 / 12.0);
        let tip = Part::new(PlaneShape::Disk { radius: TIP }, body.parts[0].material);
        let at = if number == 0 { 0.0 } else { 0.5 };
        body.parts = vec![tip.at(Pose::at(DVec2::new(at, 0.0)))].into();
        setup.bodies.push(body);
        hinge(&mut setup, number, number.checked_sub(1), from);
    }
    setup.solver.tolerance = 1e-12;
    setup
}

/// The double pendulum with its contact where scenes have it: in the middle of the overlap.
struct AsInScenes(DoublePendulum);

impl Lagrangian<Plane> for AsInScenes {
    fn freedoms(&self) -> usize {
        2
    }
    fn inertia(&self, q: &[f64], into: &mut [f64]) {
        self.0.inertia(q, into);
    }
    fn force(&self, time: f64, q: &[f64], u: &[f64], into: &mut [f64]) {
        self.0.force(time, q, u, into);
    }
    fn potential(&self, q: &[f64]) -> f64 {
        self.0.potential(q)
    }
    fn contacts(&self, time: f64, q: &[f64], show: &mut dyn FnMut(SystemContact<'_, Plane>)) {
        self.0.contacts(time, q, &mut |contact| {
            let [first, mut second] = [contact.map[0], contact.map[1]];
            second.x += 0.5 * contact.gap;
            show(SystemContact { map: &[first, second], ..contact });
        });
    }
}

/// Two bars on hinges in the coordinates of these are the double pendulum in its two angles, to rounding: as it swings, strikes a floor
/// and slides on it with friction.
#[test]
fn two_bars_are_the_double_pendulum_in_two_angles() {
    for system in [FREE, DoublePendulum { floor: -1.6, friction: 0.3, ..FREE }] {
        let h = 1e-3;
        let mut world = World::new(reduced(double_pendulum(h, &system))).unwrap();
        let start = (vec![0.0; 2], vec![0.0; 2]);
        let mut run = LagrangianRun::new(AsInScenes(system), h, start.0, start.1).unwrap();
        run_reduced(&mut world, 1000);
        run_to(&mut run, 1.0);
        let turned = [0, 1].map(|k| world.bodies()[k].pose.rotation.angle());
        let apart = (run.q()[0] - turned[0]).abs().max((run.q()[1] - turned[1]).abs());
        assert!(apart < 1e-10, "{apart:e}");
        let (own, other) = (world.ledger(), run.ledger());
        // Both tell what friction takes of a blow in ways of their own.
        let lost = [own.friction_loss + own.impact_loss, other.friction_loss + other.impact_loss];
        for [a, b] in [lost, [own.joint_work, other.scheme_work]] {
            assert!((a - b).abs() < 1e-9 * G, "{a} {b}");
        }
    }
}

/// Three boards in space: the first on the ground by a hinge, or free; the second on it by some joint, whose sides may change places;
/// the third on the second by a hinge. Gravity pulls, and all were pushed.
fn boards(h: f64, kind: JointKind, turned: bool, held: bool) -> Setup<Volume> {
    let mut setup: Setup<Volume> = crate::support::setup(DVec3::new(0.0, 0.0, -G), 0.3);
    setup.time_step = h;
    for number in 0..3 {
        let size = DVec3::new(0.5, 0.2, 0.1);
        let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(size).unwrap());
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5 * number as f64, -0.2));
        let place = DVec3::new(0.6 * number as f64, 0.1, 0.0);
        let mut body = crate::support::body(shape, Pose::new(place, turn));
        body.velocity = DVec3::new(0.2, -0.5, 0.4 * number as f64);
        body.set_world_spin(DVec3::new(1.0, 2.0 - number as f64, 1.5));
        setup.bodies.push(body);
    }
    let hinge = |owners, x: f64, axis: DVec3, setup: &mut Setup<Volume>| {
        let point = DVec3::new(x, 0.1, 0.0);
        let made = joint(setup, JointKind::Hinge, owners, point, along::<Volume>(axis));
        setup.joints.push(made);
    };
    let body = |number: u32| Some(Owner::Body(number));
    if held {
        hinge([body(0), None], -0.3, DVec3::new(1.0, 2.0, 0.5), &mut setup);
    }
    let mut owners = [body(1), body(0)];
    if turned {
        owners.reverse();
    }
    let frame = along::<Volume>(DVec3::new(0.5, 1.0, -1.0));
    let made = joint(&setup, kind, owners, DVec3::new(0.3, 0.2, 0.1), frame);
    setup.joints.push(made);
    hinge([body(1), body(2)], 0.9, DVec3::new(0.0, 1.0, 1.0), &mut setup);
    setup
}

fn places<S: Dimension>(world: &World<S>) -> Vec<S::Vector> {
    world.bodies().iter().map(|body| body.pose.position).collect()
}

fn momentum(world: &World<Volume>) -> DVec3 {
    world.bodies().iter().map(|body| body.velocity * body.mass).sum()
}

fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

/// Every joint in space, with its sides either way, on a base that is held or free: of second order, and the limit is that of
/// equations with multipliers, to which these come with the first order that they have where bodies tumble.
#[test]
fn every_joint_in_space_is_of_second_order_and_has_the_limit_of_equations() {
    use JointKind::*;
    for kind in [Weld, Hinge, Slider, Cylindrical, Ball, Universal, Planar, Screw { pitch: 0.3 }] {
        for (turned, held) in [(false, true), (true, false)] {
            let end = |h: f64, in_coordinates: bool| {
                let setup = boards(h, kind, turned, held);
                let setup = if in_coordinates { reduced(setup) } else { setup };
                let mut world = World::new(setup).unwrap();
                let steps = (0.256 / h).round() as usize;
                let start = momentum(&world);
                match in_coordinates {
                    true => run_reduced(&mut world, steps),
                    false => assert!((0..steps).all(|_| world.step().unwrap().converged)),
                }
                // What nothing holds has the momentum that gravity gives it.
                let mass: f64 = world.bodies().iter().map(|body| body.mass).sum();
                let gained = momentum(&world) - start + DVec3::Z * (mass * G * world.time());
                (places(&world), world.ledger().joint_work, gained.length() / mass)
            };
            let [coarse, fine, exact] = [4e-3, 2e-3, 2.5e-4].map(|h| end(h, true));
            let errors = [apart(&coarse.0, &exact.0), apart(&fine.0, &exact.0)];
            let rate = order(errors);
            assert!(errors[1] < 1e-4, "{kind:?} {turned}: {errors:?}");
            assert!((rate - 2.0).abs() < 0.3, "{kind:?} {turned}: {rate} {errors:?}");
            assert!(fine.1.abs() < 0.4 * coarse.1.abs(), "{kind:?}: {:?}", [coarse.1, fine.1]);
            if !held {
                let kept = [coarse.2, fine.2];
                assert!(kept[1] < 1e-3 && kept[1] < 0.3 * kept[0] + 1e-12, "{kind:?}: {kept:?}");
                assert!(end(1e-3, false).2 < 1e-11, "{kind:?}");
            }
            let from_rows = [1e-3, 5e-4].map(|h| apart(&end(h, false).0, &exact.0));
            assert!(
                from_rows[1] < 2e-4 && from_rows[1] < 0.6 * from_rows[0],
                "{kind:?} {from_rows:?}"
            );
        }
    }
}

/// A bar pinned at its end to a base that is told to move across it, all at once: its middle goes with a quarter of that speed. The base
/// gives m v²/4, of which half is lost.
#[test]
fn a_base_that_jumps_takes_along_what_hangs_on_it() {
    let mut setup = plane(1e-6);
    setup.gravity = DVec2::ZERO;
    setup.boundaries.push(Boundary {
        parts: Vec::new(),
        ..crate::support::fixed("base", PlaneShape::HalfPlane, Pose::IDENTITY)
    });
    let mut rod = bar(DVec2::ZERO, DVec2::X);
    (rod.mass, rod.moments) = (1.0, 1.0 / 12.0);
    setup.bodies.push(rod);
    let owners = [Some(Owner::Body(0)), Some(Owner::Boundary(0))];
    let turn = drystone_space::Rotation::<Plane>::IDENTITY;
    setup.joints.push(joint(&setup, JointKind::Hinge, owners, DVec2::ZERO, turn));
    let mut world = World::new(reduced(setup)).unwrap();
    run_reduced(&mut world, 3);
    world.set_boundary_motion(0, DVec2::new(0.0, 2.0), 0.0).unwrap();
    run_reduced(&mut world, 1);
    let body = &world.bodies()[0];
    assert!((body.velocity - DVec2::new(0.0, 0.5)).length() < 1e-5, "{:?}", body.velocity);
    assert!((body.spin + 3.0).abs() < 1e-5, "{}", body.spin);
    let ledger = world.ledger();
    assert!((ledger.boundary_work - 1.0).abs() < 1e-5, "{ledger:?}");
    assert!((ledger.joint_work + 0.5).abs() < 1e-5, "{ledger:?}");
    // Velocities that joints do not allow, set from outside, are the nearest that they do from then on: a quarter of the momentum
    // is left again.
    world.set_boundary_motion(0, DVec2::ZERO, 0.0).unwrap();
    world.set_spin(0, 0.0).unwrap();
    world.set_velocity(0, DVec2::new(0.0, 4.0)).unwrap();
    run_reduced(&mut world, 1);
    let body = &world.bodies()[0];
    assert!((body.spin - 6.0).abs() < 1e-4, "{}", body.spin);
}

/// Three links and a weight: the second hinge bears less than hangs on it. It breaks, what hung falls freely, and the rest swings on; a state
/// that was saved in between goes on in the same bits.
#[test]
fn a_joint_that_breaks_parts_the_tree() {
    let make = || {
        let mut setup = plane(1e-3);
        for link in 0..3u32 {
            let from = DVec2::new(0.0, -f64::from(link));
            setup.bodies.push(bar(from, from - DVec2::Y));
            hinge(&mut setup, link, link.checked_sub(1), from);
        }
        let weight = setup.bodies[2].mass * G;
        setup.joints[2].strength =
            Some(JointStrength { force: 0.9 * weight, torque: f64::INFINITY });
        reduced(setup)
    };
    let mut world = World::new(make()).unwrap();
    run_unless_broken(&mut world, 200);
    let saved = world.save();
    assert!(saved.joints[2].broken && !saved.joints[1].broken);
    let mut other = World::resume(make(), saved).unwrap();
    for _ in 0..200 {
        world.step().unwrap();
        other.step().unwrap();
    }
    assert_eq!(world.state_hash(), other.state_hash());
    let fallen = -2.5 - world.bodies()[2].pose.position.y;
    let time = world.time() - 1e-3;
    assert!((fallen - 0.5 * G * time * time).abs() < 2e-3, "{fallen}");
    assert!((world.bodies()[1].pose.position.y + 1.5).abs() < 1e-9);
    assert!(world.ledger().closure() < 1e-11);
}

fn run_unless_broken(world: &mut World<Plane>, steps: usize) {
    for _ in 0..steps {
        assert!(world.step().unwrap().converged);
        assert!(world.ledger().closure() < 1e-11, "{:?}", world.ledger());
    }
}

/// What is no tree, or leaves no coordinates, is refused with the joint that it is about.
#[test]
fn what_has_no_tree_is_refused() {
    let refused = |change: fn(&mut Setup<Plane>), joint: usize, words: &str| {
        let mut setup = double_pendulum(1e-3, &FREE);
        change(&mut setup);
        let error = World::new(setup).unwrap_err();
        assert!(
            matches!(error, SetupError::Coordinates { index, .. } if index == joint),
            "{error}"
        );
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(|s| s.joints[1].coordinates = JointCoordinates::Reduced, 0, "`hinge 2` of the same");
    refused(
        |s| {
            hinge(s, 1, None, DVec2::X * 2.0);
            *s = reduced(std::mem::take(s));
        },
        2,
        "closes a loop",
    );
    refused(
        |s| {
            s.joints[1].kind = JointKind::Rod { length: 1.0 };
            *s = reduced(std::mem::take(s));
        },
        1,
        "a rod leaves no coordinates",
    );
}
