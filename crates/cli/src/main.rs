//! The command line of drystone: one file for each command.
//!
//! Exit codes: 0 done, 1 the scene or the run has failed, 2 wrong usage, 3 done but for frames that are damaged.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod analyse;
mod check;
mod dump;
mod ensemble;
mod explore;
mod export;
mod gallery;
mod limit;
mod new;
mod progress;
mod ranks;
mod report;
mod resume;
mod run;
mod shell;
mod solve;
mod sweep;
mod view;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Contact dynamics of rigid bodies: unilateral contact and Coulomb friction, taken exactly.
#[derive(Parser)]
#[command(name = "drystone", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene and record it.
    Run(run::Arguments),
    /// Go on with a run that was interrupted, in the same bits.
    Resume(resume::Arguments),
    /// Run a scene with many values, on all cores, and make a table.
    Ensemble(ensemble::Arguments),
    /// Show a run in the browser.
    View(view::Arguments),
    /// Write a recorded run for other programs.
    Export(export::Arguments),
    /// Run scenes for a short while and make a page of pictures and figures.
    Gallery(gallery::Arguments),
    /// Measure stress, density, floor pressure and more of a recorded run.
    Analyse(analyse::Arguments),
    /// Show which contact forces a step's laws leave open.
    Explore(explore::Arguments),
    /// Tell how far loads may grow before a structure collapses, and how it does.
    Limit(limit::Arguments),
    /// Check scenes without running them.
    Check(check::Arguments),
    /// Solve recorded contact problems (FCLib files).
    Solve(solve::Arguments),
    /// Print the JSON Schema of scene files.
    Schema,
    /// Write a small scene to start from.
    New(new::Arguments),
    /// Follow points in a moving set: Moreau's sweeping process.
    Sweep(sweep::Arguments),
    /// Print completions for a shell.
    Completions(shell::Completions),
    /// Print the manual page.
    Man(shell::Man),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(message) = drystone::space::Limit::check() {
        eprintln!("error: {message}");
        return ExitCode::from(2);
    }
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Resume(arguments) => resume::resume(&arguments),
        Command::Ensemble(arguments) => ensemble::ensemble(&arguments),
        Command::View(arguments) => view::view(&arguments),
        Command::Export(arguments) => return partly(export::export(&arguments)),
        Command::Gallery(arguments) => gallery::gallery(&arguments),
        Command::Analyse(arguments) => return partly(analyse::analyse(&arguments)),
        Command::Explore(arguments) => explore::explore(&arguments),
        Command::Limit(arguments) => limit::limit(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Solve(arguments) => solve::solve(&arguments),
        Command::Schema => print_schema(),
        Command::New(arguments) => new::write(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments, Arguments::command()),
        Command::Man(arguments) => shell::man(&arguments, Arguments::command()),
    };
    partly(outcome.map(|()| Whole(true)))
}

/// Whether all was done, or damage was left out that has been told.
struct Whole(bool);

/// Tells of a failure, and the exit code.
fn partly(outcome: Result<Whole, Failure>) -> ExitCode {
    match outcome {
        Ok(Whole(true)) => ExitCode::SUCCESS,
        Ok(Whole(false)) => ExitCode::from(3),
        Err(message) => {
            let message = message.trim_end();
            if !message.is_empty() {
                eprintln!("{message}");
            }
            ExitCode::FAILURE
        }
    }
}

/// A message for the user, as it is printed.
type Failure = String;

fn print_schema() -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&drystone::scene::schema())
        .map_err(|error| format!("error: {error}"))?;
    report::print(&format!("{text}\n"))
}
