//! A picture of the state as it is now.

use super::{Simulation, picture_settings};
use crate::Error;
use drystone_engine::with_world;
use drystone_record::archive::{Catalogue, Frame};
use drystone_record::picture::{PictureFrame, Subject};
use drystone_record::run::painter;
use std::path::Path;

impl Simulation {
    /// Draws the state as a PNG file, as pictures of a recorded run are drawn: the bodies, or the forces of the last step.
    /// Scales fit this one picture.
    ///
    /// ```
    /// use drystone::prelude::*;
    /// use drystone::simulation::Subject;
    /// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 0.1 }\n\
    /// #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
    /// #     body = [{ name = \"ball\", shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" }]\n";
    /// # let picture = std::env::temp_dir().join(format!("drystone-draw-{}.png", std::process::id()));
    /// let simulation = Simulation::parse(scene)?;
    /// simulation.draw(&picture, Subject::Bodies)?;
    /// # assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    /// # std::fs::remove_file(&picture).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn draw(&self, file: impl AsRef<Path>, subject: Subject) -> Result<(), Error> {
        with_world!(&self.world, world => {
            let settings = picture_settings(&self.origin.output);
            let frame = Frame::of(world, Vec::new(), Vec::new());
            let catalogue = Catalogue::of(world);
            let h = world.setup().time_step;
            let picture =
                PictureFrame::recorded(&frame, &catalogue, self.title(), h, settings.stress);
            let mut painter = painter(settings, &picture, world);
            Ok(painter.paint(&picture, subject).write_png(file.as_ref())?)
        })
    }
}
