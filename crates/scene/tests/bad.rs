//! Every bad scene is refused, and its report reads as the snapshot says.
//!
//! After a wanted change: `INSTA_UPDATE=always cargo test -p drystone-scene --test bad`, then read
//! the difference.

use drystone_scene::{Scene, Severity};
use std::path::PathBuf;

fn scenes() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn reports_of_bad_scenes() {
    let scenes = scenes();
    assert!(scenes.len() >= 30);
    for path in scenes {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = format!("{stem}.toml");
        let report = Scene::parse(&name, &text, path.parent()).expect_err(&stem);
        assert!(report.errors() > 0, "{stem}: no error");
        for problem in report.problems() {
            assert!(problem.line() >= 1 && problem.column() >= 1);
            let helps = problem.expected().or(problem.suggestion()).is_some();
            let syntax = problem.message().starts_with("not TOML");
            let counted = problem.message().contains("more pairs overlap");
            assert!(helps || syntax || counted, "{stem}: {problem} says not what to do");
        }
        // Paths of tables differ from machine to machine.
        let folder = path.parent().unwrap().display().to_string();
        let plain = report.to_string().replace(&format!("{folder}/"), "");
        insta::assert_snapshot!(stem, plain);
    }
}

#[test]
fn a_file_that_is_not_there_or_not_text() {
    let report = Scene::read("no/such/scene.toml").unwrap_err();
    assert!(report.to_string().contains("cannot be read"), "{report}");

    let path = std::env::temp_dir().join(format!("drystone-not-text-{}.toml", std::process::id()));
    std::fs::write(&path, b"dimension = 2\ntitle = \"\xff\xfe\"\n").unwrap();
    let report = Scene::read(&path).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    let problem = &report.problems()[0];
    assert_eq!((problem.line(), problem.column()), (2, 10));
    assert_eq!(problem.severity(), Severity::Error);
}

#[test]
fn no_text_makes_it_panic() {
    let deep = "a = ".to_owned() + &"[".repeat(10_000);
    let dots = "a.".repeat(10_000) + "b = 1";
    let nul = "dimension = 2\0";
    for text in [
        "",
        "\u{feff}",
        "=",
        "dimension",
        "[[",
        &deep,
        &dots,
        nul,
        "dimension = 99999999999999999999",
    ] {
        Scene::parse("x", text, None).unwrap_err().to_string();
    }
}
