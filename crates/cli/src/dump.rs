//! `drystone run --dump-problems`: contact problems of steps as FCLib files, so that a hard step is
//! a benchmark and a bug report.

use crate::Failure;
use crate::run::told;
use clap::Args;
use drystone::Simulation;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Arguments of `run` about problems.
#[derive(Args)]
#[group(id = "dump")]
pub struct Arguments {
    /// Write contact problems of steps as FCLib files into this directory.
    #[arg(long, value_name = "DIR")]
    dump_problems: Option<PathBuf>,
    /// Which steps: `failed` (those not solved), `all`, or numbers such as `0,12,13`.
    #[arg(long, value_name = "STEPS", default_value = "failed", requires = "dump_problems",
          value_parser = which)]
    dump_steps: Which,
}

/// Which steps are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that were not solved.
    Failed,
    /// All.
    All,
    /// Those with these numbers.
    These(BTreeSet<u64>),
}

fn which(text: &str) -> Result<Which, String> {
    match text {
        "failed" => Ok(Which::Failed),
        "all" => Ok(Which::All),
        numbers => {
            let numbers = numbers.split(',').map(|number| number.trim().parse());
            let numbers = numbers.collect::<Result<BTreeSet<u64>, _>>();
            numbers.map(Which::These).map_err(|_| "must be failed, all or numbers: 0,12".to_owned())
        }
    }
}

/// Writes problems while a scene runs.
pub struct Dump<'a> {
    to: Option<(&'a Path, &'a Which)>,
}

impl<'a> Dump<'a> {
    /// As the command line says; makes the directory.
    pub fn new(arguments: &'a Arguments) -> Result<Self, Failure> {
        if let Some(directory) = &arguments.dump_problems {
            std::fs::create_dir_all(directory)
                .map_err(|error| format!("error: {}: {error}", directory.display()))?;
        }
        let directory = arguments.dump_problems.as_deref();
        Ok(Self { to: directory.map(|directory| (directory, &arguments.dump_steps)) })
    }
    /// Writes nothing.
    pub fn none() -> Self {
        Self { to: None }
    }

    /// Whether any problem is written.
    pub fn is_wanted(&self) -> bool {
        self.to.is_some()
    }

    /// Has a simulation keep what is written.
    pub fn prepare(&self, simulation: &mut Simulation) {
        if self.to.is_some() {
            simulation.keep_starts();
        }
    }

    /// Writes the problem of the step just made, if it is wanted and has contacts.
    pub fn step(&self, simulation: &Simulation, solved: bool) -> Result<(), Failure> {
        let Some((directory, steps)) = self.to else { return Ok(()) };
        let wanted = match steps {
            Which::Failed => !solved,
            Which::All => true,
            Which::These(steps) => steps.contains(&(simulation.steps() - 1)),
        };
        if !wanted {
            return Ok(());
        }
        let Some(found) = simulation.problem().map_err(told)? else { return Ok(()) };
        let path = directory.join(format!("step-{:06}.hdf5", found.step));
        found.problem.write(&path).map_err(|error| format!("error: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_named_by_words_and_numbers() {
        assert_eq!(which("all"), Ok(Which::All));
        assert_eq!(which("3, 1,3"), Ok(Which::These(BTreeSet::from([1, 3]))));
        assert!(which("some").is_err() && which("").is_err() && which("-1").is_err());
    }
}
