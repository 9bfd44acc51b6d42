//! Mechanisms in space that nothing touches.

use super::{G, along, energy, in_both, integrate, joint, order, run};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{Body, JointKind, Owner, Setup, World};
use drystone_space::{DMat3, DQuat, DVec3, Pose, Rotation, Vector, Volume};

fn space(time_step: f64) -> Setup<Volume> {
    Setup { time_step, ..crate::support::setup(DVec3::new(0.0, 0.0, -G), 0.3) }
}

fn beam(from: DVec3, to: DVec3) -> Body<Volume> {
    let size = DVec3::new(0.05, 0.05, (to - from).length());
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(size).unwrap());
    let turn = DQuat::from_rotation_arc(DVec3::Z, (to - from).normalize());
    crate::support::body(shape, Pose::new((from + to) * 0.5, turn))
}

/// A heavy ball on a ball joint swings about all axes at once: of second order, since a ball does not tumble.
#[test]
fn a_spherical_pendulum_follows_its_equations() {
    in_both(|| {
        let errors = [2e-3, 1e-3].map(|h| {
            let mut setup = space(h);
            let mut ball: Body<Volume> =
                crate::support::body(VolumeShape::Sphere { radius: 0.05 }, Pose::at(DVec3::X));
            // At rest about its hanger but for a turn about the vertical.
            ball.velocity = DVec3::new(0.0, 2.0, 0.0);
            ball.set_world_spin(DVec3::new(0.0, 0.0, 2.0));
            let inertia = ball.moments.x / ball.mass;
            setup.bodies.push(ball);
            let joined = joint(
                &setup,
                JointKind::Ball,
                [Some(Owner::Body(0)), None],
                DVec3::ZERO,
                Rotation::IDENTITY,
            );
            setup.joints.push(joined);
            let mut world = World::new(setup).unwrap();
            let start = energy(&world);
            run(&mut world, (1.5 / h) as usize);
            let lost = (energy(&world) - start) / (world.bodies()[0].mass * G);
            assert!(lost.abs() < 1e-4, "{lost:e}");
            // (1 + i) d²n/dt² = −g ẑ across n, less the centripetal part; the spin along the arm stays zero.
            let rate = |[x, y, z, vx, vy, vz]: [f64; 6]| {
                let (n, v) = (DVec3::new(x, y, z), DVec3::new(vx, vy, vz));
                let pull = DVec3::Z * (-G / (1.0 + inertia));
                let a = pull - n * (n.dot(pull) + v.length_squared());
                [vx, vy, vz, a.x, a.y, a.z]
            };
            let [x, y, z, ..] = integrate([1.0, 0.0, 0.0, 0.0, 2.0, 0.0], 1.5, 20_000, rate);
            (world.bodies()[0].pose.position - DVec3::new(x, y, z)).length()
        });
        assert!(errors[1] < 1e-4, "{errors:?}");
        assert!((order(errors) - 2.0).abs() < 0.3, "{errors:?}");
    });
}

/// A beam on a hinge in space is the pendulum of the plane; the axis does not tilt, whatever way it lies in space.
#[test]
fn a_hinge_in_space_is_one_of_the_plane() {
    in_both(|| {
        let mut setup = space(1e-3);
        setup.bodies.push(beam(DVec3::ZERO, DVec3::X));
        let made = joint(
            &setup,
            JointKind::Hinge,
            [Some(Owner::Body(0)), None],
            DVec3::ZERO,
            along::<Volume>(DVec3::Y),
        );
        setup.joints.push(made);
        let mut world = World::new(setup).unwrap();
        let (mass, moments) = (world.bodies()[0].mass, world.bodies()[0].moments);
        let about = moments.max_element() + 0.25 * mass;
        run(&mut world, 2000);
        let rate = |[angle, spin]: [f64; 2]| {
            [spin, -0.5 * mass * G * drystone_space::math::cos(angle) / about]
        };
        let [angle, _] = integrate([0.0, 0.0], 2.0, 20_000, rate);
        let wanted =
            DVec3::new(drystone_space::math::cos(angle), 0.0, drystone_space::math::sin(angle))
                * 0.5;
        let place = world.bodies()[0].pose.position;
        assert!((place - wanted).length() < 1e-4, "{place} {wanted}");
    });
}

/// What each joint lets its body do after pushes and turns in all directions, and nothing else.
#[test]
fn joints_let_through_what_they_should() {
    in_both(|| {
        use JointKind::*;
        let frame = along::<Volume>(DVec3::Z);
        for (kind, free, turns) in [
            (Weld, [false; 3], [false; 3]),
            (Hinge, [false; 3], [false, false, true]),
            (Slider, [false, false, true], [false; 3]),
            (Cylindrical, [false, false, true], [false, false, true]),
            (Ball, [false; 3], [true; 3]),
            (Planar, [true, true, false], [false, false, true]),
        ] {
            let mut setup = Setup { gravity: DVec3::ZERO, ..space(1e-3) };
            let mut block = beam(DVec3::new(0.0, 0.0, -0.2), DVec3::new(0.0, 0.0, 0.2));
            block.velocity = DVec3::new(0.3, -0.2, 0.1);
            block.set_world_spin(DVec3::new(0.5, 0.7, -0.4));
            setup.bodies.push(block);
            // At the centre, so that pushes and turns do not mix.
            let made = joint(&setup, kind, [Some(Owner::Body(0)), None], DVec3::ZERO, frame);
            setup.joints.push(made);
            let mut world = World::new(setup).unwrap();
            run(&mut world, 10);
            let body = &world.bodies()[0];
            let (velocity, spin) = (body.velocity, body.world_spin());
            for axis in 0..3 {
                assert_eq!(velocity[axis].abs() > 0.05, free[axis], "{kind:?} {velocity}");
                assert_eq!(spin[axis].abs() > 0.05, turns[axis], "{kind:?} {spin}");
            }
        }
    });
}

/// Hooke's joint: with the shafts at an angle β, tan θ₂ = tan θ₁ / cos β.
#[test]
fn a_universal_joint_turns_unevenly() {
    let (tilt, spin) = (0.5f64, 4.0);
    let mut setup = Setup { gravity: DVec3::ZERO, ..space(5e-4) };
    let away = DVec3::new(drystone_space::math::cos(tilt), drystone_space::math::sin(tilt), 0.0);
    setup.bodies.push(beam(-DVec3::X, DVec3::ZERO));
    setup.bodies.push(beam(DVec3::ZERO, away));
    for (index, axis) in [(0, DVec3::X), (1, away)] {
        let point = axis * if index == 0 { -0.9 } else { 0.9 };
        let owners = [Some(Owner::Body(index)), None];
        let made = joint(&setup, JointKind::Hinge, owners, point, along::<Volume>(axis));
        setup.joints.push(made);
    }
    // The cross: the first shaft carries the vertical arm, the second the one across itself.
    let across = away.cross(DVec3::Z);
    let frame = DQuat::from_mat3(&DMat3::from_cols(across, DVec3::Z.cross(across), DVec3::Z));
    let owners = [Some(Owner::Body(0)), Some(Owner::Body(1))];
    let made = joint(&setup, JointKind::Universal, owners, DVec3::ZERO, frame);
    setup.joints.push(made);
    setup.bodies[0].set_world_spin(DVec3::X * spin);
    // With the first arm in the plane's normal the second shaft turns by cos β / 1, or 1 / cos β: what the joint says.
    let mut world = World::new(setup).unwrap();
    let start = energy(&world);
    let spins = |world: &World<Volume>| {
        [DVec3::X, away]
            .iter()
            .zip(world.bodies())
            .map(|(a, b)| b.world_spin().dot(*a))
            .collect::<Vec<_>>()
    };
    let mut turned = [0.0; 2];
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for _ in 0..8000 {
        run(&mut world, 1);
        let now = spins(&world);
        (turned[0], turned[1]) = (turned[0] + now[0] * 5e-4, turned[1] + now[1] * 5e-4);
        let ratio = now[1] / now[0];
        (least, most) = (least.min(ratio), most.max(ratio));
    }
    assert!(turned[0] > std::f64::consts::TAU, "{turned:?}");
    assert!((least - drystone_space::math::cos(tilt)).abs() < 1e-3, "{least}");
    assert!((most - 1.0 / drystone_space::math::cos(tilt)).abs() < 1e-3, "{most}");
    assert!((energy(&world) / start - 1.0).abs() < 1e-9);
    assert!(world.ledger().closure_max < 1e-13);
}

/// Bricard's loop of six hinges along the edges of a cube, which moves although its equations say by their number that it cannot:
/// six bodies with one of them held, 30 equations for 30 unknowns, one of them redundant.
fn bricard(h: f64) -> World<Volume> {
    let corners = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(1.0, 1.0, 1.0),
        DVec3::new(0.0, 1.0, 1.0),
        DVec3::new(0.0, 0.0, 1.0),
    ];
    let mut setup = space(h);
    setup.gravity = DVec3::new(0.3, 1.0, -2.0);
    // Links along the edges; each hinge stands at a corner, across both edges that meet there.
    for edge in 1..6 {
        let mut link = beam(corners[edge], corners[(edge + 1) % 6]);
        link.parts = Vec::new().into();
        setup.bodies.push(link);
    }
    for corner in 0..6 {
        let before = (corners[corner] - corners[(corner + 5) % 6]).normalize();
        let after = (corners[(corner + 1) % 6] - corners[corner]).normalize();
        let link = |edge: usize| (edge > 0).then(|| Owner::Body(edge as u32 - 1));
        let owners = [link(corner), link((corner + 5) % 6)];
        let made = joint(
            &setup,
            JointKind::Hinge,
            owners,
            corners[corner],
            along::<Volume>(before.cross(after)),
        );
        setup.joints.push(made);
    }
    World::new(setup).unwrap()
}

/// The loop moves and stays closed, its books close to rounding, and what joints give is an error of the scheme.
#[test]
fn a_redundant_loop_moves_and_stays_closed() {
    let worked = [1e-3, 5e-4].map(|h| {
        let mut world = bricard(h);
        let place = world.bodies()[2].pose.position;
        run(&mut world, (2.0 / h) as usize);
        let moved = (world.bodies()[2].pose.position - place).length();
        assert!(moved > 0.1, "{moved}");
        let ledger = world.ledger();
        assert!(ledger.closure_max < 1e-13, "{:e}", ledger.closure_max);
        ledger.joint_work.abs() / (world.bodies()[0].mass * world.setup().gravity.norm())
    });
    // In space, where links tumble, the scheme is of first order.
    assert!(worked[0] < 1e-4 && worked[1] < 0.6 * worked[0], "{worked:?}");
}

/// The same of the same bits again: a state that is saved and goes on.
#[test]
fn a_saved_mechanism_goes_on_in_the_same_bits() {
    let setup = || {
        let mut setup = space(1e-3);
        setup.bodies.push(beam(DVec3::ZERO, DVec3::X));
        setup.bodies.push(beam(DVec3::X, DVec3::new(1.0, 1.0, 0.0)));
        for (body, other, point) in [(0, None, DVec3::ZERO), (1, Some(Owner::Body(0)), DVec3::X)] {
            let made = joint(
                &setup,
                JointKind::Ball,
                [Some(Owner::Body(body)), other],
                point,
                DQuat::IDENTITY,
            );
            setup.joints.push(made);
        }
        setup
    };
    let mut world = World::new(setup()).unwrap();
    run(&mut world, 300);
    let mut again = World::resume(setup(), world.save()).unwrap();
    run(&mut world, 300);
    run(&mut again, 300);
    assert_eq!(world.state_hash(), again.state_hash());
    assert_eq!(world.ledger(), again.ledger());
}
