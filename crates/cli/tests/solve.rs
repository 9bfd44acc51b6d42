//! `drystone solve` as a user meets it.

use drystone_fclib::{Form, Info, LocalJoints, Problem, RecordedSolution};
use drystone_solve::{AssembledMethod, SparseMatrix};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn solve(folder: &Path, arguments: &[&str]) -> (Output, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .arg("solve")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&program.stdout), text(&program.stderr));
    (program, out, err)
}

fn with_form(dimension: usize, contacts: usize, form: Form) -> Problem {
    Problem {
        info: Info { title: "test".to_owned(), ..Info::default() },
        dimension,
        friction: vec![0.5; contacts],
        rolling: if dimension == 5 { vec![0.1; contacts] } else { Vec::new() },
        form,
        solution: None,
        guesses: Vec::new(),
    }
}

/// Two unit masses above each other that fall at 1 and slide at 0.3: a column of two contacts.
fn column(dimension: usize) -> Problem {
    let mut entries = Vec::new();
    for axis in 0..dimension {
        let upper = dimension + axis;
        entries.extend([(axis, axis, 1.0), (axis, upper, -1.0), (upper, axis, -1.0)]);
        entries.push((upper, upper, 2.0));
    }
    let mut free = vec![0.0; 2 * dimension];
    (free[0], free[1]) = (-1.0, 0.3);
    let size = 2 * dimension;
    let delassus = SparseMatrix::from_entries(size, size, &entries);
    with_form(dimension, 2, Form::Local { delassus, free, joints: None })
}

/// The same in its global form: u_1 = v_1, u_2 = v_2 − v_1.
fn global_column(dimension: usize) -> Problem {
    let size = 2 * dimension;
    let mass: Vec<_> = (0..size).map(|i| (i, i, 1.0)).collect();
    let mut map: Vec<_> = (0..size).map(|i| (i, i, 1.0)).collect();
    map.extend((0..dimension).map(|axis| (axis, dimension + axis, -1.0)));
    let mut force = vec![0.0; size];
    for mass in 0..2 {
        (force[mass * dimension], force[mass * dimension + 1]) = (-1.0, 0.3);
    }
    let form = Form::Global {
        mass: SparseMatrix::from_entries(size, size, &mass),
        map: SparseMatrix::from_entries(size, size, &map),
        force,
        offset: vec![0.0; size],
        joints: None,
    };
    with_form(dimension, 2, form)
}

fn json(path: &Path) -> Vec<Value> {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn problems_of_all_kinds_are_solved_and_written() {
    let folder = folder("solve-kinds");
    fs::create_dir(folder.join("in")).unwrap();
    let kinds = [
        ("a.hdf5", column(2), "local", 2),
        ("b.hdf5", column(3), "local", 3),
        ("c.hdf5", column(5), "local_rolling", 5),
        ("d.h5", global_column(2), "global", 2),
        ("e.h5", global_column(3), "global", 3),
        ("f.h5", global_column(5), "global_rolling", 5),
    ];
    for (name, problem, ..) in &kinds {
        problem.write(&folder.join("in").join(name)).unwrap();
    }
    let arguments = ["in", "--tolerance", "1e-9", "--json", "out.json", "--solutions", "out"];
    let (program, out, err) = solve(&folder, &[&arguments[..], &["--threads", "2"]].concat());
    assert!(program.status.success(), "{out}{err}");
    assert_eq!(out.lines().count(), 1 + kinds.len(), "{out}");
    let objects = json(&folder.join("out.json"));
    for (object, (name, problem, kind, dimension)) in objects.iter().zip(&kinds) {
        assert_eq!(object.as_object().unwrap().len(), 15);
        assert!(object["file"].as_str().unwrap().ends_with(name));
        assert_eq!(object["kind"], *kind);
        assert_eq!(object["dimension"], *dimension);
        assert_eq!(object["contacts"], 2);
        assert_eq!(object["status"], "solved");
        assert!(object["solver"].is_string());
        assert!(object["iterations"].as_u64().unwrap() >= 1);
        assert!(object["seconds"].as_f64().unwrap() > 0.0);
        assert!(object["seconds_first"].as_f64().unwrap() > 0.0);
        let reduction = object["seconds_reduction"].as_f64().unwrap();
        assert_eq!(reduction > 0.0, kind.starts_with("global"), "{name}: {reduction}");
        assert!(object["residual"].as_f64().unwrap() <= 1e-9);
        assert!(object["residual_scale_free"].as_f64().unwrap() <= 1e-7);
        assert!(object["step_error"].as_f64().unwrap() <= 1e-6, "{object}");
        assert!(object["seconds_error"].as_f64().unwrap() >= 0.0);
        let written = Problem::read(&folder.join("out").join(name)).unwrap();
        let RecordedSolution { u, r, v, l } = written.solution.clone().unwrap();
        // The lower contact carries both masses; friction stops the slide as a whole.
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(near(r[0], 2.0) && near(r[*dimension], 1.0), "{name}: {r:?}");
        assert!(u.iter().all(|&u| near(u, 0.0)), "{name}: {u:?}");
        assert_eq!(v.len(), if kind.starts_with("global") { 2 * dimension } else { 0 });
        assert!(v.iter().all(|&v| near(v, 0.0)) && l.is_empty(), "{name}: {v:?} {l:?}");
        assert_eq!(Problem { solution: None, ..written }, *problem);
    }
}

#[test]
fn solvers_are_compared_and_the_best_is_marked() {
    let folder = folder("solve-compare");
    column(3).write(&folder.join("a.hdf5")).unwrap();
    let (program, out, err) = solve(&folder, &["a.hdf5", "--compare", "--json", "out.json"]);
    assert!(program.status.success(), "{out}{err}");
    assert!(out.starts_with("a.hdf5: local, 2 contacts of 3 components\n"), "{out}");
    assert_eq!(out.lines().filter(|line| line.starts_with("* ")).count(), 1, "{out}");
    let names = AssembledMethod::ALL.map(AssembledMethod::name);
    // All but the one that is for problems without friction.
    assert_eq!(json(&folder.join("out.json")).len(), names.len() - 1);
    for name in names {
        assert_eq!(out.contains(name), name != "quadratic", "{out}");
    }
}

#[test]
fn what_is_not_solved_is_told() {
    let folder = folder("solve-not");
    column(3).write(&folder.join("hard.hdf5")).unwrap();
    let arguments = ["hard.hdf5", "--tolerance", "1e-300", "--max-iterations", "2"];
    let (program, out, err) = solve(&folder, &[&arguments[..], &["--json", "out.json"]].concat());
    assert_eq!(program.status.code(), Some(1));
    assert!(out.contains("not solved"), "{out}");
    assert!(err.contains("1 of 1 not solved to 1e-300: hard.hdf5"), "{err}");
    assert_eq!(json(&folder.join("out.json"))[0]["status"], "not_solved");
    assert!(err.contains("hard.hdf5 by auto:"), "{err}");
    assert!(json(&folder.join("out.json"))[0]["seconds_diagnosis"].as_f64() > Some(0.0));
    let bare = [&arguments[..], &["--no-diagnosis", "--json", "out.json"]].concat();
    let (program, out, err) = solve(&folder, &bare);
    assert_eq!(program.status.code(), Some(1));
    assert!(out.contains("not solved") && !err.contains("by auto"), "{out}{err}");
    assert_eq!(json(&folder.join("out.json"))[0]["seconds_diagnosis"], 0.0);
    // Of several solvers that fail, the nearest is asked.
    let (_, _, err) = solve(&folder, &[&arguments[..], &["--compare"]].concat());
    assert_eq!(err.matches("hard.hdf5 by ").count(), 1, "{err}");
}

/// With a time limit what was reached is told and written, by every solver; a problem that is solved in time is solved.
#[test]
fn a_time_limit_gives_back_what_was_reached() {
    let folder = folder("solve-seconds");
    column(3).write(&folder.join("hard.hdf5")).unwrap();
    let wanted = ["hard.hdf5", "--tolerance", "1e-300", "--max-iterations", "1000000000"];
    let limit = ["--seconds", "0.01", "--json", "out.json", "--solutions", "out"];
    // Its error stays at rounding.
    let one = [&wanted[..], &limit, &["--solver", "uzawa-cone"]].concat();
    let (program, out, err) = solve(&folder, &one);
    assert_eq!(program.status.code(), Some(1), "{out}{err}");
    assert!(err.contains("1 of 1 not solved to 1e-300 in 0.01 s: hard.hdf5"), "{err}");
    assert!(!err.contains("hard.hdf5 by "), "no diagnosis when time is up: {err}");
    assert_eq!(json(&folder.join("out.json"))[0]["status"], "stopped");
    let (_, out, _) = solve(&folder, &[&wanted[..], &limit, &["--compare"]].concat());
    let objects = json(&folder.join("out.json"));
    assert_eq!(objects.len(), AssembledMethod::ALL.len() - 1);
    assert!(objects.iter().any(|object| object["status"] == "stopped"), "{out}");
    for object in &objects {
        // Some find the solution itself.
        let (status, residual) = (&object["status"], object["residual"].as_f64().unwrap());
        assert!(status == "stopped" && residual < 0.5 || residual == 0.0, "{object}");
    }
    assert!(Problem::read(&folder.join("out/hard.hdf5")).unwrap().solution.is_some());
    let (program, out, err) = solve(&folder, &["hard.hdf5", "--seconds", "1e300"]);
    assert!(program.status.success() && out.contains(" solved"), "{out}{err}");
    let (program, _, err) = solve(&folder, &["hard.hdf5", "--seconds", "0"]);
    assert!(!program.status.success() && err.contains("must be positive"), "{err}");
}

/// Whatever the kind of problem and the solver.
#[test]
fn a_problem_without_contacts_is_solved() {
    let folder = folder("solve-empty");
    for dimension in [2, 3, 5] {
        let empty = SparseMatrix::from_entries(0, 0, &[]);
        let form = Form::Local { delassus: empty, free: Vec::new(), joints: None };
        let local = with_form(dimension, 0, form);
        local.write(&folder.join(format!("local-{dimension}.hdf5"))).unwrap();
        let mut global = global_column(dimension);
        global.friction.clear();
        global.rolling.clear();
        if let Form::Global { map, offset, mass, .. } = &mut global.form {
            *map = SparseMatrix::from_entries(mass.rows(), 0, &[]);
            offset.clear();
        }
        global.write(&folder.join(format!("global-{dimension}.hdf5"))).unwrap();
    }
    let arguments = [".", "--compare", "--json", "out.json", "--solutions", "found"];
    let (program, out, err) = solve(&folder, &arguments);
    assert!(program.status.success(), "{out}{err}");
    let objects = json(&folder.join("out.json"));
    assert!(objects.len() > 6 * 10, "{}", objects.len());
    for object in objects {
        assert_eq!((&object["status"], &object["contacts"]), (&"solved".into(), &0.into()));
        assert_eq!((&object["residual"], &object["iterations"]), (&0.0.into(), &0.into()));
    }
    // Bodies that touch nothing move as they would.
    let found = Problem::read(&folder.join("found/global-3.hdf5")).unwrap();
    assert_eq!(found.solution.unwrap().v.len(), 6);
}

#[test]
fn bad_files_do_not_stop_the_others() {
    let folder = folder("solve-bad");
    fs::write(folder.join("a.hdf5"), "no HDF5").unwrap();
    column(2).write(&folder.join("b.hdf5")).unwrap();
    let mut singular = global_column(2);
    let Form::Global { mass, .. } = &mut singular.form else { unreachable!() };
    *mass = SparseMatrix::from_entries(4, 4, &[(0, 0, 1.0)]);
    singular.write(&folder.join("c.hdf5")).unwrap();
    let (program, out, err) = solve(&folder, &[".", "--json", "out.json"]);
    assert_eq!(program.status.code(), Some(1));
    assert_eq!(out.lines().count(), 2, "{out}");
    let told = json(&folder.join("out.json"));
    let statuses: Vec<_> = told.iter().map(|object| object["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["solved", "failed", "failed"]);
    assert!(told[2]["error"].as_str().unwrap().contains("singular"), "{told:?}");
    assert!(err.contains("a.hdf5: found") && err.contains("a whole HDF5 file"), "{err}");
    assert!(err.contains("c.hdf5: fclib_global/M: the matrix is singular"), "{err}");
    assert!(err.ends_with("2 of 3 failed: a.hdf5, c.hdf5\n"), "{err}");
}

/// Vᵀ r + R λ + s = 0 and u = W r + V λ + q, for what the solution tells.
#[test]
fn constraints_of_a_local_problem_hold_in_its_solution() {
    let folder = folder("solve-tied");
    let mut problem = column(2);
    let Form::Local { joints, .. } = &mut problem.form else { unreachable!() };
    // A constraint that gives way by itself, R = 1, and is driven by s.
    *joints = Some(Box::new(LocalJoints {
        map: SparseMatrix::from_entries(4, 1, &[(1, 0, 0.5)]),
        response: SparseMatrix::from_entries(1, 1, &[(0, 0, 1.0)]),
        offset: vec![0.25],
    }));
    problem.write(&folder.join("tied.hdf5")).unwrap();
    let (program, out, err) =
        solve(&folder, &["tied.hdf5", "--tolerance", "1e-10", "--solutions", "solved"]);
    assert!(program.status.success(), "{out}{err}");
    let answer = Problem::read(&folder.join("solved/tied.hdf5")).unwrap().solution.unwrap();
    assert!((0.5 * answer.r[1] + answer.l[0] + 0.25).abs() < 1e-12, "{answer:?}");
    let sliding = 0.3 + answer.r[1] - answer.r[3] + 0.5 * answer.l[0];
    assert!((answer.u[1] - sliding).abs() < 1e-12 && answer.v.is_empty(), "{answer:?}");
}

/// W = 0: no impulse changes the velocity of approach, and a large one must not hide it.
#[test]
fn contacts_that_answer_to_nothing_have_no_solution() {
    let folder = folder("solve-fixed");
    let mut problem = column(2);
    let Form::Local { delassus, .. } = &mut problem.form else { unreachable!() };
    *delassus = SparseMatrix::from_entries(4, 4, &[]);
    problem.write(&folder.join("fixed.hdf5")).unwrap();
    let (program, out, err) = solve(&folder, &["fixed.hdf5", "-m", "1000"]);
    assert_eq!(program.status.code(), Some(1), "{out}{err}");
    assert!(err.contains("no solution"), "{err}");
}

#[test]
fn a_solver_that_does_not_fit_is_a_warning() {
    let folder = folder("solve-unfit");
    column(3).write(&folder.join("friction.hdf5")).unwrap();
    let (_, _, err) = solve(&folder, &["friction.hdf5", "--solver", "quadratic", "-m", "10"]);
    assert!(
        err.contains("warning: friction.hdf5: quadratic is not meant for such a problem"),
        "{err}"
    );
    let (_, _, err) = solve(&folder, &["friction.hdf5", "--solver", "newton"]);
    assert!(!err.contains("warning"), "{err}");
}

#[test]
fn an_unsymmetric_matrix_is_a_warning() {
    let folder = folder("solve-unsymmetric");
    let mut problem = column(2);
    let Form::Local { delassus, .. } = &mut problem.form else { unreachable!() };
    let mut entries: Vec<_> = delassus.entries().collect();
    entries.push((0, 2, 0.5));
    *delassus = SparseMatrix::from_entries(4, 4, &entries);
    problem.write(&folder.join("a.hdf5")).unwrap();
    let (_, out, err) = solve(&folder, &["a.hdf5"]);
    assert!(out.contains("local"), "{out}");
    assert!(err.contains("W is unsymmetric by 25.0 % of its largest entry"), "{err}");
}

#[test]
fn a_guess_is_where_a_warm_start_begins() {
    let folder = folder("solve-warm");
    let mut problem = column(3);
    problem.write(&folder.join("cold.hdf5")).unwrap();
    let arguments = ["cold.hdf5", "--tolerance", "1e-12", "--solutions", "out"];
    assert!(solve(&folder, &arguments).0.status.success());
    let solved = Problem::read(&folder.join("out/cold.hdf5")).unwrap();
    problem.guesses = solved.solution.into_iter().collect();
    problem.write(&folder.join("warm.hdf5")).unwrap();
    let iterations = |arguments: &[&str]| {
        let fixed = ["--tolerance", "1e-8", "--json", "out.json", "--solver", "gauss-seidel"];
        assert!(solve(&folder, &[&fixed[..], arguments].concat()).0.status.success());
        json(&folder.join("out.json"))[0]["iterations"].as_u64().unwrap()
    };
    assert!(iterations(&["warm.hdf5", "--warm"]) <= 1);
    assert!(iterations(&["warm.hdf5"]) > 1);
}

#[test]
fn solutions_replace_nothing() {
    let folder = folder("solve-replace");
    column(2).write(&folder.join("a.hdf5")).unwrap();
    let (program, _, err) = solve(&folder, &["a.hdf5", "--solutions", "."]);
    assert_eq!(program.status.code(), Some(1));
    assert!(err.contains("would replace the problems"), "{err}");
    let (program, _, err) = solve(&folder, &["a.hdf5", "./a.hdf5", "--solutions", "out"]);
    assert_eq!(program.status.code(), Some(1));
    assert!(err.contains("two files are called a.hdf5"), "{err}");
    fs::create_dir(folder.join("empty")).unwrap();
    assert!(solve(&folder, &["empty"]).2.contains("there are no .hdf5 or .h5 files"));
    let (program, _, err) = solve(&folder, &["a.hdf5", "--solver", "none"]);
    assert_eq!(program.status.code(), Some(2));
    assert!(err.contains("auto, gauss-seidel"), "{err}");
}

/// What solids touch with is written too, and solved to the same impulses.
#[test]
fn steps_with_deformable_solids_are_problems() {
    let folder = folder("solve-dump-solids");
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/soft_block.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["run", scene, "-q", "--no-pictures", "--until", "0.3", "--output", "run"])
        .args(["--dump-problems", "steps", "--dump-steps", "all"])
        .current_dir(&folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("steps")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let last = Problem::read(files.last().expect("the block lands")).unwrap();
    assert!(last.contacts() > 1);
    let push: f64 = last.solution.unwrap().r.iter().step_by(last.dimension).sum();
    assert!(push > 0.0);
    let (program, out, err) = solve(&folder, &["steps", "--tolerance", "1e-6"]);
    assert!(program.status.success(), "{out}{err}");
}

/// Rolling resistance in space is FCLib's rolling form; spinning resistance has no place in it, which is told.
#[test]
fn steps_with_rolling_resistance_are_problems() {
    let folder = folder("solve-dump-rolling");
    let scene =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/rolling_and_spinning_balls.toml");
    let scene = fs::read_to_string(scene).unwrap();
    fs::write(folder.join("spinning.toml"), &scene).unwrap();
    let rolling: Vec<&str> = scene.lines().filter(|l| !l.starts_with("spinning_")).collect();
    fs::write(folder.join("rolling.toml"), rolling.join("\n")).unwrap();
    let run = |scene: &str| {
        Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args([
                "run",
                scene,
                "-q",
                "--no-pictures",
                "--until",
                "0.02",
                "--output",
                scene.trim_end_matches(".toml"),
            ])
            .args(["--dump-problems", "steps", "--dump-steps", "all"])
            .current_dir(&folder)
            .output()
            .expect("the program starts")
    };
    let refused = run("spinning.toml");
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("spinning resistance"));
    let output = run("rolling.toml");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (program, out, err) =
        solve(&folder, &["steps", "--tolerance", "1e-6", "--json", "found.json"]);
    assert!(program.status.success(), "{out}{err}");
    let found = fs::read_to_string(folder.join("found.json")).unwrap();
    assert!(found.contains("\"dimension\": 5") || found.contains("\"dimension\":5"), "{found}");
}

#[test]
fn steps_of_a_run_are_problems() {
    let folder = folder("solve-dump");
    fs::write(folder.join("scene.toml"), include_str!("../src/new.toml")).unwrap();
    let drystone = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(arguments)
            .current_dir(&folder)
            .output()
            .expect("the program starts")
    };
    let run = ["run", "scene.toml", "-q", "--no-pictures", "--until", "0.05"];
    let run = [&run[..], &["--dump-problems", "steps"]].concat();
    let output = drystone(&[&run[..], &["--dump-steps", "all"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("steps")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let last = Problem::read(files.last().unwrap()).unwrap();
    let number = files.last().unwrap().file_stem().unwrap().to_str().unwrap()[5..].to_owned();
    let number: u64 = number.parse().unwrap();
    assert!(last.info.title.contains(&format!(", step {number}, t = ")), "{}", last.info.title);
    assert_eq!(last.solution.as_ref().unwrap().r.len(), last.dimension * last.contacts());
    assert_eq!(last.guesses.len(), 1);
    // The warm start is not the solution of the first step, and near to that of the last in a wall that stands.
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let change = |problem: &Problem| {
        let (guess, found) = (&problem.guesses[0].r, &problem.solution.as_ref().unwrap().r);
        let change = norm(&mut guess.iter().zip(found).map(|(a, b)| a - b));
        change / norm(&mut found.iter().copied())
    };
    let first = Problem::read(&files[0]).unwrap();
    assert!(change(&first) > 0.0 && change(&last) < 0.5, "{} {}", change(&first), change(&last));
    let (program, out, err) = solve(&folder, &["steps", "--tolerance", "1e-6"]);
    assert!(program.status.success(), "{out}{err}");
    // One step by its number; by default those that failed, of which there are none.
    fs::remove_dir_all(folder.join("steps")).unwrap();
    assert!(
        drystone(&[&run[..], &["--dump-steps", &number.to_string()]].concat()).status.success()
    );
    assert_eq!(fs::read_dir(folder.join("steps")).unwrap().count(), 1);
    fs::remove_dir_all(folder.join("steps")).unwrap();
    assert!(drystone(&run).status.success());
    assert_eq!(fs::read_dir(folder.join("steps")).unwrap().count(), 0);
    // A step that stops the run is written too.
    let text = include_str!("../src/new.toml");
    let hopeless =
        format!("{text}\n[solver]\ntolerance = 1e-29\nmax_iterations = 1\non_failure = \"stop\"\n");
    fs::write(folder.join("scene.toml"), hopeless).unwrap();
    let output = drystone(&run);
    assert!(!output.status.success());
    assert_eq!(fs::read_dir(folder.join("steps")).unwrap().count(), 1);
}
