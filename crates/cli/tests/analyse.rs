//! `drystone analyse` on a small pile and on what is no run.

mod support;

use serde_json::Value;
use std::path::Path;
use support::{Workplace, drystone_in, stderr};

/// A run of 120 grains of the pile in a small paved disk, and its analysis.
fn analysed(directory: &Path, options: &[&str]) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scene = std::fs::read_to_string(root.join("scenes/pile_small.toml")).unwrap();
    let scene = scene.replace("within = 9", "within = 3").replace("end = 8.0", "end = 0.6");
    let scene = scene.replace("frame_interval = 0.25", "frame_interval = 0.005");
    std::fs::write(directory.join("pile.toml"), scene).unwrap();
    let run = drystone_in(directory, &["run", "pile.toml", "-o", "pile", "-q", "--no-pictures"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let mut arguments = vec!["analyse", "pile", "--json", "figures.json"];
    arguments.extend(options);
    let output = drystone_in(directory, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = std::fs::read_to_string(directory.join("figures.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Weight on the floor, by rings of 4 mm.
fn carried(figures: &Value) -> f64 {
    let force = |ring: &Value| {
        let radius = ring["radius"].as_f64().unwrap();
        ring["pressure"].as_f64().unwrap() * std::f64::consts::TAU * radius * 0.004
    };
    figures["floor_pressure"].as_array().unwrap().iter().map(force).sum()
}

#[test]
fn a_small_pile_is_measured() {
    let place = Workplace::new("analyse-pile");
    let figures = analysed(&place.0, &["--ring", "0.004"]);
    assert_eq!(figures["grains"], 120);
    let coordination = figures["coordination"].as_f64().unwrap();
    assert!((1.0..6.5).contains(&coordination), "{coordination}");
    let carried = carried(&figures);
    // 120 grains of uniform diameter from 2.5 to 5 mm and 1 g/cm³ weigh 36 mN; some still fall.
    assert!((0.025..0.05).contains(&carried), "{carried} N");
    for file in
        ["grains.csv", "forces.csv", "forces.svg", "floor_pressure.png", "chains.png", "chains.svg"]
    {
        assert!(place.0.join("pile/analysis").join(file).exists(), "{file}");
    }
    let table = std::fs::read_to_string(place.0.join("pile/analysis/grains.csv")).unwrap();
    assert_eq!(table.lines().count(), 121);
    assert!(table.starts_with("x,y,z,radius,birth,pressure,stress_xx,"), "{table}");
}

/// Of two runs the means are taken: the same run twice gives the same pressures, and twice the contacts.
#[test]
fn several_runs_are_measured_as_one() {
    let place = Workplace::new("analyse-several");
    let alone = analysed(&place.0, &["--ring", "0.004", "--no-pictures"]);
    let twice = analysed(&place.0, &["pile", "--ring", "0.004", "--no-pictures"]);
    assert_eq!((&twice["frames"], &twice["grains"]), (&Value::from(2), &alone["grains"]));
    let rings = |figures: &Value| figures["floor_pressure"].as_array().unwrap().clone();
    assert!(!rings(&alone).is_empty());
    for (one, two) in rings(&alone).iter().zip(rings(&twice)) {
        let (one, two) = (one["pressure"].as_f64().unwrap(), two["pressure"].as_f64().unwrap());
        assert!((one - two).abs() <= 1e-12 * one.abs(), "{one} {two}");
    }
}

/// From 0.2 to 0.6 s 40 grains become 120: frames scaled to the last press with three halves of what they do in the mean.
#[test]
fn a_growing_heap_is_scaled_to_its_last_size() {
    let place = Workplace::new("analyse-scaled");
    let options = ["--from", "0.2", "--ring", "0.004", "--axis", "0,0", "--no-pictures"];
    let mean = carried(&analysed(&place.0, &options));
    let scaled = carried(&analysed(&place.0, &[&options[..], &["--scaled"]].concat()));
    assert!((1.4..1.6).contains(&(scaled / mean)), "{}", scaled / mean);
}

/// A bed of three layers has no middle 1.5 diameters from floor and surface; its density is measured all the
/// same: π/4, as the lattice is square.
#[test]
fn a_thin_bed_has_a_density() {
    let place = Workplace::new("analyse-bed");
    let scene = r#"
title = "Three layers"
dimension = 2
gravity = [0, -9.81]
[time]
step = 1e-3
end = 0.01
[[material]]
name = "grain"
density = 1000.0
[default_law]
friction = 0.5
[[boundary]]
name = "floor"
material = "grain"
shape = { half_plane = { normal = [0, 1] } }
[[generate]]
[generate.lattice]
material = "grain"
radius = 0.01
counts = [20, 3]
spacing = [0.02, 0.02]
origin = [0.01, 0.01]
"#;
    std::fs::write(place.0.join("bed.toml"), scene).unwrap();
    let run = drystone_in(&place.0, &["run", "bed.toml", "-o", "bed", "-q", "--no-pictures"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let output = drystone_in(&place.0, &["analyse", "bed", "--no-pictures", "--json", "bed.json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("floor pressure"), "{text}");
    let figures = std::fs::read_to_string(place.0.join("bed.json")).unwrap();
    let figures: Value = serde_json::from_str(&figures).unwrap();
    let solid = figures["solid_fraction"].as_f64().expect(&text);
    // The region ends inside of grains of a lattice: right to a part of one row.
    assert!((solid / std::f64::consts::FRAC_PI_4 - 1.0).abs() < 0.1, "{solid}");
}

#[test]
fn what_cannot_be_analysed_is_said() {
    let place = Workplace::new("analyse-wrong");
    let nothing = drystone_in(&place.0, &["analyse", "nowhere"]);
    assert_eq!(nothing.status.code(), Some(1));
    let message = String::from_utf8_lossy(&nothing.stderr).into_owned();
    assert!(message.contains("nowhere"), "{message}");
    analysed(&place.0, &["--no-pictures", "--from", "0.3"]);
    for (options, expected) in [
        (["--axis", "1"], "--axis has 1 numbers"),
        (["--floor", "roof"], "there is no boundary `roof`"),
        (["--region", "0,0,1,1,1,0"], "--region is empty"),
        (["--from", "0.7"], "--from 0.7 is after the last frame"),
        (["--ring", "1e-9"], "--ring is far too small"),
        (["--cut", "1e-9"], "--cut is far too small"),
    ] {
        let output = drystone_in(&place.0, &["analyse", "pile", options[0], options[1]]);
        let message = stderr(&output);
        assert!(output.status.code() == Some(1) && message.contains(expected), "{message}");
    }
}
