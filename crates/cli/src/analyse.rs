//! `drystone analyse`: what grains and contact forces of a recorded run say.

use crate::{Failure, Whole, report};
use clap::Args;
use drystone::analysis::{self, Analysis, Options, Recorded};
use drystone::prelude::{Plane, Volume};
use drystone::{Error, Run, with_analysis};
use std::path::{Path, PathBuf};

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
    /// Measure a specimen frame by frame instead, from `--from` to `--at`: strains, stress, fabric, coordination, void
    /// ratio; of several runs the means with standard errors.
    #[arg(long)]
    curves: bool,
    /// How grains moved instead, from `--from` to `--at`: local strain, and motion that no uniform strain explains.
    #[arg(long, conflicts_with = "curves")]
    motion: bool,
    /// Also measure the force across segments, given by radius and height of their ends, in metres.
    #[arg(long, value_name = "R,Z,R,Z", value_delimiter = ',', allow_hyphen_values = true)]
    cut_ends: Vec<f64>,
    /// Also draw where the grains lie that were born from one time to another, at `--times`.
    #[arg(long, value_name = "FROM,TO", value_delimiter = ',', num_args = 1, requires = "times")]
    born: Vec<f64>,
    /// When the grains of `--born` are looked at, in seconds.
    #[arg(long, value_name = "T,T", value_delimiter = ',', requires = "born")]
    times: Vec<f64>,
    /// Also draw the speeds of grains in five greys, between a speed (in m/s; `0` for the largest) times powers of a ratio.
    #[arg(long, value_name = "SPEED,RATIO", value_delimiter = ',')]
    avalanche: Vec<f64>,
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
            cut_ends: self.cut_ends.clone(),
        }
    }
}

impl Arguments {
    /// Curves of a specimen, or the motion of its grains.
    fn specimen<S: Recorded>(&self, runs: &[Run], folder: &Path) -> Result<(), Error> {
        let (title, pictures) = (&runs[0].about().title, !self.no_pictures);
        match self.curves {
            true => analysis::curves_in::<S>(runs, &self.options())?.write(folder, title, pictures),
            false => {
                analysis::motion::<S>(&runs[0], &self.options())?.write(folder, title, pictures)
            }
        }
    }

    /// The figures of Moreau's paper that are asked for.
    fn moreau<S: Recorded>(
        &self,
        run: &Run,
        found: &Analysis<S>,
        folder: &Path,
    ) -> Result<(), Error> {
        if let [from, to] = self.born[..] {
            let born = analysis::born::<S>(run, [from, to], &self.times, &self.axis)?;
            born.write(folder, &found.title)?;
        } else if !self.born.is_empty() {
            return Err(Error::Unfit("--born has two times: `--born 15.5,18.7`".to_owned()));
        }
        if let [speed, ratio] = self.avalanche[..] {
            let top = (speed != 0.0).then_some(speed);
            analysis::avalanche(&found.last, &found.title, top, ratio, folder)?;
        } else if !self.avalanche.is_empty() {
            return Err(Error::Unfit(
                "--avalanche has a speed and a ratio: `--avalanche 0.236,0.18`".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Analyses one frame of a run, or the mean of some, of one run or of several.
/// Tells whether all frames could be read that were asked for.
pub fn analyse(arguments: &Arguments) -> Result<Whole, Failure> {
    let told = |error: Error| error.message();
    let runs: Result<Vec<Run>, Error> = arguments.directory.iter().map(Run::open).collect();
    let runs = runs.map_err(told)?;
    let folder =
        arguments.output.clone().unwrap_or_else(|| arguments.directory[0].join("analysis"));
    if arguments.curves || arguments.motion {
        let flat = runs[0].about().dimension == 2;
        let made = if flat {
            arguments.specimen::<Plane>(&runs, &folder)
        } else {
            arguments.specimen::<Volume>(&runs, &folder)
        };
        made.map_err(told)?;
        report::print(&format!("{:<16} {}\n", "written to", folder.display()))?;
        // A frame that cannot be read is an error here.
        return Ok(Whole(true));
    }
    let found = analysis::analyse(&runs, &arguments.options()).map_err(told)?;
    with_analysis!(&found, found => {
        let damaged: Vec<&String> = found.taken.iter().flat_map(|taken| &taken.damaged).collect();
        for damage in &damaged {
            eprintln!("warning: left out: {damage}");
        }
        found.write_tables(&folder).map_err(told)?;
        if !arguments.no_pictures {
            found.write_pictures(&folder).map_err(told)?;
        }
        arguments.moreau(&runs[0], found, &folder).map_err(told)?;
        if let Some(path) = &arguments.json {
            found.write_figures(path).map_err(told)?;
        }
        report::print(&format!("{}{:<16} {}\n", found.text(), "written to", folder.display()))?;
        Ok(Whole(damaged.is_empty()))
    })
}
