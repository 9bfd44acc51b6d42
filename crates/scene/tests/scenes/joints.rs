//! Mechanisms.

use crate::support::{bare, body, changed, plane, run_until, text, volume};
use drystone_engine::{Dimension, World};
use drystone_space::{DVec2, Plane};
use std::f64::consts::TAU;

fn drift<S: Dimension>(world: &World<S>) -> f64 {
    world.joint_reactions().iter().fold(0.0, |worst, r| worst.max(r.drift).max(r.angle_drift))
}

/// The piston is where the crank has it, the crank pin where the flywheel is; what the flywheel gives is what the parts have,
/// and the force that the shaft bears is what moves them all.
#[test]
fn a_slider_crank_is_driven() {
    let mut world = plane(&text("slider_crank.toml"));
    let (r, l) = (0.3, 1.0);
    run_until(&mut world, 2.0, |world, _| {
        let (sin, cos) = (TAU * world.time()).sin_cos();
        let piston = body(world, "piston").pose.position;
        let wanted = r * cos + (l * l - r * r * sin * sin).sqrt();
        assert!((piston.x - wanted).abs() < 1e-11 && piston.y.abs() < 1e-12, "{piston}");
        assert!(drift(world) < 1e-12);
    });
    let ledger = world.ledger();
    let scale = ledger.scale;
    assert!(ledger.joint_work.abs() < 1e-3 * scale, "{ledger:?}");
    // After whole turns the energy is that of the start, and the flywheel has given nothing.
    assert!(ledger.boundary_work.abs() < 2e-3 * scale, "{ledger:?}");
    let after = ledger.kinetic + ledger.potential;
    assert!((after - ledger.initial).abs() < 2e-3 * scale);
}

/// A ball on a rod of a given length is brought to it, and stays there; sides that may touch do.
#[test]
fn what_is_a_little_off_is_assembled() {
    let things = r#"
[[body]]
name = "ball"
material = "a"
shape = { sphere = 0.1 }
mass = 1
position = [1, 0, 0]

[[joint]]
name = "rod"
kind = "rod"
body = "ball"
points = [[1, 0, 0], [0, 0, 0]]
length = 1.01
"#;
    let mut world = volume(&bare(3, 9.81, "friction = 0", things));
    assert!((body(&world, "ball").pose.position.length() - 1.01).abs() < 1e-13);
    run_until(&mut world, 0.5, |world, _| {
        assert!((body(world, "ball").pose.position.length() - 1.01).abs() < 1e-12);
    });
}

/// Each half swing is shorter than the one before by 2 μ r/d, and the bar comes to rest away from the vertical.
#[test]
fn a_pendulum_on_a_dry_pin_decays_on_a_line() {
    let mut world = plane(&text("pendulum_friction.toml"));
    let angle = |world: &World<Plane>| {
        let place = body(world, "bar").pose.position;
        place.x.atan2(-place.y)
    };
    let fall = 2.0 * 0.2 * 0.03 / 0.5;
    let (mut turns, mut before, mut way) = (vec![0.15], 0.15, 0.0);
    run_until(&mut world, 8.0, |world, _| {
        let now = angle(world);
        if (now - before).abs() > 1e-9 {
            if (now - before) * way < 0.0 {
                turns.push(before.abs());
            }
            way = now - before;
        }
        before = now;
    });
    for pair in turns.windows(2) {
        let fell = (pair[0] - pair[1]) / fall;
        assert!((fell - 1.0).abs() < 2e-2, "{turns:?}");
    }
    // 0.15 = 6 × 0.024 + 0.006: it turns five times, and after the sixth half swing it stands.
    assert!(turns.len() == 6 && before.abs() < 0.5 * fall && before.abs() > 1e-3, "{turns:?}");
    assert!(body(&world, "bar").spin.abs() < 1e-10);
}

/// The box hangs still until 2 μ F < m g, and then falls with what is missing; a little more friction holds it longer.
#[test]
fn a_gripper_lets_go_below_the_exact_bound() {
    let slider = "kind = \"slider\"";
    let reduced = format!("{slider}\ncoordinates = \"reduced\"");
    for (mu, let_go, joint) in [
        ("0.5", 1.3076, slider),
        ("0.4", 0.5 + (60.0 - 24.525) / 50.0, slider),
        ("0.4", 0.5 + (60.0 - 24.525) / 50.0, &reduced),
    ] {
        let change = format!("friction = {mu}");
        let changes = [("friction = 0.5", change.as_str()), (slider, joint)];
        let mut world = plane(&changed("gripper.toml", &changes));
        let mut held = 0.0;
        run_until(&mut world, 1.5, |world, _| {
            let body = body(world, "box");
            if body.velocity.y > -1e-4 {
                held = world.time();
                assert!(body.pose.position.y.abs() < 1e-4, "{}", body.pose.position);
            }
        });
        assert!((held - let_go).abs() < 6e-3, "{mu}: {held} {let_go}");
        // g − 2 μ F/m with a force that falls by 50 N/s: a cubic in the time since.
        let since: f64 = 1.5 - let_go;
        let mu: f64 = mu.parse().unwrap();
        let fell = 2.0 * mu * 50.0 / 2.0 * since.powi(3) / 6.0;
        let found = -body(&world, "box").pose.position.y;
        assert!((found / fell - 1.0).abs() < 5e-2, "{found} {fell}");
    }
}

/// Past its dead centre the clamp stays closed when it is let go; stopped before, it opens.
#[test]
fn a_toggle_clamp_locks_past_its_dead_centre() {
    for (stop, locks) in [("-0.5635987755982988", true), ("-0.4835987755982988", false)] {
        let change = format!("angle = [{stop}, 0.2]");
        let from = "angle = [-0.5635987755982988, 0.2]";
        let mut world = plane(&changed("toggle_clamp.toml", &[(from, change.as_str())]));
        let closed = 0.04f64.cos();
        run_until(&mut world, 0.38, |_, _| {});
        let piston = body(&world, "piston").pose.position.x;
        assert!((piston - closed).abs() < 1e-4, "{piston} {closed}");
        run_until(&mut world, 0.8, |_, _| {});
        let piston = body(&world, "piston").pose.position.x;
        assert_eq!((piston - closed).abs() < 1e-4, locks, "{piston}");
        if locks {
            // The thrust of the links is the spring's; the stop bears its moment.
            let push = 20_000.0 * (closed - 0.75f64.sqrt());
            let reactions = world.joint_reactions();
            let along = reactions[2].force.x / -push;
            assert!((along.abs() - 1.0).abs() < 1e-3, "{along}");
            let couple = reactions[0].torque.abs() / (push * 0.5 * 2.0 * 0.04f64.tan());
            assert!((couple - 1.0).abs() < 2e-2, "{couple}");
        } else {
            assert!(piston < 0.95, "{piston}");
        }
    }
}

/// The tip of Hoeken's linkage is where two circles meet, the motor's couple never more than it has, and what it gives is
/// what the links have.
#[test]
fn a_motor_drives_hoekens_linkage() {
    let mut world = plane(&text("hoeken.toml"));
    let mut fast = f64::INFINITY;
    run_until(&mut world, 2.0, |world, _| {
        let crank = body(world, "crank");
        let (sin, cos) = crank.pose.rotation.angle().sin_cos();
        let pin = DVec2::new(cos, sin) * 0.1;
        let away = DVec2::new(0.2, 0.0) - pin;
        let half = 0.5 * away.length();
        let up = DVec2::new(-away.y, away.x) / away.length();
        let knee = pin + away * 0.5 + up * (0.0625 - half * half).sqrt();
        let found = body(world, "coupler").pose.position;
        assert!((found - knee).length() < 1e-10, "{found} {knee}");
        assert!(drift(world) < 1e-11);
        let couple = world.joint_reactions()[0].torque.abs();
        assert!(couple < 12.0 + 1e-3, "{couple}");
        if (crank.spin - TAU).abs() < 1e-6 {
            fast = fast.min(world.time());
        }
    });
    assert!(fast < 1.0, "{fast}");
    let ledger = world.ledger();
    let gained = ledger.kinetic + ledger.potential - ledger.initial;
    assert!((ledger.external_work - gained).abs() < 2e-3 * gained.abs(), "{ledger:?}");
}

fn round(name: &str, shape: &str, mass: f64, at: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"a\"\nshape = {{ {shape} = 0.1 }}\n\
         mass = {mass}\nposition = {at}\n"
    )
}

/// Gears and a pulley of the plane and a screw of space, as scenes write them, against their closed forms.
#[test]
fn transmissions_of_scenes() {
    let mut things = round("small", "disk", 2.0, "[0, 0]");
    things += &round("large", "disk", 2.0, "[3, 0]");
    things += &round("heavy", "disk", 3.0, "[9, -1]");
    things += &round("light", "disk", 2.0, "[10, -2]");
    things += "[[joint]]\nkind = \"hinge\"\nbody = \"small\"\nmotor = { torque = 0.5 }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"large\"\n\
        [[joint]]\nkind = \"gear\"\nbody = \"small\"\nto = \"large\"\nteeth = [10, 20]\n\
        points = [[0, 0], [3, 0]]\n\
        [[joint]]\nkind = \"pulley\"\nbody = \"heavy\"\nto = \"light\"\n\
        points = [[9, -1], [10, -2]]\npulleys = [[9, 0], [10, 0]]\n";
    let mut world = plane(&bare(2, 9.81, "friction = 0", &things));
    run_until(&mut world, 0.5, |_, _| {});
    // Disks of 0.01 kg m²: T/(I (1 + ¼)), and half of it the other way.
    let spins = ["small", "large"].map(|name| body(&world, name).spin);
    assert!((spins[0] - 20.0).abs() < 1e-7 && (spins[1] + 10.0).abs() < 1e-7, "{spins:?}");
    let fell = body(&world, "heavy").velocity.y;
    assert!((fell + 0.5 * 9.81 / 5.0).abs() < 1e-6, "{fell}");

    let things = round("nut", "sphere", 2.0, "[0, 0, 0]")
        + "[[joint]]\nkind = \"screw\"\nbody = \"nut\"\naxis = [0, 0, 1]\npitch = 0.1\n";
    let mut world = volume(&bare(3, 9.81, "friction = 0", &things));
    run_until(&mut world, 0.5, |_, _| {});
    let gained = 9.81 / (1.0 + 0.4 * 0.01 * (TAU / 0.1).powi(2));
    let fell = body(&world, "nut").velocity.z;
    assert!((fell + 0.5 * gained).abs() < 1e-8, "{fell} {gained}");
}

/// The car rolls in balance up to its ramp, strikes the rubber of its front strut, and is at its ride height again in the end: what it has lost is what
/// dampers and tyres took.
#[test]
fn a_car_goes_over_a_ramp_on_its_springs() {
    let mut world = plane(&text("suspension.toml"));
    let ride = body(&world, "chassis").pose.position.y;
    let struts = |world: &World<Plane>| {
        let chassis = body(world, "chassis").pose;
        ["rear carrier", "front carrier"].map(|name| {
            let carrier = body(world, name).pose.position;
            chassis.inverse_point(carrier).y + 0.67
        })
    };
    let (mut most, mut least) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
    run_until(&mut world, 2.0, |world, report| {
        assert!(report.converged);
        let at = struts(world);
        for i in 0..2 {
            (most[i], least[i]) = (most[i].max(at[i]), least[i].min(at[i]));
        }
        if world.time() < 0.3 {
            let off = body(world, "chassis").pose.position.y - ride;
            assert!(off.abs() < 1e-6, "{off:e} at {}", world.time());
        }
        assert!(drift(world) < 1e-9);
    });
    let ledger = world.ledger();
    assert!(most[1] > 0.04 && most.iter().all(|&at| at < 0.06), "{most:?}");
    assert!(least.iter().all(|&at| at > -0.1), "{least:?}");
    let end = body(&world, "chassis").pose.position;
    assert!((end.y - ride).abs() < 5e-3, "{end}");
    assert!(ledger.damping_loss > 100.0 && ledger.closure() < 1e-12, "{ledger:?}");
}
