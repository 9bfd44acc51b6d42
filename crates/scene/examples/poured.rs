//! Spheres poured into a box, and how well they then rest: overlap, creep, and what it took.
//!
//! `cargo run --release -p drystone-scene --example poured -- FILE [STEP [TOLERANCE [THREADS]]]`
//!
//! The file's first line is: number of spheres, side of the box, density, friction. Then come lines
//! `x y z radius`, in metres. The box stands on z = 0 between 0 and its side; gravity is 9.81 m/s², nothing
//! bounces, and all start at rest. While they fall and land, ten times the tolerance is enough. After 1.5 s the overlap
//! of each touching pair is taken as a share of the mean diameter, and creep is the median way of a sphere in the next
//! 0.5 s in the same unit.

mod support;

use drystone_engine::World;
use drystone_space::{DVec3, Volume};
use std::error::Error;
use std::f64::consts::PI;
use std::path::Path;
use std::time::Instant;
use support::{open_box, world};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("expected: FILE [STEP [TOLERANCE [THREADS]]]")?;
    let step = arguments.next().unwrap_or_else(|| "2.5e-3".to_owned());
    let tolerance = arguments.next().unwrap_or_else(|| "5e-5".to_owned());
    let mut world = pour(Path::new(&file), &step, &tolerance)?;
    let threads = arguments.next().map_or(Ok(1), |text| text.parse())?;
    world.set_threads(threads);

    let (before, clock) = (cpu_seconds(), Instant::now());
    let mut sweeps = 0;
    let mut run_until = |world: &mut World<Volume>, end: f64| -> Result<(), Box<dyn Error>> {
        while world.time() < end - 1e-9 {
            sweeps += world.step()?.iterations;
        }
        Ok(())
    };
    run_until(&mut world, 1.5)?;
    let (spent, seconds) = (cpu_seconds() - before, clock.elapsed().as_secs_f64());
    let settled = places(&world);
    let (largest, mean) = overlaps(&world);
    run_until(&mut world, 2.0)?;
    let mut ways: Vec<f64> =
        places(&world).iter().zip(&settled).map(|(now, then)| (*now - *then).length()).collect();
    ways.sort_by(f64::total_cmp);
    let diameter = mean_diameter(&world);
    println!("spheres           {}", settled.len());
    println!("step, tolerance   {step} s, {tolerance}");
    println!("CPU for 1.5 s     {spent:.2} s; on the clock {seconds:.2} s, threads: {threads}");
    println!("sweeps per step   {:.1}", sweeps as f64 / world.steps() as f64);
    println!("contacts          {}", world.contacts().len());
    println!("overlap           {largest:.1e} at most, {mean:.1e} in the mean");
    println!("creep             {:.1e}", ways[ways.len() / 2] / diameter);
    Ok(())
}

/// The spheres of the file in their box.
fn pour(file: &Path, step: &str, tolerance: &str) -> Result<World<Volume>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let head: Vec<&str> = text.lines().next().unwrap_or("").split_whitespace().collect();
    let [_, side, density, friction] = head[..] else {
        return Err("the first line holds no number of spheres, side, density, friction".into());
    };
    // Gaps are watched as far as a sphere falls in a step, and overlaps are made good slowly.
    let margin = 2.0 * step.parse::<f64>()?;
    let name = file.file_name().ok_or("not a file")?;
    // They have landed when what is left of their motion would lift them by a thousandth of a diameter.
    let spheres = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(3));
    let radii = spheres.map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * PI * r.powi(3)).sum();
    let diameter = 2.0 * radii.iter().sum::<f64>() / radii.len() as f64;
    let calm = 1e-3 * density.parse::<f64>()? * volume * 9.81 * diameter;
    let falling = 10.0 * tolerance.parse::<f64>()?;
    let mut scene = format!(
        "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = {step}\nend = 2\n\
         [solver]\ntolerance = {tolerance}\n\
         [[phase]]\nname = \"fall\"\nuntil = {{ kinetic_energy_below = {calm}, for = 0.05 }}\ntolerance = {falling:e}\n\
         [[phase]]\nname = \"rest\"\nuntil = {{ time = 2 }}\n\
         [contact]\nform = \"gap\"\nmargin = {margin}\nrecovery_speed = 0.02\n\
         [[material]]\nname = \"grain\"\ndensity = {density}\n[default_law]\nfriction = {friction}\n\
         [[generate]]\n[generate.list]\nmaterial = \"grain\"\nfile = {name:?}\nskip = 1\n"
    );
    scene += &open_box("grain", [0.0; 3], [side.parse()?, side.parse()?, 0.0]);
    world("poured", &scene, file.parent())
}

fn places(world: &World<Volume>) -> Vec<DVec3> {
    world.bodies().iter().map(|body| body.pose.position).collect()
}

fn radius(world: &World<Volume>, index: usize) -> f64 {
    let body = &world.bodies()[index];
    // A ball of mass m and moment of inertia J = 2/5 m r².
    (2.5 * body.moments.x / body.mass).sqrt()
}

fn mean_diameter(world: &World<Volume>) -> f64 {
    let count = world.bodies().len();
    2.0 * (0..count).map(|index| radius(world, index)).sum::<f64>() / count as f64
}

/// Largest and mean overlap of the contacts that overlap, in mean diameters.
fn overlaps(world: &World<Volume>) -> (f64, f64) {
    let overlaps: Vec<f64> =
        world.contacts().iter().map(|contact| -contact.gap).filter(|&depth| depth > 0.0).collect();
    let diameter = mean_diameter(world);
    let largest = overlaps.iter().copied().fold(0.0, f64::max);
    let mean = overlaps.iter().sum::<f64>() / overlaps.len().max(1) as f64;
    (largest / diameter, mean / diameter)
}

/// CPU time of all threads of this process where the system tells it; otherwise time on the clock.
fn cpu_seconds() -> f64 {
    let of_thread = |folder: std::path::PathBuf| {
        let told = std::fs::read_to_string(folder.join("schedstat")).ok()?;
        told.split(' ').next()?.parse::<f64>().ok()
    };
    match std::fs::read_dir("/proc/self/task") {
        Ok(threads) => {
            let threads = threads.filter_map(|thread| of_thread(thread.ok()?.path()));
            1e-9 * threads.sum::<f64>()
        }
        Err(_) => std::time::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64()),
    }
}
