//! What ranks have to say to each other: processes, on one machine or on many, that compute one run together.
//!
//! All of it is one operation, so that a transport is a page: a rank sends letters to some, and waits for one from each of
//! some others. What all ranks do together goes along fixed trees of such letters. Which rank a thing comes from is part of
//! the result, when it came is not.

use std::fmt::Debug;

/// What is sent, and to whom.
pub type Letters = Vec<(usize, Vec<u8>)>;

/// A rank among others.
pub trait Exchange: Debug + Send + Sync {
    /// Its number, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Sends a letter to each of some other ranks, and returns one from each of those in `from`, in their order. Letters from
    /// one rank to another come in the order in which they were sent; each must be waited for.
    ///
    /// # Panics
    /// If another rank is gone: there is nothing to go on with.
    fn swap(&self, outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>>;

    /// [`swap`](Self::swap) within a sweep.
    fn pass(&self, outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>> {
        self.swap(outgoing, from)
    }

    /// What comes of the own with that of all other ranks, the same on each. `merge` makes one of two, of which the first
    /// comes from lower ranks where ranks are a power of two; nothing may depend on which two are merged first.
    ///
    /// In each round a rank swaps with one that is twice as far away as in the round before, so that there are log₂ of the
    /// ranks; those beyond a power of two let one of the others speak for them.
    fn combine(&self, mut own: Vec<u8>, merge: &mut dyn FnMut(&mut Vec<u8>, &[u8])) -> Vec<u8> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let whole = 1 << ranks.ilog2();
        if rank >= whole {
            return only(self.swap(vec![(rank - whole, own)], &[rank - whole]));
        }
        let beyond = Some(rank + whole).filter(|&other| other < ranks);
        if let Some(other) = beyond {
            merge(&mut own, &only(self.swap(Vec::new(), &[other])));
        }
        let mut distance = 1;
        while distance < whole {
            let other = rank ^ distance;
            let mut heard = only(self.swap(vec![(other, own.clone())], &[other]));
            if other < rank {
                std::mem::swap(&mut own, &mut heard);
            }
            merge(&mut own, &heard);
            distance *= 2;
        }
        if let Some(other) = beyond {
            self.swap(vec![(other, own.clone())], &[]);
        }
        own
    }

    /// Returns what the first rank gives. Each rank hears it from the one without the last bit of its number.
    fn hear_first(&self, own: Vec<u8>) -> Vec<u8> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let (said, mut distance) = match rank {
            0 => (own, ranks.next_power_of_two()),
            _ => {
                let last = rank & rank.wrapping_neg();
                (only(self.swap(Vec::new(), &[rank - last])), last)
            }
        };
        let mut outgoing = Vec::new();
        while distance > 1 {
            distance /= 2;
            if rank + distance < ranks {
                outgoing.push((rank + distance, said.clone()));
            }
        }
        if !outgoing.is_empty() {
            self.swap(outgoing, &[]);
        }
        said
    }

    /// Gives the first rank something; returns what it gets, in the order of ranks, and elsewhere nothing.
    fn tell_first(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        if self.rank() > 0 {
            return self.swap(vec![(0, own)], &[]);
        }
        let others: Vec<usize> = (1..self.ranks()).collect();
        let heard = if others.is_empty() { Vec::new() } else { self.swap(Vec::new(), &others) };
        std::iter::once(own).chain(heard).collect()
    }

    /// The first rank gives each, by its number, what is for it; returns what is for this one.
    fn hear_own(&self, letters: Vec<Vec<u8>>) -> Vec<u8> {
        if self.rank() > 0 {
            return only(self.swap(Vec::new(), &[0]));
        }
        let mut letters = letters.into_iter();
        let own = letters.next().expect("a letter for each");
        let others: Letters = letters.enumerate().map(|(at, letter)| (at + 1, letter)).collect();
        if !others.is_empty() {
            self.swap(others, &[]);
        }
        own
    }

    /// Gives letters to whom they are for, where nobody knows who has any; returns who has sent what, in the order of
    /// ranks. A rank may write to itself.
    fn deliver(&self, mut outgoing: Letters) -> Letters {
        let rank = self.rank();
        let own = outgoing.iter().position(|(to, _)| *to == rank);
        let own = own.map(|place| outgoing.swap_remove(place));
        let number = |number: usize| (number as u32).to_le_bytes();
        let named = outgoing.iter().flat_map(|(to, _)| [number(*to), number(rank)].concat());
        let all = self.combine(named.collect(), &mut |one, other| one.extend_from_slice(other));
        let pairs = all.chunks_exact(8).map(|pair| pair.split_at(4));
        let mut from: Vec<usize> = pairs
            .filter(|(to, _)| **to == number(rank))
            .map(|(_, from)| u32::from_le_bytes(from.try_into().expect("four bytes")) as usize)
            .collect();
        from.sort_unstable();
        let heard = match outgoing.is_empty() && from.is_empty() {
            true => Vec::new(),
            false => self.swap(outgoing, &from),
        };
        let mut incoming: Letters = from.into_iter().zip(heard).collect();
        incoming.extend(own);
        incoming.sort_by_key(|(from, _)| *from);
        incoming
    }
}

/// The one letter that was asked for.
fn only(mut heard: Vec<Vec<u8>>) -> Vec<u8> {
    heard.pop().expect("one letter for each that is asked for")
}

impl dyn Exchange + '_ {
    /// The largest number that any rank has.
    pub fn most(&self, own: u64) -> u64 {
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let all = self.combine(own.to_le_bytes().into(), &mut |one, other| {
            let most = number(one).max(number(other));
            one.copy_from_slice(&most.to_le_bytes());
        });
        number(&all)
    }
}
