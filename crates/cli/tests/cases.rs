//! Scenes that once went wrong without a word end with the verdict that they deserve. They are read from the folder
//! `shared/cases` beside the project; where it is absent, scenes of this file's own take their place.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Workplace, drystone_in, stderr, stdout};

/// The text of a case, if the folder is there.
fn case(name: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    if !folder.is_dir() {
        println!("{}: there is no such folder, `{name}` is left out", folder.display());
        return None;
    }
    let path = folder.join(format!("{name}.toml"));
    Some(fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Runs a scene; the doubts of its verdict, each with the names in it.
fn doubts(place: &Path, text: &str) -> Vec<(String, Vec<String>)> {
    fs::write(place.join("scene.toml"), text).unwrap();
    let arguments = ["run", "scene.toml", "-q", "--no-pictures", "-f", "-o", "run"];
    let output = drystone_in(place, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let summary = fs::read_to_string(place.join("run/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let verdict = &summary["verdict"];
    let trusted = verdict == "trusted";
    let word = if trusted { "verdict      trusted" } else { "verdict      doubtful" };
    assert!(stdout(&output).contains(word), "{}", stdout(&output));
    let empty = Vec::new();
    let reasons = verdict["doubtful"].as_array().unwrap_or(&empty);
    assert_eq!(reasons.is_empty(), trusted);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let names = |reason: &serde_json::Value| {
        reason["names"].as_array().unwrap().iter().map(text).collect::<Vec<String>>()
    };
    reasons.iter().map(|reason| (text(&reason["doubt"]), names(reason))).collect()
}

/// A case is doubtful for this reason, with these names in it.
fn doubtful(name: &str, doubt: &str, names: &[&str]) {
    let Some(text) = case(name) else { return };
    let place = Workplace::new(&format!("case-{name}"));
    let found = doubts(&place.0, &text);
    let reason = found.iter().find(|(found, _)| found == doubt);
    let Some((_, in_it)) = reason else { panic!("{name}: no `{doubt}` in {found:?}") };
    assert!(names.iter().all(|&name| in_it.iter().any(|seen| seen == name)), "{name}: {in_it:?}");
}

#[test]
fn cases_that_went_wrong_are_doubtful() {
    doubtful("crush", "unsolvable", &["b", "g", "h"]);
    doubtful("tunnel_force", "passed_through", &["b", "w"]);
    doubtful("emit_in_ground", "entered_overlapping", &["g"]);
    doubtful("solid_overlap", "entered_overlapping", &["d", "b", "g"]);
    doubtful("bounce_gap", "restitution_in_gap_form", &["b", "w"]);
    doubtful("rebound_gap", "restitution_in_gap_form", &["b", "w"]);
    doubtful("heavy_on_light", "energy_made", &[]);
    doubtful("heavy_top", "overlap_by_drift", &["t", "f"]);
}

#[test]
fn cases_that_are_right_are_trusted() {
    for name in ["wall_alone", "wall_with_pad", "arch_gap"] {
        let Some(text) = case(name) else { continue };
        let place = Workplace::new(&format!("case-{name}"));
        assert_eq!(doubts(&place.0, &text), [], "{name}");
    }
}

/// A ball that falls onto a floor, with the words of a case filled in.
fn falling(step: &str, start: &str, more: &str) -> String {
    format!(
        "dimension = 2\ngravity = [0, -9.81]\n[time]\nstep = {step}\nend = 0.6\n\
         [[material]]\nname = \"m\"\ndensity = 1000.0\n[default_law]\nfriction = 0.3\n\
         [[boundary]]\nname = \"floor\"\nmaterial = \"m\"\n\
         shape = {{ segment = [[-1, 0], [1, 0]] }}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"m\"\nshape = {{ disk = 0.01 }}\n\
         position = [0, {start}]\n{more}"
    )
}

/// The same ball, from low and from high and with a step that is too long: it rests, is caught late, and is not caught.
#[test]
fn one_ball_is_trusted_or_not_by_its_speed() {
    let place = Workplace::new("one-ball");
    assert_eq!(doubts(&place.0, &falling("1e-4", "0.0101", "")), []);
    let late = doubts(&place.0, &falling("1e-3", "0.3", ""));
    assert_eq!(late.len(), 1, "{late:?}");
    assert_eq!(late[0], ("overlap_by_speed".to_owned(), vec!["ball".into(), "floor".into()]));
    // At 4.6 m/s it is 5 cm further in each step: seen in the floor, or not at all.
    let starts = ["1.10", "1.11", "1.12", "1.13"];
    let fast = starts.map(|start| doubts(&place.0, &falling("1e-2", start, "")));
    assert!(fast.iter().all(|doubts| !doubts.is_empty()), "{fast:?}");
    let through = |doubts: &Vec<(String, _)>| doubts.iter().any(|(d, _)| d == "passed_through");
    assert!(fast.iter().any(through), "{fast:?}");
    // Far below the floor, and falling on.
    let long = falling("1e-3", "0.3", "velocity = [3, 0]\n").replace("end = 0.6", "end = 6");
    let left = doubts(&place.0, &long);
    assert!(left.iter().any(|(doubt, _)| doubt == "left_the_scene"), "{left:?}");
}

#[test]
fn a_strict_run_that_is_doubtful_fails_after_it_was_written() {
    let place = Workplace::new("strict");
    fs::write(place.0.join("scene.toml"), falling("1e-3", "0.3", "")).unwrap();
    let run = ["run", "scene.toml", "-q", "--no-pictures", "-f", "-o", "run"];
    assert!(drystone_in(&place.0, &run).status.success());
    let strict: Vec<&str> = run.into_iter().chain(["--strict"]).collect();
    let output = drystone_in(&place.0, &strict);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the run is doubtful"), "{}", stderr(&output));
    assert!(place.0.join("run/summary.json").exists());
}
