//! README.md can be followed: its scenes are there and right, its commands exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// Scenes that the table names.
fn named_scenes() -> BTreeSet<String> {
    let page = readme();
    let rows = page.lines().filter(|line| line.starts_with("| `scenes/"));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    quoted.filter(|text| text.starts_with("scenes/")).map(str::to_owned).collect()
}

#[test]
fn the_table_names_every_scene() {
    let files = fs::read_dir(root().join("scenes")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_str().unwrap().to_owned());
    let there = names.filter(|n| n.ends_with(".toml")).map(|name| format!("scenes/{name}"));
    assert_eq!(named_scenes(), there.collect());
}

#[test]
fn every_scene_is_right() {
    let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .arg("check")
        .args(named_scenes())
        .current_dir(root())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Lines of the blocks that a user would type.
fn commands() -> Vec<String> {
    let page = readme();
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.flat_map(|block| block.lines().map(str::to_owned)).collect()
}

#[test]
fn every_command_exists() {
    let commands = commands();
    assert!(commands.iter().any(|command| command == "./check"));
    assert!(commands.len() >= 2);
    for command in commands {
        if command == "./check" {
            continue;
        }
        let words = command.strip_prefix("cargo run --release -- ");
        let words = words.unwrap_or_else(|| panic!("unknown command: {command}"));
        let subcommand = words.split(' ').next().unwrap();
        let help = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args([subcommand, "--help"])
            .output()
            .expect("the program starts");
        assert!(help.status.success(), "unknown subcommand in `{command}`");
    }
}

/// Continuous integration runs the README's test command and no other.
#[test]
fn continuous_integration_runs_the_check_only() {
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    let lines = script.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let commands: Vec<&str> =
        lines.filter(|line| !line.starts_with("set ") && !line.starts_with("cd ")).collect();
    assert_eq!(commands, ["./check"]);
}
