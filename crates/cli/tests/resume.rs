//! Runs that are interrupted, killed, or lose their disk go on in the same bits.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{SmallDisk, Workplace, drystone, scene};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn summary(run: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// Files that must not differ by a byte.
fn numbers(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<PathBuf> = fs::read_dir(run.join("record"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_stem().unwrap().to_str().unwrap().starts_with('0'))
        .chain(["ledger.csv", "steps.csv"].map(|name| run.join(name)))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path.strip_prefix(run).unwrap().to_owned(), bytes)
    };
    files.into_iter().map(read).collect()
}

fn assert_same(one: &Path, other: &Path) {
    let (a, b) = (summary(one), summary(other));
    for key in ["state_hash", "status", "steps", "contacts", "residual", "energy", "penetration"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    let (a, b) = (numbers(one), numbers(other));
    assert!(a.len() > 3);
    assert_eq!(a.len(), b.len());
    for ((name, left), (other, right)) in a.iter().zip(&b) {
        assert_eq!(name, other);
        assert!(left == right, "{} differs", name.display());
    }
}

/// A run that is ended, then resumed with another number of threads, is the run that was not ended.
#[test]
fn an_ended_run_goes_on_in_the_same_bits() {
    // In the plane and in space; bodies that enter; boundaries that move, slide and vanish; cohesion;
    // bodies at rest, some of which are woken; deformable solids, pressed on a floor at half time; joints.
    let scenes = [
        ("wall", 0.4, 1.0),
        ("emitter", 0.7, 1.5),
        ("rubble", 0.3, 0.6),
        ("walls_left_alone", 0.87, 1.1),
        ("biaxial", 0.02, 0.05),
        ("vibrated_bed", 0.1, 0.2),
        ("hanging_grains", 0.2, 0.5),
        ("stack_3d", 0.05, 0.1),
        ("plate", 0.0008, 0.002),
        ("soft_block", 0.1, 0.2),
        ("slider_crank", 0.1, 0.2),
    ];
    for (name, half, end) in scenes {
        let place = Workplace::new(&format!("resume-{name}"));
        let (one, two) = (place.0.join("one"), place.0.join("two"));
        let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
        let (half, end) = (half.to_string(), end.to_string());
        let run = |output: &str, until: &str, threads: &str| {
            let scene = scene(name);
            let common = ["run", &scene, "-q", "--no-pictures", "--until", until, "-o", output];
            drystone(&[&common[..], &["--threads", threads]].concat());
        };
        run(one, &end, "1");
        run(two, &half, "2");
        drystone(&["resume", two, "-q", "--no-pictures", "--until", &end, "--threads", "2"]);
        assert_same(Path::new(one), Path::new(two));
        // There is nothing left to do, and that is said.
        assert!(!command(&["resume", two]).output().unwrap().status.success());
    }
}

/// Waits for a while, then kills without warning. Returns whether the run was still going on.
fn kill_after(mut child: Child, wait: Duration) -> bool {
    std::thread::sleep(wait);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// Kills a run at random moments, time and again, and resumes it until it ends.
fn killed_at_random(name: &str, until: &str, kills: usize, longest: f64) {
    let place = Workplace::new(&format!("kill-{name}"));
    let (whole, broken) = (place.0.join("whole"), place.0.join("broken"));
    let (whole, broken) = (whole.to_str().unwrap(), broken.to_str().unwrap());
    let scene = scene(name);
    drystone(&["run", &scene, "-q", "--no-pictures", "--until", until, "-o", whole]);
    let start = ["run", &scene, "-q", "--no-pictures", "--until", until, "-o", broken];
    let mut random = 12345u64;
    let (mut killed, mut rounds, mut begun) = (0, 0, false);
    while killed < kills {
        rounds += 1;
        assert!(rounds < 20 * kills + 20, "only {killed} kills hit a run");
        // Knuth's linear congruential numbers: the moments are the same in every test.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let fraction = (random >> 33) as f64 / f64::from(1u32 << 31);
        let resume = ["resume", broken, "-q", "--no-pictures"];
        let arguments = if begun { &resume[..] } else { &start[..] };
        let child = command(arguments).stderr(Stdio::null()).spawn().unwrap();
        killed += usize::from(kill_after(child, Duration::from_secs_f64(longest * fraction)));
        // Without a checkpoint there is nothing to go on from: it starts anew. The summary is written
        // after the first checkpoint.
        begun = Path::new(broken).join("record/checkpoint.npz").exists();
        let told = Path::new(broken).join("summary.json").exists();
        if !begun || told && summary(Path::new(broken))["status"] == "finished" {
            let _ = fs::remove_dir_all(broken);
            begun = false;
        }
    }
    let end = if begun { vec!["resume", broken, "-q", "--no-pictures"] } else { start.to_vec() };
    drystone(&end);
    assert_same(Path::new(whole), Path::new(broken));
    println!("{name}: killed {killed} times in {rounds} rounds");
}

/// A run whose disk is full says so; what it had written is whole, and it goes on when there is room.
#[test]
fn a_run_survives_a_full_disk() {
    let place = Workplace::new("full-disk");
    let Some(disk) = SmallDisk::mount(place.0.join("disk"), "600k") else {
        println!("a full disk was not tried: no disk in memory can be mounted here");
        return;
    };
    let (whole, broken) = (place.0.join("whole"), disk.0.join("run"));
    let (whole, broken) = (whole.to_str().unwrap(), broken.to_str().unwrap());
    let scene = scene("wall");
    let common = ["run", &scene, "-q", "--no-pictures", "--until", "2", "-o"];
    drystone(&[&common[..], &[whole]].concat());
    let output = command(&[&common[..], &[broken]].concat()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && errors.contains("No space left"), "{errors}");
    // Every frame that is there is whole: it has the bytes of the run that had room.
    let written = numbers(Path::new(broken));
    let frames = written.iter().filter(|(name, _)| name.starts_with("record"));
    assert!(frames.clone().count() > 2);
    for (name, bytes) in frames {
        assert!(fs::read(Path::new(whole).join(name)).unwrap() == *bytes, "{}", name.display());
    }
    disk.resize("16m");
    drystone(&["resume", broken, "-q", "--no-pictures"]);
    assert_same(Path::new(whole), Path::new(broken));
}

/// A run that is being written is left alone, whatever is asked; once its process is gone it goes on.
#[test]
fn a_run_has_one_writer() {
    let place = Workplace::new("one-writer");
    let directory = place.0.join("run");
    let output = directory.to_str().unwrap();
    let wall = scene("wall");
    let run = ["run", &wall, "-q", "--no-pictures", "-o", output];
    let mut child = command(&run).stderr(Stdio::null()).spawn().unwrap();
    while !directory.join("summary.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended too early");
        std::thread::sleep(Duration::from_millis(5));
    }
    let holder = format!("process {}", child.id());
    let forced = [&run[..], &["--force"]].concat();
    for arguments in [&run[..], &forced, &["resume", output, "-q"]] {
        let refused = command(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && errors.contains(&holder), "{arguments:?}: {errors}");
    }
    assert!(child.try_wait().unwrap().is_none(), "the run has ended too early");
    child.kill().unwrap();
    child.wait().unwrap();
    // The past is not a place to go to.
    let back = command(&["resume", output, "-q", "--until", "1e-3"]).output().unwrap();
    let errors = String::from_utf8_lossy(&back.stderr).into_owned();
    let reached = summary(&directory)["time"].as_f64().unwrap();
    assert!(reached < 2e-3 || errors.contains("--until must be later"), "{errors}");
    let until = (reached + 0.05).to_string();
    drystone(&["resume", output, "-q", "--no-pictures", "--until", &until]);
    assert_eq!(summary(&directory)["status"], "finished");
}

#[test]
fn a_run_survives_kills() {
    // It takes longer than a second, so that there are checkpoints on its way.
    killed_at_random("emitter", "4", 6, 1.5);
}

/// Takes minutes: `cargo test -p drystone --test resume -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn runs_survive_200_kills() {
    killed_at_random("emitter", "4", 100, 2.5);
    killed_at_random("rubble", "1", 100, 2.5);
}

/// A run keeps the tables that its scene reads: it is resumed and analysed when scene and table are
/// gone, and another run in its place takes its own.
#[test]
fn a_run_keeps_the_files_of_its_scene() {
    let place = Workplace::new("kept-files");
    let scene = r#"
dimension = 2
gravity = [0, -9.81]
[time]
step = 1e-3
end = 0.4
[[material]]
name = "a"
density = 1000
[default_law]
friction = 0.5
[[body]]
material = "a"
shape = { disk = 0.1 }
position = [0, 0.1]
[[boundary]]
name = "floor"
material = "a"
shape = { half_plane = {} }
motion = { direction = [1, 0], displacement = { table = { file = "../shake.csv" } } }
"#;
    let folder = place.0.join("scenes");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("shaken.toml"), scene).unwrap();
    let shake: String =
        (0..50).map(|i| format!("{},{}\n", 0.01 * f64::from(i), 1e-3 * f64::from(i % 7))).collect();
    fs::write(place.0.join("shake.csv"), &shake).unwrap();
    let file = place.path("scenes/shaken.toml");
    let (whole, half) = (place.path("whole"), place.path("half"));
    drystone(&["run", &file, "-q", "--no-pictures", "-o", &whole]);
    drystone(&["run", &file, "-q", "--no-pictures", "-o", &half, "--until", "0.2"]);
    let kept = Path::new(&half).join("record/files/@up/shake.csv");
    assert_eq!(fs::read_to_string(&kept).unwrap(), shake);
    fs::remove_dir_all(&folder).unwrap();
    fs::remove_file(place.0.join("shake.csv")).unwrap();
    drystone(&["resume", &half, "-q", "--no-pictures", "--until", "0.4"]);
    assert_same(Path::new(&whole), Path::new(&half));
    drystone(&["analyse", &half, "--no-pictures"]);
    // A run that reads no file leaves none behind.
    drystone(&["run", &support::scene("cube_at_rest"), "-q", "--no-pictures", "-o", &half]);
    assert!(!kept.exists());
}

/// A frame for each picture and no more; a run without contacts goes on in the same bits, and says what it lacks; one
/// without a record leaves none.
#[test]
fn a_run_records_what_is_asked_for() {
    let place = Workplace::new("asked-for");
    let text = fs::read_to_string(scene("wall")).unwrap();
    let run = |name: &str, keys: &str, until: &str| {
        let file = place.path(&format!("{name}.toml"));
        let keys = format!("[output]\n{keys}\npicture = [160, 120]\n");
        let text = text.replace("picture = [1280, 770]", "").replace("[output]\n", &keys);
        fs::write(&file, text).unwrap();
        let folder = place.path(name);
        drystone(&["run", &file, "-q", "--until", until, "-o", &folder]);
        folder
    };
    let recorded = |folder: &str| {
        let summary = summary(Path::new(folder));
        let frames = summary["record"]["frames"].as_u64().unwrap();
        (frames, summary["frames"].as_u64().unwrap(), summary["record"]["bytes"].as_u64().unwrap())
    };
    let resume = |folder: &str| drystone(&["resume", folder, "-q", "--until", "1"]);
    let all = run("all", "", "1");
    let (frames, pictures, bytes) = recorded(&all);
    assert_eq!((frames, pictures), (6, 6), "every 0.2 s, and the start");
    let film = run("film", "frames_per_picture = 4", "0.5");
    resume(&film);
    assert_eq!((recorded(&film).0, recorded(&film).1), (21, 6));
    let bodies = run("bodies", "record = \"bodies\"", "1");
    assert!(recorded(&bodies).2 < bytes / 3, "{:?} and {bytes}", recorded(&bodies));
    let half = run("half", "record = \"bodies\"", "0.5");
    resume(&half);
    assert_same(Path::new(&bodies), Path::new(&half));
    let told = command(&["analyse", &bodies]).output().unwrap();
    assert!(String::from_utf8_lossy(&told.stderr).contains("without contacts"));
    let nothing = run("nothing", "record = \"nothing\"", "1");
    assert_eq!(recorded(&nothing), (0, 6, 0));
    assert_eq!(fs::read_dir(Path::new(&nothing).join("record")).unwrap().count(), 0);
    let told = command(&["resume", &nothing]).output().unwrap();
    assert!(String::from_utf8_lossy(&told.stderr).contains("no run of drystone"));
    for folder in [&film, &bodies, &nothing] {
        let hash = |folder: &str| summary(Path::new(folder))["state_hash"].clone();
        assert_eq!(hash(folder), hash(&all));
    }
}
