//! Two cubes of hexahedra, one on the other, under gravity: time per step.
//!
//! `cargo run --release -p drystone-engine --example two_cubes [elements per edge] [steps] [nonlinear]`.
//! With 8 elements per edge there are 4,374 degrees of freedom, with 4 there are 750. Times are those of the
//! processor where the system tells them, so that other programs do not count.

use drystone_engine::{
    ContactForm, Friction, Imposed, LawTable, MaterialId, MoreauLaw, Setup, Signal, SolidSetup,
    SolverSettings, Stage, World,
};
use drystone_fem::mesh::block;
use drystone_fem::{Damping, Elastic, ElasticLaw, MassKind, Section};
use drystone_space::{DVec3, Volume};
use std::time::Instant;

/// A clock of this thread.
struct Clock(Instant, Option<u64>);

impl Clock {
    /// Nanoseconds that this thread has computed, on Linux.
    fn computed() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    }
    fn start() -> Self {
        Self(Instant::now(), Self::computed())
    }
    fn seconds(&self) -> f64 {
        match (self.1, Self::computed()) {
            (Some(start), Some(end)) => (end - start) as f64 * 1e-9,
            _ => self.0.elapsed().as_secs_f64(),
        }
    }
}

fn main() {
    let number = |index: usize, default: usize| {
        std::env::args().nth(index).map_or(default, |word| word.parse().expect("a whole number"))
    };
    let (count, steps) = (number(1, 8), number(2, 200));
    let law = match std::env::args().nth(3).as_deref() {
        Some("nonlinear") => ElasticLaw::StVenantKirchhoff,
        _ => ElasticLaw::Linear,
    };
    let elastic = Elastic { law, young: 1e7, poisson: 0.2, density: 2500.0 };
    let cube = |height: f64, held: bool| {
        let mesh = block(DVec3::ONE, [count; 3]).expect("sizes are positive");
        let mesh = mesh.map(|p| p + DVec3::new(0.0, 0.0, height));
        let nodes = mesh.group("bottom").expect("a block has a bottom").to_vec();
        let held = held.then(|| Imposed {
            nodes,
            axes: vec![true; 3],
            velocity: DVec3::ZERO,
            factor: Signal::Constant(0.0),
        });
        SolidSetup {
            name: "cube".to_owned(),
            mesh,
            elastic,
            material: MaterialId(0),
            section: Section::Volume,
            mass: MassKind::Lumped,
            damping: Damping { mass_factor: 5.0, stiffness_factor: 0.0 },
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            imposed: held.into_iter().collect(),
            tractions: Vec::new(),
            self_contact: false,
            modes: None,
        }
    };
    let friction = MoreauLaw { friction: Friction::Isotropic(0.3), ..MoreauLaw::default() };
    let setup = Setup::<Volume> {
        time_step: 1e-3,
        gravity: DVec3::new(0.0, 0.0, -9.81),
        laws: LawTable::uniform(1, friction),
        solids: vec![cube(0.5, true), cube(1.5, false)],
        form: ContactForm::Gap { margin: 1e-3, recovery_speed: 1.0, recovery_share: 1.0 },
        solver: SolverSettings { tolerance: 1e-4, ..SolverSettings::default() },
        ..Setup::default()
    };
    let mut world = World::new(setup).expect("the setup is sound");
    let (mut iterations, mut unsolved, mut contacts) = (0, 0, 0);
    let first = Clock::start();
    world.step().expect("a step");
    let first = first.seconds();
    let clock = Clock::start();
    for _ in 1..steps {
        let report = world.step().expect("a step");
        iterations += report.iterations;
        unsolved += usize::from(!report.converged);
        contacts = contacts.max(report.contacts);
    }
    let spent = clock.seconds() / (steps - 1) as f64;
    let freedoms: usize = world.solids().iter().map(|solid| solid.model().freedoms()).sum();
    println!("{freedoms} degrees of freedom, {contacts} contacts, {unsolved} steps not solved");
    println!("first step {:.1} ms, then {:.2} ms per step", 1e3 * first, 1e3 * spent);
    println!("{:.1} iterations per step", iterations as f64 / (steps - 1) as f64);
    let total: f64 = Stage::ALL.iter().map(|&s| world.timers().spent(s).as_secs_f64()).sum();
    let share = world.timers().spent(Stage::Solve).as_secs_f64() / total;
    println!("{:.0} % of it solving; closure {:.1e}", 1e2 * share, world.ledger().closure_max);
}
