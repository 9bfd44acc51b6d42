//! Pictures of a recorded run, as the run itself would have made them.

use super::{Exported, batches};
use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded};
use crate::picture::{self, Look, PictureSettings, Subject};
use crate::run::painter;
use drystone_engine::World;
use rayon::prelude::*;
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
    let catalogue = archive.catalogue::<S>()?;
    let about = archive.about();
    let make = |index: usize, frame: Frame<S>| {
        let (title, time_step) = (&about.title, about.time_step);
        Ok((
            index,
            picture::PictureFrame::recorded(&frame, &catalogue, title, time_step, settings.stress),
        ))
    };
    let mut first = None;
    batches(archive, make, |pictures| {
        let Some((_, picture)) = pictures.first() else { return Ok(0) };
        let painter = first.get_or_insert_with(|| painter(settings.clone(), picture, world));
        // View and scales follow the pictures one by one; then each can be painted by itself.
        let looks: Vec<Look<S>> =
            pictures.iter().map(|(_, picture)| painter.watch(picture)).collect();
        let painter = &*painter;
        let write = |((index, picture), look): (&(usize, _), &Look<S>)| {
            let path = folder.join(format!("{index:06}.png"));
            painter.paint_as(picture, subject, look).write_png(&path)?;
            Ok(fs::metadata(&path).map_or(0, |file| file.len()))
        };
        let written: Vec<Result<u64, RecordError>> =
            pictures.par_iter().zip(&looks).map(write).collect();
        written.into_iter().sum()
    })
}
