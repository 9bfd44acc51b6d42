//! In which order the unknowns of a symmetric pattern are eliminated, and which of them together.
//!
//! Eliminating an unknown joins all that it is coupled to. Which later unknowns a column of the factors
//! reaches follows from the pattern alone: its own neighbours, and what the columns reach whose first reach it is
//! (its children in the elimination tree, Liu 1990). Columns that reach the same are eliminated together, in one
//! dense front. Fronts are numbered so that each comes after its children, and right after the last of them.

use std::ops::Range;

const NONE: u32 = u32::MAX;

/// A child is joined to its parent where at most this share of the joint front are zeros, or where the front
/// eliminates no more than so many unknowns.
const ZEROS: f64 = 0.2;
const FEW: usize = 4;

/// Unknowns that are eliminated together.
#[derive(Clone, Debug)]
pub struct Front {
    /// The unknowns, by their place in the order of elimination.
    pub pivots: Range<usize>,
    /// Where the later unknowns that they reach stand in [`Tree::rows`].
    pub rows: Range<usize>,
    /// Where its entries of the matrix stand in [`Tree::entries`].
    pub entries: Range<usize>,
    /// How many fronts have this one as their parent.
    pub children: usize,
}

impl Front {
    /// Unknowns of the whole front.
    pub fn size(&self) -> usize {
        self.pivots.len() + self.rows.len()
    }
}

/// An entry of the matrix, and its place in a front.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub stored: u32,
    pub row: u32,
    pub column: u32,
}

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The place of each unknown in the order of elimination.
    pub places: Vec<u32>,
    /// Children come before their parent.
    pub fronts: Vec<Front>,
    /// Later unknowns of all fronts, by their place in the order of elimination, and in the front's parent.
    pub rows: Vec<u32>,
    pub rows_in_parent: Vec<u32>,
    pub entries: Vec<Entry>,
}

impl Tree {
    /// Of a pattern, row after row, in an order of elimination, or else in one of minimum degree. Of `half` a matrix,
    /// entries beyond the diagonal are left out. `None` if there is no order.
    pub fn new(starts: &[u32], columns: &[u32], order: Option<&[u32]>, half: bool) -> Option<Self> {
        let neighbours = Neighbours::new(starts, columns);
        let (order, parents) = match order {
            Some(order) => neighbours.postorder(order),
            None => neighbours.postorder(&neighbours.minimum_degree()?),
        };
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &x)| places[x as usize] = place as u32);
        let reaches = neighbours.reaches(&order, &places, &parents);
        let mut tree = Self {
            places,
            fronts: Vec::new(),
            rows: Vec::new(),
            rows_in_parent: Vec::new(),
            entries: Vec::new(),
        };
        tree.join(reaches, &parents);
        tree.link();
        tree.deal(starts, columns, half);
        Some(tree)
    }

    /// Makes fronts of columns that reach nearly the same. Only the last column of a front has its reach kept.
    fn join(&mut self, reaches: Reaches, parents: &[u32]) {
        /// Pivots, reach of the last, and zeros in its lower half.
        struct Joint {
            pivots: Range<usize>,
            reach: Range<usize>,
            zeros: usize,
        }
        let half = |pivots: usize, reach: usize| pivots * (pivots + 1) / 2 + pivots * reach;
        let mut joints: Vec<Joint> = Vec::new();
        for (column, reach) in reaches.of.into_iter().enumerate() {
            let mut joint = Joint { pivots: column..column + 1, reach, zeros: 0 };
            while let Some(child) = joints.last() {
                let parent = parents[child.pivots.end - 1] as usize;
                if !joint.pivots.contains(&parent) {
                    break;
                }
                let pivots = child.pivots.len() + joint.pivots.len();
                let known = half(child.pivots.len(), child.reach.len()) - child.zeros
                    + half(joint.pivots.len(), joint.reach.len())
                    - joint.zeros;
                let all = half(pivots, joint.reach.len());
                let zeros = all - known;
                if zeros as f64 > ZEROS * all as f64 && pivots > FEW {
                    break;
                }
                joint = Joint {
                    pivots: child.pivots.start..joint.pivots.end,
                    reach: joint.reach,
                    zeros,
                };
                joints.pop();
            }
            joints.push(joint);
        }
        for joint in joints {
            let start = self.rows.len();
            self.rows.extend_from_slice(&reaches.lists[joint.reach]);
            let rows = start..self.rows.len();
            self.fronts.push(Front { pivots: joint.pivots, rows, entries: 0..0, children: 0 });
        }
    }

    /// The front that eliminates an unknown.
    fn front_of(&self, place: u32) -> usize {
        self.fronts.partition_point(|front| front.pivots.end <= place as usize)
    }

    /// Where an unknown stands in a front.
    fn within(&self, front: &Front, place: u32) -> u32 {
        if front.pivots.contains(&(place as usize)) {
            return place - front.pivots.start as u32;
        }
        let rows = &self.rows[front.rows.clone()];
        let later = rows.binary_search(&place).expect("a front has what its pivots reach");
        (front.pivots.len() + later) as u32
    }

    /// Finds parents, and the rows of children in them.
    fn link(&mut self) {
        for child in 0..self.fronts.len() {
            let rows = self.fronts[child].rows.clone();
            let Some(&first) = self.rows[rows.clone()].first() else { continue };
            let parent = self.front_of(first);
            self.fronts[parent].children += 1;
            for row in rows {
                let place = self.within(&self.fronts[parent], self.rows[row]);
                self.rows_in_parent.push(place);
            }
        }
    }

    /// Gives each entry of the matrix to the front that eliminates the first of its two unknowns.
    fn deal(&mut self, starts: &[u32], columns: &[u32], half: bool) {
        let mut dealt: Vec<(u32, Entry)> = Vec::with_capacity(columns.len());
        for (row, ends) in starts.windows(2).enumerate() {
            for stored in ends[0]..ends[1] {
                let column = columns[stored as usize] as usize;
                if half && column > row {
                    continue;
                }
                let (row, column) = (self.places[row], self.places[column]);
                let front = self.front_of(row.min(column));
                let place = |of| self.within(&self.fronts[front], of);
                let entry = Entry { stored, row: place(row), column: place(column) };
                dealt.push((front as u32, entry));
            }
        }
        dealt.sort_by_key(|(front, _)| *front);
        let mut end = 0;
        for (number, front) in self.fronts.iter_mut().enumerate() {
            let start = end;
            end += dealt[start..].partition_point(|(front, _)| *front as usize == number);
            front.entries = start..end;
        }
        self.entries = dealt.into_iter().map(|(_, entry)| entry).collect();
    }
}

/// An order in which elimination joins few, of a pattern row after row. `None` if none is found.
pub fn minimum_degree(starts: &[u32], columns: &[u32]) -> Option<Vec<u32>> {
    Neighbours::new(starts, columns).minimum_degree()
}

/// Who is coupled to whom, in either direction and without the diagonal.
struct Neighbours {
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Neighbours {
    fn new(starts: &[u32], columns: &[u32]) -> Self {
        let size = starts.len() - 1;
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); size];
        for row in 0..size {
            for &column in &columns[starts[row] as usize..starts[row + 1] as usize] {
                if column as usize != row {
                    lists[row].push(column);
                    lists[column as usize].push(row as u32);
                }
            }
        }
        let mut all = Self { starts: vec![0], lists: Vec::new() };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            all.lists.extend(list);
            all.starts.push(all.lists.len() as u32);
        }
        all
    }

    fn size(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, unknown: u32) -> &[u32] {
        let unknown = unknown as usize;
        &self.lists[self.starts[unknown] as usize..self.starts[unknown + 1] as usize]
    }

    /// An order in which elimination joins few: approximate minimum degree (Amestoy, Davis & Duff 1996).
    fn minimum_degree(&self) -> Option<Vec<u32>> {
        let size = self.size() as u32;
        // The library counts on diagonals.
        let (mut starts, mut lists) = (vec![0], Vec::with_capacity(self.lists.len() + self.size()));
        for unknown in 0..size {
            let (before, after) = self
                .of(unknown)
                .split_at(self.of(unknown).partition_point(|&other| other < unknown));
            lists.extend_from_slice(before);
            lists.push(unknown);
            lists.extend_from_slice(after);
            starts.push(lists.len() as u32);
        }
        let found = amd::order(size, &starts, &lists, &amd::Control::default());
        Some(found.ok()?.0)
    }

    /// The elimination tree of an order. Returns the same order with each subtree in one piece, and the parent of
    /// each place in it.
    fn postorder(&self, order: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let size = self.size();
        let mut places = vec![0; size];
        order.iter().enumerate().for_each(|(place, &x)| places[x as usize] = place as u32);
        let mut parents = vec![NONE; size];
        // Shortcuts to the root of what has been joined so far.
        let mut roots = vec![NONE; size];
        for place in 0..size as u32 {
            for &other in self.of(order[place as usize]) {
                let mut at = places[other as usize];
                while at < place && roots[at as usize] != place {
                    let next = std::mem::replace(&mut roots[at as usize], place);
                    if next == NONE {
                        parents[at as usize] = place;
                        break;
                    }
                    at = next;
                }
            }
        }
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); size];
        let mut stack = Vec::new();
        for place in (0..size as u32).rev() {
            match parents[place as usize] {
                NONE => stack.push(place),
                parent => children[parent as usize].push(place),
            }
        }
        // A place is visited twice: its children are put before it at first.
        let mut after = Vec::with_capacity(size);
        let mut seen = vec![false; size];
        while let Some(place) = stack.pop() {
            if std::mem::replace(&mut seen[place as usize], true) {
                after.push(place);
            } else {
                stack.push(place);
                stack.extend(&children[place as usize]);
            }
        }
        let mut moved = vec![NONE; size];
        after.iter().enumerate().for_each(|(now, &was)| moved[was as usize] = now as u32);
        let parent = |&was: &u32| match parents[was as usize] {
            NONE => NONE,
            parent => moved[parent as usize],
        };
        let parents = after.iter().map(parent).collect();
        (after.iter().map(|&was| order[was as usize]).collect(), parents)
    }

    /// Which later places each column of the factors reaches, rising.
    fn reaches(&self, order: &[u32], places: &[u32], parents: &[u32]) -> Reaches {
        let mut reaches = Reaches { lists: Vec::new(), of: Vec::with_capacity(order.len()) };
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
        let mut seen = vec![NONE; order.len()];
        let mut reach = Vec::new();
        for place in 0..order.len() as u32 {
            seen[place as usize] = place;
            reach.clear();
            let own_children = std::mem::take(&mut children[place as usize]);
            // Most columns reach what their longest child does, without themselves: that list serves both.
            let longest = own_children.iter().map(|&child| reaches.of[child as usize].clone());
            let longest = longest.max_by_key(|range| range.len()).unwrap_or(0..0);
            let mut add = |other: u32, reach: &mut Vec<u32>| {
                if std::mem::replace(&mut seen[other as usize], place) != place {
                    reach.push(other);
                }
            };
            reaches.lists[longest.clone()].iter().for_each(|&other| add(other, &mut reach));
            let known = reach.len();
            let own = self.of(order[place as usize]).iter().map(|&other| places[other as usize]);
            own.filter(|&other| other > place).for_each(|other| add(other, &mut reach));
            for &child in &own_children {
                let range = reaches.of[child as usize].clone();
                reaches.lists[range].iter().for_each(|&other| add(other, &mut reach));
            }
            let range = if reach.len() == known && known > 0 {
                longest.start + 1..longest.end
            } else {
                reach.sort_unstable();
                let start = reaches.lists.len();
                reaches.lists.extend_from_slice(&reach);
                start..reaches.lists.len()
            };
            reaches.of.push(range);
            if parents[place as usize] != NONE {
                children[parents[place as usize] as usize].push(place);
            }
        }
        reaches
    }
}

/// Which later places columns reach, in lists that some of them share.
struct Reaches {
    lists: Vec<u32>,
    of: Vec<Range<usize>>,
}
