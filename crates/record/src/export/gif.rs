//! A recorded run as a film: an animated GIF of the pictures that the run itself would have made.

use super::{Exported, batches};
use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded};
use crate::draw::Raster;
use crate::picture::{self, Look, PictureSettings, Subject};
use crate::run::painter;
use drystone_engine::World;
use gif::{Encoder, EncodingError, Repeat};
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU16;
use std::path::Path;

/// Pixels out of which one is looked at for the colours of a picture: with 10 the eye sees no difference.
const LOOKS: i32 = 10;

/// Writes all frames into one file, so many a second; the format knows hundredths of a second, and at most 50 pictures in
/// one. `world` is the run's, at any time.
pub fn write<S: Recorded>(
    archive: &Archive,
    settings: &PictureSettings<S>,
    subject: Subject,
    world: &World<S>,
    rate: NonZeroU16,
    path: &Path,
) -> Result<Exported, RecordError> {
    let told = |error: EncodingError| RecordError::write(path, io::Error::other(error));
    let mut settings = settings.clone();
    // As pictures are cut themselves; the format knows sizes of 16 bits.
    settings.width = settings.width.clamp(1, Raster::MAX_SIZE);
    settings.height = settings.height.clamp(1, Raster::MAX_SIZE);
    let file = File::create(path).map_err(|source| RecordError::write(path, source))?;
    let (width, height) = (settings.width as u16, settings.height as u16);
    let mut film = Encoder::new(BufWriter::new(file), width, height, &[]).map_err(told)?;
    film.set_repeat(Repeat::Infinite).map_err(told)?;
    let delay = (100.0 / f64::from(rate.get())).round().max(2.0) as u16;
    let catalogue = archive.catalogue::<S>()?;
    let about = archive.about();
    let make = |_, frame: Frame<S>| {
        let (title, time_step) = (&about.title, about.time_step);
        Ok(picture::PictureFrame::recorded(&frame, &catalogue, title, time_step, settings.stress))
    };
    let mut first = None;
    let mut exported = batches(archive, make, |pictures| {
        let Some(picture) = pictures.first() else { return Ok(0) };
        let painter = first.get_or_insert_with(|| painter(settings.clone(), picture, world));
        // View and scales follow the pictures one by one; then each can be painted by itself.
        let looks: Vec<Look<S>> = pictures.iter().map(|picture| painter.watch(picture)).collect();
        let painter = &*painter;
        let pressed = pictures.par_iter().zip(&looks).map(|(picture, look)| {
            let mut painted = painter.paint_as(picture, subject, look);
            let mut frame = gif::Frame::from_rgba_speed(width, height, painted.data_mut(), LOOKS);
            frame.delay = delay;
            frame.make_lzw_pre_encoded();
            frame
        });
        for frame in pressed.collect::<Vec<_>>() {
            film.write_lzw_pre_encoded_frame(&frame).map_err(told)?;
        }
        Ok(0)
    })?;
    let mut file = film.into_inner().map_err(told)?;
    file.flush().map_err(|source| RecordError::write(path, source))?;
    exported.bytes = fs::metadata(path).map_or(0, |file| file.len());
    Ok(exported)
}
