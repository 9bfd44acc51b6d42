//! Steps that cannot be solved say why, and steps that are easy are solved at once.

use crate::support::{edited, plane, run_until, volume};
use drystone_engine::{StepDiagnosis, StepError, World};
use drystone_space::Plane;

#[test]
fn cubes_at_rest_take_a_handful_of_sweeps() {
    for (tolerance, most) in [("1e-4", 30), ("1e-8", 90)] {
        let scene =
            edited("cube_at_rest.toml", "tolerance = 1e-8", &format!("tolerance = {tolerance}"));
        let mut world = volume(&scene);
        let mut sweeps = Vec::new();
        run_until(&mut world, 1.0, |_, report| sweeps.push(report.iterations));
        // From nothing at first, then from the forces of the step before.
        assert!(sweeps.iter().all(|&n| n <= most), "{sweeps:?}");
        let long = sweeps[1..].iter().filter(|&&n| n > 1).count();
        assert!(long <= 20, "{long} of 999 steps take more than one sweep: {sweeps:?}");
    }
}

/// A block on the ground below a plate that comes down.
const CRUSHED: &str = r#"
dimension = 2
gravity = [0.0, -9.81]
time = { step = 1e-3, end = 1.0 }
solver = { on_failure = "stop", max_iterations = 500, tolerance = 1e-8 }
default_law = { friction = 0.3 }
material = [{ name = "stone", density = 2000.0 }]
boundary = [
    { name = "ground", material = "stone", shape = { half_plane = {} } },
    { name = "press", material = "stone", position = [0, 1.01], shape = { box = [2, 0.4] }, motion = { velocity = [0, -0.1] } },
]
body = [{ name = "block", material = "stone", position = [0, 0.4], shape = { box = [0.6, 0.8] } }]
"#;

fn failure(mut world: World<Plane>) -> (StepDiagnosis, String) {
    for _ in 0..1000 {
        match world.step() {
            Ok(_) => {}
            Err(error @ StepError::NotConverged { .. }) => {
                let text = error.to_string();
                let StepError::NotConverged { diagnosis, .. } = error else { unreachable!() };
                return (*diagnosis, text);
            }
            Err(other) => panic!("{other}"),
        }
    }
    panic!("no step has failed");
}

#[test]
fn a_crushed_block_is_a_conflict() {
    let (diagnosis, text) = failure(plane(CRUSHED));
    let conflict = diagnosis.problem.conflict.expect("nothing can move out of the way");
    assert!(!conflict.needs_friction);
    for word in ["no solution", "block on press", "block on ground", "a load instead of a motion"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
}

#[test]
fn an_arch_without_enough_sweeps_is_hyperstatic_but_no_conflict() {
    let scene =
        edited("arch.toml", "max_iterations = 200000", "max_iterations = 3\non_failure = \"stop\"");
    let (diagnosis, text) = failure(plane(&scene));
    assert!(diagnosis.problem.conflict.is_none() && diagnosis.problem.is_hyperstatic(), "{text}");
    // Two contacts per joint, two impulses each, against three degrees of freedom per stone.
    assert_eq!(diagnosis.problem.rank.unknowns, 4 * 16);
    assert_eq!(diagnosis.problem.rank.rank, 3 * 15);
    assert!(
        text.contains("% of the error: voussoir") && text.contains("more iterations"),
        "{text}"
    );
}
