//! How the ranks of a run talk to each other.
//!
//! - [`threads`]: ranks are threads of one process. Nothing has to be installed; messages can be delayed on purpose.
//! - [`counting`]: what a rank says is counted on its way.
//! - `mpi`, behind the feature of that name: ranks are processes, on one machine or many.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod counting;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod threads;
