//! Moreau's sweeping process: points in a moving set, followed by both schemes, drawn, and written.
//!
//! ```
//! use drystone::sweeping::{AnyProblem, Scheme, Study, named};
//! let AnyProblem::Plane(problem, exact) = named("ball")? else { panic!("a problem in the plane") };
//! let study = Study::of(&problem, exact, 60)?;
//! assert!(study.convergence.order(Scheme::Implicit).is_some_and(|order| order > 0.9));
//! # Ok::<(), drystone::Error>(())
//! ```

mod outline;
mod picture;
mod water;

pub use drystone_scene::Sweep;
pub use drystone_sweeping::*;
pub use outline::Viewed;

use crate::Error;
use drystone_record::RecordError;
use drystone_record::draw::{Colour, Print};
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_record::table::Table;
use drystone_space::{Plane, Vector, math};
use std::path;

/// Steps of the coarsest level of the study of errors, and number of levels, each with half the step.
const LEVELS: (usize, usize) = (20, 7);

/// The example of this name ([`Example::ALL`] has them), or the problem of this file.
pub fn named(word: &str) -> Result<AnyProblem, Error> {
    if let Some(example) = Example::ALL.into_iter().find(|example| example.name() == word) {
        return Ok(example.problem());
    }
    let file = path::Path::new(word);
    if !word.ends_with(".toml") && !file.exists() {
        let examples = Example::ALL.map(|example| example.name());
        let meant = drystone_scene::nearest(word, &examples);
        let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        return Err(Error::Unfit(format!("no example and no file is called `{word}`{meant}")));
    }
    Ok(Sweep::read(file)?.problem)
}

/// The paths of one point: by both schemes, and exactly where that is known.
#[derive(Clone, Debug)]
pub struct Paths<S: Viewed> {
    /// One for each of [`Scheme::ALL`].
    pub computed: [Path<S>; 2],
    /// The exact one, at ten times as many times.
    pub exact: Option<Path<S>>,
}

/// What came of a problem.
#[derive(Clone, Debug)]
pub struct Study<S: Viewed> {
    /// The paths of its points.
    pub paths: Vec<Paths<S>>,
    /// Errors of both schemes as the step falls.
    pub convergence: Convergence,
}

impl<S: Viewed> Study<S> {
    /// Follows all points of a problem by so many steps, and studies the errors.
    pub fn of(problem: &Problem<S>, exact: Option<Exact<S>>, steps: usize) -> Result<Self, Error> {
        problem.check()?;
        let (coarsest, levels) = LEVELS;
        Ok(Self {
            paths: paths(problem, exact, steps)?,
            convergence: Convergence::study(problem, exact, coarsest, levels)?,
        })
    }

    /// Writes `paths.csv`, `convergence.csv`, and pictures of both as PNG and SVG, into a folder.
    pub fn write(&self, problem: &Problem<S>, folder: &path::Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        self.write_paths(&folder.join("paths.csv"))?;
        self.write_errors(&folder.join("convergence.csv"))?;
        picture::draw(problem, &self.paths, &folder.join("paths.png"))?;
        draw_errors(&problem.title, &self.convergence, &folder.join("convergence.png"))
    }

    fn write_paths(&self, path: &path::Path) -> Result<(), RecordError> {
        let mut columns = vec!["time".to_owned()];
        for point in 1..=self.paths.len() {
            for scheme in Scheme::ALL {
                let axes = ["x", "y", "z"].iter().take(S::DIMENSION);
                columns.extend(axes.map(|axis| format!("{}{point}.{axis}", scheme.name())));
            }
        }
        let mut table = Table::create(path.to_owned(), &columns)?;
        let times = self.paths.first().map_or(&[][..], |paths| &paths.computed[0].times);
        for (k, &time) in times.iter().enumerate() {
            let each = self.paths.iter().flat_map(|p| p.computed.iter().map(move |c| c.points[k]));
            let cells = each.flat_map(|p| (0..S::DIMENSION).map(move |axis| Some(p.get(axis))));
            table.row(std::iter::once(Some(time)).chain(cells))?;
        }
        table.flush()
    }

    fn write_errors(&self, path: &path::Path) -> Result<(), RecordError> {
        let columns = ["steps", "step", "implicit", "explicit"].map(str::to_owned);
        let mut table = Table::create(path.to_owned(), &columns)?;
        for level in &self.convergence.levels {
            let [implicit, explicit] = level.errors;
            table.row([level.steps as f64, level.step, implicit, explicit].map(Some))?;
        }
        table.flush()
    }
}

/// Draws the process as water that runs down in a cave, with time as depth (Moreau 2003, §2.6): PNG and SVG.
pub fn draw_water(problem: &Problem<Plane>, file: &path::Path) -> Result<(), Error> {
    water::draw(problem, file)
}

fn paths<S: Viewed>(
    problem: &Problem<S>,
    exact: Option<Exact<S>>,
    steps: usize,
) -> Result<Vec<Paths<S>>, SweepError> {
    let each = problem.starts.iter().map(|&start| {
        let [implicit, explicit] = Scheme::ALL.map(|scheme| problem.path(start, steps, scheme));
        let fine = 10 * steps;
        let exact = exact.map(|exact| {
            let times: Vec<f64> =
                (0..=fine).map(|k| problem.end * k as f64 / fine as f64).collect();
            let points = times.iter().map(|&time| exact(start, time)).collect();
            Path { times, points }
        });
        Ok(Paths { computed: [implicit?, explicit?], exact })
    });
    each.collect()
}

/// The errors of both schemes over the step, with lines of slope one and two to compare with.
fn draw_errors(title: &str, study: &Convergence, path: &path::Path) -> Result<(), Error> {
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
    Ok(print.write(path)?)
}
