//! A run on disk: summary, ledger, curves, pictures and plots.
//!
//! - [`draw`]: canvases (pixels and vector files), text and colours.
//! - [`plot`]: curves over time.
//! - [`export`]: a recorded run for other programs.
//! - [`picture`]: the scene at one time.
//! - [`cloud`]: the forces that one contact can have.
//! - [`archive`]: frames, contacts and checkpoints of a run, written and read back.
//! - [`run`]: a run on disk, written while it goes on.
//! - [`table`]: CSV files.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod archive;
pub mod cloud;
pub mod draw;
mod error;
pub mod export;
pub mod picture;
pub mod plot;
pub mod run;
mod skin;
pub mod table;

pub use error::RecordError;
