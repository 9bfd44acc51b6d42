//! Delassus blocks in reduced form, and the exact solution of one contact under Coulomb's law.
//!
//! Notation: H is the block with parts h = H_nn, c = H_tn, T = H_tt; U the velocity that the law
//! sees now, p the present impulse. Without this contact's impulse the velocity would be
//! q = U − H p. With k = c/h and S = T − c cᵀ/h (the Schur complement),
//!
//! - m = −q_n/h = p_n + k·p_t − U_n/h is the normal impulse of the frictionless solution,
//! - b = q_t − k q_n = U_t − k U_n − S p_t is what friction has to stop,
//! - at U_n = 0: p_n = m − k·p_t and U_t = S p_t + b.
//!
//! So a block is stored as k and S, with the reciprocals that the local solve would otherwise
//! compute at every visit.
//!
//! These are the scalar forms: the kernels in `lanes/` have the same formulas for four contacts, and tests there hold
//! them against these. Slip in space without a closed form is that of `local/bracketed.rs`.

use crate::Seam;
use crate::direct::{BodySpace, Interior};
use crate::lanes::{Kernel, PlaneKernel, VolumeKernel};
use crate::local::Disc;
use crate::{
    ContactProblem, Contacts, Interval, Nlgs, NlgsParams, Section, SolveReport, VolumeSection,
};
use drystone_space::{DVec2, Local, Local2, Local3, Plane, Space, Vector, Volume};
use std::fmt::Debug;

/// A space with its kind of block.
pub trait Blocks: Space {
    /// The block.
    type Block: Block<Self>;
    /// Four contacts at a time.
    #[doc(hidden)]
    type Kernel: Kernel<Self>;
    /// Sections of its friction cones.
    type Section: Section<Self>;
    /// Interior points in the unknowns of movers.
    #[doc(hidden)]
    type Interior: Interior<Self>;
    /// Sweeps, compiled with this crate: who has a problem solved does not compile them again.
    #[doc(hidden)]
    fn sweeps(
        solver: &mut Nlgs<Self>,
        problem: &ContactProblem<Self>,
        contacts: &dyn Contacts<Self>,
        couples: &[Self::Local],
        params: &NlgsParams,
        threads: usize,
        seam: Option<&Seam>,
    ) -> Option<SolveReport>;
}

macro_rules! blocks {
    ($space:ty: $block:ty, $kernel:ty, $section:ty, $interior:ty) => {
        impl Blocks for $space {
            type Block = $block;
            type Kernel = $kernel;
            type Section = $section;
            type Interior = $interior;

            fn sweeps(
                solver: &mut Nlgs<Self>,
                problem: &ContactProblem<Self>,
                contacts: &dyn Contacts<Self>,
                couples: &[Self::Local],
                params: &NlgsParams,
                threads: usize,
                seam: Option<&Seam>,
            ) -> Option<SolveReport> {
                solver.iterate(problem, contacts, couples, params, threads, seam)
            }
        }
    };
}

blocks!(Plane: PlaneBlock, PlaneKernel, Interval, BodySpace<2, 3>);
blocks!(Volume: VolumeBlock, VolumeKernel, VolumeSection, BodySpace<3, 6>);

/// The larger of two numbers; a NaN in `a` gives `b`. One instruction, unlike `f64::max`.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A symmetric positive definite block H and the local solve that needs its parts.
pub trait Block<S: Blocks>: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// From the columns of H, made ready for Coulomb's coefficient `friction`.
    fn new(column: impl Fn(usize) -> S::Local, friction: f64) -> Self;
    /// H p.
    fn apply(&self, impulse: S::Local) -> S::Local;
    /// H_nn.
    fn normal(&self) -> f64;
    /// Trace of H.
    fn trace(&self) -> f64;
    /// k.
    fn coupling(&self) -> S::Tangent;
    /// S p_t.
    fn schur(&self, tangent: S::Tangent) -> S::Tangent;
    /// (m, b) of the module's head, from the present velocity and impulse.
    fn reduce(&self, velocity: S::Local, impulse: S::Local) -> (f64, S::Tangent);
    /// The impulse that satisfies Coulomb's law: apart where that is possible, else stick where
    /// the cone allows it, else slip.
    fn coulomb(&self, m: f64, b: S::Tangent) -> S::Local;
}

/// [`Block`] in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneBlock {
    pub(crate) normal: f64,
    pub(crate) inverse_normal: f64,
    pub(crate) coupling: f64,
    schur: f64,
    pub(crate) inverse_schur: f64,
    /// The cone's edges on the line p_n = m − k p_t, as p_t/m: −μ/(1 − μk) and μ/(1 + μk).
    pub(crate) edges: [f64; 2],
}

/// [`Block`] in space. Reciprocals are left to those who sweep: they have them in lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeBlock {
    pub(crate) normal: f64,
    pub(crate) coupling: DVec2,
    /// S_xx, S_yy.
    schur: DVec2,
    /// S_xy.
    schur_off: f64,
    pub(crate) friction: f64,
}

impl Block<Plane> for PlaneBlock {
    fn new(column: impl Fn(usize) -> Local2, friction: f64) -> Self {
        let (n, t) = (column(0), column(1));
        let coupling = n.t / n.n;
        let schur = t.t - coupling * n.t;
        // Where the line never meets an edge (Painlevé's case) there is no bound on that side.
        // The stand-in for infinity is finite, so that its product with m = 0 is 0.
        let edge = |slope: f64| if slope > 0.0 { friction / slope } else { f64::MAX.sqrt() };
        Self {
            normal: n.n,
            inverse_normal: 1.0 / n.n,
            coupling,
            schur,
            inverse_schur: 1.0 / schur,
            edges: [-edge(1.0 - friction * coupling), edge(1.0 + friction * coupling)],
        }
    }
    #[inline(always)]
    fn apply(&self, p: Local2) -> Local2 {
        let n = (p.n + self.coupling * p.t) * self.normal;
        Local2 { n, t: self.coupling * n + self.schur * p.t }
    }
    #[inline(always)]
    fn normal(&self) -> f64 {
        self.normal
    }
    fn trace(&self) -> f64 {
        let h = self.normal;
        h + self.schur + self.coupling * self.coupling * h
    }
    fn coupling(&self) -> f64 {
        self.coupling
    }
    fn schur(&self, tangent: f64) -> f64 {
        self.schur * tangent
    }
    #[inline(always)]
    fn reduce(&self, u: Local2, p: Local2) -> (f64, f64) {
        (
            p.n + self.coupling * p.t - self.inverse_normal * u.n,
            u.t - self.coupling * u.n - self.schur * p.t,
        )
    }
    /// Closed form: the stick impulse, clipped to the cone along the line p_n = m − k p_t.
    ///
    /// At p_t = 0 that line is inside the cone (m > 0), so the cone cuts an interval out of it
    /// with 0 inside. If stick is beyond an end, slip at that end opposes the sliding. No branch:
    /// m ≤ 0 closes the interval to 0.
    #[inline(always)]
    fn coulomb(&self, m: f64, b: f64) -> Local2 {
        let m = larger(m, 0.0);
        let (low, high) = (self.edges[0] * m, self.edges[1] * m);
        let t = -larger(-larger(-b * self.inverse_schur, low), -high);
        Local2 { n: m - self.coupling * t, t }
    }
}

impl VolumeBlock {
    /// H with one number for the normal and one for all tangents.
    #[inline(always)]
    pub(crate) fn round(normal: f64, tangential: f64, friction: f64) -> Self {
        let (coupling, schur) = (DVec2::ZERO, DVec2::splat(tangential));
        Self { normal, coupling, schur, schur_off: 0.0, friction }
    }
    /// From h, k, S_xx and S_yy, S_xy, and Coulomb's coefficient.
    #[inline(always)]
    pub(crate) fn from_parts(
        normal: f64,
        coupling: DVec2,
        schur: DVec2,
        schur_off: f64,
        friction: f64,
    ) -> Self {
        Self { normal, coupling, schur, schur_off, friction }
    }
    /// Whether S is a multiple of the identity and k = 0, as between balls: slip has a closed form.
    #[inline(always)]
    pub(crate) fn is_round(&self) -> bool {
        self.schur.x == self.schur.y && self.schur_off == 0.0 && self.coupling == DVec2::ZERO
    }
    /// 1/det S.
    #[inline(always)]
    fn inverse_determinant(&self) -> f64 {
        1.0 / (self.schur.x * self.schur.y - self.schur_off * self.schur_off)
    }
    /// S⁻¹: xx, yy, xy.
    pub(crate) fn inverse_schur(&self) -> [f64; 3] {
        let scale = self.inverse_determinant();
        [self.schur.y * scale, self.schur.x * scale, -self.schur_off * scale]
    }
    #[inline(always)]
    fn schur_apply(&self, t: DVec2) -> DVec2 {
        self.schur * t + DVec2::new(t.y, t.x) * self.schur_off
    }
    /// −S⁻¹ b: what friction must do to stop all sliding.
    #[inline(always)]
    fn stick(&self, b: DVec2) -> DVec2 {
        let (s, o) = (self.schur, self.schur_off);
        DVec2::new(o * b.y - s.y * b.x, o * b.x - s.x * b.y) * self.inverse_determinant()
    }
    /// Slip, where m > 0 and stick is outside of the cone.
    #[inline(never)]
    fn slide(&self, m: f64, b: DVec2) -> Local3 {
        let (s, off) = (self.schur, self.schur_off);
        let (matrix, coupling) = ([[s.x, off], [off, s.y]], self.coupling.to_array());
        let disc = Disc { matrix, coupling, friction: self.friction };
        let b = b.to_array();
        Local3::from_array(&disc.slide(m, &b, disc.round_guess(m, &b)).0)
    }
}

impl Block<Volume> for VolumeBlock {
    fn new(column: impl Fn(usize) -> Local3, friction: f64) -> Self {
        let (n, x, y) = (column(0), column(1), column(2));
        let mut coupling = n.t / n.n;
        let mut schur = DVec2::new(x.t.x, y.t.y) - coupling * n.t;
        let mut schur_off = x.t.y - coupling.x * n.t.y;
        let mean = 0.5 * (schur.x + schur.y);
        // Between balls only rounding makes S uneven or couples it: cut that off.
        let uneven = (schur.x - mean).abs().max(schur_off.abs()).max(n.t.abs().max_element());
        let round = uneven <= 1e-14 * (mean + n.n);
        if round {
            (coupling, schur, schur_off) = (DVec2::ZERO, DVec2::splat(mean), 0.0);
        }
        Self { normal: n.n, coupling, schur, schur_off, friction }
    }
    #[inline(always)]
    fn apply(&self, p: Local3) -> Local3 {
        let n = (p.n + self.coupling.dot(p.t)) * self.normal;
        Local3 { n, t: self.coupling * n + self.schur_apply(p.t) }
    }
    #[inline(always)]
    fn normal(&self) -> f64 {
        self.normal
    }
    fn trace(&self) -> f64 {
        let h = self.normal;
        h + self.schur.x + self.schur.y + self.coupling.length_squared() * h
    }
    fn coupling(&self) -> DVec2 {
        self.coupling
    }
    fn schur(&self, tangent: DVec2) -> DVec2 {
        self.schur_apply(tangent)
    }
    #[inline(always)]
    fn reduce(&self, u: Local3, p: Local3) -> (f64, DVec2) {
        (
            p.n + self.coupling.dot(p.t) - (1.0 / self.normal) * u.n,
            u.t - self.coupling * u.n - self.schur_apply(p.t),
        )
    }
    #[inline(always)]
    fn coulomb(&self, m: f64, b: DVec2) -> Local3 {
        if m <= 0.0 {
            return Local3::ZERO;
        }
        let stick = self.stick(b);
        let stick_normal = m - self.coupling.dot(stick);
        let limit = self.friction * stick_normal;
        let square = stick.norm_squared();
        if stick_normal >= 0.0 && square <= limit * limit {
            return Local3 { n: stick_normal, t: stick };
        }
        if self.is_round() {
            return Local3 { n: m, t: stick * (limit / square.sqrt()) };
        }
        self.slide(m, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A random symmetric positive definite block LLᵀ.
    fn block3(l: [f64; 6], friction: f64) -> VolumeBlock {
        let rows = [[l[0], 0.0, 0.0], [l[1], l[2], 0.0], [l[3], l[4], l[5]]];
        let column = |j: usize| {
            let entry = |i: usize| (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
            Local3::new(entry(0), DVec2::new(entry(1), entry(2)))
        };
        VolumeBlock::new(column, friction)
    }

    fn law_holds3(block: &VolumeBlock, q: Local3, mu: f64, p: Local3) -> Result<(), TestCaseError> {
        let u = q + block.apply(p);
        let scale = q.n.abs() + q.t.length();
        let impulse = scale / block.normal();
        prop_assert!(p.n >= 0.0);
        prop_assert!(u.n >= -1e-9 * scale, "approaches: {u:?}");
        prop_assert!(p.n * u.n <= 1e-9 * scale * impulse, "pushes while apart: {p:?} {u:?}");
        prop_assert!(p.t.length() <= mu * p.n * (1.0 + 1e-12) + 1e-300, "outside the cone");
        // On the edge the impulse opposes the velocity; inside there is none.
        let power = u.t.dot(p.t) + u.t.length() * mu * p.n;
        prop_assert!(power.abs() <= 1e-7 * scale * (p.n * (1.0 + mu)).max(impulse), "{power}");
        Ok(())
    }

    proptest! {
        #[test]
        fn coulomb_holds_in_space(
            d in prop::array::uniform3(0.2f64..3.0), o in prop::array::uniform3(-1.0f64..1.0),
            q in prop::array::uniform3(-2.0f64..2.0), mu in 0.0f64..1.5,
        ) {
            let block = block3([d[0], o[0], d[1], o[1], o[2], d[2]], mu);
            let q = Local3::new(q[0], DVec2::new(q[1], q[2]));
            let (m, b) = block.reduce(q, Local3::ZERO);
            law_holds3(&block, q, mu, block.coulomb(m, b))?;
        }

        #[test]
        fn coulomb_holds_in_the_plane(
            l in prop::array::uniform3(0.2f64..3.0), sign in prop::bool::ANY,
            q in prop::array::uniform2(-2.0f64..2.0), mu in 0.0f64..3.0,
        ) {
            let o = if sign { l[1] } else { -l[1] };
            let h = [[l[0] * l[0], l[0] * o], [l[0] * o, o * o + l[2] * l[2]]];
            let block = PlaneBlock::new(|j| Local2 { n: h[0][j], t: h[1][j] }, mu);
            let q = Local2 { n: q[0], t: q[1] };
            let (m, b) = block.reduce(q, Local2::ZERO);
            let p = block.coulomb(m, b);
            let u = q + block.apply(p);
            prop_assert!(p.n >= 0.0 && u.n >= -1e-12 && p.n * u.n <= 1e-10);
            prop_assert!(p.t.abs() <= mu * p.n * (1.0 + 1e-14));
            prop_assert!((u.t * p.t + u.t.abs() * mu * p.n).abs() <= 1e-9 * (1.0 + p.n));
        }

        #[test]
        fn reduction_does_not_depend_on_the_present_impulse(
            p in prop::array::uniform3(-2.0f64..2.0), q in prop::array::uniform3(-2.0f64..2.0),
        ) {
            let block = block3([1.0, 0.3, 0.8, -0.2, 0.4, 1.1], 0.5);
            let q = Local3::new(q[0], DVec2::new(q[1], q[2]));
            let p = Local3::new(p[0], DVec2::new(p[1], p[2]));
            let (m0, b0) = block.reduce(q, Local3::ZERO);
            let (m1, b1) = block.reduce(q + block.apply(p), p);
            prop_assert!((m0 - m1).abs() < 1e-13 && (b0 - b1).length() < 1e-13);
        }
    }

    #[test]
    fn a_block_gives_back_its_matrix() {
        let block = block3([1.0, 0.5, 2.0, -0.25, 0.5, 1.5], 0.5);
        // First column of LLᵀ is l00·(l00, l10, l20).
        let column = block.apply(Local3::axis(0));
        assert!((column - Local3::new(1.0, DVec2::new(0.5, -0.25))).dot(column).abs() < 1e-15);
        assert!((block.trace() - (1.0 + 0.25 + 4.0 + 0.0625 + 0.25 + 2.25)).abs() < 1e-14);
        assert_eq!(block.normal(), 1.0);
    }

    /// Without friction only the normal part is left, however the block couples the two.
    #[test]
    fn a_coupled_block_without_friction() {
        let block = block3([1.0, 0.5, 2.0, -0.25, 0.5, 1.5], 0.0);
        let q = Local3::new(-3.0, DVec2::new(2.0, 1.0));
        let (m, b) = block.reduce(q, Local3::ZERO);
        let p = block.coulomb(m, b);
        assert_eq!((p.n, p.t), (3.0 / block.normal(), DVec2::ZERO));
    }

    /// A sphere of mass 1 on a plane: h = 1, T = 3.5; falls at 1 and slides at 2 with μ = 0.1:
    /// p_n = 1, p_t = −0.1 against the sliding.
    #[test]
    fn a_sliding_sphere_by_hand() {
        let column = |j| Local3::axis(j) * if j == 0 { 1.0 } else { 3.5 };
        let block = VolumeBlock::new(column, 0.1);
        let q = Local3::new(-1.0, DVec2::new(2.0, 0.0));
        let (m, b) = block.reduce(q, Local3::ZERO);
        let p = block.coulomb(m, b);
        assert!((p.n - 1.0).abs() < 1e-15 && (p.t - DVec2::new(-0.1, 0.0)).length() < 1e-15);
    }
}
