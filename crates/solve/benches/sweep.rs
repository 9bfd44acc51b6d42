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

const SWEEPS: usize = 50;

/// A small generator of numbers in [−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A cubic or square lattice of `side` balls a side on the ground; neighbours touch.
fn lattice<S: Blocks>(side: usize) -> ContactProblem<S> {
    let mut noise = Noise(7);
    let count = side.pow(S::DIMENSION as u32);
    let moments = S::Spin::splat(0.4);
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
            let map = ContactMap {
                first: ball as u32,
                second,
                frame: S::Frame::from_normal(normal),
                arm_first: -normal,
                arm_second: normal,
            };
            contacts.push(Contact::new(map, S::Local::ZERO, Law::Coulomb(0.4), &movers, 1.0));
        }
    }
    ContactProblem { movers, free, contacts, ..Default::default() }
}

fn bench<S: Blocks>(criterion: &mut Criterion, side: usize) {
    let problem = lattice::<S>(side);
    let params = NlgsParams { tolerance: 1e-300, max_iterations: SWEEPS, ..Default::default() };
    let mut solver = Nlgs::default();
    let mut solution = Solution::default();
    let mut group = criterion.benchmark_group(format!("sweep {}", S::NAME));
    group.throughput(Throughput::Elements((problem.contacts.len() * SWEEPS) as u64));
    group.sample_size(20);
    group.bench_function(format!("{} contacts", problem.contacts.len()), |bencher| {
        bencher.iter(|| {
            solution.impulses.clear();
            solution.impulses.resize(problem.contacts.len(), S::Local::ZERO);
            black_box(solver.solve(&problem, &mut solution, &params, &Threads::one()))
        });
    });
    group.finish();
}

fn sweeps(criterion: &mut Criterion) {
    bench::<Plane>(criterion, 20);
    bench::<Plane>(criterion, 80);
    bench::<Volume>(criterion, 10);
    bench::<Volume>(criterion, 20);
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
