//! Scene files: from TOML to a world, or to a report of everything that is wrong.
//!
//! [`Scene::read`] reads a file and checks it: every problem is found with its place, what stands
//! there, what was expected and what to do ([`Report`]). A good scene gives a [`Setup`] and a
//! world. [`schema`] is the JSON Schema of the format; both come from the same types.
//!
//! The way of a file: `decode` (TOML to the tables of `format`, in SI units) → `build` (names,
//! shapes, generators, and the checks that need the whole scene) → [`Scene`].
//!
//! [`Sweep::read`] reads the files of the sweeping process in the same way.
//!
//! [`Setup`]: drystone_engine::Setup

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod build;
mod decode;
mod files;
mod format;
mod mesh;
mod overrides;
mod plain;
mod quantity;
mod report;
mod robot;
mod scene;
mod suggest;
mod sweep;
mod syntax;
mod wrap;

pub use files::{Folders, SceneFile};
pub use format::schema;
pub use overrides::Override;
pub use report::{Problem, Report, Severity};
pub use scene::{AnySetup, Output, RecordLevel, Scene, View};
pub use suggest::nearest;
pub use sweep::Sweep;
