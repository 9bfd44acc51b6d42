//! Cylinders, cones and rounded shapes.

use crate::support::{body, changed, run_until, text, volume};
use drystone_space::DVec3;

const G: f64 = 9.81;

#[test]
fn cylinders_roll_stand_and_fall_as_theory_says() {
    let mut world = volume(&text("rolling_cylinders.toml"));
    let angle = 0.3_f64;
    let rolls = 2.0 / 3.0 * G * angle.sin();
    let slides = G * (angle.sin() - 0.3 * angle.cos());
    let mut most = [0.0_f64; 2];
    run_until(&mut world, 1.0, |world, _| {
        let time = world.time();
        let [roller, slider] = ["roller", "slider"].map(|name| body(world, name).velocity.x);
        most[0] = most[0].max((roller - rolls * time).abs());
        most[1] = most[1].max((slider - slides * time).abs());
    });
    // The gravity of the file has seven digits.
    assert!(most[0] < 2e-6 && most[1] < 2e-6, "{most:?}");
    let roller = body(&world, "roller");
    assert!((roller.pose.position.z - 0.1).abs() < 1e-9, "{}", roller.pose.position.z);
    let upright = |name: &str| (body(&world, name).pose.rotation * DVec3::Z).z;
    assert!(upright("stays") > 1.0 - 1e-12, "{}", upright("stays"));
    assert!(upright("falls") < 0.9, "{}", upright("falls"));
}

#[test]
fn the_limit_of_standing_is_met_from_both_sides() {
    // h tan a = r at h = 0.323274: a part in 400 below it stands, as much above it falls.
    for (height, stands) in [(0.3225, true), (0.3241, false)] {
        let (length, place) = (format!("length = {}", 2.0 * height), format!("-0.5, {height}]"));
        let scene = changed(
            "rolling_cylinders.toml",
            &[("length = 0.62", length.as_str()), ("-0.5, 0.31]", place.as_str())],
        );
        let mut world = volume(&scene);
        run_until(&mut world, 1.0, |_, _| {});
        let upright = (body(&world, "stays").pose.rotation * DVec3::Z).z;
        assert_eq!(upright > 1.0 - 1e-9, stands, "{height}: {upright}");
    }
}

#[test]
fn poured_shapes_do_not_sink_into_each_other() {
    let mut world = volume(&text("drums_and_coins.toml"));
    let mut deepest = 0.0_f64;
    run_until(&mut world, 0.25, |world, _| {
        for contact in world.contacts() {
            deepest = deepest.min(contact.gap);
        }
    });
    // They fall at 2.5 m/s and turn: no more than two steps' way.
    assert!(deepest > -0.005, "{deepest}");
}
