//! Ranks that are threads of one process.

use drystone_solve::Exchange;
use drystone_space::Random;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Looks for a message that does not come between two looks at whether its sender is gone.
const PATIENCE: Duration = Duration::from_millis(50);

/// A message: what, by its sender's number and the place of the program at which it was sent.
type Letters = HashMap<(usize, u64), Vec<u8>>;

/// What lies ready for a rank.
#[derive(Debug, Default)]
struct Inbox {
    letters: Mutex<Letters>,
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
    /// How often it has swapped.
    swaps: AtomicU64,
}

impl Rank {
    /// So many ranks. Each message is delayed for as long as is drawn for it, at most so long; the order in which
    /// messages to a rank come in is then any.
    pub fn all(ranks: usize, delay: Duration) -> Vec<Self> {
        let boxes = (0..ranks).map(|_| Inbox::default()).collect();
        let post = Arc::new(Post { boxes, gone: AtomicBool::new(false), delay });
        let rank = |rank| Self { post: Arc::clone(&post), rank, swaps: AtomicU64::new(0) };
        (0..ranks).map(rank).collect()
    }

    fn give(&self, to: usize, number: u64, letter: Vec<u8>) {
        let to = &self.post.boxes[to];
        let mut letters = to.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letters.insert((self.rank, number), letter);
        to.arrived.notify_all();
    }

    fn take(&self, from: usize, number: u64) -> Vec<u8> {
        let own = &self.post.boxes[self.rank];
        let mut letters = own.letters.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(letter) = letters.remove(&(from, number)) {
                return letter;
            }
            assert!(!self.post.gone.load(Ordering::Relaxed), "another rank is gone");
            let waited = own.arrived.wait_timeout(letters, PATIENCE);
            letters = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Who gets something first, and how long each is to wait, for the sake of tests.
    fn order(&self, number: u64) -> Vec<(usize, Duration)> {
        let ranks = self.post.boxes.len();
        let mut order: Vec<usize> = (0..ranks).collect();
        if self.post.delay.is_zero() {
            return order.into_iter().map(|to| (to, Duration::ZERO)).collect();
        }
        let mut random = Random::new(number, self.rank as u64);
        random.shuffle(&mut order);
        let part = |random: &mut Random| self.post.delay * random.below(1000) as u32 / 1000;
        order.into_iter().map(|to| (to, part(&mut random))).collect()
    }
}

impl Exchange for Rank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.post.boxes.len()
    }

    fn swap(&self, mut outgoing: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(outgoing.len(), self.ranks(), "something for each rank");
        let number = self.swaps.fetch_add(1, Ordering::Relaxed);
        for (to, delay) in self.order(number) {
            if !delay.is_zero() {
                std::thread::sleep(delay);
            }
            self.give(to, number, std::mem::take(&mut outgoing[to]));
        }
        (0..self.ranks()).map(|from| self.take(from, number)).collect()
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

    /// Each tells each who it is and to whom it speaks, again and again.
    #[test]
    fn everybody_hears_what_was_meant_for_it() {
        for (ranks, delay) in [(1, 0), (3, 0), (4, 300)] {
            on_ranks(ranks, Duration::from_micros(delay), |exchange| {
                for round in 0..50u8 {
                    let own = exchange.rank() as u8;
                    let letters = (0..ranks).map(|to| vec![round, own, to as u8]).collect();
                    let heard = exchange.swap(letters);
                    let wanted: Vec<_> = (0..ranks).map(|r| vec![round, r as u8, own]).collect();
                    assert_eq!(heard, wanted);
                    assert_eq!(exchange.hear_first(vec![own, round]), [0, round]);
                    let gathered = exchange.tell_first(vec![own]);
                    assert_eq!(gathered.len(), if own == 0 { ranks } else { 0 });
                }
            });
        }
    }

    #[test]
    #[should_panic(expected = "no rank fails")]
    fn when_one_fails_nobody_waits_for_ever() {
        on_ranks(3, Duration::ZERO, |exchange| {
            assert!(exchange.rank() != 1, "this one fails");
            exchange.share(&[1]);
        });
    }
}
