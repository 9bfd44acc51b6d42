//! From space to the plane: plane strain, plane stress, rotational symmetry.

use super::{Elastic, ElasticLaw, Response, Voigt};

/// What a model in the plane leaves out of space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Section {
    /// No strain across the plane; `thickness` in m.
    PlaneStrain {
        /// Thickness across the plane.
        thickness: f64,
    },
    /// No stress across the plane.
    PlaneStress {
        /// Thickness across the plane, at rest.
        thickness: f64,
    },
    /// The plane is turned about the axis x = 0: x is the radius.
    Axisymmetric,
    /// Nothing: a model in space.
    #[default]
    Volume,
}

impl Section {
    /// The thickness of a plane model; 1 for others.
    pub fn thickness(self) -> f64 {
        match self {
            Section::PlaneStrain { thickness } | Section::PlaneStress { thickness } => thickness,
            Section::Axisymmetric | Section::Volume => 1.0,
        }
    }
}

/// Plane stress is sought to this share of Young's modulus.
const ROUNDING: f64 = 1e-14;

impl Elastic {
    /// Energy, stress and tangent at a strain whose components the section lets vary; in plane
    /// stress the strain across is found and the tangent is the condensed one.
    pub fn respond_in(&self, section: Section, strain: &Voigt) -> Response {
        if !matches!(section, Section::PlaneStress { .. }) {
            return self.respond(strain);
        }
        let mut strain = *strain;
        let (lambda, mu) = self.lame();
        let guess = -lambda / (lambda + 2.0 * mu) * (strain[0] + strain[1]);
        strain[2] = guess.max(-0.4);
        let mut response = self.respond(&strain);
        if !matches!(self.law, ElasticLaw::Linear | ElasticLaw::StVenantKirchhoff) {
            for _ in 0..40 {
                if response.stress[2].abs() <= ROUNDING * self.young {
                    break;
                }
                let change = -response.stress[2] / response.tangent[2][2];
                // Half of the way to a vanishing thickness at most.
                strain[2] = (strain[2] + change).max(0.5 * (strain[2] - 0.5));
                response = self.respond(&strain);
            }
        }
        let across = response.tangent[2];
        // Not a quotient for each entry: rustc 1.95 makes vectors of those for x86-64-v2 that have NaN in them.
        let inverse = 1.0 / across[2];
        for i in 0..6 {
            for j in 0..6 {
                response.tangent[i][j] -= across[i] * across[j] * inverse;
            }
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plane_stress_has_none_across_and_a_true_tangent() {
        let section = Section::PlaneStress { thickness: 1.0 };
        let strain = [0.12, -0.05, 0.0, 0.1, 0.0, 0.0];
        let step = 1e-5;
        for (law, name) in ElasticLaw::ALL {
            let material = Elastic { law, young: 2.0, poisson: 0.25, density: 1.0 };
            let response = material.respond_in(section, &strain);
            assert!(response.stress[2].abs() < 1e-13, "{name}");
            for j in [0, 1, 3] {
                let (mut ahead, mut behind) = (strain, strain);
                ahead[j] += step;
                behind[j] -= step;
                let [ahead, behind] = [ahead, behind].map(|e| material.respond_in(section, &e));
                let slope = (ahead.energy - behind.energy) / (2.0 * step);
                assert!((slope - response.stress[j]).abs() < 1e-8, "{name}");
                for i in [0, 1, 3] {
                    let slope = (ahead.stress[i] - behind.stress[i]) / (2.0 * step);
                    assert!((slope - response.tangent[i][j]).abs() < 1e-7, "{name} {i}{j}");
                }
            }
        }
        // Uniaxial tension of a linear material: E times the strain.
        let material = Elastic { law: ElasticLaw::Linear, young: 2.0, poisson: 0.25, density: 1.0 };
        let stress = material.respond_in(section, &[0.1, -0.025, 0.0, 0.0, 0.0, 0.0]).stress;
        assert!((stress[0] - 0.2).abs() < 1e-15 && stress[1].abs() < 1e-15);
    }
}
