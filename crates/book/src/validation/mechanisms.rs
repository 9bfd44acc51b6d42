//! Joints, motors and grips.

use super::Row;
use super::support::{Case, G, body, run};
use drystone_engine::World;
use drystone_space::{DVec2, Plane, math};
use std::f64::consts::TAU;

pub const CASES: &[super::Case] = &[slider_crank, pendulum, gripper, toggle_clamp, hoeken];

const ROUNDING: (f64, &str) = (1e-11, "rounding");

fn slider_crank() -> Vec<Row> {
    let case = Case::of("scenes/slider_crank.toml");
    let mut world = case.plane();
    let (r, l) = (0.3, 1.0);
    let mut worst = 0.0f64;
    run(&mut world, 2.0, |world| {
        let (sin, cos) = math::sin_cos(TAU * world.time());
        let wanted = r * cos + f64::sqrt(l * l - r * r * sin * sin);
        let piston = body(world, "piston").pose.position;
        worst = worst.max((piston - DVec2::new(wanted, 0.0)).length());
    });
    let answer = "r cos φ + √(l² − r² sin² φ)";
    vec![case.row(("piston's largest distance from", "m"), answer, 0.0, worst, ROUNDING)]
}

fn pendulum() -> Vec<Row> {
    let case = Case::of("scenes/pendulum_friction.toml");
    let mut world = case.plane();
    let angle = |world: &World<Plane>| {
        let place = body(world, "bar").pose.position;
        math::atan2(place.x, -place.y)
    };
    let (mut turns, mut before, mut way) = (vec![0.15], 0.15, 0.0);
    run(&mut world, 8.0, |world| {
        let now = angle(world);
        if f64::abs(now - before) > 1e-9 {
            if (now - before) * way < 0.0 {
                turns.push(f64::abs(before));
            }
            way = now - before;
        }
        before = now;
    });
    let lost = (turns[0] - turns[turns.len() - 1]) / (turns.len() - 1) as f64;
    let (answer, turned) = ("2 μ r/d", (turns.len() - 1) as f64);
    let why = (2e-2, "amplitudes of 0.15 rad are not small: a²/8 of the swing");
    vec![
        case.row(("lost in each half swing", "rad"), answer, 2.0 * 0.2 * 0.03 / 0.5, lost, why),
        case.row(
            ("half swings until it stands aside", ""),
            "0.15 = 6 × 0.024 + 0.006",
            5.0,
            turned,
            (0.0, "a count"),
        ),
    ]
}

fn gripper() -> Vec<Row> {
    let case = Case::of("scenes/gripper.toml");
    let mut world = case.plane();
    let mut held = 0.0;
    run(&mut world, 1.5, |world| {
        if body(world, "box").velocity.y > -1e-4 {
            held = world.time();
        }
    });
    // m g/2μ, with a force that falls from 60 N at 0.5 s by 50 N/s.
    let exact = 0.5 + (60.0 - 2.0 * G / (2.0 * 0.5)) / 50.0;
    let why = (4e-3 / exact, "seen at 0.1 mm/s, 2.8 ms later");
    vec![case.row(("lets go at", "s"), "2 μ F = m g", exact, held, why)]
}

fn toggle_clamp() -> Vec<Row> {
    let case = Case::of("scenes/toggle_clamp.toml");
    let mut world = case.plane();
    run(&mut world, 0.8, |_| {});
    let closed = math::cos(0.04);
    let piston = body(&world, "piston").pose.position.x;
    let push = 20_000.0 * (closed - 0.75f64.sqrt());
    let along = world.joint_reactions()[2].force.x.abs();
    vec![
        case.row(
            ("piston stays at", "m"),
            "cos 0.04, past the dead centre",
            closed,
            piston,
            (1e-4, "the solver's tolerance"),
        ),
        case.row(
            ("force along the links", "N"),
            "the spring's",
            push,
            along,
            (1e-3, "the solver's tolerance"),
        ),
    ]
}

fn hoeken() -> Vec<Row> {
    let case = Case::of("scenes/hoeken.toml");
    let mut world = case.plane();
    let (mut worst, mut most) = (0.0f64, 0.0f64);
    run(&mut world, 2.0, |world| {
        let (sin, cos) = math::sin_cos(body(world, "crank").pose.rotation.angle());
        let pin = DVec2::new(cos, sin) * 0.1;
        let away = DVec2::new(0.2, 0.0) - pin;
        let half = 0.5 * away.length();
        let up = DVec2::new(-away.y, away.x) / away.length();
        let knee = pin + away * 0.5 + up * (0.0625 - half * half).sqrt();
        worst = worst.max((body(world, "coupler").pose.position - knee).length());
        most = most.max(world.joint_reactions()[0].torque.abs());
    });
    let answer = "where two circles meet";
    vec![
        case.row(("coupler's largest distance from", "m"), answer, 0.0, worst, (1e-10, "rounding")),
        case.row(
            ("largest couple of the motor", "N m"),
            "what it has",
            12.0,
            most,
            (1e-4, "the solver's tolerance"),
        ),
    ]
}
