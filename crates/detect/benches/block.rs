//! All pair tests of a block of 2,016 cubes at rest on each other, as a step of a wall or a pavement makes them.
//!
//! Of the 26 neighbours of a cube 6 touch it at a face, 12 along an edge and 8 at a corner, and all are within the margin.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, Manifold};
use drystone_space::{DQuat, DVec3, Pose, Random, Volume};
use std::hint::black_box;

/// Cubes along each side of the block.
const COUNT: [i32; 3] = [12, 12, 14];
/// What a cube of side 1 is displaced and turned by, in each direction, at most.
const NOISE: f64 = 1e-6;
const MARGIN: f64 = 1e-3;

fn cells() -> impl Iterator<Item = [i32; 3]> {
    let [x, y, z] = COUNT;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

fn poses() -> Vec<Pose<Volume>> {
    let mut random = Random::new(1, 0);
    let mut noise = || DVec3::from_array([(); 3].map(|()| random.between(-NOISE, NOISE)));
    let pose = |cell: [i32; 3]| {
        let at = DVec3::from_array(cell.map(f64::from)) + noise();
        Pose::new(at, DQuat::from_scaled_axis(noise()))
    };
    cells().map(pose).collect()
}

/// Every cube with each of its neighbours, once.
fn neighbours() -> Vec<[usize; 2]> {
    let near = |a: [i32; 3], b: [i32; 3]| (0..3).all(|k| (a[k] - b[k]).abs() <= 1);
    let cells: Vec<_> = cells().collect();
    let mut pairs = Vec::new();
    for (b, &cell) in cells.iter().enumerate() {
        pairs.extend((0..b).filter(|&a| near(cells[a], cell)).map(|a| [a, b]));
    }
    pairs
}

fn block(criterion: &mut Criterion) {
    let cube = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::ONE).unwrap());
    let (poses, pairs) = (poses(), neighbours());
    let count = |pairs: &[[usize; 2]]| {
        let (mut manifold, mut points) = (Manifold::<Volume>::default(), 0);
        for pair in pairs {
            manifold.clear();
            let [a, b] = pair.map(|i| (&cube, &poses[i]));
            Volume::collide(a, b, MARGIN, &mut manifold);
            points += manifold.touches().len();
        }
        points
    };
    let mut group = criterion.benchmark_group("block");
    group.sample_size(10);
    for (name, shared) in [("faces", 1), ("edges", 2), ("corners", 3)] {
        let differ = |[a, b]: &[usize; 2]| {
            let apart = poses[*a].position - poses[*b].position;
            apart.abs().to_array().into_iter().filter(|&x| x > 0.5).count() == shared
        };
        let some: Vec<_> = pairs.iter().copied().filter(differ).collect();
        println!("{} pairs at {name}, {} points", some.len(), count(&some));
        group.throughput(Throughput::Elements(some.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| count(black_box(&some))));
    }
    println!("{} pairs, {} points", pairs.len(), count(&pairs));
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function("all", |bencher| bencher.iter(|| count(black_box(&pairs))));
}

criterion_group!(benches, block);
criterion_main!(benches);
