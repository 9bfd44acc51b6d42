//! A run on disk: summary, ledger, curves, pictures and plots.
//!
//! - [`draw`]: canvases (pixels and vector files), text and colours.
//! - [`plot`]: curves over time.
//! - [`picture`]: the scene at one time.
//! - [`cloud`]: the forces that one contact can have.
//! - [`run`]: a run on disk, written while it goes on.
//! - [`table`]: CSV files.

pub mod cloud;
pub mod draw;
mod error;
pub mod picture;
pub mod plot;
pub mod run;
pub mod table;

pub use error::RecordError;
