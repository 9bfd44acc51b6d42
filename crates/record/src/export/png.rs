//! Pictures of a recorded run, as the run itself would have made them.

use super::{Exported, each};
use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded};
use crate::picture::{self, PictureSettings, Subject};
use crate::run::painter;
use drystone_engine::World;
use std::fs;
use std::path::Path;

/// Writes a picture of each frame into a folder. `world` is the run's, at any time.
pub fn write<S: Recorded>(
    archive: &Archive,
    settings: &PictureSettings<S>,
    subject: Subject,
    world: &World<S>,
    folder: &Path,
) -> Result<Exported, RecordError> {
    fs::create_dir_all(folder).map_err(|source| RecordError::write(folder, source))?;
    let things = archive.things::<S>()?;
    let about = archive.about();
    let mut seen = None;
    each(archive, |index, frame: Frame<S>| {
        let (title, time_step) = (&about.title, about.time_step);
        let picture = picture::Frame::recorded(&frame, &things, title, time_step, settings.stress);
        let painter = seen.get_or_insert_with(|| painter(settings.clone(), &picture, world));
        let path = folder.join(format!("{index:06}.png"));
        painter.paint(&picture, subject).write_png(&path)?;
        Ok(fs::metadata(&path).map_or(0, |file| file.len()))
    })
}
