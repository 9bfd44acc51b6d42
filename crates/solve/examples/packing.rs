//! Error against time on one step of a settled packing of spheres in an open box.
//!
//! `cargo run --release -p drystone-solve --example packing -- SPHERES.csv HALF [THREADS]` reads
//! centres, radii and velocities (x, y, z, radius, vx, vy, vz in SI units) of spheres between walls at
//! ±HALF on a floor at z = 0, takes the contacts with gap ≤ 0 at the midpoint of a step of 5e-4 s, and
//! solves them: from zero impulses to ever smaller tolerances, then once more from impulses that are
//! off by a thousandth, as those of the last step are.

use drystone_solve::{
    Contact, ContactMap, ContactProblem, GROUND, Law, Mover, Nlgs, NlgsParams, Solution, Threads,
    Twist,
};
use drystone_space::{DVec3, Frame, InverseInertia, Local, Local3, Space, Volume};
use std::collections::HashMap;
use std::time::Instant;

const STEP: f64 = 5e-4;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 2500.0;
const FRICTION: f64 = 0.4;

struct Ball {
    centre: DVec3,
    radius: f64,
    velocity: DVec3,
}

fn read(path: &str) -> Vec<Ball> {
    let text = std::fs::read_to_string(path).expect("a table of spheres");
    text.lines()
        .skip(1)
        .map(|line| {
            let n: Vec<f64> = line.split(',').map(|w| w.parse().expect("a number")).collect();
            let velocity = DVec3::new(n[4], n[5], n[6]);
            Ball {
                centre: DVec3::new(n[0], n[1], n[2]) + velocity * (STEP / 2.0),
                radius: n[3],
                velocity,
            }
        })
        .collect()
}

/// The contacts with gap ≤ 0, between balls and with floor and side walls.
fn problem(balls: &[Ball], half: f64) -> ContactProblem<Volume> {
    let movers: Vec<Mover<Volume>> = balls
        .iter()
        .map(|ball| {
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * ball.radius.powi(3);
            let moment = 0.4 * mass * ball.radius * ball.radius;
            Mover {
                inverse_mass: 1.0 / mass,
                inverse_inertia: <Volume as Space>::InverseInertia::from_principal(
                    DVec3::splat(moment),
                    <Volume as Space>::Rotation::IDENTITY,
                ),
            }
        })
        .collect();
    let free = balls
        .iter()
        .map(|ball| Twist {
            velocity: ball.velocity - DVec3::Z * (GRAVITY * STEP),
            spin: DVec3::ZERO,
        })
        .collect();
    let cell = 2.0 * balls.iter().map(|b| b.radius).fold(0.0, f64::max);
    let key = |p: DVec3| {
        [(p.x / cell).floor() as i64, (p.y / cell).floor() as i64, (p.z / cell).floor() as i64]
    };
    let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (i, ball) in balls.iter().enumerate() {
        grid.entry(key(ball.centre)).or_default().push(i);
    }
    let mut contacts = Vec::new();
    let mut add = |first: usize, second: u32, normal: DVec3, arms: (f64, f64)| {
        let map = ContactMap {
            first: first as u32,
            second,
            frame: <Volume as Space>::Frame::from_normal(normal),
            arm_first: -normal * arms.0,
            arm_second: normal * arms.1,
        };
        contacts.push(Contact::new(map, Local3::default(), Law::Coulomb(FRICTION), &movers, 1.0));
    };
    for (i, ball) in balls.iter().enumerate() {
        let [a, b, c] = key(ball.centre);
        let mut near: Vec<usize> = Vec::new();
        for x in a - 1..=a + 1 {
            for y in b - 1..=b + 1 {
                for z in c - 1..=c + 1 {
                    near.extend(grid.get(&[x, y, z]).into_iter().flatten().filter(|&&j| j < i));
                }
            }
        }
        near.sort_unstable();
        for j in near {
            let apart = ball.centre - balls[j].centre;
            if apart.length() <= ball.radius + balls[j].radius {
                add(i, j as u32, apart.normalize(), (ball.radius, balls[j].radius));
            }
        }
        for (axis, at) in [
            (DVec3::Z, 0.0),
            (DVec3::X, -half),
            (-DVec3::X, -half),
            (DVec3::Y, -half),
            (-DVec3::Y, -half),
        ] {
            if ball.centre.dot(axis) - ball.radius <= at {
                add(i, GROUND, axis, (ball.radius, 0.0));
            }
        }
    }
    ContactProblem { movers, free, contacts, ..Default::default() }
}

/// FCLib's normalised natural map: ‖P − proj_C(P − Û)‖ / ‖q‖, in SI units as they are.
fn recorded_form(problem: &ContactProblem<Volume>, solution: &Solution<Volume>) -> f64 {
    let (mut error, mut free) = (0.0, 0.0);
    for (contact, &impulse) in problem.contacts.iter().zip(&solution.impulses) {
        let velocity = contact.map.to_contact(&solution.twists);
        let e = contact.law.natural_map::<Volume>(velocity, impulse, 1.0);
        let q = contact.map.to_contact(&problem.free);
        error += e.dot(e);
        free += q.dot(q);
    }
    f64::sqrt(error / free)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(half)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: packing SPHERES.csv HALF [THREADS]");
        return;
    };
    let half = half.parse().expect("half the width between the walls, in metres");
    let threads = arguments.next().map_or(1, |count| count.parse().expect("a number of threads"));
    let threads = Threads::new(threads);
    let problem = problem(&read(&path), half);
    let contacts = problem.contacts.len();
    println!("{} spheres, {contacts} contacts", problem.movers.len());
    println!(
        "{:>9} {:>7} {:>9} {:>10} {:>10}",
        "tolerance", "sweeps", "seconds", "residual", "FCLib's"
    );
    let mut solver = Nlgs::default();
    let mut solution = Solution::default();
    let mut solve = |solution: &mut Solution<Volume>, tolerance: f64| {
        let params = NlgsParams { tolerance, max_iterations: 100_000, ..Default::default() };
        let start = Instant::now();
        let report = solver.solve(&problem, solution, &params, &threads);
        println!(
            "{tolerance:9.0e} {:7} {:9.3} {:10.2e} {:10.2e}",
            report.iterations,
            start.elapsed().as_secs_f64(),
            report.residual.worst(),
            recorded_form(&problem, solution),
        );
    };
    for tolerance in [1e-3, 1e-4, 1e-5, 2e-6, 1e-6, 2e-8] {
        solution.impulses = vec![Local3::default(); contacts];
        solve(&mut solution, tolerance);
    }
    println!("from impulses that are off by a thousandth:");
    let exact = solution.impulses.clone();
    for tolerance in [1e-4, 1e-6] {
        solution.impulses.clone_from(&exact);
        for (i, impulse) in solution.impulses.iter_mut().enumerate() {
            *impulse = *impulse * (1.0 + 1e-3 * (i as f64).sin());
        }
        solve(&mut solution, tolerance);
    }
}
