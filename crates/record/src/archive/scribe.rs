//! Writes frames on a thread of its own, so that the run need not wait for the disk, and brings several of them to
//! the disk at a time.

use super::reader::frame_name;
use super::{Batch, Frame, Packer, Recorded};
use crate::RecordError;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Frames that may wait; after that the run waits for the disk.
const WAITING: usize = 2;
/// Frames that come to the disk together, at most.
const TOGETHER: usize = 256;
/// Bytes from which on frames need not wait for others: the disk is busy with them anyway.
const LARGE: u64 = 1 << 22;
/// How long a frame waits for others, at most.
const PATIENCE: Duration = Duration::from_secs(1);

enum Order<S: Recorded> {
    Write(usize, Box<Frame<S>>),
    /// Answered with the bytes written so far when all that was ordered before is on the disk.
    Wait(Sender<u64>),
}

/// The writer of frames at work.
pub(crate) struct Scribe<S: Recorded> {
    /// None only while it is dropped.
    orders: Option<SyncSender<Order<S>>>,
    worker: Option<JoinHandle<Result<(), RecordError>>>,
}

impl<S: Recorded> Scribe<S> {
    /// Starts the thread; `bytes` were written before.
    /// `check` says before each frame, and before files take their names, whether the folder is still ours.
    pub fn open(
        folder: PathBuf,
        bytes: u64,
        check: impl Fn() -> Result<(), RecordError> + Send + 'static,
    ) -> Self {
        let (orders, incoming) = sync_channel::<Order<S>>(WAITING);
        let worker = std::thread::spawn(move || {
            let mut batch = Batch::new(&folder);
            let done = work(&incoming, &mut batch, bytes, &check);
            // A frame that could not be written does not take those before it along.
            done.and(check().and_then(|()| batch.commit()))
        });
        Self { orders: Some(orders), worker: Some(worker) }
    }
    /// Orders a frame; an error is that of an earlier one.
    pub fn write(&mut self, index: usize, frame: Frame<S>) -> Result<(), RecordError> {
        if self.send(Order::Write(index, Box::new(frame))) { Ok(()) } else { self.fail() }
    }
    /// Waits until all frames are on the disk, and returns how many bytes they are.
    pub fn wait(&mut self) -> Result<u64, RecordError> {
        let (answer, done) = channel();
        // A worker that has failed drops the orders that it still has.
        let asked = self.send(Order::Wait(answer));
        match if asked { done.recv().ok() } else { None } {
            Some(bytes) => Ok(bytes),
            None => self.fail().map(|()| 0),
        }
    }
    /// Whether an order has reached the worker.
    fn send(&self, order: Order<S>) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok())
    }
    /// Why the worker has ended.
    fn fail(&mut self) -> Result<(), RecordError> {
        match self.worker.take() {
            Some(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => Ok(()),
        }
    }
}

impl<S: Recorded> Drop for Scribe<S> {
    /// Waits for what was ordered: only then is the directory free for others.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Follows orders until there are no more, which may leave some frames to be committed.
fn work<S: Recorded>(
    incoming: &Receiver<Order<S>>,
    batch: &mut Batch,
    mut bytes: u64,
    check: &dyn Fn() -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    let mut packer = Packer::default();
    let (mut committed, mut due) = (bytes, Instant::now());
    loop {
        let waited = match batch.len() {
            0 => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            _ => incoming.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        let mut answer = None;
        match waited {
            Ok(Order::Write(index, frame)) => {
                if batch.len() == 0 {
                    due = Instant::now() + PATIENCE;
                }
                // Nothing is put into a folder that has taken the place of ours, not even for a while.
                check()?;
                let put = |arrays: &mut dyn super::Arrays| frame.put(arrays);
                bytes += packer.add(batch, &frame_name(index), put)? as u64;
                let many = batch.len() >= TOGETHER || bytes - committed >= LARGE;
                if !many && Instant::now() < due {
                    continue;
                }
            }
            Ok(Order::Wait(waiting)) => answer = Some(waiting),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        check()?;
        batch.commit()?;
        committed = bytes;
        // A recorder that does not wait any more needs no answer.
        answer.map(|answer| answer.send(bytes));
    }
}
