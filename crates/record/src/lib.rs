//! A run on disk: summary, ledger, curves, pictures and plots.
//!
//! - [`draw`]: canvases (pixels and vector files), text and colours.
//! - [`plot`]: curves over time.
//! - [`picture`]: the scene at one time.

pub mod draw;
mod error;
pub mod picture;
pub mod plot;

pub use error::RecordError;
