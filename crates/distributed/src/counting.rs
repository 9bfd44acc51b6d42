//! What a rank says to others, counted.

use drystone_solve::Exchange;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a rank has said to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How often all ranks met: each of these times a rank also tells each other one how much it will say.
    pub meetings: u64,
    /// Messages to other ranks in these, and their bytes.
    pub messages: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// How often ranks passed on velocities within sweeps, from neighbour to neighbour.
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

    fn count(&self, first: usize, outgoing: &[Vec<u8>]) {
        let own = self.rank.rank();
        let others =
            outgoing.iter().enumerate().filter(|(to, said)| *to != own && !said.is_empty());
        let (messages, bytes) = others
            .fold((0, 0), |(messages, bytes), (_, said)| (messages + 1, bytes + said.len() as u64));
        for (count, more) in self.counts[first..].iter().zip([1, messages, bytes]) {
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

    fn swap(&self, outgoing: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        self.count(0, &outgoing);
        self.rank.swap(outgoing)
    }

    fn pass(&self, outgoing: Vec<Vec<u8>>, sizes: &[usize]) -> Vec<Vec<u8>> {
        self.count(3, &outgoing);
        self.rank.pass(outgoing, sizes)
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
            rank.share(&[1, 2, 3, 4]);
            rank.tell_first(vec![5; 10]);
            let right = (rank.rank() + 1) % 3;
            let (mut outgoing, mut sizes) = (vec![Vec::new(); 3], [0; 3]);
            outgoing[right] = vec![0; 7];
            sizes[(rank.rank() + 2) % 3] = 7;
            rank.pass(outgoing, &sizes);
            rank.traffic()
        });
        let of = |messages, bytes| Traffic {
            meetings: 2,
            messages,
            bytes,
            passes: 1,
            pass_messages: 1,
            pass_bytes: 7,
        };
        // The first one says nothing to another where it is told.
        assert_eq!(said, [of(2, 8), of(3, 18), of(3, 18)]);
    }
}
