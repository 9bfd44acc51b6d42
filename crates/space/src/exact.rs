//! Sums that do not depend on the order of their terms: each term is added exactly, and rounding is done once, at the end.
//!
//! A sum is a whole number in units of the smallest number that there is, in limbs of 32 bits (Kulisch 1971; Neal 2015).
//! Whoever adds which terms, threads or machines, the merged sum has the same bits.

/// Limbs of 32 bits, from the smallest number that there is to beyond the largest: 2098 bits of numbers, and room for
/// carries.
const LIMBS: usize = 70;
/// Terms after which carries are handed on: limbs have 31 bits to spare.
const CARRY_AFTER: u32 = 1 << 29;

/// A sum under way.
#[derive(Clone, Debug)]
pub struct ExactSum {
    limbs: [i64; LIMBS],
    /// Terms since carries were handed on.
    terms: u32,
    /// What is no finite number, added as usual.
    beyond: f64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self::new()
    }
}

impl ExactSum {
    /// A sum without terms.
    pub const fn new() -> Self {
        Self { limbs: [0; LIMBS], terms: 0, beyond: 0.0 }
    }

    /// Adds a term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        if exponent == 0x7ff {
            self.beyond += term;
            return;
        }
        let fraction = bits & ((1 << 52) - 1);
        // Numbers without a leading one stand where those of the smallest exponent do.
        let (mantissa, place) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let (limb, shift) = (place / 32, place % 32);
        let wide = u128::from(mantissa) << shift;
        let sign = 1 - 2 * (bits >> 63) as i64;
        self.limbs[limb] += sign * (wide & 0xffff_ffff) as i64;
        self.limbs[limb + 1] += sign * (wide >> 32 & 0xffff_ffff) as i64;
        self.limbs[limb + 2] += sign * (wide >> 64) as i64;
        self.terms += 1;
        if self.terms == CARRY_AFTER {
            self.carry();
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        self.carry();
        other.carry();
        for (own, its) in self.limbs.iter_mut().zip(other.limbs) {
            *own += its;
        }
        self.terms += 2;
        self.beyond += other.beyond;
    }

    /// Hands carries on, so that all limbs but the last are from 0 to 2³² − 1.
    fn carry(&mut self) {
        let mut carried = 0;
        for limb in &mut self.limbs[..LIMBS - 1] {
            let all = *limb + carried;
            *limb = all & 0xffff_ffff;
            carried = all >> 32;
        }
        self.limbs[LIMBS - 1] += carried;
        self.terms = 0;
    }

    /// The number that is nearest to the sum.
    pub fn value(&self) -> f64 {
        if self.beyond != 0.0 || self.beyond.is_nan() {
            return self.beyond;
        }
        let mut sum = self.clone();
        sum.carry();
        let negative = sum.limbs[LIMBS - 1] < 0;
        if negative {
            sum.limbs.iter_mut().for_each(|limb| *limb = -*limb);
            sum.carry();
        }
        let Some(top) = sum.limbs.iter().rposition(|&limb| limb != 0) else { return 0.0 };
        // The highest three limbs have at least 65 bits; what is below decides only where these are half way.
        let at = |index: usize| sum.limbs[index] as u128;
        let low = top.saturating_sub(2);
        let mut high = (low..=top).rev().fold(0, |high, index| high << 32 | at(index));
        let bits = 128 - high.leading_zeros() as i32;
        let scale = 32 * low as i32;
        // Bits that a number of this size can have.
        let spare = (bits - 53).max(-scale).max(0);
        if spare > 0 && sum.limbs[..low].iter().any(|&limb| limb != 0) {
            high |= 1;
        }
        let (kept, rest) = (high >> spare, high & ((1 << spare) - 1));
        let half = if spare > 0 { 1 << (spare - 1) } else { 0 };
        let up = spare > 0 && (rest > half || (rest == half && kept & 1 == 1));
        let size = from_parts(kept as u64 + u64::from(up), scale + spare);
        if negative { -size } else { size }
    }

    /// Its bytes, for another process: those of the limbs that are in use.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let mut sum = self.clone();
        sum.carry();
        let first = sum.limbs.iter().position(|&limb| limb != 0).unwrap_or(0);
        let end = sum.limbs.iter().rposition(|&limb| limb != 0).map_or(first, |last| last + 1);
        bytes.extend_from_slice(&[first as u8, end as u8]);
        bytes.extend_from_slice(&sum.beyond.to_le_bytes());
        sum.limbs[first..end].iter().for_each(|limb| bytes.extend_from_slice(&limb.to_le_bytes()));
    }

    /// Reads what [`write`](Self::write) has written, from the head of `bytes`, and goes on to what follows.
    ///
    /// # Panics
    /// If it was not written so.
    pub fn read(bytes: &mut &[u8]) -> Self {
        let mut sum = Self::default();
        let (first, end) = (usize::from(bytes[0]), usize::from(bytes[1]));
        let take = |at: usize| -> [u8; 8] { bytes[at..at + 8].try_into().expect("eight bytes") };
        sum.beyond = f64::from_le_bytes(take(2));
        for (index, limb) in sum.limbs[first..end].iter_mut().enumerate() {
            *limb = i64::from_le_bytes(take(10 + 8 * index));
        }
        *bytes = &bytes[10 + 8 * (end - first)..];
        sum
    }
}

/// A whole number up to 2⁵³ times 2 to this power, in units of the smallest number; infinite where there is none so large.
fn from_parts(mut whole: u64, mut power: i32) -> f64 {
    if whole == 1 << 53 {
        (whole, power) = (1 << 52, power + 1);
    }
    if whole < 1 << 52 {
        // Only at the smallest exponent are numbers so short.
        return f64::from_bits(whole << power);
    }
    let exponent = power as u64 + 1;
    if exponent >= 0x7ff {
        f64::INFINITY
    } else {
        f64::from_bits(exponent << 52 | (whole & ((1 << 52) - 1)))
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use proptest::prelude::*;

    fn total(terms: &[f64]) -> f64 {
        terms.iter().copied().collect::<ExactSum>().value()
    }

    #[test]
    fn what_cancels_leaves_nothing() {
        assert_eq!(total(&[]), 0.0);
        assert_eq!(total(&[1e300, 1.0, -1e300]), 1.0);
        assert_eq!(total(&[1.0, 1e-30, -1.0]), 1e-30);
        assert_eq!(total(&[5e-324, 5e-324]), 1e-323);
        assert_eq!(total(&[-0.1; 10]).to_bits(), (-1.0f64).to_bits());
    }

    /// Halves go to the even number, and a bit far below decides.
    #[test]
    fn sums_are_rounded_to_the_nearest() {
        let half = f64::EPSILON / 2.0;
        assert_eq!(total(&[1.0, half]), 1.0);
        assert_eq!(total(&[1.0 + f64::EPSILON, half]), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(total(&[1.0, half, 1e-300]), 1.0 + f64::EPSILON);
        assert_eq!(total(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(total(&[f64::MIN_POSITIVE, -5e-324]), f64::MIN_POSITIVE - 5e-324);
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        assert!(total(&[1.0, f64::NAN]).is_nan());
        assert_eq!(total(&[1.0, f64::INFINITY]), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn two_terms_are_added_as_the_machine_does(one in any::<f64>(), other in any::<f64>()) {
            let (found, wanted) = (total(&[one, other]), one + other);
            prop_assert!(found == wanted || (found.is_nan() && wanted.is_nan()), "{found} {wanted}");
        }

        #[test]
        fn neither_order_nor_parts_matter(
            terms in prop::collection::vec(-1e9f64..1e9, 1..60), seed in any::<u64>(), cut in 0usize..60
        ) {
            let mut shuffled = terms.clone();
            Random::new(seed, 0).shuffle(&mut shuffled);
            let cut = cut.min(shuffled.len());
            let mut parts = shuffled[..cut].iter().copied().collect::<ExactSum>();
            let mut bytes = Vec::new();
            shuffled[cut..].iter().copied().collect::<ExactSum>().write(&mut bytes);
            let mut rest = &bytes[..];
            parts.merge(&ExactSum::read(&mut rest));
            prop_assert!(rest.is_empty());
            prop_assert_eq!(parts.value().to_bits(), total(&terms).to_bits());
        }
    }
}
