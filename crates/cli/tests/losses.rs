//! Nothing is lost without a word: runs whose folder goes, pictures that are missing, damage of every kind.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{SmallDisk, Workplace, drystone, scene, stderr};

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn output(arguments: &[&str]) -> Output {
    start(arguments).wait_with_output().unwrap()
}

/// A run without end, under way in a folder.
fn endless(place: &Workplace, folder: &Path, keys: &str) -> Child {
    let text = fs::read_to_string(scene("arch")).unwrap();
    let text = text.replace("[output]\n", &format!("[output]\n{keys}\n"));
    let file = place.path("endless.toml");
    fs::write(&file, text).unwrap();
    let run = folder.to_str().unwrap();
    let mut child =
        start(&["run", &file, "-q", "--no-pictures", "--until", "100000", "-f", "-o", run]);
    wait_for(&mut child, &folder.join("summary.json"));
    child
}

fn wait_for(child: &mut Child, path: &Path) {
    while !path.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended too early");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How a run ends that is to end by itself, soon.
fn soon(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("the run has not noticed: {}", stderr(&child.wait_with_output().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn status(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    summary["status"].as_str().unwrap().to_owned()
}

/// Files without a name that a run has left.
fn unfinished(folder: &Path) -> Vec<String> {
    let mut left = Vec::new();
    for folder in [folder.to_owned(), folder.join("record"), folder.join("frames")] {
        let names = fs::read_dir(folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        left.extend(names.filter(|name| name.ends_with(".new")));
    }
    left
}

#[test]
fn a_run_whose_folder_goes_ends_with_an_error() {
    let place = Workplace::new("folder-goes");
    for (name, keys) in [("all", ""), ("nothing", "record = \"nothing\"")] {
        let (folder, moved) = (place.0.join(name), place.0.join(format!("{name}-moved")));
        let child = endless(&place, &folder, keys);
        fs::rename(&folder, &moved).unwrap();
        let ended = soon(child);
        // Whoever comes first: a frame that cannot be written, or the look for the folder.
        let errors = stderr(&ended);
        let told = ["not there any more", "No such file"].iter().any(|&why| errors.contains(why));
        assert!(!ended.status.success() && told, "{errors}");
        assert!(!folder.exists(), "nothing is written where the folder was");
        if name == "all" {
            // What it has written is whole: it goes on where it is now.
            let moved = moved.to_str().unwrap();
            let resume = ["resume", moved, "-q", "--no-pictures", "--until"];
            let reached = fs::read_to_string(Path::new(moved).join("summary.json")).unwrap();
            let reached: serde_json::Value = serde_json::from_str(&reached).unwrap();
            let until = (reached["time"].as_f64().unwrap() + 2.0).to_string();
            drystone(&[&resume[..], &[&until]].concat());
            assert_eq!(status(Path::new(moved)), "finished");
            assert_eq!(unfinished(Path::new(moved)), [""; 0]);
        }
    }
}

/// Another run in the place of a folder that was removed is not written into.
#[test]
fn a_run_does_not_write_into_another() {
    let place = Workplace::new("folder-replaced");
    let (folder, moved) = (place.0.join("run"), place.0.join("moved"));
    let child = endless(&place, &folder, "");
    fs::rename(&folder, &moved).unwrap();
    let run = folder.to_str().unwrap();
    drystone(&["run", &scene("cube_at_rest"), "-q", "--no-pictures", "--until", "0.1", "-o", run]);
    let files = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder.join("record")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = files(&folder);
    let ended = soon(child);
    assert!(!ended.status.success(), "{}", stderr(&ended));
    assert_eq!(files(&folder), before);
    assert_eq!(status(&folder), "finished");
}

#[test]
fn a_run_whose_disk_is_taken_away_ends_with_an_error() {
    let place = Workplace::new("disk-goes");
    let Some(disk) = SmallDisk::mount(place.0.join("disk"), "64m") else {
        println!("a disk was not taken away: no disk in memory can be mounted here");
        return;
    };
    let child = endless(&place, &disk.0.join("run"), "");
    disk.take_away();
    let ended = soon(child);
    let errors = stderr(&ended);
    let told = ["not there any more", "No such file"].iter().any(|&why| errors.contains(why));
    assert!(!ended.status.success() && told, "{errors}");
}

/// A run that has made its last step and not its plots, whatever has kept it from them, is finished by `resume`.
#[test]
fn plots_that_are_missing_are_made() {
    let place = Workplace::new("no-plots");
    let (whole, broken) = (place.0.join("whole"), place.0.join("broken"));
    let wall = scene("wall");
    let run = |folder: &Path| {
        ["run", &wall, "-q", "--until", "0.4", "-f", "-o", folder.to_str().unwrap()]
            .map(str::to_owned)
    };
    drystone(&run(&whole).each_ref().map(String::as_str));
    let mut child = start(&run(&broken).each_ref().map(String::as_str));
    wait_for(&mut child, &broken.join("summary.json"));
    // A folder in the place of a plot: it cannot be written.
    fs::create_dir(broken.join("energy.png")).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(!ended.status.success() && stderr(&ended).contains("energy.png"));
    assert_eq!(status(&broken), "running", "it has not ended");
    fs::remove_dir(broken.join("energy.png")).unwrap();
    // As a kill in the middle of pictures would leave them.
    fs::write(broken.join("frames/.000001.png.new"), "x").unwrap();
    fs::write(broken.join(".forces.png.new"), "x").unwrap();
    let last = fs::read_dir(broken.join("frames")).unwrap().count();
    drystone(&["resume", broken.to_str().unwrap(), "-q"]);
    assert_eq!(status(&broken), "finished");
    assert_eq!(unfinished(&broken), [""; 0]);
    assert!(last > 1);
    for name in ["energy.png", "energy.svg", "solver.png", "forces.png", "frames/000001.png"] {
        let [one, other] = [&whole, &broken].map(|folder| fs::read(folder.join(name)).unwrap());
        assert!(one == other, "{name}");
    }
    let frames = |folder: &Path| fs::read_dir(folder.join("frames")).unwrap().count();
    assert_eq!(frames(&whole), frames(&broken));
}

/// A byte that was changed in a table, the summary or a file that the scene reads is told, whoever reads it.
#[test]
fn tables_and_summaries_have_checksums() {
    let place = Workplace::with_run("checksums", "wall", "0.3");
    let run = place.path("run");
    let damage = |name: &str, place_in: usize| {
        let path = Path::new(&run).join(name);
        let whole = fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        let at = bytes.len() * place_in / 100;
        // A digit stays a digit: nothing but the checksum tells.
        let digit = bytes[at..].iter().position(u8::is_ascii_digit).unwrap() + at;
        bytes[digit] = if bytes[digit] == b'7' { b'8' } else { b'7' };
        fs::write(&path, bytes).unwrap();
        move || fs::write(&path, &whole).unwrap()
    };
    for name in ["ledger.csv", "steps.csv"] {
        let mend = damage(name, 50);
        let page = place.path("run.html");
        let told = output(&["export", &run, "--to", "html", "-o", &page]);
        let errors = stderr(&told);
        let what = format!("{name} is damaged");
        assert!(!told.status.success() && errors.contains(&what), "{errors}");
        let told = output(&["resume", &run, "-q", "--until", "0.4"]);
        assert!(!told.status.success() && stderr(&told).contains(&what), "{}", stderr(&told));
        mend();
    }
    let mend = damage("summary.json", 50);
    let table = drystone::Run::open(&run).unwrap();
    let error = table.summary().unwrap_err().to_string();
    assert!(error.contains("summary.json is damaged: its checksum"), "{error}");
    mend();
    table.summary().unwrap();
    drystone(&["resume", &run, "-q", "--no-pictures", "--until", "0.4"]);
    table.summary().unwrap();
}

#[test]
fn a_kept_file_that_was_changed_is_told() {
    let place = Workplace::new("kept-damage");
    let text = r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
generate = [{ list = { file = "grains.csv", material = "a" } }]
"#;
    fs::write(place.path("scene.toml"), text).unwrap();
    fs::write(place.path("grains.csv"), "0 1 0.1\n1 1 0.1\n").unwrap();
    let (file, run) = (place.path("scene.toml"), place.path("run"));
    drystone(&["run", &file, "-q", "--no-pictures", "--until", "0.05", "-o", &run]);
    // The bodies would be the same; the file is not.
    let kept = Path::new(&run).join("record/files/grains.csv");
    let whole = fs::read(&kept).unwrap();
    fs::write(&kept, "0 1 0.1\n1 1 0.10\n").unwrap();
    let resume = ["resume", &run, "-q", "--no-pictures", "--until", "0.1"];
    let told = output(&resume);
    let errors = stderr(&told);
    assert!(!told.status.success() && errors.contains("grains.csv is damaged"), "{errors}");
    fs::write(&kept, whole).unwrap();
    drystone(&resume);
}

/// `analyse` says which frame it takes, and what it could not read.
#[test]
fn analyse_says_what_it_takes() {
    let place = Workplace::with_run("analyse-says", "biaxial", "0.01");
    let run = place.path("run");
    let frames = fs::read_dir(Path::new(&run).join("record")).unwrap();
    let is_frame = |name: &str| name.starts_with('0') && name.ends_with(".npz");
    let mut frames: Vec<String> = frames
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| is_frame(name))
        .collect();
    frames.sort();
    let count = frames.len();
    assert!(count > 1);
    let said = drystone(&["analyse", &run, "--no-pictures"]);
    assert!(said.contains(&format!("frame            {count} of {count}, t = ")), "{said}");
    let first = drystone(&["analyse", &run, "--no-pictures", "--at", "0"]);
    assert!(first.contains(&format!("frame            1 of {count}, t = 0 s")), "{first}");
    let last = Path::new(&run).join("record").join(&frames[count - 1]);
    let mut bytes = fs::read(&last).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&last, bytes).unwrap();
    let told = output(&["analyse", &run, "--no-pictures"]);
    assert_eq!(told.status.code(), Some(3));
    assert!(stderr(&told).contains(&frames[count - 1]), "{}", stderr(&told));
}
