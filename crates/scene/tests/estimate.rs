//! Estimates of the error of a step against the truth, on a dozen small problems; `examples/truth.rs` has many.

#[path = "../examples/support/truth.rs"]
mod truth;

use drystone_engine::{Dimension, World, with_world};
use drystone_scene::Scene;
use std::fmt::Write as _;
use std::path::PathBuf;
use truth::{Case, Point};

const TOLERANCES: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];

fn points<S: Dimension>(mut world: World<S>, steps: u64) -> Vec<Point> {
    world.keep_start();
    for _ in 0..steps {
        world.step().unwrap();
    }
    let cases = [true, false].into_iter().filter_map(|warm| Case::new(&world, warm));
    cases.flat_map(|mut case| case.points(&TOLERANCES)).collect()
}

fn of_file(name: &str, steps: u64) -> Vec<Point> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    let scene = Scene::read(path).unwrap_or_else(|report| panic!("{report}"));
    with_world!(scene.world().unwrap(), world => points(world, steps))
}

/// A column of boxes, or of pairs of boxes under a long one, from nothing.
fn column(count: u32) -> Vec<Point> {
    let mut text = String::from(
        "dimension = 2\ngravity = [0, -9.81]\n[time]\nstep = 1e-3\nend = 1\n[[material]]\nname = \"m\"\n\
         density = 2500\n[default_law]\nfriction = 0.5\n[[boundary]]\nmaterial = \"m\"\n\
         shape = { half_plane = { point = [0, 0], normal = [0, 1] } }\n",
    );
    for level in 0..count {
        let y = 0.5 + f64::from(level);
        writeln!(
            text,
            "[[body]]\nmaterial = \"m\"\nposition = [0, {y}]\nshape = {{ box = [1, 1] }}"
        )
        .unwrap();
    }
    let scene = Scene::parse("column", &text, None).unwrap_or_else(|report| panic!("{report}"));
    with_world!(scene.world().unwrap(), world => points(world, 1))
}

/// What is asked of estimates: those by which something was accepted are at least a third of the truth, and few are more
/// than ten times it.
fn check(name: &str, points: &[Point], factors: bool, least: usize) {
    let all: Vec<&Point> =
        points.iter().filter(|p| p.factors == factors && p.truth > 1e-9).collect();
    assert!(all.len() >= least, "{name}: {} estimates", all.len());
    for point in all.iter().filter(|point| point.accepted) {
        assert!(point.estimate > point.truth / 3.0, "{name}: {point:?}");
    }
    let large = all.iter().filter(|p| p.accepted && p.estimate > 10.0 * p.truth).count();
    assert!(5 * large <= all.len(), "{name}: {large} of {} are too large", all.len());
}

#[test]
fn estimates_are_true_in_columns() {
    for count in [3, 5, 10] {
        let points = column(count);
        check("column", &points, true, 3);
        check("column", &points, false, 3);
    }
}

#[test]
fn estimates_are_true_in_structures() {
    let arch = of_file("arch.toml", 1);
    check("arch", &arch, true, 4);
    check("arch", &arch, false, 4);
    let legs = of_file("small_arch.toml", 1);
    check("small arch", &legs, true, 4);
    check("small arch", &legs, false, 4);
}

#[test]
fn estimates_are_true_in_grains() {
    for (name, steps) in [("rubble.toml", 300), ("slow_shear.toml", 400), ("tetrapods.toml", 400)] {
        check(name, &of_file(name, steps), false, 3);
    }
}
