//! Colouring: contacts of one colour share no mover, so they can be swept in any order, by any
//! number of threads, with the same bits. Other orders are swept by one thread.

use crate::{Blocks, ContactProblem, GROUND, Law, REGIONS};
use drystone_space::Random;

/// Colours that a mover can keep apart; what does not fit is swept by one thread at the end.
const COLOURS: usize = 64;

/// In which order a sweep visits the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepOrder {
    /// Colour after colour: the order that threads can share.
    #[default]
    Coloured,
    /// The problem's own order.
    Ordered,
    /// An order that is drawn from this seed, the same in all sweeps of a solve.
    Shuffled(u64),
}

/// Contacts grouped by colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colouring {
    /// The movers of each contact.
    pairs: Vec<(u32, u32)>,
    /// Bit set of the colours that each mover has already.
    used: Vec<u64>,
    /// Contacts in the order in which they are coloured, and the colours that they get.
    sorted: Vec<u32>,
    colour: Vec<u8>,
    /// Where the next contact of each region goes.
    next: Vec<u32>,
    /// Contact indices, colour after colour, in the order of regions within a colour.
    pub order: Vec<u32>,
    /// Where each colour starts in `order`; one entry more than there are groups.
    pub starts: Vec<u32>,
}

impl Colouring {
    /// Whether the last group is the rest that shares movers.
    pub fn is_serial(&self, group: usize) -> bool {
        group == COLOURS
    }

    /// Lays the contacts out for sweeps in this order. Sweeps rely on it that all movers exist, and that special
    /// laws stand in rising order, so that no two contacts have one, whose couple threads would share.
    ///
    /// # Panics
    /// If a contact names a mover that does not exist, or one for both sides, or another's special law.
    pub fn arrange<S: Blocks>(&mut self, problem: &ContactProblem<S>, order: SweepOrder) {
        let movers = problem.movers.len();
        assert_eq!(problem.free.len(), movers, "one free velocity per mover");
        let regions = &problem.regions;
        assert!(regions.is_empty() || regions.len() == movers, "one region per mover, or none");
        let mut specials = 0;
        self.pairs.clear();
        self.pairs.extend(problem.contacts.iter().map(|contact| {
            if let Law::Special(index) = contact.law {
                assert_eq!(index, specials, "each special law belongs to one contact");
                specials += 1;
            }
            (contact.map.first, contact.map.second)
        }));
        assert_eq!(specials as usize, problem.specials.len(), "each special law has a contact");
        let fits = |index: u32| (index as usize) < movers;
        let good = |&(first, second): &(u32, u32)| {
            fits(first) && (second == GROUND || fits(second)) && first != second
        };
        assert!(self.pairs.iter().all(good), "a contact names a mover that does not exist");
        if order == SweepOrder::Coloured {
            return self.colour(movers, &problem.regions);
        }
        let count = problem.contacts.len() as u32;
        self.order.clear();
        self.order.extend(0..count);
        if let SweepOrder::Shuffled(seed) = order {
            Random::new(seed, 0).shuffle(&mut self.order);
        }
        // All in the group of those that share movers.
        self.starts.clear();
        self.starts.resize(COLOURS + 1, 0);
        self.starts.push(count);
    }

    /// Contacts by the region of their first mover, in the problem's order within a region.
    fn sort_by_region(&mut self, regions: &[u16]) {
        let count = self.pairs.len() as u32;
        self.sorted.clear();
        if regions.is_empty() {
            self.sorted.extend(0..count);
            return;
        }
        let region = |&(first, _): &(u32, u32)| regions[first as usize] as usize;
        self.next.clear();
        self.next.resize(REGIONS + 1, 0);
        self.pairs.iter().for_each(|pair| self.next[region(pair) + 1] += 1);
        for region in 0..REGIONS {
            self.next[region + 1] += self.next[region];
        }
        self.sorted.resize(self.pairs.len(), 0);
        for (index, pair) in (0..count).zip(&self.pairs) {
            let place = &mut self.next[region(pair)];
            self.sorted[*place as usize] = index;
            *place += 1;
        }
    }

    /// Greedy colouring, region after region.
    fn colour(&mut self, movers: usize, regions: &[u16]) {
        self.sort_by_region(regions);
        self.used.clear();
        self.used.resize(movers, 0);
        self.colour.clear();
        self.starts.clear();
        self.starts.resize(COLOURS + 2, 0);
        for &index in &self.sorted {
            let (first, second) = self.pairs[index as usize];
            let mut taken = self.used[first as usize];
            if second != GROUND {
                taken |= self.used[second as usize];
            }
            let colour = taken.trailing_ones() as usize;
            if colour < COLOURS {
                self.used[first as usize] |= 1 << colour;
                if second != GROUND {
                    self.used[second as usize] |= 1 << colour;
                }
            }
            self.colour.push(colour as u8);
            self.starts[colour + 1] += 1;
        }
        for group in 0..=COLOURS {
            self.starts[group + 1] += self.starts[group];
        }
        self.order.clear();
        self.order.resize(self.pairs.len(), 0);
        let mut next = [0u32; COLOURS + 1];
        next.copy_from_slice(&self.starts[..=COLOURS]);
        for (&index, &colour) in self.sorted.iter().zip(&self.colour) {
            let place = &mut next[colour as usize];
            self.order[*place as usize] = index;
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contact, ContactMap, Mover, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};
    use proptest::prelude::*;

    fn problem(movers: usize, pairs: &[(u32, u32)]) -> ContactProblem<Plane> {
        let all = vec![Mover { inverse_mass: 1.0, inverse_inertia: 1.0 }; movers];
        let contact = |&(first, second): &(u32, u32)| {
            let frame = PlaneFrame::from_normal(DVec2::Y);
            let map = ContactMap {
                first,
                second,
                frame,
                arm_first: DVec2::ZERO,
                arm_second: DVec2::ZERO,
            };
            Contact::new(map, Local2::default(), Law::Frictionless, &all, 1.0)
        };
        let contacts = pairs.iter().map(contact).collect();
        let free = vec![Twist::ZERO; movers];
        ContactProblem { movers: all, free, contacts, ..Default::default() }
    }

    proptest! {
        #[test]
        fn contacts_of_one_colour_share_no_mover(
            pairs in prop::collection::vec((0u32..20, 0u32..21), 0..200)
        ) {
            let fixed = |p: u32| if p == 20 { GROUND } else { p };
            let pairs: Vec<_> = pairs
                .into_iter()
                .filter(|(a, b)| a != b)
                .map(|(a, b)| (a, fixed(b)))
                .collect();
            let problem = problem(20, &pairs);
            let mut colouring = Colouring::default();
            colouring.arrange(&problem, SweepOrder::Coloured);
            let mut seen = colouring.order.clone();
            seen.sort_unstable();
            prop_assert!(seen.iter().enumerate().all(|(i, &c)| i as u32 == c));
            for group in 0..COLOURS {
                let range = colouring.starts[group] as usize..colouring.starts[group + 1] as usize;
                let mut movers: Vec<u32> = colouring.order[range]
                    .iter()
                    .flat_map(|&c| [pairs[c as usize].0, pairs[c as usize].1])
                    .filter(|&m| m != GROUND)
                    .collect();
                let count = movers.len();
                movers.sort_unstable();
                movers.dedup();
                prop_assert_eq!(movers.len(), count);
            }
        }
    }
}
