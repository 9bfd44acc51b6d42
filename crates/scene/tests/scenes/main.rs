//! The scenes of `scenes/`, each checked for what its header says that it shows.
//!
//! Tolerances come from the time step h and the solver's tolerance: a velocity is right to O(g h)
//! at an event, a position to O(v h) after it.

mod bonds;
mod cells;
mod closed_form;
mod curved;
mod diagnosis;
mod forces;
mod gauss;
mod granular;
mod indeterminacy;
mod joints;
mod laboratory;
mod laws;
mod limits;
mod masonry;
mod meshes;
mod methods;
mod percussion;
mod quake;
mod robots;
mod rotation;
mod solids;
mod specimens;
mod statics;
mod stonework;
mod support;
