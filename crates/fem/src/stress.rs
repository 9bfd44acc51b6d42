//! Stresses at nodes, to look at: Cauchy's stress, the mean of the elements that meet at a node.

use crate::Model;
use crate::kernel::{INDEX, determinant};
use crate::material::Voigt;
use drystone_space::{Space, math};

/// Cauchy's stress at a node: 11, 22, 33, 12, 23, 13.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stress(pub Voigt);

impl Stress {
    /// Von Mises' equivalent stress.
    pub fn von_mises(&self) -> f64 {
        let [x, y, z, xy, yz, xz] = self.0;
        let shear = xy * xy + yz * yz + xz * xz;
        let normal = math::square(x - y) + math::square(y - z) + math::square(z - x);
        (0.5 * normal + 3.0 * shear).sqrt()
    }
    /// Shear stress in the plane of the first two axes.
    pub fn shear(&self) -> f64 {
        self.0[3]
    }
    /// Minus the mean normal stress.
    pub fn pressure(&self) -> f64 {
        -(self.0[0] + self.0[1] + self.0[2]) / 3.0
    }
}

/// A number that stresses are looked at by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StressField {
    /// Von Mises' equivalent stress.
    #[default]
    VonMises,
    /// Shear stress in the plane of the first two axes.
    Shear,
    /// Minus the mean normal stress.
    Pressure,
}

impl StressField {
    /// The number.
    pub fn of(self, stress: &Stress) -> f64 {
        match self {
            StressField::VonMises => stress.von_mises(),
            StressField::Shear => stress.shear(),
            StressField::Pressure => stress.pressure(),
        }
    }
    /// Whether it may be negative.
    pub fn signed(self) -> bool {
        self != StressField::VonMises
    }
    /// What users read.
    pub fn name(self) -> &'static str {
        match self {
            StressField::VonMises => "von Mises",
            StressField::Shear => "shear",
            StressField::Pressure => "pressure",
        }
    }
}

impl<S: Space> Model<S> {
    /// Stresses at the nodes with the nodes at `x`: each element gives its nodes the mean over its
    /// integration points, by their volume; the stresses are averaged over the elements, too.
    pub fn stresses(&self, x: &[S::Vector]) -> Vec<Stress> {
        let mut sums = vec![[0.0; 6]; x.len()];
        let mut weights = vec![0.0; x.len()];
        for element in 0..self.mesh().elements() {
            let nodes = self.mesh().element(element).1;
            let mut sum = [0.0; 6];
            let mut weight = 0.0;
            for (index, point) in self.points_of(element).enumerate() {
                let stress = self.stress_at(nodes, self.point(element, index), x);
                let share = self.points[point].weight;
                (0..6).for_each(|v| sum[v] += share * stress[v]);
                weight += share;
            }
            for &node in nodes {
                (0..6).for_each(|v| sums[node as usize][v] += sum[v]);
                weights[node as usize] += weight;
            }
        }
        sums.iter().zip(weights).map(|(sum, weight)| Stress(sum.map(|s| s / weight))).collect()
    }

    /// σ = Φ S Φᵀ / det Φ at an integration point; the linear law has σ = S.
    fn stress_at(&self, nodes: &[u32], slopes: &[[f64; 3]], x: &[S::Vector]) -> Voigt {
        let phi = self.deformation(nodes, slopes, x);
        let s = self.material().respond_in(self.section(), &self.strain(&phi)).stress;
        if self.material().is_linear() {
            return s;
        }
        let ratio = determinant(&phi);
        let full = |i: usize, k: usize| s[[[0, 3, 5], [3, 1, 4], [5, 4, 2]][i][k]];
        std::array::from_fn(|v| {
            let [i, j] = INDEX[v];
            let mut sum = 0.0;
            for k in 0..3 {
                for l in 0..3 {
                    sum += phi[i][k] * full(k, l) * phi[j][l];
                }
            }
            sum / ratio
        })
    }
}
