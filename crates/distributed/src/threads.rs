//! Ranks that are threads of one process.

use drystone_solve::{Exchange, Letters};
use drystone_space::Random;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Looks for a message that does not come between two looks at whether its sender is gone.
const PATIENCE: Duration = Duration::from_millis(50);

/// What lies ready for a rank.
#[derive(Debug)]
struct Inbox {
    /// By sender, in the order in which they were sent.
    letters: Mutex<Vec<VecDeque<Vec<u8>>>>,
    arrived: Condvar,
}

/// What ranks have in common.
#[derive(Debug)]
struct Post {
    boxes: Vec<Inbox>,
    /// Whether a rank has failed.
    gone: AtomicBool,
    /// Longest delay of a message.
    delay: Duration,
}

/// One of the ranks.
#[derive(Debug)]
pub struct Rank {
    post: Arc<Post>,
    rank: usize,
    /// How often it has swapped where letters are delayed.
    swaps: AtomicU64,
}

impl Rank {
    /// So many ranks. Each message is delayed for as long as is drawn for it, at most so long; the order in which
    /// messages to a rank come in is then any.
    pub fn all(ranks: usize, delay: Duration) -> Vec<Self> {
        let empty =
            || Inbox { letters: Mutex::new(vec![VecDeque::new(); ranks]), arrived: Condvar::new() };
        let boxes = (0..ranks).map(|_| empty()).collect();
        let post = Arc::new(Post { boxes, gone: AtomicBool::new(false), delay });
        let rank = |rank| Self { post: Arc::clone(&post), rank, swaps: AtomicU64::new(0) };
        (0..ranks).map(rank).collect()
    }

    fn give(&self, to: usize, letter: Vec<u8>) {
        let to = &self.post.boxes[to];
        let mut letters = to.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letters[self.rank].push_back(letter);
        to.arrived.notify_all();
    }

    fn take(&self, from: usize) -> Vec<u8> {
        let own = &self.post.boxes[self.rank];
        let mut letters = own.letters.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(letter) = letters[from].pop_front() {
                return letter;
            }
            assert!(!self.post.gone.load(Ordering::Relaxed), "another rank is gone");
            let waited = own.arrived.wait_timeout(letters, PATIENCE);
            letters = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Has somebody else get something first, and each wait for as long as is drawn, for the sake of tests.
    fn delay(&self, outgoing: &mut Letters) -> Vec<Duration> {
        if self.post.delay.is_zero() {
            return vec![Duration::ZERO; outgoing.len()];
        }
        let number = self.swaps.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::new(number, self.rank as u64);
        random.shuffle(outgoing);
        outgoing.iter().map(|_| self.post.delay * random.below(1000) as u32 / 1000).collect()
    }
}

impl Exchange for Rank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.post.boxes.len()
    }

    fn swap(&self, mut outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>> {
        let delays = self.delay(&mut outgoing);
        for ((to, letter), delay) in outgoing.into_iter().zip(delays) {
            if !delay.is_zero() {
                std::thread::sleep(delay);
            }
            self.give(to, letter);
        }
        from.iter().map(|&from| self.take(from)).collect()
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.post.gone.store(true, Ordering::Relaxed);
        }
    }
}

/// Does the same on so many ranks, and returns what each has made of it.
///
/// # Panics
/// If any of them does.
pub fn on_ranks<T: Send>(
    ranks: usize,
    delay: Duration,
    work: impl Fn(Arc<dyn Exchange>) -> T + Sync,
) -> Vec<T> {
    std::thread::scope(|scope| {
        let start = |rank: Rank| {
            let work = &work;
            scope.spawn(move || work(Arc::new(rank)))
        };
        let threads: Vec<_> = Rank::all(ranks, delay).into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no rank fails")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each tells some who it is and to whom it speaks, again and again, and all hear what all have.
    #[test]
    fn everybody_hears_what_was_meant_for_it() {
        for (ranks, delay) in [(1, 0), (2, 0), (3, 0), (4, 300), (7, 100), (8, 0), (13, 0)] {
            on_ranks(ranks, Duration::from_micros(delay), |exchange| {
                let own = exchange.rank() as u8;
                for round in 0..30u8 {
                    // Whoever is so far away, if that is not it itself.
                    let far = (1..ranks).filter(|far| (usize::from(round) / far) % 2 == 0);
                    let far: Vec<usize> = far.collect();
                    let to = |far: &usize| (exchange.rank() + far) % ranks;
                    let mut letters: Letters =
                        far.iter().map(|far| (to(far), vec![round, own, to(far) as u8])).collect();
                    let mut from: Vec<usize> =
                        far.iter().map(|far| (exchange.rank() + ranks - far) % ranks).collect();
                    let heard = exchange.swap(letters.clone(), &from);
                    let wanted = |from: &usize| vec![round, *from as u8, own];
                    assert_eq!(heard, from.iter().map(wanted).collect::<Vec<_>>());
                    letters.push((exchange.rank(), vec![round, own, own]));
                    from.push(exchange.rank());
                    from.sort_unstable();
                    let heard = exchange.deliver(letters);
                    assert_eq!(heard, from.iter().map(|r| (*r, wanted(r))).collect::<Vec<_>>());
                    assert_eq!(exchange.hear_first(vec![own, round]), [0, round]);
                    let gathered = exchange.tell_first(vec![own]);
                    let all: Vec<Vec<u8>> = (0..ranks as u8).map(|rank| vec![rank]).collect();
                    assert_eq!(gathered, if own == 0 { all } else { Vec::new() });
                    assert_eq!(exchange.most(own.into()), ranks as u64 - 1);
                }
            });
        }
    }

    /// Where ranks are a power of two, what is merged first comes from lower ranks; on any number all have the same.
    #[test]
    fn all_have_the_same_of_all() {
        for ranks in 1..10 {
            let all = on_ranks(ranks, Duration::ZERO, |exchange| {
                let own = vec![exchange.rank() as u8];
                exchange.combine(own, &mut |one, other| one.extend_from_slice(other))
            });
            assert!(all.iter().all(|own| *own == all[0]), "{all:?}");
            let mut names = all[0].clone();
            if !ranks.is_power_of_two() {
                names.sort_unstable();
            }
            assert!(names.iter().copied().eq(0..ranks as u8), "{names:?}");
        }
    }

    #[test]
    #[should_panic(expected = "no rank fails")]
    fn when_one_fails_nobody_waits_for_ever() {
        on_ranks(3, Duration::ZERO, |exchange| {
            assert!(exchange.rank() != 1, "this one fails");
            exchange.most(1);
        });
    }
}
