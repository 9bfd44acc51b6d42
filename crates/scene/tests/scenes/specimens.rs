//! Specimens of grains: the pile, silo, hopper, drum, column, packings. Samples are smaller than in the
//! scenes; bounds are those of the laws that the headers name, widened by the scatter of few grains.

use crate::support::{boundary, changed, mean, plane, run_until, volume};
use drystone_analysis::{Region, Sample, Surface, coordination, floor_pressure, region_stress, up};
use drystone_engine::{Dimension, World};
use drystone_space::{DVec2, DVec3, Vector, Volume};
use std::f64::consts::PI;

/// Weight of all grains, at 9.81 m/s².
fn weight<S: Dimension>(sample: &Sample<S>) -> f64 {
    sample.grains.iter().map(|g| g.mass * 9.81).sum()
}

/// Root mean square of the speeds.
fn agitation<S: Dimension>(world: &World<S>) -> f64 {
    mean(world.bodies().iter().map(|b| b.velocity.norm_squared())).sqrt()
}

#[test]
fn a_pile_grows_grain_by_grain_on_a_rough_floor() {
    let text = changed("pile_small.toml", &[("within = 9", "within = 4")]);
    let mut world = volume(&text);
    let (mut entered, mut carried) = (Vec::new(), Vec::new());
    run_until(&mut world, 1.0, |world, report| {
        if world.time() > 0.7 {
            let weight: f64 = world.bodies().iter().map(|b| b.mass * 9.81).sum();
            carried.push(floor_load(world) / weight);
        }
        assert!(report.penetration_relative < 0.03, "{}", report.penetration_relative);
        for body in &world.bodies()[entered.len()..] {
            entered.push(body.pose.position);
            // Within 8 mm of the axis, and at no speed but what its first contacts give.
            assert!(
                body.pose.position.truncate().length() < 8.1e-3 && body.velocity.length() < 0.2
            );
        }
    });
    assert_eq!(entered.len(), 200);
    // On top of what is there: the first near the floor, the later ones higher.
    let height = |range: std::ops::Range<usize>| mean(entered[range].iter().map(|p| p.z));
    assert!(height(0..10) < 6e-3 && height(180..200) > 8e-3, "{} m", height(180..200));
    // It has heaped up, and hardly a grain has rolled away.
    let sample = Sample::of_world(&world);
    let surface = Surface::of(&sample, DVec3::ZERO, 0.0, 2.0 * sample.mean_diameter());
    assert!(surface.heights[0] > 2.0 * surface.heights[2], "{:?}", surface.heights);
    let near = sample.grains.iter().filter(|g| g.position.truncate().length() < 0.04).count();
    assert!(near > 185, "{near}");
    // The floor carries the pile, in the mean over the knocks of falling grains.
    let ratio = mean(carried);
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    let rings = floor_pressure(&sample, DVec3::ZERO, 0.005, |_| true);
    let area = |r: &drystone_analysis::Ring| PI * (r.outer * r.outer - r.inner * r.inner);
    let pressed: f64 = rings.iter().map(|r| r.pressure.mean * area(r)).sum();
    assert!((pressed / floor_load(&world) - 1.0).abs() < 1e-4, "{pressed} N");
}

/// Vertical force on both parts of the floor.
fn floor_load(world: &World<Volume>) -> f64 {
    -(world.boundary_force(0).z + world.boundary_force(1).z)
}

#[test]
fn a_paving_is_closed_and_does_not_overlap() {
    let world = volume(&changed("pile_small.toml", &[("within = 9", "within = 4")]));
    let paving = &world.boundaries()[boundary(&world, "paving")];
    let grain = |part: &drystone_engine::Part<Volume>| match part.shape {
        drystone_detect::volume::VolumeShape::Sphere { radius } => (part.pose().position, radius),
        ref other => panic!("{other:?}"),
    };
    let grains: Vec<(DVec3, f64)> = paving.parts.iter().map(grain).collect();
    for (index, (at, radius)) in grains.iter().enumerate() {
        assert!(at.z == 0.0 && at.length() <= 0.04 && (0.00125..=0.0025).contains(radius));
        let apart = |(other, its): &(DVec3, f64)| at.distance(*other) >= radius + its - 1e-12;
        assert!(grains[..index].iter().all(apart));
    }
    // Random sequential addition covers half of the plane.
    let covered: f64 = grains.iter().map(|(_, r)| PI * r * r).sum();
    let share = covered / (PI * 0.04 * 0.04);
    assert!((0.42..0.6).contains(&share), "{share}");
}

#[test]
fn the_walls_of_a_silo_carry_most_of_the_weight() {
    let changes = [
        ("count = 1400", "count = 500"),
        ("point = [0.15, 0]", "point = [0.09, 0]"),
        ("[0.1495, 1.2]", "[0.0895, 1.2]"),
        ("tolerance = 1e-4", "tolerance = 1e-3"),
    ];
    let mut world = plane(&changed("silo.toml", &changes));
    let floor = boundary(&world, "floor");
    run_until(&mut world, 1.5, |_, _| {});
    let (mut carried, mut samples) = (Vec::new(), Vec::new());
    run_until(&mut world, 2.0, |world, _| {
        if world.time() > 1.7 {
            carried.push(-world.boundary_force(floor).y);
            samples.push(Sample::of_world(world));
        }
    });
    let sample = Sample::mean_of(samples.iter());
    let share = mean(carried) / weight(&sample);
    // Janssen, with K from 0.4 to 0.9: λ from 1 to 2.25 widths, of a height of 5.5.
    assert!((0.1..0.45).contains(&share), "{share}");
    // Stress grows with depth at first, and no more farther down.
    let stress = |low: f64| {
        let region = Region::Box { low: DVec2::new(0.0, low), high: DVec2::new(0.09, low + 0.08) };
        region_stress(&sample, &region).entries[1][1]
    };
    let top = sample.grains.iter().map(|g| up(g.position)).fold(0.0, f64::max);
    let (upper, middle, lower) = (stress(top - 0.1), stress(top - 0.28), stress(0.02));
    assert!(upper < 0.7 * middle && lower < 1.8 * middle, "{upper}, {middle}, {lower}");
}

#[test]
fn a_hopper_empties_at_a_steady_rate() {
    let changes = [
        ("count = 2000", "count = 700"),
        ("[-0.2, 0.14], [-0.2, 1.2]", "[-0.13, 0.07], [-0.13, 1.2]"),
        ("[0.2, 0.14], [0.2, 1.2]", "[0.13, 0.07], [0.13, 1.2]"),
        ("[-0.06, 0], [-0.2, 0.14]", "[-0.06, 0], [-0.13, 0.07]"),
        ("[0.06, 0], [0.2, 0.14]", "[0.06, 0], [0.13, 0.07]"),
        ("low = [-0.199, 0.15]", "low = [-0.129, 0.08]"),
        ("high = [0.199, 1.2]", "high = [0.129, 1.2]"),
        ("remove_at = 1.0", "remove_at = 0.6"),
    ];
    let mut world = plane(&changed("hopper.toml", &changes));
    let mut out = Vec::new();
    run_until(&mut world, 1.3, |world, _| {
        let below = world.bodies().iter().filter(|b| b.pose.position.y < 0.0).count();
        out.push((world.time(), below as f64));
    });
    let at = |time: f64| out.iter().find(|o| o.0 >= time).unwrap().1;
    assert_eq!(at(0.59), 0.0, "the gate holds");
    let (early, late) = ((at(0.95) - at(0.75)) / 0.2, (at(1.2) - at(1.0)) / 0.2);
    // Beverloo's law of the plane, 0.6 to 1.2 times √g (D − 1.4 d)^{3/2} grains by area.
    let law = 9.81f64.sqrt() * (0.12f64 - 0.014).powf(1.5) * 0.8 / (PI * 0.005 * 0.005);
    for rate in [early, late] {
        assert!((0.5..1.4).contains(&(rate / law)), "{rate} per second, {law} by the law");
    }
    assert!((early / late - 1.0).abs() < 0.3, "{early} and {late} per second");
}

#[test]
fn grains_flow_down_a_slope_in_a_drum() {
    let changes = [("count = 900", "count = 300"), ("0.0025, 0.0035", "0.004, 0.006")];
    let mut world = plane(&changed("drum.toml", &changes));
    let mut slopes = Vec::new();
    run_until(&mut world, 3.5, |world, _| {
        if world.time() > 2.0 && world.steps() % 40 == 0 {
            // The line through the heights of the surface, away from the walls.
            let sample = Sample::of_world(world);
            let height = |low: f64| {
                let near =
                    sample.grains.iter().filter(|g| (low..low + 0.02).contains(&g.position.x));
                near.map(|g| g.position.y + g.radius).fold(f64::MIN, f64::max)
            };
            slopes.push((height(0.04) - height(-0.06)) / 0.1);
        }
    });
    let degrees = mean(slopes).atan().to_degrees();
    assert!((12.0..38.0).contains(&degrees), "{degrees}");
}

#[test]
fn a_column_runs_out_as_experiments_say() {
    let changes = [("count = 2000", "count = 600"), ("within = 0.3", "within = 0.17")];
    let narrower = changed("column_collapse.toml", &changes).replace("0.055", "0.036");
    // The cylinder with 5.3 cm instead of 8.
    let text: String = narrower
        .lines()
        .map(|line| match line.split_once("point = [").filter(|_| line.contains("normal")) {
            Some((head, rest)) => {
                let (point, tail) = rest.split_once(']').unwrap();
                let scaled: Vec<String> = point
                    .split(", ")
                    .map(|x| (x.parse::<f64>().unwrap() * 0.053 / 0.08).to_string())
                    .collect();
                format!("{head}point = [{}]{tail}\n", scaled.join(", "))
            }
            None => format!("{line}\n"),
        })
        .collect();
    let mut world = volume(&text);
    run_until(&mut world, 0.75, |_, _| {});
    let surface = |world: &World<_>| {
        let sample = Sample::of_world(world);
        Surface::of(&sample, DVec3::ZERO, 0.0, sample.mean_diameter())
    };
    let before = surface(&world);
    let inner: Vec<f64> = before.heights[..4].to_vec();
    let ratio = mean(inner) / 0.053;
    assert!((0.8..1.6).contains(&ratio), "{ratio}");
    run_until(&mut world, 1.6, |_, _| {});
    assert!(agitation(&world) < 0.05, "{}", agitation(&world));
    let mut radii: Vec<f64> =
        world.bodies().iter().map(|b| b.pose.position.truncate().length()).collect();
    radii.sort_by(f64::total_cmp);
    // All but a hundredth of the grains; the rest has rolled away one by one.
    let run_out = radii[radii.len() * 99 / 100] / 0.053 - 1.0;
    assert!((0.5..1.3).contains(&(run_out / (1.24 * ratio))), "{run_out} for {ratio}");
}

#[test]
fn frictionless_spheres_are_pressed_to_a_dense_isostatic_packing() {
    let changes =
        [("count = 2000", "count = 400"), ("0.153", "0.09"), ("force = 20.0", "force = 7.0")];
    let mut world = volume(&changed("compaction.toml", &changes));
    run_until(&mut world, 0.35, |_, report| assert!(report.penetration_relative < 0.1));
    let sample = Sample::of_world(&world);
    assert!(agitation(&world) < 0.01, "{} m/s", agitation(&world));
    let side = |name: &str, axis: usize| {
        let index = boundary(&world, name);
        world.boundary_pose(index).unwrap().position[axis]
    };
    let size = DVec3::new(side("wall x", 0), side("wall y", 1), side("wall z", 2));
    let inner = Region::Box { low: size * 0.22, high: size * 0.78 };
    let solid = inner.solid_fraction(&sample);
    assert!((0.60..0.68).contains(&solid), "{solid}");
    let found = coordination(&sample, Some(&inner));
    assert!((found.mechanical - 6.0).abs() < 0.8, "{found:?}");
    // Pressed alike from three sides: the stress is that of the walls.
    let stress = region_stress(&sample, &Region::Box { low: DVec3::ZERO, high: size });
    for (axis, area) in [size.y * size.z, size.x * size.z, size.x * size.y].into_iter().enumerate()
    {
        assert!((stress.entries[axis][axis] * area / 7.0 - 1.0).abs() < 0.05, "{stress:?}");
    }
}

#[test]
fn tetrapods_come_to_rest_loosely() {
    let changes = [
        ("counts = [6, 6, 14]", "counts = [3, 3, 8]"),
        ("0.3", "0.15"),
        ("-0.245, -0.245", "-0.098, -0.098"),
    ];
    let mut world = volume(&changed("tetrapods.toml", &changes));
    run_until(&mut world, 1.5, |_, report| assert!(report.penetration_relative < 0.1));
    assert_eq!(world.bodies().len(), 72);
    assert!(agitation(&world) < 0.05, "{} m/s", agitation(&world));
    let touching = coordination(&Sample::of_world(&world), None).mechanical;
    assert!(touching > 3.0, "{touching}");
}

#[test]
fn polyhedra_come_to_rest() {
    let changes = [
        ("counts = [5, 5, 10]", "counts = [2, 2, 5]"),
        ("0.3, 0", "0.13, 0"),
        (" 0.3", " 0.13"),
        ("-0.3", "-0.13"),
        ("-0.232, -0.232", "-0.058, -0.058"),
    ];
    let mut world = volume(&changed("polyhedra.toml", &changes));
    // Falls of a metre end at 4.5 m/s: 2.3 mm in a step. At rest the overlap of 3 cm wide bodies is made good.
    let mut overlap = 0.0;
    run_until(&mut world, 1.6, |_, report| {
        overlap = report.penetration;
        assert!(overlap < 7e-3);
    });
    assert!(overlap < 3e-5, "{overlap} m");
    assert_eq!(world.bodies().len(), 80);
    assert!(agitation(&world) < 0.05, "{} m/s", agitation(&world));
    for body in world.bodies() {
        let place = body.pose.position;
        assert!(place.x.abs() < 0.14 && place.y.abs() < 0.14 && place.z > 0.0, "{place}");
    }
}
