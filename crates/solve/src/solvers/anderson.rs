//! Anderson's acceleration of a fixed-point iteration v ← F(v).
//!
//! With g = F(v) − v, the next point combines the last few so that their g, combined alike, is
//! smallest (Walker & Ni 2011): v⁺ = F(v) − Σ γ_j ΔF_j with γ the least-squares solution of
//! g = Σ γ_j Δg_j. Where the accelerated point turns out worse, the memory is dropped and the
//! iteration goes on from the plain image.

/// Differences of points that are kept.
const MEMORY: usize = 8;
/// Growth of |g| from which on an accelerated point counts as worse.
const WORSE: f64 = 1.5;
/// Weight of |γ|² in the least squares, relative to the sizes of the Δg_j.
const REGULARISATION: f64 = 1e-11;

/// The memory of the iteration.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    /// F(v), g and |g| of the last point.
    last_image: Vec<f64>,
    last_step: Vec<f64>,
    last_size: f64,
    /// ΔF_j, Δg_j and the products Δg_i · Δg_j.
    images: Vec<Vec<f64>>,
    steps: Vec<Vec<f64>>,
    products: [[f64; MEMORY]; MEMORY],
    /// How many of them are valid, and which is written next.
    known: usize,
    next: usize,
    /// Whether there is a last point, and whether an accelerated point came after it.
    started: bool,
    accelerated: bool,
}

impl Anderson {
    /// Forgets all points.
    pub fn reset(&mut self) {
        (self.known, self.next, self.started, self.accelerated) = (0, 0, false, false);
    }

    /// Takes a point and its image F(v), and puts the next point to go to in place of the image.
    pub fn next(&mut self, point: &[f64], image: &mut [f64]) {
        let size = point.iter().zip(&*image).map(|(v, f)| (f - v) * (f - v)).sum::<f64>().sqrt();
        if self.accelerated && (size.is_nan() || size > WORSE * self.last_size) {
            self.reset();
            image.copy_from_slice(&self.last_image);
            return;
        }
        if self.started {
            self.remember(point, image);
        }
        self.started = true;
        self.last_size = size;
        self.last_image.clear();
        self.last_image.extend_from_slice(image);
        self.last_step.clear();
        self.last_step.extend(image.iter().zip(point).map(|(f, v)| f - v));
        self.accelerated = self.known > 0;
        let weights = self.weights();
        for (images, weight) in self.images[..self.known].iter().zip(weights) {
            image.iter_mut().zip(images).for_each(|(f, d)| *f -= weight * d);
        }
    }

    fn remember(&mut self, point: &[f64], image: &[f64]) {
        let next = self.next;
        if self.images.len() <= next {
            self.images.push(Vec::new());
            self.steps.push(Vec::new());
        }
        let (images, steps) = (&mut self.images[next], &mut self.steps[next]);
        images.clear();
        images.extend(image.iter().zip(&self.last_image).map(|(f, last)| f - last));
        steps.clear();
        let step = image.iter().zip(point).map(|(f, v)| f - v);
        steps.extend(step.zip(&self.last_step).map(|(g, last)| g - last));
        self.known = (self.known + 1).min(MEMORY);
        self.next = (next + 1) % MEMORY;
        for other in 0..self.known {
            let product = product(&self.steps[next], &self.steps[other]);
            self.products[next][other] = product;
            self.products[other][next] = product;
        }
    }

    /// γ, by Cholesky's method on the normal equations; zeros where these are singular.
    fn weights(&self) -> [f64; MEMORY] {
        let n = self.known;
        let mut l = self.products;
        let weight = REGULARISATION * (0..n).map(|i| l[i][i]).sum::<f64>();
        let mut x = [0.0; MEMORY];
        for i in 0..n {
            l[i][i] += weight;
            for j in 0..i {
                l[i][j] = (l[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>()) / l[j][j];
            }
            let pivot = l[i][i] - (0..i).map(|k| l[i][k] * l[i][k]).sum::<f64>();
            if pivot.is_nan() || pivot <= 0.0 {
                return [0.0; MEMORY];
            }
            l[i][i] = pivot.sqrt();
            let right = product(&self.steps[i], &self.last_step);
            x[i] = (right - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
        }
        for i in (0..n).rev() {
            x[i] = (x[i] - (i + 1..n).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
        }
        x
    }
}

/// a · b, in four sums that the processor adds side by side.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (fours, rest) = a.as_chunks::<4>();
    let (other_fours, other_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in fours.iter().zip(other_fours) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x ← x − 0.5 (A x − b) with a diagonal A of ten eigenvalues from 1 down to 1e-4: after 60
    /// steps the plain iteration has an error of 0.997 in the last component.
    #[test]
    fn a_linear_iteration_is_solved_in_a_few_dozen_steps() {
        let matrix: Vec<f64> = (0..10).map(|i| 10f64.powf(-4.0 * i as f64 / 9.0)).collect();
        let mut point = vec![0.0; 10];
        let mut anderson = Anderson::default();
        for _ in 0..60 {
            let mut image: Vec<f64> =
                point.iter().zip(&matrix).map(|(x, a)| x - 0.5 * (a * x - 1.0)).collect();
            anderson.next(&point, &mut image);
            point = image;
        }
        for (x, a) in point.iter().zip(&matrix) {
            assert!((a * x - 1.0).abs() < 1e-6, "{x} for {a}");
        }
    }

    /// Where acceleration overshoots at the kink of |x|, the plain iteration takes over.
    #[test]
    fn a_kinked_iteration_still_converges() {
        let image = |x: f64| 0.9 * x.abs() - 0.05 * x + 0.01;
        let mut point = vec![-5.0];
        let mut anderson = Anderson::default();
        for _ in 0..200 {
            let mut next = vec![image(point[0])];
            anderson.next(&point, &mut next);
            point = next;
        }
        assert!((image(point[0]) - point[0]).abs() < 1e-9);
    }
}
