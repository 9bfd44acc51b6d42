//! From a [`Problem`] to what solvers take.

use crate::{Form, Joints, Problem};
use drystone_solve::assembled::Local;
use drystone_solve::global::Singular;
use drystone_solve::{AnyAssembled, Assembled, BlockMatrix, Cone, Global, SparseMatrix};

/// A problem with D components a contact.
pub enum Posed<const D: usize> {
    /// Ready for a solver.
    Local(Assembled<D>),
    /// To be reduced first.
    Global(Global<D>),
}

impl Problem {
    /// The problem with its number of components known to the compiler.
    ///
    /// # Panics
    /// If a contact has not D components.
    pub fn pose<const D: usize>(&self) -> Posed<D> {
        assert_eq!(D, self.dimension);
        match &self.form {
            Form::Local { delassus, free } => Posed::Local(Assembled {
                delassus: BlockMatrix::from_entries(self.contacts(), delassus.entries()),
                free: by_contact(free),
                cones: self.cones(),
            }),
            Form::Global { mass, map, force, offset, joints } => {
                let mut global = Global {
                    mass: mass.clone(),
                    map: map.clone(),
                    force: force.clone(),
                    offset: by_contact(offset),
                    cones: self.cones(),
                };
                if let Some(joints) = joints {
                    join(&mut global, joints);
                }
                Posed::Global(global)
            }
        }
    }

    /// The problem in its assembled form; a global one is reduced.
    ///
    /// # Errors
    /// Where the mass matrix of a global problem has no inverse.
    pub fn assembled(&self) -> Result<AnyAssembled, Singular> {
        fn of<const D: usize>(problem: &Problem) -> Result<Assembled<D>, Singular> {
            match problem.pose::<D>() {
                Posed::Local(assembled) => Ok(assembled),
                Posed::Global(global) => Ok(global.reduce()?.assembled),
            }
        }
        Ok(match self.dimension {
            2 => AnyAssembled::Plane(of(self)?),
            3 => AnyAssembled::Volume(of(self)?),
            _ => AnyAssembled::Rolling(of(self)?),
        })
    }

    fn cones(&self) -> Vec<Cone> {
        let rolling = self.rolling.iter().copied().chain(std::iter::repeat(0.0));
        let cone = |(&friction, rolling)| Cone { friction, rolling };
        self.friction.iter().zip(rolling).map(cone).collect()
    }
}

/// Extends M by G, and f by −b.
fn join<const D: usize>(global: &mut Global<D>, joints: &Joints) {
    let freedoms = global.force.len();
    let size = freedoms + joints.offset.len();
    let mut mass: Vec<_> = global.mass.entries().collect();
    for (row, column, value) in joints.map.entries() {
        mass.extend([(row, freedoms + column, value), (freedoms + column, row, value)]);
    }
    global.mass = SparseMatrix::from_entries(size, size, &mass);
    let map: Vec<_> = global.map.entries().collect();
    global.map = SparseMatrix::from_entries(size, global.map.columns(), &map);
    global.force.extend(joints.offset.iter().map(|b| -b));
}

fn by_contact<const D: usize>(values: &[f64]) -> Vec<Local<D>> {
    let (contacts, rest) = values.as_chunks::<D>();
    debug_assert!(rest.is_empty());
    contacts.to_vec()
}
