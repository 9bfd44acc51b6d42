//! Friction, springs, motors and strength of joints.

use super::{G, along, bar, energy, hinge, in_both, integrate, joint, plane, run};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Characteristic, DriveLaw, Freedom, JointDrive, JointFriction, JointKind, JointLimit,
    JointStrength, Owner, Setup, Signal, Target, World, Wrench,
};
use drystone_space::{DVec2, DVec3, Plane, Pose, Rotation, Volume, math};

fn block(width: f64, height: f64, centre: DVec2) -> drystone_engine::Body<Plane> {
    let shape = PlaneShape::Polygon(Polygon::rectangle(width, height).unwrap());
    crate::support::body(shape, Pose::at(centre))
}

fn motor(freedom: Freedom, target: Target, most: f64) -> JointDrive {
    JointDrive { freedom, law: DriveLaw::Motor { target, most } }
}

fn spring(freedom: Freedom, stiffness: f64, rest: f64, damping: f64) -> JointDrive {
    let of = Characteristic { stiffness, rest, damping, ..Characteristic::default() };
    JointDrive { freedom, law: DriveLaw::Spring(of) }
}

/// A bar on a pin with friction swings with small amplitudes, which fall by the same amount in each half swing as long as it
/// swings: 2 M/(m g r), M = μ r_p R with R all but the weight. Then it stands still away from the vertical.
#[test]
fn a_pendulum_with_dry_friction_decays_on_a_line() {
    in_both(|| {
        let mut setup = plane(1e-3);
        let start = 0.06;
        let down = DVec2::new(math::sin(start), -math::cos(start));
        setup.bodies.push(bar(DVec2::ZERO, down));
        hinge(&mut setup, 0, None, DVec2::ZERO);
        let (mu, pin) = (0.2, 0.02);
        setup.joints[0].friction =
            Some(JointFriction { coefficient: mu, radius: pin, ..JointFriction::default() });
        let mut world = World::new(setup).unwrap();
        let angle = |world: &World<Plane>| {
            let place = world.bodies()[0].pose.position;
            math::atan2(place.x, -place.y)
        };
        let fall = 2.0 * mu * pin / 0.5;
        let (mut turns, mut last) = (vec![start], f64::INFINITY);
        let mut before = angle(&world);
        for _ in 0..6000 {
            run(&mut world, 1);
            let now = angle(&world);
            let moves = (now - before).abs() > 1e-9;
            if moves && last.is_finite() && (now - before) * last < 0.0 {
                turns.push(before.abs());
            }
            if moves {
                last = now - before;
            }
            before = now;
        }
        for pair in turns.windows(2) {
            let fell = (pair[0] - pair[1]) / fall;
            assert!((fell - 1.0).abs() < 1e-2, "{turns:?} {fall}");
        }
        // It stands where the couple of its weight is within that of friction: |θ| < μ r_p/r.
        let end = angle(&world).abs();
        assert!(turns.len() == 4 && end > 1e-4 && end < 0.5 * fall * 1.001, "{turns:?} {end}");
        assert!(world.bodies()[0].spin.abs() < 1e-12, "{}", world.bodies()[0].spin);
        let lost = world.ledger().friction_loss;
        let fallen = world.bodies()[0].mass * G * 0.5 * (math::cos(end) - math::cos(start));
        assert!((lost / fallen - 1.0).abs() < 1e-3, "{lost} {fallen}");
    });
}

/// A block on a rail whose slope is that of the friction angle, a little less and a little more: it stays, or falls with
/// g (sin α − μ cos α).
#[test]
fn a_slider_with_friction_holds_up_to_its_angle() {
    in_both(|| {
        let mu = 0.3f64;
        for more in [-0.01, 0.05] {
            let slope = math::atan2(mu, 1.0) + more;
            let mut setup = plane(1e-3);
            setup.bodies.push(block(0.2, 0.2, DVec2::ZERO));
            let axis = DVec2::new(math::cos(slope), math::sin(slope));
            let owners = [Some(Owner::Body(0)), None];
            let mut rail =
                joint(&setup, JointKind::Slider, owners, DVec2::ZERO, along::<Plane>(axis));
            rail.friction = Some(JointFriction { coefficient: mu, ..JointFriction::default() });
            setup.joints.push(rail);
            let mut world = World::new(setup).unwrap();
            run(&mut world, 500);
            let gone = -world.bodies()[0].pose.position.dot(axis);
            let pull = (G * (math::sin(slope) - mu * math::cos(slope))).max(0.0);
            // Moreau's step is behind by half a step's velocity.
            assert!((gone - 0.5 * pull * 0.25).abs() < 1e-3 * pull * 0.5 + 1e-9, "{more}: {gone}");
            let sum = energy(&world) + world.ledger().friction_loss;
            assert!(sum.abs() < 1e-6, "{sum}");
        }
    });
}

/// A long guide bears the couple of an eccentric pull: it jams where 2 μ e/ℓ > 1, however strong the pull is.
#[test]
fn a_guide_jams_by_a_couple() {
    in_both(|| {
        for (eccentric, jams) in [(0.30, true), (0.20, false)] {
            let mut setup = Setup { gravity: DVec2::ZERO, ..plane(1e-3) };
            setup.bodies.push(block(0.2, 0.2, DVec2::ZERO));
            let owners = [Some(Owner::Body(0)), None];
            let mut rail =
                joint(&setup, JointKind::Slider, owners, DVec2::ZERO, along::<Plane>(DVec2::X));
            // 2 μ e/ℓ = 4 e.
            rail.friction =
                Some(JointFriction { coefficient: 0.5, length: 0.25, ..JointFriction::default() });
            setup.joints.push(rail);
            let mut world = World::new(setup).unwrap();
            let force = 10.0 * world.bodies()[0].mass;
            let wrench = Wrench { force: DVec2::X * force, torque: -eccentric * force };
            world.set_wrench(0, wrench).unwrap();
            run(&mut world, 300);
            let gone = world.bodies()[0].pose.position.x;
            let wanted = if jams { 0.0 } else { 0.5 * 10.0 * (1.0 - 4.0 * eccentric) * 0.09 };
            assert!((gone - wanted).abs() < 1e-9 + 5e-3 * wanted, "{eccentric}: {gone} {wanted}");
        }
    });
}

/// A ball joint with friction brings a spinning body to rest in I ω/(μ r m g) about each axis alike.
#[test]
fn a_ball_joint_with_friction_stops_a_spin_about_any_axis() {
    in_both(|| {
        for axis in [DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
            let gravity = DVec3::new(0.0, 0.0, -G);
            let mut setup: Setup<Volume> = crate::support::setup(gravity, 0.3);
            let mut ball: drystone_engine::Body<Volume> =
                crate::support::body(VolumeShape::Sphere { radius: 0.1 }, Pose::at(DVec3::ZERO));
            ball.set_world_spin(axis * 3.0);
            setup.bodies.push(ball);
            let owners = [Some(Owner::Body(0)), None];
            let mut made = joint(&setup, JointKind::Ball, owners, DVec3::ZERO, Rotation::IDENTITY);
            made.friction =
                Some(JointFriction { coefficient: 0.1, radius: 0.01, ..JointFriction::default() });
            setup.joints.push(made);
            let mut world = World::new(setup).unwrap();
            let body = &world.bodies()[0];
            let slowing = 0.1 * 0.01 * body.mass * G / body.moments.x;
            run(&mut world, 500);
            let spin = world.bodies()[0].world_spin();
            assert!((spin - axis * (3.0 - 0.5 * slowing)).length() < 1e-3, "{spin} {slowing}");
            let stop = (3.0 / slowing / 1e-3) as usize;
            run(&mut world, stop - 500 + 10);
            assert!(world.bodies()[0].world_spin().length() < 1e-10);
        }
    });
}

/// A motor of bounded force lifts what it can, at the speed that it is asked for, and stalls where it cannot; it gives what
/// the load takes.
#[test]
fn a_motor_lifts_what_it_can() {
    in_both(|| {
        for (most, lifts) in [(1.2, true), (0.9, false)] {
            let mut setup = plane(1e-3);
            setup.bodies.push(block(0.2, 0.2, DVec2::ZERO));
            let weight = setup.bodies[0].mass * G;
            let owners = [Some(Owner::Body(0)), None];
            let mut rail =
                joint(&setup, JointKind::Slider, owners, DVec2::ZERO, along::<Plane>(DVec2::Y));
            let target = Target::Speed(Signal::Constant(0.5));
            rail.drives.push(motor(Freedom::Travel, target, most * weight));
            rail.limit = Some(JointLimit { low: 0.0, high: f64::INFINITY, restitution: 0.0 });
            setup.joints.push(rail);
            let mut world = World::new(setup).unwrap();
            run(&mut world, 1000);
            let body = &world.bodies()[0];
            let force = world.joint_reactions()[0].force.y / weight;
            if lifts {
                // It begins with the 0.2 g that its force has to spare.
                let late = 0.5 * 0.5 / (0.2 * G);
                let place = 0.5 * (1.0 - 0.5 * late * 2.0);
                assert!((body.velocity.y - 0.5).abs() < 1e-9, "{}", body.velocity);
                assert!((body.pose.position.y - place).abs() < 1e-3, "{}", body.pose.position);
                assert!((world.ledger().external_work / energy(&world) - 1.0).abs() < 1e-9);
            } else {
                assert!(body.pose.position.y.abs() < 1e-9 && body.velocity.length() < 1e-9);
            }
            assert!((force - 1.0).abs() < 1e-6, "{force}");
        }
    });
}

/// A hinge that is asked for an angle goes there in a step where its couple allows it, follows what it is told, and is held
/// there; told another from outside, it goes there.
#[test]
fn a_motor_follows_an_angle() {
    in_both(|| {
        let mut setup = plane(1e-3);
        setup.bodies.push(bar(DVec2::ZERO, DVec2::X));
        hinge(&mut setup, 0, None, DVec2::ZERO);
        let follow = Signal::Sinusoid { mean: 0.0, amplitude: 0.4, frequency: 0.5, phase: 0.0 };
        setup.joints[0].drives.push(motor(Freedom::Angle, Target::Place(follow), 1e6));
        let mut world = World::new(setup).unwrap();
        for _ in 0..1000 {
            run(&mut world, 1);
            let middle = world.time() - 0.5e-3;
            if world.steps() > 2 {
                let wanted = 0.4 * math::sin(std::f64::consts::PI * middle);
                let body = &world.bodies()[0];
                let found = body.pose.rotation.angle() - 0.5e-3 * body.spin;
                assert!((found - wanted).abs() < 1e-5, "{found} {wanted}");
            }
        }
        world.set_joint_target(0, Some(0.3)).unwrap();
        run(&mut world, 200);
        let angle = world.bodies()[0].pose.rotation.angle();
        assert!((angle - 0.3).abs() < 1e-9, "{angle}");
        let couple = world.joint_reactions()[0].torque;
        let wanted = world.bodies()[0].mass * G * 0.5 * math::cos(0.3);
        assert!((couple / wanted - 1.0).abs() < 1e-6, "{couple} {wanted}");
        assert!(world.set_joint_target(3, None).is_err());
    });
}

/// A mass on a spring with a damper follows m ẍ = −k x − d ẋ; without one its energy is kept to rounding, also where the
/// spring is too stiff for an explicit step, ω h = 3.
#[test]
fn a_spring_with_a_damper_follows_its_equation() {
    for (stiffness, damping) in [(200.0, 0.0), (200.0, 5.0), (9e6, 0.0)] {
        let mut setup = plane(1e-3);
        setup.gravity = DVec2::ZERO;
        let mut body = block(0.1, 0.1, DVec2::new(1.3, 0.0));
        body.mass = 1.0;
        setup.bodies.push(body);
        let owners = [Some(Owner::Body(0)), None];
        let mut link =
            joint(&setup, JointKind::Spring, owners, DVec2::new(1.3, 0.0), Rotation::IDENTITY);
        link.sides[1].frame.position = DVec2::ZERO;
        link.drives.push(spring(Freedom::Distance, stiffness, 1.0, damping));
        setup.joints.push(link);
        setup.solver.tolerance = 1e-12;
        let mut world = World::new(setup).unwrap();
        let start = world.ledger().springs;
        assert!((start - 0.5 * stiffness * 0.09).abs() < 1e-12 * stiffness);
        run(&mut world, 1000);
        let now = world.ledger().springs + world.ledger().kinetic;
        if stiffness > 1e6 {
            assert!((now / start - 1.0).abs() < 1e-6, "{now} {start}");
            continue;
        }
        let rate = |[x, v]: [f64; 2]| [v, -stiffness * (x - 1.0) - damping * v];
        let [x, _] = integrate([1.3, 0.0], 1.0, 20_000, rate);
        assert!((world.bodies()[0].pose.position.x - x).abs() < 1e-4, "{damping}");
        let lost = world.ledger().damping_loss;
        assert!(((now + lost) / start - 1.0).abs() < 1e-6, "{now} {lost} {start}");
        assert!(world.ledger().atomisation_work.abs() < 1e-6 * start);
    }
}

/// A rod that bears just less than a weight breaks, and what it held falls; one that bears more does not. A saved state
/// remembers it.
#[test]
fn a_rod_breaks_under_more_than_it_can_bear() {
    for (bears, breaks) in [(0.99, true), (1.01, false)] {
        let make = || {
            let mut setup = plane(1e-3);
            setup.bodies.push(block(0.2, 0.2, DVec2::new(0.0, -1.0)));
            let weight = setup.bodies[0].mass * G;
            let owners = [Some(Owner::Body(0)), None];
            let place = DVec2::new(0.0, -1.0);
            let mut rod =
                joint(&setup, JointKind::Rod { length: 1.0 }, owners, place, Rotation::IDENTITY);
            rod.sides[1].frame.position = DVec2::ZERO;
            rod.strength = Some(JointStrength { force: bears * weight, torque: f64::INFINITY });
            setup.joints.push(rod);
            setup
        };
        let mut world = World::new(make()).unwrap();
        run(&mut world, 10);
        let mut again = World::resume(make(), world.save()).unwrap();
        run(&mut world, 90);
        run(&mut again, 90);
        assert_eq!(world.state_hash(), again.state_hash());
        assert_eq!(world.state().joints[0].broken, breaks);
        let fell = -1.0 - world.bodies()[0].pose.position.y;
        assert!((fell > 0.04) == breaks && (fell.abs() < 1e-9) != breaks, "{fell}");
    }
}

/// A ball joint tilts up to its limit, all around.
#[test]
fn a_ball_joint_tilts_up_to_its_limit() {
    in_both(|| {
        for way in [DVec3::X, DVec3::new(0.6, 0.8, 0.0)] {
            let gravity = DVec3::new(0.0, 0.0, -G);
            let mut setup: Setup<Volume> = crate::support::setup(gravity, 0.3);
            let lean = way * 0.01;
            let place = (DVec3::Z + lean).normalize() * 0.5;
            setup
                .bodies
                .push(crate::support::body(VolumeShape::Sphere { radius: 0.1 }, Pose::at(place)));
            let owners = [Some(Owner::Body(0)), None];
            let mut made =
                joint(&setup, JointKind::Ball, owners, DVec3::ZERO, along::<Volume>(place));
            // The limit is counted from the vertical.
            made.sides[1].frame.rotation = along::<Volume>(DVec3::Z);
            made.limit = Some(JointLimit { low: f64::NEG_INFINITY, high: 0.7, restitution: 0.0 });
            setup.joints.push(made);
            let mut world = World::new(setup).unwrap();
            run(&mut world, 3000);
            let up = world.bodies()[0].pose.position.normalize();
            assert!((math::acos(up.z) - 0.7).abs() < 1e-3, "{up}");
            assert!(world.bodies()[0].velocity.length() < 1e-6);
        }
    });
}
