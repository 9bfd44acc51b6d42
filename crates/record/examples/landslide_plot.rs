//! Draws the figures of the landslides from the tables of their runs.
//!
//! ```text
//! cargo run --release -p drystone-record --example landslide_plot -- \
//!     runs/landslide_300 runs/landslide_1225 runs/landslide_wall docs/pictures
//! cargo run --release -p drystone-record --example landslide_plot -- friction \
//!     runs/landslide_300 runs/landslide_friction docs/pictures
//! ```
//!
//! The second draws the kinetic energy of the flow without and with friction, and both deposits.
//!
//! Kinetic energy in both phases (Dal Pont & Dimnet 2006, Figs. 4 and 9), the profile of the deposit,
//! and the force on the wall at the foot. The run-outs are printed.

use drystone_record::draw::Raster;
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_record::run::Summary;
use std::error::Error;
use std::path::Path;

/// Columns of the profile are this wide, in metres.
const COLUMN: f64 = 1.0;
/// Forces on the wall are means over this time, in seconds.
const MEAN: f64 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, without, with, folder] = &arguments[..]
        && word == "friction"
    {
        return beside(Path::new(without), Path::new(with), Path::new(folder));
    }
    let [_, few, many, wall, folder] = &arguments[..] else {
        return Err("usage: landslide_plot RUN_300 RUN_1225 RUN_WALL FOLDER".into());
    };
    let folder = Path::new(folder);
    let runs = [("300 polygons", Path::new(few)), ("1225 polygons", Path::new(many))];
    let packing = runs.map(|(name, run)| kinetic(name, run, true));
    write(
        plot("Kinetic energy while packing", packing.into_iter().collect::<Result<_, _>>()?, "J"),
        "time since the start (s)",
        &folder.join("landslide_packing.png"),
    )?;
    let flow = runs.map(|(name, run)| kinetic(name, run, false));
    write(
        plot("Kinetic energy of the flow", flow.into_iter().collect::<Result<_, _>>()?, "J"),
        "time since the barrier was removed (s)",
        &folder.join("landslide_flow.png"),
    )?;
    let profiles = runs.map(|(name, run)| profile(name, run));
    write(
        plot("Deposit at the end", profiles.into_iter().collect::<Result<_, _>>()?, "m"),
        "distance from the barrier (m)",
        &folder.join("landslide_profile.png"),
    )?;
    write(
        plot("Force on the wall at the foot", vec![force(Path::new(wall))?], "N"),
        "time since the barrier was removed (s)",
        &folder.join("landslide_force.png"),
    )
}

/// The landslide without and with friction.
fn beside(without: &Path, with: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let runs = [("without Coulomb's bound", without), ("friction 0.3", with)];
    let flow = runs.map(|(name, run)| kinetic(name, run, false));
    write(
        plot("Kinetic energy of the flow", flow.into_iter().collect::<Result<_, _>>()?, "J"),
        "time since the barrier was removed (s)",
        &folder.join("landslide_friction_flow.png"),
    )?;
    let profiles = runs.map(|(name, run)| profile(name, run));
    write(
        plot("Deposit at the end", profiles.into_iter().collect::<Result<_, _>>()?, "m"),
        "distance from the barrier (m)",
        &folder.join("landslide_friction_profile.png"),
    )
}

/// A curve by itself: places and values.
struct Curve {
    name: String,
    label: &'static str,
    places: Vec<f64>,
    values: Vec<f64>,
}

/// Curves over the places of the longest; each is read between its own places.
fn plot(title: &str, curves: Vec<Curve>, unit: &str) -> Plot {
    let longest = curves.iter().max_by_key(|curve| curve.places.len());
    let times = longest.map_or_else(Vec::new, |curve| curve.places.clone());
    let series = curves.iter().enumerate().map(|(index, curve)| Series {
        name: curve.name.clone(),
        colour: PALETTE[index],
        values: times.iter().map(|&t| curve.at(t)).collect(),
    });
    let label = curves.first().map_or("", |curve| curve.label).to_owned();
    let axis = Axis { label, unit: unit.to_owned(), scale: Scale::Linear };
    let panel = Panel { axis, series: series.collect(), weight: 1.0 };
    Plot { title: title.to_owned(), times, panels: vec![panel] }
}

impl Curve {
    /// The value at a place; no number outside.
    fn at(&self, place: f64) -> f64 {
        let after = self.places.partition_point(|&p| p < place);
        let (Some(&high), Some(&top)) = (self.places.get(after), self.values.get(after)) else {
            return f64::NAN;
        };
        let Some(before) = after.checked_sub(1) else {
            return if high == place { top } else { f64::NAN };
        };
        let (low, bottom) = (self.places[before], self.values[before]);
        bottom + (top - bottom) * (place - low) / (high - low)
    }
}

fn write(plot: Plot, across: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut raster = Raster::new(1280, 560);
    plot.draw_against(&mut raster, &Axis { label: across.to_owned(), ..Axis::default() });
    Ok(raster.write_png(path)?)
}

/// When the barrier was removed.
fn release(run: &Path) -> Result<f64, Box<dyn Error>> {
    let phases = Summary::read(run)?.phases;
    phases.first().map(|phase| phase.time).ok_or_else(|| "the packing is not over".into())
}

/// Rows of a table: the time, and the columns that are asked for.
fn table<T>(
    path: &Path,
    pick: impl Fn(&[&str]) -> Result<T, Box<dyn Error>>,
    mut row: impl FnMut(&T, &[f64]),
) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let columns = pick(&head)?;
    for line in lines {
        let values: Vec<f64> = line.split(',').map(|v| v.parse().unwrap_or(f64::NAN)).collect();
        row(&columns, &values);
    }
    Ok(())
}

/// Where a column is.
fn column(head: &[&str], name: &str) -> Result<usize, Box<dyn Error>> {
    let place = head.iter().position(|column| *column == name);
    place.ok_or_else(|| format!("no column `{name}`").into())
}

fn kinetic(name: &str, run: &Path, packing: bool) -> Result<Curve, Box<dyn Error>> {
    let release = release(run)?;
    let (mut places, mut values) = (Vec::new(), Vec::new());
    table(
        &run.join("ledger.csv"),
        |head| column(head, "kinetic"),
        |&kinetic, row| {
            let from = if packing { 0.0 } else { release };
            if (row[0] <= release) == packing && places.last() != Some(&(row[0] - from)) {
                places.push(row[0] - from);
                values.push(row[kinetic]);
            }
        },
    )?;
    Ok(Curve { name: name.to_owned(), label: "kinetic energy", places, values })
}

/// Height of the highest body in columns of the slide, from the last row of the table of bodies.
fn profile(name: &str, run: &Path) -> Result<Curve, Box<dyn Error>> {
    let mut last: Vec<(f64, f64)> = Vec::new();
    table(
        &run.join("bodies.csv"),
        |head| {
            let ends =
                |end: &str| (0..head.len()).filter(|&i| head[i].ends_with(end)).collect::<Vec<_>>();
            Ok((ends(".x"), ends(".y")))
        },
        |(x, y), row| last = x.iter().zip(y).map(|(&x, &y)| (row[x], row[y])).collect(),
    )?;
    let ground = |x: f64| (2.8 - 0.7 * (x + 4.0)).max(-5.6);
    // A body that has left the floor at its end is no part of the deposit.
    last.retain(|&(x, y)| y > ground(x));
    let mut xs: Vec<f64> = last.iter().map(|point| point.0).collect();
    xs.sort_by(f64::total_cmp);
    let part = |share: f64| xs[((xs.len() - 1) as f64 * share) as usize] + 4.0;
    println!(
        "{name}: half of the bodies are within {:.1} m of the barrier, 95 % within {:.1} m, all \
         within {:.1} m",
        part(0.5),
        part(0.95),
        part(1.0)
    );
    let count = ((part(1.0) + 16.0) / COLUMN).ceil() as usize;
    let places: Vec<f64> = (0..count).map(|i| (i as f64 + 0.5) * COLUMN - 16.0).collect();
    let height = |place: &f64| {
        let inside = |x: f64| (x + 4.0 - place).abs() <= 0.5 * COLUMN;
        last.iter().filter(|p| inside(p.0)).map(|p| p.1 - ground(p.0)).fold(0.0, f64::max)
    };
    let values = places.iter().map(height).collect();
    Ok(Curve { name: name.to_owned(), label: "height of the deposit", places, values })
}

fn force(run: &Path) -> Result<Curve, Box<dyn Error>> {
    let release = release(run)?;
    let (mut places, mut values) = (Vec::new(), Vec::new());
    let (mut sum, mut count, mut end) = (0.0, 0.0, MEAN);
    table(
        &run.join("boundaries.csv"),
        |head| column(head, "wall.fx"),
        |&wall, row| {
            let time = row[0] - release;
            if time < 0.0 {
                return;
            }
            if time >= end {
                places.push(end - 0.5 * MEAN);
                values.push(sum / f64::max(count, 1.0));
                (sum, count, end) = (0.0, 0.0, end + MEAN);
            }
            sum += row[wall];
            count += 1.0;
        },
    )?;
    println!("largest force on the wall: {:.3e} N", values.iter().copied().fold(0.0, f64::max));
    Ok(Curve { name: "wall".to_owned(), label: "force", places, values })
}
