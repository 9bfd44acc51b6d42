//! The contact problem of a step in assembled form, as other programs and solvers take it.

use crate::{Dimension, World};
use drystone_solve::{AnyAssembled, Law};
use drystone_space::Local;

/// The contact problem of a step in assembled form, with what its solve began from and found.
#[derive(Clone, Debug)]
pub struct AssembledStep {
    /// The problem: contacts between rigid bodies first, then those of solids.
    pub assembled: AnyAssembled,
    /// Impulses that the solve began from, component by component; empty where they are not known.
    pub start: Vec<f64>,
    /// Impulses that it found.
    pub impulses: Vec<f64>,
}

impl<S: Dimension> World<S> {
    /// The contact problem of the last step, for a world that [keeps starts](Self::keep_start); where solids touch
    /// anything, that of Newton's last iteration. `None` where a law is neither Coulomb's nor rolling resistance in space.
    pub fn assembled_step(&self) -> Option<AssembledStep> {
        let (problem, solution) = (self.problem(), self.solution());
        if problem.shared.is_some() {
            return None;
        }
        let components = |local: &S::Local| -> Vec<f64> {
            (0..S::DIMENSION).map(|axis| local.get(axis)).collect()
        };
        if problem.is_coulomb() {
            return Some(AssembledStep {
                assembled: S::gather(&problem),
                start: self.start().iter().flat_map(components).collect(),
                impulses: solution.impulses.iter().flat_map(components).collect(),
            });
        }
        let pushes = problem.contacts.iter().zip(&solution.impulses);
        let impulses = pushes.flat_map(|(contact, impulse)| {
            let couple = match contact.law {
                Law::Special(index) => solution.couples[index as usize],
                _ => S::Local::default(),
            };
            let rolling = components(&couple).into_iter().skip(1);
            components(impulse).into_iter().chain(rolling).collect::<Vec<f64>>()
        });
        let assembled = S::gather_rolling(&problem)?;
        Some(AssembledStep { assembled, start: Vec::new(), impulses: impulses.collect() })
    }
}
