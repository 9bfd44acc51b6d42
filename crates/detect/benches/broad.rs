//! The broad phase of 100,000 spheres at random, as dense as a packing, and of sizes 1 to 50.

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_detect::{Bounds, BroadPhase, Extent, Proxy};
use drystone_space::{DVec3, Volume};
use std::hint::black_box;

const COUNT: u32 = 100_000;
/// Volume of the balls over that of the box around them.
const DENSITY: f64 = 0.6;

/// A plain generator of uniform numbers in 0..1, the same on every machine.
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Balls of radius 1 to `ratio`, as much volume in each size.
fn balls(ratio: f64) -> Vec<Proxy<Volume>> {
    let mut uniform = Uniform(1);
    let radii: Vec<f64> = (0..COUNT)
        .map(|_| {
            let large = ratio.powi(-3);
            (1.0 - uniform.next() * (1.0 - large)).powf(-1.0 / 3.0)
        })
        .collect();
    let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3)).sum();
    let side = (volume / DENSITY).cbrt();
    let ball = |(group, radius): (u32, f64)| {
        let centre = DVec3::new(uniform.next(), uniform.next(), uniform.next()) * side;
        let extent = Extent::Box(Bounds::around(centre, radius));
        Proxy { extent, round: true, group, movable: true, active: true }
    };
    (0..COUNT).zip(radii).map(ball).collect()
}

fn broad(criterion: &mut Criterion) {
    for ratio in [1.0, 2.0, 50.0] {
        let mut proxies = balls(ratio);
        let mut phase = BroadPhase::default();
        phase.update(&proxies, 0.0);
        println!("1:{ratio}: {} pairs, {} comparisons", phase.pairs().len(), phase.comparisons());
        criterion.bench_function(&format!("rebuild, 100,000 balls, sizes 1:{ratio}"), |bencher| {
            bencher.iter(|| {
                // A changed group makes the list invalid and nothing else.
                proxies[0].group ^= COUNT;
                black_box(phase.update(&proxies, 0.0))
            });
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        criterion.bench_function(&format!("rebuild by 2 threads, sizes 1:{ratio}"), |bencher| {
            bencher.iter(|| {
                let all = proxies.iter().copied();
                pool.install(|| black_box(phase.renew(all, f64::NEG_INFINITY, 0.0, 2)))
            });
        });
        criterion.bench_function(&format!("reuse, 100,000 balls, sizes 1:{ratio}"), |bencher| {
            bencher.iter(|| black_box(phase.update(&proxies, 0.0)));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = broad
}
criterion_main!(benches);
