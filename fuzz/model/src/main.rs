//! The barrier of the sweeps under loom, which tries all orders in which its threads can come, and everything that their
//! caches may show them: `cargo run` in this folder.
//!
//! The file is that of the solver itself. Each chunk writes a cell of its own and reads those of the stage before,
//! as sweeps do with bodies; a cell that two threads could reach at once is a failure.

#[path = "../../../crates/solve/src/barrier.rs"]
#[allow(dead_code, clippy::all)]
mod barrier;

/// Loom's in place of those in `crates/solve/src/sync.rs`.
mod sync {
    pub use loom::sync::Mutex;
    pub use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    pub use loom::thread::yield_now;

    /// Whoever waits lets others go on at once, or the model would never end.
    pub const SPINS: usize = 0;

    pub fn spin_loop() {
        yield_now();
    }

    /// Both at once; what one of two threads borrows lives until both are done.
    pub fn join<A: FnOnce() + Send, B: FnOnce() + Send>(one: A, other: B) {
        let other: Box<dyn FnOnce() + Send + '_> = Box::new(other);
        // SAFETY: the thread is waited for below, so that it outlives nothing that it borrows.
        let other: Box<dyn FnOnce() + Send> = unsafe { std::mem::transmute(other) };
        let thread = loom::thread::spawn(other);
        one();
        thread.join().expect("the other thread");
    }
}

use barrier::Barrier;
use loom::cell::UnsafeCell;
use loom::model::Builder;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Cells that the barrier alone keeps apart.
struct Cells(Vec<UnsafeCell<usize>>);

// SAFETY: none; whether it is so is what the model finds out.
unsafe impl Sync for Cells {}

/// Rounds of stages of so many chunks, by so many threads; how many orders were tried.
fn rounds(threads: usize, stages: &'static [usize], rounds: usize, preemptions: usize) -> usize {
    let tried = Arc::new(AtomicUsize::new(0));
    let count_them = Arc::clone(&tried);
    let mut model = Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 100_000;
    model.check(move || {
        count_them.fetch_add(1, Ordering::Relaxed);
        let mut barrier = Barrier::default();
        barrier.set(threads, stages.iter().copied());
        let count: usize = stages.iter().sum();
        let cells = Cells((0..count).map(|_| UnsafeCell::new(0)).collect());
        let cells = &cells;
        let mut made = 0;
        let starts: Vec<usize> =
            stages.iter().scan(0, |sum, size| Some(std::mem::replace(sum, *sum + size))).collect();
        let work = |chunk: usize| {
            let stage = starts.iter().rposition(|&start| start <= chunk).unwrap();
            // SAFETY: watched by the model.
            let own = cells.0[chunk].with_mut(|cell| unsafe {
                *cell += 1;
                *cell
            });
            for before in stage.checked_sub(1).map_or(0..0, |s| starts[s]..starts[stage]) {
                // SAFETY: the same.
                let seen = cells.0[before].with(|cell| unsafe { *cell });
                assert_eq!(seen, own, "the stage before is whole in the same round");
            }
        };
        barrier.run(work, || {
            made += 1;
            // Between two rounds nobody is at work.
            for cell in &cells.0 {
                // SAFETY: the same.
                assert_eq!(cell.with(|cell| unsafe { *cell }), made);
            }
            made < rounds
        });
        assert_eq!(made, rounds);
    });
    tried.load(Ordering::Relaxed)
}

fn main() {
    // Threads, chunks of each stage, rounds, and how often a thread may be interrupted in favour of another.
    let models: [(usize, &'static [usize], usize, usize); 5] = [
        (2, &[2, 1], 1, 3),
        (2, &[2, 2], 2, 1),
        (2, &[2, 1, 2], 2, 1),
        (3, &[3], 2, 1),
        (3, &[3, 2], 1, 1),
    ];
    for (threads, stages, times, preemptions) in models {
        let tried = rounds(threads, stages, times, preemptions);
        println!("{threads} threads, stages of {stages:?}, rounds {times}: {tried} orders");
    }
}
