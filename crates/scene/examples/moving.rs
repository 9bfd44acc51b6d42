//! How many steps of a structure that moves direct methods solve, and how far its motion is determined.
//!
//! `cargo run --release -p drystone-scene --example moving -- SCENE [FROM EVERY UNTIL]` takes every so many-th step of a
//! scene as its own solver comes to it, sweeps it to 1e-4 from the impulses of the step before, and goes on by direct
//! methods until residual and error are within 1e-4. Steps that are solved are solved twice more: from no impulses, and
//! with normal velocities changed at random by at most 1e-8 of the typical velocity at contacts. The distances to what
//! comes out, in units of the error of a step, tell how unique the solution is, and how much it hangs on what nobody knows.

use drystone_engine::{Dimension, World, with_world};
use drystone_scene::Scene;
use drystone_solve::{
    ContactProblem, Direct, DirectParams, DirectReport, Nlgs, NlgsParams, Solution, Status, Threads,
};
use drystone_space::Local;
use std::error::Error;
use std::time::Instant;

/// Change of velocities, as a share of the typical one.
const CHANGE: f64 = 1e-8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which scene?")?;
    let mut number = |usual: u64| args.next().map_or(Ok(usual), |text| text.parse());
    let steps = [number(20)?, number(100)?, number(2000)?];
    let scene = Scene::read(path).map_err(|report| report.to_string())?;
    with_world!(scene.world()?, world => look(world, steps)?);
    Ok(())
}

fn look<S: Dimension>(
    mut world: World<S>,
    [from, every, until]: [u64; 3],
) -> Result<(), Box<dyn Error>> {
    world.keep_start();
    let (mut all, mut solved, mut factorisations, mut seconds) = (0, 0, 0, 0.0);
    let (mut cold, mut changed) = (Vec::new(), Vec::new());
    let (mut swept, mut left) = (Vec::new(), Vec::new());
    for step in (from..=until).step_by(every.max(1) as usize) {
        while world.steps() < step {
            world.step()?;
        }
        let problem = world.problem().into_owned();
        if !Direct::fits(&problem) || world.start().len() != problem.contacts.len() {
            continue;
        }
        let mut start =
            Solution { impulses: world.start().to_vec(), couples: Vec::new(), twists: Vec::new() };
        let params = NlgsParams {
            tolerance: 1e-4,
            error_tolerance: None,
            max_iterations: 1000,
            ..NlgsParams::default()
        };
        let sweeps = Nlgs::default().solve(&problem, &mut start, &params, &Threads::one());
        start.refresh(&problem);
        let mut solution = start.clone();
        let clock = Instant::now();
        let report = solve(&problem, &mut solution);
        seconds += clock.elapsed().as_secs_f64();
        all += 1;
        factorisations += report.factorisations;
        let far =
            |other: &Solution<S>| problem.distance(&solution, other) / problem.done(&solution);
        let mut line = format!(
            "{step}: {} contacts, {} sweeps; {} factorisations, residual {:.0e}, error {:.0e}",
            problem.contacts.len(),
            sweeps.iterations,
            report.factorisations,
            report.residual.worst(),
            report.error
        );
        if report.status == Status::Solved {
            solved += 1;
            swept.push(far(&start));
            let mut other = Solution {
                impulses: vec![S::Local::default(); start.impulses.len()],
                ..start.clone()
            };
            if solve(&problem, &mut other).status == Status::Solved {
                cold.push(far(&other));
                line += &format!("; from nothing {:.0e}", far(&other));
            }
            let (near, mut other) = (nearby(&problem), start);
            if solve(&near, &mut other).status == Status::Solved {
                changed.push(far(&other));
                line += &format!("; changed by 1e-8 {:.0e}", far(&other));
            }
        } else {
            left.push(report.residual.worst().max(report.error));
        }
        println!("{line}");
    }
    println!(
        "{solved} of {all} steps solved, {:.0} factorisations and {:.0} ms in the mean",
        factorisations as f64 / all as f64,
        1e3 * seconds / all as f64
    );
    tell("error of what sweeps leave", swept);
    tell("larger of residual and error of what is not solved", left);
    tell("distance to what comes from nothing", cold);
    tell("distance to the solution with velocities changed by 1e-8", changed);
    Ok(())
}

fn solve<S: Dimension>(problem: &ContactProblem<S>, solution: &mut Solution<S>) -> DirectReport {
    let mut direct = Direct::default();
    direct.prepare(problem);
    direct.solve(problem, solution, &DirectParams::default())
}

/// The problem with other normal velocities.
fn nearby<S: Dimension>(problem: &ContactProblem<S>) -> ContactProblem<S> {
    let mut near = problem.clone();
    let square: f64 = {
        let free = |c: &drystone_solve::Contact<S>| c.offset + c.map.to_contact(&problem.free);
        problem.contacts.iter().map(|contact| free(contact).dot(free(contact))).sum()
    };
    let change = CHANGE * (square / problem.contacts.len() as f64).sqrt();
    let mut random = 1u64;
    for contact in &mut near.contacts {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let share = (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        contact.offset += S::Local::axis(0) * (share * change);
    }
    near
}

fn tell(what: &str, mut figures: Vec<f64>) {
    figures.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (figures.first(), figures.last()) {
        let (middle, count) = (figures[figures.len() / 2], figures.len());
        println!("{what}: {least:.0e} to {most:.0e}, median {middle:.0e} ({count} steps)");
    }
}
