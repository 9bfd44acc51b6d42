//! Every recorded problem beside the repository is read; where there are none, this is told.

use drystone_fclib::Problem;
use drystone_solve::with_assembled;
use std::path::{Path, PathBuf};

fn recorded() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fclib");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no recorded problems in {}", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "hdf5"));
    files.sort();
    files
}

#[test]
fn recorded_problems_are_read_and_reduced() {
    for path in recorded() {
        let problem = Problem::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(!problem.info.title.is_empty(), "{}", path.display());
        let assembled = problem.assembled().unwrap();
        with_assembled!(&assembled, assembled => {
            assert_eq!(assembled.contacts(), problem.contacts());
            // A contact that answers to no impulse would be a matrix read wrongly.
            for contact in 0..problem.contacts() {
                assert!(assembled.delassus.diagonal(contact)[0][0] > 0.0, "{}", path.display());
            }
            // One recorded mass matrix is unsymmetric by 16 %, all others by less than 1 %.
            let asymmetry = assembled.delassus.asymmetry();
            let strange = path.ends_with("LMGC_GlobalFrictionContactProblem00046.hdf5");
            assert_eq!(asymmetry > 0.01, strange, "{}: {asymmetry}", path.display());
        });
    }
}
