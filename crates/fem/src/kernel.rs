//! Energy, forces and stiffness of elements (total Lagrangian).
//!
//! With the deformation gradient Φ = Σ x_a ⊗ ∇N_a and Green's strain E = ½(ΦᵀΦ − I) (Feng et al.
//! 2006, (30)): the force on node a is −∫ Bᵀ S with B = ∂E/∂x, the stiffness ∫ Bᵀ D B + ∇N_a·S∇N_b.
//! The linear law has Φ = I in B and no second term.
//!
//! Between two configurations x₀ and x₁ forces may also be taken at the middle, ½(x₀ + x₁), with a
//! stress S such that S : (E₁ − E₀) is the exact change of energy: for St Venant–Kirchhoff the mean
//! strain's (Simo & Tarnow 1992), for other laws with Gonzalez's correction (2000). Then the work of
//! internal forces over the step is the change of elastic energy, for any step.

use crate::material::{Section, Tangent, Voigt, dot};
use crate::model::Model;
use crate::{ElasticLaw, FemError, Response};
use drystone_space::{Space, Vector};

/// Row and column of each component of a symmetric tensor.
pub(crate) const INDEX: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]];

/// Which component has a row and a column.
const COMPONENT: [[usize; 3]; 3] = [[0, 3, 5], [3, 1, 4], [5, 4, 2]];

/// Most degrees of freedom of an element.
const MOST: usize = 60;

/// Where forces are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Between<'a, V> {
    /// At one configuration.
    At(&'a [V]),
    /// Midway between two, conserving energy.
    Middle(&'a [V], &'a [V]),
}

/// Scratch of one element.
#[derive(Clone, Debug)]
pub(crate) struct ElementWork {
    pub force: [f64; MOST],
    /// Elastic energy, at one configuration only.
    pub energy: f64,
    /// Lower half, row by row.
    pub stiffness: Vec<f64>,
    b: [Voigt; MOST],
    db: [Voigt; MOST],
}

impl Default for ElementWork {
    fn default() -> Self {
        Self {
            force: [0.0; MOST],
            energy: 0.0,
            stiffness: vec![0.0; MOST * (MOST + 1) / 2],
            b: [[0.0; 6]; MOST],
            db: [[0.0; 6]; MOST],
        }
    }
}

type Gradient = [[f64; 3]; 3];

impl<S: Space> Model<S> {
    /// Φ at an integration point.
    pub(crate) fn deformation(
        &self,
        nodes: &[u32],
        slopes: &[[f64; 3]],
        x: &[S::Vector],
    ) -> Gradient {
        let d = S::DIMENSION;
        let mut phi = [[0.0; 3]; 3];
        for (&node, slope) in nodes.iter().zip(slopes) {
            let place = x[node as usize];
            for (i, row) in phi.iter_mut().enumerate().take(d) {
                for k in 0..d {
                    row[k] += place.get(i) * slope[k];
                }
            }
        }
        if d == 2 {
            phi[2][2] = match self.section() {
                Section::Axisymmetric => {
                    let terms = nodes.iter().zip(slopes);
                    terms.map(|(&node, slope)| x[node as usize].get(0) * slope[2]).sum()
                }
                _ => 1.0,
            };
        }
        phi
    }

    /// The strain that belongs to Φ: Green's, or the linear one.
    pub(crate) fn strain(&self, phi: &Gradient) -> Voigt {
        if self.material().is_linear() {
            std::array::from_fn(|v| match INDEX[v] {
                [i, j] if i == j => phi[i][i] - 1.0,
                [i, j] => phi[i][j] + phi[j][i],
            })
        } else {
            std::array::from_fn(|v| {
                let [i, j] = INDEX[v];
                let c: f64 = (0..3).map(|k| phi[k][i] * phi[k][j]).sum();
                if i == j { 0.5 * (c - 1.0) } else { c }
            })
        }
    }

    /// Range of points and slopes of an element.
    pub(crate) fn point(&self, element: usize, index: usize) -> &[[f64; 3]] {
        let count = self.mesh().element(element).1.len();
        let start = self.gradient_starts[element] + index * count;
        &self.gradients[start..start + count]
    }

    pub(crate) fn points_of(&self, element: usize) -> std::ops::Range<usize> {
        self.point_starts[element] as usize..self.point_starts[element + 1] as usize
    }

    /// Elastic energy of one element.
    pub(crate) fn element_energy(&self, element: usize, x: &[S::Vector]) -> f64 {
        let nodes = self.mesh().element(element).1;
        let points = self.points_of(element);
        let energy = |(index, point): (usize, usize)| {
            let phi = self.deformation(nodes, self.point(element, index), x);
            let response = self.material().respond_in(self.section(), &self.strain(&phi));
            response.energy * self.points[point].weight
        };
        points.enumerate().map(energy).sum()
    }

    /// ∫ Bᵀ S of one element into `work.force`, and where asked its derivative by x into
    /// `work.stiffness`. At the middle of two configurations the derivative is a symmetric
    /// approximation, by the middle's place, not yet halved. The energy is that of one configuration.
    pub(crate) fn element_forces(
        &self,
        element: usize,
        at: Between<S::Vector>,
        stiffness: bool,
        work: &mut ElementWork,
    ) -> Result<(), FemError> {
        let nodes = self.mesh().element(element).1;
        let size = nodes.len() * S::DIMENSION;
        work.force[..size].fill(0.0);
        work.energy = 0.0;
        if stiffness {
            work.stiffness[..size * (size + 1) / 2].fill(0.0);
        }
        for (index, point) in self.points_of(element).enumerate() {
            let slopes = self.point(element, index);
            let weight = self.points[point].weight;
            let (phi, response) = self.respond_at(nodes, slopes, at);
            let ratio = determinant(&phi);
            if !self.material().is_linear() && (ratio.is_nan() || ratio <= 0.0) {
                let element = self.mesh().name(element);
                return Err(FemError::Inverted { element, ratio });
            }
            self.add_forces(&phi, slopes, weight, &response.stress, &mut work.force);
            work.energy += weight * response.energy;
            if stiffness {
                self.fill_b(&phi, slopes, &mut work.b);
                add_material(size, weight, &response.tangent, work);
                if !self.material().is_linear() {
                    self.add_geometric(slopes, weight, &response.stress, &mut work.stiffness);
                }
            }
        }
        Ok(())
    }

    /// Φ where B is taken, and the stress and tangent to go with it.
    fn respond_at(
        &self,
        nodes: &[u32],
        slopes: &[[f64; 3]],
        at: Between<S::Vector>,
    ) -> (Gradient, Response) {
        let (material, section) = (self.material(), self.section());
        let (start, end) = match at {
            Between::At(x) => {
                let phi = self.deformation(nodes, slopes, x);
                return (phi, material.respond_in(section, &self.strain(&phi)));
            }
            Between::Middle(start, end) => {
                (self.deformation(nodes, slopes, start), self.deformation(nodes, slopes, end))
            }
        };
        let phi: Gradient =
            std::array::from_fn(|i| std::array::from_fn(|k| 0.5 * (start[i][k] + end[i][k])));
        let (e0, e1) = (self.strain(&start), self.strain(&end));
        let mean = std::array::from_fn(|v| 0.5 * (e0[v] + e1[v]));
        let mut response = material.respond_in(section, &mean);
        if matches!(material.law, ElasticLaw::Linear | ElasticLaw::StVenantKirchhoff) {
            return (phi, response);
        }
        let change: Voigt = std::array::from_fn(|v| e1[v] - e0[v]);
        let direction: Voigt = std::array::from_fn(|v| change[v] * if v < 3 { 1.0 } else { 0.5 });
        let square = dot(&direction, &change);
        // The correction is of second order in the change: below this it is too small to matter, and its
        // own rounding error, which grows as the change shrinks, is not.
        if square > 1e-12 {
            let [before, after] = [&e0, &e1].map(|e| material.respond_in(section, e).energy);
            let missing = after - before - dot(&response.stress, &change);
            for v in 0..6 {
                response.stress[v] += missing / square * direction[v];
            }
        }
        (phi, response)
    }

    /// Bᵀ S: on node a it is Φ S ∇N_a; with rotational symmetry the hoop stress besides.
    fn add_forces(
        &self,
        phi: &Gradient,
        slopes: &[[f64; 3]],
        weight: f64,
        s: &Voigt,
        force: &mut [f64; MOST],
    ) {
        let d = S::DIMENSION;
        let linear = self.material().is_linear();
        let mut push = [[0.0; 3]; 3];
        for (k, row) in push.iter_mut().enumerate().take(d) {
            for (i, push) in row.iter_mut().enumerate().take(d) {
                let along = |j: usize| s[COMPONENT[j][i]];
                let sum = match linear {
                    true => along(k),
                    false => (0..d).map(|j| phi[k][j] * along(j)).sum(),
                };
                *push = weight * sum;
            }
        }
        for (a, slope) in slopes.iter().enumerate() {
            for k in 0..d {
                force[a * d + k] += (0..d).map(|i| push[k][i] * slope[i]).sum::<f64>();
            }
        }
        if d == 2 && self.section() == Section::Axisymmetric {
            let hoop = weight * s[2] * if linear { 1.0 } else { phi[2][2] };
            for (a, slope) in slopes.iter().enumerate() {
                force[a * d] += hoop * slope[2];
            }
        }
    }

    /// B: the strain's derivative by each degree of freedom.
    fn fill_b(&self, phi: &Gradient, slopes: &[[f64; 3]], b: &mut [Voigt; MOST]) {
        let d = S::DIMENSION;
        let linear = self.material().is_linear();
        let phi = |k: usize, i: usize| match linear {
            true => f64::from(u8::from(k == i)),
            false => phi[k][i],
        };
        for (a, slope) in slopes.iter().enumerate() {
            for k in 0..d {
                let row = &mut b[a * d + k];
                for (v, [i, j]) in INDEX.into_iter().enumerate() {
                    row[v] = if i >= d || j >= d {
                        0.0
                    } else if i == j {
                        phi(k, i) * slope[i]
                    } else {
                        phi(k, i) * slope[j] + phi(k, j) * slope[i]
                    };
                }
                if d == 2 && k == 0 && self.section() == Section::Axisymmetric {
                    row[2] = phi(2, 2) * slope[2];
                }
            }
        }
    }

    /// ∇N_a · S ∇N_b, the same for every direction; with rotational symmetry the hoop stress besides.
    fn add_geometric(&self, slopes: &[[f64; 3]], weight: f64, s: &Voigt, stiffness: &mut [f64]) {
        let d = S::DIMENSION;
        let full = |i: usize, k: usize| s[COMPONENT[i][k]];
        let hoop = self.section() == Section::Axisymmetric;
        for (a, left) in slopes.iter().enumerate() {
            let push: [f64; 3] = std::array::from_fn(|k| {
                if k < d { weight * (0..d).map(|i| left[i] * full(i, k)).sum::<f64>() } else { 0.0 }
            });
            for (b, right) in slopes.iter().enumerate().take(a + 1) {
                let value: f64 = (0..d).map(|k| push[k] * right[k]).sum();
                for k in 0..d {
                    let row = a * d + k;
                    let place = row * (row + 1) / 2 + b * d + k;
                    stiffness[place] += value;
                    if hoop && k == 0 {
                        stiffness[place] += weight * s[2] * left[2] * right[2];
                    }
                }
            }
        }
    }
}

/// Bᵀ D B, lower half.
fn add_material(size: usize, weight: f64, tangent: &Tangent, work: &mut ElementWork) {
    for i in 0..size {
        let row = work.b[i];
        work.db[i] = std::array::from_fn(|v| weight * dot(&tangent[v], &row));
    }
    let mut place = 0;
    for i in 0..size {
        let left = work.db[i];
        for j in 0..=i {
            work.stiffness[place] += dot(&left, &work.b[j]);
            place += 1;
        }
    }
}

pub(crate) fn determinant(m: &Gradient) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}
