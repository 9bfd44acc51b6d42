//! Ensembles: every combination once, interrupted and resumed, and what goes wrong is told.

mod support;

use drystone::prelude::*;
use drystone::scene::Override;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use support::Workplace;

const SLIDE: &str = r#"
    dimension = 2
    gravity = [0, -10]
    time = { step = 1e-3, end = 0.4 }
    output = { frame_interval = 0.1 }
    material = [{ name = "stone", density = 1000 }]
    default_law = { friction = 0.3 }
    body = [{ name = "block", shape = { box = [1, 1] }, position = [0, 0.5], velocity = [1, 0], material = "stone" }]
    boundary = [{ name = "floor", shape = { half_plane = {} }, material = "stone" }]
"#;

fn keys(texts: &[&str]) -> Vec<Vary> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn way(run: &Run) -> Result<f64, Error> {
    Ok(run.frame::<Plane>(run.frames() - 1)?.bodies[0].pose.position.x)
}

#[test]
fn a_grid_is_run_and_measured() {
    let place = Workplace::new("grid");
    let scene = place.path("slide.toml");
    std::fs::write(&scene, SLIDE).unwrap();
    let seen = Mutex::new(Vec::new());
    let keys = keys(&["default_law.friction=0.5:1:3", "body.block.velocity.0=1,2"]);
    let table = Ensemble::grid(&scene, &keys)
        .unwrap()
        .measure("way", way)
        .progress(|advance| seen.lock().unwrap().push(advance.run))
        .run(&place.path("study"))
        .unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
    assert_eq!(table.column("default_law.friction").unwrap(), [0.5, 0.5, 0.75, 0.75, 1.0, 1.0]);
    let [friction, speed, way, status] =
        ["default_law.friction", "body.block.velocity.0", "way", "status"]
            .map(|name| table.column(name).unwrap());
    for run in 0..6 {
        let exact = speed[run] * speed[run] / (2.0 * friction[run] * 10.0);
        assert!((way[run] - exact).abs() < 3e-3, "run {run}: {} and {exact}", way[run]);
        assert_eq!(status[run], 0.0);
    }
    // The scene of each run says what was run.
    let text = std::fs::read_to_string(place.path("study/0003/scene.toml")).unwrap();
    assert!(text.contains("friction = 0.75") && text.contains("velocity = [2, 0]"), "{text}");
    let csv = std::fs::read_to_string(place.path("study/ensemble.csv")).unwrap();
    assert!(csv.starts_with("run,default_law.friction,body.block.velocity.0,status,doubts,"));
    assert_eq!(csv.lines().count(), 7);
}

/// Interrupted in the middle of its runs, an ensemble goes on and has the same table as if it never had been.
#[test]
fn an_interrupted_ensemble_goes_on() {
    let place = Workplace::new("interrupted");
    let scene = place.path("slide.toml");
    std::fs::write(&scene, SLIDE).unwrap();
    let keys = keys(&["default_law.friction=0.5,0.6,0.7,0.8"]);
    let stop = AtomicBool::new(false);
    let folder = place.path("study");
    let table = Ensemble::grid(&scene, &keys)
        .unwrap()
        .jobs(1)
        .progress(|_| stop.store(true, Ordering::Relaxed))
        .interrupted_by(&stop)
        .measure("way", way)
        .run(&folder)
        .unwrap();
    let status = table.column("status").unwrap();
    assert_eq!(status, [0.0, 3.0, 3.0, 3.0], "{status:?}");
    // One that was begun and left.
    let mut begun =
        Simulation::read_with(&scene, &["default_law.friction=0.6".parse::<Override>().unwrap()])
            .unwrap();
    begun.record_to(folder.join("0001"), support::quietly()).unwrap();
    begun.run_until(0.1).unwrap();
    drop(begun);
    let finished =
        |folder| Ensemble::grid(&scene, &keys).unwrap().measure("way", way).run(folder).unwrap();
    let (resumed, whole) = (finished(&folder), finished(&place.path("whole")));
    assert_eq!(resumed.column("way"), whole.column("way"));
    assert_eq!(resumed.column("steps"), whole.column("steps"));
    // Another ensemble does not go into the same folder.
    let other = Ensemble::grid(&scene, &keys[..0]).unwrap().run(&folder).unwrap_err().to_string();
    assert!(other.contains("holds another ensemble"), "{other}");
}

#[test]
fn what_cannot_be_run_is_told() {
    let place = Workplace::new("wrong");
    let scene = place.path("slide.toml");
    std::fs::write(&scene, SLIDE).unwrap();
    let wrong = |text: &str| {
        let folder = place.path(text);
        let ensemble = Ensemble::grid(&scene, &keys(&[text])).unwrap();
        ensemble.run(&folder).unwrap_err().to_string()
    };
    assert!(wrong("default_law.fricton=0.1,0.2").contains("did you mean `friction`?"));
    let text = wrong("default_law.friction=0.1,-2");
    assert!(text.contains("default_law.friction=-2") && text.contains("found -2"), "{text}");
}
