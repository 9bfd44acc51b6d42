//! Sums of squares in registers that depend on nobody's order: neither that of contacts, nor of threads, nor of ranks.
//!
//! Each term is rounded to a multiple of one unit, and such multiples are added exactly. The unit is chosen by the largest
//! of all terms, 2⁴² to 2⁸⁶ times as small. So that it need not be known beforehand, terms are split at two units, 2⁴⁴ apart
//! (Demmel & Nguyen 2015): where a larger term comes, the coarser one takes the place of the finer, and what is below it is
//! forgotten, as it would be had the large term been the first.

use crate::lanes::{Lanes, Register, WIDTH};

/// Bits between two units.
const STEP: i32 = 44;
/// The bins that numbers of 64 bits can have, the lowest and the highest.
const BINS: (i32, i32) = (-22, 22);
/// A term of a bin is at most 2 to this power of its units, so that 2¹⁰ of them are added exactly in a lane.
const MOST: i32 = 42;

/// 2 to a power.
fn two_to(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// The lowest bin that a square fits into: for a number without end, or that is none, beyond all of them.
fn bin_of(square: f64) -> i32 {
    let bits = square.to_bits();
    let exponent = (bits >> 52) as i32 - 1023 + i32::from(bits & ((1 << 52) - 1) != 0);
    (exponent - MOST + STEP - 1).div_euclid(STEP)
}

/// The bin that these squares fit into, and that is not below another; beyond all where one of them is no number. It is asked
/// for once or twice in a sum.
#[cold]
#[inline(never)]
fn bin_for(squares: &Lanes, least: i32) -> i32 {
    let largest = squares.to_array().into_iter().fold(0.0, |most: f64, square| {
        // What is not a number stays so.
        if square <= most || most.is_nan() { most } else { square }
    });
    bin_of(largest).max(least).max(BINS.0)
}

/// A sum of squares under way, in each lane one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bins<R> {
    bin: i32,
    /// Whether a term was no number, or too large.
    lost: bool,
    /// Terms up to this belong to the bin, or to lower ones.
    limit: R,
    /// What is added and taken away again to round to its unit, and to that of the one below.
    round: [R; 2],
    sums: [R; 2],
}

impl<R: Register> Default for Bins<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Register> Bins<R> {
    /// A sum without terms.
    #[inline(always)]
    pub fn new() -> Self {
        let zero = R::splat(0.0);
        Self { bin: i32::MIN, lost: false, limit: zero, round: [zero; 2], sums: [zero; 2] }
    }

    /// A sum without terms that has this bin from the beginning, so that it need not be found. All parts of a sum must begin
    /// with the same.
    #[inline(always)]
    pub fn starting_at(hint: Option<i32>) -> Self {
        let mut bins = Self::new();
        if let Some(bin) = hint {
            bins.raise(bin);
        }
        bins
    }

    /// Adds a square in each lane.
    #[inline(always)]
    pub fn add(&mut self, squares: R) {
        if squares.at_most(self.limit).bits() != 0b1111 {
            self.raise(bin_for(&squares.store(), self.bin));
        }
        let high = (squares + self.round[0]) - self.round[0];
        let low = ((squares - high) + self.round[1]) - self.round[1];
        self.sums[0] += high;
        self.sums[1] += low;
    }

    /// Makes room for larger squares, of this bin. Compiled for the registers of whoever calls it, as all of this.
    #[inline(always)]
    fn raise(&mut self, bin: i32) {
        if bin > BINS.1 {
            // Nothing is added any more.
            (self.lost, self.limit) = (true, R::splat(f64::INFINITY));
            return;
        }
        let below = if bin - 1 == self.bin { self.sums[0] } else { R::splat(0.0) };
        let zero = R::splat(0.0);
        let rounds = |bin: i32| R::splat(1.5 * two_to(STEP * bin + 52));
        (self.bin, self.limit) = (bin, R::splat(two_to(STEP * bin + MOST)));
        (self.round, self.sums) = ([rounds(bin), rounds(bin - 1)], [zero, below]);
    }

    /// The sum of all lanes.
    #[inline(always)]
    pub fn total(&self) -> SquareSum {
        if self.bin == i32::MIN {
            return SquareSum { lost: self.lost, ..SquareSum::default() };
        }
        let count = |sum: R, bin: i32| {
            let unit = two_to(-STEP * bin);
            sum.store().to_array().into_iter().map(|part| i128::from((part * unit) as i64)).sum()
        };
        let parts = [count(self.sums[0], self.bin), count(self.sums[1], self.bin - 1)];
        SquareSum { bin: self.bin, lost: self.lost, parts }
    }
}

/// A sum of squares, or of other numbers that are not negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SquareSum {
    bin: i32,
    lost: bool,
    /// In units of the bin, and of the one below.
    parts: [i128; 2],
}

impl Default for SquareSum {
    fn default() -> Self {
        Self { bin: i32::MIN, lost: false, parts: [0; 2] }
    }
}

impl SquareSum {
    /// The sum of so many terms.
    #[inline(always)]
    pub fn of(count: usize, term: impl Fn(usize) -> f64) -> Self {
        let mut bins = Bins::<Lanes>::new();
        let whole = count / WIDTH * WIDTH;
        for first in (0..whole).step_by(WIDTH) {
            bins.add(Lanes::new(std::array::from_fn(|lane| term(first + lane))));
        }
        if whole < count {
            let rest = |index: usize| if index < count { term(index) } else { 0.0 };
            bins.add(Lanes::new(std::array::from_fn(|lane| rest(whole + lane))));
        }
        bins.total()
    }

    /// The bin for a sum of about this size.
    pub fn hint(&self) -> Option<i32> {
        let bin = bin_of(self.value()).max(BINS.0);
        (bin <= BINS.1).then_some(bin)
    }

    /// Adds another one.
    pub fn merge(&mut self, other: &Self) {
        let (mut high, mut low) = (*self, *other);
        if high.bin < low.bin {
            (high, low) = (low, high);
        }
        if high.bin == low.bin {
            high.parts[0] += low.parts[0];
            high.parts[1] += low.parts[1];
        } else if high.bin - 1 == low.bin {
            high.parts[1] += low.parts[0];
        }
        high.lost |= low.lost;
        *self = high;
    }

    /// What it comes to.
    pub fn value(&self) -> f64 {
        if self.lost {
            return f64::NAN;
        }
        if self.bin == i32::MIN {
            return 0.0;
        }
        let whole = (self.parts[0] << STEP) + self.parts[1];
        whole as f64 * two_to(STEP * (self.bin - 1))
    }

    /// Its bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.bin.to_le_bytes());
        bytes.push(u8::from(self.lost));
        self.parts.iter().for_each(|part| bytes.extend_from_slice(&part.to_le_bytes()));
    }

    /// From the bytes at the head of a list, which goes on to what follows.
    pub fn read(bytes: &mut &[u8]) -> Self {
        let (own, rest) = bytes.split_at(37);
        *bytes = rest;
        let part = |at: usize| i128::from_le_bytes(own[at..at + 16].try_into().expect("16 bytes"));
        let bin = i32::from_le_bytes(own[..4].try_into().expect("four bytes"));
        Self { bin, lost: own[4] != 0, parts: [part(5), part(21)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(terms: &[f64], in_parts: usize) -> SquareSum {
        let mut all = SquareSum::default();
        for part in terms.chunks(in_parts) {
            let (total, mut bytes) = (SquareSum::of(part.len(), |i| part[i]), Vec::new());
            total.write(&mut bytes);
            all.merge(&SquareSum::read(&mut &bytes[..]));
        }
        all
    }

    #[test]
    fn small_sums_by_hand() {
        assert_eq!(sum(&[], 4).value(), 0.0);
        assert_eq!(sum(&[0.0, -0.0], 4).value(), 0.0);
        assert_eq!(sum(&[1.0, 2.0, 0.25, 0.5f64.powi(10)], 4).value(), 3.2509765625);
        assert_eq!(sum(&[1e-320; 3], 1).value(), 0.0, "far below all bins");
        assert!(sum(&[1.0, f64::NAN, 2.0], 1).value().is_nan());
        assert!(sum(&[1.0, f64::INFINITY], 2).value().is_nan());
    }

    proptest! {
        #[test]
        fn neither_order_nor_parts_matter(
            terms in prop::collection::vec((0.0f64..1.0, -80i32..80), 1..60), parts in 1usize..30,
            turn in 0usize..60,
        ) {
            let mut terms: Vec<f64> = terms.iter().map(|&(x, power)| x * two_to(power)).collect();
            let (one, plain) = (sum(&terms, 60).value(), terms.iter().sum::<f64>());
            // Each term is rounded to 2⁻⁴³ of the largest at worst.
            prop_assert!((one - plain).abs() <= 1.3e-13 * 60.0 * plain, "{one} {plain}");
            let count = terms.len();
            terms.rotate_left(turn % count);
            prop_assert_eq!(sum(&terms, parts).value().to_bits(), one.to_bits());
            terms.sort_by(f64::total_cmp);
            prop_assert_eq!(sum(&terms, parts).value().to_bits(), one.to_bits());
        }
    }
}
