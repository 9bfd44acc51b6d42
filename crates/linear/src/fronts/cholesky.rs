//! LLᵀ of symmetric positive definite matrices, by fronts, eliminated in a given order or in one of minimum degree.
//!
//! Rows are given up to the diagonal; entries beyond it are not looked at, and may be left out. Every matrix of the pattern is
//! factored into the same buffers.

use super::dense::{Packed, eliminate_definite};
use super::tree::Tree;
use crate::dense::subtract_scaled;
use std::ops::Range;

/// Right-hand sides that are solved for at once.
const TOGETHER: usize = 16;

/// A pattern that was analysed, and the factors of the last matrix that had it.
#[derive(Clone, Debug)]
pub struct Cholesky {
    tree: Tree,
    /// The columns of each front's pivots, from its first pivot on.
    factors: Vec<f64>,
    /// What fronts leave to their parents, column after column, of which the lower half holds, and whose it is.
    left: Vec<f64>,
    waiting: Vec<usize>,
    front: Vec<f64>,
    packed: Packed,
    room: Room,
}

/// What a solve needs besides the factors.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// Unknowns in the order of elimination, and those of one front.
    ordered: Vec<f64>,
    gathered: Vec<f64>,
}

/// Why a matrix has no factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDefinite {
    /// The unknown at which elimination met a pivot that is not positive.
    pub unknown: usize,
}

impl Cholesky {
    /// Analyses a pattern, and finds an order of few numbers in L (approximate minimum degree). `None` if none is
    /// found.
    ///
    /// # Panics
    /// If `starts` and `columns` are no pattern.
    pub fn new(starts: &[u32], columns: &[u32]) -> Option<Self> {
        Tree::new(starts, columns, None, true).map(Self::of)
    }

    /// Analyses a pattern. `order` lists the unknowns as they are to be eliminated. `None` if there is no such
    /// order.
    ///
    /// # Panics
    /// If `starts` and `columns` are no pattern, or the order is none.
    pub fn in_order(starts: &[u32], columns: &[u32], order: &[u32]) -> Option<Self> {
        assert_eq!(order.len() + 1, starts.len(), "the order has every unknown once");
        Tree::new(starts, columns, Some(order), true).map(Self::of)
    }

    fn of(tree: Tree) -> Self {
        Self {
            tree,
            factors: Vec::new(),
            left: Vec::new(),
            waiting: Vec::new(),
            front: Vec::new(),
            packed: Packed::default(),
            room: Room::default(),
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.tree.places.len()
    }

    /// Numbers stored in L.
    pub fn stored(&self) -> usize {
        self.tree.fronts.iter().map(|front| front.pivots.len() * front.size()).sum()
    }

    /// Factors a matrix of the pattern.
    ///
    /// # Errors
    /// If it is not positive definite.
    ///
    /// # Panics
    /// If there are fewer values than entries in the pattern.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), NotDefinite> {
        self.factors.clear();
        self.factors.reserve_exact(self.stored());
        self.left.clear();
        self.waiting.clear();
        for number in 0..self.tree.fronts.len() {
            self.assemble(number, values);
            let front = &self.tree.fronts[number];
            let (size, pivots) = (front.size(), front.pivots.len());
            let outcome = eliminate_definite(&mut self.front, size, pivots, &mut self.packed);
            if let Err(step) = outcome {
                let place = (front.pivots.start + step) as u32;
                let unknown = self.tree.places.iter().position(|&other| other == place);
                return Err(NotDefinite { unknown: unknown.expect("every place is taken") });
            }
            self.factors.extend_from_slice(&self.front[..pivots * size]);
            if size > pivots {
                let rest = self.front[pivots * size..].chunks_exact(size);
                rest.for_each(|column| self.left.extend_from_slice(&column[pivots..]));
                self.waiting.push(number);
            }
        }
        Ok(())
    }

    /// The lower half of the matrix's own entries of a front, and of what its children have left.
    fn assemble(&mut self, number: usize, values: &[f64]) {
        let front = &self.tree.fronts[number];
        let size = front.size();
        self.front.clear();
        self.front.resize(size * size, 0.0);
        for entry in &self.tree.entries[front.entries.clone()] {
            let (row, column) = (entry.row.max(entry.column), entry.row.min(entry.column));
            self.front[column as usize * size + row as usize] += values[entry.stored as usize];
        }
        for _ in 0..front.children {
            let child = self.waiting.pop().expect("children come before their parent");
            let places = &self.tree.rows_in_parent[self.tree.fronts[child].rows.clone()];
            let start = self.left.len() - places.len() * places.len();
            let columns = self.left[start..].chunks_exact(places.len()).zip(places);
            for (index, (from, &column)) in columns.enumerate() {
                let to = &mut self.front[column as usize * size..][..size];
                for (&row, from) in places[index..].iter().zip(&from[index..]) {
                    to[row as usize] += from;
                }
            }
            self.left.truncate(start);
        }
    }

    /// x ← A⁻¹ x for as many columns as `x` holds, one after the other.
    ///
    /// # Panics
    /// If no matrix is factored, or `x` is not whole columns.
    pub fn solve(&mut self, x: &mut [f64]) {
        let mut room = std::mem::take(&mut self.room);
        self.solve_in(&mut room, x);
        self.room = room;
    }

    /// [`Cholesky::solve`] of factors that several share, each with room of its own.
    ///
    /// # Panics
    /// The same.
    pub fn solve_in(&self, room: &mut Room, x: &mut [f64]) {
        let size = self.size();
        assert_eq!((x.len() % size.max(1), self.factors.len()), (0, self.stored()));
        let mut rest = x;
        while rest.len() > size {
            let (now, later) = rest.split_at_mut(rest.len().min(TOGETHER * size));
            self.solve_together::<TOGETHER>(room, now);
            rest = later;
        }
        if !rest.is_empty() {
            self.solve_together::<1>(room, rest);
        }
    }

    /// Up to `N` columns. Those of one unknown stand beside each other meanwhile.
    fn solve_together<const N: usize>(&self, room: &mut Room, x: &mut [f64]) {
        let size = self.size();
        room.ordered.clear();
        room.ordered.resize(N * size, 0.0);
        for (column, x) in x.chunks_exact(size).enumerate() {
            for (&place, x) in self.tree.places.iter().zip(x) {
                room.ordered[N * place as usize + column] = *x;
            }
        }
        let mut start = 0;
        for number in 0..self.tree.fronts.len() {
            start = self.forward::<N>(room, number, start);
        }
        for number in (0..self.tree.fronts.len()).rev() {
            start = self.backward::<N>(room, number, start);
        }
        for (column, x) in x.chunks_exact_mut(size).enumerate() {
            for (&place, x) in self.tree.places.iter().zip(x) {
                *x = room.ordered[N * place as usize + column];
            }
        }
    }

    /// X ← L⁻¹ X of a front; where its factors end.
    fn forward<const N: usize>(&self, room: &mut Room, number: usize, start: usize) -> usize {
        let front = &self.tree.fronts[number];
        let (count, size) = (front.pivots.len(), front.size());
        let end = start + count * size;
        let (pivots, rows) = (front.pivots.clone(), front.rows.clone());
        gather::<N>(&room.ordered, &mut room.gathered, pivots.clone(), &[]);
        room.gathered.resize(N * size, 0.0);
        let x = room.gathered.as_chunks_mut::<N>().0;
        for (step, column) in self.factors[start..end].chunks_exact(size).enumerate() {
            let (head, rest) = x.split_at_mut(step + 1);
            let pivot = &mut head[step];
            pivot.iter_mut().for_each(|x| *x /= column[step]);
            let below = &column[step + 1..];
            if N == 1 {
                subtract_scaled(rest.as_flattened_mut(), pivot[0], below);
            } else {
                for (x, l) in rest.iter_mut().zip(below) {
                    (0..N).for_each(|k| x[k] -= l * pivot[k]);
                }
            }
        }
        room.ordered[N * pivots.start..N * pivots.end].copy_from_slice(x[..count].as_flattened());
        for (change, &row) in x[count..].iter().zip(&self.tree.rows[rows]) {
            let to = &mut room.ordered[N * row as usize..][..N];
            to.iter_mut().zip(change).for_each(|(to, change)| *to += change);
        }
        end
    }

    /// X ← L⁻ᵀ X of a front whose factors end there; where they begin.
    fn backward<const N: usize>(&self, room: &mut Room, number: usize, end: usize) -> usize {
        let front = &self.tree.fronts[number];
        let (count, size) = (front.pivots.len(), front.size());
        let start = end - count * size;
        let pivots = front.pivots.clone();
        let rows = &self.tree.rows[front.rows.clone()];
        gather::<N>(&room.ordered, &mut room.gathered, pivots.clone(), rows);
        let x = room.gathered.as_chunks_mut::<N>().0;
        for (step, column) in self.factors[start..end].chunks_exact(size).enumerate().rev() {
            let (head, rest) = x.split_at_mut(step + 1);
            let below = &column[step + 1..];
            let sums = if N == 1 {
                [dot(below, rest.as_flattened()); N]
            } else {
                let mut sums = [0.0; N];
                for (x, l) in rest.iter().zip(below) {
                    (0..N).for_each(|k| sums[k] += l * x[k]);
                }
                sums
            };
            let pivot = &mut head[step];
            (0..N).for_each(|k| pivot[k] = (pivot[k] - sums[k]) / column[step]);
        }
        room.ordered[N * pivots.start..N * pivots.end].copy_from_slice(x[..count].as_flattened());
        start
    }
}

/// The unknowns of a front: those that it eliminates, then these others.
fn gather<const N: usize>(
    ordered: &[f64],
    gathered: &mut Vec<f64>,
    pivots: Range<usize>,
    rows: &[u32],
) {
    gathered.clear();
    gathered.extend_from_slice(&ordered[N * pivots.start..N * pivots.end]);
    rows.iter().for_each(|&row| gathered.extend_from_slice(&ordered[N * row as usize..][..N]));
}

/// Scalar product, in eight sums that are added at the end.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
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
            let mut cholesky = Cholesky::in_order(&starts, &columns, &order).unwrap();
            for diagonal in [2.5, 4.0] {
                let (.., values) = chain(size, diagonal);
                cholesky.factor(&values).unwrap();
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
        let mut cholesky = Cholesky::in_order(&starts, &columns, &order).unwrap();
        assert_eq!(cholesky.factor(&values), Err(NotDefinite { unknown: 3 }));
    }

    /// A grid in space, whose fronts are of all sizes: one and many right-hand sides, with what the matrix gives.
    #[test]
    fn answers_satisfy_the_equations() {
        let side = 9;
        let size = side * side * side;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..size {
            let steps =
                [(row / side / side, side * side), (row / side % side, side), (row % side, 1)];
            for (at, stride) in steps {
                if at > 0 {
                    columns.push((row - stride) as u32);
                    values.push(-1.0 - 0.3 * (row as f64).sin());
                }
            }
            columns.push(row as u32);
            values.push(8.0);
            starts.push(columns.len() as u32);
        }
        let times = |x: &[f64]| {
            let mut y = vec![0.0; size];
            for row in 0..size {
                for place in starts[row] as usize..starts[row + 1] as usize {
                    let column = columns[place] as usize;
                    y[row] += values[place] * x[column];
                    if row != column {
                        y[column] += values[place] * x[row];
                    }
                }
            }
            y
        };
        let mut cholesky = Cholesky::new(&starts, &columns).unwrap();
        cholesky.factor(&values).unwrap();
        for count in [1, 2, TOGETHER, TOGETHER + 1, 2 * TOGETHER + 3] {
            let expected: Vec<f64> = (0..count * size).map(|i| (0.3 * i as f64).cos()).collect();
            let mut x: Vec<f64> = expected.chunks(size).flat_map(times).collect();
            cholesky.solve(&mut x);
            let error = x.iter().zip(&expected).fold(0.0f64, |e, (x, y)| e.max((x - y).abs()));
            assert!(error < 1e-13, "{count}: {error}");
        }
    }
}
