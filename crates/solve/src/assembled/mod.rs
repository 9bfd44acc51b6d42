//! Contact problems with an assembled Delassus matrix: u = W r + q and, for every contact, a cone.
//!
//! This is the form of recorded problems (FCLib) and of solvers that need the matrix itself. A
//! contact has D components, normal first: 2 in the plane, 3 in space, 5 with rolling resistance
//! (normal, two tangential, two moments). With Û = u + (μ|u_t| + μ_r|u_m|) n the law of a contact
//! is K* ∋ Û ⟂ r ∈ K = {|r_t| ≤ μ r_n, |r_m| ≤ μ_r r_n} (de Saxcé's form of Coulomb's law).

mod gather;
mod judge;
pub mod local;
mod matrix;
mod product;

pub use crate::law::Cone;
pub use gather::Gather;
pub use judge::SCALE_FREE_SLACK;
pub use local::{Local, Square};
pub use matrix::BlockMatrix;

/// A contact problem with an assembled matrix.
#[derive(Clone, Debug, Default)]
pub struct Assembled<const D: usize> {
    /// W, in 1/kg: block rows and columns are contacts.
    pub delassus: BlockMatrix<D>,
    /// q, the velocity of each contact without impulses.
    pub free: Vec<Local<D>>,
    /// The cone of each contact.
    pub cones: Vec<Cone>,
}

impl<const D: usize> Assembled<D> {
    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.cones.len()
    }

    /// ρ of a contact, D / trace(W_cc), by which velocities become impulses of its own size; 1 where it does not
    /// answer to impulses.
    pub fn scale(&self, contact: usize) -> f64 {
        let block = self.delassus.diagonal(contact);
        let trace: f64 = (0..D).map(|i| block[i][i]).sum();
        if trace > 0.0 { D as f64 / trace } else { 1.0 }
    }

    /// u = W r + q of one contact.
    #[inline(always)]
    pub fn velocity(&self, contact: usize, impulses: &[Local<D>]) -> Local<D> {
        self.delassus.row_multiply_add(contact, impulses, self.free[contact])
    }

    /// u = W r + q.
    pub fn velocities(&self, impulses: &[Local<D>], velocities: &mut [Local<D>]) {
        velocities.copy_from_slice(&self.free);
        self.delassus.multiply_add(impulses, velocities);
    }
}

/// An assembled problem of any dimension.
#[derive(Clone, Debug)]
pub enum AnyAssembled {
    /// Contacts in the plane.
    Plane(Assembled<2>),
    /// Contacts in space.
    Volume(Assembled<3>),
    /// Contacts in space with rolling resistance.
    Rolling(Assembled<5>),
}

impl From<Assembled<2>> for AnyAssembled {
    fn from(problem: Assembled<2>) -> Self {
        Self::Plane(problem)
    }
}

impl From<Assembled<3>> for AnyAssembled {
    fn from(problem: Assembled<3>) -> Self {
        Self::Volume(problem)
    }
}

/// Runs the same expression on the problem inside an [`AnyAssembled`].
#[macro_export]
macro_rules! with_assembled {
    ($any:expr, $problem:ident => $body:expr) => {
        match $any {
            $crate::AnyAssembled::Plane($problem) => $body,
            $crate::AnyAssembled::Volume($problem) => $body,
            $crate::AnyAssembled::Rolling($problem) => $body,
        }
    };
}
