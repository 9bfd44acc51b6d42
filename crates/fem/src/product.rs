//! Products of the stiffness with a vector, element by element, for damping.

use crate::Model;
use crate::kernel::{Between, ElementWork};
use drystone_space::{Space, Vector};

impl<S: Space> Model<S> {
    /// out += factor K v, K at the configuration `x`. Elements that are turned inside out add
    /// nothing: the step's own forces report them.
    pub(crate) fn add_stiffness_times(
        &self,
        x: &[S::Vector],
        v: &[S::Vector],
        factor: f64,
        out: &mut [S::Vector],
    ) {
        let d = S::DIMENSION;
        let mut work = ElementWork::default();
        for element in 0..self.mesh().elements() {
            if self.element_forces(element, Between::At(x), true, &mut work).is_err() {
                continue;
            }
            let nodes = self.mesh().element(element).1;
            let mut place = 0;
            for i in 0..nodes.len() * d {
                for j in 0..=i {
                    let value = factor * work.stiffness[place];
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
