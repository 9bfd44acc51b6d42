//! Paints and writes pictures on a thread of its own, so that the run need not wait for them.

use crate::RecordError;
use crate::archive::{Catalogue, Recorded};
use crate::picture::{Painter, PictureFrame, Subject};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Pictures that may wait; after that the run waits for the painter.
const WAITING: usize = 4;

struct Order<S: Recorded> {
    frame: PictureFrame<S>,
    subject: Subject,
    path: PathBuf,
}

/// The painter at work.
pub(super) struct Gallery<S: Recorded> {
    /// What the pictures show.
    pub catalogue: Catalogue<S>,
    orders: SyncSender<Order<S>>,
    worker: JoinHandle<Result<(), RecordError>>,
}

impl<S: Recorded> Gallery<S> {
    /// Starts the thread.
    pub fn open(mut painter: Painter<S>, catalogue: Catalogue<S>) -> Self {
        let (orders, incoming) = sync_channel::<Order<S>>(WAITING);
        let worker = std::thread::spawn(move || {
            for Order { frame, subject, path } in incoming {
                painter.paint(&frame, subject).write_png(&path)?;
            }
            Ok(())
        });
        Self { catalogue, orders, worker }
    }
    /// Orders a picture. If the worker has failed, the order is dropped: [`Self::close`] says why.
    ///
    /// Returns whether the worker is still at work.
    pub fn order(&self, frame: PictureFrame<S>, subject: Subject, path: PathBuf) -> bool {
        self.orders.send(Order { frame, subject, path }).is_ok()
    }
    /// Waits for all pictures.
    pub fn close(self) -> Result<(), RecordError> {
        drop(self.orders);
        self.worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::PictureSettings;
    use drystone_space::Plane;

    #[test]
    fn a_picture_that_cannot_be_written_is_reported() {
        let frame = PictureFrame::<Plane> {
            title: String::new(),
            time: 0.0,
            bodies: Vec::new(),
            bonds: Vec::new(),
            solids: Vec::new(),
            edges: Vec::new(),
            ghosts: Vec::new(),
            boundaries: Vec::new(),
            forces: Vec::new(),
        };
        let catalogue = Catalogue {
            bodies: Vec::new(),
            boundaries: Vec::new(),
            solids: Vec::new(),
            joints: Vec::new(),
        };
        let settings = PictureSettings { width: 200, height: 150, ..PictureSettings::default() };
        let gallery = Gallery::open(Painter::new(settings, &frame, 1e-3), catalogue);
        let nowhere = std::env::temp_dir().join("drystone-no-such-directory/a.png");
        assert!(gallery.order(frame.clone(), Subject::Bodies, nowhere.clone()));
        // Sooner or later the worker is gone and orders are refused.
        while gallery.order(frame.clone(), Subject::Bodies, nowhere.clone()) {}
        let error = gallery.close().unwrap_err().to_string();
        assert!(error.contains("drystone-no-such-directory"), "{error}");
    }
}
