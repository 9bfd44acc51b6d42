//! All solutions of one contact in space: apart, stick, and every slip as a root of a quartic.
//!
//! Notation as in the bracketed solve. With d(λ) = det(S + λ) and w = adj(S) b, slip is
//! p_t = −(w + λ b)/d and p_n d = m d + k·(w + λ b); |p_t| = μ p_n squared is a quartic in λ:
//!
//! μ² (m λ² + (m tr S + k·b) λ + m det S + k·w)² = |w + λ b|².
//!
//! Squaring adds roots with p_n < 0; they are no solutions. λ is counted in units of tr S/2.

use super::bracketed::{Coulomb, Disc};
use super::polynomial::{Roots, positive_roots};
use super::{LocalSolution, OneContact};
use crate::assembled::local::{dot, norm, subtract};
use crate::assembled::{Cone, Local};

/// A case counts as a solution if its natural map is below this, relative to the impulse.
const HOLDS: f64 = 1e-10;
/// The present impulse is left alone below this.
const STAYS: f64 = 1e-13;
/// Newton steps on the unsquared condition: squaring has cost half of the digits.
const POLISH: usize = 3;

/// The solutions of one contact.
#[derive(Clone, Copy, Debug)]
pub struct Solutions {
    cases: [Local<3>; 6],
    count: usize,
}

impl Solutions {
    /// Apart, stick, slip from the slowest; what does not hold is not there.
    pub fn as_slice(&self) -> &[Local<3>] {
        &self.cases[..self.count]
    }

    fn push(&mut self, case: Local<3>) {
        self.cases[self.count] = case;
        self.count += 1;
    }
}

impl Coulomb {
    /// The present impulse where it satisfies the law, else the solution nearest to it; the case
    /// nearest to being one where rounding lets none hold.
    pub(super) fn enumerate(&self, u: &Local<3>, p: &Local<3>) -> LocalSolution<3> {
        let present = Case { impulse: *p, velocity: *u };
        if present.rest(self) <= STAYS {
            return LocalSolution { impulse: *p, settled: true, iterations: 0 };
        }
        let (found, nearest) = self.solutions(u, p);
        let way = |case: &&Local<3>| norm(&subtract(case, p));
        let first = found.as_slice().iter().min_by(|a, b| way(a).total_cmp(&way(b)));
        let settled = first.is_some();
        LocalSolution { impulse: first.copied().unwrap_or(nearest), settled, iterations: 1 }
    }

    /// All solutions, and the case nearest to being one.
    pub(super) fn solutions(&self, u: &Local<3>, p: &Local<3>) -> (Solutions, Local<3>) {
        let disc = &self.disc;
        let (m, b) = self.reduce(u, p);
        let mut found = Solutions { cases: [[0.0; 3]; 6], count: 0 };
        let mut nearest = ([0.0; 3], f64::INFINITY);
        let mut consider = |impulse: Local<3>| {
            let rest = Case { impulse, velocity: self.velocity(m, &b, &impulse) }.rest(self);
            if rest <= HOLDS {
                found.push(impulse);
            }
            if rest < nearest.1 {
                nearest = (impulse, rest);
            }
        };
        consider([0.0; 3]);
        let stick = disc.slip(&b, 0.0);
        let n = disc.normal(m, &stick);
        if n > 0.0 && norm(&stick) <= disc.friction * n {
            consider([n, stick[0], stick[1]]);
        }
        if disc.friction <= 0.0 && m > 0.0 {
            consider([m, 0.0, 0.0]);
        }
        for &root in slips(disc, m, &b).as_slice() {
            let multiplier = root * disc.mean();
            if disc.normal(m, &disc.slip(&b, multiplier)) > 0.0 {
                consider(disc.on_the_edge(m, &polished(disc, m, &b, multiplier)));
            }
        }
        (found, nearest.0)
    }
}

/// An impulse with its velocity.
struct Case {
    impulse: Local<3>,
    velocity: Local<3>,
}

impl Case {
    /// The natural map, relative to the impulses at hand.
    fn rest(&self, coulomb: &Coulomb) -> f64 {
        let (p, u, a) = (&self.impulse, &self.velocity, coulomb.inverse_normal);
        let size = norm(p) + a * norm(u);
        let rest = norm(&Cone::coulomb(coulomb.disc.friction).natural_map(u, p, a));
        if size > 0.0 { rest / size } else { 0.0 }
    }
}

impl OneContact<3> {
    /// All impulses that satisfy the law: one for moderate friction, several where friction and
    /// coupling are strong.
    pub fn solutions(&self, velocity: &Local<3>, impulse: &Local<3>) -> Solutions {
        self.coulomb.solutions(velocity, impulse).0
    }
}

/// The positive roots of the quartic, in units of tr S/2.
fn slips(disc: &Disc, m: f64, b: &Local<2>) -> Roots {
    let unit = 1.0 / disc.mean();
    let [[xx, xy], [yx, yy]] = disc.matrix.map(|row| row.map(|x| x * unit));
    let b = b.map(|x| x * unit);
    let w = [yy * b[0] - xy * b[1], xx * b[1] - yx * b[0]];
    let k = &disc.coupling;
    // p_n d(λ), times μ.
    let mu = disc.friction;
    let normal =
        [mu * (m * (xx * yy - xy * yx) + dot(k, &w)), mu * (m * (xx + yy) + dot(k, &b)), mu * m];
    positive_roots(&[
        normal[0] * normal[0] - dot(&w, &w),
        2.0 * (normal[0] * normal[1] - dot(&w, &b)),
        normal[1] * normal[1] + 2.0 * normal[0] * normal[2] - dot(&b, &b),
        2.0 * normal[1] * normal[2],
        normal[2] * normal[2],
    ])
}

/// p_t of the root near to λ of the condition before it was squared.
fn polished(disc: &Disc, m: f64, b: &Local<2>, multiplier: f64) -> Local<2> {
    let mut best = multiplier;
    let mut t = disc.slip(b, best);
    let (mut phi, mut rate) = disc.distance(m, &t, best);
    for _ in 0..POLISH {
        let next = best - phi / rate;
        if next.is_nan() || next <= 0.0 {
            break;
        }
        let t_next = disc.slip(b, next);
        let (phi_next, rate_next) = disc.distance(m, &t_next, next);
        if phi_next.is_nan() || phi_next.abs() >= phi.abs() {
            break;
        }
        (best, t, phi, rate) = (next, t_next, phi_next, rate_next);
    }
    t
}
