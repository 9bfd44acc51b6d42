//! The pictures of a recorded run one after the other, as the run itself would have made them, for whoever makes a film of them.

use super::{Exported, batches};
use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded};
use crate::draw::Raster;
use crate::picture::{self, Look, PictureSettings, Subject};
use crate::run::painter;
use drystone_engine::World;
use rayon::prelude::*;

/// Settings with a size that pictures can have.
pub(super) fn sized<S: Recorded>(settings: &PictureSettings<S>) -> PictureSettings<S> {
    let size = |pixels: u32| pixels.clamp(1, Raster::MAX_SIZE);
    let (width, height) = (size(settings.width), size(settings.height));
    PictureSettings { width, height, ..settings.clone() }
}

/// Paints all frames, on all threads, and presses each; what was pressed is taken in the order of time.
pub(super) fn paint<S: Recorded, P: Send>(
    archive: &Archive,
    settings: &PictureSettings<S>,
    subject: Subject,
    world: &World<S>,
    press: impl Fn(Raster) -> P + Sync,
    mut take: impl FnMut(P) -> Result<(), RecordError>,
) -> Result<Exported, RecordError> {
    let catalogue = archive.catalogue::<S>()?;
    let about = archive.about();
    let make = |_, frame: Frame<S>| {
        let (title, time_step) = (&about.title, about.time_step);
        Ok(picture::PictureFrame::recorded(&frame, &catalogue, title, time_step, settings.stress))
    };
    let mut first = None;
    batches(archive, make, |pictures| {
        let Some(picture) = pictures.first() else { return Ok(0) };
        let painter = first.get_or_insert_with(|| painter(settings.clone(), picture, world));
        // View and scales follow the pictures one by one; then each can be painted by itself.
        let looks: Vec<Look<S>> = pictures.iter().map(|picture| painter.watch(picture)).collect();
        let painter = &*painter;
        let painted = pictures.par_iter().zip(&looks);
        let pressed =
            painted.map(|(picture, look)| press(painter.paint_as(picture, subject, look)));
        pressed.collect::<Vec<P>>().into_iter().try_for_each(&mut take)?;
        Ok(0)
    })
}
