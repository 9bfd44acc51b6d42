//! Work in stages, again and again, on threads that stay together.
//!
//! Chunks of one stage may be done in any order and by any thread; a stage begins when the one before it
//! is whole. A sweep over colours has dozens of stages of some ten microseconds each: too short for threads
//! to be called and dismissed every time. So they stay: each draws the number of its next chunk, waits
//! until that chunk's stage may begin, and goes on. Nobody waits for a thread that has not come yet, or that
//! the system has put to sleep between two chunks: the others draw its numbers.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks at what is done before a waiting thread offers its core to others.
const SPINS: usize = 2000;

/// The stages of a round, as ranges of chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stages {
    /// Where each stage begins; one entry more than there are stages.
    starts: Vec<usize>,
}

impl Stages {
    /// Forgets all stages.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
    }

    /// Adds a stage of so many chunks.
    pub fn push(&mut self, chunks: usize) {
        if chunks > 0 {
            self.starts.push(self.chunks() + chunks);
        }
    }

    /// Chunks of all stages.
    pub fn chunks(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Does every chunk of every stage, round after round, until `again` says no. It is asked by one thread
    /// after each round, while the others wait.
    pub fn run(
        &self,
        threads: usize,
        work: impl Fn(usize) + Sync,
        again: impl FnMut() -> bool + Send,
    ) {
        let round = Round {
            stages: self,
            drawn: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            again: Mutex::new(again),
            work,
        };
        // No stage keeps more threads busy than it has chunks.
        let widest = self.starts.windows(2).map(|bounds| bounds[1] - bounds[0]).max();
        round.call(0..threads.min(widest.unwrap_or(0)).max(1));
    }
}

/// Rounds under way.
struct Round<'a, W, A> {
    stages: &'a Stages,
    /// Chunks that threads have taken on and finished, since the first round. The end of a round counts as
    /// a chunk and as a stage.
    drawn: AtomicUsize,
    done: AtomicUsize,
    over: AtomicBool,
    work: W,
    again: Mutex<A>,
}

impl<W: Fn(usize) + Sync, A: FnMut() -> bool + Send> Round<'_, W, A> {
    /// Has so many threads take part. Whoever comes late finds less to do, or nothing.
    fn call(&self, threads: Range<usize>) {
        if threads.len() <= 1 {
            return self.take_part();
        }
        let middle = threads.start + threads.len() / 2;
        rayon::join(|| self.call(threads.start..middle), || self.call(middle..threads.end));
    }

    fn take_part(&self) {
        let _guard = EndOnPanic(&self.over);
        let length = self.stages.chunks() + 1;
        // The round's first number, and the stage, of the last chunk that this thread has drawn.
        let (mut base, mut stage) = (0, 0);
        loop {
            let number = self.drawn.fetch_add(1, Ordering::Relaxed);
            if number >= base + length {
                (base, stage) = (number - number % length, 0);
            }
            let chunk = number - base;
            while self.stages.starts.get(stage + 1).is_some_and(|&next| next <= chunk) {
                stage += 1;
            }
            if !self.may_begin(base + self.stages.starts[stage]) {
                return;
            }
            if chunk + 1 < length {
                (self.work)(chunk);
            } else {
                let again = &mut *self.again.lock().expect("one thread at a time");
                self.over.store(!again(), Ordering::Relaxed);
            }
            self.done.fetch_add(1, Ordering::Release);
        }
    }

    /// Waits until so many chunks are done; false if there is nothing to wait for any more.
    fn may_begin(&self, needed: usize) -> bool {
        let mut looks = 0;
        while self.done.load(Ordering::Acquire) < needed {
            if self.over.load(Ordering::Relaxed) {
                return false;
            }
            looks += 1;
            if looks < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        !self.over.load(Ordering::Relaxed)
    }
}

/// A list whose parts belong to the chunks that are at work on them.
pub(crate) struct Shared<'a, T> {
    start: *mut T,
    length: usize,
    list: PhantomData<&'a mut [T]>,
}

// SAFETY: elements are reached through methods only whose contract forbids two threads on one of them.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Shares a list.
    pub fn new(list: &'a mut [T]) -> Self {
        Self { start: list.as_mut_ptr(), length: list.len(), list: PhantomData }
    }

    /// A part of the list.
    ///
    /// # Safety
    /// Nobody else may use an element of it meanwhile.
    ///
    /// # Panics
    /// If the list has no such part.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length, "a part of the list");
        // SAFETY: within the list, and by this function's contract not aliased.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }

    /// Where an element is.
    ///
    /// # Safety
    /// The index must be within the list.
    #[inline(always)]
    pub unsafe fn at(&self, index: usize) -> *mut T {
        // SAFETY: by this function's contract.
        unsafe { self.start.add(index) }
    }
}

/// Lets the other threads go where one has failed.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use std::sync::atomic::AtomicU64;

    /// Each stage must see all that the one before has written, in every round.
    #[test]
    fn a_stage_begins_when_the_one_before_is_whole() {
        let mut stages = Stages::default();
        stages.clear();
        let sizes = [7, 1, 0, 40, 3];
        sizes.iter().for_each(|&size| stages.push(size));
        let sizes: Vec<usize> = sizes.into_iter().filter(|&size| size > 0).collect();
        for count in [1, 2, 3, 5] {
            let seen: Vec<AtomicU64> = (0..sizes.len()).map(|_| AtomicU64::new(0)).collect();
            let mut rounds = 0;
            let work = |chunk: usize| {
                let stage = stages.starts.iter().rposition(|&start| start <= chunk).unwrap_or(0);
                let round = seen[stage].fetch_add(1, Ordering::Relaxed) / sizes[stage] as u64;
                if stage > 0 {
                    let before = seen[stage - 1].load(Ordering::Relaxed);
                    assert_eq!(before, (round + 1) * sizes[stage - 1] as u64);
                }
            };
            let again = || {
                rounds += 1;
                rounds < 300
            };
            Threads::new(count).run(|| stages.run(count, work, again));
            assert_eq!(rounds, 300);
            for (seen, size) in seen.iter().zip(&sizes) {
                assert_eq!(seen.load(Ordering::Relaxed), 300 * *size as u64);
            }
        }
    }

    #[test]
    fn without_stages_there_is_one_round() {
        let mut stages = Stages::default();
        stages.clear();
        let mut rounds = 0;
        stages.run(
            2,
            |_| panic!("no chunk"),
            || {
                rounds += 1;
                false
            },
        );
        assert_eq!(rounds, 1);
    }

    #[test]
    #[should_panic(expected = "a chunk fails")]
    fn a_failure_of_one_ends_all() {
        let mut stages = Stages::default();
        stages.clear();
        stages.push(8);
        stages.push(8);
        let work = |chunk: usize| assert!(chunk != 5, "a chunk fails");
        Threads::new(2).run(|| stages.run(2, work, || true));
    }
}
