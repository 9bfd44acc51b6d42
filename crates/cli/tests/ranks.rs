//! Runs of several processes over MPI are those of one, file by file; when one of them is killed, all end, and the run
//! goes on from its checkpoint.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{Workplace, drystone, scene};

/// `mpirun` with so many processes, which may be more than there are cores.
fn mpirun(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["-n", &ranks.to_string(), "--oversubscribe", env!("CARGO_BIN_EXE_drystone")]);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_mpi_yield_when_idle", "1");
    command
}

fn said(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    texts.concat()
}

fn run(ranks: usize, arguments: &[&str]) {
    let output = mpirun(ranks, arguments).output().expect("mpirun starts");
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
}

/// Files that must not differ by a byte.
fn numbers(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let record = fs::read_dir(run.join("record")).unwrap().map(|entry| entry.unwrap().path());
    let frames = record.filter(|path| path.file_stem().unwrap().to_str().unwrap().starts_with('0'));
    let tables = ["ledger.csv", "steps.csv", "boundaries.csv"].map(|name| run.join(name));
    let mut files: Vec<PathBuf> = frames.chain(tables).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn assert_same(one: &str, other: &str) {
    let (one, other) = (Path::new(one), Path::new(other));
    let summary = |run: &Path| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
    };
    let (a, b) = (summary(one), summary(other));
    let keys = ["state_hash", "status", "steps", "contacts", "iterations", "residual", "energy"];
    for key in keys.into_iter().chain(["penetration", "verdict", "methods", "judged"]) {
        assert_eq!(a[key], b[key], "{key}");
    }
    let (a, b) = (numbers(one), numbers(other));
    assert!(a.len() > 3 && a.len() == b.len());
    for ((path, left), (_, right)) in a.iter().zip(&b) {
        assert!(left == right, "{} differs", path.display());
    }
}

#[test]
fn several_processes_write_the_run_of_one() {
    let place = Workplace::new("ranks");
    for (name, until, ranks) in [("pour", "0.3", 3), ("drum", "0.05", 2), ("emitter", "0.5", 4)] {
        let (scene, alone, together) = (scene(name), place.path("alone"), place.path("together"));
        let arguments = ["run", &scene, "-q", "--no-pictures", "--force", "--until", until, "-o"];
        drystone(&[&arguments[..], &[&alone]].concat());
        run(ranks, &[&arguments[..], &[&together]].concat());
        assert_same(&alone, &together);
    }
}

#[test]
fn a_mistake_is_told_once() {
    let output = mpirun(3, &["run", "no-such-scene.toml"]).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(said(&output).matches("no-such-scene.toml").count(), 1, "{}", said(&output));
    let plate = scene("plate");
    let place = Workplace::new("ranks-refused");
    let output = mpirun(2, &["run", &plate, "-o", &place.path("run")]).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(
        said(&output).matches("cannot be computed by several").count(),
        1,
        "{}",
        said(&output)
    );
}

/// The process with this rank among those that `mpirun` has started.
fn process(launcher: &Child, rank: usize) -> Option<String> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let all =
        fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    all.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).find(|id| {
        let parent = format!("PPid:\t{}", launcher.id());
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        status.lines().any(|line| line == parent)
            && environment.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes())
    })
}

/// Two processes, then three of which one is killed, then one.
#[test]
fn a_run_goes_on_after_a_process_was_killed() {
    let place = Workplace::new("ranks-killed");
    let (scene, alone, killed) = (scene("pour"), place.path("alone"), place.path("killed"));
    let arguments = ["run", &scene, "-q", "--no-pictures", "-o"];
    drystone(&[&arguments[..], &[&alone, "--until", "0.4"]].concat());
    run(2, &[&arguments[..], &[&killed, "--until", "0.2"]].concat());
    let mut going = mpirun(3, &["resume", &killed, "-q", "--no-pictures", "--until", "4"])
        .spawn()
        .expect("mpirun starts");
    let start = Instant::now();
    let victim = loop {
        assert!(start.elapsed() < Duration::from_secs(120), "no process of rank 1 was seen");
        if let Some(found) = process(&going, 1) {
            break found;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    std::thread::sleep(Duration::from_millis(1500));
    assert!(going.try_wait().unwrap().is_none(), "the run is under way");
    assert!(Command::new("kill").args(["-9", &victim]).status().unwrap().success());
    let output = going.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert!(said(&output).contains("signal 9"), "{}", said(&output));
    drystone(&["resume", &killed, "-q", "--no-pictures", "--until", "0.4"]);
    assert_same(&alone, &killed);
}
