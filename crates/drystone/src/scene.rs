//! Scenes as values: read from a file or a text, checked, and changed by key.
//!
//! ```
//! use drystone::scene::{Override, Scene};
//! let text = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
//!     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
//!     [[body]]\nshape = { disk = 0.1 }\nmaterial = \"stone\"\n";
//! let change: Override = "default_law.friction=0.7".parse()?;
//! let scene = Scene::parse_with("ball", text, None, &[change])?;
//! assert!(scene.source.contains("friction = 0.7"));
//!
//! // A key that is not known is told with what was probably meant.
//! let change: Override = "default_law.fricton=0.7".parse()?;
//! let error = Scene::parse_with("ball", text, None, &[change]).unwrap_err();
//! assert!(error.to_string().contains("friction"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use drystone_scene::{
    AnySetup, Folders, Output, Override, Problem, RecordLevel, Report, Scene, SceneFile, Severity,
    View, schema, with_setup,
};
