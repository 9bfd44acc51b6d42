//! W laid out for the sweep: blocks column after column, each column filled up to a register.

use super::contact::{Components, Size};
use crate::assembled::{BlockMatrix, Local};

/// One column of a block, in a whole number of vector registers.
pub trait Column<const D: usize>: Copy + Default + Send + Sync {
    /// From D components.
    fn fill(components: &Local<D>) -> Self;
    /// self += s column.
    fn add_scaled(&mut self, s: f64, column: &Self);
    /// The D components.
    fn take(&self) -> Local<D>;
}

macro_rules! column {
    ($d:literal, $lanes:literal, $name:ident) => {
        /// A column of components in lanes.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name([f64; $lanes]);

        impl Column<$d> for $name {
            fn fill(components: &Local<$d>) -> Self {
                let mut lanes = [0.0; $lanes];
                lanes[..$d].copy_from_slice(components);
                Self(lanes)
            }
            #[inline(always)]
            fn add_scaled(&mut self, s: f64, column: &Self) {
                for (lane, entry) in self.0.iter_mut().zip(&column.0) {
                    *lane += s * entry;
                }
            }
            #[inline(always)]
            fn take(&self) -> Local<$d> {
                // Hidden, or the compiler sees which lanes are unused and gives up vectors for them.
                let lanes = std::hint::black_box(self.0);
                std::array::from_fn(|i| lanes[i])
            }
        }
    };
}

column!(2, 2, Lanes2);
column!(3, 4, Lanes4);
column!(5, 8, Lanes8);

/// W in columns.
pub(crate) struct Packed<const D: usize>
where
    Size<D>: Components<D>,
{
    starts: Vec<u32>,
    blocks: Vec<PackedBlock<<Size<D> as Components<D>>::Column, D>>,
}

/// A block and its column in W.
#[derive(Clone, Copy)]
struct PackedBlock<C, const D: usize> {
    columns: [C; D],
    contact: u32,
}

impl<const D: usize> Packed<D>
where
    Size<D>: Components<D>,
{
    pub fn new(matrix: &BlockMatrix<D>) -> Self {
        let pack = |(&contact, block): (&u32, &[[f64; D]; D])| PackedBlock {
            columns: std::array::from_fn(|j| Column::fill(&std::array::from_fn(|i| block[i][j]))),
            contact,
        };
        let blocks = matrix.columns.iter().zip(&matrix.blocks).map(pack).collect();
        Self { starts: matrix.starts.clone(), blocks }
    }

    /// q + Σ W r over one row.
    #[inline(always)]
    pub fn row(&self, row: usize, impulses: &[Local<D>], free: &Local<D>) -> Local<D> {
        let mut sum = <Size<D> as Components<D>>::Column::fill(free);
        for block in &self.blocks[self.starts[row] as usize..self.starts[row + 1] as usize] {
            let r = &impulses[block.contact as usize];
            for (column, &r) in block.columns.iter().zip(r) {
                sum.add_scaled(r, column);
            }
        }
        sum.take()
    }
}
