//! Scenes of A-CD² and of phases.

use crate::support::{bare, body, plane, run_until, text, volume};
use drystone_engine::Body;
use drystone_space::Plane;

/// A rod of mass 1 and length 2 at 45°: W_nn = W_tt = 5/2, W_nt = −3/2 along x. It comes down at 1
/// and slides at 1/2, with an energy of 5/8.
const ENERGY: f64 = 0.625;

/// By Newton's law: U_n⁺ = 1, the sliding is reversed, so that P_x = −μP_n by the sliding after is
/// along that before.
#[test]
fn newtons_restitution_with_friction_creates_energy() {
    let mut world = plane(&text("kane_newton.toml"));
    run_until(&mut world, 0.2, |_, _| {});
    let push = 2.0 / (2.5 - 0.3 * 1.5);
    let sliding = 0.5 - (1.5 - 0.3 * 2.5) * push;
    assert!(sliding < 0.0);
    let gain = 0.5 * 0.3 * push * (0.5 + sliding);
    let found = world.ledger().kinetic - ENERGY;
    // The rod has turned by a little and has a thickness.
    assert!(gain > 0.03 && (found - gain).abs() < 2e-3, "{found}, by hand {gain}");
    assert!(world.ledger().dissipation_min < -0.03, "{:?}", world.ledger());
}

/// The same in A-CD²: P_x opposes ½(U_x⁺+U_x⁻).
#[test]
fn percussions_create_none() {
    let mut world = plane(&text("kane_acd2.toml"));
    run_until(&mut world, 0.2, |_, _| {});
    let ledger = world.ledger();
    assert!(ledger.dissipation_min > -1e-15, "{ledger:?}");
    assert!(ledger.kinetic < ENERGY * (1.0 - 1e-6), "{ledger:?}");
}

/// A disk against the floor and two disks against each other, without gravity: U_n⁺ and U_t⁺ have
/// their closed forms with the masses that the contact feels. They touch at the middle of a step, so
/// that no overlap shortens the arms.
#[test]
fn disks_collide_by_the_closed_form() {
    let bodies = r#"
[[boundary]]
material = "a"
shape = { half_plane = {} }
[[body]]
name = "wall"
material = "a"
shape = { disk = 0.5 }
mass = 2
position = [0, 0.700499999999]
velocity = [3, -1]
spin = 4
[[body]]
name = "left"
material = "a"
shape = { disk = 0.5 }
mass = 2
position = [0, 10]
velocity = [1, 0]
[[body]]
name = "right"
material = "a"
shape = { disk = 0.5 }
mass = 6
position = [1.300999999999, 10]
velocity = [-1, 0]
spin = -2
"#;
    for k in [0.0, 0.2, 0.8, 3.0, 1e8] {
        let law = format!("percussion = {{ normal = {k}, tangential = {k} }}");
        let mut world = plane(&bare(2, 0.0, &law, bodies));
        // Where they do not rebound they stay in touch, and sliding goes on being braked: the first
        // step of each contact counts.
        let (mut one, mut two) = (None, None);
        run_until(&mut world, 0.25, |world, _| {
            if body(world, "wall").velocity.y != -1.0 {
                one.get_or_insert(body(world, "wall").clone());
            }
            if body(world, "left").velocity.x != 1.0 {
                two.get_or_insert([body(world, "left").clone(), body(world, "right").clone()]);
            }
        });
        let (Some(disk), Some([left, right])) = (one, two) else { panic!("no collision") };
        let rebound = |m: f64, u: f64| ((2.0 * k - m) / (2.0 * k + m)).max(0.0) * u;
        let slide = |m: f64, u: f64| (m - 2.0 * k) / (m + 2.0 * k) * u;
        // I = ½mr²: 1/m_t = 1/m + r²/I = 3/m.
        assert!((disk.velocity.y - rebound(2.0, 1.0)).abs() < 1e-9, "{k} {disk:?}");
        let point = disk.velocity.x + 0.5 * disk.spin;
        assert!((point - slide(2.0 / 3.0, 5.0)).abs() < 1e-9, "{k} {disk:?}");
        let reduced = 1.0 / (1.0 / 2.0 + 1.0 / 6.0);
        let apart = right.velocity.x - left.velocity.x;
        assert!((apart - rebound(reduced, 2.0)).abs() < 1e-9, "{k} {apart}");
        let point = |b: &Body<Plane>, arm: f64| b.velocity.y + b.spin * arm;
        let sliding = point(&left, 0.5) - point(&right, -0.5);
        // Before: right's point moved up at −2·(−0.5) = 1.
        assert!((sliding - slide(reduced / 3.0, -1.0)).abs() < 1e-9, "{k} {sliding}");
        assert!(world.ledger().dissipation_min > -1e-15);
    }
}

/// The same law in space: a ball with I = ⅖mr² has m_t = 2m/7.
#[test]
fn a_ball_collides_by_the_closed_form() {
    let ball = r#"
[[boundary]]
material = "a"
shape = { half_space = {} }
[[body]]
name = "ball"
material = "a"
shape = { sphere = 0.5 }
mass = 2
position = [0, 0, 0.600499999999]
velocity = [3, -2, -1]
"#;
    let law = "percussion = { normal = 3, tangential = 0.2 }";
    let mut world = volume(&bare(3, 0.0, law, ball));
    run_until(&mut world, 0.3, |_, _| {});
    let ball = body(&world, "ball");
    assert!((ball.velocity.z - 0.5).abs() < 1e-9, "{ball:?}");
    // The percussion −m_t(1−s)u along the floor, s = (m_t − 2K)/(m_t + 2K).
    let m = 4.0 / 7.0;
    let factor = 1.0 - m * (1.0 - (m - 0.4) / (m + 0.4)) / 2.0;
    assert!((ball.velocity.x - 3.0 * factor).abs() < 1e-9, "{ball:?}");
    assert!((ball.velocity.y + 2.0 * factor).abs() < 1e-9, "{ball:?}");
}

/// The start of the landslide with a few polygons and a longer step: they settle, the barrier
/// goes, they flow, the run ends, and every step dissipates.
#[test]
fn a_small_landslide_settles_and_flows() {
    let text = text("landslide_300.toml")
        .replace("step = 1e-4", "step = 5e-4")
        .replace("counts = [15, 20]", "counts = [5, 4]")
        .replace("origin = [-11.6, 8.6]", "origin = [-6.5, 5.2]")
        .replace("until = { time = 12 }", "until = { time = 1.5 }");
    let mut world = plane(&text);
    let sides: std::collections::BTreeSet<_> = world
        .bodies()
        .iter()
        .map(|body| (1e6 * body.mass / (2500.0 * 0.0625)).round() as i64)
        .collect();
    assert!(sides.len() > 2, "random numbers of sides: {sides:?}");
    let mut settled = None;
    while !world.is_over() {
        let report = world.step().expect("a step");
        assert!(report.converged && world.ledger().closure() < 1e-10, "{report:?}");
        assert!(world.time() < 20.0);
        if world.phase_index() == 1 && settled.is_none() {
            settled = Some((world.time(), world.ledger().kinetic));
            let farthest = world.bodies().iter().map(|b| b.pose.position.x).fold(-20.0, f64::max);
            assert!(farthest < -4.0, "the barrier holds until then");
        }
    }
    let (time, kinetic) = settled.expect("it settles");
    assert!(kinetic < 100.0 && time > 0.1, "{time} {kinetic}");
    assert!((world.time() - time - 1.5).abs() < 1e-9 && world.phase_name() == Some("flow"));
    assert!(world.bodies().iter().any(|b| b.pose.position.x > -3.0), "they flow");
    assert!(world.boundary_pose(1).is_none(), "the barrier is gone");
    assert!(world.ledger().dissipation_min > -1e-12, "{:e}", world.ledger().dissipation_min);
}
