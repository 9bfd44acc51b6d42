//! `drystone gallery`: runs scenes for a short while and makes a page of pictures and figures.

use crate::dump::{Dump, Which};
use crate::run::{How, Task, catch_interrupt, folder_of, plain, positive};
use crate::{Failure, report};
use clap::Args;
use drystone_engine::with_world;
use drystone_record::run::{self, Recorder, Summary};
use drystone_scene::Scene;
use drystone_viewer::{Show, write_html};
use std::fmt::Write as _;
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

/// A scene that was run.
struct Exhibit {
    name: String,
    description: String,
    end: f64,
    summary: Summary,
    /// Size of its page, in bytes.
    page: usize,
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
    std::fs::write(&index, page(&exhibits))
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
    let mut scene = Scene::read(path).map_err(|report| report.to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let directory = arguments.output.join(&name);
    let world = scene.take_world().map_err(|error| plain(&error))?;
    run::prepare(&directory, true).map_err(|error| plain(&error))?;
    let how = How::quiet();
    let task = Task {
        end: arguments.until.unwrap_or(f64::INFINITY).min(scene.end_time),
        folder: folder_of(path),
        scene: &scene,
        directory: &directory,
        how: &how,
        dump: Dump::to(None, &Which::Failed, &scene.title)?,
        interrupt: Arc::clone(interrupt),
        deadline: Some(Instant::now() + Duration::from_secs_f64(arguments.seconds)),
        serve: None,
    };
    let summary = with_world!(world, world => {
        task.record(world, |settings, world| Recorder::start(&directory, settings, world))
    })?;
    let show = Show::open(&directory).map_err(|error| plain(&error))?;
    let player = arguments.output.join(format!("{name}.html"));
    let size = write_html(&show, FRAMES, &player).map_err(|error| plain(&error))?;
    let description = scene.description.clone();
    Ok(Exhibit { name, description, end: scene.end_time, summary, page: size.bytes })
}

/// The index page.
fn page(exhibits: &[Exhibit]) -> String {
    let mut html = String::from(include_str!("gallery.html"));
    for exhibit in exhibits {
        card(&mut html, exhibit).expect("writing to a string does not fail");
    }
    html.push_str("</main>\n</html>\n");
    html
}

fn card(html: &mut String, exhibit: &Exhibit) -> std::fmt::Result {
    let Exhibit { name, summary: s, .. } = exhibit;
    let player = format!("{}.html", escaped(name));
    writeln!(html, "<article>\n<a href=\"{player}\">")?;
    // The last picture: what the scene has become.
    let picture = format!("{}/frames/{:06}.png", escaped(name), s.frames.saturating_sub(1));
    writeln!(
        html,
        "<img src=\"{picture}\" alt=\"{} at its end\" loading=\"lazy\"></a>",
        escaped(name)
    )?;
    writeln!(html, "<h2><a href=\"{player}\">{}</a></h2>", escaped(&s.scene))?;
    let sentence = exhibit.description.split_inclusive(". ").next().unwrap_or_default();
    writeln!(html, "<p>{}</p>\n<table>", escaped(sentence.trim()))?;
    let rows = [
        ("bodies", format!("{} ({}D)", s.bodies, s.dimension)),
        ("simulated", format!("{:.3} of {} s, {} steps", s.time, exhibit.end, s.steps)),
        ("computed in", format!("{:.2} s on {} threads", s.wall_seconds, s.threads)),
        ("contacts", format!("{:.0} mean, {} max", s.contacts.mean, s.contacts.max)),
        ("iterations", format!("{:.0} mean, {} max", s.iterations.mean, s.iterations.max)),
        (
            "residual",
            format!("{:.1e} max, {} steps not solved", s.residual.max, s.unconverged_steps),
        ),
        ("energy closure", format!("{:.1e}", s.energy.closure_max)),
        ("page", format!("{:.1} MB", exhibit.page as f64 / 1e6)),
    ];
    for (label, value) in rows {
        writeln!(html, "<tr><td>{label}</td><td>{value}</td></tr>")?;
    }
    let folder = escaped(name);
    writeln!(
        html,
        "</table>\n<p class=\"links\"><a href=\"{folder}/energy.svg\">energy</a> \
         <a href=\"{folder}/solver.svg\">solver</a> <a href=\"{folder}/forces.png\">forces</a> \
         <a href=\"{folder}/scene.toml\">scene</a></p>\n</article>"
    )
}

/// A text as HTML needs it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
