//! Both futures of the bar between converging walls (Moreau 2003, §8.1).

use crate::support::{body, plane, run_until, text};

#[test]
fn without_history_the_bar_falls() {
    let mut world = plane(&text("bar_falls.toml"));
    let start = body(&world, "bar").pose.position;
    run_until(&mut world, 0.5, |_, _| {});
    let fallen = start.y - body(&world, "bar").pose.position.y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 1e-12, "{fallen}");
    assert_eq!(world.ledger().friction_loss, 0.0);
}

#[test]
fn wedged_in_it_stays() {
    let mut world = plane(&text("bar_wedged.toml"));
    let start = body(&world, "bar").pose.position;
    run_until(&mut world, 0.5, |_, _| {});
    let drift = (body(&world, "bar").pose.position - start).length();
    assert!(drift < 1e-9, "{drift:e}");
    // The impulses are the state that keeps it: they balance the weight and still press.
    let h = world.setup().time_step;
    let lift: f64 = world.contacts().iter().map(|c| c.impulse.y / h).sum();
    assert_eq!(world.contacts().len(), 2);
    assert!((lift - 98.1).abs() < 1e-6, "{lift}");
    assert!(world.contacts().iter().all(|c| (c.impulse.x / h).abs() > 100.0));
}
