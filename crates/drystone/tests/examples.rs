//! The examples run, for a short while.

use std::path::PathBuf;
use std::process::Command;

/// Examples are built beside the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    folder.join("examples").join(name)
}

fn run(name: &str) -> String {
    let path = example(name);
    assert!(
        path.exists(),
        "{} is not built: `cargo test` without --test builds it",
        path.display()
    );
    let output = Command::new(path).arg("--short").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The pressure that the servo wall reaches in half a second, as a share of the one that it is told. The rest is what its mass
/// was slowed down by: 100 kg, once the sample is no longer loose, at some cm/s.
#[test]
fn the_servo_wall_finds_its_pressure() {
    let text = run("servo_wall");
    let line = text.lines().last().unwrap();
    let share: f64 = line.split_whitespace().next_back().unwrap().parse().unwrap();
    assert!((share - 1.0).abs() < 0.02, "{text}");
}

/// The angle at which a block begins to slide is that of friction.
#[test]
fn the_study_finds_the_angle_of_friction() {
    let text = run("parameter_study");
    let line = text.lines().last().unwrap();
    assert!(line.contains("slides from"), "{text}");
}

#[test]
fn the_generator_builds_a_pyramid_that_stands() {
    let text = run("own_generator");
    assert!(text.contains("verdict: Trusted"), "{text}");
}
