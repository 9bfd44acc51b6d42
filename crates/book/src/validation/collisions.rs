//! Collisions and impacts.

use super::Row;
use super::support::{Case, G, body, run};
use drystone_space::DVec2;

pub const CASES: &[super::Case] = &[
    bouncing_ball,
    superball,
    cradles,
    grain_row,
    rocking_block,
    kane_newton,
    kane_stronge,
    kane_acd2,
    painleve_rod,
];

const ROUNDING: (f64, &str) = (1e-9, "rounding");

fn bouncing_ball() -> Vec<Row> {
    let case = Case::of("scenes/bouncing_ball.toml");
    let mut world = case.plane();
    let mut highest = [0.0f64; 2];
    let mut bounced = [false; 2];
    // The lively ball meets the ground again at 1.355 s: one flight is looked at.
    run(&mut world, 1.3, |world| {
        for (i, name) in ["half", "lively"].into_iter().enumerate() {
            let height = body(world, name).pose.position.y - 0.1;
            bounced[i] |= height < 5e-4;
            if bounced[i] {
                highest[i] = highest[i].max(height);
            }
        }
    });
    let why = |rise: f64| (4.5e-4 / rise, "the impact is late by up to h, at 4.4 m/s");
    vec![
        case.row(("rise, ρ = ½", "m"), "ρ² of the fall", 0.25, highest[0], why(0.25)),
        case.row(("rise, ρ = 1", "m"), "ρ² of the fall", 1.0, highest[1], why(1.0)),
    ]
}

fn superball() -> Vec<Row> {
    let case = Case::of("scenes/superball.toml");
    let mut world = case.plane();
    run(&mut world, 1.2, |_| {});
    let ball = body(&world, "super");
    let (v, spin) = (ball.velocity.x, ball.spin);
    let lost = world.ledger().impact_loss;
    let plain = 0.5 * body(&world, "plain").mass / 3.0 * 1.5 * 1.5;
    let why = (2e-3, "in the step of a bounce two thirds of g h go aside");
    vec![
        case.row(("velocity after three bounces", "m/s"), "turned round by each", -0.5, v, why),
        case.row(("spin after three bounces", "rad/s"), "turned round by each", -20.0, spin, why),
        case.row(("lost by the plain disk", "J"), "½ (m/3) (v + r ω)²", plain, lost, (0.01, why.1)),
    ]
}

fn cradles() -> Vec<Row> {
    let apart = Case::of("scenes/cradle_apart.toml");
    let mut world = apart.plane();
    run(&mut world, 0.3, |_| {});
    let last = world.bodies()[4].velocity.x;
    let others = world.bodies()[..4].iter().map(|b| b.velocity.x.abs()).fold(0.0, f64::max);
    let touching = Case::of("scenes/cradle_touching.toml");
    let mut world = touching.plane();
    run(&mut world, 0.3, |_| {});
    let speeds: Vec<f64> = world.bodies().iter().map(|b| b.velocity.x).collect();
    vec![
        apart.row(("velocity of the last ball", "m/s"), "all of the first's", 1.0, last, ROUNDING),
        apart.row(("fastest of the others", "m/s"), "at rest", 0.0, others, ROUNDING),
        touching.row(
            ("velocity of the first ball", "m/s"),
            "Newton's law in all contacts at once",
            -0.6,
            speeds[0],
            ROUNDING,
        ),
        touching.row(("velocity of the last ball", "m/s"), "the same", 0.4, speeds[4], ROUNDING),
    ]
}

fn grain_row() -> Vec<Row> {
    let case = Case::of("scenes/grain_row.toml");
    let mut world = case.volume();
    run(&mut world, 0.3, |_| {});
    let speed = |index: usize| world.bodies()[index].velocity.x;
    let answer = "springs of Hertz, integrated by Runge and Kutta's method";
    let why = |exact: f64| (2e-4 / f64::abs(exact), "four digits of the answer");
    vec![
        case.row(("velocity of the first grain", "m/s"), answer, -0.0711, speed(0), why(-0.0711)),
        case.row(("velocity of the last but one", "m/s"), answer, 0.1482, speed(10), why(0.1482)),
        case.row(("velocity of the last", "m/s"), answer, 0.9857, speed(11), why(0.9857)),
    ]
}

fn rocking_block() -> Vec<Row> {
    let case = Case::of("scenes/rocking_block.toml");
    let mut world = case.plane();
    let (mut before, mut kept) = (0.0, Vec::new());
    run(&mut world, 4.0, |world| {
        let spin = body(world, "block").spin;
        // An impact takes more of the spin than gravity could.
        if before * spin > 0.0 && f64::abs(before) - spin.abs() > 10.0 * G * 1e-4 {
            kept.push(spin / before);
        }
        before = spin;
    });
    let sin2 = 0.25 / (0.25 + 4.0);
    let answer = "1 − (3/2) sin² α (Housner 1963)";
    let why = (4e-3, "in the step of the impact gravity adds g h/R to a spin of 0.5");
    let at = |i: usize| kept.get(i).copied().unwrap_or(f64::NAN);
    vec![
        case.row(("spin kept by the first impact", ""), answer, 1.0 - 1.5 * sin2, at(0), why),
        case.row(("spin kept by the fourth", ""), answer, 1.0 - 1.5 * sin2, at(3), why),
    ]
}

const ROD: (f64, &str) = (5e-3, "the rod's thickness, a thousandth of its length");

fn kane_newton() -> Vec<Row> {
    let case = Case::of("scenes/kane_newton.toml");
    let mut world = case.plane();
    let start = world.ledger().kinetic;
    run(&mut world, 0.2, |_| {});
    let push = 2.0 / (2.5 - 0.3 * 1.5);
    let sliding = 0.5 - (1.5 - 0.3 * 2.5) * push;
    let exact = 0.5 * 0.3 * push * (0.5 + sliding);
    let found = world.ledger().kinetic - start;
    let answer = "½ μ P (U − U⁺): Newton's law makes energy";
    vec![case.row(("energy gained", "J"), answer, exact, found, ROD)]
}

fn kane_stronge() -> Vec<Row> {
    let case = Case::of("scenes/kane_newton.toml").with(&[
        "default_law.normal_restitution=0",
        "default_law.impact={ restitution = 1, hypothesis = \"stronge\" }",
    ]);
    let mut world = case.plane();
    run(&mut world, 0.2, |_| {});
    let found = world.ledger().friction_loss;
    let answer = "by hand, in impulse space (Stronge)";
    vec![case.row(
        ("energy lost to friction", "J"),
        answer,
        0.0552,
        found,
        (3e-3, "three digits of the answer, and the rod's thickness"),
    )]
}

fn kane_acd2() -> Vec<Row> {
    let case = Case::of("scenes/kane_acd2.toml");
    let mut world = case.plane();
    run(&mut world, 0.2, |_| {});
    let made = (-world.ledger().dissipation_min).max(0.0);
    vec![case.row(
        ("largest energy made in a step, over all", ""),
        "none (A-CD²)",
        0.0,
        made,
        (1e-15, "rounding"),
    )]
}

fn painleve_rod() -> Vec<Row> {
    let case = Case::of("scenes/painleve_rod.toml").with(&["time.step=1e-5"]);
    let mut world = case.plane();
    world.step().unwrap_or_else(|e| panic!("{e}"));
    let rod = body(&world, "rod");
    let arm = -rod.pose.position;
    let tip = rod.velocity + DVec2::new(-rod.spin * arm.y, rod.spin * arm.x);
    let answer = "sliding is impossible: it stops without a collision (Painlevé)";
    let why = (20.0 * 1e-5, "order h: 20 m/s² · h");
    vec![case.row(
        ("speed of the tip after one step, 1 m/s before", "m/s"),
        answer,
        0.0,
        tip.length(),
        why,
    )]
}
