//! What grains and contact forces say: stress, fabric, density, floor pressure, cuts, fossil layers.
//!
//! Single measures take a [`Sample`], the grains and contacts of one moment: of a simulation that goes on
//! ([`Sample::of_world`]), or of a frame of a run. [`analyse`] takes all measures that apply to recorded runs.
//!
//! ```
//! use drystone::analysis::{Sample, coordination};
//! use drystone::prelude::*;
//! # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
//! #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
//! #     body = [{ shape = { disk = 0.1 }, position = [0, 0.1], material = \"stone\" },\n\
//! #             { shape = { disk = 0.1 }, position = [0, 0.3], material = \"stone\" }]\n\
//! #     boundary = [{ name = \"floor\", shape = { half_plane = {} }, material = \"stone\" }]\n";
//! let mut simulation = Simulation::parse(scene)?;
//! simulation.run_until(0.1)?;
//! let sample = Sample::of_world(simulation.plane().unwrap());
//! assert_eq!((sample.grains.len(), sample.contacts.len()), (2, 2));
//! let found = coordination(&sample, None);
//! # let _ = found;
//! # Ok::<(), Error>(())
//! ```

mod laboratory;
mod moreau;
mod plots;
mod section;
mod write;

pub use drystone_analysis::*;
pub use laboratory::{COLUMNS, Curves, Motion, curves, curves_in, motion};
pub use moreau::{Born, avalanche, born};

use crate::{Error, Run};
pub use drystone_record::archive::Recorded;
use drystone_record::archive::{Catalogue, Frame};
use drystone_scene::with_setup;
use drystone_space::{Space, Vector};
use serde_json::Value;
use std::path::Path;

/// What is analysed, and how; all that is not given follows from the grains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The frame nearest to this time; the last if not given.
    pub at: Option<f64>,
    /// The mean over all frames from this time on; the one frame if not given.
    pub from: Option<f64>,
    /// Whether the heap of each frame is scaled to the size of the last.
    pub scaled: bool,
    /// Where the vertical axis is: two numbers in space, one in the plane; none for the centre of mass.
    pub axis: Vec<f64>,
    /// Lowest and highest corner of the box where density, stress and fabric are measured; none for all but what is
    /// near walls, floor and surface.
    pub region: Vec<f64>,
    /// Names of the boundaries that are the floor; none for those whose normals point up.
    pub floor: Vec<String>,
    /// Width of rings about the axis; two mean diameters if not given.
    pub ring: Option<f64>,
    /// Length of cuts; a quarter of the height, 1.5 to 4 mean diameters, if not given.
    pub cut: Option<f64>,
    /// Number of fossil layers.
    pub layers: usize,
    /// Ends of segments whose cuts are measured: radius and height of one end, then of the other, segment by segment.
    pub cut_ends: Vec<f64>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Analysis<S: Space> {
    /// Title of the scene.
    pub title: String,
    /// The mean of all moments that were analysed.
    pub sample: Sample<S>,
    /// The last of them.
    pub last: Sample<S>,
    /// All measures.
    pub study: Study<S>,
    /// The frames that were taken, run by run.
    pub taken: Vec<Taken>,
    /// Forces across the segments that were asked for.
    pub chosen: Vec<(Cut, CutForce)>,
}

/// Which frames of a run were analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    /// Number of the first, from 0, and its time.
    pub first: (usize, f64),
    /// Number of the last, and its time.
    pub last: (usize, f64),
    /// How many were taken.
    pub count: usize,
    /// How many the run has.
    pub of: usize,
    /// What is wrong with those that could not be read, and were left out.
    pub damaged: Vec<String>,
}

impl Taken {
    /// What a user reads: frames are counted from 1 there, as the page does.
    fn text(&self) -> String {
        let ((first, start), (last, end)) = (self.first, self.last);
        let which = match self.count {
            1 => format!("{} of {}, t = {end} s", last + 1, self.of),
            n => format!(
                "{n} of {}: {} (t = {start} s) to {} (t = {end} s)",
                self.of,
                first + 1,
                last + 1
            ),
        };
        match self.damaged.len() {
            0 => which,
            n => format!("{which}; {n} damaged, left out"),
        }
    }
}

impl<S: Space> Analysis<S> {
    /// All single figures, as JSON.
    pub fn figures(&self) -> Value {
        let mut figures = write::summary(&self.title, &self.sample, &self.study);
        if !self.chosen.is_empty() {
            figures["chosen_cuts"] = moreau::figures(&self.chosen);
        }
        figures
    }
    /// What a user reads.
    pub fn text(&self) -> String {
        let frames: Vec<String> = self.taken.iter().map(Taken::text).collect();
        let unit = if S::DIMENSION == 3 { "Pa" } else { "N/m" };
        write::text(&self.title, &frames, &self.sample, &self.study)
            + &moreau::text(&self.chosen, unit)
    }
    /// Writes all tables that apply into a folder, and the figures as `analysis.json`.
    pub fn write_tables(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        write::tables(folder, &self.sample, &self.study)?;
        self.write_figures(&folder.join("analysis.json"))
    }
    /// Writes the figures as JSON.
    pub fn write_figures(&self, path: &Path) -> Result<(), Error> {
        write_json(path, &self.figures())
    }
    /// Writes all pictures that apply into a folder, as PNG and SVG; those of a slice show the last moment.
    pub fn write_pictures(&self, folder: &Path) -> Result<(), Error> {
        plots::write_all(folder, &self.title, &self.study)?;
        Ok(section::write_all(folder, &self.title, &self.last, &self.study)?)
    }
}

/// Writes JSON.
pub(crate) fn write_json(path: &Path, value: &Value) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::file(path, std::io::Error::other(error)))?;
    std::fs::write(path, text + "\n").map_err(|source| Error::file(path, source))
}

/// An analysis of either dimension.
#[derive(Clone, Debug)]
pub enum AnyAnalysis {
    /// Of a run in the plane.
    Plane(Box<Analysis<drystone_space::Plane>>),
    /// Of a run in space.
    Volume(Box<Analysis<drystone_space::Volume>>),
}

/// Evaluates an expression with `$analysis` bound to the [`Analysis`] inside an [`AnyAnalysis`].
#[macro_export]
macro_rules! with_analysis {
    ($any:expr, $analysis:ident => $body:expr) => {
        match $any {
            $crate::analysis::AnyAnalysis::Plane($analysis) => $body,
            $crate::analysis::AnyAnalysis::Volume($analysis) => $body,
        }
    };
}

/// Analyses one frame of a run, or the mean of some, of one run or of several of the same scene.
pub fn analyse(runs: &[Run], options: &Options) -> Result<AnyAnalysis, Error> {
    let Some(first) = runs.first() else {
        return Err(Error::Unfit("there is no run to analyse".to_owned()));
    };
    Ok(match first.about().dimension {
        2 => AnyAnalysis::Plane(Box::new(analyse_in(runs, options)?)),
        _ => AnyAnalysis::Volume(Box::new(analyse_in(runs, options)?)),
    })
}

/// The same where the dimension of the runs is known.
pub fn analyse_in<S: Recorded>(runs: &[Run], options: &Options) -> Result<Analysis<S>, Error> {
    check(runs)?;
    let catalogue = runs.iter().map(|run| run.catalogue::<S>()).collect::<Result<Vec<_>, _>>()?;
    let (mut samples, mut taken): (Vec<Vec<Sample<S>>>, _) = (Vec::new(), Vec::new());
    for (run, catalogue) in runs.iter().zip(&catalogue) {
        let h = run.about().time_step;
        let (frames, which) = frames::<S>(run, options)?;
        taken.push(which);
        samples.push(frames.iter().map(|frame| sample(catalogue, frame, h)).collect());
    }
    let mut mean = Sample::mean_of(samples.iter().flatten());
    if mean.grains.is_empty() {
        return Err(Error::Unfit(format!(
            "there are no bodies at t = {} s: choose another --at",
            mean.time
        )));
    }
    let mut choices = choices(&runs[0], options, &catalogue[0], &mean)?;
    if options.scaled {
        samples = alike(samples, &choices);
        mean = Sample::mean_of(samples.iter().flatten());
        choices.dates = dates(&mean, options.layers);
    }
    let study = Study::of(&mean, &samples, &choices);
    let chosen = moreau::chosen(&mean, study.axis, &options.cut_ends)?;
    let last = samples.into_iter().flatten().last().expect("there is a frame with grains");
    let title = runs[0].about().title.clone();
    Ok(Analysis { title, sample: mean, last, study, taken, chosen })
}

/// Whether runs can be analysed, and together.
fn check(runs: &[Run]) -> Result<(), Error> {
    let dimension = runs[0].about().dimension;
    if let Some(other) = runs.iter().find(|other| other.about().dimension != dimension) {
        let [first, other] = [&runs[0], other].map(|run| run.directory().display().to_string());
        return Err(Error::Unfit(format!(
            "{first} is a run of dimension {dimension}, and {other} is not"
        )));
    }
    match runs.iter().find(|run| !run.about().contacts) {
        None => Ok(()),
        Some(bare) => Err(Error::Unfit(format!(
            "{} was recorded without contacts: run it with `record = \"all\"`",
            bare.directory().display()
        ))),
    }
}

/// Least width of rings and length of cuts, in mean diameters: below it there is one for every contact, and in
/// the end more of them than memory holds.
const FINEST: f64 = 0.01;

/// The frame nearest to the time that is asked for, or the last, and those before it that are wanted too. What is damaged
/// is left out.
fn frames<S: Recorded>(run: &Run, options: &Options) -> Result<(Vec<Frame<S>>, Taken), Error> {
    let from = options.from.unwrap_or(f64::INFINITY);
    let mut kept: Vec<Frame<S>> = Vec::new();
    let mut numbers: Vec<usize> = Vec::new();
    let mut taken = Taken { of: run.frames(), ..Taken::default() };
    for (number, frame) in run.archive().frames::<S>().enumerate() {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => {
                taken.damaged.push(error.to_string());
                continue;
            }
        };
        if let (Some(at), Some(last)) = (options.at, kept.last())
            && (last.time - at).abs() <= (frame.time - at).abs()
        {
            break;
        }
        kept.retain(|earlier| earlier.time >= from);
        numbers.drain(..numbers.len() - kept.len());
        kept.push(frame);
        numbers.push(number);
    }
    if let (Some(first), Some(last)) = (kept.first(), kept.last()) {
        taken.first = (numbers[0], first.time);
        taken.last = (numbers[numbers.len() - 1], last.time);
        taken.count = kept.len();
    }
    match (kept.last(), options.from) {
        (None, _) if !taken.damaged.is_empty() => {
            Err(Error::Unfit(format!("no frame can be read: {}", taken.damaged[0])))
        }
        (None, _) => Err(Error::Unfit("the record holds no frame".to_owned())),
        (Some(last), Some(from)) if last.time < from => {
            Err(Error::Unfit(format!("--from {from} is after the last frame, at {} s", last.time)))
        }
        _ => Ok((kept, taken)),
    }
}

/// The grains and contacts of a frame of a run.
pub fn sample<S: Recorded>(
    catalogue: &Catalogue<S>,
    frame: &Frame<S>,
    time_step: f64,
) -> Sample<S> {
    let grains = frame.bodies.iter().zip(&catalogue.bodies).map(|(body, thing)| Grain {
        position: body.pose.position,
        radius: round_radius(S::DIMENSION, thing.volume()),
        measure: thing.volume(),
        mass: thing.mass,
        birth: body.birth,
        velocity: body.velocity,
    });
    let contacts = frame.contacts.iter().map(|c| (&c.contact, c.friction));
    Sample::gather(frame.time, grains, contacts, time_step, frame.cell.as_ref())
}

/// What is asked for, with the run's own gravity and times of birth.
fn choices<S: Recorded>(
    run: &Run,
    options: &Options,
    catalogue: &Catalogue<S>,
    sample: &Sample<S>,
) -> Result<Choices<S>, Error> {
    let wanted = |name: &str, list: &[f64], count: usize| match list.len() {
        0 => Ok(false),
        n if n == count => Ok(true),
        n => {
            let place = if S::DIMENSION == 2 { "the plane" } else { "space" };
            let what = format!("--{name} has {n} numbers, but {count} are needed in {place}");
            Err(Error::Unfit(what))
        }
    };
    for (name, length) in [("ring", options.ring), ("cut", options.cut)] {
        if length.is_some_and(|length| length < FINEST * sample.mean_diameter()) {
            let diameter = sample.mean_diameter();
            let reason = format!("grains measure {diameter:.3e} m in the mean; take about one");
            return Err(Error::Unfit(format!("--{name} is far too small: {reason}")));
        }
    }
    let (axis, region) = (&options.axis, &options.region);
    let level = |i: usize| if i + 1 < S::DIMENSION { axis[i] } else { 0.0 };
    let axis = wanted("axis", axis, S::DIMENSION - 1)?.then(|| S::Vector::from_fn(level));
    let corner = |from: usize| S::Vector::from_fn(|i| region[from + i]);
    let region = wanted("region", region, 2 * S::DIMENSION)?
        .then(|| Region::Box { low: corner(0), high: corner(S::DIMENSION) });
    if region.is_some_and(|region| region.measure().is_nan() || region.measure() <= 0.0) {
        let what = "--region is empty: its first corner must be the lowest";
        return Err(Error::Unfit(what.to_owned()));
    }
    let mut floor = Vec::new();
    for name in &options.floor {
        let index = catalogue.boundaries.iter().position(|b| b.name == *name).ok_or_else(|| {
            let names: Vec<&str> = catalogue.boundaries.iter().map(|b| b.name.as_str()).collect();
            let known = names.join("`, `");
            Error::Unfit(format!("there is no boundary `{name}`: the run has `{known}`"))
        })?;
        floor.push(index as u32);
    }
    Ok(Choices {
        axis,
        region,
        floor: (!floor.is_empty()).then_some(floor),
        ring: options.ring,
        dates: dates(sample, options.layers),
        cut: options.cut,
        gravity: with_setup!(&run.scene()?.setup, setup => setup.gravity.norm()),
    })
}

/// Equal intervals from the first birth to the last; none if all were born together.
fn dates<S: Recorded>(sample: &Sample<S>, layers: usize) -> Vec<f64> {
    let births = || sample.grains.iter().map(|g| g.birth);
    let (first, last) = (births().fold(f64::INFINITY, f64::min), births().fold(0.0, f64::max));
    if last.is_nan() || last <= first || layers == 0 {
        return Vec::new();
    }
    // The last interval holds the last birth.
    let length = (last - first) * (1.0 + 1e-9) / layers as f64;
    (0..=layers).map(|i| first + i as f64 * length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, Plane};

    #[test]
    fn dates_hold_all_births() {
        let grain = |birth: f64| Grain::<Plane> {
            position: DVec2::ZERO,
            radius: 1.0,
            measure: 1.0,
            mass: 1.0,
            birth,
            velocity: DVec2::ZERO,
        };
        let grains = (0..=10).map(|i| grain(f64::from(i))).collect();
        let mut sample = Sample { grains, ..Sample::default() };
        let dates = super::dates(&sample, 4);
        assert_eq!(dates.len(), 5);
        assert!(dates[0] == 0.0 && dates[4] > 10.0 && dates[4] < 10.001);
        sample.grains.iter_mut().for_each(|g| g.birth = 0.0);
        assert!(super::dates(&sample, 4).is_empty());
    }
}
