//! Factorisations of linear systems: sparse ones by a library, small dense ones in place.
//!
//! The library's generic code is compiled here, once and for one type of index, and not in every
//! crate that needs it.
//!
//! A sparse matrix is given row after row: `starts` has the place of each row's first entry and one
//! more at the end, `columns` and `values` the entries, columns rising within a row.

mod cholesky;
mod dense;
mod fronts;
mod lu;
mod ordered;

pub use cholesky::Cholesky;
pub use dense::DenseLu;
pub use fronts::FrontalLu;
pub use lu::Lu;
pub use ordered::{NotDefinite, OrderedCholesky};
