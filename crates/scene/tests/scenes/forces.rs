//! Forces that are atomised over a step (Dal Pont & Dimnet 2006, §3.1), against closed forms.

use crate::support::{bare, body, boundary, plane, run_until, volume};
use drystone_engine::World;
use drystone_space::{Vector, Volume};

/// A ball of 2 kg and 10 cm radius, without friction.
fn one_ball(forces: &str) -> String {
    let ball = r#"
[[body]]
name = "ball"
material = "a"
shape = { sphere = 0.1 }
mass = 2
velocity = [1, 0, 0]
spin = [0, 3, 0]
"#;
    bare(3, 9.81, "friction = 0", &format!("{ball}{forces}"))
}

/// A mass on a spring of length 0 swings with ω = √(k/m); over a whole number of periods the energy
/// comes back, and the atomisation costs no more than O(h²) meanwhile.
#[test]
fn a_spring_swings() {
    let forces = "[[spring]]\nfrom = { body = \"ball\" }\nto = { point = [0, 0, 0] }\nstiffness = 50\nlength = 0";
    let mut world = volume(&one_ball(forces));
    let omega = 5.0;
    let mut worst = 0.0f64;
    run_until(&mut world, 1.0, |world, _| {
        let t = world.time();
        let sag = 9.81 / (omega * omega);
        let exact = [(omega * t).sin() / omega, 0.0, -sag * (1.0 - (omega * t).cos())];
        let found = world.bodies()[0].pose.position;
        worst = (0..3).fold(worst, |w, i| w.max((found.get(i) - exact[i]).abs()));
    });
    assert!(worst < 1e-5, "{worst}");
    assert!(world.ledger().atomisation_work.abs() < 1e-4, "{:?}", world.ledger());
    assert!(world.ledger().springs > 0.0);
}

/// Linear drag: v → the exponential approach to mg/κ; quadratic drag: v → √(mg/c) tanh. The mean
/// velocity makes both right to O(h²).
#[test]
fn drag_brakes() {
    let mut world = volume(&one_ball("[[drag]]\nlinear = 4\nspin = 0.008"));
    run_until(&mut world, 1.0, |_, _| {});
    let ball = body(&world, "ball");
    let end = 2.0 * 9.81 / 4.0;
    assert!((ball.velocity.x - (-2.0f64).exp()).abs() < 1e-5, "{ball:?}");
    assert!((ball.velocity.z + end * (1.0 - (-2.0f64).exp())).abs() < 1e-5, "{ball:?}");
    // I = ⅖·2·0.01 = 0.008.
    assert!((ball.spin.y - 3.0 * (-1.0f64).exp()).abs() < 1e-5, "{ball:?}");
}

/// Quadratic drag in a fall from rest: v = √(mg/c) tanh(t √(gc/m)). The mean velocity makes it right to
/// O(h²), and the terminal speed exact.
#[test]
fn quadratic_drag_has_the_second_order_and_an_exact_terminal_speed() {
    let drag = "[[drag]]\non = \"ball\"\nquadratic = 2";
    let still = one_ball(drag).replace("[1, 0, 0]", "[0, 0, 0]").replace("end = 1", "end = 9");
    let limit = 9.81f64.sqrt();
    let error = |step: &str, end: f64| {
        let mut world = volume(&still.replace("step = 1e-3", &format!("step = {step}")));
        run_until(&mut world, end, |_, _| {});
        assert!(world.ledger().drag_loss > 0.0 && world.ledger().dissipation_min >= 0.0);
        -body(&world, "ball").velocity.z - limit * (9.81 / limit * end).tanh()
    };
    let ratio = error("2e-2", 0.5) / error("1e-2", 0.5);
    assert!((ratio - 4.0).abs() < 0.1, "{ratio}");
    assert!(error("1e-2", 9.0).abs() < 1e-12);
}

/// A ball is pressed against the floor by a thousand times its weight, and slides along it without
/// friction: v = v₀/(1 + c v₀ t/m). Without the contact it would move into the floor half as fast as
/// it slides, which quadratic drag must not feel.
#[test]
fn quadratic_drag_sees_the_contacts_of_its_step() {
    let things = r#"
position = [0, 0, 0.1]
[[boundary]]
material = "a"
shape = { half_space = {} }
[[load]]
on = "ball"
force = [0, 0, -2000]
[[drag]]
quadratic = 2
[solver]
tolerance = 1e-9
"#;
    let text = one_ball(things);
    let mut worst = 0.0f64;
    let mut world = volume(&text);
    run_until(&mut world, 1.0, |world, _| {
        let exact = 1.0 / (1.0 + world.time());
        worst = worst.max((body(world, "ball").velocity.x - exact).abs());
    });
    // Terms of the order h² of a motion whose time is a second.
    assert!(worst < 1e-6, "{worst}");
}

/// An external percussion acts in one step.
#[test]
fn an_impulse_acts_once() {
    let forces =
        "[[impulse]]\non = \"ball\"\nimpulse = [4, 0, 0]\nangular = [0, 0.016, 0]\ntime = 0.5";
    let mut world = volume(&one_ball(forces));
    run_until(&mut world, 1.0, |world, _| {
        let after = world.time() > 0.5004;
        let ball = &world.bodies()[0];
        let expected = if after { (3.0, 5.0) } else { (1.0, 3.0) };
        let found = (ball.velocity.x, ball.world_spin().y);
        assert!((found.0 - expected.0).abs() + (found.1 - expected.1).abs() < 1e-9, "{found:?}");
    });
}

/// A ball against the floor with a contact spring, k = 800 N/m and ω = √(k/m) = 20/s: it comes in at
/// 1 m/s where the spring begins, is pressed by v/ω = 5 cm, and leaves after π/ω as fast as it came.
#[test]
fn a_contact_spring_throws_back() {
    let things = r#"
[[body]]
name = "ball"
material = "a"
shape = { sphere = 0.1 }
mass = 2
position = [0, 0, 0.3]
velocity = [0, 0, -1]
[[boundary]]
material = "a"
shape = { half_space = {} }
"#;
    let law = "friction = 0\nspring = { stiffness = 800, reach = 0.2 }";
    let run = |step: &str, end: f64| -> World<Volume> {
        let text = bare(3, 0.0, law, things).replace("step = 1e-3", &format!("step = {step}"));
        let mut world = volume(&text);
        run_until(&mut world, end, |_, report| assert_eq!(report.contacts, 0));
        world
    };
    let error = |step: &str| {
        let world = run(step, 0.15);
        body(&world, "ball").pose.position.z - (0.3 - (20.0f64 * 0.15).sin() / 20.0)
    };
    let ratio = error("1e-3") / error("5e-4");
    assert!((ratio - 4.0).abs() < 0.2, "{ratio}");
    let pressed = run("1e-4", 0.0785);
    // The energy is all in the spring, and the atomisation has given no more than O(h²).
    assert!((pressed.ledger().springs - 1.0).abs() < 1e-4, "{:?}", pressed.ledger());
    assert!(pressed.ledger().atomisation_work.abs() < 1e-5, "{:?}", pressed.ledger());
    let left = run("1e-4", 0.2);
    assert!((body(&left, "ball").velocity.z - 1.0).abs() < 1e-5, "{:?}", left.bodies());
    assert!(left.ledger().springs == 0.0 && left.ledger().atomisation_work.abs() < 1e-5);
}

/// A block that rests on contact springs alone: both of its lower corners are pushed, so that it sinks
/// by mg/2k into their reach. The floor feels its weight, the books hold the energy, and when the floor
/// vanishes the springs' energy goes with it.
#[test]
fn a_block_rests_on_contact_springs() {
    let things = r#"
[[drag]]
linear = 1200
[[body]]
name = "block"
material = "a"
shape = { box = [0.4, 0.2] }
mass = 20
position = [0, 0.115]
[[boundary]]
name = "floor"
material = "a"
shape = { half_plane = {} }
remove_at = 0.9
"#;
    let law = "friction = 0\nspring = { stiffness = 9810, reach = 0.02 }";
    let mut world = plane(&bare(2, 9.81, law, things));
    let lifted = world.ledger().initial;
    run_until(&mut world, 1e-3, |_, _| {});
    // At the start both are 5 mm within the reach.
    let stored = world.ledger().initial - lifted;
    assert!((stored / (9810.0 * 0.005 * 0.005) - 1.0).abs() < 1e-9, "{stored}");
    run_until(&mut world, 0.9, |_, report| assert_eq!(report.contacts, 0));
    let sunk = 0.02 - (body(&world, "block").pose.position.y - 0.1);
    assert!((sunk - 0.01).abs() < 1e-9, "{sunk}");
    assert!((world.ledger().springs - 9810.0 * 1e-4).abs() < 1e-6, "{:?}", world.ledger());
    let floor = boundary(&world, "floor");
    assert!((world.boundary_force(floor).y + 196.2).abs() < 1e-6);
    let spent = world.ledger().atomisation_work;
    run_until(&mut world, 0.95, |_, _| {});
    let ledger = world.ledger();
    assert!(ledger.springs == 0.0 && (ledger.inserted + 9810.0 * 1e-4).abs() < 1e-6, "{ledger:?}");
    assert!((ledger.atomisation_work - spent).abs() < 1e-9, "{ledger:?}");
}

/// A load F = 16 N presses a ball into the contact spring of a wall that moves at w = ±0.5 m/s: k = 800 N/m,
/// ω = 20/s. Where the spring begins the ball is as fast as the wall, so that the gap is r − (F/k)(1 − cos ωt),
/// the wall feels F(1 − cos ωt), and gives F w (t − sin ωt/ω) to the ball.
#[test]
fn a_contact_spring_carries_a_load_on_a_moving_wall() {
    let law = "friction = 0\nspring = { stiffness = 800, reach = 0.2 }";
    let (omega, end) = (20.0, 0.3f64);
    for speed in [0.5, -0.5] {
        let things = format!(
            r#"
[[body]]
name = "ball"
material = "a"
shape = {{ sphere = 0.1 }}
mass = 2
position = [0, 0, 0.3]
velocity = [0, 0, {speed}]
[[boundary]]
name = "wall"
material = "a"
shape = {{ half_space = {{}} }}
motion = {{ velocity = [0, 0, {speed}] }}
[[load]]
on = "ball"
force = [0, 0, -16]
"#
        );
        let run = |step: f64| -> World<Volume> {
            let text = bare(3, 0.0, law, &things).replace("step = 1e-3", &format!("step = {step}"));
            let mut world = volume(&text);
            run_until(&mut world, end, |world, report| {
                assert_eq!(report.contacts, 0);
                // The force of a step is that of its middle, where the place lacks what the acceleration
                // makes of it: (ωh)²/8 of the load. The phase is late by (ωh)²/24 of the time.
                let middle = omega * (world.time() - 0.5 * step);
                let expected = -16.0 * (1.0 - middle.cos());
                let felt = world.boundary_force(boundary(world, "wall")).z;
                let error = 16.0 * (omega * step).powi(2) * (1.0 / 8.0 + middle / 24.0);
                assert!((felt - expected).abs() < 1.1 * error, "{felt} for {expected}");
            });
            world
        };
        let error = |step: f64| {
            let expected = 0.3 + speed * end - 0.02 * (1.0 - (omega * end).cos());
            body(&run(step), "ball").pose.position.z - expected
        };
        let ratio = error(1e-3) / error(5e-4);
        assert!((ratio - 4.0).abs() < 0.2, "{ratio}");
        let given = run(1e-4).ledger().boundary_work;
        let expected = 16.0 * speed * (end - (omega * end).sin() / omega);
        assert!((given / expected - 1.0).abs() < 1e-5, "{given} for {expected}");
    }
}
