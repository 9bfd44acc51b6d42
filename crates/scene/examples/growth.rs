//! How the cost of a step grows with the number of spheres, and with threads.
//!
//! `cargo run --release -p drystone-scene --example growth -- [LARGEST [STEPS [THREADS]]]`
//!
//! Spheres of two radii stand on a cubic lattice, a hundredth of a radius apart, ten layers high between four
//! walls, and settle under gravity: the same packing, only wider. Memory is what the process has gained by it.

mod support;

use drystone_engine::World;
use drystone_space::{Volume, give_back_at_once};
use std::error::Error;
use std::time::Instant;
use support::{open_box, world};

const LAYERS: usize = 10;
const RADIUS: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    give_back_at_once();
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let largest = arguments.next().unwrap_or(Ok(100_000))?;
    let steps = arguments.next().unwrap_or(Ok(50))?;
    println!(
        "| spheres | contacts | sweeps | threads | ms per step | ns per contact and sweep | kB per sphere |"
    );
    println!("|---|---|---|---|---|---|---|");
    let only = arguments.next().transpose()?;
    for threads in only.map_or(vec![1, 2], |only| vec![only]) {
        let mut count = 1000;
        while count <= largest {
            measure(count, threads, steps)?;
            count *= 10;
        }
    }
    Ok(())
}

fn measure(count: usize, threads: usize, steps: usize) -> Result<(), Box<dyn Error>> {
    let before = resident();
    let mut world = packing(count)?;
    world.set_threads(threads);
    // Until the layers rest on each other.
    for _ in 0..steps {
        world.step()?;
    }
    let (mut sweeps, mut visits) = (0, 0.0);
    let clock = Instant::now();
    for _ in 0..steps {
        let report = world.step()?;
        sweeps += report.iterations;
        visits += report.iterations as f64 * world.contacts().len() as f64;
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "| {} | {} | {:.1} | {threads} | {:.2} | {:.1} | {:.2} |",
        world.bodies().len(),
        world.contacts().len(),
        sweeps as f64 / steps as f64,
        1e3 * seconds / steps as f64,
        1e9 * seconds / visits,
        (resident() - before) / 1000.0 / world.bodies().len() as f64,
    );
    Ok(())
}

fn packing(count: usize) -> Result<World<Volume>, Box<dyn Error>> {
    let side = ((count / LAYERS) as f64).sqrt().round() as usize;
    let spacing = 2.01 * RADIUS;
    let width = spacing * side as f64;
    let walls = open_box("grain", [0.0; 3], [width, width, 0.0]);
    let half = 0.5 * spacing;
    let scene = format!(
        "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 1\n\
         [solver]\ntolerance = 1e-3\n\
         [[material]]\nname = \"grain\"\ndensity = 2500\n[default_law]\nfriction = 0.4\n{}\
         [[generate]]\n[generate.lattice]\nmaterial = \"grain\"\n\
         radius = {{ uniform = [{}, {RADIUS}] }}\ncounts = [{side}, {side}, {LAYERS}]\n\
         spacing = [{spacing}, {spacing}, {spacing}]\norigin = [{half}, {half}, {half}]\n",
        walls,
        0.97 * RADIUS,
    );
    world("growth", &scene, None)
}

/// Memory of this process in bytes where the system tells it.
fn resident() -> f64 {
    let told = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = told.and_then(|text| text.split(' ').nth(1)?.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4096.0
}
