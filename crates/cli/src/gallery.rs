//! `drystone gallery`: runs scenes for a short while and makes a page of pictures and figures.

use crate::dump::Dump;
use crate::run::{self, How, Task, catch_interrupt, plain, positive, told};
use crate::{Failure, report};
use clap::Args;
use drystone::{Exhibit, Export, Run, gallery_page};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Frames in the page of a scene.
const FRAMES: usize = 120;

/// Arguments of `gallery`.
#[derive(Args)]
pub struct Arguments {
    /// Scene files [default: all of `scenes/`].
    scenes: Vec<PathBuf>,
    /// Folder of the gallery.
    #[arg(short, long, value_name = "DIR", default_value = "gallery")]
    output: PathBuf,
    /// Time that each scene is given, in seconds of this machine.
    #[arg(long, value_name = "S", default_value = "4", value_parser = positive)]
    seconds: f64,
    /// End each scene at this time at the latest, in seconds of the scene.
    #[arg(short, long, value_name = "T", value_parser = positive)]
    until: Option<f64>,
}

/// Makes a gallery.
pub fn gallery(arguments: &Arguments) -> Result<(), Failure> {
    let scenes = if arguments.scenes.is_empty() { all_scenes()? } else { arguments.scenes.clone() };
    let interrupt = catch_interrupt().map_err(|error| plain(&error))?;
    let mut exhibits = Vec::new();
    for path in &scenes {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        match exhibit(path, arguments, &interrupt) {
            Ok(exhibit) => {
                let s = &exhibit.summary;
                report::print(&format!(
                    "{}: {} steps to t = {:.3} s\n",
                    exhibit.name, s.steps, s.time
                ))?;
                exhibits.push(exhibit);
            }
            Err(message) => eprintln!("{}: {}", path.display(), message.trim_end()),
        }
    }
    let index = arguments.output.join("index.html");
    std::fs::write(&index, gallery_page(&exhibits))
        .map_err(|error| format!("error: cannot write {}: {error}", index.display()))?;
    report::print(&format!(
        "{} of {} scenes: {}\n",
        exhibits.len(),
        scenes.len(),
        index.display()
    ))?;
    if exhibits.len() == scenes.len() { Ok(()) } else { Err(String::new()) }
}

fn all_scenes() -> Result<Vec<PathBuf>, Failure> {
    let folder = Path::new("scenes");
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("error: {}: {error}; name the scenes", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut scenes: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    scenes.sort();
    Ok(scenes)
}

fn exhibit(
    path: &Path,
    arguments: &Arguments,
    interrupt: &Arc<AtomicBool>,
) -> Result<Exhibit, Failure> {
    let mut simulation = run::open(path, &[], true)?;
    let (end, description) = (simulation.end(), simulation.description().to_owned());
    simulation.set_end(arguments.until.unwrap_or(f64::INFINITY).min(end));
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let directory = arguments.output.join(&name);
    let how = How::quiet();
    let task = Task {
        directory: &directory,
        how: &how,
        dump: Dump::none(),
        interrupt: Arc::clone(interrupt),
        deadline: Some(Instant::now() + Duration::from_secs_f64(arguments.seconds)),
        serve: None,
    };
    task.start(&mut simulation, true)?;
    let summary = task.run(&mut simulation)?;
    let player = arguments.output.join(format!("{name}.html"));
    let run = Run::open(&directory).map_err(told)?;
    let page = run.export(Export::Html { frames: FRAMES }, &player).map_err(told)?.bytes;
    Ok(Exhibit { name, description, end, summary, page })
}
