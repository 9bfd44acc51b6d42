//! Equilibrium: internal forces and loads in balance, some displacements imposed.

use crate::kernel::Between;
use crate::scheme::{Convergence, Newton};
use crate::system::System;
use crate::{FemError, Model};
use drystone_space::{Space, Vector};

/// A solid in equilibrium.
#[derive(Debug)]
pub struct Static<S: Space> {
    model: Model<S>,
    system: System<S>,
    positions: Vec<S::Vector>,
    loads: Vec<S::Vector>,
    internal: Vec<S::Vector>,
}

impl<S: Space> Static<S> {
    /// A solid at rest, without loads.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn new(model: Model<S>) -> Result<Self, FemError> {
        let zero = vec![S::Vector::ZERO; model.mesh().nodes.len()];
        let positions = model.mesh().nodes.clone();
        let system = System::new(&model)?;
        Ok(Self { model, system, positions, loads: zero.clone(), internal: zero })
    }

    /// Its constant data.
    pub fn model(&self) -> &Model<S> {
        &self.model
    }
    /// Where the nodes are.
    pub fn positions(&self) -> &[S::Vector] {
        &self.positions
    }
    /// The displacement of a node.
    pub fn displacement(&self, node: usize) -> S::Vector {
        self.positions[node] - self.model.mesh().nodes[node]
    }
    /// The linear system of the last [`linearise`](Self::linearise).
    pub fn system(&mut self) -> (&Model<S>, &mut System<S>) {
        (&self.model, &mut self.system)
    }
    /// Imposes a displacement.
    pub fn impose(&mut self, node: usize, axis: usize, displacement: f64) {
        self.system.hold(node, axis, true);
        let (old, rest) = (self.positions[node], self.model.mesh().nodes[node]);
        self.positions[node] =
            S::Vector::from_fn(|i| if i == axis { rest.get(i) + displacement } else { old.get(i) });
    }
    /// Adds forces on the nodes.
    pub fn load(&mut self, forces: &[S::Vector], factor: f64) {
        self.loads.iter_mut().zip(forces).for_each(|(sum, &force)| *sum += force * factor);
    }
    /// Moves the nodes by the given displacements.
    pub fn displace(&mut self, change: &[S::Vector]) {
        self.positions.iter_mut().zip(change).for_each(|(x, &u)| *x += u);
    }

    /// Factors K at the place reached and returns the displacement that would balance the loads.
    ///
    /// # Errors
    /// Names an element that is turned inside out or free to move.
    pub fn linearise(&mut self) -> Result<Vec<S::Vector>, FemError> {
        let Self { model, system, positions, internal, .. } = self;
        system.internal_forces(model, Between::At(positions), internal)?;
        let mut step: Vec<S::Vector> =
            internal.iter().zip(&self.loads).map(|(&inner, &load)| inner + load).collect();
        if !(model.material().is_linear() && system.is_factored([0.0, 1.0])) {
            system.factor(model, [0.0, 1.0], positions)?;
        }
        system.solve(&mut step);
        Ok(step)
    }

    /// Forces that hold the imposed nodes, as of the last equilibrium.
    pub fn reaction(&self, node: usize) -> S::Vector {
        -(self.internal[node] + self.loads[node])
    }

    /// Largest rest of the balance relative to its largest term.
    fn residual(&mut self) -> Result<f64, FemError> {
        let Self { model, system, positions, internal, loads } = self;
        system.internal_forces(model, Between::At(positions), internal)?;
        let (mut error, mut scale) = (0.0f64, 0.0f64);
        for (node, (&inner, &load)) in internal.iter().zip(loads.iter()).enumerate() {
            for axis in 0..S::DIMENSION {
                if !system.is_held(node, axis) {
                    error = error.max((inner + load).get(axis).abs());
                }
                scale = scale.max(inner.get(axis).abs()).max(load.get(axis).abs());
            }
        }
        // Forces on nodes are differences of much larger ones: below their rounding nothing is left.
        let error = (error - system.force_noise(positions)).max(0.0);
        Ok(if error > 0.0 { error / scale } else { 0.0 })
    }

    /// Newton's iteration to equilibrium.
    ///
    /// # Errors
    /// If it does not settle, or an element is turned inside out or free to move.
    pub fn balance(&mut self, newton: Newton) -> Result<Convergence, FemError> {
        for iterations in 0..=newton.most {
            let residual = self.residual()?;
            if residual <= newton.tolerance {
                return Ok(Convergence { iterations, residual });
            }
            if iterations == newton.most {
                let open = |n: &usize| (self.internal[*n] + self.loads[*n]).norm_squared();
                let nodes = 0..self.positions.len();
                let node = nodes.max_by(|a, b| open(a).total_cmp(&open(b))).unwrap_or(0);
                let (node, element) = self.model.names(node);
                return Err(FemError::NotConverged {
                    iterations,
                    residual,
                    tolerance: newton.tolerance,
                    node,
                    element,
                });
            }
            let step = self.linearise()?;
            self.displace(&step);
        }
        unreachable!("the loop ends by returning")
    }
}
