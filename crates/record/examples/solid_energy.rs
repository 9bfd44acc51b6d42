//! Draws kinetic, elastic and total energy of a run from its `ledger.csv`, as Feng et al. 2006, Figs 3, 4.
//!
//! ```text
//! drystone run scenes/cylinders_friction.toml -o out
//! cargo run --release -p drystone-record --example solid_energy -- out/ledger.csv energy.png "a title"
//! ```

use drystone_record::draw::Raster;
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, table, picture, title] = &arguments[..] else {
        return Err("usage: solid_energy LEDGER.csv PICTURE.png TITLE".into());
    };
    let text = std::fs::read_to_string(table)?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().ok_or("an empty table")?.split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(str::parse).collect::<Result<_, _>>())
        .collect::<Result<_, _>>()?;
    let column = |name: &str| -> Result<Vec<f64>, String> {
        let index = names.iter().position(|n| *n == name).ok_or(format!("no column `{name}`"))?;
        Ok(rows.iter().map(|row| row[index]).collect())
    };
    let (kinetic, elastic) = (column("kinetic")?, column("elastic")?);
    let total = kinetic.iter().zip(&elastic).map(|(k, e)| k + e).collect();
    let series = [("total", total), ("kinetic", kinetic), ("elastic", elastic)];
    let plot = Plot {
        title: title.clone(),
        times: column("time")?,
        panels: vec![Panel {
            axis: Axis { label: "energy".to_owned(), unit: "J".to_owned(), scale: Scale::Linear },
            series: series
                .into_iter()
                .zip(PALETTE)
                .map(|((name, values), colour)| Series { name: name.to_owned(), colour, values })
                .collect(),
            weight: 1.0,
        }],
    };
    let mut raster = Raster::new(960, 520);
    plot.draw(&mut raster);
    Ok(raster.write_png(Path::new(picture))?)
}
