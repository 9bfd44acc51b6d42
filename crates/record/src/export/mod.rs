//! A recorded run for other programs: [`vtk`] for ParaView, [`csv`] for everything else, [`png`]
//! pictures. Frames are read one by one, so that a run need not fit into memory.

pub mod csv;
pub mod png;
mod pressed;
pub mod vtk;

use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded};

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

/// Hands each frame that can be read to `write`, which returns how many bytes it has written.
///
/// Damaged frames are left out and told; that nothing could be read is an error.
fn each<S: Recorded>(
    archive: &Archive,
    mut write: impl FnMut(usize, Frame<S>) -> Result<u64, RecordError>,
) -> Result<Exported, RecordError> {
    let mut exported = Exported::default();
    let mut last = None;
    for (index, frame) in archive.frames::<S>().enumerate() {
        match frame {
            Ok(frame) => {
                exported.bytes += write(index, frame)?;
                exported.frames += 1;
            }
            Err(error) => {
                exported.damaged.push(error.to_string());
                last = Some(error);
            }
        }
    }
    match last {
        Some(error) if exported.frames == 0 => Err(error),
        _ => Ok(exported),
    }
}
