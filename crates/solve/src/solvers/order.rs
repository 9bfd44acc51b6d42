//! In which order sweeps over an assembled problem visit the contacts, and which of them threads may take
//! at the same time.
//!
//! Contacts of one colour have no block of W in common, so that none of them sees what another one does
//! in the same sweep.

use crate::SweepOrder;
use crate::assembled::BlockMatrix;
use drystone_space::Random;

/// Contacts from which on the usual order is by colours, whether there are threads to share them or not:
/// below, colours are too small to be worth sharing.
const LARGE: usize = 3000;

/// The order of a sweep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// The contacts as they are visited.
    pub contacts: Vec<u32>,
    /// Where groups start in `contacts`, with the end of the last; none where each contact is seen by
    /// the next.
    pub groups: Vec<u32>,
}

impl Order {
    /// The order asked for, or the usual one.
    pub fn new<const D: usize>(matrix: &BlockMatrix<D>, asked: Option<SweepOrder>) -> Self {
        let rows = matrix.rows() as u32;
        let usual = if matrix.rows() < LARGE { SweepOrder::Ordered } else { SweepOrder::Coloured };
        let mut contacts: Vec<u32> = (0..rows).collect();
        match asked.unwrap_or(usual) {
            SweepOrder::Coloured => return Self::by_colours(matrix),
            SweepOrder::Ordered => {}
            SweepOrder::Shuffled(seed) => Random::new(seed, 0).shuffle(&mut contacts),
        }
        Self { contacts, groups: Vec::new() }
    }

    /// Greedy colouring, in the problem's order.
    fn by_colours<const D: usize>(matrix: &BlockMatrix<D>) -> Self {
        const NONE: u32 = u32::MAX;
        let seen_by = transposed(matrix);
        let mut colours = vec![NONE; matrix.rows()];
        // The last contact that has met each colour among those near it.
        let mut met: Vec<u32> = Vec::new();
        for contact in 0..matrix.rows() {
            let seen = matrix.row(contact).map(|(other, _)| other as u32);
            for other in seen.chain(seen_by.row(contact)) {
                let colour = colours[other as usize];
                if colour != NONE {
                    met[colour as usize] = contact as u32;
                }
            }
            let free = met.iter().position(|&last| last != contact as u32).unwrap_or(met.len());
            if free == met.len() {
                met.push(NONE);
            }
            colours[contact] = free as u32;
        }
        let mut groups = vec![0; met.len() + 1];
        colours.iter().for_each(|&colour| groups[colour as usize + 1] += 1);
        for colour in 0..met.len() {
            groups[colour + 1] += groups[colour];
        }
        let mut contacts: Vec<u32> = (0..colours.len() as u32).collect();
        contacts.sort_by_key(|&contact| colours[contact as usize]);
        Self { contacts, groups }
    }
}

/// The rows in which each column has a block.
struct Pattern {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Pattern {
    fn row(&self, row: usize) -> impl Iterator<Item = u32> {
        self.rows[self.starts[row] as usize..self.starts[row + 1] as usize].iter().copied()
    }
}

fn transposed<const D: usize>(matrix: &BlockMatrix<D>) -> Pattern {
    let mut starts = vec![0; matrix.rows() + 1];
    matrix.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
    for row in 0..matrix.rows() {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut rows = vec![0; matrix.columns.len()];
    for row in 0..matrix.rows() {
        for (column, _) in matrix.row(row) {
            rows[next[column] as usize] = row as u32;
            next[column] += 1;
        }
    }
    Pattern { starts, rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contacts_of_one_colour_do_not_see_each_other(
            pairs in prop::collection::vec((0usize..40, 0usize..40), 0..120)
        ) {
            // Blocks on one side of the diagonal only are no reason to be of one colour.
            let entries = pairs.iter().map(|&(row, column)| (2 * row, 2 * column, 1.0));
            let matrix = BlockMatrix::<2>::from_entries(40, entries);
            let order = Order::new(&matrix, Some(SweepOrder::Coloured));
            let mut all = order.contacts.clone();
            all.sort_unstable();
            prop_assert!(all.iter().copied().eq(0..40));
            for bounds in order.groups.windows(2) {
                let group = &order.contacts[bounds[0] as usize..bounds[1] as usize];
                for &one in group {
                    let sees = |other: &u32| matrix.find(one as usize, *other as usize).is_some();
                    prop_assert_eq!(group.iter().filter(|&other| sees(other)).count(), 1);
                }
            }
        }
    }

    #[test]
    fn a_shuffled_order_is_drawn_from_its_seed() {
        let matrix = BlockMatrix::<2>::from_entries(50, std::iter::empty());
        let order = |asked| Order::new(&matrix, Some(asked)).contacts;
        assert_ne!(order(SweepOrder::Shuffled(1)), order(SweepOrder::Ordered));
        assert_ne!(order(SweepOrder::Shuffled(1)), order(SweepOrder::Shuffled(2)));
        assert_eq!(order(SweepOrder::Shuffled(3)), order(SweepOrder::Shuffled(3)));
    }
}
