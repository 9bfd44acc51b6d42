//! Draws the figures of Feng et al. 2006 from the runs of their examples.
//!
//! ```text
//! drystone run scenes/cylinders_friction.toml -o out
//! cargo run --release -p drystone-record --example solid_figures -- energy out energy.png
//! drystone run scenes/plate.toml -o plate
//! cargo run --release -p drystone-record --example solid_figures -- shapes plate shapes.png 11
//! ```
//!
//! `energy`: kinetic, elastic and total energy and the loss by friction (Figs. 3 and 4); the shocks are
//! printed, with the time at which the solids were pressed most. `shapes`: so many deformed meshes at even
//! distances in time in one picture, and the path of the centre of mass (Fig. 1).

use drystone_record::archive::{Archive, Frame, Things};
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
        ["shapes", run, picture, count] => {
            shapes(Path::new(run), Path::new(picture), count.parse()?)
        }
        _ => Err("usage: solid_figures energy RUN PICTURE | shapes RUN PICTURE COUNT".into()),
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

fn shapes(run: &Path, picture: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let archive = Archive::open(run)?;
    let things = archive.things::<Plane>()?;
    let frames: Vec<Frame<Plane>> = archive.frames().collect::<Result<_, _>>()?;
    let nodes = || frames.iter().flat_map(|frame| frame.solids.iter().flat_map(|s| &s.positions));
    let low = nodes().fold(DVec2::INFINITY, |low, &x| low.min(x));
    let high = nodes().fold(DVec2::NEG_INFINITY, |high, &x| high.max(x));
    let (width, margin) = (1100.0, 40.0);
    let scale = (width - 2.0 * margin) / (high.x - low.x);
    let height = scale * (high.y - low.y) + 3.0 * margin;
    let place = |x: DVec2| {
        DVec2::new(margin + scale * (x.x - low.x), height - margin - scale * (x.y - low.y))
    };
    let mut raster = Raster::new(width as u32, height as u32);
    let floor = [low, DVec2::new(high.x, low.y)].map(place);
    raster.line(&floor, 2.0, Colour::INK);
    for shown in 0..count {
        let index = shown * (frames.len() - 1) / (count - 1).max(1);
        let frame = &frames[index];
        let colour = speed_colour(shown as f64 / count as f64);
        for (solid, thing) in frame.solids.iter().zip(&things.solids) {
            for face in &thing.faces {
                let corners: Vec<DVec2> =
                    face.iter().map(|&node| place(solid.positions[node as usize])).collect();
                raster.polygon(&corners, colour.faded(0.35));
                raster.outline(&corners, 0.8, Colour::INK.faded(0.5));
            }
            let top = solid.positions.iter().fold(DVec2::NEG_INFINITY, |top, &x| top.max(x));
            let at = DVec2::new(place(centre(&solid.positions)).x, place(top).y - 6.0);
            let text = format!("{:.1} ms", 1e3 * frame.time);
            raster.text(at, &text, 13.0, Anchor::Middle, Colour::INK);
        }
    }
    draw_paths(&mut raster, &frames, &things, place);
    Ok(raster.write_png(picture)?)
}

/// The mean place of the nodes, which stands for the centre of mass.
fn centre(nodes: &[DVec2]) -> DVec2 {
    nodes.iter().sum::<DVec2>() / nodes.len() as f64
}

fn draw_paths(
    raster: &mut Raster,
    frames: &[Frame<Plane>],
    things: &Things<Plane>,
    place: impl Fn(DVec2) -> DVec2,
) {
    for index in 0..things.solids.len() {
        let path: Vec<DVec2> =
            frames.iter().map(|frame| place(centre(&frame.solids[index].positions))).collect();
        raster.line(&path, 2.5, Colour::FORCE);
    }
}
