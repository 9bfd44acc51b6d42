//! A servo wall: disks in a box are pressed by a wall whose velocity is set from the force that it feels.
//!
//! `cargo run --release -p drystone --example servo_wall`
//!
//! The wall is told a pressure. After every step it is given the velocity gain · (wanted − felt), so that it stops where
//! both are equal: the control of a biaxial test. Its work is in the energy ledger, which closes to rounding.

use drystone::prelude::*;

const SCENE: &str = r#"
    title = "servo wall"
    dimension = 2
    gravity = [0, 0]
    seed = 4
    time = { step = 5e-4, end = 4 }
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

    [[boundary]]
    name = "lid"
    shape = { half_plane = {} }
    position = [0, 1.05]
    rotation = 3.141592653589793
    material = "glass"

    [[generate]]
    deposit = { radius = { uniform = [0.04, 0.05] }, material = "glass", region = { low = [0, 0], high = [1, 1] } }
"#;

/// Force by length that is wanted of the lid, in N/m.
const PRESSURE: f64 = 1000.0;
/// Velocity by missing force, in m/(s N).
const GAIN: f64 = 2e-5;
/// The lid moves no faster than this, in m/s.
const FASTEST: f64 = 0.1;

fn main() -> Result<(), Error> {
    let short = std::env::args().any(|argument| argument == "--short");
    let end = if short { 2.0 } else { 4.0 };
    let mut simulation = Simulation::parse(SCENE)?;
    // The mean of some steps: single ones have shocks.
    let (mut felt, mut reached) = (0.0, 0.0);
    let mut observers = Observers::default();
    observers.every(1, |simulation| {
        let Ok(lid) = simulation.boundary("lid") else { return ControlFlow::Break(()) };
        felt += 0.1 * (lid.force[1] - felt);
        let speed = (GAIN * (PRESSURE - felt)).clamp(-FASTEST, FASTEST);
        match simulation.set_boundary_velocity("lid", &[0.0, -speed]) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    observers.every(400, |simulation| {
        if let Ok(lid) = simulation.boundary("lid") {
            let (time, height) = (simulation.time(), lid.position[1]);
            reached = lid.force[1] / PRESSURE;
            println!("t = {time:.2} s  lid at {height:.5} m  force {:.1} N", lid.force[1]);
        }
        ControlFlow::Continue(())
    });
    simulation.run(end, &mut observers)?;
    drop(observers);
    let ledger = simulation.ledger();
    println!("work of the lid {:.4} J, closure {:.1e}", ledger.boundary_work, ledger.closure());
    println!("pressure reached, as a share of what was wanted: {reached:.4}");
    Ok(())
}
