//! Collapses of columns of several aspect ratios: their run-out beside the law of Lube et al. 2004.
//!
//! ```sh
//! cargo run --release -p drystone-cli --example columns -- docs/pictures
//! ```
//!
//! The scene is `scenes/column_collapse.toml` with another cylinder, of so many grains across, filled to
//! the height of each aspect ratio. The run-out is (r − r₀)/r₀: by the foot of the heap, where the mean
//! height exceeds half a grain, and by the radius within which 99 of 100 grains lie.

use clap::Parser;
use drystone_analysis::{Sample, Surface};
use drystone_engine::{AnyWorld, World};
use drystone_record::draw::Raster;
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_scene::Scene;
use drystone_space::{DVec3, Volume};
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Mean diameter of the grains of the scene.
const DIAMETER: f64 = 0.01;
/// Solid fraction of the grains poured into the cylinder, about.
const FILLING: f64 = 0.56;
/// Sides of the cylinder.
const SIDES: usize = 24;
/// How long grains are given to settle, and to spread.
const TIMES: (f64, f64) = (0.7, 0.9);

/// What is computed.
#[derive(Parser)]
struct Arguments {
    /// Where `columns.csv` and `columns.png` go.
    directory: PathBuf,
    /// Aspect ratios: height by radius.
    #[arg(long, value_delimiter = ',', default_value = "0.5,1,2,3")]
    ratios: Vec<f64>,
    /// Grains across the column.
    #[arg(long, default_value_t = 16.0)]
    across: f64,
    /// Friction of all contacts.
    #[arg(long, default_value_t = 0.5)]
    friction: f64,
    /// Length of a step, in seconds.
    #[arg(long, default_value_t = 1e-3)]
    step: f64,
    /// Threads to compute with.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The scene.
    #[arg(long, default_value = "scenes/column_collapse.toml")]
    scene: PathBuf,
}

/// What a collapse has come to.
struct Collapse {
    grains: usize,
    /// Height before, by radius.
    ratio: f64,
    /// Run-out by the foot of the heap.
    foot: f64,
    /// Run-out by 99 of 100 grains.
    most: f64,
    /// Height after, by radius.
    height: f64,
}

/// Run-out of Lube et al. 2004.
fn law(ratio: f64) -> f64 {
    if ratio < 1.7 { 1.24 * ratio } else { 1.6 * ratio.sqrt() }
}

/// The scene with a cylinder of this radius filled to this aspect ratio.
fn scene(text: &str, arguments: &Arguments, ratio: f64) -> Result<String, Box<dyn Error>> {
    let radius = 0.5 * arguments.across * DIAMETER;
    let mut walls = String::new();
    for side in 0..SIDES {
        let (sin, cos) = (side as f64 / SIDES as f64 * std::f64::consts::TAU).sin_cos();
        writeln!(
            walls,
            "    {{ shape = {{ half_space = {{ point = [{}, {}, 0], normal = [{}, {}, 0] }} }} }},",
            radius * cos,
            radius * sin,
            -cos,
            -sin
        )?;
    }
    let start = text.find("parts = [\n").ok_or("the scene has no cylinder")? + "parts = [\n".len();
    let end = start + text[start..].find("\n]\n").ok_or("the cylinder has no end")? + 1;
    // A polygon of sides at this distance is a little wider than the circle.
    let area = SIDES as f64 * (std::f64::consts::PI / SIDES as f64).tan() * radius * radius;
    let grain = std::f64::consts::PI / 6.0 * DIAMETER.powi(3);
    let count = (area * ratio * radius * FILLING / grain).round();
    let (side, top) = (0.68 * radius, 3.0 * ratio * radius + 0.2);
    let reach = radius * (2.0 + 1.3 * law(ratio));
    let mut changed = format!("{}{walls}{}", &text[..start], &text[end..]);
    for (from, to) in [
        ("count = 2000", format!("count = {count}")),
        ("[-0.055, -0.055, 0.001]", format!("[-{side}, -{side}, 0.001]")),
        ("[0.055, 0.055, 0.5]", format!("[{side}, {side}, {top}]")),
        ("within = 0.3", format!("within = {reach}")),
        ("step = 5e-4", format!("step = {}", arguments.step)),
        ("remove_at = 0.8", format!("remove_at = {}", TIMES.0)),
        ("friction = 0.5", format!("friction = {}", arguments.friction)),
    ] {
        if !changed.contains(from) {
            return Err(format!("the scene has no `{from}`").into());
        }
        changed = changed.replace(from, &to);
    }
    Ok(changed)
}

fn collapse(mut world: World<Volume>, radius: f64) -> Result<Collapse, Box<dyn Error>> {
    let surface = |world: &World<Volume>| {
        let sample = Sample::of_world(world);
        Surface::of(&sample, DVec3::ZERO, 0.0, sample.mean_diameter())
    };
    let until = |world: &mut World<Volume>, time: f64| -> Result<(), Box<dyn Error>> {
        while world.time() < time {
            world.step()?;
        }
        Ok(())
    };
    until(&mut world, TIMES.0)?;
    let heights = surface(&world).heights;
    let inner = &heights[..heights.len().saturating_sub(1).max(1)];
    let height = inner.iter().sum::<f64>() / inner.len() as f64;
    until(&mut world, TIMES.0 + TIMES.1)?;
    let mut radii: Vec<f64> =
        world.bodies().iter().map(|b| b.pose.position.truncate().length()).collect();
    radii.sort_by(f64::total_cmp);
    let after = surface(&world);
    Ok(Collapse {
        grains: radii.len(),
        ratio: height / radius,
        foot: after.base() / radius - 1.0,
        most: radii[radii.len() * 99 / 100] / radius - 1.0,
        height: after.height() / radius,
    })
}

fn draw(arguments: &Arguments, found: &[Collapse]) -> Result<(), Box<dyn Error>> {
    let series = |name: &str, colour: usize, value: &dyn Fn(&Collapse) -> f64| Series {
        name: name.to_owned(),
        colour: PALETTE[colour],
        values: found.iter().map(value).collect(),
    };
    let axis =
        |label: &str| Axis { label: label.to_owned(), unit: String::new(), scale: Scale::Linear };
    let plot = Plot {
        title: format!("Collapse of columns {} grains across", arguments.across),
        times: found.iter().map(|c| c.ratio).collect(),
        panels: vec![Panel {
            axis: axis("run-out / radius"),
            series: vec![
                series("foot", 0, &|c| c.foot),
                series("99 of 100 grains", 2, &|c| c.most),
                series("Lube et al. 2004", 1, &|c| law(c.ratio)),
            ],
            weight: 1.0,
        }],
    };
    let mut raster = Raster::new(860, 520);
    plot.draw_against(&mut raster, &axis("height / radius before"));
    raster.write_png(&arguments.directory.join("columns.png"))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let text = std::fs::read_to_string(&arguments.scene)?;
    let mut table = "grains,ratio,foot,most,law,height\n".to_owned();
    let mut found = Vec::new();
    std::fs::create_dir_all(&arguments.directory)?;
    for &ratio in &arguments.ratios {
        let text = scene(&text, &arguments, ratio)?;
        let AnyWorld::Volume(mut world) = Scene::parse("columns", &text, None)?.world()? else {
            return Err("the scene is not in space".into());
        };
        world.set_threads(arguments.threads);
        let one = collapse(world, 0.5 * arguments.across * DIAMETER)?;
        let row = format!(
            "{},{:.3},{:.3},{:.3},{:.3},{:.3}",
            one.grains,
            one.ratio,
            one.foot,
            one.most,
            law(one.ratio),
            one.height
        );
        println!("{row}");
        writeln!(table, "{row}")?;
        found.push(one);
        // A long series is worth something before it ends.
        std::fs::write(arguments.directory.join("columns.csv"), &table)?;
        draw(&arguments, &found)?;
    }
    Ok(())
}
