//! Mechanisms of the plane that nothing touches.

use super::{G, along, bar, energy, hinge, in_both, integrate, joint, order, plane, run};
use drystone_detect::plane::PlaneShape;
use drystone_engine::{
    Boundary, Course, Drive, JointKind, Motion, Owner, Setup, SetupError, World,
};
use drystone_space::{DVec2, Plane, Pose, Rotation};

/// A bar of length 1 on a hinge at one end, let go from the horizontal.
fn pendulum(time_step: f64) -> World<Plane> {
    let mut setup = plane(time_step);
    setup.bodies.push(bar(DVec2::ZERO, DVec2::X));
    hinge(&mut setup, 0, None, DVec2::ZERO);
    World::new(setup).unwrap()
}

/// Of second order against its equation, energy kept, and nothing drifts; the reaction at the bottom is the closed form.
#[test]
fn a_pendulum_swings_as_it_should() {
    let errors = [2e-3, 1e-3].map(|h| {
        let mut world = pendulum(h);
        let (mass, inertia) = (world.bodies()[0].mass, world.bodies()[0].moments);
        let about_hinge = inertia + 0.25 * mass;
        let rate = |[angle, spin]: [f64; 2]| {
            [spin, -0.5 * mass * G * drystone_space::math::cos(angle) / about_hinge]
        };
        let start = energy(&world);
        run(&mut world, (2.0 / h) as usize);
        let [angle, _] = integrate([0.0, 0.0], 2.0, 20_000, rate);
        let lost = (energy(&world) - start) / (0.5 * mass * G);
        assert!(lost.abs() < 1e-5, "{lost:e}");
        (world.bodies()[0].pose.rotation.angle() - angle).abs()
    });
    assert!(errors[1] < 2e-5, "{errors:?}");
    assert!((order(errors) - 2.0).abs() < 0.3, "{errors:?}");

    // At the bottom: m g (1 + ω² r/g), ω² = m g / I, r = ½.
    let mut world = pendulum(1e-4);
    let (mass, inertia) = (world.bodies()[0].mass, world.bodies()[0].moments);
    while world.bodies()[0].pose.position.x > 1e-4 {
        run(&mut world, 1);
    }
    let wanted = mass * G * (1.0 + 0.5 * mass / (inertia + 0.25 * mass));
    let found = world.joint_reactions()[0].force.y;
    assert!((found / wanted - 1.0).abs() < 1e-3, "{found} {wanted}");
}

/// Two equal bars; the reference has both angles for coordinates.
#[test]
fn a_double_pendulum_follows_its_equations() {
    in_both(|| {
        let end = 1.5;
        let errors = [2e-3, 1e-3].map(|h| {
            let mut setup = plane(h);
            setup.bodies.push(bar(DVec2::ZERO, DVec2::X));
            setup.bodies.push(bar(DVec2::X, DVec2::new(2.0, 0.0)));
            hinge(&mut setup, 0, None, DVec2::ZERO);
            hinge(&mut setup, 1, Some(0), DVec2::X);
            let mut world = World::new(setup).unwrap();
            let (m, i) = (world.bodies()[0].mass, world.bodies()[0].moments);
            let start = energy(&world);
            run(&mut world, (end / h) as usize);
            let lost = (energy(&world) - start) / (m * G);
            assert!(lost.abs() < 1e-4, "{lost:e}");
            let rate = |[a, b, p, q]: [f64; 4]| {
                let (c, s) = (drystone_space::math::cos(a - b), drystone_space::math::sin(a - b));
                let (k11, k12, k22) = (i + 1.25 * m, 0.5 * m * c, i + 0.25 * m);
                let f1 = -0.5 * m * s * q * q - 1.5 * m * G * drystone_space::math::cos(a);
                let f2 = 0.5 * m * s * p * p - 0.5 * m * G * drystone_space::math::cos(b);
                let det = k11 * k22 - k12 * k12;
                [p, q, (k22 * f1 - k12 * f2) / det, (k11 * f2 - k12 * f1) / det]
            };
            let [a, b, ..] = integrate([0.0; 4], end, 30_000, rate);
            let found = [0, 1].map(|k| world.bodies()[k].pose.rotation.angle());
            (found[0] - a).abs().max((found[1] - b).abs())
        });
        assert!(errors[1] < 5e-4, "{errors:?}");
        assert!((order(errors) - 2.0).abs() < 0.3, "{errors:?}");
    });
}

/// A chain of a thousand rods hangs with a million times a rod's mass at its end: each hinge carries what is below.
#[test]
fn a_chain_of_a_thousand_hangs_with_a_million_at_its_end() {
    in_both(|| {
        let mut setup = plane(1e-3);
        let length = 0.1;
        for link in 0..1000 {
            let top = DVec2::new(0.0, -length * link as f64);
            setup.bodies.push(bar(top, top - DVec2::Y * length));
            hinge(&mut setup, link, link.checked_sub(1), top);
        }
        let link = setup.bodies[0].mass;
        setup.bodies[999].mass = 1e6 * link;
        let mut world = World::new(setup).unwrap();
        run(&mut world, 3);
        for (number, reaction) in world.joint_reactions().iter().enumerate() {
            let weight = (999 - number) as f64 * link + 1e6 * link;
            assert!((reaction.force.y / (weight * G) - 1.0).abs() < 1e-9, "{number}: {reaction:?}");
            assert!(reaction.force.x.abs() < 1e-9 * weight * G);
        }
    });
}

/// Crank, connecting rod and a piston on a slider, set going; one coordinate, whose energy gives its speed.
#[test]
fn a_slider_crank_keeps_its_energy_and_its_law() {
    let (r, l) = (0.3, 1.0);
    let errors = [1e-3, 5e-4].map(|h| {
        let mut setup = Setup { gravity: DVec2::ZERO, ..plane(h) };
        setup.bodies.push(bar(DVec2::ZERO, DVec2::new(r, 0.0)));
        setup.bodies.push(bar(DVec2::new(r, 0.0), DVec2::new(r + l, 0.0)));
        let piston = crate::support::body(
            PlaneShape::Disk { radius: 0.05 },
            Pose::at(DVec2::new(r + l, 0.0)),
        );
        setup.bodies.push(piston);
        hinge(&mut setup, 0, None, DVec2::ZERO);
        hinge(&mut setup, 1, Some(0), DVec2::new(r, 0.0));
        hinge(&mut setup, 2, Some(1), DVec2::new(r + l, 0.0));
        let owners = [Some(Owner::Body(2)), None];
        let guide = joint(
            &setup,
            JointKind::Slider,
            owners,
            DVec2::new(r + l, 0.0),
            along::<Plane>(DVec2::X),
        );
        setup.joints.push(guide);
        // The crank turns at 10: the crank pin and the rod follow.
        let spin = 10.0;
        setup.bodies[0].spin = spin;
        setup.bodies[0].velocity = DVec2::new(0.0, 0.5 * r * spin);
        setup.bodies[1].spin = -spin * r / l;
        setup.bodies[1].velocity = DVec2::new(0.0, 0.5 * r * spin);
        let mut world = World::new(setup).unwrap();
        let masses = [0, 1, 2].map(|k| (world.bodies()[k].mass, world.bodies()[k].moments));
        // Velocities for crank speed 1.
        let inertia = |angle: f64| {
            let (c, s) = (drystone_space::math::cos(angle), drystone_space::math::sin(angle));
            let tilt = -drystone_space::math::asin(r * s / l);
            let tilting = -r * c / (l * drystone_space::math::cos(tilt));
            let pin = DVec2::new(-r * s, r * c);
            let along =
                DVec2::new(-drystone_space::math::sin(tilt), drystone_space::math::cos(tilt))
                    * (l * tilting);
            let (middle, end) = (pin + along * 0.5, pin + along);
            let [crank, rod, piston] = masses;
            crank.1
                + 0.25 * crank.0 * r * r
                + rod.0 * middle.length_squared()
                + rod.1 * tilting * tilting
                + piston.0 * end.length_squared()
        };
        let whole = inertia(0.0) * spin * spin;
        let start = energy(&world);
        run(&mut world, (1.0 / h) as usize);
        assert!((energy(&world) / start - 1.0).abs() < 1e-4, "{:e}", energy(&world) / start - 1.0);
        let [angle] = integrate([0.0], 1.0, 20_000, |[angle]| [(whole / inertia(angle)).sqrt()]);
        let turned = world.bodies()[0].pose.rotation.angle();
        assert!(world.bodies()[2].pose.position.y.abs() < 1e-12);
        (turned - angle).abs()
    });
    assert!(errors[1] < 1e-3, "{errors:?}");
    assert!((order(errors) - 2.0).abs() < 0.4, "{errors:?}");
}

/// Parallelograms side by side, as long as they are high: all bars lie on one line twice a turn, where the mechanism could fold
/// another way. It goes through with its energy, and its loops stay closed.
#[test]
fn a_row_of_parallelograms_passes_its_singular_positions() {
    let loops = 5;
    let mut setup = plane(1e-3);
    setup.gravity = DVec2::ZERO;
    let spin = 3.0;
    for upright in 0..=loops {
        let foot = DVec2::new(upright as f64, 0.0);
        let mut leg = bar(foot, foot + DVec2::Y);
        leg.spin = -spin;
        leg.velocity = DVec2::new(0.5 * spin, 0.0);
        leg.parts = Vec::new().into();
        setup.bodies.push(leg);
        hinge(&mut setup, upright, None, foot);
    }
    for number in 0..loops {
        let top = DVec2::new(number as f64, 1.0);
        let mut beam = bar(top, top + DVec2::X);
        beam.velocity = DVec2::new(spin, 0.0);
        beam.parts = Vec::new().into();
        setup.bodies.push(beam);
        let beam = loops + 1 + number;
        hinge(&mut setup, beam, Some(number), top);
        hinge(&mut setup, beam, Some(number + 1), top + DVec2::X);
    }
    let mut world = World::new(setup).unwrap();
    let start = energy(&world);
    run(&mut world, 10_000);
    let turns = world.bodies()[0].pose.rotation.angle() / std::f64::consts::TAU;
    assert!(turns.abs() > 4.0, "{turns}");
    assert!((energy(&world) / start - 1.0).abs() < 1e-3, "{:e}", energy(&world) / start - 1.0);
}

/// A crank on a turning boundary lifts a bar: what the boundary gives is what the bar has.
#[test]
fn a_moving_boundary_drives_a_bar_and_is_booked() {
    in_both(|| {
        let mut setup = plane(1e-3);
        let course = Course::Velocity { linear: DVec2::ZERO, spin: 2.0 };
        setup.boundaries.push(Boundary {
            name: "motor".into(),
            pose: Pose::IDENTITY,
            parts: Vec::new(),
            drive: Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY }),
            removal: f64::INFINITY,
        });
        setup.bodies.push(bar(DVec2::ZERO, DVec2::X));
        let owners = [Some(Owner::Body(0)), Some(Owner::Boundary(0))];
        let weld = joint(&setup, JointKind::Weld, owners, DVec2::ZERO, Rotation::IDENTITY);
        setup.joints.push(weld);
        let mut world = World::new(setup).unwrap();
        // The start velocity is the boundary's.
        let mass = world.bodies()[0].mass;
        assert!((world.bodies()[0].spin - 2.0).abs() < 1e-13);
        run(&mut world, 500);
        assert!((world.bodies()[0].pose.rotation.angle() - 1.0).abs() < 1e-12);
        let lifted = mass * G * 0.5 * drystone_space::math::sin(1.0);
        let ledger = world.ledger();
        assert!((ledger.boundary_work / lifted - 1.0).abs() < 1e-5, "{ledger:?}");
        assert!(ledger.joint_work.abs() < 1e-5 * lifted, "{ledger:?}");
        // Weight and what turns it: m (g − ω² r) along the bar and across.
        let reaction = world.joint_reactions()[0];
        let wanted = DVec2::new(0.0, mass * G) - DVec2::from_angle(1.0) * (0.5 * mass * 4.0);
        assert!((reaction.force - wanted).length() < 1e-2 * mass * G, "{reaction:?} {wanted}");
        let difference = (world.boundary_force(0) + reaction.force).length() / (mass * G);
        assert!(difference < 1e-9, "{difference:e}");
    });
}

/// A rod keeps a disk at its distance; the disk does not turn.
#[test]
fn a_rod_is_a_pendulum_of_a_point() {
    let mut setup = plane(1e-3);
    setup.bodies.push(crate::support::body(PlaneShape::Disk { radius: 0.1 }, Pose::at(DVec2::X)));
    let owners = [Some(Owner::Body(0)), None];
    let mut rod =
        joint(&setup, JointKind::Rod { length: 1.0 }, owners, DVec2::X, Rotation::IDENTITY);
    rod.sides[1].frame.position = DVec2::ZERO;
    setup.joints.push(rod);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 1500);
    let [angle, _] =
        integrate([0.0, 0.0], 1.5, 20_000, |[a, w]| [w, -G * drystone_space::math::cos(a)]);
    let place = world.bodies()[0].pose.position;
    assert!((place - DVec2::from_angle(angle)).length() < 2e-5, "{place}");
    assert!(world.bodies()[0].spin == 0.0);
}

/// Bodies that joints do not find where they want them are brought there, or refused.
#[test]
fn a_mechanism_is_assembled_or_refused() {
    let mut setup = plane(1e-3);
    setup.bodies.push(bar(DVec2::ZERO, DVec2::X));
    setup.bodies.push(bar(DVec2::X, DVec2::new(2.0, 0.0)));
    hinge(&mut setup, 0, None, DVec2::ZERO);
    hinge(&mut setup, 1, Some(0), DVec2::X);
    hinge(&mut setup, 1, None, DVec2::new(2.0, 0.0));
    // The far end is to be a little nearer, or out of reach.
    setup.joints[2].sides[1].frame.position.x = 1.9;
    setup.bodies[0].pose.rotation = drystone_space::PlaneRotation::from_angle(0.1);
    let world = World::new(setup.clone()).unwrap();
    let worst = world.joint_reactions().iter().fold(0.0f64, |w, r| w.max(r.drift));
    assert!(worst < 1e-12, "{worst:e}");
    let (a, b) = (world.bodies()[0].pose, world.bodies()[1].pose);
    assert!((a.point(DVec2::new(0.5, 0.0)) - b.point(DVec2::new(-0.5, 0.0))).length() < 1e-12);
    setup.joints[2].sides[1].frame.position.x = 2.1;
    let error = World::new(setup).unwrap_err();
    assert!(matches!(error, SetupError::NotAssembled { .. }), "{error}");
}

/// A million steps do not open a loop.
#[test]
#[ignore = "a million steps"]
fn a_million_steps_do_not_drift() {
    let mut setup = plane(1e-3);
    setup.gravity = DVec2::ZERO;
    for (from, to) in [(DVec2::ZERO, DVec2::Y), (DVec2::Y, DVec2::ONE), (DVec2::ONE, DVec2::X)] {
        setup.bodies.push(bar(from, to));
    }
    hinge(&mut setup, 0, None, DVec2::ZERO);
    hinge(&mut setup, 1, Some(0), DVec2::Y);
    hinge(&mut setup, 2, Some(1), DVec2::ONE);
    hinge(&mut setup, 2, None, DVec2::X);
    setup.bodies[1].velocity = DVec2::X;
    let mut world = World::new(setup).unwrap();
    let start = energy(&world);
    let drift = run(&mut world, 1_000_000);
    println!("drift {drift:e}, energy {:e}", energy(&world) / start - 1.0);
}
