//! Pairs of boxes that overlap, by a grid with a level for each size.
//!
//! Level l holds the boxes whose longest edge is 2ˡ to 2ˡ⁺¹ times the smallest of all, and its
//! cells are as large as its largest box. Each box is entered once, in the cell of its centre; a
//! box of any level up to l then overlaps boxes of level l only where their centres are within
//! half a cell of it. So each box looks into at most three rows of cells per axis on its own level
//! and on each coarser one, never into finer ones: a few large boxes among many small cost no
//! more than the comparisons with those near them, and empty cells cost nothing.
//!
//! The cells are not stored: the numbers of level and row are packed into an integer, the keys of boxes
//! are sorted by it and then along x, and rows are swept against rows: the boxes of a row look in
//! order, so that each finds its stretch of the other row next to that of the one before it.

use super::kept::{Kept, may_meet};
use super::largest_edge;
use crate::Geometry;
use drystone_space::{Vector, clear_for, clear_seldom, math};
use rayon::prelude::*;
use std::ops::Range;

/// Bits of a row's number for each of its axes, y and z.
const BITS: u32 = 28;

/// Rows of a stretch, and stretches for each thread: some take longer than others.
const ROWS: usize = 16;
const STRETCHES: usize = 8;

/// Into so many steps a cell is divided along x.
const STEPS: f64 = 64.0;

/// What boxes are sorted by, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Number of its row.
    row: u64,
    /// The step along x that its centre is in.
    x: u32,
    /// Index of the proxy.
    index: u32,
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
    /// Its part of the sorted keys.
    range: Range<usize>,
}

/// What a thread has found in a stretch of rows.
#[derive(Debug, Default)]
struct Stretch {
    pairs: Vec<(u32, u32)>,
    comparisons: usize,
}

/// The sorted boxes. Buffers are kept from one build to the next, but for large ones.
#[derive(Debug)]
pub(super) struct Grid {
    keys: Vec<Key>,
    rows: Vec<Row>,
    levels: Vec<Level>,
    stretches: Vec<Stretch>,
    /// With more pairs than these the search is given up.
    pub most: usize,
}

impl Default for Grid {
    fn default() -> Self {
        let (keys, rows) = Default::default();
        let (levels, stretches) = Default::default();
        Self { keys, rows, levels, stretches, most: usize::MAX }
    }
}

impl Grid {
    /// Sorts the active boxes.
    pub fn build<S: Geometry>(&mut self, kept: &Kept<S>, threads: usize) {
        let smallest = kept.boxes().map(|(_, b, _)| largest_edge(&b)).fold(f64::INFINITY, f64::min);
        let number = |size: f64| math::log2(size / smallest) as u8;
        let mut cells = [0f64; 256];
        for (_, bounds, _) in kept.boxes() {
            let size = largest_edge(&bounds);
            let cell = &mut cells[usize::from(number(size))];
            *cell = cell.max(size);
        }
        clear_for(&mut self.keys, kept.len());
        self.keys.extend(kept.boxes().map(|(index, bounds, _)| {
            let level = number(largest_edge(&bounds));
            let centre = bounds.centre();
            let cell = cells[usize::from(level)];
            let at = |axis: usize| cell_index(centre.get(axis), cell);
            let z = if S::DIMENSION == 3 { at(2) } else { 0 };
            let row = row_number(level, at(1), z);
            Key { row, x: step(centre.get(0), cell), index }
        }));
        match threads {
            1 => self.keys.sort_unstable(),
            _ => self.keys.par_sort_unstable(),
        }
        self.divide(&cells);
    }

    /// Finds the rows and the levels in the sorted keys.
    fn divide(&mut self, cells: &[f64; 256]) {
        self.rows.clear();
        for (i, &Key { row: number, .. }) in self.keys.iter().enumerate() {
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
    /// returns how many were compared. Threads take stretches of rows; what they have found is put together every so
    /// often, so that lists of their own stay short.
    pub fn find<S: Geometry>(
        &mut self,
        kept: &Kept<S>,
        found: &mut Vec<(u32, u32)>,
        threads: usize,
    ) -> usize {
        if threads == 1 {
            return self.find_in(0..self.rows.len(), kept, found);
        }
        let mut stretches = std::mem::take(&mut self.stretches);
        stretches.resize_with(STRETCHES * threads, Stretch::default);
        let mut comparisons = 0;
        for start in (0..self.rows.len()).step_by(ROWS * stretches.len()) {
            stretches.par_iter_mut().enumerate().for_each(|(number, stretch)| {
                let from = (start + number * ROWS).min(self.rows.len());
                let rows = from..(from + ROWS).min(self.rows.len());
                stretch.pairs.clear();
                stretch.comparisons = self.find_in(rows, kept, &mut stretch.pairs);
            });
            for stretch in &stretches {
                found.extend_from_slice(&stretch.pairs);
                comparisons += stretch.comparisons;
            }
            if found.len() > self.most {
                break;
            }
        }
        self.stretches = stretches;
        comparisons
    }

    /// The same for some of the rows.
    fn find_in<S: Geometry>(
        &self,
        rows: Range<usize>,
        kept: &Kept<S>,
        found: &mut Vec<(u32, u32)>,
    ) -> usize {
        let mut comparisons = 0;
        for index in rows {
            let finer = self.levels.partition_point(|level| level.rows.end <= index);
            for level in &self.levels[finer..] {
                if found.len() > self.most {
                    return comparisons;
                }
                comparisons += self.meet_level(index, level, kept, found);
            }
        }
        comparisons
    }

    /// Forgets the boxes: lists of candidates are kept for many steps.
    pub fn clear(&mut self) {
        clear_seldom(&mut self.keys);
        clear_seldom(&mut self.rows);
        self.stretches.iter_mut().for_each(|stretch| clear_seldom(&mut stretch.pairs));
    }

    /// Compares the boxes of the row `index` with those near it on a level not finer. On its own
    /// level only rows from itself on count, so that each pair is met once; a coarser level is
    /// after it as a whole.
    fn meet_level<S: Geometry>(
        &self,
        index: usize,
        level: &Level,
        kept: &Kept<S>,
        found: &mut Vec<(u32, u32)>,
    ) -> usize {
        let row = &self.rows[index];
        let boxes = self.keys[row.range.clone()].iter().map(|key| kept.bounds(key.index));
        let Some(hull) = boxes.reduce(|a, b| a.union(&b)) else { return 0 };
        let near = hull.grown(0.5 * level.cell);
        let span = |axis: usize| {
            cell_index(near.low.get(axis), level.cell)..=cell_index(near.high.get(axis), level.cell)
        };
        let mut comparisons = 0;
        for z in if S::DIMENSION == 3 { span(2) } else { 0..=0 } {
            let (first, last) = span(1).into_inner();
            let first = row_number(level.number, first, z).max(row.number);
            let last = row_number(level.number, last, z);
            let rows = &self.rows[level.rows.clone()];
            let from = rows.partition_point(|other| other.number < first);
            for other in rows[from..].iter().take_while(|other| other.number <= last) {
                comparisons += self.meet_row(row, other, level.cell, kept, found);
            }
        }
        comparisons
    }

    /// Compares the boxes of a row with those of another, or with those after them in the same,
    /// whose centres along x are within half a cell of them.
    fn meet_row<S: Geometry>(
        &self,
        row: &Row,
        other: &Row,
        cell: f64,
        kept: &Kept<S>,
        found: &mut Vec<(u32, u32)>,
    ) -> usize {
        let mut comparisons = 0;
        let mut start = other.range.start;
        for position in row.range.clone() {
            if found.len() > self.most {
                break;
            }
            let one = &self.keys[position];
            let own = kept.bounds(one.index);
            let low = step(own.low.get(0) - 0.5 * cell, cell);
            let high = step(own.high.get(0) + 0.5 * cell, cell);
            let after = other.range.start.max(position + 1).min(other.range.end)..other.range.end;
            start = seek(&self.keys, after.clone(), start, low);
            let run = self.keys[start..after.end].iter().take_while(|key| key.x <= high).count();
            comparisons += run;
            compare(one, &self.keys[start..start + run], kept, found);
        }
        comparisons
    }
}

/// Adds the pairs of `one` with those of `others` that overlap it and may meet it. Whether one does
/// is a toss-up, so each pair is written and the next overwrites it unless it counts.
#[inline]
fn compare<S: Geometry>(one: &Key, others: &[Key], kept: &Kept<S>, found: &mut Vec<(u32, u32)>) {
    let mut count = found.len();
    found.resize(count + others.len(), (0, 0));
    let own = kept.entry(one.index);
    for other in others {
        let its = kept.entry(other.index);
        found[count] = (one.index.min(other.index), one.index.max(other.index));
        count += usize::from(kept.overlap(own, its) & may_meet(own.role(), its.role()));
    }
    found.truncate(count);
}

/// Number of the cell that a coordinate is in. Only its being monotone matters: coordinates
/// beyond the last cell are in the last cell.
#[inline(always)]
fn cell_index(coordinate: f64, cell: f64) -> u64 {
    let middle = (1u64 << (BITS - 1)) as f64;
    (coordinate / cell + middle).clamp(0.0, 2.0 * middle - 1.0) as u64
}

/// Number of the step that a coordinate is in, monotone as well.
#[inline(always)]
fn step(coordinate: f64, cell: f64) -> u32 {
    let middle = (1u64 << 31) as f64;
    (coordinate * (STEPS / cell) + middle) as u32
}

#[inline(always)]
fn row_number(level: u8, y: u64, z: u64) -> u64 {
    (u64::from(level) << BITS | z) << BITS | y
}

/// The first index in `range` at which the sorted keys are not below `target` along x, searched from
/// `hint` in growing steps.
#[inline]
fn seek(keys: &[Key], range: Range<usize>, hint: usize, target: u32) -> usize {
    let below = |i: usize| keys[i].x < target;
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
    low + keys[low..high].partition_point(|key| key.x < target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeking_from_any_hint_finds_the_first_value_not_below() {
        let values = [1, 3, 3, 4, 8, 9, 9, 12, 20];
        let keys = values.map(|x| Key { row: 0, x, index: 0 });
        for start in 0..=values.len() {
            for end in start..=values.len() {
                for hint in 0..12 {
                    for target in 0..22 {
                        let expected =
                            start + values[start..end].partition_point(|&value| value < target);
                        assert_eq!(seek(&keys, start..end, hint, target), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn places_are_monotone() {
        let numbers = [f64::NEG_INFINITY, -1e300, -1e9, -0.6, -0.1, 0.1, 0.6, 1e9, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert!(cell_index(pair[0], 0.5) <= cell_index(pair[1], 0.5));
            assert!(step(pair[0], 0.5) <= step(pair[1], 0.5));
        }
        assert_eq!(cell_index(0.1, 0.5) - cell_index(-0.6, 0.5), 2);
        assert_eq!(step(0.1, 0.5) - step(-0.6, 0.5), 12 + 77);
    }
}
