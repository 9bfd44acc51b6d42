//! Methods that a scene names: each must give the motion that sweeps give, and solve the steps by itself.

use crate::support::{plane, volume};
use drystone_engine::{Dimension, MethodTaken, World};
use drystone_scene::Scene;
use drystone_solve::AssembledMethod;

/// Disks fall into a narrow box, one on the other.
const DISKS: &str = r#"
[[boundary]]
material = "a"
shape = { polyline = [[-0.25, 2], [-0.25, 0], [0.25, 0], [0.25, 2]] }
[[generate]]
name = "disk"
[generate.lattice]
material = "a"
radius = 0.08
counts = [2, 4]
spacing = [0.19, 0.17]
origin = [-0.11, 0.085]
jitter = 0.004
"#;

/// Balls fall into a box.
const BALLS: &str = r#"
[[boundary]]
material = "a"
shape = { half_space = {} }
[[boundary]]
material = "a"
shape = { half_space = { point = [-0.2, 0, 0], normal = [1, 0, 0.2] } }
[[generate]]
name = "ball"
[generate.lattice]
material = "a"
radius = 0.08
counts = [2, 2, 3]
spacing = [0.17, 0.17, 0.17]
origin = [-0.05, -0.1, 0.085]
jitter = 0.004
"#;

fn scene(dimension: usize, law: &str, method: &str, things: &str) -> String {
    let gravity = if dimension == 2 { "[0, -9.81]" } else { "[0, 0, -9.81]" };
    format!(
        "dimension = {dimension}\ngravity = {gravity}\nseed = 3\n[time]\nstep = 1e-3\nend = 1\n\
         [solver]\nmethod = \"{method}\"\ntolerance = 1e-9\nmax_iterations = 200000\n\
         [contact]\nform = \"velocity\"\n\
         [[material]]\nname = \"a\"\ndensity = 1000\n[default_law]\n{law}\n{things}\n"
    )
}

/// Steps both, and compares speeds in each step; how many contacts there were in all.
fn agree<S: Dimension>(mut swept: World<S>, mut other: World<S>, taken: MethodTaken) -> usize {
    let mut contacts = 0;
    for step in 0..300 {
        swept.step().unwrap();
        let report = other.step().unwrap();
        assert!(report.converged, "{taken:?} {step}: {report:?}");
        for attempt in report.story.attempts().filter(|_| report.contacts > 0) {
            assert!(attempt.method == taken && attempt.solved(), "{step}: {attempt:?}");
        }
        contacts += other.contacts().len();
        for (a, b) in swept.bodies().iter().zip(other.bodies()) {
            // The tolerance is on a step; impacts pass errors on, and make them grow.
            let apart = drystone_space::Vector::norm(a.velocity - b.velocity);
            assert!(apart < 1e-6, "{taken:?} {step}: {} by {apart:e}", a.name());
        }
    }
    assert!(swept.bodies().len() >= 8 && contacts > 1000, "{contacts}");
    contacts
}

fn in_plane(law: &str, method: &str, taken: MethodTaken) {
    let swept = plane(&scene(2, law, "gauss-seidel", DISKS));
    agree(swept, plane(&scene(2, law, method, DISKS)), taken);
}

fn in_space(law: &str, method: &str, taken: MethodTaken) {
    let swept = volume(&scene(3, law, "gauss-seidel", BALLS));
    agree(swept, volume(&scene(3, law, method, BALLS)), taken);
}

fn assembled(name: &str) -> MethodTaken {
    MethodTaken::Assembled(AssembledMethod::from_name(name).unwrap())
}

#[test]
fn a_quadratic_program_moves_bodies_as_sweeps_do() {
    in_plane("friction = 0", "quadratic", assembled("quadratic"));
    in_space("friction = 0\nnormal_restitution = 0.3", "quadratic", assembled("quadratic"));
}

#[test]
fn uzawas_method_moves_bodies_as_sweeps_do() {
    in_plane("friction = 0.2", "uzawa", assembled("uzawa-disc"));
    in_space("friction = 0.2", "uzawa", assembled("uzawa-disc"));
}

#[test]
fn the_bipotential_moves_bodies_as_sweeps_do() {
    let taken = assembled("gauss-seidel-bipotential");
    in_plane("friction = 0.2\nnormal_restitution = 0.3", "bipotential", taken);
    in_space("friction = 0.2", "bipotential", taken);
}

#[test]
fn uzawas_method_finds_the_saddle_point_of_percussions() {
    let law = "percussion = { normal = 5, tangential = 3 }";
    in_plane(law, "uzawa", MethodTaken::SaddlePoint);
    in_space(law, "uzawa", MethodTaken::SaddlePoint);
}

#[test]
fn methods_are_refused_beside_laws_that_they_cannot_have() {
    for (method, law, fits) in [
        ("quadratic", "friction = 0", true),
        ("quadratic", "friction = 0.1", false),
        ("quadratic", "friction = 0\ncohesion = 1", false),
        ("quadratic", "percussion = { normal = 1, tangential = 0 }", false),
        ("bipotential", "friction = 0.4", true),
        ("bipotential", "friction = 0.4\nrolling_resistance = 0.01", false),
        ("bipotential", "percussion = { normal = 1, tangential = 0 }", false),
        ("uzawa", "friction = 0.4", true),
        ("uzawa", "friction = { viscosity = 1 }", false),
        ("uzawa", "percussion = { normal = 1, tangential = 1 }", true),
        ("uzawa", "percussion = { normal = 1, tangential = 1 }\nfriction = 0.3", false),
    ] {
        let made = Scene::parse("scene", &scene(2, law, method, DISKS), None);
        assert_eq!(made.is_ok(), fits, "{method} beside {law}: {made:?}");
        let Err(report) = made else { continue };
        let text = report.to_string();
        assert!(text.contains(&format!("the method `{method}` cannot solve")), "{text}");
        assert_eq!(report.errors(), 1, "{text}");
    }
}
