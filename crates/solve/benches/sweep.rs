//! Gauss–Seidel sweeps: time per contact and iteration, in the plane and in space, one thread.
//!
//! The packings are lattices pressed together at random speeds, so that contacts stick, slip and
//! part. Each is solved from zero with a fixed number of sweeps; Criterion's throughput is in
//! contacts × sweeps.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drystone_solve::{
    Blocks, Contact, ContactMap, ContactProblem, GROUND, Law, Mover, Nlgs, NlgsParams, Solution,
    Threads, Twist,
};
use drystone_space::{Frame, InverseInertia, Local, Plane, Rotation, Vector, Volume};
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const SWEEPS: usize = 50;

/// Time that this thread has run, so that other processes do not count; by the clock where the system does not tell.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next()?.parse().ok());
    told.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// A small generator of numbers in [−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// What a lattice is made of.
#[derive(Clone, Copy, PartialEq)]
enum Grain {
    /// Touch at one point.
    Ball,
    /// Uneven boxes that touch at the corners of their faces: in four points, or in two in the plane.
    Box,
}

/// A cubic or square lattice of `side` grains a side on the ground; neighbours touch.
fn lattice<S: Blocks>(side: usize, grain: Grain) -> ContactProblem<S> {
    let mut noise = Noise(7);
    let count = side.pow(S::DIMENSION as u32);
    let moments =
        S::Spin::from_fn(|axis| 0.4 + if grain == Grain::Box { 0.2 * axis as f64 } else { 0.0 });
    let inverse_inertia = S::InverseInertia::from_principal(moments, S::Rotation::IDENTITY);
    let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia }; count];
    let free = (0..count)
        .map(|_| Twist {
            velocity: S::Vector::from_fn(|_| 0.3 * noise.next())
                - S::Vector::axis(S::DIMENSION - 1),
            spin: S::Spin::from_fn(|_| noise.next()),
        })
        .collect();
    let mut contacts = Vec::new();
    for ball in 0..count {
        for axis in 0..S::DIMENSION {
            let stride = side.pow(axis as u32);
            let at = ball / stride % side;
            let second = if at > 0 {
                (ball - stride) as u32
            } else if axis + 1 == S::DIMENSION {
                GROUND
            } else {
                continue;
            };
            let tilt = S::Vector::from_fn(|_| 0.2 * noise.next());
            let normal = S::Vector::axis(axis) + tilt;
            let normal = normal / normal.norm();
            let points = if grain == Grain::Box { 1 << (S::DIMENSION - 1) } else { 1 };
            for corner in 0..points {
                let sign = |k: usize| if corner >> k & 1 == 1 { 0.8 } else { -0.8 };
                let (mut aside, mut bit) = (S::Vector::ZERO, 0);
                for other in (0..S::DIMENSION).filter(|&k| k != axis && points > 1) {
                    aside += S::Vector::axis(other) * sign(bit);
                    bit += 1;
                }
                let map = ContactMap {
                    first: ball as u32,
                    second,
                    frame: S::Frame::from_normal(normal),
                    arm_first: aside - normal,
                    arm_second: aside + normal,
                };
                contacts.push(Contact::new(map, S::Local::ZERO, Law::Coulomb(0.4), &movers, 1.0));
            }
        }
    }
    ContactProblem { movers, free, contacts, ..Default::default() }
}

fn bench<S: Blocks>(criterion: &mut Criterion, side: usize, grain: Grain) {
    let problem = lattice::<S>(side, grain);
    let name = if grain == Grain::Box { "boxes" } else { "balls" };
    let params = NlgsParams { tolerance: 1e-300, max_iterations: SWEEPS, ..Default::default() };
    let mut solver = Nlgs::default();
    let mut solution = Solution::default();
    let mut group = criterion.benchmark_group(format!("sweep {}", S::NAME));
    group.throughput(Throughput::Elements((problem.contacts.len() * SWEEPS) as u64));
    group.sample_size(20);
    group.bench_function(format!("{} contacts of {name}", problem.contacts.len()), |bencher| {
        bencher.iter_custom(|rounds| {
            let start = processor_time();
            for _ in 0..rounds {
                solution.impulses.clear();
                solution.impulses.resize(problem.contacts.len(), S::Local::ZERO);
                black_box(solver.solve(&problem, &mut solution, &params, &Threads::one()));
            }
            processor_time() - start
        });
    });
    group.finish();
}

fn sweeps(criterion: &mut Criterion) {
    bench::<Plane>(criterion, 20, Grain::Ball);
    bench::<Plane>(criterion, 80, Grain::Ball);
    bench::<Plane>(criterion, 80, Grain::Box);
    bench::<Volume>(criterion, 10, Grain::Ball);
    bench::<Volume>(criterion, 20, Grain::Ball);
    bench::<Volume>(criterion, 8, Grain::Box);
    bench::<Volume>(criterion, 16, Grain::Box);
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
