//! What fuzzing of records and of contact problems begins with: the records of small runs, and the problems of their last
//! steps.

use drystone::prelude::*;
use std::fs;
use std::path::Path;

/// In the plane and in space; bodies that enter, boundaries, polygons, joints, deformable solids.
const SCENES: [&str; 4] = [
    r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.02 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
[[body]]
name = "block"
material = "a"
shape = { box = [0.2, 0.1] }
position = [0, 0.05]
[[body]]
material = "a"
shape = { disk = 0.05 }
position = [0, 0.15]
[[boundary]]
name = "floor"
material = "a"
shape = { half_plane = {} }
"#,
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 0.02 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5, rolling_resistance = 1e-3 }
[[body]]
name = "ball"
material = "a"
shape = { sphere = 0.05 }
position = [0, 0, 0.05]
[[body]]
material = "a"
shape = { box = [0.1, 0.1, 0.1] }
position = [0.2, 0, 0.05]
[[boundary]]
name = "floor"
material = "a"
shape = { half_space = {} }
"#,
    r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-4, end = 0.002 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
[[solid]]
name = "plate"
material = "a"
mesh = { rectangle = { size = [0.2, 0.1], elements = [2, 1] } }
section = "plane_stress"
thickness = 0.01
elasticity = { law = "st-venant-kirchhoff", young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0.05]
velocity = [0, -1]
[[boundary]]
name = "floor"
material = "a"
shape = { half_plane = {} }
"#,
    r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.02 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
[[emitter]]
name = "e"
material = "a"
radius = 0.01
region = { low = [-0.1, 1], high = [0.1, 1] }
velocity = [0, -1]
rate = 100
count = 3
"#,
];

/// Writes them where libFuzzer looks for them.
pub fn write() {
    let folder = |name: &str| {
        let folder = Path::new("corpus").join(name);
        fs::create_dir_all(&folder).expect("a place for seeds");
        folder
    };
    let (records, problems) = (folder("record"), folder("fclib"));
    for (number, text) in SCENES.into_iter().enumerate() {
        if let Err(error) = write_of(number, text, &records, &problems) {
            eprintln!("no seeds of scene {number}: {}", error.message());
        }
    }
}

fn write_of(number: usize, text: &str, records: &Path, problems: &Path) -> Result<(), Error> {
    let directory = std::env::temp_dir().join(format!("drystone-seeds-{}", std::process::id()));
    let mut simulation = Simulation::parse(text)?;
    let options = RecordOptions { pictures: false, force: true };
    simulation.record_to(&directory, options)?;
    let end = simulation.end();
    simulation.run_until(end)?;
    if let Some(found) = simulation.problem()? {
        found.problem.write(&problems.join(format!("{number}.hdf5")))?;
    }
    simulation.finish()?;
    for name in ["things", "checkpoint", "000000", "000001"] {
        let from = directory.join(format!("record/{name}.npz"));
        let _ = fs::copy(from, records.join(format!("{number}-{name}.npz")));
    }
    let _ = fs::remove_dir_all(&directory);
    Ok(())
}
