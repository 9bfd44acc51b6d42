//! Gears, racks, screws and ropes over pulleys against closed forms.

use super::{DRIFT, G, along, hinge, in_both, joint, plane, run};
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Dimension, DriveLaw, Freedom, Joint, JointDrive, JointKind, JointSide, Owner, Setup, Signal,
    Target, World, gear, rack,
};
use drystone_space::{DVec2, DVec3, Plane, Pose, Rotation, Space, Volume};
use std::f64::consts::TAU;

fn wheel(setup: &mut Setup<Plane>, centre: DVec2, mass: f64, moment: f64) -> u32 {
    let mut body = crate::support::body(PlaneShape::Disk { radius: 0.05 }, Pose::at(centre));
    (body.mass, body.moments) = (mass, moment);
    setup.bodies.push(body);
    setup.bodies.len() as u32 - 1
}

/// A joint between two points of the world whose frames are given.
fn between<S: Dimension>(
    setup: &Setup<S>,
    (kind, frames): (JointKind, [S::Rotation; 2]),
    bodies: [Option<u32>; 2],
    points: [S::Vector; 2],
) -> Joint<S> {
    let side = |k: usize| {
        let owner = bodies[k].map(Owner::Body);
        let pose = bodies[k].map_or(Pose::IDENTITY, |index| setup.bodies[index as usize].pose);
        JointSide { owner, frame: pose.inverse().compose(&Pose::new(points[k], frames[k])) }
    };
    Joint::new(kind, [side(0), side(1)])
}

fn geared(setup: &mut Setup<Plane>, teeth: [i32; 2], bodies: [Option<u32>; 2], at: [DVec2; 2]) {
    let made = gear::<Plane>(teeth, at, DVec2::Y).unwrap();
    let made = between(setup, made, bodies, at);
    setup.joints.push(made);
}

fn motor(joint: &mut Joint<Plane>, couple: f64) {
    let target = Target::Effort(Signal::Constant(couple));
    let law = DriveLaw::Motor { target, most: f64::INFINITY };
    joint.drives.push(JointDrive { freedom: Freedom::Angle, law });
}

/// A couple on the first of two wheels: ω₁' = T/(I₁ + I₂ (z₁/z₂)²), the other one turns by the teeth, and the force where they
/// mesh is I₂ ω₂'/r₂. After more than a hundred turns the angles still are as the teeth.
#[test]
fn two_gears_share_a_couple() {
    let mut setup = plane(1e-3);
    setup.gravity = DVec2::ZERO;
    let at = [DVec2::ZERO, DVec2::new(0.3, 0.4)];
    let (first, second) = (wheel(&mut setup, at[0], 1.0, 0.02), wheel(&mut setup, at[1], 2.0, 0.3));
    hinge(&mut setup, first, None, at[0]);
    hinge(&mut setup, second, None, at[1]);
    motor(&mut setup.joints[0], 6.0);
    geared(&mut setup, [20, 30], [Some(first), Some(second)], at);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 4000);
    let [one, other] = [0, 1].map(|k| world.bodies()[k].clone());
    let gained = 6.0 / (0.02 + 0.3 * (2.0f64 / 3.0).powi(2));
    assert!((one.spin / (4.0 * gained) - 1.0).abs() < 1e-9, "{}", one.spin);
    assert!((other.spin * 30.0 + one.spin * 20.0).abs() < 1e-9 * one.spin);
    let turns = [one.pose.rotation.angle(), other.pose.rotation.angle()];
    assert!(turns[0] > 40.0 * TAU && (turns[1] * 30.0 + turns[0] * 20.0).abs() < 1e-8, "{turns:?}");
    let force = world.joint_reactions()[2].force.length();
    assert!((force / (0.3 * gained * 2.0 / 3.0 / 0.3) - 1.0).abs() < 1e-9, "{force}");
}

/// A planetary gear: sun, planet on an arm, fixed ring. The arm turns by z_s/(z_s + z_r) of the sun's turns (Willis), the planet by
/// (z_p − z_r)/z_p of the arm's; all three together take the couple as one inertia.
#[test]
fn a_planetary_gear_turns_as_willis_says() {
    let (sun_teeth, planet_teeth, ring_teeth) = (24, 18, -60);
    let mut setup = plane(1e-3);
    setup.gravity = DVec2::ZERO;
    let (middle, off) = (DVec2::ZERO, DVec2::new(0.0, 0.42));
    let sun = wheel(&mut setup, middle, 1.0, 0.05);
    let arm = wheel(&mut setup, DVec2::new(0.0, -0.2), 1.0, 0.16);
    let planet = wheel(&mut setup, off, 0.7, 0.01);
    hinge(&mut setup, sun, None, middle);
    hinge(&mut setup, arm, None, middle);
    hinge(&mut setup, planet, Some(arm), off);
    motor(&mut setup.joints[0], 2.0);
    geared(&mut setup, [sun_teeth, planet_teeth], [Some(sun), Some(planet)], [middle, off]);
    geared(&mut setup, [planet_teeth, ring_teeth], [Some(planet), None], [off, middle]);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 3000);
    let turned = |k: u32| world.bodies()[k as usize].pose.rotation.angle();
    let (of_arm, of_planet) = (24.0 / 84.0, (18.0 - 60.0) / 18.0 * 24.0 / 84.0);
    assert!((turned(arm) - of_arm * turned(sun)).abs() < 1e-9, "{} {}", turned(arm), turned(sun));
    assert!((turned(planet) - of_planet * turned(sun)).abs() < 1e-9, "{}", turned(planet));
    let inertia = 0.05 + (0.2 + 0.7 * 0.42 * 0.42) * of_arm * of_arm + 0.01 * of_planet * of_planet;
    let spin = world.bodies()[sun as usize].spin;
    // The planet goes round in steps: of second order.
    assert!((spin * inertia / 6.0 - 1.0).abs() < 1e-4, "{spin}");
}

/// A rack falls and turns a pinion on either side of it: g/(1 + I/(m r²)).
#[test]
fn a_rack_turns_its_pinion() {
    for side in [1.0, -1.0] {
        let mut setup = plane(1e-3);
        let pinion = wheel(&mut setup, DVec2::new(0.2 * side, 0.1), 1.0, 0.08);
        let bar = wheel(&mut setup, DVec2::ZERO, 2.0, 1.0);
        hinge(&mut setup, pinion, None, DVec2::new(0.2 * side, 0.1));
        let owners = [Some(Owner::Body(bar)), None];
        let rail = joint(&setup, JointKind::Slider, owners, DVec2::ZERO, along::<Plane>(DVec2::Y));
        setup.joints.push(rail);
        let points = [DVec2::new(0.2 * side, 0.1), DVec2::ZERO];
        let made = rack::<Plane>(points, DVec2::Y).unwrap();
        let made = between(&setup, made, [Some(pinion), Some(bar)], points);
        setup.joints.push(made);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 1000);
        let fell = world.bodies()[bar as usize].velocity.y;
        assert!((fell * (1.0 + 0.08 / (2.0 * 0.04)) / -G - 1.0).abs() < 1e-9, "{fell}");
        let spin = world.bodies()[pinion as usize].spin;
        assert!((spin + side * fell / 0.2).abs() < 1e-9, "{spin} {fell}");
    }
}

fn cube(at: DVec3) -> drystone_engine::Body<Volume> {
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::splat(0.2)).unwrap());
    crate::support::body(shape, Pose::at(at))
}

/// A nut runs down a fixed screw by its weight: s'' = g/(1 + I (2π/c)²/m), turns and all.
#[test]
fn a_nut_runs_down_a_screw() {
    in_both(|| {
        let mut setup: Setup<Volume> = crate::support::setup(DVec3::new(0.0, 0.0, -G), 0.0);
        setup.bodies.push(cube(DVec3::ZERO));
        let pitch = -0.3;
        let owners = [Some(Owner::Body(0)), None];
        let made = joint(
            &setup,
            JointKind::Screw { pitch },
            owners,
            DVec3::ZERO,
            Rotation::<Volume>::IDENTITY,
        );
        setup.joints.push(made);
        let (mass, moment) = (setup.bodies[0].mass, setup.bodies[0].moments.z);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 2000);
        let body = &world.bodies()[0];
        let wanted = -G * 2.0 / (1.0 + moment * (TAU / pitch).powi(2) / mass);
        assert!((body.velocity.z / wanted - 1.0).abs() < 1e-9, "{} {wanted}", body.velocity);
        assert!((body.world_spin().z * pitch / TAU - body.velocity.z).abs() < 1e-10);
        assert!(body.pose.position.z < -10.0 * pitch.abs(), "{}", body.pose.position);
        assert!((body.pose.position.z + 0.5 * -wanted * 2.0).abs() < 1e-9);
    });
}

/// Gears in space about an axis of any direction, and a rack: as in the plane.
#[test]
fn gears_and_racks_of_space() {
    let mut setup: Setup<Volume> = crate::support::setup(DVec3::ZERO, 0.0);
    let axis = DVec3::new(1.0, 2.0, -0.5).normalize();
    let aside = axis.any_orthonormal_vector();
    let along = axis.cross(aside);
    // A wheel of radius 0.3, another one of 0.6, and a rack on the other side of that.
    let at = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.0, 3.0) + aside * 0.9];
    let rack_at = at[1] + aside * 0.6;
    for place in [at[0], at[1], rack_at] {
        setup.bodies.push(cube(place));
    }
    let owner = |index| [Some(Owner::Body(index)), None];
    for index in [0, 1] {
        let frame = super::along::<Volume>(axis);
        let made = joint(&setup, JointKind::Hinge, owner(index), at[index as usize], frame);
        setup.joints.push(made);
    }
    let rail = joint(&setup, JointKind::Slider, owner(2), rack_at, super::along::<Volume>(along));
    setup.joints.push(rail);
    let made = gear::<Volume>([15, 30], at, axis).unwrap();
    let made = between(&setup, made, [Some(0), Some(1)], at);
    setup.joints.push(made);
    let points = [at[1], rack_at];
    let made = rack::<Volume>(points, along).unwrap();
    let made = between(&setup, made, [Some(1), Some(2)], points);
    setup.joints.push(made);
    let body = &setup.bodies[0];
    let (mass, moment) = (body.mass, body.moments.x);
    let target = Target::Effort(Signal::Constant(10.0));
    let law = DriveLaw::Motor { target, most: f64::INFINITY };
    setup.joints[0].drives.push(JointDrive { freedom: Freedom::Angle, law });
    let mut world = World::new(setup).unwrap();
    let drift = run(&mut world, 3000);
    assert!(drift < DRIFT);
    let spin = world.bodies()[0].world_spin().dot(axis);
    let inertia = moment * 1.25 + mass * 0.3 * 0.3;
    assert!((spin * inertia / 30.0 - 1.0).abs() < 1e-8, "{spin}");
    assert!((world.bodies()[1].world_spin().dot(axis) + 0.5 * spin).abs() < 1e-10);
    let speed = world.bodies()[2].velocity.dot(along);
    assert!((speed.abs() - 0.3 * spin.abs()).abs() < 1e-10, "{speed}");
    // Where wheel and rack meet both go the same way.
    let met = <Volume as Space>::moment(aside * 0.6, DVec3::ZERO)
        + world.bodies()[1].world_spin().cross(aside * 0.6);
    assert!((met - along * speed).length() < 1e-10, "{met} {speed}");
}

/// Atwood's machine, single and with the second part of the rope laid double: with m₂ on κ parts,
/// a₁ = g (κ m₁ − m₂)/(κ m₁ + m₂/κ).
#[test]
fn atwoods_machine() {
    for ratio in [1.0, 2.0] {
        let mut setup = plane(1e-3);
        let (heavy, light) = (DVec2::new(-0.5, -1.0), DVec2::new(0.5, -1.5));
        let first = wheel(&mut setup, heavy, 3.0, 1.0);
        let second = wheel(&mut setup, light, 2.0, 1.0);
        let length = 1.0 + ratio * 1.5;
        let frames = [Rotation::<Plane>::IDENTITY; 2];
        let kind = JointKind::Pulley { ratio, length };
        let bodies = [Some(first), Some(second)];
        let mut made = between(&setup, (kind, frames), bodies, [heavy, light]);
        made.pulleys = [DVec2::new(-0.5, 0.0), DVec2::new(0.5, 0.0)];
        setup.joints.push(made);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 500);
        let speed = -world.bodies()[first as usize].velocity.y;
        let wanted = G * (ratio * 3.0 - 2.0) / (ratio * 3.0 + 2.0 / ratio);
        assert!((speed / (0.5 * wanted) - 1.0).abs() < 1e-6, "{speed} {wanted}");
        let other = world.bodies()[second as usize].velocity.y;
        assert!((other * ratio - speed).abs() < 1e-6, "{other}");
        let pull = world.joint_reactions()[0].force.y;
        assert!((pull / (3.0 * (G - wanted)) - 1.0).abs() < 1e-6, "{pull}");
    }
}

#[test]
fn transmissions_that_cannot_be() {
    let at = [DVec2::ZERO, DVec2::X];
    for teeth in [[0, 10], [10, -10], [-5, -10]] {
        assert!(gear::<Plane>(teeth, at, DVec2::Y).is_none(), "{teeth:?}");
    }
    assert!(gear::<Plane>([10, 10], [DVec2::X; 2], DVec2::Y).is_none());
    assert!(gear::<Volume>([10, 10], [DVec3::ZERO, DVec3::Z], DVec3::Z).is_none());
    assert!(rack::<Plane>(at, DVec2::X).is_none());
    let mut setup = plane(1e-3);
    let body = wheel(&mut setup, DVec2::ZERO, 1.0, 1.0);
    for (kind, words) in [
        (JointKind::Rack { radius: 0.0 }, "a radius"),
        (JointKind::Gear { radii: [1.0, f64::NAN], pitch: 1.0 }, "radii and teeth"),
        (JointKind::Pulley { ratio: 0.0, length: 1.0 }, "a ratio above zero"),
        (JointKind::Screw { pitch: 1.0 }, "no such joint in the plane"),
    ] {
        let frames = [Rotation::<Plane>::IDENTITY; 2];
        let made = between(&setup, (kind, frames), [Some(body), None], at);
        let error = World::new(Setup { joints: vec![made], ..setup.clone() }).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}
