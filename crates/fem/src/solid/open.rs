//! In which motions a solid can move, and what its equation leaves open in these.

use super::Solid;
use crate::{ElementName, FemError, Location};
use drystone_space::{Space, Vector};

impl<S: Space> Solid<S> {
    /// From now on it moves in its lowest modes only, with what is held at rest: those without strain among them.
    /// Velocities become the nearest that modes can make.
    ///
    /// # Errors
    /// If the law is not linear, or there are no so many modes.
    pub fn reduce_to_modes(&mut self, count: usize) -> Result<(), FemError> {
        let Self { system, model, velocities, scratch, .. } = self;
        system.reduce(model, count)?;
        if let Some(modes) = system.modes() {
            modes.fit(model, velocities, scratch);
        }
        Ok(())
    }
    /// Circular frequencies of the modes it moves in, lowest first; none where all nodes move by themselves.
    pub fn frequencies(&mut self) -> Vec<f64> {
        self.system.modes().map(|modes| modes.frequencies().collect()).unwrap_or_default()
    }

    /// What the rest leaves open, of those motions that can be.
    pub(super) fn open_forces(&mut self) {
        let Self { system, model, rest, impulses, open, mean, .. } = self;
        for (node, open) in open.iter_mut().enumerate() {
            let own = rest[node] - impulses[node];
            *open = S::Vector::from_fn(|axis| match system.is_held(node, axis) {
                true => 0.0,
                false => own.get(axis),
            });
        }
        if let Some(modes) = system.modes() {
            modes.filter(model, open, mean);
        }
    }

    /// The worst node of the last residual and an element that has it, as messages name them.
    pub fn worst(&self) -> (Location, ElementName) {
        let open = |node: &usize| self.open[*node].norm_squared();
        let nodes = 0..self.open.len();
        let node = nodes.max_by(|a, b| open(a).total_cmp(&open(b))).unwrap_or(0);
        self.model.names(node)
    }
}
