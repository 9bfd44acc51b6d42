//! Pairs of boxes that overlap, by a grid with a level for each size.
//!
//! Level l holds the boxes whose longest edge is 2ˡ to 2ˡ⁺¹ times the smallest of all, and its
//! cells are as large as its largest box. Each box is entered once, in the cell of its centre; a
//! box of any level up to l then overlaps boxes of level l only where their centres are within
//! half a cell of it. So each box looks into at most three rows of cells per axis on its own level
//! and on each coarser one, never into finer ones: a few large boxes among many small cost no
//! more than the comparisons with those near them, and empty cells cost nothing.
//!
//! The cells are not stored: their numbers are packed into integer keys, level and row first and
//! the place along x last, and the boxes are sorted by key. A stretch of a row is then a
//! contiguous run, found by searching from where the last box found its own.

use super::{Proxy, Role, boxes, largest_edge, may_meet};
use crate::{Bounds, Extent, Geometry};
use drystone_space::Vector;
use std::ops::Range;

/// Bits of a key for each axis.
const BITS: u32 = 40;
/// Steps along x in one cell: a run is cut finer than a cell.
const STEPS: f64 = 4.0;
/// Rows that one box may have to search on one level: three per axis but x.
const ROWS: usize = 9;

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
    /// Its part of the sorted boxes.
    range: Range<usize>,
    /// Where the last search of each row ended.
    hints: [usize; ROWS],
}

/// The sorted boxes. All buffers are kept from one build to the next.
#[derive(Debug, Default)]
pub(super) struct Grid<S: Geometry> {
    keys: Vec<(u128, u32)>,
    entries: Vec<Entry<S>>,
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
            let at = |axis: usize| place(centre.get(axis), axis, cells[usize::from(level)]);
            let z = if S::DIMENSION == 3 { at(2) } else { 0 };
            (key(level, [at(0), at(1), z]), i as u32)
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
        self.divide(&cells);
    }

    /// Finds the levels in the sorted keys.
    fn divide(&mut self, cells: &[f64; 256]) {
        self.levels.clear();
        let mut start = 0;
        while let Some(&(key, _)) = self.keys.get(start) {
            let number = (key >> (3 * BITS)) as u8;
            let above = (u128::from(number) + 1) << (3 * BITS);
            let end = start + self.keys[start..].partition_point(|&(key, _)| key < above);
            let cell = cells[usize::from(number)];
            self.levels.push(Level { number, cell, range: start..end, hints: [start; ROWS] });
            start = end;
        }
    }

    /// Adds every pair of boxes that overlap and may meet, with the lower index first, and
    /// returns how many were compared.
    pub fn find(&mut self, found: &mut Vec<(u32, u32)>) -> usize {
        let mut comparisons = 0;
        for own in 0..self.levels.len() {
            for position in self.levels[own].range.clone() {
                for level in &mut self.levels[own..] {
                    comparisons += search(level, &self.keys, &self.entries, position, found);
                }
            }
        }
        comparisons
    }
}

/// Compares the box at `position` with those of `level` near it and after it in the order of the
/// keys, so that each pair is met once; a coarser level is after it as a whole.
#[inline]
fn search<S: Geometry>(
    level: &mut Level,
    keys: &[(u128, u32)],
    entries: &[Entry<S>],
    position: usize,
    found: &mut Vec<(u32, u32)>,
) -> usize {
    let one = &entries[position];
    let near = one.bounds.grown(0.5 * level.cell);
    let span = |axis: usize| {
        let first = place(near.low.get(axis), axis, level.cell);
        (first, place(near.high.get(axis), axis, level.cell))
    };
    let (x, y) = (span(0), span(1));
    let z = if S::DIMENSION == 3 { span(2) } else { (0, 0) };
    let after = level.range.start.max(position + 1)..level.range.end;
    let mut comparisons = 0;
    for (row_z, z) in (z.0..=z.1).enumerate() {
        for (row_y, y) in (y.0..=y.1).enumerate() {
            let (first, last) = (key(level.number, [x.0, y, z]), key(level.number, [x.1, y, z]));
            if last < keys[position].0 {
                continue;
            }
            // Rounding can make a fourth row; hints may be shared.
            let hint = &mut level.hints[(3 * row_z + row_y) % ROWS];
            *hint = seek(keys, after.clone(), *hint, first);
            let run = keys[*hint..after.end].iter().take_while(|key| key.0 <= last).count();
            comparisons += run;
            compare(one, &entries[*hint..*hint + run], found);
        }
    }
    comparisons
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

/// Number of the cell (of the step in it, along x) that a coordinate is in. Only its being
/// monotone matters: coordinates beyond the last cell are in the last cell.
#[inline(always)]
fn place(coordinate: f64, axis: usize, cell: f64) -> u64 {
    let steps = if axis == 0 { STEPS } else { 1.0 };
    let middle = (1u64 << (BITS - 1)) as f64;
    (coordinate * (steps / cell) + middle).clamp(0.0, 2.0 * middle - 1.0) as u64
}

#[inline(always)]
fn key(level: u8, [x, y, z]: [u64; 3]) -> u128 {
    let pack = |high: u128, low: u64| high << BITS | u128::from(low);
    pack(pack(pack(u128::from(level), z), y), x)
}

/// The first index in `range` whose key is not below `target`, searched from `hint` in growing
/// steps.
#[inline]
fn seek(keys: &[(u128, u32)], range: Range<usize>, hint: usize, target: u128) -> usize {
    let below = |i: usize| keys[i].0 < target;
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
    low + keys[low..high].partition_point(|key| key.0 < target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeking_from_any_hint_finds_the_first_key_not_below() {
        let keys: Vec<(u128, u32)> = [1, 3, 3, 4, 8, 9, 9, 12, 20].map(|k| (k, 0)).to_vec();
        for start in 0..=keys.len() {
            for end in start..=keys.len() {
                for hint in 0..12 {
                    for target in 0..22 {
                        let expected =
                            start + keys[start..end].partition_point(|key| key.0 < target);
                        assert_eq!(seek(&keys, start..end, hint, target), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn places_are_monotone_up_to_the_ends_of_the_range() {
        let at = |x: f64| place(x, 1, 0.5);
        let ordered = [f64::NEG_INFINITY, -1e300, -1e9, -0.6, -0.1, 0.1, 0.6, 1e9, f64::INFINITY];
        assert!(ordered.windows(2).all(|w| at(w[0]) <= at(w[1])));
        assert_eq!(at(0.1) - at(-0.6), 2);
        assert_eq!(place(0.6, 0, 0.5) - place(-0.1, 0, 0.5), 5);
    }
}
