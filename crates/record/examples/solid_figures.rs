//! Draws the figures of Feng et al. 2006 from the runs of their examples.
//!
//! ```text
//! drystone run scenes/cylinders_friction.toml -o out
//! cargo run --release -p drystone-record --example solid_figures -- energy out energy.png
//! drystone run scenes/plate.toml -o plate
//! cargo run --release -p drystone-record --example solid_figures -- shapes plate shapes.png 6
//! cargo run --release -p drystone-record --example solid_figures -- schemes out theta schemes.png
//! ```
//!
//! `schemes`: the total energy of two runs of the same scene by two schemes, and what the scheme
//! itself has made or taken. `energy`: kinetic, elastic and total energy and the loss by friction (Figs. 3 and 4); the shocks are
//! printed, with the time at which the solids were pressed most. `shapes`: so many deformed meshes at even
//! distances in time, coloured by von Mises' stress, and the path of the centre of mass (Fig. 1).

use drystone_record::archive::{Archive, Catalogue, Frame};
use drystone_record::draw::{Anchor, Canvas, Colour, Raster, speed_colour};
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_record::{RecordError, table};
use drystone_space::{DVec2, Plane};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["energy", run, picture] => energy(Path::new(run), Path::new(picture)),
        ["schemes", first, second, picture] => {
            schemes([first, second].map(Path::new), Path::new(picture))
        }
        ["shapes", run, picture, count] => {
            shapes(Path::new(run), Path::new(picture), count.parse()?)
        }
        _ => Err("usage: solid_figures energy RUN PICTURE | schemes CONSERVING THETA PICTURE | \
                  shapes RUN PICTURE COUNT"
            .into()),
    }
}

/// A table of a run, column by column.
struct Columns(Vec<String>, Vec<Vec<f64>>);

impl Columns {
    fn read(path: &Path) -> Result<Self, RecordError> {
        table::read(path).map(|(names, rows)| Self(names, rows))
    }
    fn get(&self, name: &str) -> Result<Vec<f64>, String> {
        let index = self.0.iter().position(|n| n == name).ok_or(format!("no column `{name}`"))?;
        Ok(self.1.iter().map(|row| row[index]).collect())
    }
}

fn energy(run: &Path, picture: &Path) -> Result<(), Box<dyn Error>> {
    let ledger = Columns::read(&run.join("ledger.csv"))?;
    let (kinetic, elastic) = (ledger.get("kinetic")?, ledger.get("elastic")?);
    let total: Vec<f64> = kinetic.iter().zip(&elastic).map(|(k, e)| k + e).collect();
    let friction = ledger.get("friction_loss")?;
    let times = ledger.get("time")?;
    let contacts = Columns::read(&run.join("steps.csv"))?.get("contacts")?;
    shocks(&times, &contacts, &elastic, &total);
    let curves = [
        ("total", total),
        ("kinetic", kinetic),
        ("elastic", elastic),
        ("lost by friction", friction),
    ];
    let plot = Plot {
        title: Archive::open(run)?.about().title.clone(),
        times,
        panels: vec![Panel {
            axis: Axis { label: "energy".to_owned(), unit: "J".to_owned(), scale: Scale::Linear },
            series: curves
                .into_iter()
                .zip(PALETTE)
                .map(|((name, values), colour)| Series { name: name.to_owned(), colour, values })
                .collect(),
            weight: 1.0,
        }],
    };
    let mut raster = Raster::new(1100, 520);
    plot.draw(&mut raster);
    Ok(raster.write_png(picture)?)
}

/// Energies of a run by the conserving scheme and of one by θ and ξ.
fn schemes(runs: [&Path; 2], picture: &Path) -> Result<(), Box<dyn Error>> {
    let names = ["conserving", "θ = ξ = ½"];
    let (mut totals, mut made, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for ((run, name), colour) in runs.iter().zip(names).zip(PALETTE) {
        let ledger = Columns::read(&run.join("ledger.csv"))?;
        let (kinetic, elastic) = (ledger.get("kinetic")?, ledger.get("elastic")?);
        let total: Vec<f64> = kinetic.iter().zip(&elastic).map(|(k, e)| k + e).collect();
        let scheme = ledger.get("scheme_work")?;
        let ends = (total[total.len() - 1] / total[0], scheme[scheme.len() - 1] / total[0]);
        println!(
            "{name}: {:.6} of the energy is left, the scheme has made {:.2e} of it",
            ends.0, ends.1
        );
        times = ledger.get("time")?;
        totals.push(Series { name: name.to_owned(), colour, values: total });
        made.push(Series { name: name.to_owned(), colour, values: scheme });
    }
    let axis = |label: &str, unit: &str| Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        scale: Scale::Linear,
    };
    let plot = Plot {
        title: Archive::open(runs[0])?.about().title.clone(),
        times,
        panels: vec![
            Panel { axis: axis("energy", "J"), series: totals, weight: 1.0 },
            Panel { axis: axis("made by the scheme", "J"), series: made, weight: 1.0 },
        ],
    };
    let mut raster = Raster::new(1100, 640);
    plot.draw(&mut raster);
    Ok(raster.write_png(picture)?)
}

/// Contacts that are apart by less than this belong to one shock, in seconds.
const PAUSE: f64 = 0.1;

/// Prints when something touched, when it was pressed most, and what became of the energy.
fn shocks(times: &[f64], contacts: &[f64], elastic: &[f64], total: &[f64]) {
    let mut touching = (0..times.len()).filter(|&i| contacts[i] > 0.0).peekable();
    println!("| from, s | pressed most, s | to, s | total energy afterwards |");
    println!("|---|---|---|---|");
    while let Some(first) = touching.next() {
        let mut last = first;
        while let Some(next) = touching.next_if(|&i| times[i] - times[last] < PAUSE) {
            last = next;
        }
        let pressed = (first..=last).max_by(|&a, &b| elastic[a].total_cmp(&elastic[b]));
        let pressed = pressed.unwrap_or(first);
        let kept = total[(last + 1).min(total.len() - 1)] / total[0];
        println!(
            "| {:.2} | {:.2} | {:.2} | {:.6} |",
            times[first], times[pressed], times[last], kept
        );
    }
}

/// Of the picture of shapes, in pixels.
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 24.0;

fn shapes(run: &Path, picture: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let archive = Archive::open(run)?;
    let catalogue = archive.catalogue::<Plane>()?;
    let frames: Vec<Frame<Plane>> = archive.frames().collect::<Result<_, _>>()?;
    let nodes = || frames.iter().flat_map(|frame| frame.solids.iter().flat_map(|s| &s.positions));
    let low = nodes().fold(DVec2::INFINITY, |low, &x| low.min(x));
    let high = nodes().fold(DVec2::NEG_INFINITY, |high, &x| high.max(x));
    let column = (WIDTH - MARGIN) / count as f64;
    let scale = (column - MARGIN) / (high.x - low.x);
    let height = scale * (high.y - low.y) + 3.0 * MARGIN;
    let mut raster = Raster::new(WIDTH as u32, height as u32);
    let top = frames.iter().flat_map(|f| &f.solids).flat_map(|s| &s.stresses);
    let top = top.map(|stress| stress.von_mises()).fold(0.0, f64::max);
    for shown in 0..count {
        let last = shown * (frames.len() - 1) / (count - 1).max(1);
        let left = MARGIN + column * shown as f64;
        let place = |x: DVec2| {
            DVec2::new(left + scale * (x.x - low.x), height - MARGIN - scale * (x.y - low.y))
        };
        draw_shape(&mut raster, &frames[..=last], &catalogue, top, place);
        let floor = [low, DVec2::new(high.x, low.y)].map(place);
        raster.line(&floor, 2.0, Colour::INK);
        let at = DVec2::new(left + 0.5 * (column - MARGIN), MARGIN);
        let text = format!("{:.1} ms", 1e3 * frames[last].time);
        raster.text(at, &text, 15.0, Anchor::Middle, Colour::INK);
    }
    Ok(raster.write_png(picture)?)
}

/// The last frame in the colours of von Mises' stress, with the first one behind it as a shadow and the
/// path of the centre of mass between them.
fn draw_shape(
    raster: &mut Raster,
    frames: &[Frame<Plane>],
    catalogue: &Catalogue<Plane>,
    top: f64,
    place: impl Fn(DVec2) -> DVec2,
) {
    let (first, last) = (&frames[0], &frames[frames.len() - 1]);
    for (index, entry) in catalogue.solids.iter().enumerate() {
        for (solid, shadow) in [(&first.solids[index], true), (&last.solids[index], false)] {
            for face in &entry.faces {
                let nodes = || face.iter().map(|&node| node as usize);
                let corners: Vec<DVec2> = nodes().map(|n| place(solid.positions[n])).collect();
                let stress = nodes().map(|n| solid.stresses[n].von_mises()).sum::<f64>();
                let colour = match shadow {
                    true => Colour::BOUNDARY.faded(0.35),
                    false => speed_colour(stress / (top * face.len() as f64)),
                };
                raster.polygon(&corners, colour);
                if !shadow {
                    raster.outline(&corners, 0.8, Colour::INK.faded(0.5));
                }
            }
        }
        // The mean place of the nodes stands for the centre of mass.
        let centre = |frame: &Frame<Plane>| {
            let nodes = &frame.solids[index].positions;
            place(nodes.iter().sum::<DVec2>() / nodes.len() as f64)
        };
        let path: Vec<DVec2> = frames.iter().map(centre).collect();
        raster.line(&path, 2.5, Colour::FORCE);
    }
}
