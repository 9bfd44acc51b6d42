//! `drystone resume`: goes on with a run from its last checkpoint.

use crate::Failure;
use crate::dump::{Dump, Which};
use crate::run::{How, Task, catch_interrupt, plain, positive, tell};
use clap::Args;
use drystone_engine::{Setup, World};
use drystone_record::RecordError;
use drystone_record::archive::{Archive, kept_files};
use drystone_record::run::{Recorded, Recorder, Status, Summary};
use drystone_scene::{Folders, Scene, with_setup};
use drystone_solve::Gather;
use std::path::{Path, PathBuf};

/// Arguments of `resume`.
#[derive(Args)]
pub struct Arguments {
    /// Directory of the run.
    directory: PathBuf,
    /// Go on to this time instead of the end that was asked for, in seconds.
    #[arg(short, long, value_name = "T", value_parser = positive)]
    until: Option<f64>,
    #[command(flatten)]
    how: How,
}

/// Goes on with a run.
pub fn resume(arguments: &Arguments) -> Result<(), Failure> {
    let directory = arguments.directory.as_path();
    let archive = Archive::open(directory).map_err(|error| plain(&error))?;
    let end = arguments.until.unwrap_or(archive.about().end);
    let (mut scene, folder) = recorded_scene(&archive, directory)?;
    if let Ok(summary) = Summary::read(directory)
        && summary.status == Status::Finished
        && summary.time + 0.5 * summary.time_step >= end
    {
        let why = "use --until to go further";
        return Err(format!("{} has reached its end, t = {end} s: {why}", directory.display()));
    }
    let setup = scene.take_setup();
    let task = Task {
        scene: &scene,
        folder,
        directory,
        end,
        how: &arguments.how,
        dump: Dump::to(None, &Which::Failed, &scene.title)?,
        interrupt: catch_interrupt().map_err(|error| plain(&error))?,
        deadline: None,
        serve: None,
    };
    let summary = with_setup!(setup, setup => go_on(&task, &archive, setup))?;
    tell(&summary, directory, arguments.how.strict)
}

/// The scene of a run as it was recorded, and the folder of its other files.
pub fn recorded_scene(archive: &Archive, directory: &Path) -> Result<(Scene, PathBuf), Failure> {
    let text = archive.scene().map_err(|error| plain(&error))?;
    let folder = PathBuf::from(&archive.about().folder);
    let name = directory.join("scene.toml").display().to_string();
    let kept = kept_files(directory);
    let folders = Folders { scene: Some(&folder), kept: Some(&kept) };
    let scene = Scene::parse_in(&name, &text, folders).map_err(|report| report.to_string())?;
    Ok((Scene { title: archive.about().title.clone(), ..scene }, folder))
}

fn go_on<S: Recorded + Gather>(
    task: &Task,
    archive: &Archive,
    setup: Setup<S>,
) -> Result<Summary, Failure> {
    let checkpoint = archive.checkpoint::<S>().map_err(|error: RecordError| plain(&error))?;
    let world = World::resume(setup, checkpoint.state).map_err(|error| plain(&error))?;
    task.record(world, |settings, world| {
        Recorder::resume(task.directory, settings, world, &checkpoint.memory)
    })
}
