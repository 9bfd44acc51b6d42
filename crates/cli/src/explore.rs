//! `drystone explore`: what a step's laws leave open, as a cloud of forces (Moreau 2003, §8.2).

use crate::run::{open, told};
use crate::{Failure, report};
use clap::{Args, ValueEnum};
use drystone::explore::{self, Options, StepContact, Vary};
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
    #[arg(long, value_name = "N", default_value = "1000", value_parser = crate::run::samples)]
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

impl Arguments {
    fn options(&self) -> Options {
        Options {
            vary: if self.by == By::Start { Vary::Start } else { Vary::Order },
            samples: self.samples.get(),
            seed: self.seed,
            tolerance: self.tolerance,
            spread: self.spread,
            threads: self.threads.map_or(0, usize::from),
        }
    }
}

/// Explores one step of a scene, or lists its contacts.
pub fn explore(arguments: &Arguments) -> Result<(), Failure> {
    let mut simulation = open(&arguments.scene, &[], true)?;
    simulation.set_threads(arguments.threads.map_or(0, usize::from));
    let h = simulation.time_step();
    let before = (arguments.at.unwrap_or(simulation.end()) / h).round() as u64;
    while simulation.steps() <= before {
        simulation.step().map_err(told)?;
    }
    let start = simulation.time() - h;
    let contacts = explore::contacts(&simulation);
    let count = contacts.len();
    if count == 0 {
        return Err(format!(
            "error: nothing touches in the step at t = {start} s: choose another time with --at"
        ));
    }
    let Some(chosen) = arguments.contact else {
        return report::print(&list(&contacts, simulation.dimension(), start));
    };
    if chosen >= count {
        return Err(format!(
            "error: the step at t = {start} s has no contact {chosen}: its {count} contacts are \
             numbered from 0, and listed if --contact is left out"
        ));
    }
    let found = explore::explore(&simulation, chosen, &arguments.options()).map_err(told)?;
    let directory =
        arguments.output.clone().unwrap_or_else(|| default_directory(&arguments.scene, chosen));
    found.write(&directory).map_err(told)?;
    let (text, directory) = (found.text(), directory.display());
    report::print(&format!(
        "{text}recorded in  {directory} (cloud.csv, cloud.png, cloud.svg, exploration.json)\n"
    ))
}

/// `runs/`, the name of the scene file without its ending, and the contact.
fn default_directory(scene: &Path, contact: usize) -> PathBuf {
    let name = scene.file_stem().unwrap_or(scene.as_os_str()).to_string_lossy();
    Path::new("runs").join(format!("{name}_contact_{contact}"))
}

/// A point as a user reads it.
fn place(point: &[f64]) -> String {
    let numbers: Vec<String> = point.iter().map(|number| format!("{number:.4}")).collect();
    format!("({})", numbers.join(", "))
}

/// The contacts of the step, for a user to choose from.
fn list(contacts: &[StepContact], dimension: usize, start: f64) -> String {
    let width = |of: &dyn Fn(&StepContact) -> usize, least: usize| {
        contacts.iter().map(of).fold(least, usize::max)
    };
    let first = width(&|contact| contact.bodies[0].chars().count(), 4);
    let second = width(&|contact| contact.bodies[1].chars().count(), 2);
    let point = width(&|contact| place(&contact.point[..dimension]).len(), 9);
    let mut text = format!("contacts of the step from t = {start} s, with their forces\n");
    text += &format!(
        "{:>5}  {:<first$}  {:<second$}  {:<point$}  {:>12}  {:>14}\n",
        "id", "body", "on", "point (m)", "normal (N)", "tangential (N)"
    );
    for (index, contact) in contacts.iter().enumerate() {
        let StepContact { bodies: [one, two], normal, tangential, .. } = contact;
        let at = place(&contact.point[..dimension]);
        text += &format!(
            "{index:>5}  {one:<first$}  {two:<second$}  {at:<point$}  {normal:>12.5}  {tangential:>14.5}\n"
        );
    }
    text + "choose one with --contact ID\n"
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
