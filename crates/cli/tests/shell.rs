//! The program as a user meets it: exit codes, messages and files.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Workplace, drystone_in, scene, stderr, stdout};

const SCENE: &str = include_str!("../src/new.toml");

impl Workplace {
    /// The starting scene, with changes.
    fn scene(&self, name: &str, changes: &[(&str, &str)]) {
        let mut text = SCENE.to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        fs::write(self.0.join(name), text).unwrap();
    }
    fn summary(&self, run: &str) -> serde_json::Value {
        let text = fs::read_to_string(self.0.join(run).join("summary.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

/// Rows of a table without its header, which is checked to begin with the time.
fn rows(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    assert_eq!(header[0], "time");
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert!(rows.iter().all(|row| row.len() == header.len()));
    assert!(rows.windows(2).all(|w| w[0][0] < w[1][0]), "times rise");
    (header, rows)
}

fn picture_size(path: &Path) -> (u32, u32) {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert!(pixels.windows(3).any(|w| w != [255, 255, 255]), "the picture is not blank");
    (info.width, info.height)
}

fn scenes(name: &str) -> String {
    format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn an_exploration_lists_contacts_and_leaves_a_cloud() {
    let place = Workplace::new("explore");
    let scene = scenes("three_supports");
    let output = drystone_in(&place.0, &["explore", &scene, "--at", "0.01"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 6, "{}", stdout(&output));
    assert!(stdout(&output).contains("middle post") && stdout(&output).contains("--contact ID"));

    let choice = ["explore", &scene, "--at", "0.01", "--contact", "1", "--samples", "40"];
    let output = drystone_in(&place.0, &choice);
    assert!(output.status.success(), "{}", stderr(&output));
    for word in ["40 solved", "not unique", "unique: they", "open by", "the force of 0 of 3"] {
        let expected = word != "not unique";
        assert_eq!(stdout(&output).contains(word), expected, "{word}: {}", stdout(&output));
    }
    let directory = place.0.join("runs/three_supports_contact_1");
    assert_eq!(picture_size(&directory.join("cloud.png")), (720, 720));
    let table = fs::read_to_string(directory.join("cloud.csv")).unwrap();
    let mut lines = table.lines();
    assert!(lines.next().unwrap().starts_with("normal,tangent,velocity_normal,"));
    let normals: Vec<f64> =
        lines.map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(normals.len(), 40);
    assert!(normals.iter().all(|n| (-1e-6..=98.1 + 1e-6).contains(n)), "{normals:?}");
    let text = fs::read_to_string(directory.join("exploration.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["velocities_unique"], true);
    assert!((json["forces"][0]["axis"][1].as_f64().unwrap() - 1.0).abs() < 1e-9);
    let highest = normals.iter().copied().fold(0.0, f64::max);
    assert_eq!(json["forces"][0]["highest"], highest);
}

#[test]
fn an_exploration_says_what_it_cannot_do() {
    let place = Workplace::new("explore-wrong");
    let fails = |arguments: &[&str], code: i32, word: &str| {
        let output = drystone_in(&place.0, arguments);
        assert_eq!(output.status.code(), Some(code));
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    };
    let (beam, bar) = (scenes("three_supports"), scenes("bar_falls"));
    fails(&["explore", &beam, "--at", "0", "--contact", "3"], 1, "its 3 contacts are numbered");
    fails(&["explore", &bar, "--at", "0.4"], 1, "nothing touches");
    fails(&["explore", &beam, "--by", "chance"], 2, "start");
    fails(&["explore", &beam, "--samples", "0"], 2, "--samples");
    fails(&["explore", "nowhere.toml"], 1, "nowhere.toml");
}

#[test]
fn a_run_leaves_all_its_files() {
    let place = Workplace::new("files");
    assert!(drystone_in(&place.0, &["new", "start"]).status.success());
    let output = drystone_in(&place.0, &["run", "start.toml", "--until", "0.2", "--threads", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for word in ["finished", "200 steps", "residual", "closure", "runs/start", "pictures"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    let run = place.0.join("runs/start");
    assert_eq!(fs::read_to_string(run.join("scene.toml")).unwrap(), SCENE);
    check_summary(&place.summary("runs/start"));
    check_tables(&run);
    for frame in 0..=5 {
        assert_eq!(picture_size(&run.join(format!("frames/{frame:06}.png"))), (1280, 960));
    }
    assert!(!run.join("frames/000006.png").exists());
    for name in ["forces.png", "energy.png", "solver.png"] {
        picture_size(&run.join(name));
    }
    assert!(fs::read_to_string(run.join("energy.svg")).unwrap().contains("energy (kJ)"));
}

fn check_summary(summary: &serde_json::Value) {
    let numbers = [
        "/dimension",
        "/bodies",
        "/steps",
        "/time",
        "/time_step",
        "/threads",
        "/tolerance",
        "/wall_seconds",
        "/stages/solve",
        "/stages/record",
        "/contacts/mean",
        "/contacts/max",
        "/iterations/mean",
        "/iterations/max",
        "/residual/mean",
        "/residual/max",
        "/residual_scale_free/mean",
        "/residual_scale_free/max",
        "/error/mean",
        "/error/max",
        "/judged/laws",
        "/judged/factors",
        "/judged/sweeps",
        "/judged/above",
        "/judged/unbounded",
        "/unconverged_steps",
        "/penetration/max",
        "/penetration/relative_max",
        "/energy/kinetic",
        "/energy/potential",
        "/energy/external_work",
        "/energy/boundary_work",
        "/energy/friction_loss",
        "/energy/impact_loss",
        "/energy/recovery_work",
        "/energy/cohesion_work",
        "/energy/inserted",
        "/energy/intervention",
        "/energy/closure_max",
    ];
    for pointer in numbers {
        assert!(summary.pointer(pointer).is_some_and(|v| v.is_number()), "{pointer}\n{summary}");
    }
    assert_eq!(summary["status"], "finished");
    assert_eq!(summary["scene"], "A ball hits a small wall");
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((summary["dimension"].as_u64(), summary["steps"].as_u64()), (Some(2), Some(200)));
    assert!((summary["time"].as_f64().unwrap() - 0.2).abs() < 1e-12);
    assert!(summary["energy"]["closure_max"].as_f64().unwrap() < 1e-10);
    let hash = summary["state_hash"].as_str().unwrap();
    assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok());
}

fn check_tables(run: &Path) {
    let (header, ledger) = rows(&run.join("ledger.csv"));
    assert_eq!(header[1..3], ["kinetic", "potential"]);
    // A sample every thousandth of 2 s, from the start to the end.
    assert_eq!(ledger.len(), 101);
    assert!((ledger[100][0] - 0.2).abs() < 1e-12);
    let (header, steps) = rows(&run.join("steps.csv"));
    assert_eq!(header[1..5], ["contacts", "iterations", "newton", "residual"]);
    let names = ["residual_scale_free", "error", "error_unknown", "penetration", "resting"];
    assert_eq!(header[5..], names);
    // A small wall is judged by factors in every step.
    assert!(steps[1..].iter().all(|row| row[6] <= 1e-4 && row[7] == 0.0), "{:?}", steps[1]);
    assert!(steps[1..].iter().all(|row| row[1] > 0.0), "the wall touches the floor");
    let (header, _) = rows(&run.join("boundaries.csv"));
    assert_eq!(header[1..4], ["floor.x", "floor.y", "floor.vx"]);
    let (header, bodies) = rows(&run.join("bodies.csv"));
    assert_eq!(header[1..], ["ball.x", "ball.y", "ball.angle", "ball.vx", "ball.vy", "ball.spin"]);
    // Before it hits the wall the ball flies: x = −1.5 + 7 t.
    let flying = bodies.iter().find(|row| row[0] > 0.0999).unwrap();
    assert!((flying[1] - (-1.5 + 7.0 * flying[0])).abs() < 1e-9);
}

#[test]
fn runs_are_replaced_but_other_directories_are_not() {
    let place = Workplace::new("replace");
    place.scene("a.toml", &[]);
    let run = |extra: &[&str]| {
        let fixed = ["run", "a.toml", "-o", "out", "--until", "0.02", "--no-pictures"];
        drystone_in(&place.0, &[&fixed, extra].concat())
    };
    assert!(run(&[]).status.success());
    let first = place.summary("out");
    assert!(run(&["--threads", "2"]).status.success());
    assert_eq!(first["state_hash"], place.summary("out")["state_hash"]);
    assert!(!place.0.join("out/energy.png").exists());

    fs::remove_dir_all(place.0.join("out")).unwrap();
    fs::create_dir(place.0.join("out")).unwrap();
    fs::write(place.0.join("out/letter.txt"), "dear").unwrap();
    let refused = run(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("not a run of drystone"), "{}", stderr(&refused));
    assert!(run(&["--force"]).status.success());
    assert!(place.0.join("out/letter.txt").exists());
}

#[test]
fn check_tells_right_from_wrong() {
    let place = Workplace::new("check");
    place.scene("right.toml", &[]);
    place
        .scene("wrong.toml", &[("friction = 0.5", "fricton = 0.5"), ("step = 0.001", "step = -1")]);
    let output = drystone_in(&place.0, &["check", "right.toml"]);
    assert!(output.status.success());
    assert!(stdout(&output).contains("right.toml: ok: 2D, 34 bodies, 1 boundary"));
    let output = drystone_in(&place.0, &["check", "right.toml", "wrong.toml", "absent.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    for words in ["wrong.toml", "fricton", "did you mean", "absent.toml", "2 of 3 scenes"] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    let output = drystone_in(&place.0, &["run", "wrong.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!place.0.join("runs").exists(), "nothing is made for a wrong scene");
}

#[test]
fn wrong_usage_is_told() {
    let place = Workplace::new("usage");
    place.scene("a.toml", &[]);
    for arguments in [
        &["run"][..],
        &["fly"],
        &["run", "a.toml", "--until", "-3"],
        &["run", "a.toml", "--threads", "0"],
        &["check"],
    ] {
        let output = drystone_in(&place.0, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("--help"), "{}", stderr(&output));
    }
    let output = drystone_in(&place.0, &["new", "a"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write a.toml"), "{}", stderr(&output));
}

/// Another seed lays the first grain elsewhere; the run keeps a scene with that seed, and goes on with it.
#[test]
fn a_seed_of_the_command_line_is_kept() {
    let place = Workplace::new("seed");
    let pile = scene("pile_small");
    let mut hashes = Vec::new();
    for options in [&[][..], &["--seed", "9"], &["--seed", "10"]] {
        let run = ["run", &pile, "-o", "run", "-u", "0.02", "-q", "--no-pictures"];
        let output = drystone_in(&place.0, &[&run[..], options].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let summary = fs::read_to_string(place.0.join("run/summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        hashes.push(summary["state_hash"].clone());
    }
    // The seed of the scene is 9.
    assert_eq!(hashes[0], hashes[1]);
    assert_ne!(hashes[0], hashes[2]);
    let kept = fs::read_to_string(place.0.join("run/scene.toml")).unwrap();
    assert!(kept.contains("\nseed = 10\n"), "{kept}");
    let resumed = drystone_in(&place.0, &["resume", "run", "--until", "0.03", "-q"]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
}

#[test]
fn the_schema_is_json() {
    let place = Workplace::new("schema");
    let output = drystone_in(&place.0, &["schema"]);
    assert!(output.status.success());
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(schema["$defs"].is_object());
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let place = Workplace::new("unwritable");
    place.scene("a.toml", &[]);
    fs::write(place.0.join("file"), "x").unwrap();
    for directory in ["file", "file/deeper"] {
        let output = drystone_in(&place.0, &["run", "a.toml", "-o", directory]);
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(text.starts_with("error: cannot write file"), "{text}");
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    }
}

#[test]
fn a_step_that_is_not_solved_follows_the_scene() {
    let place = Workplace::new("unsolved");
    for word in ["stop", "warn", "continue"] {
        let solver = format!(
            "[solver]\nmethod = \"gauss-seidel\"\nmax_iterations = 1\ntolerance = 1e-12\non_failure = \"{word}\"\n\n[time]"
        );
        place.scene(&format!("{word}.toml"), &[("[time]", &solver)]);
    }
    let run = |name: &str| {
        let scene = format!("{name}.toml");
        drystone_in(&place.0, &["run", &scene, "--until", "0.05", "--no-pictures"])
    };
    let output = run("stop");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("not solved after 1 sweeps"), "{}", stderr(&output));
    let summary = place.summary("runs/stop");
    assert!(summary["status"].as_str().unwrap().starts_with("stopped: "));
    assert_eq!(summary["unconverged_steps"], 1);
    assert!(stdout(&output).contains("did not meet the tolerance"), "{}", stdout(&output));
    let status = stdout(&output).lines().filter(|line| line.starts_with("status")).count();
    assert!(status == 1 && !stdout(&output).contains("hyperstatic"), "{}", stdout(&output));
    let diagnosed = |text: &str| {
        ["% of the error: body ", " on floor at (", "hyperstatic   yes", "  try "]
            .iter()
            .all(|word| text.contains(word))
    };
    assert!(diagnosed(&stderr(&output)), "{}", stderr(&output));
    let output = run("warn");
    assert!(output.status.success() && stderr(&output).contains("warning: t = "));
    assert!(diagnosed(&stderr(&output)), "{}", stderr(&output));
    assert!(stdout(&output).contains("did not meet the tolerance"));
    let output = run("continue");
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let summary = place.summary("runs/continue");
    assert!(summary["unconverged_steps"].as_u64() > Some(0));
    let used = &summary["methods"][0];
    assert_eq!(
        (used["method"].as_str(), used["reason"].as_str()),
        (Some("sweeps"), Some("asked for"))
    );
    assert_eq!(
        (&used["steps"], &summary["methods"][1]),
        (&summary["steps"], &serde_json::Value::Null)
    );
    let unsolved = used["steps"].as_u64().unwrap() - used["solved"].as_u64().unwrap();
    assert_eq!(Some(unsolved), summary["unconverged_steps"].as_u64());
    assert!(stdout(&output).contains("sweeps (asked for) in "), "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_read() {
    let place = Workplace::new("interrupt");
    place.scene("long.toml", &[("end = 2", "end = 1e6")]);
    let child = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["run", "long.toml", "-o", "out", "--quiet"])
        .current_dir(&place.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The first summary says that the run goes on; it is there before the first step.
    let patience = std::time::Instant::now();
    while !place.0.join("out/summary.json").exists() && patience.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(place.summary("out")["status"], "running");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("interrupted"));
    let summary = place.summary("out");
    assert_eq!(summary["status"], "interrupted");
    let (_, ledger) = rows(&place.0.join("out/ledger.csv"));
    let time = summary["time"].as_f64().unwrap();
    assert_eq!(ledger.last().unwrap()[0], time);
    picture_size(&place.0.join("out/energy.png"));
}

#[test]
fn a_sweep_leaves_tables_and_pictures() {
    let place = Workplace::new("sweep");
    let output = drystone_in(&place.0, &["sweep", "polygon", "-o", "out", "--steps", "30"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for word in ["implicit", "order", "0.99", "exact solution", "recorded in out"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    let (header, paths) = rows(&place.0.join("out/paths.csv"));
    assert_eq!((header.len(), paths.len()), (1 + 5 * 2 * 2, 31));
    assert_eq!(header[1..3], ["implicit1.x", "implicit1.y"]);
    for name in ["paths.png", "water.png", "convergence.png"] {
        assert!(picture_size(&place.0.join("out").join(name)).0 >= 850, "{name}");
    }
    let errors = fs::read_to_string(place.0.join("out/convergence.csv")).unwrap();
    assert_eq!(errors.lines().count(), 8);
}

#[test]
fn a_sweep_of_a_file_in_space_and_of_nothing() {
    let place = Workplace::new("sweep-file");
    let text = "dimension = 3\nend = 1\npoints = [[0, 0, 0.5]]\n[[set]]\n\
        shape = { ball = { radius = 1 } }\nmotion = { velocity = [2, 0, 0] }\n";
    fs::write(place.0.join("ball.toml"), text).unwrap();
    let output = drystone_in(&place.0, &["sweep", "ball.toml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(place.0.join("runs/sweep-ball/paths.png").exists());
    assert!(!place.0.join("runs/sweep-ball/water.png").exists(), "water is for the plane");

    fs::write(place.0.join("far.toml"), text.replace("0.5]]", "7]]")).unwrap();
    let output = drystone_in(&place.0, &["sweep", "far.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("far.toml:3:11"), "{}", stderr(&output));

    let output = drystone_in(&place.0, &["sweep", "bal"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no example and no file is called `bal`"));
    assert!(stdout(&drystone_in(&place.0, &["sweep"])).contains("cave"));
}

/// A rod at 45° has the number μ√(5/2), but for its thickness and its turn before the collision.
#[test]
fn a_run_says_which_collisions_have_one_solution() {
    let place = Workplace::new("uniqueness");
    let output =
        drystone_in(&place.0, &["run", &scenes("kane_acd2"), "-q", "--no-pictures", "-o", "out"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let found = &place.summary("out")["uniqueness"];
    let number = found["number"].as_f64().unwrap();
    assert!((number - 0.3 * 2.5f64.sqrt()).abs() < 0.02, "{found}");
    assert!(found["collisions"].as_u64() >= Some(1), "{found}");
    assert_eq!(found["unknown"].as_u64(), Some(0), "{found}");
    assert_eq!(found["unique"], found["collisions"], "{found}");
    // Other laws have no such number.
    let other = ["run", &scenes("kane_newton"), "-q", "--no-pictures", "-o", "other"];
    assert!(drystone_in(&place.0, &other).status.success());
    assert!(place.summary("other")["uniqueness"].is_null());
}
