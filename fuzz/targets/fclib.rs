//! Any bytes give a contact problem that can be solved, or a message.

#![no_main]

mod seeds;

use drystone::fclib::Problem;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;

fuzz_target!(init: seeds::write(), |bytes: &[u8]| {
    // The library that reads HDF5 wants a file; memory serves as a disk where there is one.
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let path = folder.join(format!("drystone-fuzz-{}.hdf5", std::process::id()));
    std::fs::write(&path, bytes).expect("a place for files");
    let read = Problem::read(&path);
    let _ = std::fs::remove_file(&path);
    match read {
        Ok(problem) => {
            assert_eq!(problem.cones().len(), problem.contacts());
            let _ = problem.assembled();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
