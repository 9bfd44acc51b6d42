//! `drystone ensemble`, `--set`, completions and the manual, at the shell.

mod support;

use std::fs;
use support::{Workplace, drystone, drystone_in, scene, stderr};

#[test]
fn a_value_is_set_and_recorded() {
    let place = Workplace::new("set");
    let (scene, run) = (scene("sliding_block"), place.path("run"));
    let quiet = ["-q", "--no-pictures", "--until", "0.05"];
    let arguments = ["run", &scene, "-o", &run, "--set", "default_law.friction=0.25"];
    drystone(&[&arguments[..], &quiet].concat());
    let text = fs::read_to_string(place.path("run/scene.toml")).unwrap();
    assert!(text.contains("friction = 0.25"), "{text}");
    for (change, told) in [
        ("default_law.fricton=0.25", "did you mean `friction`?"),
        ("default_law.friction=-1", "found -1"),
        ("default_law.friction", "no value is given"),
        ("body.99.mass=1", "no such member of `body`"),
    ] {
        let output = drystone_in(&place.0, &["run", &scene, "--set", change]);
        assert!(!output.status.success(), "{change}");
        assert!(stderr(&output).contains(told), "{change}: {}", stderr(&output));
    }
}

#[test]
fn an_ensemble_makes_its_table_once() {
    let place = Workplace::new("ensemble");
    let (scene, runs) = (scene("sliding_block"), place.path("runs"));
    let vary = ["--vary", "default_law.friction=0.2,0.4", "--vary", "time.step=1e-3:2e-3:2"];
    let arguments = [&["ensemble", &scene, "--runs", &runs, "--until", "0.05"][..], &vary].concat();
    let told = drystone(&arguments);
    assert!(told.contains("4 of 4 runs finished"), "{told}");
    let path = place.path("runs/ensemble.csv");
    let table = fs::read_to_string(&path).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("run,default_law.friction,time.step,status,doubts,time,"));
    assert!(rows.len() == 5 && rows[4].starts_with("3.0,0.4,0.002,0.0,0.0,0.05"), "{table}");
    // What is finished is not made again: the time that it took stays.
    drystone(&arguments);
    assert_eq!(fs::read_to_string(&path).unwrap(), table);
    let other = drystone_in(&place.0, &["ensemble", &scene, "--runs", &runs, "--vary", "seed=1,2"]);
    assert!(stderr(&other).contains("holds another ensemble"), "{}", stderr(&other));
}

#[test]
fn shells_and_manuals_know_every_command() {
    let place = Workplace::new("shells");
    let commands = ["run", "resume", "ensemble", "view", "export", "solve", "completions"];
    for shell in ["bash", "zsh", "fish"] {
        let text = drystone(&["completions", shell]);
        for command in commands {
            assert!(text.contains(command), "{shell}: {command}");
        }
    }
    let page = drystone(&["man"]);
    assert!(page.contains(".TH drystone") && page.contains("drystone\\-ensemble(1)"), "{page}");
    drystone(&["man", "--output", &place.path("man1")]);
    for command in commands {
        assert!(place.0.join(format!("man1/drystone-{command}.1")).exists(), "{command}");
    }
}
