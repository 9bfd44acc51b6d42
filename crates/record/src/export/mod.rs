//! A recorded run for other programs: [`vtk`] for ParaView, [`csv`] for everything else, [`png`]
//! pictures, [`gif`] and [`mp4`] films. Frames are worked on by all threads, a few at a time, so that a run need not fit into memory; what
//! is written does not depend on how many there are.

pub mod csv;
mod film;
pub mod gif;
pub mod mp4;
pub mod png;
mod pressed;
pub mod vtk;

use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded};
use rayon::prelude::*;

/// What came of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// Frames that were written.
    pub frames: usize,
    /// Bytes that were written.
    pub bytes: u64,
    /// What is wrong with frames that could not be read.
    pub damaged: Vec<String>,
}

/// Frames that each thread has in hand: two, so that none waits long for the slowest.
const IN_HAND: usize = 2;

/// Reads the frames and makes something of each, on all threads; hands it on in the order of time, a batch
/// at a time, to `take`, which returns how many bytes it has written.
///
/// Damaged frames are left out and told; that nothing could be read is an error.
fn batches<S: Recorded, T: Send>(
    archive: &Archive,
    make: impl Fn(usize, Frame<S>) -> Result<T, RecordError> + Sync,
    mut take: impl FnMut(Vec<T>) -> Result<u64, RecordError>,
) -> Result<Exported, RecordError> {
    let mut exported = Exported::default();
    let mut last = None;
    let (count, size) = (archive.len(), IN_HAND * rayon::current_num_threads());
    for start in (0..count).step_by(size) {
        let frames = (start..count.min(start + size)).into_par_iter();
        let read = |index| archive.frame::<S>(index).map(|frame| make(index, frame));
        let mut batch = Vec::new();
        for made in frames.map(read).collect::<Vec<_>>() {
            match made {
                Ok(made) => batch.push(made?),
                Err(error) => {
                    exported.damaged.push(error.to_string());
                    last = Some(error);
                }
            }
        }
        exported.frames += batch.len();
        exported.bytes += take(batch)?;
    }
    match last {
        Some(error) if exported.frames == 0 => Err(error),
        _ => Ok(exported),
    }
}
