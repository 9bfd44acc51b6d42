//! Sweeps over a problem whose movers several ranks have among them.
//!
//! A rank has the movers that it owns, those of others that its own touch, and all contacts of its own. A contact between
//! movers of two ranks is swept by both, from the same numbers to the same numbers. What neither sees of the other's movers is
//! told after each colour: those that another contact has changed, to those who have a contact on them. So sweeps go colour by colour as on one rank, in the same
//! bits, and sums count each contact once.

use crate::colour::Colouring;
use crate::lanes::{Kernel, SlotOf};
use crate::sums::SquareSum;
use crate::{Blocks, Exchange, GROUND, Twist};
use drystone_space::Vector;

/// The movers of a rank among those of others.
#[derive(Clone, Copy, Debug)]
pub struct Seam<'a> {
    /// The ranks.
    pub exchange: &'a dyn Exchange,
    /// Number of each mover among those of all ranks, rising.
    pub names: &'a [u32],
    /// The rank that owns each mover.
    pub owners: &'a [u8],
    /// A bit for each rank that has this mover, for those that this rank owns.
    pub known: &'a [u128],
}

impl Seam<'_> {
    /// Whether this rank owns a mover.
    pub(crate) fn owns(&self, mover: u32) -> bool {
        usize::from(self.owners[mover as usize]) == self.exchange.rank()
    }

    /// Whether this rank counts a contact: that of the mover with the lower number does.
    pub(crate) fn counts(&self, (first, second): (u32, u32)) -> bool {
        self.owns(if second == GROUND { first } else { first.min(second) })
    }

    /// The movers that each rank has of each other: those that this rank owns and another knows, and those of others.
    fn halo(&self) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let (mut told, mut heard) = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
        for (mover, (&owner, &known)) in self.owners.iter().zip(self.known).enumerate() {
            let owner = usize::from(owner);
            if owner != rank {
                heard[owner].push(mover as u32);
                continue;
            }
            let others = (0..ranks).filter(|&other| other != rank && known >> other & 1 == 1);
            others.for_each(|other| told[other].push(mover as u32));
        }
        (told, heard)
    }

    /// A bit for each rank that has a contact on a mover which this rank owns. Many that a rank has of others touch none of its
    /// own, and their velocities matter to it only when all is done.
    fn wanted(&self, pairs: &[(u32, u32)]) -> Vec<u128> {
        let mut said = vec![Vec::new(); self.exchange.ranks()];
        let mut asked = vec![false; self.owners.len()];
        for mover in pairs.iter().flat_map(|&(first, second)| [first, second]) {
            if mover != GROUND && !self.owns(mover) && !asked[mover as usize] {
                asked[mover as usize] = true;
                let owner = usize::from(self.owners[mover as usize]);
                said[owner].extend_from_slice(&self.names[mover as usize].to_le_bytes());
            }
        }
        let mut wanted = vec![0; self.owners.len()];
        for (from, heard) in self.exchange.swap(said).iter().enumerate() {
            for name in heard.chunks_exact(4) {
                let name = u32::from_le_bytes(name.try_into().expect("four bytes"));
                wanted[self.find(name)] |= 1 << from;
            }
        }
        wanted
    }

    /// The or of what all ranks have.
    pub(crate) fn join(&self, own: u64) -> u64 {
        let all = self.exchange.share(&own.to_le_bytes());
        let each = all.iter().map(|bytes| u64::from_le_bytes(bytes[..].try_into().expect("eight")));
        each.fold(0, |all, own| all | own)
    }

    /// Tells the colours that movers have, where these have changed since `before`.
    pub(crate) fn tell_colours(&self, before: &mut [u64], used: &mut [u64]) {
        let rank = self.exchange.rank();
        let mut said = vec![Vec::new(); self.exchange.ranks()];
        for (mover, (before, &now)) in before.iter_mut().zip(&*used).enumerate() {
            if usize::from(self.owners[mover]) != rank || *before == now {
                continue;
            }
            *before = now;
            let others = said.iter_mut().enumerate();
            for (_, said) in others.filter(|(r, _)| *r != rank && self.known[mover] >> r & 1 == 1) {
                said.extend_from_slice(&self.names[mover].to_le_bytes());
                said.extend_from_slice(&now.to_le_bytes());
            }
        }
        for heard in self.exchange.swap(said) {
            for told in heard.chunks_exact(12) {
                let (name, colours) = told.split_at(4);
                let mover = self.find(u32::from_le_bytes(name.try_into().expect("four bytes")));
                used[mover] = u64::from_le_bytes(colours.try_into().expect("eight bytes"));
            }
        }
    }

    fn find(&self, name: u32) -> usize {
        self.names.binary_search(&name).expect("a mover that this rank has")
    }

    /// Adds up sums of squares over all ranks.
    pub(crate) fn add_squares<const N: usize>(&self, own: [SquareSum; N]) -> [SquareSum; N] {
        let mut said = Vec::new();
        own.iter().for_each(|sum| sum.write(&mut said));
        let mut all = [SquareSum::default(); N];
        for said in self.exchange.share(&said) {
            let mut said = &said[..];
            all.iter_mut().for_each(|sum| sum.merge(&SquareSum::read(&mut said)));
        }
        all
    }
}

/// Who tells whom of which movers after which colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// By colour and rank.
    told: Vec<Vec<Vec<u32>>>,
    heard: Vec<Vec<Vec<u32>>>,
    /// All that ranks have of each other, by rank.
    all_told: Vec<Vec<u32>>,
    all_heard: Vec<Vec<u32>>,
}

impl Plan {
    /// That of manifolds with these colours.
    pub fn new(seam: &Seam, colouring: &Colouring, colours: usize) -> Self {
        let (rank, ranks) = (seam.exchange.rank(), seam.exchange.ranks());
        let (all_told, all_heard) = seam.halo();
        let wanted = seam.wanted(&colouring.pairs);
        let mut told = vec![vec![Vec::new(); ranks]; colours];
        for (colour, told) in told.iter_mut().enumerate() {
            let group = colouring.starts[colour] as usize..colouring.starts[colour + 1] as usize;
            for &manifold in &colouring.order[group] {
                let (first, second) = colouring.pairs[manifold as usize];
                for (mover, other) in [(first, second), (second, first)] {
                    if mover == GROUND || !seam.owns(mover) {
                        continue;
                    }
                    // Who has the other one has swept this contact too.
                    let partner =
                        if other == GROUND { rank } else { seam.owners[other as usize].into() };
                    let heard = wanted[mover as usize] & !(1 << partner);
                    let others = told.iter_mut().enumerate().filter(|(r, _)| heard >> r & 1 == 1);
                    others.for_each(|(_, told)| told.push(mover));
                }
            }
        }
        let say = |to: usize| {
            let mut said = Vec::new();
            for movers in told.iter().map(|told| &told[to]) {
                said.extend_from_slice(&(movers.len() as u32).to_le_bytes());
                let names = movers.iter().map(|&mover| seam.names[mover as usize]);
                names.for_each(|name| said.extend_from_slice(&name.to_le_bytes()));
            }
            said
        };
        let said = (0..ranks).map(say).collect();
        let mut heard = vec![vec![Vec::new(); ranks]; colours];
        for (from, said) in seam.exchange.swap(said).iter().enumerate() {
            let words = said.chunks_exact(4);
            let mut words = words.map(|word| u32::from_le_bytes(word.try_into().expect("four")));
            for heard in &mut heard {
                let count = words.next().expect("a count for each colour");
                let movers = words.by_ref().take(count as usize);
                heard[from] = movers.map(|name| seam.find(name) as u32).collect();
            }
        }
        Self { told, heard, all_told, all_heard }
    }

    /// Tells what a colour has changed.
    pub fn tell<S: Blocks>(&self, seam: &Seam, colour: usize, slots: &mut [SlotOf<S>]) {
        pass::<S>(seam, &self.told[colour], &self.heard[colour], slots);
    }

    /// Tells all.
    pub fn tell_all<S: Blocks>(&self, seam: &Seam, slots: &mut [SlotOf<S>]) {
        pass::<S>(seam, &self.all_told, &self.all_heard, slots);
    }
}

/// Sends velocities of movers, and takes in those of others.
fn pass<S: Blocks>(seam: &Seam, told: &[Vec<u32>], heard: &[Vec<u32>], slots: &mut [SlotOf<S>]) {
    let numbers = S::Vector::LENGTH + S::Spin::LENGTH;
    let say = |movers: &Vec<u32>| {
        let mut said = Vec::with_capacity(8 * numbers * movers.len());
        for &mover in movers {
            let Twist { velocity, spin } = S::Kernel::twist(&slots[mover as usize]);
            let velocity = (0..S::Vector::LENGTH).map(|axis| velocity.get(axis));
            let spin = (0..S::Spin::LENGTH).map(|axis| spin.get(axis));
            velocity.chain(spin).for_each(|number| said.extend_from_slice(&number.to_le_bytes()));
        }
        said
    };
    let sizes: Vec<usize> = heard.iter().map(|movers| 8 * numbers * movers.len()).collect();
    let all = seam.exchange.pass(told.iter().map(say).collect(), &sizes);
    for (movers, said) in heard.iter().zip(&all) {
        let mut words = said.chunks_exact(8);
        let mut next =
            || f64::from_le_bytes(words.next().expect("a number").try_into().expect("eight"));
        for &mover in movers {
            let velocity = S::Vector::from_fn(|_| next());
            let spin = S::Spin::from_fn(|_| next());
            S::Kernel::set_twist(&mut slots[mover as usize], &Twist { velocity, spin });
        }
    }
}
