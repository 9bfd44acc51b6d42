//! How many grains have left a hopper, beside the law of Beverloo et al. 1961.
//!
//! ```sh
//! drystone run scenes/hopper.toml -o out
//! cargo run --release -p drystone-cli --example outflow -- out docs/pictures
//! ```
//!
//! In the plane the law is a rate of C φ √g (D − k d)^{3/2} by area, D being the outlet, d the diameter of
//! grains and φ the solid fraction; k = 1.4 is Beverloo's, and C is what the run shows.

use drystone_record::archive::Archive;
use drystone_record::draw::Raster;
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_space::{Plane, Vector};
use std::error::Error;
use std::path::PathBuf;

/// Height of the outlet, and its width.
const OUTLET: (f64, f64) = (0.0, 0.12);
/// When the gate vanishes, and how long the flow takes to become steady.
const START: (f64, f64) = (1.0, 0.2);
/// The rate is that of grains between these parts of all.
const STEADY: (f64, f64) = (0.1, 0.7);
/// Beverloo's number of diameters by which the outlet seems narrower.
const NARROWING: f64 = 1.4;
/// Solid fraction of the flowing grains, about.
const SOLID: f64 = 0.8;
const GRAVITY: f64 = 9.81;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1).map(PathBuf::from);
    let (Some(run), Some(directory)) = (paths.next(), paths.next()) else {
        return Err("usage: outflow RUN DIRECTORY".into());
    };
    let archive = Archive::open(&run)?;
    let catalogue = archive.catalogue::<Plane>()?;
    let count = catalogue.bodies.len() as f64;
    let area: f64 = catalogue.bodies.iter().map(|body| body.volume()).sum();
    let diameter = 2.0 * (area / count / std::f64::consts::PI).sqrt();
    let mut out = Vec::new();
    for frame in archive.frames::<Plane>() {
        let frame = frame?;
        let below = frame.bodies.iter().filter(|b| b.pose.position.get(1) < OUTLET.0).count();
        out.push((frame.time, below as f64));
    }
    let steady: Vec<(f64, f64)> = out
        .iter()
        .copied()
        .filter(|(time, n)| {
            *time > START.0 + START.1 && *n > STEADY.0 * count && *n < STEADY.1 * count
        })
        .collect();
    let mean = |value: &dyn Fn(&(f64, f64)) -> f64| {
        steady.iter().map(value).sum::<f64>() / steady.len().max(1) as f64
    };
    let (t, n) = (mean(&|p| p.0), mean(&|p| p.1));
    let rate = mean(&|p| (p.0 - t) * (p.1 - n)) / mean(&|p| (p.0 - t) * (p.0 - t));
    let unit = SOLID * GRAVITY.sqrt() * (OUTLET.1 - NARROWING * diameter).powf(1.5) * count / area;
    println!("{rate:.0} grains per second, C = {:.2}", rate / unit);
    let half = steady.len() / 2;
    for (name, part) in [("first", &steady[..half]), ("second", &steady[half..])] {
        if let (Some(a), Some(b)) = (part.first(), part.last()) {
            println!("{name} half: {:.0} per second", (b.1 - a.1) / (b.0 - a.0));
        }
    }
    let line = |p: &(f64, f64)| match (n + rate * (p.0 - t), p.0 > START.0) {
        (value, true) if value >= 0.0 && value <= count => value,
        _ => f64::NAN,
    };
    let series = |name: String, colour: usize, values: Vec<f64>| Series {
        name,
        colour: PALETTE[colour],
        values,
    };
    let axis = |label: &str, unit: &str| Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        scale: Scale::Linear,
    };
    let plot = Plot {
        title: archive.about().title.clone(),
        times: out.iter().map(|p| p.0).collect(),
        panels: vec![Panel {
            axis: axis("grains below the outlet", ""),
            series: vec![
                series("run".to_owned(), 0, out.iter().map(|p| p.1).collect()),
                series(format!("{rate:.0} per second"), 1, out.iter().map(line).collect()),
            ],
            weight: 1.0,
        }],
    };
    let mut raster = Raster::new(860, 480);
    plot.draw_against(&mut raster, &axis("time (s)", ""));
    raster.write_png(&directory.join("outflow.png"))?;
    Ok(())
}
