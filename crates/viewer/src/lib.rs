//! A run in the browser.
//!
//! - [`Show`]: a record as the page reads it, also while the run goes on.
//! - [`Server`]: serves the page and a run on the loopback interface.
//! - [`write_html`]: the page and a run as one file that needs no server; [`write_html_beside`] with two runs.
//! - [`Card`], [`catalogue`] and [`block`]: the same of a run that is in no record.
//!
//! The page itself is in `page/`: plain JavaScript with WebGL 2, put together in [`page`]. It asks for
//! two things: what the run is (`run.json`), and frames (`frame/0` …) as blocks of numbers.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod compact;
mod connection;
mod html;
mod page;
mod run;
mod server;

pub use compact::block;
pub use html::{HtmlSize, write_html, write_html_beside};
pub use page::{page, page_beside};
pub use run::{Card, Show, catalogue};
pub use server::{Control, Server};
