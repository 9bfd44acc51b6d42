//! Periodic cells: matrices of a space, and lattices of images.
//!
//! The columns of a lattice's matrix H are the vectors of the cell, x = H s. What is at x is also at x + H n, for all whole n
//! of the directions that are periodic. Others have a vector too, which only completes the basis.

use crate::{Space, Vector};

/// A square matrix over a space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix<S: Space> {
    /// As many as the space has dimensions; the others are zero.
    rows: [S::Vector; 3],
}

impl<S: Space> Matrix<S> {
    /// All components zero.
    pub const ZERO: Self = Self { rows: [S::Vector::ZERO; 3] };

    /// The matrix with these components, by row and column.
    pub fn from_fn(mut component: impl FnMut(usize, usize) -> f64) -> Self {
        let mut rows = [S::Vector::ZERO; 3];
        for (i, row) in rows.iter_mut().enumerate().take(S::DIMENSION) {
            *row = S::Vector::from_fn(|j| component(i, j));
        }
        Self { rows }
    }
    /// The unit matrix.
    pub fn identity() -> Self {
        Self::from_fn(|i, j| f64::from(u8::from(i == j)))
    }
    /// a ⊗ b.
    pub fn outer(a: S::Vector, b: S::Vector) -> Self {
        Self::from_fn(|i, j| a.get(i) * b.get(j))
    }
    /// A component.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.rows[row].get(column)
    }
    /// The same with another component.
    pub fn with(&self, row: usize, column: usize, value: f64) -> Self {
        Self::from_fn(|i, j| if (i, j) == (row, column) { value } else { self.get(i, j) })
    }
    /// A row.
    pub fn row(&self, index: usize) -> S::Vector {
        self.rows[index]
    }
    /// A column.
    pub fn column(&self, index: usize) -> S::Vector {
        S::Vector::from_fn(|i| self.get(i, index))
    }
    /// What it makes of a vector.
    #[inline(always)]
    pub fn apply(&self, vector: S::Vector) -> S::Vector {
        S::Vector::from_fn(|i| self.rows[i].dot(vector))
    }
    /// The product, this one on the left.
    pub fn times(&self, right: &Self) -> Self {
        Self::from_fn(|i, j| self.rows[i].dot(right.column(j)))
    }
    /// The sum.
    pub fn plus(&self, other: &Self) -> Self {
        Self::from_fn(|i, j| self.get(i, j) + other.get(i, j))
    }
    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        Self::from_fn(|i, j| self.get(i, j) - other.get(i, j))
    }
    /// The multiple.
    pub fn scaled(&self, factor: f64) -> Self {
        Self::from_fn(|i, j| self.get(i, j) * factor)
    }
    /// Sum of the products of components.
    pub fn contract(&self, other: &Self) -> f64 {
        (0..S::DIMENSION).map(|i| self.rows[i].dot(other.rows[i])).sum()
    }
    /// Whether every component is a number.
    pub fn finite(&self) -> bool {
        self.rows.iter().all(|row| row.finite())
    }
    /// The determinant.
    pub fn determinant(&self) -> f64 {
        match S::DIMENSION {
            2 => self.minor([0, 1], [0, 1]),
            _ => {
                self.get(0, 0) * self.minor([1, 2], [1, 2])
                    - self.get(0, 1) * self.minor([1, 2], [0, 2])
                    + self.get(0, 2) * self.minor([1, 2], [0, 1])
            }
        }
    }
    fn minor(&self, rows: [usize; 2], columns: [usize; 2]) -> f64 {
        let [(i, k), (j, l)] = [rows.into(), columns.into()];
        self.get(i, j) * self.get(k, l) - self.get(i, l) * self.get(k, j)
    }
    /// The inverse; none of a matrix that has none.
    pub fn inverse(&self) -> Option<Self> {
        let determinant = self.determinant();
        let others = |i: usize| match i {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        let cofactor = |i: usize, j: usize| {
            let sign = if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * match S::DIMENSION {
                2 => self.get(1 - i, 1 - j),
                _ => self.minor(others(i), others(j)),
            }
        };
        let inverse = Self::from_fn(|i, j| cofactor(j, i) / determinant);
        (determinant != 0.0 && inverse.finite()).then_some(inverse)
    }
    /// (1 − X/2)⁻¹ (1 + X/2): the exponential to second order, with determinant 1 in the plane where the trace is zero.
    pub fn cayley(&self) -> Self {
        let (one, half) = (Self::identity(), self.scaled(0.5));
        one.minus(&half).inverse().map_or(one, |inverse| inverse.times(&one.plus(&half)))
    }
}

/// A cell, and which of its directions are periodic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice<S: Space> {
    vectors: Matrix<S>,
    inverse: Matrix<S>,
    periodic: [bool; 3],
}

impl<S: Space> Lattice<S> {
    /// The lattice of these vectors, columns of a matrix; none where they do not span the space.
    pub fn new(vectors: Matrix<S>, periodic: [bool; 3]) -> Option<Self> {
        let inverse = vectors.inverse()?;
        Some(Self { vectors, inverse, periodic })
    }
    /// The vectors, as columns.
    pub fn vectors(&self) -> &Matrix<S> {
        &self.vectors
    }
    /// Whether a direction is periodic.
    pub fn is_periodic(&self, direction: usize) -> bool {
        self.periodic[direction]
    }
    /// s of x = H s.
    #[inline(always)]
    pub fn fractions(&self, at: S::Vector) -> S::Vector {
        self.inverse.apply(at)
    }
    /// H s.
    #[inline(always)]
    pub fn place(&self, fractions: S::Vector) -> S::Vector {
        self.vectors.apply(fractions)
    }
    /// The difference of two places, of all their images those that are nearest: unambiguous up to half the least
    /// [width](Self::width).
    #[inline(always)]
    pub fn nearest(&self, difference: S::Vector) -> S::Vector {
        let s = self.fractions(difference);
        let whole = S::Vector::from_fn(|i| if self.periodic[i] { s.get(i).round() } else { 0.0 });
        if whole == S::Vector::ZERO { difference } else { difference - self.place(whole) }
    }
    /// The image of a place in the cell.
    pub fn wrap(&self, at: S::Vector) -> S::Vector {
        let s = self.fractions(at);
        let whole = S::Vector::from_fn(|i| if self.periodic[i] { s.get(i).floor() } else { 0.0 });
        if whole == S::Vector::ZERO { at } else { at - self.place(whole) }
    }
    /// Distance of the two faces across a direction.
    pub fn width(&self, direction: usize) -> f64 {
        1.0 / self.inverse.row(direction).norm()
    }
    /// The least width of the directions that are periodic.
    pub fn least_width(&self) -> f64 {
        let periodic = (0..S::DIMENSION).filter(|&i| self.periodic[i]);
        periodic.map(|i| self.width(i)).fold(f64::INFINITY, f64::min)
    }
    /// Area or volume of the cell.
    pub fn measure(&self) -> f64 {
        self.vectors.determinant().abs()
    }
    /// The same lattice by vectors that lean less: none by more than half of another.
    pub fn reduced(&self) -> Self {
        let mut vectors = self.vectors;
        // Each round makes a vector shorter; a step leans little, so that one is enough in a run.
        for _ in 0..64 {
            let Some((i, j, times)) = self.lean(&vectors) else { break };
            let shorter = vectors.column(i) - vectors.column(j) * times;
            vectors =
                Matrix::from_fn(|r, c| if c == i { shorter.get(r) } else { vectors.get(r, c) });
        }
        match vectors == self.vectors {
            true => *self,
            false => Self::new(vectors, self.periodic).unwrap_or(*self),
        }
    }
    /// A vector that leans along another by more than half of that, and by how many whole ones.
    fn lean(&self, vectors: &Matrix<S>) -> Option<(usize, usize, f64)> {
        let pairs = (0..S::DIMENSION).flat_map(|i| (0..S::DIMENSION).map(move |j| (i, j)));
        let both = pairs.filter(|&(i, j)| i != j && self.periodic[i] && self.periodic[j]);
        both.map(|(i, j)| {
            let (leaning, along) = (vectors.column(i), vectors.column(j));
            (i, j, (leaning.dot(along) / along.norm_squared()))
        })
        // Not to go to and fro where it is just half.
        .find(|(_, _, share)| share.abs() > 0.5 + 1e-9)
        .map(|(i, j, share)| (i, j, share.round()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DVec2, DVec3, Plane, Volume};

    fn skew() -> Matrix<Volume> {
        let rows = [[3.0, 0.4, -0.2], [0.1, 2.0, 0.3], [0.0, -0.5, 4.0]];
        Matrix::from_fn(|i, j| rows[i][j])
    }

    #[test]
    fn inverses_and_determinants() {
        let inverse = skew().inverse().unwrap();
        let unit = skew().times(&inverse).minus(&Matrix::identity());
        assert!(unit.contract(&unit) < 1e-28);
        // By the first row: 3 (8 + 0.15) − 0.4 (0.4) − 0.2 (−0.05).
        assert!((skew().determinant() - (24.45 - 0.16 + 0.01)).abs() < 1e-14);
        let flat = Matrix::<Plane>::from_fn(|i, j| [[2.0, 1.0], [4.0, 2.0]][i][j]);
        assert_eq!(flat.inverse(), None);
        let plane = Matrix::<Plane>::from_fn(|i, j| [[2.0, 1.0], [4.0, 3.0]][i][j]);
        let unit = plane.times(&plane.inverse().unwrap()).minus(&Matrix::identity());
        assert!(unit.contract(&unit) < 1e-28 && plane.determinant() == 2.0);
    }

    /// e^X = 1 + X + X²/2 + …: halving the step divides the error of a fixed time by four. Traceless ones keep the area.
    #[test]
    fn cayley_is_of_second_order() {
        let rate = Matrix::<Plane>::from_fn(|i, j| [[0.3, 1.0], [0.2, -0.3]][i][j]);
        let after = |steps: i32| {
            let one = rate.scaled(1.0 / f64::from(steps)).cayley();
            (0..steps).fold(Matrix::identity(), |all, _| one.times(&all))
        };
        // X² = (0.09 + 0.2) 1, so that e^X = cosh r + X sinh(r)/r with r = √0.29.
        let r = 0.29f64.sqrt();
        let exact = Matrix::identity().scaled(r.cosh()).plus(&rate.scaled(r.sinh() / r));
        let error = |steps: i32| {
            let off = after(steps).minus(&exact);
            off.contract(&off).sqrt()
        };
        let factor = error(10) / error(20);
        assert!((factor - 4.0).abs() < 0.1, "{factor}");
        assert!((after(10).determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_nearest_image_is_the_nearest() {
        let lattice = Lattice::new(skew(), [true, true, false]).unwrap();
        assert!(lattice.least_width() > 1.9);
        for (k, at) in [DVec3::new(0.3, -0.2, 0.7), DVec3::new(0.0, 0.9, -9.0)].iter().enumerate() {
            // Along the direction without images all stays as it is.
            let flat = DVec3::new(at.x, at.y, 0.0) - skew().column(2) * 0.0;
            for n in [-3.0, 0.0, 2.0] {
                let other = skew().column(0) * n - skew().column(1) * (n + k as f64);
                assert!((lattice.nearest(flat + other) - flat).length() < 1e-14);
            }
        }
        assert_eq!(lattice.nearest(skew().column(2) * 3.0), skew().column(2) * 3.0);
        let wrapped = lattice.fractions(lattice.wrap(DVec3::new(-7.0, 8.0, 9.0)));
        assert!((0.0..1.0).contains(&wrapped.x) && (0.0..1.0).contains(&wrapped.y));
    }

    #[test]
    fn a_lattice_is_the_same_by_vectors_that_lean_less() {
        let leaning = Matrix::<Plane>::from_fn(|i, j| [[2.0, 5.3], [0.0, 3.0]][i][j]);
        let lattice = Lattice::new(leaning, [true; 3]).unwrap();
        let reduced = lattice.reduced();
        assert!((reduced.vectors().column(1) - DVec2::new(-0.7, 3.0)).length() < 1e-14);
        assert!((reduced.measure() - lattice.measure()).abs() < 1e-14);
        let one = Lattice::new(leaning, [true, false, false]).unwrap();
        assert_eq!(one.reduced(), one);
    }
}
