//! Small problems of all kinds, and a place to write them to.

use drystone_fclib::{Form, Info, Joints, LocalJoints, Problem, RecordedSolution};
use drystone_solve::SparseMatrix;
use std::path::PathBuf;

/// A directory of the test's own, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Numbers that differ from each other.
pub fn numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|i| (seed + 1.7 * i as f64).sin()).collect()
}

fn answer(size: usize, freedoms: usize, joints: usize, seed: f64) -> RecordedSolution {
    RecordedSolution {
        u: numbers(size, seed),
        r: numbers(size, seed + 0.1),
        v: numbers(freedoms, seed + 0.2),
        l: numbers(joints, seed + 0.3),
    }
}

fn problem(
    dimension: usize,
    contacts: usize,
    form: Form,
    answers: [RecordedSolution; 3],
) -> Problem {
    let [solution, first, second] = answers;
    Problem {
        info: Info {
            title: "A small problem".to_owned(),
            description: "Two lines,\nand a letter beyond ASCII: μ".to_owned(),
            math_info: String::new(),
        },
        dimension,
        friction: (0..contacts).map(|contact| 0.1 * contact as f64).collect(),
        rolling: if dimension == 5 { vec![0.25; contacts] } else { Vec::new() },
        form,
        solution: Some(solution),
        guesses: vec![first, second],
    }
}

/// A local problem: W diagonal but for one entry on each side.
pub fn local(dimension: usize, contacts: usize) -> Problem {
    let size = dimension * contacts;
    let mut entries: Vec<_> = (0..size).map(|i| (i, i, 2.0 + i as f64)).collect();
    entries.extend([(0, size - 1, 0.5), (size - 1, 0, 0.5)]);
    let delassus = SparseMatrix::from_entries(size, size, &entries);
    let form = Form::Local { delassus, free: numbers(size, 0.0), joints: None };
    problem(dimension, contacts, form, [1.0, 2.0, 3.0].map(|seed| answer(size, 0, 0, seed)))
}

/// The same with two constraints.
pub fn tied(dimension: usize, contacts: usize) -> Problem {
    let size = dimension * contacts;
    let mut problem = local(dimension, contacts);
    let Form::Local { joints, .. } = &mut problem.form else { unreachable!() };
    *joints = Some(Box::new(LocalJoints {
        map: SparseMatrix::from_entries(size, 2, &[(0, 0, 1.0), (1, 0, 0.5), (size - 1, 1, -1.0)]),
        response: SparseMatrix::from_entries(
            2,
            2,
            &[(0, 0, 4.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)],
        ),
        offset: vec![0.25, -0.5],
    }));
    problem.solution.as_mut().unwrap().l = numbers(2, 8.0);
    problem
}

/// A global problem: every contact touches all of few degrees of freedom.
pub fn global(dimension: usize, contacts: usize, jointed: bool) -> Problem {
    let (size, freedoms) = (dimension * contacts, 4);
    let mass: Vec<_> = (0..freedoms).map(|i| (i, i, 1.0 + i as f64)).collect();
    let map: Vec<_> = (0..size)
        .flat_map(|column| {
            (0..freedoms).map(move |row| (row, column, numbers(99, 5.0)[row * 7 + column]))
        })
        .collect();
    let joints = jointed.then(|| {
        let map = SparseMatrix::from_entries(freedoms, 1, &[(0, 0, 1.0), (3, 0, -1.0)]);
        Box::new(Joints { map, offset: vec![0.125] })
    });
    let form = Form::Global {
        mass: SparseMatrix::from_entries(freedoms, freedoms, &mass),
        map: SparseMatrix::from_entries(freedoms, size, &map),
        force: numbers(freedoms, 4.0),
        offset: numbers(size, 6.0),
        joints,
    };
    let answers = [1.0, 2.0, 3.0].map(|seed| answer(size, freedoms, usize::from(jointed), seed));
    problem(dimension, contacts, form, answers)
}

/// One problem of each kind.
pub fn all_kinds() -> Vec<Problem> {
    vec![
        local(2, 3),
        local(3, 2),
        local(5, 1),
        tied(3, 2),
        global(2, 1, false),
        global(3, 2, true),
        global(5, 2, false),
    ]
}
