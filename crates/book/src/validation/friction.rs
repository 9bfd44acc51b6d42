//! Sliding, rolling and sticking.

use super::Row;
use super::support::{Case, G, body, run};
use drystone_space::{DVec2, math};

pub const CASES: &[super::Case] = &[
    incline_below,
    incline_above,
    sliding_block,
    fur,
    viscous_block,
    rolling_disk,
    balls,
    bending_path,
    square_friction,
];

/// In one step of 1 ms gravity makes g h² of way: an opened contact is worth that.
const OPENS: (f64, &str) = (5.0 * G * 1e-6, "contacts open for a step: g h²");
const STEP: (f64, &str) = (2e-3, "h over the time of the motion");

fn incline_below() -> Vec<Row> {
    let case = Case::of("scenes/incline_below.toml");
    let mut world = case.plane();
    let start = body(&world, "block").pose.position;
    run(&mut world, 2.0, |_| {});
    let way = (body(&world, "block").pose.position - start).length();
    vec![case.row(("way in 2 s", "m"), "it sticks below arctan μ", 0.0, way, OPENS)]
}

fn incline_above() -> Vec<Row> {
    let case = Case::of("scenes/incline_above.toml");
    let mut world = case.plane();
    let start = body(&world, "block").pose.position;
    run(&mut world, 2.0, |_| {});
    let way = (body(&world, "block").pose.position - start).length();
    let angle = 27.2f64.to_radians();
    let exact = 0.5 * G * (math::sin(angle) - 0.5 * math::cos(angle)) * 4.0;
    let why = (OPENS.0 / exact, OPENS.1);
    vec![case.row(("way in 2 s", "m"), "½ g (sin θ − μ cos θ) t²", exact, way, why)]
}

fn sliding_block() -> Vec<Row> {
    let case = Case::of("scenes/sliding_block.toml");
    let mut world = case.plane();
    run(&mut world, 1.5, |_| {});
    let way = body(&world, "block").pose.position.x;
    let ledger = world.ledger();
    let lost = ledger.friction_loss / (ledger.initial - ledger.potential);
    let exact = 9.0 / (2.0 * 0.3 * G);
    vec![
        case.row(("way", "m"), "v²/(2 μ g)", exact, way, (OPENS.0 / exact, OPENS.1)),
        case.row(
            ("energy taken by friction, over all", ""),
            "all of it",
            1.0,
            lost,
            (0.01, "books split a step's loss between friction and impact to order h"),
        ),
    ]
}

fn fur() -> Vec<Row> {
    let case = Case::of("scenes/fur.toml");
    let mut world = case.plane();
    run(&mut world, 1.2, |_| {});
    let slid = |name: &str, from: f64| (body(&world, name).pose.position.x - from).abs();
    let exact = |friction: f64| 4.0 / (2.0 * friction * G);
    let (along, against) = (slid("along", 0.5), slid("against", -0.5));
    vec![
        case.row(("way with the fur", "m"), "v²/(2 μ g), μ = 0.2", exact(0.2), along, STEP),
        case.row(("way against it", "m"), "v²/(2 μ g), μ = 0.5", exact(0.5), against, STEP),
    ]
}

fn viscous_block() -> Vec<Row> {
    let case = Case::of("scenes/viscous_block.toml");
    let mut world = case.plane();
    run(&mut world, 3.0, |_| {});
    let way = body(&world, "block").pose.position.x;
    // T = 0.5 s, h = 1 ms.
    let why = (5e-3, "h/2T, as the step is implicit, and h/T for a contact that opens for a step");
    vec![case.row(("way in 3 s", "m"), "v T (1 − e^(−t/T))", 1.0 - math::exp(-6.0), way, why)]
}

fn rolling_disk() -> Vec<Row> {
    let case = Case::of("scenes/rolling_disk.toml");
    let mut world = case.plane();
    run(&mut world, 4.0, |_| {});
    let way = body(&world, "disk").pose.position.x;
    vec![case.row(("way", "m"), "¾ r v²/(ℓ g)", 1.5 * 0.1 / (2.0 * 0.005 * G), way, STEP)]
}

fn balls() -> Vec<Row> {
    let case = Case::of("scenes/rolling_and_spinning_balls.toml");
    let mut world = case.volume();
    let mut stopped = f64::NAN;
    run(&mut world, 3.0, |world| {
        if stopped.is_nan() && body(world, "spinner").spin.length() < 1e-9 {
            stopped = world.time();
        }
    });
    let way = body(&world, "roller").pose.position.x;
    let exact = [1.4 * 0.1 / (2.0 * 0.005 * G), 0.4 * 0.01 * 20.0 / (0.004 * G)];
    vec![
        case.row(("way of the rolling ball", "m"), "7/10 r v²/(ℓ g)", exact[0], way, STEP),
        case.row(("time until the other stops", "s"), "⅖ r² ω/(ℓ g)", exact[1], stopped, STEP),
    ]
}

/// v' = −g E² v/|E v| by the midpoint rule with steps of 10 µs, until it stands.
fn orthotropic(mut v: DVec2, mu: DVec2) -> DVec2 {
    let rate = |v: DVec2| -mu * mu * v / (mu * v).length() * G;
    let (mut x, h) = (DVec2::ZERO, 1e-5);
    while v.length() > 1e-4 {
        let middle = v + rate(v) * (0.5 * h);
        x += middle * h;
        v += rate(middle) * h;
    }
    x
}

fn bending_path() -> Vec<Row> {
    let case = Case::of("scenes/bending_path.toml");
    let mut world = case.volume();
    run(&mut world, 1.2, |_| {});
    let way = body(&world, "block").pose.position;
    let exact = orthotropic(DVec2::new(1.5, 2.0), DVec2::new(0.2, 0.5));
    let answer = "v' = −g E² v by the length of E v, integrated";
    let why = (5e-3, "the direction turns by order h in a step");
    vec![
        case.row(("where it ends, x", "m"), answer, exact.x, way.x, why),
        case.row(("where it ends, y", "m"), answer, exact.y, way.y, why),
    ]
}

fn square_friction() -> Vec<Row> {
    let case = Case::of("scenes/square_friction.toml");
    let mut world = case.volume();
    run(&mut world, 0.45, |_| {});
    let v = body(&world, "block").velocity;
    let brake = 0.4 * G;
    let exact = 0.5 - 0.5 * brake * (0.45 - 1.5 / brake);
    let why = (5e-3 / exact, "h g at the turn onto the diagonal");
    vec![
        case.row(
            ("velocity x after 0.45 s", "m/s"),
            "on the diagonal, by μ g/2 along each",
            exact,
            v.x,
            why,
        ),
        case.row(("velocity y after 0.45 s", "m/s"), "the same", exact, v.y, why),
    ]
}
