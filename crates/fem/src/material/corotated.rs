//! The linear law in axes that turn with the material: W = μ|U − I|² + ½λ tr²(U − I), U = √C.
//!
//! In principal axes with stretches l: the Biot stress is τ_i = 2μ(l_i − 1) + λ Σ(l − 1), the second
//! Piola–Kirchhoff stress s_i = τ_i/l_i. The tangent of an isotropic function of C = I + 2E has
//! ∂s_i/∂E_j = (∂s_i/∂l_j)/l_j on the principal axes and (s_i − s_j)/(l_i² − l_j²) for shear in the
//! plane of two of them.

use super::tensor::{INDEX, principal};
use super::{Response, Voigt};

pub fn respond(strain: &Voigt, lambda: f64, mu: f64) -> Response {
    let plain = std::array::from_fn(|v| if v < 3 { strain[v] } else { 0.5 * strain[v] });
    let (strains, axes) = principal(&plain);
    let stretch = strains.map(|e| (1.0 + 2.0 * e).max(0.0).sqrt());
    // l − 1 from e, so that small energies are exact.
    let growth: [f64; 3] = std::array::from_fn(|i| 2.0 * strains[i] / (stretch[i] + 1.0));
    let sum = growth.iter().sum::<f64>();
    let biot: [f64; 3] = std::array::from_fn(|i| 2.0 * mu * growth[i] + lambda * sum);
    let s: [f64; 3] = std::array::from_fn(|i| biot[i] / stretch[i]);
    let energy = growth.iter().map(|g| mu * g * g).sum::<f64>() + 0.5 * lambda * sum * sum;
    let normal = |i: usize, j: usize| {
        let own = if i == j { (2.0 * mu - s[i]) / stretch[i] } else { 0.0 };
        (own + lambda / stretch[i]) / stretch[j]
    };
    // (s_i − s_j)/(c_i − c_j) without a difference of near equals: s = 2μ + (λ sum − 2μ)/l.
    let shear = |i: usize, j: usize| {
        let (a, b) = (stretch[i], stretch[j]);
        (2.0 * mu - lambda * sum) / (a * b * (a + b))
    };
    let dyad = |k: usize, m: usize, n: usize| {
        let [i, j] = INDEX[k];
        0.5 * (axes[i][m] * axes[j][n] + axes[i][n] * axes[j][m])
    };
    let mut response = Response { energy, ..Response::default() };
    for row in 0..6 {
        response.stress[row] = (0..3).map(|m| s[m] * dyad(row, m, m)).sum();
        for column in 0..6 {
            let mut sum = 0.0;
            for m in 0..3 {
                for n in 0..3 {
                    sum += normal(m, n) * dyad(row, m, m) * dyad(column, n, n);
                    if m < n {
                        sum += 4.0 * shear(m, n) * dyad(row, m, n) * dyad(column, m, n);
                    }
                }
            }
            response.tangent[row][column] = sum;
        }
    }
    response
}
