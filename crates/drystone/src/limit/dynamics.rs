//! Where a structure is seen to fall: runs from rest under loads that stay.

use super::Live;
use super::statics::Statics;
use crate::{Error, Simulation};
use drystone_engine::{Dimension, OnFailure, Setup, World, with_world};
use drystone_space::Vector;

/// How runs from rest tell whether a structure stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamics {
    /// How long each run is, in s.
    pub duration: f64,
    /// Way of a body, as a share of the narrowest width of any, by which it counts as fallen.
    pub way: f64,
    /// Relative width of the bracket that is sought.
    pub resolution: f64,
}

impl Default for Dynamics {
    fn default() -> Self {
        Self { duration: 1.0, way: 1e-3, resolution: 2e-3 }
    }
}

impl Dynamics {
    /// Brackets the multiplier at which a structure starts to move, below the bound of limit analysis or just above.
    ///
    /// It is looked for on both sides of the bound first: where friction does not dilate, or does not matter, it is there.
    pub(super) fn bracket<S: Dimension>(
        &self,
        statics: &Statics<S>,
        live: &Live,
        bound: f64,
    ) -> Result<[f64; 2], Error> {
        let stays = |multiplier: f64| self.stays(statics.loaded(multiplier, live));
        let near = 0.5 * self.resolution * bound.abs();
        let (mut low, mut high) = (bound - near, bound + near);
        if stays(low)? {
            // Nothing can stand above the bound; what is not seen to fall there moves too slowly for the duration.
            while stays(high)? {
                (low, high) = (high, high + 2.0 * (high - bound));
                if high > bound + 0.1 * bound.abs() {
                    return Ok([low, f64::INFINITY]);
                }
            }
            return Ok([low, high]);
        }
        (low, high) = (0.0, low);
        if !stays(low)? {
            return Ok([f64::NEG_INFINITY, low]);
        }
        while high - low > self.resolution * bound.abs() {
            let middle = 0.5 * (low + high);
            if stays(middle)? { low = middle } else { high = middle }
        }
        Ok([low, high])
    }

    fn stays<S: Dimension>(&self, mut setup: Setup<S>) -> Result<bool, Error> {
        setup.solver.on_failure = OnFailure::Continue;
        let widths = setup.bodies.iter().flat_map(|body| &body.parts).map(|p| S::width(&p.shape));
        let way = self.way * widths.fold(f64::INFINITY, f64::min);
        let mut world = World::new(setup)?;
        let start: Vec<_> = world.bodies().iter().map(|body| body.pose.position).collect();
        while world.time() < self.duration {
            world.step()?;
            let moved = |(body, start): (&drystone_engine::Body<S>, &S::Vector)| {
                (body.pose.position - *start).norm() > way
            };
            if world.bodies().iter().zip(&start).any(moved) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a simulation, put to rest, stays as it is in a run.
pub fn stays(simulation: &Simulation, dynamics: &Dynamics) -> Result<bool, Error> {
    with_world!(simulation.world(), world => {
        dynamics.stays(Statics::new(world, &Live::default())?.setup)
    })
}
