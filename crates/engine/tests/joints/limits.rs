//! Limits of joints and ropes.

use super::{G, along, hinge, in_both, joint, plane, run};
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{JointKind, JointLimit, Owner, World};
use drystone_space::{DVec2, DVec3, Plane, Pose, Rotation, Volume};

fn ball(at: DVec2) -> drystone_engine::Body<Plane> {
    crate::support::body(PlaneShape::Disk { radius: 0.1 }, Pose::at(at))
}

/// A block falls half a metre along a rail, comes back with its restitution, and comes to rest on the stop, which bears it.
#[test]
fn a_slider_falls_on_its_stop() {
    in_both(|| {
        for restitution in [0.0, 0.5] {
            let mut setup = plane(1e-3);
            setup.bodies.push(ball(DVec2::ZERO));
            let owners = [Some(Owner::Body(0)), None];
            let mut rail =
                joint(&setup, JointKind::Slider, owners, DVec2::ZERO, along::<Plane>(DVec2::Y));
            rail.limit = Some(JointLimit { low: -0.5, high: f64::INFINITY, restitution });
            setup.joints.push(rail);
            let mut world = World::new(setup).unwrap();
            let fall = (2.0 * 0.5 / G).sqrt();
            let (mut low, mut up) = (0.0f64, 0.0f64);
            for _ in 0..4000 {
                run(&mut world, 1);
                let body = &world.bodies()[0];
                low = low.min(body.pose.position.y);
                up = up.max(body.velocity.y);
            }
            // Met at the midpoint: within half a step's way.
            assert!(low > -0.5 - G * fall * 1e-3 && low < -0.5 + G * fall * 1e-3, "{low}");
            assert!((up - restitution * G * fall).abs() < 2.0 * G * 1e-3, "{restitution}: {up}");
            let (body, reaction) = (&world.bodies()[0], world.joint_reactions()[0]);
            assert!(body.velocity.length() < 1e-6 && (body.pose.position.y + 0.5).abs() < 1e-4);
            assert!((reaction.force.y / (body.mass * G) - 1.0).abs() < 1e-4, "{reaction:?}");
            let lost = world.ledger().impact_loss / (body.mass * G * 0.5);
            assert!((lost - 1.0).abs() < 2e-2, "{lost}");
        }
    });
}

/// A ball falls on its rope, which becomes taut: it is stopped there, and hangs. A push upwards lets it slacken.
#[test]
fn a_rope_pulls_and_never_pushes() {
    let mut setup = plane(1e-3);
    setup.bodies.push(ball(DVec2::new(0.3, -0.4)));
    let owners = [Some(Owner::Body(0)), None];
    let place = DVec2::new(0.3, -0.4);
    let mut rope =
        joint(&setup, JointKind::Rope { length: 1.0 }, owners, place, Rotation::IDENTITY);
    rope.sides[1].frame.position = DVec2::ZERO;
    setup.joints.push(rope);
    let mut world = World::new(setup).unwrap();
    // Free fall until x² + y² = 1: y = −√(1 − 0.09).
    let fall = (2.0 * ((1.0f64 - 0.09).sqrt() - 0.4) / G).sqrt();
    run(&mut world, (fall / 1e-3) as usize - 2);
    assert!((world.bodies()[0].pose.position.x - 0.3).abs() < 1e-13);
    assert!(world.joint_reactions()[0].force == DVec2::ZERO);
    let mut longest = 0.0f64;
    for _ in 0..3000 {
        run(&mut world, 1);
        longest = longest.max(world.bodies()[0].pose.position.length());
    }
    assert!((longest - 1.0).abs() < 1e-4, "{longest}");
    world.set_velocity(0, DVec2::new(0.0, 1.0)).unwrap();
    run(&mut world, 20);
    assert!(world.joint_reactions()[0].force.length() < 1e-9);
    assert!(world.bodies()[0].pose.position.length() < 0.995);
}

/// Two ropes in a row and a chain link between them: a group that has no rows at all.
#[test]
fn ropes_alone_make_a_group() {
    let mut setup = plane(1e-3);
    for number in 0..2 {
        setup.bodies.push(ball(DVec2::new(0.0, -0.5 - 0.5 * f64::from(number))));
        let owners = [Some(Owner::Body(number)), number.checked_sub(1).map(Owner::Body)];
        let place = setup.bodies[number as usize].pose.position;
        let mut rope =
            joint(&setup, JointKind::Rope { length: 0.5 }, owners, place, Rotation::IDENTITY);
        rope.sides[1].frame.position = DVec2::ZERO;
        setup.joints.push(rope);
    }
    let mut world = World::new(setup).unwrap();
    run(&mut world, 200);
    let weight = world.bodies()[0].mass * G;
    let forces = [0, 1].map(|k| world.joint_reactions()[k].force.y / weight);
    assert!((forces[0] - 2.0).abs() < 1e-4 && (forces[1] - 1.0).abs() < 1e-4, "{forces:?}");
}

/// In space a beam falls on the stop of its hinge and is borne there: the couple is that of its weight.
#[test]
fn a_hinge_bears_a_beam_on_its_stop() {
    in_both(|| {
        let mut setup: drystone_engine::Setup<Volume> =
            crate::support::setup(DVec3::new(0.0, 0.0, -G), 0.3);
        let beam = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(1.0, 0.1, 0.1)).unwrap());
        setup.bodies.push(crate::support::body(beam, Pose::at(DVec3::new(0.5, 0.0, 0.0))));
        let owners = [Some(Owner::Body(0)), None];
        let mut made =
            joint(&setup, JointKind::Hinge, owners, DVec3::ZERO, along::<Volume>(DVec3::Y));
        // About y the beam falls by a positive angle.
        made.limit = Some(JointLimit { low: -0.1, high: 0.5, restitution: 0.0 });
        setup.joints.push(made);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 1500);
        let (body, reaction) = (&world.bodies()[0], world.joint_reactions()[0]);
        let wanted =
            DVec3::new(drystone_space::math::cos(0.5), 0.0, -drystone_space::math::sin(0.5)) * 0.5;
        assert!((body.pose.position - wanted).length() < 1e-3, "{}", body.pose.position);
        assert!(body.world_spin().length() < 1e-6);
        let couple = -body.mass * G * body.pose.position.x;
        assert!((reaction.torque.y / couple - 1.0).abs() < 1e-4, "{reaction:?} {couple}");
    });
}

/// A stop in the plane counts whole turns.
#[test]
fn a_hinge_of_the_plane_turns_as_often_as_its_limit_says() {
    in_both(|| {
        let mut setup = plane(1e-3);
        setup.gravity = DVec2::ZERO;
        let mut disk = ball(DVec2::ZERO);
        disk.spin = 20.0;
        setup.bodies.push(disk);
        hinge(&mut setup, 0, None, DVec2::ZERO);
        let limit = JointLimit { low: -1.0, high: 3.0 * std::f64::consts::TAU, restitution: 1.0 };
        setup.joints[0].limit = Some(limit);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 900);
        assert!((world.bodies()[0].spin - 20.0).abs() < 1e-12);
        run(&mut world, 100);
        assert!((world.bodies()[0].spin + 20.0).abs() < 1e-4, "{}", world.bodies()[0].spin);
    });
}
