//! Pairs of boxes that overlap, by a grid with a level for each size.
//!
//! Level l holds the boxes whose longest edge is 2ˡ to 2ˡ⁺¹ times the smallest of all, and its
//! cells are as large as its largest box. Each box is entered once, in the cell of its centre; a
//! box of any level up to l then overlaps boxes of level l only where their centres are within
//! half a cell of it. So each box looks into at most three rows of cells per axis on its own level
//! and on each coarser one, never into finer ones: a few large boxes among many small cost no
//! more than the comparisons with those near them, and empty cells cost nothing.
//!
//! The cells are not stored: the numbers of level and row are packed into an integer, the boxes
//! are sorted by it and then along x, and rows are swept against rows: the boxes of a row look in
//! order, so that each finds its stretch of the other row next to that of the one before it.

use super::{Proxy, Role, boxes, largest_edge, may_meet};
use crate::{Bounds, Extent, Geometry};
use drystone_space::Vector;
use std::ops::Range;

/// Bits of a row's number for each of its axes, y and z.
const BITS: u32 = 28;

/// A box in the order of the keys.
#[derive(Clone, Copy, Debug)]
struct Entry<S: Geometry> {
    bounds: Bounds<S>,
    index: u32,
    role: Role,
}

/// The boxes of similar size.
#[derive(Clone, Debug)]
struct Level {
    number: u8,
    cell: f64,
    /// Its part of the rows.
    rows: Range<usize>,
}

/// Boxes whose centres are in the same cells of y and z.
#[derive(Clone, Debug)]
struct Row {
    number: u64,
    /// Its part of the sorted boxes.
    range: Range<usize>,
}

/// The sorted boxes. All buffers are kept from one build to the next.
#[derive(Debug, Default)]
pub(super) struct Grid<S: Geometry> {
    /// Row and place along x, and the index of the proxy.
    keys: Vec<(u128, u32)>,
    entries: Vec<Entry<S>>,
    /// Centres along x, in the same order.
    centres: Vec<f64>,
    rows: Vec<Row>,
    levels: Vec<Level>,
}

impl<S: Geometry> Grid<S> {
    /// Sorts the active boxes.
    pub fn build(&mut self, proxies: &[Proxy<S>]) {
        let smallest = boxes(proxies).map(|(_, b)| largest_edge(b)).fold(f64::INFINITY, f64::min);
        let number = |size: f64| (size / smallest).log2() as u8;
        let mut cells = [0f64; 256];
        for (_, bounds) in boxes(proxies) {
            let size = largest_edge(bounds);
            let cell = &mut cells[usize::from(number(size))];
            *cell = cell.max(size);
        }
        self.keys.clear();
        self.keys.extend(boxes(proxies).map(|(i, bounds)| {
            let level = number(largest_edge(bounds));
            let centre = bounds.centre();
            let at = |axis: usize| place(centre.get(axis), cells[usize::from(level)]);
            let z = if S::DIMENSION == 3 { at(2) } else { 0 };
            let row = row_number(level, at(1), z);
            (u128::from(row) << 64 | u128::from(ordered(centre.get(0))), i as u32)
        }));
        self.keys.sort_unstable();
        self.entries.clear();
        self.entries.extend(self.keys.iter().filter_map(|&(_, index)| {
            let proxy = &proxies[index as usize];
            match proxy.extent {
                Extent::Box(bounds) => Some(Entry { bounds, index, role: proxy.role() }),
                Extent::Half { .. } => None,
            }
        }));
        self.centres.clear();
        self.centres.extend(self.entries.iter().map(|entry| entry.bounds.centre().get(0)));
        self.divide(&cells);
    }

    /// Finds the rows and the levels in the sorted keys.
    fn divide(&mut self, cells: &[f64; 256]) {
        self.rows.clear();
        for (i, &(key, _)) in self.keys.iter().enumerate() {
            let number = (key >> 64) as u64;
            match self.rows.last_mut() {
                Some(row) if row.number == number => row.range.end = i + 1,
                _ => self.rows.push(Row { number, range: i..i + 1 }),
            }
        }
        self.levels.clear();
        for (i, row) in self.rows.iter().enumerate() {
            let number = (row.number >> (2 * BITS)) as u8;
            match self.levels.last_mut() {
                Some(level) if level.number == number => level.rows.end = i + 1,
                _ => {
                    let cell = cells[usize::from(number)];
                    self.levels.push(Level { number, cell, rows: i..i + 1 });
                }
            }
        }
    }

    /// Adds every pair of boxes that overlap and may meet, with the lower index first, and
    /// returns how many were compared.
    pub fn find(&self, found: &mut Vec<(u32, u32)>) -> usize {
        let mut comparisons = 0;
        for (i, own) in self.levels.iter().enumerate() {
            for index in own.rows.clone() {
                for level in &self.levels[i..] {
                    comparisons += self.meet_level(index, level, found);
                }
            }
        }
        comparisons
    }

    /// Compares the boxes of the row `index` with those near it on a level not finer. On its own
    /// level only rows from itself on count, so that each pair is met once; a coarser level is
    /// after it as a whole.
    fn meet_level(&self, index: usize, level: &Level, found: &mut Vec<(u32, u32)>) -> usize {
        let row = &self.rows[index];
        let boxes = self.entries[row.range.clone()].iter().map(|entry| entry.bounds);
        let Some(hull) = boxes.reduce(|a, b| a.union(&b)) else { return 0 };
        let near = hull.grown(0.5 * level.cell);
        let span = |axis: usize| {
            place(near.low.get(axis), level.cell)..=place(near.high.get(axis), level.cell)
        };
        let mut comparisons = 0;
        for z in if S::DIMENSION == 3 { span(2) } else { 0..=0 } {
            let (first, last) = span(1).into_inner();
            let first = row_number(level.number, first, z).max(row.number);
            let last = row_number(level.number, last, z);
            let rows = &self.rows[level.rows.clone()];
            let from = rows.partition_point(|other| other.number < first);
            for other in rows[from..].iter().take_while(|other| other.number <= last) {
                comparisons += self.meet_row(row, other, 0.5 * level.cell, found);
            }
        }
        comparisons
    }

    /// Compares the boxes of a row with those of another, or with those after them in the same,
    /// whose centres along x are within `reach` of them.
    fn meet_row(&self, row: &Row, other: &Row, reach: f64, found: &mut Vec<(u32, u32)>) -> usize {
        let mut comparisons = 0;
        let mut start = other.range.start;
        for position in row.range.clone() {
            let one = &self.entries[position];
            let (low, high) = (one.bounds.low.get(0) - reach, one.bounds.high.get(0) + reach);
            let after = other.range.start.max(position + 1).min(other.range.end)..other.range.end;
            start = seek(&self.centres, after.clone(), start, low);
            let run = self.centres[start..after.end].iter().take_while(|&&x| x <= high).count();
            comparisons += run;
            compare(one, &self.entries[start..start + run], found);
        }
        comparisons
    }
}

/// Adds the pairs of `one` with those of `others` that overlap it and may meet it. Whether one does
/// is a toss-up, so each pair is written and the next overwrites it unless it counts.
#[inline]
fn compare<S: Geometry>(one: &Entry<S>, others: &[Entry<S>], found: &mut Vec<(u32, u32)>) {
    let mut count = found.len();
    found.resize(count + others.len(), (0, 0));
    for other in others {
        let overlap = (0..S::DIMENSION).fold(true, |so_far, i| {
            so_far
                & (one.bounds.low.get(i) <= other.bounds.high.get(i))
                & (other.bounds.low.get(i) <= one.bounds.high.get(i))
        });
        found[count] = (one.index.min(other.index), one.index.max(other.index));
        count += usize::from(overlap & may_meet(one.role, other.role));
    }
    found.truncate(count);
}

/// Number of the cell that a coordinate is in. Only its being monotone matters: coordinates
/// beyond the last cell are in the last cell.
#[inline(always)]
fn place(coordinate: f64, cell: f64) -> u64 {
    let middle = (1u64 << (BITS - 1)) as f64;
    (coordinate / cell + middle).clamp(0.0, 2.0 * middle - 1.0) as u64
}

#[inline(always)]
fn row_number(level: u8, y: u64, z: u64) -> u64 {
    (u64::from(level) << BITS | z) << BITS | y
}

/// An integer in the order of the number.
#[inline(always)]
fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The first index in `range` at which the sorted `values` are not below `target`, searched from
/// `hint` in growing steps.
#[inline]
fn seek(values: &[f64], range: Range<usize>, hint: usize, target: f64) -> usize {
    let below = |i: usize| values[i] < target;
    let hint = hint.clamp(range.start, range.end);
    let mut step = 1;
    let (mut low, mut high) = (hint, hint);
    if hint < range.end && below(hint) {
        while high < range.end && below(high) {
            low = high + 1;
            high = (high + step).min(range.end);
            step *= 2;
        }
    } else {
        while low > range.start && !below(low - 1) {
            high = low - 1;
            low = low.saturating_sub(step).max(range.start);
            step *= 2;
        }
    }
    low + values[low..high].partition_point(|&value| value < target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeking_from_any_hint_finds_the_first_value_not_below() {
        let values = [1.0, 3.0, 3.0, 4.0, 8.0, 9.0, 9.0, 12.0, 20.0];
        for start in 0..=values.len() {
            for end in start..=values.len() {
                for hint in 0..12 {
                    for target in (0..22).map(f64::from) {
                        let expected =
                            start + values[start..end].partition_point(|&value| value < target);
                        assert_eq!(seek(&values, start..end, hint, target), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn places_and_ordered_integers_are_monotone() {
        let numbers = [f64::NEG_INFINITY, -1e300, -1e9, -0.6, -0.1, 0.1, 0.6, 1e9, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert!(place(pair[0], 0.5) <= place(pair[1], 0.5));
            assert!(ordered(pair[0]) < ordered(pair[1]));
        }
        assert_eq!(place(0.1, 0.5) - place(-0.6, 0.5), 2);
    }
}
