//! The contact problem of the last step, as a file or as matrices.

use super::Simulation;
use crate::Error;
use drystone_engine::{AssembledStep, Dimension, World, with_world};
use drystone_fclib::{Info, Problem, RecordedSolution};
use drystone_solve::with_assembled;

/// The contact problem of a step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the step, from 0.
    pub step: u64,
    /// The problem, with what the run went on with as its solution and the warm start as its guess if it was
    /// [kept](Simulation::keep_starts).
    pub problem: Problem,
}

impl Simulation {
    /// From now on keeps what the solver of each step starts from, for [`problem`](Self::problem).
    pub fn keep_starts(&mut self) {
        with_world!(&mut self.world, world => world.keep_start());
    }

    /// The contact problem of the last step; none before the first step, and where nothing touches.
    ///
    /// Laws for which FCLib has no place are an error.
    pub fn problem(&self) -> Result<Option<Step>, Error> {
        let solved = self.last.is_some_and(|report| report.converged);
        with_world!(&self.world, world => problem(world, &self.origin.title, solved))
    }

    /// Why the last step was not solved: where its error is, and what makes it hard. Takes about as long as a solve.
    pub fn diagnosis(&self) -> String {
        with_world!(&self.world, world => world.diagnosis().to_string())
    }
}

fn problem<S: Dimension>(
    world: &World<S>,
    title: &str,
    solved: bool,
) -> Result<Option<Step>, Error> {
    let Some(step) = world.steps().checked_sub(1) else { return Ok(None) };
    if world.problem().contacts.is_empty() && world.solid_contacts().is_empty() {
        return Ok(None);
    }
    let Some(assembled) = world.assembled_step() else {
        return Err(Error::Unfit(format!(
            "step {step} has laws for which FCLib has no place (anisotropic or viscous friction, cohesion, \
             spinning resistance, rolling resistance in the plane or beside deformable solids): its problem \
             cannot be written"
        )));
    };
    Ok(Some(Step { step, problem: posed(world, assembled, title, step, solved) }))
}

fn posed<S: Dimension>(
    world: &World<S>,
    problem: AssembledStep,
    title: &str,
    step: u64,
    solved: bool,
) -> Problem {
    let h = world.setup().time_step;
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
        RecordedSolution { u, r, ..RecordedSolution::default() }
    };
    if !start.is_empty() {
        posed.guesses = vec![answer(start)];
    }
    posed.solution = Some(answer(impulses));
    posed
}
