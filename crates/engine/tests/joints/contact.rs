//! Joints together with contacts.

use super::{G, along, bar, energy, hinge, in_both, joint, plane, run};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    ContactForm, Curve, Friction, JointKind, LawTable, MoreauLaw, Owner, PercussionLaw, Resistance,
    Setup, SetupError, World,
};
use drystone_space::{DVec2, DVec3, Plane, Pose, Rotation, Volume};

fn ground() -> drystone_engine::Boundary<Plane> {
    crate::support::fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY)
}

fn block(width: f64, height: f64, centre: DVec2) -> drystone_engine::Body<Plane> {
    let shape = PlaneShape::Polygon(Polygon::rectangle(width, height).unwrap());
    crate::support::body(shape, Pose::at(centre))
}

/// Two blocks welded to each other slide and stop as one block does, to the last micrometre: μ g t²/2.
#[test]
fn welded_blocks_slide_as_one() {
    in_both(|| {
        let mut setup = plane(1e-3);
        setup.boundaries.push(ground());
        for x in [0.0, 1.0] {
            let mut half = block(1.0, 0.5, DVec2::new(x, 0.25));
            half.velocity = DVec2::new(1.0, 0.0);
            setup.bodies.push(half);
        }
        let owners = [Some(Owner::Body(1)), Some(Owner::Body(0))];
        let weld =
            joint(&setup, JointKind::Weld, owners, DVec2::new(0.5, 0.25), Rotation::IDENTITY);
        setup.joints.push(weld);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 1000);
        let slid = world.bodies()[0].pose.position.x;
        assert!((slid - 1.0 / (2.0 * 0.3 * G)).abs() < 1e-3, "{slid}");
        assert!(world.bodies().iter().all(|b| b.velocity.length() < 1e-6 && b.spin.abs() < 1e-6));
        let mass: f64 = world.bodies().iter().map(|b| b.mass).sum();
        let lost = world.ledger().friction_loss / (0.5 * mass);
        assert!((lost - 1.0).abs() < 1e-2, "{lost}");
        let forces: f64 = world.contacts().iter().map(|c| c.impulse.y).sum::<f64>() / 1e-3;
        let weight: f64 = world.bodies().iter().map(|b| b.mass * G).sum();
        assert!((forces / weight - 1.0).abs() < 1e-4);
    });
}

/// A lever on a hinge, a weight a million times heavier than the lever on one end and a support under the other: the support
/// carries what the arms say.
#[test]
fn a_lever_hands_on_a_load_a_million_times_its_mass() {
    in_both(|| {
        let mut setup = plane(1e-3);
        let mut lever = bar(DVec2::new(-1.0, 1.0), DVec2::new(3.0, 1.0));
        (lever.mass, lever.moments) = (1.0, 1.0);
        setup.bodies.push(lever);
        hinge(&mut setup, 0, None, DVec2::new(0.0, 1.0));
        let mut load = block(0.2, 0.2, DVec2::new(-0.9, 1.11));
        (load.mass, load.moments) = (1e6, 1e4);
        setup.bodies.push(load);
        // A peg above the long arm.
        let peg = crate::support::fixed(
            "peg",
            PlaneShape::Disk { radius: 0.1 },
            Pose::at(DVec2::new(2.5, 1.11)),
        );
        setup.boundaries.push(peg);
        setup.solver.tolerance = 1e-9;
        setup.solver.judge = drystone_engine::Judge::Step;
        let mut world = World::new(setup).unwrap();
        run(&mut world, 50);
        let held = -world.boundary_force(0).y;
        // The lever's own weight acts at 1 from the hinge, on the side of the peg.
        let wanted = -(0.9 * 1e6 * G - G) / 2.5;
        assert!((held / wanted - 1.0).abs() < 2e-2, "{held} {wanted}");
        assert!(world.bodies()[0].spin.abs() < 1e-3);
    });
}

/// A chain falls on the ground and comes to rest there: forces on the ground are its weight, nothing drifts, energy only falls.
#[test]
fn a_chain_comes_to_rest_on_the_ground() {
    in_both(|| {
        // What scenes ask for, and what sweeps alone do not reach in all steps.
        for tolerance in [1e-4, 1e-5] {
            falls_on_the_ground(tolerance);
        }
    });
}

fn falls_on_the_ground(tolerance: f64) {
    let mut setup = plane(1e-3);
    setup.form = ContactForm::Gap { margin: 0.01, recovery_speed: 1.0, recovery_share: 1.0 };
    setup.solver.tolerance = tolerance;
    setup.boundaries.push(ground());
    let start = DVec2::new(0.0, 0.3);
    for link in 0..12 {
        let from = start + DVec2::new(0.1, 0.05) * link as f64;
        setup.bodies.push(bar(from, from + DVec2::new(0.1, 0.05)));
        if link > 0 {
            hinge(&mut setup, link, Some(link - 1), from);
        }
    }
    let mut world = World::new(setup).unwrap();
    let start = energy(&world);
    run(&mut world, 2500);
    assert!(energy(&world) < start);
    let weight: f64 = world.bodies().iter().map(|b| b.mass * G).sum();
    let fastest = world.bodies().iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-2, "{fastest}");
    let held = -world.boundary_force(0).y;
    assert!((held / weight - 1.0).abs() < 0.05, "{held} of {weight}");
    let deepest = world.contacts().iter().map(|c| -c.gap).fold(0.0, f64::max);
    assert!(deepest < 2e-3, "{deepest:e}");
    assert!(world.ledger().joint_work.abs() < 1e-2 * start, "{:?}", world.ledger());
}

/// A bar on a hinge hits a wall with restitution ½: it comes back with half its speed, whatever the hinge bears.
#[test]
fn a_hinged_bar_rebounds_by_newtons_law() {
    in_both(|| {
        let mut setup = plane(1e-4);
        setup.gravity = DVec2::ZERO;
        let law = MoreauLaw { normal_restitution: 0.5, ..MoreauLaw::default() };
        setup.laws = LawTable::uniform(1, law);
        let mut swung = bar(DVec2::ZERO, DVec2::Y);
        swung.spin = -1.0;
        swung.velocity = DVec2::new(0.5, 0.0);
        setup.bodies.push(swung);
        hinge(&mut setup, 0, None, DVec2::ZERO);
        setup.boundaries.push(crate::support::fixed(
            "peg",
            PlaneShape::Disk { radius: 0.1 },
            Pose::at(DVec2::new(0.4, 0.8)),
        ));
        let mut world = World::new(setup).unwrap();
        run(&mut world, 6000);
        assert!((world.bodies()[0].spin - 0.5).abs() < 1e-4, "{}", world.bodies()[0].spin);
    });
}

/// Two hinged boxes in space beside free ones, in both forms and with 1 and 2 threads: the same bits; the free ones as without.
#[test]
fn threads_change_no_bit() {
    in_both(|| {
        let make = |joined: bool| {
            let gravity = DVec3::new(0.0, 0.0, -G);
            let mut setup: Setup<Volume> = crate::support::setup(gravity, 0.4);
            let cube = || VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::splat(0.2)).unwrap());
            for number in 0..40 {
                let place = DVec3::new(0.3 * (number % 8) as f64, 0.3 * (number / 8) as f64, 0.1);
                setup.bodies.push(crate::support::body(cube(), Pose::at(place)));
            }
            for number in [0u32, 2] {
                let owners = [Some(Owner::Body(number)), Some(Owner::Body(number + 1))];
                let point = DVec3::new(0.3 * f64::from(number) + 0.15, 0.0, 0.1);
                let made =
                    joint(&setup, JointKind::Hinge, owners, point, along::<Volume>(DVec3::Y));
                if joined {
                    setup.joints.push(made);
                }
            }
            setup.bodies[0].velocity = DVec3::new(0.5, 0.2, 0.0);
            setup.bodies[20].velocity = DVec3::new(0.5, 0.2, 0.0);
            setup.boundaries.push(crate::support::fixed(
                "ground",
                VolumeShape::HalfSpace,
                Pose::IDENTITY,
            ));
            World::new(setup).unwrap()
        };
        let hashes = [1, 2].map(|threads| {
            let mut world = make(true);
            world.set_threads(threads);
            run(&mut world, 200);
            world.state_hash()
        });
        assert_eq!(hashes[0], hashes[1]);
        let mut joined = make(true);
        run(&mut joined, 20);
        assert!(joined.problem().compliant.len() == 2 && joined.problem().contacts.len() > 100);
        assert_eq!(joined.problem().contacts.len(), joined.solution().impulses.len());
    });
}

/// Joined bodies pass through each other unless their joint says otherwise.
#[test]
fn joined_bodies_touch_only_if_they_are_to() {
    in_both(|| {
        for contact in [false, true] {
            let mut setup = plane(1e-3);
            setup.gravity = DVec2::ZERO;
            setup.bodies.push(block(0.4, 0.4, DVec2::ZERO));
            let mut other = block(0.4, 0.4, DVec2::new(0.6, 0.0));
            other.velocity = DVec2::new(-1.0, 0.0);
            setup.bodies.push(other);
            let owners = [Some(Owner::Body(1)), Some(Owner::Body(0))];
            let mut rail =
                joint(&setup, JointKind::Slider, owners, DVec2::ZERO, along::<Plane>(DVec2::X));
            rail.contact = contact;
            setup.joints.push(rail);
            let mut world = World::new(setup).unwrap();
            run(&mut world, 400);
            let [a, b] = [0, 1].map(|k| world.bodies()[k].velocity.x);
            match contact {
                true => assert!((a + 0.5).abs() < 1e-9 && (b + 0.5).abs() < 1e-9, "{a} {b}"),
                false => assert!(a.abs() < 1e-12 && (b + 1.0).abs() < 1e-12, "{a} {b}"),
            }
        }
    });
}

#[test]
fn what_joints_cannot_have_is_refused() {
    let base = || {
        let mut setup = plane(1e-3);
        setup.bodies.push(block(0.4, 0.4, DVec2::ZERO));
        hinge(&mut setup, 0, None, DVec2::ZERO);
        setup
    };
    let refused = |change: fn(&mut Setup<Plane>), words: &str| {
        let mut setup = base();
        change(&mut setup);
        let error = World::new(setup).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        error
    };
    refused(|s| s.joints[0].sides[0].owner = Some(Owner::Body(3)), "names body 3");
    refused(|s| s.joints[0].sides[1].owner = Some(Owner::Boundary(0)), "names boundary 0");
    refused(|s| s.joints[0].sides[0].owner = None, "to itself");
    refused(|s| s.joints[0].kind = JointKind::Ball, "no such joint in the plane");
    refused(|s| s.joints[0].kind = JointKind::Rod { length: 0.0 }, "must have a length");
    refused(|s| s.sleep = Some(Default::default()), "beside joints");
    let error = refused(
        |s| {
            let resistance = Resistance { rolling: 0.1, spinning: 0.0 };
            let law =
                MoreauLaw { resistance, friction: Friction::from(0.3), ..MoreauLaw::default() };
            s.laws = LawTable::uniform(1, law);
        },
        "rolling resistance",
    );
    assert!(matches!(error, SetupError::UnfitForJoints { .. }));
}

/// Kane's double pendulum: its tip strikes a floor and slides on it with friction. Percussions of A-CD² at joined bodies give energy in no
/// step, with potentials from hard to soft.
#[test]
fn percussions_of_kanes_pendulum_give_no_energy() {
    in_both(|| {
        for (k, tangential) in [(50.0, Curve::Rigid), (1e4, Curve::Linear(100.0))] {
            let mut setup = plane(1e-4);
            let normal = Curve::Linear(4.0 * k);
            let law = PercussionLaw { normal, pulls: false, tangential, friction: 0.5 };
            setup.laws = LawTable::uniform(1, law);
            setup.solver.tolerance = 1e-9;
            let floor = Pose::at(DVec2::new(0.0, -1.6));
            let floor = crate::support::fixed("floor", PlaneShape::HalfPlane, floor);
            setup.boundaries.push(floor);
            let knee = DVec2::new(0.35, -0.9);
            for (number, from, to) in
                [(0, DVec2::ZERO, knee), (1, knee, knee + DVec2::new(0.7, -0.65))]
            {
                let mut made = bar(from, to);
                made.velocity = DVec2::new(-1.0, -1.0);
                made.spin = -2.0;
                setup.bodies.push(made);
                hinge(&mut setup, number, number.checked_sub(1), from);
            }
            let mut world = World::new(setup).unwrap();
            run(&mut world, 3000);
            let ledger = world.ledger();
            assert!(ledger.impact_loss > 0.0 && ledger.friction_loss > 0.0, "{ledger:?}");
            assert!(ledger.dissipation_min >= -1e-12, "{ledger:?}");
        }
    });
}
