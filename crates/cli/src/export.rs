//! `drystone export`: a recorded run for other programs.

use crate::run::told;
use crate::{Failure, Whole, report};
use clap::{Args, ValueEnum};
use drystone::{Export, Run};
use std::path::PathBuf;
use std::time::Instant;

/// What a run can be exported to.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    /// A folder of VTK files for ParaView: bodies, shapes, contacts, boundaries.
    Vtk,
    /// A folder with bodies.csv and contacts.csv.
    Csv,
    /// A folder of pictures.
    Png,
    /// A film of these pictures: an animated GIF.
    Gif,
    /// The same film as MP4 (H.264), by the program ffmpeg.
    Mp4,
    /// A folder of FCLib files: the contact problem of each frame's step.
    Fclib,
    /// One page that plays in a browser without a server.
    Html,
}

/// Arguments of `export`.
#[derive(Args)]
pub struct Arguments {
    /// Directory of the run.
    directory: PathBuf,
    /// What to write.
    #[arg(long, value_name = "KIND")]
    to: Kind,
    /// Where to: a folder, or the file of the film or the page.
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// Another run, beside this one in the page.
    #[arg(long, value_name = "DIR")]
    beside: Option<PathBuf>,
    /// Frames of a run in the page at most.
    #[arg(long, value_name = "N", default_value = "400")]
    frames: std::num::NonZeroUsize,
    /// Pictures of the forces instead of the bodies.
    #[arg(long)]
    forces: bool,
    /// Frames in a second of the film; of a GIF at most 50.
    #[arg(long, value_name = "N", default_value = "25")]
    rate: std::num::NonZeroU16,
}

/// Exports a run; tells whether all of it was, or frames were damaged and left out.
pub fn export(arguments: &Arguments) -> Result<Whole, Failure> {
    let started = Instant::now();
    let run = Run::open(&arguments.directory).map_err(told)?;
    let to = match arguments.to {
        Kind::Vtk => Export::Vtk,
        Kind::Csv => Export::Csv,
        Kind::Png => Export::Png { forces: arguments.forces },
        Kind::Gif => Export::Gif { forces: arguments.forces, rate: arguments.rate },
        Kind::Mp4 => Export::Mp4 { forces: arguments.forces, rate: arguments.rate },
        Kind::Fclib => Export::Fclib,
        Kind::Html => Export::Html { frames: arguments.frames.get() },
    };
    let exported = match &arguments.beside {
        None => run.export(to, &arguments.output),
        Some(_) if arguments.to != Kind::Html => {
            return Err("`--beside` is for the page: `--to html`".into());
        }
        Some(other) => Run::open(other)
            .and_then(|other| run.export_beside(&other, arguments.frames.get(), &arguments.output)),
    }
    .map_err(told)?;
    for damage in &exported.damaged {
        eprintln!("warning: left out: {damage}");
    }
    let output = arguments.output.display();
    let (seconds, megabytes) = (started.elapsed().as_secs_f64(), exported.bytes as f64 / 1e6);
    let (frames, of) = (exported.frames, run.frames());
    report::print(&match arguments.to {
        Kind::Fclib => format!("{frames} of {of} frames have contacts: {output}\n"),
        Kind::Html if arguments.beside.is_some() => {
            format!("{frames} frames of two runs, {megabytes:.1} MB: {output}\n")
        }
        Kind::Html => format!("{frames} of {of} frames, {megabytes:.1} MB: {output}\n"),
        _ => format!(
            "{frames} frames, {megabytes:.1} MB in {seconds:.2} s ({:.0} MB/s): {output}\n",
            megabytes / seconds.max(1e-9)
        ),
    })?;
    Ok(Whole(exported.damaged.is_empty()))
}
