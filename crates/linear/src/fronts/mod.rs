//! Factorisations by fronts (Duff & Reid 1983): unknowns that reach the same are eliminated together, in a small dense
//! matrix that holds all that they reach; what is left of it is added to the front of those that come next.

mod cholesky;
mod dense;
mod lu;
mod tree;

pub use cholesky::{Cholesky, NotDefinite, Room};
pub use lu::FrontalLu;
pub use tree::minimum_degree;
