//! `drystone ensemble`: many runs of one scene with other values, on all cores.

use crate::run::{catch_interrupt, change, plain, positive, told};
use crate::{Failure, report};
use clap::Args;
use drystone::ensemble::{Advance, Ensemble, Vary};
use drystone::run::Summary;
use drystone::scene::Override;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `ensemble`.
#[derive(Args)]
pub struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// A key of the scene and the values that it takes: `KEY=a,b,c`, or `KEY=low:high:count` for numbers at even distances;
    /// may be repeated, and every combination is run.
    #[arg(long, value_name = "KEY=VALUES", required = true, value_parser = vary)]
    vary: Vec<Vary>,
    /// Another value for a key of the scene, the same in all runs; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = change)]
    set: Vec<Override>,
    /// Folder of the runs and of the table `ensemble.csv`; an ensemble that was interrupted there goes on.
    #[arg(long, value_name = "DIR")]
    runs: PathBuf,
    /// End each run at this time instead of the scene's, in seconds.
    #[arg(short, long, value_name = "T", value_parser = positive)]
    until: Option<f64>,
    /// Runs at a time, each on one thread [default: one per core].
    #[arg(short, long, value_name = "N", value_parser = crate::run::threads)]
    jobs: Option<std::num::NonZeroUsize>,
    /// Show no progress.
    #[arg(short, long)]
    quiet: bool,
}

fn vary(text: &str) -> Result<Vary, String> {
    text.parse().map_err(|error: drystone::Error| format!("\n{error}"))
}

/// Makes all runs, or what is left of them.
pub fn ensemble(arguments: &Arguments) -> Result<(), Failure> {
    let same = arguments.set.iter().map(|change| Vary::new(change.key(), [change.value()]));
    let mut keys = same.collect::<Result<Vec<Vary>, _>>().map_err(told)?;
    keys.extend(arguments.vary.iter().cloned());
    let interrupt = catch_interrupt().map_err(|error| plain(&error))?;
    let mut ensemble = Ensemble::grid(&arguments.scene, &keys)
        .map_err(told)?
        .jobs(arguments.jobs.map_or(0, usize::from))
        .interrupted_by(&interrupt);
    if let Some(until) = arguments.until {
        ensemble = ensemble.until(until);
    }
    if !arguments.quiet {
        ensemble = ensemble.progress(|advance| eprintln!("{}", line(advance)));
    }
    let table = ensemble.run(&arguments.runs).map_err(told)?;
    let done = table.column("status").unwrap_or_default();
    let finished = done.iter().filter(|&&status| status == 0.0).count();
    let path = arguments.runs.join("ensemble.csv");
    report::print(&format!("{finished} of {} runs finished: {}\n", done.len(), path.display()))?;
    match finished == done.len() {
        true => Ok(()),
        false if interrupt.load(Ordering::Relaxed) => {
            Err("the ensemble was interrupted; the same command goes on with it".to_owned())
        }
        false => Err("error: some runs have stopped; the table says which".to_owned()),
    }
}

/// A run that is done, in one line.
fn line(advance: &Advance) -> String {
    let values: Vec<String> = advance.values.iter().map(Override::to_string).collect();
    let outcome = match &advance.outcome {
        Ok(summary) => ended(summary),
        Err(why) => why.lines().next().unwrap_or_default().to_owned(),
    };
    let [done, all] = advance.done;
    format!("{done:>5} of {all}  run {:04}  {}  {outcome}", advance.run, values.join("  "))
}

fn ended(summary: &Summary) -> String {
    let status = summary.status.to_string();
    let status = status.lines().next().unwrap_or_default();
    let doubts = match summary.verdict.reasons().len() {
        0 => String::new(),
        1 => ", doubtful for 1 reason".to_owned(),
        count => format!(", doubtful for {count} reasons"),
    };
    format!("{status} at t = {:.3} s in {:.1} s{doubts}", summary.time, summary.wall_seconds)
}
