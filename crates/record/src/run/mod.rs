//! A run on disk.
//!
//! | file | what it holds |
//! |---|---|
//! | `scene.toml` | the scene as given |
//! | `summary.json` | how the run went ([`Summary`]) |
//! | `ledger.csv` | energies and works since the start, in J; `closure` is relative |
//! | `steps.csv` | solver: the largest values since the row before; `penetration` in m |
//! | `boundaries.csv` | for each boundary its position (m), velocity (m/s) and the force on it (N) |
//! | `bodies.csv` | for each tracked body its position (m), rotation (rad, or a quaternion), velocity (m/s) and spin (rad/s, world axes) |
//! | `frames/000000.png` … | pictures |
//! | `forces.png` | the contact forces at the end |
//! | `energy.png`, `energy.svg`, `solver.png` | curves |
//!
//! The first column of each table is `time`, in seconds. A cell is empty where there is nothing to
//! say: a boundary that was removed, a body that has not come yet.
//!
//! The summary is replaced as a whole, about once a second and at the end, and tables grow by whole
//! rows: after a kill at any moment the run can be read up to the last of these times.

mod columns;
mod curves;
mod directory;
mod gallery;
mod recorder;
mod summary;

pub use columns::Recorded;
pub use directory::prepare;
pub use recorder::{Recorder, Settings, run};
pub use summary::{Energy, Penetration, PhaseEnd, Spread, Status, Summary};
