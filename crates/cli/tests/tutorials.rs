//! The tutorials: what a reader would type runs, in its order, and leaves what the text says.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Workplace;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A block of a page: what it is fenced as, and its text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let parts: Vec<&str> = page.split("```").collect();
    assert!(parts.len() % 2 == 1, "a block without an end");
    let block = |part: &&str| part.split_once('\n').map(|(head, text)| (head.into(), text.into()));
    parts.iter().skip(1).step_by(2).filter_map(block).collect()
}

/// The words of a line, as a shell takes them apart.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Runs all commands of a page in a folder that has the scenes; how many there were.
fn follow(name: &str) -> usize {
    let page = fs::read_to_string(root().join(format!("docs/tutorials/{name}.md"))).unwrap();
    let place = Workplace::new(&format!("tutorial-{name}"));
    let folder = PathBuf::from(place.path("."));
    fs::create_dir_all(folder.join("scenes")).unwrap();
    for entry in fs::read_dir(root().join("scenes")).unwrap() {
        let from = entry.unwrap().path();
        if from.is_file() {
            fs::copy(&from, folder.join("scenes").join(from.file_name().unwrap())).unwrap();
        }
    }
    let mut count = 0;
    for (head, text) in blocks(&page) {
        if let Some(file) = head.strip_prefix("toml file=") {
            fs::write(folder.join(file), &text).unwrap();
        }
        for line in text.lines().filter(|_| head == "sh") {
            let words = words(line);
            assert_eq!(words[0], "drystone", "{name}: {line}");
            let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
            let output = command.args(&words[1..]).current_dir(&folder).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {line}\n{said}");
            let made = words.iter().position(|word| word == "-o" || word == "--runs");
            if let Some(path) = made.map(|at| folder.join(&words[at + 1])) {
                assert!(path.exists(), "{name}: {line} made nothing");
            }
            count += 1;
        }
    }
    assert!(count > 0, "{name} has no commands");
    count
}

macro_rules! tutorials {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            follow($name);
        })*

        /// A tutorial that nobody follows would not stay true.
        #[test]
        fn every_tutorial_is_followed_and_in_the_book() {
            let chapters = fs::read_to_string(root().join("crates/book/src/chapters.rs")).unwrap();
            for entry in fs::read_dir(root().join("docs/tutorials")).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap();
                if path.extension().is_some_and(|ending| ending == "md") {
                    assert!([$($name),*].contains(&name), "{name} is not followed");
                    assert!(chapters.contains(&format!("docs/tutorials/{name}.md")), "{name}");
                }
            }
        }
    };
}

tutorials! {
    a_first_scene: "first-scene",
    a_wall: "masonry-wall",
    a_pile: "conical-pile",
    a_biaxial_test: "biaxial-test",
    a_mechanism: "mechanism",
    masonry_with_mortar: "mortar",
    from_python: "from-python",
    many_runs: "many-runs",
}

/// The closed form that the first tutorial gives for the way of its block.
#[test]
fn the_block_of_the_first_scene_slides_as_far_as_it_says() {
    let page = fs::read_to_string(root().join("docs/tutorials/first-scene.md")).unwrap();
    let place = Workplace::new("tutorial-slide");
    let (scene, run) = (place.path("first.toml"), place.path("run"));
    let (_, text) = blocks(&page).into_iter().find(|(head, _)| head.starts_with("toml")).unwrap();
    fs::write(&scene, text).unwrap();
    support::drystone(&[
        "run",
        &scene,
        "-q",
        "--no-pictures",
        "-o",
        &run,
        "--set",
        "output.track=[\"block\"]",
    ]);
    let table = fs::read_to_string(Path::new(&run).join("bodies.csv")).unwrap();
    let column = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
    let head = table.lines().next().unwrap();
    let at = head
        .split(',')
        .position(|name| name.ends_with("x") || name.contains("position.x"))
        .unwrap();
    let way: f64 = column(table.lines().last().unwrap(), at).parse().unwrap();
    // v²/(2 μ g), to an h v.
    assert!((way - 9.0 / (2.0 * 0.5 * 9.81)).abs() < 3e-3, "{head}: {way}");
    assert!(page.contains("0.917 m"));
}
