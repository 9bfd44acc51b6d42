//! A recorded run as a film: an animated GIF of its pictures.

use super::{Exported, film};
use crate::RecordError;
use crate::archive::{Archive, Recorded};
use crate::picture::{PictureSettings, Subject};
use drystone_engine::World;
use gif::{Encoder, EncodingError, Repeat};
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
    let settings = film::sized(settings);
    let file = File::create(path).map_err(|source| RecordError::write(path, source))?;
    let (width, height) = (settings.width as u16, settings.height as u16);
    let mut encoder = Encoder::new(BufWriter::new(file), width, height, &[]).map_err(told)?;
    encoder.set_repeat(Repeat::Infinite).map_err(told)?;
    let delay = (100.0 / f64::from(rate.get())).round().max(2.0) as u16;
    let press = |mut painted: crate::draw::Raster| {
        let mut frame = gif::Frame::from_rgba_speed(width, height, painted.data_mut(), LOOKS);
        frame.delay = delay;
        frame.make_lzw_pre_encoded();
        frame
    };
    let take = |frame| encoder.write_lzw_pre_encoded_frame(&frame).map_err(told);
    let mut exported = film::paint(archive, &settings, subject, world, press, take)?;
    let mut file = encoder.into_inner().map_err(told)?;
    file.flush().map_err(|source| RecordError::write(path, source))?;
    exported.bytes = fs::metadata(path).map_or(0, |file| file.len());
    Ok(exported)
}
