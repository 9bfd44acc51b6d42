//! A-CD²: percussions from pseudopotentials of dissipation (Dal Pont & Dimnet 2006).
//!
//! The unknown of a collision is the mean velocity X = ½(U⁺+U⁻). The percussion is the sum of a
//! dissipative part that opposes X and of the reaction to interpenetration (7)–(10); in the signs
//! of this crate, P acting on the first mover and U_n > 0 being separation,
//!
//! P_n = −f_N(X_n) + R, 0 ≤ R ⊥ X_n − x_min ≥ 0, P_t = −f_T(|X_t|) X_t/|X_t|,
//!
//! f being derivatives of convex functions ([`Curve`]) and x_min = ½ min(U_n⁻, 0). For U_n⁻ ≤ 0 that
//! is (9), U_n⁺ ≥ 0. A contact that separates is no collision: there (9) would be a set without the
//! origin, and its reaction could give energy; min keeps the origin in the set, so that −P·X ≥ 0 at
//! every contact (Clausius–Duhem).
//!
//! f_N acts against approach, X_n < 0, and against separation too if it `pulls`, as (60) does when
//! it is read to the letter. Between two bodies both are the same: X_n > 0 needs a third one.
//!
//! With Coulomb's coefficient μ the tangential part is bounded, |P_t| ≤ μ P_n, and opposes X_t
//! where it is at the bound, (25)–(27); f_T is then [`Curve::Rigid`], or a creep below the bound.
//!
//! With linear f_N and f_T (c_N and c_T, the latter infinite if rigid) one contact has a closed form. While the reaction
//! acts, while f_N alone does, and while neither does, P_n = A − B·P_t and 2X_t = β + S̃P_t are linear; creep is S̃ with 2/c_T
//! on its diagonal. So P_t obeys Coulomb's law at a contact with A, B, β and that matrix in place of m, k, b and S: at the bound
//! P_t = −X_t/φ with φ > 1/c_T is β + (S̃ + 2/c_T)P_t = −2ψP_t with ψ > 0. [`Section::solve`] has it, in the plane by
//! cases, in space by one root.
//!
//! Letters of the local solve as in `block.rs`: U_n = h (P_n + k·P_t − m), U_t = k U_n + S P_t + b.

use super::curve::{Curve, falling_root};
use super::section::{LoneContact, Section};
use crate::{Block, Blocks};
use drystone_space::{Local, Vector};

/// Most passes over the two parts of a contact that has no closed form.
const PASSES: usize = 50;

/// The law of one contact in A-CD².
#[derive(Clone, Debug, PartialEq)]
pub struct Percussion<S: Blocks> {
    /// U⁻, the relative velocity before the collision.
    pub before: S::Local,
    /// f_N.
    pub normal: Curve,
    /// Whether f_N also acts against separation.
    pub pulls: bool,
    /// f_T.
    pub tangential: Curve,
    /// μ; infinite where nothing but f_T bounds the tangential percussion.
    pub friction: f64,
}

impl<S: Blocks> Percussion<S> {
    /// The quadratic pseudopotential (60), P being its derivative by X: slopes are 4K.
    pub fn quadratic(before: S::Local, normal: f64, tangential: f64) -> Self {
        Self {
            before,
            normal: Curve::Linear(4.0 * normal),
            pulls: false,
            tangential: Curve::Linear(4.0 * tangential),
            friction: f64::INFINITY,
        }
    }

    /// Whether the coefficient is a number from zero on, or infinite; curves are sound as they are made.
    pub fn is_sound(&self) -> bool {
        self.friction >= 0.0
    }

    /// Whether both curves have a derivative at rest, and nothing but f_T bounds the tangential percussion: then the
    /// percussion minimises a function that Newton's method can follow (`acd2_uzawa.rs`).
    pub fn is_smooth(&self) -> bool {
        let curves = [&self.normal, &self.tangential];
        self.friction == f64::INFINITY && curves.into_iter().all(Curve::is_smooth)
    }

    /// Least X_n.
    pub fn least(&self) -> f64 {
        0.5 * self.before.normal().min(0.0)
    }

    /// The slopes of f_N and f_T where both are linear; that of a rigid f_T is infinite.
    pub fn slopes(&self) -> Option<[f64; 2]> {
        match (&self.normal, &self.tangential) {
            (Curve::Linear(n), Curve::Linear(t)) => Some([*n, *t]),
            (Curve::Linear(n), Curve::Rigid) => Some([*n, f64::INFINITY]),
            _ => None,
        }
    }

    /// The percussion that satisfies the law while all others are frozen.
    pub fn solve(&self, block: &S::Block, velocity: S::Local, impulse: S::Local) -> S::Local {
        if let Some(slopes) = self.slopes() {
            return self.solve_linear(block, velocity, impulse, slopes);
        }
        let tangent = |i| block.apply(S::Local::new(0.0, S::Tangent::axis(i))).tangent();
        let half = [tangent(0) * 0.5, tangent(1) * 0.5];
        let w = 0.5 * block.normal();
        let mut p = impulse;
        for _ in 0..PASSES {
            let x = (velocity + block.apply(p - impulse) + self.before) * 0.5;
            let n = self.normal_part(x.normal() - w * p.normal(), w);
            let aside = S::Local::new(n - p.normal(), -p.tangent());
            let free = x.tangent() + block.apply(aside).tangent() * 0.5;
            let next = S::Local::new(n, self.tangential_part(free, half, n));
            let change = next - p;
            p = next;
            if change.dot(change) <= 1e-30 * p.dot(p) {
                break;
            }
        }
        p
    }

    /// Closed form: the reaction acts, or only f_N, or the contact is free. Without Coulomb's bound exactly one of the three
    /// agrees with itself, since the percussion minimises a convex function; with it the first that does is taken.
    fn solve_linear(
        &self,
        block: &S::Block,
        velocity: S::Local,
        impulse: S::Local,
        [c_n, c_t]: [f64; 2],
    ) -> S::Local {
        let (m, b) = block.reduce(velocity, impulse);
        let (h, k, before) = (block.normal(), block.coupling(), self.before);
        // P_n = A − B·P_t with B = (1 − η/h) k, and P_t against k·U_n + S P_t + b + U_t⁻, where U_n adds η k·P_t and
        // what is in `rest`.
        let with = |a: f64, eta: f64, rest: f64| {
            let b = b + before.tangent() + k * rest;
            let mut contact = LoneContact::<S>::new(block, a, b, 2.0 / c_t);
            for (i, column) in contact.schur.iter_mut().enumerate().take(S::Tangent::LENGTH) {
                *column += k * (eta * k.get(i));
            }
            contact.k = k * (1.0 - eta / h);
            let bounded = self.friction != f64::INFINITY;
            let t = if c_t == 0.0 || (bounded && a <= 0.0) {
                S::Tangent::ZERO
            } else if bounded {
                S::Section::round(self.friction).solve(&contact)
            } else {
                S::Section::stick(&contact)
            };
            S::Local::new(a - contact.k.dot(t), t)
        };
        let least = self.least();
        let end = 2.0 * least - before.normal();
        let p = with(end / h + m, 0.0, end);
        if p.normal() + c_n * least >= 0.0 {
            return p;
        }
        let share = 1.0 / (1.0 + 0.5 * c_n * h);
        let a = 0.5 * c_n * share * (h * m - before.normal());
        let p = with(a, h * share, -h * share * (m + 0.5 * c_n * before.normal()));
        if p.normal() >= 0.0 || self.pulls {
            return p;
        }
        with(0.0, h, -h * m)
    }

    /// P_n where X_n = free + w P_n.
    fn normal_part(&self, free: f64, w: f64) -> f64 {
        if free >= 0.0 {
            return if self.pulls { -self.normal.answer(free, w) } else { 0.0 };
        }
        let p = self.normal.answer(-free, w);
        let least = self.least();
        if free + w * p >= least { p } else { (least - free) / w }
    }

    /// P_t where X_t = free + half P_t.
    ///
    /// P_t = −X_t/φ with φ ≥ 0, so P_t(φ) = −(half + φ)⁻¹ free: |P_t| falls with φ and |X_t| = φ|P_t|
    /// rises, and the law is |P_t| = min(f_T(|X_t|), μ P_n).
    fn tangential_part(&self, free: S::Tangent, half: [S::Tangent; 2], normal: f64) -> S::Tangent {
        let bound = self.bound(normal);
        let size = free.norm();
        let allowed = |x: f64| self.tangential.value(x).min(bound);
        if size == 0.0 || allowed(size) == 0.0 {
            return S::Tangent::ZERO;
        }
        let answer = |phi: f64| {
            let column = |i: usize| half[i] + S::Tangent::axis(i) * phi;
            let schur = [column(0), column(1)];
            S::Section::stick(&LoneContact { m: 0.0, b: free, k: S::Tangent::ZERO, schur })
        };
        let stick = answer(0.0);
        let still = allowed(0.0);
        if stick.norm() <= still {
            return stick;
        }
        if let Curve::Linear(slope) = self.tangential {
            let creep = answer(1.0 / slope);
            if creep.norm() <= bound {
                return creep;
            }
        }
        let excess = |phi: f64| {
            let p = answer(phi).norm();
            p - allowed(phi * p)
        };
        let mut high = size / allowed(size);
        while excess(high) > 0.0 {
            high *= 4.0;
        }
        answer(falling_root(0.0, high, excess))
    }

    /// Every percussion can be started from: the law's set is no cone.
    pub fn project(&self, impulse: S::Local) -> S::Local {
        impulse
    }

    /// P less the percussion that the law asks for where all velocities answer by 1/a: zero exactly
    /// where the law holds. For a cone it would be the projection of P − aU.
    pub fn natural_map(&self, velocity: S::Local, impulse: S::Local, a: f64) -> S::Local {
        let w = 0.5 / a;
        let free = (velocity + self.before) * 0.5 - impulse * w;
        let n = self.normal_part(free.normal(), w);
        // The answer is the same in all directions, so that P_t opposes what X_t would be without it.
        let size = free.tangent().norm();
        let bound = self.bound(n);
        let t = match size > 0.0 && bound > 0.0 {
            true => free.tangent() * (-self.tangential.answer(size, w).min(bound) / size),
            false => S::Tangent::ZERO,
        };
        impulse - S::Local::new(n, t)
    }

    /// The most that P_t can be.
    fn bound(&self, normal: f64) -> f64 {
        // Without pressure it would be 0 · ∞, which is no number.
        match self.friction == f64::INFINITY {
            true => f64::INFINITY,
            false => self.friction * normal.max(0.0),
        }
    }
}
