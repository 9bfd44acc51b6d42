//! Work in stages, again and again, on threads that stay together.
//!
//! Chunks of one stage may be done in any order and by any thread; a stage begins when the one before it
//! is whole. A sweep over colours has dozens of stages of some ten microseconds each: too short for threads
//! to be called and dismissed every time. So they stay, and each goes from stage to stage by itself. In every
//! stage it begins with its own share of the chunks, which is the same part of all of them in every stage and
//! every round: where neighbours in a list are neighbours in space, what it works on stays near to it. Then it
//! helps others with theirs. So nobody waits for a thread that has not come yet, or that the system has put to
//! sleep.

use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, SPINS, join, spin_loop, yield_now};
use std::marker::PhantomData;
use std::ops::Range;

/// The stages of a round, as ranges of chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Barrier {
    /// Where each stage begins; one entry more than there are stages.
    starts: Vec<usize>,
    threads: usize,
    /// Chunks of each share of each stage, and of the end of the round, that have been taken on since the
    /// first round.
    taken: Vec<Counter>,
}

/// A number that threads count up, in a line of the cache of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Counter(AtomicUsize);

impl Clone for Counter {
    fn clone(&self) -> Self {
        Self(AtomicUsize::new(self.0.load(Ordering::Relaxed)))
    }
}

impl Barrier {
    /// Barrier of so many chunks each, for so many threads.
    pub fn set(&mut self, threads: usize, stages: impl Iterator<Item = usize>) {
        self.starts.clear();
        self.starts.push(0);
        // No stage keeps more threads busy than it has chunks.
        let (mut chunks, mut widest) = (0, 1);
        for stage in stages.filter(|&stage| stage > 0) {
            chunks += stage;
            widest = widest.max(stage);
            self.starts.push(chunks);
        }
        self.threads = threads.clamp(1, widest);
        self.taken.resize(self.starts.len() * self.threads, Counter::default());
    }

    /// Does every chunk of every stage, round after round, until `again` says no. It is asked by one thread
    /// after each round, while the others wait.
    pub fn run(&self, work: impl Fn(usize) + Sync, mut again: impl FnMut() -> bool + Send) {
        if self.threads == 1 {
            let chunks = self.starts[self.starts.len() - 1];
            loop {
                (0..chunks).for_each(&work);
                if !again() {
                    return;
                }
            }
        }
        self.taken.iter().for_each(|taken| taken.0.store(0, Ordering::Relaxed));
        let round = Round {
            barrier: self,
            done: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            again: Mutex::new(again),
            work,
        };
        round.call(0..self.threads);
    }
}

/// Rounds under way.
struct Round<'a, W, A> {
    barrier: &'a Barrier,
    /// Chunks that have been finished since the first round. The end of a round counts as a chunk.
    done: AtomicUsize,
    over: AtomicBool,
    work: W,
    again: Mutex<A>,
}

impl<W: Fn(usize) + Sync, A: FnMut() -> bool + Send> Round<'_, W, A> {
    /// Has so many threads take part. Whoever comes late finds less to do, or nothing.
    fn call(&self, members: Range<usize>) {
        if members.len() <= 1 {
            return self.take_part(members.start);
        }
        let middle = members.start + members.len() / 2;
        join(|| self.call(members.start..middle), || self.call(middle..members.end));
    }

    fn take_part(&self, member: usize) {
        let _guard = EndOnPanic(&self.over);
        let Barrier { starts, threads, .. } = self.barrier;
        let stages = starts.len() - 1;
        let chunks = starts[stages];
        for round in 0.. {
            // Each round before this one has had all chunks, and its end.
            let before = round * (chunks + 1);
            for stage in 0..stages {
                if !self.may_begin(before + starts[stage]) {
                    return;
                }
                for share in 0..*threads {
                    self.work_on(round, stage, (member + share) % threads);
                }
            }
            if !self.may_begin(before + chunks) {
                return;
            }
            if self.take(round, stages, 0, 1).is_some() {
                let again = &mut *self.again.lock().expect("one thread at a time");
                self.over.store(!again(), Ordering::Relaxed);
                self.done.fetch_add(1, Ordering::Release);
            }
        }
    }

    /// Does what is left of a share.
    #[inline(always)]
    fn work_on(&self, round: usize, stage: usize, share: usize) {
        let Barrier { starts, threads, .. } = self.barrier;
        let length = starts[stage + 1] - starts[stage];
        let part = |share: usize| starts[stage] + length * share / threads;
        let (start, end) = (part(share), part(share + 1));
        while let Some(index) = self.take(round, stage, share, end - start) {
            (self.work)(start + index);
            self.done.fetch_add(1, Ordering::Release);
        }
    }

    /// Takes the next of so many chunks of a share on, if one is left in this round.
    #[inline(always)]
    fn take(&self, round: usize, stage: usize, share: usize, of: usize) -> Option<usize> {
        let taken = &self.barrier.taken[stage * self.barrier.threads + share].0;
        let (first, beyond) = (round * of, (round + 1) * of);
        let next = |now: usize| (now < beyond).then_some(now + 1);
        // A thread that has overslept finds its round done, whatever later ones have taken.
        taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok().map(|now| now - first)
    }

    /// Waits until so many chunks are done; false if there is nothing to wait for any more.
    #[inline(always)]
    fn may_begin(&self, needed: usize) -> bool {
        let mut looks = 0;
        while self.done.load(Ordering::Acquire) < needed {
            if self.over.load(Ordering::Relaxed) {
                return false;
            }
            looks += 1;
            if looks < SPINS {
                spin_loop();
            } else {
                yield_now();
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

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.length == 0
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

    fn stages(threads: usize, sizes: &[usize]) -> Barrier {
        let mut stages = Barrier::default();
        stages.set(threads, sizes.iter().copied());
        stages
    }

    /// Each stage must see all that the one before has written, in every round.
    #[test]
    fn a_stage_begins_when_the_one_before_is_whole() {
        let sizes = [7, 1, 40, 3];
        for count in [1, 2, 3, 5] {
            let stages = stages(count, &[7, 1, 0, 40, 3]);
            let seen: Vec<AtomicU64> = (0..sizes.len()).map(|_| AtomicU64::new(0)).collect();
            let mut rounds = 0;
            let work = |chunk: usize| {
                let stage = stages.starts.iter().rposition(|&start| start <= chunk).unwrap_or(0);
                let round = seen[stage].fetch_add(1, Ordering::Relaxed) / sizes[stage];
                if stage > 0 {
                    let before = seen[stage - 1].load(Ordering::Relaxed);
                    assert_eq!(before, (round + 1) * sizes[stage - 1]);
                }
            };
            let again = || {
                rounds += 1;
                rounds < 300
            };
            Threads::new(count).run(|| stages.run(work, again));
            assert_eq!(rounds, 300);
            for (seen, size) in seen.iter().zip(&sizes) {
                assert_eq!(seen.load(Ordering::Relaxed), 300 * *size);
            }
        }
    }

    #[test]
    fn without_stages_there_is_one_round() {
        let mut rounds = 0;
        let again = || {
            rounds += 1;
            false
        };
        stages(2, &[]).run(|_| panic!("no chunk"), again);
        assert_eq!(rounds, 1);
    }

    #[test]
    #[should_panic(expected = "a chunk fails")]
    fn a_failure_of_one_ends_all() {
        let work = |chunk: usize| assert!(chunk != 5, "a chunk fails");
        Threads::new(2).run(|| stages(2, &[8, 8]).run(work, || true));
    }
}
