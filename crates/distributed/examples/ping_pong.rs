//! How long a message takes between two processes of an MPI job, by its length, and a meeting of all: the least and the median of
//! many, for the model of `scaling.rs`. They go through what a run goes through.
//!
//! ```text
//! cargo build --release -p drystone-distributed --features mpi --example ping_pong
//! mpirun -n 2 target/release/examples/ping_pong
//! ```

use drystone_distributed::mpi::Processes;
use drystone_solve::Exchange;
use std::time::Instant;

/// Lengths of messages, in bytes, and how often each goes to and fro.
const LENGTHS: [(usize, usize); 6] =
    [(8, 2000), (1 << 10, 2000), (1 << 14, 1000), (1 << 17, 400), (1 << 20, 100), (1 << 23, 30)];

/// The least and the median of what this takes, in seconds.
fn times(count: usize, mut work: impl FnMut()) -> [f64; 2] {
    let mut all: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    all.sort_by(f64::total_cmp);
    [all[0], all[count / 2]]
}

fn main() -> Result<(), String> {
    let exchange: Box<dyn Exchange> = Box::new(Processes::start()?);
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    if ranks < 2 {
        return Err("found 1 process, expected 2 or more: start it by `mpirun -n 2`".to_owned());
    }
    let mut found = Vec::new();
    for (length, count) in LENGTHS.into_iter().filter(|_| rank < 2) {
        let other = 1 - rank;
        let way = times(count, || {
            // The first one begins, the second answers.
            if rank == 0 {
                exchange.swap(vec![(other, vec![0; length])], &[other]);
            } else {
                let heard = exchange.swap(Vec::new(), &[other]);
                exchange.swap(vec![(other, heard[0].clone())], &[]);
            }
        });
        found.push((length, way.map(|both| 0.5 * both)));
    }
    let meeting = times(2000, || {
        exchange.most(rank as u64);
    });
    if rank > 0 {
        return Ok(());
    }
    println!("| bytes | least | median | GB/s at the least |\n|---|---|---|---|");
    for (length, [least, median]) in &found {
        let speed = 1e-9 * *length as f64 / least;
        println!("| {length} | {:.2} µs | {:.2} µs | {speed:.2} |", 1e6 * least, 1e6 * median);
    }
    let [least, median] = meeting.map(|time| 1e6 * time);
    println!("a meeting of {ranks}: {least:.2} µs at the least, {median:.2} µs in the median");
    Ok(())
}
