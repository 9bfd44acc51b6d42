//! Sparse LLᵀ of symmetric positive definite matrices that keep their pattern, eliminated in a given order
//! or in one of minimum degree.
//!
//! Every matrix of the pattern is factored into the same buffers. As elsewhere here, rows are given up to
//! the diagonal.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use std::fmt;

/// A pattern with its order of elimination, and the factors of the last matrix that had it.
pub struct OrderedCholesky {
    symbolic: SymbolicCholesky<u32>,
    factors: Vec<f64>,
    scratch: MemBuffer,
    /// Right-hand sides that the scratch has room for.
    room: usize,
}

impl fmt::Debug for OrderedCholesky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrderedCholesky")
            .field("factors", &self.factors.len())
            .finish_non_exhaustive()
    }
}

/// Why a matrix has no factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDefinite {
    /// The unknown at which elimination met a pivot that is not positive.
    pub unknown: usize,
}

impl OrderedCholesky {
    /// Analyses a pattern. `order` lists the unknowns as they are to be eliminated.
    ///
    /// `None` if there is not enough memory.
    ///
    /// # Panics
    /// If the pattern or the order is none.
    pub fn new(starts: &[u32], columns: &[u32], order: &[u32]) -> Option<Self> {
        let mut inverse = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &x)| inverse[x as usize] = place as u32);
        let order = PermRef::new_checked(order, &inverse, order.len());
        Self::in_order(starts, columns, SymmetricOrdering::Custom(order))
    }

    /// Analyses a pattern, and finds an order of few numbers in L (approximate minimum degree).
    ///
    /// `None` if there is not enough memory.
    ///
    /// # Panics
    /// If the pattern is none.
    pub fn of_minimum_degree(starts: &[u32], columns: &[u32]) -> Option<Self> {
        Self::in_order(starts, columns, SymmetricOrdering::Amd)
    }

    fn in_order(
        starts: &[u32],
        columns: &[u32],
        ordering: SymmetricOrdering<'_, u32>,
    ) -> Option<Self> {
        let size = starts.len() - 1;
        // Rows up to the diagonal are the columns of the upper half.
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, columns);
        let params = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Upper, ordering, params).ok()?;
        Some(Self {
            symbolic,
            factors: Vec::new(),
            scratch: MemBuffer::new(StackReq::EMPTY),
            room: 0,
        })
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.symbolic.nrows()
    }

    /// Numbers stored in L.
    pub fn stored(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Factors a matrix of the pattern.
    ///
    /// # Errors
    /// If it is not positive definite.
    ///
    /// # Panics
    /// If the pattern is another one.
    pub fn factor(
        &mut self,
        starts: &[u32],
        columns: &[u32],
        values: &[f64],
    ) -> Result<(), NotDefinite> {
        let size = self.size();
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, columns);
        let matrix = SparseColMatRef::new(pattern, values);
        self.factors.resize(self.symbolic.len_val(), 0.0);
        self.make_room(1);
        let stack = MemStack::new(&mut self.scratch);
        let outcome = self.symbolic.factorize_numeric_llt(
            &mut self.factors,
            matrix,
            Side::Upper,
            Default::default(),
            Par::Seq,
            stack,
            Default::default(),
        );
        match outcome {
            Ok(_) => Ok(()),
            Err(LltError::NonPositivePivot { index }) => {
                // The library counts pivots from 1 where it factors column by column.
                let first = match self.symbolic.raw() {
                    SymbolicCholeskyRaw::Simplicial(_) => 1,
                    SymbolicCholeskyRaw::Supernodal(_) => 0,
                };
                let place = index.saturating_sub(first).min(size - 1);
                let order = self.symbolic.perm();
                let unknown = order.map_or(place, |order| order.arrays().0[place] as usize);
                Err(NotDefinite { unknown })
            }
        }
    }

    /// x ← A⁻¹ x for as many columns as `x` holds, one after the other.
    ///
    /// # Panics
    /// If `x` is not whole columns.
    pub fn solve(&mut self, x: &mut [f64]) {
        let size = self.size();
        let columns = x.len() / size.max(1);
        assert_eq!(columns * size, x.len());
        self.make_room(columns);
        let stack = MemStack::new(&mut self.scratch);
        let right = MatMut::from_column_major_slice_mut(x, size, columns);
        LltRef::new(&self.symbolic, &self.factors).solve_in_place_with_conj(
            Conj::No,
            right,
            Par::Seq,
            stack,
        );
    }

    fn make_room(&mut self, columns: usize) {
        if columns > self.room {
            let factor =
                self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
            let solve = self.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
            self.scratch = MemBuffer::new(StackReq::or(factor, solve));
            self.room = columns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows up to the diagonal of the second-difference matrix of a chain.
    fn chain(size: usize, diagonal: f64) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..size {
            if i > 0 {
                columns.push(i as u32 - 1);
                values.push(-1.0);
            }
            columns.push(i as u32);
            values.push(diagonal);
            starts.push(columns.len() as u32);
        }
        (starts, columns, values)
    }

    #[test]
    fn any_order_solves_and_factors_are_renewed() {
        let size = 30;
        let odd_first: Vec<u32> = (1..30).step_by(2).chain((0..30).step_by(2)).collect();
        let natural: Vec<u32> = (0..30).collect();
        for order in [natural, odd_first] {
            let (starts, columns, _) = chain(size, 0.0);
            let mut cholesky = OrderedCholesky::new(&starts, &columns, &order).unwrap();
            for diagonal in [2.5, 4.0] {
                let (starts, columns, values) = chain(size, diagonal);
                cholesky.factor(&starts, &columns, &values).unwrap();
                let expected: Vec<f64> = (0..2 * size).map(|i| (i as f64).sin()).collect();
                let mut x = vec![0.0; 2 * size];
                for (x, e) in x.chunks_mut(size).zip(expected.chunks(size)) {
                    for i in 0..size {
                        x[i] = diagonal * e[i];
                        x[i] -= if i > 0 { e[i - 1] } else { 0.0 };
                        x[i] -= if i + 1 < size { e[i + 1] } else { 0.0 };
                    }
                }
                cholesky.solve(&mut x);
                assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-13));
            }
        }
    }

    #[test]
    fn what_is_not_definite_is_named() {
        let (starts, columns, mut values) = chain(5, 4.0);
        // The diagonal of the fourth row.
        values[6] = -1.0;
        let order: Vec<u32> = (0..5).rev().collect();
        let mut cholesky = OrderedCholesky::new(&starts, &columns, &order).unwrap();
        assert_eq!(cholesky.factor(&starts, &columns, &values), Err(NotDefinite { unknown: 3 }));
    }
}
