//! From a [`Problem`] to what solvers take, and back.

use crate::{Form, Info, Joints, LocalJoints, Problem};
use drystone_solve::assembled::Local;
use drystone_solve::global::Singular;
use drystone_solve::solvers::{Components, Size};
use drystone_solve::{
    AnyAssembled, Assembled, BlockMatrix, Cone, Global, SparseMatrix, with_assembled,
};

/// A problem with D components a contact.
pub enum Posed<const D: usize> {
    /// Ready for a solver.
    Local(Assembled<D>),
    /// To be reduced first: a global problem, or a local one with constraints.
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
            Form::Local { delassus, free, joints } => {
                let delassus = BlockMatrix::from_entries(self.contacts(), delassus.entries());
                let (free, cones) = (by_contact(free), self.cones());
                match joints {
                    None => Posed::Local(Assembled { delassus, free, cones }),
                    Some(joints) => Posed::Global(tied(delassus, free, cones, joints)),
                }
            }
            Form::Global { mass, map, force, offset, joints } => {
                let mut global = Global {
                    mass: mass.clone(),
                    map: map.clone(),
                    force: force.clone(),
                    offset: by_contact(offset),
                    cones: self.cones(),
                    own: None,
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
    /// Where the mass matrix of a global problem has no inverse, or its constraints depend on each other.
    pub fn assembled(&self) -> Result<AnyAssembled, Singular> {
        fn of<const D: usize>(problem: &Problem) -> Result<Assembled<D>, Singular>
        where
            Size<D>: Components<D>,
        {
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

    /// A local problem without solution and guesses.
    pub fn from_assembled(assembled: &AnyAssembled, info: Info) -> Self {
        fn of<const D: usize>(assembled: &Assembled<D>, info: Info) -> Problem {
            let size = D * assembled.contacts();
            let mut entries = Vec::new();
            for row in 0..assembled.contacts() {
                for (column, block) in assembled.delassus.row(row) {
                    for (i, line) in block.iter().enumerate() {
                        let entry = |j: usize| (D * row + i, D * column + j);
                        entries.extend(line.iter().enumerate().map(|(j, &value)| {
                            let (row, column) = entry(j);
                            (row, column, value)
                        }));
                    }
                }
            }
            let delassus = SparseMatrix::from_entries(size, size, &entries);
            let cones = assembled.cones.iter();
            let rolling = cones.clone().map(|cone| cone.rolling).collect();
            Problem {
                info,
                dimension: D,
                friction: cones.map(|cone| cone.friction).collect(),
                rolling: if D == 5 { rolling } else { Vec::new() },
                form: Form::Local {
                    delassus,
                    free: assembled.free.as_flattened().to_vec(),
                    joints: None,
                },
                solution: None,
                guesses: Vec::new(),
            }
        }
        with_assembled!(assembled, assembled => of(assembled, info))
    }

    /// The cone of each contact.
    pub fn cones(&self) -> Vec<Cone> {
        let rolling = self.rolling.iter().copied().chain(std::iter::repeat(0.0));
        let cone = |(&friction, rolling)| Cone { friction, rolling };
        self.friction.iter().zip(rolling).map(cone).collect()
    }
}

/// A local problem with constraints, the multipliers taking the place of degrees of freedom:
/// −R λ = Vᵀ r + s.
fn tied<const D: usize>(
    delassus: BlockMatrix<D>,
    free: Vec<Local<D>>,
    cones: Vec<Cone>,
    joints: &LocalJoints,
) -> Global<D> {
    let size = joints.offset.len();
    let response = joints.response.entries().map(|(i, j, value)| (i, j, -value));
    let map = joints.map.entries().map(|(row, column, value)| (column, row, value));
    Global {
        mass: SparseMatrix::from_entries(size, size, &response.collect::<Vec<_>>()),
        map: SparseMatrix::from_entries(size, joints.map.rows(), &map.collect::<Vec<_>>()),
        force: joints.offset.clone(),
        offset: free,
        cones,
        own: Some(delassus),
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
