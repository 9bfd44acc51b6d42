//! `drystone explore`: what a step's laws leave open, as a cloud of forces (Moreau 2003, §8.2).

use crate::{Failure, report};
use clap::{Args, ValueEnum};
use drystone_engine::{Dimension, World, with_world};
use drystone_record::cloud::{Cloud, Force};
use drystone_record::draw::Print;
use drystone_record::plot::quantity;
use drystone_record::table::Table;
use drystone_scene::Scene;
use drystone_solve::{Exploration, ExploreParams, NlgsParams, SolveReport, Threads, Vary};
use drystone_space::{DVec2, Frame, Local, Vector};
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};

/// Arguments of `explore`.
#[derive(Args)]
pub struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// Start of the step that is explored, in seconds [default: the scene's end].
    #[arg(long, value_name = "T", value_parser = not_negative)]
    at: Option<f64>,
    /// The contact whose forces are shown; without it the contacts of the step are listed.
    #[arg(long, value_name = "ID")]
    contact: Option<usize>,
    /// How often the step is solved.
    #[arg(long, value_name = "N", default_value = "1000")]
    samples: std::num::NonZeroUsize,
    /// What differs from sample to sample.
    #[arg(long, value_enum, default_value_t = By::Start)]
    by: By,
    /// Seed of the random starts or orders.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Error that a sample may have to be kept.
    #[arg(long, value_name = "E", value_parser = crate::run::positive, default_value = "1e-8")]
    tolerance: f64,
    /// By which factor starts may be below and above the typical force of the step.
    #[arg(long, value_name = "FACTOR", value_parser = crate::run::positive, default_value = "10")]
    spread: f64,
    /// Directory for table, picture and summary [default: `runs/`, the scene's name and the contact].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Threads to compute with; results do not depend on it [default: one per core].
    #[arg(short, long, value_name = "N", value_parser = crate::run::threads)]
    threads: Option<std::num::NonZeroUsize>,
}

/// What differs from sample to sample.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Random forces within the friction cones to start from.
    Start,
    /// Random orders of the sweep, from zero forces.
    Order,
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        Ok(_) => Err("must be zero or more, and finite".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Explores one step of a scene, or lists its contacts.
pub fn explore(arguments: &Arguments) -> Result<(), Failure> {
    let scene = Scene::read(&arguments.scene).map_err(|report| report.to_string())?;
    let world = scene.world().map_err(|error| plain(&error))?;
    with_world!(world, world => explore_world(world, &scene, arguments))
}

fn plain(error: &dyn Display) -> Failure {
    format!("error: {error}")
}

fn explore_world<S: Dimension>(
    mut world: World<S>,
    scene: &Scene,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.map_or(cores, usize::from);
    world.set_threads(threads);
    let at = arguments.at.unwrap_or(scene.end_time);
    let before = (at / scene.time_step).round() as u64;
    while world.steps() <= before {
        world.step().map_err(|error| plain(&error))?;
    }
    let start = world.time() - scene.time_step;
    let count = world.contacts().len();
    if count == 0 {
        return Err(format!(
            "error: nothing touches in the step at t = {start} s: choose another time with --at"
        ));
    }
    let Some(chosen) = arguments.contact else {
        return report::print(&list(&world, start));
    };
    if chosen >= count {
        return Err(format!(
            "error: the step at t = {start} s has no contact {chosen}: its {count} contacts are \
             numbered from 0, and listed if --contact is left out"
        ));
    }
    let params = ExploreParams {
        vary: if arguments.by == By::Start { Vary::Start } else { Vary::Order },
        samples: arguments.samples.get(),
        seed: arguments.seed,
        spread: arguments.spread,
        solver: NlgsParams {
            tolerance: arguments.tolerance,
            max_iterations: world.setup().solver.max_iterations,
            ..ExploreParams::default().solver
        },
    };
    let (problem, known) = (world.problem(), world.solution());
    let contact = &problem.contacts[chosen];
    let mut samples = Vec::new();
    let threads = Threads::new(threads);
    let found = drystone_solve::explore(&problem, &known, &params, &threads, |solution, report| {
        let impulse = solution.impulses[chosen];
        let velocity = contact.offset + contact.map.to_contact(&solution.twists);
        samples.push(Sample { impulse, velocity, report: *report });
    });
    let view = View { world: &world, scene, chosen, start, params, found, samples };
    let directory =
        arguments.output.clone().unwrap_or_else(|| default_directory(&arguments.scene, chosen));
    view.write(&directory)?;
    report::print(&view.text(&directory))
}

/// `runs/`, the name of the scene file without its ending, and the contact.
fn default_directory(scene: &Path, contact: usize) -> PathBuf {
    let name = scene.file_stem().unwrap_or(scene.as_os_str()).to_string_lossy();
    Path::new("runs").join(format!("{name}_contact_{contact}"))
}

/// A point as a user reads it.
fn place<V: Vector>(point: V) -> String {
    let numbers: Vec<String> = (0..V::LENGTH).map(|i| format!("{:.4}", point.get(i))).collect();
    format!("({})", numbers.join(", "))
}

/// The contacts of the step, for a user to choose from.
fn list<S: Dimension>(world: &World<S>, start: f64) -> String {
    let h = world.setup().time_step;
    let names = |i: usize| {
        let contact = &world.contacts()[i];
        (world.name(contact.first), world.name(contact.second))
    };
    let count = world.contacts().len();
    let width =
        |of: &dyn Fn(usize) -> usize, least: usize| (0..count).map(of).fold(least, usize::max);
    let first = width(&|i| names(i).0.chars().count(), 4);
    let second = width(&|i| names(i).1.chars().count(), 2);
    let point = width(&|i| place(world.contacts()[i].point).len(), 9);
    let mut text = format!("contacts of the step from t = {start} s, with their forces\n");
    text += &format!(
        "{:>5}  {:<first$}  {:<second$}  {:<point$}  {:>12}  {:>14}\n",
        "id", "body", "on", "point (m)", "normal (N)", "tangential (N)"
    );
    let solution = world.solution();
    for (index, contact) in world.contacts().iter().enumerate() {
        let impulse = solution.impulses[index];
        let (one, two) = names(index);
        // Adding zero turns a negative zero into zero.
        let (normal, tangent) = (impulse.normal() / h + 0.0, impulse.tangent().norm() / h);
        let at = place(contact.point);
        text += &format!(
            "{index:>5}  {one:<first$}  {two:<second$}  {at:<point$}  {normal:>12.5}  {tangent:>14.5}\n"
        );
    }
    text + "choose one with --contact ID\n"
}

/// One solution, seen at the chosen contact.
struct Sample<S: Dimension> {
    impulse: S::Local,
    velocity: S::Local,
    report: SolveReport,
}

/// What was found, ready to be shown.
struct View<'a, S: Dimension> {
    world: &'a World<S>,
    scene: &'a Scene,
    chosen: usize,
    start: f64,
    params: ExploreParams,
    found: Exploration<S>,
    samples: Vec<Sample<S>>,
}

impl<S: Dimension> View<'_, S> {
    /// Names of the components of a contact force.
    fn components(&self) -> &'static [&'static str] {
        if S::DIMENSION == 2 {
            &["normal", "tangent"]
        } else {
            &["normal", "tangent_1", "tangent_2"]
        }
    }
    fn own(&self) -> S::Local {
        self.world.solution().impulses[self.chosen]
    }
    fn title(&self) -> String {
        let contact = &self.world.contacts()[self.chosen];
        let (first, second) = (self.world.name(contact.first), self.world.name(contact.second));
        format!("contact {}: {first} on {second}", self.chosen)
    }

    /// Writes `cloud.csv`, `cloud.png`, `cloud.svg` and `exploration.json`.
    fn write(&self, directory: &Path) -> Result<(), Failure> {
        let cannot = |path: &Path, error: &dyn Display| {
            format!("error: cannot write {}: {error}", path.display())
        };
        std::fs::create_dir_all(directory).map_err(|error| cannot(directory, &error))?;
        self.write_table(&directory.join("cloud.csv")).map_err(|error| plain(&error))?;
        let cloud = self.cloud();
        let (width, height) = cloud.size();
        let mut print = Print::new(width, height);
        cloud.draw(&mut print);
        print.write(&directory.join("cloud")).map_err(|error| plain(&error))?;
        let path = directory.join("exploration.json");
        let text = serde_json::to_string_pretty(&self.json()).map_err(|error| plain(&error))?;
        std::fs::write(&path, text + "\n").map_err(|error| cannot(&path, &error))
    }

    fn write_table(&self, path: &Path) -> Result<(), drystone_record::RecordError> {
        let h = self.world.setup().time_step;
        let forces = self.components().iter().map(|name| (*name).to_owned());
        let velocities = self.components().iter().map(|name| format!("velocity_{name}"));
        let others = ["residual", "residual_scale_free", "iterations"].map(str::to_owned);
        let columns: Vec<String> = forces.chain(velocities).chain(others).collect();
        let mut table = Table::create(path.to_owned(), &columns)?;
        for sample in &self.samples {
            let forces = (0..S::DIMENSION).map(|i| sample.impulse.get(i) / h);
            let velocities = (0..S::DIMENSION).map(|i| sample.velocity.get(i));
            let SolveReport { residual, iterations, .. } = sample.report;
            let others = [residual.relative, residual.scale_free, iterations as f64];
            table.row(forces.chain(velocities).chain(others).map(Some))?;
        }
        table.flush()
    }

    fn cloud(&self) -> Cloud {
        let h = self.world.setup().time_step;
        let force = |impulse: S::Local| {
            let tangent = impulse.tangent();
            let second = if S::Tangent::LENGTH > 1 { tangent.get(1) } else { 0.0 };
            Force { normal: impulse.normal() / h, tangent: DVec2::new(tangent.get(0), second) / h }
        };
        Cloud {
            title: format!("{}: {}, t = {:.6} s", self.scene.title, self.title(), self.start),
            in_space: S::DIMENSION == 3,
            friction: self.world.contact_friction(&self.world.contacts()[self.chosen]),
            forces: self.samples.iter().map(|sample| force(sample.impulse)).collect(),
            own: force(self.own()),
        }
    }

    /// Lowest and highest force of a component.
    fn range(&self, component: usize) -> (f64, f64) {
        let h = self.world.setup().time_step;
        let (low, high) = self.found.impulses[self.chosen].component(component);
        (low / h, high / h)
    }
    fn determined(&self) -> (usize, usize) {
        let contacts = 0..self.found.impulses.len();
        let normal = contacts.clone().filter(|&i| self.found.is_normal_determined(i)).count();
        (contacts.filter(|&i| self.found.is_determined(i)).count(), normal)
    }

    fn json(&self) -> serde_json::Value {
        let h = self.world.setup().time_step;
        let contact = &self.world.contacts()[self.chosen];
        let vector = |v: S::Vector| (0..S::DIMENSION).map(|i| v.get(i)).collect::<Vec<_>>();
        let frame = &self.world.problem().contacts[self.chosen].map.frame;
        let axis = |i: usize| vector(frame.to_world(S::Local::axis(i)));
        let solved = self.found.solved > 0;
        let component = |i: usize| {
            let (low, high) = self.range(i);
            serde_json::json!({
                "name": self.components()[i],
                "axis": axis(i),
                "lowest": solved.then_some(low),
                "highest": solved.then_some(high),
                "own": self.own().get(i) / h,
            })
        };
        let (determined, determined_normal) = self.determined();
        serde_json::json!({
            "scene": self.scene.title,
            "time": self.start,
            "time_step": h,
            "contact": self.chosen,
            "bodies": [self.world.name(contact.first), self.world.name(contact.second)],
            "point": vector(contact.point),
            "friction": self.world.contact_friction(contact),
            "by": if self.params.vary == Vary::Start { "start" } else { "order" },
            "seed": self.params.seed,
            "tolerance": self.params.solver.tolerance,
            "samples": self.params.samples,
            "solved": self.found.solved,
            "unit": "N",
            "forces": (0..S::DIMENSION).map(component).collect::<Vec<_>>(),
            "velocities_unique": solved.then(|| self.found.velocities_are_unique()),
            "velocity_spread": solved.then(|| self.found.velocity_spread()),
            "contacts": self.found.impulses.len(),
            "contacts_determined": solved.then_some(determined),
            "contacts_with_determined_normal_force": solved.then_some(determined_normal),
        })
    }

    /// What a user reads.
    fn text(&self, directory: &Path) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            writeln!(text, "{label:<12} {value}").expect("writing to a string does not fail");
        };
        let found = &self.found;
        let count = found.impulses.len();
        line("scene", &self.scene.title);
        line("step", &format!("from t = {:.6} s, {count} contacts", self.start));
        line("contact", self.title().strip_prefix("contact ").unwrap_or_default());
        let varied = if self.params.vary == Vary::Start {
            "random starts"
        } else {
            "random orders of the sweep"
        };
        line(
            "samples",
            &format!(
                "{} {varied}: {} solved to {:e}, {} left out",
                self.params.samples,
                found.solved,
                self.params.solver.tolerance,
                self.params.samples - found.solved
            ),
        );
        if found.solved == 0 {
            line("", "none was solved: allow more sweeps in the scene, or a larger --tolerance");
            return text;
        }
        self.describe_forces(&mut line);
        self.describe_velocities(&mut line);
        let (determined, normal) = self.determined();
        line(
            "determined",
            &format!("the force of {determined} of {count} contacts, the normal force of {normal}"),
        );
        line(
            "recorded in",
            &format!("{} (cloud.csv, cloud.png, cloud.svg, exploration.json)", directory.display()),
        );
        text
    }

    fn describe_forces(&self, line: &mut impl FnMut(&str, &str)) {
        let h = self.world.setup().time_step;
        line(
            "forces",
            &format!("{:<10} {:>14} {:>14} {:>14}", "(N)", "lowest", "highest", "the run's"),
        );
        let size = self.found.impulse_size / h;
        for (index, name) in self.components().iter().enumerate() {
            let (low, high) = self.range(index);
            let own = self.own().get(index) / h;
            let verdict = if high - low <= self.found.resolution * size {
                "determined".to_owned()
            } else {
                format!(
                    "open by {:.3} of the largest force, {}",
                    (high - low) / size,
                    quantity(size, "N")
                )
            };
            let name = name.replace('_', " ");
            line("", &format!("{name:<10} {low:>14.6} {high:>14.6} {own:>14.6}  {verdict}"));
        }
    }

    fn describe_velocities(&self, line: &mut impl FnMut(&str, &str)) {
        let spread = self.found.velocity_spread();
        let size = quantity(self.found.velocity_size, "m/s");
        if self.found.velocities_are_unique() {
            line("velocities", &format!("unique: they differ by at most {spread:.1e} of {size}"));
            line("", "so that the resultant of the forces on each body is determined");
        } else {
            line("velocities", &format!("not unique: they differ by {spread:.2} of {size}"));
            line("", "so that the step has more than one future; the forces at its start decide");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explorations_are_named_after_scene_and_contact() {
        let expected = Path::new("runs/arch_contact_3");
        assert_eq!(default_directory(Path::new("scenes/arch.toml"), 3), expected);
    }

    #[test]
    fn times_may_be_zero_but_not_negative() {
        assert_eq!(not_negative("0"), Ok(0.0));
        assert!(not_negative("-1").is_err() && not_negative("nan").is_err());
    }
}
