//! A recorded run as a film that every player knows: MP4 with H.264, pressed by the program `ffmpeg`, which gets the pictures
//! through a pipe.

use super::{Exported, film};
use crate::RecordError;
use crate::archive::{Archive, Recorded};
use crate::draw::Raster;
use crate::picture::{PictureSettings, Subject};
use drystone_engine::World;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Writes all frames into one file, so many a second. `world` is the run's, at any time.
pub fn write<S: Recorded>(
    archive: &Archive,
    settings: &PictureSettings<S>,
    subject: Subject,
    world: &World<S>,
    rate: NonZeroU16,
    path: &Path,
) -> Result<Exported, RecordError> {
    let told = |source: io::Error| RecordError::write(path, source);
    let settings = film::sized(settings);
    let mut ffmpeg = start(settings.width, settings.height, rate, path).map_err(told)?;
    let mut pipe = ffmpeg.stdin.take().ok_or_else(|| told(ErrorKind::BrokenPipe.into()))?;
    let press = |mut painted: Raster| painted.data_mut().to_vec();
    let take = |pixels: Vec<u8>| pipe.write_all(&pixels).map_err(told);
    let made = film::paint(archive, &settings, subject, world, press, take);
    drop(pipe);
    let ended = end(ffmpeg).map_err(told);
    // Where it has ended by itself, it knows better why than who was writing to it.
    let mut exported = match (made, ended) {
        (Ok(exported), Ok(())) => exported,
        (Err(RecordError::Write { .. }) | Ok(_), Err(error)) | (Err(error), _) => {
            return Err(error);
        }
    };
    exported.bytes = fs::metadata(path).map_or(0, |file| file.len());
    Ok(exported)
}

/// The program, waiting for pictures. Its format wants even numbers of pixels: an odd one gets a white row more.
fn start(width: u32, height: u32, rate: NonZeroU16, path: &Path) -> io::Result<Child> {
    let mut file = OsString::from("file:");
    file.push(path);
    let mut command = Command::new("ffmpeg");
    command
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba"])
        .args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "pipe:0"])
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:0:0:white", "-c:v", "libx264", "-crf", "18"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"])
        .arg(file);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => io::Error::new(
            ErrorKind::NotFound,
            "MP4 is pressed by the program `ffmpeg`, which is not installed; `--to gif` needs no other program",
        ),
        _ => error,
    })
}

/// Waits until it has written all; what it complains of is the error.
fn end(mut ffmpeg: Child) -> io::Result<()> {
    let mut said = String::new();
    if let Some(mut errors) = ffmpeg.stderr.take() {
        errors.read_to_string(&mut said)?;
    }
    match ffmpeg.wait()? {
        status if status.success() => Ok(()),
        status => Err(io::Error::other(format!("ffmpeg: {status}: {}", said.trim()))),
    }
}
