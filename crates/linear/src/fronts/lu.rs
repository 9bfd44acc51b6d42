//! LU of matrices of small blocks with a symmetric pattern and any values, by fronts.
//!
//! An LU that looks for pivots in whole columns has to make room for any choice of them. Here the order of
//! elimination is that of Cholesky's method, found once for a pattern, and rows are swapped only among those that a
//! front eliminates. This is stable enough where the matrix is near one with a positive definite symmetric part; the
//! caller judges the answer and can refine it.

use super::dense::{Packed, eliminate};
use super::tree::{Front, Tree};
use crate::dense::subtract_scaled;
use std::ops::Range;

/// A pattern that was analysed, and the factors of the last matrix that had it.
#[derive(Clone, Debug)]
pub struct FrontalLu {
    tree: Tree,
    /// Rows and columns of a block.
    width: usize,
    /// For each front the columns of its pivots, and then of its other columns the rows of the pivots.
    factors: Vec<f64>,
    /// Rows that pivots were swapped with, front after front.
    swaps: Vec<u32>,
    /// What fronts leave to their parents, and how large each is.
    left: Vec<f64>,
    sizes: Vec<usize>,
    front: Vec<f64>,
    packed: Packed,
    /// Unknowns in the order of elimination.
    ordered: Vec<f64>,
    gathered: Vec<f64>,
}

impl FrontalLu {
    /// Analyses a pattern of blocks with `width` rows and columns each. `None` if there is not enough memory.
    ///
    /// # Panics
    /// If `starts` and `columns` are no pattern.
    pub fn new(starts: &[u32], columns: &[u32], width: usize) -> Option<Self> {
        Some(Self {
            tree: Tree::new(starts, columns, None, false)?,
            width,
            factors: Vec::new(),
            swaps: Vec::new(),
            left: Vec::new(),
            sizes: Vec::new(),
            front: Vec::new(),
            packed: Packed::default(),
            ordered: Vec::new(),
            gathered: Vec::new(),
        })
    }

    /// Numbers stored in both factors.
    pub fn stored(&self) -> usize {
        let both = |front: &Front| front.pivots.len() * (front.size() + front.rows.len());
        self.width * self.width * self.tree.fronts.iter().map(both).sum::<usize>()
    }

    /// Multiplications of a factorisation.
    pub fn multiplications(&self) -> f64 {
        let cube = |x: usize| (self.width * x).pow(3) as f64 / 3.0;
        self.tree.fronts.iter().map(|front| cube(front.size()) - cube(front.rows.len())).sum()
    }

    /// Factors a matrix of the pattern, given block after block; false where a pivot vanishes or is no number.
    ///
    /// # Panics
    /// If blocks are not as many, or not as wide, as in the pattern.
    pub fn factor<const D: usize>(&mut self, blocks: &[[[f64; D]; D]]) -> bool {
        assert_eq!((D, blocks.len()), (self.width, self.tree.entries.len()));
        self.factors.clear();
        self.factors.reserve_exact(self.stored());
        self.swaps.clear();
        self.left.clear();
        self.sizes.clear();
        for number in 0..self.tree.fronts.len() {
            self.assemble(number, blocks);
            let front = &self.tree.fronts[number];
            let (size, pivots) = (D * front.size(), D * front.pivots.len());
            if !eliminate(&mut self.front, size, pivots, &mut self.swaps, &mut self.packed) {
                return false;
            }
            self.factors.extend_from_slice(&self.front[..pivots * size]);
            let rest = self.front[pivots * size..].chunks_exact(size);
            rest.clone().for_each(|column| self.factors.extend_from_slice(&column[..pivots]));
            if size > pivots {
                rest.for_each(|column| self.left.extend_from_slice(&column[pivots..]));
                self.sizes.push(number);
            }
        }
        true
    }

    /// The matrix's own entries of a front, and what its children have left.
    fn assemble<const D: usize>(&mut self, number: usize, blocks: &[[[f64; D]; D]]) {
        let front = &self.tree.fronts[number];
        let size = D * front.size();
        self.front.clear();
        self.front.resize(size * size, 0.0);
        for entry in &self.tree.entries[front.entries.clone()] {
            let (row, column) = (D * entry.row as usize, D * entry.column as usize);
            for (i, line) in blocks[entry.stored as usize].iter().enumerate() {
                for (j, value) in line.iter().enumerate() {
                    self.front[(column + j) * size + row + i] += value;
                }
            }
        }
        for _ in 0..front.children {
            let child = self.sizes.pop().expect("children come before their parent");
            let rows = self.tree.fronts[child].rows.clone();
            let places = &self.tree.rows_in_parent[rows];
            let height = D * places.len();
            let start = self.left.len() - height * height;
            for (column, from) in self.left[start..].chunks_exact(height).enumerate() {
                let column = D * places[column / D] as usize + column % D;
                let to = &mut self.front[column * size..][..size];
                for (&place, from) in places.iter().zip(from.as_chunks::<D>().0) {
                    let to = &mut to[D * place as usize..][..D];
                    (0..D).for_each(|i| to[i] += from[i]);
                }
            }
            self.left.truncate(start);
        }
    }

    /// x ← A⁻¹ x.
    ///
    /// # Panics
    /// If no matrix is factored, or `x` is of another size.
    pub fn solve(&mut self, x: &mut [f64]) {
        let (width, places) = (self.width, &self.tree.places);
        assert_eq!(x.len(), width * places.len());
        self.ordered.resize(x.len(), 0.0);
        for (from, &place) in x.chunks_exact(width).zip(places) {
            self.ordered[width * place as usize..][..width].copy_from_slice(from);
        }
        let mut start = 0;
        for number in 0..self.tree.fronts.len() {
            start = self.forward(number, start);
        }
        for number in (0..self.tree.fronts.len()).rev() {
            start = self.backward(number, start);
        }
        for (to, &place) in x.chunks_exact_mut(width).zip(&self.tree.places) {
            to.copy_from_slice(&self.ordered[width * place as usize..][..width]);
        }
    }

    /// Unknowns that a front eliminates, in the order of elimination, and numbers of its factors.
    fn extent(&self, number: usize) -> (Range<usize>, usize, usize) {
        let front = &self.tree.fronts[number];
        let pivots = self.width * front.pivots.start..self.width * front.pivots.end;
        let (count, size) = (pivots.len(), self.width * front.size());
        (pivots, size, count * (2 * size - count))
    }

    /// x ← L⁻¹ x of a front; where its factors end.
    fn forward(&mut self, number: usize, start: usize) -> usize {
        let (pivots, size, stored) = self.extent(number);
        let count = pivots.len();
        let columns = self.factors[start..start + count * size].chunks_exact(size);
        let swaps = &self.swaps[pivots.clone()];
        self.gathered.clear();
        self.gathered.resize(size, 0.0);
        self.gathered[..count].copy_from_slice(&self.ordered[pivots.clone()]);
        swaps.iter().enumerate().for_each(|(row, &other)| self.gathered.swap(row, other as usize));
        for (step, column) in columns.enumerate() {
            let (head, rest) = self.gathered.split_at_mut(step + 1);
            subtract_scaled(rest, head[step], &column[step + 1..]);
        }
        self.ordered[pivots].copy_from_slice(&self.gathered[..count]);
        let rows = &self.tree.rows[self.tree.fronts[number].rows.clone()];
        for (change, &row) in self.gathered[count..].chunks_exact(self.width).zip(rows) {
            let to = &mut self.ordered[self.width * row as usize..][..self.width];
            to.iter_mut().zip(change).for_each(|(to, change)| *to += change);
        }
        start + stored
    }

    /// x ← U⁻¹ x of a front whose factors end there; where they begin.
    fn backward(&mut self, number: usize, end: usize) -> usize {
        let (pivots, size, stored) = self.extent(number);
        let count = pivots.len();
        let factors = &self.factors[end - stored..end];
        let (own, others) = factors.split_at(count * size);
        let (before, after) = self.ordered.split_at_mut(pivots.end);
        let x = &mut before[pivots.clone()];
        let rows = &self.tree.rows[self.tree.fronts[number].rows.clone()];
        let later = rows.iter().flat_map(|&row| {
            let row = self.width * row as usize - pivots.end;
            after[row..row + self.width].iter()
        });
        for (column, &value) in others.chunks_exact(count).zip(later) {
            subtract_scaled(x, value, column);
        }
        for (step, column) in own.chunks_exact(size).enumerate().rev() {
            let (head, rest) = x.split_at_mut(step);
            rest[0] /= column[step];
            subtract_scaled(head, rest[0], &column[..step]);
        }
        end - stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of blocks, each coupled to its neighbours, without symmetry of values; some diagonal blocks need
    /// swaps.
    fn grid(side: usize) -> (Vec<u32>, Vec<u32>, Vec<[[f64; 2]; 2]>) {
        let (mut starts, mut columns, mut blocks) = (vec![0], Vec::new(), Vec::new());
        for row in 0..side * side {
            let (x, y) = (row % side, row / side);
            for (column, near) in [
                (row.wrapping_sub(side), y > 0),
                (row.wrapping_sub(1), x > 0),
                (row, true),
                (row + 1, x + 1 < side),
                (row + side, y + 1 < side),
            ] {
                if near {
                    let (a, b) = ((row as f64).sin(), (column as f64 + 0.3).cos());
                    columns.push(column as u32);
                    blocks.push(match row == column {
                        true => [[0.0, 5.0 + a], [-5.0 - b, 0.1]],
                        false => [[a, b], [0.5 * b, a - b]],
                    });
                }
            }
            starts.push(columns.len() as u32);
        }
        (starts, columns, blocks)
    }

    /// Small fronts, and some of more than a panel.
    #[test]
    fn answers_satisfy_the_equations() {
        for side in [1, 2, 7, 30] {
            let (starts, columns, blocks) = grid(side);
            let mut lu = FrontalLu::new(&starts, &columns, 2).unwrap();
            let expected: Vec<f64> = (0..2 * side * side).map(|i| (0.7 * i as f64).sin()).collect();
            for scale in [1.0, -3.0] {
                let blocks: Vec<_> =
                    blocks.iter().map(|block| block.map(|line| line.map(|x| scale * x))).collect();
                let mut x = vec![0.0; expected.len()];
                for row in 0..side * side {
                    for place in starts[row] as usize..starts[row + 1] as usize {
                        let column = 2 * columns[place] as usize;
                        for i in 0..2 {
                            x[2 * row + i] += blocks[place][i][0] * expected[column]
                                + blocks[place][i][1] * expected[column + 1];
                        }
                    }
                }
                assert!(lu.factor(&blocks));
                assert_eq!(lu.factors.len(), lu.stored());
                lu.solve(&mut x);
                let error = x.iter().zip(&expected).fold(0.0f64, |e, (x, y)| e.max((x - y).abs()));
                assert!(error < 1e-11, "{side}: {error}");
            }
        }
    }

    /// Unknowns that nothing couples are fronts of their own, and a pattern may lack one of two mirrored blocks.
    #[test]
    fn loose_and_one_sided_patterns_are_solved() {
        let (starts, columns) = ([0, 2, 3, 4, 6], [0, 2, 1, 2, 0, 3]);
        let blocks = [[[2.0]], [[1.0]], [[4.0]], [[5.0]], [[3.0]], [[-1.0]]];
        let mut lu = FrontalLu::new(&starts, &columns, 1).unwrap();
        assert!(lu.factor(&blocks));
        // x = (1, 2, 3, 4).
        let mut x = [2.0 + 3.0, 8.0, 15.0, 3.0 - 4.0];
        lu.solve(&mut x);
        assert_eq!(x, [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = FrontalLu::new(&[0, 2, 4], &[0, 1, 0, 1], 1).unwrap();
        assert!(!lu.factor(&[[[1.0]], [[1.0]], [[1.0]], [[1.0]]]));
        assert!(!lu.factor(&[[[f64::NAN]], [[1.0]], [[1.0]], [[1.0]]]));
        assert!(lu.factor(&[[[1.0]], [[1.0]], [[1.0]], [[2.0]]]));
    }
}
