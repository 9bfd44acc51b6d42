//! drystone, given the scene as a text.

use crate::engine::{Engine, Running};
use crate::judge::Place;
use crate::scene::{Body, Bound, Scene, Shape};
use drystone_engine::{AnyWorld, Stage, with_world};
use drystone_scene::Scene as Text;
use drystone_space::{DVec3, Plane, Pose, Rotation, Volume};
use std::error::Error;
use std::fmt::Write;

/// All defaults, or with lines of its own in the table of the solver.
pub struct Drystone {
    pub solver: &'static str,
}

impl Engine for Drystone {
    fn name(&self) -> String {
        let solver = if self.solver.is_empty() { "defaults" } else { self.solver };
        format!("drystone, {}", solver.replace('\n', ", "))
    }
    fn begin(&self, scene: &Scene) -> Result<Option<Box<dyn Running>>, Box<dyn Error>> {
        let text = text(scene, self.solver);
        let world = Text::parse(scene.name, &text, None).map_err(|report| report.to_string())?;
        let mut world = world.world()?;
        with_world!(&mut world, world => world.set_threads(1));
        Ok(Some(Box::new(Run { world, step: scene.step, steps: 0, sweeps: 0, unsolved: 0 })))
    }
}

struct Run {
    world: AnyWorld,
    step: f64,
    steps: usize,
    sweeps: usize,
    unsolved: usize,
}

impl Running for Run {
    fn run(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
        for _ in 0..(time / self.step).round() as usize {
            let report = self.world.step()?;
            self.steps += 1;
            self.sweeps += report.iterations;
            self.unsolved += usize::from(!report.converged);
        }
        Ok(())
    }
    fn places(&mut self) -> Vec<Place> {
        match &self.world {
            AnyWorld::Plane(world) => {
                let place = |pose: &Pose<Plane>| Place {
                    position: pose.position.extend(0.0),
                    rotation: DVec3::Z * pose.rotation.angle(),
                };
                world.bodies().iter().map(|body| place(&body.pose)).collect()
            }
            AnyWorld::Volume(world) => {
                let place = |pose: &Pose<Volume>| Place {
                    position: pose.position,
                    rotation: Rotation::<Volume>::logarithm(pose.rotation),
                };
                world.bodies().iter().map(|body| place(&body.pose)).collect()
            }
        }
    }
    fn remarks(&self) -> String {
        let times = with_world!(&self.world, world => *world.timers());
        let total = Stage::ALL.iter().map(|&stage| times.spent(stage).as_secs_f64()).sum::<f64>();
        let mut text = format!(
            "{} contacts, {:.0} iterations a step, {} of {} steps unsolved;",
            with_world!(&self.world, world => world.contacts().len()),
            self.sweeps as f64 / self.steps as f64,
            self.unsolved,
            self.steps
        );
        for stage in Stage::ALL {
            let share = times.spent(stage).as_secs_f64() / total;
            if share > 0.05 {
                let _ = write!(text, " {} {:.0} %", stage.name(), 100.0 * share);
            }
        }
        text
    }
}

/// The scene as drystone reads it.
fn text(scene: &Scene, solver: &str) -> String {
    let dimension = scene.dimension;
    let gravity = vector(scene.up() * -scene.gravity, dimension);
    let end = scene.run + scene.watch + 1.0;
    let mut text = format!(
        "dimension = {dimension}\ngravity = {gravity}\n[time]\nstep = {:e}\nend = {end:?}\n[solver]\n{solver}\n\
         [[material]]\nname = \"stone\"\ndensity = {:?}\n[default_law]\nfriction = {:?}\n",
        scene.step, scene.density, scene.friction
    );
    for bound in &scene.bounds {
        text += "[[boundary]]\nmaterial = \"stone\"\n";
        match bound {
            Bound::Below(point, normal) => {
                let kind = if dimension == 2 { "half_plane" } else { "half_space" };
                let (point, normal) = (vector(*point, dimension), vector(*normal, dimension));
                let _ = writeln!(
                    text,
                    "shape = {{ {kind} = {{ point = {point}, normal = {normal} }} }}"
                );
            }
            Bound::Drum(parts, spin) => {
                let _ = writeln!(text, "motion = {{ spin = {spin:?} }}\nparts = [");
                parts.iter().for_each(|part| {
                    let _ = writeln!(text, "{{ {} }},", body(part, dimension).join(", "));
                });
                text += "]\n";
            }
        }
    }
    for one in &scene.bodies {
        let _ =
            writeln!(text, "[[body]]\nmaterial = \"stone\"\n{}", body(one, dimension).join("\n"));
    }
    text
}

fn body(body: &Body, dimension: usize) -> [String; 3] {
    let shape = match &body.shape {
        Shape::Box(sides) => format!("box = {}", vector(*sides, dimension)),
        Shape::Disk(radius) => format!("disk = {radius:e}"),
        Shape::Hull(points) => {
            let points: Vec<_> = points.iter().map(|&p| vector(p, 3)).collect();
            format!("polyhedron = [{}]", points.join(", "))
        }
    };
    let rotation = match dimension {
        2 => format!("{:e}", body.rotation.z),
        _ => vector(body.rotation, 3),
    };
    [
        format!("shape = {{ {shape} }}"),
        format!("position = {}", vector(body.position, dimension)),
        format!("rotation = {rotation}"),
    ]
}

fn vector(vector: DVec3, dimension: usize) -> String {
    let numbers: Vec<_> = vector.to_array()[..dimension].iter().map(|x| format!("{x:e}")).collect();
    format!("[{}]", numbers.join(", "))
}
