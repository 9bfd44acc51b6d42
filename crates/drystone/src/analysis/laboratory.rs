//! How a specimen changes from frame to frame, and how its grains move: curves over runs with standard errors, pair
//! correlation, local strain, motion that no uniform strain explains.

use super::plots::{panel, series, write as write_plot};
use super::{Options, sample};
use crate::{Error, Run};
use drystone_analysis::{
    Estimate, LocalStrain, NonAffine, PairCorrelation, Region, Sample, Specimen, anisotropy,
    local_strains, non_affine, pair_correlation,
};
use drystone_record::archive::Recorded;
use drystone_record::draw::{Anchor, Canvas, Colour, Raster, Svg, speed_colour};
use drystone_record::plot::{PALETTE, Plot, Scale};
use drystone_record::table::Table;
use drystone_space::{DVec2, Plane, Space, Vector, Volume};
use std::path::Path;

/// What curves have, in this order: strains since the first moment, positive in compression, and the state.
pub const COLUMNS: [&str; 23] = [
    "time",
    "strain_x",
    "strain_y",
    "strain_z",
    "volume_strain",
    "shear_strain",
    "solid_fraction",
    "void_ratio",
    "stress_xx",
    "stress_yy",
    "stress_zz",
    "pressure",
    "deviator",
    "sin_friction_angle",
    "kinetic_pressure",
    "fabric_anisotropy",
    "coordination",
    "coordination_without_rattlers",
    "rattlers",
    "sliding",
    "mobilisation",
    "dilatancy",
    "second_order_work",
];

/// Curves of a specimen: the mean over runs at each moment, with its standard error where there are several.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// How many runs.
    pub runs: usize,
    /// A row for each moment, its values in the order of [`COLUMNS`]; what the space has not is not a number.
    pub rows: Vec<Vec<Estimate>>,
    /// g(r) of the last moments, by the mean diameter: the mean over runs.
    pub correlation: Option<PairCorrelation>,
    dimension: usize,
}

/// Curves of runs of either dimension, over the frames from `options.from` to `options.at`.
pub fn curves(runs: &[Run], options: &Options) -> Result<Curves, Error> {
    match runs.first().map(|run| run.about().dimension) {
        None => Err(Error::Unfit("there is no run to analyse".to_owned())),
        Some(2) => curves_in::<Plane>(runs, options),
        Some(_) => curves_in::<Volume>(runs, options),
    }
}

/// Curves over the frames from `options.from` on, in `options.region` or two mean diameters inside of the grains.
pub fn curves_in<S: Recorded>(runs: &[Run], options: &Options) -> Result<Curves, Error> {
    super::check(runs)?;
    let region = region::<S>(options)?;
    let mut tables: Vec<Vec<Vec<f64>>> = Vec::new();
    let mut correlations = Vec::new();
    for run in runs {
        let samples = samples::<S>(run, options)?;
        let states: Vec<Specimen<S>> =
            samples.iter().filter_map(|sample| Specimen::of(sample, region.as_ref())).collect();
        let Some(first) = states.first() else {
            return Err(Error::Unfit(format!(
                "{}: no frame with a specimen to measure; is it wider than seven grains?",
                run.directory().display()
            )));
        };
        let row = |(index, state): (usize, &Specimen<S>)| {
            row(state, first, &states[index.saturating_sub(1)])
        };
        tables.push(states.iter().enumerate().map(row).collect());
        let last = samples.last().and_then(|last| {
            pair_correlation(last, region.as_ref(), 0.05 * last.mean_diameter(), 80)
        });
        correlations.extend(last);
    }
    let moments = tables.iter().map(Vec::len).min().unwrap_or(0);
    let estimate = |moment: usize, column: usize| {
        let values: Vec<f64> = tables.iter().map(|table| table[moment][column]).collect();
        Estimate::of(&values)
    };
    let rows = (0..moments)
        .map(|moment| (0..COLUMNS.len()).map(|column| estimate(moment, column)).collect())
        .collect();
    let count = correlations.len() as f64;
    let correlation = correlations.into_iter().reduce(|mut sum, other| {
        sum.grains += other.grains;
        sum.values.iter_mut().zip(&other.values).for_each(|(sum, value)| *sum += value);
        sum
    });
    let correlation = correlation.map(|mut sum| {
        sum.values.iter_mut().for_each(|value| *value /= count);
        sum
    });
    Ok(Curves { runs: runs.len(), rows, correlation, dimension: S::DIMENSION })
}

fn region<S: Space>(options: &Options) -> Result<Option<Region<S>>, Error> {
    let given = &options.region;
    match given.len() {
        0 => Ok(None),
        n if n == 2 * S::DIMENSION => {
            let corner = |from: usize| S::Vector::from_fn(|i| given[from + i]);
            Ok(Some(Region::Box { low: corner(0), high: corner(S::DIMENSION) }))
        }
        n => Err(Error::Unfit(format!(
            "--region has {n} numbers, but {} are needed",
            2 * S::DIMENSION
        ))),
    }
}

/// The grains and contacts of all frames from a time on.
fn samples<S: Recorded>(run: &Run, options: &Options) -> Result<Vec<Sample<S>>, Error> {
    let (catalogue, h) = (run.catalogue::<S>()?, run.about().time_step);
    let from = options.from.unwrap_or(f64::NEG_INFINITY) - 1e-9;
    let until = options.at.unwrap_or(f64::INFINITY) + 1e-9;
    let frames = run.archive().frames::<S>().filter_map(Result::ok);
    let wanted = frames.filter(|frame| frame.time >= from && frame.time <= until);
    Ok(wanted.map(|frame| sample(&catalogue, &frame, h)).collect())
}

fn row<S: Space>(state: &Specimen<S>, first: &Specimen<S>, before: &Specimen<S>) -> Vec<f64> {
    let (all, step) = (state.since(first), state.since(before));
    let strains = state.strains(first);
    let there = |i: usize, value: f64| if i < S::DIMENSION { value } else { f64::NAN };
    let strain = |i: usize| there(i, if i < S::DIMENSION { strains.get(i) } else { 0.0 });
    let stress = |i: usize| there(i, state.stress.entries[i][i]);
    vec![
        state.time,
        strain(0),
        strain(1),
        strain(2),
        all.volume,
        all.shear,
        state.solid_fraction,
        state.void_ratio,
        stress(0),
        stress(1),
        stress(2),
        state.pressure(),
        state.deviator(),
        state.friction(),
        state.kinetic.trace() / S::DIMENSION as f64,
        anisotropy::<S::Vector>(&state.fabric),
        state.coordination.mean,
        state.skeleton.coordination,
        state.skeleton.rattlers,
        state.coordination.sliding,
        state.mobilisation,
        step.dilatancy,
        step.second_order_work,
    ]
}

impl Curves {
    /// One curve by its name: its mean and standard error at each moment.
    pub fn column(&self, name: &str) -> Option<Vec<Estimate>> {
        let index = COLUMNS.iter().position(|column| *column == name)?;
        Some(self.rows.iter().map(|row| row[index]).collect())
    }

    /// Writes `curves.csv`, `correlation.csv` and, unless they are not wanted, their pictures.
    pub fn write(&self, folder: &Path, title: &str, pictures: bool) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        let mut names: Vec<String> = COLUMNS.map(str::to_owned).to_vec();
        names.extend(COLUMNS[1..].iter().map(|name| format!("{name}_error")));
        let mut table = Table::create(folder.join("curves.csv"), &names)?;
        for row in &self.rows {
            let means = row.iter().map(|value| value.mean);
            let several = self.runs > 1;
            let errors = row[1..].iter().map(|v| if several { v.error } else { f64::NAN });
            table.row(means.chain(errors).map(|v| Some(v).filter(|v| v.is_finite())))?;
        }
        table.flush()?;
        if let Some(found) = &self.correlation {
            let columns = ["distance".to_owned(), "pair_correlation".to_owned()];
            let mut table = Table::create(folder.join("correlation.csv"), &columns)?;
            for (class, value) in found.values.iter().enumerate() {
                let distance = (class as f64 + 0.5) * found.width;
                table.row([Some(distance), Some(*value)])?;
            }
            table.flush()?;
        }
        if pictures { Ok(self.draw(folder, title)?) } else { Ok(()) }
    }

    fn draw(&self, folder: &Path, title: &str) -> Result<(), drystone_record::RecordError> {
        let values = |name: &str, sign: f64| -> Vec<f64> {
            let column = self.column(name).unwrap_or_default();
            column.iter().map(|value| value.mean + sign * value.error).collect()
        };
        // The mean between thin lines at its standard error, where there are several runs.
        let curve = |name: &str, label: &str, colour: usize| {
            let mut all = Vec::new();
            if self.runs > 1 {
                for sign in [-1.0, 1.0] {
                    let edge = values(name, sign);
                    all.push(series("± standard error", PALETTE[colour].faded(0.4), edge));
                }
            }
            all.push(series(label, PALETTE[colour], values(name, 0.0)));
            all
        };
        let stress = if self.dimension == 3 { "Pa" } else { "N/m" };
        let shear = values("shear_strain", 0.0);
        // A plot goes forward: what shears to and fro is drawn over time.
        let forward = shear.windows(2).all(|w| w[1] > w[0]);
        let (times, across) = match forward {
            true => (shear, "shear strain"),
            false => (values("time", 0.0), "time (s)"),
        };
        let plot = |panels| Plot { title: title.to_owned(), times: times.clone(), panels };
        let linear = Scale::Linear;
        let state = plot(vec![
            panel("sin φ", "", linear, curve("sin_friction_angle", "sin φ", 0)),
            panel("volume strain", "", linear, curve("volume_strain", "compression", 1)),
            panel("solid fraction", "", linear, curve("solid_fraction", "Φ", 2)),
            panel("mean stress", stress, linear, curve("pressure", "p", 3)),
        ]);
        write_plot(&state, across, folder, "curves")?;
        let fabric = plot(vec![
            panel(
                "contacts per grain",
                "",
                linear,
                [
                    curve("coordination", "all grains", 0),
                    curve("coordination_without_rattlers", "without rattlers", 1),
                ]
                .concat(),
            ),
            panel("anisotropy", "", linear, curve("fabric_anisotropy", "fabric", 2)),
            panel(
                "friction",
                "",
                linear,
                [curve("mobilisation", "mobilised", 3), curve("sliding", "sliding contacts", 4)]
                    .concat(),
            ),
        ]);
        write_plot(&fabric, across, folder, "fabric")?;
        let Some(found) = &self.correlation else { return Ok(()) };
        let distance = |class: usize| (class as f64 + 0.5) * 0.05;
        let plot = Plot {
            title: format!("{title}: about {} grains", found.grains),
            times: (0..found.values.len()).map(distance).collect(),
            panels: vec![panel(
                "pair correlation",
                "",
                linear,
                vec![series("g", PALETTE[0], found.values.clone())],
            )],
        };
        write_plot(&plot, "distance / mean diameter", folder, "correlation")
    }
}

/// How grains moved between two frames of a run.
#[derive(Clone, Debug)]
pub struct Motion<S: Space> {
    /// The first moment.
    pub before: Sample<S>,
    /// The last.
    pub after: Sample<S>,
    /// Of every grain that is in both.
    pub non_affine: Vec<NonAffine>,
    /// Of triangles between grains, in the plane.
    pub strains: Vec<LocalStrain>,
}

/// Neighbourhood of D², and longest edge of a triangle, in mean diameters.
const NEIGHBOURHOOD: f64 = 2.5;

/// How grains moved from the first frame after `options.from` to the last up to `options.at`.
pub fn motion<S: Recorded>(run: &Run, options: &Options) -> Result<Motion<S>, Error> {
    let mut all = samples::<S>(run, options)?;
    let (Some(after), false) = (all.pop(), all.is_empty()) else {
        return Err(Error::Unfit("motion needs two frames: choose an earlier --from".to_owned()));
    };
    let before = all.swap_remove(0);
    let within = NEIGHBOURHOOD * before.mean_diameter();
    let non_affine = non_affine(&before, &after, within);
    let flat = |sample: &Sample<S>| Sample::<Plane> {
        time: sample.time,
        grains: sample
            .grains
            .iter()
            .map(|grain| drystone_analysis::Grain {
                position: DVec2::new(grain.position.get(0), grain.position.get(1)),
                radius: grain.radius,
                measure: grain.measure,
                mass: grain.mass,
                birth: grain.birth,
                velocity: DVec2::ZERO,
            })
            .collect(),
        contacts: Vec::new(),
        cell: sample.cell.and_then(|cell| cell.flat()),
    };
    let strains = match S::DIMENSION {
        2 => local_strains(&flat(&before), &flat(&after), within),
        _ => Vec::new(),
    };
    Ok(Motion { before, after, non_affine, strains })
}

impl<S: Space> Motion<S> {
    /// Writes `non_affine.csv`, and in the plane `local_strain.csv` with its picture.
    pub fn write(&self, folder: &Path, title: &str, pictures: bool) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        let axes = &["x", "y", "z"][..S::DIMENSION];
        let mut columns: Vec<String> = axes.iter().map(|&axis| axis.to_owned()).collect();
        columns.extend(axes.iter().map(|axis| format!("displacement_{axis}")));
        columns.extend(["d2".to_owned(), "neighbours".to_owned()]);
        let mut table = Table::create(folder.join("non_affine.csv"), &columns)?;
        for (index, found) in self.non_affine.iter().enumerate() {
            let old = self.before.grains[index].position;
            let moved = self.after.grains[index].position - old;
            let places = (0..S::DIMENSION).map(|i| old.get(i));
            let moves = (0..S::DIMENSION).map(|i| moved.get(i));
            let rest = [found.square, found.neighbours as f64];
            table.row(places.chain(moves).chain(rest).map(Some))?;
        }
        table.flush()?;
        if self.strains.is_empty() {
            return Ok(());
        }
        let columns = ["x", "y", "area", "volume", "shear", "rotation"].map(str::to_owned);
        let mut table = Table::create(folder.join("local_strain.csv"), &columns)?;
        for found in &self.strains {
            let centre = found.corners.iter().fold(S::Vector::ZERO, |sum, &grain| {
                sum + self.before.grains[grain].position / 3.0
            });
            let row = [
                centre.get(0),
                centre.get(1),
                found.area,
                found.volume,
                found.shear,
                found.rotation,
            ];
            table.row(row.map(Some))?;
        }
        table.flush()?;
        if pictures { self.draw(folder, title) } else { Ok(()) }
    }

    /// Triangles, coloured by the shear in them up to what nineteen of twenty have.
    fn draw(&self, folder: &Path, title: &str) -> Result<(), Error> {
        let at = |grain: usize| {
            let place = self.before.grains[grain].position;
            DVec2::new(place.get(0), place.get(1))
        };
        let all = self.strains.iter().flat_map(|strain| strain.corners).map(at);
        let (low, high) = all.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        let mut shears: Vec<f64> = self.strains.iter().map(|strain| strain.shear).collect();
        shears.sort_by(f64::total_cmp);
        let top = shears[shears.len() * 19 / 20].max(f64::MIN_POSITIVE);
        let scale = 960.0 / (high - low).max_element();
        let size = ((high - low) * scale + DVec2::new(40.0, 90.0)).ceil();
        let place = |p: DVec2| {
            DVec2::new(20.0 + (p.x - low.x) * scale, size.y - 45.0 - (p.y - low.y) * scale)
        };
        let (from, to) = (self.before.time, self.after.time);
        let head = format!("{title}: local shear from {from:.3} to {to:.3} s");
        let foot = format!("full colour: a shear of {top:.4}");
        let paint = |canvas: &mut dyn FnMut(&[DVec2], Colour)| {
            for strain in &self.strains {
                let corners = strain.corners.map(|grain| place(at(grain)));
                canvas(&corners, speed_colour((strain.shear / top).min(1.0)));
            }
        };
        let label = |canvas: &mut dyn FnMut(DVec2, &str, f64)| {
            canvas(DVec2::new(20.0, 28.0), &head, 18.0);
            canvas(DVec2::new(20.0, size.y - 15.0), &foot, 15.0);
        };
        let mut raster = Raster::new(size.x as u32, size.y as u32);
        raster.rectangle(DVec2::ZERO, size, Colour::WHITE);
        paint(&mut |corners, colour| raster.polygon(corners, colour));
        label(&mut |at, text, em| raster.text(at, text, em, Anchor::Start, Colour::INK));
        raster.write_png(&folder.join("local_strain.png"))?;
        let mut svg = Svg::new(size.x as u32, size.y as u32);
        paint(&mut |corners, colour| svg.polygon(corners, colour));
        label(&mut |at, text, em| svg.text(at, text, em, Anchor::Start, Colour::INK));
        Ok(svg.write(&folder.join("local_strain.svg"))?)
    }
}
