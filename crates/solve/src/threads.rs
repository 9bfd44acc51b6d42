//! Parallelism as a value. The number of threads never changes a bit of the result.

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So often a thread looks for work in vain before it offers its core to others, and before it goes to sleep: some
/// tenths of a millisecond, and some milliseconds.
const COURTESY: usize = 1000;
const PATIENCE: usize = 20_000;

/// How many threads compute.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    pool: Option<Arc<ThreadPool>>,
}

impl Threads {
    /// One thread: the caller's.
    pub fn one() -> Self {
        Self::default()
    }
    /// This many threads. Falls back to one where the system refuses to start them.
    pub fn new(count: usize) -> Self {
        if count <= 1 {
            return Self::one();
        }
        Self { pool: ThreadPoolBuilder::new().num_threads(count).build().ok().map(Arc::new) }
    }
    /// How many.
    pub fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }
    /// How many threads can share the work of the caller: one where it is not run on them.
    pub fn at_work(&self) -> usize {
        if rayon::current_thread_index().is_some() { self.count() } else { 1 }
    }
    /// How many items of a list one thread takes at least, if so many are worth a thread: all of them where there
    /// is only one, or where the work is not run on the threads.
    pub fn least_share(&self, worth: usize) -> usize {
        if self.at_work() > 1 { worth } else { usize::MAX }
    }
    /// Runs `work` where its parallel parts find the threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// The same, for work with many short parallel parts: the threads stay awake between them. To wake one can
    /// take longer than such a part does.
    pub fn run_awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.pool else { return work() };
        pool.install(|| {
            let over = AtomicBool::new(false);
            let others = pool.current_num_threads() - 1;
            let work = || {
                let _end = Over(&over);
                work()
            };
            rayon::join(work, || keep_awake(others, &over)).0
        })
    }
}

/// Keeps so many threads awake until all is over, or nothing is left to do for long.
fn keep_awake(threads: usize, over: &AtomicBool) {
    if threads > 1 {
        rayon::join(|| keep_awake(1, over), || keep_awake(threads - 1, over));
        return;
    }
    let mut idle = 0;
    while idle < PATIENCE && !over.load(Ordering::Relaxed) {
        match rayon::yield_now() {
            Some(Yield::Executed) => idle = 0,
            _ if idle < COURTESY => {
                idle += 1;
                std::hint::spin_loop();
            }
            _ => {
                idle += 1;
                std::thread::yield_now();
            }
        }
    }
}

/// Says that all is over, even where it ends by a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
