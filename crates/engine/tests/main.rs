//! The engine's own tests in small worlds, but for those that count what is allocated. One program, since the engine is generic and would be compiled
//! anew for each of several.

mod beside_solids;
mod bonds;
mod cells;
mod cells_beside;
mod deferred;
mod determinism;
mod drives;
mod joints;
mod ledger;
mod membranes;
mod phases;
mod recovery;
mod second_order;
mod sleep;
mod solid_laws;
mod solids;
mod speculative;
mod steer;
mod support;
