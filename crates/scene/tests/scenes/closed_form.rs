//! Scenes whose answer is a formula.

use crate::support::{body, edited, plane, run_until, text, volume};
use drystone_space::DVec2;

const G: f64 = 9.81;

/// Rounding may open a contact for one step of 1 ms: the body then falls by g h² and rests there.
const OPENING: f64 = 5.0 * G * 1e-6;

#[test]
fn a_block_stays_just_below_the_friction_angle() {
    let mut world = plane(&text("incline_below.toml"));
    let start = body(&world, "block").pose.position;
    run_until(&mut world, 2.0, |_, _| {});
    let drift = (body(&world, "block").pose.position - start).length();
    assert!(drift < OPENING, "{drift:e}");
}

#[test]
fn a_block_slides_just_above_the_friction_angle() {
    let mut world = plane(&text("incline_above.toml"));
    let start = body(&world, "block").pose.position;
    run_until(&mut world, 2.0, |_, _| {});
    let angle = 27.2f64.to_radians();
    let acceleration = G * (angle.sin() - 0.5 * angle.cos());
    let slid = (body(&world, "block").pose.position - start).length();
    // Under constant forces the midpoint step is exact, but for steps with an open contact.
    let expected = 0.5 * acceleration * 4.0;
    assert!((slid - expected).abs() < 0.01 * expected, "slid {slid}, expected {expected}");
}

#[test]
fn a_sliding_block_stops_after_its_distance() {
    let mut world = plane(&text("sliding_block.toml"));
    let start = body(&world, "block").pose.position;
    run_until(&mut world, 1.5, |_, _| {});
    let slid = body(&world, "block").pose.position.x - start.x;
    let expected = 9.0 / (2.0 * 0.3 * G);
    // A contact that opens for a step brakes one step later: errors of the order of g h².
    assert!((slid - expected).abs() < OPENING, "slid {slid}, expected {expected}");
    // All its energy went into friction, but for O(h) that (6.2) books as impact.
    let ledger = world.ledger();
    let energy = ledger.initial - ledger.potential;
    let share = ledger.friction_loss / energy;
    assert!((share - 1.0).abs() < 0.01, "friction took {share}");
    assert!(ledger.kinetic < 1e-20);
}

/// Highest point of the centre after the first bounce, above its lowest place.
fn rises(name: &str) -> f64 {
    let mut world = plane(&text("bouncing_ball.toml"));
    let (mut bounced, mut highest) = (false, 0.0f64);
    // The lively ball meets the ground again at 1.355 s; look at one flight only.
    run_until(&mut world, 1.3, |world, _| {
        let ball = body(world, name);
        bounced |= ball.pose.position.y < 0.1005;
        if bounced {
            highest = highest.max(ball.pose.position.y - 0.1);
        }
    });
    assert!(bounced);
    highest
}

#[test]
fn balls_rise_by_the_square_of_their_restitution() {
    // The impact is late by up to a step at 4.4 m/s: 1e-4 · 4.4 of depth, and as much of height.
    // A dead ball stays where it was stopped: below the surface.
    assert!(rises("dead") < 1e-9 + 0.0005);
    assert!((rises("half") - 0.25).abs() < 1e-3);
    assert!((rises("lively") - 1.0).abs() < 2e-3);
}

#[test]
fn a_cradle_with_gaps_sends_off_the_last_ball() {
    let mut world = plane(&text("cradle_apart.toml"));
    run_until(&mut world, 0.3, |_, _| {});
    let speeds: Vec<f64> = world.bodies().iter().map(|b| b.velocity.x).collect();
    for (ball, expected) in speeds.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
        assert!((ball - expected).abs() < 1e-12, "{speeds:?}");
    }
}

#[test]
fn a_touching_cradle_moves_as_the_law_says() {
    let mut world = plane(&text("cradle_touching.toml"));
    run_until(&mut world, 0.3, |_, _| {});
    let speeds: Vec<f64> = world.bodies().iter().map(|b| b.velocity.x).collect();
    for (ball, expected) in speeds.iter().zip([-0.6, 0.4, 0.4, 0.4, 0.4]) {
        assert!((ball - expected).abs() < 1e-10, "{speeds:?}");
    }
    assert!(world.ledger().impact_loss.abs() < 1e-9 * world.ledger().initial);
}

/// The speeds are those of the equations with springs of Hertz, integrated by Runge and Kutta's method (`crates/solve/tests/impact.rs`).
#[test]
fn a_row_of_grains_disperses_a_blow() {
    let mut world = volume(&text("grain_row.toml"));
    run_until(&mut world, 0.3, |_, _| {});
    let speeds: Vec<f64> = world.bodies().iter().map(|b| b.velocity.x).collect();
    for (index, expected) in [(0, -0.0711), (1, -0.0303), (2, -0.0158), (10, 0.1482), (11, 0.9857)]
    {
        assert!((speeds[index] - expected).abs() < 2e-4, "{index}: {speeds:?}");
    }
    let ledger = world.ledger();
    assert!(ledger.impact_loss.abs() < 1e-6 * ledger.initial && ledger.friction_loss == 0.0);

    // With e = 0.9 in each contact some of it is lost, and less leaves with the last.
    let mut lossy = volume(&edited("grain_row.toml", "restitution = 1.0", "restitution = 0.9"));
    run_until(&mut lossy, 0.3, |_, _| {});
    assert!(lossy.ledger().impact_loss > 0.05 * lossy.ledger().initial);
    assert!(lossy.bodies()[11].velocity.x < 0.95 * speeds[11]);
}

/// The rod of Kane's example, which Newton's restitution gives energy: by Stronge's with e = 1, by hand, sliding stops at an impulse of 0.2222,
/// compression ends at 0.3902 and restitution at 0.8073, and friction takes 0.0552 J of 0.625 J.
#[test]
fn a_rod_gains_no_energy_by_stronge() {
    for (hypothesis, restitution) in [("stronge", 1.0), ("stronge", 0.5), ("poisson", 1.0)] {
        let impact =
            format!("impact = {{ restitution = {restitution}, hypothesis = \"{hypothesis}\" }}");
        let mut world = plane(&edited("kane_newton.toml", "normal_restitution = 1", &impact));
        run_until(&mut world, 0.2, |_, _| {});
        let ledger = world.ledger();
        assert!(ledger.kinetic < ledger.initial, "{hypothesis} {restitution}: {ledger:?}");
        if (hypothesis, restitution) == ("stronge", 1.0) {
            assert!((ledger.friction_loss - 0.0552).abs() < 3e-4, "{}", ledger.friction_loss);
            assert!(ledger.impact_loss.abs() < 1e-6, "{}", ledger.impact_loss);
        }
    }
}

/// Angular velocities just before and just after each impact of the rocking block: the steps in
/// which the spin falls by more than gravity could make it.
fn impacts(step: &str) -> Vec<(f64, f64)> {
    let text = edited("rocking_block.toml", "step = 1e-4", &format!("step = {step}"));
    let mut world = plane(&text);
    let mut impacts = Vec::new();
    let mut before = 0.0;
    run_until(&mut world, 4.0, |world, _| {
        let spin = body(world, "block").spin;
        let h = world.setup().time_step;
        if before * spin > 0.0 && before.abs() - spin.abs() > 10.0 * G * h {
            impacts.push((before, spin));
        }
        before = spin;
    });
    impacts
}

#[test]
fn a_rocking_block_loses_what_housner_says() {
    let sin2 = 0.5f64.powi(2) / (0.5f64.powi(2) + 2.0f64.powi(2));
    let expected = 1.0 - 1.5 * sin2;
    let impacts = impacts("1e-4");
    assert!(impacts.len() >= 4, "it rocks, although restitution is zero: {impacts:?}");
    for (before, after) in &impacts[..4] {
        let ratio = after / before;
        // In the step of the impact gravity adds g h/R ≈ 1e-3 to a spin of about 0.5.
        assert!((ratio - expected).abs() < 3e-3, "kept {ratio}, Housner {expected}: {impacts:?}");
    }
}

#[test]
fn painleves_rod_stops_without_a_collision() {
    // Friction 2 at 60°: sliding is impossible, since μ · 3 sin θ cos θ > 1 + 3 cos² θ.
    let jump = |step: &str| {
        let mut world =
            plane(&edited("painleve_rod.toml", "step = 1e-3", &format!("step = {step}")));
        let tip = |world: &drystone_engine::World<drystone_space::Plane>| {
            let rod = body(world, "rod");
            let arm = -rod.pose.position;
            rod.velocity + DVec2::new(-rod.spin * arm.y, rod.spin * arm.x)
        };
        let before = tip(&world);
        assert_eq!(before, DVec2::new(-1.0, 0.0), "it slides, and does not approach");
        let h = world.setup().time_step;
        run_until(&mut world, h, |_, _| {});
        let impulse: f64 = world.contacts().iter().map(|c| c.impulse.length()).sum();
        (tip(&world), impulse, h)
    };
    let weight = G;
    let mut impulses = Vec::new();
    for step in ["1e-3", "1e-4", "1e-5"] {
        let (after, impulse, h) = jump(step);
        assert!(after.length() < 20.0 * h, "the tip is stopped: {after}");
        assert!(impulse > 100.0 * weight * 1e-5, "{impulse}");
        impulses.push(impulse);
    }
    // The impulse does not vanish with the step: it is a percussion.
    assert!((impulses[2] / impulses[1] - 1.0).abs() < 1e-2, "{impulses:?}");
}

#[test]
fn with_less_friction_the_rod_slides_on() {
    let mut world = plane(&edited("painleve_rod.toml", "friction = 2.0", "friction = 0.5"));
    run_until(&mut world, 0.01, |_, _| {});
    let rod = body(&world, "rod");
    assert!(rod.velocity.x < -0.9, "{}", rod.velocity);
}
