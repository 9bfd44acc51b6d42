//! `drystone resume`: goes on with a run from its last checkpoint.

use crate::Failure;
use crate::dump::Dump;
use crate::ranks::Launched;
use crate::run::{How, Task, catch_interrupt, plain, positive, tell, told};
use clap::Args;
use drystone::Run;
use std::path::PathBuf;

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
    let (directory, how) = (arguments.directory.as_path(), &arguments.how);
    let ranks = Launched::find()?;
    // One process records; the others begin at the same checkpoint.
    let opened = Run::open(directory).and_then(|run| match ranks.is_helper() {
        true => run.simulation(),
        false => run.resume(arguments.until, how.threads(), how.record()),
    });
    let shared = ranks.share(opened.map_err(told), how)?;
    let Some(mut simulation) = shared else { return Ok(()) };
    let task = Task {
        directory,
        how,
        dump: Dump::none(),
        interrupt: catch_interrupt().map_err(|error| plain(&error))?,
        deadline: None,
        serve: None,
    };
    let summary = task.run(&mut simulation)?;
    tell(&summary, directory, how.strict)
}
