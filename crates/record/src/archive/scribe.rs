//! Writes frames on a thread of its own, so that the run need not wait for the disk.

use super::reader::frame_path;
use super::{Frame, Packer, Recorded};
use crate::RecordError;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// Frames that may wait; after that the run waits for the disk.
const WAITING: usize = 2;

enum Order<S: Recorded> {
    Write(usize, Box<Frame<S>>),
    /// Answered with the bytes written so far when all that was ordered before is on the disk.
    Wait(Sender<u64>),
}

/// The writer of frames at work.
pub(crate) struct Scribe<S: Recorded> {
    orders: SyncSender<Order<S>>,
    worker: Option<JoinHandle<Result<(), RecordError>>>,
}

impl<S: Recorded> Scribe<S> {
    /// Starts the thread; `bytes` were written before.
    pub fn open(folder: PathBuf, mut bytes: u64) -> Self {
        let (orders, incoming) = sync_channel::<Order<S>>(WAITING);
        let worker = std::thread::spawn(move || {
            let mut packer = Packer::default();
            for order in incoming {
                match order {
                    Order::Write(index, frame) => {
                        let path = frame_path(&folder, index);
                        bytes += packer.write(&path, |arrays| frame.put(arrays))? as u64;
                    }
                    // A recorder that does not wait any more needs no answer.
                    Order::Wait(answer) => drop(answer.send(bytes)),
                }
            }
            Ok(())
        });
        Self { orders, worker: Some(worker) }
    }
    /// Orders a frame; an error is that of an earlier one.
    pub fn write(&mut self, index: usize, frame: Frame<S>) -> Result<(), RecordError> {
        let sent = self.orders.send(Order::Write(index, Box::new(frame)));
        if sent.is_ok() { Ok(()) } else { self.fail() }
    }
    /// Waits until all frames are on the disk, and returns how many bytes they are.
    pub fn wait(&mut self) -> Result<u64, RecordError> {
        let (answer, done) = channel();
        // A worker that has failed drops the orders that it still has.
        let asked = self.orders.send(Order::Wait(answer)).is_ok();
        match if asked { done.recv().ok() } else { None } {
            Some(bytes) => Ok(bytes),
            None => self.fail().map(|()| 0),
        }
    }
    /// Why the worker has ended.
    fn fail(&mut self) -> Result<(), RecordError> {
        match self.worker.take() {
            Some(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => Ok(()),
        }
    }
}
