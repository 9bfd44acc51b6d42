//! `drystone sweep`: Moreau's sweeping process, as an example or from a file.

use crate::run::told;
use crate::{Failure, report};
use clap::Args;
use drystone::Error;
use drystone::sweeping::{
    AnyProblem, Convergence, Example, Level, Problem, Reference, Scheme, Study, Viewed, draw_water,
    named,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `sweep`.
#[derive(Args)]
pub struct Arguments {
    /// Name of an example, or a file; without it, examples are listed.
    problem: Option<String>,
    /// Directory of the results [default: `runs/sweep-` and the name].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Steps of the paths that are drawn and written.
    #[arg(short, long, value_name = "N", default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
}

/// Follows the points of a problem with both schemes and writes what came of it.
pub fn sweep(arguments: &Arguments) -> Result<(), Failure> {
    let Some(word) = &arguments.problem else {
        return report::print(&list());
    };
    let problem = named(word).map_err(|error| match error {
        Error::Unfit(what) => format!("error: {what}\n{}", list()),
        other => told(other),
    })?;
    let stem = Path::new(word).file_stem().unwrap_or_default();
    let name = stem.to_string_lossy().into_owned();
    let default = || Path::new("runs").join(format!("sweep-{name}"));
    let directory = arguments.output.clone().unwrap_or_else(default);
    let steps = arguments.steps as usize;
    let files = "paths.csv, convergence.csv, paths.png, convergence.png";
    let (text, files) = match problem {
        AnyProblem::Plane(problem, exact) => {
            let study = Study::of(&problem, exact, steps).map_err(told)?;
            study.write(&problem, &directory).map_err(told)?;
            draw_water(&problem, &directory.join("water.png")).map_err(told)?;
            (about(&name, &problem, &study), format!("{files}, water.png"))
        }
        AnyProblem::Volume(problem, exact) => {
            let study = Study::of(&problem, exact, steps).map_err(told)?;
            study.write(&problem, &directory).map_err(told)?;
            (about(&name, &problem, &study), files.to_owned())
        }
    };
    let directory = directory.display();
    report::print(&format!("{text}recorded in {directory} ({files}; pictures also as .svg)\n"))
}

/// The examples, each with what it shows.
fn list() -> String {
    let mut text = "examples:\n".to_owned();
    for example in Example::ALL {
        writeln!(text, "  {:<12} {}", example.name(), example.title())
            .expect("writing to a string does not fail");
    }
    text + "run one with: drystone sweep NAME\n"
}

/// What a user reads of a study.
fn about<S: Viewed>(name: &str, problem: &Problem<S>, study: &Study<S>) -> String {
    format!("{name}: {}\n{}", problem.title, table(&study.convergence))
}

/// Errors at all levels, and their order.
fn table(study: &Convergence) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        writeln!(text, "{line}").expect("writing to a string does not fail");
    };
    line(format!("{:>8} {:>12} {:>12} {:>12}", "steps", "step", "implicit", "explicit"));
    for level in &study.levels {
        let [implicit, explicit] = level.errors;
        let Level { steps, step, .. } = *level;
        line(format!("{steps:>8} {step:>12.4e} {implicit:>12.3e} {explicit:>12.3e}"));
    }
    let order = |scheme| match study.order(scheme) {
        Some(order) => format!("{order:.2}"),
        None => "exact".to_owned(),
    };
    let [implicit, explicit] = Scheme::ALL.map(order);
    line(format!("{:>8} {:>12} {implicit:>12} {explicit:>12}", "order", ""));
    line(match study.reference {
        Reference::Exact => "errors: largest distance from the exact solution".to_owned(),
        Reference::Steps(steps) => {
            format!("errors: largest distance from the implicit scheme with {steps} steps")
        }
    });
    text
}
