//! One call of each pair test of the plane.

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::{Geometry, Manifold};
use drystone_space::{DVec2, Plane, PlaneRotation, Pose};
use std::hint::black_box;

fn at(x: f64, y: f64, angle: f64) -> Pose<Plane> {
    Pose::new(DVec2::new(x, y), PlaneRotation::from_angle(angle))
}

fn pairs(criterion: &mut Criterion) {
    let disk = PlaneShape::Disk { radius: 1.0 };
    let polygon = |p: Result<Polygon, _>| PlaneShape::Polygon(p.expect("a convex polygon"));
    let block = polygon(Polygon::rectangle(2.0, 2.0));
    let octagon = polygon(Polygon::regular(8, 1.0));
    let many = polygon(Polygon::regular(64, 1.0));
    let floor = PlaneShape::HalfPlane;
    let segment = PlaneShape::Segment { start: DVec2::new(-5.0, 0.0), end: DVec2::new(5.0, 0.0) };
    let cases = [
        ("disk and disk", &disk, at(0.1, 1.99, 0.3), &disk, at(0.0, 0.0, 0.0)),
        ("disk and box", &disk, at(0.1, 1.99, 0.3), &block, at(0.0, 0.0, 0.0)),
        ("disk and segment", &disk, at(0.1, 0.99, 0.3), &segment, at(0.0, 0.0, 0.0)),
        ("disk and half-plane", &disk, at(0.1, 0.99, 0.3), &floor, at(0.0, 0.0, 0.0)),
        ("box on box", &block, at(0.5, 1.999_999, 1e-9), &block, at(0.0, 0.0, 0.0)),
        ("box on box by a corner", &block, at(0.5, 2.4, 0.7), &block, at(0.0, 0.0, 0.1)),
        ("box near box, apart", &block, at(0.5, 2.01, 0.0), &block, at(0.0, 0.0, 0.0)),
        ("octagon on octagon", &octagon, at(0.5, 1.5, 0.3), &octagon, at(0.0, 0.0, 0.0)),
        ("64 sides on 64 sides", &many, at(0.5, 1.5, 0.3), &many, at(0.0, 0.0, 0.0)),
        ("box on segment", &block, at(0.5, 0.999, 1e-9), &segment, at(0.0, 0.0, 0.0)),
        ("box on half-plane", &block, at(0.5, 0.999, 1e-9), &floor, at(0.0, 0.0, 0.0)),
    ];
    for (name, first, first_pose, second, second_pose) in &cases {
        criterion.bench_function(name, |bencher| {
            let mut manifold = Manifold::default();
            bencher.iter(|| {
                manifold.clear();
                let (one, two) =
                    (black_box((*first, first_pose)), black_box((*second, second_pose)));
                Plane::collide(one, two, 1e-6, &mut manifold);
                black_box(manifold.touches().len())
            });
        });
    }
}

criterion_group!(benches, pairs);
criterion_main!(benches);
