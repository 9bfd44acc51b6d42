//! What ranks have to say to each other: processes, on one machine or on many, that compute one run together.
//!
//! All of it is one operation, so that a transport is a page: every rank gives something to each, at the same place of the
//! program. Which rank a thing comes from is part of the result, when it came is not.

use std::fmt::Debug;

/// A rank among others.
pub trait Exchange: Debug + Send + Sync {
    /// Its number, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Gives each rank what stands at its number, and returns what each has given to this one. What a rank gives to itself it
    /// gets. Every rank must take part.
    ///
    /// # Panics
    /// If another rank is gone: there is nothing to go on with.
    fn swap(&self, outgoing: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// [`swap`](Self::swap) where it is known how many bytes come from each rank.
    fn pass(&self, outgoing: Vec<Vec<u8>>, sizes: &[usize]) -> Vec<Vec<u8>> {
        let incoming = self.swap(outgoing);
        debug_assert!(incoming.iter().zip(sizes).all(|(bytes, &size)| bytes.len() == size));
        incoming
    }

    /// Gives the same to all.
    fn share(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.swap(vec![own.to_vec(); self.ranks()])
    }

    /// Returns what the first rank gives.
    fn hear_first(&self, own: Vec<u8>) -> Vec<u8> {
        let outgoing = match self.rank() {
            0 => vec![own; self.ranks()],
            _ => vec![Vec::new(); self.ranks()],
        };
        self.swap(outgoing).swap_remove(0)
    }

    /// Gives the first rank something; returns what it gets, in the order of ranks, and elsewhere nothing.
    fn tell_first(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        let mut outgoing = vec![Vec::new(); self.ranks()];
        outgoing[0] = own;
        let incoming = self.swap(outgoing);
        if self.rank() == 0 { incoming } else { Vec::new() }
    }
}
