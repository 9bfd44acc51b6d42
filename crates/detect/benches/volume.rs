//! Time of each pair test of space, per call.

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, Manifold};
use drystone_space::{DQuat, DVec3, Pose, Volume};
use std::f64::consts::FRAC_PI_2;
use std::hint::black_box;

type Placed = (VolumeShape, Pose<Volume>);

fn turned(position: [f64; 3], rotation: [f64; 3]) -> Pose<Volume> {
    Pose::new(DVec3::from_array(position), DQuat::from_scaled_axis(DVec3::from_array(rotation)))
}

fn cuboid(size: [f64; 3]) -> VolumeShape {
    VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::from_array(size)).unwrap())
}

/// Points spread over the unit sphere along a spiral: a hull of triangles.
fn stone(vertices: u32) -> VolumeShape {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let point = |i: u32| {
        let z = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(vertices);
        let (sin, cos) = (golden * f64::from(i)).sin_cos();
        DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
    };
    VolumeShape::Polyhedron(
        Polyhedron::hull(&(0..vertices).map(point).collect::<Vec<_>>()).unwrap(),
    )
}

/// Moves the first along x until the gap is `gap`, so that all pairs are as near.
fn brought_near(mut first: Placed, second: &Placed, gap: f64) -> Placed {
    for _ in 0..60 {
        let mut manifold = Manifold::default();
        Volume::collide((&first.0, &first.1), (&second.0, &second.1), 10.0, &mut manifold);
        let least = manifold.touches().iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        first.1.position.x -= least - gap;
    }
    first
}

fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("volume");
    let mut run = |name: &str, first: &Placed, second: &Placed| {
        group.bench_function(name, |bencher| {
            let mut manifold = Manifold::<Volume>::default();
            bencher.iter(|| {
                manifold.clear();
                let (first, second) = (black_box(first), black_box(second));
                Volume::collide((&first.0, &first.1), (&second.0, &second.1), 1e-3, &mut manifold);
                manifold.touches().len()
            });
        });
    };
    let ball = (VolumeShape::Sphere { radius: 0.5 }, turned([0.1, 0.0, 0.9995], [0.0; 3]));
    let cube = (cuboid([1.0; 3]), Pose::IDENTITY);
    let floor = (VolumeShape::HalfSpace, turned([0.0, 0.0, 0.5], [0.0; 3]));
    let capsule = |position, rotation| {
        (VolumeShape::Capsule { half_length: 0.5, radius: 0.25 }, turned(position, rotation))
    };
    let lying = capsule([0.0, 0.1, 0.7499], [0.0, FRAC_PI_2, 0.0]);
    let other_ball = (VolumeShape::Sphere { radius: 0.5 }, turned([0.1, 0.0, 0.0], [0.0; 3]));
    run("sphere-sphere", &ball, &other_ball);
    run("sphere-sphere, apart", &ball, &(VolumeShape::Sphere { radius: 0.4 }, Pose::IDENTITY));
    run("sphere-half-space", &ball, &floor);
    run("sphere-capsule", &ball, &capsule([0.0, 0.0, 0.2499], [0.0, FRAC_PI_2, 0.0]));
    run("sphere-polyhedron, face", &ball, &cube);
    let corner = (VolumeShape::Sphere { radius: 0.5 }, turned([0.75, 0.75, 0.75], [0.0; 3]));
    run("sphere-polyhedron, vertex", &corner, &cube);
    run("capsule-capsule, crossed", &lying, &capsule([0.0, 0.0, 0.25], [FRAC_PI_2, 0.0, 0.0]));
    let below = capsule([0.3, 0.1, 0.2499], [0.0, FRAC_PI_2, 0.0]);
    run("capsule-capsule, parallel", &lying, &below);
    run("capsule-half-space", &lying, &floor);
    run("capsule-polyhedron, face", &lying, &cube);
    run("polyhedron-half-space", &(cuboid([1.0; 3]), turned([0.0, 0.0, 0.9999], [0.0; 3])), &floor);

    let stacked = (cuboid([1.0; 3]), turned([0.2, 0.1, 0.9999], [0.0, 0.0, 0.3]));
    run("boxes, face contact", &stacked, &cube);
    run("boxes, aligned", &(cuboid([1.0; 3]), turned([0.0, 0.0, 1.0], [0.0; 3])), &cube);
    let balanced = (cuboid([1.0; 3]), turned([0.0, 0.0, 1.41], [0.0, 0.785, 0.785]));
    run("boxes, apart", &balanced, &cube);
    let mut pole = (cuboid([1.0; 3]), turned([1.5, 0.1, 0.05], [0.3, 0.2, 0.785]));
    let post = (cuboid([1.0; 3]), turned([0.0; 3], [0.0, 0.785, 0.0]));
    pole = brought_near(pole, &post, -1e-4);
    run("boxes, edge contact", &pole, &post);
    for vertices in [8, 20, 40] {
        let second = (stone(vertices), turned([0.0; 3], [0.5, 0.1, 0.3]));
        for (name, gap) in [("overlap", -1e-3), ("apart", 5e-4)] {
            let first = (stone(vertices), turned([2.0, 0.1, 0.1], [0.1, 0.9, 0.2]));
            let first = brought_near(first, &second, gap);
            run(&format!("stones of {vertices}, {name}"), &first, &second);
        }
    }
}

criterion_group!(volume, pairs);
criterion_main!(volume);
