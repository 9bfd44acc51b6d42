//! Free rotation in space.

use crate::support::{body, edited, run_until, text, volume};
use drystone_space::{DVec2, DVec3};

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

/// The top stays at its tilt and goes round as it should, by errors of second order; in Moreau's step it falls over.
#[test]
fn a_top_precesses_on_its_tip() {
    let tilt = |world: &drystone_engine::World<drystone_space::Volume>| {
        let axis = body(world, "top").pose.rotation * DVec3::Z;
        axis.angle_between(DVec3::Z)
    };
    // How far it nods, and how far it is off after 43 rad.
    let errors = ["1e-3", "5e-4"].map(|step| {
        let text = edited("heavy_top.toml", "step = 1e-3", &format!("step = {step}"));
        let mut world = volume(&text);
        let mut nods = 0.0f64;
        run_until(&mut world, 5.0, |world, _| nods = nods.max((tilt(world) - 0.3).abs()));
        let at = body(&world, "top").pose.position;
        let off = at.truncate().angle_to(DVec2::from_angle(8.609_973 * 5.0));
        let energy = world.ledger().kinetic + world.ledger().potential;
        assert!((energy / world.ledger().initial - 1.0).abs() < 1e-4, "{energy}");
        [nods, off.abs()]
    });
    println!("{errors:?}");
    assert!(errors[0][0] < 2e-3 && errors[0][1] < 0.06, "{errors:?}");
    for (coarse, fine) in errors[0].iter().zip(errors[1]) {
        assert!(fine < 0.3 * coarse, "{errors:?}");
    }

    let mut moreau = volume(&edited("heavy_top.toml", "scheme = \"second-order\"\n", ""));
    run_until(&mut moreau, 1.0, |_, _| {});
    // 0.76 rad after a second, on its way to the floor.
    assert!(tilt(&moreau) > 0.6, "{}", tilt(&moreau));
}
