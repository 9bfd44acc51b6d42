//! `drystone run --dump-problems`: contact problems of steps as FCLib files, so that a hard step is
//! a benchmark and a bug report.

use crate::Failure;
use clap::Args;
use drystone_engine::{AssembledStep, Dimension, World};
use drystone_fclib::{Answer, Info, Problem};
use drystone_solve::with_assembled;
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
    directory: Option<&'a Path>,
    steps: &'a Which,
    title: &'a str,
}

impl<'a> Dump<'a> {
    /// For a scene of this title; makes the directory.
    pub fn new(arguments: &'a Arguments, title: &'a str) -> Result<Self, Failure> {
        let directory = arguments.dump_problems.as_deref();
        Self::to(directory, &arguments.dump_steps, title)
    }
    /// Writes these steps into a directory, or none.
    pub fn to(
        directory: Option<&'a Path>,
        steps: &'a Which,
        title: &'a str,
    ) -> Result<Self, Failure> {
        if let Some(directory) = directory {
            std::fs::create_dir_all(directory)
                .map_err(|error| format!("error: {}: {error}", directory.display()))?;
        }
        Ok(Self { directory, steps, title })
    }

    /// Has a world keep what is written.
    pub fn prepare<S: Dimension>(&self, world: &mut World<S>) {
        if self.directory.is_some() {
            world.keep_start();
        }
    }

    /// Writes the problem of the step just made, if it is wanted and has contacts.
    pub fn step<S: Dimension>(&self, world: &World<S>, solved: bool) -> Result<(), Failure> {
        let Some(directory) = self.directory else { return Ok(()) };
        let step = world.steps() - 1;
        let wanted = match self.steps {
            Which::Failed => !solved,
            Which::All => true,
            Which::These(steps) => steps.contains(&step),
        };
        let apart = world.problem().contacts.is_empty() && world.solid_contacts().is_empty();
        if !wanted || apart {
            return Ok(());
        }
        let Some(problem) = world.assembled_step() else {
            return Err(format!(
                "error: step {step} has laws for which FCLib has no place (anisotropic or viscous \
                 friction, cohesion, spinning resistance, rolling resistance in the plane or beside \
                 deformable solids): its problem cannot be written"
            ));
        };
        let path = directory.join(format!("step-{step:06}.hdf5"));
        self.posed(world, problem, step, solved)
            .write(&path)
            .map_err(|error| format!("error: {error}"))
    }

    fn posed<S: Dimension>(
        &self,
        world: &World<S>,
        problem: AssembledStep,
        step: u64,
        solved: bool,
    ) -> Problem {
        let (title, h) = (self.title, world.setup().time_step);
        let start = step as f64 * h;
        let outcome = if solved { "solved" } else { "not solved" };
        let tolerance = world.last_tolerance();
        let info = Info {
            title: format!("{title}, step {step}, t = {start} s"),
            description: format!(
                "Contact problem of the step from t = {start} s over {h} s of the scene \"{title}\", \
                 written by drystone {}. Guess 1, if there is one, is the warm start, the solution is what the run \
                 went on with: {outcome} to {tolerance:e}.",
                env!("CARGO_PKG_VERSION")
            ),
            math_info: String::new(),
        };
        let AssembledStep { assembled, start, impulses } = problem;
        let mut posed = Problem::from_assembled(&assembled, info);
        let answer = |r: Vec<f64>| {
            let u = with_assembled!(&assembled, assembled => {
                let mut u = assembled.free.clone();
                assembled.velocities(r.as_chunks().0, &mut u);
                u.as_flattened().to_vec()
            });
            Answer { u, r, ..Answer::default() }
        };
        if !start.is_empty() {
            posed.guesses = vec![answer(start)];
        }
        posed.solution = Some(answer(impulses));
        posed
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
