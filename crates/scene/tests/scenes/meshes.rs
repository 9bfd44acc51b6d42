//! Surfaces of triangles: what rolls and slides over inner edges feels none of them.

use crate::support::{body, edited, run_until, text};
use drystone_engine::{AnyWorld, World};
use drystone_scene::{Folders, Scene, SceneFile};
use drystone_space::{DVec3, Volume};
use std::path::PathBuf;

fn world(text: &str, given: &[SceneFile]) -> World<Volume> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let folders = Folders { scene: Some(&folder), given, ..Folders::default() };
    match Scene::parse_in("scene", text, folders).unwrap_or_else(|e| panic!("{e}")).world() {
        Ok(AnyWorld::Volume(world)) => world,
        other => panic!("not of space: {other:?}"),
    }
}

#[test]
fn a_ball_rolls_down_a_channel_as_on_a_plane() {
    let mut channel = world(&text("channel.toml"), &[]);
    let plane =
        edited("channel.toml", "mesh = { file = \"meshes/channel.obj\" }", "half_space = {}");
    // The second ball would roll there too, elsewhere.
    let mut plane = world(&plane, &[]);
    let (mut off, mut lowest): (f64, f64) = (0.0, 1.0);
    run_until(&mut channel, 1.2, |world, _| {
        plane.step().unwrap();
        let [here, there] = [world, &plane].map(|w| body(w, "straight").pose.position);
        off = off.max(here.distance(there));
        lowest = lowest.min(body(world, "swinging").pose.position.z);
    });
    assert!(off < 1e-9, "{off:e} beside the plane's way");
    // x = x₀ + ½ (5/7) g sin(0.1) t², to first order in the step: half a step of the speed.
    let x = body(&channel, "straight").pose.position.x;
    let expected = 0.5 + 0.5 * (5.0 / 7.0) * 0.979361 * 1.44;
    assert!((x - expected).abs() < 1e-3, "{x} for {expected}");
    assert!(lowest > 0.05 - 1e-4, "through the channel: {lowest}");
    let swinging = body(&channel, "swinging").pose.position;
    assert!(swinging.y.abs() < 0.5, "out of the channel: {swinging}");
}

#[test]
fn a_box_slides_over_inner_edges() {
    let ground = |shape: &str| {
        format!(
            "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 1\n[solver]\ntolerance = 1e-9\n\
             [[material]]\nname = \"a\"\ndensity = 1000\n[default_law]\nfriction = 0\n[[boundary]]\nmaterial = \"a\"\n\
             shape = {shape}\nposition = [-0.35, -0.55, 0]\n[[body]]\nname = \"box\"\nmaterial = \"a\"\nshape = {{ box = [0.5, 0.4, 0.2] }}\n\
             position = [0.1, 0, 0.1]\nvelocity = [1.0, 0.1, 0]\n"
        )
    };
    let row = ["0"; 12].join(",");
    let heights = SceneFile { place: "flat.csv".into(), text: [row.as_str(); 12].join("\n") };
    let mut world =
        world(&ground("{ heights = { file = \"flat.csv\", spacing = 0.13 } }"), &[heights]);
    run_until(&mut world, 0.4, |world, report| {
        let sliding = body(world, "box");
        assert!(sliding.velocity.distance(DVec3::new(1.0, 0.1, 0.0)) < 1e-7);
        assert!(report.penetration < 1e-8);
    });
    let place = body(&world, "box").pose.position;
    assert!((place.x - 0.5).abs() < 1e-7 && (place.z - 0.1).abs() < 1e-7, "{place}");
}

#[test]
fn boulders_stay_on_the_slope() {
    let mut world = world(&text("boulders.toml"), &[]);
    let mut deepest: f64 = 0.0;
    run_until(&mut world, 0.6, |_, report| deepest = deepest.max(report.penetration));
    assert!(deepest < 5e-3, "{deepest} m deep");
    // The slope falls by a quarter: what has landed has come down it, and nothing is below it.
    for boulder in world.bodies() {
        let at = boulder.pose.position;
        assert!(at.z > 0.25 * at.x - 1.0, "{} is below the slope: {at}", boulder.name());
    }
}
