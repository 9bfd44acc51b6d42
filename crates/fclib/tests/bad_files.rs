//! Files that are no problems: each is refused with its place and a reason, and none makes a panic.

mod common;

use drystone_fclib::{Error, Form, Problem};
use drystone_solve::SparseMatrix;
use rust_hdf5::H5File;
use std::path::{Path, PathBuf};

fn refused(path: &Path) -> Error {
    let error = Problem::read(path).expect_err("the file is bad");
    let text = error.to_string();
    assert!(text.starts_with(&path.display().to_string()), "{text}");
    for part in ["found ", "; expected ", "\n  help: "] {
        assert!(text.contains(part), "{text}");
    }
    error
}

/// What reading says about a problem that was changed before it was written.
fn changed(name: &str, mut problem: Problem, change: impl FnOnce(&mut Problem)) -> Error {
    change(&mut problem);
    let path = common::folder(name).join("bad.hdf5");
    problem.write(&path).unwrap();
    refused(&path)
}

#[test]
fn numbers_that_are_none_are_refused() {
    let local = |change: fn(&mut SparseMatrix, &mut Vec<f64>)| {
        move |problem: &mut Problem| {
            let Form::Local { delassus, free, .. } = &mut problem.form else { unreachable!() };
            change(delassus, free);
        }
    };
    let error = changed("nan-q", common::local(3, 2), local(|_, q| q[4] = f64::NAN));
    assert_eq!(error.key, "fclib_local/vectors/q");
    assert_eq!(error.found, "NaN at position 4");
    let infinite = local(|w, _| *w = SparseMatrix::from_entries(6, 6, &[(1, 1, f64::INFINITY)]));
    let error = changed("inf-w", common::local(3, 2), infinite);
    assert_eq!(
        (error.key.as_str(), error.found.as_str()),
        ("fclib_local/W/x", "inf at position 0")
    );
    let error = changed("mu", common::local(3, 2), |problem| problem.friction[1] = -0.5);
    assert_eq!(error.key, "fclib_local/vectors/mu");
    assert_eq!(error.found, "-0.5 at contact 1");
    let error = changed("mu_r", common::local(5, 2), |problem| problem.rolling[0] = -1.0);
    assert_eq!(error.key, "fclib_local_rolling/vectors/mu_r");
    let answer = |problem: &mut Problem| problem.guesses[1].r[0] = f64::NAN;
    assert_eq!(changed("guess", common::local(2, 2), answer).key, "guesses/2/r");
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let error = changed("q", common::local(3, 2), |problem| {
        let Form::Local { free, .. } = &mut problem.form else { unreachable!() };
        free.pop();
    });
    assert_eq!(error.key, "fclib_local/vectors/q");
    assert!(error.expected.starts_with("6 numbers: 3 for each of the 2 contacts"), "{error}");
    let error = changed("w", common::local(3, 2), |problem| {
        let Form::Local { delassus, .. } = &mut problem.form else { unreachable!() };
        *delassus = SparseMatrix::from_entries(6, 7, &[]);
    });
    assert_eq!(
        (error.key.as_str(), error.found.as_str()),
        ("fclib_local/W/m", "a matrix of 6 by 7")
    );
    let error = changed("f", common::global(3, 2, false), |problem| {
        let Form::Global { force, .. } = &mut problem.form else { unreachable!() };
        force.push(0.0);
    });
    assert_eq!(error.key, "fclib_global/M/m");
    let error = changed("mu_r", common::local(5, 2), |problem| problem.rolling.truncate(1));
    assert_eq!(error.key, "fclib_local_rolling/vectors/mu_r");
    let error = changed("u", common::local(2, 2), |problem| {
        problem.solution.as_mut().unwrap().u.push(0.0);
    });
    assert_eq!((error.key.as_str(), error.expected.as_str()), ("solution/u", "4 numbers"));
    let error = changed("none", common::local(2, 2), |problem| problem.friction.clear());
    assert_eq!((error.key.as_str(), error.found.as_str()), ("fclib_local/vectors/q", "4 numbers"));
}

/// Datasets of a small local problem with one contact in the plane.
fn datasets() -> Vec<(&'static str, Vec<i32>)> {
    [
        ("spacedim", vec![2]),
        ("W/m", vec![2]),
        ("W/n", vec![2]),
        ("W/nz", vec![2]),
        ("W/nzmax", vec![2]),
        ("W/p", vec![0, 1]),
        ("W/i", vec![0, 1]),
    ]
    .into()
}

/// Writes a file with these integers; a missing dataset is not written, and numbers are as they
/// should be.
fn write(path: &Path, group: &str, integers: &[(&str, Vec<i32>)]) {
    let file = H5File::create(path).unwrap();
    let top = file.create_group(group).unwrap();
    let matrix = top.create_group("W").unwrap();
    let vectors = top.create_group("vectors").unwrap();
    for (place, values) in integers {
        let (parent, name) = match place.split_once('/') {
            Some((_, name)) => (&matrix, name),
            None => (&top, *place),
        };
        let dataset = parent.new_dataset::<i32>().shape([values.len()]).create(name).unwrap();
        if !values.is_empty() {
            dataset.write_raw(values).unwrap();
        }
    }
    for (parent, name, values) in
        [(&matrix, "x", &[1.0, 2.0][..]), (&vectors, "q", &[-1.0, 0.0]), (&vectors, "mu", &[0.5])]
    {
        let dataset = parent.new_dataset::<f64>().shape([values.len()]).create(name).unwrap();
        dataset.write_raw(values).unwrap();
    }
    file.close().unwrap();
}

#[test]
fn matrices_that_are_none_are_refused() {
    let path = common::folder("matrices").join("bad.hdf5");
    write(&path, "fclib_local", &datasets());
    assert_eq!(Problem::read(&path).unwrap().contacts(), 1, "the file to be spoiled is good");
    for (name, values, place, found) in [
        ("spacedim", vec![4], "spacedim", "4"),
        ("spacedim", vec![], "spacedim", "an empty dataset"),
        ("W/i", vec![0, 2], "W/i", "2 at position 1"),
        ("W/i", vec![0, -1], "W/i", "-1 at position 1"),
        ("W/p", vec![5, 1], "W/p", "5 at position 0"),
        ("W/p", vec![0], "W/p", "1 numbers"),
        ("W/nz", vec![3], "W/i", "2 numbers"),
        ("W/nz", vec![-3], "W/nz", "-3"),
        ("W/nz", vec![-2], "W/p", "2 numbers"),
        ("W/m", vec![-2], "W/m", "-2"),
    ] {
        let mut integers = datasets();
        integers.iter_mut().find(|(known, _)| *known == name).unwrap().1 = values;
        write(&path, "fclib_local", &integers);
        let error = refused(&path);
        assert_eq!(error.key, format!("fclib_local/{place}"), "{error}");
        assert_eq!(error.found, found, "{error}");
    }
    // Pointers of compressed rows that fall, or do not start at zero.
    for pointers in [vec![0, 2, 1], vec![1, 1, 2], vec![-1, 1, 2]] {
        let mut integers = datasets();
        integers[3].1 = vec![-2];
        integers[5].1 = pointers;
        write(&path, "fclib_local", &integers);
        assert_eq!(refused(&path).found, "pointers out of order");
    }
}

#[test]
fn missing_datasets_are_named() {
    let path = common::folder("missing").join("bad.hdf5");
    for missing in ["spacedim", "W/m", "W/n", "W/nz", "W/p", "W/i"] {
        let mut integers = datasets();
        integers.retain(|(name, _)| *name != missing);
        write(&path, "fclib_local", &integers);
        let error = refused(&path);
        assert_eq!(
            (error.key, error.found.as_str()),
            (format!("fclib_local/{missing}"), "nothing")
        );
    }
    write(&path, "fclib_local_rolling", &datasets());
    assert_eq!(refused(&path).key, "fclib_local_rolling/vectors/mu_r");
    write(&path, "other", &datasets());
    let error = refused(&path);
    assert_eq!((error.key.as_str(), error.found.as_str()), ("", "the groups other"));
}

#[test]
fn what_is_no_hdf5_is_refused() {
    let folder = common::folder("no-hdf5");
    for (name, bytes) in [("empty", &b""[..]), ("text", b"spacedim = 3\n"), ("zeros", &[0; 4096])] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(refused(&path).expected, "a whole HDF5 file");
    }
    assert!(refused(&folder.join("absent")).to_string().contains("check the path"));
    refused(&folder);
}

/// A good file, its bytes, and where to write a damaged one.
fn whole(name: &str, problem: &Problem) -> (PathBuf, Vec<u8>) {
    let path = common::folder(name).join("damaged.hdf5");
    problem.write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn truncated_files_are_refused() {
    for (index, problem) in common::all_kinds().iter().enumerate() {
        let (path, bytes) = whole(&format!("truncated-{index}"), problem);
        for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            // Even where what is cut off is padding, or a text that nobody needs.
            refused(&path);
        }
    }
}

/// Bytes changed at random: the file is refused, or read as some problem whose sizes fit.
#[test]
fn damaged_files_make_no_panic() {
    let mut random = 0x9e3779b97f4a7c15u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for (index, problem) in common::all_kinds().iter().enumerate() {
        let (path, bytes) = whole(&format!("damaged-{index}"), problem);
        for _ in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..=next(3) {
                let place = next(damaged.len());
                damaged[place] = [0, 0xff, 0x80, next(256) as u8][next(4)];
            }
            std::fs::write(&path, &damaged).unwrap();
            if let Ok(read) = Problem::read(&path) {
                let _ = read.assembled();
            }
        }
    }
}
