//! The lowest modes of a solid under a linear law: a few coordinates in place of all nodes (Moreau 2003, §3.1).
//!
//! Kφ = ω²Mφ with φ·Mφ = 1. A solid whose displacements are Σ qφ has (mM + kK)⁻¹ = Σ φ φᵀ/(m + kω²), and that is all
//! that changes in its step: [`System`](crate::System) answers with it in place of its factors. Motions without strain,
//! three in the plane and six in space where nothing is held, are modes with ω = 0.
//!
//! Found by Rayleigh and Ritz in the space that T = (K + σM)⁻¹M makes of a block X of vectors, {X, TX, T²X}, again and again
//! with the lowest vectors of the one before.

use crate::{FemError, Model, System};
use drystone_space::{Space, Vector, math};

/// Vectors beside those that are asked for: they make the others settle faster.
const BESIDE: usize = 6;
/// Most rounds.
const ROUNDS: usize = 60;
/// ω² + σ may change by this share of itself in the last round.
const SETTLED: f64 = 1e-12;
/// σ in units of the largest entry of K over the mean mass of a node: it makes K + σM definite where the solid is free to move.
const SHIFT: f64 = 1e-7;
/// What is left of a vector when it is in the span of others.
const DEPENDENT: f64 = 1e-10;

/// The lowest modes, lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Modes<S: Space> {
    /// φ, each normal to the others by M.
    shapes: Vec<Vec<S::Vector>>,
    /// ω².
    squares: Vec<f64>,
    /// Scratch: φ·x.
    shares: Vec<f64>,
}

fn dot<S: Space>(a: &[S::Vector], b: &[S::Vector]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| a.dot(b)).sum()
}

fn add<S: Space>(to: &mut [S::Vector], from: &[S::Vector], factor: f64) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to += from * factor);
}

impl<S: Space> Modes<S> {
    /// The lowest modes of a model under a linear law, with what the system holds held.
    ///
    /// # Errors
    /// If the law is not linear, or there are no so many modes.
    pub fn lowest(
        model: &Model<S>,
        system: &mut System<S>,
        count: usize,
    ) -> Result<Self, FemError> {
        let size = |value: f64, expected| Err(FemError::Size { what: "modes", value, expected });
        if !model.material().is_linear() {
            return size(count as f64, "used with a linear law");
        }
        let nodes = model.mesh().nodes.len();
        let free = (0..nodes * S::DIMENSION)
            .filter(|f| !system.is_held(f / S::DIMENSION, f % S::DIMENSION))
            .count();
        if count == 0 || count > free {
            return size(count as f64, "at least 1, and no more than nodes can move");
        }
        let mut search =
            Search { model, system, shift: 0.0, product: vec![S::Vector::ZERO; nodes] };
        search.factor()?;
        let block = (count + BESIDE).min(free);
        let mut found = search.beginning(block);
        let mut before = vec![f64::INFINITY; count];
        for round in 0.. {
            let squares = search.improve(&mut found, block)?;
            let settled = squares
                .iter()
                .zip(&before)
                .all(|(now, before)| (now - before).abs() <= SETTLED * (now.abs() + search.shift));
            before = squares;
            if settled || round == ROUNDS {
                break;
            }
        }
        found.truncate(count);
        before.truncate(count);
        search.system.forget();
        // Rounding of motions without strain.
        let rigid = 1e-3 * search.shift;
        before.iter_mut().for_each(|square| *square = if *square < rigid { 0.0 } else { *square });
        Ok(Self { shapes: found, squares: before, shares: Vec::new() })
    }

    /// Circular frequencies.
    pub fn frequencies(&self) -> impl Iterator<Item = f64> + '_ {
        self.squares.iter().map(|square| square.sqrt())
    }

    /// Whether m + kω² is positive for all of them.
    pub fn answers_to(&self, [m, k]: [f64; 2]) -> bool {
        self.squares.iter().all(|square| m + k * square > 0.0)
    }

    /// x ← Σ φ (φ·x)/(m + kω²), for forces one component after the other.
    pub fn solve(&mut self, x: &mut [f64], [m, k]: [f64; 2]) {
        let components = |shape: &[S::Vector], x: &[f64]| -> f64 {
            let rows = shape.iter().zip(x.chunks_exact(S::DIMENSION));
            rows.map(|(phi, x)| (0..S::DIMENSION).map(|i| phi.get(i) * x[i]).sum::<f64>()).sum()
        };
        let Self { shapes, squares, shares } = self;
        shares.clear();
        shares.extend(
            shapes.iter().zip(&*squares).map(|(phi, square)| components(phi, x) / (m + k * square)),
        );
        x.fill(0.0);
        for (phi, share) in shapes.iter().zip(&*shares) {
            for (phi, x) in phi.iter().zip(x.chunks_exact_mut(S::DIMENSION)) {
                x.iter_mut().enumerate().for_each(|(i, x)| *x += phi.get(i) * share);
            }
        }
    }

    /// The nearest motion that modes can make, by M: v ← Σ φ (φ·Mv). `product` is scratch.
    pub fn fit(&mut self, model: &Model<S>, v: &mut [S::Vector], product: &mut [S::Vector]) {
        model.mass_times(v, product);
        self.combine(product, v);
    }

    /// What modes feel of forces: f ← Σ Mφ (φ·f). `product` is scratch.
    pub fn filter(&mut self, model: &Model<S>, f: &mut [S::Vector], product: &mut [S::Vector]) {
        self.combine(f, product);
        model.mass_times(product, f);
    }

    /// out = Σ φ (φ·f).
    fn combine(&mut self, f: &[S::Vector], out: &mut [S::Vector]) {
        let Self { shapes, shares, .. } = self;
        shares.clear();
        shares.extend(shapes.iter().map(|phi| dot::<S>(phi, f)));
        out.fill(S::Vector::ZERO);
        for (phi, share) in shapes.iter().zip(&*shares) {
            add::<S>(out, phi, *share);
        }
    }
}

/// A search under way.
struct Search<'a, S: Space> {
    model: &'a Model<S>,
    system: &'a mut System<S>,
    /// σ.
    shift: f64,
    product: Vec<S::Vector>,
}

impl<S: Space> Search<'_, S> {
    /// Factors K + σM.
    fn factor(&mut self) -> Result<(), FemError> {
        let stiffest = self.system.constant_scale(self.model)?;
        let nodes = self.model.mesh().nodes.len() as f64;
        self.shift = SHIFT * stiffest * nodes / self.model.mass();
        self.system.factor(self.model, [self.shift, 1.0], &self.model.mesh().nodes)
    }

    /// Vectors that are like no mode: their entries look drawn at random, and are the same in every run.
    fn beginning(&mut self, count: usize) -> Vec<Vec<S::Vector>> {
        let entry = |vector: usize, node: usize, axis: usize| {
            let mixed = (vector * 7919 + node * S::DIMENSION + axis + 1) as f64 * 12.9898;
            let long = math::sin(mixed) * 43_758.545_3;
            long - long.floor() - 0.5
        };
        let nodes = self.model.mesh().nodes.len();
        (0..count)
            .map(|v| (0..nodes).map(|n| S::Vector::from_fn(|axis| entry(v, n, axis))).collect())
            .collect()
    }

    /// One round: `block` of the lowest vectors, and their ω².
    fn improve(
        &mut self,
        found: &mut Vec<Vec<S::Vector>>,
        block: usize,
    ) -> Result<Vec<f64>, FemError> {
        let mut basis: Vec<Vec<S::Vector>> = Vec::with_capacity(3 * block);
        let mut power = std::mem::take(found);
        for round in 0..3 {
            if round > 0 {
                for vector in &mut power {
                    self.model.mass_times(vector, &mut self.product);
                    vector.copy_from_slice(&self.product);
                    self.system.solve(vector);
                }
            }
            for vector in &power {
                self.add_normal(&mut basis, vector.clone());
            }
        }
        let stiffness: Vec<Vec<f64>> = basis
            .iter()
            .map(|vector| {
                self.product.fill(S::Vector::ZERO);
                self.system.subtract_stiffness_times(self.model, |n| vector[n], &mut self.product);
                basis.iter().map(|other| -dot::<S>(other, &self.product)).collect()
            })
            .collect();
        let (squares, rotations) = lowest_first(symmetric(stiffness));
        let block = block.min(basis.len());
        for rotation in &rotations[..block] {
            let mut vector = vec![S::Vector::ZERO; self.product.len()];
            rotation.iter().zip(&basis).for_each(|(&x, own)| add::<S>(&mut vector, own, x));
            found.push(vector);
        }
        Ok(squares[..block].to_vec())
    }

    /// Adds what a vector has beside the basis, by M, unless that is next to nothing. What is held does not move.
    fn add_normal(&mut self, basis: &mut Vec<Vec<S::Vector>>, mut vector: Vec<S::Vector>) {
        for (node, v) in vector.iter_mut().enumerate() {
            let own = *v;
            *v = S::Vector::from_fn(|axis| match self.system.is_held(node, axis) {
                true => 0.0,
                false => own.get(axis),
            });
        }
        let first = self.length(&vector);
        // Twice is enough: the second time takes away what rounding has left.
        for _ in 0..2 {
            self.model.mass_times(&vector, &mut self.product);
            for other in &*basis {
                let share = dot::<S>(other, &self.product);
                add::<S>(&mut vector, other, -share);
            }
        }
        let length = self.length(&vector);
        if length > DEPENDENT * first && length > 0.0 {
            vector.iter_mut().for_each(|v| *v = *v / length);
            basis.push(vector);
        }
    }

    /// √(v·Mv).
    fn length(&mut self, vector: &[S::Vector]) -> f64 {
        self.model.mass_times(vector, &mut self.product);
        dot::<S>(vector, &self.product).sqrt()
    }
}

/// The mean of a matrix and its transpose.
fn symmetric(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for row in 1..matrix.len() {
        for column in 0..row {
            let mean = 0.5 * (matrix[row][column] + matrix[column][row]);
            (matrix[row][column], matrix[column][row]) = (mean, mean);
        }
    }
    matrix
}

/// Eigenvalues of a symmetric matrix, lowest first, and their vectors, by Jacobi's rotations.
fn lowest_first(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = matrix.len();
    let unit = |i: usize| (0..size).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
    let mut vectors: Vec<Vec<f64>> = (0..size).map(unit).collect();
    for _ in 0..60 {
        let mut turned = false;
        for q in 1..size {
            for p in 0..q {
                let least = 1e-17 * (matrix[p][p].abs() + matrix[q][q].abs());
                if matrix[p][q].abs() > least {
                    rotate(&mut matrix, &mut vectors, p, q);
                    turned = true;
                }
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| matrix[a][a].total_cmp(&matrix[b][b]));
    (
        order.iter().map(|&i| matrix[i][i]).collect(),
        order.iter().map(|&i| vectors[i].clone()).collect(),
    )
}

/// Makes the entry of p and q zero.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tan = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (tan * tan + 1.0).sqrt();
    let sin = tan * cos;
    for row in matrix.iter_mut() {
        (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
    }
    for column in 0..matrix.len() {
        let (a, b) = (matrix[p][column], matrix[q][column]);
        (matrix[p][column], matrix[q][column]) = (cos * a - sin * b, sin * a + cos * b);
    }
    for entry in 0..vectors.len() {
        let (a, b) = (vectors[p][entry], vectors[q][entry]);
        (vectors[p][entry], vectors[q][entry]) = (cos * a - sin * b, sin * a + cos * b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_by_hand() {
        let (values, vectors) =
            lowest_first(vec![vec![2.0, 1.0, 0.0], vec![1.0, 2.0, 0.0], vec![0.0, 0.0, -1.0]]);
        for (value, expected) in values.iter().zip([-1.0, 1.0, 3.0]) {
            assert!((value - expected).abs() < 1e-14, "{values:?}");
        }
        let half = 0.5f64.sqrt();
        for (entry, expected) in vectors[2].iter().zip([half, half, 0.0]) {
            assert!((entry.abs() - expected).abs() < 1e-14, "{vectors:?}");
        }
    }
}
