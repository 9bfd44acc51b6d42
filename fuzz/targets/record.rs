//! Any bytes give the arrays of a record or a message, and any arrays a catalogue, a frame and a checkpoint or a
//! message. Checksums are passed over while fuzzing, or nothing would be found behind them.

#![no_main]

mod seeds;

use drystone::record::archive::{Catalogue, Checkpoint, Frame, Npz, Recorded};
use drystone::space::{Plane, Volume};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: seeds::write(), |bytes: &[u8]| {
    match Npz::decode(bytes) {
        Ok(arrays) => {
            read::<Plane>(&arrays);
            read::<Volume>(&arrays);
        }
        Err(why) => assert!(!why.is_empty()),
    }
});

/// What is read can be written, and reads back.
fn read<S: Recorded>(arrays: &Npz) {
    if let Ok(catalogue) = Catalogue::<S>::decode(arrays) {
        let again = Npz::of(|arrays| catalogue.put(arrays));
        Catalogue::<S>::decode(&again).expect("what was read");
    }
    if let Ok(frame) = Frame::<S>::decode(arrays) {
        let again = Npz::of(|arrays| frame.put(arrays));
        Frame::<S>::decode(&again).expect("what was read");
    }
    let _ = Checkpoint::<S>::decode(arrays);
}
