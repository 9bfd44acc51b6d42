//! Performance profiles (Dolan & Moré 2002): for each solver the share of problems that it solves
//! within τ times the time of the fastest.
//!
//! ```
//! use drystone::solve::{self, AssembledMethod, Options, profile};
//! let problem = solve::dense(2, &[1.0, 0.0, 0.0, 1.0], &[-1.0, 1.0], &[0.3])?;
//! let methods = [AssembledMethod::Auto, AssembledMethod::Newton];
//! let answers = solve::compare(&problem, &methods, &Options::default())?;
//! let picture = std::env::temp_dir().join(format!("profile-{}.png", std::process::id()));
//! profile::draw(&picture, &[("a falling mass", answers.as_slice())], &[], 1e-4)?;
//! # std::fs::remove_file(&picture).unwrap();
//! # Ok::<(), drystone::Error>(())
//! ```

use super::Answer;
use crate::Error;
use drystone_record::draw::Raster;
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_space::math;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the axis of τ ends.
const FARTHEST: f64 = 1e4;
/// Points of a curve.
const POINTS: usize = 321;
const HEAD: &str = "problem,tolerance,solver,seconds";

/// What a solver of another program needed for a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    problem: String,
    tolerance: f64,
    solver: String,
    /// None where it did not solve the problem.
    seconds: Option<f64>,
}

/// Reads the times of other programs: lines of problem, tolerance, solver and seconds, which are
/// empty where it was not solved.
pub fn read(path: &Path) -> Result<Vec<Foreign>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::file(path, source))?;
    parse(&text).map_err(|(line, what)| {
        let help = format!("  help: the first line is `{HEAD}`; empty seconds mean not solved");
        Error::Unfit(format!("{}:{line}: {what}\n{help}", path.display()))
    })
}

fn parse(text: &str) -> Result<Vec<Foreign>, (usize, String)> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let head = lines.next().map_or("", |(_, line)| line);
    if head != HEAD {
        return Err((1, format!("found `{head}`; expected `{HEAD}`")));
    }
    let filled = lines.filter(|(_, line)| !line.is_empty());
    filled.map(|(number, line)| row(line).map_err(|what| (number, what))).collect()
}

fn row(line: &str) -> Result<Foreign, String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [problem, tolerance, solver, seconds] = cells[..] else {
        return Err(format!("found {} cells; expected 4", cells.len()));
    };
    let positive = |cell: &str| match cell.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err(format!("found `{cell}`; expected a positive number")),
    };
    let seconds = if seconds.is_empty() { None } else { Some(positive(seconds)?) };
    Ok(Foreign {
        problem: problem.to_owned(),
        tolerance: positive(tolerance)?,
        solver: solver.to_owned(),
        seconds,
    })
}

/// A solver and its time for each problem.
#[derive(Clone, Debug, PartialEq)]
struct Runner {
    name: String,
    seconds: Vec<Option<f64>>,
}

impl Runner {
    /// The share of problems that it solves within τ times the fastest.
    fn share(&self, fastest: &[f64], tau: f64) -> f64 {
        let within = |(t, best): &(&Option<f64>, &f64)| t.is_some_and(|t| t <= tau * **best);
        self.seconds.iter().zip(fastest).filter(within).count() as f64 / fastest.len() as f64
    }
}

/// Draws the profile of all solvers that were run on problems, each with its name, and of the foreign ones at this
/// tolerance. Where there are foreign ones, only problems that they were tried on count.
pub fn draw(
    picture: &Path,
    problems: &[(&str, &[Answer])],
    foreign: &[Foreign],
    tolerance: f64,
) -> Result<(), Error> {
    let foreign: Vec<&Foreign> =
        foreign.iter().filter(|row| (row.tolerance / tolerance - 1.0).abs() < 1e-9).collect();
    let tried: BTreeSet<&str> = foreign.iter().map(|row| row.problem.as_str()).collect();
    let counted = |(name, _): &&(&str, &[Answer])| tried.is_empty() || tried.contains(name);
    let cases: Vec<_> = problems.iter().filter(counted).collect();
    let mut runners: Vec<Runner> = Vec::new();
    let mut add = |solver: &str, problem: usize, seconds: Option<f64>| {
        let place = runners.iter().position(|runner| runner.name == solver);
        let place = place.unwrap_or_else(|| {
            runners.push(Runner { name: solver.to_owned(), seconds: vec![None; cases.len()] });
            runners.len() - 1
        });
        runners[place].seconds[problem] = seconds;
    };
    for (index, (name, answers)) in cases.iter().enumerate() {
        for answer in *answers {
            add(answer.method.name(), index, answer.solved.then_some(answer.seconds.solve));
        }
        for row in foreign.iter().filter(|row| row.problem == *name) {
            add(&row.solver, index, row.seconds);
        }
    }
    let title = format!("{} problems at {tolerance:.0e}", cases.len());
    let mut raster = Raster::new(1100, 620);
    let across = Axis {
        label: "τ: time relative to the fastest solver of each problem".to_owned(),
        scale: Scale::Logarithmic,
        ..Axis::default()
    };
    plot(runners, title).draw_against(&mut raster, &across);
    Ok(raster.write_png(picture)?)
}

/// The curves, the best solvers first; as many as there are colours.
fn plot(mut runners: Vec<Runner>, title: String) -> Plot {
    let problems = runners.first().map_or(0, |runner| runner.seconds.len());
    let fastest: Vec<f64> = (0..problems)
        .map(|p| runners.iter().filter_map(|r| r.seconds[p]).fold(f64::INFINITY, f64::min))
        .collect();
    let step = math::ln(FARTHEST) / (POINTS - 1) as f64;
    let taus: Vec<f64> = (0..POINTS).map(|i| math::exp(step * i as f64)).collect();
    let curve = |runner: &Runner| -> Vec<f64> {
        taus.iter().map(|&tau| 100.0 * runner.share(&fastest, tau)).collect()
    };
    let area = |runner: &Runner| curve(runner).iter().sum::<f64>();
    runners.sort_by(|a, b| area(b).total_cmp(&area(a)));
    let series = runners.iter().zip(PALETTE).map(|(runner, colour)| Series {
        name: runner.name.clone(),
        colour,
        values: curve(runner),
    });
    let series = series.collect();
    let axis = Axis { label: "solved within τ (%)".to_owned(), ..Axis::default() };
    Plot { title, times: taus.clone(), panels: vec![Panel { axis, series, weight: 1.0 }] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_hand() {
        let runner = |name: &str, seconds: [Option<f64>; 3]| Runner {
            name: name.to_owned(),
            seconds: seconds.to_vec(),
        };
        let fast = runner("fast", [Some(1.0), Some(2.0), None]);
        let sure = runner("sure", [Some(3.0), Some(1.0), Some(9.0)]);
        let fastest = [1.0, 1.0, 9.0];
        assert_eq!([1.0, 2.0, 1e9].map(|tau| fast.share(&fastest, tau) * 3.0), [1.0, 2.0, 2.0]);
        assert_eq!([1.0, 2.9, 3.0].map(|tau| sure.share(&fastest, tau) * 3.0), [2.0, 2.0, 3.0]);
        let plot = plot(vec![fast, sure], String::new());
        assert_eq!(plot.panels[0].series[0].name, "sure");
        assert_eq!(plot.panels[0].series[0].values.last(), Some(&100.0));
    }

    #[test]
    fn times_of_others_are_read_and_bad_lines_named() {
        let text = format!("{HEAD}\na,1e-4,x,0.5\n\nb,1e-4,x,\n");
        let rows = parse(&text).unwrap();
        assert_eq!((rows[0].seconds, rows[1].seconds), (Some(0.5), None));
        assert_eq!((rows[1].problem.as_str(), rows[1].tolerance), ("b", 1e-4));
        assert_eq!(parse("a,b").unwrap_err().0, 1);
        let bad = |line: &str| parse(&format!("{HEAD}\n{line}\n")).unwrap_err();
        assert_eq!(bad("a,1e-4,x,-3"), (2, "found `-3`; expected a positive number".to_owned()));
        assert_eq!(bad("a,1e-4"), (2, "found 2 cells; expected 4".to_owned()));
    }
}
