//! Error against time on one step of a settled packing of spheres in an open box.
//!
//! `cargo run --release -p drystone-solve --example packing -- SPHERES.csv HALF [THREADS]` reads
//! centres, radii and velocities (x, y, z, radius, vx, vy, vz in SI units) of spheres between walls at
//! ±HALF on a floor at z = 0, takes the contacts with gap ≤ 0 at the midpoint of a step of 5e-4 s, and
//! solves them from zero impulses to ever smaller tolerances. Then it goes on: the spheres move as they
//! were found to, contacts are looked for anew, and each step is solved from the impulses of the one
//! before, to several tolerances.

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

/// A sphere at the midpoint of the step.
#[derive(Clone)]
struct Ball {
    centre: DVec3,
    radius: f64,
    velocity: DVec3,
    spin: DVec3,
}

/// What a contact is between: a sphere and another, or a sphere and [`GROUND`] with a wall's number.
type Name = (u32, u32, usize);

/// The problem of a step, and the names of its contacts.
struct Step {
    problem: ContactProblem<Volume>,
    names: Vec<Name>,
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
                spin: DVec3::ZERO,
            }
        })
        .collect()
}

/// The contacts with gap ≤ 0, between balls and with floor and side walls.
fn step(balls: &[Ball], half: f64) -> Step {
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
            spin: ball.spin,
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
    let (mut contacts, mut names) = (Vec::new(), Vec::new());
    let mut add = |name: Name, normal: DVec3, arms: (f64, f64)| {
        names.push(name);
        let map = ContactMap {
            first: name.0,
            second: name.1,
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
                let name = (i as u32, j as u32, 0);
                add(name, apart.normalize(), (ball.radius, balls[j].radius));
            }
        }
        let walls = [DVec3::Z, DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y];
        for (wall, axis) in walls.into_iter().enumerate() {
            let at = if wall == 0 { 0.0 } else { -half };
            if ball.centre.dot(axis) - ball.radius <= at {
                add((i as u32, GROUND, wall), axis, (ball.radius, 0.0));
            }
        }
    }
    Step { problem: ContactProblem { movers, free, contacts, ..Default::default() }, names }
}

/// The spheres at the midpoint of the next step.
fn moved(balls: &[Ball], solution: &Solution<Volume>) -> Vec<Ball> {
    let ball = |(ball, twist): (&Ball, &Twist<Volume>)| Ball {
        centre: ball.centre + twist.velocity * STEP,
        velocity: twist.velocity,
        spin: twist.spin,
        ..*ball
    };
    balls.iter().zip(&solution.twists).map(ball).collect()
}

/// The impulses of a step for the contacts of the next: zero where there was none.
fn matched(last: &Step, solution: &Solution<Volume>, next: &Step) -> Vec<Local3> {
    let world =
        |(contact, &impulse): (&Contact<Volume>, &Local3)| contact.map.frame.to_world(impulse);
    let impulses = last.problem.contacts.iter().zip(&solution.impulses).map(world);
    let known: HashMap<Name, DVec3> = last.names.iter().copied().zip(impulses).collect();
    let local = |(name, contact): (&Name, &Contact<Volume>)| {
        known.get(name).map_or(Local3::default(), |&p| contact.map.frame.to_local(p))
    };
    next.names.iter().zip(&next.problem.contacts).map(local).collect()
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
    let mut balls = read(&path);
    let mut now = step(&balls, half);
    println!("{} spheres, {} contacts, from nothing:", balls.len(), now.names.len());
    println!(
        "{:>9} {:>7} {:>9} {:>10} {:>10} {:>10}",
        "tolerance", "sweeps", "seconds", "residual", "FCLib's", "error"
    );
    let mut solver = Nlgs::default();
    let mut solve = |step: &Step, solution: &mut Solution<Volume>, tolerance: f64| {
        let params = NlgsParams { tolerance, max_iterations: 100_000, ..Default::default() };
        let start = Instant::now();
        let report = solver.solve(&step.problem, solution, &params, &threads);
        println!(
            "{tolerance:9.0e} {:7} {:9.3} {:10.2e} {:10.2e} {:10.2e}",
            report.iterations,
            start.elapsed().as_secs_f64(),
            report.residual.worst(),
            recorded_form(&step.problem, solution),
            report.error.map_or(f64::NAN, |error| error.value),
        );
    };
    let mut solution = Solution::default();
    for tolerance in [1e-3, 1e-4, 1e-5, 2e-6, 1e-6, 2e-8] {
        solution.impulses = vec![Local3::default(); now.names.len()];
        solve(&now, &mut solution, tolerance);
    }
    for _ in 0..3 {
        balls = moved(&balls, &solution);
        let next = step(&balls, half);
        let start = matched(&now, &solution, &next);
        let known = start.iter().filter(|p| **p != Local3::default()).count();
        println!(
            "the next step: {} contacts, {known} with impulses of the last one",
            next.names.len()
        );
        for tolerance in [1e-4, 1e-6, 2e-8] {
            solution.impulses.clone_from(&start);
            solve(&next, &mut solution, tolerance);
        }
        now = next;
    }
}
