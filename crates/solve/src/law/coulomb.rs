//! Coulomb's law: the cone of one contact, K = {|r_t| ≤ μ r_n, |r_m| ≤ μ_r r_n}, its projection and its
//! natural map. Without friction it is the ray r_n ≥ 0 (Jean & Moreau 1992, (3.9), §4).
//!
//! These are the scalar forms. The judge has the natural map of friction in the lanes of a register
//! (`residual.rs`), and tests hold it against this one. The local solve is in `block.rs`.

use crate::assembled::local::{Local, Square, norm, scaled, subtract};
use crate::{Block, Blocks};
use drystone_space::{Local as _, Vector};

/// Coulomb's cone, with a bound on the rolling moment where a contact has one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cone {
    /// μ.
    pub friction: f64,
    /// μ_r, in the unit of r_m/r_n; used by contacts of five components only.
    pub rolling: f64,
}

impl Cone {
    /// Coulomb's cone.
    pub fn coulomb(friction: f64) -> Self {
        Self { friction, rolling: 0.0 }
    }

    /// Whether both coefficients are numbers from zero on.
    pub fn is_sound(&self) -> bool {
        [self.friction, self.rolling].iter().all(|x| x.is_finite() && *x >= 0.0)
    }

    /// Û = u + (μ|u_t| + μ_r|u_m|) n.
    #[inline(always)]
    pub fn lift<const D: usize>(&self, u: &Local<D>) -> Local<D> {
        let mut lifted = *u;
        lifted[0] += self.friction * norm(tangent(u)) + self.rolling * norm(moment(u));
        lifted
    }

    /// The point of K nearest to `r`.
    ///
    /// Along the directions of r_t and r_m the problem is to minimise
    /// (n − r_n)² + (|r_t| − μn)₊² + (|r_m| − μ_r n)₊² over n ≥ 0: convex, and quadratic between
    /// the n at which one part or the other is inside its bound.
    #[inline]
    pub fn project<const D: usize>(&self, r: &Local<D>) -> Local<D> {
        let (t, m) = (norm(tangent(r)), norm(moment(r)));
        let (mu, nu) = (self.friction, self.rolling);
        let normal = |t_out: bool, m_out: bool| {
            let (a, b) = (if t_out { mu } else { 0.0 }, if m_out { nu } else { 0.0 });
            (r[0] + a * t + b * m) / (1.0 + a * a + b * b)
        };
        // The optimum grows with the number of parts that are out of their bounds, and a part that
        // is inside at some n is inside at any larger one.
        let mut n = normal(false, false).max(0.0);
        if t > mu * n || m > nu * n {
            n = normal(true, D == 5);
            if D == 5 && m <= nu * n {
                n = normal(true, false);
            } else if D == 5 && t <= mu * n {
                n = normal(false, true);
            }
        }
        if n <= 0.0 {
            return [0.0; D];
        }
        let t_scale = if t > mu * n { mu * n / t } else { 1.0 };
        let m_scale = if m > nu * n { nu * n / m } else { 1.0 };
        std::array::from_fn(|i| match i {
            0 => n,
            1 | 2 => r[i] * t_scale,
            _ => r[i] * m_scale,
        })
    }

    /// r_n ≥ 0, then the other parts within what that r_n allows: in the cone to the last bit, whatever `r` is.
    #[inline(always)]
    pub fn clip<const D: usize>(&self, r: &Local<D>) -> Local<D> {
        let n = r[0];
        if n.is_nan() || n <= 0.0 {
            return [0.0; D];
        }
        let share = |size: f64, bound: f64| match size <= bound {
            true => 1.0,
            false if size.is_finite() => bound / size,
            false => 0.0,
        };
        let t = share(norm(tangent(r)), self.friction * n);
        let m = share(norm(moment(r)), self.rolling * n);
        // What is not finite is gone, and not 0 · ∞.
        let part = |i: usize, share: f64| if share == 0.0 { 0.0 } else { r[i] * share };
        std::array::from_fn(|i| match i {
            0 => n,
            1 | 2 => part(i, t),
            _ => part(i, m),
        })
    }

    /// The square root of the projection's derivative at `x`: symmetric, with Q Q = ∂proj_K/∂x.
    ///
    /// Inside K it is the identity and inside the polar cone zero. On the edge the projection moves
    /// along g = (1, μ t̂, μ_r m̂), each part where it is out of its bound, and turns across.
    pub fn derivative_root<const D: usize>(&self, x: &Local<D>) -> Square<D> {
        let p = self.project(x);
        let mut root = [[0.0; D]; D];
        if p[0] <= 0.0 {
            return root;
        }
        let mut g = [0.0; D];
        g[0] = 1.0;
        let tangential = D.min(3);
        for (range, bound) in [(1..tangential, self.friction), (tangential..D, self.rolling)] {
            let length = norm(&x[range.clone()]);
            if length <= bound * p[0] {
                range.for_each(|i| root[i][i] = 1.0);
                continue;
            }
            let turn = (bound * p[0] / length).sqrt();
            for i in range.clone() {
                g[i] = bound * x[i] / length;
                for j in range.clone() {
                    root[i][j] = -turn * x[i] * x[j] / (length * length);
                }
                root[i][i] += turn;
            }
        }
        let square: f64 = g.iter().map(|g| g * g).sum();
        for i in 0..D {
            for j in 0..D {
                root[i][j] += g[i] * g[j] / square;
            }
        }
        root
    }

    /// r − proj_K(r − a Û): zero exactly where the law holds.
    #[inline]
    pub fn natural_map<const D: usize>(&self, u: &Local<D>, r: &Local<D>, a: f64) -> Local<D> {
        subtract(r, &self.project(&subtract(r, &scaled(&self.lift(u), a))))
    }
}

/// The impulse of one contact without friction while all others are frozen.
#[inline(always)]
pub(super) fn solve_frictionless<S: Blocks>(
    block: &S::Block,
    velocity: S::Local,
    impulse: S::Local,
) -> S::Local {
    let (m, _) = block.reduce(velocity, impulse);
    S::Local::new(m.max(0.0), S::Tangent::ZERO)
}

/// The impulse of one contact under Coulomb's law while all others are frozen; the block has the coefficient.
#[inline(always)]
pub(super) fn solve<S: Blocks>(
    block: &S::Block,
    velocity: S::Local,
    impulse: S::Local,
) -> S::Local {
    let (m, b) = block.reduce(velocity, impulse);
    block.coulomb(m, b)
}

/// The tangential components.
#[inline(always)]
pub fn tangent<const D: usize>(x: &Local<D>) -> &[f64] {
    &x[1..D.min(3)]
}

/// The moments; none but in contacts of five components.
#[inline(always)]
pub fn moment<const D: usize>(x: &Local<D>) -> &[f64] {
    &x[D.min(3)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembled::local::dot;
    use proptest::prelude::*;

    fn check<const D: usize>(cone: Cone, a: Local<D>, b: Local<D>) -> Result<(), TestCaseError> {
        let (pa, pb) = (cone.project(&a), cone.project(&b));
        prop_assert!(norm(tangent(&pa)) <= cone.friction * pa[0] * (1.0 + 1e-12) + 1e-15);
        prop_assert!(norm(moment(&pa)) <= cone.rolling * pa[0] * (1.0 + 1e-12) + 1e-15);
        prop_assert!(norm(&subtract(&cone.project(&pa), &pa)) < 1e-12);
        prop_assert!(norm(&subtract(&pa, &pb)) <= norm(&subtract(&a, &b)) * (1.0 + 1e-12));
        // The rest of a is normal to the cone at pa: orthogonal to pa and obtuse to the cone.
        prop_assert!(dot(&subtract(&a, &pa), &subtract(&pb, &pa)) <= 1e-11);
        prop_assert!(dot(&subtract(&a, &pa), &pa).abs() <= 1e-11);
        Ok(())
    }

    proptest! {
        #[test]
        fn projections_are_projections(
            a in prop::array::uniform5(-3.0f64..3.0), b in prop::array::uniform5(-3.0f64..3.0),
            friction in 0.0f64..2.0, rolling in 0.0f64..2.0,
        ) {
            check::<5>(Cone { friction, rolling }, a, b)?;
            check::<3>(Cone::coulomb(friction), [a[0], a[1], a[2]], [b[0], b[1], b[2]])?;
            check::<2>(Cone::coulomb(friction), [a[0], a[1]], [b[0], b[1]])?;
        }
    }

    proptest! {
        #[test]
        fn the_root_squared_is_the_derivative(
            x in prop::array::uniform5(-3.0f64..3.0), friction in 0.1f64..1.5, rolling in 0.1f64..1.5,
        ) {
            let cone = Cone { friction, rolling };
            let root = cone.derivative_root(&x);
            let step = 1e-6;
            for j in 0..5 {
                let (mut ahead, mut behind) = (x, x);
                ahead[j] += step;
                behind[j] -= step;
                // Where the cone's face changes between the two there is no derivative.
                let faces = [behind, ahead].map(|x| {
                    let p = cone.project(&x);
                    [norm(tangent(&x)) > friction * p[0], norm(moment(&x)) > rolling * p[0], p[0] > 0.0]
                });
                if faces[0] != faces[1] || norm(tangent(&x)) < 0.01 || norm(moment(&x)) < 0.01 {
                    continue;
                }
                let slope = scaled(&subtract(&cone.project(&ahead), &cone.project(&behind)), 0.5 / step);
                for i in 0..5 {
                    let square: f64 = (0..5).map(|k| root[i][k] * root[k][j]).sum();
                    prop_assert!((slope[i] - square).abs() < 1e-4, "{i}{j}: {} {square}", slope[i]);
                }
            }
        }
    }

    #[test]
    fn the_natural_map_vanishes_where_the_law_holds() {
        // Slip and roll: impulse and moment oppose the velocity on the edges of the cone.
        let cone = Cone { friction: 0.5, rolling: 0.25 };
        let rest = cone.natural_map(&[0.0, 3.0, 0.0, 0.0, 2.0], &[2.0, -1.0, 0.0, 0.0, -0.5], 0.7);
        assert!(norm(&rest) < 1e-15);
        // A push while apart is an error of its whole size.
        let apart = cone.natural_map(&[9.0, 0.0, 0.0], &[2.0, 0.0, 0.0], 1.0);
        assert_eq!(apart, [2.0, 0.0, 0.0]);
    }

    /// Bound 0.5 · 4 on the tangential part of length 5, 0.25 · 4 on the moment of length 0.5.
    #[test]
    fn parts_are_clipped_each_to_its_bound() {
        let cone = Cone { friction: 0.5, rolling: 0.25 };
        let clipped = cone.clip(&[4.0, 3.0, -4.0, 0.5, 0.0]);
        for (clipped, by_hand) in clipped.iter().zip([4.0, 1.2, -1.6, 0.5, 0.0]) {
            assert!((clipped - by_hand).abs() < 1e-15);
        }
        assert_eq!(cone.clip(&[-1.0, 3.0]), [0.0, 0.0]);
    }
}
