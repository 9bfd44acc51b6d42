//! Coulomb's law by cases, with a bracketed Newton iteration for slip: the one that all contacts in space slip by
//! (`block.rs` and the lanes come here with a symmetric block).
//!
//! Notation: h = H_nn, k = H_nt/h, c = H_tn/h and S = H_tt − h c kᵀ (the Schur complement; the block
//! may be unsymmetric). Without this contact's impulse the velocity would be q = U − H p. With
//! m = −q_n/h and b = q_t − c q_n, at u_n = 0: p_n = m − k·p_t and u_t = S p_t + b. Slip of multiplier
//! λ ≥ 0 is u_t = −λ p_t, hence p_t = −(S + λ)⁻¹ b.

use super::LocalSolution;
use crate::assembled::local::{add_scaled, dot, norm, scaled};
use crate::assembled::{Local, Square};

/// The parts of a block that the law of normal and tangential components needs.
#[derive(Clone, Debug)]
pub struct Coulomb {
    /// 1/h.
    pub(super) inverse_normal: f64,
    /// c.
    column: Local<2>,
    /// S, k and μ.
    pub(super) disc: Disc,
}

/// u_t = S p_t + b under |p_t| ≤ μ p_n, p_n = m − k·p_t.
#[derive(Clone, Debug)]
pub(crate) struct Disc {
    /// S.
    pub matrix: Square<2>,
    /// k.
    pub coupling: Local<2>,
    /// μ.
    pub friction: f64,
}

impl Coulomb {
    /// From a sound block. In the plane the second tangential direction is one that nothing moves.
    pub fn new<const D: usize>(block: &Square<D>, friction: f64) -> Self {
        let entry = |i: usize, j: usize| match (i < D && j < D, i == j) {
            (true, _) => block[i][j],
            (false, true) => block[1][1],
            (false, false) => 0.0,
        };
        let inverse_normal = 1.0 / block[0][0];
        let coupling = [entry(0, 1), entry(0, 2)].map(|x| x * inverse_normal);
        let column = [entry(1, 0), entry(2, 0)].map(|x| x * inverse_normal);
        let matrix = std::array::from_fn(|i| {
            std::array::from_fn(|j| entry(i + 1, j + 1) - column[i] * entry(0, j + 1))
        });
        Self { inverse_normal, column, disc: Disc { matrix, coupling, friction } }
    }

    /// (m, b), from the present velocity and impulse.
    #[inline(always)]
    pub fn reduce(&self, u: &Local<3>, p: &Local<3>) -> (f64, Local<2>) {
        let t = [p[1], p[2]];
        let m = p[0] + dot(&self.disc.coupling, &t) - self.inverse_normal * u[0];
        let u_t = add_scaled(&[u[1], u[2]], -u[0], &self.column);
        let moved = self.disc.apply(&t);
        (m, [u_t[0] - moved[0], u_t[1] - moved[1]])
    }

    /// The velocity of an impulse.
    #[inline(always)]
    pub fn velocity(&self, m: f64, b: &Local<2>, p: &Local<3>) -> Local<3> {
        let t = [p[1], p[2]];
        let n = (p[0] - self.disc.normal(m, &t)) / self.inverse_normal;
        let moved = self.disc.apply(&t);
        let u_t = |i: usize| self.column[i] * n + moved[i] + b[i];
        [n, u_t(0), u_t(1)]
    }

    /// The impulse that satisfies the law: apart where that is possible, else stick where the cone
    /// allows it, else slip.
    #[inline(always)]
    pub fn solve(&self, u: &Local<3>, p: &Local<3>) -> LocalSolution<3> {
        let (m, b) = self.reduce(u, p);
        let (impulse, iterations) = self.disc.solve(m, &b, &[p[1], p[2]]);
        LocalSolution { impulse, settled: true, iterations }
    }
}

impl Disc {
    /// Two components of a block from `at` on, without coupling to the normal part; zero where the
    /// block has none.
    pub fn from_block<const D: usize>(block: &Square<D>, at: usize) -> Self {
        let entry = |i: usize, j: usize| if at + 2 <= D { block[at + i][at + j] } else { 0.0 };
        let matrix = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        Self { matrix, coupling: [0.0; 2], friction: 1.0 }
    }

    /// S p_t.
    #[inline(always)]
    pub fn apply(&self, t: &Local<2>) -> Local<2> {
        [dot(&self.matrix[0], t), dot(&self.matrix[1], t)]
    }

    /// −(S + λ)⁻¹ b.
    #[inline(always)]
    pub fn slip(&self, b: &Local<2>, multiplier: f64) -> Local<2> {
        let [[xx, xy], [yx, yy]] = self.matrix;
        let (x, y) = (xx + multiplier, yy + multiplier);
        let scale = -1.0 / (x * y - xy * yx);
        [(y * b[0] - xy * b[1]) * scale, (x * b[1] - yx * b[0]) * scale]
    }

    /// p_n = m − k·p_t.
    #[inline(always)]
    pub fn normal(&self, m: f64, t: &Local<2>) -> f64 {
        m - dot(&self.coupling, t)
    }

    /// Half of the trace of S, the scale of multipliers.
    pub fn mean(&self) -> f64 {
        0.5 * (self.matrix[0][0] + self.matrix[1][1])
    }

    /// Apart, stick, or slip; also the number of iterations.
    #[inline(always)]
    pub fn solve(&self, m: f64, b: &Local<2>, present: &Local<2>) -> (Local<3>, u32) {
        if m.is_nan() || m <= 0.0 {
            return ([0.0; 3], 0);
        }
        let stick = self.slip(b, 0.0);
        let n = self.normal(m, &stick);
        if n >= 0.0 && norm(&stick) <= self.friction * n {
            return ([n, stick[0], stick[1]], 0);
        }
        self.slide(m, b, self.present_guess(m, b, present))
    }

    /// Slip, where m > 0 and stick is outside of the cone.
    ///
    /// φ(λ) = μ p_n/|p_t| − 1 is negative at λ = 0 and positive for large λ (p_t → 0, p_n → m > 0), so
    /// a root is always there; Newton, kept inside the bracket by bisection, finds it.
    #[inline(always)]
    pub fn slide(&self, m: f64, b: &Local<2>, first_guess: f64) -> (Local<3>, u32) {
        const ENOUGH: f64 = 1e-13;
        const MOST: u32 = 60;
        if self.friction <= 0.0 {
            return ([m, 0.0, 0.0], 0);
        }
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut multiplier = first_guess;
        let mut t = self.slip(b, multiplier);
        let mut iterations = 0;
        while iterations < MOST {
            iterations += 1;
            let (phi, rate) = self.distance(m, &t, multiplier);
            let closed = high.is_finite() && high - low <= 1e-15 * high;
            if phi.abs() <= ENOUGH || closed {
                break;
            }
            if phi < 0.0 {
                low = multiplier;
            } else {
                high = multiplier;
            }
            let newton = multiplier - phi / rate;
            multiplier = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * multiplier + self.mean()
            };
            t = self.slip(b, multiplier);
        }
        (self.on_the_edge(m, &t), iterations)
    }

    /// The root for a round S without coupling.
    #[inline(always)]
    pub fn round_guess(&self, m: f64, b: &Local<2>) -> f64 {
        (norm(b) / (self.friction * m) - self.mean()).max(0.0)
    }

    /// The multiplier of the present impulse, if it has one.
    #[inline(always)]
    fn present_guess(&self, m: f64, b: &Local<2>, present: &Local<2>) -> f64 {
        let square = dot(present, present);
        if square > 0.0 {
            let u = add_scaled(b, 1.0, &self.apply(present));
            let multiplier = -dot(present, &u) / square;
            if multiplier > 0.0 && multiplier.is_finite() {
                return multiplier;
            }
        }
        self.round_guess(m, b)
    }

    /// φ(λ) and its derivative, at p_t = −(S + λ)⁻¹ b.
    #[inline(always)]
    pub fn distance(&self, m: f64, t: &Local<2>, multiplier: f64) -> (f64, f64) {
        let length = norm(t);
        let limit = self.friction * self.normal(m, t);
        // d p_t/dλ = −(S + λ)⁻¹ p_t.
        let change = self.slip(t, multiplier);
        let length_rate = dot(t, &change) / length;
        let limit_rate = -self.friction * dot(&self.coupling, &change);
        (limit / length - 1.0, (limit_rate - limit * length_rate / length) / length)
    }

    /// The impulse with this tangential direction, on the edge of the cone to the last bit.
    #[inline(always)]
    pub fn on_the_edge(&self, m: f64, t: &Local<2>) -> Local<3> {
        let n = self.normal(m, t).max(0.0);
        let length = norm(t);
        let t = if length > 0.0 { scaled(t, self.friction * n / length) } else { [0.0; 2] };
        [n, t[0], t[1]]
    }
}
