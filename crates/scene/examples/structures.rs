//! What direct methods need on structures: cold, from zero impulses, and warm, in the steps of a run.
//!
//! `cargo run --release -p drystone-scene --example structures -- [NAME [STEPS]]` takes the families whose names begin so;
//! `structures -- FILE.toml [STEPS]` takes a scene, as it is.

#[path = "support/families.rs"]
mod families;

use drystone_engine::{AnyWorld, Dimension, MethodTaken, World, with_world};
use drystone_scene::Scene;
use drystone_solve::{Direct, DirectParams, Solution};
use families::{Family, arch, block, column, pyramid, wall};
use std::error::Error;
use std::time::Instant;

fn families() -> Vec<Family> {
    let mut list = Vec::new();
    for count in [10, 100, 1000, 10_000] {
        list.push(column(2, count, 1.0));
    }
    for count in [10, 100, 1000, 10_000] {
        list.push(column(3, count, 1.0));
    }
    list.push(column(2, 2, 1e6));
    list.push(column(2, 10, 1e6));
    list.push(arch(20));
    list.push(arch(300));
    list.push(wall(16, 6.3, 0.0));
    list.push(wall(16, 6.3, 0.2));
    list.push(wall(40, 30.6, 0.0));
    list.push(wall(40, 30.6, 0.2));
    list.push(pyramid(100, 0.0));
    list.push(pyramid(100, 0.2));
    list.push(block(10, 10, 20));
    list
}

fn cold<S: Dimension>(world: &mut World<S>) -> Result<(), Box<dyn Error>> {
    world.step()?;
    let problem = world.problem();
    let mut direct = Direct::<S>::default();
    let price = direct.prepare(&problem);
    print!(
        "{} bodies, {} contacts, {:.1e} mult; cold",
        world.bodies().len(),
        problem.contacts.len(),
        price.unwrap_or(f64::NAN)
    );
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let impulses = vec![Default::default(); problem.contacts.len()];
        let mut solution = Solution { impulses, ..Solution::default() };
        let params = DirectParams { tolerance, ..DirectParams::default() };
        let clock = Instant::now();
        let report = direct.solve(&problem, &mut solution, &params);
        print!(
            " | {:?} {} f, res {:.1e} err {:.1e} {:.0} ms",
            report.status,
            report.factorisations,
            report.residual.worst(),
            report.error,
            1e3 * clock.elapsed().as_secs_f64()
        );
    }
    println!();
    Ok(())
}

fn warm<S: Dimension>(world: &mut World<S>, steps: usize) -> Result<(), Box<dyn Error>> {
    let (mut factors, mut most, mut sweeps, mut unsolved, mut error, mut splits) =
        (0, 0, 0, 0, 0.0f64, 0);
    let clock = Instant::now();
    for _ in 0..steps {
        let report = world.step()?;
        for attempt in report.story.attempts() {
            match attempt.method {
                MethodTaken::Splitting => splits += attempt.iterations,
                MethodTaken::Direct => {
                    factors += attempt.iterations;
                    most = most.max(attempt.iterations);
                }
                _ => sweeps += attempt.iterations,
            }
        }
        unsolved += usize::from(!report.converged);
        error = error.max(report.error.map_or(f64::NAN, |error| error.value));
    }
    let each = |count: usize| count as f64 / steps as f64;
    println!(
        "    {:.3} ms/step, splitting {:.1}, sweeps {:.1}, direct {:.1} most {most}, unsolved {unsolved}, error {error:.1e}",
        1e3 * clock.elapsed().as_secs_f64() / steps as f64,
        each(splits),
        each(sweeps),
        each(factors),
    );
    Ok(())
}

fn world(scene: &str) -> Result<AnyWorld, Box<dyn Error>> {
    Ok(Scene::parse("structure", scene, None).map_err(|report| report.to_string())?.world()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_default();
    let steps = arguments.next().map_or(Ok(100), |text| text.parse())?;
    if wanted.ends_with(".toml") {
        let mut world = Scene::read(&wanted).map_err(|report| report.to_string())?.world()?;
        return with_world!(&mut world, world => warm(world, steps));
    }
    for family in families().iter().filter(|family| family.name.starts_with(&wanted)) {
        println!("{}", family.name);
        with_world!(&mut world(&family.scene)?, world => cold(world)?);
        for judge in ["step", "contacts"] {
            let scene = family.scene.replacen(
                "[[material]]",
                &format!("[solver]\njudge = \"{judge}\"\n[[material]]"),
                1,
            );
            print!("  {judge}");
            with_world!(&mut world(&scene)?, world => { world.step()?; warm(world, steps)? });
        }
    }
    Ok(())
}
