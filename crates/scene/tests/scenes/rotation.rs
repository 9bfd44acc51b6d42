//! Free rotation in space.

use crate::support::{body, run_until, text, volume};
use drystone_space::DVec3;

#[test]
fn a_tumbling_body_keeps_energy_and_momentum() {
    let mut world = volume(&text("tumbling.toml"));
    let momentum = |world: &drystone_engine::World<drystone_space::Volume>| -> DVec3 {
        let body = body(world, "box");
        body.pose.rotation * (body.moments * body.spin)
    };
    let (energy, start) = (world.ledger().kinetic, momentum(&world));
    let (mut turned_over, mut way) = (0, 1.0);
    run_until(&mut world, 10_000.0, |world, _| {
        let spin = body(world, "box").spin.y;
        if spin * way < -3.0 {
            turned_over += 1;
            way = -way;
        }
    });
    assert!(turned_over > 100, "turning about the middle axis is unstable: {turned_over}");
    assert!((world.ledger().kinetic / energy - 1.0).abs() < 1e-9);
    assert!((momentum(&world) - start).length() < 1e-9 * start.length());
}
