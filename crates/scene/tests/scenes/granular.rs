//! Grains: packed, sheared, shaken and poured.
//!
//! What comes out of a packing is a mean over many contacts. Bounds are those that packings of this
//! friction are known to keep, whatever the arrangement; samples are smaller than in the scenes
//! where that changes no more than the scatter.

use crate::support::{boundary, changed, mean, plane, run_until, text, volume};
use drystone_engine::World;
use drystone_space::{DVec2, Plane, Volume};
use std::f64::consts::PI;

/// A moment of the biaxial test: strain, stress ratio, volume.
struct Moment {
    strain: f64,
    ratio: f64,
    volume: f64,
}

/// The biaxial test with a quarter of the rollers.
fn biaxial() -> Vec<Moment> {
    let text = changed(
        "biaxial.toml",
        &[
            ("high = [0.4, 0.6]", "high = [0.2, 0.3]"),
            ("count = 2000", "count = 500"),
            ("position = [0.4, 0]", "position = [0.2, 0]"),
            ("position = [0, 0.41]", "position = [0, 0.23]"),
            ("[[0.4, 400], [0.5, 2000]]", "[[0.4, 200], [0.5, 1000]]"),
            ("velocity = [-0.1, 0]", "velocity = [-0.05, 0]"),
        ],
    );
    let mut world = plane(&text);
    let (left, right, upper) =
        (boundary(&world, "left"), boundary(&world, "right"), boundary(&world, "upper"));
    let (mut moments, mut pushes) = (Vec::new(), Vec::new());
    run_until(&mut world, 1.2, |world, report| {
        assert!(report.penetration_relative < 0.1);
        let place = |index: usize| world.boundary_pose(index).unwrap().position;
        let (width, height) = (place(right).x, place(upper).y);
        let (push, load) = (world.boundary_force(right).x, world.boundary_force(upper).y);
        let ratio = (push / height) / (load / width);
        if world.time() > 0.6 {
            moments.push(Moment { strain: 1.0 - width / 0.2, ratio, volume: width * height });
            pushes.push([push, -world.boundary_force(left).x]);
        }
    });
    // Slow: the force that goes in at the right comes out at the left.
    let [push, resistance] = [0, 1].map(|i| mean(pushes.iter().map(|p| p[i])));
    assert!((push / resistance - 1.0).abs() < 0.02, "{push} N and {resistance} N");
    moments
}

#[test]
fn rollers_resist_as_mohr_and_coulomb_say_and_dilate() {
    let moments = biaxial();
    let between = |low: f64, high: f64| {
        let within = move |m: &&Moment| m.strain > low && m.strain <= high;
        moments.iter().filter(within)
    };
    // Rollers with friction 0.5 have an angle of 15° to 25°: ratios of 1.7 to 2.5.
    let ratio = |low, high| mean(between(low, high).map(|m| m.ratio));
    let (packed, sheared) = (ratio(-1.0, 0.0), ratio(0.05, 0.12));
    assert!(packed < 1.2, "packed by the load alone: {packed}");
    assert!((1.6..2.6).contains(&sheared), "sheared: {sheared}");
    let volume = |low, high| mean(between(low, high).map(|m| m.volume));
    let (least, last) = (volume(0.0, 0.01), volume(0.11, 0.12));
    let dilation = last / least - 1.0;
    assert!((0.002..0.05).contains(&dilation), "dilated by {dilation}");
}

/// The shaken bed: share of time off the floor, and mean way of a disk within the bed.
fn shaken(amplitude: &str) -> (f64, f64) {
    let change = ("amplitude = 2.2e-3", format!("amplitude = {amplitude}"));
    let mut world = plane(&changed("vibrated_bed.toml", &[(change.0, &change.1)]));
    run_until(&mut world, 0.7, |_, _| {});
    let places = |world: &World<Plane>| -> Vec<DVec2> {
        let floor = world.boundary_pose(0).unwrap().position;
        world.bodies().iter().map(|b| b.pose.position - floor).collect()
    };
    let start = places(&world);
    let mut flights = Vec::new();
    run_until(&mut world, 1.5, |world, _| {
        let carried = -world.boundary_force(0).y;
        flights.push(if carried > 0.0 { 0.0 } else { 1.0 });
    });
    let ways = places(&world).into_iter().zip(start).map(|(now, then)| now.distance(then));
    (mean(flights), mean(ways))
}

#[test]
fn a_bed_shaken_below_g_is_solid() {
    let (flight, way) = shaken("0.3e-3");
    assert_eq!(flight, 0.0);
    assert!(way < 3e-4, "disks of 1 cm moved by {way} m");
}

#[test]
fn a_bed_shaken_above_g_is_fluid() {
    let (flight, way) = shaken("2.2e-3");
    assert!(flight > 0.1, "off the floor {flight} of the time");
    assert!(way > 3e-3, "disks of 1 cm moved by {way} m");
}

#[test]
fn slow_shear_is_in_a_zone() {
    let mut world = plane(&text("slow_shear.toml"));
    let (start, end) = (0.7, 2.2);
    run_until(&mut world, start, |_, _| {});
    let places: Vec<DVec2> = world.bodies().iter().map(|b| b.pose.position).collect();
    let sides = ["upper left", "upper right"].map(|name| boundary(&world, name));
    let lid = boundary(&world, "lid");
    let mut ratios = Vec::new();
    run_until(&mut world, end, |world, _| {
        if world.time() > 1.2 {
            let shear: f64 = sides.iter().map(|&side| -world.boundary_force(side).x).sum();
            ratios.push(shear / world.boundary_force(lid).y);
        }
    });
    let ratio = mean(ratios);
    assert!((0.2..0.5).contains(&ratio), "shear over load: {ratio}");
    // Displacement to the right in five layers of 4 cm; the split is in the third.
    let way = 0.02 * (end - start);
    let layers: Vec<f64> = (0..5)
        .map(|layer| {
            let within = |p: &DVec2| (p.y / 0.04) as usize == layer;
            let moved = world.bodies().iter().zip(&places).filter(|(_, p)| within(p));
            mean(moved.map(|(b, p)| b.pose.position.x - p.x)) / way
        })
        .collect();
    assert!(layers[0] < 0.25 && layers[4] > 0.65, "{layers:?}");
    let steps: Vec<f64> = layers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps[1] + steps[2] > 0.75 * (layers[4] - layers[0]), "{layers:?}");
}

/// Share of the slab from `low` to `high` that spheres fill.
fn solid_fraction(world: &World<Volume>, side: f64, [low, high]: [f64; 2]) -> f64 {
    let filled = world.bodies().iter().map(|body| {
        let (radius, height) =
            ((body.mass / (2500.0 * 4.0 / 3.0 * PI)).cbrt(), body.pose.position.z);
        // Volume of the sphere below a height above its centre.
        let below = |z: f64| {
            let z = z.clamp(-radius, radius);
            PI * (radius * radius * z - z.powi(3) / 3.0 + 2.0 / 3.0 * radius.powi(3))
        };
        below(high - height) - below(low - height)
    });
    filled.sum::<f64>() / (side * side * (high - low))
}

#[test]
fn poured_spheres_come_to_rest_without_overlap() {
    let text = changed("pour.toml", &[("0.56", "0.28"), ("[10, 10, 20]", "[5, 5, 14]")]);
    let mut world = volume(&text);
    run_until(&mut world, 1.5, |_, report| assert!(report.penetration_relative < 2e-3));
    let ledger = world.ledger();
    assert!(ledger.kinetic < 1e-4 * ledger.initial, "{} J", ledger.kinetic);
    let deepest = world.contacts().iter().map(|c| -c.gap).fold(0.0, f64::max);
    assert!(deepest < 0.0375 * 1e-3, "{deepest}");
    // Walls are fifteen radii apart: a few percent looser than a large packing.
    let fraction = solid_fraction(&world, 0.28, [0.05, 0.15]);
    assert!((0.5..0.62).contains(&fraction), "{fraction}");
}

#[test]
fn rubble_of_all_shapes_comes_to_rest() {
    let mut world = volume(&text("rubble.toml"));
    assert_eq!(world.bodies().len(), 234);
    // Bodies fall at up to 4 m/s: 4 mm in a step, of 5 cm.
    run_until(&mut world, 2.0, |_, report| assert!(report.penetration < 6e-3));
    let ledger = world.ledger();
    assert!(ledger.kinetic < 1e-5 * ledger.initial, "{} J", ledger.kinetic);
    let inside = |p: f64| p.abs() < 0.45;
    for body in world.bodies() {
        let place = body.pose.position;
        assert!(inside(place.x) && inside(place.y) && place.z > 0.0, "{} at {place}", body.name());
    }
}

#[test]
fn an_emitter_fills_a_bin() {
    let mut world = plane(&text("emitter.toml"));
    run_until(&mut world, 6.0, |_, report| assert!(report.penetration < 5e-3));
    assert_eq!(world.bodies().len(), 300);
    let weight: f64 = world.bodies().iter().map(|b| b.mass).sum::<f64>() * 9.81;
    let carried = -world.boundary_force(0).y;
    assert!((carried / weight - 1.0).abs() < 0.02, "{carried} N of {weight} N");
    for body in world.bodies() {
        let place = body.pose.position;
        assert!(place.x.abs() < 0.5 && place.y > 0.0, "{} at {place}", body.name());
    }
    let left = mean(world.bodies().iter().map(|b| b.pose.position.x));
    assert!(left.abs() < 0.02, "poured on the middle, and it stayed there: {left}");
}
