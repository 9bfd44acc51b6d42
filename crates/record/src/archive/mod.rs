//! The record of a run: what it is made of, where everything was at each frame, every contact with
//! its impulse, and a checkpoint to go on from.
//!
//! | file in `record/` | what it holds |
//! |---|---|
//! | `about.json` | format, version, dimension, steps, seed, names of columns ([`About`]) |
//! | `things.npz` | bodies (those that will enter too) and boundaries with their shapes, solids with their meshes ([`Catalogue`]) |
//! | `000000.npz` … | one frame each ([`Frame`]) |
//! | `frames.csv` | time, steps, bodies and contacts of each frame |
//! | `checkpoint.npz` | what a resumed run goes on from |
//! | `files/` | copies of the files that the scene has read |
//!
//! Every `.npz` is a ZIP archive of NumPy arrays with a checksum for each, and appears as a whole or
//! not at all: see [`Packer`]. A frame is never changed once it is there. All numbers are in SI units and
//! `f64`.
//!
//! ```no_run
//! use drystone_record::archive::Archive;
//! use drystone_space::Plane;
//! let archive = Archive::open("runs/wall".as_ref())?;
//! let catalogue = archive.catalogue::<Plane>()?;
//! for frame in archive.frames::<Plane>() {
//!     let frame = frame?; // a frame that is damaged; the next ones can still be read
//!     for (body, entry) in frame.bodies.iter().zip(&catalogue.bodies) {
//!         println!("{} {:?} {}", frame.time, body.pose.position, entry.mass);
//!     }
//!     for contact in &frame.contacts {
//!         println!("{:?}", contact.contact.impulse / archive.about().time_step);
//!     }
//! }
//! # Ok::<(), drystone_record::RecordError>(())
//! ```

mod about;
mod array;
mod batch;
mod bond;
mod catalogue;
mod cell;
mod checkpoint;
mod columns;
mod contact;
mod frame;
mod joint;
mod kept;
mod npz;
mod packer;
mod reader;
mod scribe;
mod shape;
mod sleep;
mod solid;
mod solid_contact;
mod steer;

pub use about::{About, FORMAT};
pub use array::{Array, Data};
pub use bond::BondFrame;
pub use catalogue::{Catalogue, RigidEntry};
pub use checkpoint::{Checkpoint, put_checkpoint};
pub use contact::{ContactFrame, ContactStatus, owner_number, status};
pub use frame::{BoundaryFrame, Frame, MovingBody, speed};
pub use joint::JointEntry;
pub use kept::kept_files;
pub use npz::Npz;
pub use packer::{Arrays, Packer};
pub use reader::Archive;
pub use shape::{Kind, Recorded, ShapeRow};
pub use solid::{SolidEntry, SolidFrame};
pub use solid_contact::{partner_numbers, solid_status};

pub(crate) use about::ARRAYS;
pub(crate) use batch::{Batch, at_once, put_whole, remove_unfinished, replace};
pub(crate) use checkpoint::write_checkpoint;
pub(crate) use kept::{keep_files, kept_sums, remove_files};
pub(crate) use reader::{FRAME_COLUMNS, folder, frame_files};
pub(crate) use scribe::Scribe;
