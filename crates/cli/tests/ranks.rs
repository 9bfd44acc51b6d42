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
    for (name, until, ranks) in [("pour", "0.12", 3), ("drum", "0.05", 2), ("emitter", "0.5", 4)] {
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
}

/// Solids, joints, springs: the first process computes, and says so; the run is that of one.
#[test]
fn what_cannot_be_shared_is_computed_by_the_first() {
    let place = Workplace::new("ranks-alone");
    for (name, until, what) in [("plate", "0.004", "solids"), ("slider_crank", "0.1", "joints")] {
        let (scene, alone, together) = (scene(name), place.path("alone"), place.path("together"));
        let arguments = ["run", &scene, "--no-pictures", "--force", "--until", until, "-o"];
        drystone(&[&arguments[..], &[&alone, "-q"]].concat());
        let output = mpirun(2, &[&arguments[..], &[&together]].concat()).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert!(said(&output).contains(&format!("{what} are computed by one process")));
        assert_same(&alone, &together);
    }
}

/// Two network namespaces that are joined by a virtual cable; removed at the end.
struct Hosts {
    names: [String; 2],
}

impl Hosts {
    /// The network of the cable, and the address of each host.
    const NETWORK: &str = "10.231.77.0/24";
    const ADDRESSES: [&str; 2] = ["10.231.77.1", "10.231.77.2"];

    /// What it lacks where that is not possible.
    fn new() -> Result<Self, String> {
        let ip = |arguments: String| {
            let output = Command::new("ip").args(arguments.split(' ')).output();
            let output = output.map_err(|_| "no program `ip` (iproute2)".to_owned())?;
            match output.status.success() {
                true => Ok(()),
                false => Err(format!("`ip {arguments}` has failed: {}", said(&output).trim())),
            }
        };
        let number = std::process::id();
        let hosts = Self { names: [format!("dry-a{number}"), format!("dry-b{number}")] };
        let cables = [format!("dva{number}"), format!("dvb{number}")];
        hosts.names.iter().try_for_each(|name| ip(format!("netns add {name}")))?;
        ip(format!("link add {} type veth peer name {}", cables[0], cables[1]))?;
        for ((name, cable), address) in hosts.names.iter().zip(&cables).zip(Self::ADDRESSES) {
            ip(format!("link set {cable} netns {name}"))?;
            ip(format!("-n {name} addr add {address}/24 dev {cable}"))?;
            ip(format!("-n {name} link set {cable} up"))?;
            ip(format!("-n {name} link set lo up"))?;
        }
        Ok(hosts)
    }

    /// What starts a program on the second host, in place of `ssh`; it has a name and temporary files of its own.
    fn agent(&self, place: &Workplace) -> String {
        let (path, host) = (place.path("agent.sh"), &self.names[1]);
        let text = format!(
            "#!/bin/sh\nshift\nexec ip netns exec {host} unshare --uts sh -c \\\n  \
             'hostname {host}; export TMPDIR={}; mkdir -p $TMPDIR; exec sh -c \"$0\"' \"$*\"\n",
            place.path("second-host")
        );
        fs::write(&path, text).unwrap();
        assert!(Command::new("chmod").args(["+x", &path]).status().unwrap().success());
        path
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = Command::new("ip").args(["netns", "del", name]).output();
        }
    }
}

/// Two hosts that have nothing but a network in common, as far as the processes see.
#[test]
fn processes_on_two_hosts_write_the_run_of_one() {
    let hosts = match Hosts::new() {
        Ok(hosts) => hosts,
        Err(why) => return eprintln!("left out, a run on two hosts: {why}"),
    };
    let place = Workplace::new("ranks-hosts");
    let (scene, alone, together) = (scene("pour"), place.path("alone"), place.path("together"));
    let arguments = ["run", &scene, "-q", "--no-pictures", "--until", "0.1", "-o"];
    drystone(&[&arguments[..], &[&alone]].concat());
    let [first, second] = Hosts::ADDRESSES;
    let tcp = [
        ["oob_tcp_if_include", Hosts::NETWORK],
        ["btl_tcp_if_include", Hosts::NETWORK],
        ["btl", "tcp,self"],
        ["plm_rsh_agent", &hosts.agent(&place)],
    ];
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &hosts.names[0], "mpirun", "-n", "4", "--oversubscribe"]);
    command.args(["--host", &format!("{first}:2,{second}:2")]);
    for [name, value] in tcp {
        command.args(["--mca", name, value]);
    }
    command.arg(env!("CARGO_BIN_EXE_drystone")).args(arguments).arg(&together);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = command.output().expect("ip starts");
    assert!(output.status.success(), "{}", said(&output));
    assert_same(&alone, &together);
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
