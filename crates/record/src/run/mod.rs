//! A run on disk.
//!
//! | file | what it holds |
//! |---|---|
//! | `scene.toml` | the scene as given |
//! | `summary.json` | how the run went ([`Summary`]) |
//! | `ledger.csv` | energies and works since the start, in J; `closure` is relative |
//! | `steps.csv` | solver: the largest values since the row before; `penetration` in m |
//! | `boundaries.csv` | for each boundary its position (m), velocity (m/s) and the force on it (N) |
//! | `joints.csv` | for each joint its place (m), force (N) and torque (N m) on its first side, and how far it has drifted (m, rad) |
//! | `cell.csv` | the periodic cell: vectors, strain, stresses, solid fraction, coordination |
//! | `membranes.csv` | of each membrane: pressure, what it encloses, its surface |
//! | `bodies.csv` | for each tracked body its position (m), rotation (rad, or a quaternion), velocity (m/s) and spin (rad/s, world axes) |
//! | `record/` | frames, contacts and the checkpoint: see [`archive`](crate::archive) |
//! | `frames/000000.png` … | pictures |
//! | `forces.png` | the contact forces at the end |
//! | `energy.png`, `solver.png`, and both as `.svg` | curves |
//! | `.lock` | locked while the run is written ([`RunLock`]) |
//!
//! The first column of each table is `time`, in seconds. A cell is empty where there is nothing to
//! say: a boundary that was removed, a body that has not come yet.
//!
//! A checkpoint is written about once a second (less often where it takes long) and at the end. What
//! was written before it is on the disk then: after a kill at any moment the run can be read up to
//! it, and goes on from it. The summary is replaced as a whole, and tables grow by whole rows.

mod columns;
mod curves;
mod directory;
mod gallery;
mod islands;
mod journal;
mod lock;
mod memory;
mod painter;
mod recorder;
mod summary;
mod tables;
mod verdict;

pub use crate::archive::Recorded;
pub use curves::{ledger_values, report_values};
pub use directory::prepare;
pub use journal::Journal;
pub use lock::RunLock;
pub(crate) use lock::check_place;
pub use painter::painter;
pub use recorder::{Recorder, Settings};
pub use summary::{
    Energy, JudgedSteps, MethodUse, Penetration, PhaseEnd, RankSummary, Recording, Spread, Status,
    Summary, UniqueCollisions,
};
pub use verdict::{Doubt, Reason, Seen, Verdict};
