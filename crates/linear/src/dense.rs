//! LU with row pivots of small dense matrices, column after column.

/// A square matrix, or its factors.
///
/// Columns are stored one after the other, so that elimination runs along them.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    size: usize,
    columns: Vec<f64>,
    /// The row that was taken as pivot at each step.
    pivots: Vec<usize>,
}

impl DenseLu {
    /// A matrix of zeros of this size, in place of the last one.
    pub fn clear(&mut self, size: usize) {
        self.size = size;
        self.columns.clear();
        self.columns.resize(size * size, 0.0);
    }

    /// The entry at a place, to be set before the matrix is factored.
    #[inline(always)]
    pub fn entry(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.columns[column * self.size + row]
    }

    /// Factors in place; false where a pivot vanishes beside the largest entry.
    pub fn factor(&mut self) -> bool {
        let n = self.size;
        let largest = self.columns.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        let least = largest * f64::EPSILON * n as f64;
        self.pivots.clear();
        for step in 0..n {
            let column = &self.columns[step * n..(step + 1) * n];
            let mut pivot = step;
            for row in step + 1..n {
                if column[row].abs() > column[pivot].abs() {
                    pivot = row;
                }
            }
            // False for NaN.
            let sound = column[pivot].abs() > least;
            if !sound {
                return false;
            }
            self.pivots.push(pivot);
            let (left, right) = self.columns.split_at_mut((step + 1) * n);
            let column = &mut left[step * n..];
            column.swap(step, pivot);
            let inverse = 1.0 / column[step];
            let below = &mut column[step + 1..];
            below.iter_mut().for_each(|x| *x *= inverse);
            for target in right.chunks_exact_mut(n) {
                target.swap(step, pivot);
                let (head, rest) = target.split_at_mut(step + 1);
                subtract_scaled(rest, head[step], below);
            }
        }
        true
    }

    /// x ← A⁻¹ x.
    ///
    /// # Panics
    /// If the matrix is not factored, or `x` is of another size.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.size;
        assert_eq!((self.pivots.len(), x.len()), (n, n));
        for (step, &pivot) in self.pivots.iter().enumerate() {
            x.swap(step, pivot);
            let (head, rest) = x.split_at_mut(step + 1);
            subtract_scaled(rest, head[step], &self.columns[step * n + step + 1..(step + 1) * n]);
        }
        for (step, column) in self.columns.chunks_exact(n.max(1)).enumerate().rev() {
            let (head, rest) = x.split_at_mut(step);
            rest[0] /= column[step];
            subtract_scaled(head, rest[0], &column[..step]);
        }
    }
}

/// y −= s x.
#[inline(always)]
pub(crate) fn subtract_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    if s != 0.0 {
        y.iter_mut().zip(x).for_each(|(y, x)| *y -= s * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_swapped_where_they_must() {
        let rows = [[0.0, 2.0, 1.0], [1.0, -1.0, 0.0], [3.0, 0.5, -2.0]];
        let mut lu = DenseLu::default();
        lu.clear(3);
        for (i, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, &x)| *lu.entry(i, j) = x);
        }
        assert!(lu.factor());
        let expected = [1.0, -2.0, 3.0];
        let mut x = rows.map(|row| row.iter().zip(&expected).map(|(a, e)| a * e).sum());
        lu.solve(&mut x);
        assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-14), "{x:?}");
    }

    #[test]
    fn singular_matrices_are_refused() {
        let mut lu = DenseLu::default();
        lu.clear(2);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            *lu.entry(i, j) = 1.0;
        }
        assert!(!lu.factor());
        lu.clear(0);
        assert!(lu.factor());
        lu.solve(&mut []);
    }
}
