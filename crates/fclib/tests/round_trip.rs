//! What is written is read again, by us and by other programs.

mod common;

use drystone_fclib::{Form, Info, Problem};
use drystone_solve::{AnyAssembled, with_assembled};
use std::path::Path;
use std::process::Command;

#[test]
fn problems_of_all_kinds_come_back_as_they_were() {
    let folder = common::folder("round-trip");
    for (index, problem) in common::all_kinds().iter().enumerate() {
        let path = folder.join(format!("{index}.hdf5"));
        problem.write(&path).unwrap();
        assert_eq!(&Problem::read(&path).unwrap(), problem);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), common::all_kinds().len());
}

#[test]
fn assembled_problems_come_back_as_they_were() {
    for problem in common::all_kinds() {
        let assembled = problem.assembled().unwrap();
        let local = Problem::from_assembled(&assembled, Info::default());
        assert!(!local.kind().is_global());
        assert_eq!(local.kind().rolls(), problem.kind().rolls());
        let again = local.assembled().unwrap();
        let describe = |any: &drystone_solve::AnyAssembled| with_assembled!(any, any => format!("{:?} {:?}", any.delassus, any.free));
        assert_eq!(describe(&again), describe(&assembled));
        if let Form::Local { free, joints: None, .. } = &problem.form {
            assert!(matches!(&local.form, Form::Local { free: same, .. } if same == free));
        }
    }
}

/// λ = −R⁻¹ (Vᵀ r + s), with R = [4 1; 1 2] and the V and s of the problem, worked by hand.
#[test]
fn constraints_of_a_local_problem_are_eliminated() {
    let problem = common::tied(3, 2);
    let (Form::Local { delassus, free, .. }, AnyAssembled::Volume(assembled)) =
        (&problem.form, problem.assembled().unwrap())
    else {
        panic!("another form")
    };
    let r = common::numbers(6, 2.0);
    let (first, second) = (r[0] + 0.5 * r[1] + 0.25, -r[5] - 0.5);
    let lambda = [-(2.0 * first - second) / 7.0, -(4.0 * second - first) / 7.0];
    let mut expected = free.clone();
    delassus.multiply_add(&r, &mut expected);
    expected[0] += lambda[0];
    expected[1] += 0.5 * lambda[0];
    expected[5] -= lambda[1];
    let mut u = vec![[0.0; 3]; 2];
    assembled.velocities(r.as_chunks().0, &mut u);
    for (u, expected) in u.as_flattened().iter().zip(&expected) {
        assert!((u - expected).abs() < 1e-14, "{u} {expected}");
    }
}

/// Prints every dataset of a file as `place type shape first last`.
const LIST: &str = r#"
import sys
try:
    import h5py
except ImportError:
    sys.exit(77)
def show(name, item):
    if isinstance(item, h5py.Dataset):
        value = item[()]
        if item.shape == ():
            value = [value.decode()]
        ends = f"{value[0]!r} {value[-1]!r}" if len(value) else ""
        kind = "text" if item.dtype.kind == "S" else item.dtype
        print(name, kind, item.shape, ends.replace("np.int32", "").replace("np.float64", ""))
h5py.File(sys.argv[1]).visititems(show)
"#;

fn h5py(script: &str, path: &Path) -> Option<String> {
    let output = Command::new("python3").args(["-c", script]).arg(path).output().ok()?;
    if output.status.code() == Some(77) {
        return None;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn other_programs_read_what_we_write() {
    let path = common::folder("others").join("problem.hdf5");
    let problem = common::global(3, 2, true);
    problem.write(&path).unwrap();
    let Some(list) = h5py(LIST, &path) else {
        println!("skipped: python3 with h5py is not there");
        return;
    };
    for line in [
        "fclib_global/spacedim int32 (1,) (3) (3)",
        "fclib_global/info/title text () 'A small problem' 'A small problem'",
        "fclib_global/M/nz int32 (1,) (4) (4)",
        "fclib_global/M/x float64 (4,) (1.0) (4.0)",
        "fclib_global/H/p int32 (24,) (0) (5)",
        "fclib_global/vectors/b float64 (1,) (0.125) (0.125)",
        "guesses/number_of_guesses int32 (1,) (2) (2)",
    ] {
        assert!(list.lines().any(|known| known == line), "{line} is missing in\n{list}");
    }
    for name in ["u", "r", "v", "l"] {
        assert!(list.contains(&format!("solution/{name} float64")), "{list}");
        assert!(list.contains(&format!("guesses/2/{name} float64")), "{list}");
    }
}

/// Writes the local problem with two contacts in space with W = 1, 2, … on its diagonal and 0.5
/// beside it, in every way that the layout knows.
const WRITE: &str = r#"
import sys
try:
    import h5py, numpy as np
except ImportError:
    sys.exit(77)
for name in ["triplets", "columns", "rows"]:
    with h5py.File(f"{sys.argv[1]}/{name}.hdf5", "w", libver="latest" if name == "rows" else "earliest") as f:
        g = f.create_group("fclib_local")
        g["spacedim"] = np.array([3], "i4")
        g["vectors/mu"] = [0.3, 0.4]
        g.create_dataset("vectors/q", data=np.arange(6, dtype="i4" if name == "rows" else "f8"), compression="gzip")
        g["info/title"] = "variable length"
        w = g.create_group("W")
        for key, value in [("m", 6), ("n", 6), ("nzmax", 20)]:
            w[key] = np.array([value], "i4")
        # Row 2, column 4 holds 0.5. Unused places at the end hold nonsense.
        if name == "triplets":
            w["nz"] = np.array([8], "i4")
            w["i"] = np.array([2, 0, 1, 2, 3, 4, 5, 5, 99], "i4")
            w["p"] = np.array([4, 0, 1, 2, 3, 4, 5, 5, -7], "i4")
            w["x"] = np.array([0.5, 1, 2, 3, 4, 5, 3, 3, np.nan])
        elif name == "columns":
            w["nz"] = np.array([-1], "i4")
            w["p"] = np.array([0, 1, 2, 3, 4, 6, 7], "i4")
            w["i"] = np.array([0, 1, 2, 3, 2, 4, 5, 99], "i4")
            w["x"] = np.array([1, 2, 3, 4, 0.5, 5, 6, np.nan])
        else:
            w["nz"] = np.array([-2], "i4")
            w["p"] = np.array([0, 1, 2, 4, 5, 6, 7], "i8")
            w["i"] = np.array([0, 1, 2, 4, 3, 4, 5, 99], "i8")
            w["x"] = np.array([1, 2, 3, 0.5, 4, 5, 6, np.nan])
"#;

#[test]
fn what_other_programs_write_is_read() {
    let folder = common::folder("from-others");
    if h5py(WRITE, &folder).is_none() {
        println!("skipped: python3 with h5py is not there");
        return;
    }
    for name in ["triplets", "columns", "rows"] {
        let problem = Problem::read(&folder.join(format!("{name}.hdf5"))).unwrap();
        assert_eq!(problem.friction, [0.3, 0.4]);
        assert_eq!(problem.info.title, "variable length");
        let Form::Local { delassus, free, .. } = problem.form else { panic!("not local") };
        assert_eq!(free, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let mut expected: Vec<_> = (0..6).map(|i| (i, i, 1.0 + i as f64)).collect();
        expected.insert(3, (2, 4, 0.5));
        assert_eq!(delassus.entries().collect::<Vec<_>>(), expected, "{name}");
    }
}
