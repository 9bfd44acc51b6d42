//! Frictional contact problems in FCLib's HDF5 layout: read, checked, written.
//!
//! One file holds one problem in one top group, with an optional solution and guesses beside it
//! (Acary et al. 2014; the layout as we read and write it is on the page `docs/fclib.md`):
//!
//! | group | problem |
//! |---|---|
//! | `fclib_local` | u = W r + V λ + q, Vᵀ r + R λ + s = 0 |
//! | `fclib_global` | M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0 |
//! | `fclib_local_rolling`, `fclib_global_rolling` | the same with moments: five components a contact |
//!
//! [`Problem::read`] refuses what is not such a problem with an [`Error`] that tells where; what it
//! gives back has consistent sizes and finite numbers, so that nothing later needs to check again.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod error;
mod matrix;
mod pose;
mod problem;
mod read;
mod store;
mod write;

pub use error::Error;
pub use pose::Posed;
pub use problem::{Form, Info, Joints, Kind, LocalJoints, Problem, RecordedSolution};
