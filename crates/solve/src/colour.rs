//! Colouring: contacts of one colour share no mover, so they can be swept in any order, by any
//! number of threads, with the same bits. Other orders are swept by one thread.

use crate::{Blocks, ContactProblem, Contacts, GROUND, Law, REGIONS};
use drystone_space::{Random, clear_for, set_length};

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
    pub pairs: Vec<(u32, u32)>,
    /// Bit set of the colours that each mover has already.
    used: Vec<u64>,
    /// Contact indices in the order in which colours are chosen. Once they are, there is room here for the place that
    /// each contact is laid out at.
    pub places: Vec<u32>,
    /// The colours, in that order.
    colour: Vec<u8>,
    /// Where each region starts in `places`.
    regions: Vec<u32>,
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
    pub fn arrange<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        order: SweepOrder,
    ) {
        let (movers, count) = (problem.movers.len(), contacts.count());
        assert_eq!(problem.free.len(), movers, "one free velocity per mover");
        let regions = &problem.regions;
        assert!(regions.is_empty() || regions.len() == movers, "one region per mover, or none");
        let laws = problem.contacts.iter().map(|contact| contact.law);
        let specials = laws.filter_map(|law| match law {
            Law::Special(index) => Some(index),
            Law::Frictionless | Law::Coulomb(_) => None,
        });
        let each_has_one = specials.eq(0..problem.specials.len() as u32);
        assert!(each_has_one, "each special law belongs to one contact");
        clear_for(&mut self.pairs, count);
        self.pairs.extend((0..count).map(|index| contacts.movers(index)));
        let fits = |index: u32| (index as usize) < movers;
        let good = |&(first, second): &(u32, u32)| {
            fits(first) && (second == GROUND || fits(second)) && first != second
        };
        assert!(self.pairs.iter().all(good), "a contact names a mover that does not exist");
        if order == SweepOrder::Coloured {
            return self.colour(problem);
        }
        clear_for(&mut self.order, count);
        self.order.extend(0..count as u32);
        set_length(&mut self.places, count, 0);
        if let SweepOrder::Shuffled(seed) = order {
            Random::new(seed, 0).shuffle(&mut self.order);
        }
        // All in the group of those that share movers.
        self.starts.clear();
        self.starts.resize(COLOURS + 1, 0);
        self.starts.push(count as u32);
    }

    /// Greedy colouring, region after region: by the region of the first mover, in the problem's order within one.
    /// Contacts of compliant groups, whose movers answer together, are left to the one thread at the end.
    fn colour<S: Blocks>(&mut self, problem: &ContactProblem<S>) {
        let (count, movers, regions) =
            (self.pairs.len(), problem.movers.len(), &problem.regions[..]);
        let region = |index: u32| match regions {
            [] => 0,
            regions => usize::from(regions[self.pairs[index as usize].0 as usize]),
        };
        let indices = 0..count as u32;
        sort(
            indices.map(|index| (index, region(index))),
            REGIONS,
            &mut self.regions,
            &mut self.places,
        );
        clear_for(&mut self.used, movers);
        self.used.resize(movers, 0);
        clear_for(&mut self.colour, count);
        for &index in &self.places {
            let (first, second) = self.pairs[index as usize];
            if problem.is_compliant((first, second)) {
                self.colour.push(COLOURS as u8);
                continue;
            }
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
        }
        let coloured = self.places.iter().zip(&self.colour);
        let coloured = coloured.map(|(&index, &colour)| (index, usize::from(colour)));
        sort(coloured, COLOURS + 1, &mut self.starts, &mut self.order);
    }
}

/// Sorts indices by keys that are below `keys`, in their own order where keys are equal, by counting. Afterwards the
/// indices of a key are between its start and the next.
fn sort(
    items: impl ExactSizeIterator<Item = (u32, usize)> + Clone,
    keys: usize,
    starts: &mut Vec<u32>,
    sorted: &mut Vec<u32>,
) {
    // Each start is counted two places on and moves through its key's indices, so that it ends one place on.
    clear_for(starts, keys + 2);
    starts.resize(keys + 2, 0);
    items.clone().for_each(|(_, key)| starts[key + 2] += 1);
    for key in 2..starts.len() {
        starts[key] += starts[key - 1];
    }
    set_length(sorted, items.len(), 0);
    for (index, key) in items {
        let place = &mut starts[key + 1];
        sorted[*place as usize] = index;
        *place += 1;
    }
    starts.pop();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contact, ContactMap, Listed, Mover, Twist};
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
            let contacts = Listed { contacts: &problem.contacts, starts: &[] };
            colouring.arrange(&problem, &contacts, SweepOrder::Coloured);
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
