//! Sparse LU with pivots of matrices that have a pattern of their own, column by column (Gilbert & Peierls 1988).
//!
//! Rows of the matrix are columns of its transpose, which is what is factored. The columns are taken in an order of
//! minimum degree of the pattern and its transpose together; a pivot on the diagonal is kept where it is not much smaller
//! than the largest of its column.

use crate::fronts::minimum_degree;

/// What share of the largest entry a pivot on the diagonal must have.
const DIAGONAL: f64 = 0.1;
const NONE: u32 = u32::MAX;

/// A triangular factor, column after column, with its diagonal apart.
#[derive(Clone, Debug, Default)]
struct Triangle {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Triangle {
    fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()]
            .iter()
            .map(|&row| row as usize)
            .zip(self.values[range].iter().copied())
    }

    fn close(&mut self) {
        self.starts.push(self.rows.len());
    }
}

/// A matrix in factors.
#[derive(Clone, Debug)]
pub struct Lu {
    /// Columns of the transpose in the order in which they were taken, and the pivot's row of each.
    order: Vec<u32>,
    pivots: Vec<u32>,
    /// L with rows as the matrix has them and ones on the diagonal, U with rows by step.
    lower: Triangle,
    upper: Triangle,
    diagonal: Vec<f64>,
}

impl Lu {
    /// Factors a matrix; `None` where it is singular.
    ///
    /// # Panics
    /// If `starts` and `columns` are no pattern.
    pub fn new(starts: &[u32], columns: &[u32], values: &[f64]) -> Option<Self> {
        let size = starts.len() - 1;
        let order = minimum_degree(starts, columns)?;
        let empty = Triangle { starts: vec![0], ..Triangle::default() };
        let mut lu = Self {
            order,
            pivots: Vec::with_capacity(size),
            lower: empty.clone(),
            upper: empty,
            diagonal: Vec::with_capacity(size),
        };
        let mut work = Work {
            steps: vec![NONE; size],
            x: vec![0.0; size],
            seen: vec![NONE; size],
            reach: Vec::new(),
            stack: Vec::new(),
        };
        for step in 0..size {
            let column = lu.order[step] as usize;
            let places = starts[column] as usize..starts[column + 1] as usize;
            let column = (column, &columns[places.clone()], &values[places]);
            if !lu.take(step, column, &mut work) {
                return None;
            }
        }
        Some(lu)
    }

    /// Takes the next column; false where it has no pivot.
    fn take(
        &mut self,
        step: usize,
        (number, rows, values): (usize, &[u32], &[f64]),
        work: &mut Work,
    ) -> bool {
        work.find_reach(rows, step as u32, &self.lower);
        rows.iter().zip(values).for_each(|(&row, &value)| work.x[row as usize] += value);
        // Each row after those that change it.
        for index in (0..work.reach.len()).rev() {
            let row = work.reach[index] as usize;
            let before = work.steps[row];
            if before == NONE {
                continue;
            }
            let value = work.x[row];
            self.upper.rows.push(before);
            self.upper.values.push(value);
            self.lower.column(before as usize).for_each(|(other, l)| work.x[other] -= l * value);
        }
        self.upper.close();
        let open = work.reach.iter().map(|&row| row as usize);
        let open = open.filter(|&row| work.steps[row] == NONE);
        let larger = |best: usize, row: usize| {
            if work.x[row].abs() > work.x[best].abs() { row } else { best }
        };
        let Some(mut pivot) = open.clone().reduce(larger) else { return false };
        let diagonal = work.steps[number] == NONE && work.seen[number] == step as u32;
        if diagonal && work.x[number].abs() >= DIAGONAL * work.x[pivot].abs() {
            pivot = number;
        }
        let value = work.x[pivot];
        if value == 0.0 || !value.is_finite() {
            return false;
        }
        for row in open.filter(|&row| row != pivot) {
            self.lower.rows.push(row as u32);
            self.lower.values.push(work.x[row] / value);
        }
        self.lower.close();
        self.diagonal.push(value);
        self.pivots.push(pivot as u32);
        work.steps[pivot] = step as u32;
        work.reach.iter().for_each(|&row| work.x[row as usize] = 0.0);
        true
    }

    /// x ← A⁻¹ x for as many columns as `x` holds, one after the other.
    ///
    /// # Panics
    /// If `x` is not whole columns.
    pub fn solve(&self, x: &mut [f64]) {
        let size = self.order.len();
        assert_eq!(x.len() % size.max(1), 0);
        let mut y = vec![0.0; size];
        for x in x.chunks_exact_mut(size.max(1)) {
            // Aᵀ = P⁻¹ L U Q⁻¹: first Uᵀ, then Lᵀ.
            for step in 0..size {
                let sum: f64 = self.upper.column(step).map(|(before, u)| u * y[before]).sum();
                y[step] = (x[self.order[step] as usize] - sum) / self.diagonal[step];
            }
            for step in (0..size).rev() {
                let sum: f64 = self.lower.column(step).map(|(row, l)| l * x[row]).sum();
                x[self.pivots[step] as usize] = y[step] - sum;
            }
        }
    }
}

/// Buffers of a factorisation.
struct Work {
    /// At which step each row became a pivot.
    steps: Vec<u32>,
    /// The column under way, with zeros beyond its reach.
    x: Vec<f64>,
    seen: Vec<u32>,
    /// Rows that the column has entries in, each before those that it changes, from the end on.
    reach: Vec<u32>,
    stack: Vec<(u32, usize)>,
}

impl Work {
    /// Finds the rows of a column: its own, and what these reach through L.
    fn find_reach(&mut self, rows: &[u32], step: u32, lower: &Triangle) {
        self.reach.clear();
        for &row in rows {
            if self.seen[row as usize] == step {
                continue;
            }
            self.seen[row as usize] = step;
            self.stack.push((row, 0));
            while let Some((row, next)) = self.stack.last_mut() {
                let before = self.steps[*row as usize];
                let range = match before {
                    NONE => 0..0,
                    before => lower.starts[before as usize]..lower.starts[before as usize + 1],
                };
                let children = &lower.rows[range][*next..];
                let unseen = children.iter().position(|&row| self.seen[row as usize] != step);
                match unseen {
                    Some(skipped) => {
                        let child = children[skipped];
                        *next += skipped + 1;
                        self.seen[child as usize] = step;
                        self.stack.push((child, 0));
                    }
                    None => {
                        self.reach.push(*row);
                        self.stack.pop();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsymmetric_chain_is_solved() {
        let size = 120u32;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..size {
            let entries = [(row.wrapping_sub(1), -1.0), (row, 2.0), (row + 1, 0.5)];
            for (column, value) in entries.into_iter().filter(|&(column, _)| column < size) {
                columns.push(column);
                values.push(value);
            }
            starts.push(columns.len() as u32);
        }
        let expected: Vec<f64> = (0..size).map(|i| f64::from(i).cos()).collect();
        let product = |row: usize| -> f64 {
            let places = starts[row] as usize..starts[row + 1] as usize;
            places.map(|place| values[place] * expected[columns[place] as usize]).sum()
        };
        let mut x: Vec<f64> = (0..size as usize).map(product).collect();
        let lu = Lu::new(&starts, &columns, &values).unwrap();
        lu.solve(&mut x);
        assert!(x.iter().zip(&expected).all(|(x, e)| (x - e).abs() < 1e-12));
    }

    /// A grid with entries of no symmetry; the diagonal vanishes here and there.
    #[test]
    fn rows_are_swapped_where_they_must() {
        let side = 20usize;
        let size = side * side;
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..size {
            let (x, y) = (row % side, row / side);
            for (column, near) in [
                (row.wrapping_sub(side), y > 0),
                (row.wrapping_sub(1), x > 0),
                (row, row % 3 > 0),
                (row + 1, x + 1 < side),
                (row + side, y + 1 < side),
            ] {
                if near {
                    columns.push(column as u32);
                    values.push((1.3 * (row * size + column) as f64).sin());
                }
            }
            starts.push(columns.len() as u32);
        }
        let lu = Lu::new(&starts, &columns, &values).unwrap();
        let expected: Vec<f64> = (0..2 * size).map(|i| f64::from(i as u32).cos()).collect();
        let mut x = vec![0.0; 2 * size];
        for (x, expected) in x.chunks_mut(size).zip(expected.chunks(size)) {
            for row in 0..size {
                for place in starts[row] as usize..starts[row + 1] as usize {
                    x[row] += values[place] * expected[columns[place] as usize];
                }
            }
        }
        lu.solve(&mut x);
        let error = x.iter().zip(&expected).fold(0.0f64, |e, (x, y)| e.max((x - y).abs()));
        assert!(error < 1e-10, "{error}");
    }

    #[test]
    fn singular_matrices_are_refused() {
        assert!(Lu::new(&[0, 2, 4], &[0, 1, 0, 1], &[1.0; 4]).is_none());
        assert!(Lu::new(&[0, 1, 1], &[0], &[1.0]).is_none());
        assert!(Lu::new(&[0, 1], &[0], &[f64::NAN]).is_none());
    }
}
