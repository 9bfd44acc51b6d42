//! Robots from descriptions.

use crate::support::{body, edited, run_until, text};
use drystone_engine::{AnyWorld, World};
use drystone_scene::Scene;
use drystone_space::{DVec3, Volume};
use std::path::PathBuf;

/// A world from the text of a scene in the folder of scenes.
fn robot(text: &str) -> World<Volume> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let scene = Scene::parse("scene", text, Some(&folder)).unwrap_or_else(|e| panic!("{e}"));
    match scene.world() {
        Ok(AnyWorld::Volume(world)) => world,
        other => panic!("not of space: {other:?}"),
    }
}

/// The same scene as it is, and with its robot in reduced coordinates.
fn in_both(text: &str) -> [String; 2] {
    let reduced = text.replacen("[[robot]]", "[[robot]]\ncoordinates = \"reduced\"", 1);
    assert!(reduced != text);
    [text.to_owned(), reduced]
}

/// Twelve hinges held by motors of bounded torque, four feet on the floor, of which three would do: it stands for a second, and
/// nothing creeps.
#[test]
fn a_quadruped_stands_without_creep() {
    let text = edited("quadruped.toml", "tolerance = 1e-5", "tolerance = 1e-8");
    let start = text.find("joint = [").unwrap();
    let angles: Vec<String> = ["front left", "front right", "back left", "back right"]
        .iter()
        .map(|leg| {
            format!(
                "{{ name = \"{leg} hip\", angle = 0.7 }}, {{ name = \"{leg} knee\", angle = -1.4 }}"
            )
        })
        .collect();
    let text = format!("{}joint = [{}]\n", &text[..start], angles.join(", "));
    in_both(&text).iter().for_each(|text| stands(text));
}

fn stands(text: &str) {
    let mut world = robot(text);
    assert_eq!((world.bodies().len(), world.setup().joints.len()), (13, 12));
    run_until(&mut world, 0.1, |_, _| {});
    let places: Vec<_> = world.bodies().iter().map(|body| body.pose.position).collect();
    run_until(&mut world, 1.1, |_, _| {});
    let crept = world
        .bodies()
        .iter()
        .zip(&places)
        .map(|(body, place)| (body.pose.position - *place).length());
    let crept = crept.fold(0.0, f64::max);
    assert!(crept < 1e-10, "{crept:e}");
    let trunk = body(&world, "dog/trunk").pose.position;
    assert!((trunk.z - 0.4 * 0.7f64.cos() - 0.02).abs() < 1e-8, "{trunk}");
    // What the floor carries is the weight.
    let held = -world.boundary_force(0).z;
    assert!((held / (13.8 * 9.81) - 1.0).abs() < 1e-6, "{held}");
}

/// Its motors bend its knees: the trunk is where the angles say, and the feet roll without slipping.
#[test]
fn a_quadruped_bends_its_knees() {
    in_both(&text("quadruped.toml")).iter().for_each(|text| bends(text));
}

fn bends(text: &str) {
    let mut world = robot(text);
    let (mut worst, mut slipped) = (0.0f64, 0.0f64);
    let feet = |world: &World<Volume>| {
        ["front left", "front right", "back left", "back right"].map(|leg| {
            let shank = body(world, &format!("dog/{leg} shank"));
            shank.parts.iter().find_map(|part| match part.shape {
                drystone_detect::volume::VolumeShape::Sphere { .. } => {
                    Some(shank.pose.point(part.pose().position))
                }
                _ => None,
            })
        })
    };
    let before = feet(&world);
    run_until(&mut world, 1.0, |world, _| {
        let a = 0.8 - 0.1 * (2.0 * std::f64::consts::TAU * world.time()).cos();
        let trunk = body(world, "dog/trunk").pose.position;
        worst = worst.max((trunk.z - 0.4 * a.cos() - 0.02).abs());
        // Feet are balls, which roll as the shanks turn by -a.
        let rolled = DVec3::X * (-0.02 * (a - 0.7));
        for (now, then) in feet(world).iter().zip(&before) {
            slipped = slipped.max((now.unwrap() - then.unwrap() - rolled).length());
        }
        let most = world.joint_reactions().iter().map(|r| r.drift.max(r.angle_drift));
        assert!(most.fold(0.0, f64::max) < 1e-10);
    });
    // Motors reach places at midpoints: what is between them is a straight line, up to h² of an acceleration of 3 m/s².
    assert!(worst < 2e-6, "{worst:e}");
    // Contacts hold velocities at the end of a step, joints those in the middle: what a foot slips by is of first order in h.
    assert!(slipped < 3e-5, "{slipped:e}");
}

/// The box is lifted, and falls when 2 μ F is less than its weight.
#[test]
fn a_gripper_in_mjcf_lets_go_below_the_exact_bound() {
    in_both(&text("robot_gripper.toml")).iter().for_each(|text| lets_go(text));
}

fn lets_go(text: &str) {
    let mut world = robot(text);
    assert_eq!((world.bodies().len(), world.setup().joints.len()), (4, 3));
    let mut held = 0.0;
    run_until(&mut world, 1.9, |world, _| {
        let body = body(world, "box");
        let time = world.time();
        if time > 0.7 && time < 0.9 {
            // 0.12 m in 0.4 s.
            assert!((body.velocity.z - 0.3).abs() < 1e-5, "{} at {time}", body.velocity);
        }
        if time > 1.1 && body.velocity.z.abs() < 1e-4 {
            held = time;
            assert!((body.pose.position.z - 0.15).abs() < 1e-3, "{}", body.pose.position);
        }
    });
    assert!((held - 1.70317).abs() < 4e-3, "{held}");
}
