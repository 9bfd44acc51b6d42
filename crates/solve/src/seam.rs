//! Sweeps over a problem whose movers several ranks have among them.
//!
//! A rank has the movers that it owns, those of others that its own touch, and all contacts of its own. A contact between
//! movers of two ranks is swept by both, from the same numbers to the same numbers. What neither sees of the other's movers is
//! told after each colour: those that another contact has changed, to those who have a contact on them. So sweeps go colour by colour as on one rank, in the same
//! bits, and sums count each contact once.

use crate::colour::Colouring;
use crate::lanes::{Kernel, SlotOf};
use crate::sums::SquareSum;
use crate::{Blocks, Exchange, GROUND, Letters, Twist};
use drystone_space::Vector;

/// Another rank that has movers of this one, or of which this one has some. Both know the lists of both, in the order of
/// the movers' names, so that a mover can be told by its place in them.
#[derive(Clone, Debug, Default)]
pub struct Neighbour {
    /// Its number.
    pub rank: usize,
    /// Movers that this rank owns and the other one has, rising.
    pub told: Vec<u32>,
    /// Movers of the other one that are here, rising.
    pub heard: Vec<u32>,
}

/// The movers of a rank among those of others.
#[derive(Clone, Copy, Debug)]
pub struct Seam<'a> {
    /// The ranks.
    pub exchange: &'a dyn Exchange,
    /// The rank that owns each mover.
    pub owners: &'a [u32],
    /// All that have to do with this one, rising.
    pub neighbours: &'a [Neighbour],
}

/// Movers by neighbour.
type ByNeighbour = Vec<Vec<u32>>;

impl Seam<'_> {
    /// Whether this rank owns a mover.
    pub(crate) fn owns(&self, mover: u32) -> bool {
        self.owners[mover as usize] as usize == self.exchange.rank()
    }

    /// Whether this rank counts a contact: that of the mover with the lower number does.
    pub(crate) fn counts(&self, (first, second): (u32, u32)) -> bool {
        self.owns(if second == GROUND { first } else { first.min(second) })
    }

    /// The neighbour that owns a mover; none where this rank does.
    fn neighbour(&self, mover: u32) -> Option<usize> {
        let rank = self.owners[mover as usize] as usize;
        self.neighbours.binary_search_by_key(&rank, |neighbour| neighbour.rank).ok()
    }

    /// Says something to each neighbour and hears something from each.
    fn swap(&self, said: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let from: Vec<usize> = self.neighbours.iter().map(|neighbour| neighbour.rank).collect();
        self.exchange.swap(from.iter().copied().zip(said).collect(), &from)
    }

    /// Movers of contacts with those of each neighbour: those of this rank, and those of the other, rising.
    pub(crate) fn meeting(
        &self,
        pairs: impl Iterator<Item = (u32, u32)>,
    ) -> (ByNeighbour, ByNeighbour) {
        let mut own = vec![Vec::new(); self.neighbours.len()];
        let mut others = own.clone();
        for (first, second) in pairs.filter(|(_, second)| *second != GROUND) {
            for (one, other) in [(first, second), (second, first)] {
                if let Some(neighbour) = self.neighbour(other) {
                    own[neighbour].push(one);
                    others[neighbour].push(other);
                }
            }
        }
        for movers in own.iter_mut().chain(&mut others) {
            movers.sort_unstable();
            movers.dedup();
        }
        (own, others)
    }

    /// The neighbours that have a contact on a mover which this rank owns: pairs of both, rising. Many that a rank has of
    /// others touch none of its own, and their velocities matter to it only when all is done.
    fn wanted(&self, meeting: &ByNeighbour) -> Vec<(u32, u32)> {
        let lists = meeting.iter().enumerate();
        let mut wanted: Vec<(u32, u32)> = lists
            .flat_map(|(number, movers)| movers.iter().map(move |&mover| (mover, number as u32)))
            .collect();
        wanted.sort_unstable();
        wanted
    }

    /// Tells neighbours the colours that movers of this rank have whose contacts with theirs are the next to be chosen, and
    /// hears those of theirs. Both know which these are.
    pub(crate) fn tell_colours(&self, own: &ByNeighbour, others: &ByNeighbour, used: &mut [u64]) {
        let (mut outgoing, mut from) = (Letters::new(), Vec::new());
        for (neighbour, movers) in self.neighbours.iter().zip(own) {
            if !movers.is_empty() {
                let said = movers.iter().flat_map(|&mover| used[mover as usize].to_le_bytes());
                outgoing.push((neighbour.rank, said.collect()));
                from.push(neighbour.rank);
            }
        }
        if from.is_empty() {
            return;
        }
        let heard = self.exchange.swap(outgoing, &from);
        let movers = others.iter().filter(|movers| !movers.is_empty());
        for (movers, heard) in movers.zip(heard) {
            for (&mover, colours) in movers.iter().zip(heard.chunks_exact(8)) {
                used[mover as usize] = u64::from_le_bytes(colours.try_into().expect("eight bytes"));
            }
        }
    }

    /// Adds up sums of squares over all ranks.
    pub(crate) fn add_squares<const N: usize>(&self, own: [SquareSum; N]) -> [SquareSum; N] {
        let write = |sums: &[SquareSum; N]| {
            let mut said = Vec::new();
            sums.iter().for_each(|sum| sum.write(&mut said));
            said
        };
        let read = |mut said: &[u8]| [(); N].map(|()| SquareSum::read(&mut said));
        let all = self.exchange.combine(write(&own), &mut |one, other| {
            let mut sums = read(one);
            sums.iter_mut().zip(read(other)).for_each(|(sum, other)| sum.merge(&other));
            *one = write(&sums);
        });
        read(&all)
    }
}

/// Who tells whom of which movers after which colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// By colour and neighbour.
    told: Vec<ByNeighbour>,
    heard: Vec<ByNeighbour>,
}

impl Plan {
    /// For so many colours.
    pub fn new(seam: &Seam, colouring: &Colouring, colours: usize) -> Self {
        let wanted = seam.wanted(&seam.meeting(colouring.pairs.iter().copied()).0);
        let mut told = vec![vec![Vec::new(); seam.neighbours.len()]; colours];
        for (colour, told) in told.iter_mut().enumerate() {
            let group = colouring.starts[colour] as usize..colouring.starts[colour + 1] as usize;
            for &manifold in &colouring.order[group] {
                let (first, second) = colouring.pairs[manifold as usize];
                for (mover, other) in [(first, second), (second, first)] {
                    if mover == GROUND || !seam.owns(mover) {
                        continue;
                    }
                    // Who has the other one has swept this contact too.
                    let partner = match other {
                        GROUND => None,
                        other => seam.neighbour(other).map(|neighbour| neighbour as u32),
                    };
                    let start = wanted.partition_point(|(of, _)| *of < mover);
                    let heard = wanted[start..].iter().take_while(|(of, _)| *of == mover);
                    let heard = heard.filter(|(_, neighbour)| Some(*neighbour) != partner);
                    heard.for_each(|(_, neighbour)| told[*neighbour as usize].push(mover));
                }
            }
        }
        let heard = Self::agree(seam, &told);
        Self { told, heard }
    }

    /// What this rank hears, after each has said what it will tell: by colour how much, and the movers' places in their list.
    fn agree(seam: &Seam, told: &[ByNeighbour]) -> Vec<ByNeighbour> {
        let said = seam.neighbours.iter().enumerate().map(|(number, neighbour)| {
            let place = |mover: &u32| {
                neighbour.told.binary_search(mover).expect("a mover that the other one has") as u32
            };
            let lists = told.iter().map(|told| &told[number]);
            let words = lists.flat_map(|movers| {
                std::iter::once(movers.len() as u32).chain(movers.iter().map(place))
            });
            words.flat_map(u32::to_le_bytes).collect()
        });
        let mut heard = vec![vec![Vec::new(); seam.neighbours.len()]; told.len()];
        let all = seam.swap(said.collect());
        for (number, (neighbour, said)) in seam.neighbours.iter().zip(&all).enumerate() {
            let words = said.chunks_exact(4);
            let mut words = words.map(|word| u32::from_le_bytes(word.try_into().expect("four")));
            for heard in &mut heard {
                let count = words.next().expect("a count for each colour");
                let places = words.by_ref().take(count as usize);
                heard[number] = places.map(|place| neighbour.heard[place as usize]).collect();
            }
        }
        heard
    }

    /// Tells what a colour has changed.
    pub fn tell<S: Blocks>(&self, seam: &Seam, colour: usize, slots: &mut [SlotOf<S>]) {
        let lists = self.told[colour].iter().map(Vec::as_slice);
        pass::<S>(seam, lists, self.heard[colour].iter().map(Vec::as_slice), slots);
    }

    /// Tells all.
    pub fn tell_all<S: Blocks>(seam: &Seam, slots: &mut [SlotOf<S>]) {
        let told = seam.neighbours.iter().map(|neighbour| &neighbour.told[..]);
        let heard = seam.neighbours.iter().map(|neighbour| &neighbour.heard[..]);
        pass::<S>(seam, told, heard, slots);
    }
}

/// Sends velocities of movers to neighbours, and takes in those of others. Where there are none, nothing is sent.
fn pass<'a, S: Blocks>(
    seam: &Seam,
    told: impl Iterator<Item = &'a [u32]>,
    heard: impl Iterator<Item = &'a [u32]>,
    slots: &mut [SlotOf<S>],
) {
    let numbers = S::Vector::LENGTH + S::Spin::LENGTH;
    let say = |movers: &[u32]| {
        let mut said = Vec::with_capacity(8 * numbers * movers.len());
        for &mover in movers {
            let Twist { velocity, spin } = S::Kernel::twist(&slots[mover as usize]);
            let velocity = (0..S::Vector::LENGTH).map(|axis| velocity.get(axis));
            let spin = (0..S::Spin::LENGTH).map(|axis| spin.get(axis));
            velocity.chain(spin).for_each(|number| said.extend_from_slice(&number.to_le_bytes()));
        }
        said
    };
    let ranks = || seam.neighbours.iter().map(|neighbour| neighbour.rank);
    let told = ranks().zip(told).filter(|(_, movers)| !movers.is_empty());
    let outgoing: Letters = told.map(|(rank, movers)| (rank, say(movers))).collect();
    let heard: Vec<_> = ranks().zip(heard).filter(|(_, movers)| !movers.is_empty()).collect();
    let from: Vec<usize> = heard.iter().map(|(rank, _)| *rank).collect();
    if outgoing.is_empty() && from.is_empty() {
        return;
    }
    let all = seam.exchange.pass(outgoing, &from);
    for ((_, movers), said) in heard.iter().zip(&all) {
        let mut words = said.chunks_exact(8);
        let mut next =
            || f64::from_le_bytes(words.next().expect("a number").try_into().expect("eight"));
        for &mover in *movers {
            let velocity = S::Vector::from_fn(|_| next());
            let spin = S::Spin::from_fn(|_| next());
            S::Kernel::set_twist(&mut slots[mover as usize], &Twist { velocity, spin });
        }
    }
}
