//! Parallelism as a value. The number of threads never changes a bit of the result.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

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
    /// Runs `work` where its parallel parts find the threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
