//! Uzawa's method: impulses as multipliers, moved against their velocities and projected.
//!
//! Two projections, after the two papers that use it:
//!
//! - Feng et al. 2006, (15)–(17): r ← proj_K (r − τ Û), onto Coulomb's cone, normal and tangential
//!   parts coupled by the bipotential.
//! - Dal Pont & Dimnet 2006, (59): the multipliers of the normal conditions are moved alone,
//!   r_n ← max(0, r_n − τ u_n). Friction has a potential there. Coulomb's law, their (45)–(47), has
//!   one while the bound μ r_n is frozen, that of a disc: r_t ← proj (r_t − τ u_t) onto |r_t| ≤ μ r_n
//!   with the new r_n.
//!
//! The step is the safe one of each contact, in scaled unknowns ([`Scaled`]). These are the
//! methods of the papers as they stand, without acceleration: simple, and slow on large problems.

use super::Limits;
use super::scaled::{OnScaled, Scaled};
use crate::assembled::local::add_scaled;
use crate::assembled::{Assembled, Local};

/// Where multipliers are projected to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Projection {
    /// Onto the cone (Feng et al. 2006).
    #[default]
    Cone,
    /// Onto the half-line, then onto the disc of the new bound (Dal Pont & Dimnet 2006).
    Disc,
}

/// The solver.
#[derive(Debug, Default)]
pub struct Uzawa<const D: usize> {
    /// The projection.
    pub projection: Projection,
    scaled: Scaled<D>,
    steps: Vec<f64>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
}

impl<const D: usize> Uzawa<D> {
    /// With one of the projections.
    pub fn new(projection: Projection) -> Self {
        Self { projection, ..Self::default() }
    }
}

impl<const D: usize> OnScaled<D> for Uzawa<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        self.scaled.best(&mut self.impulses);
        self.scaled.safe_steps(&mut self.steps);
        self.velocities.clone_from(&self.impulses);
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        for iteration in 1..=limits.max_iterations {
            self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
            if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
                return iteration;
            }
            for (contact, cone) in self.scaled.problem.cones.iter().enumerate() {
                let (r, u) = (&mut self.impulses[contact], &self.velocities[contact]);
                *r = match self.projection {
                    Projection::Cone => {
                        cone.project(&add_scaled(r, -self.steps[contact], &cone.lift(u)))
                    }
                    Projection::Disc => cone.clip(&add_scaled(r, -self.steps[contact], u)),
                };
            }
        }
        limits.max_iterations
    }
}
