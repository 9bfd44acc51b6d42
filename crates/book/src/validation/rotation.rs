//! Bodies that turn in space.

use super::Row;
use super::support::{Case, body, run};
use drystone_engine::World;
use drystone_space::{DVec3, Volume, math};

pub const CASES: &[super::Case] = &[tumbling, heavy_top];

fn tumbling() -> Vec<Row> {
    let case = Case::of("scenes/tumbling.toml");
    let mut world = case.volume();
    let momentum = |world: &World<Volume>| -> DVec3 {
        let body = body(world, "box");
        body.pose.rotation * (body.moments * body.spin)
    };
    let (energy, start) = (world.ledger().kinetic, momentum(&world));
    run(&mut world, 300.0, |_| {});
    let gained = world.ledger().kinetic / energy - 1.0;
    let turned = (momentum(&world) - start).length() / start.length();
    let why = (1e-9, "rounding");
    vec![
        case.row(("energy gained in 300 s, over all", ""), "none", 0.0, gained, why),
        case.row(("angular momentum gained, over all", ""), "none", 0.0, turned, why),
    ]
}

fn heavy_top() -> Vec<Row> {
    let case = Case::of("scenes/heavy_top.toml").with(&["time.step=5e-4"]);
    let mut world = case.volume();
    let mut nods = 0.0f64;
    run(&mut world, 1.0, |world| {
        let axis = body(world, "top").pose.rotation * DVec3::Z;
        nods = nods.max((math::acos(axis.z) - 0.3).abs());
    });
    let at = body(&world, "top").pose.position.truncate();
    // Once round and some more: the rest is measured from where it should be.
    let exact = 8.609_973;
    let off = math::angle_between(math::direction(exact), at);
    let answer = "(I + m l²) cos θ Ω² − J ω Ω + m g l = 0";
    vec![
        case.row(
            ("angle gone round in 1 s", "rad"),
            answer,
            exact,
            exact + off,
            (2e-3, "order h²; h halved leaves less than a third"),
        ),
        case.row(("largest nod", "rad"), "none", 0.0, nods, (2e-3, "order h²")),
    ]
}
