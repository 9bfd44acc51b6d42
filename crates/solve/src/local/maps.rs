//! Functions of (u, p) that vanish exactly where the law holds, with their derivatives.
//!
//! They serve Newton at one contact and on a whole problem alike. Where a function has a kink, the
//! derivative is that of one side: an element of the generalised Jacobian.

use crate::assembled::local::{add_scaled, norm, scaled, subtract};
use crate::assembled::{Cone, Local, Square};
use std::ops::Range;

/// Masses by which velocities become impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Augmentation {
    /// ρ of the normal part.
    pub normal: f64,
    /// ρ of the tangential part.
    pub tangential: f64,
    /// ρ of the moments.
    pub moment: f64,
    /// The one ρ of a map that has only one.
    pub common: f64,
}

impl Augmentation {
    /// The same ρ for all parts.
    pub fn uniform(rho: f64) -> Self {
        Self { normal: rho, tangential: rho, moment: rho, common: rho }
    }
}

/// A function's value at (u, p) and its two derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linearised<const D: usize> {
    /// Φ.
    pub value: Local<D>,
    /// ∂Φ/∂u.
    pub by_velocity: Square<D>,
    /// ∂Φ/∂p.
    pub by_impulse: Square<D>,
}

/// Unit vector along `x`, zero where there is none; and the length of `x`.
#[inline(always)]
fn direction<const D: usize>(x: &Local<D>, part: Range<usize>) -> (Local<D>, f64) {
    let length = norm(&x[part.clone()]);
    let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
    let unit = std::array::from_fn(|i| if part.contains(&i) { x[i] * inverse } else { 0.0 });
    (unit, length)
}

/// The function of Alart and Curnier: with y = (p_n − ρ_n u_n)₊,
///
/// - Φ_n = p_n − y,
/// - Φ_t = p_t − proj(p_t − ρ_t u_t, |·| ≤ μ y), and moments in the same way with μ_r.
#[inline(always)]
pub fn alart_curnier<const D: usize>(
    cone: &Cone,
    u: &Local<D>,
    p: &Local<D>,
    augmentation: &Augmentation,
) -> Linearised<D> {
    let zero = [[0.0; D]; D];
    let mut map = Linearised { value: *p, by_velocity: zero, by_impulse: zero };
    let push = p[0] - augmentation.normal * u[0];
    if push <= 0.0 {
        for i in 0..D {
            map.by_impulse[i][i] = 1.0;
        }
        return map;
    }
    map.value[0] = augmentation.normal * u[0];
    map.by_velocity[0][0] = augmentation.normal;
    let parts = [
        (1..D.min(3), cone.friction, augmentation.tangential),
        (D.min(3)..D, cone.rolling, augmentation.moment),
    ];
    for (part, friction, rho) in parts {
        let trial = add_scaled(p, -rho, u);
        let (unit, length) = direction(&trial, part.clone());
        let radius = friction * push;
        if length <= radius {
            for i in part {
                map.value[i] = rho * u[i];
                map.by_velocity[i][i] = rho;
            }
            continue;
        }
        let ratio = radius / length;
        for i in part.clone() {
            map.value[i] = p[i] - radius * unit[i];
            map.by_impulse[i][0] = -friction * unit[i];
            map.by_velocity[i][0] = friction * augmentation.normal * unit[i];
            for j in part.clone() {
                let turn = -ratio * unit[i] * unit[j];
                map.by_impulse[i][j] = -turn;
                map.by_velocity[i][j] = rho * turn;
            }
            map.by_impulse[i][i] += 1.0 - ratio;
            map.by_velocity[i][i] += rho * ratio;
        }
    }
    map
}

/// The natural map of de Saxcé's form, Φ = p − proj_K(p − ρ Û) with Û = u + (μ|u_t| + μ_r|u_m|) n.
#[inline(always)]
pub fn natural_map<const D: usize>(
    cone: &Cone,
    u: &Local<D>,
    p: &Local<D>,
    augmentation: &Augmentation,
) -> Linearised<D> {
    let rho = augmentation.common;
    let trial = subtract(p, &scaled(&cone.lift(u), rho));
    let nearest = cone.project(&trial);
    let root = cone.derivative_root(&trial);
    let slope: Square<D> =
        root.map(|row| (0..D).fold([0.0; D], |sum, k| add_scaled(&sum, row[k], &root[k])));
    // ∂Û_n/∂u beside the identity.
    let (slip, _) = direction(u, 1..D.min(3));
    let (roll, _) = direction(u, D.min(3)..D);
    let mut map = Linearised {
        value: subtract(p, &nearest),
        by_velocity: slope,
        by_impulse: slope.map(|row| row.map(|x| -x)),
    };
    let lift = add_scaled(&scaled(&slip, cone.friction), cone.rolling, &roll);
    for (i, row) in slope.iter().enumerate() {
        map.by_impulse[i][i] += 1.0;
        map.by_velocity[i] = scaled(&add_scaled(row, row[0], &lift), rho);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Map<const D: usize> = fn(&Cone, &Local<D>, &Local<D>, &Augmentation) -> Linearised<D>;

    /// The derivatives along the axes of u and p against central differences, but where a kink is
    /// near: there the two one-sided differences disagree.
    fn check<const D: usize>(
        map: Map<D>,
        cone: &Cone,
        u: Local<D>,
        p: Local<D>,
    ) -> Result<(), TestCaseError> {
        const STEP: f64 = 1e-6;
        let rho = Augmentation { normal: 0.7, tangential: 1.3, moment: 0.4, common: 0.9 };
        let here = map(cone, &u, &p, &rho);
        for axis in 0..2 * D {
            let there = |step: f64| {
                let (mut u, mut p) = (u, p);
                if axis < D {
                    u[axis] += step
                } else {
                    p[axis - D] += step
                }
                map(cone, &u, &p, &rho).value
            };
            let (ahead, behind) = (there(STEP), there(-STEP));
            for i in 0..D {
                let sides = [ahead[i] - here.value[i], here.value[i] - behind[i]];
                if (sides[0] - sides[1]).abs() > 1e-4 * STEP {
                    continue;
                }
                let numerical = (ahead[i] - behind[i]) / (2.0 * STEP);
                let rows = if axis < D { &here.by_velocity } else { &here.by_impulse };
                let exact = rows[i][axis % D];
                prop_assert!((numerical - exact).abs() < 1e-4, "{i}, {axis}: {numerical} {exact}");
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn derivatives_agree_with_differences(
            u in prop::array::uniform5(-1.0..1.0f64), p in prop::array::uniform5(-1.0..1.0f64),
            friction in 0.0..1.5f64, rolling in 0.0..1.0f64,
        ) {
            let cone = Cone { friction, rolling };
            // More of what pushes: half of the random impulses would be apart.
            let p = [p[0].abs(), p[1], p[2], p[3], p[4]];
            for map in [alart_curnier, natural_map] {
                check::<5>(map, &cone, u, p)?;
            }
            for map in [alart_curnier, natural_map] {
                check::<3>(map, &cone, [u[0], u[1], u[2]], [p[0], p[1], p[2]])?;
            }
            for map in [alart_curnier, natural_map] {
                check::<2>(map, &cone, [u[0], u[1]], [p[0], p[1]])?;
            }
        }
    }

    proptest! {
        /// Alart and Curnier's function by its definition.
        #[test]
        fn alart_curnier_is_what_it_says(
            u in prop::array::uniform5(-1.0..1.0f64), p in prop::array::uniform5(-1.0..1.0f64),
            friction in 0.0..1.5f64, rolling in 0.0..1.0f64, rho in 0.3..3.0f64,
        ) {
            let y = (p[0] - rho * u[0]).max(0.0);
            let mut expected = p;
            expected[0] -= y;
            for (from, bound) in [(1, friction * y), (3, rolling * y)] {
                let z = [p[from] - rho * u[from], p[from + 1] - rho * u[from + 1]];
                let shrink = if norm(&z) > bound { bound / norm(&z) } else { 1.0 };
                expected[from] -= shrink * z[0];
                expected[from + 1] -= shrink * z[1];
            }
            let cone = Cone { friction, rolling };
            let map = alart_curnier(&cone, &u, &p, &Augmentation::uniform(rho));
            prop_assert!(norm(&subtract(&map.value, &expected)) < 1e-14);
        }
    }

    /// Both maps vanish where the law holds, and the natural map is the judge's.
    #[test]
    fn maps_vanish_on_the_law() {
        let cone = Cone { friction: 0.5, rolling: 0.25 };
        let rho = Augmentation { normal: 0.7, tangential: 1.3, moment: 0.4, common: 0.9 };
        let (u, p) = ([0.0, 3.0, 0.0, 0.0, 2.0], [2.0, -1.0, 0.0, 0.0, -0.5]);
        assert!(norm(&alart_curnier(&cone, &u, &p, &rho).value) < 1e-15);
        assert!(norm(&natural_map(&cone, &u, &p, &rho).value) < 1e-15);
        let p = [1.0, 0.3, 0.1, 0.0, 0.2];
        assert_eq!(natural_map(&cone, &u, &p, &rho).value, cone.natural_map(&u, &p, 0.9));
    }
}
