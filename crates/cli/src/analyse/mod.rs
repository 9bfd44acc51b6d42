//! `drystone analyse`: what grains and contact forces of a recorded run say.

mod plots;
mod section;
mod study;
mod write;

use crate::resume::recorded_scene;
use crate::{Failure, report};
use clap::Args;
use drystone_analysis::{Grain, Region, Sample, round_radius};
use drystone_record::archive::{Archive, Catalogue, Frame, Recorded};
use drystone_scene::with_setup;
use drystone_space::{Vector, with_space};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use study::{Choices, Study, alike};

/// Arguments of `analyse`.
#[derive(Args)]
pub struct Arguments {
    /// Directory of the run; of several runs of one scene, with other seeds, the means are taken.
    #[arg(required = true)]
    directory: Vec<PathBuf>,
    /// The frame nearest to this time, in seconds [default: the last].
    #[arg(long, value_name = "T")]
    at: Option<f64>,
    /// Take the mean over all frames from this time on [default: the one frame].
    #[arg(long, value_name = "T")]
    from: Option<f64>,
    /// Scale the heap of each frame to the size of the last: for the mean over the growth of a heap that keeps its
    /// shape.
    #[arg(long)]
    scaled: bool,
    /// Where the vertical axis is, in metres: `X,Y` in space, `X` in the plane [default: the centre of mass].
    #[arg(long, value_name = "X,Y", value_delimiter = ',', allow_hyphen_values = true)]
    axis: Vec<f64>,
    /// Lowest and highest corner of the box where density, stress and fabric are measured, in metres
    /// [default: all but what is near walls, floor and surface].
    #[arg(long, value_name = "X,Y,Z,X,Y,Z", value_delimiter = ',', allow_hyphen_values = true)]
    region: Vec<f64>,
    /// Name of a boundary that is the floor; may be repeated [default: those whose normals point up].
    #[arg(long, value_name = "NAME")]
    floor: Vec<String>,
    /// Width of rings about the axis, in metres [default: two mean diameters].
    #[arg(long, value_name = "W", value_parser = crate::run::positive)]
    ring: Option<f64>,
    /// Length of cuts, in metres [default: a quarter of the height, 1.5 to 4 mean diameters].
    #[arg(long, value_name = "L", value_parser = crate::run::positive)]
    cut: Option<f64>,
    /// Number of fossil layers, of equal times of birth; none if all grains were there from the start.
    #[arg(long, value_name = "N", default_value_t = 8)]
    layers: usize,
    /// Where tables and pictures go [default: `analysis` in the directory of the first run].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write all single figures to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write no pictures.
    #[arg(long)]
    no_pictures: bool,
}

fn plain(error: impl Display) -> Failure {
    format!("error: {error}")
}

/// Analyses one frame of a run, or the mean of some, of one run or of several.
pub fn analyse(arguments: &Arguments) -> Result<(), Failure> {
    let open = |directory: &PathBuf| Archive::open(directory).map_err(plain);
    let archives = arguments.directory.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let dimension = archives[0].about().dimension;
    if let Some(other) = archives.iter().position(|other| other.about().dimension != dimension) {
        let (first, other) = (&arguments.directory[0], &arguments.directory[other]);
        let (first, other) = (first.display(), other.display());
        return Err(format!(
            "error: {first} is a run of dimension {dimension}, and {other} is not"
        ));
    }
    if let Some(bare) = archives.iter().position(|archive| !archive.about().contacts) {
        let directory = arguments.directory[bare].display();
        return Err(format!(
            "error: {directory} was recorded without contacts: run it with `record = \"all\"`"
        ));
    }
    with_space!(dimension, S => analyse_in::<S>(&archives, arguments))
}

fn analyse_in<S: Recorded>(archives: &[Archive], arguments: &Arguments) -> Result<(), Failure> {
    let catalogue: Vec<Catalogue<S>> = archives
        .iter()
        .map(|archive| archive.catalogue().map_err(plain))
        .collect::<Result<_, _>>()?;
    let mut runs: Vec<Vec<Sample<S>>> = Vec::new();
    for (archive, catalogue) in archives.iter().zip(&catalogue) {
        let h = archive.about().time_step;
        let frames = frames::<S>(archive, arguments)?;
        runs.push(frames.iter().map(|frame| sample(catalogue, frame, h)).collect());
    }
    let (archive, catalogue) = (&archives[0], &catalogue[0]);
    let mut sample = Sample::mean_of(runs.iter().flatten());
    if sample.grains.is_empty() {
        return Err(format!(
            "error: there are no bodies at t = {} s: choose another --at",
            sample.time
        ));
    }
    let mut choices = choices(archive, arguments, catalogue, &sample)?;
    if arguments.scaled {
        runs = alike(runs, &choices);
        sample = Sample::mean_of(runs.iter().flatten());
        choices.dates = dates(&sample, arguments.layers);
    }
    let study = Study::of(&sample, &runs, &choices);
    // Pictures show one moment.
    let last = runs.iter().flatten().last().expect("there is a frame with grains");
    let title = &archive.about().title;
    let directory =
        arguments.output.clone().unwrap_or_else(|| arguments.directory[0].join("analysis"));
    std::fs::create_dir_all(&directory)
        .map_err(|error| format!("error: cannot make {}: {error}", directory.display()))?;
    write::tables(&directory, &sample, &study).map_err(plain)?;
    if !arguments.no_pictures {
        plots::write_all(&directory, title, &study).map_err(plain)?;
        section::write_all(&directory, title, last, &study).map_err(plain)?;
    }
    let summary = write::summary(title, &sample, &study);
    write::json(&directory.join("analysis.json"), &summary)?;
    if let Some(path) = &arguments.json {
        write::json(path, &summary)?;
    }
    let text = write::text(title, &sample, &study);
    report::print(&format!("{text}{:<16} {}\n", "written to", directory.display()))
}

/// Least width of rings and length of cuts, in mean diameters: below it there is one for every contact, and in
/// the end more of them than memory holds.
const FINEST: f64 = 0.01;

/// The frame nearest to `--at`, or the last, and with `--from` those before it. What is damaged is left out.
fn frames<S: Recorded>(archive: &Archive, arguments: &Arguments) -> Result<Vec<Frame<S>>, Failure> {
    let from = arguments.from.unwrap_or(f64::INFINITY);
    let mut kept: Vec<Frame<S>> = Vec::new();
    for frame in archive.frames::<S>().filter_map(Result::ok) {
        if let (Some(at), Some(last)) = (arguments.at, kept.last())
            && (last.time - at).abs() <= (frame.time - at).abs()
        {
            break;
        }
        kept.retain(|earlier| earlier.time >= from);
        kept.push(frame);
    }
    match (kept.last(), arguments.from) {
        (None, _) => Err("error: the record holds no frame".to_owned()),
        (Some(last), Some(from)) if last.time < from => {
            Err(format!("error: --from {from} is after the last frame, at {} s", last.time))
        }
        _ => Ok(kept),
    }
}

fn sample<S: Recorded>(catalogue: &Catalogue<S>, frame: &Frame<S>, time_step: f64) -> Sample<S> {
    let grains = frame.bodies.iter().zip(&catalogue.bodies).map(|(body, thing)| Grain {
        position: body.pose.position,
        radius: round_radius(S::DIMENSION, thing.volume()),
        measure: thing.volume(),
        mass: thing.mass,
        birth: body.birth,
        velocity: body.velocity,
    });
    let contacts = frame.contacts.iter().map(|c| (&c.contact, c.friction));
    Sample::gather(frame.time, grains, contacts, time_step)
}

/// What the command line says, with the run's own gravity and times of birth.
fn choices<S: Recorded>(
    archive: &Archive,
    arguments: &Arguments,
    catalogue: &Catalogue<S>,
    sample: &Sample<S>,
) -> Result<Choices<S>, Failure> {
    let wanted = |name: &str, list: &[f64], count: usize| match list.len() {
        0 => Ok(false),
        n if n == count => Ok(true),
        n => {
            let place = if S::DIMENSION == 2 { "the plane" } else { "space" };
            Err(format!("error: --{name} has {n} numbers, but {count} are needed in {place}"))
        }
    };
    for (name, length) in [("ring", arguments.ring), ("cut", arguments.cut)] {
        if length.is_some_and(|length| length < FINEST * sample.mean_diameter()) {
            let diameter = sample.mean_diameter();
            let reason = format!("grains measure {diameter:.3e} m in the mean; take about one");
            return Err(format!("error: --{name} is far too small: {reason}"));
        }
    }
    let (axis, region) = (&arguments.axis, &arguments.region);
    let level = |i: usize| if i + 1 < S::DIMENSION { axis[i] } else { 0.0 };
    let axis = wanted("axis", axis, S::DIMENSION - 1)?.then(|| S::Vector::from_fn(level));
    let corner = |from: usize| S::Vector::from_fn(|i| region[from + i]);
    let region = wanted("region", region, 2 * S::DIMENSION)?
        .then(|| Region::Box { low: corner(0), high: corner(S::DIMENSION) });
    if region.is_some_and(|region| region.measure().is_nan() || region.measure() <= 0.0) {
        return Err("error: --region is empty: its first corner must be the lowest".to_owned());
    }
    let mut floor = Vec::new();
    for name in &arguments.floor {
        let index = catalogue.boundaries.iter().position(|b| b.name == *name).ok_or_else(|| {
            let names: Vec<&str> = catalogue.boundaries.iter().map(|b| b.name.as_str()).collect();
            format!("error: there is no boundary `{name}`: the run has `{}`", names.join("`, `"))
        })?;
        floor.push(index as u32);
    }
    Ok(Choices {
        axis,
        region,
        floor: (!floor.is_empty()).then_some(floor),
        ring: arguments.ring,
        dates: dates(sample, arguments.layers),
        cut: arguments.cut,
        gravity: gravity(archive, &arguments.directory[0])?,
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

/// Size of gravity in the scene of the run.
fn gravity(archive: &Archive, directory: &Path) -> Result<f64, Failure> {
    let (scene, _) = recorded_scene(archive, directory)?;
    Ok(with_setup!(&scene.setup, setup => setup.gravity.norm()))
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
