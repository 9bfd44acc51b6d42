//! The documentation as one folder of HTML.
//!
//! - [`write_book`]: all pages of `docs/`, the README and the list of changes, with what they link to, an index of words, and the
//!   playground where it was built.
//! - [`validation`]: cases with an exact or a published answer, and the page of them.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod chapters;
mod page;
pub mod validation;
mod write;

pub use chapters::{Chapter, Part, parts};
pub use page::{Heading, render};
pub use write::{Book, write_book};
