//! Scenes of laws beyond Coulomb's coefficient, each with its closed form.

use crate::support::{body, edited, plane, run_until, text, volume};
use drystone_space::{DVec2, DVec3};

const G: f64 = 9.81;

/// A stop is seen to one step of 1 ms, and rounding may open a contact for a step.
const NEAR: f64 = 2e-3;

fn near(found: f64, expected: f64, part: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < part, "{what}: {found}, expected {expected}");
}

#[test]
fn a_disk_rolls_to_rest() {
    let mut world = plane(&text("rolling_disk.toml"));
    run_until(&mut world, 4.0, |_, _| {});
    let disk = body(&world, "disk");
    near(disk.pose.position.x, 1.5 * 0.1 / (2.0 * 0.005 * G), NEAR, "distance");
    assert!(disk.velocity.length() < 1e-9 && disk.spin.abs() < 1e-8, "{disk:?}");
    // Rolling does not slip: all energy went into the couple, and into friction by the books.
    let ledger = world.ledger();
    near(ledger.friction_loss, ledger.initial - ledger.potential, 0.01, "friction loss");
}

#[test]
fn a_disk_on_a_slope_is_held_up_to_its_angle() {
    // The couple holds a disk where r tan(angle) < ℓ: 0.05 rad with r = 0.1 m and ℓ = 5 mm.
    let slope = |angle: f64| {
        let tilted = format!("gravity = [{}, {}]", G * angle.sin(), -G * angle.cos());
        let start = "velocity = [1.0, 0.0]\nspin = -10.0";
        let text = edited("rolling_disk.toml", start, "velocity = [0.0, 0.0]");
        let mut world = plane(&text.replace("gravity = [0.0, -9.81]", &tilted));
        run_until(&mut world, 1.0, |_, _| {});
        body(&world, "disk").pose.position.x
    };
    assert!(slope(0.049).abs() < 1e-9, "{}", slope(0.049));
    let angle = 0.06f64;
    let acceleration = G * (angle.sin() - 0.05 * angle.cos()) / 1.5;
    near(slope(angle), 0.5 * acceleration, 0.01, "way down");
}

#[test]
fn one_ball_rolls_and_another_spins_to_rest() {
    let mut world = volume(&text("rolling_and_spinning_balls.toml"));
    let mut stopped = None;
    run_until(&mut world, 3.0, |world, _| {
        if stopped.is_none() && body(world, "spinner").spin.length() < 1e-9 {
            stopped = Some(world.time());
        }
    });
    let way = body(&world, "roller").pose.position - DVec3::new(0.0, 0.0, 0.1);
    near(way.x, 1.4 * 0.1 / (2.0 * 0.005 * G), NEAR, "distance");
    assert!(way.y.abs() < 1e-6, "{way}");
    near(stopped.expect("the ball spins on"), 0.4 * 0.01 * 20.0 / (0.004 * G), NEAR, "time");
}

/// v' = −g E²v/|Ev| by Runge–Kutta, until it stands.
fn orthotropic(mut v: DVec2, mu: DVec2) -> DVec2 {
    let rate = |v: DVec2| -mu * mu * v / (mu * v).length() * G;
    let (mut x, h) = (DVec2::ZERO, 1e-5);
    while v.length() > 1e-4 {
        let a = rate(v);
        let b = rate(v + a * (0.5 * h));
        x += (v + a * (0.5 * h)) * h;
        v += b * h;
    }
    x
}

#[test]
fn a_path_bends_under_elliptic_friction() {
    let (mu, start) = (DVec2::new(0.2, 0.5), DVec2::new(1.5, 2.0));
    let mut world = volume(&text("bending_path.toml"));
    run_until(&mut world, 1.2, |world, _| {
        let v = body(world, "block").velocity;
        if v.y > 0.05 * start.y {
            let power = (mu.x / mu.y).powi(2);
            near(v.x / start.x, (v.y / start.y).powf(power), 5e-3, "velocity");
        }
    });
    let block = body(&world, "block");
    let way = block.pose.position.truncate();
    let expected = orthotropic(start, mu);
    assert!(way.distance(expected) < 5e-3 * expected.length(), "{way}, expected {expected}");
    assert!(block.velocity.length() < 1e-6, "{}", block.velocity);
}

#[test]
fn the_direction_turns_with_the_body_that_carries_it() {
    // The stone carries the direction, and is turned by a right angle: along and across change.
    let law = "between = [\"boards\", \"stone\"]";
    let turned = edited("bending_path.toml", law, "between = [\"stone\", \"boards\"]");
    let turned =
        turned.replace("velocity = [1.5", "rotation = [0, 0, 1.5707963267948966]\nvelocity = [1.5");
    let mut world = volume(&turned);
    run_until(&mut world, 1.2, |_, _| {});
    let way = body(&world, "block").pose.position.truncate();
    let expected = orthotropic(DVec2::new(1.5, 2.0), DVec2::new(0.5, 0.2));
    assert!(way.distance(expected) < 0.01 * expected.length(), "{way}, expected {expected}");
}

/// A square section with its corners on the axes: a block that goes more along x than along y is
/// braked along x alone, by μ g; once both are equal it is braked by μ g/2 along each.
#[test]
fn a_square_section_brakes_one_direction_and_then_both() {
    let mut world = volume(&text("square_friction.toml"));
    let brake = 0.4 * G;
    run_until(&mut world, 0.7, |world, _| {
        let (t, v) = (world.time(), body(world, "block").velocity);
        let alone = 1.5 / brake;
        let expected = match t < alone {
            true => DVec2::new(2.0 - brake * t, 0.5),
            false => DVec2::splat((0.5 - 0.5 * brake * (t - alone)).max(0.0)),
        };
        let apart = v.truncate().distance(expected);
        assert!(apart < 5e-3, "t = {t}: {v}, expected {expected}");
    });
}

/// A bounce comes late by up to a step of 0.1 ms at 0.5 m/s, and eight of them add up; in the step of the bounce
/// gravity gives 1 mm/s, of which two thirds go aside.
#[test]
fn a_superball_bounces_to_and_fro() {
    let mut world = plane(&text("superball.toml"));
    let mut next = 0.4;
    run_until(&mut world, 3.0, |world, _| {
        let (ball, plain) = (body(world, "super"), body(world, "plain"));
        assert!((-0.202..0.002).contains(&ball.pose.position.x), "{:?}", ball.pose);
        // At the top of each flight it is half-way between its spots.
        if world.time() >= next - 1e-9 {
            let bounces = (next / 0.4f64).round() as i32;
            let side = if bounces % 2 == 0 { 1.0 } else { -1.0 };
            near(ball.velocity.x, 0.5 * side, NEAR, "velocity");
            near(ball.spin, 20.0 * side, NEAR, "spin");
            near(ball.pose.position.y, 0.2462, NEAR, "height");
            assert!((ball.pose.position.x + 0.1).abs() < 2e-3, "{:?}", ball.pose);
            assert!((plain.pose.position.x - 0.5).abs() < 2e-3, "{:?}", plain.pose);
            assert!(plain.velocity.x.abs() < 2e-3 && plain.spin.abs() < 0.02, "{plain:?}");
            next += 0.4;
        }
    });
    assert!(next > 3.0);
    // Half of the reduced mass m/3 times (v + rω)², of the plain disk alone.
    let lost = 0.5 * body(&world, "plain").mass / 3.0 * 1.5f64.powi(2);
    near(world.ledger().impact_loss, lost, 0.01, "energy lost");
}

#[test]
fn fur_brakes_more_against_its_direction() {
    let mut world = plane(&text("fur.toml"));
    run_until(&mut world, 1.2, |_, _| {});
    let slid = |name: &str, from: f64| (body(&world, name).pose.position.x - from).abs();
    near(slid("along", 0.5), 4.0 / (2.0 * 0.2 * G), NEAR, "along");
    near(slid("against", -0.5), 4.0 / (2.0 * 0.5 * G), NEAR, "against");
}

#[test]
fn the_carrier_may_be_the_body_that_slides() {
    // Fur on the stones: the floor slides over them, to the other side.
    let law = "between = [\"fur\", \"stone\"]";
    let mut world = plane(&edited("fur.toml", law, "between = [\"stone\", \"fur\"]"));
    run_until(&mut world, 1.2, |_, _| {});
    let slid = |name: &str, from: f64| (body(&world, name).pose.position.x - from).abs();
    near(slid("along", 0.5), 4.0 / (2.0 * 0.5 * G), NEAR, "along");
    near(slid("against", -0.5), 4.0 / (2.0 * 0.2 * G), NEAR, "against");
}

#[test]
fn cohesion_holds_a_light_grain_and_not_a_heavy_one() {
    let mut world = plane(&text("hanging_grains.toml"));
    run_until(&mut world, 0.5, |_, _| {});
    let light = body(&world, "light");
    assert!((light.pose.position.y + 0.1).abs() < 1e-12, "{:?}", light.pose);
    // It falls from the second step on; in the first its weight is less by 5 N.
    let heavy = body(&world, "heavy");
    let (h, weight) = (1e-3, heavy.mass * G);
    let expected = -G * (0.5 - h) - (weight - 5.0) / heavy.mass * h;
    assert!((heavy.velocity.y - expected).abs() < 1e-12, "{}", heavy.velocity);
    // Opening took ½(0 + U_n)·c h.
    let opened = (weight - 5.0) / heavy.mass * h;
    near(world.ledger().cohesion_work, -0.5 * opened * 5.0 * h, 1e-9, "work");
}

/// A grain thrown against the ceiling sticks if its bond can form anew.
#[test]
fn bonds_heal_or_not() {
    let thrown = |reversible: bool| {
        let still = "position = [-0.3, -0.1]";
        let text =
            edited("hanging_grains.toml", still, "position = [-0.3, -0.2]\nvelocity = [0.0, 2.0]");
        let cohesion = format!("cohesion = {{ force = 5.0, reversible = {reversible} }}");
        let mut world = plane(&text.replace("cohesion = 5.0", &cohesion));
        run_until(&mut world, 0.5, |_, _| {});
        body(&world, "light").pose.position.y
    };
    assert!((thrown(true) + 0.1).abs() < 0.01, "{}", thrown(true));
    assert!(thrown(false) < -0.5, "{}", thrown(false));
}

/// Over a gap within its range cohesion is a constant attraction.
#[test]
fn cohesion_with_a_range_draws_a_grain_near() {
    let still = "position = [-0.3, -0.1]";
    let text = edited("hanging_grains.toml", still, "position = [-0.3, -0.1005]");
    let near_enough = text.replace("cohesion = 5.0", "cohesion = { force = 5.5, range = 0.001 }");
    let mut world = plane(&near_enough);
    run_until(&mut world, 0.5, |_, _| {});
    let light = body(&world, "light");
    assert!((light.pose.position.y + 0.1).abs() < 1e-9, "{:?}", light.pose);
    // The attraction did c times the gap, and the impact took what gravity did not.
    near(world.ledger().cohesion_work - heavy_part(&world), 5.5 * 0.0005, 0.02, "work");
}

/// Work of cohesion on the heavy grain of the same run: c times its way to the end of the range.
fn heavy_part(world: &drystone_engine::World<drystone_space::Plane>) -> f64 {
    let heavy = body(world, "heavy");
    let acceleration = G - 5.5 / heavy.mass;
    let h = world.setup().time_step;
    // Steps whose midpoint is still within the range.
    let mut way = 0.0;
    let mut speed = 0.0;
    loop {
        if way + 0.5 * h * speed > 0.001 {
            return -5.5 * way;
        }
        way += h * (speed + 0.5 * h * acceleration);
        speed += h * acceleration;
    }
}

#[test]
fn viscous_friction_decays_exponentially() {
    let mut world = plane(&text("viscous_block.toml"));
    run_until(&mut world, 3.0, |world, _| {
        // The step is implicit in friction: a factor 1/(1 + h/T) per step stands for e^(−h/T).
        // Rounding may open a contact for a step, which costs h/T.
        let (steps, v) = (world.steps() as i32, body(world, "block").velocity.x);
        near(v, 2.0 * (1.0f64 + 1e-3 / 0.5).powi(-steps), 5e-3, "velocity");
        near(v, 2.0 * (-world.time() / 0.5).exp(), 0.012, "velocity");
    });
    near(body(&world, "block").pose.position.x, 1.0 - (-6.0f64).exp(), 5e-3, "distance");
}

/// Capped by μ m g: at first the block slides as if dry, then the film takes over.
#[test]
fn viscous_friction_is_capped_by_coulomb() {
    let capped = "friction = { viscosity = 40.0, coefficient = 0.1 }";
    let mut world = plane(&edited("viscous_block.toml", "friction = { viscosity = 40.0 }", capped));
    // 2 c v = μ m g at v = 0.4905 m/s.
    let (limit, brake) = (0.1 * 40.0 * G / 80.0, 0.1 * G);
    let change = (2.0 - limit) / brake;
    run_until(&mut world, 3.0, |world, _| {
        let (t, v) = (world.time(), body(world, "block").velocity.x);
        let expected = match t < change {
            true => 2.0 - brake * t,
            false => limit * (-(t - change) / 0.5).exp(),
        };
        near(v, expected, 0.02, "velocity");
    });
}

#[test]
fn the_dissipation_index_is_restitution() {
    let rise = |text: &str| {
        let mut world = plane(text);
        run_until(&mut world, 1.0, |_, _| {});
        world.state_hash()
    };
    // δ = 1/3 is ρ = 1/2.
    let index = edited(
        "bouncing_ball.toml",
        "normal_restitution = 0.5",
        "dissipation_index = 0.3333333333333333",
    );
    let exact = (1.0 - 0.3333333333333333f64) / (1.0 + 0.3333333333333333);
    let restitution = format!("normal_restitution = {exact}");
    assert_eq!(
        rise(&index),
        rise(&edited("bouncing_ball.toml", "normal_restitution = 0.5", &restitution))
    );
}
