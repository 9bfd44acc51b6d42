//! In which order sweeps visit the contacts, and which of them threads may take at the same time.
//!
//! On movers in space, contacts of one pair that look the same way are a *manifold*: up to four points that are visited
//! together, so that their movers are read and written once. Colours are given to manifolds; elsewhere each contact is one.
//!
//! Contacts of one colour do not see what another one of them does in the same sweep, so they can be swept in any
//! order, by any number of threads, with the same bits: on movers they share none ([`Colouring`]), and in an assembled
//! problem they have no block of W in common ([`RowOrder`]). Other orders are swept by one thread.

use crate::assembled::BlockMatrix;
use crate::lanes::Kernel;
use crate::{Blocks, ContactProblem, Contacts, GROUND, Law, REGIONS, Seam};
use drystone_space::{Random, Vector, clear_for, set_length};

/// Colours that a mover can keep apart; what does not fit is swept by one thread at the end.
const COLOURS: usize = 64;

/// Most contacts of a manifold.
pub(crate) const MOST_POINTS: usize = 4;

/// Cosine of the largest angle between the normals of two contacts in a row of one manifold.
const SAME_WAY: f64 = 0.9;

/// Kinds of manifolds of a colour that are computed apart: those between balls that this rank counts, and others that it counts;
/// then the same of those that another rank counts.
pub(crate) const KINDS: usize = 4;

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

impl SweepOrder {
    /// So many contacts one by one: shuffled, or in their own order.
    fn list(self, count: u32, order: &mut Vec<u32>) {
        clear_for(order, count as usize);
        order.extend(0..count);
        if let SweepOrder::Shuffled(seed) = self {
            Random::new(seed, 0).shuffle(order);
        }
    }
}

/// Manifolds grouped by colour. A manifold is known by its first contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colouring {
    /// The movers of each contact.
    pub pairs: Vec<(u32, u32)>,
    /// How many contacts the manifold has that begins with each contact; 0 where it goes on.
    points: Vec<u8>,
    /// Bit set of the colours that each mover has already.
    used: Vec<u64>,
    /// Manifolds in the order in which colours are chosen. Once they are, there is room here for the position that
    /// each contact is laid out at.
    pub positions: Vec<u32>,
    /// The colour of the manifold that begins with each contact.
    colour: Vec<u8>,
    /// Where each region starts among manifolds by region, then each class, and then each number of points of each colour in `order`.
    parts: Vec<u32>,
    /// Manifolds, colour after colour, and kind after kind within a colour: first those with more points, then in the order
    /// of regions.
    pub order: Vec<u32>,
    /// Where each colour starts in `order`; one entry more than there are groups.
    pub starts: Vec<u32>,
    /// Where each of the [`KINDS`] of each colour starts in `order`, with the end.
    pub kinds: Vec<u32>,
}

/// Classes of contacts. Colours are chosen class after class: first within regions, then between regions that are
/// neighbours in one direction, every other pair of them, and at last all others. So the contacts of a class join no three
/// regions, and what is to be known to choose their colours is near to them.
const CLASSES: usize = 28;
/// The class of contacts between regions that are not neighbours.
const FAR: usize = CLASSES - 1;

/// Where each region is among the others, by its number in Morton's order: a byte for each axis.
const fn places<const AXES: usize>() -> [u32; REGIONS] {
    let bits = REGIONS.ilog2() as usize / AXES;
    let mut places = [0; REGIONS];
    let mut region = 0;
    while region < REGIONS {
        let (mut bit, mut place) = (0, 0);
        while bit < bits * AXES {
            place |= ((region >> bit & 1) as u32) << (bit / AXES + 8 * (bit % AXES));
            bit += 1;
        }
        places[region] = place;
        region += 1;
    }
    places
}

static PLACES: [[u32; REGIONS]; 2] = [places::<2>(), places::<3>()];

/// The class of a contact between movers in two regions.
#[inline]
fn class(dimension: usize, one: u16, other: u16) -> usize {
    if one == other {
        return 0;
    }
    let places = &PLACES[dimension - 2];
    let (one, other) = (places[one as usize].to_le_bytes(), places[other as usize].to_le_bytes());
    // The direction from one to the other, as a number in base three; its last digit that is not the middle one says
    // which of the two comes first, and along which axis.
    let (mut direction, mut weight, mut along) = (0i32, 1i32, None);
    for axis in 0..dimension {
        let step = i32::from(other[axis]) - i32::from(one[axis]);
        if step.abs() > 1 {
            return FAR;
        }
        direction += step * weight;
        weight *= 3;
        if step != 0 {
            along = Some((step, one[axis].min(other[axis])));
        }
    }
    let Some((step, lower)) = along else { return FAR };
    let direction = (direction * step) as usize;
    1 + 2 * (direction - 1) + usize::from(lower & 1)
}

impl Colouring {
    /// Whether the last group is the rest that shares movers.
    pub fn is_serial(&self, group: usize) -> bool {
        group == COLOURS
    }

    /// Lays the contacts out for sweeps in this order. Sweeps rely on it that all movers exist, and that special
    /// laws stand in rising order, so that no two contacts have one, whose couple threads would share. False where this is a
    /// reason for ranks to solve the problem in one place.
    ///
    /// # Panics
    /// If a contact names a mover that does not exist, or one for both sides, or another's special law.
    pub fn arrange<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        order: SweepOrder,
        seam: Option<&Seam>,
    ) -> bool {
        let mut can = true;
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
            self.find_manifolds(problem, contacts);
            can = self.colour(problem, contacts, seam);
        } else {
            // One by one, all in the group of those that share movers.
            set_length(&mut self.points, count, 1);
            self.points.fill(1);
            order.list(count as u32, &mut self.order);
            self.starts.clear();
            self.starts.resize(COLOURS + 1, 0);
            self.starts.push(count as u32);
            self.kinds.clear();
            self.kinds.resize(KINDS * COLOURS + 1, 0);
            self.kinds.resize(KINDS * (COLOURS + 1) + 1, count as u32);
        }
        set_length(&mut self.positions, count, 0);
        can
    }

    /// The number of contacts of a manifold.
    #[inline(always)]
    pub fn points(&self, manifold: u32) -> usize {
        usize::from(self.points[manifold as usize])
    }

    /// Joins contacts that follow each other, have the same movers and look the same way, where that pays. Special laws and compliant
    /// groups are visited contact by contact.
    fn find_manifolds<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
    ) {
        let special = |index: usize| {
            problem.contacts.get(index).is_some_and(|c| matches!(c.law, Law::Special(_)))
        };
        let pairs = &self.pairs;
        let joins = |index: usize| {
            S::Kernel::MANIFOLDS
                && pairs[index] == pairs[index - 1]
                && !contacts.is_apart(index)
                && contacts.normal(index).dot(contacts.normal(index - 1)) >= SAME_WAY
                && !(special(index) || special(index - 1))
                && !problem.is_compliant(pairs[index])
        };
        set_length(&mut self.points, pairs.len(), 0);
        let mut first = 0;
        for index in 0..pairs.len() {
            if index == 0 || index - first == MOST_POINTS || !joins(index) {
                (first, self.points[index]) = (index, 1);
            } else {
                self.points[index] = 0;
                self.points[first] += 1;
            }
        }
    }

    /// Greedy colouring, class after class, region after region of the first mover, in the problem's order within one.
    /// Contacts of compliant groups, whose movers answer together, are left to the one thread at the end.
    fn colour<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        contacts: &dyn Contacts<S>,
        seam: Option<&Seam>,
    ) -> bool {
        let (movers, regions) = (problem.movers.len(), &problem.regions[..]);
        let (pairs, points) = (&self.pairs, &self.points);
        let region = |index: u32| match regions {
            [] => 0,
            regions => usize::from(regions[pairs[index as usize].0 as usize]),
        };
        let manifolds = (0..pairs.len() as u32).filter(|&index| points[index as usize] > 0);
        let by_region = manifolds.clone().map(|index| (index, region(index)));
        // There is room in the list of the order until it is made, and in that of colours for classes.
        sort(by_region, REGIONS, &mut self.parts, &mut self.order);
        set_length(&mut self.colour, pairs.len(), 0);
        for index in manifolds {
            self.colour[index as usize] = match (regions, pairs[index as usize]) {
                ([], _) | (_, (_, GROUND)) => 0,
                (regions, (one, other)) => {
                    class(S::DIMENSION, regions[one as usize], regions[other as usize]) as u8
                }
            };
        }
        let classes = &self.colour;
        let by_class = self.order.iter().map(|&index| (index, classes[index as usize].into()));
        sort(by_class, CLASSES, &mut self.parts, &mut self.positions);
        clear_for(&mut self.used, movers);
        self.used.resize(movers, 0);
        let mut fits = true;
        match seam {
            None => self.choose(problem, 0..self.positions.len()),
            Some(seam) => fits = self.choose_together(problem, seam),
        }
        let (pairs, points) = (&self.pairs, &self.points);
        // Within a colour the order matters to nobody, and neighbours in space are to be neighbours in the list.
        let coloured = self.positions.iter().map(|&index| {
            let fewer = MOST_POINTS - usize::from(points[index as usize]);
            let guest = seam.is_some_and(|seam| !seam.counts(pairs[index as usize]));
            let colour = usize::from(self.colour[index as usize]);
            // What one thread does at the end it does in order.
            let round =
                !S::Kernel::MANIFOLDS || colour == COLOURS || contacts.is_round(index as usize);
            let kind = 2 * usize::from(guest) + usize::from(!round);
            (index, (KINDS * colour + kind) * MOST_POINTS + fewer)
        });
        sort(coloured, KINDS * (COLOURS + 1) * MOST_POINTS, &mut self.parts, &mut self.order);
        self.starts.clear();
        self.starts.extend(self.parts.iter().step_by(KINDS * MOST_POINTS));
        self.kinds.clear();
        self.kinds.extend(self.parts.iter().step_by(MOST_POINTS));
        fits
    }

    /// Chooses the colours of manifolds of a part of the list.
    fn choose<S: Blocks>(&mut self, problem: &ContactProblem<S>, part: std::ops::Range<usize>) {
        for &index in &self.positions[part] {
            let (first, second) = self.pairs[index as usize];
            if problem.is_compliant((first, second)) {
                self.colour[index as usize] = COLOURS as u8;
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
            self.colour[index as usize] = colour as u8;
        }
    }

    /// The same with other ranks. In a class each mover has contacts with movers of one other region at most, so that the
    /// ranks of both know all that has a say; before it they tell each other the colours of those that meet in it. False where
    /// contacts are far, or there are too many for the colours.
    fn choose_together<S: Blocks>(&mut self, problem: &ContactProblem<S>, seam: &Seam) -> bool {
        let starts: Vec<usize> = self.parts.iter().map(|&start| start as usize).collect();
        for class in 0..FAR {
            let part = starts[class]..starts[class + 1];
            let pairs = self.positions[part.clone()].iter();
            let (own, others) = seam.meeting(pairs.map(|&index| self.pairs[index as usize]));
            seam.tell_colours(&own, &others, &mut self.used);
            self.choose(problem, part);
        }
        let beyond = |index: &u32| self.colour[*index as usize] == COLOURS as u8;
        starts[FAR] == starts[CLASSES] && !self.positions.iter().any(beyond)
    }

    /// Up to which colour there are manifolds here.
    pub fn colours(&self) -> usize {
        self.starts[..COLOURS + 1]
            .windows(2)
            .rposition(|both| both[0] < both[1])
            .map_or(0, |last| last + 1)
    }
}

/// Contacts from which on the usual order is by colours, whether there are threads to share them or not:
/// below, colours are too small to be worth sharing.
const LARGE: usize = 3000;

/// The order of a sweep over the rows of W.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowOrder {
    /// The contacts as they are visited.
    pub contacts: Vec<u32>,
    /// Where groups start in `contacts`, with the end of the last; none where each contact is seen by
    /// the next.
    pub groups: Vec<u32>,
}

impl RowOrder {
    /// The order asked for, or the usual one.
    pub fn new<const D: usize>(matrix: &BlockMatrix<D>, asked: Option<SweepOrder>) -> Self {
        let rows = matrix.rows() as u32;
        let usual = if matrix.rows() < LARGE { SweepOrder::Ordered } else { SweepOrder::Coloured };
        let mut contacts = Vec::new();
        match asked.unwrap_or(usual) {
            SweepOrder::Coloured => return Self::by_colours(matrix),
            one_by_one => one_by_one.list(rows, &mut contacts),
        }
        Self { contacts, groups: Vec::new() }
    }

    /// Greedy colouring, in the problem's order.
    fn by_colours<const D: usize>(matrix: &BlockMatrix<D>) -> Self {
        const NONE: u32 = u32::MAX;
        let (starts, rows) = transposed(matrix);
        let mut colours = vec![NONE; matrix.rows()];
        // The last contact that has met each colour among those near it.
        let mut met: Vec<u32> = Vec::new();
        for contact in 0..matrix.rows() {
            let seen = matrix.row(contact).map(|(other, _)| other as u32);
            for other in seen
                .chain(rows[starts[contact] as usize..starts[contact + 1] as usize].iter().copied())
            {
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
        let (mut groups, mut contacts) = (Vec::new(), Vec::new());
        let coloured = colours.iter().enumerate().map(|(index, &c)| (index as u32, c as usize));
        sort(coloured, met.len(), &mut groups, &mut contacts);
        Self { contacts, groups }
    }
}

/// The rows in which each column has a block: where each column's start, and the rows.
fn transposed<const D: usize>(matrix: &BlockMatrix<D>) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut rows) = (Vec::new(), Vec::new());
    let count = matrix.rows();
    let of_row = |row: usize| matrix.starts[row + 1] - matrix.starts[row];
    let row_of: Vec<u32> =
        (0..count).flat_map(|row| (0..of_row(row)).map(move |_| row as u32)).collect();
    let blocks = row_of.iter().zip(&matrix.columns);
    sort(blocks.map(|(&row, &column)| (row, column as usize)), count, &mut starts, &mut rows);
    (starts, rows)
}

/// Sorts indices by keys that are below `keys`, in their own order where keys are equal, by counting. Afterwards the
/// indices of a key are between its start and the next.
fn sort(
    items: impl Iterator<Item = (u32, usize)> + Clone,
    keys: usize,
    starts: &mut Vec<u32>,
    sorted: &mut Vec<u32>,
) {
    // Each start is counted two positions on and moves through its key's indices, so that it ends one place on.
    clear_for(starts, keys + 2);
    starts.resize(keys + 2, 0);
    items.clone().for_each(|(_, key)| starts[key + 2] += 1);
    for key in 2..starts.len() {
        starts[key] += starts[key - 1];
    }
    set_length(sorted, starts[keys + 1] as usize, 0);
    for (index, key) in items {
        let next = &mut starts[key + 1];
        sorted[*next as usize] = index;
        *next += 1;
    }
    starts.pop();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contact, ContactMap, Listed, Mover, Twist};
    use drystone_space::{DVec3, Frame, InverseInertia, Local3, Space, Volume};
    use proptest::prelude::*;

    fn problem(movers: usize, pairs: &[(u32, u32)]) -> ContactProblem<Volume> {
        let turn = <Volume as Space>::Rotation::IDENTITY;
        let inverse_inertia = <Volume as Space>::InverseInertia::from_principal(DVec3::ONE, turn);
        let all = vec![Mover { inverse_mass: 1.0, inverse_inertia }; movers];
        let contact = |&(first, second): &(u32, u32)| {
            let frame = <Volume as Space>::Frame::from_normal(DVec3::Y);
            let map = ContactMap {
                first,
                second,
                frame,
                arm_first: DVec3::ZERO,
                arm_second: DVec3::ZERO,
            };
            Contact::new(map, Local3::default(), Law::Frictionless, &all, 1.0)
        };
        let contacts = pairs.iter().map(contact).collect();
        let free = vec![Twist::ZERO; movers];
        ContactProblem { movers: all, free, contacts, ..Default::default() }
    }

    proptest! {
        #[test]
        fn contacts_of_one_colour_share_no_mover(
            pairs in prop::collection::vec((0u32..20, 0u32..21), 0..200), repeats in 1usize..7
        ) {
            // Points of a pair follow each other, and may be more than a manifold can have.
            let pairs: Vec<_> =
                pairs.into_iter().flat_map(|pair| std::iter::repeat_n(pair, repeats)).collect();
            let fixed = |p: u32| if p == 20 { GROUND } else { p };
            let pairs: Vec<_> = pairs
                .into_iter()
                .filter(|(a, b)| a != b)
                .map(|(a, b)| (a, fixed(b)))
                .collect();
            let problem = problem(20, &pairs);
            let mut colouring = Colouring::default();
            let contacts = Listed { contacts: &problem.contacts, starts: &[] };
            colouring.arrange(&problem, &contacts, SweepOrder::Coloured, None);
            let points = |&first: &u32| first..first + colouring.points(first) as u32;
            let mut seen: Vec<u32> = colouring.order.iter().flat_map(points).collect();
            seen.sort_unstable();
            prop_assert!(seen.iter().enumerate().all(|(i, &c)| i as u32 == c));
            let together = repeats.min(MOST_POINTS);
            prop_assert!(pairs.is_empty() || colouring.points(0) >= together);
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

    proptest! {
        #[test]
        fn contacts_of_one_colour_do_not_see_each_other(
            pairs in prop::collection::vec((0usize..40, 0usize..40), 0..120)
        ) {
            // Blocks on one side of the diagonal only are no reason to be of one colour.
            let entries = pairs.iter().map(|&(row, column)| (2 * row, 2 * column, 1.0));
            let matrix = BlockMatrix::<2>::from_entries(40, entries);
            let order = RowOrder::new(&matrix, Some(SweepOrder::Coloured));
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
        let order = |asked| RowOrder::new(&matrix, Some(asked)).contacts;
        assert_ne!(order(SweepOrder::Shuffled(1)), order(SweepOrder::Ordered));
        assert_ne!(order(SweepOrder::Shuffled(1)), order(SweepOrder::Shuffled(2)));
        assert_eq!(order(SweepOrder::Shuffled(3)), order(SweepOrder::Shuffled(3)));
    }
}
