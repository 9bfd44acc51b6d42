//! A parameter study: at which slope does a block begin to slide? Several coefficients and slopes, on all cores.
//!
//! `cargo run --release -p drystone --example parameter_study`
//!
//! Gravity is turned in place of the ground. A block on a slope of angle a slides if tan a is above the coefficient.

use drystone::prelude::*;
use std::collections::BTreeMap;

const SCENE: &str = r#"
    title = "a block on a slope"
    dimension = 2
    gravity = [0, -9.81]
    time = { step = 1e-3, end = 0.2 }
    output = { frame_interval = 0.1 }
    material = [{ name = "stone", density = 2500 }]
    default_law = { friction = 0.5 }
    body = [{ name = "block", shape = { box = [1, 0.4] }, position = [0, 0.2], material = "stone" }]
    boundary = [{ name = "slope", shape = { half_plane = {} }, material = "stone" }]
"#;

fn main() -> Result<(), Error> {
    let short = std::env::args().any(|argument| argument == "--short");
    let folder = std::env::temp_dir().join(format!("drystone-study-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let scene = folder.join("slope.toml");
    std::fs::write(&scene, SCENE).expect("a scene can be written");

    let count = if short { 6 } else { 26 };
    let slopes = (0..count).map(|i| 20.0 + 25.0 * f64::from(i) / f64::from(count - 1));
    let gravity = slopes.map(|degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        format!("[{:?}, {:?}]", 9.81 * sin, -9.81 * cos)
    });
    let keys = [
        Vary::new("default_law.friction", ["0.45", "0.65", "0.85"])?,
        Vary::new("gravity", gravity)?,
    ];
    let table = Ensemble::grid(&scene, &keys)?
        .measure("way", |run| Ok(run.frame::<Plane>(run.frames() - 1)?.bodies[0].pose.position.x))
        .measure("slope", |run| match run.scene()?.setup {
            drystone::scene::AnySetup::Plane(setup) => {
                Ok((setup.gravity.x / -setup.gravity.y).atan().to_degrees())
            }
            drystone::scene::AnySetup::Volume(_) => Ok(f64::NAN),
        })
        .progress(|advance| eprintln!("{} of {} runs", advance.done[0], advance.done[1]))
        .run(&folder.join("runs"))?;

    let [friction, slope, way] =
        ["default_law.friction", "slope", "way"].map(|name| table.column(name).unwrap_or_default());
    let mut first: BTreeMap<String, f64> = BTreeMap::new();
    for run in 0..way.len() {
        if way[run] > 1e-4 {
            let least = first.entry(friction[run].to_string()).or_insert(f64::INFINITY);
            *least = least.min(slope[run]);
        }
    }
    for (friction, slope) in first {
        let limit = friction.parse::<f64>().unwrap_or(f64::NAN).atan().to_degrees();
        println!(
            "friction {friction}: slides from {slope:.1} degrees on, atan of it is {limit:.1}"
        );
        assert!(slope > limit && slope < limit + 5.5, "a block slides above the angle of friction");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    Ok(())
}
