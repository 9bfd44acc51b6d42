//! Other engines on the same scenes as drystone, by turns in one run: `cargo run --release -- [SCENE [ROUNDS [SHARE]]]`.
//!
//! Of each scene and engine it prints processor time of one thread, what overlap and creep are by the same judge, and of
//! drystone what it has to say of its steps. With a share, only so much of each scene's time is run. The README says more.

mod box2d;
mod engine;
mod judge;
mod ours;
mod rapier;
mod scene;

use box2d::Box2d;
use engine::{Engine, cpu};
use ours::Drystone;
use rapier::Rapier;
use scene::{Bound, Scene};
use std::error::Error;

/// What came out of one run.
struct Figures {
    cpu: f64,
    most: f64,
    mean: f64,
    creep: Option<f64>,
    remarks: String,
}

fn figures(engine: &dyn Engine, scene: &Scene) -> Result<Option<Figures>, Box<dyn Error>> {
    let Some(mut running) = engine.begin(scene)? else { return Ok(None) };
    let before = cpu();
    running.run(scene.run)?;
    let spent = cpu() - before;
    let places = running.places();
    let spin = scene.bounds.iter().find_map(|bound| match bound {
        Bound::Drum(_, spin) => Some(*spin),
        Bound::Below(..) => None,
    });
    let (most, mean) = judge::overlaps(scene, &places, spin.unwrap_or(0.0) * scene.run);
    let remarks = running.remarks();
    let creep = if scene.watch > 0.0 {
        running.run(scene.watch)?;
        Some(judge::creep(scene, &places, &running.places()))
    } else {
        None
    };
    Ok(Some(Figures { cpu: spent, most, mean, creep, remarks }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().filter(|name| name != "all");
    let rounds: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let share: f64 = arguments.next().map_or(Ok(1.0), |text| text.parse())?;
    let foundation = boxdd::Foundation::initialize_default()?;
    let box2d = |rate, stiffness| -> Box<dyn Engine> {
        Box::new(Box2d { foundation, rate, substeps: 4, stiffness })
    };
    let rapier = |double, rate, stiffness| -> Box<dyn Engine> {
        Box::new(Rapier { double, rate, iterations: 4, stiffness })
    };
    let engines: Vec<Box<dyn Engine>> = vec![
        Box::new(Drystone { solver: "" }),
        Box::new(Drystone { solver: "judge = \"contacts\"\ntolerance = 1e-2" }),
        box2d(60.0, None),
        box2d(240.0, Some(240.0)),
        rapier(false, 60.0, None),
        rapier(false, 500.0, Some(250.0)),
        rapier(true, 60.0, None),
        rapier(true, 500.0, Some(250.0)),
    ];
    for mut scene in scene::scenes(wanted.as_deref()) {
        scene.run *= share;
        scene.watch *= share;
        println!("{}: {} bodies, {} s", scene.name, scene.bodies.len(), scene.run);
        for round in 1..=rounds {
            for engine in &engines {
                let Some(figures) = figures(engine.as_ref(), &scene)? else { continue };
                let Figures { cpu, most, mean, creep, remarks } = figures;
                let creep = creep.map_or("–".to_owned(), |creep| format!("{creep:.1e}"));
                println!(
                    "| {round} | {} | {cpu:.2} s | {most:.1e} | {mean:.1e} | {creep} | {remarks} |",
                    engine.name()
                );
            }
        }
    }
    Ok(())
}
