//! `drystone sweep`: Moreau's sweeping process, as an example or from a file.

mod outline;
mod picture;
mod water;

use crate::{Failure, report};
use clap::Args;
use drystone_record::RecordError;
use drystone_record::draw::{Colour, Print};
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_record::table::Table;
use drystone_scene::Sweep;
use drystone_space::{Space, Vector, math};
use drystone_sweeping::{
    AnyProblem, Convergence, Exact, Example, Level, Path, Problem, Reference, Scheme, SweepError,
};
use std::fmt::Write as _;
use std::path::{self, PathBuf};

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

/// Steps of the coarsest level of the study, and number of levels, each with half the step.
const LEVELS: (usize, usize) = (20, 7);

/// Follows the points of a problem with both schemes and writes what came of it.
pub fn sweep(arguments: &Arguments) -> Result<(), Failure> {
    let Some(word) = &arguments.problem else {
        return report::print(&list());
    };
    let (name, problem) = find(word)?;
    let default = || path::Path::new("runs").join(format!("sweep-{name}"));
    let directory = arguments.output.clone().unwrap_or_else(default);
    let job = Job { name, directory, steps: arguments.steps as usize };
    match problem {
        AnyProblem::Plane(problem, exact) => {
            let done = job.run(&problem, exact)?;
            water::draw(&problem, &job.directory.join("water.png"))?;
            job.finish(&problem, &done, ", water.png")
        }
        AnyProblem::Volume(problem, exact) => {
            let done = job.run(&problem, exact)?;
            job.finish(&problem, &done, "")
        }
    }
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

/// The problem that a user means, and its name: an example, or a file.
fn find(word: &str) -> Result<(String, AnyProblem), Failure> {
    if let Some(example) = Example::ALL.into_iter().find(|example| example.name() == word) {
        return Ok((word.to_owned(), example.problem()));
    }
    let file = path::Path::new(word);
    if !word.ends_with(".toml") && !file.exists() {
        return Err(format!("error: no example and no file is called `{word}`\n{}", list()));
    }
    let Sweep { problem } = Sweep::read(file).map_err(|report| report.to_string())?;
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    Ok((stem.to_string_lossy().into_owned(), problem))
}

/// Where and how finely a problem is computed.
struct Job {
    name: String,
    directory: PathBuf,
    steps: usize,
}

/// The paths of one point: by both schemes, and exactly where that is known.
pub struct Paths<S: Space> {
    /// One for each of [`Scheme::ALL`].
    pub computed: [Path<S>; 2],
    /// The exact one, at ten times as many times.
    pub exact: Option<Path<S>>,
}

fn failed(error: impl std::fmt::Display) -> Failure {
    format!("error: {error}")
}

impl Job {
    /// Computes, and writes tables and the plots that both dimensions have.
    fn run<S: Space + outline::Viewed>(
        &self,
        problem: &Problem<S>,
        exact: Option<Exact<S>>,
    ) -> Result<Convergence, Failure> {
        problem.check().map_err(failed)?;
        let paths = self.paths(problem, exact).map_err(failed)?;
        let (coarsest, levels) = LEVELS;
        let study = Convergence::study(problem, exact, coarsest, levels).map_err(failed)?;
        std::fs::create_dir_all(&self.directory)
            .map_err(|e| format!("error: cannot make {}: {e}", self.directory.display()))?;
        self.write_paths(&paths).map_err(failed)?;
        self.write_study(&study).map_err(failed)?;
        picture::draw(problem, &paths, &self.directory.join("paths.png"))?;
        draw_study(&problem.title, &study, &self.directory.join("convergence.png"))?;
        Ok(study)
    }
    fn paths<S: Space>(
        &self,
        problem: &Problem<S>,
        exact: Option<Exact<S>>,
    ) -> Result<Vec<Paths<S>>, SweepError> {
        let each = problem.starts.iter().map(|&start| {
            let [implicit, explicit] =
                Scheme::ALL.map(|scheme| problem.path(start, self.steps, scheme));
            let fine = 10 * self.steps;
            let times = (0..=fine).map(|k| problem.end * k as f64 / fine as f64);
            let exact = exact.map(|exact| {
                let times: Vec<f64> = times.collect();
                let points = times.iter().map(|&time| exact(start, time)).collect();
                Path { times, points }
            });
            Ok(Paths { computed: [implicit?, explicit?], exact })
        });
        each.collect()
    }
    fn write_paths<S: Space>(&self, paths: &[Paths<S>]) -> Result<(), RecordError> {
        let mut columns = vec!["time".to_owned()];
        for point in 1..=paths.len() {
            for scheme in Scheme::ALL {
                let axes = ["x", "y", "z"].iter().take(S::DIMENSION);
                columns.extend(axes.map(|axis| format!("{}{point}.{axis}", scheme.name())));
            }
        }
        let mut table = Table::create(self.directory.join("paths.csv"), &columns)?;
        for k in 0..=self.steps {
            let places = paths.iter().flat_map(|p| p.computed.iter().map(move |c| c.points[k]));
            let cells = places.flat_map(|p| (0..S::DIMENSION).map(move |axis| Some(p.get(axis))));
            let time = paths.first().map(|p| p.computed[0].times[k]);
            table.row(std::iter::once(time).chain(cells))?;
        }
        table.flush()
    }
    fn write_study(&self, study: &Convergence) -> Result<(), RecordError> {
        let columns = ["steps", "step", "implicit", "explicit"].map(str::to_owned);
        let mut table = Table::create(self.directory.join("convergence.csv"), &columns)?;
        for level in &study.levels {
            let [implicit, explicit] = level.errors;
            table.row([level.steps as f64, level.step, implicit, explicit].map(Some))?;
        }
        table.flush()
    }
    /// Tells the user.
    fn finish<S: Space>(
        &self,
        problem: &Problem<S>,
        study: &Convergence,
        more: &str,
    ) -> Result<(), Failure> {
        let mut text = format!("{}: {}\n", self.name, problem.title);
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
        line(format!(
            "recorded in {} (paths.csv, convergence.csv, paths.png, convergence.png{more}; pictures also as .svg)",
            self.directory.display()
        ));
        report::print(&text)
    }
}

/// The errors of both schemes over the step, with lines of slope one and two to compare with.
fn draw_study(title: &str, study: &Convergence, path: &path::Path) -> Result<(), Failure> {
    let rising = || study.levels.iter().rev();
    let series = |name: String, colour, values| Series { name, colour, values };
    let mut curves = Vec::new();
    for (index, scheme) in Scheme::ALL.into_iter().enumerate() {
        let order = study.order(scheme).map_or("exact".to_owned(), |o| format!("order {o:.2}"));
        let values = rising().map(|level| level.errors[index]).collect();
        curves.push(series(format!("{}: {order}", scheme.name()), PALETTE[index], values));
    }
    if let Some(last) = study.levels.last() {
        let anchor = last.errors.into_iter().fold(0.0, f64::max);
        let grey = Colour::BOUNDARY;
        let slope =
            |power: i32| rising().map(move |l| anchor * math::powi(l.step / last.step, power));
        curves.push(series("slope 1".to_owned(), grey, slope(1).collect()));
        if study.order(Scheme::Implicit).is_some_and(|order| order > 1.5) {
            let anchor = last.errors[0] / anchor;
            let values = slope(2).map(|value| anchor * value).collect();
            curves.push(series("slope 2".to_owned(), grey.dimmed(0.7), values));
        }
    }
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::Logarithmic,
        ..Axis::default()
    };
    let plot = Plot {
        title: title.to_owned(),
        times: rising().map(|level| level.step).collect(),
        panels: vec![Panel { axis: axis("largest error"), series: curves, weight: 1.0 }],
    };
    let mut print = Print::new(900, 560);
    plot.draw_against(&mut print, &axis("length of a step"));
    print.write(path).map_err(failed)
}
