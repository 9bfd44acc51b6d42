//! A row of blocks times impulses, in vector registers.
//!
//! Blocks are read as they lie in memory, row after row, so that W needs no second layout. Rows of three are
//! read four numbers at a time; the one too many meets a zero and lands in a lane of its own sum.

use super::local::{Local, Square};
use crate::lanes::{Lanes, sum};

/// Σ B x over blocks B, each with the x of its column.
#[inline(always)]
pub fn row_product<const D: usize>(
    blocks: &[Square<D>],
    columns: &[u32],
    x: &[Local<D>],
) -> Local<D> {
    let numbers = blocks.as_flattened().as_flattened();
    match D {
        2 => {
            let mut all = Lanes::ZERO;
            for (block, &column) in numbers.as_chunks::<4>().0.iter().zip(columns) {
                let x = &x[column as usize];
                all += Lanes::new(*block) * Lanes::new([x[0], x[1], x[0], x[1]]);
            }
            let all = all.to_array();
            std::array::from_fn(|i| all[2 * i] + all[2 * i + 1])
        }
        3 => {
            let mut sums = [Lanes::ZERO; 3];
            for (block, &column) in numbers.as_chunks::<9>().0.iter().zip(columns) {
                let x = &x[column as usize];
                let low = Lanes::new([x[0], x[1], x[2], 0.0]);
                let high = Lanes::new([0.0, x[0], x[1], x[2]]);
                sums[0] += four(&block[0..4]) * low;
                sums[1] += four(&block[3..7]) * low;
                sums[2] += four(&block[5..9]) * high;
            }
            std::array::from_fn(|i| sum(sums[i]))
        }
        _ => {
            let mut sums = [Lanes::ZERO; D];
            let mut rest = [0.0; D];
            for (block, &column) in blocks.iter().zip(columns) {
                let x = &x[column as usize];
                let low = four(&x[..4]);
                for i in 0..D {
                    sums[i] += four(&block[i][..4]) * low;
                    for j in 4..D {
                        rest[i] += block[i][j] * x[j];
                    }
                }
            }
            std::array::from_fn(|i| sum(sums[i]) + rest[i])
        }
    }
}

#[inline(always)]
fn four(numbers: &[f64]) -> Lanes {
    Lanes::new(*numbers.first_chunk().expect("four numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const D: usize>(numbers: &[f64]) -> Result<(), TestCaseError> {
        let mut numbers = numbers.iter().copied().cycle();
        let blocks: [Square<D>; 4] =
            [(); 4].map(|()| [(); D].map(|()| [(); D].map(|()| numbers.next().unwrap())));
        let x: [Local<D>; 3] = [(); 3].map(|()| [(); D].map(|()| numbers.next().unwrap()));
        let columns = [2, 0, 1, 2];
        let product = row_product(&blocks, &columns, &x);
        for i in 0..D {
            let terms = blocks.iter().zip(columns).flat_map(|(block, column)| {
                (0..D).map(move |j| block[i][j] * x[column as usize][j])
            });
            let plain: f64 = terms.sum();
            prop_assert!((product[i] - plain).abs() < 1e-12, "{D}: {} {plain}", product[i]);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn rows_are_multiplied(numbers in prop::collection::vec(-1.0f64..1.0, 113)) {
            check::<2>(&numbers)?;
            check::<3>(&numbers)?;
            check::<5>(&numbers)?;
        }
    }
}
