//! Elastic materials: energy density, stress and tangent as functions of Green's strain.
//!
//! Strains and stresses are six numbers, in the order 11, 22, 33, 12, 23, 13; strains have twice the
//! shear, so that stress · strain is power. With C = ΦᵀΦ = I + 2E and J = √det C the laws are
//!
//! - St Venant–Kirchhoff (Feng et al. 2006, (31)): W = ½ E : D E;
//! - neo-Hookean: W = ½μ(tr C − 3 − 2 ln J) + ½λ(ln J)²;
//! - Blatz–Ko, for foamed rubber, ν = ¼: W = ½μ(tr C⁻¹ + 2J − 5);
//! - co-rotated: W = μ|U − I|² + ½λ tr²(U − I) with U = √C: the linear law in axes that turn with
//!   the material, exact for small strains and any rotation;
//! - linear: the law of small strains and small rotations; stiffness is constant.

mod corotated;
mod plane;
mod tensor;

use crate::FemError;
use drystone_space::math;
pub use plane::Section;
use tensor::{inverse, outer, product, symmetric_product};

/// Six components of a symmetric tensor.
pub type Voigt = [f64; 6];
/// Derivatives of stress by strain.
pub type Tangent = [Voigt; 6];

/// Which law a material obeys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElasticLaw {
    /// Small strains and rotations.
    Linear,
    /// Linear in axes that turn with the material.
    Corotated,
    /// Linear in Green's strain.
    #[default]
    StVenantKirchhoff,
    /// Compressible neo-Hookean.
    NeoHookean,
    /// Blatz and Ko's foamed rubber.
    BlatzKo,
}

impl ElasticLaw {
    /// All laws, with the name that users write.
    pub const ALL: [(ElasticLaw, &'static str); 5] = [
        (ElasticLaw::Linear, "linear"),
        (ElasticLaw::Corotated, "corotated"),
        (ElasticLaw::StVenantKirchhoff, "st-venant-kirchhoff"),
        (ElasticLaw::NeoHookean, "neo-hookean"),
        (ElasticLaw::BlatzKo, "blatz-ko"),
    ];
}

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// The law.
    pub law: ElasticLaw,
    /// Young's modulus at small strain, in Pa.
    pub young: f64,
    /// Poisson's ratio at small strain.
    pub poisson: f64,
    /// Mass density at rest, in kg/m³.
    pub density: f64,
}

/// What a material answers to a strain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Energy per volume at rest.
    pub energy: f64,
    /// Second Piola–Kirchhoff stress.
    pub stress: Voigt,
    /// Its derivative by the strain.
    pub tangent: Tangent,
}

impl Elastic {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), FemError> {
        let bad = |what, value, expected| Err(FemError::Material { what, value, expected });
        if !(self.young > 0.0 && self.young.is_finite()) {
            return bad("young", self.young, "positive and finite");
        }
        if !(self.density > 0.0 && self.density.is_finite()) {
            return bad("density", self.density, "positive and finite");
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return bad("poisson", self.poisson, "between -1 and 0.5, both excluded");
        }
        if self.law == ElasticLaw::BlatzKo && self.poisson != 0.25 {
            return bad("poisson", self.poisson, "0.25 for blatz-ko");
        }
        Ok(())
    }

    /// Lamé's λ and μ.
    pub fn lame(&self) -> (f64, f64) {
        let (e, nu) = (self.young, self.poisson);
        (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu)))
    }

    /// Energy, stress and tangent at a strain in space.
    pub fn respond(&self, strain: &Voigt) -> Response {
        let (lambda, mu) = self.lame();
        match self.law {
            ElasticLaw::Linear | ElasticLaw::StVenantKirchhoff => hooke(strain, lambda, mu),
            ElasticLaw::Corotated => corotated::respond(strain, lambda, mu),
            ElasticLaw::NeoHookean => neo_hookean(strain, lambda, mu),
            ElasticLaw::BlatzKo => blatz_ko(strain, mu),
        }
    }

    /// Whether stiffness is the same for all displacements.
    pub fn is_linear(&self) -> bool {
        self.law == ElasticLaw::Linear
    }

    /// Speed of waves of compression, √((λ + 2μ)/density).
    pub fn wave_speed(&self) -> f64 {
        let (lambda, mu) = self.lame();
        ((lambda + 2.0 * mu) / self.density).sqrt()
    }
}

fn hooke(strain: &Voigt, lambda: f64, mu: f64) -> Response {
    let mut tangent = [[0.0; 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            tangent[i][j] = lambda;
        }
        tangent[i][i] += 2.0 * mu;
        tangent[i + 3][i + 3] = mu;
    }
    let stress: Voigt = std::array::from_fn(|i| dot(&tangent[i], strain));
    Response { energy: 0.5 * dot(&stress, strain), stress, tangent }
}

/// C = I + 2E.
fn right_cauchy_green(strain: &Voigt) -> Voigt {
    std::array::from_fn(|i| if i < 3 { 1.0 + 2.0 * strain[i] } else { strain[i] })
}

/// det C − 1 and the first two invariants of E: energies are differences of these, which are small where
/// the strain is, so that small energies are exact.
fn small_invariants(strain: &Voigt) -> (f64, f64, f64) {
    let [x, y, z, xy, yz, xz] =
        std::array::from_fn(|i| if i < 3 { strain[i] } else { 0.5 * strain[i] });
    let first = x + y + z;
    let second = x * y + y * z + z * x - xy * xy - yz * yz - xz * xz;
    let third = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
    (2.0 * first + 4.0 * second + 8.0 * third, first, second)
}

fn neo_hookean(strain: &Voigt, lambda: f64, mu: f64) -> Response {
    let (b, _) = inverse(&right_cauchy_green(strain));
    let (growth, first, _) = small_invariants(strain);
    let log = 0.5 * math::ln_1p(growth);
    let (identity, square) = (outer(&b, &b), symmetric_product(&b, &b));
    let one = |i: usize| f64::from(u8::from(i < 3));
    Response {
        energy: mu * (first - log) + 0.5 * lambda * log * log,
        stress: std::array::from_fn(|i| mu * (one(i) - b[i]) + lambda * log * b[i]),
        tangent: std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                lambda * identity[i][j] + 2.0 * (mu - lambda * log) * square[i][j]
            })
        }),
    }
}

/// With B = C⁻¹: S = μ(J B − B²), and 2 ∂B/∂C is −2 times the symmetric product of B with itself.
fn blatz_ko(strain: &Voigt, mu: f64) -> Response {
    let (b, determinant) = inverse(&right_cauchy_green(strain));
    let j = determinant.sqrt();
    let (growth, first, second) = small_invariants(strain);
    // tr C⁻¹ − 3 and J − 1.
    let shrink = (4.0 * first + 4.0 * second - 3.0 * growth) / (1.0 + growth);
    let swell = growth / (j + 1.0);
    let bb = product(&b, &b);
    let (outer, square, mixed) =
        (outer(&b, &b), symmetric_product(&b, &b), symmetric_product(&b, &bb));
    Response {
        energy: 0.5 * mu * (shrink + 2.0 * swell),
        stress: std::array::from_fn(|i| mu * (j * b[i] - bb[i])),
        tangent: std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                mu * (j * outer[row][column] - 2.0 * j * square[row][column]
                    + 4.0 * mixed[row][column])
            })
        }),
    }
}

/// Scalar product of six numbers.
#[inline(always)]
pub(crate) fn dot(a: &Voigt, b: &Voigt) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRAINS: [Voigt; 4] = [
        [0.0; 6],
        [0.1, -0.08, 0.05, 0.06, -0.04, 0.09],
        [0.3, 0.3, 0.3, 0.0, 0.0, 0.0],
        [0.2, 0.2, -0.1, 0.0, 0.0, 0.0],
    ];

    fn material(law: ElasticLaw) -> Elastic {
        Elastic { law, young: 3.0, poisson: 0.25, density: 1.0 }
    }

    #[test]
    fn stress_is_the_slope_of_energy_and_tangent_that_of_stress() {
        let step = 1e-5;
        for (law, name) in ElasticLaw::ALL {
            for strain in STRAINS {
                let response = material(law).respond(&strain);
                for j in 0..6 {
                    let (mut ahead, mut behind) = (strain, strain);
                    ahead[j] += step;
                    behind[j] -= step;
                    let [ahead, behind] = [ahead, behind].map(|e| material(law).respond(&e));
                    let slope = (ahead.energy - behind.energy) / (2.0 * step);
                    assert!((slope - response.stress[j]).abs() < 1e-8, "{name} {strain:?} {j}");
                    for i in 0..6 {
                        let slope = (ahead.stress[i] - behind.stress[i]) / (2.0 * step);
                        let tangent = response.tangent[i][j];
                        assert!((slope - tangent).abs() < 1e-7, "{name} {i}{j}: {slope} {tangent}");
                    }
                }
            }
        }
    }

    #[test]
    fn all_laws_agree_at_small_strain_and_are_at_rest_without() {
        let small = STRAINS[1].map(|e| 1e-6 * e);
        let expected = material(ElasticLaw::Linear).respond(&small).stress;
        for (law, name) in ElasticLaw::ALL {
            let stress = material(law).respond(&small).stress;
            for i in 0..6 {
                assert!((stress[i] - expected[i]).abs() < 1e-11, "{name}: {stress:?} {expected:?}");
            }
            assert_eq!(material(law).respond(&[0.0; 6]).energy, 0.0, "{name}");
        }
    }

    #[test]
    fn numbers_that_make_no_sense_are_named() {
        let check = |poisson, law| Elastic { poisson, ..material(law) }.check();
        assert!(check(0.3, ElasticLaw::NeoHookean).is_ok());
        let error = check(0.3, ElasticLaw::BlatzKo).unwrap_err().to_string();
        assert_eq!(error, "poisson is 0.3, must be 0.25 for blatz-ko");
        assert!(check(0.5, ElasticLaw::Linear).is_err());
    }
}
