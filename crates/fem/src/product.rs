//! Products of the stiffness with a vector, for damping.

use crate::Model;
use crate::kernel::Between;
use crate::system::System;
use drystone_space::{Space, Vector};

impl<S: Space> System<S> {
    /// out += factor K v, K at the configuration `x`, element by element; that of a linear law is kept.
    /// Elements that are turned inside out add nothing: the step's own forces report them.
    pub(crate) fn add_stiffness_times(
        &mut self,
        model: &Model<S>,
        x: &[S::Vector],
        v: &[S::Vector],
        factor: f64,
        out: &mut [S::Vector],
    ) {
        if model.material().is_linear() && self.keep_constant(model).is_ok() {
            self.subtract_stiffness_times(model, |node| v[node] * -factor, out);
            return;
        }
        let d = S::DIMENSION;
        for element in 0..model.mesh().elements() {
            if model.element_forces(element, Between::At(x), true, &mut self.work).is_err() {
                continue;
            }
            let nodes = model.mesh().element(element).1;
            let mut place = 0;
            for i in 0..nodes.len() * d {
                for j in 0..=i {
                    let value = factor * self.work.stiffness[place];
                    place += 1;
                    let (row, column) = (nodes[i / d] as usize, nodes[j / d] as usize);
                    out[row] += S::Vector::axis(i % d) * (value * v[column].get(j % d));
                    if i != j {
                        out[column] += S::Vector::axis(j % d) * (value * v[row].get(i % d));
                    }
                }
            }
        }
    }
}
