//! The linear systems of Newton's steps: matrices with W's pattern, which is analysed once.

use super::factor::FactorPrice;
use crate::assembled::{BlockMatrix, Local, Square};
use drystone_linear::FrontalLu;

/// A matrix with W's pattern, and its factors.
#[derive(Clone, Debug)]
pub(crate) struct BlockSystem<const D: usize> {
    /// Rows brought to one size, and what they were multiplied by.
    matrix: BlockMatrix<D>,
    scales: Vec<Local<D>>,
    lu: FrontalLu,
    rest: Vec<Local<D>>,
}

impl<const D: usize> BlockSystem<D> {
    /// For matrices of this pattern. `None` if there is not enough memory.
    pub fn new(matrix: &BlockMatrix<D>) -> Option<Self> {
        Some(Self {
            lu: FrontalLu::new(&matrix.starts, &matrix.columns, D)?,
            scales: vec![[0.0; D]; matrix.rows()],
            rest: vec![[0.0; D]; matrix.rows()],
            matrix: matrix.clone(),
        })
    }

    /// What it takes. Numbers of small fronts cost more than multiplications, as measured.
    pub fn price(&self) -> FactorPrice {
        let stored = self.lu.stored() as f64;
        FactorPrice {
            factor: 0.16 * self.lu.multiplications() + 18.0 * stored,
            solve: 4.0 * stored,
        }
    }

    /// Makes every block of the matrix from W's at the same place, given row and column, and factors it; false
    /// where it is found to be singular.
    ///
    /// Rows of contacts that are apart are larger than others by many orders: all are brought to one size.
    pub fn factor(
        &mut self,
        delassus: &BlockMatrix<D>,
        mut block: impl FnMut(usize, usize, &Square<D>) -> Square<D>,
    ) -> bool {
        for row in 0..delassus.rows() {
            let row_range = delassus.starts[row] as usize..delassus.starts[row + 1] as usize;
            let mut largest = [0.0f64; D];
            for k in row_range.clone() {
                let column = delassus.columns[k] as usize;
                let block = block(row, column, &delassus.blocks[k]);
                for (largest, line) in largest.iter_mut().zip(&block) {
                    *largest = line.iter().fold(*largest, |largest, x| largest.max(x.abs()));
                }
                self.matrix.blocks[k] = block;
            }
            let scales = largest.map(|largest| 1.0 / largest);
            for block in &mut self.matrix.blocks[row_range] {
                for (line, scale) in block.iter_mut().zip(&scales) {
                    line.iter_mut().for_each(|x| *x *= scale);
                }
            }
            self.scales[row] = scales;
        }
        self.lu.factor(&self.matrix.blocks)
    }

    /// x ← A⁻¹ x, refined once; false where the answer is no number.
    ///
    /// # Panics
    /// If the last [`BlockSystem::factor`] failed.
    pub fn solve(&mut self, x: &mut [Local<D>]) -> bool {
        for (x, scales) in x.iter_mut().zip(&self.scales) {
            x.iter_mut().zip(scales).for_each(|(x, scale)| *x *= scale);
        }
        self.rest.copy_from_slice(x);
        self.lu.solve(x.as_flattened_mut());
        for (row, rest) in self.rest.iter_mut().enumerate() {
            let product = self.matrix.row_multiply_add(row, x, [0.0; D]);
            rest.iter_mut().zip(product).for_each(|(rest, product)| *rest -= product);
        }
        self.lu.solve(self.rest.as_flattened_mut());
        let both = x.as_flattened_mut().iter_mut().zip(self.rest.as_flattened());
        both.fold(true, |finite, (x, change)| {
            *x += change;
            finite && x.is_finite()
        })
    }
}
