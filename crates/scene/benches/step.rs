//! Whole steps: the quaking wall, and settled spheres.
//!
//! The spheres are those of a packing settled by another program where its file is at hand
//! (`../shared/peers/spheres5000.csv` beside the checkout); without it, a packing that the bench
//! settles itself is used, and said so.

#[path = "../examples/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_engine::{AnyWorld, World};
use drystone_scene::Scene;
use drystone_space::{Plane, Volume};
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use support::{open_box, world};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn wall() -> World<Plane> {
    let scene = Scene::read(root().join("scenes/wall.toml")).unwrap_or_else(|e| panic!("{e}"));
    match scene.world() {
        Ok(AnyWorld::Plane(world)) => world,
        other => panic!("{other:?}"),
    }
}

/// The settled packing, and its box of half-width 0.168 m.
fn spheres() -> World<Volume> {
    let mut text = String::from(
        "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 5e-4\nend = 1\n[solver]\n\
         tolerance = 1e-4\n[[material]]\nname = \"glass\"\ndensity = 2500\n[default_law]\n\
         friction = 0.4\n",
    );
    let half = 0.168232714;
    text += &open_box("glass", [-half, -half, 0.0], [half, half, 0.0]);
    let file = root().join("../shared/peers/spheres5000.csv");
    let recorded = std::fs::read_to_string(&file);
    // Where the packing is recorded, one sphere stands for it until its own are put in: their
    // overlaps are above what a scene may start with.
    let count = if recorded.is_ok() { 1 } else { 5000 };
    writeln!(
        text,
        "[[generate]]\n[generate.deposit]\nmaterial = \"glass\"\n\
         radius = {{ uniform = [0.009, 0.011] }}\n\
         region = {{ low = [-0.168, -0.168, 0], high = [0.168, 0.168, 0.6] }}\ncount = {count}"
    )
    .unwrap();
    let mut world = world("spheres", &text, None).unwrap_or_else(|e| panic!("{e}"));
    match recorded {
        Ok(table) => {
            let mut setup = world.setup().clone();
            setup.bodies = table.lines().skip(1).map(sphere).collect();
            world = World::new(setup).unwrap();
        }
        Err(_) => {
            eprintln!("{} is not there: settling a packing of our own", file.display());
            warm_up(&mut world, 1000);
        }
    }
    world
}

fn warm_up(world: &mut World<Volume>, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

/// A line `x,y,z,radius,vx,vy,vz`.
fn sphere(line: &str) -> drystone_engine::Body<Volume> {
    use drystone_detect::volume::VolumeShape;
    use drystone_engine::{Body, MassProperties, MaterialId, Part};
    use drystone_space::{DVec3, Pose};
    let v: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
    let shape = VolumeShape::Sphere { radius: v[3] };
    let part = Part::new(shape, MaterialId(0));
    let properties = MassProperties::of_parts([(&part, 2500.0)].into_iter()).unwrap();
    let mut body = Body::new(properties, vec![part], Pose::at(DVec3::new(v[0], v[1], v[2])));
    body.velocity = DVec3::new(v[4], v[5], v[6]);
    body
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.sample_size(20);
    let mut world = wall();
    group.bench_function("quaking wall, 176 blocks", |b| b.iter(|| black_box(world.step())));
    let mut world = spheres();
    // Let the impulses of the first, cold steps settle.
    warm_up(&mut world, 20);
    group.bench_function("settled spheres, 4996", |b| b.iter(|| black_box(world.step())));
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
