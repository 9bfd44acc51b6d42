//! What a rank says to others, counted.

use drystone_solve::{Exchange, Letters};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a rank has said to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How often it waited for what others say, but for velocities within sweeps.
    pub meetings: u64,
    /// Messages to other ranks besides these.
    pub messages: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// How often it passed on velocities within sweeps, from neighbour to neighbour.
    pub passes: u64,
    /// Messages of these.
    pub pass_messages: u64,
    /// Bytes of these.
    pub pass_bytes: u64,
}

/// A rank that counts what it says.
#[derive(Debug)]
pub struct Counting {
    rank: Arc<dyn Exchange>,
    /// In the order of [`Traffic`].
    counts: [AtomicU64; 6],
}

impl Counting {
    /// This rank, from now on.
    pub fn new(rank: Arc<dyn Exchange>) -> Self {
        Self { rank, counts: Default::default() }
    }

    /// What it has said so far.
    pub fn traffic(&self) -> Traffic {
        let [meetings, messages, bytes, passes, pass_messages, pass_bytes] =
            self.counts.each_ref().map(|count| count.load(Relaxed));
        Traffic { meetings, messages, bytes, passes, pass_messages, pass_bytes }
    }

    fn count(&self, first: usize, outgoing: &Letters, from: &[usize]) {
        let bytes = outgoing.iter().map(|(_, said)| said.len() as u64).sum();
        let more = [u64::from(!from.is_empty()), outgoing.len() as u64, bytes];
        for (count, more) in self.counts[first..].iter().zip(more) {
            count.fetch_add(more, Relaxed);
        }
    }
}

impl Exchange for Counting {
    fn rank(&self) -> usize {
        self.rank.rank()
    }

    fn ranks(&self) -> usize {
        self.rank.ranks()
    }

    fn swap(&self, outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>> {
        self.count(0, &outgoing, from);
        self.rank.swap(outgoing, from)
    }

    fn pass(&self, outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>> {
        self.count(3, &outgoing, from);
        self.rank.pass(outgoing, from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::on_ranks;
    use std::time::Duration;

    #[test]
    fn what_others_get_is_counted() {
        let said = on_ranks(3, Duration::ZERO, |rank| {
            let rank = Counting::new(rank);
            rank.hear_first(vec![1, 2, 3, 4]);
            rank.tell_first(vec![5; 10]);
            let (left, right) = ((rank.rank() + 2) % 3, (rank.rank() + 1) % 3);
            rank.pass(vec![(right, vec![0; 7])], &[left]);
            rank.traffic()
        });
        let of = |messages, bytes| Traffic {
            meetings: 1,
            messages,
            bytes,
            passes: 1,
            pass_messages: 1,
            pass_bytes: 7,
        };
        // The first one speaks to both others, and hears them.
        assert_eq!(said, [of(2, 8), of(1, 10), of(1, 10)]);
    }
}
