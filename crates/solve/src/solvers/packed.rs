//! W laid out for the sweep: blocks column after column, without gaps.
//!
//! A column is read into one vector register together with the first numbers of what follows it,
//! which land in lanes that nobody looks at. Each column has a sum of its own, so that additions do
//! not wait for each other.

use super::contact::Size;
use crate::assembled::{BlockMatrix, Local};
use wide::{f64x4, f64x8};

/// A number of components whose rows can be multiplied.
pub trait Rows<const D: usize> {
    /// Numbers read beyond the end of a block.
    const BEYOND: usize;

    /// Σ W r over the blocks of a row, whose columns are `contacts`.
    fn product(values: &[f64], contacts: &[u32], impulses: &[Local<D>]) -> Local<D>;
}

const PADDED: &str = "what is read beyond the last block is there";

impl Rows<2> for Size<2> {
    const BEYOND: usize = 0;

    #[inline(always)]
    fn product(values: &[f64], contacts: &[u32], impulses: &[Local<2>]) -> Local<2> {
        // Both columns side by side.
        let mut sum = f64x4::ZERO;
        for (block, &contact) in values.as_chunks::<4>().0.iter().zip(contacts) {
            let r = &impulses[contact as usize];
            sum += f64x4::from(*block) * f64x4::from([r[0], r[0], r[1], r[1]]);
        }
        let sum = sum.to_array();
        [sum[0] + sum[2], sum[1] + sum[3]]
    }
}

impl Rows<3> for Size<3> {
    const BEYOND: usize = 1;

    #[inline(always)]
    fn product(values: &[f64], contacts: &[u32], impulses: &[Local<3>]) -> Local<3> {
        let mut sums = [f64x4::ZERO; 3];
        for (place, &contact) in contacts.iter().enumerate() {
            let block = values[9 * place..].first_chunk::<10>().expect(PADDED);
            let r = &impulses[contact as usize];
            for j in 0..3 {
                let column = std::array::from_fn(|i| block[3 * j + i]);
                sums[j] += f64x4::new(column) * f64x4::splat(r[j]);
            }
        }
        let sum = (sums[0] + sums[1] + sums[2]).to_array();
        [sum[0], sum[1], sum[2]]
    }
}

impl Rows<5> for Size<5> {
    const BEYOND: usize = 3;

    #[inline(always)]
    fn product(values: &[f64], contacts: &[u32], impulses: &[Local<5>]) -> Local<5> {
        let mut sums = [f64x8::ZERO; 5];
        for (place, &contact) in contacts.iter().enumerate() {
            let block = values[25 * place..].first_chunk::<28>().expect(PADDED);
            let r = &impulses[contact as usize];
            for j in 0..5 {
                let column: [f64; 8] = std::array::from_fn(|i| block[5 * j + i]);
                sums[j] += f64x8::from(column) * f64x8::splat(r[j]);
            }
        }
        let sum = (sums[0] + sums[1] + sums[2] + (sums[3] + sums[4])).to_array();
        [sum[0], sum[1], sum[2], sum[3], sum[4]]
    }
}

/// W in columns.
pub(crate) struct Packed<'a, const D: usize> {
    starts: &'a [u32],
    contacts: &'a [u32],
    values: Vec<f64>,
}

impl<'a, const D: usize> Packed<'a, D>
where
    Size<D>: Rows<D>,
{
    pub fn new(matrix: &'a BlockMatrix<D>) -> Self {
        let beyond = <Size<D> as Rows<D>>::BEYOND;
        let mut values = Vec::with_capacity(matrix.blocks.len() * D * D + beyond);
        for block in &matrix.blocks {
            for j in 0..D {
                values.extend_from_slice(&std::array::from_fn::<f64, D, _>(|i| block[i][j]));
            }
        }
        values.resize(values.len() + beyond, 0.0);
        Self { starts: &matrix.starts, contacts: &matrix.columns, values }
    }

    /// q + Σ W r over one row.
    #[inline(always)]
    pub fn row(&self, row: usize, impulses: &[Local<D>], free: &Local<D>) -> Local<D> {
        let (start, end) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        let contacts = &self.contacts[start..end];
        let sum = <Size<D> as Rows<D>>::product(&self.values[start * D * D..], contacts, impulses);
        std::array::from_fn(|i| sum[i] + free[i])
    }
}
