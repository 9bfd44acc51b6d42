//! Boulders on a terrain of a hundred thousand triangles: how long steps take.
//!
//! `cargo run --release -p drystone-scene --example terrain [BOULDERS] [STEPS] [SCENE]` writes the last state as `terrain.png`; with a
//! SCENE it runs that.

use drystone_engine::AnyWorld;
use drystone_record::archive::{Catalogue, Frame};
use drystone_record::picture::{PictureFrame, PictureSettings, Subject};
use drystone_record::run::painter;
use drystone_scene::{Folders, Scene, SceneFile};
use drystone_space::math;
use std::time::Instant;

/// Heights along each axis: 2 · 224² = 100,352 triangles.
const ACROSS: usize = 225;

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|word| word.parse::<usize>().ok());
    let (boulders, steps) = (arguments.next().unwrap_or(1000), arguments.next().unwrap_or(1500));
    let height = |x: f64, y: f64| {
        0.15 * x + 0.8 * math::sin(0.3 * x) * math::cos(0.25 * y) + 0.1 * math::sin(1.7 * x + y)
    };
    let line = |r: usize| {
        let cells = (0..ACROSS).map(|c| format!("{:.4}", height(0.25 * c as f64, 0.25 * r as f64)));
        cells.collect::<Vec<_>>().join(",")
    };
    let table = (0..ACROSS).rev().map(line).collect::<Vec<_>>().join("\n");
    let rows = boulders.div_ceil(250);
    let text = format!(
        "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 10\n[solver]\njudge = \"contacts\"\n\
         tolerance = 1e-3\n[contact]\nform = \"gap\"\nmargin = 1e-3\n[[material]]\nname = \"rock\"\ndensity = 2600\n\
         [default_law]\nfriction = 0.5\n[[boundary]]\nmaterial = \"rock\"\n\
         shape = {{ heights = {{ file = \"terrain.csv\", spacing = 0.25 }} }}\n[[generate]]\n[generate.lattice]\n\
         material = \"rock\"\nirregular = {{ corners = [10, 18], radius = {{ uniform = [0.3, 0.6] }}, elongation = 1.4 }}\n\
         counts = [25, 10, {rows}]\nspacing = [1.5, 1.5, 1.5]\norigin = [10, 20, 12]\nrandom_rotation = true\n"
    );
    let given = [SceneFile { place: "terrain.csv".into(), text: table }];
    let begin = Instant::now();
    let folders = Folders { given: &given, ..Folders::default() };
    let scene = match std::env::args().nth(3) {
        Some(path) => Scene::read(path),
        None => Scene::parse_in("terrain", &text, folders),
    };
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    let Ok(AnyWorld::Volume(mut world)) = scene.world() else { panic!("a world of space") };
    let triangles = world.setup().boundaries[0].parts.len();
    println!(
        "{} boulders, {triangles} triangles: read in {:.2?}",
        world.bodies().len(),
        begin.elapsed()
    );
    let (mut begin, mut deepest, mut unsolved) = (Instant::now(), 0.0_f64, 0);
    for step in 1..=steps {
        let report = world.step().unwrap_or_else(|error| panic!("{error}"));
        deepest = deepest.max(report.penetration);
        unsolved += usize::from(!report.converged);
        if step % 100 == 0 {
            let each = begin.elapsed().as_secs_f64() * 10.0;
            println!(
                "t = {:.1} s: {} contacts, {each:.2} ms a step, deepest {deepest:.2e} m, {unsolved} not solved, books {:.1e}",
                world.time(),
                report.contacts,
                world.ledger().closure()
            );
            begin = Instant::now();
        }
    }
    let (frame, catalogue) = (Frame::of(&world, Vec::new(), Vec::new()), Catalogue::of(&world));
    let settings = PictureSettings::default();
    let step = world.setup().time_step;
    let picture = PictureFrame::recorded(&frame, &catalogue, "Terrain", step, settings.stress);
    let mut painter = painter(settings, &picture, &world);
    let drawn = painter.paint(&picture, Subject::Bodies).write_png("terrain.png".as_ref());
    drawn.unwrap_or_else(|error| panic!("{error}"));
}
