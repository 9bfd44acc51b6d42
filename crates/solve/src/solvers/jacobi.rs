//! Jacobi: every contact is solved with all others frozen at the last iteration.
//!
//! The answers of neighbours add up, so that a contact must not answer alone for what all of them
//! see. Each is solved with n_c times its own block, n_c being the number of blocks in its row: W
//! is then below the block diagonal that is solved, and the iteration cannot overshoot where the
//! law has an energy. Anderson's acceleration works on it. The order of contacts has no part in
//! the answer.

use super::Limits;
use super::anderson::Anderson;
use super::contact::{Components, ContactBlock, Size, Visit};
use super::scaled::{OnScaled, Scaled};
use crate::assembled::local::scaled;
use crate::assembled::{Assembled, Local};

/// The solver.
#[derive(Debug, Default)]
pub struct Jacobi<const D: usize> {
    scaled: Scaled<D>,
    anderson: Anderson,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    next: Vec<Local<D>>,
}

impl<const D: usize> OnScaled<D> for Jacobi<D>
where
    Size<D>: Components<D>,
{
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        self.scaled.best(&mut self.impulses);
        self.velocities.clone_from(&self.impulses);
        self.next.clone_from(&self.impulses);
        self.anderson.reset();
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        let problem = &self.scaled.problem;
        let block = |(contact, cone)| {
            let seen = problem.delassus.row(contact).count() as f64;
            let block = problem.delassus.diagonal(contact).map(|line| scaled(&line, seen));
            ContactBlock::new(&block, cone)
        };
        let blocks: Vec<<Size<D> as Components<D>>::Block> =
            problem.cones.iter().enumerate().map(block).collect();
        for iteration in 1..=limits.max_iterations {
            self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
            if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
                return iteration;
            }
            for (contact, block) in blocks.iter().enumerate() {
                self.next[contact] =
                    block.solve(&self.velocities[contact], &self.impulses[contact]);
            }
            self.anderson.next(self.impulses.as_flattened(), self.next.as_flattened_mut());
            std::mem::swap(&mut self.impulses, &mut self.next);
        }
        limits.max_iterations
    }
}
