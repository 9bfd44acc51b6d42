//! A servo wall: a biaxial test of disks. The lid comes down at a given speed; the load on the right wall is set after every
//! step to a pressure times the height that is left of the sample, which no function of time could say beforehand.
//!
//! `cargo run --release -p drystone --example servo_wall`
//!
//! The work of lid and wall is in the energy ledger, which closes to rounding.

use drystone::prelude::*;

const SCENE: &str = r#"
    title = "servo wall"
    dimension = 2
    gravity = [0, 0]
    seed = 4
    time = { step = 5e-4, end = 8 }
    material = [{ name = "glass", density = 2500 }]
    default_law = { friction = 0.3 }

    [[boundary]]
    name = "floor"
    shape = { half_plane = {} }
    material = "glass"

    [[boundary]]
    name = "left"
    shape = { half_plane = {} }
    rotation = -1.5707963267948966
    material = "glass"

    [[boundary]]
    name = "right"
    shape = { half_plane = {} }
    position = [1, 0]
    rotation = 1.5707963267948966
    material = "glass"
    load = { direction = [-1, 0], force = 0, mass = 100 }

    [[boundary]]
    name = "lid"
    shape = { half_plane = {} }
    position = [0, 1.05]
    rotation = 3.141592653589793
    material = "glass"

    [[generate]]
    deposit = { radius = { uniform = [0.04, 0.05] }, material = "glass", region = { low = [0, 0], high = [1, 1] } }
"#;

/// Force by length on the right wall, in N/m.
const PRESSURE: f64 = 1000.0;
/// The lid comes down so fast while the sample is loose, and then, in m/s.
const SPEEDS: [f64; 2] = [0.1, 0.01];
/// When the sample is no longer loose, in s.
const LOOSE: f64 = 1.5;

/// What is set after a step.
fn steer(simulation: &mut Simulation) -> Result<(), Error> {
    let height = simulation.boundary("lid")?.position[1];
    simulation.set_boundary_load("right", PRESSURE * height)?;
    let speed = SPEEDS[usize::from(simulation.time() > LOOSE)];
    simulation.set_boundary_velocity("lid", &[0.0, -speed])
}

fn main() -> Result<(), Error> {
    let short = std::env::args().any(|argument| argument == "--short");
    let end = if short { 3.0 } else { 8.0 };
    let mut simulation = Simulation::parse(SCENE)?;
    let mut failed = Ok(());
    // Means since the last line: single steps have shocks.
    let (mut wall, mut lid, mut asked, mut reached) = ([0.0; 2], [0.0; 2], 0.0, 0.0);
    simulation.run_watched(end, |simulation, _| {
        let felt = simulation.boundary("right").and_then(|wall| Ok((wall, simulation.boundary("lid")?)));
        failed = felt.and_then(|(right, top)| {
            let (height, width) = (top.position[1], right.position[0]);
            wall = [wall[0] + right.force[0], wall[1] + height];
            lid = [lid[0] + top.force[1], lid[1] + width];
            asked += PRESSURE * height;
            if simulation.steps().is_multiple_of(1000) {
                let [side, above] = [wall, lid].map(|[force, length]| force / length);
                println!(
                    "t = {:.1} s  {width:.3} by {height:.3} m  pressure {side:.0} aside, {above:.0} above",
                    simulation.time()
                );
                reached = wall[0] / asked;
                (wall, lid, asked) = ([0.0; 2], [0.0; 2], 0.0);
            }
            steer(simulation)
        });
        if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failed?;
    let ledger = simulation.ledger();
    let (boundaries, loads) = (ledger.boundary_work, ledger.external_work);
    println!(
        "work of the lid {boundaries:.2} J, of the load {loads:.2} J, closure {:.1e}",
        ledger.closure()
    );
    println!("pressure aside, as a share of what was set: {reached:.4}");
    Ok(())
}
