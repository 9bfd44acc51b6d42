//! Mechanisms whose motion is known: four-bar linkages in a row through their singular positions, Watt's linkage, a ratchet, a wedge.

use super::linkages::meet;
use super::{G, along, bar, energy, hinge, integrate, joint, plane, run};
use crate::support::fixed;
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{
    ContactForm, DriveLaw, Freedom, JointDrive, JointKind, Owner, Ratchet, Setup, Signal, Target,
    World, Wrench,
};
use drystone_space::{DVec2, Plane, Pose, math};

/// Four-bar linkages in a row (González, Dopico, González & Cuadrado 2006): rods of 1 kg and 1 m, upright on the ground and joined by others at
/// their tops, which go at 1 m/s to the right. With all rods in one line, twice in each turn, every loop could fold the other way. Returns by how
/// much the energy and the angle of rods were off at worst.
fn four_bars(loops: usize, time_step: f64, time: f64) -> [f64; 2] {
    let mut setup = plane(time_step);
    let foot = |i: usize| DVec2::new(i as f64, 0.0);
    let top = |i: usize| DVec2::new(i as f64, 1.0);
    for i in 0..=loops {
        let mut rod = bar(foot(i), top(i));
        (rod.mass, rod.moments) = (1.0, 1.0 / 12.0);
        (rod.velocity, rod.spin) = (DVec2::new(0.5, 0.0), -1.0);
        setup.bodies.push(rod);
    }
    for i in 0..loops {
        let mut rod = bar(top(i), top(i + 1));
        (rod.mass, rod.moments) = (1.0, 1.0 / 12.0);
        rod.velocity = DVec2::new(1.0, 0.0);
        setup.bodies.push(rod);
    }
    let across = |i: usize| (loops + 1 + i) as u32;
    for i in 0..=loops {
        hinge(&mut setup, i as u32, None, foot(i));
    }
    for i in 0..loops {
        hinge(&mut setup, across(i), Some(i as u32), top(i));
        hinge(&mut setup, across(i), Some(i as u32 + 1), top(i + 1));
    }
    // They pass through each other as they turn.
    for body in &mut setup.bodies {
        body.parts = Vec::new().into();
    }
    let n = loops as f64;
    let pull = G * (0.5 * (n + 1.0) + n) / ((n + 1.0) / 3.0 + n);
    let rate = |[a, w]: [f64; 2]| [w, -pull * math::cos(a)];
    let mut world = World::new(setup).unwrap();
    let start = energy(&world);
    let mut state = [0.5 * std::f64::consts::PI, -1.0];
    let mut worst = [0.0f64; 2];
    for _ in 0..(time / time_step).round() as usize {
        run(&mut world, 1);
        state = integrate(state, time_step, 4, rate);
        worst[0] = worst[0].max((energy(&world) - start).abs());
        let tip = world.bodies()[loops].pose.position * 2.0 - foot(loops) * 2.0;
        let wanted = DVec2::new(math::cos(state[0]), math::sin(state[0]));
        worst[1] = worst[1].max((tip - wanted).length());
    }
    worst
}

#[test]
fn four_bars_in_a_row_pass_their_singular_positions() {
    for (loops, time) in [(2, 10.0), (10, 4.0), (40, 2.0)] {
        let [drift, angle] = four_bars(loops, 1e-3, time);
        println!("{loops} loops: energy off by {drift:.3e} J, angle by {angle:.3e} rad");
        assert!(drift < 1e-3 && angle < 1e-3, "{loops}: {drift:e} {angle:e}");
    }
}

/// Watt's linkage: rockers of a metre, an arm of half a metre between them. The arm's middle is where circles that meet have it, and goes 0.3 m up and
/// down within 1.4 mm of a line.
#[test]
fn watts_linkage_goes_on_a_line() {
    let (left, right) = (DVec2::new(-1.0, 0.25), DVec2::new(1.0, -0.25));
    let (top, bottom) = (DVec2::new(0.0, 0.25), DVec2::new(0.0, -0.25));
    let mut setup = plane(1e-3);
    setup.bodies = vec![bar(left, top), bar(right, bottom), bar(bottom, top)];
    setup.bodies.iter_mut().for_each(|body| body.parts = Vec::new().into());
    hinge(&mut setup, 0, None, left);
    hinge(&mut setup, 1, None, right);
    hinge(&mut setup, 2, Some(0), top);
    hinge(&mut setup, 2, Some(1), bottom);
    let follow = Signal::Sinusoid { mean: 0.0, amplitude: 0.3, frequency: 1.0, phase: 0.0 };
    let law = DriveLaw::Motor { target: Target::Place(follow), most: f64::INFINITY };
    setup.joints[0].drives.push(JointDrive { freedom: Freedom::Angle, law });
    let mut world = World::new(setup).unwrap();
    let (mut off, mut aside, mut way) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..2000 {
        run(&mut world, 1);
        let angle = world.bodies()[0].pose.rotation.angle();
        let upper = left + DVec2::new(math::cos(angle), math::sin(angle));
        let lower = meet(right, 1.0, upper, 0.5);
        let found = world.bodies()[2].pose.position;
        off = off.max((found - (upper + lower) * 0.5).length());
        (aside, way) = (aside.max(found.x.abs()), way.max(found.y.abs()));
    }
    assert!(off < 1e-10 && way > 0.28 && aside < 1.4e-3, "{off:e} {aside:e} {way}");
}

/// A wheel with teeth is turned on, let go, and falls back to its last tooth, which bears the couple then; a free wheel stays where it
/// stopped. Both go on when they are turned on again; over more turns than one; and the other way where they are told to.
#[test]
fn ratchets_hold_at_their_teeth() {
    for (pitch, backward) in [(0.13, false), (0.13, true), (0.0, false)] {
        let sense = if backward { -1.0 } else { 1.0 };
        let mut setup = Setup { gravity: DVec2::ZERO, ..plane(1e-3) };
        setup.bodies.push(bar(DVec2::ZERO, DVec2::X));
        hinge(&mut setup, 0, None, DVec2::ZERO);
        setup.joints[0].ratchet = Some(Ratchet { pitch, backward, restitution: 0.0 });
        let inertia = setup.bodies[0].moments + 0.25 * setup.bodies[0].mass;
        let couple = |torque| Wrench { force: DVec2::ZERO, torque: sense * torque };
        let mut world = World::new(setup.clone()).unwrap();
        let mut reached = 0.0;
        for round in 0..8 {
            // On with 40 rad/s², until a couple of 10 rad/s² brings it back.
            world.set_wrench(0, couple(40.0 * inertia)).unwrap();
            run(&mut world, 100);
            world.set_wrench(0, couple(-10.0 * inertia)).unwrap();
            let mut most = 0.0f64;
            for _ in 0..800 {
                run(&mut world, 1);
                most = most.max(sense * world.bodies()[0].pose.rotation.angle());
            }
            // 0.2 rad in the first time, and 0.8 rad with what that left.
            assert!((most - reached - 1.0).abs() < 1e-2, "{round}: {most} {reached}");
            let held = if pitch > 0.0 { (most / pitch).floor() * pitch } else { most };
            reached = sense * world.bodies()[0].pose.rotation.angle();
            assert!((reached - held).abs() < 2e-5, "{pitch} {round}: {reached} {held}");
            assert!(world.bodies()[0].spin.abs() < 1e-9, "{}", world.bodies()[0].spin);
            let torque = sense * world.joint_reactions()[0].torque / inertia;
            assert!((torque - 10.0).abs() < 1e-6, "{torque}");
        }
        assert!(reached > 7.0, "{reached}");
        // What it has of the teeth goes on from a saved state.
        let mut resumed = World::resume(setup.clone(), world.save()).unwrap();
        run(&mut resumed, 100);
        let after = sense * resumed.bodies()[0].pose.rotation.angle();
        assert!((after - reached).abs() < 1e-9, "{after} {reached}");
    }
}

/// A wedge on a floor under a load that a slider holds upright, friction φ on both faces of it: pressed out by the load it holds where its angle is
/// less than 2φ, and else goes; pushed in, it lifts the load from W (tan(α + φ) + tan φ) on.
#[test]
fn a_wedge_holds_by_its_friction() {
    let mu: f64 = 0.2;
    let phi = math::atan2(mu, 1.0);
    let wedge = |alpha: f64, push: f64| {
        let slope = math::sin(alpha) / math::cos(alpha);
        let mut setup = crate::support::setup::<Plane>(DVec2::new(0.0, -G), mu);
        let polygon = |corners: &[DVec2]| PlaneShape::Polygon(Polygon::new(corners).unwrap());
        let body = |corners: &[DVec2]| crate::support::body(polygon(corners), Pose::IDENTITY);
        // Thin to the right.
        let low = DVec2::new(0.6, 0.0);
        let rise = |x: f64| slope * (0.6 - x);
        let at = |x: f64, up: f64| DVec2::new(x, rise(x) + up);
        let mut thin = body(&[DVec2::new(-0.6, 0.0), low, at(-0.6, 0.0)]);
        let load = body(&[at(-0.2, 0.0), at(0.2, 0.0), at(0.2, 0.4), at(-0.2, 0.4)]);
        // Its own weight counts for 3e-3 of the forces.
        thin.moments *= 1e-2 * load.mass / thin.mass;
        thin.mass = 1e-2 * load.mass;
        let weight = load.mass * G;
        setup.bodies = vec![thin, load];
        let floor = Pose::IDENTITY;
        setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, floor));
        let owners = [Some(Owner::Body(1)), None];
        let place = setup.bodies[1].pose.position;
        let rail = joint(&setup, JointKind::Slider, owners, place, along::<Plane>(DVec2::Y));
        setup.joints.push(rail);
        setup.solver.tolerance = 1e-9;
        setup.form = ContactForm::Gap { margin: 1e-3, recovery_speed: 0.05, recovery_share: 1.0 };
        let mut world = World::new(setup).unwrap();
        let force = DVec2::new(push * weight, 0.0);
        world.set_wrench(0, Wrench { force, torque: 0.0 }).unwrap();
        let start = world.bodies().iter().map(|body| body.pose.position).collect::<Vec<_>>();
        // By then it has not come to the floor.
        run(&mut world, 100);
        let end = world.bodies().iter().map(|body| body.pose.position);
        end.zip(start).map(|(end, start)| end - start).collect::<Vec<_>>()
    };
    // Pushed to the right, the wedge goes under the load with its thick end.
    for (alpha, goes) in [(2.0 * phi - 0.02, false), (2.0 * phi + 0.02, true)] {
        let [thin, load] = wedge(alpha, 0.0)[..] else { panic!("two bodies") };
        let left = -thin.x;
        assert_eq!(left.abs() > 1e-2, goes, "{alpha}: {thin} {load}");
        if goes {
            let slope = math::sin(alpha) / math::cos(alpha);
            assert!((load.y + left * slope).abs() < 1e-4, "{thin} {load}");
        }
    }
    let alpha = 0.3;
    let tan = |angle: f64| math::sin(angle) / math::cos(angle);
    let lifts = tan(alpha + phi) + tan(phi);
    for (part, goes) in [(0.98, false), (1.02, true)] {
        let [thin, load] = wedge(alpha, lifts * part)[..] else { panic!("two bodies") };
        assert_eq!(load.y > 1e-4, goes, "{part}: {thin} {load}");
    }
}
