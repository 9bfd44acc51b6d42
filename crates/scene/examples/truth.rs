//! Estimates of the error of a step against the truth, on steps of many kinds: a table, and a picture.
//!
//! `cargo run --release -p drystone-scene --example truth -- [PICTURE]` takes the contact problems of steps of scenes, of
//! structures and packings made here and of recorded files, solves them by sweeps to tolerances from 1e-1 to 1e-6, from the
//! impulses of the step before (warm) and from nothing (cold), and prints by which factor the estimates differ from the
//! truth: first for problems on which no rule for estimates was chosen (`support/held_out.rs`, of which the picture is
//! made), then for those on most of which the rule of sweeps was. The picture is written as PICTURE.png and PICTURE.svg.

#[path = "support/families.rs"]
mod families;
#[path = "support/held_out.rs"]
mod held_out;
#[path = "support/kinds.rs"]
mod kinds;
#[path = "support/recorded.rs"]
mod recorded;
#[path = "support/scatter.rs"]
mod scatter;
#[path = "support/truth.rs"]
mod truth;

use drystone_engine::{Dimension, World, with_world};
use drystone_scene::Scene;
use families::{Family, column};
use kinds::{KINDS, OTHERS, PACKINGS, RECORDED, SLIDING, STRUCTURES};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use truth::{Case, Point, Truth};

const TOLERANCES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Scenes on which the rule of sweeps was chosen, or which are like these: by kind, each with the steps that are looked at.
const SCENES: [(usize, &str, &[u64]); 25] = [
    (STRUCTURES, "scenes/arch.toml", &[1, 50]),
    (STRUCTURES, "scenes/stack_2d.toml", &[1]),
    (STRUCTURES, "scenes/stack_3d.toml", &[1]),
    (STRUCTURES, "scenes/four_legs.toml", &[1]),
    (STRUCTURES, "scenes/three_supports.toml", &[1]),
    (STRUCTURES, "scenes/small_arch.toml", &[1]),
    (STRUCTURES, "scenes/cube_at_rest.toml", &[1]),
    (STRUCTURES, "../shared/cases/wall_alone.toml", &[1, 50]),
    (STRUCTURES, "../shared/cases/heavy_on_light.toml", &[1]),
    (STRUCTURES, "../shared/cases/creep.toml", &[1]),
    (SLIDING, "scenes/wall_at_rest.toml", &[2, 50]),
    (SLIDING, "scenes/wall.toml", &[2, 50, 300]),
    (SLIDING, "scenes/square_friction.toml", &[10]),
    (PACKINGS, "scenes/rubble.toml", &[400, 1200]),
    (PACKINGS, "scenes/tetrapods.toml", &[600]),
    (PACKINGS, "scenes/slow_shear.toml", &[400]),
    (PACKINGS, "scenes/drum.toml", &[400]),
    (PACKINGS, "scenes/biaxial.toml", &[800]),
    (PACKINGS, "scenes/silo.toml", &[200]),
    (PACKINGS, "scenes/pour.toml", &[300]),
    (PACKINGS, "scenes/vibrated_bed.toml", &[300]),
    (PACKINGS, "scenes/landslide_300.toml", &[200]),
    (OTHERS, "scenes/soft_block.toml", &[100]),
    (OTHERS, "scenes/pile_small.toml", &[2000]),
    (OTHERS, "scenes/rolling_and_spinning_balls.toml", &[20]),
];

/// What was found of one problem.
pub struct Found {
    held_out: bool,
    kind: usize,
    /// Scene and step, or file: what from the same is counted as one problem.
    name: String,
    warm: bool,
    contacts: usize,
    truth: Truth,
    points: Vec<Point>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    let files = |list: &'static [(usize, &str, &[u64])], held_out| {
        list.iter().map(move |&(kind, path, steps)| (kind, path, steps, held_out))
    };
    for (kind, path, steps, held_out) in files(&held_out::SCENES, true).chain(files(&SCENES, false))
    {
        let file = root.join(path);
        if !file.exists() {
            println!("{path} is not there");
            continue;
        }
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let scene = Scene::read(file).map_err(|report| report.to_string())?;
        with_world!(scene.world()?, world => look(&mut all, (held_out, kind), &name, steps, world)?);
    }
    let spheres = held_out::made(&root.join("../shared/peers/spheres5000.csv"));
    let spheres = spheres.into_iter().map(|(kind, family, steps)| (kind, family, steps, true));
    let known = made().into_iter().map(|(kind, family)| (kind, family, &[1, 20][..], false));
    for (kind, family, steps, held_out) in spheres.chain(known) {
        let scene = Scene::parse(&family.name, &family.scene, None);
        let scene = scene.map_err(|report| report.to_string())?;
        let place = (held_out, kind);
        with_world!(scene.world()?, world => look(&mut all, place, &family.name, steps, world)?);
    }
    look_at_recorded(&mut all, &root.join("../shared/fclib"))?;
    report(&all);
    if let Some(path) = std::env::args().nth(1) {
        let held_out: Vec<&Found> = all.iter().filter(|found| found.held_out).collect();
        scatter::draw(&held_out).write(Path::new(&path))?;
    }
    Ok(())
}

/// Recorded problems, where they are.
fn look_at_recorded(all: &mut Vec<Found>, folder: &Path) -> Result<(), Box<dyn Error>> {
    let Ok(folder) = std::fs::read_dir(folder) else { return Ok(()) };
    let mut files: Vec<PathBuf> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "hdf5"));
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (contacts, truth, points) = recorded::points(&path, &TOLERANCES)?;
        if points.is_empty() {
            println!("{name}: no exact solution is known, or no sweep was needed");
            continue;
        }
        let found =
            Found { held_out: true, kind: RECORDED, name, warm: false, contacts, truth, points };
        all.push(found);
    }
    Ok(())
}

/// Columns of boxes and packings of balls, of several sizes.
fn made() -> Vec<(usize, Family)> {
    let mut all: Vec<(usize, Family)> =
        [5, 20, 80].into_iter().map(|count| (STRUCTURES, column(2, count, 1.0))).collect();
    for (side, layers) in [(4, 5), (8, 6)] {
        let mut scene = families::head(3, 0.0, 1e-3);
        let width = 0.0201 * f64::from(side);
        for (point, normal) in [
            ([0.0; 3], [1, 0, 0]),
            ([0.0; 3], [0, 1, 0]),
            ([width; 3], [-1, 0, 0]),
            ([width; 3], [0, -1, 0]),
        ] {
            write!(
                scene,
                "[[boundary]]\nmaterial = \"stone\"\n\
                 shape = {{ half_space = {{ point = {point:?}, normal = {normal:?} }} }}\n"
            )
            .expect("writing to a string");
        }
        write!(
            scene,
            "[[generate]]\n[generate.lattice]\nmaterial = \"stone\"\nradius = {{ uniform = [0.0097, 0.01] }}\n\
             counts = [{side}, {side}, {layers}]\nspacing = [0.0201, 0.0201, 0.0201]\n\
             origin = [0.01005, 0.01005, 0.01005]\n"
        )
        .expect("writing to a string");
        all.push((PACKINGS, Family { name: format!("balls {side} by {side} by {layers}"), scene }));
    }
    all
}

/// Looks at some steps of a world.
fn look<S: Dimension>(
    all: &mut Vec<Found>,
    (held_out, kind): (bool, usize),
    name: &str,
    steps: &[u64],
    mut world: World<S>,
) -> Result<(), Box<dyn Error>> {
    world.keep_start();
    for &step in steps {
        while world.steps() < step {
            world.step()?;
        }
        let name = format!("{name}, step {step}");
        // A first step begins from nothing: warm and cold are the same.
        for warm in [true, false].into_iter().skip(usize::from(step == 1)) {
            let Some(mut case) = Case::new(&world, warm) else { continue };
            let (name, contacts) = (name.clone(), case.contacts());
            let points = case.points(&TOLERANCES);
            if points.is_empty() {
                println!("{name}: no exact solution is known, or no sweep was needed");
                continue;
            }
            let truth = case.known();
            all.push(Found { held_out, kind, name, warm, contacts, truth, points });
        }
    }
    Ok(())
}

fn report(all: &[Found]) {
    println!(
        "\n| problem | contacts | solutions | their residual | apart | tolerance | sweeps | residual | truth | by sweeps | by factors |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for found in all {
        for point in &found.points {
            let [sweeps, factors] = [false, true].map(|factors| {
                let told = format!("{:.1e}", point.estimate);
                let told = if point.factors == factors { told } else { String::new() };
                if point.accepted && !told.is_empty() { told + ", accepted" } else { told }
            });
            println!(
                "| {}, {} | {} | {} | {:.0e} | {:.0e} | {:.0e} | {} | {:.1e} | {:.1e} | {sweeps} | {factors} |",
                found.name,
                if found.warm { "warm" } else { "cold" },
                found.contacts,
                found.truth.known,
                found.truth.rest,
                found.truth.apart,
                point.tolerance,
                point.sweeps,
                point.residual,
                point.truth,
            );
        }
    }
    for (held_out, title) in [(true, "Held out"), (false, "Those it was chosen from")] {
        println!("\n{title}\n");
        summary(&all.iter().filter(|found| found.held_out == held_out).collect::<Vec<_>>());
    }
}

fn summary(all: &[&Found]) {
    println!(
        "| kind | way | problems | to 1e-12 | estimates | below a third | above ten times | median | accepted | of these below a third | above ten times |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (kind, name) in KINDS.iter().enumerate() {
        for factors in [true, false] {
            let ours = |found: &&&Found| {
                found.kind == kind && found.points.iter().any(|point| point.factors == factors)
            };
            let of_kind: Vec<&Found> = all.iter().filter(ours).copied().collect();
            if of_kind.is_empty() {
                continue;
            }
            let problems = |fine: bool| {
                let mut names: Vec<&str> = of_kind
                    .iter()
                    .filter(|found| !fine || found.truth.rest <= truth::FINE)
                    .map(|found| &found.name[..])
                    .collect();
                names.sort_unstable();
                names.dedup();
                names.len()
            };
            let points: Vec<&Point> = of_kind
                .iter()
                .flat_map(|found| &found.points)
                .filter(|point| point.factors == factors && point.truth > 1e-9)
                .collect();
            let accepted: Vec<&Point> = points.iter().copied().filter(|p| p.accepted).collect();
            let share = |points: &[&Point]| {
                let low = points.iter().filter(|p| p.estimate < p.truth / 3.0).count();
                let high = points.iter().filter(|p| p.estimate > 10.0 * p.truth).count();
                format!("{low} | {high}")
            };
            let mut ratios: Vec<f64> = points.iter().map(|p| p.estimate / p.truth).collect();
            ratios.sort_by(f64::total_cmp);
            let median = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
            println!(
                "| {name} | {} | {} | {} | {} | {} | {median:.2} | {} | {} |",
                if factors { "factors" } else { "sweeps" },
                problems(false),
                problems(true),
                points.len(),
                share(&points),
                accepted.len(),
                share(&accepted),
            );
        }
    }
}
