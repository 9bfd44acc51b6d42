//! Draws stress ratio and volume of a biaxial test from its `boundaries.csv`.
//!
//! ```text
//! drystone run scenes/biaxial.toml -o out
//! cargo run --release -p drystone-record --example biaxial_plot -- out/boundaries.csv biaxial.png
//! ```

use drystone_record::draw::Raster;
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use std::error::Error;
use std::path::Path;

/// When the right wall starts to move.
const START: f64 = 0.7;
/// Samples that one point of the curve of forces is the mean of: 10 ms.
const MEAN: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, table, picture] = &arguments[..] else {
        return Err("usage: biaxial_plot BOUNDARIES.csv PICTURE.png".into());
    };
    let table = Table::read(&std::fs::read_to_string(table)?)?;
    let mut raster = Raster::new(960, 640);
    plot(&table)?.draw(&mut raster);
    Ok(raster.write_png(Path::new(picture))?)
}

fn plot(table: &Table) -> Result<Plot, String> {
    let [time, width, height] = ["time", "right.x", "upper.y"].map(|name| table.column(name));
    let (time, width, height) = (time?, width?, height?);
    let (push, load) = (smooth(&table.column("right.fx")?), smooth(&table.column("upper.fy")?));
    let first = time.iter().position(|&t| t >= START).ok_or("the wall never starts")?;
    let rows = first..time.len();
    let volume = width[first] * height[first];
    let panel = |label: &str, colour: usize, value: &dyn Fn(usize) -> f64| Panel {
        axis: Axis { label: label.to_owned(), unit: String::new(), scale: Scale::Linear },
        series: vec![Series {
            name: label.to_owned(),
            colour: PALETTE[colour],
            values: rows.clone().map(value).collect(),
        }],
        weight: 1.0,
    };
    Ok(Plot {
        title: "Biaxial test of rollers: shortened by 25 % per second".to_owned(),
        times: rows.clone().map(|i| time[i] - START).collect(),
        panels: vec![
            panel("stress ratio", 0, &|i| (push[i] / height[i]) / (load[i] / width[i])),
            panel("change of volume (%)", 1, &|i| 100.0 * (width[i] * height[i] / volume - 1.0)),
        ],
    })
}

/// Means over neighbours.
fn smooth(values: &[f64]) -> Vec<f64> {
    let mean = |i: usize| {
        let (low, high) = (i.saturating_sub(MEAN / 2), (i + MEAN / 2 + 1).min(values.len()));
        values[low..high].iter().sum::<f64>() / (high - low) as f64
    };
    (0..values.len()).map(mean).collect()
}

/// A table of numbers under one line of names.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    fn read(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut lines = text.lines();
        let names = lines.next().ok_or("empty table")?.split(',').map(str::to_owned).collect();
        let cells = |line: &str| line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
        let rows = lines.map(cells).collect::<Result<_, _>>()?;
        Ok(Self { names, rows })
    }
    fn column(&self, name: &str) -> Result<Vec<f64>, String> {
        let index = self.names.iter().position(|n| n == name);
        let index = index.ok_or_else(|| format!("no column `{name}`"))?;
        let cell =
            |row: &Vec<f64>| row.get(index).copied().ok_or(format!("a row without `{name}`"));
        self.rows.iter().map(cell).collect()
    }
}
