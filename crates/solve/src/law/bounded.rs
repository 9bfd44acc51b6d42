//! Impulses with bounds of their own, whatever the normal impulse of a contact is: dry friction in joints, motors, springs
//! with dampers (projection onto a convex set that is known: Moreau 1998, §4).
//!
//! - an interval: P_n in [low, high], P_t = 0. With V = U + e P_n, e ≥ 0 a compliance: V = 0 inside, V ≥ 0 at the lower end,
//!   V ≤ 0 at the upper one.
//! - a ball: |P| ≤ r. U = 0 inside, and U = −κ P with κ ≥ 0 on its surface: Coulomb's law with a given bound.

use crate::{Block, Blocks};
use drystone_space::{Local, Vector};
use std::marker::PhantomData;

/// Most steps of Newton's method on the surface of a ball.
const STEPS: usize = 60;

/// The set that an impulse stays in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// The normal part between two ends, either of which may be infinite; no tangential part.
    Interval {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
        /// e, velocity by impulse.
        compliance: f64,
    },
    /// All parts together no larger than this.
    Ball {
        /// r.
        radius: f64,
    },
}

/// The law of one contact whose impulse has bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded<S: Blocks> {
    /// The set.
    pub bounds: Bounds,
    space: PhantomData<S>,
}

impl<S: Blocks> Bounded<S> {
    /// The law of such a set.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, space: PhantomData }
    }

    /// Whether the set is not empty, and the compliance not negative.
    pub fn is_sound(&self) -> bool {
        match self.bounds {
            Bounds::Interval { low, high, compliance } => {
                low <= high && compliance >= 0.0 && compliance.is_finite()
            }
            Bounds::Ball { radius } => radius >= 0.0 && radius.is_finite(),
        }
    }

    /// The nearest impulse of the set.
    pub fn project(&self, impulse: S::Local) -> S::Local {
        match self.bounds {
            Bounds::Interval { low, high, .. } => {
                S::Local::new(impulse.normal().max(low).min(high), S::Tangent::ZERO)
            }
            Bounds::Ball { radius } => {
                let size = impulse.dot(impulse).sqrt();
                if size > radius { impulse * (radius / size) } else { impulse }
            }
        }
    }

    /// P − proj(P − a V): zero exactly where the law holds.
    pub fn natural_map(&self, velocity: S::Local, impulse: S::Local, a: f64) -> S::Local {
        let compliance = match self.bounds {
            Bounds::Interval { compliance, .. } => compliance,
            Bounds::Ball { .. } => 0.0,
        };
        // The step is that of an impulse which answers to compliance too.
        let a = a / (1.0 + a * compliance);
        impulse - self.project(impulse - (velocity + impulse * compliance) * a)
    }

    /// The impulse that satisfies the law while all others are frozen.
    pub fn solve(&self, block: &S::Block, velocity: S::Local, impulse: S::Local) -> S::Local {
        match self.bounds {
            Bounds::Interval { compliance, .. } => {
                let miss = velocity.normal() + compliance * impulse.normal();
                let step = miss / (block.normal() + compliance);
                self.project(S::Local::new(impulse.normal() - step, S::Tangent::ZERO))
            }
            Bounds::Ball { radius } => on_ball::<S>(block, velocity, impulse, radius),
        }
    }
}

/// H P' + κ P' = H P − U with κ = 0 and |P'| ≤ r, or κ > 0 and |P'| = r. |P'| falls as κ grows, and 1/|P'| is nearly a
/// line, on which Newton's method settles in a few steps from below.
fn on_ball<S: Blocks>(
    block: &S::Block,
    velocity: S::Local,
    impulse: S::Local,
    radius: f64,
) -> S::Local {
    if radius == 0.0 {
        return S::Local::ZERO;
    }
    let matrix = dense::<S>(block);
    let wanted = block.apply(impulse) - velocity;
    let wanted: [f64; 3] = std::array::from_fn(|axis| match axis < S::DIMENSION {
        true => wanted.dot(S::Local::axis(axis)),
        false => 0.0,
    });
    let length = |x: &[f64; 3]| (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
    let mut shift = 0.0;
    let mut found = solve_3(&matrix, shift, &wanted);
    for _ in 0..STEPS {
        let size = length(&found);
        if size <= radius * (1.0 + 4.0 * f64::EPSILON) {
            break;
        }
        // d|P'|²/dκ = −2 P'·(H + κ)⁻¹P'.
        let slope = solve_3(&matrix, shift, &found);
        let fall: f64 = found.iter().zip(&slope).map(|(p, s)| p * s).sum();
        let step = (size / radius - 1.0) * size * size / fall;
        if !step.is_finite() || step <= 0.0 {
            break;
        }
        shift += step;
        found = solve_3(&matrix, shift, &wanted);
    }
    let size = length(&found);
    let scale = if size > radius { radius / size } else { 1.0 };
    from_dense::<S>(&found.map(|p| p * scale))
}

/// The entries of a block; those beyond the dimension are those of the identity.
pub(super) fn dense<S: Blocks>(block: &S::Block) -> [[f64; 3]; 3] {
    let columns: [S::Local; 3] = std::array::from_fn(|axis| match axis < S::DIMENSION {
        true => block.apply(S::Local::axis(axis)),
        false => S::Local::ZERO,
    });
    std::array::from_fn(|row| {
        std::array::from_fn(|column| match row < S::DIMENSION && column < S::DIMENSION {
            true => columns[column].dot(S::Local::axis(row)),
            false => f64::from(u8::from(row == column)),
        })
    })
}

/// An impulse from its components.
pub(super) fn from_dense<S: Blocks>(found: &[f64; 3]) -> S::Local {
    let part = |axis: usize| S::Local::axis(axis) * found[axis];
    (1..S::DIMENSION).fold(part(0), |sum, axis| sum + part(axis))
}

/// (H + shift)⁻¹ b, H symmetric and positive definite.
pub(super) fn solve_3(matrix: &[[f64; 3]; 3], shift: f64, b: &[f64; 3]) -> [f64; 3] {
    let at =
        |row: usize, column: usize| matrix[row][column] + if row == column { shift } else { 0.0 };
    let a = at(0, 0);
    let (l1, l2) = (at(1, 0) / a, at(2, 0) / a);
    let (d, e, f) = (at(1, 1) - l1 * at(1, 0), at(2, 1) - l2 * at(1, 0), at(2, 2) - l2 * at(2, 0));
    let l = e / d;
    let (y1, y2) = (b[1] - l1 * b[0], b[2] - l2 * b[0]);
    let z = (y2 - l * y1) / (f - l * e);
    let y = (y1 - e * z) / d;
    [(b[0] - at(1, 0) * y - at(2, 0) * z) / a, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, Local2, Local3, Plane, Volume};

    fn block3(rows: [[f64; 3]; 3]) -> <Volume as Blocks>::Block {
        Block::<Volume>::new(
            |axis| Local3 { n: rows[0][axis], t: DVec2::new(rows[1][axis], rows[2][axis]) },
            0.0,
        )
    }

    /// A motor of force 3 against a load: it stalls, or holds what it is told to.
    #[test]
    fn an_interval_holds_or_yields() {
        let block = Block::<Plane>::new(
            |axis| if axis == 0 { Local2 { n: 2.0, t: 0.0 } } else { Local2 { n: 0.0, t: 1.0 } },
            0.0,
        );
        let law = |compliance| {
            Bounded::<Plane>::new(Bounds::Interval { low: -3.0, high: 3.0, compliance })
        };
        for (velocity, compliance, wanted) in
            [(-4.0, 0.0, 2.0), (-10.0, 0.0, 3.0), (10.0, 0.0, -3.0), (-4.0, 2.0, 1.0)]
        {
            let u = Local2 { n: velocity, t: 0.5 };
            let found = law(compliance).solve(&block, u, Local2::default());
            assert!((found.n - wanted).abs() < 1e-15 && found.t == 0.0, "{found:?}");
            let after = Local2 { n: velocity + 2.0 * found.n, t: 0.0 };
            let miss = law(compliance).natural_map(after, found, 0.3);
            assert!(miss.n.abs() < 1e-15, "{miss:?}");
        }
    }

    /// On the surface the velocity is against the impulse, whatever the block; inside nothing moves.
    #[test]
    fn a_ball_is_dry_friction_with_a_given_bound() {
        let block = block3([[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 0.7]]);
        let start = Local3 { n: 0.1, t: DVec2::new(-0.2, 0.3) };
        for speed in [0.01, 1.0, 1e3, 1e8] {
            let velocity = Local3 { n: -0.4, t: DVec2::new(0.9, -1.2) } * speed;
            let law = Bounded::<Volume>::new(Bounds::Ball { radius: 0.5 });
            let found = law.solve(&block, velocity, start);
            let after = velocity + block.apply(found - start);
            let size = found.dot(found).sqrt();
            assert!(size <= 0.5 * (1.0 + 1e-15));
            let miss = law.natural_map(after, found, 0.3);
            assert!(miss.dot(miss).sqrt() < 1e-12, "{speed}: {miss:?}");
            assert_eq!(size < 0.5 * (1.0 - 1e-12), after.dot(after).sqrt() < 1e-12 * speed);
        }
    }
}
