//! Scenes that are written and run in the browser: the library as a WebAssembly module, and its page.
//!
//! - [`Session`]: a scene in motion, with frames, curves and a summary as the viewer's page reads them.
//! - [`Grasp`]: a body that is drawn to the pointer.
//! - [`complete()`]: what could stand at a place of a scene's text.
//! - [`abi`]: all of it as functions of a module without a binding generator.
//!
//! The page is in `page/`; `examples/site.rs` puts it together into one static folder.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod abi;
mod complete;
mod grasp;
mod session;

pub use complete::{Suggestion, complete};
pub use grasp::Grasp;
pub use session::{Session, Source, problems};
