//! Steps that cannot be solved say why, and steps that are easy are solved at once.

use crate::support::{edited, plane, run_until, volume};
use drystone_engine::{StepDiagnosis, StepError, World};
use drystone_space::Plane;

/// Four sweeps, up to three steps of Newton and the sweep after them.
const HANDFUL: usize = 8;

#[test]
fn cubes_at_rest_take_a_handful_of_sweeps() {
    for tolerance in ["1e-4", "1e-8"] {
        let scene =
            edited("cube_at_rest.toml", "tolerance = 1e-8", &format!("tolerance = {tolerance}"));
        let mut world = volume(&scene);
        let mut sweeps = Vec::new();
        run_until(&mut world, 1.0, |_, report| sweeps.push(report.iterations));
        // The first step, from nothing, is no exception.
        assert!(sweeps.iter().all(|&n| n <= HANDFUL), "{sweeps:?}");
    }
}

/// Cubes of several sizes, anywhere and turned about the vertical, on four corners or on three feet.
#[test]
fn cubes_of_all_sizes_and_directions_take_a_handful_of_sweeps() {
    for (index, (size, feet)) in
        [(0.01, false), (0.2, true), (1.0, false), (3.0, true), (20.0, false)]
            .into_iter()
            .enumerate()
    {
        let (angle, half) = (0.3 + 0.5 * index as f64, 0.5 * size);
        let [x, y] = [7.0 * size, -11.0 * size];
        let turned = format!("rotation = {{ axis = [0, 0, 1], angle = {angle} }}");
        let whole = format!("{{ shape = {{ box = [{size}, {size}, {size}] }} }}");
        let foot = |place: [f64; 2]| {
            let [x, y] = place.map(|x| x * size);
            let radius = 0.1 * size;
            format!("{{ shape = {{ sphere = {radius} }}, position = [{x}, {y}, {}] }}", -half)
        };
        let mut parts = vec![whole];
        let mut height = half;
        if feet {
            parts.extend([[0.4, 0.0], [-0.2, 0.3], [-0.2, -0.3]].map(foot));
            height += 0.1 * size * (1.0 - 1e-6);
        }
        let parts = parts.join(", ");
        let scene = format!(
            r#"
dimension = 3
gravity = [0.0, 0.0, -9.81]
time = {{ step = 1e-3, end = 1.0 }}
solver = {{ on_failure = "stop", tolerance = 1e-6 }}
default_law = {{ friction = 0.5 }}
material = [{{ name = "stone", density = 2000.0 }}]
boundary = [{{ name = "ground", material = "stone", shape = {{ half_space = {{}} }} }}]
body = [{{ name = "cube", material = "stone", position = [{x}, {y}, {height}], {turned}, parts = [{parts}] }}]
"#
        );
        let mut world = volume(&scene);
        run_until(&mut world, 0.2, |world, report| {
            let (n, t) = (report.iterations, world.time());
            assert!(n <= HANDFUL, "cube of {size} m takes {n} sweeps at t = {t}");
        });
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
    let scene = edited(
        "arch.toml",
        "max_iterations = 200000",
        "max_iterations = 3\non_failure = \"stop\"\nmethod = \"gauss-seidel\"",
    );
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
