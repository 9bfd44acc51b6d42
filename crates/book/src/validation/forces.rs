//! Forces by closed forms, and balance.

use super::Row;
use super::support::{Case, G, body, run};
use drystone_space::math;

pub const CASES: &[super::Case] = &[
    spring,
    linear_drag,
    quadratic_drag,
    contact_spring,
    percussion,
    bar_falls,
    bar_wedged,
    three_supports,
    four_legs,
    hanging_grains,
];

const SECOND: (f64, &str) = (1e-5, "order h²");

fn spring() -> Vec<Row> {
    let case = Case::of("crates/book/scenes/spring.toml");
    let mut world = case.volume();
    run(&mut world, 1.0, |_| {});
    let place = body(&world, "ball").pose.position;
    let exact = [math::sin(5.0) / 5.0, -G / 25.0 * (1.0 - math::cos(5.0))];
    let why = (5e-5, SECOND.1);
    vec![
        case.row(("x after 1 s", "m"), "(v/ω) sin ω t", exact[0], place.x, why),
        case.row(("z after 1 s", "m"), "−(g/ω²)(1 − cos ω t)", exact[1], place.z, why),
    ]
}

fn linear_drag() -> Vec<Row> {
    let case = Case::of("crates/book/scenes/linear_drag.toml");
    let mut world = case.volume();
    run(&mut world, 1.0, |_| {});
    let ball = body(&world, "ball");
    let (v, spin) = (ball.velocity, ball.world_spin().y);
    let fall = -2.0 * G / 4.0 * (1.0 - math::exp(-2.0));
    vec![
        case.row(("velocity x after 1 s", "m/s"), "v e^(−κ t/m)", math::exp(-2.0), v.x, SECOND),
        case.row(("velocity z after 1 s", "m/s"), "−(m g/κ)(1 − e^(−κ t/m))", fall, v.z, SECOND),
        case.row(("spin after 1 s", "rad/s"), "ω e^(−κ t/I)", 3.0 * math::exp(-1.0), spin, SECOND),
    ]
}

fn quadratic_drag() -> Vec<Row> {
    let case = Case::of("crates/book/scenes/quadratic_drag.toml");
    let mut world = case.volume();
    run(&mut world, 0.5, |_| {});
    let early = -body(&world, "ball").velocity.z;
    run(&mut world, 9.0, |_| {});
    let late = -body(&world, "ball").velocity.z;
    let limit = G.sqrt();
    // tanh x = 1 − 2/(e^(2x) + 1).
    let exact = limit * (1.0 - 2.0 / (math::exp(2.0 * G / limit * 0.5) + 1.0));
    let answer = "√(m g/c) tanh(t √(g c/m))";
    let order = (1e-3, "order h², h = 0.01 s");
    vec![
        case.row(("velocity after 0.5 s", "m/s"), answer, exact, early, order),
        case.row(("velocity in the end", "m/s"), "√(m g/c)", limit, late, (1e-12, "rounding")),
    ]
}

fn contact_spring() -> Vec<Row> {
    let case = Case::of("crates/book/scenes/contact_spring.toml");
    let mut world = case.volume();
    let mut lowest = f64::INFINITY;
    run(&mut world, 0.2, |world| lowest = lowest.min(body(world, "ball").pose.position.z));
    let pressed = 0.3 - lowest;
    let speed = body(&world, "ball").velocity.z;
    vec![
        case.row(("pressed by", "m"), "v/ω", 0.05, pressed, SECOND),
        case.row(("leaves with", "m/s"), "as fast as it came", 1.0, speed, SECOND),
    ]
}

fn percussion() -> Vec<Row> {
    let case = Case::of("crates/book/scenes/percussion.toml");
    let mut world = case.volume();
    run(&mut world, 0.3, |_| {});
    let v = body(&world, "ball").velocity;
    let m = 4.0 / 7.0;
    let factor = 1.0 - m * (1.0 - (m - 0.4) / (m + 0.4)) / 2.0;
    let why = (1e-9, "rounding");
    vec![
        case.row(("velocity z after", "m/s"), "(2K − m)/(2K + m) of that before", 0.5, v.z, why),
        case.row(("velocity x after", "m/s"), "by m_t = 2m/7", 3.0 * factor, v.x, why),
        case.row(("velocity y after", "m/s"), "the same", -2.0 * factor, v.y, why),
    ]
}

fn bar_falls() -> Vec<Row> {
    let case = Case::of("scenes/bar_falls.toml");
    let mut world = case.plane();
    let start = body(&world, "bar").pose.position.y;
    run(&mut world, 0.5, |_| {});
    let fallen = start - body(&world, "bar").pose.position.y;
    vec![case.row(("way in 0.5 s", "m"), "½ g t²", 0.5 * G * 0.25, fallen, (1e-11, "rounding"))]
}

fn bar_wedged() -> Vec<Row> {
    let case = Case::of("scenes/bar_wedged.toml");
    let mut world = case.plane();
    let start = body(&world, "bar").pose.position;
    run(&mut world, 0.5, |_| {});
    let way = (body(&world, "bar").pose.position - start).length();
    let h = world.setup().time_step;
    let lift: f64 = world.contacts().iter().map(|c| c.impulse.y / h).sum();
    vec![
        case.row(("way in 0.5 s", "m"), "wedged in, it stays", 0.0, way, (1e-9, "rounding")),
        case.row(("force of the walls, upward", "N"), "m g", 98.1, lift, (1e-8, "rounding")),
    ]
}

fn three_supports() -> Vec<Row> {
    let case = Case::of("scenes/three_supports.toml");
    let mut world = case.plane();
    run(&mut world, 0.1, |_| {});
    let h = world.setup().time_step;
    let lift: f64 = world.contacts().iter().map(|c| c.impulse.y / h).sum();
    vec![case.row(
        ("sum of three forces", "N"),
        "m g, however it is shared",
        98.1,
        lift.abs(),
        (1e-5, "the solver's tolerance"),
    )]
}

fn four_legs() -> Vec<Row> {
    let case = Case::of("scenes/four_legs.toml");
    let mut world = case.volume();
    run(&mut world, 0.1, |_| {});
    let h = world.setup().time_step;
    let lift: f64 = world.contacts().iter().map(|c| c.impulse.z / h).sum();
    vec![case.row(
        ("sum of four forces", "N"),
        "m g, however it is shared",
        98.1,
        lift.abs(),
        (1e-5, "the solver's tolerance"),
    )]
}

fn hanging_grains() -> Vec<Row> {
    let case = Case::of("scenes/hanging_grains.toml");
    let mut world = case.plane();
    run(&mut world, 0.5, |_| {});
    let fallen = |name: &str| -0.1 - body(&world, name).pose.position.y;
    let free = 0.5 * G * 0.25;
    vec![
        case.row(
            ("way of the light grain in 0.5 s", "m"),
            "it hangs",
            0.0,
            fallen("light"),
            (1e-6, "the solver's tolerance"),
        ),
        case.row(
            ("way of the heavy grain in 0.5 s", "m"),
            "½ g t²",
            free,
            fallen("heavy"),
            (4e-3, "the pull of 5 N acts in the first step: 5 h t/m of way"),
        ),
    ]
}
