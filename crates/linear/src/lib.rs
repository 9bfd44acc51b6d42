//! Factorisations of linear systems: sparse ones by fronts or by columns, small dense ones in place.
//!
//! Every sum is made in an order that the matrix alone gives, so that answers have the same bits on every machine.
//!
//! A sparse matrix is given row after row: `starts` has the place of each row's first entry and one
//! more at the end, `columns` and `values` the entries, columns rising within a row.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod dense;
mod fronts;
mod lu;

pub use dense::DenseLu;
pub use fronts::{Cholesky, FrontalLu, NotDefinite, Room};
pub use lu::Lu;
