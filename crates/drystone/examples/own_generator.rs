//! An own generator: a pyramid of boxes, made body by body without a scene file, and recorded.
//!
//! `cargo run --release -p drystone --example own_generator`

use drystone::prelude::*;

const SIZE: f64 = 0.2;
const DENSITY: f64 = 2000.0;

/// A cube whose centre is at a place.
fn cube(place: DVec3) -> Body<Volume> {
    let shape = Polyhedron::cuboid(DVec3::splat(SIZE)).expect("a cube is a polyhedron");
    let part = Part::new(VolumeShape::Polyhedron(shape), MaterialId(0));
    let properties = MassProperties::of_parts([(&part, DENSITY)].into_iter());
    Body::new(properties.expect("a cube has a volume"), vec![part], Pose::at(place))
}

fn main() -> Result<(), Error> {
    let short = std::env::args().any(|argument| argument == "--short");
    let base = if short { 3 } else { 8 };
    let mut setup = Setup::<Volume> {
        gravity: DVec3::new(0.0, 0.0, -9.81),
        time_step: 1e-3,
        laws: LawTable::uniform(1, MoreauLaw { friction: 0.5.into(), ..MoreauLaw::default() }),
        ..Setup::default()
    };
    for level in 0..base {
        let side = base - level;
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            let along = |k: i32| SIZE * (f64::from(k) - 0.5 * f64::from(side - 1));
            let height = SIZE * (f64::from(level) + 0.5);
            setup.bodies.push(cube(DVec3::new(along(i), along(j), height)));
        }
    }
    setup.boundaries.push(Boundary {
        name: "ground".to_owned(),
        pose: Pose::IDENTITY,
        parts: vec![Part::new(VolumeShape::HalfSpace, MaterialId(0))],
        drive: Drive::Fixed,
        removal: f64::INFINITY,
    });
    let weight = 9.81 * setup.bodies.iter().map(|body| body.mass).sum::<f64>();

    let folder = std::env::temp_dir().join(format!("drystone-pyramid-{}", std::process::id()));
    let mut simulation = Simulation::new(setup)?;
    simulation.set_end(if short { 0.05 } else { 0.5 });
    simulation.record_to(&folder, RecordOptions { pictures: false, ..RecordOptions::default() })?;
    simulation.run_until(simulation.end())?;
    let carried = -simulation.boundary("ground")?.force[2];
    println!(
        "{} cubes weigh {weight:.1} N, the ground carries {carried:.1} N",
        simulation.bodies()
    );
    assert!((carried - weight).abs() < 1e-3 * weight, "the ground carries all of it");
    let summary = simulation.finish()?;
    println!("verdict: {:?}", summary.verdict);
    println!("{} frames in {}", Run::open(&folder)?.frames(), folder.display());
    if short {
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
    }
    Ok(())
}
