//! A recorded run for other programs.

use crate::simulation::picture_settings;
use crate::{Error, Run};
use drystone_engine::{AnyWorld, with_world};
use drystone_record::archive::ContactFrame;
use drystone_record::export::{Exported, csv, gif, mp4, png, vtk};
use drystone_record::picture::Subject;
use drystone_space::with_space;
use drystone_viewer::{HtmlSize, Show, write_html, write_html_beside};
use std::num::NonZeroU16;
use std::path::Path;

/// What a run can be exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// A folder of VTK files for ParaView: bodies, shapes, contacts, boundaries.
    Vtk,
    /// A folder with `bodies.csv` and `contacts.csv`.
    Csv,
    /// A folder of pictures: of the bodies, or of the forces instead.
    Png {
        /// Whether of the forces.
        forces: bool,
    },
    /// A film of these pictures, as an animated GIF.
    Gif {
        /// Whether of the forces.
        forces: bool,
        /// Frames in a second, at most 50.
        rate: NonZeroU16,
    },
    /// The same film as MP4, which the program `ffmpeg` presses.
    Mp4 {
        /// Whether of the forces.
        forces: bool,
        /// Frames in a second.
        rate: NonZeroU16,
    },
    /// A folder of FCLib files: the contact problem of each frame's step. The run is computed again for that.
    Fclib,
    /// One page that plays in a browser without a server.
    Html {
        /// Frames in it at most.
        frames: usize,
    },
}

fn of_page(size: HtmlSize) -> Exported {
    Exported { frames: size.frames, bytes: size.bytes as u64, damaged: size.damaged }
}

fn subject(forces: bool) -> Subject {
    if forces { Subject::Forces } else { Subject::Bodies }
}

impl Run {
    /// Writes the run for other programs: into a folder, or the file of the film or the page. Tells how many frames were written,
    /// and what was damaged and left out.
    ///
    /// ```no_run
    /// use drystone::prelude::*;
    /// let exported = Run::open("runs/wall")?.export(Export::Csv, "wall-csv")?;
    /// println!("{} frames", exported.frames);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn export(&self, to: Export, output: impl AsRef<Path>) -> Result<Exported, Error> {
        let (output, archive) = (output.as_ref(), self.archive());
        let dimension = self.about().dimension;
        Ok(match to {
            Export::Vtk => with_space!(dimension, S => vtk::write::<S>(archive, output))?,
            Export::Csv => with_space!(dimension, S => csv::write::<S>(archive, output))?,
            Export::Png { forces } => {
                let scene = self.scene()?;
                with_world!(scene.world()?, world => {
                    let settings = picture_settings(&scene.output);
                    png::write(archive, &settings, subject(forces), &world, output)
                })?
            }
            Export::Gif { forces, rate } => {
                let scene = self.scene()?;
                with_world!(scene.world()?, world => {
                    let settings = picture_settings(&scene.output);
                    gif::write(archive, &settings, subject(forces), &world, rate, output)
                })?
            }
            Export::Mp4 { forces, rate } => {
                let scene = self.scene()?;
                with_world!(scene.world()?, world => {
                    let settings = picture_settings(&scene.output);
                    mp4::write(archive, &settings, subject(forces), &world, rate, output)
                })?
            }
            Export::Fclib => self.export_problems(output)?,
            Export::Html { frames } => {
                of_page(write_html(&Show::open(self.directory())?, frames, output)?)
            }
        })
    }

    /// Writes the page with another run beside this one, at one time, each with so many frames at most.
    pub fn export_beside(
        &self,
        other: &Run,
        frames: usize,
        output: impl AsRef<Path>,
    ) -> Result<Exported, Error> {
        let shows = [&Show::open(self.directory())?, &Show::open(other.directory())?];
        Ok(of_page(write_html_beside(shows, frames, output.as_ref())?))
    }

    /// Computes the run again, and writes the problems of the steps that frames show.
    fn export_problems(&self, output: &Path) -> Result<Exported, Error> {
        std::fs::create_dir_all(output).map_err(|source| Error::file(output, source))?;
        let steps = self.frame_steps()?;
        let mut simulation = crate::Simulation::from_scene(self.scene()?)?;
        simulation.keep_starts();
        let mut exported = Exported::default();
        for (index, &step) in steps.iter().enumerate() {
            while simulation.steps() < step {
                simulation.step()?;
            }
            let Some(found) = simulation.problem()? else { continue };
            let path = output.join(format!("step-{:06}.hdf5", found.step));
            found.problem.write(&path)?;
            exported.frames += 1;
            exported.bytes += std::fs::metadata(&path).map_or(0, |file| file.len());
            if !self.is_like(index, &simulation) {
                return Err(Error::Unfit(format!(
                    "t = {} s: other contacts are computed than those recorded, by another version of drystone \
                     or since the run was steered from outside; the files written so far are of the new \
                     computation",
                    simulation.time()
                )));
            }
        }
        Ok(exported)
    }

    /// Whether a frame has the contacts of a simulation; a frame that is damaged or has none says nothing.
    fn is_like(&self, index: usize, simulation: &crate::Simulation) -> bool {
        let archive = self.archive();
        !self.about().contacts
            || match simulation.world() {
                AnyWorld::Plane(world) => archive
                    .frame(index)
                    .map_or(true, |frame| frame.contacts == ContactFrame::all(world)),
                AnyWorld::Volume(world) => archive
                    .frame(index)
                    .map_or(true, |frame| frame.contacts == ContactFrame::all(world)),
            }
    }
}
