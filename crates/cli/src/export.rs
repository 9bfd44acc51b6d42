//! `drystone export`: a recorded run for other programs.

use crate::dump::{Dump, Which};
use crate::resume::recorded_scene;
use crate::run::{picture_settings, plain};
use crate::{Failure, report};
use clap::{Args, ValueEnum};
use drystone_engine::{AnyWorld, World, with_world};
use drystone_record::archive::{Archive, ContactFrame, Recorded};
use drystone_record::export::{Exported, csv, png, vtk};
use drystone_record::picture::Subject;
use drystone_solve::Gather;
use drystone_space::with_space;
use drystone_viewer::{Show, write_html};
use std::path::{Path, PathBuf};
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
    /// Where to: a folder, or the file of the page.
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// Frames in the page at most.
    #[arg(long, value_name = "N", default_value = "400")]
    frames: std::num::NonZeroUsize,
    /// Pictures of the forces instead of the bodies.
    #[arg(long)]
    forces: bool,
}

/// Exports a run.
pub fn export(arguments: &Arguments) -> Result<(), Failure> {
    let started = Instant::now();
    let directory = arguments.directory.as_path();
    let output = arguments.output.as_path();
    let archive = Archive::open(directory).map_err(|error| plain(&error))?;
    if arguments.to == Kind::Html {
        return html(directory, output, arguments.frames.get());
    }
    let dimension = archive.about().dimension;
    let exported = match arguments.to {
        Kind::Vtk => with_space!(dimension, S => vtk::write::<S>(&archive, output)),
        Kind::Csv => with_space!(dimension, S => csv::write::<S>(&archive, output)),
        _ => {
            let (scene, _) = recorded_scene(&archive, directory)?;
            let world = scene.world().map_err(|error| plain(&error))?;
            if arguments.to == Kind::Fclib {
                return fclib(&archive, world, output);
            }
            let subject = if arguments.forces { Subject::Forces } else { Subject::Bodies };
            with_world!(world, world => {
                png::write(&archive, &picture_settings(&scene), subject, &world, output)
            })
        }
    };
    tell(&exported.map_err(|error| plain(&error))?, output, started)
}

fn tell(exported: &Exported, output: &Path, started: Instant) -> Result<(), Failure> {
    for damage in &exported.damaged {
        eprintln!("warning: left out: {damage}");
    }
    let (seconds, megabytes) = (started.elapsed().as_secs_f64(), exported.bytes as f64 / 1e6);
    report::print(&format!(
        "{} frames, {megabytes:.1} MB in {seconds:.2} s ({:.0} MB/s): {}\n",
        exported.frames,
        megabytes / seconds.max(1e-9),
        output.display()
    ))
}

fn html(directory: &Path, output: &Path, most: usize) -> Result<(), Failure> {
    let show = Show::open(directory).map_err(|error| plain(&error))?;
    let size = write_html(&show, most, output).map_err(|error| plain(&error))?;
    report::print(&format!(
        "{} of {} frames, {:.1} MB: {}\n",
        size.frames,
        size.of,
        size.bytes as f64 / 1e6,
        output.display()
    ))
}

/// Computes the run again, and writes the problems of the steps that frames show.
fn fclib(archive: &Archive, world: AnyWorld, output: &Path) -> Result<(), Failure> {
    let steps = archive.steps().map_err(|error| plain(&error))?;
    let wanted = Which::These(steps.iter().filter_map(|step| step.checked_sub(1)).collect());
    let dump = Dump::to(Some(output), &wanted, &archive.about().title)?;
    let last = steps.last().copied().unwrap_or(0);
    let written = with_world!(world, world => again(world, archive, &steps, last, &dump))?;
    let folder = output.display();
    report::print(&format!("{written} of {} frames have contacts: {folder}\n", steps.len()))
}

fn again<S: Recorded + Gather>(
    mut world: World<S>,
    archive: &Archive,
    steps: &[u64],
    last: u64,
    dump: &Dump,
) -> Result<usize, Failure> {
    let mut written = 0;
    dump.prepare(&mut world);
    while world.steps() < last {
        let report = world.step().map_err(|error| plain(&error))?;
        let Ok(index) = steps.binary_search(&world.steps()) else { continue };
        dump.step(&world, report.converged)?;
        written += usize::from(report.contacts > 0);
        // The frame says what the run had computed; a damaged one says nothing.
        if archive.about().contacts
            && let Ok(frame) = archive.frame::<S>(index)
            && frame.contacts != ContactFrame::all(&world)
        {
            let time = world.time();
            return Err(format!(
                "error: t = {time} s: this version of drystone computes other contacts than those \
                 recorded; the files written so far are of the new computation"
            ));
        }
    }
    Ok(written)
}
