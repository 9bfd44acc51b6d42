//! One contact in space: time of each local solver, from zero and from near the answer.
//!
//! The contacts are random pairs of bodies with friction up to 0.8 that approach and slide; of 256,
//! 147 slip. Criterion's throughput is in contacts. `engine` is the block of the engine's own sweep.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone_solve::assembled::{Local, Square};
use drystone_solve::local::{LocalSolver, OneContact};
use drystone_solve::{Block, Cone, VolumeBlock};
use drystone_space::{DVec2, Local3};
use std::hint::black_box;

const CONTACTS: usize = 256;

/// A small generator of numbers in [−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A contact with its velocity and impulse.
struct Task {
    contact: OneContact<3>,
    block: VolumeBlock,
    velocity: Local<3>,
    impulse: Local<3>,
}

/// The block of two bodies of unit mass and inertia 0.1 to 0.4 that touch off their centres.
fn delassus(noise: &mut Noise) -> Square<3> {
    let mut block = [[0.0; 3]; 3];
    for _ in 0..2 {
        let arm: Local<3> = [1.0 + 0.2 * noise.next(), 0.5 * noise.next(), 0.5 * noise.next()];
        let inverse = 1.0 / (0.25 + 0.15 * noise.next());
        let square: f64 = arm.iter().map(|x| x * x).sum();
        for i in 0..3 {
            block[i][i] += 1.0 + inverse * square;
            for j in 0..3 {
                block[i][j] -= inverse * arm[i] * arm[j];
            }
        }
    }
    block
}

/// Tasks from zero, or from the answer to a slightly different velocity.
fn tasks(warm: bool) -> Vec<Task> {
    let mut noise = Noise(7);
    let mut task = || {
        let block = delassus(&mut noise);
        let friction = 0.4 + 0.4 * noise.next();
        let contact = OneContact::new(&block, &Cone::coulomb(friction));
        let free = [-0.6 + 0.5 * noise.next(), noise.next(), noise.next()];
        let near = free.map(|q| q + 1e-3 * noise.next());
        let zero = [0.0; 3];
        let impulse = LocalSolver::Bracketed.solve(&contact, &near, &zero).impulse;
        let impulse = if warm { impulse } else { zero };
        let velocity = std::array::from_fn(|i| {
            free[i] + block[i].iter().zip(&impulse).map(|(h, p)| h * p).sum::<f64>()
        });
        let column = |j: usize| Local3 { n: block[0][j], t: DVec2::new(block[1][j], block[2][j]) };
        Task { contact, block: VolumeBlock::new(column, friction), velocity, impulse }
    };
    (0..CONTACTS).map(|_| task()).collect()
}

#[inline(never)]
fn visit(solver: LocalSolver, tasks: &[Task]) {
    for task in tasks {
        black_box(solver.solve(&task.contact, &task.velocity, &task.impulse));
    }
}

#[inline(never)]
fn visit_engine(tasks: &[Task]) {
    for task in tasks {
        let [u, p] =
            [&task.velocity, &task.impulse].map(|x| Local3 { n: x[0], t: DVec2::new(x[1], x[2]) });
        let (m, b) = task.block.reduce(u, p);
        black_box(task.block.coulomb(m, b));
    }
}

fn local(criterion: &mut Criterion) {
    for (start, warm) in [("zero", false), ("near", true)] {
        let tasks = tasks(warm);
        let mut group = criterion.benchmark_group(format!("local/{start}"));
        group.throughput(Throughput::Elements(CONTACTS as u64));
        group.bench_function("engine", |bencher| bencher.iter(|| visit_engine(&tasks)));
        for solver in LocalSolver::ALL {
            let id = BenchmarkId::from_parameter(solver.name());
            group.bench_function(id, |bencher| bencher.iter(|| visit(solver, &tasks)));
        }
    }
}

criterion_group!(benches, local);
criterion_main!(benches);
