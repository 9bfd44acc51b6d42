//! `drystone analyse`: what grains and contact forces of a recorded run say.

use crate::{Failure, Whole, report};
use clap::Args;
use drystone::analysis::{self, Options};
use drystone::{Error, Run, with_analysis};
use std::path::PathBuf;

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

impl Arguments {
    fn options(&self) -> Options {
        Options {
            at: self.at,
            from: self.from,
            scaled: self.scaled,
            axis: self.axis.clone(),
            region: self.region.clone(),
            floor: self.floor.clone(),
            ring: self.ring,
            cut: self.cut,
            layers: self.layers,
        }
    }
}

/// Analyses one frame of a run, or the mean of some, of one run or of several.
/// Tells whether all frames could be read that were asked for.
pub fn analyse(arguments: &Arguments) -> Result<Whole, Failure> {
    let told = |error: Error| error.message();
    let runs: Result<Vec<Run>, Error> = arguments.directory.iter().map(Run::open).collect();
    let found = analysis::analyse(&runs.map_err(told)?, &arguments.options()).map_err(told)?;
    let folder =
        arguments.output.clone().unwrap_or_else(|| arguments.directory[0].join("analysis"));
    with_analysis!(&found, found => {
        let damaged: Vec<&String> = found.taken.iter().flat_map(|taken| &taken.damaged).collect();
        for damage in &damaged {
            eprintln!("warning: left out: {damage}");
        }
        found.write_tables(&folder).map_err(told)?;
        if !arguments.no_pictures {
            found.write_pictures(&folder).map_err(told)?;
        }
        if let Some(path) = &arguments.json {
            found.write_figures(path).map_err(told)?;
        }
        report::print(&format!("{}{:<16} {}\n", found.text(), "written to", folder.display()))?;
        Ok(Whole(damaged.is_empty()))
    })
}
