//! Estimates of the error of a step against the truth, on steps of many kinds: a table, and a picture.
//!
//! `cargo run --release -p drystone-scene --example truth -- [PICTURE]` takes the contact problems of steps of scenes and of
//! columns, pyramids and packings made here, solves them by sweeps to tolerances from 1e-1 to 1e-6, from the impulses
//! of the step before (warm) and from nothing (cold), and prints by which factor the estimates differ from the truth.
//! The picture is written as PICTURE.png and PICTURE.svg.

#[path = "support/truth.rs"]
mod truth;

use drystone_engine::{Dimension, World, with_world};
use drystone_record::draw::{Anchor, Canvas, Colour, Print};
use drystone_record::plot::PALETTE;
use drystone_scene::Scene;
use drystone_space::DVec2;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use truth::{Case, Point};

const TOLERANCES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
const KINDS: [&str; 4] = ["structures", "sliding walls", "packings", "solids and other laws"];

/// Scenes by kind, each with the steps that are looked at.
const SCENES: [(usize, &str, &[u64]); 25] = [
    (0, "scenes/arch.toml", &[1, 50]),
    (0, "scenes/stack_2d.toml", &[1]),
    (0, "scenes/stack_3d.toml", &[1]),
    (0, "scenes/four_legs.toml", &[1]),
    (0, "scenes/three_supports.toml", &[1]),
    (0, "scenes/small_arch.toml", &[1]),
    (0, "scenes/cube_at_rest.toml", &[1]),
    (0, "../shared/cases/wall_alone.toml", &[1, 50]),
    (0, "../shared/cases/heavy_on_light.toml", &[1]),
    (0, "../shared/cases/creep.toml", &[1]),
    (1, "scenes/wall_at_rest.toml", &[2, 50]),
    (1, "scenes/wall.toml", &[2, 50, 300]),
    (1, "scenes/square_friction.toml", &[10]),
    (2, "scenes/rubble.toml", &[400, 1200]),
    (2, "scenes/tetrapods.toml", &[600]),
    (2, "scenes/slow_shear.toml", &[400]),
    (2, "scenes/drum.toml", &[400]),
    (2, "scenes/biaxial.toml", &[800]),
    (2, "scenes/silo.toml", &[200]),
    (2, "scenes/pour.toml", &[300]),
    (2, "scenes/vibrated_bed.toml", &[300]),
    (2, "scenes/landslide_300.toml", &[200]),
    (3, "scenes/soft_block.toml", &[100]),
    (3, "scenes/pile_small.toml", &[2000]),
    (3, "scenes/rolling_and_spinning_balls.toml", &[20]),
];

/// What was found of one problem.
struct Found {
    kind: usize,
    name: String,
    contacts: usize,
    points: Vec<Point>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for (kind, path, steps) in SCENES {
        let file = root.join(path);
        if !file.exists() {
            println!("{path} is not there");
            continue;
        }
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let scene = Scene::read(file).map_err(|report| report.to_string())?;
        with_world!(scene.world()?, world => look(&mut all, kind, &name, steps, world)?);
    }
    for (kind, name, text) in made() {
        let scene = Scene::parse(&name, &text, None).map_err(|report| report.to_string())?;
        with_world!(scene.world()?, world => look(&mut all, kind, &name, &[1, 20], world)?);
    }
    report(&all);
    if let Some(path) = std::env::args().nth(1) {
        draw(&all).write(Path::new(&path))?;
    }
    Ok(())
}

/// Columns of boxes and packings of balls, of several sizes.
fn made() -> Vec<(usize, String, String)> {
    let head = |gravity: &str| {
        format!(
            "gravity = {gravity}\n[time]\nstep = 1e-3\nend = 1\n[[material]]\nname = \"m\"\n\
             density = 2500\n[default_law]\nfriction = 0.5\n"
        )
    };
    let mut all = Vec::new();
    for count in [5, 20, 80] {
        let mut text = format!("dimension = 2\n{}", head("[0, -9.81]"));
        text += "[[boundary]]\nmaterial = \"m\"\nshape = { half_plane = { point = [0, 0], normal = [0, 1] } }\n";
        for level in 0..count {
            let y = 0.5 + f64::from(level);
            write!(
                text,
                "[[body]]\nmaterial = \"m\"\nposition = [0, {y}]\nshape = {{ box = [1, 1] }}\n"
            )
            .expect("writing to a string");
        }
        all.push((0, format!("column of {count}"), text));
    }
    for (side, layers) in [(4, 5), (8, 6)] {
        let mut text = format!("dimension = 3\n{}", head("[0, 0, -9.81]"));
        let width = 0.0201 * f64::from(side);
        for (point, normal) in [
            ([0.0; 3], [0, 0, 1]),
            ([0.0; 3], [1, 0, 0]),
            ([0.0; 3], [0, 1, 0]),
            ([width; 3], [-1, 0, 0]),
            ([width; 3], [0, -1, 0]),
        ] {
            write!(text, "[[boundary]]\nmaterial = \"m\"\nshape = {{ half_space = {{ point = {point:?}, normal = {normal:?} }} }}\n")
                .expect("writing to a string");
        }
        write!(
            text,
            "[[generate]]\n[generate.lattice]\nmaterial = \"m\"\nradius = {{ uniform = [0.0097, 0.01] }}\n\
             counts = [{side}, {side}, {layers}]\nspacing = [0.0201, 0.0201, 0.0201]\n\
             origin = [0.01005, 0.01005, 0.01005]\n"
        )
        .expect("writing to a string");
        all.push((2, format!("balls {side} by {side} by {layers}"), text));
    }
    all
}

/// Looks at some steps of a world.
fn look<S: Dimension>(
    all: &mut Vec<Found>,
    kind: usize,
    name: &str,
    steps: &[u64],
    mut world: World<S>,
) -> Result<(), Box<dyn Error>> {
    world.keep_start();
    for &step in steps {
        while world.steps() < step {
            world.step()?;
        }
        for (warm, word) in [(true, "warm"), (false, "cold")] {
            let Some(mut case) = Case::new(&world, warm) else { continue };
            let (name, contacts) = (format!("{name}, step {step}, {word}"), case.contacts());
            let points = case.points(&TOLERANCES);
            if points.is_empty() {
                println!("{name}: no exact solution is known, or no sweep was needed");
                continue;
            }
            all.push(Found { kind, name, contacts, points });
        }
    }
    Ok(())
}

fn report(all: &[Found]) {
    println!(
        "\n| problem | contacts | tolerance | sweeps | residual | truth | by sweeps | by factors |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for found in all {
        for point in found.points.iter().filter(|point| !point.factors) {
            let same = |other: &&Point| {
                other.factors && (other.sweeps, other.residual) == (point.sweeps, point.residual)
            };
            let factors = found.points.iter().find(same);
            let factors = factors.map_or(String::new(), |other| format!("{:.1e}", other.estimate));
            println!(
                "| {} | {} | {:.0e} | {} | {:.1e} | {:.1e} | {:.1e}{} | {factors} |",
                found.name,
                found.contacts,
                point.tolerance,
                point.sweeps,
                point.residual,
                point.truth,
                point.estimate,
                if point.accepted { ", accepted" } else { "" },
            );
        }
    }
    println!(
        "\n| kind | way | problems | estimates | below a third | above ten times | median | accepted | of these below a third | above ten times |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (kind, name) in KINDS.iter().enumerate() {
        for factors in [true, false] {
            let of_kind: Vec<&Found> = all.iter().filter(|found| found.kind == kind).collect();
            let points: Vec<&Point> = of_kind
                .iter()
                .flat_map(|found| &found.points)
                .filter(|point| point.factors == factors && point.truth > 1e-9)
                .collect();
            let accepted: Vec<&Point> = points.iter().copied().filter(|p| p.accepted).collect();
            let share = |points: &[&Point]| {
                let low = points.iter().filter(|p| p.estimate < p.truth / 3.0).count();
                let high = points.iter().filter(|p| p.estimate > 10.0 * p.truth).count();
                format!("{low} | {high}")
            };
            let mut ratios: Vec<f64> = points.iter().map(|p| p.estimate / p.truth).collect();
            ratios.sort_by(f64::total_cmp);
            let median = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
            println!(
                "| {name} | {} | {} | {} | {} | {median:.2} | {} | {} |",
                if factors { "factors" } else { "sweeps" },
                of_kind.len(),
                points.len(),
                share(&points),
                accepted.len(),
                share(&accepted),
            );
        }
    }
}

/// Decades of the picture.
const LOW: f64 = -8.0;
const HIGH: f64 = 2.0;

/// Estimate over truth, both ways side by side.
fn draw(all: &[Found]) -> Print {
    let mut print = Print::new(1280, 680);
    for (side, title) in ["by factors", "by the rate of sweeps"].into_iter().enumerate() {
        let left = 90.0 + 620.0 * side as f64;
        let (low, high) = (DVec2::new(left, 590.0), DVec2::new(left + 540.0, 50.0));
        let place = |truth: f64, estimate: f64| {
            let share = |x: f64| ((x.log10().clamp(LOW, HIGH)) - LOW) / (HIGH - LOW);
            low + DVec2::new(share(truth), share(estimate)) * (high - low)
        };
        let grey = Colour::rgb(0xe3_e6_e9);
        for decade in (LOW as i32..=HIGH as i32).step_by(2) {
            let at = 10f64.powi(decade);
            let (end, bottom) = (10f64.powf(HIGH), 10f64.powf(LOW));
            print.line(&[place(at, bottom), place(at, end)], 1.0, grey);
            print.line(&[place(bottom, at), place(end, at)], 1.0, grey);
            let label = format!("1e{decade}");
            let below = place(at, bottom) + DVec2::new(0.0, 22.0);
            print.text(below, &label, 15.0, Anchor::Middle, Colour::INK);
            let beside = place(bottom, at) + DVec2::new(-8.0, 5.0);
            print.text(beside, &label, 15.0, Anchor::End, Colour::INK);
        }
        for (factor, width) in [(1.0, 2.0), (1.0 / 3.0, 1.0), (10.0, 1.0)] {
            let line: Vec<DVec2> = (0..=100)
                .map(|i| 10f64.powf(LOW + (HIGH - LOW) * f64::from(i) / 100.0))
                .filter(|x| (LOW..=HIGH).contains(&(x * factor).log10()))
                .map(|x| place(x, x * factor))
                .collect();
            print.line(&line, width, Colour::INK);
        }
        for found in all {
            for point in found.points.iter().filter(|p| p.factors == (side == 0) && p.truth > 0.0) {
                let size = if point.accepted { 5.0 } else { 2.5 };
                print.disk(place(point.truth, point.estimate), size, PALETTE[found.kind]);
            }
        }
        let middle = left + 270.0;
        print.text(DVec2::new(middle, 32.0), title, 18.0, Anchor::Middle, Colour::INK);
        let below = DVec2::new(middle, 635.0);
        print.text(below, "true error of the step", 15.0, Anchor::Middle, Colour::INK);
        let beside = DVec2::new(left - 62.0, 320.0);
        print.text_upward(beside, "estimate", 15.0, Anchor::Middle, Colour::INK);
    }
    for (kind, name) in KINDS.iter().enumerate() {
        let at = DVec2::new(110.0 + 290.0 * kind as f64, 660.0);
        print.disk(at, 5.0, PALETTE[kind]);
        print.text(at + DVec2::new(12.0, 5.0), name, 15.0, Anchor::Start, Colour::INK);
    }
    print
}
